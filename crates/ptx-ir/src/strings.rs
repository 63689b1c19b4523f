//! Interned names.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A name or text that is stored once in [`Strings`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(u32);

/// Marks the ids of texts that are not names.
const NOTE: u32 = 1 << 31;

/// The names of a module, each stored once, in order of their first occurrence; and its comments, in order.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    texts: Vec<Arc<str>>,
    /// The concatenated notes, with the end of each in `note_ends`: files have many short ones.
    notes: String,
    note_ends: Vec<usize>,
    ids: FxHashMap<Arc<str>, StrId>,
}

impl Strings {
    /// Returns the id of a text, and stores the text on its first occurrence.
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

    /// Stores a text that is not a name, such as a comment, separately from the names.
    ///
    /// A comment inside a directive is printed before it; because comments are separate, this does not change the ids of
    /// the names.
    pub fn keep(&mut self, text: &str) -> StrId {
        self.notes.push_str(text);
        self.note_ends.push(self.notes.len());
        StrId((self.note_ends.len() as u32 - 1) | NOTE)
    }

    /// Copies a text of another module, as a name or a note, and returns its id here.
    pub fn transfer(&mut self, from: &Strings, id: StrId) -> StrId {
        let text = from.get(id);
        if id.0 & NOTE == 0 { self.intern(text) } else { self.keep(text) }
    }

    /// The id of a text that was interned before.
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
