//! Barriers to which the threads of a warp come one by one (`ptx-host/src/code/singly.rs`).
//!
//! A warp counts when all of its threads that have not exited have come, by any instructions, as in the interpreter. Where they wait is kept here, since code
//! asks again for lanes that have arrived already: the same instruction lets further lanes arrive, and those go on whose phase is over.

use ptx_exec::engine::{BarrierMisuse, Expected, barrier_index};
use ptx_exec::{Geometry, TrapKind};
use ptx_program::{BarrierAction, BlockBarrier, Mask, WARP, first_lane, lanes};

use super::arrivals::Singly;
use super::barrier::{Arrival, WARPS};
use super::block::Block;
use super::frame::{Status, WarpFrame};
use super::heavy::{arrive_in_cluster, await_phase_in_cluster, left_in_cluster};

/// Threads at a barrier instruction.
#[derive(Clone, Copy, Debug)]
struct Coming<'a> {
    pc: u32,
    warp: usize,
    /// Those that are there, those for which its guard holds, and all of the warp that have not exited.
    mask: Mask,
    active: Mask,
    live: Mask,
    /// Those whose predicate is true; the barrier and the count of each.
    trues: Mask,
    numbers: &'a [u32; WARP],
    counts: Option<&'a [u32; WARP]>,
}

/// The value that lanes have in common.
fn common(values: &[u32; WARP], mask: Mask) -> Option<u32> {
    let first = values[first_lane(mask)];
    lanes(mask).all(|lane| values[lane] == first).then_some(first)
}

impl Block {
    /// Lets the threads arrive that have not yet; returns those that may go on.
    fn come_singly(&mut self, geometry: &Geometry, coming: &Coming<'_>) -> Result<Mask, Misused> {
        let Coming { pc, warp, mask, live, .. } = *coming;
        let Some(&barrier) = self.barrier_at(pc) else {
            let kind = TrapKind::Misuse("there is no barrier".to_owned());
            return Err(Misused { kind, related: Vec::new() });
        };
        self.remain(warp, live);
        let known = self.singly[warp].waiting | self.singly[warp].over;
        let new = mask & !known;
        let active = new & coming.active;
        let mut ready = new & !active;
        if active != 0 {
            let id = self.arrive_singly(geometry, coming, &barrier, new, active)?;
            match barrier.action {
                BarrierAction::Arrive => ready |= active,
                _ => {
                    let state = &mut self.singly[warp];
                    state.waiting |= active;
                    lanes(active).for_each(|lane| state.places[lane] = (pc, id));
                }
            }
            self.complete(id);
        }
        Ok(ready | self.singly[warp].over & mask)
    }

    /// Lets threads arrive at a barrier for the first time; returns its number.
    fn arrive_singly(
        &mut self,
        geometry: &Geometry,
        coming: &Coming<'_>,
        barrier: &BlockBarrier,
        new: Mask,
        active: Mask,
    ) -> Result<usize, Misused> {
        let &Coming { pc, warp, live, trues, numbers, counts, .. } = coming;
        let number = common(numbers, active).ok_or(BarrierMisuse::Numbers)?;
        let id = barrier_index(number.into())?;
        let count = match counts.filter(|_| barrier.count.is_some()) {
            Some(counts) => Some(common(counts, active).ok_or(BarrierMisuse::Counts)?),
            None => None,
        };
        let expected = Expected::of(count.map(u64::from), self.warps)?;
        if barrier.is_aligned {
            if new != active {
                return Err(BarrierMisuse::Guard.into());
            }
            self.expect_no_other(geometry, warp, pc)?;
        }
        let trues = barrier.predicate.map(|_| active & trues);
        self.arrived |= 1 << id;
        let arrival = Arrival { warp, lanes: active, live, expected, trues, warps: self.warps };
        self.barriers[id].arrive(&arrival)?;
        // The threads of a block share one host thread: their stores before the barrier must be visible to other blocks no later than those after it.
        std::sync::atomic::fence(std::sync::atomic::Ordering::AcqRel);
        Ok(id)
    }

    /// Fails if threads of the warp wait at another aligned barrier: all of them must reach the same one.
    fn expect_no_other(&self, geometry: &Geometry, warp: usize, pc: u32) -> Result<(), Misused> {
        let is_aligned = |pc| self.barrier_at(pc).is_some_and(|barrier| barrier.is_aligned);
        let groups = self.singly[warp].groups();
        let Some(&(other, _, lanes)) = groups.iter().find(|&&(at, ..)| at != pc && is_aligned(at)) else {
            return Ok(());
        };
        let (x, y, z) = geometry.thread(warp, first_lane(lanes)).into();
        let related = vec![(other, format!("thread ({x}, {y}, {z}) of the warp waits here"))];
        Err(Misused { kind: BarrierMisuse::Parted.into(), related })
    }

