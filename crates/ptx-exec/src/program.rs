//! The executable form of a module: the output of decoding and the input of the machine.
//!
//! The code of all functions is concatenated in one array; a program counter is an index into it. Registers are rows of
//! 32 values, one for each lane of a warp. A 128-bit value takes two rows, low half first. Immediates and addresses
//! known before the launch are constant rows, so that every operand is a row. For example:
//!
//! ```text
//! @%p ld.global.f32 %x, [%a+4];
//! Inst { guard: row of %p, op: Load { address: { Global, row of %a, offset 4 }, dsts: [row of %x], size: 4, .. } }
//! ```

mod access;
mod alu;
mod async_group;
mod call;
mod cluster;
mod digest;
mod formula;
mod lines;
mod matrix;
mod multimem;
mod operands;
mod shared;
mod tcgen05;
mod tensor;
mod texture;
mod tile;
mod wgmma;

use std::sync::Arc;

use ptx_diag::Span;
use ptx_isa::{Component, SpecialReg};
use rustc_hash::FxHashMap;

use crate::layout::Object;
pub use crate::memory::Order;
use crate::memory::{AddressSize, Space, shared_address};
use crate::scalar::float::{Extreme, NanRule, SignRule};
pub use access::{Accesses, Run};

pub use alu::{
    Binary, Combine, Comparison, Dual, FloatBinary, FloatCombine, FloatExtreme, FloatFunction, Numbers,
    PackConversion, Packing, SetWhere, Ternary, Unary, each,
};
pub use async_group::{AsyncGroup, AsyncOp, AsyncWrite, Family, GroupAction, Write};
pub use cluster::{Audience, ClusterAction, MapAddress, TryCancel};
pub use formula::Formula;
pub use lines::Files;
pub use lines::SourceLine;
pub use matrix::{
    Element, ElementPosition, Factor, Fragment, Held, Indices, Join, Major, Majorness, MatrixOperand,
    Overflow, Product, Scales, Size, Sparse,
};
pub use multimem::{Accumulation, Multimem, MultimemAction, Rounds, Step};
pub use operands::{Operand, OperandMut, OperandRef};
pub use shared::{
    BarrierLayout, Bulk, BulkSource, Completion, Inspection, Mbarrier, MbarrierAction, Stack, Stay, Within,
};
pub use tcgen05::{
    COLUMNS, Columns, CopyRows, Group, LANES, Multiplication, MultiplyKind, Packed, QUARTER, Reduction,
    ScaleVector, Sharing, TensorA, TensorAccess, TensorCommit, TensorIssue, TensorMove, TensorOperation,
    TensorShape,
};
pub use tensor::{TensorAction, TensorCopy, TensorMode, TensorReduction, TensormapCopy, TensormapReplace};
pub use texture::{
    Beyond, Coordinates, Fetch, Geometry, LevelOf, Opaque, Property, SurfaceAccess, SurfaceAction, Texels,
    TextureQuery, Texturing,
};
pub use tile::{Cell, Spread, Tiles};
pub use wgmma::{FactorA, SharedFactor, WARPGROUP, WarpgroupAction, WarpgroupProduct};

/// Lanes per warp.
pub const WARP: usize = 32;
/// One register of every lane of a warp; bits above the register's width are zero.
pub type Row = [u64; WARP];
/// A set of lanes: bit `n` is lane `n`.
pub type Mask = u32;
/// All lanes.
pub const FULL: Mask = u32::MAX;
/// Alignment of the local memory of a frame, which is also the maximum alignment of a variable in it.
pub const FRAME_ALIGNMENT: u32 = 128;

/// A source operand: a register row of the frame, or a constant row of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub struct Src(u32);

impl Src {
    const CONSTANT: u32 = 1 << 31;

    pub const fn register(row: u32) -> Self {
        Self(row)
    }

    pub const fn constant(index: u32) -> Self {
        Self(index | Self::CONSTANT)
    }

