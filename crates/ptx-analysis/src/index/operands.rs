//! The rows of mnemonics, and what they do with their operands.

use std::rc::Rc;

use ptx_isa::{Candidate, OperandKind, Role, Shape, candidates, choose_row};
use ptx_syntax::syntax::{Mnemonic, Operand, OperandKind as Written};
use rustc_hash::FxHashMap;

use super::symbol::Access;

/// The rows that mnemonics may mean, each looked up once.
#[derive(Default)]
pub(crate) struct Rows<'s>(FxHashMap<&'s str, Rc<[Candidate]>>);

impl<'s> Rows<'s> {
    /// The rows of a mnemonic as written; none if it is unknown.
    pub(crate) fn of(&mut self, mnemonic: &Mnemonic<'s>) -> Rc<[Candidate]> {
        match &mnemonic.spaced {
            None => {
                let rows = self.0.entry(mnemonic.name.text);
                Rc::clone(rows.or_insert_with(|| rows_of(mnemonic.name.text)))
            }
            Some(spaced) => {
                let words = spaced.words.iter().map(|word| format!(".{}", word.text));
                rows_of(&std::iter::once(mnemonic.name.text.to_owned()).chain(words).collect::<String>())
            }
        }
    }
}

fn rows_of(text: &str) -> Rc<[Candidate]> {
    // An unknown mnemonic has no rows, which the diagnostics report.
    candidates(text).into_iter().flatten().map(Candidate::new).collect()
}

/// The form of an operand; `name` tells that of a name.
pub(crate) fn shape_of(operand: &Operand<'_>, name: &dyn Fn(&str) -> Shape) -> Shape {
    match &operand.kind {
        Written::Sink => Shape::Sink,
        Written::Name(found) => name(found.text),
        Written::Component(..) => Shape::Value,
        Written::Element(..) | Written::Address(..) => Shape::Address,
        Written::Sum(found, _) => match name(found.text) {
            Shape::Symbol => Shape::Symbol,
            _ => Shape::Value,
        },
        Written::Not(_) => Shape::NotPredicate,
        Written::Negated(..) => Shape::Negated,
        Written::Constant(_) => Shape::Immediate,
        Written::Bracket(_) => Shape::Bracket,
        Written::Vector(_) => Shape::Vector,
        Written::List(_) => Shape::List,
    }
}

/// What an instruction does with each of its written operands, in order.
pub(super) fn accesses(rows: &[Candidate], operands: &[Operand<'_>], out: &mut Vec<OperandAccess>) {
    out.clear();
    let name = |_: &str| Shape::Register;
    let chosen = choose_row(rows, operands, |operand| operand.paired, |operand| shape_of(operand, &name));
    let row = chosen.and_then(|(at, placement)| Some((rows.get(at)?, placement)));
    if let Some((row, placement)) = row {
        let places = row.mnemonic.form().operands;
        let placed = places.iter().enumerate().filter(|(at, _)| placement.has(*at));
        out.extend(placed.map(|(_, place)| OperandAccess::of(place)));
    }
    out.resize(operands.len(), OperandAccess { access: Access::Read, is_label: false });
}

/// What an instruction does with an operand.
#[derive(Clone, Copy)]
pub(super) struct OperandAccess {
    pub(super) access: Access,
    /// Whether a name is a label rather than a variable.
    pub(super) is_label: bool,
}

impl OperandAccess {
    fn of(place: &ptx_isa::Operand) -> Self {
        let access = match (place.kind, place.role) {
            (OperandKind::Callee, _) => Access::Call,
            (OperandKind::Results, _) => Access::Write,
            (_, Role::Def | Role::DefPair | Role::DefOpt) => Access::Write,
            (_, Role::Update) => Access::Update,
            (_, Role::Use | Role::UseOpt) => Access::Read,
        };
        let is_label =
            matches!(place.kind, OperandKind::Label | OperandKind::BranchTargets | OperandKind::CallTargets);
        Self { access, is_label }
    }
}
