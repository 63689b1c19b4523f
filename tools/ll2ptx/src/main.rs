//! `ll2ptx`: LLVM IR in, PTX out.

mod arguments;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use ptx_cli::{Failure, Output, print_documents, read_input, rejected, run, usage_or_rejected};
use ptx_driver::{
    Style, TargetChoice, generate, llvm_context, optimize, print_checked, raise_in_style, read_llvm,
};

use crate::arguments::{Arguments, Engine};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command()) {
        return status;
    }
    let terminal = arguments.report.terminal();
    run(terminal, || translate(&arguments))
}

fn translate(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    let source = read_input(&arguments.input)?;
    let context = llvm_context(&source).map_err(|found| rejected(&source, found))?;
    let module = terminal.step("read LLVM IR", || read_llvm(&context, &source));
    let (module, mut warnings) = module.map_err(|found| rejected(&source, found))?;

    let choice = TargetChoice { sm: arguments.target.target, version: arguments.target.ptx_version };
    let passes = arguments.optimize.passes.as_deref();
    let level = arguments.optimize.level;
    terminal
        .step("optimize", || optimize(&module, level, passes, choice, &source))
        .map_err(|found| usage_or_rejected(&source, found))?;

    let style = Style { names: arguments.names.into(), annotations: arguments.comments.into() };
    let text = match arguments.engine {
        Engine::Native => {
            let (ptx, more) = terminal
                .step("raise", || raise_in_style(&module, choice, style))
                .map_err(|found| rejected(&source, found))?;
            warnings.append(more);
            let name = format!("{} (as PTX)", source.name());
            terminal
                .step("print and check", || print_checked(&ptx, &name))
                .map_err(|bad| rejected(&bad.source, bad.findings))?
        }
        Engine::Llvm => terminal
            .step("generate with LLVM", || generate(module, choice, level, &source))
            .map_err(|found| rejected(&source, found))?,
    };
    terminal.report(&source, &warnings);
    Output::from_argument(arguments.output.as_deref()).write(text.as_bytes())
}
