//! Compiling kernels for the host takes time in proportion to their size, for every kind of control flow.

use test_suite::control_flow::{SHAPES, Shape, kernel, measure, mixture};
use test_suite::growth::complaint;

/// The instructions of the smaller kernel.
const SIZE: usize = 500;

/// Compares a kernel with a larger one of the same kind.
fn compare(name: &str, kernel: impl Fn(usize, usize) -> String) -> Option<String> {
    complaint(name, SIZE, |size| {
        let measured =
            measure(&kernel(SIZE, size / SIZE)).unwrap_or_else(|error| panic!("{name} of {size}: {error:#}"));
        assert!(measured.is_right, "{name} of {size} instructions: the engines differ");
        measured.compiled
    })
}

#[test]
fn time_grows_as_the_kernel_does() {
    // A copy between registers is nothing to LLVM where a kernel is one function, and as dear as others where it is in segments, as the larger kernel is.
    // That copies are analyzed in proportion to their number is a test of the analysis.
    let shapes = SHAPES.into_iter().filter(|&shape| shape != Shape::Copies).collect();
    let shapes = testing::sample("kinds of control flow that compile time is measured on", shapes, 4);
    let complaints: Vec<String> = shapes
        .into_iter()
        .filter_map(|shape| compare(&format!("{shape:?}"), |size, times| kernel(shape, size * times)))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn mixtures_are_right_and_their_time_grows_as_they_do() {
    let seeds =
        testing::sample("mixtures of control flow that compile time is measured on", (1..=6).collect(), 1);
    let complaints: Vec<String> = seeds
        .into_iter()
        .filter_map(|seed| compare(&format!("mixture {seed}"), |size, times| mixture(seed, size, times)))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
