//! The webs of a row: which of its accesses may be of the same value.
//!
//! In SSA form a value is a write, or a phi where several values may arrive. Phis are at the iterated dominance frontier of the blocks that write, and
//! one that nothing reads joins nothing:
//!
//! ```text
//!      r = 1                r = 2
//!      .. r ..              .. r ..
//!           \               /
//!            phi (not read): two webs
//!               r = 3
//! ```

use ptx_ir::dominators::{FlowGraph, dominance_frontiers};
use rustc_hash::FxHashMap;

use super::{Access, Kind};
use crate::analysis::{BlockId, Dominance, Edges};

/// The most members of the dominance frontiers, for each block: more nested loops than any program has.
const MOST_MEMBERS: usize = 64;
/// The longest search for the webs of a row, in steps: so many, and so many more for each access. It is longer where very many branches lead out of
/// code that writes the row; such a row stays as it is.
const MOST_STEPS: usize = 1024;
const STEPS_OF_ACCESS: usize = 64;

/// So many instructions that each replace one value by the same other one are updates of one value, as in the cases of a switch: lanes of different
/// cases have the one or the other, and two vectors would be kept for them.
const UPDATES: u32 = 4;

/// The blocks of a kernel, as the search needs them.
pub(super) struct Blocks<'a> {
    edges: &'a Edges,
    dominance: &'a Dominance,
    frontiers: Vec<Vec<BlockId>>,
}

impl<'a> Blocks<'a> {
    /// `None` if loops are nested too deeply.
    pub(super) fn new(edges: &'a Edges, dominance: &'a Dominance) -> Option<Self> {
        let most = MOST_MEMBERS * edges.block_count();
        let frontiers = dominance_frontiers(edges, dominance.immediate(), most)?;
        Some(Self { edges, dominance, frontiers })
    }

    /// The immediate dominator of a block; the entry has none.
    fn above(&self, block: BlockId) -> Option<BlockId> {
        self.dominance.immediate()[block].filter(|&above| above != block)
    }
}

/// Sets of numbers that are joined.
#[derive(Default)]
struct Sets(Vec<u32>);

impl Sets {
    fn add(&mut self) -> usize {
        self.0.push(self.0.len() as u32);
        self.0.len() - 1
    }

    fn first(&mut self, mut at: usize) -> usize {
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        // The lower number represents both, so that an access represents its web.
        self.0[one.max(other)] = one.min(other) as u32;
    }
}

/// Where the value of the row is meant: at the start of a block, or at its end.
#[derive(Clone, Copy)]
enum Place {
    Start(BlockId),
    End(BlockId),
}

/// A value of the row: the one that the kernel begins with, a written one, or the phi of a beginning, each with its number.
enum Held {
    Initial,
    Written(usize),
    Phi(usize, usize),
}

/// A block that a value begins in.
struct Beginning {
    block: BlockId,
    /// The number of the phi at its start.
    phi: Option<usize>,
    /// The value at its end.
    end: usize,
    /// The last of the beginnings before it whose block dominates it.
    above: Option<usize>,
}

/// The values of one row at a time. An access has the number of its value, or one that is joined with it; the numbers after those of the accesses are
/// of phis, of the value that the kernel begins with, and of the values that arrive at blocks.
pub(super) struct Values<'a> {
    blocks: &'a Blocks<'a>,
    sets: Sets,
    /// The first access of each operand: an instruction, and whether it writes.
    operands: FxHashMap<(u32, bool), usize>,
    /// The numbers of values that arrive at blocks which do not write the row before.
    arriving: Vec<(BlockId, usize)>,
    /// The blocks that write it, with the number of the last value.
    leaving: Vec<(BlockId, usize)>,
    beginnings: Vec<Beginning>,
    webs: Vec<usize>,
    steps: usize,
    /// For each block the last search that found a phi there.
    has_phi: Vec<u32>,
    search: u32,
}

impl<'a> Values<'a> {
    pub(super) fn new(blocks: &'a Blocks<'a>) -> Self {
        Self {
            blocks,
            sets: Sets::default(),
            operands: FxHashMap::default(),
            arriving: Vec::new(),
            leaving: Vec::new(),
            beginnings: Vec::new(),
            webs: Vec::new(),
            steps: 0,
            has_phi: vec![0; blocks.edges.block_count()],
            search: 0,
        }
    }

    /// For each access of a row the first access of its web; `None` if there is only one web, or if finding them takes too long.
    pub(super) fn webs(&mut self, accesses: &[Access]) -> Option<&[usize]> {
        self.steps = MOST_STEPS + STEPS_OF_ACCESS * accesses.len();
        self.sets.0.clear();
        accesses.iter().for_each(|_| _ = self.sets.add());
        self.join_operands(accesses);
        self.join_in_blocks(accesses);
        if !self.arriving.is_empty() {
            self.begin()?;
            self.join_between_blocks()?;
        }
        self.join_updates(accesses);
        self.webs.clear();
        self.webs.extend((0..accesses.len()).map(|at| self.sets.first(at)));
        self.webs.iter().any(|&web| web != 0).then_some(&self.webs)
    }

    /// An instruction has one row where it reads a row, at the ends of all blocks before it too, and one where it writes it.
    fn join_operands(&mut self, accesses: &[Access]) {
        self.operands.clear();
        for (at, access) in accesses.iter().enumerate() {
            let first = *self.operands.entry((access.pc, access.kind != Kind::Read)).or_insert(at);
            self.sets.join(first, at);
        }
    }

