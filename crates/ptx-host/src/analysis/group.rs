//! How many warps execute in lockstep, as one warp with as many times the lanes.
//!
//! The warps of a block (CTA) are independent between barriers, so that any of them may execute in lockstep. Values that are the same in all of
//! them are then computed once, each vector that they share is loaded once, adjacent memory is accessed in sequence, and the latency of one warp's
//! operations is hidden by those of the others. The costs are registers, and lanes that wait for others: all warps of a group stay in a loop until
//! the last one leaves it.

use std::collections::BTreeSet;

use ptx_program::{Alu, Combine, Effect, Op, Program, WARP};

use super::gather::guard_of;
use super::latency::has_room;
use super::{Analysis, Block, Launched, Shape, Terminator, take_turns};

/// The most warps of a group.
const MOST: usize = 8;

/// The narrowest vectors, in lanes, for which groups are formed: with narrower ones a group would need too many registers.
const LEAST_LANES: u32 = 4;

/// Candidate numbers of warps to execute in lockstep, largest first; the last is a single warp, for which every supported kernel is compiled.
/// `registers` is the number of the processor's vector registers.
pub fn groups(
    program: &Program,
    launched: &Launched,
    one: &Analysis,
    lanes: u32,
    registers: usize,
) -> Vec<usize> {
    let threads: u64 = launched.block.iter().map(|&extent| u64::from(extent)).product();
    let warps = threads.div_ceil(WARP as u64) as usize;
    let mut groups = Vec::new();
    if lanes >= LEAST_LANES && !launched.clusters && may_group(program, one) {
        let chunks = WARP / lanes as usize;
        let pressure = pressure(program, one).max(1) * chunks;
        // All warps of a group have their rows in registers at the same time. A group whose rows do not fit loses to spills what it saves.
        let mut count = MOST;
        while count > 1 {
            if count <= warps && count * pressure <= registers && pays(program, launched, lanes, count) {
                groups.push(count);
            }
            count /= 2;
        }
    }
    groups.push(1);
    groups
}

/// Whether warps of the kernel may execute in lockstep, and whether there are loops in which that is of use.
fn may_group(program: &Program, one: &Analysis) -> bool {
    /// Kernels with more blocks are not analysed.
    const MOST_BLOCKS: usize = 256;
    let blocks = one.graph.blocks();
    if blocks.len() > MOST_BLOCKS {
        return false;
    }
    let waits = one.schedule.has_patient() || !take_turns(program, &one.graph);
    if program.kernel().local > 0 || waits {
        return false;
    }
    for (id, block) in blocks.iter().enumerate() {
        if matches!(block.terminator, Terminator::Indexed { .. } | Terminator::Stop { .. }) {
            return false;
        }
        for pc in block.first..block.end {
            match &program.code[pc as usize].op {
                Op::Effect(Effect::Atomic(atomic))
                    if atomic.dst.is_some_and(|dst| one.is_read_after(program, id, pc, dst)) =>
                {
                    return false;
                }
                op if !is_of_lanes(op) => return false,
                _ => {}
            }
        }
    }
    in_loops(one).contains(&true)
}

/// Whether each lane executes an operation on its own, and its results do not depend on the order in which several warps
/// execute it.
fn is_of_lanes(op: &Op) -> bool {
    match op {
        Op::Alu(_) => true,
        Op::Effect(effect) => match effect {
            Effect::Copy(_) | Effect::Special { .. } | Effect::Nothing | Effect::Pause => true,
            Effect::Load(_) | Effect::Store(_) | Effect::Fence | Effect::ProxyFence => true,
            Effect::BlockBarrier(_) => true,
            // Floating-point sums depend on the order, and so does the old value that an atomic operation returns, if it is used.
            Effect::Atomic(atomic) => matches!(
                atomic.combine,
                Combine::IntAdd(_)
                    | Combine::And
                    | Combine::Or
                    | Combine::Xor
                    | Combine::IntMin(_)
                    | Combine::IntMax(_)
            ),
            _ => false,
        },
    }
}

/// For each block, whether it is part of a loop.
fn in_loops(analysis: &Analysis) -> Vec<bool> {
    let graph = &analysis.graph;
    (0..graph.blocks().len()).map(|id| !graph.loop_around(id).is_empty()).collect()
}

