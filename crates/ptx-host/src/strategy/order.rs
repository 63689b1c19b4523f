//! In which order the warps of a block (CTA) run: called by the runtime one by one, or in one function, where they take turns at barriers.

use std::collections::{BTreeMap, BTreeSet};

use ptx_program::{Effect, Op, Program, WARP};

use super::{Form, Forms, Version};
use crate::analysis::{Analysis, BlockId, Launched, Phases, Shape, computed_again, has_gathers, take_turns};
use crate::stack::{LARGEST_ON_THREAD, stack_bytes_of};

/// The order of warps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// The runtime calls the function for each warp.
    Calls,
    /// The function executes a block (CTA) whose warps, all in lockstep, are one group: a barrier is a no-op.
    Single,
    /// The function executes a block (CTA). A warp that reaches a barrier saves its rows and its resume point, and the next one runs.
    Turns(SavedRows),
    /// As [`Self::Turns`], but a loop over warps for each phase instead of resume points.
    Phases(PhaseLoops),
}

/// The loops over warps, if all reach barriers in one order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PhaseLoops {
    pub(crate) phases: Phases,
    /// Rows that are recomputed after barriers, and the instructions that do it.
    pub(crate) recomputed: BTreeMap<u32, u32>,
    pub(crate) saved: SavedRows,
}

/// The state that a warp saves at barriers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SavedRows {
    /// The rows that are saved at any barrier, in the order of their places. Each has the same place at all barriers, so that LLVM sees that a row which
    /// has not changed since the last barrier need not be stored again.
    pub(crate) rows: Vec<u32>,
    /// Bytes for each warp.
    pub(crate) bytes: u64,
}

/// Bytes for the masks of lanes that have not exited, at the beginning of the state.
pub(crate) const SAVED_LANES: u64 = 64;

/// The most bytes for the state of all warps, on the stack of a host thread.
const MOST: u64 = 512 << 10;

/// The most bytes for the state of a warp. One that saves more at a barrier takes longer to than a switch of fibers does: Triton's matrix products, with
/// 16,640 bytes, take 1.2 times as long in turns, CUB's sort, with 4,544, takes 0.7 of the time.
const MOST_OF_WARP: u64 = 6 << 10;

/// Warps of a block (CTA); those that execute in lockstep count as one.
pub(crate) fn warps(launched: &Launched, analysis: &Analysis) -> u64 {
    let threads: u64 = launched.block.iter().map(|&extent| u64::from(extent)).product();
    threads.div_ceil(analysis.shapes.lanes().group.into())
}

/// Bytes of a value in the saved state: an integer of `bits` bits, or a vector of `lanes` of them.
pub(crate) fn room(bits: u32, lanes: Option<u32>) -> u64 {
    match lanes {
        None => u64::from(bits).div_ceil(8).next_multiple_of(8),
        Some(lanes) => (u64::from(bits) * u64::from(lanes)).div_ceil(8).next_multiple_of(64),
    }
}

/// Whether a block begins with a barrier of the block (CTA).
pub(crate) fn is_barrier(program: &Program, analysis: &Analysis, id: BlockId) -> bool {
    let inst = program.code.get(analysis.graph.block(id).first as usize);
    inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
}

/// What decides about the order.
pub(super) struct Question<'a> {
    pub(super) program: &'a Program,
    pub(super) analysis: &'a Analysis,
    pub(super) launched: &'a Launched,
    pub(super) disabled: Forms,
    pub(super) versions: &'a [Version],
    /// Whether the runtime may suspend warps, or lets others run while one waits in a loop.
    pub(super) waits: bool,
    pub(super) is_quiet: bool,
}

