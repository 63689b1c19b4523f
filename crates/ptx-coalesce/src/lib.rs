//! Bodies of PTX with fewer registers, copies and moves of addresses.
//!
//! In: a body as an emitter writes it that gives each value a register of its own, and phis two with copies at each edge. Out: the same body, in which registers that
//! are never alive together are one ([`coalesce`]), an address is moved once on each path ([`share_addresses`]), and the copies of an edge are before the branch that
//! leads to it ([`hoist`]). What the body computes is the same. Liveness (`liveness`) is that of the registers asked for alone.

mod addresses;
mod coalesce;
mod hoist;
mod liveness;

pub use addresses::share_addresses;
pub use coalesce::{Joined, coalesce};
pub use hoist::hoist;
