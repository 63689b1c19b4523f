//! Control flow with explicit guards: a guarded instruction is in a separate node.
//!
//! [`Flow::new`] splits a body into nodes of straight-line code, in the order of the text, with their edges, and computes a reverse post-order
//! of the reachable ones.

use ptx_ir::cfg::{BlockId, Cfg, branch_targets};
use ptx_ir::{Body, Guard, Inst, LabelId, Operand, Stmt};
use ptx_isa::{ControlSem, Sem};

/// A node of the graph; node 0 is the entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How control leaves a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// To another node; the statement is a `bra`, or there is none.
    Goto(NodeId, Option<usize>),
    /// To `yes` if the guard is true, else to `no`; the statement is the guarded one.
    If { guard: Guard, statement: usize, yes: NodeId, no: NodeId },
    /// To one of several nodes, by the index of the `brx.idx`.
    Switch(usize, Vec<NodeId>),
    /// By an instruction that ends the thread or returns.
    Leave(usize),
    /// By falling off the end of the body.
    FallOff,
    /// A branch that has no target in this body; the verifier rejects such bodies.
    Nowhere(usize),
}

impl End {
    /// The statement that determines the successor, including the guarded one of [`End::If`], which its node `yes` executes.
    pub(crate) fn statement(&self) -> Option<usize> {
        match *self {
            End::Goto(_, statement) => statement,
            End::If { statement, .. }
            | End::Switch(statement, _)
            | End::Leave(statement)
            | End::Nowhere(statement) => Some(statement),
            End::FallOff => None,
        }
    }
}

/// Instructions that run one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// Statement indices of the instructions, without the one that ends the node.
    pub(crate) instructions: Vec<usize>,
    pub(crate) end: End,
    /// The reachable predecessors, each once.
    pub(crate) predecessors: Vec<NodeId>,
    /// Whether the entry reaches it.
    pub(crate) reachable: bool,
    /// Whether the node has a `nounroll` pragma.
    pub(crate) nounroll: bool,
    /// The labels that it begins with.
    pub(crate) labels: Vec<LabelId>,
}

impl Node {
    /// The successor at index `at` of [`Node::successors`].
    pub(crate) fn successor(&self, at: usize) -> Option<NodeId> {
        match (&self.end, at) {
            (End::Goto(to, _), 0) | (End::If { yes: to, .. }, 0) | (End::If { no: to, .. }, 1) => Some(*to),
            (End::Switch(_, targets), at) => targets.get(at).copied(),
            (End::Goto(..) | End::If { .. } | End::Leave(_) | End::FallOff | End::Nowhere(_), _) => None,
        }
    }

    /// The successors, including repeated ones.
    pub(crate) fn successors(&self) -> Vec<NodeId> {
        match &self.end {
            End::Goto(to, _) => vec![*to],
            End::If { yes, no, .. } => vec![*yes, *no],
            End::Switch(_, targets) => targets.clone(),
            End::Leave(_) | End::FallOff | End::Nowhere(_) => Vec::new(),
        }
    }
}

/// The graph of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Flow {
    /// The nodes in the order of the text.
    pub(crate) nodes: Vec<Node>,
    /// The reachable nodes in reverse post-order.
    pub(crate) order: Vec<NodeId>,
}

/// The instruction at a statement index.
pub(crate) fn instruction(body: &Body, statement: usize) -> Option<&Inst> {
    match body.statements.get(statement) {
        Some(Stmt::Inst(inst)) => Some(inst),
        _ => None,
    }
}

impl Flow {
    pub(crate) fn new(body: &Body, strings: &ptx_ir::Strings) -> Self {
        let cfg = Cfg::new(body);
        let first = first_nodes(body, &cfg);
        let mut flow = Self { nodes: Vec::new(), order: Vec::new() };
        for (index, block) in cfg.blocks.iter().enumerate() {
            let next = first.get(index + 1).copied();
            let mut node = empty_node();
            for statement in block.statements.clone() {
                if let Some(Stmt::Label(label)) = body.statements.get(statement) {
                    node.labels.push(*label);
                }
                if let Some(Stmt::Pragma(texts)) = body.statements.get(statement) {
                    node.nounroll |= texts.iter().any(|text| strings.get(*text) == "nounroll");
                }
                let Some(inst) = instruction(body, statement) else { continue };
                let terminator = inst.mnemonic.effects().terminator;
                match (inst.guard, terminator) {
                    (None, false) => node.instructions.push(statement),
                    (Some(guard), false) => {
                        let here = flow.nodes.len() as u32;
                        let (yes, no) = (NodeId(here + 1), NodeId(here + 2));
                        node.end = End::If { guard, statement, yes, no };
                        flow.nodes.push(node);
                        let mut own = empty_node();
                        own.instructions.push(statement);
                        own.end = End::Goto(no, None);
                        flow.nodes.push(own);
                        node = empty_node();
                    }
                    (None, true) => node.end = leave(body, &cfg, &first, inst, statement),
                    (Some(guard), true) => {
                        let end = leave(body, &cfg, &first, inst, statement);
                        let no = next.unwrap_or(NodeId(u32::MAX));
                        if let End::Goto(yes, _) = end {
                            node.end = End::If { guard, statement, yes, no };
                        } else {
                            let yes = NodeId(flow.nodes.len() as u32 + 1);
                            node.end = End::If { guard, statement, yes, no };
                            flow.nodes.push(node);
                            node = empty_node();
                            node.end = end;
                        }
                    }
                }
            }
            if node.end == End::FallOff {
                node.end = next.map_or(End::FallOff, |next| End::Goto(next, None));
            }
            flow.nodes.push(node);
        }
        flow.close_open_falls();
        flow.find_order();
        flow
    }

