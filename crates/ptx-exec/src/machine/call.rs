//! Instructions that change the groups of a warp: divergent branches, calls, returns, exits, barriers.

use super::Stop;
use super::barrier::Arrival;
use super::block::BlockState;
use super::grid::Grid;
use super::indexed::values_in;
use super::meeting::{BarrierMisuse, Expected, barrier_index};
use super::rows::{predicate_mask, same_value};
use super::warp::{Fragment, Frame, State, Warp};
use crate::error::TrapKind;
use crate::program::{
    BarrierAction, BlockBarrier, Call, Callee, ClusterAction, Effect, FRAME_ALIGNMENT, Mask, Op, Row, Slot,
    Src, WARP, first_lane, lanes,
};

impl Warp {
    /// Executes the instruction of a group for its `active` lanes; the others continue after it.
    pub(super) fn control(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        active: Mask,
        effect: &Effect,
    ) -> Result<(), Stop> {
        let pc = self.fragments[current].pc;
        let lane = first_lane(active);
        self.fragments[current].pc = pc + 1;
        self.before_control(grid, current, active, (pc, effect));
        match effect {
            Effect::Branch { target } => {
                self.split(current, active, *target, State::Ready);
                Ok(())
            }
            Effect::BranchIndexed { index, targets } => {
                self.branch_indexed(grid, current, active, pc, *index, targets)
            }
            Effect::Exit => self.exit(grid, block, current, active),
            Effect::Return => match self.frames[self.fragments[current].frame].caller {
                None => self.exit(grid, block, current, active),
                Some((caller, call)) => {
                    let frame = self.fragments[current].frame;
                    self.leave(grid, block, current, active, caller, call)?;
                    self.end_products(grid, block, frame)
                }
            },
            Effect::Call(call) => self.call(grid, block, current, active, pc, call),
            Effect::BlockBarrier(barrier) => self.barrier(grid, block, current, active, pc, barrier),
            Effect::ClusterBarrier(action) => self.cluster_barrier(block, current, active, pc, *action),
            Effect::Collective(collective) => self.collective(grid, block, current, active, pc, collective),
            // It waits for other warps, and is then re-executed.
            Effect::Warpgroup(_) => {
                self.split(current, active, pc, State::Warpgroup);
                Ok(())
            }
            Effect::Trap => Err(Stop::at(TrapKind::Trap, pc, lane)),
            Effect::Breakpoint => Err(Stop::at(TrapKind::Breakpoint, pc, lane)),
            // Already executed by the inner loop; the group only yields.
            Effect::Pause
            | Effect::Copy(_)
            | Effect::Special { .. }
            | Effect::FrameAddress { .. }
            | Effect::Load(_)
            | Effect::Store(_)
            | Effect::Atomic(_)
            | Effect::VectorAtomic(_)
            | Effect::WideAtomic(_)
            | Effect::Multimem(_)
            | Effect::AsyncCopy(_)
            | Effect::Async(_)
            | Effect::AsyncGroup(_)
            | Effect::Mbarrier(_)
            | Effect::Within(_)
            | Effect::Stack(_)
            | Effect::MapAddress(_)
            | Effect::Fence
            | Effect::ProxyFence
            | Effect::ActiveMask { .. }
            | Effect::Texturing(_)
            | Effect::Nothing => Ok(()),
        }
    }

