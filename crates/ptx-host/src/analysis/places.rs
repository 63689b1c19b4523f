//! Operations that the lanes of a warp reach at different instructions.
//!
//! Lanes may wait for each other at different places of a program: those that have reached an operation of the same kind with the
//! same mask execute it together (manual 9.7.9.6: the threads that the mask names execute the same instruction with the same mask). Code
//! lets lanes meet at one block only and would wait for the others forever, so that such operations are merged into one (`join.rs`):
//!
//! ```text
//! @%p bra other;  shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;  bra join;
//! other:          shfl.sync.bfly.b32 %r1, %r3, 1, 31, -1;
//! ```
//!
//! All lanes must reach an `.aligned` operation at one instruction; if they do not, both engines stop.

use std::collections::BTreeSet;

use ptx_program::{Alu, Collective, CollectiveKind, Effect, Op, Participants, Program, Src, VoteMode};

use ptx_isa::SpecialReg;

use super::gather::waits;
use super::{BlockId, Gather, Graph, Refusal, Schedule, Shape, Shapes, Terminator};

/// Why a kernel is refused whose lanes may reach an operation at different instructions.
pub const APART: &str = "lanes of a warp may reach this operation through different instructions";

/// Finds pairs of blocks with one operation at which lanes may wait at the same time; returns their instructions.
///
/// # Errors
/// The last of so many instructions at which lanes may wait at one time that their pairs are not examined.
pub(super) fn check(
    program: &Program,
    graph: &Graph,
    shapes: &Shapes,
    schedule: &Schedule,
    parts_lanes: impl Fn(BlockId) -> bool,
) -> Result<Vec<[u32; 2]>, Refusal> {
    let mut apart = Vec::new();
    let places = Places { program, graph, shapes };
    let mut seen = BTreeSet::new();
    let all = 0..graph.blocks().len();
    let meets = |&id: &BlockId| places.operation(id).is_some();
    let meeting: Vec<BlockId> = all.filter(meets).collect();
    for waiting in schedule.together(graph, &meeting, parts_lanes) {
        if let Some(&last) = waiting.last().filter(|_| waiting.len() > MOST_AT_ONCE) {
            return Err(Refusal { pc: graph.block(last).first, why: APART });
        }
        let here: Vec<_> = waiting.iter().filter_map(|&id| Some((id, places.operation(id)?))).collect();
        for (at, &(one, operation)) in here.iter().enumerate() {
            for &(other, second) in &here[at + 1..] {
                if seen.insert((one, other)) && places.may_join((one, operation), (other, second)) {
                    apart.push([one, other].map(|id| graph.block(id).first));
                }
            }
        }
    }
    Ok(apart)
}

/// The most operations at which lanes may wait at one time; each pair of them is examined.
const MOST_AT_ONCE: usize = 256;

/// The longest chain of instructions that compute a mask which is compared with another.
const DEEPEST: u32 = 8;

struct Places<'a> {
    program: &'a Program,
    graph: &'a Graph,
    shapes: &'a Shapes,
}

