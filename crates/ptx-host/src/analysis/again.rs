//! Rematerialization: rows that are recomputed after a barrier instead of being saved.
//!
//! A few operations on a thread index take less time than memory for each warp, and LLVM then applies to the row what it knows of the index.

use std::collections::{BTreeMap, BTreeSet};

use ptx_isa::SpecialReg;
use ptx_program::{Effect, Op, Program};

use super::alone::is_simple_operation;
use super::{Analysis, Graph, Shape};

/// The rows that may be recomputed, each with the instruction that does it: the only one that writes the row, from constants, indices and
/// other such rows, before anything reads it.
pub fn computed_again(program: &Program, analysis: &Analysis) -> BTreeMap<u32, u32> {
    /// The most operations for one row.
    const MOST: u32 = 8;
    let (graph, shapes) = (&analysis.graph, &analysis.shapes);
    let mut writers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let places: BTreeSet<u32> = graph.blocks().iter().flat_map(|block| block.first..block.end).collect();
    for &pc in &places {
        for &row in &graph.access(pc).writes {
            writers.entry(row).or_default().push(pc);
        }
    }
    let candidates: Vec<(u32, u32)> = writers
        .into_iter()
        .filter_map(|(row, places)| match places[..] {
            [pc] if is_candidate(program, graph, pc) => Some((row, pc)),
            _ => None,
        })
        // If it may be read before it is written, that read has another value.
        .filter(|&(row, _)| !analysis.liveness.is_live_into(0, row))
        .filter(|&(row, _)| !matches!(shapes.row(row), Shape::Indexed(_)))
        .collect();
    // The cost of a row is its number of operations from indices and constants on. A row on a cycle of definitions never gets a cost, since each
    // definition needs the costs of its sources first.
    let mut costs: BTreeMap<u32, u32> = BTreeMap::new();
    loop {
        let before = costs.len();
        for &(row, pc) in candidates.iter() {
            if costs.contains_key(&row) {
                continue;
            }
            let cost = graph.access(pc).reads.iter().map(|src| match src.as_register() {
                None => Some(0),
                Some(row) => costs.get(&row).copied(),
            });
            if let Some(cost) = cost.sum::<Option<u32>>().map(|cost| cost + 1).filter(|&cost| cost <= MOST) {
                costs.insert(row, cost);
            }
        }
        if costs.len() == before {
            break;
        }
    }
    candidates.into_iter().filter(|(row, _)| costs.contains_key(row)).collect()
}

/// Whether an instruction writes one row, always with the same result for the same thread and sources.
fn is_candidate(program: &Program, graph: &Graph, pc: u32) -> bool {
    let inst = &program.code[pc as usize];
    let is_simple = match &inst.op {
        Op::Alu(alu) => is_simple_operation(alu),
        Op::Effect(Effect::Copy(pairs)) => pairs.len() == 1,
        Op::Effect(Effect::Special { register, .. }) => matches!(
            register,
            SpecialReg::Tid | SpecialReg::Ntid | SpecialReg::CtaId | SpecialReg::NCtaId | SpecialReg::LaneId
        ),
        Op::Effect(_) => false,
    };
    is_simple && inst.guard.is_none() && graph.access(pc).writes.len() == 1
}
