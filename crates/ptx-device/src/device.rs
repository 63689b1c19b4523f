//! A device and its memory.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use ptx_exec::texture::TextureSet;
use ptx_exec::{
    AddressSize, Bounds, BoxSize, Completion, DeviceHeap, Dim3, HostMemory, HostRegion, LaunchSpec, Limits,
    Memory, MemoryKind, MemoryOptions, Pitched, RegionInfo, Shape, Surroundings, Words,
};
#[cfg(feature = "jit")]
use ptx_host::Compiler;
use ptx_isa::Sm;

#[cfg(feature = "jit")]
use crate::compilers::Compilers;
use crate::default_stream::{DefaultOrder, StreamRole};
use crate::error::Stopped;
use crate::progress::Progress;
use crate::{Check, DeviceError, Engine, MultiprocessorLimits, Number, host_memory, number};

/// Receives the output of kernels.
pub(crate) type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// Behaviour of a device after a kernel was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AfterStop {
    /// It refuses all work until [`Device::recover`] is called.
    #[default]
    Refuse,
    /// It continues; the error only affects the launch.
    GoOn,
}

/// The shared memory that a launch may have.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SharedMemory {
    /// As much as the [limit](Limits::shared) of the device.
    #[default]
    Free,
    /// As on a GPU: 48 KiB, and up to the maximum of the [architecture](crate::MultiprocessorLimits) if
    /// [allowed for the kernel](crate::Kernel::set_dynamic_shared).
    OptIn,
}

/// Options of a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Its architecture: modules for later ones are refused. `None` for any.
    pub architecture: Option<Sm>,
    /// Limits of its launches, of the variables of a module and of the heap.
    pub limits: Limits,
    /// Host threads that the blocks of a launch are spread over; `None` for as many as the host has.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Behaviour after a kernel was stopped.
    pub after_stop: AfterStop,
    /// Describes host-process memory outside registered regions. Without it, accesses there are errors.
    pub host: Option<Arc<dyn HostMemory>>,
    /// The execution engine of its kernels, by default [`Engine::Automatic`]: without the feature `jit` that is the interpreter.
    pub engine: Engine,
    /// The checks of its compiled kernels.
    pub check: Check,
    /// With [`Engine::Automatic`], the instructions of warps that the interpreter executes of a kernel, in all of its launches
    /// together, before it is compiled; 0 to compile kernels before their first launch. `None` for 1,048,576, or 16,384 in
    /// kernels with matrix products.
    pub interpreted_first: Option<u64>,
    /// A directory in which compiled kernels are cached for later processes, if any (`docs/compiled.md` describes what
    /// is trusted). An unusable directory is ignored.
    pub cache_folder: Option<PathBuf>,
    /// Maximum total size of the files in that directory, of which the least recently used are removed; `None` for 256 MiB.
    pub cache_bytes: Option<u64>,
    /// Bytes of the device's memory: of allocations, variables and the heap. `None` for as many as the host has.
    pub memory: Option<u64>,
    /// Whether the bytes past the end of an allocation may be accessed.
    pub bounds: Bounds,
    /// The shared memory that a launch may have.
    pub shared_memory: SharedMemory,
    /// The address size. Modules with `.address_size 32` require 32 bits; then device addresses are not host addresses, and there are 3 GiB.
    pub addresses: AddressSize,
}

/// Limits of launches on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// Threads per warp.
    pub warp_size: u32,
    /// Maximum threads of a block.
    pub threads_per_block: u32,
    /// Maximum threads of a block along each axis.
    pub block: Dim3,
    /// Maximum blocks along each axis.
    pub grid: Dim3,
    /// Maximum bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u64,
    /// Maximum bytes of local memory and registers of a thread.
    pub stack_bytes: usize,
    /// Bytes of the heap of `malloc`.
    pub heap_bytes: usize,
    /// Maximum blocks of a cooperative launch, if their registers and memory fit.
    pub cooperative_blocks: u32,
    /// Bytes of memory, [used](Device::used_bytes) or not; `None` if the size of the host's memory is unknown.
    pub memory_bytes: Option<u64>,
}

/// A device. Clones refer to the same device. Devices share nothing but the host's threads.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    options: DeviceOptions,
    /// Those of launches that start now.
    limits: Mutex<Limits>,
    pub(crate) memory: Memory,
    heap: DeviceHeap,
    stopped: Mutex<Option<Arc<Stopped>>>,
    streams: Mutex<Vec<Weak<Progress>>>,
    order: DefaultOrder,
    /// Number of running launches.
    active: Mutex<usize>,
    ended: Condvar,
    sink: Mutex<Sink>,
    kept: Arc<Mutex<Vec<u8>>>,
    pub(crate) textures: Mutex<Arc<TextureSet>>,
    #[cfg(feature = "jit")]
    compilers: Compilers,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

