//! Threads that ask a barrier in shared memory again and again whether its phase is over, and can never hear that it is.
//!
//! Such threads run, so that a cluster of them would only end with its time limit. A thread is stuck when it comes back to the same
//! question with the same registers and the same local memory, and nothing happened in between but what those and unchanging memory
//! determine: then it goes round for ever. A cluster whose threads are all stuck, or wait, with no operation in flight, is in a
//! deadlock, since nothing outside of it reaches its barriers. A loop that counts its turns, looks at the clock or reads global
//! memory is never taken to be stuck: it may end.
//!
//! It costs time to find out, so that a warp is watched only after several rounds in which all warps asked in vain.

use super::block::BlockState;
use super::grid::Grid;
use super::mbarrier::Wait;
use super::memory::addresses;
use super::warp::{Fragment, State, Warp};
use crate::memory::Space;
use crate::program::{Address, Callee, Effect, Mask, MbarrierAction, Op, Row, WARP, lanes};
use ptx_isa::SpecialReg;

/// Rounds in which all warps asked in vain, after which they are watched.
pub(super) const PATIENT_ROUNDS: u32 = 8;

/// What is known of the threads of a warp that ask in vain.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Disturbances of the cluster until the samples were taken.
    disturbances: u64,
    samples: [Option<Sample>; WARP],
    stuck: Mask,
}

/// A thread when it asked in vain.
#[derive(Debug)]
struct Sample {
    pc: u32,
    frame: usize,
    /// Its registers in each of its calls.
    registers: Vec<u64>,
    local: Vec<u8>,
    wait: Wait,
    /// How often it asked since, and with how many the sample is replaced: a thread may take some turns before it repeats itself.
    asked: u32,
    until: u32,
}

impl Watch {
    /// Where the first of these lanes asks, and for what, where all of them are stuck.
    pub(super) fn stuck(&self, mask: Mask, disturbances: u64) -> Option<(u32, Wait)> {
        let is_stuck = self.disturbances == disturbances && mask & !self.stuck == 0;
        let first = lanes(mask).next().filter(|_| is_stuck)?;
        self.samples[first].as_ref().map(|sample| (sample.pc, sample.wait))
    }
}

impl Warp {
    /// Whether it never runs on by itself: each of its groups waits, or is stuck.
    pub(super) fn is_stuck(&self, disturbances: u64) -> bool {
        self.fragments
            .iter()
            .all(|group| group.state != State::Ready || self.polls(group, disturbances).is_some())
    }

    /// Where a group asks that is stuck, and for what.
    pub(super) fn polls(&self, group: &Fragment, disturbances: u64) -> Option<(u32, Wait)> {
        self.watch.as_ref()?.stuck(group.mask, disturbances)
    }

    /// Notes an instruction that lanes of a watched warp are about to execute.
    pub(super) fn watch_step(
        &self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        active: Mask,
        pc: u32,
    ) {
        let Some(Op::Effect(effect)) = grid.program.code.get(pc as usize).map(|inst| &inst.op) else {
            return;
        };
        let spaces = |address: &Address| {
            let resolved = addresses(address, rows, self.constants(grid), self.local_of(frame));
            let space = |lane| match address.space {
                Space::Generic => {
                    Space::of_generic(resolved.of(lane), grid.addresses).map(|(space, _)| space)
                }
                space => Some(space),
            };
            lanes(active).map(space).collect::<Vec<_>>()
        };
        let is_determined = match effect {
            Effect::Load(load) => !spaces(&load.address).contains(&Some(Space::Global)),
            // Local memory is compared.
            Effect::Store(store) => spaces(&store.address).iter().all(|&space| space == Some(Space::Local)),
            effect => is_determined(effect),
        };
        block.cluster.disturbances += u64::from(!is_determined && active != 0);
    }

    /// Notes that lanes asked in vain.
    pub(super) fn watch_poll(
        &mut self,
        block: &BlockState,
        frame: usize,
        rows: &[Row],
        pc: u32,
        waits: &[(usize, Wait)],
    ) {
        let Some(mut watch) = self.watch.take() else { return };
        if watch.disturbances != block.cluster.disturbances {
            *watch = Watch { disturbances: block.cluster.disturbances, ..Watch::default() };
        }
        for &(lane, wait) in waits {
            let sample = &mut watch.samples[lane];
            let is_repeated = sample.as_ref().is_some_and(|sample| {
                (sample.pc, sample.frame) == (pc, frame)
                    && self.registers(frame, rows, lane).eq(sample.registers.iter().copied())
                    && self.local[lane] == sample.local
            });
            if is_repeated {
                watch.stuck |= 1 << lane;
                continue;
            }
            let asked = sample.as_ref().map_or(1, |sample| sample.asked + 1);
            let until = sample.as_ref().map_or(1, |sample| sample.until);
            match sample {
                Some(sample) if asked < until => sample.asked = asked,
                _ => {
                    let registers = self.registers(frame, rows, lane).collect();
                    let local = self.local[lane].clone();
                    let until = until.saturating_mul(2);
                    *sample = Some(Sample { pc, frame, registers, local, wait, asked: 0, until });
                }
            }
        }
        self.watch = Some(watch);
    }

    /// The registers of a lane in a frame, whose rows are at hand, and in those that called it.
    fn registers<'a>(&'a self, frame: usize, rows: &'a [Row], lane: usize) -> impl Iterator<Item = u64> + 'a {
        let caller = |frame: usize| self.frames.get(frame)?.caller.map(|(caller, _)| caller);
        let callers = std::iter::successors(caller(frame), move |&frame| caller(frame));
        let of_callers = callers.flat_map(|frame| &self.frames[frame].rows);
        rows.iter().chain(of_callers).map(move |row| row[lane])
    }
}

/// Whether what an instruction does to a thread follows from its registers, and from memory that only instructions change of which this
/// is not true. Where that depends on an address, the caller decides.
fn is_determined(effect: &Effect) -> bool {
    match effect {
        Effect::Copy(_)
        | Effect::FrameAddress { .. }
        | Effect::Within(_)
        | Effect::MapAddress(_)
        | Effect::Fence
        | Effect::ProxyFence
        | Effect::Branch { .. }
        | Effect::BranchIndexed { .. }
        | Effect::Return
        | Effect::Pause
        | Effect::Nothing => true,
        Effect::Special { register, .. } => !matches!(
            register,
            SpecialReg::Clock
                | SpecialReg::ClockHi
                | SpecialReg::Clock64
                | SpecialReg::GlobalTimer
                | SpecialReg::GlobalTimerLo
                | SpecialReg::GlobalTimerHi
        ),
        Effect::Call(call) => !matches!(call.callee, Callee::Builtin(_)),
        Effect::Mbarrier(operation) => matches!(
            operation.action,
            MbarrierAction::IsOver(_)
                | MbarrierAction::IsOverParity(_)
                | MbarrierAction::IsOverConditional(_)
                | MbarrierAction::HasLayout(_)
        ),
        Effect::Load(_)
        | Effect::Store(_)
        | Effect::Atomic(_)
        | Effect::VectorAtomic(_)
        | Effect::WideAtomic(_)
        | Effect::Multimem(_)
        | Effect::AsyncCopy(_)
        | Effect::Async(_)
        | Effect::AsyncGroup(_)
        | Effect::Texturing(_)
        | Effect::Stack(_)
        | Effect::BlockBarrier(_)
        | Effect::ClusterBarrier(_)
        | Effect::Collective(_)
        | Effect::Warpgroup(_)
        | Effect::ActiveMask { .. }
        | Effect::Exit
        | Effect::Trap
        | Effect::Breakpoint => false,
    }
}
