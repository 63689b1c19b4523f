//! The inner loop: instructions that only concern the executing threads.
//!
//! The input is a group of threads at one place, the output the group at the place where it stopped. An instruction is
//! executed for all lanes of the group at once, on rows: a register of all 32 lanes. Whatever concerns other groups
//! (divergent branches, calls, barriers) ends the loop and is left to `control.rs`.

use ptx_program::{Control, Dst, Effect, Guard, Mask, Op, Row, Src, WARP, lanes};

use super::Stop;
use super::access::{atomic, load, store, vector_atomic, wide_atomic, within};
use super::asynchronous::asynchronous;
use super::at::{At, Place};
use super::bind::{Row1, Row2, Row3, Step};
use super::block::BlockState;
use super::completion::group;
use super::control::control;
use super::copy::async_copy;
use super::grid::Grid;
use super::group::GroupAt;
use super::map_address::map_addresses;
use super::mbarrier::mbarrier;
use super::multimem;
use super::observe::Before;
use super::polling::watch_step;
use super::rows::{blend, predicate_mask};
use super::special::special;
use super::stack::stack;
use super::texture::texturing;
use super::warp::Warp;
use super::wgmma::warpgroup;

/// Control flow after an instruction.
enum Flow<'p> {
    Next,
    Jump(u32),
    /// The instruction concerns the groups of the warp: [`control`] executes it.
    Control(&'p Effect),
}

/// Runs a warp for about `budget` instructions, or until no thread can run, a barrier is complete or a thread yields.
pub(super) fn run(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    budget: u64,
) -> Result<u64, Stop> {
    let start = warp.clock;
    (warp.paused, warp.waits, warp.asked) = (false, false, false);
    while warp.clock - start < budget && !block.wake && !block.cluster.wake && !warp.paused {
        let Some(current) = warp.pick() else { break };
        let left = budget - (warp.clock - start);
        if grid.observer.is_none() && warp.watch.is_none() && !warp.is_late {
            run_fragment::<false>(warp, grid, block, current, left)?;
        } else {
            run_fragment::<true>(warp, grid, block, current, left)?;
        }
    }
    if warp.is_late {
        warp.meet();
    }
    Ok(warp.clock - start)
}

/// Runs a group until it may be merged with another one, has to wait, or its time slice is over. `OBSERVED` enables
/// instrumentation, which costs nothing otherwise.
fn run_fragment<const OBSERVED: bool>(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    current: usize,
    left: u64,
) -> Result<(), Stop> {
    let fragment = warp.fragments[current];
    let (mask, frame) = (fragment.mask, fragment.frame);
    let limit = warp.meeting_place(current);
    let rejoin = if OBSERVED { warp.rejoin_place(current) } else { None };
    warp.turn_end = warp.clock + warp.turn(left);
    let constants = warp.constants(grid);
    // The rows are moved out of the frame, so that the loop accesses them without indirection through the frame,
    // and may mutate the warp meanwhile. Every exit of the loop passes the point where they are moved back.
    let mut pc = fragment.pc;
    let mut rows = std::mem::take(&mut warp.frames[frame].rows);
    let mut result = Ok(None);
    let mut before = None;
    loop {
        let inst = &grid.code[pc as usize];
        let active = inst.guard.map_or(mask, |guard| mask & guarded(&rows, guard));
        let place = Place { pc, active };
        warp.clock += 1;
        warp.thread_instructions += u64::from(active.count_ones());
        if OBSERVED {
            before = observe(&mut At::new(warp, grid, block, (frame, &mut rows), place), before);
        }
        let flow = match &inst.step {
            _ if active == 0 => Ok(Flow::Next),
            Step::Effect(effect) => {
                execute(&mut At::new(warp, grid, block, (frame, &mut rows), place), effect, mask)
            }
            step => {
                apply(step, &mut rows, constants, active);
                Ok(Flow::Next)
            }
        };
        if OBSERVED && let Some(observer) = grid.observer {
            let writes = matches!(flow, Ok(Flow::Next | Flow::Jump(_)));
            let at = At::new(warp, grid, block, (frame, &mut rows), place);
            observer.after(&at, &mut before, writes);
        }
        match flow {
            Ok(Flow::Next) => pc += 1,
            Ok(Flow::Jump(target)) => pc = target,
            Ok(Flow::Control(effect)) => {
                result = Ok(Some((place, effect)));
                break;
            }
            Err(stop) => {
                result = Err(Stop { frames: warp.calls(frame), ..stop });
                break;
            }
        }
        // A reported PTX instruction may be several instructions here.
        let is_there = OBSERVED && rejoin == Some(pc);
        if (pc >= limit || warp.clock >= warp.turn_end || is_there) && (!OBSERVED || before.is_none()) {
            break;
        }
    }
    warp.frames[frame].rows = rows;
    let fragment = &mut warp.fragments[current];
    (fragment.pc, fragment.ran) = (pc, warp.clock);
    let Some((place, effect)) = result? else { return Ok(()) };
    let groups = warp.fragments.len();
    control(&mut GroupAt { warp, grid, block, current, place }, effect)?;
    if OBSERVED
        && let Some(observer) = grid.observer
        && effect.traits().control == Control::Jump
        && warp.fragments.len() > groups
    {
        observer.diverged(pc);
    }
    Ok(())
}

