//! The integration tests, as one program.

mod addresses;
mod coalesce;
mod common;
mod constants;
mod execution;
mod hoist;
mod random_kernel;
