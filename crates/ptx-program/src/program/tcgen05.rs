//! Tensor memory and operations on it (manual 9.7.16).
//!
//! The tensor memory of a block has 128 lanes and 512 columns of 32-bit cells. An address contains the lane in its
//! upper 16 bits and the column in the lower ones.

use super::{Address, Src};
use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

/// Lanes of the tensor memory of a block.
pub const LANES: usize = 128;
/// Columns of the tensor memory of a block.
pub const COLUMNS: usize = 512;
/// Lanes that each of four warps can load and store.
pub const QUARTER: usize = 32;

/// The blocks whose tensor memory an instruction operates on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Group {
    /// `.cta_group::1`: the thread's block.
    One,
    /// `.cta_group::2`: the block and its peer.
    Pair,
}

/// Whether an allocation is exclusive to the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Sharing {
    /// Other blocks may allocate, too.
    Shared,
    /// `.exclusive`: allows any multiple of 32 columns.
    Exclusive,
}

/// Mapping from lanes and columns to the threads and registers of a warp (manual 9.7.16.2.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorShape {
    /// `.32x32b`: one lane for each thread.
    Lanes32,
    /// `.16x64b`: four threads share two lanes that are eight apart.
    Lanes16Bits64,
    /// `.16x128b`: four threads share two lanes that are eight apart.
    Lanes16Bits128,
    /// `.16x256b`: like `.16x128b`, with adjacent columns in adjacent registers.
    Lanes16Bits256,
    /// `.16x32bx2`: the columns of the upper half of the threads are at this offset from those of the lower half.
    Split(i32),
}

impl TensorShape {
    /// Number of lanes covered.
    pub const fn lanes(self) -> usize {
        match self {
            TensorShape::Lanes32 => 32,
            _ => 16,
        }
    }

    /// The lane and column of a thread's register, relative to the address; without the offset of the upper half.
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

/// Whether a register holds one column or the lower halves of two (manual 9.7.16.8.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Columns {
    /// One column.
    Whole,
    /// `.pack::16b`, `.unpack::16b`: the lower halves of two adjacent columns.
    Halves,
}

/// The cells moved by a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct TensorMove {
    /// How lanes and columns are mapped to registers.
    pub shape: TensorShape,
    /// Columns in a register.
    pub columns: Columns,
}

impl TensorMove {
    /// The cells of a thread's register: the lane relative to the address, and one or two columns.
    pub fn cells(self, thread: usize, register: usize) -> (usize, impl Iterator<Item = i64>) {
        let (lane, first) = self.first_cell(thread, register);
        (lane, first..first + self.each())
    }

    /// The first of the cells of a thread's register.
    pub fn first_cell(self, thread: usize, register: usize) -> (usize, i64) {
        let (lane, column) = self.shape.place(thread, register);
        let distance = match self.shape {
            TensorShape::Split(distance) if thread >= 16 => i64::from(distance),
            _ => 0,
        };
        (lane, column as i64 * self.each() + distance)
    }

    /// Columns of a register.
    const fn each(self) -> i64 {
        match self.columns {
            Columns::Whole => 1,
            Columns::Halves => 2,
        }
    }
}

/// Reduction of the values loaded by a thread (manual 9.7.16.8.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reduction {
    /// The smallest or largest floating-point value.
    Float(Extreme, NanRule, SignRule),
    /// The smallest or largest integer.
    Integer(Extreme, Int),
}

/// A warp-collective operation on tensor memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorAccess {
    /// Sources: where to write the address, and the number of columns.
    Allocate(Group, Sharing),
    /// Sources: address and columns.
    Free(Group, Sharing),
    /// `tcgen05.relinquish_alloc_permit`: the block allocates no more.
    Relinquish(Group),
    /// Source: address. Destinations: the registers.
    Load(TensorMove),
    /// Destinations: the registers, and the result of the reduction.
    LoadReduced(TensorMove, Reduction),
    /// Destinations: the positions of the kept values, the kept values, and the reduction of all values.
    LoadCompressed(TensorMove, Extreme, NanRule, SignRule),
    /// Sources: address and registers.
    Store(TensorMove),
    /// `tcgen05.wait::ld`
    WaitForLoads,
    /// `tcgen05.wait::st`
    WaitForStores,
}

