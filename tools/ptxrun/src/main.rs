//! `ptxrun`: executes a kernel on the host.

mod arguments;
mod launch_file;
mod plan;
mod spec;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use ptx_cli::{Failure, Output, Terminal, print_documents, read_input, rejected, run};
use ptx_diag::SourceFile;
use ptx_driver::{InputKind, TargetChoice, raise, read_llvm, read_ptx};
use ptx_ir::Module;
use ptx_llvm::Context;
use ptx_verify::Verified;

use crate::arguments::Arguments;
use crate::plan::{Content, Plan};
use crate::spec::{ArgumentSpec, PrintSpec};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command()) {
        return status;
    }
    run(arguments.report.terminal(), || launch(&arguments))
}

fn launch(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    let plan = Plan::new(arguments)?;
    let input = read_input(&plan.input)?;
    let source = match InputKind::of(&plan.input, input.text()) {
        InputKind::Ptx => input,
        InputKind::Llvm => terminal.step("raise", || as_ptx(&input))?,
    };
    let (module, mut warnings) = read_ptx(&source).map_err(|found| rejected(&source, found))?;
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
    let contents = plan.contents()?;
    let buffers = execute(terminal, &source, verified, &plan, contents)?;
    for (argument, bytes) in plan.args.iter().zip(&buffers) {
        let (ArgumentSpec::Out(_, path) | ArgumentSpec::InOut(_, path)) = argument else { continue };
        Output::File(path.clone()).write(bytes.as_deref().unwrap_or_default())?;
    }
    let views: String = plan.print.iter().map(|view| show(view, &buffers)).collect();
    Output::Stdout.write(views.as_bytes())
}

/// LLVM IR as the PTX that is executed, so that what fails has a place to point at.
fn as_ptx(input: &SourceFile) -> Result<SourceFile, Failure> {
    let context = Context::new();
    let module = read_llvm(&context, input).map_err(|found| rejected(input, found))?;
    let module: Module = raise(&module, TargetChoice::default()).map_err(|found| rejected(input, found))?;
    Ok(SourceFile::new(format!("{} (as PTX)", input.name()), ptx_ir::print(&module)))
}

/// Runs the kernel; gives each buffer's content afterwards.
fn execute(
    _terminal: Terminal,
    source: &SourceFile,
    _module: Verified<'_>,
    plan: &Plan,
    contents: Vec<Content>,
) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let _ = (plan.grid, plan.block, plan.cluster, plan.shared, plan.threads, plan.timeout, &plan.entry);
    for content in contents {
        match content {
            Content::Parameter(_) | Content::Buffer(_) => {}
        }
    }
    let finding = ptx_diag::Diagnostic::error_without_place(
        ptx_driver::code::MISSING,
        "the interpreter does not exist yet",
    );
    Err(Failure::about(ptx_cli::ExitStatus::Rejected, source.name(), finding))
}

/// One line: `INDEX:TYPE = value value ...`.
fn show(view: &PrintSpec, buffers: &[Option<Vec<u8>>]) -> String {
    let bytes = buffers.get(view.index).and_then(Option::as_deref).unwrap_or_default();
    let all = bytes.chunks_exact(view.ty.size());
    let count = view.count.and_then(|count| usize::try_from(count).ok()).unwrap_or(all.len());
    let values: Vec<String> = all.take(count).map(|element| view.ty.show(element)).collect();
    format!("{}:{} = {}\n", view.index, view.ty.name(), values.join(" "))
}
