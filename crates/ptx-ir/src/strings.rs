//! Interned names.

use rustc_hash::FxHashMap;

/// A name or text kept once in [`Strings`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(u32);

/// The names of a module, each kept once, in order of first mention.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, StrId>,
}

impl Strings {
    /// The id of a text, kept from now on.
    pub fn intern(&mut self, text: &str) -> StrId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = StrId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The id of a text that was mentioned before.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.get(text).copied()
    }

    /// The text of an id.
    pub fn get(&self, id: StrId) -> &str {
        &self.texts[id.0 as usize]
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Strings {}
