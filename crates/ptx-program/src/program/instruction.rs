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
