//! The rows that an instruction reads and writes.

use ptx_exec::program::{Callee, Dst, Effect, Op, Operand, Slot, Src};

/// The rows that an instruction reads and writes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// What it reads, without its guard.
    pub reads: Vec<Src>,
    /// What it writes.
    pub writes: Vec<Dst>,
}

/// An instruction that is not compiled; the interpreter executes kernels that have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The instruction.
    pub pc: u32,
    /// Why.
    pub why: &'static str,
}

impl Access {
    /// Those of an operation.
    ///
    /// # Errors
    /// Why it is not compiled.
    pub fn of(op: &Op) -> Result<Self, &'static str> {
        if let Op::Effect(effect) = op {
            is_compiled(effect)?;
        }
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
        Ok(access)
    }
}

/// Whether there is code for an instruction.
fn is_compiled(effect: &Effect) -> Result<(), &'static str> {
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
        | Effect::Collective(_)
        | Effect::Mbarrier(_)
        | Effect::ClusterBarrier(_)
        | Effect::MapAddress(_)
        | Effect::Bulk(_)
        | Effect::AsyncWrite(_)
        | Effect::TensorCopy(_)
        | Effect::TensormapReplace(_)
        | Effect::TensormapCopy(_)
        | Effect::Within(_)
        | Effect::Tensor(_)
        | Effect::TensorCommit(_)
        | Effect::Warpgroup(_)
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
        | Effect::Nothing => Ok(()),
        Effect::Call(call) => match call.callee {
            Callee::Builtin(_) => Ok(()),
            Callee::Function(_) | Callee::Address(_) => Err("calls are not compiled"),
        },
        Effect::Stack(_) => Err("memory allocated on the stack is not compiled"),
        Effect::TryCancel(_) => Err("taking clusters from the launch is not compiled"),
    }
}
