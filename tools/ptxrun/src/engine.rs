//! The engines that execute a launch. A further one is a variant of [`Engine`] and an arm of [`compile`].

use std::sync::Arc;

use clap::ValueEnum;
use ptx_cli::code;
use ptx_diag::{Diagnostic, Diagnostics, Severity};
use ptx_exec::program::Program;
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, LoadedLaunch, Outcome};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Compiler, Kernel, Kernels, Options};
use ptx_llvm::LlvmError;
use ptx_llvm::host::Cpu;
use ptx_verify::Verified;

/// What executes the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// The reference interpreter.
    #[default]
    Interp,
    /// Code for this processor, which LLVM makes; kernels that are not compiled go to the interpreter.
    Jit,
}

/// What is printed of the code for this processor (`--emit`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// LLVM IR, optimized.
    HostLl,
    /// Assembly.
    HostAsm,
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

/// Makes what an engine executes of a launch. Remarks tell why another engine does.
///
/// # Errors
/// The launch does not fit the module, or something that the kernel reaches cannot be executed.
pub fn compile<'l>(
    engine: Engine,
    module: Verified<'_>,
    launch: &'l Launch,
    options: &Options,
    remarks: &mut Diagnostics,
) -> Result<Box<dyn Compiled<'l> + 'l>, ExecError> {
    let interpreted = || -> Result<Box<dyn Compiled<'l> + 'l>, ExecError> {
        Ok(Box::new(DecodedLaunch::new(module, launch)?))
    };
    match engine {
        Engine::Interp => interpreted(),
        Engine::Jit => match on_host(module, launch, options)? {
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
    let (program, launched) = (decoded.program(), Launched { block: launch.block });
    let text = Cpu::host().map_err(CompileError::from).and_then(|cpu| match what {
        Emit::HostLl => ptx_host::host_ir(program, &launched, &cpu).map(|[_, optimized]| optimized),
        Emit::HostAsm => ptx_host::host_assembly(program, &launched, &cpu),
    });
    Ok(text.map_err(|error| refusal(program, error)))
}

/// A launch as code for this processor, or a remark on why it goes to the interpreter.
fn on_host<'l>(
    module: Verified<'_>,
    launch: &'l Launch,
    options: &Options,
) -> Result<Result<OnHost<'l>, Box<Diagnostic>>, ExecError> {
    let Some(decoded) = DecodedLaunch::at_host_addresses(module, launch)? else { return Ok(Err(narrow())) };
    let begun = decoded.begin()?;
    if let Some(why) = ptx_host::refused(&begun) {
        return Ok(Err(remark(None, why)));
    }
    let launched = Launched { block: begun.geometry.block };
    let made = |cpu: Cpu| -> Result<Arc<Kernel>, CompileError> {
        let compiler = Compiler::new(cpu)?;
        compiler.kernel(&Kernels::new(options.clone()), begun.program, &launched)
    };
    let kernel = Cpu::host().map_err(CompileError::from).and_then(made);
    Ok(match kernel {
        Ok(kernel) => Ok(OnHost { decoded, kernel }),
        Err(error) => Err(refusal(begun.program, error)),
    })
}

/// Why a program has no code.
fn refusal(program: &Program, error: CompileError) -> Box<Diagnostic> {
    match error {
        CompileError::Refused(refusal) => remark(Some((program, refusal.pc)), refusal.why),
        CompileError::Llvm(error) => {
            // It is missing, or this is a defect: no one should have to ask for that.
            let is_missing = matches!(error, LlvmError::Missing { .. });
            let what = if is_missing { "" } else { "LLVM refused the code of the kernel: " };
            let mut remark = remark(None, &format!("{what}{error}"));
            remark.severity = Severity::Warning;
            remark
        }
    }
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
            let label = match program.line_of(pc) {
                Some(line) => format!("`{}`, at {line}", origin.mnemonic),
                None => format!("`{}`", origin.mnemonic),
            };
            Diagnostic::warning(code::REMARK, origin.span, message).with_label(label)
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
}

impl<'l> Compiled<'l> for OnHost<'l> {
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l> {
        Box::new(LoadedOnHost { loaded: self.decoded.load(), kernel: self.kernel })
    }
}

struct LoadedOnHost<'l> {
    loaded: LoadedLaunch<'l>,
    kernel: Arc<Kernel>,
}

impl Loaded for LoadedOnHost<'_> {
    fn launch(&mut self) -> Result<Executed, ExecError> {
        ptx_host::launch(&self.kernel, &self.loaded)
    }

    fn outcome(&self, last: Executed) -> Outcome {
        self.loaded.outcome(last)
    }
}
