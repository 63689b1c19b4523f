//! `ptxrun`: executes a kernel on the host.

mod arguments;
mod launch_file;
mod plan;
mod spec;

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    ExitStatus, Failure, Output, Terminal, parse_arguments, print_documents, read_input, rejected, run,
};
use ptx_diag::SourceFile;
use ptx_driver::{
    Comments, InputKind, Program, Sources, TargetChoice, llvm_context, raise, read_llvm, read_program,
};
use ptx_exec::ExecError;
use ptx_ir::Module;

use crate::arguments::Arguments;
use crate::plan::Plan;
use crate::spec::{ArgumentSpec, PrintSpec};

fn main() -> ExitCode {
    let arguments = match parse_arguments::<Arguments>() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let terminal = arguments.report.terminal();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command(), terminal) {
        return status;
    }
    ptx_llvm::fail_past_file_limit();
    run(terminal, || launch(&arguments))
}

fn launch(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    let plan = Plan::new(arguments)?;
    let inputs = plan.inputs.iter().map(|path| as_ptx(path, terminal)).collect::<Result<Vec<_>, _>>()?;
    let program =
        terminal.step("read PTX", || read_program(inputs, TargetChoice::default(), Comments::Dropped));
    let Program { module, sources, mut warnings } =
        program.map_err(|found| Failure::about_several(ExitStatus::Rejected, found))?;
    let verified = match terminal.step("verify", || ptx_verify::verify(&module)) {
        Ok((verified, more)) => {
            warnings.append(more);
            terminal.warn(sources.split(&warnings))?;
            verified
        }
        Err(found) => {
            warnings.append(found);
            return Err(Failure::about_several(ExitStatus::Rejected, sources.split(&warnings)));
        }
    };
    let launch = plan.launch()?;
    let outcome = terminal.step("execute", || ptx_exec::run(verified, &launch));
    let outcome = outcome.map_err(|error| failed(&sources, error))?;
    terminal.note(|| {
        let (warps, threads) = (outcome.warp_instructions, outcome.thread_instructions);
        format!("executed {warps} instructions of warps, {threads} of threads")
    });
    Output::Stdout.write(&outcome.output)?;
    for (argument, bytes) in plan.args.iter().zip(&outcome.buffers) {
        let (ArgumentSpec::Out(_, path) | ArgumentSpec::InOut(_, path)) = argument else { continue };
        Output::File(path.clone()).write(bytes.as_deref().unwrap_or_default())?;
    }
    let buffers = &outcome.buffers;
    let views: String = plan.print.iter().map(|view| show(view, buffers)).collect();
    Output::Stdout.write(views.as_bytes())
}

/// An input as PTX: LLVM IR is raised to the text that is executed, so that what fails has a place to point at.
fn as_ptx(path: &Path, terminal: Terminal) -> Result<SourceFile, Failure> {
    let input = read_input(path)?;
    match InputKind::of(path, input.text()) {
        InputKind::Ptx => Ok(input),
        InputKind::Llvm => terminal.step("raise", || raised(&input, terminal)),
    }
}

fn raised(input: &SourceFile, terminal: Terminal) -> Result<SourceFile, Failure> {
    let context = llvm_context(input).map_err(|found| rejected(input, found))?;
    let (module, mut warnings) = read_llvm(&context, input).map_err(|found| rejected(input, found))?;
    let (module, more): (Module, _) =
        raise(&module, TargetChoice::default()).map_err(|found| rejected(input, found))?;
    warnings.append(more);
    terminal.warn(vec![(input.clone(), warnings)])?;
    Ok(SourceFile::new(format!("{} (as PTX)", input.name()), ptx_ir::print(&module)))
}

/// A launch that was refused is rejected input; a thread that was stopped is a failed execution.
fn failed(sources: &Sources, error: ExecError) -> Failure {
    let status = match &error {
        ExecError::Refused(_) => ExitStatus::Rejected,
        ExecError::Trap(_) => ExitStatus::Failed,
    };
    Failure::about_several(status, sources.split(&error.into_diagnostics()))
}

/// One line: `INDEX:TYPE = value value ...`.
fn show(view: &PrintSpec, buffers: &[Option<Vec<u8>>]) -> String {
    let bytes = buffers.get(view.index).and_then(Option::as_deref).unwrap_or_default();
    let all = bytes.chunks_exact(view.ty.size());
    let count = view.count.and_then(|count| usize::try_from(count).ok()).unwrap_or(all.len());
    let values: Vec<String> = all.take(count).map(|element| view.ty.show(element)).collect();
    format!("{}:{} = {}\n", view.index, view.ty.name(), values.join(" "))
}
