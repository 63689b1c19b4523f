//! The project's own passes: a file each, and a row each in one table.

mod choose_addresses;
mod count_first;
mod flush_inputs;
mod index_elements;
mod infer_address_spaces;
mod narrow_comparisons;
mod point_branches;
mod recompute_indices;
mod reduce_call_pressure;
mod relax_cuda_atomics;
mod sink;
mod strip_hints;

use std::fmt::Write as _;

use ptx_llvm::edit::{Editor, Function, edit};
use ptx_llvm::{LlvmError, Machine, Module, Tuning};

pub use choose_addresses::choose_addresses;
pub use flush_inputs::flush_inputs;
pub use index_elements::index_elements;
#[cfg(test)]
pub(crate) use infer_address_spaces::masked_pointers::masked_again;
pub use point_branches::{Branches, point_branches};
pub use relax_cuda_atomics::{has_only_cuda_atomics, relax_cuda_atomics};
pub use strip_hints::drop_metadata;

/// A pass of this project: a row of [`PASSES`].
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name it has in `--passes`; all begin with `ptx-`, so that none hides one of LLVM's.
    pub name: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// When it runs without being named.
    pub when: When,
    /// What it does without a parameter.
    pub run: Run,
    /// What may follow its name in angle brackets, as in `ptx-point-branches<back>`: at most one of these.
    pub parameters: &'static [Parameter],
}

/// A variant of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What is written in the brackets.
    pub name: &'static str,
    /// How the variant differs, in one sentence.
    pub summary: &'static str,
    /// What it does.
    pub run: Run,
}

/// When a pass runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Where `--passes` names it.
    Named,
    /// Before the first pass of any pipeline.
    First,
    /// After each pass, or sequence of passes, of LLVM's, and before raising.
    AfterEachOfLlvm,
    /// At `-O1` and above after LLVM's default pipeline, before LLVM's passes over accesses, and where `--passes` names it.
    AfterLlvm,
    /// At `-O1` and above after LLVM's passes, in the order of [`AT_LEVELS`], and where `--passes` names it.
    LastAtLevels,
}

/// How a pass runs.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// On a whole module.
    Module(for<'e> fn(&Editor<'e>) -> Result<(), LlvmError>),
    /// On each function that is not `optnone`, which the pass changes alone.
    Function(for<'e> fn(&Editor<'e>, Function<'e>) -> Result<(), LlvmError>),
    /// On a whole module, with passes of LLVM's for the machine, which are tuned.
    Pipeline(fn(&mut Module<'_>, &Machine, Tuning) -> Result<(), LlvmError>),
}

impl Run {
    /// Changes the module; the pipeline verifies it afterwards.
    ///
    /// # Errors
    ///
    /// What the editor refuses, which a valid module does not lead to, and what LLVM's passes report.
    pub fn on(self, module: &mut Module<'_>, machine: &Machine, tuning: Tuning) -> Result<(), LlvmError> {
        match self {
            Run::Module(run) => edit(module, run),
            Run::Function(run) => on_functions(module, run),
            Run::Pipeline(run) => run(module, machine, tuning),
        }
    }

    /// Whether it is a walk of this project's over the module, which has to be valid for that.
    pub(crate) fn is_walk(self) -> bool {
        match self {
            Run::Module(_) | Run::Function(_) => true,
            Run::Pipeline(_) => false,
        }
    }
}

/// Runs a pass on each function that is not `optnone`.
fn on_functions(
    module: &mut Module<'_>,
    run: for<'e> fn(&Editor<'e>, Function<'e>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    edit(module, |editor| editor.optimized_functions().try_for_each(|function| run(editor, function)))
}

/// Every pass of this project, by name.
pub const PASSES: &[Pass] = &[
    choose_addresses::PASS,
    count_first::PASS,
    flush_inputs::PASS,
    index_elements::PASS,
    infer_address_spaces::PASS,
    narrow_comparisons::PASS,
    point_branches::PASS,
    recompute_indices::PASS,
    reduce_call_pressure::PASS,
    relax_cuda_atomics::PASS,
    sink::PASS,
    strip_hints::PASS,
];

/// The passes of this project that every level but `-O0` ends with, in this order.
pub const AT_LEVELS: &[Pass] = &[
    recompute_indices::PASS,
    sink::PASS,
    reduce_call_pressure::PASS,
    count_first::PASS,
    point_branches::PASS,
];

/// The pass that every level but `-O0` runs between LLVM's default pipeline and LLVM's passes over accesses.
pub(crate) const SPACES: &Pass = &infer_address_spaces::PASS;

/// Those of [`AT_LEVELS`] that follow the unrolling of kernels for known launches.
pub(crate) const AFTER_UNROLLING: &[Pass] = &[count_first::PASS, point_branches::PASS];

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