    /// The row `n` rows further on.
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0 + n)
    }

    /// The index of the register row, if it is a register.
    pub const fn as_register(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { Some(self.0) } else { None }
    }

    /// The index of the constant row, if it is a constant.
    pub const fn as_constant(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { None } else { Some(self.0 & !Self::CONSTANT) }
    }

    /// The row it refers to.
    #[inline]
    pub fn of<'a>(self, rows: &'a [Row], constants: &'a [Row]) -> &'a Row {
        if self.0 & Self::CONSTANT == 0 {
            &rows[self.0 as usize]
        } else {
            &constants[(self.0 & !Self::CONSTANT) as usize]
        }
    }
}

/// A destination operand: the index of a register row.
pub type Dst = u32;

/// The guard predicate of an instruction.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Guard {
    pub row: u32,
    pub negated: bool,
}

/// Iterates over the lanes of a set in ascending order.
#[inline]
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < WARP as u32).then_some(lane as usize)
    })
}

/// The lowest lane of a nonempty set.
pub fn first_lane(mask: Mask) -> usize {
    (mask.trailing_zeros() as usize).min(WARP - 1)
}

/// The base of an address.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Base {
    /// A row of addresses; 32-bit addresses wrap around at 32 bits.
    Row(Src, AddressWidth),
    /// The thread's local memory in the current call frame.
    Frame,
}

/// Width of the register that contains an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AddressWidth {
    Bits32,
    Bits64,
}

/// An address operand.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Address {
    pub space: Space,
    pub base: Base,
    pub offset: i64,
}

/// How a loaded element is extended to its register: zero- or sign-extended, then truncated to the register's width.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Fill {
    /// Left shift followed by the same arithmetic right shift, for sign extension; 0 for zero extension.
    pub sign_shift: u32,
    /// Mask of the register's bits.
    pub register: u64,
}

impl Fill {
    /// Zero extension to a 64-bit register.
    pub const ZEROS: Self = Self { sign_shift: 0, register: u64::MAX };

    #[inline]
    pub fn apply(self, raw: u64) -> u64 {
        (((raw << self.sign_shift) as i64 >> self.sign_shift) as u64) & self.register
    }
}

/// `ld`: loads consecutive elements into `dsts`.
#[derive(Clone, Debug, Hash)]
pub struct Load {
    pub address: Address,
    pub dsts: Box<[Dst]>,
    /// Bytes of an element. A 16-byte element goes to two of `dsts` and is read atomically.
    pub size: u32,
    /// Required alignment of the address: the size of the whole access.
    pub align: u64,
    pub fill: Fill,
    pub order: Order,
    /// Whether programs may spin on it, waiting for other threads: it is volatile or synchronizing.
    pub polls: bool,
    /// Mask of the bytes that the program uses (`.pragma "used_bytes_mask"`).
    pub used: u32,
}

impl Load {
    /// A zero-extending, naturally aligned load of one element of `size` bytes that does not wait for other threads.
    pub fn plain(address: Address, dst: Dst, size: u32) -> Self {
        Self {
            address,
            dsts: [dst].into(),
            size,
            align: size.into(),
            fill: Fill::ZEROS,
            order: Order::Relaxed,
            polls: false,
            used: u32::MAX,
        }
    }
}

/// `st`: stores `srcs` to consecutive elements.
#[derive(Clone, Debug, Hash)]
pub struct Store {
    pub address: Address,
    pub srcs: Box<[Src]>,
    /// Bytes of an element. A 16-byte element comes from two of `srcs` and is written atomically.
    pub size: u32,
    pub align: u64,
    pub order: Order,
}

impl Store {
    /// A naturally aligned store of one element of `size` bytes.
    pub fn plain(address: Address, src: Src, size: u32) -> Self {
        Self { address, srcs: [src].into(), size, align: size.into(), order: Order::Relaxed }
    }
}

/// `atom` and `red`.
#[derive(Clone, Debug, Hash)]
pub struct Atomic {
    pub address: Address,
    pub size: u32,
    pub dst: Option<Dst>,
    pub operands: [Src; 2],
    pub combine: Combine,
}

/// `atom` and `red` on vectors: each element is combined separately (manual 9.7.13.5).
#[derive(Clone, Debug, Hash)]
pub struct VectorAtomic {
    pub address: Address,
    /// Bytes of an element.
    pub size: u32,
    /// For each element the destination of its old value, and the operand it is combined with.
    pub elements: Box<[(Option<Dst>, Src)]>,
    pub combine: Combine,
}

