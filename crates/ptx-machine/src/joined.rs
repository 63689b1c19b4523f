//! The machine code that a kernel reaches, as one graph: its function, those that it calls, and the subroutines that ptxas adds.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Edge, Graph};
use crate::listing::{INTERNAL, Instruction, Item, is_slow_path};
use crate::not_measured::NotMeasured;
use crate::source::Source;

/// A call: the block with it, and whether it is guarded.
pub(crate) struct Call {
    pub(crate) from: usize,
    pub(crate) is_guarded: bool,
}

/// A block of the joined graph.
pub(crate) struct Place {
    /// The function in whose section it is.
    pub(crate) function: String,
    /// Its instructions.
    pub(crate) instructions: Vec<Instruction>,
    /// Whether it is executed for operands out of the ordinary only (denormal numbers, numbers near the limits): it calls a subroutine that ptxas adds for divisions and
    /// square roots, or belongs to one.
    pub(crate) is_slow: bool,
    /// Whether it belongs to a subroutine that ptxas adds.
    pub(crate) is_internal: bool,
    /// Whether control comes to it at all.
    pub(crate) is_reached: bool,
}

impl Place {
    /// Instructions that are issued.
    pub(crate) fn length(&self) -> usize {
        self.instructions.iter().filter(|one| !one.is_padding()).count()
    }
}

/// Blocks and edges of all functions.
pub(crate) struct Joined {
    pub(crate) places: Vec<Place>,
    pub(crate) edges: Vec<Edge>,
    /// The calls of the blocks that are called.
    pub(crate) calls: BTreeMap<usize, Vec<Call>>,
    /// The edges that leave each block, and those that come to it.
    pub(crate) out: Vec<Vec<usize>>,
    pub(crate) into: Vec<Vec<usize>>,
}

impl Joined {
    /// Joins what the kernel reaches; its first block is block 0.
    pub(crate) fn new(
        functions: &BTreeMap<String, Vec<Item>>,
        kernel: &str,
        source: &Source,
    ) -> Result<Self, NotMeasured> {
        let reached = reached(functions, kernel);
        let mut first = BTreeMap::new();
        let mut count = 0;
        for (name, graph) in &reached {
            first.insert(name.as_str(), count);
            count += graph.blocks.len();
        }
        let mut joined = Self {
            places: Vec::with_capacity(count),
            edges: Vec::new(),
            calls: BTreeMap::new(),
            out: vec![Vec::new(); count],
            into: vec![Vec::new(); count],
        };
        for (name, graph) in &reached {
            joined.add(name, graph, &first, source)?;
        }
        for (at, edge) in joined.edges.iter().enumerate() {
            joined.out[edge.from].push(at);
            if let Some(to) = edge.to {
                joined.into[to].push(at);
            }
        }
        Ok(joined)
    }

    fn add(
        &mut self,
        name: &str,
        graph: &Graph,
        first: &BTreeMap<&str, usize>,
        source: &Source,
    ) -> Result<(), NotMeasured> {
        let start = self.places.len();
        let subroutines = graph.subroutines();
        let mut entries = BTreeSet::from([0]);
        for (at, block) in graph.blocks.iter().enumerate() {
            for call in block.iter().filter(|one| one.base() == "CALL") {
                let from = Call { from: start + at, is_guarded: call.guard.is_some() };
                let inner = call.callee().and_then(|target| graph.labels.get(target));
                if let Some(inner) = inner {
                    entries.insert(*inner);
                    self.calls.entry(start + inner).or_default().push(from);
                } else if let Some(outer) = call.callee().and_then(|target| first.get(target)) {
                    self.calls.entry(*outer).or_default().push(from);
                } else if !is_known(call, source) {
                    return Err(NotMeasured::IndirectCall { line: call.line });
                }
            }
        }
        let reachable = graph.reachable(entries);
        for (at, block) in graph.blocks.iter().enumerate() {
            let subroutine = subroutines[at];
            self.places.push(Place {
                function: name.to_owned(),
                instructions: block.clone(),
                is_slow: subroutine.is_some_and(is_slow_path)
                    || block.iter().any(Instruction::calls_slow_path),
                is_internal: subroutine.is_some_and(|name| name.starts_with(INTERNAL)),
                is_reached: reachable[at],
            });
        }
        let shifted = |edge: &Edge| Edge {
            from: edge.from + start,
            to: edge.to.map(|to| to + start),
            is_never: edge.is_never,
        };
        self.edges.extend(graph.edges.iter().map(shifted));
        Ok(())
    }

    /// The blocks of the function that a block belongs to.
    pub(crate) fn functions(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for (at, place) in self.places.iter().enumerate() {
            match ranges.last_mut() {
                Some(range) if self.places[range.start].function == place.function => range.end = at + 1,
                _ => ranges.push(at..at + 1),
            }
        }
        ranges
    }
}

/// Whether a call of a function that is not in the listing is one of a function outside of the module, or is never executed.
fn is_known(call: &Instruction, source: &Source) -> bool {
    let Some(line) = call.line else { return false };
    let is_executed = source.lines.get(&line).is_none_or(|line| line.threads > 0);
    source.external_calls.contains(&line) || !is_executed
}

/// The graphs of the kernel and of the functions that it calls by name, the kernel first.
fn reached(functions: &BTreeMap<String, Vec<Item>>, kernel: &str) -> Vec<(String, Graph)> {
    let mut names = vec![kernel.to_owned()];
    let mut graphs = Vec::new();
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let Some(items) = functions.get(&name) else { continue };
        let graph = Graph::new(items);
        for call in graph.blocks.iter().flatten().filter(|one| one.base() == "CALL") {
            if let Some(target) = call.callee()
                && !names.iter().any(|known| known == target)
            {
                names.push(target.to_owned());
            }
        }
        graphs.push((name, graph));
    }
    graphs
}
