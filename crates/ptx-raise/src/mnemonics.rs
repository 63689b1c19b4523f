//! The rows of mnemonics, looked up once for each.

use std::rc::Rc;

use ptx_isa::{Candidate, Mnemonic, ScalarType, Since};
use rustc_hash::FxHashMap;

/// The rows that the spelling of a mnemonic may mean.
pub(crate) struct Rows {
    pub(crate) candidates: Vec<Candidate>,
    /// The first versions and targets of each of them.
    pub(crate) since: Vec<Since>,
    /// Whether constants of the last type are signed.
    pub(crate) signed: bool,
}

/// The rows of the spelling of each mnemonic: operands decide between several.
#[derive(Default)]
pub(crate) struct Mnemonics {
    known: FxHashMap<Mnemonic, Rc<Rows>>,
}

impl Mnemonics {
    /// The rows of a spelling.
    pub(crate) fn rows(&mut self, mnemonic: Mnemonic) -> Rc<Rows> {
        let rows = || {
            let candidates: Vec<Candidate> = mnemonic.rows().map(Candidate::new).collect();
            let since = candidates.iter().map(|candidate| candidate.mnemonic.since()).collect();
            let last = mnemonic.modifiers().last().and_then(ScalarType::from_mod);
            let signed = last.is_some_and(ScalarType::is_signed);
            Rc::new(Rows { candidates, since, signed })
        };
        Rc::clone(self.known.entry(mnemonic).or_insert_with(rows))
    }
}