    /// Records which threads of a warp have not exited, which may complete barriers.
    fn remain(&mut self, warp: usize, live: Mask) {
        if self.singly.is_empty() {
            self.singly = vec![Singly::default(); WARPS];
        }
        if std::mem::replace(&mut self.live[warp], live) == live || live == 0 {
            // A warp without threads ends, and is recorded then.
            return;
        }
        let mut rest = self.arrived;
        while rest != 0 {
            let id = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            self.barriers[id].remain(warp, live);
            self.complete(id);
        }
    }

    /// Whether the threads that wait at barriers one by one are told where the others of their warps are.
    pub(super) fn asks_where(&self) -> bool {
        self.asks_where
    }

    /// Records where lanes of a warp wait for others of it, with the first lane of each group.
    pub(super) fn record_others(&mut self, warp: usize, groups: Vec<(usize, (u32, String))>) {
        if let Some(state) = self.singly.get_mut(warp) {
            state.others = groups;
        }
    }

    /// The warps that are suspended until a phase is over, when none ever will be: each is to record where its other lanes wait.
    pub(super) fn ask_where(&mut self) -> Vec<usize> {
        self.asks_where = true;
        (0..self.singly.len()).filter(|&warp| self.singly[warp].is_suspended).collect()
    }
}

/// An undefined use of a barrier, and where other threads are.
#[derive(Debug)]
struct Misused {
    kind: TrapKind,
    related: Vec<(u32, String)>,
}

impl From<BarrierMisuse> for Misused {
    fn from(misuse: BarrierMisuse) -> Self {
        Self { kind: misuse.into(), related: Vec::new() }
    }
}

/// Threads of the warp are at a barrier: `mask`, of which the guard holds for `active`; `live` have not exited. Those that have not arrived do so. Sets
/// `trues` of the frame to those that may go on, and their results.
///
/// # Safety
/// The frame is that of a running warp. In kernels whose barriers the interpreter's runtime executes, the operands are in the rows of the warp; in others
/// `numbers` and `counts`, which is null if there are none, have 32 numbers, as `results` has.
pub(super) unsafe extern "C" fn arrive(
    frame: *mut WarpFrame,
    pc: u32,
    mask: u32,
    active: u32,
    live: u32,
    trues: u32,
    numbers: *const u32,
    counts: *const u32,
    results: *mut u32,
) -> i32 {
    // SAFETY: the frame of the warp that runs, its block and launch, and what code gives, as above.
    unsafe {
        let results = &mut *results.cast::<[u32; WARP]>();
        if !(*frame).heavy.is_null() {
            return arrive_in_cluster(frame, (pc, mask, active, live), results);
        }
        let (frame, numbers) = (&mut *frame, &*numbers.cast::<[u32; WARP]>());
        let (block, warp) = (&mut *frame.block, frame.warp as usize % WARPS);
        let counts = counts.cast::<[u32; WARP]>().as_ref();
        let coming = Coming { pc, warp, mask, active, live, trues, numbers, counts };
        match block.come_singly(&(*frame.job).geometry, &coming) {
            Ok(ready) => {
                let state = &mut block.singly[warp];
                let over = ready & state.over;
                state.over &= !over;
                lanes(over).for_each(|lane| results[lane] = state.results[lane]);
                frame.trues = ready;
                Status::Done as i32
            }
            Err(Misused { kind, related }) => {
                block.note(kind, related);
                (frame.pc, frame.stopped) = (pc, active & mask);
                Status::Noted as i32
            }
        }
    }
}

/// No lane of the warp can run before the phase of a barrier is over; `live` have not exited. Returns 0 when lanes may go on, and 1 if lanes of the warp
/// wait for each other elsewhere, or all warps of the block wait forever.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe extern "C" fn await_phase(frame: *mut WarpFrame, live: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, its block, to which no reference is held while the fibre is suspended.
    unsafe {
        if !(*frame).heavy.is_null() {
            return await_phase_in_cluster(frame, live);
        }
        let warp = (*frame).warp as usize % WARPS;
        let block = &mut *(*frame).block;
        block.remain(warp, live);
        let state = &mut block.singly[warp];
        if state.over == 0 && state.waiting != 0 {
            state.is_suspended = true;
            block.ready &= !(1 << warp);
            (*(*frame).suspend).suspend(());
        }
        let block = &mut *(*frame).block;
        let state = &mut block.singly[warp];
        state.is_suspended = false;
        i32::from(state.over == 0)
    }
}

/// Lanes of the warp have exited; `live` have not.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe extern "C" fn left(frame: *mut WarpFrame, live: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, and its block, which nothing else refers to now.
    unsafe {
        if (*frame).heavy.is_null() {
            (*(*frame).block).remain((*frame).warp as usize % WARPS, live);
        } else {
            left_in_cluster(frame, live);
        }
    }
    Status::Done as i32
}
