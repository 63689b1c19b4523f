//! A part of the trials of a test program.

use libtest_mimic::{Arguments, Trial};

/// `few` of the trials, or all of them where all inputs are taken (`PTX_TESTS=all`) or trials are selected by their name.
///
/// `what` names them in the plural, for the list of what was left out.
pub fn sampled(arguments: &Arguments, what: &str, trials: Vec<Trial>, few: usize) -> Vec<Trial> {
    let is_selected = arguments.filter.is_some() || !arguments.skip.is_empty() || arguments.exact;
    if is_selected { trials } else { testing::sample(what, trials, few) }
}
