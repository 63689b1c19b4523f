//! The rows of mnemonic texts, looked up once for each text.

use std::rc::Rc;

use ptx_isa::Mnemonic;
use rustc_hash::FxHashMap;

/// What texts can mean; nothing for those that are not in the instruction table.
#[derive(Default)]
pub(crate) struct Mnemonics {
    known: FxHashMap<String, Option<Rc<[Mnemonic]>>>,
}

impl Mnemonics {
    /// The rows of a text.
    pub(crate) fn rows(&mut self, text: &str) -> Option<Rc<[Mnemonic]>> {
        if let Some(rows) = self.known.get(text) {
            return rows.clone();
        }
        let rows: Option<Rc<[Mnemonic]>> = ptx_isa::candidates(text).ok().map(Rc::from);
        self.known.insert(text.to_owned(), rows.clone());
        rows
    }
}
