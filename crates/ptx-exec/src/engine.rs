//! Interface for other execution engines, which run launches with this crate's semantics and report the same errors.

mod begun;
mod stop;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use rayon::ThreadPool;

use crate::error::{ExecError, Trap, TrapKind};
use crate::kernel::{Kernel, With};
use crate::machine::builtin::perform;
use crate::machine::multimem::multimem;
use crate::machine::probe::Probe;
use crate::machine::texture::texture;
use crate::machine::{self, Geometry, Heap, WarpId, report};
use crate::memory::{AddressSize, Concurrency, Fault, GlobalMemory, Pieces};
use crate::program::{Accesses, Builtin, Effect, Functions, Mask, Product, Program, Row};
use crate::repeat::LoadedLaunch;
use crate::texture::Units;

pub use begun::Begun;
pub use stop::Stop;

pub use crate::kernel::{Interpretation, Interpreted};
pub use crate::machine::Relay;
pub use crate::machine::meeting::{BARRIERS, BarrierMisuse, BarrierWait, Expected, Reduces, barrier_index};
pub use crate::machine::{Around, Extent};
pub use crate::machine::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};
pub use crate::machine::{Lines, Matrix, Products, Question, Queue, TensorPart, WarpgroupPart};

/// Services of the system for the kernels of a launch: heap, output, textures, and the description of memory.
#[derive(Debug)]
pub struct System {
    /// All global memory that the launch may access.
    global: GlobalMemory,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    workspace: u64,
    units: Units,
    heap: Arc<Mutex<Heap>>,
    addresses: AddressSize,
    /// Maximum bytes of output.
    limit: usize,
    output: Mutex<Output>,
    /// Bytes of output of all engines that execute parts of the launch.
    written: Arc<AtomicU64>,
}

/// The device heap used by kernels; it outlives launches.
#[derive(Clone, Debug)]
pub struct SystemHeap(Arc<Mutex<Heap>>);

impl SystemHeap {
    /// Creates a heap of `bytes` bytes at a host address.
    pub fn new(base: u64, bytes: usize) -> Self {
        let bytes = bytes as u64;
        Self(Arc::new(Mutex::new(Heap::new(base, bytes, Arc::new(Pieces::of_heap(bytes))))))
    }
}

#[derive(Debug, Default)]
struct Output {
    /// Output of each block, by block number.
    blocks: BTreeMap<u64, Vec<u8>>,
}

impl System {
    /// For a launch without textures of a kernel with 64-bit addresses; `limit` is the maximum number of output bytes.
    pub fn new(heap: &SystemHeap, limit: usize) -> Self {
        Self {
            global: GlobalMemory::of_host(Vec::new(), Concurrency::Many),
            workspace: 0,
            units: Units::default(),
            heap: heap.0.clone(),
            addresses: AddressSize::Bits64,
            limit,
            output: Mutex::default(),
            written: Arc::default(),
        }
    }

    /// The address of the memory with which the blocks of a cooperative launch synchronize; 0 for other launches.
    pub fn workspace(&self) -> u64 {
        self.workspace
    }

    /// The system of a launch of which the interpreter executes another part: global memory, with its workspace, and the count of output
    /// are those of the interpreter.
    #[must_use]
    pub fn shared_with(self, interpreter: &Relay) -> Self {
        let (global, workspace) = interpreter.memory();
        Self { global, workspace, written: interpreter.written(), ..self }
    }

    /// Calls a builtin function for a thread of a block, given by its number; `read` reads bytes at a generic address
    /// of the thread.
    ///
    /// # Errors
    /// The trap that stops the thread.
    pub fn call(
        &self,
        builtin: Builtin,
        arguments: [u64; 5],
        block: u64,
        read: &dyn Fn(u64, u32) -> Result<u64, Fault>,
    ) -> Result<u64, TrapKind> {
        let (result, text) = perform(builtin, arguments, &self.heap, self.addresses.bytes(), read)?;
        if !text.is_empty() {
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            let before = self.written.fetch_add(text.len() as u64, Ordering::Relaxed);
            if before + text.len() as u64 > self.limit as u64 {
                return Err(TrapKind::Output);
            }
            output.blocks.entry(block).or_default().extend(text);
        }
        Ok(result)
    }

    /// Executes, for the given lanes, an instruction that needs only registers, global memory and textures. Its
    /// operands are rows of `rows` and `constants`, and none of its addresses is relative to a call frame.
    ///
    /// # Errors
    /// The trap that stops a thread, and its lane.
    pub fn execute(
        &self,
        effect: &Effect,
        rows: &mut [Row],
        constants: &[Row],
        active: Mask,
    ) -> Result<(), (TrapKind, usize)> {
        match effect {
            Effect::Texturing(texturing) => {
                texture((&self.units, &self.global), rows, constants, texturing, active)
            }
            Effect::Multimem(access) => {
                multimem((&self.global, self.addresses), rows, constants, (access, 0), active)
            }
            _ => Err((TrapKind::Misuse("the instruction is not one of global memory".to_owned()), 0)),
        }
    }

