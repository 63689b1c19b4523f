//! What the counts of PTX lines and loops say about the counts of machine blocks.

use std::collections::{BTreeMap, BTreeSet};

use crate::anchor::{FIRM, anchor_of, is_easily_merged};
use crate::joined::Joined;
use crate::loops::{Lists, natural_loops};
use crate::program::{Program, Terms};
use crate::source::{Loop, Source};

/// The price of an execution of a block above what its PTX lines allow.
const ABOVE_LINES: f64 = 8.0;
/// The price of a trip too many or too few of a loop that ptxas left as it was.
const TRIPS: f64 = 20.0;
/// The price of a repetition of a loop above what its entries allow.
const ABOVE_ENTRIES: f64 = 60.0;

/// A PTX line with the machine instructions that it was made to.
pub(crate) struct Anchored {
    /// The line.
    pub(crate) line: u32,
    /// How often threads execute it.
    pub(crate) threads: u64,
    /// Blocks with its copies, and how many each has.
    pub(crate) places: BTreeMap<usize, usize>,
    /// The price of each execution that is missing or too much.
    weight: f64,
    /// Whether a copy or the line is guarded: blocks then may be executed more often.
    pub(crate) is_guarded: bool,
}

impl Anchored {
    pub(crate) fn is_firm(&self) -> bool {
        self.weight >= FIRM
    }

    fn copies_in(&self, blocks: &BTreeSet<usize>) -> usize {
        self.places.iter().filter(|(block, _)| blocks.contains(block)).map(|(_, copies)| copies).sum()
    }
}

/// The blocks that are executed at all and hold an instruction of a line, with the places of these instructions.
type AtLine = BTreeMap<u32, Vec<(usize, usize)>>;

fn at_line(joined: &Joined) -> AtLine {
    let mut places = AtLine::new();
    for (block, place) in joined.places.iter().enumerate().filter(|(_, place)| place.is_reached) {
        for (at, instruction) in place.instructions.iter().enumerate() {
            if let Some(line) = instruction.line {
                places.entry(line).or_default().push((block, at));
            }
        }
    }
    places
}

/// The anchors of the machine code.
pub(crate) fn anchors(joined: &Joined, source: &Source) -> Vec<Anchored> {
    let at_line = at_line(joined);
    let mut anchors = Vec::new();
    for (number, line) in &source.lines {
        let anchor = anchor_of(&line.mnemonic).filter(|_| line.instructions == 1);
        let (Some(anchor), Some(hits)) = (anchor, at_line.get(number)) else { continue };
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut is_guarded = line.is_guarded;
        for (block, at) in hits {
            let instruction = &joined.places[*block].instructions[*at];
            if anchor.opcodes.contains(&instruction.base()) && !joined.places[*block].is_slow {
                *places.entry(*block).or_default() += 1;
                is_guarded |= instruction.guard.is_some();
            }
        }
        if !places.is_empty() {
            let weight = anchor.weight;
            anchors.push(Anchored { line: *number, threads: line.threads, places, weight, is_guarded });
        }
    }
    anchors
}

/// The count of a block as a sum of edges.
fn executions(joined: &Joined, blocks: &BTreeMap<usize, usize>) -> Terms {
    let mut sum = Terms::new();
    for (block, copies) in blocks {
        for edge in &joined.out[*block] {
            *sum.entry(*edge).or_default() += *copies as f64;
        }
    }
    sum
}

/// Wishes for all that lines say: anchors first, then the most of a block, then what no block should exceed.
pub(crate) fn wish_for_lines(
    joined: &Joined,
    source: &Source,
    anchors: &[Anchored],
    scale: f64,
    program: &mut Program,
) {
    for anchor in anchors {
        let above = if anchor.is_guarded { 0.0 } else { anchor.weight };
        let sum = executions(joined, &anchor.places);
        program.wish(&sum, anchor.threads as f64 / scale, anchor.weight, above);
    }
    wish_weakly(joined, source, anchors, scale, program);
    for (block, place) in joined.places.iter().enumerate().filter(|(_, place)| !place.is_internal) {
        let lines: BTreeSet<u32> = place.instructions.iter().filter_map(|one| one.line).collect();
        let known: Vec<_> = lines.iter().filter_map(|line| source.block(*line)).collect();
        let most: Option<Vec<u64>> = known.iter().map(|block| block.threads).collect();
        if let Some(most) = most.and_then(|counts| counts.into_iter().max()) {
            let sum = executions(joined, &BTreeMap::from([(block, 1)]));
            program.wish(&sum, most as f64 / scale, 0.0, ABOVE_LINES);
        }
    }
}

