//! The integer constants that an operand may have.

use crate::length;
use crate::mnemonic::Mnemonic;

/// The integer constants that an operand accepts, in addition to the limits of its type; registers are not restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constants {
    /// All of the type.
    Any,
    /// Those from the first to the second value, both included.
    Range(i64, i64),
    /// The multiples of the first value, from the second to the third value, both included.
    Multiple(i64, i64, i64),
    /// The powers of two from the first to the second value, both included.
    PowerOfTwo(i64, i64),
    /// These two alone.
    Either(i64, i64),
    /// The threads of four, or pairs of them, that hold which elements of a sparse matrix are kept: from 0 to one less than
    /// there are choices for shape and type (manual 9.7.14.6.1, 9.7.15.6).
    SparsitySelector,
}

impl Constants {
    /// Whether the value is allowed for an operand of an instruction with this mnemonic.
    pub fn takes(self, value: i64, mnemonic: &Mnemonic) -> bool {
        match self {
            Constants::Any => true,
            Constants::Range(low, high) => (low..=high).contains(&value),
            Constants::Multiple(step, low, high) => (low..=high).contains(&value) && value % step == 0,
            Constants::PowerOfTwo(low, high) => (low..=high).contains(&value) && value.count_ones() == 1,
            Constants::Either(one, other) => value == one || value == other,
            Constants::SparsitySelector => (0..length::sparsity_selectors(mnemonic)).contains(&value),
        }
    }

    /// The allowed values in words: "a multiple of 16 from 0 to 1048560".
    pub fn text(self, mnemonic: &Mnemonic) -> String {
        match self {
            Constants::Any => "any integer".to_owned(),
            Constants::Range(low, high) => format!("from {low} to {high}"),
            Constants::Multiple(step, low, high) => format!("a multiple of {step} from {low} to {high}"),
            Constants::PowerOfTwo(low, high) => format!("a power of two from {low} to {high}"),
            Constants::Either(one, other) => format!("{one} or {other}"),
            Constants::SparsitySelector => match length::sparsity_selectors(mnemonic) - 1 {
                0 => "0".to_owned(),
                last => format!("from 0 to {last}"),
            },
        }
    }
}
