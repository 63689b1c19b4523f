//! The stages of the project, called as the tools call them, with their findings as one error text.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use ptx_diag::{Diagnostics, SourceFile, Span};
use ptx_driver::TargetChoice;
use ptx_exec::{DecodedLaunch, ExecError, Outcome, codes};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Compiler, Kernels, Options};
use ptx_llvm_core::host::Cpu;
use ptx_llvm_core::{Context, Gpu, Module as Llvm, OptLevel};
use ptx_verify::Verified;

use crate::directive::{Ending, Launch, Level, Role};
use crate::value::compare;

/// Findings as one text, a line each: `line:column: severity[CODE]: message`.
pub fn describe(source: &SourceFile, findings: &Diagnostics) -> String {
    let lines = findings.iter().take(20).map(|finding| {
        let place = finding.span.map(|span| {
            let at = source.position(span.lo);
            format!("{}:{}: ", at.line, at.column)
        });
        let (severity, code) = (finding.severity.as_str(), finding.code.0);
        format!("{}{severity}[{code}]: {}", place.unwrap_or_default(), finding.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads PTX that must have no errors.
///
/// # Errors
/// The reader's findings.
pub fn read(source: &SourceFile) -> Result<ptx_ir::Module> {
    match ptx_driver::read_ptx(source, ptx_driver::Comments::Kept) {
        Ok((module, _)) => Ok(module),
        Err(findings) => bail!("parse: {}", describe(source, &findings)),
    }
}

/// Reads and verifies PTX that must have no errors.
///
/// # Errors
/// The findings of the stage that refuses it.
pub fn read_and_verify(source: &SourceFile) -> Result<ptx_ir::Module> {
    let module = read(source)?;
    verify(&module, source)?;
    Ok(module)
}

/// Verifies a module that must have no errors.
///
/// # Errors
/// The verifier's findings.
pub fn verify<'m>(module: &'m ptx_ir::Module, source: &SourceFile) -> Result<Verified<'m>> {
    match ptx_verify::verify(module) {
        Ok((verified, _)) => Ok(verified),
        Err(findings) => bail!("verify: {}", describe(source, &findings)),
    }
}

/// Lowers a PTX module, optimizes it and lets LLVM verify it.
///
/// # Errors
/// The findings of the stage that refuses it.
pub fn lower<'c>(
    module: &ptx_ir::Module,
    source: &SourceFile,
    context: &'c Context,
    level: Level,
) -> Result<Llvm<'c>> {
    let verified = verify(module, source)?;
    let mut llvm = ptx_driver::lower(verified, context)
        .map_err(|findings| anyhow!("lower: {}", describe(source, &findings)))?;
    llvm.verify().context("LLVM refuses the lowered module")?;
    optimize(&mut llvm, level)?;
    Ok(llvm)
}

/// Optimizes a module in place.
///
/// # Errors
/// What LLVM says.
pub fn optimize(llvm: &mut Llvm<'_>, level: Level) -> Result<()> {
    let level = match level {
        Level::O0 => OptLevel::O0,
        Level::O1 => OptLevel::O1,
        Level::O2 => OptLevel::O2,
        Level::O3 => OptLevel::O3,
    };
    ptx_opt::optimize(llvm, level, None, Gpu::default()).context("optimize")
}

/// Reads LLVM IR text and lets LLVM verify it.
///
/// # Errors
/// What LLVM says.
pub fn read_llvm<'c>(context: &'c Context, name: &str, text: &str) -> Result<Llvm<'c>> {
    let llvm = Llvm::parse(context, name, text.as_bytes()).context("LLVM cannot read the text")?;
    llvm.verify().context("LLVM refuses the module")?;
    Ok(llvm)
}

/// Raises LLVM IR to PTX text that reads back and verifies.
///
/// # Errors
/// The findings of the stage that refuses it.
pub fn raise(llvm: &mut Llvm<'_>) -> Result<String> {
    let nowhere = SourceFile::new("raised", "");
    let (module, _) = ptx_driver::raise(llvm, TargetChoice::default())
        .map_err(|findings| anyhow!("raise: {}", describe(&nowhere, &findings)))?;
    let text = ptx_ir::print(&module);
    read_and_verify(&SourceFile::new("raised.ptx", text.as_str()))
        .context("the raised PTX does not read back")?;
    Ok(text)
}

