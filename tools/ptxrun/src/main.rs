//! `ptxrun`: executes a kernel on the host.

mod argument_spec;
mod arguments;
mod automatic;
mod composed;
mod contents;
mod engine;
mod expected;
mod filled;
mod interrupt;
mod kernel;
mod keys;
mod launch_file;
mod launching;
mod list;
mod npy;
mod parameters;
mod plan;
mod pointers;
mod profile;
mod sampler;
mod spec;
mod store;
mod template;
mod tensor;
mod texture;
mod time;
mod tolerance;
mod value_type;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use ptx_cli::{
    Batch, ExitStatus, Failure, OptimizeArgs, Output, PassReportArgs, Terminal, code, optimize,
    parse_arguments, print_documents, read_input, refuse_input, rejected, run, run_batch, usage_or_rejected,
};
use ptx_diag::{Diagnostic, Diagnostics, Format, Severity, SourceFile, counted};
use ptx_driver::{
    Comments, InputKind, JudgedText, Program, Sources, Style, TargetChoice, explain, llvm_context, lower,
    print_checked, raise, read_executable, read_llvm, settle_unoptimized,
};
use ptx_ir::Module;
use ptx_verify::Verified;

use crate::arguments::Arguments;
use crate::contents::Planned;
use crate::engine::Engine;
use crate::interrupt::Watched;
use crate::launching::{LEAVES_TO_INTERPRETER, Launching, Printed, failed, not_compiled, show_remarks};
use crate::plan::Plan;
use crate::profile::{Counted, Destination};
use crate::spec::PrintSpec;
use crate::time::Stopwatch;

/// The suffixes of program files.
const SUFFIXES: &[&str] = &["ptx", "ll", "bc"];

fn main() -> ExitCode {
    let arguments = match parse_arguments::<Arguments>() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let terminal = arguments.report.terminal();
    if let Some(status) = print_documents(&arguments.documents, Arguments::command(), terminal) {
        return status;
    }
    if arguments.launch_schema {
        return run(terminal, || Output::Stdout.write(launch_file::SCHEMA.as_bytes()));
    }
    ptx_llvm_core::fail_past_file_limit();
    ptx_cli::show_progress_of(interrupt::progress);
    if arguments.trace.is_some() {
        ptx_cli::hide_spinner();
    }
    run(terminal, || launch(&arguments))
}

fn launch(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    if arguments.template {
        return write_template(arguments);
    }
    if !arguments.list && !arguments.inputs.iter().any(|input| input.is_dir()) {
        let plan = Plan::new(arguments, arguments.launch.as_deref())?;
        return execute(arguments, &plan, &arguments.inputs, None);
    }
    plan::refuse_shared_outputs(arguments)?;
    let batch = Batch::new(&arguments.inputs, SUFFIXES, None)?;
    let is_one = batch.files.len() == 1;
    run_batch(terminal, &batch, |input, _| {
        let name = (!is_one).then(|| input.display().to_string());
        if arguments.list {
            let program = read(arguments, &[input.to_owned()])?;
            return list(arguments, &program, &input.display().to_string(), name.as_deref());
        }
        let beside = input.with_extension("json");
        let file = arguments.launch.clone().or_else(|| beside.is_file().then_some(beside));
        let plan = Plan::new(arguments, file.as_deref())?;
        execute(arguments, &plan, &[input.to_owned()], name.as_deref())
    })
}

/// Lists the kernels of a program. Objects have the name of the file, lines only if there is one.
fn list(arguments: &Arguments, program: &Program, file: &str, name: Option<&str>) -> Result<(), Failure> {
    let rejected =
        |found: Diagnostics| Failure::about_several(ExitStatus::Rejected, program.sources.split(&found));
    // Written out, the kernels of old versions have lists of their parameters too.
    let verified = ptx_verify::verify(&program.module).ok();
    let module = verified.map(|(verified, _)| verified.written_out());
    let module = module.as_deref().unwrap_or(&program.module);
    let text = match arguments.report.terminal().format() {
        Format::Json => list::objects(module, file).map_err(rejected)?,
        Format::Human(_) | Format::Short => list::kernels(module, name),
    };
    Output::Stdout.write(text.as_bytes())
}