impl Default for Device {
    fn default() -> Self {
        Self::new()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks a launch as running until it is dropped.
pub(crate) struct Active<'d>(&'d Inner);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        *lock(&self.0.active) -= 1;
        self.0.ended.notify_all();
    }
}

impl Device {
    /// A device of any architecture, with the default [`Limits`].
    pub fn new() -> Self {
        Self::with(DeviceOptions::default())
    }

    /// A device with these options.
    pub fn with(options: DeviceOptions) -> Self {
        // Streams compile kernels on their threads; the main thread is what most programs exit from.
        #[cfg(feature = "jit")]
        ptx_llvm_core::detached::watch_main_exit();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keep = kept.clone();
        let most = options.limits.output;
        let sink: Sink = Box::new(move |text: &[u8]| {
            let mut kept = lock(&keep);
            let room = most.saturating_sub(kept.len()).min(text.len());
            kept.extend_from_slice(&text[..room]);
        });
        let memory = Memory::with(MemoryOptions {
            addresses: options.addresses,
            capacity: options.memory.or_else(host_memory::bytes),
            bounds: options.bounds,
        });
        let inner = Inner {
            limits: Mutex::new(options.limits.clone()),
            options,
            memory,
            heap: DeviceHeap::default(),
            stopped: Mutex::new(None),
            streams: Mutex::default(),
            order: DefaultOrder::default(),
            active: Mutex::new(0),
            ended: Condvar::new(),
            sink: Mutex::new(sink),
            kept,
            textures: Mutex::default(),
            #[cfg(feature = "jit")]
            compilers: Compilers::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The limits of launches on it.
    pub fn properties(&self) -> Properties {
        let limits = self.limits();
        Properties {
            warp_size: 32,
            threads_per_block: ptx_exec::MOST_THREADS as u32,
            block: ptx_exec::LARGEST_BLOCK,
            grid: ptx_exec::LARGEST_GRID,
            shared_bytes: limits.shared,
            stack_bytes: limits.stack,
            heap_bytes: limits.heap,
            cooperative_blocks: ptx_exec::MOST_RESIDENT_BLOCKS as u32,
            memory_bytes: self.inner.memory.capacity(),
        }
    }

    /// Its architecture; `None` if it runs modules for any.
    pub fn architecture(&self) -> Option<Sm> {
        self.inner.options.architecture
    }

    /// The execution engine of its kernels.
    pub fn engine(&self) -> Engine {
        self.inner.options.engine
    }

    /// Whether its compiled kernels check their accesses.
    #[cfg(feature = "jit")]
    pub(crate) fn checks_memory(&self) -> bool {
        match self.inner.options.check {
            Check::Usual => self.engine() == Engine::Automatic,
            Check::None => false,
            Check::Memory => true,
        }
    }

    /// Instructions of warps that the interpreter executes of a kernel before it is compiled.
    #[cfg(feature = "jit")]
    pub(crate) fn interpreted_first(&self, program: &ptx_program::Program) -> u64 {
        self.inner.options.interpreted_first.unwrap_or_else(|| crate::policy::steps(program))
    }

    #[cfg(feature = "jit")]
    pub(crate) fn compiler(&self) -> &Arc<Compiler> {
        let DeviceOptions { cache_folder, cache_bytes, .. } = &self.inner.options;
        self.inner.compilers.get(cache_folder.as_deref(), *cache_bytes)
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        let Inner { memory, heap, .. } = &*self.inner;
        Surroundings { memory: memory.clone(), heap: heap.clone(), limits: self.limits() }
    }

    /// What launches of a kernel have in common on this device.
    pub(crate) fn spec(&self, shape: &Shape, params: &[u8]) -> LaunchSpec {
        let DeviceOptions { threads, completion, host, .. } = &self.inner.options;
        LaunchSpec {
            threads: *threads,
            completion: *completion,
            host: host.clone(),
            textures: self.textures_now(),
            limits: self.limits(),
            ..LaunchSpec::new(*shape, params)
        }
    }

    /// The limits of launches that start now.
    pub fn limits(&self) -> Limits {
        lock(&self.inner.limits).clone()
    }

    /// Sets the limits of subsequent launches, like `cuCtxSetLimit`.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] for another size of the heap once a kernel uses it.
    pub fn set_limits(&self, limits: Limits) -> Result<(), DeviceError> {
        let mut current = lock(&self.inner.limits);
        if limits.heap != current.heap && !self.inner.heap.set_bytes(limits.heap) {
            return Err(DeviceError::Limit("the size of the heap cannot change once a kernel uses it"));
        }
        *current = limits;
        Ok(())
    }

    pub(crate) fn shared_memory(&self) -> SharedMemory {
        self.inner.options.shared_memory
    }

    /// Maximum bytes of shared memory of a block that opts in.
    pub(crate) fn most_shared(&self) -> u64 {
        let limit = self.limits().shared;
        match (self.shared_memory(), self.architecture()) {
            (SharedMemory::Free, _) | (_, None) => limit,
            (SharedMemory::OptIn, Some(sm)) => {
                limit.min(MultiprocessorLimits::of(sm).block_shared_bytes.into())
            }
        }
    }

    /// Fails if the device was stopped.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        match &*lock(&self.inner.stopped) {
            Some(stopped) => Err(DeviceError::Stopped(stopped.clone())),
            None => Ok(()),
        }
    }

