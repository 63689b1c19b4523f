//! A launch that is decoded once and repeated on the same memory.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use ptx_diag::Diagnostics;
use ptx_program::Program;
use ptx_program::decode::{Launches, Reached, reach};
use ptx_program::memory::AddressSize;
use ptx_verify::{Verified, WrittenOut};

use crate::engine::{Checked, Interpretation, Setup};
use crate::error::{ExecError, codes, one};
use crate::inputs::{buffer_bases, host_threads, multicasts, pass_arguments, place_variables, textures};
use crate::kernel::{Ground, Kernel};
use crate::launch::{Executed, Launch, Outcome};
use crate::machine::{Heap, Observer};
use crate::memory::{Arena, Concurrency, GlobalMemory, Pieces, Region};
use crate::spec::LaunchSpec;

/// A launch with a decoded kernel. No buffer is copied yet, so that construction only costs the decoding.
pub struct DecodedLaunch<'l> {
    launch: &'l Launch,
    kernel: Kernel,
    spec: LaunchSpec,
    /// The address of the buffer of each argument that has one, and of each further buffer.
    bases: Vec<Option<u64>>,
    constant: Vec<u8>,
    /// The memory of the module's global variables, whose addresses follow those of the buffers.
    variables: Vec<Region>,
    /// The address and size of the heap, which is allocated last.
    heap: (u64, usize),
    /// The allocator of the addresses.
    arena: Arena,
}

/// A launch whose buffers and variables are in memory; each [`LoadedLaunch::launch`] sees the stores of earlier
/// launches.
pub struct LoadedLaunch<'l> {
    decoded: DecodedLaunch<'l>,
    global: GlobalMemory,
    /// The memory of the buffers, in index order.
    buffers: Vec<Region>,
    heap: Arc<Mutex<Heap>>,
}

impl<'l> DecodedLaunch<'l> {
    /// Checks the arguments of a launch and decodes everything reachable from its kernel.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the launch does not fit the module or a construct reachable from the kernel cannot be
    /// executed.
    pub fn new(module: Verified<'_>, launch: &'l Launch) -> Result<Self, ExecError> {
        let module = &module.written_out();
        Self::of(module, launch, Arena::new(AddressSize::of(module))).map(|(decoded, _)| decoded)
    }

    /// Like [`DecodedLaunch::new`], with buffers and variables at host addresses, which code of other engines can
    /// access. Those of a module with 32-bit addresses are not host addresses; it is not compiled.
    ///
    /// # Errors
    /// As [`DecodedLaunch::new`].
    #[doc(hidden)]
    pub fn at_host_addresses(module: Verified<'_>, launch: &'l Launch) -> Result<Self, ExecError> {
        let module = &module.written_out();
        let arena = match AddressSize::of(module) {
            AddressSize::Bits32 => Arena::new(AddressSize::Bits32),
            AddressSize::Bits64 => Arena::of_host(),
        };
        Self::of(module, launch, arena).map(|(decoded, _)| decoded)
    }

    /// Like [`DecodedLaunch::new`] for a module with shorthands expanded; also returns what the kernel reaches.
    pub(crate) fn of(
        module: &WrittenOut<'_>,
        launch: &'l Launch,
        mut arena: Arena,
    ) -> Result<(Self, Reached), ExecError> {
        let refused = ExecError::Refused;
        let reached = reach(module, &launch.entry, Launches::One).map_err(refused)?;
        let Some(&entry) = reached.functions.first() else { return Err(refused(Diagnostics::new())) };
        let bases = buffer_bases(&mut arena, launch).map_err(refused)?;
        let params = pass_arguments(module, entry, launch, &bases).map_err(refused)?;
        let spec = launch.spec(params, textures(module, launch, &bases).map_err(refused)?);
        let (layout, variables) = place_variables(module, &reached, &mut arena, launch).map_err(refused)?;
        let constant = layout.constant.clone();
        let kernel = Kernel::prepare(module, &reached, layout).map_err(refused)?;
        let heap_bytes = if kernel.needs_heap() { launch.limits.heap } else { 0 };
        let no_room = || one(codes::SIZE, format!("there is no room for a heap of {heap_bytes} bytes"));
        let heap_base = arena.place(heap_bytes as u64, 1).ok_or_else(|| refused(no_room()))?;
        let heap = (heap_base, heap_bytes);
        Ok((Self { launch, kernel, spec, bases, constant, variables, heap, arena }, reached))
    }

    /// The program of the kernel.
    #[doc(hidden)]
    pub fn program(&self) -> &Arc<Program> {
        self.kernel.program()
    }

