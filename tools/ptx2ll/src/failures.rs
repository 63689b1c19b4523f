//! Failures that several parts report.

use ptx_cli::{ExitStatus, Failure};
use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_driver::Sources;

use crate::arguments::Arguments;

/// The file that LLVM's messages are reported for, which have no location: the first input.
pub(crate) fn first_source(sources: &Sources) -> SourceFile {
    // Default: a module without an input has no text.
    sources.files().first().cloned().unwrap_or_else(|| SourceFile::new("", Vec::new()))
}

/// The failure that the inputs are rejected with these diagnostics.
pub(crate) fn rejected_in(sources: &Sources, findings: &Diagnostics) -> Failure {
    Failure::about_several(ExitStatus::Rejected, sources.split(findings))
}

/// The failure that options have no meaning together.
pub(crate) fn no_meaning(arguments: &Arguments, message: String) -> Failure {
    let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
    let names: Vec<String> = arguments.inputs.iter().map(|path| path.display().to_string()).collect();
    Failure::about(ExitStatus::Usage, &names.join(" "), finding)
}
