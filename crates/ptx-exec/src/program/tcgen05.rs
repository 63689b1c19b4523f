//! Tensor memory and what is done with it (manual 9.7.16).
//!
//! The tensor memory of a block has 128 lanes of 512 columns with cells of 32 bits. An address has the lane in its upper
//! 16 bits and the column in its lower ones.

use super::{Address, Src};
use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

/// Lanes of the tensor memory of a block.
pub const LANES: usize = 128;
/// Columns of the tensor memory of a block.
pub const COLUMNS: usize = 512;
/// Lanes that one warp of four can load and store.
pub const QUARTER: usize = 32;

/// The blocks whose tensor memory an instruction is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Group {
    /// `.cta_group::1`: that of the thread.
    One,
    /// `.cta_group::2`: that and its peer.
    Pair,
}

/// Whether an allocation is for the block alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Sharing {
    Shared,
    /// `.exclusive`: any multiple of 32 columns.
    Exclusive,
}

/// How lanes and columns are spread over the threads and registers of a warp (manual 9.7.16.2.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorShape {
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
    pub const fn lanes(self) -> usize {
        match self {
            TensorShape::Lanes32 => 32,
            _ => 16,
        }
    }

    /// The lane and column of a thread's register, counted from the address; without the distance of the halves.
    pub const fn place(self, thread: usize, register: usize) -> (usize, usize) {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Columns {
    Whole,
    /// `.pack::16b`, `.unpack::16b`: the lower halves of two neighbouring columns.
    Halves,
}

/// Which cells a load or store moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct TensorMove {
    pub shape: TensorShape,
    pub columns: Columns,
}

impl TensorMove {
    /// The cells of a thread's register: the lane from the address, and one or two columns from it.
    pub fn cells(self, thread: usize, register: usize) -> (usize, impl Iterator<Item = i64>) {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reduction {
    Float(Extreme, NanRule, SignRule),
    Integer(Extreme, Int),
}

/// What a warp does with tensor memory together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorAccess {
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
    WaitForLoads,
    WaitForStores,
}

/// How the rows of a matrix that is copied are spread over lanes (manual 9.7.16.9.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CopyRows {
    /// A row for each lane.
    All,
    /// `.4x256b`: four rows, 32 lanes apart.
    Four,
    /// `.64x128b.warpx2::02_13`: 64 rows, twice.
    Halves,
    /// `.64x128b.warpx2::01_23`: 32 rows twice, then the other 32 twice.
    Pairs,
    /// `.32x128b.warpx4`: 32 rows, four times.
    Quarters,
}

impl CopyRows {
    pub const fn count(self) -> usize {
        match self {
            CopyRows::All => 128,
            CopyRows::Four => 4,
            CopyRows::Halves | CopyRows::Pairs => 64,
            CopyRows::Quarters => 32,
        }
    }

    /// The lanes, counted from the address, that get a row.
    pub fn lanes(self, row: usize) -> impl Iterator<Item = usize> {
        let (first, copies, apart) = match self {
            CopyRows::All => (row, 1, 0),
            CopyRows::Four => (row * 32, 1, 0),
            CopyRows::Halves => (row, 2, 64),
            CopyRows::Pairs => (row % 32 + row / 32 * 64, 2, 32),
            CopyRows::Quarters => (row, 4, 32),
        };
        (0..copies).map(move |copy| first + copy * apart)
    }
}

/// Elements of fewer bits than eight, 16 of which follow each other in the low bits of 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Packed {
    /// `.b6x16_p32`
    Six,
    /// `.b4x16_p64`
    Four,
}

/// Which elements a multiplication is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MultiplyKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

/// How many scales a row has along K, or how many elements have one (manual 9.7.16.10.7.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ScaleVector {
    Count(usize),
    Block(usize),
}

/// Where A is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorA<T> {
    /// The descriptor of a matrix in shared memory.
    Shared(T),
    /// An address of tensor memory.
    Tensor(T),
}

/// D = A * B + D (manual 9.7.16.10).
#[derive(Clone, Debug, Hash)]
pub struct Multiplication<T> {
    pub kind: MultiplyKind,
    /// `.ws`
    pub keeps_b: bool,
    /// `.ashift`
    pub shifts_a: bool,
    pub vector: ScaleVector,
    pub d: T,
    pub a: TensorA<T>,
    /// The descriptor of a matrix in shared memory.
    pub b: T,
    /// The instruction descriptor.
    pub instruction: T,
    /// The address of the metadata of a sparse A.
    pub metadata: Option<T>,
    /// The addresses of the scales of A and of B.
    pub scales: Option<(T, T)>,
    /// Words with a bit for each lane that stays as it is.
    pub disabled: Vec<T>,
    /// A predicate: whether D is added.
    pub adds_d: T,
    /// By which power of two D is divided first.
    pub shift_d: T,
    /// The descriptor of columns of B that are zero.
    pub zeros: Option<T>,
}

/// What one thread has done with tensor memory; `T` is a source, or its value.
#[derive(Clone, Debug, Hash)]
pub enum TensorOperation<T> {
    /// `tcgen05.cp`
    Copy {
        rows: CopyRows,
        /// Pieces of 16 bytes of a row.
        chunks: usize,
        packed: Option<Packed>,
        to: T,
        /// The descriptor of a matrix in shared memory.
        from: T,
    },
    /// `tcgen05.shift.down`
    Shift(T),
    Multiply(Box<Multiplication<T>>),
}

impl<T: Copy> TensorOperation<T> {
    /// With a value for each source.
    pub fn map<U>(&self, f: impl Fn(T) -> U) -> TensorOperation<U> {
        match self {
            &TensorOperation::Copy { rows, chunks, packed, to, from } => {
                TensorOperation::Copy { rows, chunks, packed, to: f(to), from: f(from) }
            }
            TensorOperation::Shift(at) => TensorOperation::Shift(f(*at)),
            TensorOperation::Multiply(product) => TensorOperation::Multiply(Box::new(product.map(f))),
        }
    }
}

impl<T: Copy> Multiplication<T> {
    fn map<U>(&self, f: impl Fn(T) -> U) -> Multiplication<U> {
        let &Self { kind, keeps_b, shifts_a, vector, d, a, b, instruction, .. } = self;
        Multiplication {
            kind,
            keeps_b,
            shifts_a,
            vector,
            d: f(d),
            a: match a {
                TensorA::Shared(a) => TensorA::Shared(f(a)),
                TensorA::Tensor(a) => TensorA::Tensor(f(a)),
            },
            b: f(b),
            instruction: f(instruction),
            metadata: self.metadata.map(&f),
            scales: self.scales.map(|(a, b)| (f(a), f(b))),
            disabled: self.disabled.iter().map(|&word| f(word)).collect(),
            adds_d: f(self.adds_d),
            shift_d: f(self.shift_d),
            zeros: self.zeros.map(&f),
        }
    }
}

/// An operation of one thread on the tensor memory of its block or pair of blocks.
#[derive(Clone, Debug, Hash)]
pub struct TensorIssue {
    pub group: Group,
    pub operation: TensorOperation<Src>,
}

/// `tcgen05.commit`: an arrival when what the thread issued before is done.
#[derive(Clone, Debug, Hash)]
pub struct TensorCommit {
    pub group: Group,
    pub barrier: Address,
    /// The blocks of the cluster whose barriers there are signalled.
    pub blocks: Option<Src>,
}
