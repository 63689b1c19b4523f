//! `ptxdiff`: two PTX modules compared.

mod arguments;
mod json;
mod text;

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    ExitStatus, Failure, Output, parse_arguments, print_documents, read_input, refuse_folders, run,
};
use ptx_diag::{Diagnostic, SourceFile};
use ptx_driver::{Comments, read_ptx};
use ptx_ir::Module;

use crate::arguments::{Arguments, OutputFormat};

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
    if before == Path::new("-") && after == Path::new("-") {
        let finding =
            Diagnostic::error_without_place(ptx_cli::code::USAGE, "only one module can be standard input");
        return Err(Failure::about(ExitStatus::Usage, "<command line>", finding));
    }
    let (before, old) = read(arguments, before)?;
    let (after, new) = read(arguments, after)?;
    let comparison = arguments.report.terminal().step("compare", || ptx_diff::compare(&old, &new));
    let sources = (&before, &after);
    let text = match arguments.format {
        OutputFormat::Text => text::of(&comparison, sources, arguments),
        OutputFormat::Json => json::of(&comparison, sources, arguments.brief),
    };
    Output::Stdout.write(text.as_bytes())?;
    if comparison.is_same() { Ok(()) } else { Err(Failure::about_several(ExitStatus::Rejected, Vec::new())) }
}

/// Reads a module; what is wrong with it is reported with the status of wrong usage, since 1 has another meaning here.
fn read(arguments: &Arguments, path: &Path) -> Result<(SourceFile, Module), Failure> {
    let as_usage = |failure: Failure| failure.with_status(ExitStatus::Usage);
    refuse_folders(&[path.to_owned()]).map_err(as_usage)?;
    let source = read_input(path).map_err(as_usage)?;
    let found = arguments.report.terminal().step("read PTX", || read_ptx(&source, Comments::Dropped));
    match found {
        Ok((module, _)) => Ok((source, module)),
        Err(found) => Err(Failure::new(ExitStatus::Usage, source, found)),
    }
}
