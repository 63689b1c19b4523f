//! How the instruction of a mnemonic is lowered: that of its meaning, and of the conditions that its modifiers satisfy.

use crate::lowering::Condition::{self, All, Has, Is, Operands};
use crate::lowering::Lowering;

use super::chosen::Mnemonic;

impl Condition {
    /// Whether the mnemonic satisfies the condition.
    pub fn applies(self, mnemonic: &Mnemonic) -> bool {
        match self {
            Is(modifier) => mnemonic.has(modifier),
            Has(field) => mnemonic.get(field).is_some(),
            // The lists are constants of the table of conditions and do not nest.
            All(list) => list.iter().all(|part| part.applies(mnemonic)),
            Operands(_) => false,
        }
    }

    /// The operands in the condition, if the mnemonic satisfies the rest of it.
    pub fn operands(self, mnemonic: &Mnemonic) -> Option<&'static str> {
        match self {
            Is(_) | Has(_) => None,
            All(list) => {
                let applies = list.iter().all(|part| part.is_by_operands() || part.applies(mnemonic));
                list.iter().filter(|_| applies).find_map(|part| part.operands(mnemonic))
            }
            Operands(text) => Some(text),
        }
    }
}

impl Mnemonic {
    /// How the instruction is lowered at best.
    pub fn lowering(&self) -> Lowering {
        let overrides = self.sem().overrides().iter().filter(|(condition, _)| condition.applies(self));
        overrides.map(|(_, kind)| *kind).fold(self.sem().lowering(), Lowering::max)
    }

    /// The operands with which the instruction is inline assembly although its mnemonic has an intrinsic, in words.
    pub fn operands_without_intrinsic(&self) -> Option<&'static str> {
        self.sem().overrides().iter().find_map(|(condition, _)| condition.operands(self))
    }
}
