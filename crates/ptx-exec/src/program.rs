//! The executable form of a module: what decoding makes and the machine runs.
//!
//! All functions lie one after the other in one code array; a program counter is an index into it. Registers are rows
//! of 32 values, one for each lane of a warp. A value of 128 bits takes two rows, the low half first. Immediates and
//! addresses known before the launch are rows of their own, so that every operand is a row.

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
    Element, Factor, Fragment, Held, Indices, Join, Major, Majorness, Overflow, Part, Place, Product, Scales,
    Size, Sparse,
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

/// Lanes of a warp.
pub const WARP: usize = 32;
/// One register of every lane of a warp; bits above the register's width are zero.
pub type Row = [u64; WARP];
/// A set of lanes: bit `n` is lane `n`.
pub type Mask = u32;
/// All lanes.
pub const FULL: Mask = u32::MAX;
/// Alignment of the local memory of a frame, and so the largest that a variable in it can have.
pub const FRAME_ALIGNMENT: u32 = 128;

/// An operand that is read: a register row of the frame, or a constant row of the program.
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

    /// The row `n` places after it.
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0 + n)
    }

    /// The register row, when it is one.
    pub const fn as_register(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { Some(self.0) } else { None }
    }

    /// The row of the constants, when it is one.
    pub const fn as_constant(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { None } else { Some(self.0 & !Self::CONSTANT) }
    }

    /// The row it names.
    #[inline]
    pub fn of<'a>(self, rows: &'a [Row], constants: &'a [Row]) -> &'a Row {
        if self.0 & Self::CONSTANT == 0 {
            &rows[self.0 as usize]
        } else {
            &constants[(self.0 & !Self::CONSTANT) as usize]
        }
    }
}

/// A register row that is written.
pub type Dst = u32;

/// The condition of an instruction.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Guard {
    pub row: u32,
    pub negated: bool,
}

/// The lanes of a set, in order.
#[inline]
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < WARP as u32).then_some(lane as usize)
    })
}

/// The lowest lane of a set that is not empty.
pub fn first_lane(mask: Mask) -> usize {
    (mask.trailing_zeros() as usize).min(WARP - 1)
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Base {
    /// A row of addresses; 32-bit ones wrap around at 32 bits.
    Row(Src, AddressWidth),
    /// The thread's local memory of the current call.
    Frame,
}

/// Width of the register that holds an address.
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

/// How a loaded element fills its register: the bits of the element, sign-extended or not, within the register's.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Fill {
    /// Bits to shift up and arithmetically down again; 0 for zero extension.
    pub sign_shift: u32,
    /// The bits of the register.
    pub register: u64,
}

impl Fill {
    /// An element without a sign, in a register of 64 bits.
    pub const ZEROS: Self = Self { sign_shift: 0, register: u64::MAX };

    #[inline]
    pub fn apply(self, raw: u64) -> u64 {
        (((raw << self.sign_shift) as i64 >> self.sign_shift) as u64) & self.register
    }
}

/// `ld`: `dsts` get consecutive elements.
#[derive(Clone, Debug, Hash)]
pub struct Load {
    pub address: Address,
    pub dsts: Box<[Dst]>,
    /// Bytes of an element. One of 16 bytes goes to two of `dsts` and is read in one step.
    pub size: u32,
    /// What the address must be a multiple of: the bytes of the whole access.
    pub align: u64,
    pub fill: Fill,
    pub order: Order,
    /// Whether programs wait for other threads with it: it is volatile or synchronizes.
    pub polls: bool,
    /// The bytes that the program uses, a bit each (`.pragma "used_bytes_mask"`).
    pub used: u32,
}

impl Load {
    /// A load of one element of so many bytes, at a multiple of them, without a sign and without waiting for other threads.
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

/// `st`: consecutive elements get `srcs`.
#[derive(Clone, Debug, Hash)]
pub struct Store {
    pub address: Address,
    pub srcs: Box<[Src]>,
    /// Bytes of an element. One of 16 bytes comes from two of `srcs` and is written in one step.
    pub size: u32,
    pub align: u64,
    pub order: Order,
}

impl Store {
    /// A store of one element of so many bytes, at a multiple of them.
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

/// `atom` and `red` on vectors: each element is combined by itself (manual 9.7.13.5).
#[derive(Clone, Debug, Hash)]
pub struct VectorAtomic {
    pub address: Address,
    /// Bytes of one element.
    pub size: u32,
    /// For each element where its old value goes, and what it is combined with.
    pub elements: Box<[(Option<Dst>, Src)]>,
    pub combine: Combine,
}

/// What an atomic operation on 128 bits writes (manual 9.7.13.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exchange {
    /// `.exch`: the operand.
    Always,
    /// `.cas`: the second operand, where memory holds the first.
    WhereEqual,
}

/// `atom` on 128 bits; all values are two rows, the lower half first.
#[derive(Clone, Copy, Debug, Hash)]
pub struct WideAtomic {
    pub address: Address,
    pub dst: Option<[Dst; 2]>,
    pub operands: [Src; 2],
    pub exchange: Exchange,
}

/// How many bytes `cp.async` really copies.
#[derive(Clone, Copy, Debug, Hash)]
pub enum CopyAmount {
    /// All of them.
    Whole,
    /// As many as the operand says; the rest become zeros.
    Bytes(Src),
    /// None when the predicate is true; then all become zeros.
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

/// What a block barrier does to the thread (manual 9.7.13.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum BarrierAction {
    /// Waits.
    Sync,
    /// Goes on.
    Arrive,
    /// Waits and gets how many predicates were true.
    Popc,
    /// Waits and gets whether all predicates were true.
    And,
    /// Waits and gets whether any predicate was true.
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
    /// Whether all threads of a warp execute it together (`bar`, `.aligned`).
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
    /// The lane that `own` reads, where it is in range: the manual's pseudo-code of `shfl.sync` (9.7.9.6). `lane` and `clamp` are operands.
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

/// What a vote tells.
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

/// Operations of several lanes at once. Two lanes take part in the same one when the operation and their masks agree,
/// wherever in the program they are.
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
    /// Destinations: the number of the lowest lane, and whether this one is it.
    Elect,
    /// Sources: A, B, C, the metadata of a sparse A, and of scales for A and for B a register, byte and thread.
    /// Destinations: D.
    Multiply(Product),
    /// Loads a fragment. Sources: address and stride. Destinations: the fragment.
    LoadFragment(Fragment),
    /// Stores a fragment. Sources: address, stride, the fragment.
    StoreFragment(Fragment),
    /// Loads matrices. Sources: addresses of lines.
    LoadMatrix(Tiles),
    /// Stores matrices. Sources: addresses of lines, then the matrices.
    StoreMatrix(Tiles),
    /// Transposes an 8x8 matrix.
    TransposeMatrix,
    /// Allocates, frees, loads or stores tensor memory.
    Tensor(TensorAccess),
}

/// Which lanes take part in a collective.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Participants {
    /// Those of the `membermask` operand; all of them must come.
    Members(Src),
    /// Every lane of the warp (`.aligned` instructions).
    Warp,
    /// Whoever executes it together (instructions without `.sync`).
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

/// One argument or result of a call, on one side of it.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Slot {
    /// Bytes of the frame's local memory.
    Memory { offset: u32, size: u32 },
    /// Room in the frame's local memory for a parameter without a size, which takes as many bytes as a call passes, or none.
    Open { offset: u32, size: u32 },
    /// Registers; a 128-bit value has two rows, a vector one or two for each element.
    Rows { first: Src, count: u32, bits: u64 },
    /// A result no one wants.
    Nothing,
}

