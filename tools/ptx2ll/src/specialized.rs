//! Kernels for known launches: `--assume`.

use ptx_cli::{ExitStatus, Failure};
use ptx_diag::Diagnostic;
use ptx_driver::Sources;
use ptx_ir::Module;
use ptx_llvm::{Module as LlvmModule, instruction_count};
use ptx_specialize::{Assumptions, Specialized, specialize};

use crate::arguments::Arguments;
use crate::rejected_in;

/// How many times the instructions of a kernel its copy may have.
const MOST_GROWTH: usize = 4;

/// Below this number of instructions, growth does not matter.
const FEW: usize = 200;

/// A module with kernels for launches that are as assumed.
pub(crate) struct WithCopies {
    pub(crate) module: Module,
    pub(crate) copies: Vec<Specialized>,
}

/// Adds a kernel for each of these assumptions, and verifies the module.
pub(crate) fn with_copies(
    arguments: &Arguments,
    sources: &Sources,
    module: &Module,
    assumed: &[Assumptions],
) -> Result<WithCopies, Failure> {
    let mut module = module.clone();
    let copies = assumed.iter().map(|one| specialize(&mut module, one)).collect::<Result<Vec<_>, _>>();
    let copies = copies.map_err(|error| {
        let names: Vec<String> = arguments.inputs.iter().map(|path| path.display().to_string()).collect();
        let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, format!("--assume: {error}"));
        Failure::about(ExitStatus::Usage, &names.join(" "), finding)
    })?;
    // The original is known to be valid, and its warnings were told.
    ptx_verify::verify(&module).map_err(|found| rejected_in(sources, &found))?;
    Ok(WithCopies { module, copies })
}

/// The assumptions to try next, when a kernel has grown too much with these: one with fewer arguments. `tried` is the argument that was left out
/// before, if one was; each is, in turn, and then all of them.
pub(crate) fn fewer(assumed: &Assumptions, tried: Option<usize>) -> Option<(Assumptions, usize)> {
    let after = |index: &&usize| tried.is_none_or(|tried| **index > tried);
    let left_out = assumed.arguments.keys().find(after).copied();
    let mut fewer = assumed.clone();
    match left_out {
        Some(index) if assumed.arguments.len() > 1 => {
            fewer.arguments.remove(&index);
            (!fewer.is_empty()).then_some((fewer, index))
        }
        _ if tried != Some(usize::MAX) && !assumed.arguments.is_empty() => {
            fewer.arguments.clear();
            (!fewer.is_empty()).then_some((fewer, usize::MAX))
        }
        _ => None,
    }
}

/// Whether a copy has grown too much: the machine code that runs more often than what was saved pays for it.
pub(crate) fn is_too_long(module: &LlvmModule<'_>, copy: &Specialized) -> bool {
    let [before, after] = [&copy.original, &copy.name].map(|name| instruction_count(module, name));
    match (before, after) {
        (Some(before), Some(after)) => after > FEW && after > before * MOST_GROWTH,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_left_out_one_by_one_and_then_all() {
        let assumed: Assumptions = "block=8 arg1=5 arg3=6".parse().expect("assumptions");
        let (mut tried, mut texts) = (None, Vec::new());
        while let Some((next, left_out)) = fewer(&assumed, tried) {
            texts.push(next.to_string());
            tried = Some(left_out);
        }
        assert_eq!(texts, ["block=8,1,1 arg3=6", "block=8,1,1 arg1=5", "block=8,1,1"]);
        let alone: Assumptions = "arg1=5".parse().expect("assumptions");
        assert_eq!(fewer(&alone, None), None);
    }
}
