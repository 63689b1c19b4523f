//! How many chunks of a warp run together, where its rows do not fit into the registers of the processor: the parts of the warp run one after
//! the other, each from the beginning of the kernel to its end.
//!
//! A warp is four vectors of 256 bits for each row. SHA-256 has 27 rows with values at a time, of which one vector each is more than there are
//! registers: with four of each the code is as many times as long, and nearly each operation has its operands in memory. Where a vector of each
//! row fits, the parts had better run together. What is the same in all of them is computed once then, and one waits for its own results
//! while others are computed.

use std::collections::BTreeSet;

use ptx_exec::Space;
use ptx_exec::program::{Effect, Op, Order, Program};
use ptx_isa::SpecialReg;

use super::group::pressure_in;
use super::{Analysis, Block, BlockId, Graph, Launched, Terminator, take_turns};

/// Chunks that run together in a kernel of which a warp runs part by part. `registers` are the vector registers of the processor.
pub fn part(program: &Program, launched: &Launched, one: &Analysis, registers: usize) -> Option<u32> {
    let blocks = one.graph.blocks();
    let pressure = blocks.iter().map(|block| pressure_in(program, one, block)).max().unwrap_or(0);
    let has_parts = one.is_of_warp() && one.shapes.lanes().chunks() > 1;
    (has_parts && pressure > registers && may_part(program, launched, one)).then_some(1)
}

/// Whether nothing tells in which order the lanes of a warp run: none of them sees what another one has done.
fn may_part(program: &Program, launched: &Launched, one: &Analysis) -> bool {
    let function = program.functions.get(program.entry as usize);
    let has_local = function.is_none_or(|function| function.local > 0);
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

/// Whether an operation is that of each lane for itself.
fn is_of_lane(op: &Op) -> bool {
    let Op::Effect(effect) = op else { return true };
    match effect {
        Effect::Copy(_) | Effect::Nothing | Effect::Pause => true,
        Effect::Special { register, .. } => matches!(
            register,
            SpecialReg::Tid
                | SpecialReg::Ntid
                | SpecialReg::CtaId
                | SpecialReg::NCtaId
                | SpecialReg::LaneId
                | SpecialReg::WarpId
        ),
        Effect::Load(load) => load.order == Order::Relaxed && !load.polls,
        Effect::Store(store) => store.address.space == Space::Global && store.order == Order::Relaxed,
        _ => false,
    }
}

/// Whether a lane may load after a lane has stored. Without a barrier it need not find what another one has stored, but where all lanes of a
/// warp run together it does.
fn loads_what_was_stored(program: &Program, one: &Analysis) -> bool {
    let graph = &one.graph;
    let is_load = |op: &&Op| matches!(op, Op::Effect(Effect::Load(load)) if !matches!(load.address.space, Space::Param | Space::Const));
    let is_store = |op: &Op| matches!(op, Op::Effect(Effect::Store(_)));
    (0..graph.blocks().len()).any(|id| {
        let block = graph.block(id);
        let Some(first) = ops(program, block).position(is_store) else { return false };
        let is_after = |to| ops(program, graph.block(to)).find(is_load).is_some();
        ops(program, block).skip(first).find(is_load).is_some()
            || reached(graph, block.terminator.targets()).into_iter().any(is_after)
    })
}

/// The blocks that lanes may come to by way of some.
fn reached(graph: &Graph, mut work: Vec<BlockId>) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop() {
        if seen.insert(id) {
            work.extend(graph.block(id).terminator.targets());
        }
    }
    seen
}
