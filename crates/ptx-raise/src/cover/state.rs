//! The cover of a function, and the state of the rules while they compute it.

use std::rc::Rc;

use ptx_llvm_core::view::{InstId, Op, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::decision::{Action, CallPieces, Decision, LowBits, Match};
use super::uses::Uses;
use crate::context::ModuleContext;
use crate::flow::Flow;
use crate::per_inst::PerInst;
use crate::signature::Signature;
use crate::source_function::SourceFunction;

/// The decisions about the instructions of a function.
#[derive(Debug)]
pub(crate) struct Cover<'v> {
    source: SourceFunction<'v>,
    /// Instructions without a decision are emitted as themselves.
    decisions: PerInst<Decision>,
    pub(crate) uses: Uses,
    /// Parameters of which only the low bits are read.
    pub(crate) parameters: HashMap<usize, LowBits>,
}

impl<'v> Cover<'v> {
    pub(super) fn new(source: SourceFunction<'v>, uses: Uses) -> Self {
        let decisions = PerInst::new(source.function.insts.len());
        Self { source, decisions, uses, parameters: HashMap::default() }
    }

    pub(crate) fn decision(&self, id: InstId) -> Option<&Decision> {
        self.decisions.get(id)
    }

    /// The action that replaces an instruction, or changes its emission.
    pub(crate) fn action(&self, id: InstId) -> Option<&Action> {
        match self.decisions.get(id)? {
            Decision::Emit(found) => Some(&found.action),
            Decision::Folded | Decision::Absorbed(_) => None,
        }
    }

    /// Whether an instruction is computed by others, or replaced by a text.
    pub(crate) fn is_taken(&self, id: InstId) -> bool {
        match self.decisions.get(id) {
            None => false,
            Some(Decision::Folded | Decision::Absorbed(_)) => true,
            Some(Decision::Emit(found)) => {
                matches!(found.action, Action::Text(_) | Action::LoadParameter(_) | Action::ResultInPlace)
            }
        }
    }

    /// Whether the operands of an instruction may not be computed.
    pub(crate) fn is_opaque(&self, id: InstId) -> bool {
        match self.decisions.get(id) {
            None | Some(Decision::Folded) => false,
            Some(Decision::Absorbed(_)) => true,
            Some(Decision::Emit(found)) => {
                matches!(found.action, Action::Text(_) | Action::LoadParameter(_))
            }
        }
    }

    /// The operation that computes a value, if it is computed as in LLVM IR.
    pub(crate) fn plain_op(&self, value: Value) -> Option<&'v Op> {
        match value {
            Value::Inst(id) if !self.is_taken(id) && !self.source.is_own_register(id) => {
                Some(self.source.op(id))
            }
            _ => None,
        }
    }

    /// The pieces that a call passes and receives.
    pub(crate) fn call_pieces(&self, id: InstId) -> Option<&CallPieces> {
        match self.action(id)? {
            Action::CallByPieces(pieces) => Some(pieces),
            _ => None,
        }
    }

    /// Whether a phi has its bytes in words.
    pub(crate) fn is_word_phi(&self, id: InstId) -> bool {
        matches!(self.action(id), Some(Action::WordPhi))
    }

    /// Whether an `insertvalue` leaves the old value.
    pub(crate) fn skips_field(&self, id: InstId) -> bool {
        matches!(self.action(id), Some(Action::SkipField))
    }
}

/// The state of the rules.
pub(crate) struct Covering<'a, 'v, 'c> {
    pub(super) source: SourceFunction<'v>,
    pub(super) module: &'a mut ModuleContext<'v, 'c>,
    pub(super) signature: &'a Signature,
    pub(super) flow: &'a Flow,
    pub(super) cover: Cover<'v>,
    /// The operands of texts, which must be computed as they are.
    pub(super) text_inputs: HashSet<Value>,
}

impl Covering<'_, '_, '_> {
    /// Every instruction that control can reach, in the order of the text.
    pub(super) fn insts(&self) -> Vec<InstId> {
        self.flow.insts(self.source).collect()
    }

    /// Whether a decision about an instruction was made.
    pub(super) fn is_decided(&self, id: InstId) -> bool {
        self.cover.decisions.contains(id)
    }

    /// Sets the decision about one instruction.
    pub(super) fn decide(&mut self, id: InstId, decision: Decision) {
        self.cover.decisions.insert(id, decision);
    }

    /// An instruction is computed by others; one that a text or a load computes keeps that decision.
    pub(super) fn fold(&mut self, id: InstId) {
        if !self.cover.is_taken(id) {
            self.decide(id, Decision::Folded);
        }
    }

    /// An instruction is emitted in another way, with the same operands.
    pub(super) fn emit(&mut self, id: InstId, action: Action) {
        self.decide(id, Decision::Emit(Rc::new(Match { action, reads: self.source.operands(id).into() })));
    }

    /// Replaces an instruction by the match of a rule: counts the values that it reads, and releases the operands.
    pub(super) fn replace(&mut self, id: InstId, found: Match) {
        for value in &found.reads {
            self.cover.uses.take(*value);
        }
        let operands = self.source.operands(id);
        self.decide(id, Decision::Emit(Rc::new(found)));
        self.release_all(operands);
    }

    /// Removes one use from each value; instructions without other uses and without effects are not computed.
    fn release_all(&mut self, mut unused: Vec<Value>) {
        while let Some(value) = unused.pop() {
            let Value::Inst(id) = value else { continue };
            if self.cover.uses.release(id) > 0 || !self.is_pure(id) || self.cover.is_taken(id) {
                continue;
            }
            match self.cover.decision(id) {
                Some(Decision::Emit(found)) => unused.extend(found.reads.iter().copied()),
                Some(Decision::Folded | Decision::Absorbed(_)) | None => {
                    unused.extend(self.source.operands(id));
                }
            }
            self.decide(id, Decision::Folded);
        }
    }

    /// Whether an instruction may be left out when nothing reads its result: those that rules look through.
    fn is_pure(&self, id: InstId) -> bool {
        match self.source.op(id) {
            Op::Binary { .. } | Op::Cast { .. } | Op::ICmp { .. } | Op::Select { .. } => true,
            Op::Call(call) => self.source.callee(call).is_some_and(|own| own.name == "llvm.sqrt.f32"),
            _ => false,
        }
    }
}
