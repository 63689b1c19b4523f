//! What a pass of this project is: the columns of the table, and how a row runs.

use ptx_llvm_core::edit::{Editor, Function, edit};
use ptx_llvm_core::{LlvmError, Machine, Module, Tuning};

/// A pass of this project: a row of [`PASSES`](crate::PASSES).
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
    /// At `-O1` and above after LLVM's passes, in the order of [`AT_LEVELS`](crate::AT_LEVELS), and where `--passes` names it.
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
pub(crate) fn on_functions(
    module: &mut Module<'_>,
    run: for<'e> fn(&Editor<'e>, Function<'e>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    edit(module, |editor| editor.optimized_functions().try_for_each(|function| run(editor, function)))
}
