//! Streams: queues of work done in order, concurrently with other streams.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use ptx_exec::{BoxSize, Pitched, RegionKind, Shape};

use crate::default_stream::StreamRole;
use crate::error::panic_text;
use crate::graph::{
    Capture, CaptureInfo, Condition, ExecutableGraph, Graph, HostFunction, KernelLaunch, NodeId, Operation,
    Part, Transfer, ValueSize,
};
use crate::operation::Marks;
use crate::progress::Progress;
use crate::{Argument, Device, DeviceError, Event, Kernel};

type Task = Box<dyn FnOnce() -> Result<(), DeviceError> + Send>;

/// Options of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StreamOptions {
    /// How it is ordered with default streams.
    pub role: StreamRole,
    /// A number that is kept and has no effect: less is more urgent in CUDA.
    pub priority: i32,
}

/// A queue of work done in order on a separate host thread. Clones refer to the same stream. When the last one is
/// dropped, queued work is still completed. While 2,048 operations are queued, functions that queue work wait.
///
/// ```
/// use ptx_device::{Device, Event, Stream};
///
/// let device = Device::new();
/// let (first, second) = (Stream::new(&device)?, Stream::new(&device)?);
/// let data = device.allocate(8)?;
/// let written = Event::new();
/// first.write(data, vec![1; 8])?;
/// first.record(&written);
/// second.wait(&written)?;
/// let bytes = second.read(data, 8)?;
/// assert_eq!(bytes.wait()?, [1; 8]);
/// # Ok::<(), ptx_device::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    device: Device,
    tasks: Sender<Task>,
    progress: Arc<Progress>,
    state: Arc<StreamState>,
}

#[derive(Debug)]
struct StreamState {
    id: u64,
    options: StreamOptions,
    thread: ThreadId,
    capture: Mutex<Option<Part>>,
}

/// Bytes to be read by a stream.
#[derive(Debug)]
pub struct Pending {
    bytes: Receiver<Result<Vec<u8>, DeviceError>>,
}

impl Pending {
    /// Waits for the bytes.
    ///
    /// # Errors
    /// The error that prevented the read.
    pub fn wait(self) -> Result<Vec<u8>, DeviceError> {
        let ended = || DeviceError::Internal("the stream ended before the read".to_owned());
        self.bytes.recv().map_err(|_| ended())?
    }
}

/// How many operations are queued at most, so that a program that queues work faster than it is done does not fill the memory: a launch takes about 1,500 bytes. CUDA's driver waits at about 1,000.
const MOST_QUEUED: u64 = 2048;

const CAPTURED: DeviceError =
    DeviceError::Capture("the operation is not allowed while the stream is captured");

