//! `ptx2ll`: PTX in, LLVM IR out.

mod arguments;
mod explain;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use ptx_cli::{
    ExitStatus, Failure, Output, print_documents, read_input, refuse_terminal, rejected, run,
    usage_or_rejected,
};
use ptx_diag::{Diagnostic, SourceFile};
use ptx_driver::{Comments, TargetChoice, llvm_context, lower, optimize, read_ptx, retarget};
use ptx_llvm::OptLevel;
use ptx_verify::Verified;

use crate::arguments::{Arguments, Emit};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command()) {
        return status;
    }
    let terminal = arguments.report.terminal();
    match &arguments.explain {
        Some(mnemonic) => run(terminal, || explain::explain(mnemonic)),
        None => run(terminal, || translate(&arguments)),
    }
}

fn translate(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    let output = Output::from_argument(arguments.output.as_deref());
    check_combination(arguments)?;
    if arguments.emit == Emit::Bc {
        refuse_terminal(&output, "bitcode")?;
    }

    let source = read_input(&arguments.input)?;
    let comments = match arguments.emit {
        Emit::Ptx => Comments::Kept,
        Emit::Ll | Emit::Bc | Emit::None => Comments::Dropped,
    };
    let read = terminal.step("read PTX", || read_ptx(&source, comments));
    let (mut module, mut warnings) = read.map_err(|found| rejected(&source, found))?;
    let choice = TargetChoice { sm: arguments.target.target, version: arguments.target.ptx_version };
    retarget(&mut module, choice);
    let verified = match terminal.step("verify", || ptx_verify::verify(&module)) {
        Ok((verified, more)) => {
            warnings.append(more);
            terminal.report(&source, &warnings);
            verified
        }
        Err(found) => {
            warnings.append(found);
            return Err(rejected(&source, warnings));
        }
    };
    match arguments.emit {
        Emit::None => Ok(()),
        Emit::Ptx => output.write(terminal.step("print", || ptx_ir::print(&module)).as_bytes()),
        Emit::Ll | Emit::Bc => output.write(&to_llvm(arguments, &source, verified)?),
    }
}

/// LLVM IR as text or bitcode.
fn to_llvm(arguments: &Arguments, source: &SourceFile, verified: Verified<'_>) -> Result<Vec<u8>, Failure> {
    let terminal = arguments.report.terminal();
    let context = llvm_context(source).map_err(|found| rejected(source, found))?;
    let module =
        terminal.step("lower", || lower(verified, &context)).map_err(|found| rejected(source, found))?;
    let passes = arguments.optimize.passes.as_deref();
    terminal
        .step("optimize", || optimize(&module, arguments.optimize.level, passes, source))
        .map_err(|found| usage_or_rejected(source, found))?;
    Ok(if arguments.emit == Emit::Bc { module.to_bitcode() } else { module.to_text().into_bytes() })
}

/// Refuses optimization of what does not go through LLVM, rather than leave it out silently.
fn check_combination(arguments: &Arguments) -> Result<(), Failure> {
    let through_llvm = matches!(arguments.emit, Emit::Ll | Emit::Bc);
    let optimizes = arguments.optimize.level != OptLevel::O0 || arguments.optimize.passes.is_some();
    if through_llvm || !optimizes {
        return Ok(());
    }
    let message =
        "--emit=ptx and --emit=none do not go through LLVM, so -O and --passes have nothing to work on";
    let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
    Err(Failure::about(ExitStatus::Usage, &arguments.input.display().to_string(), finding))
}
