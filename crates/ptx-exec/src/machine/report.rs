//! Messages for stopped or deadlocked threads.

use ptx_program::memory::Space;
use ptx_program::{Functions, Mask, Object, Program, first_lane};

use super::Stop;
use super::geometry::Geometry;
use super::meeting::BarrierWait;
use crate::error::{Trap, TrapKind};
use crate::launch::Dim3;
use crate::object::nearest;
use crate::pointer::pointers;

/// The trap for a stopped thread of a block.
pub(crate) fn trap(program: &Program, geometry: &Geometry, block: Dim3, stop: Stop) -> Trap {
    let warp = stop.warp();
    let origin = stop.pc.and_then(|pc| program.origins.get(pc as usize));
    let place = |pc: u32| program.origins.get(pc as usize).map(|origin| origin.span);
    let related = stop.related.into_iter().filter_map(|(pc, text)| {
        let text = program.line_of(pc).map_or_else(|| text.clone(), |line| format!("{text}, at {line}"));
        place(pc).map(|span| (span, text))
    });
    let locals = stop.frames.iter().filter_map(|(function, base)| {
        let objects = &program.functions.get(*function as usize)?.objects;
        let moved = |object: &Object| Object { address: object.address + u64::from(*base), ..object.clone() };
        Some(objects.iter().map(moved))
    });
    let locals: Vec<Object> = locals.flatten().collect();
    let object = match &stop.kind {
        TrapKind::Fault(fault) => {
            let fault = fault.resolved(program.address_size);
            if fault.space == Space::Local { nearest(&fault, &locals) } else { None }
        }
        _ => None,
    };
    let pointers = match (&stop.kind, stop.pc) {
        (TrapKind::Fault(_), Some(pc)) => pointers(program, pc),
        _ => Vec::new(),
    };
    Trap {
        kind: stop.kind,
        object,
        span: origin.map(|origin| origin.span),
        source: stop.pc.and_then(|pc| program.line_of(pc)).cloned(),
        instruction: match stop.pc {
            Some(pc) => program.mnemonic(pc),
            // The launch was stopped outside of its instructions.
            None => String::new(),
        },
        function: program
            .function_name(origin.map_or(Functions::KERNEL, |origin| origin.function))
            .to_owned(),
        kernel: program.kernel().name.clone(),
        block,
        thread: geometry.thread(warp.index, stop.lane),
        related: related.collect(),
        output: Vec::new(),
        pointers,
    }
}

/// Describes threads of a warp at the same place, and what they do there.
pub(crate) fn group(geometry: &Geometry, warp: usize, lanes: Mask, what: &str) -> String {
    let (x, y, z) = geometry.thread(warp, first_lane(lanes)).into();
    let others = match lanes.count_ones().saturating_sub(1) {
        0 => String::new(),
        n => format!(" and {n} more of its warp"),
    };
    format!("thread ({x}, {y}, {z}){others}: {what}")
}

/// Describes threads waiting at a barrier, and the threads they wait for.
pub(crate) fn at_barrier(geometry: &Geometry, id: usize, awaited: Option<&BarrierWait>) -> String {
    let awaited = match awaited {
        None => String::new(),
        Some(BarrierWait::Threads(missing)) if missing.is_empty() => String::new(),
        Some(BarrierWait::Threads(missing)) => format!(", to which {} not come", threads(geometry, missing)),
        Some(BarrierWait::More { arrived, count }) => {
            format!(", to which {arrived} of {count} threads have come")
        }
    };
    format!("wait at barrier {id}{awaited}")
}

/// Describes lanes of a warp waiting at a collective for the members of its mask, and the members that have not arrived.
pub(crate) fn at_collective(geometry: &Geometry, warp: usize, members: Mask, missing: Mask) -> String {
    let missing = threads(geometry, &[(warp, missing)]);
    format!("wait for lanes {members:#010x}, of which {missing} not come")
}

/// Describes threads of warps of a block, for a sentence that continues with what they have done.
pub(crate) fn threads(geometry: &Geometry, lanes: &[(usize, Mask)]) -> String {
    let count: u32 = lanes.iter().map(|(_, lanes)| lanes.count_ones()).sum();
    let Some(&(warp, first)) = lanes.first() else { return "none has".to_owned() };
    let (x, y, z) = geometry.thread(warp, first_lane(first)).into();
    match count {
        0 => "none has".to_owned(),
        1 => format!("thread ({x}, {y}, {z}) has"),
        more => format!("thread ({x}, {y}, {z}) and {} more have", more - 1),
    }
}

/// The trap for a deadlock of the given groups.
pub(crate) fn deadlock(groups: &[(u32, String)]) -> TrapKind {
    let text = match groups {
        [] => "no thread is left".to_owned(),
        [(_, only)] => only.clone(),
        [(_, first), rest @ ..] => {
            format!("{first}, and {} other group(s) of threads wait too", rest.len())
        }
    };
    TrapKind::Deadlock(text)
}

/// Maximum number of groups of threads listed in a time-out.
const MOST_GROUPS: usize = 32;

/// Truncates a potentially long list of groups.
pub(crate) fn shortened(mut groups: Vec<(u32, String)>) -> Vec<(u32, String)> {
    if let more @ 1.. = groups.len().saturating_sub(MOST_GROUPS) {
        groups.truncate(MOST_GROUPS);
        if let Some((_, text)) = groups.last_mut() {
            text.push_str(&format!("; and {more} other groups of threads elsewhere"));
        }
    }
    groups
}
