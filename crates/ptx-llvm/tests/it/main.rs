//! Tests of the crate.

mod errors;
mod examples;
