//! Interface for other execution engines, which run launches with this crate's semantics and report the same errors.

mod checked;
mod interpretation;
mod stop;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ptx_program::memory::AddressSize;
use ptx_program::{Accesses, Builtin, Effect, Functions, Mask, Product, Row};
use rayon::ThreadPool;

use crate::error::{ExecError, TrapKind};
use crate::machine::builtin::perform;
use crate::machine::multimem::multimem;
use crate::machine::probe::Probe;
use crate::machine::texture::texture;
use crate::machine::{self, Geometry, Heap, WarpId, report};
use crate::memory::{Concurrency, Fault, GlobalMemory, Pieces};
use crate::texture::Units;

pub use checked::Checked;
pub use interpretation::Interpretation;
pub use stop::Stop;

pub use crate::machine::meeting::{BARRIERS, BarrierMisuse, BarrierWait, Expected, Reduces, barrier_index};
pub use crate::machine::{Around, Extent};
pub use crate::machine::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};
pub use crate::machine::{Lines, Matrix, Products, Question, Queue, TensorPart, WarpgroupPart};
pub use crate::machine::{Relay, Setup};

/// Services of the system for the kernels of a launch: heap, output, textures, and the description of memory.
#[derive(Debug)]
pub struct System {
    /// All global memory that the launch may access.
    global: GlobalMemory,
    units: Arc<Units>,
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
    /// For a launch that was not set up, without textures, of a kernel with 64-bit addresses; `limit` is the maximum number of output bytes.
    pub fn new(heap: &SystemHeap, limit: usize) -> Self {
        Self {
            global: GlobalMemory::of_host(Vec::new(), Concurrency::Many),
            units: Arc::default(),
            heap: heap.0.clone(),
            addresses: AddressSize::Bits64,
            limit,
            output: Mutex::default(),
            written: Arc::default(),
        }
    }

    /// For a launch that was set up. The count of output is that of all engines that execute parts of it.
    pub fn of(setup: &Setup) -> Self {
        Self {
            global: setup.global.clone(),
            units: setup.units.clone(),
            heap: setup.heap.clone(),
            addresses: setup.program().address_size,
            limit: setup.spec.limits.output,
            output: Mutex::default(),
            written: setup.written.clone(),
        }
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

impl Setup {
    /// The launch without its memory.
    pub fn checked(&self) -> Checked<'_> {
        Checked { program: self.program(), spec: &self.spec, geometry: self.geometry }
    }

    /// The error for a thread stopped by an engine.
    pub fn stopped(&self, stop: Stop) -> ExecError {
        let Stop { kind, pc, block, warp, lane, related } = stop;
        let (program, warp) = (self.program(), Some(WarpId { rank: 0, index: warp }));
        // The engine does not report the local memory frames of functions called by the kernel.
        let function = pc.and_then(|pc| program.origins.get(pc as usize)).map(|origin| origin.function);
        let frames = function.filter(|&function| function == Functions::KERNEL).map(|entry| (entry, 0));
        let frames = frames.into_iter().collect();
        let stop = machine::Stop { kind, pc, lane, warp, related, frames };
        let mut trap = report::trap(program, &self.geometry, block, stop);
        self.explain(&mut trap);
        ExecError::Trap(Box::new(trap))
    }
}
