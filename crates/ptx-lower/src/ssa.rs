//! Static single assignment: the definition that reaches each read of a register.
//!
//! [`Ssa`] is computed from the flow graph and the accesses of each statement: the value of each read, the value that each write
//! defines, and the phis of each node. It is built once, with dominance frontiers (Cytron et al.) for slots that are read in another
//! node than the one that writes them (semi-pruned form); remaining dead phis are removed afterwards.
//!
//! Slots are the locations that can be assigned: lanes of registers, the carry flag, and `.param` variables of the body
//! that are only accessed as a whole. Every assignment defines a [`ValueId`]; a phi merges several. Phis that are never
//! read are removed.

use std::collections::BTreeSet;

use ptx_ir::dominators::{FlowGraph, dominance_frontiers, immediate_dominators, iterated_frontier};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{End, Flow, NodeId};

/// A location that can be assigned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Slot(pub(crate) u32);

/// One assignment of a slot, or its initial value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ValueId(pub(crate) u32);

impl Slot {
    /// No statement accesses it, so that reading it is an error.
    pub(crate) const NOWHERE: Slot = Slot(u32::MAX);
}

impl ValueId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The origin of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Def {
    /// Read before it was written.
    Undefined,
    /// Written by the instruction at that statement.
    Statement(usize),
    /// A phi at the start of a node: one value for each predecessor.
    Phi(NodeId, Vec<(NodeId, ValueId)>),
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ValueInfo {
    pub(crate) slot: Slot,
    pub(crate) def: Def,
}

/// The slots that a statement reads and writes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Access {
    pub(crate) reads: Vec<Slot>,
    pub(crate) writes: Vec<Slot>,
    /// The guard, read before the node of the guarded instruction.
    pub(crate) guard: Option<Slot>,
}

/// The values of the slots that each statement accesses, which are few: they are found without hashing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct OfStatements {
    /// Where the entries of each statement start and end.
    ranges: Vec<(u32, u32)>,
    entries: Vec<(Slot, ValueId)>,
}

impl OfStatements {
    fn get(&self, statement: usize, slot: Slot) -> Option<ValueId> {
        let (start, end) = *self.ranges.get(statement)?;
        let own = self.entries.get(start as usize..end as usize)?;
        own.iter().find(|entry| entry.0 == slot).map(|entry| entry.1)
    }

    /// Sets the value of a slot; the entries of a statement are best added one after the other.
    fn insert(&mut self, statement: usize, slot: Slot, value: ValueId) {
        if self.ranges.len() <= statement {
            self.ranges.resize(statement + 1, (0, 0));
        }
        let (start, end) = self.ranges[statement];
        let own = start as usize..end as usize;
        if let Some(known) = self.entries[own.clone()].iter_mut().find(|entry| entry.0 == slot) {
            known.1 = value;
            return;
        }
        // The part of a statement can only grow at the end of the vector. When others follow it, it is copied there; its old entries stay as
        // garbage, which happens once for a statement at most when its entries are added one after the other.
        let mut start = start;
        if own.end != self.entries.len() {
            start = self.entries.len() as u32;
            self.entries.extend_from_within(own);
        }
        self.entries.push((slot, value));
        self.ranges[statement] = (start, self.entries.len() as u32);
    }

    fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.entries.iter().map(|entry| entry.1)
    }
}

/// The result.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Ssa {
    pub(crate) values: Vec<ValueInfo>,
    /// For each statement the values that it reads.
    reads: OfStatements,
    /// For each statement the values that it defines.
    writes: OfStatements,
    /// Phis at the start of each node, in slot order.
    pub(crate) phis: Vec<Vec<ValueId>>,
    /// The values of result slots where control falls off the end.
    falling: FxHashMap<(NodeId, Slot), ValueId>,
}

impl Ssa {
    /// The slot that a value is of.
    pub(crate) fn slot(&self, value: ValueId) -> Slot {
        match self.values.get(value.index()) {
            Some(info) => info.slot,
            None => {
                debug_assert!(false, "{value:?} is a value of another body");
                Slot::NOWHERE
            }
        }
    }

    /// The value of a slot that a statement reads.
    pub(crate) fn read(&self, statement: usize, slot: Slot) -> Option<ValueId> {
        self.reads.get(statement, slot)
    }

