//! Launches of compiled kernels.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ptx_exec::engine::{Assistant, Checked, Setup, System};
use ptx_exec::{Completion, Reconvergence, Report};
use ptx_host_rt::{Cancellation, Given, MOST_WARPS};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::host::{Cpu, Jit};
use ptx_program::memory::AddressSize;
use ptx_program::{Callee, Effect, Op, Program, WARP};

use crate::analysis::Launched;
use crate::cache::{Cache, Description, Processor};
use crate::error::CompileError;
use crate::inline::STACK;
use crate::kernel::Kernel;
use crate::once::OnceMap;
use crate::options::Options;
use crate::source::Source;

/// Compiles kernels for a processor, and caches those of one program for each shape of blocks.
#[derive(Debug)]
pub struct Compiler {
    tools: OnceLock<Result<Tools, LlvmError>>,
    /// The description of this process's processor, if it is available without loading LLVM.
    own: Option<Description>,
    cache: Option<Cache>,
}

/// The parts that need LLVM.
#[derive(Debug)]
struct Tools {
    cpu: Cpu,
    jit: Jit,
}

impl Tools {
    fn new(cpu: Cpu) -> Result<Self, LlvmError> {
        Ok(Self { jit: Jit::new(&cpu)?, cpu })
    }
}

/// The compiled kernels of one program.
#[derive(Debug, Default)]
pub struct Kernels {
    by_shape: OnceMap<Launched, Result<Arc<Kernel>, CompileError>>,
    /// The shapes of whose kernels it is known that they are not cached on disk, which is only looked up once.
    not_found: Mutex<HashSet<Launched>>,
    options: Options,
}

impl Kernels {
    /// An empty set; its kernels are compiled with these options.
    pub fn new(options: Options) -> Self {
        Self { by_shape: OnceMap::default(), not_found: Mutex::default(), options }
    }
}

impl Compiler {
    /// A compiler for a processor that can execute code in this process.
    ///
    /// # Errors
    /// There is no LLVM, or it does not support the processor.
    pub fn new(cpu: Cpu) -> Result<Self, LlvmError> {
        Ok(Self { tools: OnceLock::from(Ok(Tools::new(cpu)?)), own: None, cache: None })
    }

    /// A compiler for the processor of this process. LLVM is loaded on first use, which most kernels cached on disk do not need.
    pub fn host() -> Self {
        Self { tools: OnceLock::new(), own: Description::own(), cache: None }
    }

    fn tools(&self) -> Result<&Tools, LlvmError> {
        self.tools.get_or_init(|| Tools::new(Cpu::host()?)).as_ref().map_err(Clone::clone)
    }

    /// The same compiler with a cache on disk, if one is given.
    #[must_use]
    pub fn with_cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// The cache of kernels on disk.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Registers the code of kernels that are compiled from now on with debuggers; their lines are those of [`Options::lines`].
    ///
    /// # Errors
    /// There is no LLVM, or it reports an error.
    pub fn show_to_debuggers(&self) -> Result<(), LlvmError> {
        self.tools()?.jit.show_to_debuggers()
    }

    /// The processor.
    ///
    /// # Errors
    /// There is no LLVM.
    pub fn cpu(&self) -> Result<&Cpu, LlvmError> {
        Ok(&self.tools()?.cpu)
    }

    /// The kernel of a launch, compiled unless it has been already. Several threads may compile kernels at once; one
    /// that requests a kernel which another is compiling waits for it.
    ///
    /// # Errors
    /// Why the kernel was not compiled. Launches that do not fit the kernel are only detected when they run.
    pub fn kernel(
        &self,
        kernels: &Kernels,
        program: &Program,
        launched: &Launched,
    ) -> Result<Arc<Kernel>, CompileError> {
        let source = Source::new(program, launched, &kernels.options);
        let compile = || self.compile(source).map(Arc::new);
        kernels.by_shape.get_or_make(*launched, compile)
    }

    /// The kernel of a launch, or why there is none, if that is known: it has been compiled in this process, or is cached on disk.
    pub fn known(
        &self,
        kernels: &Kernels,
        program: &Program,
        launched: &Launched,
    ) -> Option<Result<Arc<Kernel>, CompileError>> {
        if let Some(known) = kernels.by_shape.get(launched) {
            return Some(known);
        }
        self.found(kernels, program, launched).map(Ok)
    }

    /// The kernel of a launch if it is cached on disk.
    fn found(&self, kernels: &Kernels, program: &Program, launched: &Launched) -> Option<Arc<Kernel>> {
        let cache = self.cache.as_ref().filter(|_| kernels.options.is_kept())?;
        // Another thread may look for the same kernel meanwhile, which is right as well.
        if !kernels.not_found.lock().unwrap_or_else(PoisonError::into_inner).insert(*launched) {
            return None;
        }
        let tools = || self.tools().map(|Tools { cpu, jit }| (cpu, jit));
        let processor = Processor::Own(self.own.as_ref()?);
        let source = Source::new(program, launched, &kernels.options);
        let found = Kernel::found(source, processor, cache, &tools)?;
        kernels.by_shape.get_or_make(*launched, || Ok(Arc::new(found))).ok()
    }