/// Lets LLVM's backend make PTX of a module.
///
/// # Errors
/// What the backend says. It ends the process on some modules.
pub fn generate(llvm: Llvm<'_>) -> Result<String> {
    let nowhere = SourceFile::new("generated", "");
    ptx_driver::generate(llvm, TargetChoice::default(), OptLevel::O2, &nowhere)
        .map_err(|findings| anyhow!("llvm: {}", describe(&nowhere, &findings)))
}

/// Executes a launch in the interpreter, its blocks on `threads` host threads, and compares what comes back with what
/// is expected. The rows of the instruction table that it executes are recorded for the test `recorded`.
///
/// # Errors
/// When the launch ends otherwise than expected, or a buffer differs.
pub fn execute(
    source: &SourceFile,
    launch: &Launch,
    threads: NonZeroUsize,
    recorded: Option<&str>,
) -> Result<()> {
    let module = read(source)?;
    let verified = verify(&module, source)?;
    let exec = exec_launch(launch, threads);
    let outcome = match recorded {
        Some(test) => executed_rows::run_as(test, verified, &exec),
        None => ptx_exec::run(verified, &exec),
    };
    let stopped_at = judge_ending(source, launch, outcome)?;
    if let (Some(test), Some(span)) = (recorded, stopped_at) {
        executed_rows::note_stop(test, verified, span);
    }
    Ok(())
}

/// Executes a launch as code for the host, and compares likewise; gives why there is no code for it, where there is none. Accesses to
/// memory are not checked in code, so launches that have to fail for one are not executed.
///
/// # Errors
/// As [`execute`], and what LLVM has against the code.
pub fn execute_compiled(
    source: &SourceFile,
    launch: &Launch,
    threads: NonZeroUsize,
) -> Result<Option<&'static str>> {
    if matches!(&launch.ending, Ending::Fault { code, .. } if code == codes::FAULT.0) {
        return Ok(Some("a wrong access, which code does not find"));
    }
    let module = read(source)?;
    let exec = exec_launch(launch, threads);
    match run_compiled(verify(&module, source)?, &exec, false).context(launch.entry.clone())? {
        Compiled::Ended(result) => judge_ending(source, launch, result).map(|_| None),
        Compiled::Refused(why) => Ok(Some(why)),
    }
}

/// What became of a launch as code for the host.
pub enum Compiled {
    /// What it left, or what stopped it.
    Ended(Result<Outcome, ExecError>),
    /// Why there is no code for it.
    Refused(&'static str),
}

/// Executes a launch as code for the host, which checks what its compiler claims where that is asked for.
///
/// # Errors
/// What LLVM has against the code.
pub fn run_compiled(module: Verified<'_>, launch: &ptx_exec::Launch, check_shapes: bool) -> Result<Compiled> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let loaded = match DecodedLaunch::at_host_addresses(module, launch) {
        Ok(decoded) => decoded.load(),
        Err(error) => return Ok(Compiled::Ended(Err(error))),
    };
    let setup = match loaded.set_up() {
        Ok(setup) => setup,
        Err(error) => return Ok(Compiled::Ended(Err(error))),
    };
    if let Some(why) = ptx_host::refused(&setup.checked()) {
        return Ok(Compiled::Refused(why));
    }
    let made = || Cpu::host().and_then(Compiler::new).map_err(|error| error.to_string());
    let compiler = COMPILER.get_or_init(made).as_ref().map_err(|error| anyhow!("{error}"))?;
    let launched = Launched::of(setup.geometry());
    let kernels = Kernels::new(Options::default().with_check_shapes(check_shapes));
    let kernel = match compiler.kernel(&kernels, setup.program(), &launched) {
        Ok(kernel) => kernel,
        Err(CompileError::Refused(refusal)) => return Ok(Compiled::Refused(refusal.why)),
        Err(CompileError::Llvm(error)) => bail!("LLVM refuses the code: {error}"),
    };
    let result = ptx_host::launch(&kernel, &setup);
    Ok(Compiled::Ended(result.executed().map(|executed| loaded.outcome(executed))))
}

