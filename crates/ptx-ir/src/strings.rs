//! Interned names.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A name or text kept once in [`Strings`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(u32);

/// Marks the ids of texts that are no names.
const NOTE: u32 = 1 << 31;

/// The names of a module, each kept once, in order of first mention; and its comments, in order.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    texts: Vec<Arc<str>>,
    /// The notes, one after the other, and where each ends: files have many short ones.
    notes: String,
    note_ends: Vec<usize>,
    ids: FxHashMap<Arc<str>, StrId>,
}

impl Strings {
    /// The id of a text, kept from now on.
    pub fn intern(&mut self, text: &str) -> StrId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = StrId(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    /// Keeps a text that is not a name, such as a comment, apart from the names.
    ///
    /// A comment inside a directive moves before it when it is printed; kept apart, it leaves the ids of the names as
    /// they are.
    pub fn keep(&mut self, text: &str) -> StrId {
        self.notes.push_str(text);
        self.note_ends.push(self.notes.len());
        StrId((self.note_ends.len() as u32 - 1) | NOTE)
    }

    /// The id here of a text of another module, which stays a name or no name.
    pub fn transfer(&mut self, from: &Strings, id: StrId) -> StrId {
        let text = from.get(id);
        if id.0 & NOTE == 0 { self.intern(text) } else { self.keep(text) }
    }

    /// The id of a text that was mentioned before.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.get(text).copied()
    }

    /// The text of an id.
    pub fn get(&self, id: StrId) -> &str {
        if id.0 & NOTE == 0 {
            return &self.texts[id.0 as usize];
        }
        let at = (id.0 & !NOTE) as usize;
        let start = if at == 0 { 0 } else { self.note_ends[at - 1] };
        &self.notes[start..self.note_ends[at]]
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts && self.notes == other.notes && self.note_ends == other.note_ends
    }
}

impl Eq for Strings {}