    /// Checks whether the given lanes can make the accesses of an instruction ([`Effect::accesses`]), without making
    /// them; lanes are checked in the interpreter's order. `rows` are the rows of its source operands.
    ///
    /// # Errors
    /// The trap that stops a thread, and its lane.
    pub fn check(
        &self,
        effect: &Effect,
        around: Around<'_>,
        rows: &[Row],
        active: Mask,
    ) -> Result<(), (TrapKind, usize)> {
        Probe { global: &self.global, around }.check(effect, rows, active)
    }

    /// The extent of valid memory around a run accessed by the first of these lanes. Accesses of the instruction within
    /// it need no further check until the launch ends; `None` if there is no such extent.
    pub fn extent(
        &self,
        (accesses, run): (&Accesses, usize),
        around: Around<'_>,
        rows: &[Row],
        active: Mask,
    ) -> Option<Extent> {
        Probe { global: &self.global, around }.extent(accesses, run, rows, active)
    }

    /// Checks whether `size` bytes at a generic address of a thread can be read, without reading them.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn check_read(&self, around: Around<'_>, address: u64, size: u32) -> Result<(), Fault> {
        Probe { global: &self.global, around }.read(address, size)
    }

    /// Passes the output until now, in block order, to a function, unless a thread is writing output at this moment. It neither allocates nor
    /// waits, so that a process that crashes in a kernel can still call it.
    pub fn pass_output(&self, to: &mut dyn FnMut(&[u8])) {
        let output = match self.output.try_lock() {
            Ok(output) => output,
            Err(TryLockError::Poisoned(output)) => output.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        output.blocks.values().for_each(|text| to(text));
    }

    /// The output, in block order.
    pub fn output(self) -> Vec<u8> {
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        output.blocks.into_values().flatten().collect()
    }
}

/// A group of threads of a warp at the same instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The instruction.
    pub pc: u32,
    /// The warp.
    pub warp: usize,
    /// The threads.
    pub lanes: Mask,
    /// The barrier at which they wait, and the threads they wait for.
    pub barrier: Option<(usize, BarrierWait)>,
}

/// Lanes of a warp that wait at a collective for other lanes of the warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneGroup {
    /// The instruction.
    pub pc: u32,
    /// The waiting lanes.
    pub lanes: Mask,
    /// The lanes named by the member mask.
    pub members: Mask,
    /// The members that have neither arrived nor exited.
    pub missing: Mask,
}

/// Describes where groups of lanes of a warp wait, each with its instruction.
pub fn describe_lanes(geometry: &Geometry, warp: usize, groups: &[LaneGroup]) -> Vec<(u32, String)> {
    let one = |group: &LaneGroup| {
        let what = report::at_collective(geometry, warp, group.members, group.missing);
        (group.pc, report::group(geometry, warp, group.lanes, &what))
    };
    groups.iter().map(one).collect()
}

impl Begun<'_> {
    /// Describes the groups in text, each with its instruction.
    pub fn describe(&self, groups: &[Group]) -> Vec<(u32, String)> {
        describe(&self.geometry, groups)
    }
}

/// Describes what groups of threads are doing, each with its instruction.
pub fn describe(geometry: &Geometry, groups: &[Group]) -> Vec<(u32, String)> {
    let one = |group: &Group| {
        let what = match &group.barrier {
            None => "run here".to_owned(),
            Some((id, wait)) => report::at_barrier(geometry, *id, Some(wait)),
        };
        (group.pc, report::group(geometry, group.warp, group.lanes, &what))
    };
    report::shortened(groups.iter().map(one).collect())
}

/// Matrix multiply-accumulate of a warp: `inputs` are the rows of A, B, C and the further operands in the order of the
/// instruction's sources, `outputs` the rows of D.
///
/// # Errors
/// The trap that stops a thread, and its lane.
pub fn multiply(product: &Product, inputs: &[Row], outputs: &mut [Row]) -> Result<(), (TrapKind, usize)> {
    machine::matrix::multiply(product, inputs, outputs)
}

/// The trap for groups of threads none of which can make progress.
pub fn deadlock(groups: &[(u32, String)]) -> TrapKind {
    report::deadlock(groups)
}

/// The thread pool shared by the launches of all engines.
pub fn pool() -> Option<&'static ThreadPool> {
    machine::pool()
}

