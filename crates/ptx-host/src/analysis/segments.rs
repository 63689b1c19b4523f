//! Segments of a kernel: runs of blocks that are compiled to functions of their own, so that time and memory of compilation grow linearly with the
//! kernel.
//!
//! A kernel in one function keeps rows and masks in registers from block to block, and each block tests all blocks at which lanes may wait. LLVM takes more
//! than linear time for such a function, and the tests grow with the square of the number of open branches. Kernels above [`Limits::instructions`] or
//! [`Limits::pairs`] are therefore split: a segment is a function that runs its blocks as above; rows that are live from one segment to another,
//! and the block at which each lane waits, are in memory in between, and a loop calls the segment of the lowest block at which lanes wait
//! (`code/segments.rs`).
//!
//! ```text
//! segment 0: blocks 0 to 11            entries 0
//! segment 1: blocks 12 to 30, a loop   entries 12, 19
//! ```

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{BlockId, Gather, Graph, Liveness, Schedule};

/// From which size on kernels are split, and into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most instructions of a kernel in one function; here and below one that becomes much code counts as several ([`Graph::size`]).
    pub instructions: u64,
    /// The most pairs of a block and another at which lanes may wait while it runs, of a kernel in one function.
    pub pairs: usize,
    /// The most of these pairs if loops may wait for other threads: such a kernel leaves a segment after each block of these loops.
    pub patient_pairs: usize,
    /// The most divergent branches, of a kernel in one function, that lanes reach while others wait: the masks of these follow from each other.
    pub open_branches: usize,
    /// The most instructions of a segment, unless it is one block.
    pub segment_instructions: u32,
    /// The most blocks of a segment.
    pub segment_blocks: usize,
    /// The most instructions of a block, in a kernel that is split.
    pub block_instructions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Limits {
    /// The limits by which kernels are compiled, by measurement (docs/host-code.md).
    pub const DEFAULT: Self = Self {
        instructions: 4096,
        pairs: 256,
        patient_pairs: 1024,
        open_branches: 40,
        segment_instructions: 200,
        segment_blocks: 16,
        block_instructions: 100,
    };

    /// Every kernel is split, into segments of a few blocks: for tests.
    pub const SMALLEST: Self = Self {
        instructions: 0,
        pairs: 0,
        patient_pairs: 0,
        open_branches: 0,
        segment_instructions: 24,
        segment_blocks: 4,
        block_instructions: 8,
    };
}

/// The segments of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segments {
    ranges: Vec<Range<BlockId>>,
    /// Whether lanes may be at the beginning of a block when a segment begins.
    entries: Vec<bool>,
    /// The rows that are live into entries, which are in memory between segments.
    crossing: FxHashSet<u32>,
    /// Whether lanes may wait at a block while another one runs, and the blocks that go to it.
    can_wait: Vec<bool>,
    origins: Vec<Vec<BlockId>>,
}

impl Segments {
    /// Splits the blocks of a kernel. `gather` specifies which lanes must reach a block before it runs.
    pub(super) fn new(
        graph: &Graph,
        (liveness, rows): (&Liveness, u32),
        schedule: &Schedule,
        limits: &Limits,
        gather: impl Fn(BlockId) -> Option<Gather>,
    ) -> Self {
        let ranges = ranges(graph, limits);
        let mut entries = vec![false; graph.blocks().len()];
        if let Some(first) = entries.first_mut() {
            *first = true;
        }
        for range in &ranges {
            mark_entries(graph, schedule, range, &gather, &mut entries);
        }
        let mut before = vec![0_u32; entries.len() + 1];
        for (id, &is_entry) in entries.iter().enumerate() {
            before[id + 1] = before[id] + u32::from(is_entry);
        }
        let has_entry = |live: &Range<u32>| before[live.start as usize] < before[live.end as usize];
        let crosses = |row: &u32| liveness.ranges(*row).iter().any(has_entry);
        let crossing = (0..rows).filter(crosses).collect();
        let mut origins = vec![Vec::new(); entries.len()];
        for (id, block) in graph.blocks().iter().enumerate() {
            block.terminator.targets().into_iter().for_each(|to| origins[to].push(id));
        }
        Self { ranges, entries, crossing, can_wait: schedule.waited_at(), origins }
    }