/// Writes a launch file for a kernel of a program to standard output.
fn write_template(arguments: &Arguments) -> Result<(), Failure> {
    let Program { module, sources, warnings } = read(arguments, &arguments.inputs)?;
    let verified = verify(&module, &sources, warnings, arguments.report.terminal())?;
    let module = verified.written_out();
    let name = kernel::selected(&module, arguments.entry.as_deref())?;
    let function = kernel::kernels(&module).find(|function| module.name(function.name) == name);
    let Some(function) = function else {
        return Err(plan::usage(format!("the program has no kernel `{name}`; --list shows its kernels")));
    };
    let required = parameters::Required::of(&module, function)
        .map_err(|found| Failure::about_several(ExitStatus::Rejected, sources.split(&found)))?;
    Output::Stdout.write(template::template(&module, &required).as_bytes())
}

/// The inputs as one module, with its warnings.
fn read(arguments: &Arguments, inputs: &[PathBuf]) -> Result<Program, Failure> {
    let terminal = arguments.report.terminal();
    if arguments.keep_ptx.is_some() && inputs.len() > 1 {
        return Err(no_ptx_to_keep("--keep-ptx requires a single input"));
    }
    let inputs = inputs.iter().map(|path| as_ptx(path, arguments)).collect::<Result<Vec<_>, _>>()?;
    terminal
        .step("read PTX", || read_executable(inputs, TargetChoice::default(), Comments::Dropped))
        .map_err(|found| Failure::about_several(ExitStatus::Rejected, found))
}

/// Verifies a program, and reports its warnings and those of the reader.
fn verify<'m>(
    module: &'m Module,
    sources: &Sources,
    mut warnings: Diagnostics,
    terminal: Terminal,
) -> Result<Verified<'m>, Failure> {
    match terminal.step("verify", || ptx_verify::verify(module)) {
        Ok((verified, more)) => {
            warnings.append(more);
            terminal.warn(sources.split(&warnings))?;
            Ok(verified)
        }
        Err(found) => {
            warnings.append(found);
            Err(Failure::about_several(ExitStatus::Rejected, sources.split(&warnings)))
        }
    }
}