    /// Follows the values within each block.
    fn join_in_blocks(&mut self, accesses: &[Access]) {
        self.arriving.clear();
        self.leaving.clear();
        let mut at = 0;
        for of_block in accesses.chunk_by(|one, next| one.block == next.block) {
            let block = of_block[0].block as BlockId;
            let (mut current, mut writes) = (None, false);
            for access in of_block {
                if access.kind != Kind::Write {
                    let value = current.unwrap_or_else(|| {
                        let arriving = self.sets.add();
                        self.arriving.push((block, arriving));
                        arriving
                    });
                    self.sets.join(value, at);
                    current = Some(value);
                }
                if access.kind != Kind::Read {
                    (current, writes) = (Some(at), true);
                }
                at += 1;
            }
            if let (Some(value), true) = (current, writes) {
                self.leaving.push((block, value));
            }
        }
    }

    /// Joins values of which many instructions make one from the other.
    fn join_updates(&mut self, accesses: &[Access]) {
        let mut updates: FxHashMap<(usize, usize), u32> = FxHashMap::default();
        for (at, access) in accesses.iter().enumerate().filter(|(_, access)| access.kind == Kind::Write) {
            let Some(&read) = self.operands.get(&(access.pc, false)) else { continue };
            let (from, to) = (self.sets.first(read), self.sets.first(at));
            if from == to {
                continue;
            }
            let count = updates.entry((from, to)).or_default();
            *count += 1;
            if *count == UPDATES {
                self.sets.join(from, to);
            }
        }
    }

    /// Finds where values begin: blocks that write the row, and those where several values may arrive.
    fn begin(&mut self) -> Option<()> {
        self.beginnings.clear();
        self.search += 1;
        let blocks = self.blocks;
        let mut work: Vec<BlockId> = self.leaving.iter().map(|&(block, _)| block).collect();
        for &(block, end) in &self.leaving {
            self.beginnings.push(Beginning { block, phi: None, end, above: None });
        }
        while let Some(block) = work.pop() {
            for &block in &blocks.frontiers[block] {
                self.step()?;
                if std::mem::replace(&mut self.has_phi[block], self.search) != self.search {
                    let phi = self.sets.add();
                    self.beginnings.push(Beginning { block, phi: Some(phi), end: phi, above: None });
                    work.push(block);
                }
            }
        }
        self.order_beginnings();
        Some(())
    }

    /// Sorts the beginnings, and finds for each the one above it.
    fn order_beginnings(&mut self) {
        let dominance = self.blocks.dominance;
        self.beginnings.sort_by_key(|beginning| dominance.number(beginning.block));
        // A block that writes the row may have a phi too.
        self.beginnings.dedup_by(|next, kept| {
            let is_same = next.block == kept.block;
            if is_same {
                let write = if kept.phi.is_none() { kept.end } else { next.end };
                (kept.phi, kept.end) = (kept.phi.or(next.phi), write);
            }
            is_same
        });
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.beginnings.len() {
            let number = dominance.number(self.beginnings[at].block);
            let dominates = |&above: &usize| dominance.below(self.beginnings[above].block).contains(&number);
            while open.last().is_some_and(|above| !dominates(above)) {
                open.pop();
            }
            self.beginnings[at].above = open.last().copied();
            open.push(at);
        }
    }

    /// Joins what arrives at blocks with the values of blocks before them.
    fn join_between_blocks(&mut self) -> Option<()> {
        let initial = self.sets.add();
        let mut is_read = vec![false; self.beginnings.len()];
        let mut work: Vec<(usize, Place)> =
            self.arriving.drain(..).map(|(block, value)| (value, Place::Start(block))).collect();
        while let Some((value, place)) = work.pop() {
            self.step()?;
            let (at, phi) = match self.held(place)? {
                Held::Initial => {
                    self.sets.join(value, initial);
                    continue;
                }
                Held::Written(written) => {
                    self.sets.join(value, written);
                    continue;
                }
                Held::Phi(at, phi) => (at, phi),
            };
            self.sets.join(value, phi);
            if std::mem::replace(&mut is_read[at], true) {
                continue;
            }
            let block = self.beginnings[at].block;
            let before = self.blocks.edges.predecessors(block);
            work.extend(before.map(|before| (phi, Place::End(before))));
            if self.blocks.above(block).is_none() {
                self.sets.join(phi, initial);
            }
        }
        Some(())
    }

    /// What the row holds at a place.
    fn held(&mut self, place: Place) -> Option<Held> {
        let block = match place {
            Place::End(block) => block,
            Place::Start(block) => {
                let own = self.last_before(block)?.filter(|&at| self.beginnings[at].block == block);
                if let Some((at, phi)) = own.and_then(|at| Some((at, self.beginnings[at].phi?))) {
                    return Some(Held::Phi(at, phi));
                }
                match self.blocks.above(block) {
                    Some(above) => above,
                    None => return Some(Held::Initial),
                }
            }
        };
        let Some(at) = self.last_before(block)? else { return Some(Held::Initial) };
        let Beginning { phi, end, .. } = self.beginnings[at];
        Some(if phi == Some(end) { Held::Phi(at, end) } else { Held::Written(end) })
    }

    /// The last of the beginnings whose block dominates a block, or is the block itself.
    fn last_before(&mut self, block: BlockId) -> Option<Option<usize>> {
        let dominance = self.blocks.dominance;
        let number = dominance.number(block);
        let count = self.beginnings.partition_point(|one| dominance.number(one.block) <= number);
        let mut found = count.checked_sub(1);
        while let Some(at) = found.filter(|&at| !dominance.below(self.beginnings[at].block).contains(&number))
        {
            self.step()?;
            found = self.beginnings[at].above;
        }
        Some(found)
    }

    /// Counts a step; `None` if there were too many.
    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }
}
