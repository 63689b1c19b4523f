//! The engines that execute a launch. A further one is a variant of [`Engine`] and an arm of [`compile`].

use std::sync::Arc;

use clap::ValueEnum;
use ptx_cli::code;
use ptx_diag::{Detail, Diagnostic, Diagnostics, Severity};
use ptx_driver::Sources;
use ptx_exec::program::Program;
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, LoadedLaunch, Outcome};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Compiler, Kernel, Kernels, Lines, Options, Place, Remark, RemarkKind, Stage};
use ptx_llvm::host::Cpu;
use ptx_llvm::{KernelCrash, LlvmError};
use ptx_verify::Verified;

use crate::automatic;
use crate::store::Store;

/// What executes the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// The interpreter for short launches, code that checks memory for long ones (`automatic.rs`).
    #[default]
    Auto,
    /// The reference interpreter.
    Interp,
    /// Code for this processor, which LLVM makes; kernels that are not compiled go to the interpreter.
    Jit,
}

/// What compiled kernels check (`--check`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Check {
    /// Nothing beside what the code needs.
    None,
    /// Each access to memory, as the interpreter does.
    Memory,
}

/// What is printed of the code for this processor (`--emit`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// LLVM IR, optimized.
    HostLl,
    /// Assembly.
    HostAsm,
}

/// What is printed of a kernel while it is compiled (`--print-after`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PrintAfter {
    /// What is known of the registers that each instruction writes.
    Rows,
    /// The blocks, and where lanes wait while others run.
    Schedule,
    /// LLVM IR before LLVM's optimizations.
    Code,
    /// LLVM IR after them.
    Optimized,
}

impl From<PrintAfter> for Stage {
    fn from(stage: PrintAfter) -> Self {
        match stage {
            PrintAfter::Rows => Self::Rows,
            PrintAfter::Schedule => Self::Schedule,
            PrintAfter::Code => Self::Code,
            PrintAfter::Optimized => Self::Optimized,
        }
    }
}

/// How the engine that compiles does it.
#[derive(Clone, Debug)]
pub struct JitOptions {
    /// What was asked for.
    pub engine: Engine,
    /// What the compiler takes.
    pub options: Options,
    /// Whether accesses and branches are remarked on.
    pub remarks: bool,
    /// Whether debuggers see the lines of the PTX.
    pub debug: bool,
    /// Where compiled kernels are kept.
    pub store: Store,
}

/// A launch whose kernel an engine can execute; no buffer was copied yet.
pub trait Compiled<'l> {
    /// Copies the buffers of the launch to memory.
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l>;
}

/// A launch whose buffers are in memory. They keep what it stores, for the next time it is launched.
pub trait Loaded {
    /// Runs all blocks and waits for them.
    ///
    /// # Errors
    /// The launch was refused, or a thread was stopped.
    fn launch(&mut self) -> Result<Executed, ExecError>;

    /// What the buffers hold now, together with what the last launch did.
    fn outcome(&self, last: Executed) -> Outcome;
}

/// Makes what an engine executes of a launch; compiled kernels are kept in the store. Remarks tell why another engine does.
///
/// # Errors
/// The launch does not fit the module, or something that the kernel reaches cannot be executed.
pub fn compile<'l>(
    module: Verified<'_>,
    launch: &'l Launch,
    options: &JitOptions,
    sources: &Sources,
    remarks: &mut Diagnostics,
) -> Result<Box<dyn Compiled<'l> + 'l>, ExecError> {
    let interpreted = || -> Result<Box<dyn Compiled<'l> + 'l>, ExecError> {
        Ok(Box::new(DecodedLaunch::new(module, launch)?))
    };
    match options.engine {
        Engine::Interp => interpreted(),
        Engine::Auto | Engine::Jit => match on_host(module, launch, options, sources, remarks)? {
            Ok(compiled) => Ok(Box::new(compiled)),
            Err(remark) => {
                remarks.push(*remark);
                interpreted()
            }
        },
    }
}

/// The code for this processor, as text; a remark on why there is none.
///
/// # Errors
/// As [`compile`].
pub fn emit(
    what: Emit,
    module: Verified<'_>,
    launch: &Launch,
) -> Result<Result<String, Box<Diagnostic>>, ExecError> {
    let Some(decoded) = DecodedLaunch::at_host_addresses(module, launch)? else { return Ok(Err(narrow())) };
    let (program, launched) = (decoded.program(), Launched::blocks(launch.block));
    let text = Cpu::host().map_err(CompileError::from).and_then(|cpu| match what {
        Emit::HostLl => ptx_host::host_ir(program, &launched, &cpu).map(|[_, optimized]| optimized),
        Emit::HostAsm => ptx_host::host_assembly(program, &launched, &cpu),
    });
    Ok(text.map_err(|error| refusal(program, error, Engine::Jit)))
}

/// How `--engine=auto` begins a launch.
pub enum First<'l> {
    /// With code that is there.
    Ready(Box<dyn Compiled<'l> + 'l>),
    /// In the interpreter, as long as that is short.
    Trial,
    /// As [`compile`] does.
    Compile,
}

