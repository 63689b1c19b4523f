//! The PTX side of an estimate: how often each line, block and loop of a module was executed.

use std::collections::{BTreeMap, BTreeSet};

use ptx_diag::{SourceFile, Span};
use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::dominators::FlowGraph as _;
use ptx_ir::{Body, Inst, Module, Operand, Symbol};
use ptx_isa::{ControlSem, Sem};

use crate::loops::natural_loops;
use crate::spinning::{instructions, waits_for_others};

/// One PTX line with an instruction; lines with several have what the first says, and are no anchors.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The mnemonic of its first instruction.
    pub mnemonic: String,
    /// How many instructions are on it.
    pub instructions: usize,
    /// Whether it is guarded: `threads` then are those whose guard was true.
    pub is_guarded: bool,
    /// The block that it belongs to, an index into [`Source::blocks`].
    pub block: usize,
    /// How many threads executed it, over the whole launch.
    pub threads: u64,
    /// How many warps did.
    pub warps: u64,
}

/// How often a block was executed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Block {
    /// By threads; `None` where neither an instruction without a guard nor the blocks before it tell.
    pub threads: Option<u64>,
    /// By warps: the most of its lines.
    pub warps: u64,
}

/// A natural loop that was executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    /// The line of its first instruction.
    pub line: u32,
    /// The lines of its blocks, those of inner loops included.
    pub lines: BTreeSet<u32>,
    /// How often threads entered it.
    pub entries: u64,
    /// How often they executed its first block.
    pub iterations: u64,
    /// How often they executed the blocks that go back to the first one: the trips, wherever the loop is tested.
    pub latched: Option<u64>,
}

impl Loop {
    /// How often it is executed for each time that it is entered.
    pub fn trips(&self) -> f64 {
        self.iterations as f64 / self.entries.max(1) as f64
    }
}

/// The counts of a module at a launch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Source {
    /// The lines with instructions, by their numbers from 1.
    pub lines: BTreeMap<u32, Line>,
    /// The blocks of all functions.
    pub blocks: Vec<Block>,
    /// The loops that were executed, outer ones before inner ones.
    pub loops: Vec<Loop>,
    /// The first lines of executed loops that wait for other threads.
    pub spinning: Vec<u32>,
    /// The first block of each function, by its name.
    pub entries: BTreeMap<String, usize>,
    /// Lines of executed calls of functions that have no body here (`vprintf`, `malloc`).
    pub external_calls: BTreeSet<u32>,
}

/// How often an instruction was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Executions {
    /// By threads; of a guarded instruction those whose guard was true.
    pub threads: u64,
    /// By warps.
    pub warps: u64,
}

/// Threads and warps of each executed instruction, by its position.
struct Counts(BTreeMap<Span, (u64, u64)>);

impl Counts {
    fn new(executed: impl IntoIterator<Item = (Span, Executions)>) -> Self {
        let mut counts: BTreeMap<Span, (u64, u64)> = BTreeMap::new();
        for (span, Executions { threads, warps }) in executed {
            let entry = counts.entry(span).or_default();
            *entry = (entry.0.max(threads), entry.1.max(warps));
        }
        Self(counts)
    }

    fn of(&self, inst: &Inst) -> (u64, u64) {
        match self.0.get(&inst.at.0) {
            Some(counts) => *counts,
            // What is not listed was not executed.
            None => (0, 0),
        }
    }
}

/// How often the blocks of a function were executed.
struct Executed<'m> {
    body: &'m Body,
    cfg: Cfg,
    counts: &'m Counts,
    blocks: Vec<Block>,
}

impl<'m> Executed<'m> {
    fn new(body: &'m Body, counts: &'m Counts) -> Self {
        let cfg = Cfg::new(body);
        let block = |statements| {
            instructions(body, statements).fold(Block::default(), |mut here, inst| {
                let (threads, warps) = counts.of(inst);
                if inst.guard.is_none() {
                    here.threads = here.threads.max(Some(threads));
                }
                Block { warps: here.warps.max(warps), ..here }
            })
        };
        let blocks = cfg.blocks.iter().map(|one| block(one.statements.clone())).collect();
        let mut executed = Self { body, cfg, counts, blocks };
        executed.fill();
        executed
    }

