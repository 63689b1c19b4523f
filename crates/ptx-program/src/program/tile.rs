//! The matrices of `ldmatrix` and `stmatrix` (manual 9.7.14.5.15, 9.7.14.5.16): their layout in shared memory, and the
//! mapping from elements to lanes.
//!
//! Layouts that the manual only shows in figures are taken from CUTLASS, NVIDIA's own library, which specifies the
//! position of every bit for each instruction (`cute/atom/copy_traits_sm100.hpp`).

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
    /// Bits in memory. Elements are packed without gaps; the rest of a row is padding.
    pub const fn stored(self) -> u32 {
        match self {
            Cell::Half => 16,
            Cell::Byte => 8,
            Cell::Six => 6,
            Cell::Four => 4,
        }
    }

    /// Bits in a register. Shorter elements are zero-extended: the manual calls such elements unsigned. `mma` expects
    /// an `.e2m1` two bits higher, and leaves the shift to the program.
    pub const fn held(self) -> u32 {
        match self {
            Cell::Half => 16,
            Cell::Byte | Cell::Six | Cell::Four => 8,
        }
    }

    /// Elements per register.
    pub const fn per_register(self) -> usize {
        (32 / self.held()) as usize
    }
}

/// Mapping from the elements of a matrix to lanes. A lane is in group `lane / 4` at position `lane % 4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Spread {
    /// `.m8n8`, `.m8n16`: a group holds a row, and a lane adjacent elements of it.
    Along,
    /// `.m8n8.trans`, `.m16n16.trans`: a lane holds the same element of adjacent rows, and in its second register the
    /// element eight further on.
    Across,
    /// `stmatrix.m16n8.trans`: the layout of `mma` sums. A lane holds the same element of two rows, then the element
    /// eight further on.
    Sums,
}

/// Matrices moved by one instruction. A row of a matrix is 16 bytes with a separate address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Tiles {
    /// Number of matrices.
    pub count: usize,
    /// Rows of each matrix.
    pub lines: usize,
    /// The type of the elements.
    pub cell: Cell,
    /// Which lanes hold which elements.
    pub spread: Spread,
}

impl Tiles {
    /// Registers per lane for each matrix.
    pub const fn registers(&self) -> usize {
        self.lines / 8
    }

    /// The row of a matrix, and the position in it, of element `i` of a lane's register.
    pub const fn place(&self, lane: usize, register: usize, i: usize) -> (usize, usize) {
        let (group, place, each) = (lane / 4, lane % 4, self.cell.per_register());
        match self.spread {
            Spread::Along => (group, place * each + i),
            Spread::Across => (place * each + i, group + 8 * register),
            Spread::Sums => (place * 2 + i % 2, group + i / 2 * 8),
        }
    }
}