/// The register pressure of loops: the most varying rows that are live at one point; rows of 64 bits count twice.
fn pressure(program: &Program, analysis: &Analysis) -> usize {
    let in_loops = in_loops(analysis);
    let blocks = analysis.graph.blocks().iter().zip(in_loops).filter(|(_, is_in_loop)| *is_in_loop);
    blocks.map(|(block, _)| pressure_in(program, analysis, block)).fold(0, usize::max)
}

pub(super) fn pressure_in(program: &Program, analysis: &Analysis, block: &Block) -> usize {
    let rows = program.kernel().rows;
    let weight = |row: u32| match (analysis.shapes.row(row), analysis.widths.row(row)) {
        (Shape::Varying, 64) => 2,
        // On processors with mask registers, predicates live there.
        (Shape::Varying, 1) => 0,
        (Shape::Varying, _) => 1,
        _ => 0,
    };
    // Backward over the block from its live-out rows, as for register allocation: a write ends the live range of a row, unless a guard lets some
    // lanes keep their values, and a read begins it.
    let targets = block.terminator.targets();
    let is_live = |row: &u32| targets.iter().any(|&to| analysis.liveness.is_live_into(to, *row));
    let mut live: BTreeSet<u32> = (0..rows).filter(is_live).filter(|&row| weight(row) > 0).collect();
    let of = |live: &BTreeSet<u32>| live.iter().map(|&row| weight(row)).sum::<usize>();
    let mut most = of(&live);
    for (_, inst, access) in analysis.graph.code(program, block).rev() {
        if guard_of(inst).is_none() {
            access.writes.iter().for_each(|row| {
                live.remove(row);
            });
        }
        live.extend(access.reads.iter().filter_map(|src| src.as_register()).filter(|&row| weight(row) > 0));
        most = most.max(of(&live));
    }
    most
}

/// Whether executing `warps` warps in lockstep pays: their control flow is nearly the same, and they share loads or their loops have no barriers.
///
/// Conditions of divergent branches must follow from thread indices alone: where a loop's exit depends on data, all warps of the group would wait
/// for the last one. That does not matter in a loop that is bound by the latency of its own results (`latency.rs`).
fn pays(program: &Program, launched: &Launched, lanes: u32, warps: usize) -> bool {
    let Ok(analysis) = Analysis::of_group(program, launched, lanes, warps) else { return false };
    let blocks = analysis.graph.blocks();
    let mut parting = (0..blocks.len()).filter(|&id| analysis.shapes.parts_lanes(&blocks[id]));
    let follows = |row| follows_from_indices(program, &analysis, row, &mut BTreeSet::new());
    if !parting.all(|id| {
        blocks[id].terminator.decided_by().into_iter().all(follows) || has_room(program, &analysis, id)
    }) {
        return false;
    }
    let (mut shares, mut has_barriers) = (false, false);
    for (block, _) in blocks.iter().zip(in_loops(&analysis)).filter(|(_, is_in_loop)| *is_in_loop) {
        for inst in &program.code[block.first as usize..block.end as usize] {
            match &inst.op {
                Op::Effect(Effect::BlockBarrier(_)) => has_barriers = true,
                Op::Effect(Effect::Load(load)) => {
                    shares |= load.dsts.iter().any(|&dst| is_shared(&analysis, dst));
                }
                _ => {}
            }
        }
    }
    shares || !has_barriers
}

/// Whether several warps of a group have the same values in a varying row.
fn is_shared(analysis: &Analysis, row: u32) -> bool {
    let chunks = WARP * analysis.warps / analysis.shapes.lanes().chunk as usize;
    let own = 1 << analysis.shapes.chunkwise(row).count_ones();
    analysis.shapes.row(row) == Shape::Varying && own < chunks
}

/// Whether a row is computed only from rows that are not varying, such as strided ones.
fn follows_from_indices(program: &Program, analysis: &Analysis, row: u32, seen: &mut BTreeSet<u32>) -> bool {
    if analysis.shapes.row(row) != Shape::Varying || !seen.insert(row) {
        return true;
    }
    for block in analysis.graph.blocks() {
        for (_, inst, access) in analysis.graph.code(program, block) {
            if !access.writes.contains(&row) {
                continue;
            }
            let is_computed = matches!(
                inst.op,
                Op::Alu(Alu::Unary { .. } | Alu::Binary { .. } | Alu::Dual { .. })
                    | Op::Effect(Effect::Copy(_) | Effect::Special { .. })
            );
            let mut reads = access.reads.iter().filter_map(|src| src.as_register());
            if !is_computed || !reads.all(|read| follows_from_indices(program, analysis, read, seen)) {
                return false;
            }
        }
    }
    true
}
