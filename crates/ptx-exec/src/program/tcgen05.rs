//! Tensor memory and what is done with it (manual 9.7.16).
//!
//! The tensor memory of a block has 128 lanes of 512 columns with cells of 32 bits. An address has the lane in its upper
//! 16 bits and the column in its lower ones.

use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

/// Lanes of the tensor memory of a block.
pub(crate) const LANES: usize = 128;
/// Columns of the tensor memory of a block.
pub(crate) const COLUMNS: usize = 512;
/// Lanes that one warp of four can load and store.
pub(crate) const QUARTER: usize = 32;

/// The blocks whose tensor memory an instruction is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    /// `.cta_group::1`: that of the thread.
    One,
    /// `.cta_group::2`: that and its peer.
    Pair,
}

/// Whether an allocation is for the block alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharing {
    Shared,
    /// `.exclusive`: any multiple of 32 columns.
    Exclusive,
}

/// How lanes and columns are spread over the threads and registers of a warp (manual 9.7.16.2.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorShape {
    /// `.32x32b`: a lane for each thread.
    Lanes32,
    /// `.16x64b`: four threads share two lanes that are eight apart.
    Lanes16Bits64,
    /// `.16x128b`: four threads share two lanes that are eight apart.
    Lanes16Bits128,
    /// `.16x256b`: the same, with neighbouring columns in neighbouring registers.
    Lanes16Bits256,
    /// `.16x32bx2`: the upper half of the threads has columns that are so far from those of the lower half.
    Split(i32),
}

impl TensorShape {
    /// How many lanes it reaches.
    pub(crate) const fn lanes(self) -> usize {
        match self {
            TensorShape::Lanes32 => 32,
            _ => 16,
        }
    }

    /// The lane and column of a thread's register, counted from the address; without the distance of the halves.
    pub(crate) const fn place(self, thread: usize, register: usize) -> (usize, usize) {
        let (group, place) = (thread / 4, thread % 4);
        match self {
            TensorShape::Lanes32 => (thread, register),
            TensorShape::Lanes16Bits64 => (thread % 2 * 8 + group, place / 2 + register * 2),
            TensorShape::Lanes16Bits128 => (group + register % 2 * 8, place + register / 2 * 4),
            TensorShape::Lanes16Bits256 => {
                (group + register / 2 % 2 * 8, place * 2 + register % 2 + register / 4 * 8)
            }
            TensorShape::Split(_) => (thread % 16, register),
        }
    }
}

/// Whether a register has one column or the halves of two (manual 9.7.16.8.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Columns {
    Whole,
    /// `.pack::16b`, `.unpack::16b`: the lower halves of two neighbouring columns.
    Halves,
}

/// Which cells a load or store moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TensorMove {
    pub(crate) shape: TensorShape,
    pub(crate) columns: Columns,
}

impl TensorMove {
    /// The cells of a thread's register: the lane from the address, and one or two columns from it.
    pub(crate) fn cells(self, thread: usize, register: usize) -> (usize, impl Iterator<Item = i64>) {
        let (lane, column) = self.shape.place(thread, register);
        let each = match self.columns {
            Columns::Whole => 1,
            Columns::Halves => 2,
        };
        let distance = match self.shape {
            TensorShape::Split(distance) if thread >= 16 => i64::from(distance),
            _ => 0,
        };
        let first = column as i64 * each + distance;
        (lane, first..first + each)
    }
}

/// What is found of the values that a thread loads (manual 9.7.16.8.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    Float(Extreme, NanRule, SignRule),
    Integer(Extreme, Int),
}

/// What a warp does with tensor memory together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorAccess {
    /// Sources: where to write the address, and how many columns.
    Allocate(Group, Sharing),
    /// Sources: address and columns.
    Free(Group, Sharing),
    Relinquish(Group),
    /// Source: address. Destinations: the registers.
    Load(TensorMove),
    /// Destinations: the registers, and what is found of them.
    LoadReduced(TensorMove, Reduction),
    /// Destinations: the positions of what is kept, what is kept, and what is found of all.
    LoadCompressed(TensorMove, Extreme, NanRule, SignRule),
    /// Sources: address and registers.
    Store(TensorMove),
    /// Until loads or stores are done.
    Wait,
}
