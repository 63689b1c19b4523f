//! Names with nested scopes.

use ptx_diag::Span;
use rustc_hash::FxHashMap;

/// The entity that a name refers to in one scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<T> {
    pub(crate) value: T,
    /// Where it was declared.
    pub(crate) span: Span,
    /// The number of enclosing scopes.
    pub(crate) depth: u32,
}

struct Record<'s, T> {
    name: &'s str,
    entry: Entry<T>,
    outer: Option<u32>,
}

/// A map from names whose entries end with the scope they were made in; inner ones hide outer ones.
pub(crate) struct Scoped<'s, T> {
    innermost: FxHashMap<&'s str, u32>,
    records: Vec<Record<'s, T>>,
    scopes: Vec<usize>,
}

impl<'s, T: Copy> Scoped<'s, T> {
    pub(crate) fn new() -> Self {
        Self { innermost: FxHashMap::default(), records: Vec::new(), scopes: Vec::new() }
    }

    /// How many scopes are open.
    pub(crate) fn depth(&self) -> u32 {
        self.scopes.len() as u32
    }

    /// Opens a scope.
    pub(crate) fn enter(&mut self) {
        self.scopes.push(self.records.len());
    }

    /// Ends the innermost scope, and returns the number of its names.
    pub(crate) fn leave(&mut self) -> usize {
        let Some(start) = self.scopes.pop() else { return 0 };
        // In reverse order, so that for a name that was added twice the entry before both remains. Each entry is removed once: the time of a
        // scope is linear in its declarations, and independent of the visible names.
        let count = self.records.len() - start;
        for record in self.records.drain(start..).rev() {
            match record.outer {
                Some(outer) => {
                    self.innermost.insert(record.name, outer);
                }
                None => {
                    self.innermost.remove(record.name);
                }
            }
        }
        count
    }

    /// Adds a name to the innermost scope; it hides an existing entry of the name.
    pub(crate) fn insert(&mut self, name: &'s str, value: T, span: Span) {
        let entry = Entry { value, span, depth: self.depth() };
        let outer = self.innermost.insert(name, self.records.len() as u32);
        self.records.push(Record { name, entry, outer });
    }

    /// The entity that the name refers to at this position.
    pub(crate) fn get(&self, name: &str) -> Option<Entry<T>> {
        let at = *self.innermost.get(name)?;
        self.records.get(at as usize).map(|record| record.entry)
    }

    /// The entities that the name refers to in the enclosing scopes, innermost first.
    pub(crate) fn get_all(&self, name: &str) -> impl Iterator<Item = Entry<T>> + '_ {
        let at = |at: u32| self.records.get(at as usize);
        let first = self.innermost.get(name).and_then(|&innermost| at(innermost));
        std::iter::successors(first, move |record| record.outer.and_then(at)).map(|record| record.entry)
    }

    /// The entity that the name refers to if the innermost scope declares it.
    pub(crate) fn get_here(&self, name: &str) -> Option<Entry<T>> {
        self.get(name).filter(|entry| entry.depth == self.depth())
    }

    /// The entity that the name refers to outside all scopes.
    pub(crate) fn get_outermost(&self, name: &str) -> Option<Entry<T>> {
        let mut record = self.records.get(*self.innermost.get(name)? as usize)?;
        while let Some(outer) = record.outer {
            record = self.records.get(outer as usize)?;
        }
        (record.entry.depth == 0).then_some(record.entry)
    }

    /// Replaces the value of the innermost entry of a name.
    pub(crate) fn replace(&mut self, name: &str, value: T) {
        if let Some(&at) = self.innermost.get(name)
            && let Some(record) = self.records.get_mut(at as usize)
        {
            record.entry.value = value;
        }
    }

    /// The depth of the innermost name; records are in the order of their scopes.
    pub(crate) fn innermost_depth(&self) -> u32 {
        match self.records.last() {
            Some(record) => record.entry.depth,
            // Without names the depth is that of the module.
            None => 0,
        }
    }

    /// Every name that can be used here, in order of declaration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.records.iter().map(|record| record.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_outer_ones_until_their_scope_ends() {
        let mut names = Scoped::new();
        let value =
            |names: &Scoped<'_, u32>, name: &str| names.get(name).map(|entry| (entry.value, entry.depth));
        names.insert("a", 1, Span::default());
        names.enter();
        assert_eq!((value(&names, "a"), names.get_here("a").is_none()), (Some((1, 0)), true));
        names.insert("a", 2, Span::default());
        names.insert("b", 3, Span::default());
        assert_eq!((value(&names, "a"), names.innermost_depth()), (Some((2, 1)), 1));
        let all: Vec<u32> = names.get_all("a").map(|entry| entry.value).collect();
        assert_eq!((all, names.get_outermost("a").map(|entry| entry.value)), (vec![2, 1], Some(1)));
        assert_eq!(names.get_outermost("b").map(|entry| entry.value), None);
        names.leave();
        assert_eq!((value(&names, "a"), value(&names, "b")), (Some((1, 0)), None));
    }
}
