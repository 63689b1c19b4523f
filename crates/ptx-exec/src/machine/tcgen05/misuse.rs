//! Undefined uses of tensor memory.

use crate::error::TrapKind;

/// An error for an undefined use.
pub(super) fn misuse<T>(text: impl Into<String>) -> Result<T, TrapKind> {
    Err(TrapKind::Misuse(text.into()))
}