/// What is called.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Callee {
    Function(u32),
    /// The address in the row.
    Address(Src),
    Builtin(Builtin),
}

/// Functions that the system provides.
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

/// An operation of each lane by itself, on registers.
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
    /// The second result goes to the second row.
    Dual {
        op: Dual,
        dsts: [Dst; 2],
        srcs: [Src; 4],
    },
}

/// What an instruction does.
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

/// What an instruction does that is not an operation on registers alone: it needs memory, other lanes or the place of the
/// thread, or decides where control goes.
#[derive(Clone, Debug, Hash)]
pub enum Effect {
    /// Copies rows at once: all are read before any is written.
    Copy(Box<[(Dst, Src)]>),
    Special {
        d: Dst,
        register: SpecialReg,
        component: Option<Component>,
    },
    /// The address of a place in the frame's local memory, plus the window's.
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
    /// A fence that also orders accesses of different proxies.
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
    /// Lets other threads run.
    Pause,
    /// Has no effect that a program could see.
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
    /// Its first instruction.
    pub start: u32,
    /// Register rows of a frame.
    pub rows: u32,
    /// Bytes of local memory of a frame.
    pub local: u32,
    /// The variables in it; their addresses count from its start.
    pub objects: Box<[Object]>,
    pub params: Box<[Slot]>,
    pub results: Box<[Slot]>,
}

/// Where an instruction came from.
#[derive(Clone, Debug)]
pub struct Origin {
    pub span: Span,
    pub mnemonic: ptx_isa::Mnemonic,
    pub function: u32,
    /// Its place among the lines of the program.
    pub line: Option<u32>,
}

/// Values known before the launch, each in a row of its own.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    rows: Vec<Row>,
    /// Those that are addresses in shared memory, in ascending order: each block of a cluster has its own.
    shared: Vec<u32>,
    /// Those that are addresses in global memory, in ascending order: they are others each time the variables are placed.
    global: Vec<u32>,
}

impl Constants {
    /// From the rows, and the places of those that are addresses in shared and in global memory, both in ascending order.
    pub fn new(rows: Vec<Row>, shared: Vec<u32>, global: Vec<u32>) -> Self {
        Self { rows, shared, global }
    }

    /// Whether a row is an address in shared memory, so that each block of a cluster has its own.
    pub fn is_shared(&self, at: u32) -> bool {
        self.shared.binary_search(&at).is_ok()
    }

    /// The rows as the first block of a cluster sees them.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The value of a row that the module alone decides; `None` for an address in global memory, which depends on where its variables are.
    pub fn fixed(&self, index: u32) -> Option<u64> {
        let row = self.rows.get(index as usize)?;
        if self.global.binary_search(&index).is_ok() { None } else { Some(row[0]) }
    }

    /// The places of the rows that are addresses in global memory, in ascending order.
    pub fn global(&self) -> &[u32] {
        &self.global
    }

    /// The rows as the block of this rank in its cluster sees them.
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

/// A program, ready to run: all of it is data, which any engine can execute.
#[derive(Clone, Debug)]
pub struct Program {
    pub code: Vec<Inst>,
    /// One for each instruction.
    pub origins: Vec<Origin>,
    /// The lines of the source that the instructions are from.
    pub lines: Vec<Arc<SourceLine>>,
    pub constants: Constants,
    pub functions: Vec<Function>,
    /// Where each function, by its number in the module, is among them.
    pub numbers: FxHashMap<u32, u32>,
    /// The kernel.
    pub entry: u32,
    /// The bits of addresses.
    pub address_size: AddressSize,
}

impl Program {
    /// The line of the source that an instruction is from.
    pub fn line_of(&self, pc: u32) -> Option<&Arc<SourceLine>> {
        let line = self.origins.get(pc as usize)?.line?;
        self.lines.get(line as usize)
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        self.numbers.get(&self.address_size.function_number(address)?).copied()
    }
}
