//! Products of matrices of CUTLASS for sm_90a and sm_100a, whose warps have roles and wait for each other at barriers in shared memory, as code for the
//! host.

#[path = "../../../ptx-exec/tests/it/cutlass/products.rs"]
#[allow(dead_code, reason = "the interpreter's tests use the rest")]
mod products;

use crate::common::launched;
use products::Product;

/// The product is that of a plain loop.
fn check((text, launch, expected): Product) {
    let done = launched(text, &launch).unwrap_or_else(|error| panic!("{}: {error}", launch.entry));
    let found = done.buffers[3].as_ref().expect("a buffer");
    let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert_eq!((found.len(), wrong), (expected.len(), None), "{}", launch.entry);
}

#[test]
fn warpgroups_of_sm_90_multiply_in_turn() {
    check(products::ping_pong());
}

#[test]
fn warpgroups_of_sm_90_multiply_together() {
    check(products::cooperative());
}

#[test]
fn blocks_of_sm_100_multiply_alone() {
    check(products::blocks_alone());
}

#[test]
fn pairs_of_blocks_of_sm_100_multiply() {
    check(products::pairs_of_blocks());
}
