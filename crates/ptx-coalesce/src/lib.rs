//! Bodies of PTX with fewer registers, copies and moves of addresses.
//!
//! Input: a body in which each value has a register of its own, and each phi two, with copies at each edge. Output: an equivalent body, in which registers that
//! are never live at the same time are one ([`coalesce`]), an address is moved once on each path ([`share_addresses`]), and the copies of an edge are before the branch that
//! leads to it ([`hoist`]). Liveness (`liveness`) is computed only for the requested registers.

mod addresses;
mod coalesce;
mod hoist;
mod liveness;

pub use addresses::share_addresses;
pub use coalesce::{Joined, coalesce};
pub use hoist::hoist;
