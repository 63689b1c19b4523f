//! Compiled kernels.

use std::sync::{Arc, OnceLock};

use ptx_exec::engine::{Instructions, Stop};
use ptx_exec::{Geometry, TrapKind};
use ptx_host_rt::{Compiled, Effects, Given, WarpCode};
use ptx_llvm_core::host::{Cpu, HostMachine, Jit, JitCode};
use ptx_llvm_core::{Context, Identity, LlvmError, Module, OptLevel, detached};
use ptx_program::memory::AddressSize;
use ptx_program::{Effect, Op, Program};

use crate::analysis::{Claims, Launched, Refusal};
use crate::cache::{Cache, Entry, Key, Processor};
use crate::code::{self, Extras, Made, Runs};
use crate::error::CompileError;
use crate::inline::{Inlined, inline};
use crate::loader::{Loaded, load};
use crate::notes::Notes;
use crate::options::Options;
use crate::perf;
use crate::remarks::{self, Remark};
use crate::source::Source;
use crate::stack::{stack_bytes, waits};
use crate::strategy::{Chosen, Group, Strategy, choose, choose_warp};

/// A kernel as host code, for blocks of one shape.
#[derive(Debug)]
pub struct Kernel {
    _code: Linked,
    address: usize,
    block: [u32; 3],
    waits: bool,
    runs: Runs,
    stack: usize,
    effects: Effects,
    /// Whether the interpreter's runtime executes some of its instructions; `instructions` is the state needed for that, created on first use.
    is_heavy: bool,
    /// Runs of bytes that its code checks.
    sites: usize,
    instructions: OnceLock<Instructions>,
    /// The program that was compiled, if it is not the original one.
    inlined: Option<Inlined>,
    /// The claims that the code checks, at an address that the code contains.
    _claims: Option<Arc<Claims>>,
    is_from_cache: bool,
}

/// Linked code in memory, kept alive as long as it is needed.
#[derive(Debug)]
enum Linked {
    /// Linked by the loader of this crate.
    Loaded { _code: Loaded },
    /// Linked by ORC.
    Jit { _code: JitCode },
}

/// What `show` makes of the LLVM IR of a kernel for a processor, before LLVM's optimizations. The program without calls is there if there were any.
pub(crate) fn with_ir<T>(
    source: Source<'_>,
    cpu: &Cpu,
    show: impl FnOnce(&HostMachine, Option<&Inlined>, Generated<'_>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    let context = Context::new()?;
    let machine = HostMachine::new(cpu, OptLevel::O2)?;
    let inlined = inline(source.program, source.options.disabled)?;
    let made = generate(&context, &machine, source, inlined.as_ref())?;
    show(&machine, inlined.as_ref(), made)
}

/// LLVM IR of a kernel for a processor, before and after LLVM's optimizations.
///
/// # Errors
/// Why the kernel was not compiled.
pub fn host_ir(
    program: &Program,
    launched: &Launched,
    cpu: &Cpu,
    options: &Options,
) -> Result<[String; 2], CompileError> {
    with_ir(
        Source::new(program, launched, options),
        cpu,
        |machine, _, Generated { mut module, passes, .. }| {
            let before = module.to_text();
            machine.optimize(&mut module, passes)?;
            Ok([before, module.to_text()])
        },
    )
}

/// LLVM IR of a kernel for a processor, before LLVM's optimizations.
///
/// # Errors
/// Why the kernel was not compiled.
pub fn unoptimized_ir(
    program: &Program,
    launched: &Launched,
    cpu: &Cpu,
    options: &Options,
) -> Result<String, CompileError> {
    with_ir(Source::new(program, launched, options), cpu, |_, _, made| Ok(made.module.to_text()))
}

/// The assembly of a kernel for a processor.
///
/// # Errors
/// Why the kernel was not compiled.
pub fn host_assembly(
    program: &Program,
    launched: &Launched,
    cpu: &Cpu,
    options: &Options,
) -> Result<String, CompileError> {
    with_ir(
        Source::new(program, launched, options),
        cpu,
        |machine, _, Generated { mut module, passes, .. }| {
            machine.optimize(&mut module, passes)?;
            Ok(machine.emit_assembly(module)?)
        },
    )
}

pub(crate) const PIPELINE: &str = "default<O2>";
/// The passes for kernels that are split into segments, where the rest of [`PIPELINE`] takes most of the time and gains little: long chains of masks cost
/// `instcombine` a walk over several of them at each, and it would run six times.
const PASSES_OF_SEGMENTS: &str =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dse,simplifycfg)";
/// As [`PASSES_OF_SEGMENTS`], for kernels of more than [`LARGE`] instructions: half of the time.
const PASSES_OF_LARGE: &str = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";
const LARGE: u64 = 8192;
/// The name of the same pipeline in cache keys if accesses are checked.
const PIPELINE_WITH_CHECKS: &str = "default<O2>, memory is checked";