    fn compile(&self, source: Source<'_>) -> Result<Kernel, CompileError> {
        let Source { program, launched, options } = source;
        let Some(cache) = self.cache.as_ref().filter(|_| options.is_kept()) else {
            let Tools { cpu, jit } = self.tools()?;
            return Kernel::compile_with(program, launched, cpu, jit, options);
        };
        let processor = match &self.own {
            Some(own) => Processor::Own(own),
            None => Processor::Named(self.cpu()?),
        };
        let tools = || self.tools().map(|Tools { cpu, jit }| (cpu, jit));
        Kernel::kept(source, processor, cache, &tools)
    }
}

/// Why a launch is left to the interpreter, although its kernel can be compiled.
pub fn refused(launch: &Checked<'_>) -> Option<&'static str> {
    let Checked { program, spec, geometry } = launch;
    let warps = geometry.blocks() * geometry.threads().div_ceil(WARP) as u64;
    if program.address_size == AddressSize::Bits32 {
        Some("modules with 32-bit addresses are not compiled")
    } else if spec.shape.cooperative && warps > MOST_WARPS as u64 {
        Some("cooperative launches of more than 16,384 warps are not compiled")
    } else if spec.completion != Completion::Eager {
        Some("asynchronous operations that do not complete when they are issued are not compiled")
    } else if spec.reconvergence != Reconvergence::Early {
        Some("late reconvergence is not compiled")
    } else if spec.limits.steps.is_some() {
        Some("compiled code does not count instructions")
    } else if spec.limits.stack != STACK as usize && uses_stack(program) {
        Some("calls and `alloca` with another limit of the stack than 512 KiB are not compiled")
    } else {
        None
    }
}

/// Why a launch that began in the interpreter cannot go on as compiled code, although its kernel can be compiled.
pub fn kept_together(launch: &Checked<'_>) -> Option<&'static str> {
    // A 16-byte access is atomic with respect to others of the same engine only.
    let is_wide = |op: &Op| match op {
        Op::Effect(Effect::Load(load)) => load.size == 16,
        Op::Effect(Effect::Store(store)) => store.size == 16,
        Op::Effect(Effect::WideAtomic(_)) => true,
        _ => false,
    };
    if launch.spec.shape.cooperative {
        Some("the barrier of a cooperative launch belongs to one engine")
    } else if launch.program.code.iter().any(|inst| is_wide(&inst.op)) {
        Some("accesses of 128 bits are atomic within one engine")
    } else {
        None
    }
}

/// Whether the stack limit matters.
fn uses_stack(program: &Program) -> bool {
    let is_call = |op: &Op| match op {
        Op::Effect(Effect::Call(call)) => !matches!(call.callee, Callee::Builtin(_)),
        Op::Effect(Effect::Stack(_)) => true,
        _ => false,
    };
    program.code.iter().any(|inst| is_call(&inst.op))
}

/// Runs all blocks of a launch, whose memory is at host addresses, and waits for them. The kernel must have been compiled for the launch's
/// program and block shape.
///
/// Unless the code checks them, its accesses are not checked: one outside of the launch's memory is undefined behavior, as in a native program.
pub fn launch(kernel: &Kernel, setup: &Arc<Setup>) -> Report {
    launch_rest(kernel, setup, &Rest::all(setup), |_, run| run())
}

/// The part of a launch that compiled code executes: all of it, or the clusters that the interpreter has left.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a> {
    /// The first cluster to run.
    pub first: u64,
    /// What is left of the time limit, if there is one.
    pub timeout: Option<Duration>,
    /// Stops the launch from another thread.
    pub cancellation: Option<&'a Arc<Cancellation>>,
}

impl Rest<'_> {
    /// The whole launch, within its time limit.
    pub fn all(setup: &Setup) -> Self {
        Self { first: 0, timeout: setup.spec().limits.timeout, cancellation: None }
    }
}

/// As [`launch`], for a part of the launch. The call that runs the kernel is inside of `around`, which calls its second argument once: it has the
/// system of the launch, for what is to be done if accesses of the kernel end the process.
pub fn launch_rest(
    kernel: &Kernel,
    setup: &Arc<Setup>,
    rest: &Rest<'_>,
    around: impl FnOnce(&System, &mut dyn FnMut()),
) -> Report {
    let (program, geometry) = (setup.program(), *setup.geometry());
    let system = System::of(setup);
    let instructions = kernel.instructions(program);
    let assistant = instructions.map(|instructions| Assistant::new(setup.clone(), instructions));
    let interrupt = setup.spec().interrupt.as_ref();
    let cancellation = rest.cancellation.cloned().or_else(|| interrupt.map(|_| Arc::default()));
    let _listening = interrupt
        .zip(cancellation.clone())
        .map(|(interrupt, cancellation)| interrupt.listen(move || cancellation.cancel()));
    let given = Given {
        workspace: setup.workspace(),
        assistant: assistant.as_ref(),
        system: Some(&system),
        timeout: rest.timeout,
        threads: setup.threads().get(),
        first: rest.first,
        cancellation: cancellation.as_deref(),
        ..Given::new(program, geometry, &setup.spec().params, setup.constant())
    };
    let mut result = Ok(());
    // SAFETY: parameters and variables are those that the program was decoded with; that its accesses are valid is up to the
    // program's author, as stated above.
    around(&system, &mut || result = unsafe { kernel.launch(&given) });
    let clusters = geometry.clusters().saturating_sub(rest.first);
    Report {
        result: result.map_err(|stop| setup.stopped(stop)),
        output: system.output(),
        warp_instructions: 0,
        thread_instructions: 0,
        compiled_blocks: clusters * u64::from(geometry.cluster_size()),
    }
}
