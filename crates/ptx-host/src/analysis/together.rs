//! Kernels with short runs between barriers, all of whose warps execute in lockstep.
//!
//! Switching warps and saving their rows takes longer than the work of such a kernel between its barriers. If the group is the whole block (CTA), a
//! barrier is a no-op. Operations with an effect per warp have no form for a group (collectives other than shuffles by constants, atomic operations,
//! calls), and neither have loops that lanes leave one by one: each warp would wait for all others.

use std::collections::BTreeSet;

use ptx_isa::SpecialReg;
use ptx_program::memory::Space;
use ptx_program::{
    Address, Base, Collective, CollectiveKind, Effect, Op, Order, Participants, Program, WARP,
};

use super::{Analysis, BlockId, Gather, Graph, Launched, Shape, Terminator, take_turns};

/// Candidate numbers of warps to execute in lockstep as one group, largest first, for kernels with short runs between barriers: all warps of a
/// block (CTA), or an even share of them. `lanes` is the vector width.
pub fn together(program: &Program, launched: &Launched, lanes: u32) -> Vec<usize> {
    /// Limits on the number of instructions times chunks, for a group that is the whole block and for one that is a part of it and still takes turns:
    /// larger code takes long to compile.
    const MOST: [u64; 2] = [8192, 4096];
    /// Limit on the threads of a block.
    const MOST_THREADS: u64 = 1024;
    let threads: u64 = launched.block.iter().map(|&extent| u64::from(extent)).product();
    let has_barriers = program.code.iter().any(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))));
    if !has_barriers || threads > MOST_THREADS {
        return Vec::new();
    }
    let (size, mut all) = (program.code.len() as u64, Vec::new());
    let mut group = threads.next_power_of_two();
    while group > WARP as u64 {
        let warps = group as usize / WARP;
        let is_even = group >= threads || threads.is_multiple_of(group);
        let most = MOST[usize::from(group < threads)];
        if is_even && size * group / u64::from(lanes) <= most {
            let analysis = Analysis::of_group(program, launched, lanes, warps);
            let is_it =
                |analysis: Analysis| runs_together(program, &analysis) && pays_together(program, &analysis);
            all.extend(analysis.is_ok_and(is_it).then_some(warps));
        }
        group /= 2;
    }
    all
}

/// Whether a kernel that was analysed for a group of lanes can execute so: it has barriers, and all lanes reach each of them together.
pub fn runs_together(program: &Program, analysis: &Analysis) -> bool {
    let graph = &analysis.graph;
    let mut has_barriers = false;
    for (id, block) in graph.blocks().iter().enumerate() {
        let insts = &program.code[block.first as usize..block.end as usize];
        for inst in insts {
            if matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))) {
                has_barriers = true;
                if !analysis.schedule.is_together(id) {
                    return false;
                }
            }
            if !has_form(analysis, &inst.op) {
                return false;
            }
        }
        let meets_all = match analysis.shapes.gather(program, block) {
            None => true,
            // Blocks before it run first, if lanes do not wait for others there.
            Some(Gather::All) => analysis
                .schedule
                .beside(graph, id)
                .into_iter()
                .all(|other| other < id && analysis.shapes.gather(program, graph.block(other)).is_none()),
            Some(Gather::One(_) | Gather::Each(_) | Gather::Asking | Gather::Arriving) => false,
        };
        let is_plain = !matches!(block.terminator, Terminator::Stop { .. } | Terminator::Indexed { .. });
        if !meets_all || !is_plain || (analysis.shapes.parts_lanes(block) && leaves_loop(graph, id)) {
            return false;
        }
    }
    has_barriers && take_turns(program, graph)
}

