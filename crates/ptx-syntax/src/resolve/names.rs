//! The names of variables, functions and registers in scope, and the entities that they refer to.

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
    /// A register that no statement has used yet.
    Declared(RegDeclId),
    Register(RegId),
    /// A register that is declared outside of functions.
    Outer(RegDeclId),
    /// A register of a range or of the module, cached in the scope that uses it; with the depth of its declaration.
    OfRange(RegId, u32),
    Special(SpecialReg),
}

impl Entity {
    /// Whether the entity is declared elsewhere, and only cached in this scope.
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

/// The entity with number 0 of a range.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    Register(RegDeclId),
    /// Registers that are declared outside of functions.
    Outer(RegDeclId),
    /// A variable; those of a range have consecutive IDs.
    Variable(VarId),
}

/// A range of registers that was looked up, by the name before the number.
#[derive(Clone, Copy)]
pub(crate) struct Recent<'s> {
    pub(crate) name: &'s str,
    pub(crate) decl: RegDeclId,
    pub(crate) count: u32,
}

/// A direct-mapped cache of the ranges looked up last, which contain most operands.
#[derive(Default)]
pub(crate) struct RecentRanges<'s>([Option<Recent<'s>>; RECENT_RANGES]);

const RECENT_RANGES: usize = 32;

impl<'s> RecentRanges<'s> {
    #[inline]
    fn place(name: &str) -> usize {
        let [.., other, last] = name.as_bytes() else { return 0 };
        // `%r`, `%rd`, `%rs`, `%f`, `%fd`, `%p` and `%b` have distinct entries.
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

    /// Clears the cache, because names may refer to other entities from here on.
    pub(crate) fn clear(&mut self) {
        self.0 = [None; RECENT_RANGES];
    }
}

/// The names that can be used.
pub(crate) struct Names<'s> {
    pub(crate) entities: Scoped<'s, Entity>,
    pub(crate) ranges: Scoped<'s, Range>,
    /// Names of single registers that a range could declare too: the smallest number for each name before the number.
    pub(crate) numbered: Scoped<'s, u32>,
    /// Ranges of registers with whose names no single register conflicts.
    pub(crate) recent: RecentRanges<'s>,
    /// The registers that are used, in any scope.
    pub(crate) mentioned: Mentions,
    /// The declarations of the body that represent registers of the module.
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

    /// The variable or function of the module with this name, and the span of its first declaration.
    pub(crate) fn module_name(&self, name: &str) -> Option<(Entity, Span)> {
        match self.functions.get(name) {
            Some(&(id, span)) => Some((Entity::Function(id), span)),
            None => self.entities.get_outermost(name).map(|entry| (entry.value, entry.span)),
        }
    }

    /// Adds a function of the module.
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

    /// Clears the state of a body at its end.
    pub(crate) fn end_body(&mut self) {
        self.mentioned.clear();
        self.outer.clear();
    }
}

/// Splits a name before all its digits: the name and the number of a register that a range may declare.
///
/// As in `ptxas`, the number may have leading zeros, and all trailing digits belong to it: the registers of `r1<5>` cannot be
/// referred to.
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
