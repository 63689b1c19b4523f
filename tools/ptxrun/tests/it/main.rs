//! The integration tests, as one program.

mod addresses;
mod arrays;
mod automatic;
mod cache;
mod common;
mod contract;
mod documents;
mod engines;
mod explained;
mod failures;
#[cfg(unix)]
mod interrupted;
mod names;
#[cfg(unix)]
mod outputs;
mod printed;
mod profile;
mod schema;
mod structures;
mod templates;