    /// The value that a statement defines in a slot.
    pub(crate) fn written(&self, statement: usize, slot: Slot) -> Option<ValueId> {
        self.writes.get(statement, slot)
    }

    /// The values that are read without ever being written, in order.
    pub(crate) fn unwritten(&self) -> BTreeSet<ValueId> {
        let phis = self.phis.iter().flatten().filter_map(|phi| match &self.values.get(phi.index())?.def {
            Def::Phi(_, operands) => Some(operands.iter().map(|(_, value)| *value)),
            Def::Undefined | Def::Statement(_) => None,
        });
        let taken = self.reads.values().chain(self.falling.values().copied()).chain(phis.flatten());
        taken
            .filter(|id| self.values.get(id.index()).is_some_and(|info| info.def == Def::Undefined))
            .collect()
    }

    /// The value of a result slot at a node whose control falls off the end.
    pub(crate) fn at_fall(&self, node: NodeId, slot: Slot) -> Option<ValueId> {
        self.falling.get(&(node, slot)).copied()
    }
}

/// Builds it; `results` are the slots a return reads.
pub(crate) fn build(flow: &Flow, accesses: &FxHashMap<usize, Access>, results: &[Slot]) -> Ssa {
    let dominators = Dominators::new(flow);
    let mut builder = Builder {
        flow,
        accesses,
        results,
        ssa: Ssa::default(),
        phi_slots: vec![Vec::new(); flow.nodes.len()],
        current: Current::default(),
        undefined: FxHashMap::default(),
    };
    builder.ssa.phis = vec![Vec::new(); flow.nodes.len()];
    builder.place_phis(&dominators);
    builder.rename(&dominators);
    builder.drop_dead_phis();
    builder.ssa
}

/// Statements of a node in order of execution, the one that ends it included.
fn statements(flow: &Flow, node: NodeId) -> impl Iterator<Item = usize> + '_ {
    let node = &flow.nodes[node.index()];
    let end = node.end.statement().filter(|_| !matches!(node.end, End::If { .. }));
    node.instructions.iter().copied().chain(end)
}

/// The most members of the dominance frontiers, for each node, that are kept: more nested loops than usual programs have.
const MOST_MEMBERS: usize = 64;

/// The dominator tree of the reachable nodes, and their dominance frontiers.
struct Dominators {
    /// The immediate dominator of each node that the first one reaches, itself for the first.
    parent: Vec<Option<usize>>,
    children: Vec<Vec<NodeId>>,
    /// `None` if they have too many members.
    frontiers: Option<Vec<Vec<usize>>>,
}

impl Dominators {
    fn new(flow: &Flow) -> Self {
        let parent = immediate_dominators(flow);
        let mut children = vec![Vec::new(); parent.len()];
        for node in &flow.order {
            if let Some(own) = parent[node.index()].filter(|own| *own != node.index()) {
                children[own].push(*node);
            }
        }
        let frontiers = dominance_frontiers(flow, &parent, MOST_MEMBERS * parent.len());
        Self { parent, children, frontiers }
    }

    /// The iterated dominance frontier of some nodes, in any order.
    fn iterated_frontier(&self, flow: &Flow, of: &[NodeId]) -> Vec<usize> {
        let mut work: Vec<usize> = of.iter().map(|node| node.index()).collect();
        let Some(frontiers) = &self.frontiers else {
            let is_member = iterated_frontier(flow, &self.parent, work);
            return (0..is_member.len()).filter(|at| is_member[*at]).collect();
        };
        let (mut members, mut seen) = (Vec::new(), FxHashSet::default());
        while let Some(node) = work.pop() {
            let new = frontiers[node].iter().copied().filter(|at| seen.insert(*at));
            let known = members.len();
            members.extend(new);
            work.extend_from_slice(&members[known..]);
        }
        members
    }
}

impl FlowGraph for Flow {
    fn block_count(&self) -> usize {
        self.nodes.len()
    }

    fn entry(&self) -> Option<usize> {
        self.order.first().map(|node| node.index())
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        Some(self.nodes.get(block)?.successor(at)?.index())
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.nodes.get(block).into_iter().flat_map(|node| &node.predecessors).map(|node| node.index())
    }
}

