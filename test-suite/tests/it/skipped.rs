//! Checks that are left out where a program that they need is missing; CI requires them.

use test_suite::skip::Skips;

/// Tells that a check is left out.
#[allow(clippy::print_stdout, reason = "what a test prints is shown on demand")]
pub(crate) fn skip(why: &str) {
    let skips = Skips::default();
    skips.count(why);
    println!("{}", skips.summary());
}
