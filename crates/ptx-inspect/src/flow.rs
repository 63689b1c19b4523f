//! Blocks, branches, dominators and loops.

use ptx_isa::{ControlSem, Sem};
use serde::Serialize;

use crate::trips::Trips;
use crate::values::Values;

/// When an edge is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// Always, or as an index selects it.
    Only,
    /// If the condition of a branch holds.
    Taken,
    /// If it does not.
    Next,
}

/// An edge to another block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Edge {
    /// The number of the block.
    pub to: usize,
    /// When it is taken.
    pub kind: EdgeKind,
}

/// A block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Block {
    /// Its number, in the order of the text.
    pub number: usize,
    /// Its first label.
    pub label: Option<String>,
    /// The lines of its first and its last instruction; 0 without any.
    pub lines: [u32; 2],
    /// How many instructions it has.
    pub instructions: u32,
    /// Whether the entry reaches it.
    pub is_reached: bool,
    /// The blocks after it.
    pub edges: Vec<Edge>,
    /// The last other block that is on all ways to it.
    pub dominator: Option<usize>,
    /// The innermost loop that it is in.
    pub r#loop: Option<usize>,
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LoopFacts {
    /// Its number; outer loops come before those in them.
    pub number: usize,
    /// The line of the first instruction of its header.
    pub line: u32,
    /// The block that all ways into it go to.
    pub header: usize,
    /// The blocks that go back to the header.
    pub latches: Vec<usize>,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// The edges that leave it, each as two blocks.
    pub exits: Vec<[usize; 2]>,
    /// The loop around it.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: usize,
    /// How often it is executed each time it is entered, if that is a constant.
    pub trips: Option<u64>,
    /// The same as a term of what is known when it is entered.
    pub trips_term: Option<String>,
    /// Whether another exit may end it before.
    pub may_end_before: bool,
}

/// The control flow of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Flow {
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// Its loops: those of which all ways in go to one block.
    pub loops: Vec<LoopFacts>,
    /// Whether there are cycles that are none of the loops: with several ways in, or nested more than 200 deep, where no loop is listed.
    pub has_other_cycles: bool,
}

impl Values<'_, '_> {
    pub(crate) fn flow(&self) -> Flow {
        let code = self.code;
        // What is after the last instruction is a block without any.
        let is_shown = |block: &usize| code.is_reached(*block) || code.instructions(*block).next().is_some();
        Flow {
            blocks: (0..code.cfg.blocks.len()).filter(is_shown).map(|block| self.block(block)).collect(),
            loops: (0..code.loops.all.len()).map(|number| self.loop_facts(number)).collect(),
            has_other_cycles: code.loops.has_others,
        }
    }

    fn block(&self, number: usize) -> Block {
        let code = self.code;
        let lines: Vec<u32> = code.instructions(number).map(|(at, _)| code.line(at)).collect();
        let is_branch = code.terminator(number).is_some_and(|(_, inst)| {
            inst.guard.is_some() && inst.mnemonic.sem() == Sem::Control(ControlSem::Bra)
        });
        let kind = |at: usize| match (is_branch, at) {
            (false, _) => EdgeKind::Only,
            (true, 0) => EdgeKind::Taken,
            (true, _) => EdgeKind::Next,
        };
        Block {
            number,
            label: code.label(number).map(str::to_owned),
            lines: match (lines.first(), lines.last()) {
                (Some(first), Some(last)) => [*first, *last],
                _ => [0, 0],
            },
            instructions: lines.len() as u32,
            is_reached: code.is_reached(number),
            edges: code.successors(number).enumerate().map(|(at, to)| Edge { to, kind: kind(at) }).collect(),
            dominator: code.immediate[number].filter(|above| *above != number),
            r#loop: code.loops.around(number).next(),
        }
    }

    pub(crate) fn loop_facts(&self, number: usize) -> LoopFacts {
        let own = &self.code.loops.all[number];
        let (trips, may_end_before) = self.trips(number);
        let (count, term) = match trips {
            Trips::Known(count) => (Some(count), None),
            Trips::Term(term) => (None, Some(term)),
            Trips::Unknown => (None, None),
        };
        LoopFacts {
            number,
            line: self.code.block_line(own.header),
            header: own.header,
            latches: own.latches.clone(),
            blocks: own.blocks.clone(),
            exits: own.exits.iter().map(|(from, to)| [*from, *to]).collect(),
            parent: own.parent,
            depth: own.depth,
            trips: count,
            trips_term: term,
            may_end_before,
        }
    }
}
