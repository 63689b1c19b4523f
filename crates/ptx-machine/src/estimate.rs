//! How often each block of machine code is executed, by the linear program that the module's documentation describes.

use std::collections::{BTreeMap, BTreeSet};

use crate::joined::Joined;
use crate::listing::{Instruction, Item};
use crate::not_measured::NotMeasured;
use crate::pinned::pinned;
use crate::program::{Program, Terms};
use crate::source::Source;
use crate::wishes::{Anchored, Repeats, anchors, bound_loops, wish_for_lines};

/// An estimate of which the anchors' executions miss a larger part than this is none.
pub const MOST_RESIDUAL: f64 = 0.02;

/// The price of an instruction, for what stays open.
const INSTRUCTION: f64 = 0.002;
/// The price of a block on a slow path.
const SLOW: f64 = 40.0;

/// A block with its count.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    /// The function that it belongs to.
    pub function: String,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// How often threads execute it.
    pub threads: f64,
    /// How many threads of a warp execute it together.
    pub lanes: f64,
    /// Whether it is on a slow path of a division or square root.
    pub is_slow: bool,
    /// Whether anchors and the graph alone fix its count.
    pub is_pinned: bool,
}

impl Counted {
    /// How often warps issue it.
    pub fn warps(&self) -> f64 {
        self.threads / self.lanes
    }
}

/// A loop of the machine code.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineLoop {
    /// The PTX line of the loop that it was made of, where it was made of one.
    pub line: Option<u32>,
    /// How often the PTX loop is executed each time that it is entered.
    pub trips: f64,
    /// How many iterations of the PTX loop are in one of this loop.
    pub copies: usize,
    /// How often threads execute its first block.
    pub iterations: f64,
    /// How often threads enter it.
    pub entries: f64,
}

/// The counts of a kernel's machine code.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Its blocks, and those of what it calls.
    pub blocks: Vec<Counted>,
    /// The part of the anchors' executions that does not fit.
    pub residual: f64,
    /// Its loops.
    pub loops: Vec<MachineLoop>,
}

impl Estimate {
    /// The part of the issued instructions whose count anchors and the graph fix; the rest is the least that agrees with everything else.
    pub fn pinned_share(&self) -> f64 {
        let issued = |only_pinned: bool| -> f64 {
            let blocks = self.blocks.iter().filter(|block| block.is_pinned || !only_pinned);
            blocks.map(|block| block.instructions.len() as f64 * block.warps()).sum()
        };
        let all = issued(false);
        if all > 0.0 { issued(true) / all } else { 1.0 }
    }
}

/// Estimates a kernel's counts from its machine code and the counts of its PTX; `threads` are those of the launch.
///
/// # Errors
/// Why the kernel cannot be measured.
pub fn estimate(
    functions: &BTreeMap<String, Vec<Item>>,
    kernel: &str,
    source: &Source,
    threads: u64,
) -> Result<Estimate, NotMeasured> {
    if let Some(line) = source.spinning.first() {
        return Err(NotMeasured::Spinning { line: *line });
    }
    let joined = Joined::new(functions, kernel, source)?;
    let anchors = anchors(&joined, source);
    let repeats = bound_loops(&joined, source, &anchors);
    let scale = threads.max(1) as f64;
    let Solved { blocks: counts, edges } = solve(&joined, source, &anchors, &repeats, scale)?;
    let residual = residual(&anchors, &counts);
    if residual > MOST_RESIDUAL {
        return Err(NotMeasured::Residual(residual));
    }
    let pinned = pinned(&joined, &anchors);
    let lanes = lanes_of_places(&joined, &counts, source);
    let blocks = joined.places.iter().enumerate().map(|(at, place)| Counted {
        function: place.function.clone(),
        instructions: place.instructions.clone(),
        threads: counts[at],
        lanes: lanes[at],
        is_slow: place.is_slow,
        is_pinned: pinned[at],
    });
    let loops = repeats.iter().map(|one| MachineLoop {
        line: one.line,
        trips: one.trips,
        copies: one.copies,
        iterations: counts[one.header],
        entries: one.enter.iter().map(|edge| edges[*edge]).sum(),
    });
    Ok(Estimate { blocks: blocks.collect(), residual, loops: loops.collect() })
}

/// How often blocks and edges are executed.
struct Solved {
    blocks: Vec<f64>,
    edges: Vec<f64>,
}

