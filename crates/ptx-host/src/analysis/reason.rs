//! Why a row is divergent: its definitions, walked backward to the first origin of divergence.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ptx_program::memory::Space;
use ptx_program::{Effect, LaneAccess, Op, Program, Src};

use super::{Analysis, BlockId, Shape, guard_of};

/// The origin of the divergence of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A load, each lane from an address of its own.
    Loaded,
    /// A special register.
    Special(String),
    /// The old value that an atomic operation returns.
    Atomic,
    /// The result of a collective operation, of a barrier, or of a call.
    Result,
    /// Lanes write it at different times, after a divergent branch.
    Parted,
}

/// Why a row is divergent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The origin.
    pub origin: Origin,
    /// The instruction of the origin.
    pub pc: u32,
    /// The operation that turned a strided row into a varying one.
    pub through: Option<u32>,
    /// The block of the instruction.
    pub block: BlockId,
}

/// The definitions of all rows of a kernel.
#[derive(Debug)]
pub struct Reasons<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    definitions: BTreeMap<u32, Vec<(BlockId, u32)>>,
}

impl<'a> Reasons<'a> {
    /// Collects the definitions of a kernel.
    pub fn new(program: &'a Program, analysis: &'a Analysis) -> Self {
        let mut definitions: BTreeMap<u32, Vec<(BlockId, u32)>> = BTreeMap::new();
        for (id, block) in analysis.graph.blocks().iter().enumerate() {
            for (pc, _, access) in analysis.graph.code(program, block) {
                for &row in &access.writes {
                    definitions.entry(row).or_default().push((id, pc));
                }
            }
        }
        Self { program, analysis, definitions }
    }

    /// Why an operand is divergent; `None` if it is not.
    pub fn of(&self, src: Src) -> Option<Cause> {
        match self.walk(src, true) {
            // A loop counter whose lanes differ because they leave the loop at different times: the cause is why they do.
            Some(parted) if parted.origin == Origin::Parted => self.walk(src, false).or(Some(parted)),
            cause => cause,
        }
    }

    /// Walks backward; with `only_any`, first along varying rows only. Otherwise rows that lanes write at different times do not end the walk.
    fn walk(&self, src: Src, only_any: bool) -> Option<Cause> {
        // Breadth first, so that the definition found is the one with the fewest instructions in between.
        let mut seen = BTreeSet::new();
        let mut parted = None;
        let mut work: VecDeque<(u32, Option<u32>)> =
            src.as_register().map(|row| (row, None)).into_iter().collect();
        while let Some((row, through)) = work.pop_front() {
            if !seen.insert(row) {
                continue;
            }
            for (block, pc) in self.definitions_of(row, only_any) {
                if let Some(origin) = self.origin(pc) {
                    return Some(Cause { origin, pc, through, block });
                }
                let inst = &self.program.code[pc as usize];
                let guard = guard_of(inst).map(|guard| Src::register(guard.row));
                let differs = |src: &Src| !self.analysis.shapes.src(*src).is_uniform();
                let reads = self.analysis.graph.access(pc).reads.iter().copied();
                let mut reads: Vec<Src> = reads.chain(guard).filter(differs).collect();
                let any = |src: &Src| self.analysis.shapes.src(*src) == Shape::Varying;
                let varies = self.analysis.shapes.row(row) == Shape::Varying;
                let mut through = through;
                if varies && only_any && reads.iter().any(any) {
                    // Strided operands are not the cause.
                    reads.retain(any);
                } else if varies && !reads.is_empty() && matches!(inst.op, Op::Alu(_)) {
                    through = through.or(Some(pc));
                }
                if only_any && self.analysis.keeps_others(block, row) {
                    parted = parted.or(Some(Cause { origin: Origin::Parted, pc, through, block }));
                }
                work.extend(reads.iter().filter_map(|src| src.as_register()).map(|row| (row, through)));
            }
        }
        parted
    }

    /// The definitions of a row that can make it divergent; with `only_any`, those with varying operands, if there are any.
    fn definitions_of(&self, row: u32, only_any: bool) -> Vec<(BlockId, u32)> {
        let Some(all) = self.definitions.get(&row) else { return Vec::new() };
        // Operands that are the row itself do not explain it.
        let is_any =
            |src: &Src| src.as_register() != Some(row) && self.analysis.shapes.src(*src) == Shape::Varying;
        let from_any = |&&(_, pc): &&(BlockId, u32)| {
            let access = self.analysis.graph.access(pc);
            self.origin(pc).is_some_and(|origin| !matches!(origin, Origin::Special(_)))
                || access.reads.iter().any(is_any)
        };
        let some: Vec<_> = all.iter().filter(from_any).copied().collect();
        if only_any && !some.is_empty() { some } else { all.to_vec() }
    }

    /// The divergence that an instruction itself introduces.
    fn origin(&self, pc: u32) -> Option<Origin> {
        let shapes = &self.analysis.shapes;
        let inst = &self.program.code[pc as usize];
        let Op::Effect(effect) = &inst.op else { return None };
        let access = self.analysis.graph.access(pc);
        let differs = access.writes.iter().any(|&row| !shapes.row(row).is_uniform());
        match effect {
            _ if !differs => None,
            Effect::Special { register, component, .. } => Some(Origin::Special(match component {
                Some(component) => format!("{register}.{}", component.as_str()),
                None => register.to_string(),
            })),
            Effect::Load(load) => {
                let is_own = matches!(load.address.space, Space::Local | Space::Generic);
                let differs = access.reads.iter().any(|&src| !shapes.src(src).is_uniform());
                (is_own || differs).then_some(Origin::Loaded)
            }
            _ if effect.traits().access == LaneAccess::Atomic => Some(Origin::Atomic),
            Effect::Collective(_) | Effect::BlockBarrier(_) | Effect::Call(_) => Some(Origin::Result),
            _ => None,
        }
    }

    /// The divergent branch because of which lanes wait elsewhere while a block runs: the nearest one before it, if any.
    pub fn parting(&self, id: BlockId) -> Option<BlockId> {
        let analysis = self.analysis;
        let waiting = analysis.schedule.waiting(id);
        let parts = |&other: &BlockId| {
            let block = analysis.graph.block(other);
            let targets = block.terminator.targets();
            analysis.shapes.parts_lanes(block) && targets.iter().any(|to| *to == id || waiting.contains(to))
        };
        let all = 0..analysis.graph.blocks().len();
        all.clone().take(id).rev().find(parts).or_else(|| all.skip(id).find(parts))
    }
}
