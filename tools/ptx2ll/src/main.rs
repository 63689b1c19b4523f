//! `ptx2ll`: PTX in, LLVM IR out.

mod arguments;
mod host;
mod launch_file;
mod specialized;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    Batch, ExitStatus, Failure, Output, optimize, parse_arguments, print_documents, read_input,
    refuse_folders, refuse_input, refuse_terminal, rejected, run, run_batch, usage_or_rejected,
};
use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_driver::{
    Attempt, BitcodeFindings, Comments, FindingsByFile, Program, Sources, TargetChoice, has_grown_too_much,
    link_bitcode, llvm_context, llvm_finding, locate_lines, lower, read_program, settle_unoptimized,
    unroll_specialized,
};
use ptx_llvm_core::{Context, FlushToZero, LlvmError, Module, OptLevel, plain_label};
use ptx_opt::index_elements;

use crate::arguments::{Arguments, Emit, Lines};
use crate::specialized::{WithCopies, assumed, with_copies};

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
    let read = || arguments.inputs.iter().chain(&arguments.link_bitcode).map(PathBuf::as_path);
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
    if !arguments.has_output() {
        return Ok(());
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

/// The file that LLVM's messages are reported for, which have no location: the first input.
fn first_source(sources: &Sources) -> SourceFile {
    // Default: a module without an input has no text.
    sources.files().first().cloned().unwrap_or_else(|| SourceFile::new("", Vec::new()))
}

/// The optimized LLVM IR, with warnings.
fn to_llvm<'c>(
    arguments: &Arguments,
    sources: &Sources,
    module: &ptx_ir::Module,
    (context, source): (&'c Context, &SourceFile),
) -> Result<(Module<'c>, Diagnostics), Failure> {
    let mut attempts: Vec<Attempt> = assumed(arguments, module)?.iter().map(Attempt::new).collect();
    loop {
        let assumed: Vec<_> = attempts.iter().map(|attempt| attempt.assumed().clone()).collect();
        let WithCopies { module: whole, copies } = with_copies(arguments, sources, module, &assumed)?;
        let unrolled: Vec<&str> = attempts
            .iter()
            .zip(&copies)
            .filter(|(attempt, _)| attempt.unrolls())
            .map(|(_, copy)| copy.name.as_str())
            .collect();
        let (result, mut warnings) = optimized(arguments, sources, &whole, &unrolled, (context, source))?;
        // Assumptions that make a kernel too long are given up, and the module is made again.
        let mut is_final = true;
        for (attempt, copy) in attempts.iter_mut().zip(&copies) {
            if has_grown_too_much(&result, copy)
                && let Some(next) = attempt.next()
            {
                (*attempt, is_final) = (next, false);
            }
        }
        if is_final {
            let given_up = attempts.iter().zip(&copies).filter_map(|(attempt, copy)| attempt.warning(copy));
            given_up.for_each(|warning| warnings.push(warning));
            return Ok((result, warnings));
        }
    }
}

/// The optimized module, and warnings about how it was optimized.
fn optimized<'c>(
    arguments: &Arguments,
    sources: &Sources,
    whole: &ptx_ir::Module,
    unrolled: &[&str],
    (context, source): (&'c Context, &SourceFile),
) -> Result<(Module<'c>, Diagnostics), Failure> {
    let terminal = arguments.report.terminal();
    let (verified, _) = ptx_verify::verify(whole).map_err(|found| rejected_in(sources, &found))?;
    let mut module =
        terminal.step("lower", || lower(verified, context)).map_err(|found| rejected_in(sources, &found))?;
    let flush = if arguments.reflect_ftz { FlushToZero::Yes } else { FlushToZero::No };
    for path in &arguments.link_bitcode {
        let library = read_input(path)?;
        let linked =
            terminal.step("link bitcode", || link_bitcode(&mut module, verified.module(), &library, flush));
        linked.map_err(|found| match found {
            BitcodeFindings::Program(found) => rejected_in(sources, &found),
            BitcodeFindings::Library(found) => rejected(&library, found),
        })?;
    }
    let unoptimized = arguments.optimize.unoptimized.into();
    let (mut module, warnings) = settle_unoptimized(module, unoptimized, arguments.optimize.level, source)
        .map_err(|found| rejected(source, found))?;
    terminal
        .step("optimize", || {
            optimize(&arguments.optimize, &arguments.told, &mut module, TargetChoice::default(), source)
        })
        .map_err(|found| usage_or_rejected(source, found))?;
    if arguments.optimize.level == OptLevel::O3 && !unrolled.is_empty() {
        terminal
            .step("unroll", || unroll_specialized(&mut module, unrolled, TargetChoice::default(), source))
            .map_err(|found| rejected(source, found))?;
    }
    Ok((module, warnings))
}

/// The module as it is written to the output.
fn written(arguments: &Arguments, module: Module<'_>, source: &SourceFile) -> Result<Vec<u8>, Failure> {
    let terminal = arguments.report.terminal();
    if arguments.no_hints {
        return terminal.step("remove hints", || listing(module)).map(String::into_bytes).map_err(|error| {
            let mut findings = Diagnostics::new();
            findings.push(llvm_finding(&error, source));
            rejected(source, findings)
        });
    }
    Ok(if arguments.product() == Emit::Bc { module.to_bitcode() } else { module.to_text().into_bytes() })
}

/// LLVM IR for human readers: without hints, with labels that need no quotes.
fn listing(module: Module<'_>) -> Result<String, LlvmError> {
    let mut plain = module.without_hints()?;
    plain.rename_blocks(plain_label);
    index_elements(&mut plain)?;
    Ok(plain.to_text())
}

/// The failure that the inputs are rejected with these diagnostics.
fn rejected_in(sources: &Sources, findings: &Diagnostics) -> Failure {
    Failure::about_several(ExitStatus::Rejected, sources.split(findings))
}

/// Rejects options that do not apply to the target.
fn check_target(arguments: &Arguments) -> Result<(), Failure> {
    let target = &arguments.target;
    let product = arguments.product();
    let message = if target.is_processor() {
        let leaves_out =
            arguments.optimize.is_wanted() || arguments.no_hints || !arguments.link_bitcode.is_empty();
        match product {
            _ if arguments.specializes() => {
                "--assume and --assume-launch are for a GPU; a kernel for a CPU is compiled for the blocks of --block"
            }
            Emit::Ptx | Emit::None => "--emit for a CPU target must be ll, bc, asm or obj",
            _ if arguments.lines == Lines::Ptx => {
                "--lines=ptx is for LLVM IR of a GPU; code for a CPU has the lines of the PTX already"
            }
            _ if leaves_out => {
                "-O, --passes, --link-bitcode and --no-hints are for LLVM IR of a GPU; to optimize that first: \
                 `ptx2ll -O2 k.ptx | ll2ptx | ptx2ll --target=host`"
            }
            _ => return Ok(()),
        }
    } else {
        let is_given = target.cpu.is_some()
            || target.header.is_some()
            || !target.block.is_empty()
            || !target.entry.is_empty();
        match product {
            Emit::Asm | Emit::Obj => "--emit=asm and --emit=obj require --target=host, x86_64 or aarch64",
            _ if is_given => "--cpu, --block, --entry and --header require --target=host, x86_64 or aarch64",
            _ => return Ok(()),
        }
    };
    Err(no_meaning(arguments, message.to_owned()))
}

/// Rejects `--no-hints` for output that is not text, and optimization of output that is produced without LLVM, which would be ignored silently.
fn check_combination(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.no_hints && arguments.product() == Emit::Bc {
        let message = "--no-hints requires text output and cannot be used for bitcode".to_owned();
        return Err(no_meaning(arguments, message));
    }
    if arguments.specializes() && arguments.product() == Emit::None {
        return Err(no_meaning(
            arguments,
            "--assume and --assume-launch have no effect with --emit=none".to_owned(),
        ));
    }
    if arguments.lines == Lines::Ptx && arguments.product() == Emit::None {
        return Err(no_meaning(arguments, "--lines has no effect with --emit=none".to_owned()));
    }
    let through_llvm = matches!(arguments.product(), Emit::Ll | Emit::Bc) || arguments.view.is_some();
    let optimizes = arguments.optimize.is_wanted();
    let links = !arguments.link_bitcode.is_empty();
    if through_llvm || !(optimizes || links || arguments.no_hints) {
        return Ok(());
    }
    let what = match (links, optimizes) {
        (true, _) => "--link-bitcode has",
        (false, true) => "-O and --passes have",
        (false, false) => "--no-hints has",
    };
    let message = format!("{what} no effect with --emit=ptx and --emit=none, which do not use LLVM");
    Err(no_meaning(arguments, message))
}

fn no_meaning(arguments: &Arguments, message: String) -> Failure {
    let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
    let names: Vec<String> = arguments.inputs.iter().map(|path| path.display().to_string()).collect();
    Failure::about(ExitStatus::Usage, &names.join(" "), finding)
}
