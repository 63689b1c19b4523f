//! The names of variables, functions and registers that are known where the reader is, and what they stand for.

use ptx_diag::Span;
use ptx_ir::{FunctionId, RegDeclId, RegId, VarId};
use ptx_isa::SpecialReg;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::resolve::mentions::Mentions;
use crate::resolve::scoped::Scoped;

/// The entity that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    Variable(VarId),
    Function(FunctionId),
    /// A register that no statement has mentioned yet.
    Declared(RegDeclId),
    Register(RegId),
    /// A register that is declared outside of functions.
    Outer(RegDeclId),
    /// A register of a range or of the module, remembered in the scope that mentions it; with the depth of its declaration.
    OfRange(RegId, u32),
    Special(SpecialReg),
}

impl Entity {
    /// Whether it refers to what is declared elsewhere, and is recorded here only to be found quickly.
    pub(crate) const fn is_remembered(self) -> bool {
        matches!(self, Entity::OfRange(..) | Entity::Special(_))
    }
}

/// A range of registers or variables, by the name before the number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) first: First,
    pub(crate) count: u32,
}

/// What a range's number 0 is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    Register(RegDeclId),
    /// Registers that are declared outside of functions.
    Outer(RegDeclId),
    /// The variables of a range are added one after the other.
    Variable(VarId),
}

/// A range of registers that was looked up, by the name before the number.
#[derive(Clone, Copy)]
pub(crate) struct Recent<'s> {
    pub(crate) name: &'s str,
    pub(crate) decl: RegDeclId,
    pub(crate) count: u32,
}

/// The ranges looked up last, which nearly all operands name; each has one place it can be remembered in.
#[derive(Default)]
pub(crate) struct RecentRanges<'s>([Option<Recent<'s>>; RECENT_RANGES]);

const RECENT_RANGES: usize = 32;

impl<'s> RecentRanges<'s> {
    #[inline]
    fn place(name: &str) -> usize {
        let [.., other, last] = name.as_bytes() else { return 0 };
        // `%r`, `%rd`, `%rs`, `%f`, `%fd`, `%p` and `%b` have places of their own.
        (usize::from(*last) + 3 * usize::from(*other)) % RECENT_RANGES
    }

    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<Recent<'s>> {
        let recent = self.0[Self::place(name)]?;
        // These are a few bytes, for which a loop is faster than a call.
        let same = recent.name.len() == name.len() && recent.name.bytes().eq(name.bytes());
        same.then_some(recent)
    }

    pub(crate) fn keep(&mut self, recent: Recent<'s>) {
        self.0[Self::place(recent.name)] = Some(recent);
    }

    /// Forgets all: names may mean something else from here on.
    pub(crate) fn clear(&mut self) {
        self.0 = [None; RECENT_RANGES];
    }
}

/// The names that can be used.
pub(crate) struct Names<'s> {
    pub(crate) entities: Scoped<'s, Entity>,
    pub(crate) ranges: Scoped<'s, Range>,
    /// Names of single registers that a range could have too: by the name before the number, the smallest number.
    pub(crate) numbered: Scoped<'s, u32>,
    /// Ranges of registers that stand for themselves alone: no single register has such a name.
    pub(crate) recent: RecentRanges<'s>,
    /// Mentioned registers: the same register is mentioned in many scopes.
    pub(crate) mentioned: Mentions,
    /// What the body declares in the place of registers of the module.
    pub(crate) outer: FxHashMap<RegDeclId, RegDeclId>,
    /// Functions of the module, which are declared while the scope of their parameters is open.
    pub(crate) functions: FxHashMap<&'s str, (FunctionId, Span)>,
    /// Functions that have a body.
    pub(crate) defined: FxHashSet<&'s str>,
}

impl<'s> Names<'s> {
    pub(crate) fn new() -> Self {
        Self {
            entities: Scoped::new(),
            ranges: Scoped::new(),
            numbered: Scoped::new(),
            recent: RecentRanges::default(),
            mentioned: Mentions::default(),
            outer: FxHashMap::default(),
            functions: FxHashMap::default(),
            defined: FxHashSet::default(),
        }
    }

    /// Where a module variable or function of this name was declared first, and what it is.
    pub(crate) fn module_name(&self, name: &str) -> Option<(Entity, Span)> {
        match self.functions.get(name) {
            Some(&(id, span)) => Some((Entity::Function(id), span)),
            None => self.entities.get_outermost(name).map(|entry| (entry.value, entry.span)),
        }
    }

    /// Makes a function known to the module.
    pub(crate) fn add_function(&mut self, name: &'s str, id: FunctionId, span: Span) {
        self.functions.insert(name, (id, span));
    }

    pub(crate) fn enter(&mut self) {
        self.entities.enter();
        self.ranges.enter();
        self.numbered.enter();
    }

    pub(crate) fn leave(&mut self) {
        self.entities.leave();
        let declared = self.ranges.leave() + self.numbered.leave();
        if declared > 0 {
            self.recent.clear();
        }
    }

    /// Forgets what belongs to the body that ends.
    pub(crate) fn end_body(&mut self) {
        self.mentioned.clear();
        self.outer.clear();
    }
}

/// Splits a name before all its digits: the name and the number of a register that a range may declare.
///
/// As `ptxas` does it, zeros may lead, and no other digits belong to the range's name: `r1<5>` declares nothing that can
/// be named.
#[inline]
pub(crate) fn split(name: &str) -> Option<(&str, u32)> {
    let bytes = name.as_bytes();
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let at = bytes.len() - digits;
    let (prefix, number) = (name.get(..at)?, bytes.get(at..)?);
    if prefix.is_empty() || number.is_empty() {
        return None;
    }
    let digit = |number: u32, digit: &u8| number.checked_mul(10)?.checked_add(u32::from(digit - b'0'));
    Some((prefix, number.iter().try_fold(0, digit)?))
}
