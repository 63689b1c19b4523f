//! The cover of a function, and what the rules know while they make it.

use std::rc::Rc;

use ptx_llvm::view::{InstId, Op, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::decision::{Action, CallPieces, Decision, LowBits, Match};
use super::uses::Uses;
use crate::context::ModuleContext;
use crate::flow::Flow;
use crate::per_inst::PerInst;
use crate::signature::Signature;
use crate::source::Source;

/// What becomes of each instruction of a function.
#[derive(Debug)]
pub(crate) struct Cover<'v> {
    source: Source<'v>,
    /// Instructions without a decision are emitted as what they are.
    decisions: PerInst<Decision>,
    pub(crate) uses: Uses,
    /// Parameters of which only the low bits are read.
    pub(crate) parameters: HashMap<usize, LowBits>,
}

impl<'v> Cover<'v> {
    pub(super) fn new(source: Source<'v>, uses: Uses) -> Self {
        let decisions = PerInst::new(source.function.insts.len());
        Self { source, decisions, uses, parameters: HashMap::default() }
    }

    pub(crate) fn decision(&self, id: InstId) -> Option<&Decision> {
        self.decisions.get(id)
    }

    /// What is emitted in an instruction's place, or otherwise than usual.
    pub(crate) fn action(&self, id: InstId) -> Option<&Action> {
        match self.decisions.get(id)? {
            Decision::Emit(found) => Some(&found.action),
            Decision::Folded | Decision::Absorbed(_) => None,
        }
    }

    /// Whether others do an instruction's work, or a text is in its place.
    pub(crate) fn is_taken(&self, id: InstId) -> bool {
        match self.decisions.get(id) {
            None => false,
            Some(Decision::Folded | Decision::Absorbed(_)) => true,
            Some(Decision::Emit(found)) => {
                matches!(found.action, Action::Text(_) | Action::LoadParameter(_) | Action::ResultInPlace)
            }
        }
    }

    /// Whether what an instruction reads may not be computed.
    pub(crate) fn is_opaque(&self, id: InstId) -> bool {
        match self.decisions.get(id) {
            None | Some(Decision::Folded) => false,
            Some(Decision::Absorbed(_)) => true,
            Some(Decision::Emit(found)) => {
                matches!(found.action, Action::Text(_) | Action::LoadParameter(_))
            }
        }
    }

    /// What a value is computed by, where it is computed as LLVM has it.
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

    /// Whether an `insertvalue` leaves what was there.
    pub(crate) fn skips_field(&self, id: InstId) -> bool {
        matches!(self.action(id), Some(Action::SkipField))
    }
}

/// The state of the rules.
pub(crate) struct Covering<'a, 'v, 'c> {
    pub(super) source: Source<'v>,
    pub(super) module: &'a mut ModuleContext<'v, 'c>,
    pub(super) signature: &'a Signature,
    pub(super) flow: &'a Flow,
    pub(super) cover: Cover<'v>,
    /// What texts read: it must be there as it is.
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

    /// Decides about one instruction.
    pub(super) fn decide(&mut self, id: InstId, decision: Decision) {
        self.cover.decisions.insert(id, decision);
    }

    /// An instruction has no code of its own; one that a text or a load gives stays with that.
    pub(super) fn fold(&mut self, id: InstId) {
        if !self.cover.is_taken(id) {
            self.decide(id, Decision::Folded);
        }
    }

    /// An instruction is emitted in another way; it reads what it read.
    pub(super) fn emit(&mut self, id: InstId, action: Action) {
        self.decide(id, Decision::Emit(Rc::new(Match { action, reads: self.source.operands(id).into() })));
    }

    /// Puts what a rule found in the place of an instruction: counts what that reads, and releases the operands.
    pub(super) fn replace(&mut self, id: InstId, found: Match) {
        for value in &found.reads {
            self.cover.uses.take(*value);
        }
        let operands = self.source.operands(id);
        self.decide(id, Decision::Emit(Rc::new(found)));
        self.release_all(operands);
    }

    /// Takes one use from each value; what has no other and no effect is not computed.
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
