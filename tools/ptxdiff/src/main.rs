//! `ptxdiff`: two PTX modules compared.

mod arguments;
mod compared;
mod hunks;
mod input;
mod json;
mod machine_json;
mod machine_text;
mod numbers;
mod page;
mod text;
mod toolkit;

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{ExitStatus, Failure, Output, parse_arguments, print_documents, run};
use ptx_diag::Diagnostic;

use crate::arguments::{Arguments, OutputFormat};
use crate::compared::{Both, Compared};
use crate::input::Input;

fn main() -> ExitCode {
    let arguments = match parse_arguments::<Arguments>() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let terminal = arguments.report.terminal();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command(), terminal) {
        return status;
    }
    ptx_llvm_core::fail_past_file_limit();
    match (&arguments.before, &arguments.after) {
        (Some(before), Some(after)) => run(terminal, || compare(&arguments, before, after)),
        // Not without a document, which has been printed.
        _ => ExitCode::from(ExitStatus::Usage.number()),
    }
}

/// Compares the inputs, and writes what differs. That they differ is the exit status of a failure without diagnostics.
fn compare(arguments: &Arguments, before: &Path, after: &Path) -> Result<(), Failure> {
    let inputs =
        [Some(before), Some(after), arguments.profile_before.as_deref(), arguments.profile_after.as_deref()];
    if inputs.into_iter().filter(|path| *path == Some(Path::new("-"))).count() > 1 {
        let finding =
            Diagnostic::error_without_place(ptx_cli::code::USAGE, "only one file can be standard input");
        return Err(Failure::about(ExitStatus::Usage, "<command line>", finding));
    }
    let terminal = arguments.report.terminal();
    let before = Input::read(before, arguments.profile_before.as_deref(), terminal)?;
    let after = Input::read(after, arguments.profile_after.as_deref(), terminal)?;
    let code = toolkit::machine_code(arguments, &before, &after)?;
    let compared = Compared::new(Both { before: &before, after: &after }, code, terminal);
    let text = match arguments.format {
        OutputFormat::Text => text::of(&compared, arguments),
        OutputFormat::Json => json::of(&compared, arguments.brief),
        OutputFormat::Html => page::of(&compared, arguments),
    };
    Output::Stdout.write(text.as_bytes())?;
    if compared.is_same() { Ok(()) } else { Err(Failure::about_several(ExitStatus::Rejected, Vec::new())) }
}