    /// The launch before it is loaded, for another engine to be chosen by it.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel.
    #[doc(hidden)]
    pub fn checked(&self) -> Result<Checked<'_>, ExecError> {
        self.kernel.checked(&self.spec)
    }

    /// Copies the buffers of the launch into memory.
    pub fn load(mut self) -> LoadedLaunch<'l> {
        let launch = self.launch;
        let buffers = self.buffer_regions();
        let mut regions = buffers.clone();
        regions.append(&mut self.variables);
        let (heap_base, heap_size) = self.heap;
        let pieces = Arc::new(Pieces::of_heap(heap_size as u64));
        if heap_size > 0 {
            let region = self.arena.region(heap_base, &vec![0; heap_size], "the heap of `malloc`");
            regions.push(region.with_pieces(Arc::clone(&pieces)));
        }
        let threads = launch.threads.unwrap_or_else(host_threads);
        let is_alone = threads == NonZeroUsize::MIN || launch.grid == [1; 3];
        let concurrency = if is_alone { Concurrency::Single } else { Concurrency::Many };
        let multicasts = multicasts(launch, &self.bases);
        let size = self.program().address_size;
        let global = match self.arena.is_of_host() {
            true => GlobalMemory::of_host(regions, concurrency),
            false => GlobalMemory::placed(size, regions, concurrency),
        };
        let global = global.with_multicasts(multicasts.into());
        let heap = Arc::new(Mutex::new(Heap::new(heap_base, heap_size as u64, pieces)));
        LoadedLaunch { decoded: self, global, buffers, heap }
    }

    /// The memory of the buffers, in index order.
    fn buffer_regions(&self) -> Vec<Region> {
        let Self { kernel, launch, bases, arena, .. } = self;
        let size = kernel.program().address_size;
        let regions = bases.iter().enumerate().filter_map(|(number, base)| {
            let name = match kernel.parameters().get(number) {
                Some(parameter) => format!("argument {number} (`{}`)", parameter.name),
                None => launch.call(number),
            };
            let bytes = launch.buffer(number)?;
            if launch.relocations.iter().all(|relocation| relocation.inside != number) {
                return Some(arena.region((*base)?, bytes, name));
            }
            let mut bytes = bytes.to_vec();
            launch.apply_relocations(number, &mut bytes, bases, size);
            Some(arena.region((*base)?, &bytes, name))
        });
        regions.collect()
    }
}

impl LoadedLaunch<'_> {
    /// Runs all blocks in the interpreter and waits for them.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel; [`ExecError::Trap`] if a thread was stopped.
    pub fn launch(&self) -> Result<Executed, ExecError> {
        Interpretation::new(self.set_up()?).run().executed()
    }

    /// Sets up one execution of the launch, for any engine. If it is stopped, the buffers hold what it has stored so far.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the shape does not fit the kernel.
    #[doc(hidden)]
    pub fn set_up(&self) -> Result<Arc<Setup>, ExecError> {
        self.set_up_with(|_| ())
    }

    /// Like [`LoadedLaunch::set_up`] of a launch that is changed, such as in its limits.
    ///
    /// # Errors
    /// As [`LoadedLaunch::set_up`].
    #[doc(hidden)]
    pub fn set_up_with(&self, change: impl FnOnce(&mut LaunchSpec)) -> Result<Arc<Setup>, ExecError> {
        let mut spec = self.decoded.spec.clone();
        change(&mut spec);
        self.observed(spec, None)
    }

    /// Like [`LoadedLaunch::set_up`], with instrumentation.
    pub(crate) fn observed_by(&self, observer: Option<Arc<Observer>>) -> Result<Arc<Setup>, ExecError> {
        self.observed(self.decoded.spec.clone(), observer)
    }

    fn observed(&self, spec: LaunchSpec, observer: Option<Arc<Observer>>) -> Result<Arc<Setup>, ExecError> {
        let DecodedLaunch { kernel, constant, .. } = &self.decoded;
        let (global, heap) = (self.global.clone(), self.heap.clone());
        kernel.set_up(spec, Ground { global, constant: constant.clone(), heap, bound: Vec::new() }, observer)
    }

    /// The program of the kernel.
    #[doc(hidden)]
    pub fn program(&self) -> &Arc<Program> {
        self.decoded.program()
    }

    /// The current contents of buffers and images, combined with the results of the last launch.
    pub fn outcome(&self, last: Executed) -> Outcome {
        let mut next = self.buffers.iter();
        let contents = |base: &Option<u64>| base.and_then(|_| next.next()).map(Region::to_bytes);
        let Executed { output, warp_instructions, thread_instructions } = last;
        Outcome {
            buffers: self.decoded.bases.iter().map(contents).collect(),
            images: self.decoded.spec.textures.contents(),
            output,
            warp_instructions,
            thread_instructions,
        }
    }
}

impl std::fmt::Debug for DecodedLaunch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecodedLaunch").field("entry", &self.launch.entry).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for LoadedLaunch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedLaunch").field("entry", &self.decoded.launch.entry).finish_non_exhaustive()
    }
}
