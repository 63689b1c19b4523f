//! What engines have to know of every effect: one row for each, in place of a list in each engine.

use ptx_isa::SpecialReg;

use super::{Callee, CollectiveKind, Effect, MbarrierAction, Op};

/// Which engine executes an instruction of a compiled kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Execution {
    /// Compiled code, which may call runtime functions that depend only on their operands.
    Code,
    /// The interpreter's runtime, on a block (CTA) that it keeps.
    Heavy,
    /// The interpreter executes the whole kernel, for this reason.
    Refused(&'static str),
}

/// Where the threads that execute an instruction go on, and with whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// At the next instruction. The interpreter's inner loop executes it.
    Next,
    /// At the next instruction, after other threads had a turn.
    Yield,
    /// At one of its targets.
    Jump,
    /// In a function, and then at the next instruction.
    Call,
    /// Nowhere, or at the call of their function.
    Leave,
    /// Nowhere: the launch stops.
    Stop,
    /// At the next instruction, with threads of their warp.
    Meet,
    /// At the next instruction, when other warps have come.
    Wait,
}

/// How lanes access memory, each at the address that an operand gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneAccess {
    /// They do not, or the operation is not one of single lanes.
    None,
    /// They read.
    Load,
    /// They write.
    Store,
    /// They read and write at once.
    Atomic,
}

/// What engines have to know of an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectTraits {
    /// Which engine executes it in a compiled kernel.
    pub execution: Execution,
    /// Where threads go on.
    pub control: Control,
    /// How lanes access memory.
    pub access: LaneAccess,
    /// Whether its effect on a thread is determined by the thread's registers, and by memory that is only changed by instructions for which
    /// it is not. If that depends on an address, it is not.
    pub is_determined: bool,
    /// Whether a loop that contains it can be one that only waits for what other threads write.
    pub may_wait: bool,
}

/// Names of the columns, so that a row is a line.
const DETERMINED: bool = true;
const OPEN: bool = false;
const WAITS: bool = true;
const ACTS: bool = false;

const fn row(
    execution: Execution,
    control: Control,
    access: LaneAccess,
    is_determined: bool,
    may_wait: bool,
) -> EffectTraits {
    EffectTraits { execution, control, access, is_determined, may_wait }
}

