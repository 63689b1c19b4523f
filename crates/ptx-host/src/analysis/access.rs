//! The rows that an instruction reads and writes, and what executes it.

use ptx_exec::program::{Callee, CollectiveKind, Dst, Effect, Op, Operand, Slot, Src};

/// The rows that an instruction reads and writes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// The operands that it reads, without its guard.
    pub reads: Vec<Src>,
    /// The rows that it writes.
    pub writes: Vec<Dst>,
}

/// An instruction that is not compiled; kernels that contain one are left to the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The instruction.
    pub pc: u32,
    /// The reason.
    pub why: &'static str,
}

impl Access {
    /// The operands and rows of an operation, also of one that is not compiled. [`Graph::access`](super::Graph::access) has those of a
    /// kernel's instructions.
    pub fn of(op: &Op) -> Self {
        let mut access = Self::default();
        let of_rows = |slot: &Slot| match *slot {
            Slot::Rows { first, count, .. } => (0..count).map(|n| first.plus(n)).collect(),
            Slot::Memory { .. } | Slot::Open { .. } | Slot::Nothing => Vec::new(),
        };
        op.operands(&mut |operand| match operand {
            Operand::Read(&src) => access.reads.push(src),
            Operand::ReadPair(&src) => access.reads.extend([src, src.plus(1)]),
            Operand::Write(&dst) => access.writes.push(dst),
            Operand::Update(&dst) => {
                access.reads.push(Src::register(dst));
                access.writes.push(dst);
            }
            Operand::Frame(_) => {}
            Operand::Argument(slot) => access.reads.extend(of_rows(slot)),
            Operand::Result(slot) => {
                access.writes.extend(of_rows(slot).into_iter().filter_map(Src::as_register));
            }
        });
        access
    }
}

/// Which engine executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Execution {
    /// Compiled code, which may call runtime functions that depend only on their operands.
    Code,
    /// The interpreter's runtime, on a block (CTA) that it keeps (`heavy.rs`).
    Heavy,
    /// The interpreter executes the whole kernel, for this reason.
    Refused(&'static str),
}

impl Execution {
    /// The engine that executes an operation.
    pub fn of(op: &Op) -> Self {
        match op {
            Op::Alu(_) => Self::Code,
            Op::Effect(effect) => Self::of_effect(effect),
        }
    }

    fn of_effect(effect: &Effect) -> Self {
        match effect {
            Effect::Copy(_)
            | Effect::Special { .. }
            | Effect::FrameAddress { .. }
            | Effect::ActiveMask { .. }
            | Effect::Load(_)
            | Effect::Store(_)
            | Effect::Atomic(_)
            | Effect::VectorAtomic(_)
            | Effect::WideAtomic(_)
            | Effect::AsyncCopy(_)
            | Effect::Multimem(_)
            | Effect::Texturing(_)
            | Effect::BlockBarrier(_)
            | Effect::BranchIndexed { .. }
            | Effect::Fence
            | Effect::ProxyFence
            | Effect::AsyncGroup(_)
            | Effect::Branch { .. }
            | Effect::Return
            | Effect::Exit
            | Effect::Trap
            | Effect::Breakpoint
            | Effect::Pause
            | Effect::Nothing => Self::Code,
            Effect::Collective(collective) => match collective.kind {
                CollectiveKind::Tensor(_) => Self::Heavy,
                _ => Self::Code,
            },
            Effect::Call(call) => match call.callee {
                Callee::Builtin(_) => Self::Code,
                Callee::Function(_) | Callee::Address(_) => Self::Refused("calls are not compiled"),
            },
            Effect::Mbarrier(_)
            | Effect::ClusterBarrier(_)
            | Effect::MapAddress(_)
            | Effect::Async(_)
            | Effect::Within(_)
            | Effect::Warpgroup(_) => Self::Heavy,
            Effect::Stack(_) => Self::Refused("memory allocated on the stack is not compiled"),
        }
    }
}