    /// The row of an operand in a frame.
    pub(super) fn row<'a>(&'a self, grid: &'a Grid<'_>, frame: usize, src: Src) -> &'a Row {
        src.of(&self.frames[frame].rows, self.constants(grid))
    }

    fn branch_indexed(
        &mut self,
        grid: &Grid<'_>,
        current: usize,
        active: Mask,
        pc: u32,
        index: Src,
        targets: &[u32],
    ) -> Result<(), Stop> {
        let indices = *self.row(grid, self.fragments[current].frame, index);
        // One split for each distinct index, instead of one for each lane.
        let mut rest = active;
        while rest != 0 {
            let lane = first_lane(rest);
            let index = indices[lane];
            let target = usize::try_from(index).ok().and_then(|index| targets.get(index));
            let target = *target.ok_or_else(|| Stop::at(TrapKind::BranchIndex(index), pc, lane))?;
            let group = same_value(&indices, rest, lane);
            self.split(current, group, target, State::Ready);
            rest &= !group;
        }
        Ok(())
    }

    fn exit(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        active: Mask,
    ) -> Result<(), Stop> {
        let mut at = Some(self.fragments[current].frame);
        while let Some(frame) = at {
            at = self.frames[frame].caller.map(|(caller, _)| caller);
            // Other calls may reuse the rows.
            if at.is_some() {
                self.end_products(grid, block, frame)?;
            }
        }
        self.retire(block, current, active);
        self.complete_collectives(grid, block)
    }

    fn leave(
        &mut self,
        grid: &Grid<'_>,
        block: &BlockState,
        current: usize,
        active: Mask,
        caller: usize,
        call: u32,
    ) -> Result<(), Stop> {
        let frame = self.fragments[current].frame;
        if let Op::Effect(Effect::Call(site)) = &grid.program.code[call as usize].op {
            let function = &grid.program.functions[self.frames[frame].function as usize];
            for (from, to) in function.results.iter().zip(&site.results) {
                self.pass(grid, (frame, *from), (caller, *to), active);
            }
        }
        self.report_results(grid, block, caller, active, call);
        let back = self.split(current, active, call + 1, State::Ready);
        self.leave_branches(back, frame);
        self.fragments[back].frame = caller;
        self.frames[frame].inside &= !active;
        if self.frames[frame].inside == 0 {
            self.free.push(frame);
        }
        Ok(())
    }

    fn call(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        active: Mask,
        pc: u32,
        call: &Call,
    ) -> Result<(), Stop> {
        match call.callee {
            Callee::Function(function) => self.enter(grid, current, active, pc, function, call),
            Callee::Builtin(builtin) => {
                self.builtin(grid, block, current, active, pc, builtin, call)?;
                self.report_results(grid, block, self.fragments[current].frame, active, pc);
                Ok(())
            }
            Callee::Address(src) => {
                let targets = *self.row(grid, self.fragments[current].frame, src);
                let mut rest = active;
                while rest != 0 {
                    let lane = first_lane(rest);
                    let unfit = || Stop::at(TrapKind::CallTarget(targets[lane]), pc, lane);
                    let function = grid.program.function_at(targets[lane]).ok_or_else(unfit)?;
                    let callee = &grid.program.functions[function as usize];
                    if !call.fits(callee) {
                        return Err(unfit());
                    }
                    let group = same_value(&targets, rest, lane);
                    self.enter(grid, current, group, pc, function, call)?;
                    rest &= !group;
                }
                Ok(())
            }
        }
    }

    /// Reports the results of a call, which are available after the function has returned, to the observer.
    fn report_results(&self, grid: &Grid<'_>, block: &BlockState, caller: usize, active: Mask, call: u32) {
        if let Some(observer) = grid.observer {
            observer.results(grid, block, (self.id.index, active, call), &self.frames[caller].rows);
        }
    }

    /// Makes lanes of a group enter a call.
    fn enter(
        &mut self,
        grid: &Grid<'_>,
        current: usize,
        active: Mask,
        pc: u32,
        function: u32,
        call: &Call,
    ) -> Result<(), Stop> {
        let caller = self.fragments[current].frame;
        let callee = &grid.program.functions[function as usize];
        // All lanes of a call have their local memory at the same address, so it starts after the allocations of every lane.
        let stack = self.frames[caller].stack + callee.rows as usize * 8 + callee.local as usize;
        let end = lanes(active).map(|lane| self.frames[caller].tops[lane]).fold(0, u32::max);
        let local = end.checked_next_multiple_of(FRAME_ALIGNMENT);
        let top = local.and_then(|local| local.checked_add(callee.local));
        let (Some(local), Some(top)) = (local, top) else {
            return Err(Stop::at(TrapKind::Stack, pc, first_lane(active)));
        };
        if stack > grid.stack_limit() {
            return Err(Stop::at(TrapKind::Stack, pc, first_lane(active)));
        }
        let frame = self.free.pop().unwrap_or_else(|| {
            self.frames.push(Frame::default());
            self.frames.len() - 1
        });
        let depth = self.frames[caller].depth + 1;
        let mut rows = std::mem::take(&mut self.frames[frame].rows);
        rows.clear();
        rows.resize(callee.rows as usize, [0; WARP]);
        let tops = [top; WARP];
        self.frames[frame] =
            Frame { function, rows, local, tops, stack, depth, caller: Some((caller, pc)), inside: active };
        for lane in lanes(active) {
            let bytes = &mut self.local[lane];
            bytes.resize(bytes.len().max(top as usize), 0);
        }
        for (from, to) in call.arguments.iter().zip(&callee.params) {
            self.pass(grid, (caller, *from), (frame, *to), active);
        }
        let inner = self.split(current, active, callee.start, State::Ready);
        self.fragments[inner].frame = frame;
        Ok(())
    }

    /// Copies an argument or result between frames.
    fn pass(&mut self, grid: &Grid<'_>, from: (usize, Slot), to: (usize, Slot), active: Mask) {
        let mut bytes = Vec::new();
        for lane in lanes(active) {
            bytes.clear();
            self.read_slot(grid, from, lane, &mut bytes);
            self.write_slot(to, lane, &bytes);
        }
    }

    /// Appends the bytes of an argument or result.
    pub(super) fn read_slot(
        &self,
        grid: &Grid<'_>,
        (frame, slot): (usize, Slot),
        lane: usize,
        bytes: &mut Vec<u8>,
    ) {
        match slot {
            Slot::Nothing => {}
            Slot::Memory { offset, size } | Slot::Open { offset, size } => {
                let start = self.frames[frame].local as usize + offset as usize;
                bytes.extend(values_in(&self.local[lane], start..start + size as usize));
            }
            Slot::Rows { first, count, .. } => {
                for n in 0..count {
                    bytes.extend(self.row(grid, frame, first.plus(n))[lane].to_le_bytes());
                }
            }
        }
    }

    /// Stores the bytes of an argument or result; missing ones are zero.
    pub(super) fn write_slot(&mut self, (frame, slot): (usize, Slot), lane: usize, bytes: &[u8]) {
        match slot {
            Slot::Nothing => {}
            Slot::Memory { offset, size } | Slot::Open { offset, size } => {
                let start = self.frames[frame].local as usize + offset as usize;
                if let Some(place) = self.local[lane].get_mut(start..start + size as usize) {
                    let known = bytes.len().min(place.len());
                    place[..known].copy_from_slice(&bytes[..known]);
                    place[known..].fill(0);
                }
            }
            Slot::Rows { first, count, bits } => {
                for n in 0..count {
                    let word = bytes.iter().skip(n as usize * 8).take(8).rev();
                    let value = word.fold(0u64, |value, &byte| value << 8 | u64::from(byte));
                    if let Some(row) = first.plus(n).as_register() {
                        self.frames[frame].rows[row as usize][lane] = value & bits;
                    }
                }
            }
        }
    }

    fn barrier(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        active: Mask,
        pc: u32,
        barrier: &BlockBarrier,
    ) -> Result<(), Stop> {
        let frame = self.fragments[current].frame;
        let lane = first_lane(active);
        let misuse = |misuse: BarrierMisuse| Stop::at(misuse.into(), pc, lane);
        let uniform = |row: &Row, otherwise| {
            let same = same_value(row, active, lane) == active;
            if same { Ok(row[lane]) } else { Err(misuse(otherwise)) }
        };
        let id = uniform(self.row(grid, frame, barrier.id), BarrierMisuse::Numbers)?;
        let index = barrier_index(id).map_err(misuse)?;
        let count = barrier.count.map(|count| uniform(self.row(grid, frame, count), BarrierMisuse::Counts));
        let expected = Expected::of(count.transpose()?, block.live.len()).map_err(misuse)?;
        if barrier.is_aligned {
            if self.fragments[current].mask != active {
                return Err(misuse(BarrierMisuse::Guard));
            }
            self.expect_together(grid, block, lane, pc)?;
        }
        let trues = barrier.predicate.map(|src| active & predicate_mask(self.row(grid, frame, src)));
        let arrival = Arrival { warp: self.id.index, lanes: active, expected, trues };
        let phase = block.barriers[index].phase;
        block.barriers[index].arrive(&arrival, &block.live).map_err(misuse)?;
        if barrier.action != BarrierAction::Arrive {
            let state = State::Barrier { id: index, phase, action: barrier.action, dst: barrier.dst };
            self.split(current, active, pc + 1, state);
        }
        // Barriers order memory among their threads; threads of other blocks see it no later than that.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        block.wake |= block.barriers[index].complete(&block.live);
        Ok(())
    }

    /// Traps if a thread reaches an aligned barrier while others of its warp wait at another one: all of them must
    /// reach the same instruction (manual 9.7.13.1).
    fn expect_together(&self, grid: &Grid<'_>, block: &BlockState, lane: usize, pc: u32) -> Result<(), Stop> {
        let is_waiting = |state: State| match state {
            State::Barrier { id, phase, .. } => block.barriers.get(id).is_some_and(|b| b.phase == phase),
            _ => false,
        };
        let is_aligned = |pc: u32| match grid.program.code.get(pc as usize).map(|inst| &inst.op) {
            Some(Op::Effect(Effect::BlockBarrier(barrier))) => barrier.is_aligned,
            _ => false,
        };
        let waiting = self.fragments.iter().filter(|group| is_waiting(group.state));
        let places = waiting.map(|group| (group.pc.wrapping_sub(1), group.mask));
        let Some((other, mask)) = places.into_iter().find(|&(at, _)| at != pc && is_aligned(at)) else {
            return Ok(());
        };
        let (x, y, z) = grid.geometry.thread(self.id.index, first_lane(mask)).into();
        let related = vec![(other, format!("thread ({x}, {y}, {z}) of the warp waits here"))];
        Err(Stop { related, ..Stop::at(BarrierMisuse::Parted.into(), pc, lane) })
    }

    /// `barrier.cluster`: the threads of all blocks arrive and wait, or have exited (manual 9.7.13.3).
    fn cluster_barrier(
        &mut self,
        block: &mut BlockState,
        current: usize,
        active: Mask,
        pc: u32,
        action: ClusterAction,
    ) -> Result<(), Stop> {
        let misuse = |text: &str, lane| Stop::at(TrapKind::Misuse(text.to_owned()), pc, lane);
        let arrived = lanes(active).filter(|&lane| self.cluster_phases[lane].is_some());
        let arrived = arrived.fold(0, |mask: Mask, lane| mask | 1 << lane);
        let warp = block.rank as usize * block.live.len() + self.id.index;
        let cluster = &mut block.cluster;
        let phase = cluster.barrier.phase;
        match action {
            ClusterAction::Arrive => {
                if arrived != 0 {
                    let text = "the thread arrives at the barrier of its cluster again without having waited";
                    return Err(misuse(text, first_lane(arrived)));
                }
                lanes(active).for_each(|lane| self.cluster_phases[lane] = Some(phase));
                let expected = Expected::Everyone;
                let arrival = Arrival { warp, lanes: active, expected, trues: None };
                let all = cluster.barrier.arrive(&arrival, &cluster.live);
                all.map_err(|misuse| Stop::at(misuse.into(), pc, first_lane(active)))?;
                cluster.wake |= cluster.barrier.complete(&cluster.live);
            }
            ClusterAction::Wait => {
                if arrived != active {
                    let text = "the thread waits at the barrier of its cluster without having arrived";
                    return Err(misuse(text, first_lane(active & !arrived)));
                }
                let waits = lanes(active).filter(|&lane| self.cluster_phases[lane] == Some(phase));
                let waits = waits.fold(0, |mask: Mask, lane| mask | 1 << lane);
                lanes(active).for_each(|lane| self.cluster_phases[lane] = None);
                if waits != 0 {
                    self.split(current, waits, pc + 1, State::Cluster { phase });
                }
            }
        }
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }

    /// A group by index.
    pub(super) fn fragment(&self, current: usize) -> Fragment {
        self.fragments[current]
    }
}