/// Executes a launch. If there is a name, the output follows a line with it, as `head` and `tail` write it for several files.
fn execute(
    arguments: &Arguments,
    plan: &Plan,
    inputs: &[PathBuf],
    name: Option<&str>,
) -> Result<(), Failure> {
    let terminal = arguments.report.terminal();
    plan.refuse_outputs(inputs)?;
    if let Some(page) = arguments.profile.as_ref().and_then(Destination::file) {
        refuse_input(&Output::File(page.to_owned()), inputs.iter().map(PathBuf::as_path))?;
    }
    let begin = Stopwatch::start();
    let Program { module, sources, warnings } = read(arguments, inputs)?;
    let verified = verify(&module, &sources, warnings, terminal)?;
    let read = begin.elapsed().wall;
    let entry = kernel::selected(&module, plan.entry.as_deref())?;
    parameters::check_types(&module, &entry, &plan.args)
        .map_err(|found| Failure::about_several(ExitStatus::Rejected, sources.split(&found)))?;
    let Planned { mut launch, arrays } = plan.launch(entry)?;
    let expectations = plan.expectations()?;
    let mut printed = Printed::new(name);
    if let Some(what) = arguments.emit {
        let made = terminal.step("compile", || {
            engine::emit(what, verified, &launch, arguments.cpu.as_deref(), &arguments.code_options())
        });
        let text = made.map_err(|error| failed(&sources, error))?;
        let text = text.map_err(|error| not_compiled(&sources, error))?;
        return printed.write(text.as_bytes());
    }
    if let Some(stage) = arguments.print_after {
        let made = terminal.step("compile", || {
            let options = arguments.code_options();
            engine::print_after(stage, verified, &launch, &sources, arguments.cpu.as_deref(), &options)
        });
        let text = made.map_err(|error| failed(&sources, error))?;
        let text = text.map_err(|error| not_compiled(&sources, error))?;
        return printed.write(text.as_bytes());
    }
    if let Some(name) = &arguments.cpu {
        plan::executes(name)?;
    }
    let outcome = if arguments.profile.is_some() || arguments.trace.is_some() {
        if arguments.trace.is_some() {
            // A single thread, so that instructions are in order.
            launch.threads = Some(std::num::NonZeroUsize::MIN);
        }
        let why = "compiled code counts and traces no instructions";
        match plan.engine {
            Engine::Interp => {}
            Engine::Jit => {
                let message = format!("the kernel is not compiled: {why}");
                let error = Diagnostic::error_without_place(code::REMARK, message);
                return Err(not_compiled(&sources, error.with_help(LEAVES_TO_INTERPRETER)));
            }
            Engine::Auto => {
                terminal.note(|| format!("the interpreter executes the launch: {why}"));
                let message = format!("the interpreter executes the kernel: {why}");
                let mut remark = Diagnostic::warning_without_place(code::REMARK, message);
                remark.severity = Severity::Note;
                show_remarks(arguments, &sources, [remark])?;
            }
        }
        let format = terminal.format();
        let is_counted = arguments.profile.is_some();
        let observation = watch::observation(is_counted, arguments.trace.as_ref(), &sources, format);
        let watched = Watched {
            blocks: launch.grid.iter().map(|extent| u64::from(*extent)).product(),
            started: Box::new(|| None),
        };
        let interruptible = interrupt::during(terminal, &launch.entry, watched);
        let observed = terminal.step("execute", || ptx_exec::run_observed(verified, &launch, &observation));
        drop(interruptible);
        if let Some(destination) = &arguments.profile {
            Counted::new(&observed.profile, &launch, &sources).write(destination, format)?;
        }
        let outcome = observed.result.map_err(|error| printed.stopped(&sources, error))?;
        printed.write(&outcome.output)?;
        outcome
    } else {
        let launching = Launching { arguments, plan, sources: &sources, module: verified, launch: &launch };
        launching.execute(read, &mut printed)?
    };
    // Compiled code does not count them.
    if outcome.warp_instructions > 0 {
        terminal.note(|| {
            let (warps, threads) = (outcome.warp_instructions, outcome.thread_instructions);
            format!("executed {} of warps, {threads} of threads", counted(warps, "instruction"))
        });
    }
    let buffers = &plan.contents(outcome.buffers, &outcome.images);
    for ((argument, bytes), array) in plan.all().zip(buffers).zip(&arrays) {
        let Some(path) = argument.output() else { continue };
        let bytes = bytes.as_deref().ok_or_else(|| nothing_left(&path.display().to_string()))?;
        let file = Output::File(path.to_owned());
        match array {
            Some(array) if npy::is_npy(path) => file.write(&array.file(bytes))?,
            Some(_) | None => file.write(bytes)?,
        }
    }
    let views = plan.print.iter().map(|view| {
        let bytes = buffers.get(plan.viewed(view)?).and_then(Option::as_deref);
        Ok(show(view, bytes.ok_or_else(|| nothing_left(&view.buffer.to_string()))?))
    });
    let views = views.collect::<Result<String, Failure>>()?;
    printed.write(views.as_bytes())?;
    let mut failures = Vec::new();
    for (spec, file) in &expectations {
        let bytes = buffers.get(plan.position("--expect", &spec.buffer)?).and_then(Option::as_deref);
        let bytes = bytes.ok_or_else(|| nothing_left(&spec.buffer.to_string()))?;
        failures.extend(expected::compare(spec, bytes, file).err());
    }
    match failures.into_iter().reduce(Failure::and) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// The failure that a buffer to be written or shown has no contents after the launch.
fn nothing_left(what: &str) -> Failure {
    let message = format!("no contents of the buffer for `{what}` after the launch");
    let finding = Diagnostic::error_without_place(code::DEFECT, message);
    Failure::about(ExitStatus::Failed, "<command line>", finding)
}

/// Reads an input as PTX. LLVM IR is raised to PTX text, which is executed, so that errors have positions in it. PTX that is to be
/// optimized is lowered to LLVM IR and raised to such a text, too.
fn as_ptx(path: &Path, arguments: &Arguments) -> Result<SourceFile, Failure> {
    let terminal = arguments.report.terminal();
    let input = read_input(path)?;
    let context = || llvm_context(&input).map_err(|found| rejected(&input, found));
    match InputKind::of(path, input.text()) {
        InputKind::Ptx if !arguments.optimize.is_wanted() => match arguments.keep_ptx {
            Some(_) => {
                Err(no_ptx_to_keep("--keep-ptx requires LLVM IR, or -O or --passes: this input is the PTX"))
            }
            None => Ok(input),
        },
        InputKind::Ptx => {
            let program = read_executable(vec![input.clone()], TargetChoice::default(), Comments::Dropped);
            let Program { module, sources, warnings } =
                program.map_err(|found| Failure::about_several(ExitStatus::Rejected, found))?;
            let verified = verify(&module, &sources, warnings, terminal)?;
            let context = context()?;
            let lowered = terminal.step("lower", || lower(verified, &context));
            let module = lowered
                .map_err(|found| Failure::about_several(ExitStatus::Rejected, sources.split(&found)))?;
            raised(&input, module, Diagnostics::new(), arguments)
        }
        InputKind::Llvm => {
            let context = context()?;
            let module = terminal.step("read LLVM IR", || read_llvm(&context, &input));
            let (module, warnings) = module.map_err(|found| rejected(&input, found))?;
            raised(&input, module, warnings, arguments)
        }
    }
}

fn no_ptx_to_keep(message: &str) -> Failure {
    let finding = Diagnostic::error_without_place(code::USAGE, message);
    Failure::about(ExitStatus::Usage, "<command line>", finding)
}

/// The PTX of a module, optimized as the arguments specify.
fn raised(
    input: &SourceFile,
    module: ptx_llvm_core::Module<'_>,
    mut warnings: Diagnostics,
    arguments: &Arguments,
) -> Result<SourceFile, Failure> {
    let terminal = arguments.report.terminal();
    let OptimizeArgs { level, unoptimized, .. } = &arguments.optimize;
    let (mut module, more) = settle_unoptimized(module, (*unoptimized).into(), *level, input)
        .map_err(|found| rejected(input, found))?;
    warnings.append(more);
    terminal
        .step("optimize", || {
            optimize(
                &arguments.optimize,
                &PassReportArgs::default(),
                &mut module,
                TargetChoice::default(),
                input,
            )
        })
        .map_err(|found| usage_or_rejected(input, found))?;
    let (raised, more): (Module, _) = terminal
        .step("raise", || raise(&mut module, TargetChoice::default()))
        .map_err(|found| rejected(input, found))?;
    warnings.append(more);
    terminal.warn(vec![(input.clone(), warnings)])?;
    let (name, kept) = match &arguments.keep_ptx {
        Some(path) => {
            Output::File(path.clone()).write(ptx_ir::print(&raised).as_bytes())?;
            (path.display().to_string(), JudgedText::Kept)
        }
        None => (format!("{} (as PTX)", input.name()), JudgedText::Unknown),
    };
    let text = terminal.step("print and check", || print_checked(&raised, &name)).map_err(|bad| {
        let findings = explain(&bad, &module, (TargetChoice::default(), Style::default()), kept);
        rejected(if kept == JudgedText::Kept { &bad.source } else { input }, findings)
    })?;
    Ok(SourceFile::new(name, text))
}

/// One line: `BUFFER:TYPE = value value ...`.
fn show(view: &PrintSpec, bytes: &[u8]) -> String {
    let all = bytes.chunks_exact(view.ty.size());
    let count = view.count.and_then(|count| usize::try_from(count).ok()).unwrap_or(all.len());
    let values: Vec<String> = all.take(count).map(|element| view.ty.show(element)).collect();
    format!("{}:{} = {}\n", view.buffer, view.ty.name(), values.join(" "))
}