/// The pipeline that makes code, as part of the cache key.
fn pipeline(options: &Options) -> &'static str {
    if options.check_memory { PIPELINE_WITH_CHECKS } else { PIPELINE }
}

/// The object file of a kernel, and the claims that its code checks. All that it depends on is in [`Key`].
fn make(
    source: Source<'_>,
    inlined: Option<&Inlined>,
    cpu: &Cpu,
) -> Result<(Entry, Option<Arc<Claims>>), CompileError> {
    let context = Context::new()?;
    let machine = HostMachine::new(cpu, OptLevel::O2)?;
    let Generated { mut module, passes, runs, claims, .. } = generate(&context, &machine, source, inlined)?;
    needed()?;
    machine.optimize(&mut module, passes)?;
    needed()?;
    Ok((Entry { runs, llvm: Identity::of_process()?, object: machine.emit_object(module)? }, claims))
}

/// Fails in a process that is ending, which waits for the compilation.
fn needed() -> Result<(), CompileError> {
    if !detached::is_ending() {
        return Ok(());
    }
    Err(LlvmError::Other { message: "the process is ending".to_owned() }.into())
}

fn generate<'c>(
    context: &'c Context,
    machine: &HostMachine,
    source: Source<'_>,
    inlined: Option<&Inlined>,
) -> Result<Generated<'c>, CompileError> {
    let Some(inlined) = inlined else { return generate_one(context, machine, source) };
    let options = source.options.placed(inlined);
    let made = generate_one(context, machine, Source::new(&inlined.program, source.launched, &options));
    made.map_err(|error| match error {
        CompileError::Refused(Refusal { pc, why }) => CompileError::refused(inlined.place(pc), why),
        CompileError::Llvm(error) => CompileError::Llvm(error),
    })
}

/// A module with the function [`code::NAME`], for a program without calls.
pub(crate) fn generate_one<'c>(
    context: &'c Context,
    machine: &HostMachine,
    source: Source<'_>,
) -> Result<Generated<'c>, CompileError> {
    let program = source.program;
    if program.address_size == AddressSize::Bits32 {
        // The code uses host addresses as global addresses.
        let entry = program.kernel().start;
        return Err(CompileError::refused(entry, "modules with 32-bit addresses are not compiled"));
    }
    let chosen = choose(source, machine)?;
    let group = chosen.strategy.group;
    match generate_chosen(context, machine, source, chosen) {
        Err(CompileError::Refused(refusal)) if group != Group::Warp => {
            let chosen = choose_warp(source, machine)?;
            let made = generate_chosen(context, machine, source, chosen);
            // What code for several warps refuses, that for one does too: the choice has made sure of it.
            debug_assert!(made.is_err(), "{group:?} refuses instruction {}: {}", refusal.pc, refusal.why);
            made
        }
        made => made,
    }
}