/// Whether lockstep execution is faster: runs between barriers are short, and the addresses of each access follow from one base for the whole
/// group. In a loop without barriers a single warp keeps its rows in registers.
pub fn pays_together(program: &Program, analysis: &Analysis) -> bool {
    let graph = &analysis.graph;
    let is_barrier = |id: BlockId| {
        let inst = program.code.get(graph.block(id).first as usize);
        inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
    };
    let is_loop = |id: BlockId| {
        let targets = graph.block(id).terminator.targets();
        targets.into_iter().any(|target| reaches_by(graph, target, id, |id| !is_barrier(id)))
    };
    let has_one_base = |address: &Address| match address.base {
        Base::Row(src, _) => match analysis.shapes.src(src) {
            Shape::Varying => false,
            Shape::Indexed(indexed) => indexed.index.across.is_some(),
            Shape::Strided(_) | Shape::Unwritten | Shape::Constant(_) | Shape::Uniform => true,
        },
        Base::Frame => false,
    };
    (0..graph.blocks().len()).all(|id| is_barrier(id) || !is_loop(id))
        && program.code.iter().all(|inst| match &inst.op {
            Op::Effect(Effect::Load(load)) => has_one_base(&load.address),
            Op::Effect(Effect::Store(store)) => has_one_base(&store.address),
            _ => true,
        })
}

/// Whether a special register is an index or a size, which code computes for any number of lanes.
pub(super) fn is_index(register: SpecialReg) -> bool {
    matches!(
        register,
        SpecialReg::Tid
            | SpecialReg::Ntid
            | SpecialReg::CtaId
            | SpecialReg::NCtaId
            | SpecialReg::LaneId
            | SpecialReg::WarpId
    )
}

fn has_form(analysis: &Analysis, op: &Op) -> bool {
    let Op::Effect(effect) = op else { return true };
    match effect {
        Effect::Copy(_) | Effect::BlockBarrier(_) | Effect::Nothing | Effect::Pause => true,
        Effect::Special { register, .. } => is_index(*register),
        Effect::Load(load) => is_plain(&load.address, load.order) && !load.polls,
        Effect::Store(store) => is_plain(&store.address, store.order),
        Effect::Collective(collective) => moves_by_constants(analysis, collective),
        _ => false,
    }
}

/// Whether a collective operation only moves values between lanes that constants select.
fn moves_by_constants(analysis: &Analysis, collective: &Collective) -> bool {
    let is_constant = |at: usize| {
        let src = collective.srcs.get(at).copied();
        src.is_some_and(|src| matches!(analysis.shapes.src(src), Shape::Constant(_)))
    };
    !matches!(collective.participants, Participants::Converged)
        && match collective.kind {
            CollectiveKind::Barrier => true,
            CollectiveKind::Shuffle(_) => is_constant(1) && is_constant(2),
            _ => false,
        }
}

/// Whether an access is a weak one, which does not synchronize with other threads.
fn is_plain(address: &Address, order: Order) -> bool {
    matches!(address.space, Space::Global | Space::Shared | Space::Param | Space::Const)
        && !matches!(address.base, Base::Frame)
        && order == Order::Relaxed
}

/// Whether a block is in a loop and some of its targets are outside.
pub(super) fn leaves_loop(graph: &Graph, id: BlockId) -> bool {
    let targets = graph.block(id).terminator.targets();
    let again = targets.iter().filter(|&&target| graph.are_in_one_loop(id, target)).count();
    again > 0 && (again < targets.len() || matches!(graph.block(id).terminator, Terminator::Exit { .. }))
}

/// Whether `to` is `from` or can be reached from it through such blocks only.
fn reaches_by(graph: &Graph, from: BlockId, to: BlockId, through: impl Fn(BlockId) -> bool) -> bool {
    let (mut seen, mut work) = (BTreeSet::from([from]), vec![from]);
    while let Some(id) = work.pop() {
        if id == to {
            return true;
        }
        if !through(id) {
            continue;
        }
        work.extend(graph.block(id).terminator.targets().into_iter().filter(|&target| seen.insert(target)));
    }
    false
}
