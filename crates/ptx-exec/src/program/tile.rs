//! The matrices of `ldmatrix` and `stmatrix` (manual 9.7.14.5.15, 9.7.14.5.16): how they lie in shared memory, and which lane
//! holds which element.
//!
//! What the manual has in pictures only is taken from CUTLASS, NVIDIA's own library, which specifies for each instruction where every bit
//! goes (`cute/atom/copy_traits_sm100.hpp`).

/// An element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Cell {
    /// `.b16`
    Half,
    /// `.b8`
    Byte,
    /// `.b6x16_p32`: six bits in memory.
    Six,
    /// `.b4x16_p64`: four bits in memory.
    Four,
}

impl Cell {
    /// Bits in memory. They follow each other without gaps; the rest of a line is padding.
    pub const fn stored(self) -> u32 {
        match self {
            Cell::Half => 16,
            Cell::Byte => 8,
            Cell::Six => 6,
            Cell::Four => 4,
        }
    }

    /// Bits in a register. What is shorter in memory is in the low ones, and the others are zero: the manual calls such elements
    /// unsigned. `mma` wants an `.e2m1` two bits higher, and leaves that to the program.
    pub const fn held(self) -> u32 {
        match self {
            Cell::Half => 16,
            Cell::Byte | Cell::Six | Cell::Four => 8,
        }
    }

    /// Elements in one register.
    pub const fn per_register(self) -> usize {
        (32 / self.held()) as usize
    }
}

/// How the elements of a matrix are spread over the lanes. A lane is in group `lane / 4` and has place `lane % 4` in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Spread {
    /// `.m8n8`, `.m8n16`: a group holds a line, and a lane neighbours in it.
    Along,
    /// `.m8n8.trans`, `.m16n16.trans`: a lane holds the same element of neighbouring lines, and in its second register the one that
    /// is eight further on.
    Across,
    /// `stmatrix.m16n8.trans`: as `mma` leaves its sums. A lane holds the same element of two lines, then the one that is eight
    /// further on.
    Sums,
}

/// Matrices that one instruction moves. A line of a matrix is 16 bytes with an address of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Tiles {
    pub count: usize,
    /// Lines of each matrix.
    pub lines: usize,
    pub cell: Cell,
    pub spread: Spread,
}

impl Tiles {
    /// A lane's registers for each matrix.
    pub const fn registers(&self) -> usize {
        self.lines / 8
    }

    /// The line of a matrix, and the place in it, of element `i` of a lane's register.
    pub const fn place(&self, lane: usize, register: usize, i: usize) -> (usize, usize) {
        let (group, place, each) = (lane / 4, lane % 4, self.cell.per_register());
        match self.spread {
            Spread::Along => (group, place * each + i),
            Spread::Across => (place * each + i, group + 8 * register),
            Spread::Sums => (place * 2 + i % 2, group + i / 2 * 8),
        }
    }
}