/// How to begin a launch: with code from the cache where it is there, in the interpreter where that may be short.
///
/// # Errors
/// As [`compile`].
pub fn first<'l>(
    module: Verified<'_>,
    launch: &'l Launch,
    options: &JitOptions,
) -> Result<First<'l>, ExecError> {
    let Some(decoded) = DecodedLaunch::at_host_addresses(module, launch)? else { return Ok(First::Compile) };
    let begun = decoded.begin()?;
    if ptx_host::refused(&begun).is_some() {
        return Ok(First::Compile);
    }
    let compiler = Compiler::host().with_cache(options.store.open());
    let kernels = Kernels::new(options.options.clone());
    match compiler.found(&kernels, begun.program, &Launched::of(&begun.geometry)) {
        Some(kernel) => {
            options.store.report(compiler.cache(), &kernel);
            let crash = crash(&launch.entry, options.options.check_memory);
            Ok(First::Ready(Box::new(OnHost { decoded, kernel, crash })))
        }
        None if automatic::may_be_short(&begun.geometry) => Ok(First::Trial),
        None => Ok(First::Compile),
    }
}

/// A launch as code for this processor, or a remark on why it goes to the interpreter.
fn on_host<'l>(
    module: Verified<'_>,
    launch: &'l Launch,
    options: &JitOptions,
    sources: &Sources,
    remarks: &mut Diagnostics,
) -> Result<Result<OnHost<'l>, Box<Diagnostic>>, ExecError> {
    let Some(decoded) = DecodedLaunch::at_host_addresses(module, launch)? else { return Ok(Err(narrow())) };
    let begun = decoded.begin()?;
    if let Some(why) = ptx_host::refused(&begun) {
        return Ok(Err(remark(None, why)));
    }
    let launched = Launched::of(&begun.geometry);
    let made = || -> Result<Arc<Kernel>, CompileError> {
        let compiler = Compiler::host().with_cache(options.store.open());
        let mut own = options.options.clone();
        if options.debug {
            compiler.show_to_debuggers()?;
            own.lines = Some(Arc::new(lines(begun.program, sources)));
        }
        let kernel = compiler.kernel(&Kernels::new(own), begun.program, &launched)?;
        options.store.report(compiler.cache(), &kernel);
        Ok(kernel)
    };
    Ok(match made() {
        Ok(kernel) => {
            if options.remarks {
                let found = Cpu::host()
                    .map_err(CompileError::from)
                    .and_then(|cpu| ptx_host::remarks(begun.program, &launched, &cpu));
                found.iter().flatten().for_each(|found| remarks.push(about(begun.program, found)));
            }
            let crash = crash(&launch.entry, options.options.check_memory);
            Ok(OnHost { decoded, kernel, crash })
        }
        Err(error) => Err(refusal(begun.program, error, options.engine)),
    })
}

/// How ptxrun ends when the code of a kernel crashes.
fn crash(kernel: &str, is_checked: bool) -> KernelCrash {
    ptx_cli::crash_of_kernel(|signal| {
        if is_checked {
            let message = format!("the code of `{kernel}` crashed ({signal}), though it checks its accesses");
            return Diagnostic::error_without_place(code::DEFECT, message)
                .with_help("this is a defect of the tool, which is worth a report; `--engine=interp` executes the kernel");
        }
        let message = format!(
            "the code of `{kernel}` crashed ({signal}): most likely it accessed memory that it was not given"
        );
        Diagnostic::error_without_place(code::CRASHED, message).with_help("`--check=memory` finds the access")
    })
}

/// Where the instructions of a program are.
fn lines(program: &Program, sources: &Sources) -> Lines {
    let mut lines = Lines::default();
    // Debuggers look for the files from where they run.
    let path =
        |name: &str| std::path::absolute(name).map_or(name.to_owned(), |path| path.display().to_string());
    lines.files = sources.files().iter().map(|file| path(file.name())).collect();
    lines.places = program
        .origins
        .iter()
        .map(|origin| {
            let (file, at) = sources.place(origin.span)?;
            let number = sources.files().iter().position(|other| std::ptr::eq(other, file))?;
            Some(Place { file: number as u32, line: at.line, column: at.column })
        })
        .collect();
    lines
}

/// A remark on an access or a branch.
fn about(program: &Program, found: &Remark) -> Diagnostic {
    let (kind, reason) = (found.kind.as_str(), &found.reason);
    let is_branch = found.kind == RemarkKind::Divergent;
    let code = if is_branch { code::BRANCH } else { code::ACCESS };
    let message = format!("{kind}: {reason}");
    let text = |text: &str| Detail::Text(text.to_owned());
    let mut remark = match program.origins.get(found.pc as usize) {
        Some(origin) => Diagnostic::warning(code, origin.span, message).with_label(label(program, found.pc)),
        None => Diagnostic::warning_without_place(code, message),
    };
    remark.severity = Severity::Note;
    remark = remark.with_detail("kind", text(kind)).with_detail("reason", text(reason));
    if let Some(line) = program.line_of(found.pc) {
        remark = remark.with_detail("source", text(&line.to_string()));
    }
    for (pc, text) in &found.related {
        if let Some(origin) = program.origins.get(*pc as usize) {
            remark = remark.with_related(origin.span, text.clone());
        }
    }
    remark
}