/// The LLVM IR for what was chosen, with the instructions of the original program in errors and remarks.
fn generate_chosen<'c>(
    context: &'c Context,
    machine: &HostMachine,
    source: Source<'_>,
    chosen: Chosen,
) -> Result<Generated<'c>, CompileError> {
    let Some(joined) = &chosen.joined else {
        return generate_of(context, machine, source, &chosen);
    };
    let made = generate_of(context, machine, source.with_program(&joined.program), &chosen);
    let located = |error| match error {
        CompileError::Refused(Refusal { pc, why }) => CompileError::refused(joined.place(pc), why),
        CompileError::Llvm(error) => CompileError::Llvm(error),
    };
    let mut made = made.map_err(located)?;
    for remark in &mut made.remarks {
        remark.pc = joined.place(remark.pc);
        remark.related.iter_mut().for_each(|(pc, _)| *pc = joined.place(*pc));
    }
    Ok(made)
}

/// The LLVM IR of a program that has been analysed.
fn generate_of<'c>(
    context: &'c Context,
    machine: &HostMachine,
    Source { program, launched, options }: Source<'_>,
    Chosen { analysis, joined, strategy }: &Chosen,
) -> Result<Generated<'c>, CompileError> {
    let mut module = Module::new(context, "kernel");
    machine.set_up(&mut module);
    let notes = options.notes.then(Notes::default);
    let lines = options.lines.as_deref();
    let checks_memory = options.check_memory;
    let extras = Extras { notes: notes.as_ref(), lines, joined: joined.as_ref(), checks_memory };
    let Made { runs, asks } =
        code::generate(&module, machine, program, (analysis, strategy), launched, extras)?;
    let remarks = match notes {
        Some(notes) => remarks::of_notes(program, analysis, notes),
        None => Vec::new(),
    };
    module.verify()?;
    let claims = analysis.shapes.claims().cloned();
    let passes = match &analysis.segments {
        None => PIPELINE,
        Some(_) if analysis.graph.size() <= LARGE => PASSES_OF_SEGMENTS,
        Some(_) => PASSES_OF_LARGE,
    };
    Ok(Generated { module, passes, runs, asks, claims, remarks, strategy: strategy.clone() })
}

/// LLVM IR of a kernel.
pub(crate) struct Generated<'c> {
    pub(crate) module: Module<'c>,
    /// LLVM's passes for it.
    pub(crate) passes: &'static str,
    pub(crate) runs: Runs,
    /// The instructions that call functions of the runtime, and which.
    pub(crate) asks: Vec<(u32, usize)>,
    /// The claims that the code checks.
    claims: Option<Arc<Claims>>,
    /// The remarks on its instructions, if they were requested.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) strategy: Strategy,
}