/// The current value of each slot.
#[derive(Default)]
struct Current(Vec<Option<ValueId>>);

impl Current {
    fn get(&self, slot: Slot) -> Option<ValueId> {
        self.0.get(slot.0 as usize).copied().flatten()
    }

    /// Sets the value of a slot and returns the old one.
    fn replace(&mut self, slot: Slot, value: Option<ValueId>) -> Option<ValueId> {
        let at = slot.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        std::mem::replace(&mut self.0[at], value)
    }
}

/// A slot and the value that it had before an assignment.
type Undo = (Slot, Option<ValueId>);

struct Builder<'f> {
    flow: &'f Flow,
    accesses: &'f FxHashMap<usize, Access>,
    results: &'f [Slot],
    ssa: Ssa,
    phi_slots: Vec<Vec<Slot>>,
    current: Current,
    /// The initial values that are read.
    undefined: FxHashMap<Slot, ValueId>,
}

impl Builder<'_> {
    fn new_value(&mut self, slot: Slot, def: Def) -> ValueId {
        self.ssa.values.push(ValueInfo { slot, def });
        ValueId(self.ssa.values.len() as u32 - 1)
    }

    /// Puts a phi for each slot that some node reads before writing, at the frontier of each node that writes it.
    fn place_phis(&mut self, dominators: &Dominators) {
        let mut writers: FxHashMap<Slot, Vec<NodeId>> = FxHashMap::default();
        let mut exposed: Vec<Slot> = self.results.to_vec();
        for node in &self.flow.order {
            let mut written: Vec<Slot> = Vec::new();
            let mut written_set = FxHashSet::default();
            for statement in statements(self.flow, *node) {
                let Some(access) = self.accesses.get(&statement) else { continue };
                exposed.extend(access.reads.iter().filter(|slot| !written_set.contains(*slot)));
                for slot in &access.writes {
                    if written_set.insert(*slot) {
                        written.push(*slot);
                    }
                }
            }
            if let End::If { statement, .. } = &self.flow.nodes[node.index()].end {
                let guard = self.accesses.get(statement).and_then(|access| access.guard);
                exposed.extend(guard.filter(|slot| !written_set.contains(slot)));
            }
            for slot in written {
                writers.entry(slot).or_default().push(*node);
            }
        }
        exposed.sort_unstable();
        exposed.dedup();
        // The iterated frontier: a phi is an assignment too, so its node's frontier needs one as well. Slots that are always written before they
        // are read in a node need none, which spares most of PTX's many temporaries.
        for slot in exposed {
            let Some(writers) = writers.get(&slot) else { continue };
            for at in dominators.iterated_frontier(self.flow, writers) {
                self.phi_slots[at].push(slot);
            }
        }
    }

    /// Finds the value of each read, by a walk over the dominator tree: the value of a slot at the end of a node is its value at the beginning
    /// of the nodes that it dominates, unless there is a phi.
    fn rename(&mut self, dominators: &Dominators) {
        // The walk has an explicit stack, since the tree may be as deep as the text is long. A node's assignments are undone when it is
        // left, in reverse order, so that its siblings start from the values before it.
        enum Step {
            Enter(NodeId),
            Leave(Vec<Undo>),
        }
        for node in &self.flow.order {
            for slot in std::mem::take(&mut self.phi_slots[node.index()]) {
                let phi = self.new_value(slot, Def::Phi(*node, Vec::new()));
                self.ssa.phis[node.index()].push(phi);
            }
        }
        let mut work: Vec<Step> =
            self.flow.order.first().map(|node| Step::Enter(*node)).into_iter().collect();
        while let Some(step) = work.pop() {
            let node = match step {
                Step::Enter(node) => node,
                Step::Leave(old) => {
                    for (slot, value) in old.into_iter().rev() {
                        self.current.replace(slot, value);
                    }
                    continue;
                }
            };
            let mut old = Vec::new();
            let is_entry = dominators.parent[node.index()] == Some(node.index());
            self.assign_phis(node, is_entry, &mut old);
            self.rename_statements(node, &mut old);
            self.rename_end(node);
            self.add_phi_operands(node);
            work.push(Step::Leave(old));
            work.extend(dominators.children[node.index()].iter().rev().map(|child| Step::Enter(*child)));
        }
    }

    /// Makes the phis of a node the values of their slots.
    fn assign_phis(&mut self, node: NodeId, is_entry: bool, old: &mut Vec<Undo>) {
        for phi in self.ssa.phis[node.index()].clone() {
            let slot = self.ssa.values[phi.index()].slot;
            // At the entry a phi also has the initial values as an operand.
            if is_entry {
                let before = self.undefined(slot);
                self.add_operand(phi, NodeId(u32::MAX), before);
            }
            old.push((slot, self.current.replace(slot, Some(phi))));
        }
    }

    /// Finds the values that the statements of a node read, and creates those that they write.
    fn rename_statements(&mut self, node: NodeId, old: &mut Vec<Undo>) {
        for statement in statements(self.flow, node).collect::<Vec<_>>() {
            let Some(access) = self.accesses.get(&statement) else { continue };
            // Reads before writes: `add.s32 %r1, %r1, 1` reads the old `%r1`.
            for slot in &access.reads {
                let value = self.look(*slot);
                self.ssa.reads.insert(statement, *slot, value);
            }
            for slot in &access.writes {
                let value = self.new_value(*slot, Def::Statement(statement));
                self.ssa.writes.insert(statement, *slot, value);
                old.push((*slot, self.current.replace(*slot, Some(value))));
            }
        }
    }

    /// Finds the values that the end of a node reads: its guard, or the results of the function.
    fn rename_end(&mut self, node: NodeId) {
        match self.flow.nodes[node.index()].end {
            End::If { statement, .. } => {
                if let Some(slot) = self.accesses.get(&statement).and_then(|access| access.guard) {
                    let value = self.look(slot);
                    self.ssa.reads.insert(statement, slot, value);
                }
            }
            End::FallOff => {
                for slot in self.results {
                    let value = self.look(*slot);
                    self.ssa.falling.insert((node, *slot), value);
                }
            }
            End::Goto(..) | End::Switch(..) | End::Leave(_) | End::Nowhere(_) => {}
        }
    }

    /// Gives the phis of the successors of a node their operands for it.
    fn add_phi_operands(&mut self, node: NodeId) {
        // A phi has one operand for each predecessor, also if several cases of a switch branch there: LLVM requires one entry for each of these
        // edges, but with the same value.
        let mut successors = self.flow.nodes[node.index()].successors();
        successors.sort_unstable();
        successors.dedup();
        for successor in successors {
            for phi in self.ssa.phis[successor.index()].clone() {
                let slot = self.ssa.values[phi.index()].slot;
                let value = self.look(slot);
                self.add_operand(phi, node, value);
            }
        }
    }

    fn add_operand(&mut self, phi: ValueId, from: NodeId, value: ValueId) {
        if let Def::Phi(_, operands) = &mut self.ssa.values[phi.index()].def {
            operands.push((from, value));
        }
    }

    /// The initial value of a slot.
    fn undefined(&mut self, slot: Slot) -> ValueId {
        match self.undefined.get(&slot) {
            Some(value) => *value,
            None => {
                let value = self.new_value(slot, Def::Undefined);
                self.undefined.insert(slot, value);
                value
            }
        }
    }

    /// The value that a slot has at this point of the walk.
    fn look(&mut self, slot: Slot) -> ValueId {
        match self.current.get(slot) {
            Some(value) => value,
            None => self.undefined(slot),
        }
    }

    /// Keeps the phis that some statement reads, perhaps through other phis.
    fn drop_dead_phis(&mut self) {
        // From the readers back: two phis of a loop that only read each other are dead, though each has a user.
        let mut live = vec![false; self.ssa.values.len()];
        let mut work: Vec<ValueId> =
            self.ssa.reads.values().chain(self.ssa.falling.values().copied()).collect();
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut live[value.index()], true) {
                continue;
            }
            if let Def::Phi(_, operands) = &self.ssa.values[value.index()].def {
                work.extend(operands.iter().map(|operand| operand.1));
            }
        }
        for phis in &mut self.ssa.phis {
            phis.retain(|phi| live[phi.index()]);
            phis.sort_unstable_by_key(|phi| self.ssa.values[phi.index()].slot);
        }
    }
}
