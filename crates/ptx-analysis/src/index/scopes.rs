//! Names with nested scopes, and labels, which can be used before their definition.

use rustc_hash::FxHashMap;

use super::symbol::{Symbol, SymbolId};

/// Splits the digits at the end of a name off: `%r12` is number 12 of `%r<..>`.
pub(crate) fn split_number(name: &str) -> Option<(&str, u32)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.get(prefix.len()..)?;
    if prefix.is_empty() || number.is_empty() { None } else { Some((prefix, number.parse().ok()?)) }
}

/// The visible names.
#[derive(Default)]
pub(super) struct Scopes<'s> {
    /// Single names.
    single: FxHashMap<&'s str, SymbolId>,
    /// Ranges, by the name before the number.
    ranges: FxHashMap<&'s str, SymbolId>,
    /// What each declaration hid, to be visible again at the end of its scope.
    hidden: Vec<Hidden<'s>>,
    /// The length of `hidden` at the start of each open scope.
    starts: Vec<usize>,
}

struct Hidden<'s> {
    name: &'s str,
    is_range: bool,
    before: Option<SymbolId>,
}

impl<'s> Scopes<'s> {
    pub(super) fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    pub(super) fn enter(&mut self) {
        self.starts.push(self.hidden.len());
    }

    pub(super) fn leave(&mut self) {
        let Some(start) = self.starts.pop() else { return };
        for hidden in self.hidden.drain(start..).rev() {
            let names = if hidden.is_range { &mut self.ranges } else { &mut self.single };
            match hidden.before {
                Some(before) => names.insert(hidden.name, before),
                None => names.remove(hidden.name),
            };
        }
    }

    /// Adds a name to the innermost scope, and returns what it hides.
    pub(super) fn declare(&mut self, name: &'s str, is_range: bool, id: SymbolId) -> Option<SymbolId> {
        let names = if is_range { &mut self.ranges } else { &mut self.single };
        let before = names.insert(name, id);
        self.hidden.push(Hidden { name, is_range, before });
        before
    }

    /// The single name, whether or not a range has it.
    pub(super) fn single(&self, name: &str) -> Option<SymbolId> {
        self.single.get(name).copied()
    }

    /// The symbol that a name refers to. Of a single name and a range the one in the inner scope holds.
    pub(super) fn lookup(&self, name: &str, symbols: &[Symbol]) -> Option<SymbolId> {
        let symbol = |id: SymbolId| symbols.get(id.0 as usize);
        let ranged = split_number(name).and_then(|(prefix, number)| {
            let mut range = self.ranges.get(prefix).copied();
            while let Some(id) = range {
                let found = symbol(id)?;
                if found.count.is_some_and(|count| number < count) {
                    return Some(id);
                }
                range = found.outer;
            }
            None
        });
        let depth = |id: SymbolId| symbol(id).map(|symbol| symbol.depth);
        match (self.single(name), ranged) {
            (Some(one), Some(range)) if depth(range) > depth(one) => Some(range),
            (Some(one), _) => Some(one),
            (None, range) => range,
        }
    }
}

/// The labels of the scopes of a function.
#[derive(Default)]
pub(super) struct LabelScopes<'s> {
    open: Vec<LabelScope<'s>>,
}

#[derive(Default)]
struct LabelScope<'s> {
    defined: FxHashMap<&'s str, SymbolId>,
    /// The names that may be labels, with the number of their occurrence.
    used: Vec<(&'s str, usize)>,
}

impl<'s> LabelScopes<'s> {
    pub(super) fn enter(&mut self) {
        self.open.push(LabelScope::default());
    }

    pub(super) fn define(&mut self, name: &'s str, id: SymbolId) {
        if let Some(scope) = self.open.last_mut() {
            scope.defined.insert(name, id);
        }
    }

    pub(super) fn use_label(&mut self, name: &'s str, occurrence: usize) {
        if let Some(scope) = self.open.last_mut() {
            scope.used.push((name, occurrence));
        }
    }

    /// Ends the innermost scope: tells `found` which of its occurrences are labels of it; the others may be labels of the scope around it.
    pub(super) fn leave(&mut self, mut found: impl FnMut(usize, SymbolId)) {
        let Some(scope) = self.open.pop() else { return };
        let outer = self.open.last_mut();
        let mut others = Vec::new();
        for (name, occurrence) in scope.used {
            match scope.defined.get(name) {
                Some(&id) => found(occurrence, id),
                None => others.push((name, occurrence)),
            }
        }
        if let Some(outer) = outer {
            outer.used.append(&mut others);
        }
    }
}
