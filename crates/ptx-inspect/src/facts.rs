//! What is known of values, as data.

use ptx_ir::Operand;
use ptx_isa::{ControlSem, Sem};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::divergence::{Divergence, Level, Reason};
use crate::memory::AddressForm;
use crate::ssa::{Origin, ValueId};

/// The threads for which a value is the same, or how it differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The same for all threads of a block.
    Block,
    /// The same for all threads of a warp.
    Warp,
    /// A sum of what is the same for a warp and multiples of indices of the thread.
    Affine,
    /// Different in another way.
    Divergent,
}

/// A reason, or a step to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Why {
    /// The line of the instruction; 0 of what was there when the function began.
    pub line: u32,
    /// The instruction, or what else it is.
    pub text: String,
}

/// What a statement writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ValueFact {
    /// The line of the statement.
    pub line: u32,
    /// The register.
    pub register: String,
    /// For which threads it is the same.
    pub class: Class,
    /// The value as a sum, if it is one of other things than itself.
    pub form: Option<String>,
    /// Where the difference comes from: first the statement, last the source. Empty for what is the same for a block.
    pub why: Vec<Why>,
}

/// A branch with a condition, or by an index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BranchFact {
    /// Its line.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// For which threads it goes the same way.
    pub level: Level,
    /// Where the difference comes from.
    pub why: Vec<Why>,
}

/// Which values of a function are the same for which threads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DivergenceFacts {
    /// The branches, in the order of the text.
    pub branches: Vec<BranchFact>,
    /// What statements write, in the order of the text.
    pub values: Vec<ValueFact>,
}

/// So many steps to a reason are told; those in the middle are left out.
const MOST_STEPS: usize = 16;
/// Longer ways are not followed to their end.
const MOST_FOLLOWED: usize = 500;

impl Divergence<'_, '_, '_> {
    pub(crate) fn facts(&self) -> DivergenceFacts {
        let code = self.values.code;
        let mut facts = DivergenceFacts::default();
        for (at, inst) in code.body.instructions() {
            if !code.is_reached(code.block_of(at)) {
                continue;
            }
            for value in &self.values.ssa.writes[at] {
                facts.values.push(self.fact(*value, code.line(at)));
            }
            let is_indexed = inst.mnemonic.sem() == Sem::Control(ControlSem::BrxIdx);
            if inst.mnemonic.effects().terminator && (inst.guard.is_some() || is_indexed) {
                let level = self.branch(code.block_of(at));
                let condition = match (inst.guard, code.body.operands(inst).first()) {
                    (Some(guard), _) => self.values.ssa.read(at, guard.register),
                    (None, Some(Operand::Register(register))) => self.values.ssa.read(at, *register),
                    _ => None,
                };
                let cause = condition.filter(|_| level > Level::Block);
                let why = cause.into_iter().flat_map(|of| self.why(of)).collect();
                facts.branches.push(BranchFact {
                    line: code.line(at),
                    instruction: code.text(inst),
                    level,
                    why,
                });
            }
        }
        facts
    }

    fn fact(&self, value: ValueId, line: u32) -> ValueFact {
        let sum = self.values.of(value);
        let level = self.level(value);
        let has_form = sum.as_atom() != Some(crate::polynomial::Atom::Value(value));
        let class = match level {
            Level::Block => Class::Block,
            Level::Warp => Class::Warp,
            Level::Thread if has_form && self.form(sum) == AddressForm::Affine => Class::Affine,
            Level::Thread => Class::Divergent,
        };
        ValueFact {
            line,
            register: self.values.code.register(self.values.ssa.value(value).register),
            class,
            form: has_form.then(|| self.values.text(sum)),
            why: if level > Level::Block { self.why(value) } else { Vec::new() },
        }
    }

    /// The way to the source of a difference.
    fn why(&self, value: ValueId) -> Vec<Why> {
        let (mut way, mut seen) = (vec![value], FxHashSet::from_iter([value]));
        while let Some(Reason::Of(other)) = way.last().map(|last| self.reason(*last))
            && way.len() < MOST_FOLLOWED
            && seen.insert(other)
        {
            way.push(other);
        }
        let is_told = |at: usize| at < MOST_STEPS / 2 || at + MOST_STEPS / 2 >= way.len();
        let told = way.iter().enumerate().filter(|(at, _)| is_told(*at));
        let mut why: Vec<Why> = told.filter_map(|(_, value)| self.step(*value)).collect();
        if let Some(last) = way.last() {
            let register = self.values.code.register(self.values.ssa.value(*last).register);
            match self.reason(*last) {
                Reason::Parted(at) => {
                    why.push(self.statement_with(at, &format!("{register} depends on the way from ")));
                }
                Reason::Left(at) => {
                    why.push(self.statement_with(at, "threads leave a loop at different times by "));
                }
                Reason::Of(_) | Reason::Statement | Reason::Entry => {}
            }
        }
        why
    }

    /// Where a value is made. What is met is told by what comes next.
    fn step(&self, value: ValueId) -> Option<Why> {
        match &self.values.ssa.value(value).origin {
            Origin::Statement { at, .. } => Some(self.statement_with(*at, "")),
            Origin::Entry => {
                let register = self.values.code.register(self.values.ssa.value(value).register);
                Some(Why { line: 0, text: format!("{register} when the function begins") })
            }
            Origin::Meet { .. } => None,
        }
    }

    fn statement_with(&self, at: usize, what: &str) -> Why {
        let code = self.values.code;
        let text = code.instruction(at).map(|(_, inst)| code.text(inst));
        Why { line: code.line(at), text: text.into_iter().fold(what.to_owned(), |all, text| all + &text) }
    }
}
