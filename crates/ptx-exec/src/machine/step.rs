//! The inner loop: instructions that only concern the executing threads.
//!
//! The input is a group of threads at one place, the output the group at the place where it stopped. An instruction is
//! executed for all lanes of the group at once, on rows: a register of all 32 lanes. Whatever concerns other groups
//! (divergent branches, calls, barriers) ends the loop and is left to [`Warp::control`].

use super::Stop;
use super::bind::{Row1, Row2, Row3, Step};
use super::block::BlockState;
use super::grid::Grid;
use super::map_address::map_addresses;
use super::rows::{blend, predicate_mask};
use super::warp::Warp;
use crate::program::{Dst, Effect, Guard, Mask, Op, Row, Src, WARP, lanes};

/// Control flow after an instruction.
enum Flow<'p> {
    Next,
    Jump(u32),
    /// The instruction concerns the groups of the warp: [`Warp::control`] executes it.
    Control(&'p Effect),
}

impl Warp {
    /// Runs a group until it may be merged with another one, has to wait, or its time slice is over. `OBSERVED` enables
    /// instrumentation, which costs nothing otherwise.
    pub(super) fn run_fragment<const OBSERVED: bool>(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        left: u64,
    ) -> Result<(), Stop> {
        let fragment = self.fragments[current];
        let (mask, frame) = (fragment.mask, fragment.frame);
        let limit = self.meeting_place(current);
        let rejoin = if OBSERVED { self.rejoin_place(current) } else { None };
        self.turn_end = self.clock + self.turn(left);
        let constants = self.constants(grid);
        // The rows are moved out of the frame, so that the loop accesses them without indirection through the frame,
        // and may mutate the warp meanwhile. Every exit of the loop passes the point where they are moved back.
        let mut pc = fragment.pc;
        let mut rows = std::mem::take(&mut self.frames[frame].rows);
        let mut result = Ok(None);
        let mut before = None;
        loop {
            let inst = &grid.code[pc as usize];
            let active = inst.guard.map_or(mask, |guard| mask & guarded(&rows, guard));
            self.clock += 1;
            self.thread_instructions += u64::from(active.count_ones());
            if OBSERVED && self.watch.is_some() {
                self.watch_step(grid, block, frame, &rows, active, pc);
            }
            if OBSERVED && let Some(observer) = grid.observer {
                observer.count(grid, self.local_of(frame), &rows, active, pc);
                before = before.or_else(|| observer.before(grid, block, &rows, pc));
            }
            let flow = self.step(grid, block, frame, &mut rows, constants, &inst.step, mask, active, pc);
            if OBSERVED && let Some(observer) = grid.observer {
                let writes = matches!(flow, Ok(Flow::Next | Flow::Jump(_)));
                observer.after(grid, block, self.id.index, &rows, active, pc, &mut before, writes);
            }
            match flow {
                Ok(Flow::Next) => pc += 1,
                Ok(Flow::Jump(target)) => pc = target,
                Ok(Flow::Control(effect)) => {
                    result = Ok(Some((active, effect)));
                    break;
                }
                Err(stop) => {
                    result = Err(Stop { frames: self.calls(frame), ..stop });
                    break;
                }
            }
            // A reported PTX instruction may be several instructions here.
            let is_there = OBSERVED && rejoin == Some(pc);
            if (pc >= limit || self.clock >= self.turn_end || is_there) && (!OBSERVED || before.is_none()) {
                break;
            }
        }
        self.frames[frame].rows = rows;
        let fragment = &mut self.fragments[current];
        (fragment.pc, fragment.ran) = (pc, self.clock);
        match result? {
            Some((active, effect)) if OBSERVED => {
                let groups = self.fragments.len();
                self.control(grid, block, current, active, effect)?;
                let parts = matches!(effect, Effect::Branch { .. } | Effect::BranchIndexed { .. });
                if let Some(observer) = grid.observer.filter(|_| parts && self.fragments.len() > groups) {
                    observer.diverged(pc);
                }
                Ok(())
            }
            Some((active, effect)) => self.control(grid, block, current, active, effect),
            None => Ok(()),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    // Called from two loops, of which the one without instrumentation must be fast.
    #[inline(always)]
    fn step<'p>(
        &mut self,
        grid: &Grid<'p>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        constants: &[Row],
        step: &'p Step,
        mask: Mask,
        active: Mask,
        pc: u32,
    ) -> Result<Flow<'p>, Stop> {
        if active == 0 {
            return Ok(Flow::Next);
        }
        match step {
            Step::Alu1 { f, d, a } => apply1(constants, rows, f, *d, *a, active),
            Step::Alu2 { f, d, a, b } => apply2(constants, rows, f, *d, [*a, *b], active),
            Step::Alu3 { f, d, a, b, c } => apply3(constants, rows, f, *d, [*a, *b, *c], active),
            Step::Alu4(op) => {
                let (f, d, srcs) = &**op;
                let mut out = [0; WARP];
                f(srcs.map(|src| src.of(rows, constants)), active, &mut out);
                blend(rows, *d, &out, active);
            }
            Step::AluPair(op) => {
                let (f, [d, e], srcs) = &**op;
                let (mut first, mut second) = ([0; WARP], [0; WARP]);
                f(srcs.map(|src| src.of(rows, constants)), active, &mut first, &mut second);
                blend(rows, *d, &first, active);
                blend(rows, *e, &second, active);
            }
            Step::Effect(effect) => {
                return self.effect(grid, block, frame, rows, constants, effect, mask, active, pc);
            }
        }
        Ok(Flow::Next)
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    #[inline(always)]
    fn effect<'p>(
        &mut self,
        grid: &Grid<'p>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        constants: &[Row],
        effect: &'p Effect,
        mask: Mask,
        active: Mask,
        pc: u32,
    ) -> Result<Flow<'p>, Stop> {
        match effect {
            Effect::Copy(pairs) => copy(constants, rows, pairs, active),
            Effect::Special { d, register, component } => {
                let values = self.special(grid, block, *register, *component);
                blend(rows, *d, &values, active);
            }
            Effect::FrameAddress { d, offset } => {
                // Local memory addresses have 32 bits.
                let address =
                    u64::from(self.frames[frame].local).wrapping_add_signed(*offset) & u64::from(u32::MAX);
                blend(rows, *d, &[address; WARP], active);
            }
            Effect::Load(load) => self.load(grid, block, frame, rows, load, active, pc)?,
            Effect::Store(store) => self.store(grid, block, frame, rows, store, active, pc)?,
            Effect::Atomic(atomic) => self.atomic(grid, block, frame, rows, atomic, active, pc)?,
            Effect::VectorAtomic(atomic) => {
                self.vector_atomic(grid, block, frame, rows, atomic, active, pc)?;
            }
            Effect::Multimem(access) => self.multimem(grid, frame, rows, access, active, pc)?,
            Effect::WideAtomic(atomic) => self.wide_atomic(grid, block, frame, rows, atomic, active, pc)?,
            Effect::AsyncCopy(copy) => self.async_copy(grid, block, frame, rows, copy, active, pc)?,
            Effect::Async(op) => self.asynchronous(grid, block, frame, rows, op, active, pc)?,
            Effect::AsyncGroup(group) => self.group(grid, block, frame, rows, *group, active)?,
            Effect::Mbarrier(operation) => self.mbarrier(grid, block, frame, rows, operation, active, pc)?,
            Effect::Texturing(texturing) => self.texturing(grid, rows, texturing, active, pc)?,
            Effect::Within(within) => self.within(grid, frame, rows, within, active, pc)?,
            Effect::Stack(stack) => self.stack(grid, frame, rows, *stack, active, pc)?,
            Effect::MapAddress(map) => map_addresses(rows, (constants, grid.addresses), map, active, pc)?,
            Effect::Fence => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
            Effect::ProxyFence => {
                std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
                block.show_cluster();
            }
            Effect::ActiveMask { d } => blend(rows, *d, &[u64::from(active); WARP], active),
            Effect::Warpgroup(action) => {
                if !self.warpgroup(grid, block, frame, rows, action, active, pc)? {
                    return Ok(Flow::Control(effect));
                }
            }
            Effect::Branch { target } if active == mask => return Ok(Flow::Jump(*target)),
            Effect::Pause => {
                self.give_way();
                return Ok(Flow::Control(effect));
            }
            Effect::Nothing => {}
            Effect::Branch { .. }
            | Effect::BranchIndexed { .. }
            | Effect::BlockBarrier(_)
            | Effect::ClusterBarrier(_)
            | Effect::Collective(_)
            | Effect::Call(_)
            | Effect::Return
            | Effect::Exit
            | Effect::Trap
            | Effect::Breakpoint => return Ok(Flow::Control(effect)),
        }
        Ok(Flow::Next)
    }
}

