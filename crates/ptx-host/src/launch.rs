//! Launches whose kernel is compiled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ptx_exec::engine::{Begun, Launchable};
use ptx_exec::program::{Callee, Effect, Op, Program};
use ptx_exec::{Completion, ExecError, Executed};
use ptx_llvm::LlvmError;
use ptx_llvm::host::{Cpu, Jit};

use crate::analysis::Launched;
use crate::cache::Cache;
use crate::inline::STACK;
use crate::kernel::{CompileError, Kernel};
use crate::options::Options;
use crate::run::Given;

/// Compiles kernels for a processor, and keeps those of one program for each shape of blocks.
#[derive(Debug)]
pub struct Compiler {
    cpu: Cpu,
    jit: Jit,
    cache: Option<Cache>,
}

/// The compiled kernels of one program.
#[derive(Debug, Default)]
pub struct Kernels {
    by_shape: Mutex<HashMap<Launched, Result<Arc<Kernel>, CompileError>>>,
    options: Options,
}

impl Kernels {
    /// None yet; they are compiled as the options have it.
    pub fn new(options: Options) -> Self {
        Self { by_shape: Mutex::default(), options }
    }
}

impl Compiler {
    /// A compiler for a processor of this process.
    ///
    /// # Errors
    /// There is no LLVM, or none for the processor.
    pub fn new(cpu: Cpu) -> Result<Self, LlvmError> {
        Ok(Self { jit: Jit::new(&cpu)?, cpu, cache: None })
    }

    /// The same with kernels that are kept on disk, where there is a cache.
    #[must_use]
    pub fn with_cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// What keeps kernels on disk.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Shows the code of kernels that are compiled from now on to debuggers; their lines are those of [`Options::lines`].
    ///
    /// # Errors
    /// What LLVM reports.
    pub fn show_to_debuggers(&self) -> Result<(), LlvmError> {
        self.jit.show_to_debuggers()
    }

    /// The processor.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// The kernel of a launch, from those that were compiled before where it is among them.
    ///
    /// # Errors
    /// Why it has no code. That the launch does not fit the kernel is found when it runs.
    pub fn kernel(
        &self,
        kernels: &Kernels,
        program: &Program,
        launched: &Launched,
    ) -> Result<Arc<Kernel>, CompileError> {
        let mut known = kernels.by_shape.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known.get(launched) {
            return kernel.clone();
        }
        let options = &kernels.options;
        let kernel = match &self.cache {
            Some(cache) => Kernel::cached(program, launched, &self.cpu, &self.jit, options, cache),
            None => Kernel::compile_with(program, launched, &self.cpu, &self.jit, options),
        };
        let kernel = kernel.map(Arc::new);
        known.insert(*launched, kernel.clone());
        kernel
    }
}

/// Why a launch is left to the interpreter, although its kernel can be compiled.
pub fn refused(begun: &Begun<'_>) -> Option<&'static str> {
    if begun.cooperative {
        Some("cooperative launches are not compiled")
    } else if begun.completion != Completion::Eager {
        Some("asynchronous operations that do not complete when they are issued are not compiled")
    } else if begun.limits.steps.is_some() {
        Some("instructions are not counted in compiled code")
    } else if begun.limits.stack != STACK as usize && calls(begun.program) {
        Some("calls with another limit of the stack than 512 KiB are not compiled")
    } else {
        None
    }
}

fn calls(program: &Program) -> bool {
    let is_call = |op: &Op| match op {
        Op::Effect(Effect::Call(call)) => !matches!(call.callee, Callee::Builtin(_)),
        _ => false,
    };
    program.code.iter().any(|inst| is_call(&inst.op))
}

/// Runs all blocks of a launch, whose buffers are at addresses of the host ([`DecodedLaunch::at_host_addresses`](ptx_exec::DecodedLaunch)),
/// and waits for them. The kernel was compiled for its program and the shape of its blocks.
///
/// Nothing checks the accesses of compiled code: one that is outside of the memory of the launch is as undefined as in a native program.
///
/// # Errors
/// What [`LoadedLaunch::launch`](ptx_exec::LoadedLaunch::launch) gives for the same launch.
pub fn launch(kernel: &Kernel, launched: &impl Launchable) -> Result<Executed, ExecError> {
    let (result, output) = launch_with_output(kernel, launched);
    result.map(|()| Executed { output, ..Executed::default() })
}

/// The same; gives what was printed after a stop, too.
pub fn launch_with_output(kernel: &Kernel, launched: &impl Launchable) -> (Result<(), ExecError>, Vec<u8>) {
    let begin = || {
        let begun = launched.begin()?;
        let instructions = kernel.instructions(begun.program);
        let assistant = instructions.map(|instructions| launched.assistant(instructions)).transpose()?;
        Ok((begun, launched.system()?, assistant))
    };
    let (begun, system, assistant) = match begin() {
        Ok(begun) => begun,
        Err(error) => return (Err(error), Vec::new()),
    };
    let given = Given {
        assistant: assistant.as_ref(),
        system: Some(&system),
        effects: None,
        program: begun.program,
        geometry: begun.geometry,
        params: begun.params,
        constant: begun.constant,
        timeout: begun.limits.timeout,
        threads: begun.threads.get(),
    };
    // SAFETY: parameters and variables are those that the program was decoded with; that its accesses are right is for the
    // program's author, as stated above.
    let result = unsafe { kernel.launch(&given) };
    (result.map_err(|stop| launched.stopped(&begun, stop)), system.output())
}