impl Stream {
    /// Creates a stream of a device that is not ordered with others.
    ///
    /// # Errors
    /// [`DeviceError::Host`] if the host cannot create a thread for it.
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        Self::with(device, StreamOptions::default())
    }

    /// Creates a stream of a device.
    ///
    /// # Errors
    /// See [`Stream::new`].
    ///
    /// ```
    /// use ptx_device::{Device, Stream, StreamOptions, StreamRole};
    ///
    /// let device = Device::new();
    /// let default = Stream::with(&device, StreamOptions { role: StreamRole::Default, ..Default::default() })?;
    /// let other = Stream::with(&device, StreamOptions { role: StreamRole::Blocking, ..Default::default() })?;
    /// let data = device.allocate(4)?;
    /// default.write(data, vec![1; 4])?;
    /// // It waits for the default stream, without an event.
    /// assert_eq!(other.read(data, 4)?.wait()?, [1; 4]);
    /// # Ok::<(), ptx_device::DeviceError>(())
    /// ```
    pub fn with(device: &Device, options: StreamOptions) -> Result<Self, DeviceError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (tasks, queue) = channel::<Task>();
        let progress = Arc::new(Progress::default());
        let done = progress.clone();
        let work = move || {
            for task in queue {
                let result = catch_unwind(AssertUnwindSafe(task));
                done.done(result.unwrap_or_else(|panic| Err(DeviceError::Internal(panic_text(&*panic)))));
            }
        };
        let builder = std::thread::Builder::new().name("ptx stream".to_owned());
        let started = builder.spawn(work).map_err(|error| DeviceError::Host(error.to_string()))?;
        device.know(&progress, options.role);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let state =
            Arc::new(StreamState { id, options, thread: started.thread().id(), capture: Mutex::default() });
        Ok(Self { device: device.clone(), tasks, progress, state })
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A number that no other stream of the process has.
    pub fn id(&self) -> u64 {
        self.state.id
    }

    /// Its options.
    pub fn options(&self) -> StreamOptions {
        self.state.options
    }

    /// Waits until not too much work is queued, as functions that queue work do themselves. A program that holds a lock while it queues work calls it before.
    pub fn wait_for_room(&self) {
        // A host function on the thread of the stream would wait for itself.
        if std::thread::current().id() != self.state.thread {
            self.progress.wait_for_room(MOST_QUEUED);
        }
    }

    fn push(&self, task: impl FnOnce() -> Result<(), DeviceError> + Send + 'static) {
        self.wait_for_room();
        self.device.default_order().queue(self.state.options.role, |earlier| {
            self.progress.begin();
            let task: Task = if earlier.is_empty() {
                Box::new(task)
            } else {
                Box::new(move || {
                    earlier.iter().for_each(|(progress, count)| progress.wait_for(*count));
                    // Others would be kept alive by the task.
                    drop(earlier);
                    task()
                })
            };
            if self.tasks.send(task).is_err() {
                self.progress.done(Err(DeviceError::Internal("the thread of the stream ended".to_owned())));
            }
        });
    }

    fn capture(&self) -> MutexGuard<'_, Option<Part>> {
        self.state.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its part in a capture that goes on.
    fn part(&self) -> Option<Part> {
        let mut capture = self.capture();
        if capture.as_ref().is_some_and(|part| !part.is_active()) {
            *capture = None;
        }
        capture.clone()
    }

    /// Queues an operation, or adds it to the graph that is captured.
    ///
    /// # Errors
    /// [`DeviceError::Capture`] if the capture was invalidated. Errors of the operation are reported by [`Stream::synchronize`].
    pub fn submit(&self, operation: Operation) -> Result<(), DeviceError> {
        if let Some(part) = self.part() {
            return part.add(operation).map(drop);
        }
        let device = self.device.clone();
        let mut marks = Marks::default();
        operation.begin(&mut marks);
        self.push(move || {
            let result = operation.perform(&device, &mut marks);
            marks.iter().for_each(|mark| mark.reach());
            result
        });
        Ok(())
    }

    /// Queues a launch of a kernel.
    ///
    /// # Errors
    /// See [`Kernel::launch`], except that a stopped kernel is reported by [`Stream::synchronize`].
    pub fn launch(&self, kernel: &Kernel, shape: &Shape, arguments: &[Argument]) -> Result<(), DeviceError> {
        self.submit(Operation::Kernel(KernelLaunch::new(kernel, shape, arguments)?))
    }

    /// Queues a launch of a kernel with the bytes of all parameters, like [`Kernel::launch_raw`].
    ///
    /// # Errors
    /// See [`Stream::launch`].
    pub fn launch_raw(&self, kernel: &Kernel, shape: &Shape, params: Vec<u8>) -> Result<(), DeviceError> {
        self.submit(Operation::Kernel(KernelLaunch::raw(kernel, shape, &params)?))
    }

    /// Queues a launch of a graph, as it is now.
    ///
    /// # Errors
    /// If the device was stopped; [`DeviceError::Capture`] for graphs with disabled nodes in a capture.
    pub fn launch_graph(&self, graph: &ExecutableGraph) -> Result<(), DeviceError> {
        self.device.check()?;
        if let Some(part) = self.part() {
            return part.add(graph.as_operation()?).map(drop);
        }
        let (device, plan) = (self.device.clone(), graph.plan());
        let marks = plan.begin();
        self.push(move || plan.perform(&device, marks));
        Ok(())
    }

    /// Queues a write to memory.
    ///
    /// # Errors
    /// If the device was stopped. Errors of the access are reported by [`Stream::synchronize`].
    pub fn write(&self, address: u64, bytes: Vec<u8>) -> Result<(), DeviceError> {
        let size = BoxSize::row(bytes.len() as u64);
        self.write_box(Pitched::row(address), (bytes, 0, 0), size)
    }

    /// Queues a write to the rows of a box, like [`Device::write_box`].
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn write_box(
        &self,
        to: Pitched,
        (bytes, pitch, slice): (Vec<u8>, u64, u64),
        size: BoxSize,
    ) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::Write { to, bytes: bytes.into(), pitch, slice, size })
    }

    /// Queues a read from memory.
    ///
    /// # Errors
    /// If the device was stopped, or the stream is captured. Errors of the access are reported by [`Pending::wait`].
    pub fn read(&self, address: u64, bytes: usize) -> Result<Pending, DeviceError> {
        self.device.check()?;
        if self.part().is_some() {
            return Err(CAPTURED);
        }
        let (device, (to, pending)) = (self.device.clone(), channel());
        self.push(move || {
            let mut read = vec![0; bytes];
            let result = device.read(address, &mut read).map(|()| read);
            // The receiver may have been dropped, in which case the bytes are not needed.
            let _ = to.send(result);
            Ok(())
        });
        Ok(Pending { bytes: pending })
    }

    /// Queues a read from memory whose bytes are passed to a function, on the thread of the stream. It must not wait for the stream.
    ///
    /// # Errors
    /// See [`Stream::write`]. After an error the function is not called.
    pub fn read_with(
        &self,
        address: u64,
        bytes: usize,
        take: impl Fn(&[u8]) + Send + Sync + 'static,
    ) -> Result<(), DeviceError> {
        self.transfer(move |device| {
            let mut read = vec![0; bytes];
            device.read(address, &mut read)?;
            take(&read);
            Ok(())
        })
    }

    /// Queues work that the host does on the memory of the device, on the thread of the stream. It must not wait for the stream or the device.
    ///
    /// # Errors
    /// See [`Stream::write`]. Once the device was stopped it is not done.
    pub fn transfer(
        &self,
        work: impl Fn(&Device) -> Result<(), DeviceError> + Send + Sync + 'static,
    ) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::Transfer(Transfer::new(work)))
    }

    /// Queues a call of a host function on the thread of the stream, like `cuLaunchHostFunc`. It is called even after
    /// errors, and must not wait for the stream or the device.
    ///
    /// # Errors
    /// See [`Stream::submit`].
    pub fn call(&self, function: impl Fn() + Send + Sync + 'static) -> Result<(), DeviceError> {
        self.submit(Operation::Host(HostFunction::new(function)))
    }

    /// Queues a copy within memory.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.copy_box(Pitched::row(to), Pitched::row(from), BoxSize::row(bytes))
    }

    /// Queues a copy of the rows of a box, like [`Device::copy_box`].
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn copy_box(&self, to: Pitched, from: Pitched, size: BoxSize) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::Copy { to, from, size })
    }

    /// Queues a write of `count` copies of a pattern.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn fill(&self, address: u64, pattern: Vec<u8>, count: u64) -> Result<(), DeviceError> {
        // More bytes than 64 bits can count are in no region either.
        let bytes = (pattern.len() as u64).saturating_mul(count);
        self.fill_box(Pitched::row(address), &pattern, BoxSize::row(bytes))
    }

    /// Queues a fill of the rows of a box, like [`Device::fill_box`].
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn fill_box(&self, to: Pitched, pattern: &[u8], size: BoxSize) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::Fill { to, pattern: pattern.into(), size })
    }

    /// Allocates zeroed memory for work that is queued afterwards, like `cuMemAllocAsync`.
    ///
    /// # Errors
    /// See [`Device::allocate`]; [`DeviceError::Capture`] if the stream is captured.
    pub fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        if self.part().is_some() {
            return Err(CAPTURED);
        }
        self.device.allocate(bytes)
    }

    /// Queues the release of memory, like `cuMemFreeAsync`: work of other streams on it is not waited for.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if the address is not that of an allocation.
    pub fn free(&self, address: u64) -> Result<(), DeviceError> {
        let region = self.device.region(address);
        if !region.is_some_and(|region| region.address == address && region.kind == RegionKind::Allocation) {
            return self.device.release(address);
        }
        self.submit(Operation::Free(address))
    }

    /// Queues a write of a number, like `cuStreamWriteValue`.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn write_value(&self, address: u64, value: u64, bytes: ValueSize) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::WriteValue { address, value, bytes })
    }

    /// Makes subsequently queued work wait until a number in memory fulfils a condition, like `cuStreamWaitValue`.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn wait_value(
        &self,
        address: u64,
        value: u64,
        bytes: ValueSize,
        until: Condition,
    ) -> Result<(), DeviceError> {
        self.device.check()?;
        self.submit(Operation::WaitValue { address, value, bytes, until })
    }

    /// Records an event: it is reached when all work queued before is complete. In a capture it is a point of that.
    pub fn record(&self, event: &Event) {
        let part = self.part();
        *event.captured() = part.as_ref().map(Part::point);
        if part.is_none() {
            let mark = event.recordings().start();
            self.push(move || {
                mark.reach();
                Ok(())
            });
        }
    }

    /// Makes subsequently queued work wait until the current recording of an event is reached. If that is a point of a capture, the stream takes part
    /// in the capture from then on.
    ///
    /// # Errors
    /// [`DeviceError::Capture`] if only one of the stream and the event is captured, or both in different captures.
    pub fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        let point = event.captured().clone();
        match (self.part(), point) {
            (Some(part), Some(point)) => part.wait(&point),
            (None, Some(point)) => {
                *self.capture() = Some(point.join()?);
                Ok(())
            }
            (Some(part), None) => {
                const OUTSIDE: &str =
                    "a captured stream cannot wait for an event that was recorded outside of the capture";
                part.invalidate(OUTSIDE);
                Err(DeviceError::Capture(OUTSIDE))
            }
            (None, None) => {
                if let Some(mark) = event.recordings().current() {
                    self.push(move || {
                        mark.wait();
                        Ok(())
                    });
                }
                Ok(())
            }
        }
    }

    /// Begins a capture: subsequent work is not done, but becomes nodes of a graph, until [`Stream::end_capture`]. Streams that wait for events of the
    /// capture take part in it.
    ///
    /// # Errors
    /// [`DeviceError::Capture`] if the stream is captured already.
    pub fn begin_capture(&self) -> Result<(), DeviceError> {
        self.begin_capture_to(Graph::new(), &[])
    }

    /// Like [`Stream::begin_capture`], with nodes that are added to a graph; the first ones wait for `dependencies`.
    ///
    /// # Errors
    /// See [`Stream::begin_capture`]; [`DeviceError::Graph`] if there is no such node.
    pub fn begin_capture_to(&self, graph: Graph, dependencies: &[NodeId]) -> Result<(), DeviceError> {
        if self.part().is_some() {
            return Err(DeviceError::Capture("the stream is captured already"));
        }
        *self.capture() = Some(Capture::begin(graph, dependencies.to_vec())?);
        Ok(())
    }

    /// Ends the capture that this stream began.
    ///
    /// # Errors
    /// [`DeviceError::Capture`] if it began none, the capture was invalidated, or work of other streams in it is not waited for by this stream. The
    /// capture ends in any case, unless another stream began it.
    pub fn end_capture(&self) -> Result<Graph, DeviceError> {
        let part = self.part().ok_or(DeviceError::Capture("the stream is not captured"))?;
        if !part.is_first() {
            const OTHER: &str = "the capture was begun by another stream";
            part.invalidate(OTHER);
            return Err(DeviceError::Capture(OTHER));
        }
        *self.capture() = None;
        part.end()
    }

    /// The capture that it takes part in.
    pub fn capture_info(&self) -> Option<CaptureInfo> {
        self.part().map(|part| part.info())
    }

    /// The graph that is captured, as it is now.
    pub fn captured_graph(&self) -> Option<Graph> {
        self.part().map(|part| part.graph())
    }

    /// Replaces the nodes that the next captured operation waits for, or adds to them.
    ///
    /// # Errors
    /// [`DeviceError::Capture`] if the stream is not captured; [`DeviceError::Graph`] if there is no such node.
    pub fn set_capture_dependencies(&self, nodes: &[NodeId], adds: bool) -> Result<(), DeviceError> {
        let part = self.part().ok_or(DeviceError::Capture("the stream is not captured"))?;
        part.set_dependencies(nodes, adds)
    }

    /// Whether all queued work is complete.
    pub fn is_idle(&self) -> bool {
        self.progress.is_idle()
    }

    /// Waits until all queued work is complete.
    ///
    /// # Errors
    /// The first error since the last call, or if the device was stopped; [`DeviceError::Capture`] if the stream is captured, which invalidates the capture.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        if let Some(part) = self.part() {
            const WAITED: &str = "the host waited for a stream while it was captured";
            part.invalidate(WAITED);
            return Err(DeviceError::Capture(WAITED));
        }
        let error = self.progress.take_error();
        error.map_or_else(|| self.device.check(), Err)
    }
}