/// PTX blocks that ptxas copied, by unrolling or by duplicating what follows a join: there only the anchors count.
fn copied_blocks(
    joined: &Joined,
    source: &Source,
    anchors: &[Anchored],
    at_line: &AtLine,
) -> BTreeSet<usize> {
    let mut times: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
    for (number, hits) in at_line {
        let Some(line) = source.lines.get(number) else { continue };
        let mut by_opcode: BTreeMap<&str, usize> = BTreeMap::new();
        for (block, at) in hits.iter().filter(|(block, _)| !joined.places[*block].is_slow) {
            let instruction = &joined.places[*block].instructions[*at];
            *by_opcode.entry(&instruction.opcode).or_default() += 1;
        }
        let most = by_opcode.values().copied().max();
        times.entry(line.block).or_default()[usize::from(most > Some(1))] += 1;
    }
    let mostly = times.into_iter().filter(|(_, [one, more])| *more as f64 > 0.3 * (one + more) as f64);
    let mut copied: BTreeSet<usize> = mostly.map(|(block, _)| block).collect();
    let several = anchors.iter().filter(|anchor| anchor.places.values().sum::<usize>() > 1);
    copied.extend(several.filter_map(|anchor| source.lines.get(&anchor.line)).map(|line| line.block));
    copied
}

/// Every other machine instruction, weakly: the most of a block agree on its count, also where it has no anchor.
fn wish_weakly(joined: &Joined, source: &Source, anchors: &[Anchored], scale: f64, program: &mut Program) {
    let at_line = at_line(joined);
    let copied = copied_blocks(joined, source, anchors, &at_line);
    for (number, hits) in &at_line {
        let Some(line) = source.lines.get(number).filter(|line| line.instructions == 1) else { continue };
        let Some(threads) = source.block(*number).and_then(|block| block.threads) else { continue };
        if copied.contains(&line.block) {
            continue;
        }
        let mut by_opcode: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
        for (block, at) in hits.iter().filter(|(block, _)| !joined.places[*block].is_slow) {
            let instruction = &joined.places[*block].instructions[*at];
            let is_moved = ["BSSY", "BSYNC", "WARPSYNC", "BRA", "NOP", "EXIT"].contains(&instruction.base());
            if instruction.guard.is_none() && !is_moved && !instruction.opcode.starts_with('U') {
                *by_opcode.entry(&instruction.opcode).or_default().entry(*block).or_default() += 1;
            }
        }
        let is_merged = is_easily_merged(&line.mnemonic);
        let kinds = by_opcode.len();
        for places in by_opcode.values() {
            if places.len() > 1 && (is_merged || kinds > 1) {
                continue;
            }
            let weight = match (is_merged, places.len()) {
                (true, _) => 0.1,
                (false, 1) => 0.5,
                (false, _) => 0.3,
            };
            let weight = weight / kinds as f64;
            program.wish(&executions(joined, places), threads as f64 / scale, weight, weight);
        }
    }
}

/// A machine loop and how often it may repeat.
pub(crate) struct Repeats {
    /// Its first block.
    pub(crate) header: usize,
    /// The line of the PTX loop that it was made of.
    pub(crate) line: Option<u32>,
    /// The trips of that loop.
    pub(crate) trips: f64,
    /// How many of its iterations are in one of this loop.
    pub(crate) copies: usize,
    /// How often the first block may be executed for each time that the loop is entered.
    most: f64,
    /// How often it is executed, where ptxas left the PTX loop as it was: one copy, in this loop alone.
    latched: Option<u64>,
    /// The edges that close it, and those that enter it.
    back: Vec<usize>,
    pub(crate) enter: Vec<usize>,
}

impl Repeats {
    /// A loop is entered before it repeats.
    pub(crate) fn wish(&self, joined: &Joined, scale: f64, program: &mut Program) {
        let mut sum = Terms::new();
        self.back.iter().for_each(|edge| *sum.entry(*edge).or_default() += 1.0);
        // A little more, so that rounding does not forbid the last repetition.
        let repeats = (self.most - 1.0).max(0.0) * 1.0001;
        self.enter.iter().for_each(|edge| *sum.entry(*edge).or_default() -= repeats);
        program.wish(&sum, 0.0, 0.0, ABOVE_ENTRIES);
        if let Some(latched) = self.latched {
            let latches = self.back.iter().map(|edge| (joined.edges[*edge].from, 1)).collect();
            program.wish(&executions(joined, &latches), latched as f64 / scale, TRIPS, TRIPS);
        }
    }
}

/// The machine loops, each with the PTX loop that it was made of.
pub(crate) fn bound_loops(joined: &Joined, source: &Source, anchors: &[Anchored]) -> Vec<Repeats> {
    let mut all = Vec::new();
    for range in joined.functions() {
        let inside = joined.edges.iter().filter(|edge| range.contains(&edge.from) && !edge.is_never);
        let edges = inside.filter_map(|edge| Some((edge.from - range.start, edge.to? - range.start)));
        for found in natural_loops(&Lists::new(range.len(), edges)) {
            let blocks: BTreeSet<usize> = found.blocks.iter().map(|block| block + range.start).collect();
            let header = found.header + range.start;
            let (back, enter): (Vec<usize>, Vec<usize>) =
                joined.into[header].iter().partition(|edge| blocks.contains(&joined.edges[**edge].from));
            let Origin { line, trips, copies, latched } = origin(joined, source, anchors, &blocks);
            let most = trips / copies as f64;
            all.push(Repeats { header, line, trips, copies, most, latched, back, enter });
        }
    }
    bound_remainders(&mut all);
    all
}

