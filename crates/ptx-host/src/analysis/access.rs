//! The rows that an instruction reads and writes.

use ptx_exec::program::{
    Address, Alu, AsyncCopy, BarrierAction, Base, BlockBarrier, Callee, Collective, CollectiveKind,
    CopyAmount, Dst, Effect, Op, Participants, Slot, Src,
};

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
        match op {
            Op::Alu(alu) => Ok(Self::of_alu(alu)),
            Op::Effect(effect) => Self::of_effect(effect),
        }
    }

    fn of_alu(alu: &Alu) -> Self {
        match alu {
            Alu::Unary { d, a, .. } => Self { reads: vec![*a], writes: vec![*d] },
            Alu::Binary { d, a, b, .. } => Self { reads: vec![*a, *b], writes: vec![*d] },
            Alu::Ternary { d, a, b, c, .. } => Self { reads: vec![*a, *b, *c], writes: vec![*d] },
            Alu::Quaternary { d, srcs, .. } => Self { reads: srcs.to_vec(), writes: vec![*d] },
            Alu::Dual { dsts, srcs, .. } => Self { reads: srcs.to_vec(), writes: dsts.to_vec() },
        }
    }

    fn of_effect(effect: &Effect) -> Result<Self, &'static str> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        match effect {
            Effect::Copy(pairs) => {
                reads.extend(pairs.iter().map(|(_, src)| *src));
                writes.extend(pairs.iter().map(|(dst, _)| *dst));
            }
            Effect::Special { d, .. } | Effect::FrameAddress { d, .. } | Effect::ActiveMask { d } => {
                writes.push(*d);
            }
            Effect::Load(load) => {
                reads.extend(base(&load.address));
                writes.extend(&load.dsts);
            }
            Effect::Store(store) => {
                reads.extend(base(&store.address));
                reads.extend(&store.srcs);
            }
            Effect::Atomic(atomic) => {
                reads.extend(base(&atomic.address));
                reads.extend(atomic.operands);
                writes.extend(atomic.dst);
            }
            Effect::VectorAtomic(atomic) => {
                reads.extend(base(&atomic.address));
                reads.extend(atomic.elements.iter().map(|(_, src)| *src));
                writes.extend(atomic.elements.iter().filter_map(|(dst, _)| *dst));
            }
            Effect::WideAtomic(atomic) => {
                reads.extend(base(&atomic.address));
                reads.extend(atomic.operands.into_iter().flat_map(|src| [src, src.plus(1)]));
                writes.extend(atomic.dst.into_iter().flatten());
            }
            Effect::AsyncCopy(copy) => reads.extend(of_copy(copy)),
            Effect::BlockBarrier(barrier) => {
                reads.push(barrier.id);
                reads.extend(barrier.count.iter().chain(&barrier.predicate));
                if gives(barrier) {
                    writes.push(barrier.dst);
                }
            }
            Effect::Collective(collective) => return of_collective(collective),
            Effect::BranchIndexed { index, .. } => reads.push(*index),
            Effect::Fence
            | Effect::ProxyFence
            | Effect::AsyncGroup(_)
            | Effect::Branch { .. }
            | Effect::Return
            | Effect::Exit
            | Effect::Trap
            | Effect::Breakpoint
            | Effect::Pause
            | Effect::Nothing => {}
            Effect::Call(call) => {
                if !matches!(call.callee, Callee::Builtin(_)) {
                    return Err("calls are not compiled");
                }
                let rows = |slots: &[Slot]| -> Vec<Src> {
                    slots
                        .iter()
                        .filter_map(
                            |slot| if let Slot::Rows { first, .. } = slot { Some(*first) } else { None },
                        )
                        .collect()
                };
                reads.extend(rows(&call.arguments));
                writes.extend(rows(&call.results).into_iter().filter_map(Src::as_register));
            }
            Effect::Texturing(_) => return Err("textures and surfaces are not compiled"),
            Effect::Stack(_) => return Err("memory allocated on the stack is not compiled"),
            Effect::Multimem(_) => return Err("multimem accesses are not compiled"),
            Effect::Mbarrier(_) => return Err("barriers in shared memory are not compiled"),
            Effect::ClusterBarrier(_) | Effect::MapAddress(_) | Effect::TryCancel(_) => {
                return Err("operations on clusters are not compiled");
            }
            Effect::Bulk(_)
            | Effect::AsyncWrite(_)
            | Effect::TensorCopy(_)
            | Effect::TensormapReplace(_)
            | Effect::TensormapCopy(_)
            | Effect::Within(_) => return Err("bulk and tensor copies are not compiled"),
            Effect::Tensor(_) | Effect::TensorCommit(_) | Effect::Warpgroup(_) => {
                return Err("operations on tensor memory and of warpgroups are not compiled");
            }
        }
        Ok(Self { reads, writes })
    }
}

/// Whether a barrier has a result.
fn gives(barrier: &BlockBarrier) -> bool {
    match barrier.action {
        BarrierAction::Sync | BarrierAction::Arrive => false,
        BarrierAction::Popc | BarrierAction::And | BarrierAction::Or => true,
    }
}

fn base(address: &Address) -> Option<Src> {
    match address.base {
        Base::Row(src, _) => Some(src),
        Base::Frame => None,
    }
}

fn of_copy(copy: &AsyncCopy) -> impl Iterator<Item = Src> {
    let amount = match copy.amount {
        CopyAmount::Whole => None,
        CopyAmount::Bytes(src) | CopyAmount::UnlessTrue(src) => Some(src),
    };
    base(&copy.to).into_iter().chain(base(&copy.from)).chain(amount)
}

fn of_collective(collective: &Collective) -> Result<Access, &'static str> {
    if matches!(collective.kind, CollectiveKind::Tensor(_)) {
        return Err("operations on tensor memory and of warpgroups are not compiled");
    }
    let mut reads = collective.srcs.to_vec();
    if let Participants::Members(mask) = collective.participants {
        reads.push(mask);
    }
    Ok(Access { reads, writes: collective.dsts.to_vec() })
}