    /// Blocks in which everything is guarded (`@p bra` alone) are executed as often as control comes to them.
    fn fill(&mut self) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for at in 1..self.blocks.len() {
                if self.blocks[at].threads.is_none()
                    && let Some(into) = self.arrivals(at, |_| true)
                {
                    self.blocks[at].threads = Some(into);
                    is_changed = true;
                }
            }
        }
    }

    /// How many threads came to a block from those that `is_from` selects, where that is known.
    fn arrivals(&self, block: usize, is_from: impl Fn(usize) -> bool) -> Option<u64> {
        let before: BTreeSet<usize> = self.cfg.predecessors(block).filter(|from| is_from(*from)).collect();
        before.into_iter().map(|from| self.along(from, block)).sum()
    }

    /// How many threads went from one block to another, where that is known.
    fn along(&self, from: usize, to: usize) -> Option<u64> {
        let threads = self.blocks[from].threads?;
        let id = |block: usize| BlockId(block as u32);
        let Some(last) = self.cfg.terminator(self.body, id(from)) else { return Some(threads) };
        let successors = &self.cfg.blocks[from].successors;
        if last.guard.is_none() {
            return (successors.len() == 1).then_some(threads);
        }
        let taken = self.counts.of(last).0;
        let falls = threads.saturating_sub(taken);
        match last.mnemonic.sem() {
            Sem::Control(ControlSem::Bra) => {
                let is_target = successors.first() == Some(&id(to));
                Some(u64::from(is_target) * taken + u64::from(to == from + 1) * falls)
            }
            Sem::Control(ControlSem::BrxIdx) => None,
            _ => Some(falls),
        }
    }
}

impl Source {
    /// Brings a module together with what a launch executed of it: the instructions by their positions, those that were not executed left out.
    pub fn new(
        module: &Module,
        text: &SourceFile,
        executed: impl IntoIterator<Item = (Span, Executions)>,
    ) -> Self {
        let counts = Counts::new(executed);
        let mut source = Self::default();
        for id in module.function_ids() {
            if let Some(body) = &module.function(id).body {
                let name = module.name(module.function(id).name).to_owned();
                source.entries.insert(name, source.blocks.len());
                source.add(module, &Executed::new(body, &counts), text);
            }
        }
        source
    }

    /// The block of a line.
    pub fn block(&self, line: u32) -> Option<Block> {
        self.lines.get(&line).and_then(|line| self.blocks.get(line.block)).copied()
    }

    fn add(&mut self, module: &Module, executed: &Executed<'_>, text: &SourceFile) {
        let first = self.blocks.len();
        let mut lines_of = Vec::with_capacity(executed.blocks.len());
        for (at, block) in executed.cfg.blocks.iter().enumerate() {
            let mut lines = Vec::new();
            for inst in instructions(executed.body, block.statements.clone()) {
                let number = text.position(inst.at.0.lo).line;
                let counts = executed.counts.of(inst);
                if counts.0 > 0 && is_external_call(module, executed.body, inst) {
                    self.external_calls.insert(number);
                }
                lines.push(number);
                self.note(number, inst, first + at, counts);
            }
            lines_of.push(lines);
        }
        self.blocks.extend(&executed.blocks);
        self.add_loops(executed, &lines_of);
    }

    fn note(&mut self, number: u32, inst: &Inst, block: usize, (threads, warps): (u64, u64)) {
        let line = self.lines.entry(number).or_insert_with(|| Line {
            mnemonic: inst.mnemonic.to_string(),
            instructions: 0,
            is_guarded: false,
            block,
            threads: 0,
            warps: 0,
        });
        line.instructions += 1;
        line.is_guarded |= inst.guard.is_some();
        line.threads = line.threads.max(threads);
        line.warps = line.warps.max(warps);
    }

    fn add_loops(&mut self, executed: &Executed<'_>, lines_of: &[Vec<u32>]) {
        for found in natural_loops(&executed.cfg) {
            let Some(iterations) = executed.blocks[found.header].threads.filter(|count| *count > 0) else {
                continue;
            };
            let lines: BTreeSet<u32> =
                found.blocks.iter().flat_map(|block| lines_of[*block].iter().copied()).collect();
            let Some(line) = lines_of[found.header].first().or_else(|| lines.first()).copied() else {
                continue;
            };
            let entries = executed.arrivals(found.header, |from| !found.blocks.contains(&from));
            // A function may begin with a loop, which its callers enter: what does not come back.
            let repeats = || executed.arrivals(found.header, |from| found.blocks.contains(&from));
            let entries = match entries.filter(|_| found.header != 0) {
                Some(entries) => Some(entries),
                None => repeats().map(|repeats| iterations.saturating_sub(repeats)),
            };
            // Without either an indexed branch enters the loop and closes it: nothing is said about its trips.
            let Some(entries) = entries else { continue };
            if waits_for_others(executed.body, &executed.cfg, &found.blocks) {
                self.spinning.push(line);
            }
            let latches = executed.cfg.predecessors(found.header).filter(|from| found.blocks.contains(from));
            let latches: BTreeSet<usize> = latches.collect();
            let latched = latches.into_iter().map(|latch| executed.blocks[latch].threads).sum();
            let entries = entries.clamp(1, iterations);
            self.loops.push(Loop { line, lines, entries, iterations, latched });
        }
    }
}

/// Whether an instruction calls a function by its name that has no body in the module.
fn is_external_call(module: &Module, body: &Body, inst: &Inst) -> bool {
    let is_call = matches!(inst.mnemonic.sem(), Sem::Control(ControlSem::Call));
    let mut is_external = false;
    body.for_each_operand(inst, |operand, _| {
        if let Operand::Symbol(Symbol::Function(id), _) = operand {
            is_external |= module.function(module.definition(id)).body.is_none();
        }
    });
    is_call && is_external
}
