//! The project's own passes: a file each, and a row each in one table.

mod advance_pointers;
mod choose_addresses;
mod count_first;
mod flush_inputs;
mod index_elements;
mod infer_address_spaces;
mod narrow_comparisons;
mod pack_halves;
mod point_branches;
mod recompute_indices;
mod reduce_call_pressure;
mod relax_cuda_atomics;
mod remove_barriers;
mod share_locals;
mod sink;
mod step_products;
mod strip_hints;
mod unroll;

use std::fmt::Write as _;

use crate::pass::{Pass, Run, When};

pub use choose_addresses::choose_addresses;
pub use flush_inputs::flush_inputs;
pub use index_elements::index_elements;
#[cfg(test)]
pub(crate) use infer_address_spaces::masked_pointers::masked_again;
pub use point_branches::{Branches, point_branches};
pub use relax_cuda_atomics::{has_only_cuda_atomics, relax_cuda_atomics};
pub use strip_hints::drop_metadata;
pub(crate) use unroll::unroll_specialized as unroll_counted;

/// Every pass of this project, by name.
pub const PASSES: &[Pass] = &[
    advance_pointers::PASS,
    choose_addresses::PASS,
    count_first::PASS,
    flush_inputs::PASS,
    index_elements::PASS,
    infer_address_spaces::PASS,
    narrow_comparisons::PASS,
    pack_halves::PASS,
    point_branches::PASS,
    recompute_indices::PASS,
    reduce_call_pressure::PASS,
    relax_cuda_atomics::PASS,
    remove_barriers::PASS,
    share_locals::PASS,
    sink::PASS,
    step_products::PASS,
    strip_hints::PASS,
    unroll::PASS,
];

/// The passes of this project that every level but `-O0` ends with, in this order.
pub const AT_LEVELS: &[Pass] = &[
    remove_barriers::PASS,
    pack_halves::PASS,
    unroll::PASS,
    advance_pointers::PASS,
    step_products::PASS,
    narrow_comparisons::PASS,
    recompute_indices::PASS,
    sink::PASS,
    reduce_call_pressure::PASS,
    count_first::PASS,
    point_branches::PASS,
    share_locals::PASS,
];

/// The pass that every level but `-O0` runs between LLVM's default pipeline and LLVM's passes over accesses.
pub(crate) const SPACES: &Pass = &infer_address_spaces::PASS;

/// Those that follow the unrolling of kernels for known launches.
pub(crate) const AFTER_UNROLLING: &[Pass] = AT_LEVELS;

/// The name, and what runs, of a pass of this project that is written `NAME` or `NAME<PARAMETER>`; `None` if it is none of this project's.
///
/// # Errors
///
/// When the pass does not have the parameter.
pub(crate) fn by_text(text: &str) -> Result<Option<(&'static str, Run)>, String> {
    let (name, parameter) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (text, None),
    };
    let Some(pass) = PASSES.iter().find(|pass| pass.name == name) else { return Ok(None) };
    let Some(parameter) = parameter else { return Ok(Some((pass.name, pass.run))) };
    match pass.parameters.iter().find(|own| own.name == parameter) {
        Some(own) => Ok(Some((pass.name, own.run))),
        None => Err(format!("the pass `{name}` has no parameter `{parameter}`")),
    }
}

/// What a pass of this project that is written `NAME` or `NAME<PARAMETER>` runs; `None` if it is none of this project's.
///
/// # Errors
///
/// When the pass does not have the parameter.
pub fn pass_named(text: &str) -> Result<Option<Run>, String> {
    Ok(by_text(text)?.map(|(_, run)| run))
}

/// The table of passes as `--print-passes` shows it.
pub fn describe_passes() -> String {
    let mut text = String::from("Passes of this project, which --passes takes beside LLVM's:\n");
    for pass in PASSES {
        let level = match pass.run {
            Run::Module(_) | Run::Pipeline(_) => "module",
            Run::Function(_) => "function",
        };
        let when = match pass.when {
            When::Named => "where it is named",
            When::First => "before all others",
            When::AfterEachOfLlvm => "after LLVM's passes",
            When::AfterLlvm => "where it is named, and at -O1 and above after LLVM's default pipeline",
            When::LastAtLevels => "where it is named, and at -O1 and above after LLVM's passes",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {} ({level} pass; runs {when})\n      {}\n", pass.name, pass.summary);
        for parameter in pass.parameters {
            let _ = write!(text, "  {}<{}>\n      {}\n", pass.name, parameter.name, parameter.summary);
        }
    }
    text.push_str("\nLLVM's passes and pipelines have the names that `opt --print-passes` lists.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_this_projects_and_in_order() {
        let names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        assert!(names.is_sorted() && names.iter().all(|name| name.starts_with("ptx-")), "{names:?}");
        let at_levels = PASSES.iter().filter(|pass| pass.when == When::LastAtLevels);
        let mut at_levels: Vec<&str> = at_levels.map(|pass| pass.name).collect();
        let mut listed: Vec<&str> = AT_LEVELS.iter().map(|pass| pass.name).collect();
        at_levels.sort_unstable();
        listed.sort_unstable();
        assert_eq!(at_levels, listed);
    }

    #[test]
    fn parameters_are_those_of_the_row() {
        assert!(by_text("ptx-point-branches<back>").is_ok_and(|found| found.is_some()));
        assert!(by_text("ptx-point-branches<forward>").is_err());
        assert!(by_text("ptx-strip-hints<>").is_err());
        assert!(by_text("instcombine<no-verify-fixpoint>").is_ok_and(|found| found.is_none()));
    }

    #[test]
    fn every_pass_is_described() {
        let text = describe_passes();
        assert!(PASSES.iter().all(|pass| text.contains(pass.name) && text.contains(pass.summary)), "{text}");
        assert!(text.contains("ptx-point-branches<back>"), "{text}");
    }
}