/// Compares how a launch ended with what is expected; gives where it stopped, if it had to.
fn judge_ending(
    source: &SourceFile,
    launch: &Launch,
    outcome: Result<Outcome, ExecError>,
) -> Result<Option<Span>> {
    let entry = &launch.entry;
    let outcome = match (outcome, &launch.ending) {
        (Ok(outcome), Ending::Finish) => outcome,
        (Ok(_), Ending::Fault { code, .. }) => bail!("{entry} finishes instead of failing with {code}"),
        (Err(error), Ending::Finish) => {
            bail!("{entry} fails: {}", describe(source, &error.into_diagnostics()))
        }
        (Err(error), Ending::Fault { code, text }) => {
            let findings = error.into_diagnostics();
            let expected = findings.iter().find(|f| f.code.0 == code && f.message.contains(text.as_str()));
            let Some(finding) = expected else {
                bail!("{entry} fails, but not with {code} {text}: {}", describe(source, &findings));
            };
            let marked = lines_with_bugs(source);
            let lines = finding.span.into_iter().chain(finding.related.iter().map(|label| label.span));
            if !marked.is_empty()
                && !lines.clone().any(|span| marked.contains(&source.position(span.lo).line))
            {
                bail!("{entry} fails, but not on a line with `// BUG`: {}", describe(source, &findings));
            }
            return Ok(finding.span);
        }
    };
    judge(launch, &String::from_utf8_lossy(&outcome.output), &outcome.buffers)?;
    Ok(None)
}

/// Executes a launch that has to finish, its blocks on `threads` host threads.
///
/// # Errors
/// When the launch fails.
pub fn run(source: &SourceFile, launch: &Launch, threads: NonZeroUsize) -> Result<Outcome> {
    let module = read(source)?;
    ptx_exec::run(verify(&module, source)?, &exec_launch(launch, threads))
        .map_err(|error| anyhow!("{} fails: {}", launch.entry, describe(source, &error.into_diagnostics())))
}

/// Compares what a launch that finished printed and left, a buffer for each argument that is one, with what is expected.
///
/// # Errors
/// When something differs.
pub fn judge(launch: &Launch, printed: &str, buffers: &[Option<Vec<u8>>]) -> Result<()> {
    let entry = &launch.entry;
    if !launch.printed.is_empty() && printed != launch.printed {
        bail!("{entry} prints {printed:?} instead of {:?}", launch.printed);
    }
    ensure!(buffers.len() == launch.arguments.len(), "{} buffers came back", buffers.len());
    for (argument, buffer) in launch.arguments.iter().zip(buffers) {
        let Some((want, judgement)) = &argument.want else { continue };
        let got = buffer.as_ref().with_context(|| format!("{} did not come back", argument.name))?;
        compare(argument.ty, want, got, *judgement)
            .with_context(|| format!("{entry}: buffer {}", argument.name))?;
    }
    Ok(())
}

/// The lines that end in the comment `// BUG`, where a fault has to be reported.
fn lines_with_bugs(source: &SourceFile) -> Vec<u32> {
    let text = String::from_utf8_lossy(source.text());
    (1..).zip(text.lines()).filter(|(_, line)| line.ends_with("// BUG")).map(|(number, _)| number).collect()
}

/// The launch of a directive, its blocks on `threads` host threads.
pub fn exec_launch(launch: &Launch, threads: NonZeroUsize) -> ptx_exec::Launch {
    let arguments = launch.arguments.iter().map(|argument| match argument.role {
        Role::Value => ptx_exec::Argument::Bytes(argument.bytes.clone()),
        Role::In | Role::Out | Role::InOut => ptx_exec::Argument::Buffer(argument.bytes.clone()),
    });
    let mut exec = ptx_exec::Launch::new(launch.entry.as_str());
    exec.grid = launch.grid;
    exec.block = launch.block;
    exec.cluster = launch.cluster;
    exec.cooperative = launch.cooperative;
    exec.dynamic_shared = launch.shared;
    exec.arguments = arguments.collect();
    exec.threads = Some(threads);
    exec.completion = launch.completion;
    exec.reconvergence = launch.reconvergence;
    exec.limits.timeout = Some(Duration::from_secs_f64(launch.timeout));
    exec
}
