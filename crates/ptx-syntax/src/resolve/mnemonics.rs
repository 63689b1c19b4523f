//! A cache of the mnemonics of a file: the rows of the instruction table that each can mean, and the kinds of names that their
//! operands accept.

use std::rc::Rc;

use ptx_diag::Span;
use ptx_ir::Operand;
use ptx_isa::{Candidate, Form, Mnemonic, OperandKind};
use rustc_hash::FxHashMap;

/// The candidate rows of each mnemonic by its text; a file has few different mnemonics.
#[derive(Default)]
pub(crate) struct Mnemonics<'s> {
    known: FxHashMap<&'s str, Rc<Candidates>>,
    /// A direct-mapped cache of the mnemonics looked up last.
    recent: Vec<(&'s str, Rc<Candidates>)>,
    pub(crate) operands: Vec<Written>,
    /// The elements of a list that is being resolved.
    pub(crate) elements: Vec<(Operand, Span)>,
    pub(crate) fitted: Vec<(Operand, Span)>,
}

impl<'s> Mnemonics<'s> {
    /// The candidates of a mnemonic that was looked up before.
    #[inline]
    pub(crate) fn get(&mut self, text: &'s str) -> Option<Rc<Candidates>> {
        let place = self.place(text);
        if let Some((recent, found)) = self.recent.get(place)
            && *recent == text
        {
            return Some(Rc::clone(found));
        }
        let found = self.known.get(text)?;
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = (text, Rc::clone(found));
        }
        Some(Rc::clone(found))
    }

    /// Stores the candidates of a mnemonic.
    pub(crate) fn insert(&mut self, text: &'s str, found: Rc<Candidates>) {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, ("", Rc::clone(&found)));
        }
        self.known.insert(text, found);
    }

    #[inline]
    fn place(&self, text: &str) -> usize {
        let [first, .., d, c, b, a] = text.as_bytes() else { return 0 };
        // Opcodes differ in their first letter and length, types in the last ones.
        let end = u32::from_le_bytes([*a, *b, *c, *d]) ^ (u32::from(*first) << 5) ^ (text.len() as u32) << 13;
        (end.wrapping_mul(0x9E37_79B1) >> 24) as usize
    }
}

/// The number of entries of [`Mnemonics::recent`].
const RECENT: usize = 256;

/// The rows that a mnemonic's text can mean, and how to resolve their operands.
pub(crate) struct Candidates {
    pub(crate) rows: Vec<Candidate>,
    /// Whether they are calls, whose operands have a separate syntax.
    pub(crate) takes_lists: bool,
    /// Whether no operand accepts labels.
    pub(crate) only_values: bool,
}

impl Candidates {
    pub(crate) fn new(found: Vec<Mnemonic>) -> Self {
        let plain = |form: &Form| (0..form.operands.len()).all(|at| names_at(form, at) == Names::Values);
        Self {
            takes_lists: found.first().is_some_and(|mnemonic| takes_lists(mnemonic.form())),
            only_values: found.iter().all(|mnemonic| plain(mnemonic.form())),
            rows: found.into_iter().map(Candidate::new).collect(),
        }
    }

    pub(crate) fn mnemonics(&self) -> impl Iterator<Item = Mnemonic> {
        self.rows.iter().map(|row| row.mnemonic)
    }
}

/// An operand as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) operand: Operand,
    pub(crate) span: Span,
    /// Whether it follows a `|`.
    pub(crate) paired: bool,
}

/// The kinds of names that an operand accepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Names {
    /// No labels.
    Values,
    /// Values and addresses, including those of labels that occurred before.
    Any,
    /// Labels only, which may be defined later.
    Labels,
}

/// The kinds of names that the operand with index `at` accepts.
pub(crate) fn names_at(form: &Form, at: usize) -> Names {
    let Some(operand) = form.operands.get(at) else { return Names::Values };
    match operand.kind {
        OperandKind::Label | OperandKind::BranchTargets | OperandKind::CallTargets => Names::Labels,
        OperandKind::Move(_) => Names::Any,
        OperandKind::Value(_)
        | OperandKind::Register(_)
        | OperandKind::Wide(_)
        | OperandKind::Untyped(_)
        | OperandKind::WideVector(..)
        | OperandKind::Vector(..)
        | OperandKind::Elements(..)
        | OperandKind::Registers(..)
        | OperandKind::Predicate
        | OperandKind::Immediate(..)
        | OperandKind::CachePolicy
        | OperandKind::Address
        | OperandKind::AddressIn(_)
        | OperandKind::TensorAddress
        | OperandKind::LooseAddress
        | OperandKind::Bracketed(_)
        | OperandKind::Braced(..)
        | OperandKind::Reference
        | OperandKind::Coordinates(_)
        | OperandKind::Selected(..)
        | OperandKind::Signed(..)
        | OperandKind::Callee
        | OperandKind::Results
        | OperandKind::Arguments => Names::Values,
    }
}

fn takes_lists(form: &Form) -> bool {
    form.operands.iter().any(|operand| operand.kind == OperandKind::Callee)
}
