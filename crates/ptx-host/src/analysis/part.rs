//! Whether a warp is executed in parts, each from the beginning of the kernel to its end, because its rows do not fit into the vector registers.
//!
//! With vectors of 256 bits a warp has four chunks, one vector each for every row with different values in its lanes. SHA-256 has 28 such rows live
//! at a time: four chunks need 112 registers of the 16 that there are, so that nearly every operand is spilled and the code is four times
//! as long. With fewer live rows the whole warp is faster in spite of some spills: the latency of one chunk's operations is hidden by the other chunks,
//! and uniform values are computed once (`blackscholes`, 10 rows: 1.35 times as slow in parts).

use ptx_program::memory::Space;
use ptx_program::{Effect, Op, Order, Program};

use super::group::pressure_in;
use super::together::is_index;
use super::{Analysis, Block, Launched, Terminator, take_turns};

/// The number of chunks in a part, where a warp of the kernel is executed in parts. `registers` are the vector registers of the processor.
///
/// A warp is split if all its chunks need more than six times the registers; a part has as many chunks as need at most twice the registers.
pub fn part(program: &Program, launched: &Launched, one: &Analysis, registers: usize) -> Option<u32> {
    let blocks = one.graph.blocks();
    let pressure = blocks.iter().map(|block| pressure_in(program, one, block)).fold(0, usize::max);
    let chunks = one.shapes.lanes().chunks();
    if !one.is_of_warp() || pressure * chunks as usize <= 6 * registers || !may_part(program, launched, one) {
        return None;
    }
    let mut part = chunks / 2;
    while part > 1 && pressure * part as usize > 2 * registers {
        part /= 2;
    }
    (part > 0).then_some(part)
}

/// Whether the lanes of a warp are independent: no lane can observe what another lane does, so that their order does not matter.
fn may_part(program: &Program, launched: &Launched, one: &Analysis) -> bool {
    let has_local = program.kernel().local > 0;
    if launched.clusters || has_local || one.schedule.has_patient() || !take_turns(program, &one.graph) {
        return false;
    }
    let blocks = one.graph.blocks();
    blocks.iter().all(|block| {
        let is_plain = !matches!(block.terminator, Terminator::Indexed { .. } | Terminator::Stop { .. });
        is_plain && ops(program, block).all(is_of_lane)
    }) && !loads_what_was_stored(program, one)
}

fn ops<'p>(program: &'p Program, block: &Block) -> impl Iterator<Item = &'p Op> {
    program.code[block.first as usize..block.end as usize].iter().map(|inst| &inst.op)
}

/// Whether the operation involves one lane only.
fn is_of_lane(op: &Op) -> bool {
    let Op::Effect(effect) = op else { return true };
    match effect {
        Effect::Copy(_) | Effect::Nothing | Effect::Pause => true,
        Effect::Special { register, .. } => is_index(*register),
        Effect::Load(load) => load.order == Order::Relaxed && !load.polls,
        Effect::Store(store) => store.address.space == Space::Global && store.order == Order::Relaxed,
        _ => false,
    }
}

/// Whether a load may follow a store. PTX does not order the two between lanes without a barrier, but a warp whose lanes execute in lockstep does, as
/// the interpreter's do.
fn loads_what_was_stored(program: &Program, one: &Analysis) -> bool {
    let graph = &one.graph;
    let is_load = |op: &&Op| matches!(op, Op::Effect(Effect::Load(load)) if !matches!(load.address.space, Space::Param | Space::Const));
    let is_store = |op: &Op| matches!(op, Op::Effect(Effect::Store(_)));
    (0..graph.blocks().len()).any(|id| {
        let block = graph.block(id);
        let Some(first) = ops(program, block).position(is_store) else { return false };
        let is_after = |to| ops(program, graph.block(to)).find(is_load).is_some();
        ops(program, block).skip(first).find(is_load).is_some()
            || graph.reached_from(block.terminator.targets()).into_iter().any(is_after)
    })
}
