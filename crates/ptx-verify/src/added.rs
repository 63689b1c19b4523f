//! The instructions that writing a module out adds to it.

use ptx_isa::Mnemonic;

/// An instruction that [`crate::Verified::written_out`] adds, of which the instruction table has a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// The low half of 64 bits.
    Low,
    /// A copy of 32 bits.
    Mov32,
    /// A copy of 64 bits.
    Mov64,
    /// A sum of 16 bits.
    Add16,
    /// A sum of 32 bits.
    Add32,
    /// A sum of 64 bits.
    Add64,
}

impl Added {
    /// Its mnemonic as PTX writes it.
    const fn text(self) -> &'static str {
        match self {
            Added::Low => "cvt.u32.u64",
            Added::Mov32 => "mov.u32",
            Added::Mov64 => "mov.u64",
            Added::Add16 => "add.u16",
            Added::Add32 => "add.u32",
            Added::Add64 => "add.u64",
        }
    }

    /// Its mnemonic. `None` only where the instruction table lacks its row, which a test rules out for all of them: callers
    /// leave the module as it is then.
    pub(crate) fn mnemonic(self) -> Option<Mnemonic> {
        Mnemonic::from_text(self.text()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Added;

    /// The next one, so that a new one cannot be left out of the test.
    fn after(added: Added) -> Option<Added> {
        match added {
            Added::Low => Some(Added::Mov32),
            Added::Mov32 => Some(Added::Mov64),
            Added::Mov64 => Some(Added::Add16),
            Added::Add16 => Some(Added::Add32),
            Added::Add32 => Some(Added::Add64),
            Added::Add64 => None,
        }
    }

    #[test]
    fn the_table_has_every_instruction_that_is_added() {
        for added in std::iter::successors(Some(Added::Low), |added| after(*added)) {
            let mnemonic = added.mnemonic().unwrap_or_else(|| panic!("no row for `{}`", added.text()));
            assert_eq!(mnemonic.to_string(), added.text());
        }
    }
}