impl Question<'_> {
    /// The order of the kernel's warps.
    pub(super) fn order(&self) -> Order {
        if !self.has_turns() {
            return Order::Calls;
        }
        if self.warps() == 1 {
            return Order::Single;
        }
        let Some(phases) = self.phases() else { return Order::Turns(self.saved(&BTreeMap::new())) };
        let recomputed = self.recomputed();
        let saved = self.saved(&recomputed);
        Order::Phases(PhaseLoops { phases, recomputed, saved })
    }

    fn warps(&self) -> u64 {
        warps(self.launched, self.analysis)
    }

    fn checks(&self) -> bool {
        self.analysis.shapes.claims().is_some()
    }

    /// Whether one function executes a whole block (CTA). Code that checks claims does only if that is just a loop over warps in lockstep: the indices
    /// on which claims depend are not saved from turn to turn.
    fn has_turns(&self) -> bool {
        let Self { program, analysis, .. } = *self;
        let has_none = || (0..analysis.graph.blocks().len()).all(|id| !is_barrier(program, analysis, id));
        let lanes = WARP.min(analysis.shapes.lanes().group as usize);
        // Parts of a warp, and warps in lockstep, have no other order.
        let saved = self.saved(&BTreeMap::new()).bytes;
        let pays = !self.disabled.contains(Form::Turns) && saved <= MOST_OF_WARP;
        (pays || !analysis.is_of_warp())
            && (!self.checks() || !analysis.is_of_warp() && (self.warps() == 1 || has_none()))
            && !self.waits
            && !analysis.arrives_singly
            && take_turns(program, &analysis.graph)
            && program.kernel().local == 0
            && saved * self.warps() <= MOST
            && stack_bytes_of(program, lanes) <= LARGEST_ON_THREAD
    }

    /// The phases of a kernel with one version of code.
    fn phases(&self) -> Option<Phases> {
        let is_plain = self.versions.len() == 1 && !self.is_quiet && !self.checks();
        if !is_plain || self.disabled.contains(Form::Phases) {
            return None;
        }
        Phases::new(self.program, &self.analysis.graph)
    }

    /// The rows that are recomputed after barriers. Gathers take 32-bit indices as long as LLVM does not know that these are not negative: otherwise it
    /// extends them, and gathers half as many lanes at a time. Of values loaded from memory it does not know it.
    fn recomputed(&self) -> BTreeMap<u32, u32> {
        let is_off = self.disabled.contains(Form::Rematerialization);
        if is_off || has_gathers(self.program, self.analysis, self.launched) {
            return BTreeMap::new();
        }
        computed_again(self.program, self.analysis)
    }

    /// The rows that are live at a barrier, and neither constants nor recomputed.
    fn saved(&self, recomputed: &BTreeMap<u32, u32>) -> SavedRows {
        let Self { program, analysis, .. } = *self;
        let shapes = &analysis.shapes;
        let barriers: Vec<BlockId> =
            (0..analysis.graph.blocks().len()).filter(|&id| is_barrier(program, analysis, id)).collect();
        let is_saved = |row: u32| {
            !matches!(shapes.row(row), Shape::Unwritten | Shape::Constant(_))
                && !recomputed.contains_key(&row)
        };
        let is_live = |row: u32| barriers.iter().any(|&id| analysis.liveness.is_live_into(id, row));
        // Vectors come first, so that they start at cache lines.
        let rows: BTreeSet<(bool, u32)> = (0..program.kernel().rows)
            .filter(|&row| is_saved(row) && is_live(row))
            .map(|row| (!shapes.is_vector(row), row))
            .collect();
        let rows: Vec<u32> = rows.into_iter().map(|(_, row)| row).collect();
        let bytes: u64 = rows.iter().map(|&row| saved_bytes(analysis, row)).sum();
        // The state of each warp starts at a cache line.
        SavedRows { rows, bytes: (bytes + SAVED_LANES).next_multiple_of(64) }
    }
}

/// Bytes of a row in the saved state.
fn saved_bytes(analysis: &Analysis, row: u32) -> u64 {
    let shapes = &analysis.shapes;
    let lanes = shapes.is_vector(row).then_some(shapes.lanes().chunk);
    let index = shapes.indexed(row).into_iter().map(|indexed| room(indexed.bits, None));
    (room(analysis.widths.row(row), lanes) + index.sum::<u64>()) * shapes.copies(row) as u64
}