impl Warp {
    /// Executes one instruction other than a branch or call for lanes of the warp's first group.
    pub(super) fn execute_alone(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        pc: u32,
        active: Mask,
    ) -> Result<(), Stop> {
        let inst = grid.program.code.get(pc as usize);
        let (Some(Op::Effect(effect)), Some(group)) = (inst.map(|inst| &inst.op), self.fragments.first())
        else {
            return Ok(());
        };
        if active == 0 {
            return Ok(());
        }
        let (mask, frame) = (group.mask, group.frame);
        let constants = self.constants(grid);
        let mut rows = std::mem::take(&mut self.frames[frame].rows);
        let flow = self.effect(grid, block, frame, &mut rows, constants, effect, mask, active, pc);
        self.frames[frame].rows = rows;
        match flow? {
            Flow::Control(effect) => self.control(grid, block, 0, active, effect),
            Flow::Next | Flow::Jump(_) => Ok(()),
        }
    }
}

/// The lanes for which the guard is true.
#[inline]
fn guarded(rows: &[Row], guard: Guard) -> Mask {
    let trues = predicate_mask(&rows[guard.row as usize]);
    if guard.negated { !trues } else { trues }
}

#[inline]
fn apply1(constants: &[Row], rows: &mut [Row], f: &Row1, d: Dst, a: Src, active: Mask) {
    let mut out = [0; WARP];
    f(a.of(rows, constants), active, &mut out);
    blend(rows, d, &out, active);
}

