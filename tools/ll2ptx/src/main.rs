//! `ll2ptx`: LLVM IR in, PTX out.

mod arguments;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    Batch, ExitStatus, Failure, Output, optimize, parse_arguments, print_documents, read_input,
    refuse_folders, refuse_input, rejected, run, run_batch, usage_or_rejected,
};
use ptx_diag::Diagnostic;
use ptx_driver::{
    JudgedText, Style, TargetChoice, explain, generate, llvm_context, lower_constructors, print_checked,
    raise_in_style, read_llvm_as, settle_atomics, settle_unoptimized,
};

use crate::arguments::{Arguments, Engine, FileType};

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
    run(terminal, || match (&arguments.output_dir, arguments.inputs.as_slice()) {
        (Some(folder), inputs) => {
            let batch = Batch::new(inputs, &["ll", "bc"], Some((folder, "ptx")))?;
            run_batch(terminal, &batch, |input, output| translate(&arguments, input, output))
        }
        (None, [input]) => translate(&arguments, input, arguments.output.as_deref()),
        (None, inputs) => Err(several_inputs(inputs)),
    })
}

/// LLVM IR is linked by LLVM's own tool.
fn several_inputs(inputs: &[PathBuf]) -> Failure {
    let message =
        format!("{} inputs require --output-dir: each is translated to a separate file", inputs.len());
    let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message)
        .with_help("llvm-link links several modules into one");
    Failure::about(ExitStatus::Usage, "<command line>", finding)
}

fn translate(arguments: &Arguments, input: &Path, output: Option<&Path>) -> Result<(), Failure> {
    if arguments.keep_ptx.is_some() && arguments.engine == Engine::Llvm {
        let message = "--keep-ptx has no effect with --engine=llvm, whose output is not checked";
        let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
        return Err(Failure::about(ExitStatus::Usage, "<command line>", finding));
    }
    let terminal = arguments.report.terminal();
    refuse_folders(&[input.to_owned()])?;
    refuse_input(&Output::from_argument(output), [input])?;
    let source = read_input(input)?;
    let context = llvm_context(&source).map_err(|found| rejected(&source, found))?;
    let module =
        terminal.step("read LLVM IR", || read_llvm_as(&context, &source, arguments.triple.as_deref()));
    let (mut module, mut warnings) = module.map_err(|found| rejected(&source, found))?;

    settle_atomics(&mut module, arguments.atomics.into());
    let choice = arguments.optimize.unoptimized.into();
    let (mut module, more) = settle_unoptimized(module, choice, arguments.optimize.level, &source)
        .map_err(|found| rejected(&source, found))?;
    warnings.append(more);

    let choice = TargetChoice { sm: arguments.target.target, version: arguments.target.version() };
    terminal
        .step("optimize", || optimize(&arguments.optimize, &arguments.told, &mut module, choice, &source))
        .map_err(|found| usage_or_rejected(&source, found))?;

    if arguments.lower_ctors {
        terminal
            .step("lower constructors", || lower_constructors(&mut module, choice, &source))
            .map_err(|found| rejected(&source, found))?;
    }

    let style = Style { names: arguments.names.into(), annotations: arguments.comments.into() };
    let text = match arguments.engine {
        Engine::Native => {
            let (ptx, more) = terminal
                .step("raise", || raise_in_style(&mut module, choice, style))
                .map_err(|found| rejected(&source, found))?;
            warnings.append(more);
            let (name, kept) = match &arguments.keep_ptx {
                Some(path) => {
                    Output::File(path.clone()).write(ptx_ir::print(&ptx).as_bytes())?;
                    (path.display().to_string(), JudgedText::Kept)
                }
                None => (source.name().to_owned(), JudgedText::Unknown),
            };
            terminal.step("print and check", || print_checked(&ptx, &name)).map_err(|bad| {
                let findings = explain(&bad, &module, (choice, style), kept);
                rejected(if kept == JudgedText::Kept { &bad.source } else { &source }, findings)
            })?
        }
        Engine::Llvm => terminal
            .step("generate with LLVM", || generate(module, choice, arguments.optimize.level, &source))
            .map_err(|found| rejected(&source, found))?,
    };
    terminal.warn(vec![(source, warnings)])?;
    if arguments.filetype == Some(FileType::Null) {
        return Ok(());
    }
    Output::from_argument(output).write(text.as_bytes())
}