impl Kernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// Why the kernel was not compiled.
    pub fn compile(
        program: &Program,
        launched: &Launched,
        cpu: &Cpu,
        jit: &Jit,
    ) -> Result<Self, CompileError> {
        Self::compile_with(program, launched, cpu, jit, &Options::default())
    }

    /// Compiles a kernel with options.
    ///
    /// # Errors
    /// Why the kernel was not compiled.
    pub fn compile_with(
        program: &Program,
        launched: &Launched,
        cpu: &Cpu,
        jit: &Jit,
        options: &Options,
    ) -> Result<Self, CompileError> {
        let source = Source::new(program, launched, options);
        let inlined = inline(program, options.disabled)?;
        let (entry, claims) = make(source, inlined.as_ref(), cpu)?;
        Self::link(&entry, claims, source, inlined, &|| Ok(jit))
    }

    /// Gets a kernel from a cache, or compiles it and adds it. Options that change the code bypass the cache ([`Options::is_kept`]).
    ///
    /// # Errors
    /// As [`Kernel::compile`]. Problems of the cache are not errors ([`Cache::take_trouble`]).
    pub fn cached(
        program: &Program,
        launched: &Launched,
        cpu: &Cpu,
        jit: &Jit,
        options: &Options,
        cache: &Cache,
    ) -> Result<Self, CompileError> {
        if !options.is_kept() {
            return Self::compile_with(program, launched, cpu, jit, options);
        }
        let source = Source::new(program, launched, options);
        Self::kept(source, Processor::Named(cpu), cache, &|| Ok((cpu, jit)))
    }

    /// As [`Self::cached`], for options of cached kernels. LLVM is only used if needed: to compile a kernel, or to link one that the loader of this crate
    /// does not support.
    pub(crate) fn kept<'t>(
        source: Source<'_>,
        processor: Processor<'_>,
        cache: &Cache,
        tools: &dyn Fn() -> Result<(&'t Cpu, &'t Jit), LlvmError>,
    ) -> Result<Self, CompileError> {
        let key = Key::new(source.program, source.launched, processor, pipeline(source.options));
        let inlined = inline(source.program, source.options.disabled)?;
        if let Some(kernel) = Self::from_cache(&key, source, inlined.clone(), cache, tools) {
            return Ok(kernel);
        }
        let jit = || tools().map(|(_, jit)| jit);
        let (entry, claims) = make(source, inlined.as_ref(), tools()?.0)?;
        let kernel = Self::link(&entry, claims, source, inlined, &jit)?;
        cache.put(&key, &entry);
        Ok(kernel)
    }

    /// The kernel of a cache, if it contains it.
    pub(crate) fn found<'t>(
        source: Source<'_>,
        processor: Processor<'_>,
        cache: &Cache,
        tools: &dyn Fn() -> Result<(&'t Cpu, &'t Jit), LlvmError>,
    ) -> Option<Self> {
        let key = Key::new(source.program, source.launched, processor, pipeline(source.options));
        let inlined = inline(source.program, source.options.disabled).ok()?;
        Self::from_cache(&key, source, inlined, cache, tools)
    }

    fn from_cache<'t>(
        key: &Key,
        source: Source<'_>,
        inlined: Option<Inlined>,
        cache: &Cache,
        tools: &dyn Fn() -> Result<(&'t Cpu, &'t Jit), LlvmError>,
    ) -> Option<Self> {
        let entry = cache.get(key).filter(|entry| entry.llvm.is_current())?;
        let jit = || tools().map(|(_, jit)| jit);
        match Self::link(&entry, None, source, inlined, &jit) {
            Ok(kernel) => Some(Self { is_from_cache: true, ..kernel }),
            // A valid entry whose contents are not code.
            Err(_) => {
                cache.remove(key);
                None
            }
        }
    }

    fn link<'t>(
        entry: &Entry,
        claims: Option<Arc<Claims>>,
        Source { program, launched, options }: Source<'_>,
        inlined: Option<Inlined>,
        jit: &dyn Fn() -> Result<&'t Jit, LlvmError>,
    ) -> Result<Self, CompileError> {
        let loaded = match &options.lines {
            None => load(&entry.object, code::NAME),
            // Only code linked by ORC is registered with debuggers.
            Some(_) => None,
        };
        let (linked, address) = match loaded {
            Some((code, address)) => (Linked::Loaded { _code: code }, address),
            None => {
                let code = jit()?.add_object("kernel", &entry.object)?;
                let address = code.address(code::NAME)?;
                (Linked::Jit { _code: code }, address)
            }
        };
        if let Some(file) = &options.perf_map {
            let name = &program.kernel().name;
            perf::add(&entry.object, address, &format!("{name} {file}"))?;
        }
        let program = inlined.as_ref().map_or(program, |inlined| &inlined.program);
        let (runs, stack) = (entry.runs, stack_bytes(program));
        let is_heavy = runs.is_heavy();
        let waits = waits(program, runs, stack);
        Ok(Self {
            _code: linked,
            address,
            block: launched.block,
            waits,
            runs,
            stack,
            effects: Effects::of(program),
            is_heavy,
            // Plus one, so that it is not zero in a checked kernel without accesses.
            sites: if options.check_memory { code::sites(program).1 + 1 } else { 0 },
            instructions: OnceLock::new(),
            inlined,
            _claims: claims,
            is_from_cache: false,
        })
    }

    /// Whether the kernel came from a cache, so that nothing was compiled.
    pub fn is_from_cache(&self) -> bool {
        self.is_from_cache
    }

    /// The description of the kernel for the runtime.
    fn compiled(&self) -> Compiled {
        // SAFETY: the address is that of a function of this type, whose code is alive as long as `self`.
        let code = unsafe { std::mem::transmute::<usize, WarpCode>(self.address) };
        Compiled {
            code,
            waits: self.waits,
            is_patient: self.runs.is_patient(),
            runs_blocks: self.runs == Runs::Block,
            is_heavy: self.is_heavy,
            stack: self.stack,
            sites: self.sites,
        }
    }

    /// The state that the interpreter's runtime needs to execute some of the kernel's instructions, if there are such; `program` is the one compiled.
    pub fn instructions(&self, program: &Program) -> Option<&Instructions> {
        let program = self.inlined.as_ref().map_or(program, |inlined| &inlined.program);
        self.is_heavy.then(|| self.instructions.get_or_init(|| Instructions::new(program)))
    }

    /// Runs all blocks of a launch and waits for them.
    ///
    /// # Errors
    /// Why the first of the stopped blocks was stopped.
    ///
    /// # Safety
    /// Every access of the kernel must be to memory of this process that permits it, at a multiple of its size; to its
    /// parameters and constants inside the given ones, and to shared memory inside a block's. The program must be the one that was compiled.
    pub unsafe fn launch(&self, given: &Given<'_>) -> Result<(), Stop> {
        let given = &Given { effects: Some(&self.effects), ..*given };
        let Some(inlined) = &self.inlined else {
            // SAFETY: as above.
            return unsafe { ptx_host_rt::launch(&self.compiled(), given) };
        };
        // SAFETY: as above.
        let result =
            unsafe { ptx_host_rt::launch(&self.compiled(), &Given { program: &inlined.program, ..*given }) };
        result.map_err(|mut stop| {
            stop.pc = stop.pc.map(|pc| inlined.place(pc));
            stop.related.iter_mut().for_each(|(pc, _)| *pc = inlined.place(*pc));
            // At calls, threads are stopped by branches without targets and by traps of the inlined code.
            let inst = stop.pc.and_then(|pc| given.program.code.get(pc as usize));
            if let Some(Op::Effect(Effect::Stack(_))) = inst.map(|inst| &inst.op) {
                match stop.kind {
                    TrapKind::Trap => stop.kind = TrapKind::Stack,
                    TrapKind::BranchIndex(value) => {
                        let text = format!("{value:#x} is not a place that the stack of this call had");
                        stop.kind = TrapKind::Misuse(text);
                    }
                    _ => {}
                }
            }
            if let Some(Op::Effect(Effect::Call(_))) = inst.map(|inst| &inst.op) {
                match stop.kind {
                    TrapKind::Trap => stop.kind = TrapKind::Stack,
                    TrapKind::BranchIndex(address) => stop.kind = TrapKind::CallTarget(address),
                    _ => {}
                }
            }
            stop
        })
    }

    /// Runs a grid on this thread only, without a time limit.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch`], with `shared` bytes of shared memory.
    pub unsafe fn run(
        &self,
        program: &Program,
        grid: [u32; 3],
        params: &[u8],
        constant: &[u8],
        shared: usize,
    ) -> Result<(), Stop> {
        let geometry = Geometry {
            grid,
            block: self.block,
            cluster: [1; 3],
            is_explicit_cluster: false,
            shared: shared as u32,
            dynamic_shared: 0,
        };
        // SAFETY: as above.
        unsafe { self.launch(&Given::new(program, geometry, params, constant)) }
    }
}
