//! What other engines need of a launch, to run it as this crate does and to report what stops it alike.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use crate::error::{ExecError, Trap, TrapKind};
use crate::kernel::{Kernel, With};
use crate::launch::{Completion, Dim3, Limits};
use crate::machine::builtin::perform;
use crate::machine::multimem::multimem;
use crate::machine::probe::Probe;
use crate::machine::texture::texture;
use crate::machine::warp::WarpId;
use crate::machine::{self, Geometry, Heap, report};
use crate::memory::{AddressSize, Concurrency, Fault, GlobalMemory, Pieces};
use crate::program::{Accesses, Builtin, Effect, Mask, Product, Program, Row};
use crate::repeat::LoadedLaunch;
use crate::texture::Units;

pub use crate::machine::meeting::{BARRIERS, BarrierMisuse, BarrierWait, Expected, barrier_index};
pub use crate::machine::{Around, Extent};
pub use crate::machine::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};
pub use crate::machine::{Lines, Matrix, Products, Question, Queue, TensorPart, WarpgroupPart};

/// A launch that was checked, for an engine to run.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// The instructions.
    pub program: &'a Arc<Program>,
    /// What the parameter space holds.
    pub params: &'a [u8],
    /// What the constant memory holds.
    pub constant: &'a [u8],
    /// Its bounds.
    pub limits: &'a Limits,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Host threads that blocks are spread over.
    pub threads: NonZeroUsize,
    /// Its shape.
    pub geometry: Geometry,
    /// Whether its blocks may wait for each other.
    pub cooperative: bool,
}

/// What the system provides to the kernels of a launch: a heap, output, textures, and memory as it is described.
#[derive(Debug)]
pub struct System {
    global: GlobalMemory,
    units: Units,
    heap: Arc<Mutex<Heap>>,
    addresses: AddressSize,
    /// The most bytes of output.
    limit: usize,
    output: Mutex<Output>,
}

/// The heap that kernels take memory from, which outlives launches.
#[derive(Clone, Debug)]
pub struct SystemHeap(Arc<Mutex<Heap>>);

impl SystemHeap {
    /// A heap of so many bytes at an address of the process.
    pub fn new(base: u64, bytes: usize) -> Self {
        let bytes = bytes as u64;
        Self(Arc::new(Mutex::new(Heap::new(base, bytes, Arc::new(Pieces::of_heap(bytes))))))
    }
}

#[derive(Debug, Default)]
struct Output {
    /// Of each block by its number.
    blocks: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
}

impl System {
    /// For a launch without textures whose kernel has addresses of 64 bits, with the most bytes of output that it may write.
    pub fn new(heap: &SystemHeap, limit: usize) -> Self {
        Self {
            global: GlobalMemory::of_host(Vec::new(), Concurrency::Many),
            units: Units::default(),
            heap: heap.0.clone(),
            addresses: AddressSize::Bits64,
            limit,
            output: Mutex::default(),
        }
    }

    /// Calls a function for a thread of a block, by its number; `read` gives so many bytes at a generic address of the thread.
    ///
    /// # Errors
    /// What stops the thread.
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
            output.bytes += text.len();
            if output.bytes > self.limit {
                return Err(TrapKind::Output);
            }
            output.blocks.entry(block).or_default().extend(text);
        }
        Ok(result)
    }

    /// Executes an instruction that needs nothing but registers, global memory and textures for these lanes. Its operands are rows of `rows` and
    /// `constants`, and no address of it counts from the frame of a call.
    ///
    /// # Errors
    /// What stops a thread, and its lane.
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

    /// Looks whether these lanes can make the accesses of an instruction ([`Effect::accesses`]), without making them: as the interpreter, lane by
    /// lane. `rows` are those of its sources.
    ///
    /// # Errors
    /// What stops a thread, and its lane.
    pub fn check(
        &self,
        effect: &Effect,
        around: Around<'_>,
        rows: &[Row],
        active: Mask,
    ) -> Result<(), (TrapKind, usize)> {
        Probe { global: &self.global, around }.check(effect, rows, active)
    }

    /// The bytes around a run that the first of these lanes accesses, which all accesses of the instruction may go to without a further
    /// look until the launch is over; `None` where there are none such.
    pub fn extent(
        &self,
        (accesses, run): (&Accesses, usize),
        around: Around<'_>,
        rows: &[Row],
        active: Mask,
    ) -> Option<Extent> {
        Probe { global: &self.global, around }.extent(accesses, run, rows, active)
    }

    /// Looks whether so many bytes at a generic address of a thread can be read, without reading them.
    ///
    /// # Errors
    /// Why not.
    pub fn check_read(&self, around: Around<'_>, address: u64, size: u32) -> Result<(), Fault> {
        Probe { global: &self.global, around }.read(address, size)
    }

    /// What was written, block after block.
    pub fn output(self) -> Vec<u8> {
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        output.blocks.into_values().flatten().collect()
    }
}

/// A thread that was stopped, or threads that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// What stopped it.
    pub kind: TrapKind,
    /// The instruction, when it was one.
    pub pc: Option<u32>,
    /// The index of its block in the grid.
    pub block: Dim3,
    /// Its warp in the block.
    pub warp: usize,
    /// Its place in the warp.
    pub lane: usize,
    /// Other places that explain it.
    pub related: Vec<(u32, String)>,
}

/// A group of threads of a warp at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The instruction.
    pub pc: u32,
    /// The warp.
    pub warp: usize,
    /// The threads.
    pub lanes: Mask,
    /// The barrier at which they wait, and for whom.
    pub barrier: Option<(usize, BarrierWait)>,
}

