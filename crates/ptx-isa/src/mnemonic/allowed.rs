//! What the chosen modifiers allow beyond what the slots accept: the constants of an operand, and the modifiers beside each other.

use crate::constants::Constants;
use crate::constraint::Constraint;
use crate::names::{Field, Mod};

use super::chosen::Mnemonic;
use super::length;

impl Constants {
    /// Whether the value is allowed for an operand of an instruction with this mnemonic.
    pub fn takes(self, value: i64, mnemonic: &Mnemonic) -> bool {
        match self {
            Constants::Any => true,
            Constants::Range(low, high) => (low..=high).contains(&value),
            Constants::Multiple(step, low, high) => (low..=high).contains(&value) && value % step == 0,
            Constants::PowerOfTwo(low, high) => (low..=high).contains(&value) && value.count_ones() == 1,
            Constants::Either(one, other) => value == one || value == other,
            Constants::LowWord(constants) => constants.takes(value & 0xFFFF_FFFF, mnemonic),
            // The elements are checked one by one.
            Constants::Elements(_) => true,
            Constants::ScaleBytes => scale_bytes(mnemonic).takes(value, mnemonic),
            Constants::SparsitySelector => (0..length::sparsity_selectors(mnemonic)).contains(&value),
        }
    }

    /// The allowed values in words: "a multiple of 16 from 0 to 1048560".
    pub fn text(self, mnemonic: &Mnemonic) -> String {
        let narrowed = match self {
            Constants::ScaleBytes => scale_bytes(mnemonic),
            Constants::SparsitySelector => Constants::Range(0, length::sparsity_selectors(mnemonic) - 1),
            constants => constants,
        };
        narrowed.text_or_any()
    }
}

fn scale_bytes(mnemonic: &Mnemonic) -> Constants {
    match mnemonic.get(Field::ScaleVec) {
        Some(Mod::ScaleVec4X) => Constants::Range(0, 0),
        Some(Mod::ScaleVec2X) => Constants::Either(0, 2),
        None if mnemonic.has(Mod::KindMxf4) => Constants::Either(0, 2),
        _ => Constants::Range(0, 3),
    }
}

impl Constraint {
    /// The modifiers of a mnemonic that violate the constraint: the first one that it is about, and the one that must not be beside
    /// it, if there is one.
    pub fn violation(&self, mnemonic: &Mnemonic) -> Option<(Mod, Option<Mod>)> {
        self.violated_by(&|modifier| mnemonic.has(modifier))
    }
}
