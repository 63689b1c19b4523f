//! An instruction: a lane-wise operation on registers, or any other effect, and its guard.

use ptx_isa::{Component, SpecialReg};

use super::alu::{Binary, Dual, Packing, Ternary, Unary};
use super::async_group::{AsyncGroup, AsyncOp};
use super::barrier::BlockBarrier;
use super::call::Call;
use super::cluster::{ClusterAction, MapAddress};
use super::collective::Collective;
use super::formula::Formula;
use super::memory::{AsyncCopy, Atomic, Load, Store, VectorAtomic, WideAtomic};
use super::multimem::Multimem;
use super::row::{Dst, Guard, Src};
use super::shared::{Mbarrier, Stack, Within};
use super::texture::Texturing;
use super::wgmma::WarpgroupAction;

/// A lane-wise operation on registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Alu {
    /// An operation with one source operand.
    Unary {
        /// The operation.
        op: Unary,
        /// Whether it applies to the register or to each of its fields.
        packing: Packing,
        /// The destination.
        d: Dst,
        /// The operand.
        a: Src,
    },
    /// An operation with two source operands.
    Binary {
        /// The operation.
        op: Binary,
        /// Whether it applies to the registers or to each of their fields.
        packing: Packing,
        /// The destination.
        d: Dst,
        /// The first operand.
        a: Src,
        /// The second operand.
        b: Src,
    },
    /// An operation with three source operands.
    Ternary {
        /// The operation.
        op: Ternary,
        /// Whether it applies to the registers or to each of their fields.
        packing: Packing,
        /// The destination.
        d: Dst,
        /// The first operand.
        a: Src,
        /// The second operand.
        b: Src,
        /// The third operand.
        c: Src,
    },
    /// An operation that every engine evaluates by [`Formula::of`].
    Formula {
        /// The operation.
        op: Formula,
        /// The destination.
        d: Dst,
        /// The operands; those that the operation does not have are zero.
        srcs: [Src; 4],
    },
    /// An operation with two results, one in each of `dsts`.
    Dual {
        /// The operation.
        op: Dual,
        /// The destinations.
        dsts: [Dst; 2],
        /// The operands, in the order of the [operation](Dual); unused ones are any row.
        srcs: [Src; 4],
    },
}

/// The operation of an instruction.
#[derive(Clone, Debug, Hash)]
pub enum Op {
    /// A lane-wise operation on registers.
    Alu(Alu),
    /// Any other operation.
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
    /// Reads a special register.
    Special {
        /// The destination.
        d: Dst,
        /// The register.
        register: SpecialReg,
        /// The component of a vector register.
        component: Option<Component>,
    },
    /// The address of an offset in the frame's local memory, plus the base of the window.
    FrameAddress {
        /// The destination.
        d: Dst,
        /// Offset in the frame, plus the base of the window.
        offset: i64,
    },
    /// `ld`, `ldu`
    Load(Box<Load>),
    /// `st`
    Store(Box<Store>),
    /// `atom`, `red`
    Atomic(Box<Atomic>),
    /// `atom`, `red` on vectors.
    VectorAtomic(Box<VectorAtomic>),
    /// `atom` on 128 bits.
    WideAtomic(Box<WideAtomic>),
    /// `multimem`
    Multimem(Box<Multimem>),
    /// `cp.async`
    AsyncCopy(Box<AsyncCopy>),
    /// Commits groups of asynchronous operations and waits for them.
    AsyncGroup(AsyncGroup),
    /// An asynchronous operation that the runtime executes.
    Async(AsyncOp),
    /// `mbarrier`
    Mbarrier(Box<Mbarrier>),
    /// Traps if an address is outside of given spaces.
    Within(Box<Within>),
    /// Texture and surface instructions.
    Texturing(Box<Texturing>),
    /// `stacksave`, `stackrestore`, `alloca`
    Stack(Stack),
    /// `fence`, `membar`
    Fence,
    /// A fence that also orders accesses through different proxies.
    ProxyFence,
    /// `bar`, `barrier`
    BlockBarrier(Box<BlockBarrier>),
    /// `barrier.cluster`
    ClusterBarrier(ClusterAction),
    /// `mapa`
    MapAddress(Box<MapAddress>),
    /// An operation of several lanes of a warp.
    Collective(Box<Collective>),
    /// `wgmma`
    Warpgroup(Box<WarpgroupAction>),
    /// `activemask`
    ActiveMask {
        /// The destination of the mask.
        d: Dst,
    },
    /// `bra`
    Branch {
        /// The index of the next instruction.
        target: u32,
    },
    /// `brx.idx`
    BranchIndexed {
        /// The index in the list.
        index: Src,
        /// The instructions that it can go to.
        targets: Box<[u32]>,
    },
    /// `call`
    Call(Box<Call>),
    /// `ret`
    Return,
    /// `exit`
    Exit,
    /// `trap`
    Trap,
    /// `brkpt`
    Breakpoint,
    /// Yields to other threads.
    Pause,
    /// No observable effect.
    Nothing,
}

/// An instruction.
#[derive(Clone, Debug, Hash)]
pub struct Inst {
    /// The predicate of the lanes that execute it; `None` if all do.
    pub guard: Option<Guard>,
    /// The operation.
    pub op: Op,
}