#[inline]
fn apply2(constants: &[Row], rows: &mut [Row], f: &Row2, d: Dst, [a, b]: [Src; 2], active: Mask) {
    let mut out = [0; WARP];
    f(a.of(rows, constants), b.of(rows, constants), active, &mut out);
    blend(rows, d, &out, active);
}

#[inline]
fn apply3(constants: &[Row], rows: &mut [Row], f: &Row3, d: Dst, [a, b, c]: [Src; 3], active: Mask) {
    let mut out = [0; WARP];
    f(a.of(rows, constants), b.of(rows, constants), c.of(rows, constants), active, &mut out);
    blend(rows, d, &out, active);
}

fn copy(constants: &[Row], rows: &mut [Row], pairs: &[(Dst, Src)], active: Mask) {
    // A destination may be the source of another pair, so all sources of a lane are read before any destination is written.
    if let [(d, s)] = pairs {
        let values = *s.of(rows, constants);
        return blend(rows, *d, &values, active);
    }
    let mut values = [0; 16];
    for lane in lanes(active) {
        for (value, (_, s)) in values.iter_mut().zip(pairs) {
            *value = s.of(rows, constants)[lane];
        }
        for (value, (d, _)) in values.iter().zip(pairs) {
            rows[*d as usize][lane] = *value;
        }
    }
}