fn solve(
    joined: &Joined,
    source: &Source,
    anchors: &[Anchored],
    repeats: &[Repeats],
    scale: f64,
) -> Result<Solved, NotMeasured> {
    let mut program = Program::default();
    for edge in &joined.edges {
        program.variable(0.0, if edge.is_never { 0.0 } else { f64::INFINITY });
    }
    for (at, place) in joined.places.iter().enumerate() {
        let price = place.length() as f64 * INSTRUCTION + if place.is_slow { SLOW } else { 0.0 };
        joined.out[at].iter().for_each(|edge| program.add_price(*edge, price));
    }
    conserve_flow(joined, &mut program);
    wish_for_lines(joined, source, anchors, scale, &mut program);
    for one in repeats {
        one.wish(joined, scale, &mut program);
    }
    let values = program.solve().map_err(NotMeasured::Unsolved)?;
    let edges: Vec<f64> = values.iter().take(joined.edges.len()).map(|value| value * scale).collect();
    let count = |out: &Vec<usize>| out.iter().map(|edge| edges[*edge]).sum();
    Ok(Solved { blocks: joined.out.iter().map(count).collect(), edges })
}

/// What comes to a block leaves it. The kernel is entered by all threads, another function as often as it is called.
fn conserve_flow(joined: &Joined, program: &mut Program) {
    for block in 0..joined.places.len() {
        let mut sum = Terms::new();
        joined.out[block].iter().for_each(|edge| *sum.entry(*edge).or_default() += 1.0);
        joined.into[block].iter().for_each(|edge| *sum.entry(*edge).or_default() -= 1.0);
        for call in joined.calls.get(&block).into_iter().flatten() {
            if call.is_guarded {
                // At most as often as its block.
                let taken = program.variable(0.0, f64::INFINITY);
                *sum.entry(taken).or_default() -= 1.0;
                let mut most = Terms::from([(taken, 1.0)]);
                joined.out[call.from].iter().for_each(|edge| *most.entry(*edge).or_default() -= 1.0);
                program.limit(most, 0.0);
            } else {
                joined.out[call.from].iter().for_each(|edge| *sum.entry(*edge).or_default() -= 1.0);
            }
        }
        program.require(sum, if block == 0 { 1.0 } else { 0.0 });
    }
}

/// The part of the firm anchors' executions that the counts miss.
fn residual(anchors: &[Anchored], counts: &[f64]) -> f64 {
    let (mut all, mut missed) = (0.0, 0.0);
    for anchor in anchors.iter().filter(|anchor| anchor.is_firm()) {
        let found: f64 = anchor.places.iter().map(|(block, copies)| counts[*block] * *copies as f64).sum();
        let wanted = anchor.threads as f64;
        all += wanted;
        missed += if anchor.is_guarded { (wanted - found).max(0.0) } else { (wanted - found).abs() };
    }
    if all > 0.0 { missed / all } else { 0.0 }
}

/// How many threads of a warp execute each block together. A subroutine of ptxas, which has no PTX lines of its own, has as many as its callers.
fn lanes_of_places(joined: &Joined, counts: &[f64], source: &Source) -> Vec<f64> {
    let of_lines = |block: usize| lanes(&joined.places[block].instructions, counts[block], source);
    let subroutines = joined.calls.iter().filter(|(entry, _)| joined.places[**entry].is_internal);
    let callers = subroutines.flat_map(|(_, calls)| calls).filter(|call| counts[call.from] > 0.0);
    let of_callers = callers.map(|call| of_lines(call.from)).fold(0.0, f64::max);
    let of_place = |block: usize| match &joined.places[block] {
        place if place.is_internal && of_callers > 0.0 => of_callers,
        place if place.is_slow => 32.0,
        _ => of_lines(block),
    };
    (0..joined.places.len()).map(of_place).collect()
}

/// How many threads of a warp execute a block together: as those PTX lines of it do whose block has the same count.
fn lanes(instructions: &[Instruction], count: f64, source: &Source) -> f64 {
    let lines: BTreeSet<u32> = instructions.iter().filter_map(|one| one.line).collect();
    let blocks: Vec<(f64, f64)> = lines
        .iter()
        .filter_map(|line| source.block(*line))
        .filter_map(|block| Some((block.threads? as f64, block.warps as f64)))
        .filter(|(threads, warps)| *threads > 0.0 && *warps > 0.0)
        .collect();
    let is_near = |threads: f64| (threads - count).abs() <= 0.02 * count.max(1.0);
    let most = blocks.iter().map(|(threads, _)| *threads).fold(0.0, f64::max);
    let has_near = blocks.iter().any(|(threads, _)| is_near(*threads));
    let chosen =
        blocks.iter().filter(|(threads, _)| if has_near { is_near(*threads) } else { *threads == most });
    let lanes = chosen.map(|(threads, warps)| threads / warps).fold(0.0, f64::max);
    if lanes >= 1.0 { lanes } else { 32.0 }
}
