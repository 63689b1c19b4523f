//! The integration tests, as one program.

mod addresses;
mod coalesce;
mod common;
mod execution;
mod hoist;
mod random_kernel;
