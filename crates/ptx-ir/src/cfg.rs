//! Blocks and edges of a body, derived from its statements.

use std::ops::Range;

use crate::body::{Body, Inst, Stmt};
use crate::ids::LabelId;
use crate::operand::Operand;
use ptx_graph::FlowGraph;
use ptx_isa::{ControlSem, Sem};

/// A basic block; block 0 is the entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The index into [`Cfg::blocks`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sequence of statements that are executed in order, and its successors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Indices of its statements; labels are at its start, a terminator is its last instruction.
    pub statements: Range<usize>,
    /// The successors: for a guarded branch first the target, then the fall-through; for an indexed branch the targets in the
    /// order of the list. Without a successor the thread ends or returns. Duplicates are kept.
    pub successors: Vec<BlockId>,
    /// The predecessors in order, without duplicates.
    pub predecessors: Vec<BlockId>,
    /// Whether control leaves the function after the last statement.
    pub falls_off: bool,
}

/// The control-flow graph of a body.
///
/// A block ends after every instruction whose row is a terminator (guarded or not) and before every label. A guarded
/// instruction that is not a terminator does not end its block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cfg {
    /// The blocks in the order of the text.
    pub blocks: Vec<Block>,
    label_blocks: Vec<Option<BlockId>>,
}

impl Cfg {
    /// Derives the graph. A branch to a label that the body does not define has no edge.
    pub fn new(body: &Body) -> Self {
        let mut cfg = Self { blocks: Vec::new(), label_blocks: vec![None; body.labels.len()] };
        cfg.split(body);
        cfg.connect(body);
        cfg
    }

    /// The block that a label starts.
    pub fn block_of(&self, label: LabelId) -> Option<BlockId> {
        self.label_blocks.get(label.0 as usize).copied().flatten()
    }

    /// The index of the first statement of a block that is an instruction.
    pub fn first_inst(&self, body: &Body, block: BlockId) -> Option<usize> {
        let mut statements = self.blocks[block.index()].statements.clone();
        statements.find(|at| matches!(body.statements.get(*at), Some(Stmt::Inst(_))))
    }

    /// The last instruction of a block, if it is a terminator.
    pub fn terminator<'b>(&self, body: &'b Body, block: BlockId) -> Option<&'b Inst> {
        let range = self.blocks[block.index()].statements.clone();
        let last = body.statements[range].iter().rev().find_map(|stmt| match stmt {
            Stmt::Inst(inst) => Some(inst),
            _ => None,
        });
        last.filter(|inst| inst.mnemonic.effects().terminator)
    }

    /// The blocks reachable from the entry, in reverse post-order.
    pub fn reverse_post_order(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut stack = Vec::new();
        if !self.blocks.is_empty() {
            seen[0] = true;
            stack.push((BlockId(0), 0));
        }
        while let Some((block, next)) = stack.pop() {
            match self.blocks[block.index()].successors.get(next) {
                Some(&successor) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[successor.index()], true) {
                        stack.push((successor, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }

    fn split(&mut self, body: &Body) {
        let mut start = 0;
        let mut has_code = false;
        for (at, stmt) in body.statements.iter().enumerate() {
            match stmt {
                Stmt::Label(label) => {
                    if has_code {
                        self.push(start..at);
                        (start, has_code) = (at, false);
                    }
                    let here = BlockId(self.blocks.len() as u32);
                    if let Some(place) = self.label_blocks.get_mut(label.0 as usize) {
                        *place = Some(here);
                    }
                }
                Stmt::Inst(inst) => {
                    has_code = true;
                    if inst.mnemonic.effects().terminator {
                        self.push(start..at + 1);
                        (start, has_code) = (at + 1, false);
                    }
                }
                _ => {}
            }
        }
        // A last block is needed for remaining code, for a label, and for the fall-through of a guarded terminator.
        self.push(start..body.statements.len());
    }

    fn push(&mut self, statements: Range<usize>) {
        let (successors, predecessors) = (Vec::new(), Vec::new());
        self.blocks.push(Block { statements, successors, predecessors, falls_off: false });
    }

    fn connect(&mut self, body: &Body) {
        for at in 0..self.blocks.len() {
            let here = BlockId(at as u32);
            let next = (at + 1 < self.blocks.len()).then_some(BlockId(at as u32 + 1));
            let (mut successors, falls) = match self.terminator(body, here) {
                Some(inst) => (self.targets(body, inst), inst.guard.is_some()),
                None => (Vec::new(), true),
            };
            if falls {
                successors.extend(next);
            }
            for successor in &successors {
                let predecessors = &mut self.blocks[successor.index()].predecessors;
                if predecessors.last() != Some(&here) {
                    predecessors.push(here);
                }
            }
            self.blocks[at].falls_off = falls && next.is_none();
            self.blocks[at].successors = successors;
        }
    }

    fn targets(&self, body: &Body, inst: &Inst) -> Vec<BlockId> {
        let labels: Vec<LabelId> = match (inst.mnemonic.sem(), body.operands(inst)) {
            (Sem::Control(ControlSem::Bra), [Operand::Label(label)]) => vec![*label],
            (Sem::Control(ControlSem::BrxIdx), [_, Operand::Label(list)]) => branch_targets(body, *list),
            _ => Vec::new(),
        };
        labels.into_iter().filter_map(|label| self.block_of(label)).collect()
    }
}

impl FlowGraph for Cfg {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&self) -> Option<usize> {
        (!self.blocks.is_empty()).then_some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.blocks.get(block)?.successors.get(at).map(|id| id.index())
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.blocks.get(block).into_iter().flat_map(|block| &block.predecessors).map(|id| id.index())
    }
}

/// The labels of the `.branchtargets` list with this label, in order.
pub fn branch_targets(body: &Body, list: LabelId) -> Vec<LabelId> {
    let found = body.statements.iter().find_map(|stmt| match stmt {
        Stmt::BranchTargets(label, targets) if *label == list => Some(targets),
        _ => None,
    });
    debug_assert!(found.is_some(), "a label without `.branchtargets`");
    found.into_iter().flatten().map(|target| target.label).collect()
}