/// A launch that can be run by an engine outside this crate.
pub trait Launchable {
    /// Checks the launch.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel.
    fn begin(&self) -> Result<Begun<'_>, ExecError>;

    /// The services of the system for the launch.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if it does not provide what the textures of the kernel require.
    fn system(&self) -> Result<System, ExecError>;

    /// Creates an executor of single instructions for an engine whose program was derived from the kernel's, in the
    /// memory of the launch's system.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel.
    fn assistant(&self, instructions: &Instructions, system: &System) -> Result<Assistant, ExecError>;

    /// The same launch for the interpreter, which has not begun it. Its addresses are the same.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel.
    fn interpret(&self) -> Result<Interpretation<'_>, ExecError>;

    /// Sets in the trap the object nearest to a faulty access.
    #[doc(hidden)]
    fn explain(&self, trap: &mut Trap, system: &System);

    /// The error for a thread stopped by the engine.
    fn stopped(&self, begun: &Begun<'_>, system: &System, stop: Stop) -> ExecError {
        let Stop { kind, pc, block, warp, lane, related } = stop;
        let warp = Some(WarpId { rank: 0, index: warp });
        // The engine does not report the local memory frames of functions called by the kernel.
        let function = pc.and_then(|pc| begun.program.origins.get(pc as usize)).map(|origin| origin.function);
        let frames = function.filter(|&function| function == Functions::KERNEL).map(|entry| (entry, 0));
        let frames = frames.into_iter().collect();
        let stop = machine::Stop { kind, pc, lane, warp, related, frames };
        let mut trap = report::trap(begun.program, &begun.geometry, block, stop);
        self.explain(&mut trap, system);
        ExecError::Trap(Box::new(trap))
    }
}

impl Launchable for LoadedLaunch<'_> {
    fn begin(&self) -> Result<Begun<'_>, ExecError> {
        LoadedLaunch::begin(self)
    }

    fn system(&self) -> Result<System, ExecError> {
        self.kernel().system(self.with(None))
    }

    fn assistant(&self, instructions: &Instructions, system: &System) -> Result<Assistant, ExecError> {
        self.kernel().assistant(self.with(None), instructions, (system.global.clone(), system.workspace))
    }

    fn interpret(&self) -> Result<Interpretation<'_>, ExecError> {
        self.kernel().interpret(self.with(None))
    }

    fn explain(&self, trap: &mut Trap, system: &System) {
        self.kernel().explain(trap, &system.global, self.params(), self.dynamic_shared());
    }
}

impl Kernel {
    /// The services of the system for a launch, with all memory that the interpreter would give it.
    fn system(&self, with: With) -> Result<System, ExecError> {
        let units = self.bind(with.textures, &with.bound)?;
        let (global, workspace) = self.memory_of(with.global, &with.shape);
        let addresses = self.program().address_size;
        let With { heap, limits, .. } = with;
        let (output, written) = Default::default();
        Ok(System { global, workspace, units, heap, addresses, limit: limits.output, output, written })
    }
}

/// A launch of a kernel of an [`Image`](crate::Image).
pub struct ImageLaunch {
    kernel: Arc<Kernel>,
    with: With,
}

impl ImageLaunch {
    pub(crate) fn new(kernel: Arc<Kernel>, with: With) -> Self {
        Self { kernel, with }
    }

    /// The program of the kernel.
    pub fn program(&self) -> &Arc<Program> {
        self.kernel.program()
    }
}

impl Launchable for ImageLaunch {
    fn begin(&self) -> Result<Begun<'_>, ExecError> {
        let With { shape, constant, params, limits, completion, reconvergence, threads, .. } = &self.with;
        let geometry = self.kernel.check(shape, limits).map_err(ExecError::Refused)?;
        Ok(Begun {
            program: self.kernel.program(),
            params,
            constant,
            limits,
            completion: *completion,
            reconvergence: *reconvergence,
            threads: *threads,
            geometry,
            cooperative: shape.cooperative,
        })
    }

    fn system(&self) -> Result<System, ExecError> {
        self.kernel.system(self.with.clone())
    }

    fn assistant(&self, instructions: &Instructions, system: &System) -> Result<Assistant, ExecError> {
        self.kernel.assistant(self.with.clone(), instructions, (system.global.clone(), system.workspace))
    }

    fn interpret(&self) -> Result<Interpretation<'_>, ExecError> {
        self.kernel.interpret(self.with.clone())
    }

    fn explain(&self, trap: &mut Trap, system: &System) {
        let With { params, shape, .. } = &self.with;
        self.kernel.explain(trap, &system.global, params, shape.dynamic_shared);
    }
}