impl<'a> Places<'a> {
    /// The collective operation at the beginning of a block at which lanes wait for each other.
    fn operation(&self, id: BlockId) -> Option<&'a Collective> {
        let block = Some(self.graph.block(id)).filter(|block| block.gathers)?;
        waits(&self.program.code.get(block.first as usize)?.op)
    }

    /// Whether lanes that wait at two blocks may have to execute the operation together.
    fn may_join(&self, (one, a): (BlockId, &Collective), (other, b): (BlockId, &Collective)) -> bool {
        if a.kind != b.kind {
            return false;
        }
        match (a.participants, b.participants) {
            (Participants::Warp, Participants::Warp) => false,
            (Participants::Members(a), Participants::Members(b)) => {
                let differ = match (self.shapes.src(a), self.shapes.src(b)) {
                    (Shape::Constant(a), Shape::Constant(b)) => a as u32 != b as u32,
                    _ => false,
                };
                let is_for_all = self.is_for_all(one) || self.is_for_all(other);
                let takes_turns = (a == b || self.is_same(a, b, DEEPEST))
                    && !is_for_all
                    && (self.comes_first(one, other, a) || self.comes_first(other, one, a));
                !differ
                    && !takes_turns
                    && !self.holds_members(one, a, other)
                    && !self.holds_members(other, b, one)
            }
            _ => true,
        }
    }

    fn is_for_all(&self, id: BlockId) -> bool {
        self.shapes.gather(self.program, self.graph.block(id)) == Some(Gather::All)
    }

    /// Whether lanes with one mask have always executed the first block as often as the second one, or once more, so that they are never at
    /// both. Lanes with one mask leave each of the two together. The condition holds if lanes reach the two alternately, starting with the first,
    /// and the mask does not change; after an operation of all lanes the count starts anew.
    fn comes_first(&self, first: BlockId, second: BlockId, mask: Src) -> bool {
        // Three conditions: on every path from a place where all lanes start, the first block precedes the second; from each of the two, no path leads back
        // to it without the other; and the mask does not change after the first. Together they make the lanes of a mask alternate.
        let starts = (0..self.graph.blocks().len()).filter(|&id| id == 0 || self.is_for_all(id));
        let is_before = starts
            .filter(|&id| id != first)
            .all(|id| id != second && !self.reached(id, Some(first)).contains(&second));
        let by_turns = !self.reached(first, Some(second)).contains(&first)
            && !self.reached(second, Some(first)).contains(&second);
        if !is_before || !by_turns {
            return false;
        }
        let Some(row) = mask.as_register().filter(|_| !self.is_same(mask, mask, DEEPEST)) else {
            return true;
        };
        let mut after = self.reached(first, None);
        after.insert(first);
        !after.iter().any(|&id| self.block_writes(id, row))
    }

    /// Whether two sources always have the same value in a lane, which never changes: both are the same function of its lane number.
    /// Cooperative groups recompute the mask of a tile like this for each operation.
    fn is_same(&self, a: Src, b: Src, depth: u32) -> bool {
        if let (Shape::Constant(a), Shape::Constant(b)) = (self.shapes.src(a), self.shapes.src(b)) {
            return a == b;
        }
        let (Some(a), Some(b)) = (a.as_register(), b.as_register()) else { return false };
        let definition = |row: u32| {
            let (_, pc) = self.written_once(row)?;
            self.program.code.get(pc as usize).filter(|inst| inst.guard.is_none()).map(|inst| &inst.op)
        };
        let (Some(a), Some(b)) = (definition(a), definition(b)) else { return false };
        let same = |a: Src, b: Src| depth > 0 && self.is_same(a, b, depth - 1);
        match (a, b) {
            (
                Op::Effect(Effect::Special { register: SpecialReg::LaneId, .. }),
                Op::Effect(Effect::Special { register: SpecialReg::LaneId, .. }),
            ) => true,
            (
                Op::Alu(Alu::Unary { op, packing, a, .. }),
                Op::Alu(Alu::Unary { op: other, packing: others, a: from, .. }),
            ) => (op, packing) == (other, others) && same(*a, *from),
            (
                Op::Alu(Alu::Binary { op, packing, a, b, .. }),
                Op::Alu(Alu::Binary { op: other, packing: others, a: from, b: with, .. }),
            ) => (op, packing) == (other, others) && same(*a, *from) && same(*b, *with),
            _ => false,
        }
    }

    /// Whether the mask of a block was computed by an instruction that all lanes of the mask executed together, such as `vote.sync.ballot`, and all
    /// of these reach the block before they reach the other one, or compute a mask anew:
    ///
    /// ```text
    /// vote.sync.ballot.b32 %m, %p, -1;
    /// @!%p bra join;
    /// shfl.sync.bfly.b32 %r1, %r2, 1, 31, %m;    // lanes of %m have %p
    /// join: shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;
    /// ```
    ///
    /// Then lanes of the mask are at the other block only after all of them have been at the first one, together.
    fn holds_members(&self, id: BlockId, mask: Src, other: BlockId) -> bool {
        let Some(row) = mask.as_register() else { return false };
        let Some((found_in, pc)) = self.written_once(row) else { return false };
        let Some(op) = self.program.code.get(pc as usize).map(|inst| &inst.op) else { return false };
        // The row that is true in all lanes of the mask.
        let voted = match op {
            Op::Effect(Effect::ActiveMask { .. }) => None,
            Op::Effect(Effect::Collective(collective)) if collective.dsts.first() == Some(&row) => {
                match (collective.kind, &*collective.srcs) {
                    (CollectiveKind::Vote(VoteMode::Ballot), [predicate]) => predicate.as_register(),
                    (CollectiveKind::MatchAny | CollectiveKind::MatchAll, _) => None,
                    _ => return false,
                }
            }
            _ => return false,
        };
        // The blocks at which members may be between the mask and the block. At a branch on the row of the vote, members take one side; that holds as
        // long as nothing writes the row in between.
        let before = self.walk(self.ways_of(found_in, voted), |at| at == id, voted);
        let changes = |voted: u32| {
            let end = self.graph.block(found_in).end;
            self.writes(pc + 1, end, voted) || before.iter().any(|&at| self.block_writes(at, voted))
        };
        let again =
            || found_in != id && self.walk(self.ways_of(id, None), |at| at == found_in, None).contains(&id);
        !before.contains(&other) && !before.contains(&found_in) && !voted.is_some_and(changes) && !again()
    }

    /// The only instruction that writes a row, and its block.
    fn written_once(&self, row: u32) -> Option<(BlockId, u32)> {
        let mut found = None;
        for (id, block) in self.graph.blocks().iter().enumerate() {
            for pc in (block.first..block.end).filter(|&pc| self.writes(pc, pc + 1, row)) {
                if found.replace((id, pc)).is_some() {
                    return None;
                }
            }
        }
        found
    }

    /// The successors of a block for lanes in which the row `truth`, if given, is true.
    fn ways_of(&self, id: BlockId, truth: Option<u32>) -> Vec<BlockId> {
        match self.graph.block(id).terminator {
            Terminator::Branch { condition: (row, negated), taken, other } if Some(row) == truth => {
                vec![if negated { other } else { taken }]
            }
            _ => self.graph.block(id).terminator.targets(),
        }
    }

    /// The blocks that lanes reach from `work` without reaching or passing blocks at which `ends` holds.
    fn walk(
        &self,
        mut work: Vec<BlockId>,
        ends: impl Fn(BlockId) -> bool,
        truth: Option<u32>,
    ) -> BTreeSet<BlockId> {
        let mut reached = BTreeSet::new();
        while let Some(id) = work.pop() {
            if !ends(id) && reached.insert(id) {
                work.extend(self.ways_of(id, truth));
            }
        }
        reached
    }

    /// The blocks that lanes reach from the end of one, up to the next operation of all lanes, and not past `without`.
    fn reached(&self, from: BlockId, without: Option<BlockId>) -> BTreeSet<BlockId> {
        let ends = |id| Some(id) == without || self.is_for_all(id);
        self.walk(self.ways_of(from, None), ends, None)
    }

    fn block_writes(&self, id: BlockId, row: u32) -> bool {
        let block = self.graph.block(id);
        self.writes(block.first, block.end, row)
    }

    /// Whether one of these instructions writes a row.
    fn writes(&self, first: u32, end: u32, row: u32) -> bool {
        (first..end).any(|pc| self.graph.access(pc).writes.contains(&row))
    }
}
