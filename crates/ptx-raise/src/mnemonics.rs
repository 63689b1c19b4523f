//! The rows of mnemonic texts, looked up once for each text.

use std::rc::Rc;

use ptx_isa::{Mnemonic, Since};
use rustc_hash::FxHashMap;

/// A meaning of a text.
#[derive(Clone, Copy)]
pub(crate) struct Meaning {
    pub(crate) mnemonic: Mnemonic,
    /// What has it.
    pub(crate) since: Since,
}

/// What texts can mean; nothing for those that are not in the instruction table.
#[derive(Default)]
pub(crate) struct Mnemonics {
    known: FxHashMap<String, Option<Rc<[Meaning]>>>,
}

impl Mnemonics {
    /// The rows of a text.
    pub(crate) fn rows(&mut self, text: &str) -> Option<Rc<[Meaning]>> {
        if let Some(rows) = self.known.get(text) {
            return rows.clone();
        }
        let meaning = |mnemonic: Mnemonic| Meaning { mnemonic, since: mnemonic.since() };
        let rows: Option<Rc<[Meaning]>> =
            ptx_isa::candidates(text).ok().map(|rows| rows.into_iter().map(meaning).collect());
        self.known.insert(text.to_owned(), rows.clone());
        rows
    }
}
