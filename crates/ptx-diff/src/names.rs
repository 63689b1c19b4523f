//! Names that are local to a function, and which of one function are which of another.

use ptx_ir::{AddressBase, Body, LabelId, Operand, RegId, Stmt, Symbol, VarId};
use rustc_hash::FxHashMap;

use crate::anonymous::variables_of;
use crate::key::Keys;

/// Something with a name that is local to a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Name {
    Register(RegId),
    Label(LabelId),
    Variable(VarId),
}

/// The local names in a statement, in the order of its text.
pub(crate) fn names(keys: &Keys<'_>, body: &Body, statement: &Stmt) -> Vec<Name> {
    let mut found = Vec::new();
    match statement {
        Stmt::Inst(inst) => {
            found.extend(inst.guard.map(|guard| Name::Register(guard.register)));
            body.for_each_operand(inst, |operand, _| found.extend(name(keys, operand)));
        }
        Stmt::Label(label) | Stmt::CallTargets(label, _) | Stmt::CallPrototype(label, _) => {
            found.push(Name::Label(*label));
        }
        Stmt::BranchTargets(label, targets) => {
            found.push(Name::Label(*label));
            found.extend(targets.iter().map(|target| Name::Label(target.label)));
        }
        Stmt::Variable(id) => {
            found.push(Name::Variable(*id));
            let mut others = Vec::new();
            if let Some(init) = &keys.module().variable(*id).init {
                variables_of(init, &mut others);
            }
            found.extend(others.into_iter().filter(|id| !keys.is_global(*id)).map(Name::Variable));
        }
        Stmt::Registers(..)
        | Stmt::ScopeStart
        | Stmt::ScopeEnd
        | Stmt::Location(_)
        | Stmt::Pragma(_)
        | Stmt::Comment(_)
        | Stmt::TrailingComment(_)
        | Stmt::Mark(_) => {}
    }
    found
}

fn name(keys: &Keys<'_>, operand: Operand) -> Option<Name> {
    match operand {
        Operand::Register(id)
        | Operand::Element(id, _)
        | Operand::Selected(id, _)
        | Operand::Negated(id, _)
        | Operand::Sum(id, _)
        | Operand::Not(id)
        | Operand::Address(AddressBase::Register(id), _) => Some(Name::Register(id)),
        Operand::Symbol(Symbol::Variable(id), _)
        | Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) => {
            (!keys.is_global(id)).then_some(Name::Variable(id))
        }
        Operand::Label(id) => Some(Name::Label(id)),
        Operand::Omitted
        | Operand::Sink
        | Operand::SpecialSum(..)
        | Operand::Special(..)
        | Operand::Immediate(_)
        | Operand::Symbol(Symbol::Function(_), _)
        | Operand::Address(AddressBase::Symbol(Symbol::Function(_)) | AddressBase::Absolute, _)
        | Operand::Bracket(_)
        | Operand::Vector(_)
        | Operand::List(_) => None,
    }
}

/// Which names of one function are which of another, one to one.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    after: FxHashMap<Name, Name>,
    before: FxHashMap<Name, Name>,
}

impl Renaming {
    /// Whether the names of two statements correspond, given those before. Names that are new correspond from now on.
    pub(crate) fn relates(&mut self, before: &[Name], after: &[Name]) -> bool {
        debug_assert_eq!(before.len(), after.len(), "the keys are equal");
        // All pairs, so that a pair of which nothing is known is known for later statements although another does not fit.
        before.iter().zip(after).fold(true, |fits, (one, other)| self.relate(*one, *other) && fits)
    }

    fn relate(&mut self, before: Name, after: Name) -> bool {
        match (self.after.get(&before), self.before.get(&after)) {
            (Some(known), Some(back)) => *known == after && *back == before,
            (None, None) => {
                self.after.insert(before, after);
                self.before.insert(after, before);
                true
            }
            _ => false,
        }
    }
}