/// Mapping from rows of a copied matrix to lanes (manual 9.7.16.9.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CopyRows {
    /// One row per lane.
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
    /// Number of rows.
    pub const fn count(self) -> usize {
        match self {
            CopyRows::All => 128,
            CopyRows::Four => 4,
            CopyRows::Halves | CopyRows::Pairs => 64,
            CopyRows::Quarters => 32,
        }
    }

    /// The lanes, relative to the address, that receive a row.
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

/// Sub-byte elements, 16 of which are packed in the low bits of 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Packed {
    /// `.b6x16_p32`
    Six,
    /// `.b4x16_p64`
    Four,
}

/// The element types of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MultiplyKind {
    /// `.kind::f16`
    F16,
    /// `.kind::tf32`
    Tf32,
    /// `.kind::f8f6f4`
    F8f6f4,
    /// `.kind::i8`
    I8,
    /// `.kind::mxf8f6f4`
    Mxf8f6f4,
    /// `.kind::mxf4`
    Mxf4,
    /// `.kind::mxf4nvf4`
    Mxf4nvf4,
}

/// Number of scales per row along K, or number of elements per scale (manual 9.7.16.10.7.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ScaleVector {
    /// Scales per row.
    Count(usize),
    /// Elements per scale.
    Block(usize),
}

/// Location of A.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorA<T> {
    /// Shared memory; the descriptor of the matrix.
    Shared(T),
    /// Tensor memory; the address.
    Tensor(T),
}

/// D = A * B + D (manual 9.7.16.10).
#[derive(Clone, Debug, Hash)]
pub struct Multiplication<T> {
    /// The element types.
    pub kind: MultiplyKind,
    /// `.ws`
    pub keeps_b: bool,
    /// `.ashift`
    pub shifts_a: bool,
    /// How many elements share a scale.
    pub vector: ScaleVector,
    /// The address of D in tensor memory.
    pub d: T,
    /// Where A is.
    pub a: TensorA<T>,
    /// The descriptor of a matrix in shared memory.
    pub b: T,
    /// The instruction descriptor.
    pub instruction: T,
    /// The address of the metadata of a sparse A.
    pub metadata: Option<T>,
    /// The addresses of the scales of A and of B.
    pub scales: Option<(T, T)>,
    /// Bit masks of the lanes that are not written.
    pub disabled: Vec<T>,
    /// A predicate: whether the old D is added.
    pub adds_d: T,
    /// The power of two by which D is divided first.
    pub shift_d: T,
    /// The zero-column mask descriptor of B.
    pub zeros: Option<T>,
}

impl Multiplication<u64> {
    /// Whether D is not written in a lane of one of the blocks.
    pub fn is_disabled(&self, block: usize, lane: usize) -> bool {
        let mask = self.disabled.get(block * (LANES / QUARTER) + lane / QUARTER);
        mask.is_some_and(|mask| mask >> (lane % QUARTER) & 1 == 1)
    }
}

/// An operation on tensor memory issued by one thread; `T` is a source operand, or its value.
#[derive(Clone, Debug, Hash)]
pub enum TensorOperation<T> {
    /// `tcgen05.cp`
    Copy {
        /// Which lanes receive a row.
        rows: CopyRows,
        /// 16-byte chunks per row.
        chunks: usize,
        /// The packing of elements that are narrower than a byte.
        packed: Option<Packed>,
        /// The address in tensor memory.
        to: T,
        /// The descriptor of a matrix in shared memory.
        from: T,
    },
    /// `tcgen05.shift.down`
    Shift(T),
    /// `tcgen05.mma`
    Multiply(Box<Multiplication<T>>),
}

impl<T: Copy> TensorOperation<T> {
    /// Maps each source operand to a value.
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
    /// The blocks whose tensor memory it works on.
    pub group: Group,
    /// The operation.
    pub operation: TensorOperation<Src>,
}

/// `tcgen05.commit`: an arrival when all prior operations of the thread are complete.
#[derive(Clone, Debug, Hash)]
pub struct TensorCommit {
    /// The blocks whose operations it is about.
    pub group: Group,
    /// The mbarrier that is signalled.
    pub barrier: Address,
    /// The blocks of the cluster whose mbarriers are signalled.
    pub blocks: Option<Src>,
}
