//! Calls and returns.

use ptx_program::{Call, Callee, Effect, FRAME_ALIGNMENT, Mask, Op, WARP, first_lane, lanes};

use super::Stop;
use super::builtin::builtin;
use super::group::GroupAt;
use super::rows::same_value;
use super::slots::pass;
use super::warp::{Frame, State};
use crate::error::TrapKind;

/// Makes lanes of a group return to the call instruction `call` in the frame `caller`.
pub(super) fn leave(at: &mut GroupAt<'_>, caller: usize, call: u32) -> Result<(), Stop> {
    let (frame, active) = (at.frame(), at.place.active);
    let GroupAt { warp, grid, .. } = at;
    if let Op::Effect(Effect::Call(site)) = &grid.program.code[call as usize].op {
        let function = &grid.program.functions[warp.frames[frame].function as usize];
        for (from, to) in function.results.iter().zip(&site.results) {
            pass(warp, grid, (frame, *from), (caller, *to), active);
        }
    }
    report_results(at, caller, call);
    let GroupAt { warp, .. } = at;
    let back = warp.split(at.current, active, call + 1, State::Ready);
    warp.leave_branches(back, frame);
    warp.fragments[back].frame = caller;
    warp.frames[frame].inside &= !active;
    if warp.frames[frame].inside == 0 {
        warp.free.push(frame);
    }
    Ok(())
}

pub(super) fn call(at: &mut GroupAt<'_>, call: &Call) -> Result<(), Stop> {
    match call.callee {
        Callee::Function(function) => enter(at, at.place.active, function, call),
        Callee::Builtin(function) => {
            builtin(at, function, call)?;
            report_results(at, at.frame(), at.place.pc);
            Ok(())
        }
        Callee::Address(src) => {
            let targets = *at.row(src);
            let mut rest = at.place.active;
            while rest != 0 {
                let lane = first_lane(rest);
                let unfit = || at.stop(TrapKind::CallTarget(targets[lane]), lane);
                let function = at.grid.program.function_at(targets[lane]).ok_or_else(unfit)?;
                let callee = &at.grid.program.functions[function as usize];
                if !call.fits(callee) {
                    return Err(unfit());
                }
                let group = same_value(&targets, rest, lane);
                enter(at, group, function, call)?;
                rest &= !group;
            }
            Ok(())
        }
    }
}

/// Reports the results of a call, which are available after the function has returned, to the observer.
fn report_results(at: &GroupAt<'_>, caller: usize, call: u32) {
    if let Some(observer) = at.grid.observer {
        let threads = (at.warp.id.index, at.place.active, call);
        observer.results(at.grid, at.block, threads, &at.warp.frames[caller].rows);
    }
}

/// Makes lanes of a group enter a call.
fn enter(at: &mut GroupAt<'_>, active: Mask, function: u32, call: &Call) -> Result<(), Stop> {
    let (caller, place) = (at.frame(), at.place);
    let GroupAt { warp, grid, .. } = at;
    let callee = &grid.program.functions[function as usize];
    // All lanes of a call have their local memory at the same address, so it starts after the allocations of every lane.
    let stack = warp.frames[caller].stack + callee.rows as usize * 8 + callee.local as usize;
    let end = lanes(active).map(|lane| warp.frames[caller].tops[lane]).fold(0, u32::max);
    let local = end.checked_next_multiple_of(FRAME_ALIGNMENT);
    let top = local.and_then(|local| local.checked_add(callee.local));
    let (Some(local), Some(top)) = (local, top) else {
        return Err(place.stop(TrapKind::Stack, first_lane(active)));
    };
    if stack > grid.stack_limit() {
        return Err(place.stop(TrapKind::Stack, first_lane(active)));
    }
    let frame = warp.free.pop().unwrap_or_else(|| {
        warp.frames.push(Frame::default());
        warp.frames.len() - 1
    });
    let depth = warp.frames[caller].depth + 1;
    let mut rows = std::mem::take(&mut warp.frames[frame].rows);
    rows.clear();
    rows.resize(callee.rows as usize, [0; WARP]);
    let tops = [top; WARP];
    warp.frames[frame] =
        Frame { function, rows, local, tops, stack, depth, caller: Some((caller, place.pc)), inside: active };
    for lane in lanes(active) {
        let bytes = &mut warp.local[lane];
        bytes.resize(bytes.len().max(top as usize), 0);
    }
    for (from, to) in call.arguments.iter().zip(&callee.params) {
        pass(warp, grid, (caller, *from), (frame, *to), active);
    }
    let inner = warp.split(at.current, active, callee.start, State::Ready);
    warp.fragments[inner].frame = frame;
    Ok(())
}
