//! What the tests of all packages share: how much of their inputs they take ([`sample`]), tools that they run ([`built`]), what a browser makes
//! of a page ([`browser`]), and random calls of libraries ([`calls`]).
//!
//! A test with many inputs (generated programs, real PTX, kernels of other compilers, every row of the instruction table) takes a seeded sample of them
//! by default, so that all tests together pass in minutes; with `PTX_TESTS=all`, which `scripts/test --all` sets, it takes all of them.
//! `PTX_SEED` selects another sample. What is left out is recorded below the folder that `PTX_LEFT_OUT` names, and `cargo xtask test` prints it.

pub mod browser;
mod built;
pub mod calls;
mod extent;

pub use built::{BUILT, built, built_examples};
pub use extent::{
    EXTENT, LEFT_OUT, Left, SEED, asked_seed, count, read_left_out, sample, sample_of_test, takes, takes_all,
};
