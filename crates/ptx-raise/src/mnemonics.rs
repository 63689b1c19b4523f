//! The rows of mnemonics, looked up once for each.

use std::rc::Rc;

use ptx_isa::{Mnemonic, Since};
use rustc_hash::FxHashMap;

/// A row that a mnemonic may mean.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) mnemonic: Mnemonic,
    /// What has it.
    pub(crate) since: Since,
}

/// The rows of the spelling of each mnemonic: operands decide between several.
#[derive(Default)]
pub(crate) struct Mnemonics {
    known: FxHashMap<Mnemonic, Rc<[Candidate]>>,
    /// The mnemonics of texts that marks and intrinsics have.
    read: FxHashMap<String, Option<Mnemonic>>,
}

impl Mnemonics {
    /// The rows of a spelling.
    pub(crate) fn rows(&mut self, mnemonic: Mnemonic) -> Rc<[Candidate]> {
        let candidate = |mnemonic: Mnemonic| Candidate { mnemonic, since: mnemonic.since() };
        let rows = || mnemonic.rows().map(candidate).collect();
        self.known.entry(mnemonic).or_insert_with(rows).clone()
    }

    /// The first row of a text; nothing when the instruction table has none.
    pub(crate) fn read(&mut self, text: &str) -> Option<Mnemonic> {
        if let Some(mnemonic) = self.read.get(text) {
            return *mnemonic;
        }
        let mnemonic = Mnemonic::from_text(text).ok();
        self.read.insert(text.to_owned(), mnemonic);
        mnemonic
    }
}