/// What is left over by a loop with several copies is less than these.
fn bound_remainders(loops: &mut [Repeats]) {
    let mut most: BTreeMap<u32, usize> = BTreeMap::new();
    for one in loops.iter() {
        if let Some(line) = one.line {
            let copies = most.entry(line).or_default();
            *copies = (*copies).max(one.copies);
        }
    }
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    loops.iter().filter_map(|one| one.line).for_each(|line| *times.entry(line).or_default() += 1);
    for one in loops {
        if one.line.and_then(|line| times.get(&line)).is_some_and(|times| *times > 1) {
            one.latched = None;
        }
        let largest = one.line.and_then(|line| most.get(&line)).copied();
        if let Some(largest) = largest.filter(|largest| *largest > one.copies) {
            one.most = one.most.min(largest as f64 / one.copies as f64);
        }
    }
}

/// What a machine loop was made of.
struct Origin {
    /// The line of the PTX loop.
    line: Option<u32>,
    /// Its trips.
    trips: f64,
    /// How many of its iterations are in one of the machine loop.
    copies: usize,
    /// Its trips over all entries, where nothing of it is copied.
    latched: Option<u64>,
}

/// The PTX loop that a machine loop was made of.
fn origin(joined: &Joined, source: &Source, anchors: &[Anchored], blocks: &BTreeSet<usize>) -> Origin {
    let lines =
        blocks.iter().flat_map(|block| &joined.places[*block].instructions).filter_map(|one| one.line);
    let lines: Vec<u32> = lines.filter(|line| source.lines.contains_key(line)).collect();
    let holds = |one: &&Loop| {
        let inside = lines.iter().filter(|line| one.lines.contains(line)).count();
        inside as f64 > 0.6 * lines.len() as f64
    };
    // From the inside out: loops are listed by their size.
    let mut nest: Vec<&Loop> = source.loops.iter().filter(holds).collect();
    nest.sort_by_key(|one| one.lines.len());
    // Lines of the loop itself, not of those inside of it.
    let is_own = |at: usize, line: &u32| {
        nest[at].lines.contains(line) && !nest[..at].iter().any(|inner| inner.lines.contains(line))
    };
    let own_anchors = |at: usize| anchors.iter().filter(move |anchor| is_own(at, &anchor.line));
    let copies = |at: usize| {
        let found = own_anchors(at).map(|anchor| anchor.copies_in(blocks)).filter(|copies| *copies > 0);
        median(found.collect())
    };
    // The outermost loop of which it has lines: it contains those inside of it. Where all of that one's iterations are copies, it is the next.
    let own = (0..nest.len()).rev().find_map(|at| Some((at, copies(at)?)));
    let unrolled = own.filter(|(at, copies)| nest[*at].trips() <= 1.01 * *copies as f64);
    // A loop that runs fewer rounds than it has copies is still there, if nothing of the next one is in it.
    let has_own = |at: usize| lines.iter().any(|line| is_own(at, line));
    let next = unrolled.map(|(at, _)| at + 1).filter(|at| *at < nest.len() && has_own(*at)).map(|at| (at, 1));
    let without_anchors =
        || (!nest.is_empty()).then(|| (0, repeated(joined, blocks, |line| is_own(0, line))));
    let Some((at, copies)) = next.or(own).or_else(without_anchors) else {
        // Of no loop of the PTX: an atomic operation that ptxas writes as a loop, which repeats where others interfere. What is of several
        // loops may repeat as the longest of them.
        let some = source.loops.iter().filter(|one| lines.iter().any(|line| one.lines.contains(line)));
        let trips = some.map(Loop::trips).fold(1.0, f64::max);
        return Origin { line: None, trips, copies: 1, latched: None };
    };
    let is_whole = copies == 1
        && next.is_none()
        && own_anchors(at).all(|anchor| anchor.places.keys().all(|block| blocks.contains(block)));
    let one = nest[at];
    Origin { line: Some(one.line), trips: one.trips(), copies, latched: one.latched.filter(|_| is_whole) }
}

fn median(mut numbers: Vec<usize>) -> Option<usize> {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}

/// How often most of the lines of a loop without anchors are in its blocks: the median over lines of how many of its instructions are the same.
fn repeated(joined: &Joined, blocks: &BTreeSet<usize>, is_own: impl Fn(&u32) -> bool) -> usize {
    let mut times: BTreeMap<u32, BTreeMap<&str, usize>> = BTreeMap::new();
    for instruction in blocks.iter().flat_map(|block| &joined.places[*block].instructions) {
        if let Some(line) = instruction.line.filter(&is_own) {
            *times.entry(line).or_default().entry(&instruction.opcode).or_default() += 1;
        }
    }
    let most = times.values().filter_map(|opcodes| opcodes.values().max()).copied();
    // Default: a loop of which nothing is left but what was moved is there once.
    median(most.collect()).unwrap_or(1)
}
