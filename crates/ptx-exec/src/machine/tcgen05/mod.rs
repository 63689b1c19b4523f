//! Tensor memory and the multiplications that use it (manual 9.7.16).

mod access;
mod copy;
mod elsewhere;
mod factor;
mod instruction;
mod issue;
mod layout;
mod memory;
mod moves;
mod multiply;
mod shared;

pub(super) use access::{Issue, Outcome, TensorStore, access, load_in_place};
pub(super) use issue::Tcgen05Work;
pub(super) use memory::TensorMemory;

use crate::error::TrapKind;

/// An error for an undefined use.
fn misuse<T>(text: impl Into<String>) -> Result<T, TrapKind> {
    Err(TrapKind::Misuse(text.into()))
}