/// The value that a 128-bit atomic operation writes (manual 9.7.13.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exchange {
    /// `.exch`: the operand.
    Always,
    /// `.cas`: the second operand, if memory contains the first.
    WhereEqual,
}

/// 128-bit `atom`; every value is two rows, low half first.
#[derive(Clone, Copy, Debug, Hash)]
pub struct WideAtomic {
    pub address: Address,
    pub dst: Option<[Dst; 2]>,
    pub operands: [Src; 2],
    pub exchange: Exchange,
}

/// How many bytes `cp.async` copies.
#[derive(Clone, Copy, Debug, Hash)]
pub enum CopyAmount {
    /// All of them.
    Whole,
    /// As many as the operand specifies; the rest are zero-filled.
    Bytes(Src),
    /// None if the predicate is true; then all are zero-filled.
    UnlessTrue(Src),
}

/// `cp.async`.
#[derive(Clone, Debug, Hash)]
pub struct AsyncCopy {
    pub to: Address,
    pub from: Address,
    pub size: u32,
    pub amount: CopyAmount,
}

/// Action of a thread at a block barrier (manual 9.7.13.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum BarrierAction {
    /// Waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// Waits and returns the number of true predicates.
    Popc,
    /// Waits and returns whether all predicates were true.
    And,
    /// Waits and returns whether any predicate was true.
    Or,
}

/// `bar`, `barrier`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct BlockBarrier {
    pub action: BarrierAction,
    pub id: Src,
    pub count: Option<Src>,
    pub predicate: Option<Src>,
    pub dst: Dst,
    /// Whether all threads of a warp must execute it together (`bar`, `.aligned`).
    pub is_aligned: bool,
}

/// Which lane a shuffle reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

impl ShuffleMode {
    /// The source lane of lane `own`, or `None` if it is out of range: the pseudo-code of `shfl.sync` in the manual
    /// (9.7.9.6). `lane` and `clamp` are operands.
    pub fn source(self, own: usize, lane: u64, clamp: u64) -> Option<usize> {
        let (own, offset) = (own as i64, (lane & 31) as i64);
        let (clamp, segment) = ((clamp & 31) as i64, (clamp >> 8 & 31) as i64);
        let lowest = own & segment;
        let limit = lowest | (clamp & !segment);
        let (source, is_inside) = match self {
            Self::Up => (own - offset, own - offset >= limit),
            Self::Down => (own + offset, own + offset <= limit),
            Self::Butterfly => (own ^ offset, own ^ offset <= limit),
            Self::Index => {
                let source = lowest | (offset & !segment);
                (source, source <= limit)
            }
        };
        usize::try_from(source).ok().filter(|&source| is_inside && source < WARP)
    }
}

/// The result of a vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// The associative operations of `redux`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ReduceOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Warp collectives. Two lanes take part in the same collective if operation and member mask agree, even at different
/// instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CollectiveKind {
    /// `bar.warp.sync`.
    Barrier,
    /// Sources: value, lane or offset, clamp. Destinations: value, in-range predicate.
    Shuffle(ShuffleMode),
    /// Source: predicate. Destination: predicate or mask.
    Vote(VoteMode),
    /// Source: value. Destination: lanes with the same value.
    MatchAny,
    /// Source: value. Destinations: all lanes or none, predicate.
    MatchAll,
    /// Source and destination: value.
    Redux(ReduceOp, crate::scalar::int::Int),
    /// Source and destination: a `.f32` value.
    ReduxFloat(Extreme, NanRule, SignRule),
    /// Destinations: the number of the lowest lane, and whether this lane is the elected one.
    Elect,
    /// Sources: A, B, C, the metadata of a sparse A, and for the scales of A and of B each a register, byte selector
    /// and thread selector. Destinations: D.
    Multiply(Product),
    /// Loads a fragment. Sources: address and stride. Destinations: the fragment.
    LoadFragment(Fragment),
    /// Stores a fragment. Sources: address, stride, the fragment.
    StoreFragment(Fragment),
    /// Loads matrices. Sources: row addresses.
    LoadMatrix(Tiles),
    /// Stores matrices. Sources: row addresses, then the matrices.
    StoreMatrix(Tiles),
    /// Transposes an 8x8 matrix.
    TransposeMatrix,
    /// Allocates, frees, loads or stores tensor memory.
    Tensor(TensorAccess),
}