    /// Records that a kernel was stopped; the first one is kept.
    pub(crate) fn stop(&self, stopped: Stopped) -> DeviceError {
        let stopped = Arc::new(stopped);
        if self.inner.options.after_stop == AfterStop::Refuse {
            lock(&self.inner.stopped).get_or_insert_with(|| stopped.clone());
        }
        DeviceError::Stopped(stopped)
    }

    /// Makes the device usable again after a kernel was stopped; returns the error. Memory is as the kernel left it.
    pub fn recover(&self) -> Option<DeviceError> {
        lock(&self.inner.stopped).take().map(DeviceError::Stopped)
    }

    /// The error of the kernel that stopped the device, if one did and the device has not been recovered.
    pub fn stopped(&self) -> Option<DeviceError> {
        self.check().err()
    }

    pub(crate) fn default_order(&self) -> &DefaultOrder {
        &self.inner.order
    }

    pub(crate) fn know(&self, stream: &Arc<Progress>, role: StreamRole) {
        self.inner.order.add(role, stream);
        let mut streams = lock(&self.inner.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Records that a launch starts.
    pub(crate) fn begin(&self) -> Active<'_> {
        *lock(&self.inner.active) += 1;
        Active(&self.inner)
    }

    pub(crate) fn wait(&self) {
        let streams: Vec<Arc<Progress>> =
            lock(&self.inner.streams).iter().filter_map(Weak::upgrade).collect();
        streams.iter().for_each(|stream| stream.wait());
        let mut active = lock(&self.inner.active);
        while *active > 0 {
            active = self.inner.ended.wait(active).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until all streams have completed all work queued on them, and all launches have ended.
    ///
    /// # Errors
    /// If the device was stopped. Other errors of streams are returned by [`Stream::synchronize`](crate::Stream::synchronize).
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.wait();
        self.check()
    }

    /// Allocates zeroed memory; returns the address, a multiple of 256. The host can access it too: see [`Device::words`].
    ///
    /// # Errors
    /// [`DeviceError::Memory`] of the kind [`OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.check()?;
        Ok(self.inner.memory.allocate(bytes)?)
    }

    /// Like [`Device::allocate`], for memory of any kind. Only that of the device counts as [used](Device::used_bytes).
    ///
    /// # Errors
    /// See [`Device::allocate`].
    pub fn allocate_in(&self, memory: MemoryKind, bytes: u64) -> Result<u64, DeviceError> {
        self.check()?;
        Ok(self.inner.memory.allocate_in(memory, bytes)?)
    }

    /// Frees memory, once all work of the device is complete, as in CUDA. Later accesses to it are detected for a while.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] unless the address was returned by [`Device::allocate`] and has not been freed since.
    pub fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.wait();
        Ok(self.inner.memory.free(address)?)
    }

    /// Frees memory without waiting for anything: for what runs in the order of a stream.
    ///
    /// # Errors
    /// See [`Device::free`].
    pub fn release(&self, address: u64) -> Result<(), DeviceError> {
        Ok(self.inner.memory.free(address)?)
    }

