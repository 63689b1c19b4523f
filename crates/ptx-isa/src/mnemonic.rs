//! Mnemonics: a form with its modifiers chosen.

mod allowed;
mod assign;
mod chosen;
mod defaults;
mod family;
mod implied;
mod length;
mod literal;
mod lowering;
mod misfit;
mod order;
mod place;
mod role;
mod rules;
mod text;

#[cfg(test)]
pub(crate) use chosen::MAX_SLOTS;
pub use chosen::Mnemonic;
pub use family::UnknownForm;
pub use implied::implies_modifiers;
pub use misfit::Misfit;
#[cfg(test)]
pub(crate) use order::order_of;
pub use place::{Candidate, Placement, Shape, choose_row};
pub use text::{MnemonicError, candidates, misfit_today, rows_with};

/// The maximum number of operands of a row or a pair of brackets.
#[cfg(test)]
pub(crate) const MOST_PLACES: usize = Placement::MOST;