/// The lanes that take part in a collective.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Participants {
    /// The lanes of the `membermask` operand; all of them must arrive.
    Members(Src),
    /// Every lane of the warp (`.aligned` instructions).
    Warp,
    /// The currently converged lanes (instructions without `.sync`).
    Converged,
}

/// A collective operation.
#[derive(Clone, Debug, Hash)]
pub struct Collective {
    pub kind: CollectiveKind,
    pub participants: Participants,
    pub srcs: Box<[Src]>,
    pub dsts: Box<[Dst]>,
    /// The address space of matrix loads and stores.
    pub space: Space,
    pub offset: i64,
}

/// An argument or result of a call, on the caller's or the callee's side.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Slot {
    /// Bytes in the frame's local memory.
    Memory { offset: u32, size: u32 },
    /// Space in the frame's local memory for a parameter of unspecified size, which takes as many bytes as a call
    /// passes, possibly none.
    Open { offset: u32, size: u32 },
    /// Registers; a 128-bit value takes two rows, a vector one or two for each element.
    Rows { first: Src, count: u32, bits: u64 },
    /// An ignored result.
    Nothing,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Callee {
    Function(u32),
    /// The function address in a row.
    Address(Src),
    Builtin(Builtin),
}

/// Functions provided by the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Builtin {
    /// `int vprintf(const char *, void *)`
    Printf,
    /// `void *malloc(size_t)`
    Malloc,
    /// `void free(void *)`
    Free,
    /// `__assertfail(message, file, line, function, size)`
    AssertFail,
}

/// `call`.
#[derive(Clone, Debug, Hash)]
pub struct Call {
    pub callee: Callee,
    pub arguments: Box<[Slot]>,
    pub results: Box<[Slot]>,
}

/// A lane-wise operation on registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Alu {
    Unary {
        op: Unary,
        packing: Packing,
        d: Dst,
        a: Src,
    },
    Binary {
        op: Binary,
        packing: Packing,
        d: Dst,
        a: Src,
        b: Src,
    },
    Ternary {
        op: Ternary,
        packing: Packing,
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
    },
    Formula {
        op: Formula,
        d: Dst,
        srcs: [Src; 4],
    },
    /// An operation with two results, one in each of `dsts`.
    Dual {
        op: Dual,
        dsts: [Dst; 2],
        srcs: [Src; 4],
    },
}

/// The operation of an instruction.
#[derive(Clone, Debug, Hash)]
pub enum Op {
    Alu(Alu),
    Effect(Effect),
}

impl From<Alu> for Op {
    fn from(alu: Alu) -> Self {
        Self::Alu(alu)
    }
}

impl From<Effect> for Op {
    fn from(effect: Effect) -> Self {
        Self::Effect(effect)
    }
}

