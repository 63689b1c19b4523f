//! The integration tests, as one program.

mod addresses;
mod automatic;
mod cache;
mod common;
mod contract;
mod documents;
mod engines;
mod explained;
mod failures;
#[cfg(unix)]
mod outputs;
mod printed;
mod structures;