/// An instruction, with its line of the source.
fn label(program: &Program, pc: u32) -> String {
    let mnemonic =
        program.origins.get(pc as usize).map_or(String::new(), |origin| origin.mnemonic.to_string());
    match program.line_of(pc) {
        Some(line) => format!("`{mnemonic}`, at {line}"),
        None => format!("`{mnemonic}`"),
    }
}

/// What a kernel is after a stage of its compilation; a remark on why there is none.
///
/// # Errors
/// As [`compile`].
pub fn print_after(
    stage: PrintAfter,
    module: Verified<'_>,
    launch: &Launch,
    sources: &Sources,
) -> Result<Result<String, Box<Diagnostic>>, ExecError> {
    let Some(decoded) = DecodedLaunch::at_host_addresses(module, launch)? else { return Ok(Err(narrow())) };
    let (program, launched) = (decoded.program(), Launched::blocks(launch.block));
    let place = |pc: u32| {
        let origin = program.origins.get(pc as usize);
        let place = origin.and_then(|origin| sources.place(origin.span));
        place.map_or(String::new(), |(file, at)| format!("{}:{}:{}", file.name(), at.line, at.column))
    };
    let text = Cpu::host()
        .map_err(CompileError::from)
        .and_then(|cpu| ptx_host::print_after(stage.into(), program, &launched, &cpu, &place));
    Ok(text.map_err(|error| refusal(program, error, Engine::Jit)))
}

/// Why a program has no code.
fn refusal(program: &Program, error: CompileError, engine: Engine) -> Box<Diagnostic> {
    match error {
        CompileError::Refused(refusal) => remark(Some((program, refusal.pc)), refusal.why),
        CompileError::Llvm(error) => without_llvm(&error, engine),
    }
}

/// That LLVM made no code. A defect is a warning in any case, and that there is no LLVM for this processor where compiled code was asked for.
fn without_llvm(error: &LlvmError, engine: Engine) -> Box<Diagnostic> {
    let is_missing = matches!(error, LlvmError::Missing { .. });
    let what = if is_missing { "" } else { "LLVM refused the code of the kernel: " };
    let mut remark = remark(None, &format!("{what}{error}"));
    let is_defect = !is_missing && !matches!(error, LlvmError::Target { .. });
    if is_defect || engine == Engine::Jit {
        remark.severity = Severity::Warning;
    }
    remark
}

fn narrow() -> Box<Diagnostic> {
    remark(None, "modules with 32-bit addresses are not compiled")
}

/// That the interpreter executes a kernel, and why, at an instruction where there is one.
pub fn remark(place: Option<(&Program, u32)>, why: &str) -> Box<Diagnostic> {
    let message = format!("the interpreter executes the kernel: {why}");
    let origin = place.and_then(|(program, pc)| program.origins.get(pc as usize).zip(Some((program, pc))));
    let mut remark = match origin {
        Some((origin, (program, pc))) => {
            Diagnostic::warning(code::REMARK, origin.span, message).with_label(label(program, pc))
        }
        None => Diagnostic::warning_without_place(code::REMARK, message),
    };
    remark.severity = Severity::Note;
    Box::new(remark)
}

impl<'l> Compiled<'l> for DecodedLaunch<'l> {
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l> {
        Box::new(DecodedLaunch::load(*self))
    }
}

impl Loaded for LoadedLaunch<'_> {
    fn launch(&mut self) -> Result<Executed, ExecError> {
        LoadedLaunch::launch(self)
    }

    fn outcome(&self, last: Executed) -> Outcome {
        LoadedLaunch::outcome(self, last)
    }
}

/// A launch whose kernel is code for this processor.
struct OnHost<'l> {
    decoded: DecodedLaunch<'l>,
    kernel: Arc<Kernel>,
    crash: KernelCrash,
}

impl<'l> Compiled<'l> for OnHost<'l> {
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l> {
        Box::new(LoadedOnHost { loaded: self.decoded.load(), kernel: self.kernel, crash: self.crash })
    }
}

struct LoadedOnHost<'l> {
    loaded: LoadedLaunch<'l>,
    kernel: Arc<Kernel>,
    crash: KernelCrash,
}

impl Loaded for LoadedOnHost<'_> {
    fn launch(&mut self) -> Result<Executed, ExecError> {
        self.crash.during(|| ptx_host::launch(&self.kernel, &self.loaded))
    }

    fn outcome(&self, last: Executed) -> Outcome {
        self.loaded.outcome(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_asks_for_compiled_code_is_told_that_there_is_no_llvm() {
        let missing = LlvmError::Missing { message: "no libLLVM".to_owned() };
        let severity = |error: &LlvmError, engine| without_llvm(error, engine).severity;
        assert_eq!(severity(&missing, Engine::Auto), Severity::Note);
        assert_eq!(severity(&missing, Engine::Jit), Severity::Warning);
        let defect = LlvmError::Other { message: "invalid cast".to_owned() };
        assert_eq!(severity(&defect, Engine::Auto), Severity::Warning);
    }
}