    /// Makes memory of the host process accessible to kernels, at its host address.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if it overlaps a known region, or cannot be accessed.
    pub fn register(&self, region: HostRegion, name: &str) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.register(region, name)?)
    }

    /// Undoes [`Device::register`], once all work of the device is complete.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] unless it is the address of a registered region.
    pub fn unregister(&self, address: u64) -> Result<(), DeviceError> {
        self.wait();
        Ok(self.inner.memory.unregister(address)?)
    }

    /// The words of an allocation or variable that starts at this address, for access by the host concurrently with kernels.
    pub fn words(&self, address: u64) -> Option<Words> {
        self.inner.memory.words(address)
    }

    /// The region that contains an address.
    pub fn region(&self, address: u64) -> Option<RegionInfo> {
        self.inner.memory.region(address)
    }

    /// Bytes of the device's memory used by allocations, variables and the heap.
    pub fn used_bytes(&self) -> u64 {
        self.inner.memory.used_bytes()
    }

    /// Creates a multimem address, through which `bytes` bytes at each of these addresses are accessed together.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if the bytes at one of the addresses are not in one writable region.
    pub fn multicast(&self, members: &[u64], bytes: u64) -> Result<u64, DeviceError> {
        self.check()?;
        Ok(self.inner.memory.multicast(members, bytes)?)
    }

    /// Reads bytes immediately: streams may be modifying them.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if they are not all in one region.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.read(address, to)?)
    }

    /// Writes bytes immediately: streams may be reading them.
    ///
    /// # Errors
    /// See [`Device::read`], and if the memory is read-only.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.write(address, from)?)
    }

    /// Allocates memory that holds these numbers; returns its address.
    ///
    /// # Errors
    /// See [`Device::allocate`].
    pub fn upload<T: Number>(&self, numbers: &[T]) -> Result<u64, DeviceError> {
        let bytes = number::to_bytes(numbers);
        let address = self.allocate(bytes.len() as u64)?;
        self.write(address, &bytes)?;
        Ok(address)
    }

    /// Reads numbers immediately, as [`Device::read`] does.
    ///
    /// # Errors
    /// See [`Device::read`].
    pub fn download<T: Number>(&self, address: u64, to: &mut [T]) -> Result<(), DeviceError> {
        let mut bytes = vec![0; size_of_val(to)];
        self.read(address, &mut bytes)?;
        number::from_bytes(&bytes, to);
        Ok(())
    }

    /// Copies bytes within memory; source and destination may overlap.
    ///
    /// # Errors
    /// See [`Device::write`].
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.copy(to, from, bytes)?)
    }

    /// Writes `count` consecutive copies of a pattern.
    ///
    /// # Errors
    /// See [`Device::write`].
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.fill(address, pattern, count)?)
    }

    /// Copies the rows of a box within memory; the boxes must not overlap.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if one of the boxes is not in one region, its rows overlap, or the destination is read-only. Then nothing is copied.
    pub fn copy_box(&self, to: Pitched, from: Pitched, size: BoxSize) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.copy_box(to, from, size)?)
    }

    /// Writes bytes as the rows of a box; the numbers with the bytes are the distances of rows and of planes in them.
    ///
    /// # Errors
    /// See [`Device::copy_box`], and if there are too few bytes.
    pub fn write_box(&self, to: Pitched, from: (&[u8], u64, u64), size: BoxSize) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.write_box(to, from, size)?)
    }

    /// Reads the rows of a box to bytes; the numbers with the bytes are the distances of rows and of planes in them.
    ///
    /// # Errors
    /// See [`Device::write_box`].
    pub fn read_box(
        &self,
        from: Pitched,
        to: (&mut [u8], u64, u64),
        size: BoxSize,
    ) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.read_box(from, to, size)?)
    }

    /// Fills the rows of a box with copies of a pattern, the last of which in a row may be a part of it.
    ///
    /// # Errors
    /// See [`Device::copy_box`].
    pub fn fill_box(&self, to: Pitched, pattern: &[u8], size: BoxSize) -> Result<(), DeviceError> {
        self.check()?;
        Ok(self.inner.memory.fill_box(to, pattern, size)?)
    }

    /// Passes the output of kernels to a function, launch by launch at their ends, with the blocks in order. It must not wait for the device.
    pub fn print_to(&self, sink: impl FnMut(&[u8]) + Send + 'static) {
        *lock(&self.inner.sink) = Box::new(sink);
    }

    /// The output of kernels since the last call, unless it is [redirected](Device::print_to). At most as much is kept as one launch may print.
    pub fn take_output(&self) -> Vec<u8> {
        std::mem::take(&mut lock(&self.inner.kept))
    }

    pub(crate) fn print(&self, text: &[u8]) {
        if !text.is_empty() {
            let mut sink = lock(&self.inner.sink);
            sink(text);
        }
    }
}
