//! `ptx2ll`: PTX in, LLVM IR out.

mod analyze;
mod arguments;
mod checks;
mod failures;
mod host;
mod launch_file;
mod specialized;
mod translation;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    Batch, ExitStatus, Failure, Output, parse_arguments, print_documents, read_input, refuse_folders,
    refuse_input, refuse_terminal, rejected, run, run_batch,
};
use ptx_diag::{Position, SourceFile, Span};
use ptx_driver::{
    Comments, FindingsByFile, Program, Sources, TargetChoice, llvm_context, locate_lines, read_program,
};
use ptx_instrument::{Counted, instrument};

use crate::arguments::{Arguments, Emit, Lines};
use crate::checks::{check_combination, check_target};
use crate::failures::{first_source, no_meaning, rejected_in};
use crate::specialized::{WithCopies, assumed, with_copies};
use crate::translation::{to_llvm, written};

fn main() -> ExitCode {
    let arguments = match parse_arguments::<Arguments>() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let terminal = arguments.report.terminal();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command(), terminal) {
        return status;
    }
    let is_batch = arguments.output_dir.is_some()
        || arguments.product() == Emit::None && arguments.inputs.iter().any(|input| input.is_dir());
    ptx_llvm_core::fail_past_file_limit();
    run(terminal, || if is_batch { translate_each(&arguments) } else { translate(&arguments) })
}

/// Translates each input separately.
fn translate_each(arguments: &Arguments) -> Result<(), Failure> {
    let suffix = match arguments.product() {
        Emit::Ll => Some("ll"),
        Emit::Bc => Some("bc"),
        Emit::Ptx => Some("ptx"),
        Emit::None => None,
        Emit::Asm => Some("s"),
        Emit::Obj => Some("o"),
    };
    let batch = Batch::new(&arguments.inputs, &["ptx"], arguments.output_dir.as_deref().zip(suffix))?;
    run_batch(arguments.report.terminal(), &batch, |input, output| {
        let (inputs, output) = (vec![input.to_owned()], output.map(Path::to_owned));
        translate(&Arguments { inputs, output, emit: Some(arguments.product()), ..arguments.clone() })
    })
}

fn translate(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    let output = Output::from_argument(arguments.output.as_deref());
    check_target(arguments)?;
    check_combination(arguments)?;
    refuse_folders(&arguments.inputs)?;
    let read = || {
        let others = arguments.link_bitcode.iter().chain(&arguments.profile);
        arguments.inputs.iter().chain(others).map(PathBuf::as_path)
    };
    refuse_input(&output, read())?;
    if let Some(header) = host::header_path(arguments).filter(|_| arguments.target.is_processor()) {
        refuse_input(&Output::File(header), read())?;
    }
    if let Some(path) = &arguments.view {
        view::check(arguments, path, &output)?;
    }
    match arguments.product() {
        Emit::Bc => refuse_terminal(&output, "bitcode")?,
        Emit::Obj => refuse_terminal(&output, "an object file")?,
        Emit::Ll | Emit::Ptx | Emit::None | Emit::Asm => {}
    }

    let inputs = arguments.inputs.iter().map(|path| read_input(path)).collect::<Result<Vec<_>, _>>()?;
    let read = read_verified(arguments, &inputs).map_err(|found| {
        let shown = view::write_rejected(arguments, &inputs, &found);
        let failure = Failure::about_several(ExitStatus::Rejected, found);
        match shown {
            Ok(()) => failure,
            Err(unwritable) => failure.and(unwritable),
        }
    })?;
    let Program { mut module, sources, warnings } = read;
    let warnings = sources.split(&warnings);
    let warned = terminal.warn(warnings.clone());
    view::write(arguments, &sources, &module, &warnings)?;
    warned?;
    if arguments.analyzes() {
        return analyze::write(arguments, &output, &sources, &module);
    }
    if !arguments.has_output() {
        return Ok(());
    }
    if let Some(counted) = arguments.instrument {
        add_counters(arguments, &sources, &mut module, counted.into())?;
    }
    if arguments.lines == Lines::Ptx {
        locate_lines(&mut module, &sources);
    }
    write_output(arguments, &output, &sources, &module)
}

/// Reads the inputs, and verifies the module.
fn read_verified(arguments: &Arguments, inputs: &[SourceFile]) -> Result<Program, FindingsByFile> {
    let terminal = arguments.report.terminal();
    let comments = match arguments.product() {
        Emit::Ptx => Comments::Kept,
        Emit::Ll | Emit::Bc | Emit::None | Emit::Asm | Emit::Obj => Comments::Dropped,
    };
    let choice = TargetChoice { sm: arguments.target.gpu(), version: arguments.target.version() };
    let mut program = terminal.step("read PTX", || read_program(inputs.to_vec(), choice, comments))?;
    match terminal.step("verify", || ptx_verify::verify(&program.module)) {
        Ok((_, more)) => program.warnings.append(more),
        Err(found) => {
            program.warnings.append(found);
            return Err(program.sources.split(&program.warnings));
        }
    }
    Ok(program)
}

/// Adds counters to the functions of a module, which stays valid if its version and target have them.
fn add_counters(
    arguments: &Arguments,
    sources: &Sources,
    module: &mut ptx_ir::Module,
    counted: Counted,
) -> Result<(), Failure> {
    let places = |spans: &[Span]| -> Vec<String> {
        let text = |place: Option<(usize, Position)>| match place {
            Some((file, position)) => format!("{}:{}", sources.files()[file].name(), position.line),
            // An instruction that no input has.
            None => String::new(),
        };
        sources.places(spans).into_iter().map(text).collect()
    };
    let added = instrument(module, counted, places);
    added.map_err(|error| no_meaning(arguments, format!("--instrument: {error}")))?;
    // The input is known to be valid, and its warnings were told.
    ptx_verify::verify(module).map(drop).map_err(|found| rejected_in(sources, &found))
}

/// Writes the output that is asked for.
fn write_output(
    arguments: &Arguments,
    output: &Output,
    sources: &Sources,
    module: &ptx_ir::Module,
) -> Result<(), Failure> {
    if arguments.target.is_processor() {
        let (verified, _) = ptx_verify::verify(module).map_err(|found| rejected_in(sources, &found))?;
        return host::compile(arguments, sources, verified);
    }
    match arguments.product() {
        Emit::None | Emit::Asm | Emit::Obj => Ok(()),
        Emit::Ptx => {
            let assumed = assumed(arguments, module)?;
            let WithCopies { module, .. } = with_copies(arguments, sources, module, &assumed)?;
            output.write(arguments.report.terminal().step("print", || ptx_ir::print(&module)).as_bytes())
        }
        Emit::Ll | Emit::Bc => {
            let source = first_source(sources);
            let context = llvm_context(&source).map_err(|found| rejected(&source, found))?;
            let (result, warnings) = to_llvm(arguments, sources, module, (&context, &source))?;
            arguments.report.terminal().warn(vec![(source.clone(), warnings)])?;
            output.write(&written(arguments, result, &source)?)
        }
    }
}