/// An operation that is not lane-wise on registers: it accesses memory, communicates with other lanes, depends on the
/// thread's position, or transfers control.
#[derive(Clone, Debug, Hash)]
pub enum Effect {
    /// Parallel copy of rows: all are read before any is written.
    Copy(Box<[(Dst, Src)]>),
    Special {
        d: Dst,
        register: SpecialReg,
        component: Option<Component>,
    },
    /// The address of an offset in the frame's local memory, plus the base of the window.
    FrameAddress {
        d: Dst,
        offset: i64,
    },
    Load(Box<Load>),
    Store(Box<Store>),
    Atomic(Box<Atomic>),
    VectorAtomic(Box<VectorAtomic>),
    WideAtomic(Box<WideAtomic>),
    Multimem(Box<Multimem>),
    AsyncCopy(Box<AsyncCopy>),
    AsyncGroup(AsyncGroup),
    Async(AsyncOp),
    Mbarrier(Box<Mbarrier>),
    Within(Box<Within>),
    Texturing(Box<Texturing>),
    Stack(Stack),
    Fence,
    /// A fence that also orders accesses through different proxies.
    ProxyFence,
    BlockBarrier(Box<BlockBarrier>),
    ClusterBarrier(ClusterAction),
    MapAddress(Box<MapAddress>),
    Collective(Box<Collective>),
    Warpgroup(Box<WarpgroupAction>),
    ActiveMask {
        d: Dst,
    },
    Branch {
        target: u32,
    },
    BranchIndexed {
        index: Src,
        targets: Box<[u32]>,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Breakpoint,
    /// Yields to other threads.
    Pause,
    /// No observable effect.
    Nothing,
}

/// An instruction.
#[derive(Clone, Debug, Hash)]
pub struct Inst {
    pub guard: Option<Guard>,
    pub op: Op,
}

/// A function.
#[derive(Clone, Debug, Hash)]
pub struct Function {
    pub name: String,
    /// Index of its first instruction.
    pub start: u32,
    /// Register rows of its frame.
    pub rows: u32,
    /// Bytes of local memory of its frame.
    pub local: u32,
    /// The variables in that local memory; their addresses are offsets from its start.
    pub objects: Box<[Object]>,
    pub params: Box<[Slot]>,
    pub results: Box<[Slot]>,
}

/// Source location of an instruction.
#[derive(Clone, Debug)]
pub struct Origin {
    pub span: Span,
    pub mnemonic: ptx_isa::Mnemonic,
    pub function: u32,
    /// Index in the program's source lines.
    pub line: Option<u32>,
}

/// Values known before the launch, one row each.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    rows: Vec<Row>,
    /// Indices of rows that are shared-memory addresses, ascending: they differ between the blocks of a cluster.
    shared: Vec<u32>,
    /// Indices of rows that are global-memory addresses, ascending: they depend on the placement of the variables.
    global: Vec<u32>,
}

impl Constants {
    /// Creates constants from the rows and the indices of rows that are shared- and global-memory addresses, both
    /// ascending.
    pub fn new(rows: Vec<Row>, shared: Vec<u32>, global: Vec<u32>) -> Self {
        Self { rows, shared, global }
    }

    /// Whether a row is a shared-memory address, which differs between the blocks of a cluster.
    pub fn is_shared(&self, at: u32) -> bool {
        self.shared.binary_search(&at).is_ok()
    }

    /// The rows for the first block of a cluster.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The value of a row if it is determined by the module alone; `None` for a global-memory address, which depends on
    /// the placement of variables.
    pub fn fixed(&self, index: u32) -> Option<u64> {
        let row = self.rows.get(index as usize)?;
        if self.global.binary_search(&index).is_ok() { None } else { Some(row[0]) }
    }

    /// Indices of the rows that are global-memory addresses, ascending.
    pub fn global(&self) -> &[u32] {
        &self.global
    }

    /// The rows for the block of this rank in its cluster.
    pub fn of_rank(&self, rank: u32) -> Vec<Row> {
        let mut rows = self.rows.clone();
        for &at in &self.shared {
            if let Some(row) = rows.get_mut(at as usize) {
                row.iter_mut().for_each(|address| *address = shared_address(rank, *address));
            }
        }
        rows
    }
}

/// An executable program. It is plain data, which any engine can execute.
#[derive(Clone, Debug)]
pub struct Program {
    pub code: Vec<Inst>,
    /// The origin of each instruction.
    pub origins: Vec<Origin>,
    /// The source lines of the instructions.
    pub lines: Vec<Arc<SourceLine>>,
    pub constants: Constants,
    pub functions: Vec<Function>,
    /// Maps function numbers of the module to indices in `functions`.
    pub numbers: FxHashMap<u32, u32>,
    /// Index of the kernel.
    pub entry: u32,
    /// The address size.
    pub address_size: AddressSize,
}

impl Program {
    /// The source line of an instruction.
    pub fn line_of(&self, pc: u32) -> Option<&Arc<SourceLine>> {
        let line = self.origins.get(pc as usize)?.line?;
        self.lines.get(line as usize)
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        self.numbers.get(&self.address_size.function_number(address)?).copied()
    }
}
