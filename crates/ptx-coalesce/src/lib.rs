//! Clean-up passes over a body of PTX: sharing of addresses, copy coalescing, hoisting of copies, dropping of known constants and of what
//! nothing reads.
//!
//! Input: a body in which each value has a register of its own, and each phi two, with a copy on each edge. Output: an equivalent body with
//! fewer registers, copies and address moves. [`share_addresses`] removes moves of an address that another one dominates, [`coalesce()`] gives
//! one register to values that copies connect and whose live ranges do not interfere, and [`hoist()`] moves the copies of an edge before the
//! conditional branch that skips them. [`drop_known_constants`] removes moves of a constant to a register that holds it, and
//! [`drop_unread`] instructions whose results are not read. Liveness (`liveness`) is computed only for the registers in question.

mod addresses;
mod coalesce;
mod constants;
mod hoist;
mod liveness;
mod sparse_bit_set;
mod unread;

pub use addresses::share_addresses;
pub use coalesce::{Coalesced, coalesce};
pub use constants::drop_known_constants;
pub use hoist::hoist;
pub use unread::drop_unread;