/// Records an instruction that is about to be executed. `before` are the operand values of the reported instruction that it is a part of.
fn observe(at: &mut At<'_>, before: Option<Before>) -> Option<Before> {
    if at.warp.watch.is_some() {
        watch_step(at);
    }
    let Some(observer) = at.grid.observer else { return before };
    observer.count(at);
    before.or_else(|| observer.before(at))
}

/// Executes an operation on registers alone.
// Called from two loops, of which the one without instrumentation must be fast.
#[inline(always)]
fn apply(step: &Step, rows: &mut [Row], constants: &[Row], active: Mask) {
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
        // Not on registers alone.
        Step::Effect(_) => {}
    }
}

/// Executes any other instruction, or leaves it to [`control`]. `mask` are the threads of the group.
#[inline(always)]
fn execute<'p>(at: &mut At<'_>, effect: &'p Effect, mask: Mask) -> Result<Flow<'p>, Stop> {
    let active = at.place.active;
    match effect {
        Effect::Copy(pairs) => copy(at.operands.constants, at.operands.rows, pairs, active),
        Effect::Special { d, register, component } => {
            let values = special(at, *register, *component);
            at.operands.blend(*d, &values, active);
        }
        Effect::FrameAddress { d, offset } => {
            // Local memory addresses have 32 bits.
            let address = u64::from(at.operands.local).wrapping_add_signed(*offset) & u64::from(u32::MAX);
            at.operands.blend(*d, &[address; WARP], active);
        }
        Effect::Load(access) => load(at, access)?,
        Effect::Store(access) => store(at, access)?,
        Effect::Atomic(access) => atomic(at, access)?,
        Effect::VectorAtomic(access) => vector_atomic(at, access)?,
        Effect::Multimem(access) => multimem::execute(at, access)?,
        Effect::WideAtomic(access) => wide_atomic(at, access)?,
        Effect::AsyncCopy(copy) => async_copy(at, copy)?,
        Effect::Async(op) => asynchronous(at, op)?,
        Effect::AsyncGroup(action) => group(at, *action)?,
        Effect::Mbarrier(operation) => mbarrier(at, operation)?,
        Effect::Texturing(operation) => texturing(at, operation)?,
        Effect::Within(spaces) => within(at, spaces)?,
        Effect::Stack(action) => stack(at, *action)?,
        Effect::MapAddress(map) => map_addresses(at, map)?,
        Effect::Fence => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
        Effect::ProxyFence => {
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            at.block.show_cluster();
        }
        Effect::ActiveMask { d } => at.operands.blend(*d, &[u64::from(active); WARP], active),
        Effect::Warpgroup(action) => {
            if !warpgroup(at, action)? {
                return Ok(Flow::Control(effect));
            }
        }
        Effect::Branch { target } if active == mask => return Ok(Flow::Jump(*target)),
        Effect::Pause => {
            at.warp.give_way();
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

/// Executes one instruction other than a branch or call for lanes of the warp's first group.
pub(super) fn execute_alone(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    place: Place,
) -> Result<(), Stop> {
    let inst = grid.program.code.get(place.pc as usize);
    let (Some(Op::Effect(effect)), Some(group)) = (inst.map(|inst| &inst.op), warp.fragments.first()) else {
        return Ok(());
    };
    if place.active == 0 {
        return Ok(());
    }
    let (mask, frame) = (group.mask, group.frame);
    let mut rows = std::mem::take(&mut warp.frames[frame].rows);
    let flow = execute(&mut At::new(warp, grid, block, (frame, &mut rows), place), effect, mask);
    warp.frames[frame].rows = rows;
    match flow? {
        Flow::Control(effect) => control(&mut GroupAt { warp, grid, block, current: 0, place }, effect),
        Flow::Next | Flow::Jump(_) => Ok(()),
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