    /// A guarded terminator at the very end falls off the end: adds a node for that.
    fn close_open_falls(&mut self) {
        let last = NodeId(self.nodes.len() as u32);
        let mut needed = false;
        for node in &mut self.nodes {
            if let End::If { no, .. } = &mut node.end
                && no.0 == u32::MAX
            {
                *no = last;
                needed = true;
            }
        }
        if needed {
            self.nodes.push(empty_node());
        }
    }

    /// Finds the reachable nodes, their order and their predecessors.
    fn find_order(&mut self) {
        // Depth first, with an explicit stack: a body may be one chain of a million nodes. Each entry has the number of the successor that is next;
        // a node without one left is finished, and the order is that of finishing, reversed.
        let mut stack = vec![(NodeId(0), 0)];
        if let Some(entry) = self.nodes.first_mut() {
            entry.reachable = true;
        } else {
            return;
        }
        while let Some((id, next)) = stack.pop() {
            let Some(successor) = self.nodes[id.index()].successor(next) else {
                self.order.push(id);
                continue;
            };
            stack.push((id, next + 1));
            if let Some(node) = self.nodes.get_mut(successor.index())
                && !node.reachable
            {
                node.reachable = true;
                stack.push((successor, 0));
            }
        }
        self.order.reverse();
        for at in 0..self.nodes.len() {
            if !self.nodes[at].reachable {
                continue;
            }
            for successor in self.nodes[at].successors() {
                let Some(node) = self.nodes.get_mut(successor.index()) else { continue };
                // Nodes are visited in order, so a repeated edge (both sides of a branch, cases of a switch) repeats the last entry.
                if node.predecessors.last() != Some(&NodeId(at as u32)) {
                    node.predecessors.push(NodeId(at as u32));
                }
            }
        }
    }
}

fn empty_node() -> Node {
    Node {
        instructions: Vec::new(),
        end: End::FallOff,
        predecessors: Vec::new(),
        reachable: false,
        nounroll: false,
        labels: Vec::new(),
    }
}

/// The first node of each block: guards split blocks into more nodes.
fn first_nodes(body: &Body, cfg: &Cfg) -> Vec<NodeId> {
    let mut first = Vec::with_capacity(cfg.blocks.len());
    let mut count = 0;
    for block in &cfg.blocks {
        first.push(NodeId(count));
        count += 1;
        for inst in block.statements.clone().filter_map(|statement| instruction(body, statement)) {
            let branch = inst.mnemonic.sem() == Sem::Control(ControlSem::Bra);
            count += match (inst.guard.is_some(), inst.mnemonic.effects().terminator) {
                (true, false) => 2,
                (true, true) if !branch => 1,
                _ => 0,
            };
        }
    }
    first
}

/// How an unguarded terminator leaves its node.
fn leave(body: &Body, cfg: &Cfg, first: &[NodeId], inst: &Inst, statement: usize) -> End {
    let node_of = |block: BlockId| first.get(block.index()).copied();
    match (inst.mnemonic.sem(), body.operands(inst)) {
        (Sem::Control(ControlSem::Bra), [Operand::Label(label)]) => {
            match cfg.block_of(*label).and_then(node_of) {
                Some(target) => End::Goto(target, Some(statement)),
                None => End::Nowhere(statement),
            }
        }
        (Sem::Control(ControlSem::BrxIdx), [_, Operand::Label(list)]) => {
            let labels = branch_targets(body, *list);
            let count = labels.len();
            let targets: Vec<NodeId> =
                labels.into_iter().filter_map(|label| cfg.block_of(label).and_then(node_of)).collect();
            if targets.len() == count && count > 0 {
                End::Switch(statement, targets)
            } else {
                End::Nowhere(statement)
            }
        }
        (Sem::Control(ControlSem::Bra | ControlSem::BrxIdx), _) => End::Nowhere(statement),
        _ => End::Leave(statement),
    }
}