    /// The blocks of each segment, in order.
    pub fn ranges(&self) -> &[Range<BlockId>] {
        &self.ranges
    }

    /// Whether lanes may be at the beginning of a block when its segment begins.
    pub fn is_entry(&self, block: BlockId) -> bool {
        self.entries[block]
    }

    /// The rows that are in memory between segments, in no order.
    pub fn crossing(&self) -> impl Iterator<Item = u32> {
        self.crossing.iter().copied()
    }

    /// Whether lanes may wait at a block while another one runs.
    pub fn can_wait(&self, block: BlockId) -> bool {
        self.can_wait[block]
    }

    /// The blocks that go to a block.
    pub fn origins(&self, block: BlockId) -> &[BlockId] {
        &self.origins[block]
    }
}

/// The blocks of each segment. A segment does not end within a loop that fits into one.
fn ranges(graph: &Graph, limits: &Limits) -> Vec<Range<BlockId>> {
    let blocks = graph.blocks();
    let mut before = vec![0_u64; blocks.len() + 1];
    for id in 0..graph.blocks().len() {
        before[id + 1] = before[id] + u64::from(graph.size_of(id));
    }
    let is_within = |first: BlockId, end: BlockId, times: usize| {
        end - first <= times * limits.segment_blocks
            && before[end] - before[first] <= times as u64 * u64::from(limits.segment_instructions)
    };
    // The end of the longest loop that begins at a block.
    let mut loop_end: Vec<BlockId> = (0..blocks.len()).collect();
    for (id, block) in blocks.iter().enumerate() {
        for to in block.terminator.targets().into_iter().filter(|&to| to <= id) {
            loop_end[to] = loop_end[to].max(id + 1);
        }
    }
    let (mut ranges, mut first) = (Vec::new(), 0);
    for id in 1..blocks.len() {
        // A loop of up to twice the size is a segment of its own.
        let begins_loop =
            loop_end[id] > id && is_within(id, loop_end[id], 2) && !is_within(first, loop_end[id], 1);
        let is_in_loop = loop_end[first] > id && is_within(first, loop_end[first], 2);
        if begins_loop || !is_in_loop && !is_within(first, id + 1, 1) {
            ranges.push(first..id);
            first = id;
        }
    }
    if first < blocks.len() {
        ranges.push(first..blocks.len());
    }
    ranges
}

/// Marks the blocks of a segment at which lanes may be when it begins: those that lanes reach from other segments, and those at which lanes may
/// wait when it is left because lanes at an earlier block, at one that their operation waits for, or after a loop that waits for threads run first.
fn mark_entries(
    graph: &Graph,
    schedule: &Schedule,
    range: &Range<BlockId>,
    gather: &impl Fn(BlockId) -> Option<Gather>,
    entries: &mut [bool],
) {
    for id in range.clone() {
        let targets = graph.block(id).terminator.targets();
        for &to in targets.iter().filter(|to| !range.contains(to)) {
            entries[to] = true;
        }
        // At a barrier it is checked that no lanes are elsewhere, which reports where they are.
        let gathers = gather(id).is_some() || graph.is_late(id);
        if gathers {
            entries[id] = true;
        }
        if gathers || schedule.is_patient(id) || leaves_early(schedule, range, id, &targets) {
            for other in range.clone() {
                if targets.contains(&other) || schedule.may_wait(id, other) {
                    entries[other] = true;
                }
            }
        }
    }
}

/// Whether lanes at an earlier segment may run after a block, while others wait at blocks of this one.
pub(crate) fn leaves_early(
    schedule: &Schedule,
    range: &Range<BlockId>,
    id: BlockId,
    targets: &[BlockId],
) -> bool {
    targets.iter().any(|&to| to < range.start)
        || schedule.bounds(id).is_some_and(|(lowest, _)| lowest < range.start)
}
