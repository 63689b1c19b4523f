//! Kernels for known launches: `--assume`.

use ptx_cli::{ExitStatus, Failure};
use ptx_diag::Diagnostic;
use ptx_driver::Sources;
use ptx_ir::Module;
use ptx_specialize::{Assumptions, Specialized, specialize};

use crate::arguments::Arguments;
use crate::failures::rejected_in;
use crate::launch_file;

/// All that is assumed, by `--assume` and by launch files.
///
/// # Errors
/// A launch file that is rejected.
pub(crate) fn assumed(arguments: &Arguments, module: &Module) -> Result<Vec<Assumptions>, Failure> {
    let files = arguments.assume_launch.iter().map(|path| launch_file::assumptions(path, module));
    arguments.assume.iter().cloned().map(Ok).chain(files).collect()
}

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
