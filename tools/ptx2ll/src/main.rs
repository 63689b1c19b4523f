//! `ptx2ll`: PTX in, LLVM IR out.

mod arguments;
mod explain;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use ptx_cli::{
    ExitStatus, Failure, Output, print_documents, read_input, refuse_terminal, rejected, run,
    usage_or_rejected,
};
use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_driver::{
    BitcodeFindings, Comments, Program, Sources, TargetChoice, link_bitcode, llvm_context, lower, optimize,
    read_program,
};
use ptx_llvm::{FlushToZero, OptLevel};
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

    let inputs = arguments.inputs.iter().map(|path| read_input(path)).collect::<Result<Vec<_>, _>>()?;
    let comments = match arguments.emit {
        Emit::Ptx => Comments::Kept,
        Emit::Ll | Emit::Bc | Emit::None => Comments::Dropped,
    };
    let choice = TargetChoice { sm: arguments.target.target, version: arguments.target.ptx_version };
    let program = terminal.step("read PTX", || read_program(inputs, choice, comments));
    let Program { module, sources, mut warnings } =
        program.map_err(|found| Failure::about_several(ExitStatus::Rejected, found))?;
    let verified = match terminal.step("verify", || ptx_verify::verify(&module)) {
        Ok((verified, more)) => {
            warnings.append(more);
            sources.split(&warnings).iter().for_each(|(source, found)| terminal.report(source, found));
            verified
        }
        Err(found) => {
            warnings.append(found);
            return Err(rejected_in(&sources, &warnings));
        }
    };
    match arguments.emit {
        Emit::None => Ok(()),
        Emit::Ptx => output.write(terminal.step("print", || ptx_ir::print(&module)).as_bytes()),
        Emit::Ll | Emit::Bc => output.write(&to_llvm(arguments, &sources, verified)?),
    }
}

/// LLVM IR as text or bitcode.
fn to_llvm(arguments: &Arguments, sources: &Sources, verified: Verified<'_>) -> Result<Vec<u8>, Failure> {
    let terminal = arguments.report.terminal();
    // What LLVM says has no place; it is said of the first input.
    let source = sources.files().first().cloned().unwrap_or_else(|| SourceFile::new("", Vec::new()));
    let context = llvm_context(&source).map_err(|found| rejected(&source, found))?;
    let module =
        terminal.step("lower", || lower(verified, &context)).map_err(|found| rejected_in(sources, &found))?;
    let flush = if arguments.reflect_ftz { FlushToZero::Yes } else { FlushToZero::No };
    for path in &arguments.link_bitcode {
        let library = read_input(path)?;
        let linked =
            terminal.step("link bitcode", || link_bitcode(&module, verified.module(), &library, flush));
        linked.map_err(|found| match found {
            BitcodeFindings::Program(found) => rejected_in(sources, &found),
            BitcodeFindings::Library(found) => rejected(&library, found),
        })?;
    }
    let passes = arguments.optimize.passes.as_deref();
    terminal
        .step("optimize", || {
            optimize(&module, arguments.optimize.level, passes, TargetChoice::default(), &source)
        })
        .map_err(|found| usage_or_rejected(&source, found))?;
    Ok(if arguments.emit == Emit::Bc { module.to_bitcode() } else { module.to_text().into_bytes() })
}

/// The inputs are rejected for what was found in them.
fn rejected_in(sources: &Sources, findings: &Diagnostics) -> Failure {
    Failure::about_several(ExitStatus::Rejected, sources.split(findings))
}

/// Refuses optimization of what does not go through LLVM, rather than leave it out silently.
fn check_combination(arguments: &Arguments) -> Result<(), Failure> {
    let through_llvm = matches!(arguments.emit, Emit::Ll | Emit::Bc);
    let optimizes = arguments.optimize.level != OptLevel::O0 || arguments.optimize.passes.is_some();
    let links = !arguments.link_bitcode.is_empty();
    if through_llvm || !(optimizes || links) {
        return Ok(());
    }
    let what = if links { "--link-bitcode has" } else { "-O and --passes have" };
    let message = format!("--emit=ptx and --emit=none do not go through LLVM, so {what} nothing to work on");
    let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
    let names: Vec<String> = arguments.inputs.iter().map(|path| path.display().to_string()).collect();
    Err(Failure::about(ExitStatus::Usage, &names.join(" "), finding))
}