/// Lanes of a warp that wait for others of it at an operation of several lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneGroup {
    /// The instruction.
    pub pc: u32,
    /// They.
    pub lanes: Mask,
    /// Those that its mask names.
    pub members: Mask,
    /// Of these the ones that have neither come nor exited.
    pub missing: Mask,
}

/// Where groups of lanes of a warp wait, each with its instruction.
pub fn describe_lanes(geometry: &Geometry, warp: usize, groups: &[LaneGroup]) -> Vec<(u32, String)> {
    let one = |group: &LaneGroup| {
        let what = report::at_collective(geometry, warp, group.members, group.missing);
        (group.pc, report::group(geometry, warp, group.lanes, &what))
    };
    groups.iter().map(one).collect()
}

impl Begun<'_> {
    /// The same groups in words, each with its instruction.
    pub fn describe(&self, groups: &[Group]) -> Vec<(u32, String)> {
        describe(&self.geometry, groups)
    }
}

/// What groups of threads do, each with its instruction.
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

/// The product of matrices that the lanes of a warp hold: rows of A, B, C and what else it has in the order of the sources of the instruction,
/// and those of D.
///
/// # Errors
/// What stops a thread, and its lane.
pub fn multiply(product: &Product, inputs: &[Row], outputs: &mut [Row]) -> Result<(), (TrapKind, usize)> {
    machine::matrix::multiply(product, inputs, outputs)
}

/// That no thread of these groups can go on.
pub fn deadlock(groups: &[(u32, String)]) -> TrapKind {
    report::deadlock(groups)
}

/// The threads that launches of all engines share.
pub fn pool() -> Option<&'static ThreadPool> {
    machine::pool()
}

/// A launch that an engine outside of this crate may run.
pub trait Launchable {
    /// Checks it.
    ///
    /// # Errors
    /// [`ExecError::Refused`] when the shape does not fit the kernel.
    fn begin(&self) -> Result<Begun<'_>, ExecError>;

    /// What the system provides to it.
    ///
    /// # Errors
    /// [`ExecError::Refused`] when it does not give what the textures of the kernel need.
    fn system(&self) -> Result<System, ExecError>;

    /// Executes single instructions of it for the engine, which made its program of the kernel's.
    ///
    /// # Errors
    /// [`ExecError::Refused`] when the shape does not fit the kernel.
    fn assistant(&self, instructions: &Instructions) -> Result<Assistant, ExecError>;

    /// Names what a faulty access is nearest to.
    #[doc(hidden)]
    fn explain(&self, trap: &mut Trap);

    /// The error for a thread that the engine stopped.
    fn stopped(&self, begun: &Begun<'_>, stop: Stop) -> ExecError {
        let Stop { kind, pc, block, warp, lane, related } = stop;
        let warp = Some(WarpId { rank: 0, index: warp });
        // Where the local memory of functions that a kernel calls is, the engine does not tell.
        let function = pc.and_then(|pc| begun.program.origins.get(pc as usize)).map(|origin| origin.function);
        let frames = function.filter(|&function| function == begun.program.entry).map(|entry| (entry, 0));
        let frames = frames.into_iter().collect();
        let stop = machine::Stop { kind, pc, lane, warp, related, frames };
        let mut trap = report::trap(begun.program, &begun.geometry, block, stop);
        self.explain(&mut trap);
        ExecError::Trap(Box::new(trap))
    }
}

impl Launchable for LoadedLaunch<'_> {
    fn begin(&self) -> Result<Begun<'_>, ExecError> {
        LoadedLaunch::begin(self)
    }

    fn system(&self) -> Result<System, ExecError> {
        let (heap, limit) = self.heap_and_output();
        let (global, units) = self.global_and_units()?;
        let addresses = self.program().address_size;
        Ok(System { global, units, heap, addresses, limit, output: Mutex::default() })
    }

    fn assistant(&self, instructions: &Instructions) -> Result<Assistant, ExecError> {
        LoadedLaunch::assistant(self, instructions)
    }

    fn explain(&self, trap: &mut Trap) {
        LoadedLaunch::explain(self, trap);
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

    /// The kernel's instructions.
    pub fn program(&self) -> &Arc<Program> {
        self.kernel.program()
    }
}

impl Launchable for ImageLaunch {
    fn begin(&self) -> Result<Begun<'_>, ExecError> {
        let With { shape, constant, params, limits, completion, threads, .. } = &self.with;
        let geometry = self.kernel.check(shape, limits).map_err(ExecError::Refused)?;
        Ok(Begun {
            program: self.kernel.program(),
            params,
            constant,
            limits,
            completion: *completion,
            threads: *threads,
            geometry,
            cooperative: shape.cooperative,
        })
    }

    fn system(&self) -> Result<System, ExecError> {
        let With { global, textures, bound, heap, limits, .. } = &self.with;
        Ok(System {
            global: global.clone(),
            units: self.kernel.bind(textures.clone(), bound)?,
            heap: heap.clone(),
            addresses: self.kernel.program().address_size,
            limit: limits.output,
            output: Mutex::default(),
        })
    }

    fn assistant(&self, instructions: &Instructions) -> Result<Assistant, ExecError> {
        self.kernel.assistant(self.with.clone(), instructions)
    }

    fn explain(&self, trap: &mut Trap) {
        self.kernel.explain(trap, &self.with.global, self.with.shape.dynamic_shared);
    }
}