impl Effect {
    /// The row of the effect.
    #[inline]
    #[rustfmt::skip]
    pub fn traits(&self) -> EffectTraits {
        use Control::{Call, Jump, Leave, Meet, Next, Stop, Wait, Yield};
        use Execution::{Code, Heavy, Refused};
        use LaneAccess::{Atomic, Load, None, Store};
        match self {
            Self::Copy(_)               => row(Code, Next, None, DETERMINED, WAITS),
            Self::Special { register, .. } => row(Code, Next, None, !is_clock(*register), WAITS),
            Self::FrameAddress { .. }   => row(Code, Next, None, DETERMINED, WAITS),
            Self::ActiveMask { .. }     => row(Code, Next, None, OPEN, ACTS),
            Self::Load(_)               => row(Code, Next, Load, OPEN, WAITS),
            Self::Store(_)              => row(Code, Next, Store, OPEN, ACTS),
            Self::Atomic(_)             => row(Code, Next, Atomic, OPEN, ACTS),
            Self::VectorAtomic(_)       => row(Code, Next, Atomic, OPEN, ACTS),
            Self::WideAtomic(_)         => row(Code, Next, Atomic, OPEN, ACTS),
            Self::Multimem(_)           => row(Code, Next, None, OPEN, ACTS),
            Self::Texturing(_)          => row(Code, Next, None, OPEN, ACTS),
            Self::AsyncCopy(_)          => row(Code, Next, None, OPEN, ACTS),
            Self::AsyncGroup(_)         => row(Code, Next, None, OPEN, ACTS),
            Self::Async(_)              => row(Heavy, Next, None, OPEN, ACTS),
            Self::Mbarrier(operation)   => row(Heavy, Next, None, is_query(operation.action), ACTS),
            Self::Within(_)             => row(Heavy, Next, None, DETERMINED, ACTS),
            Self::MapAddress(_)         => row(Heavy, Next, None, DETERMINED, ACTS),
            Self::Stack(_)              => row(Refused("memory allocated on the stack is not compiled"), Next, None, OPEN, ACTS),
            Self::Fence                 => row(Code, Next, None, DETERMINED, WAITS),
            Self::ProxyFence            => row(Code, Next, None, DETERMINED, WAITS),
            Self::Nothing               => row(Code, Next, None, DETERMINED, WAITS),
            Self::Pause                 => row(Code, Yield, None, DETERMINED, WAITS),
            Self::Branch { .. }         => row(Code, Jump, None, DETERMINED, WAITS),
            Self::BranchIndexed { .. }  => row(Code, Jump, None, DETERMINED, WAITS),
            Self::Call(call) => match call.callee {
                Callee::Builtin(_)      => row(Code, Call, None, OPEN, ACTS),
                Callee::Function(_) | Callee::Address(_) => row(Refused("calls are not compiled"), Call, None, DETERMINED, ACTS),
            },
            Self::Return                => row(Code, Leave, None, DETERMINED, WAITS),
            Self::Exit                  => row(Code, Leave, None, OPEN, WAITS),
            Self::Trap                  => row(Code, Stop, None, OPEN, ACTS),
            Self::Breakpoint            => row(Code, Stop, None, OPEN, ACTS),
            Self::Collective(collective) => match collective.kind {
                CollectiveKind::Tensor(_) => row(Heavy, Meet, None, OPEN, ACTS),
                _                       => row(Code, Meet, None, OPEN, ACTS),
            },
            Self::BlockBarrier(_)       => row(Code, Wait, None, OPEN, ACTS),
            Self::ClusterBarrier(_)     => row(Heavy, Wait, None, OPEN, ACTS),
            Self::Warpgroup(_)          => row(Heavy, Wait, None, OPEN, ACTS),
        }
    }

    /// The instructions at which threads go on, if it is a jump.
    #[inline]
    pub fn targets(&self) -> &[u32] {
        match self {
            Self::Branch { target } => std::slice::from_ref(target),
            Self::BranchIndexed { targets, .. } => targets,
            _ => &[],
        }
    }

    /// See [`Self::targets`].
    pub fn targets_mut(&mut self) -> &mut [u32] {
        match self {
            Self::Branch { target } => std::slice::from_mut(target),
            Self::BranchIndexed { targets, .. } => targets,
            _ => &mut [],
        }
    }
}

impl Execution {
    /// The engine that executes an operation.
    pub fn of(op: &Op) -> Self {
        match op {
            Op::Alu(_) => Self::Code,
            Op::Effect(effect) => effect.traits().execution,
        }
    }
}

/// Whether a special register changes by itself.
fn is_clock(register: SpecialReg) -> bool {
    matches!(
        register,
        SpecialReg::Clock
            | SpecialReg::ClockHi
            | SpecialReg::Clock64
            | SpecialReg::GlobalTimer
            | SpecialReg::GlobalTimerLo
            | SpecialReg::GlobalTimerHi
    )
}

/// Whether an operation on an mbarrier does not change it.
fn is_query(action: MbarrierAction) -> bool {
    match action {
        MbarrierAction::IsOver(_)
        | MbarrierAction::IsOverParity(_)
        | MbarrierAction::IsOverConditional(_)
        | MbarrierAction::HasLayout(_) => true,
        MbarrierAction::Init(..)
        | MbarrierAction::Invalidate
        | MbarrierAction::Expect(_)
        | MbarrierAction::Complete(_)
        | MbarrierAction::Arrive { .. }
        | MbarrierAction::ArriveOfCopies
        | MbarrierAction::ArriveOfCopiesCounted => false,
    }
}
