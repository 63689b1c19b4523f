//! Streams: queues of work done in order, concurrently with other streams.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use ptx_exec::Shape;

use crate::error::panic_text;
use crate::progress::Progress;
use crate::{Argument, Device, DeviceError, Event, Kernel};

type Task = Box<dyn FnOnce() -> Result<(), DeviceError> + Send>;

/// A queue of work done in order on a separate host thread. Clones refer to the same stream. When the last one is
/// dropped, queued work is still completed.
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
/// second.wait(&written);
/// let bytes = second.read(data, 8)?;
/// assert_eq!(bytes.wait()?, [1; 8]);
/// # Ok::<(), ptx_device::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    device: Device,
    tasks: Sender<Task>,
    progress: Arc<Progress>,
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

impl Stream {
    /// Creates a stream of a device.
    ///
    /// # Errors
    /// [`DeviceError::Host`] if the host cannot create a thread for it.
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
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
        builder.spawn(work).map_err(|error| DeviceError::Host(error.to_string()))?;
        device.know(&progress);
        Ok(Self { device: device.clone(), tasks, progress })
    }

    fn push(&self, task: impl FnOnce() -> Result<(), DeviceError> + Send + 'static) {
        self.progress.begin();
        if self.tasks.send(Box::new(task)).is_err() {
            self.progress.done(Err(DeviceError::Internal("the thread of the stream ended".to_owned())));
        }
    }

    /// Queues a launch of a kernel.
    ///
    /// # Errors
    /// See [`Kernel::launch`], except that a stopped kernel is reported by [`Stream::synchronize`].
    pub fn launch(&self, kernel: &Kernel, shape: &Shape, arguments: &[Argument]) -> Result<(), DeviceError> {
        let params = kernel.checked(shape, arguments)?;
        let (kernel, shape) = (kernel.clone(), *shape);
        self.push(move || kernel.run(&shape, &params).map(drop));
        Ok(())
    }

    /// Queues a launch of a kernel with the bytes of all parameters, like [`Kernel::launch_raw`].
    ///
    /// # Errors
    /// See [`Stream::launch`].
    pub fn launch_raw(&self, kernel: &Kernel, shape: &Shape, params: Vec<u8>) -> Result<(), DeviceError> {
        kernel.check_raw(shape, &params)?;
        let (kernel, shape) = (kernel.clone(), *shape);
        self.push(move || kernel.run(&shape, &params).map(drop));
        Ok(())
    }

    /// Queues a write to memory.
    ///
    /// # Errors
    /// If the device was stopped. Errors of the access are reported by [`Stream::synchronize`].
    pub fn write(&self, address: u64, bytes: Vec<u8>) -> Result<(), DeviceError> {
        self.device.check()?;
        let device = self.device.clone();
        self.push(move || device.write(address, &bytes));
        Ok(())
    }

    /// Queues a read from memory.
    ///
    /// # Errors
    /// If the device was stopped. Errors of the access are reported by [`Pending::wait`].
    pub fn read(&self, address: u64, bytes: usize) -> Result<Pending, DeviceError> {
        self.device.check()?;
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
        take: impl FnOnce(&[u8]) + Send + 'static,
    ) -> Result<(), DeviceError> {
        self.device.check()?;
        let device = self.device.clone();
        self.push(move || {
            let mut read = vec![0; bytes];
            device.read(address, &mut read)?;
            take(&read);
            Ok(())
        });
        Ok(())
    }

    /// Queues a call of a host function on the thread of the stream, like `cuLaunchHostFunc`. It is called even after
    /// errors, and must not wait for the stream or the device.
    pub fn call(&self, function: impl FnOnce() + Send + 'static) {
        self.push(move || {
            function();
            Ok(())
        });
    }

    /// Queues a copy within memory.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.device.check()?;
        let device = self.device.clone();
        self.push(move || device.copy(to, from, bytes));
        Ok(())
    }

    /// Queues a write of `count` copies of a pattern.
    ///
    /// # Errors
    /// See [`Stream::write`].
    pub fn fill(&self, address: u64, pattern: Vec<u8>, count: u64) -> Result<(), DeviceError> {
        self.device.check()?;
        let device = self.device.clone();
        self.push(move || device.fill(address, &pattern, count));
        Ok(())
    }

    /// Records an event: it is reached when all work queued before is complete.
    pub fn record(&self, event: &Event) {
        let mark = event.mark();
        self.push(move || {
            mark.reach();
            Ok(())
        });
    }

    /// Makes subsequently queued work wait until the current recording of an event is reached.
    pub fn wait(&self, event: &Event) {
        if let Some(mark) = event.current() {
            self.push(move || {
                mark.wait();
                Ok(())
            });
        }
    }

    /// Whether all queued work is complete.
    pub fn is_idle(&self) -> bool {
        self.progress.is_idle()
    }

    /// Waits until all queued work is complete.
    ///
    /// # Errors
    /// The first error since the last call, or if the device was stopped.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let error = self.progress.take_error();
        error.map_or_else(|| self.device.check(), Err)
    }
}
