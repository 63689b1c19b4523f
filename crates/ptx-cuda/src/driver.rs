//! The state of the process: its devices.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ptx_demangle::demangled_text;
use ptx_device::{Device, DeviceError};

use crate::error::{Answer, CUresult, Failure};
use crate::log::LOG;
use crate::settings::{Model, Settings};

/// Locks a mutex, also after a panic of another thread: no function leaves the value partly changed.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of memory that belongs to graphs, at present and at most since that was reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphMemoryUsage {
    pub current: u64,
    pub most: u64,
}

/// A device.
#[derive(Debug)]
pub struct Gpu {
    pub ordinal: i32,
    pub model: &'static Model,
    pub memory_bytes: u64,
    pub device: Device,
    /// Memory that belongs to graphs.
    pub graph_memory: Mutex<GraphMemoryUsage>,
    /// The first error of work on a stream that has not been returned.
    pub error: Mutex<Option<Failure>>,
    /// Whether the report of the kernel that stopped the device has been written.
    pub reported: Mutex<bool>,
    /// The output of kernels that has not been written.
    pub output: &'static Mutex<Vec<u8>>,
}

/// Bytes of memory of a device if the size of the memory of the host is unknown.
const USUAL_MEMORY: u64 = 4 << 30;

/// Output is written before the next synchronization if there is more.
const MOST_OUTPUT: usize = 1 << 20;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Writes to the standard output of C, whose buffer may hold earlier output of the program.
fn write_output(bytes: &[u8]) {
    if !bytes.is_empty() {
        // SAFETY: the C library's standard output is valid for as long as the process runs, and the bytes are.
        unsafe {
            libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stdout);
            libc::fflush(stdout);
        }
    }
}

impl Gpu {
    pub fn new(ordinal: i32, settings: &Settings) -> Self {
        let device = Device::with(settings.options.clone());
        // Devices are never removed.
        let output: &'static Mutex<Vec<u8>> = Box::leak(Box::new(Mutex::default()));
        device.print_to(|text| {
            let mut kept = lock(output);
            kept.extend_from_slice(text);
            if kept.len() > MOST_OUTPUT {
                write_output(&std::mem::take(&mut *kept));
            }
        });
        Self {
            ordinal,
            model: settings.model,
            memory_bytes: device.properties().memory_bytes.unwrap_or(USUAL_MEMORY),
            device,
            graph_memory: Mutex::default(),
            error: Mutex::default(),
            reported: Mutex::default(),
            output,
        }
    }

    /// Writes what kernels have printed.
    pub fn flush(&self) {
        let text = std::mem::take(&mut *lock(self.output));
        write_output(&text);
    }

    /// The failure of an operation of the device; if a kernel was stopped, its report is written once.
    pub fn failure(&self, error: DeviceError) -> Failure {
        if let DeviceError::Stopped(stopped) = &error {
            let mut reported = lock(&self.reported);
            if !std::mem::replace(&mut *reported, true) {
                self.flush();
                LOG.report(&demangled_text(&stopped.to_string()));
            }
        }
        error.into()
    }

    /// Keeps an error of work on a stream, for a later synchronization.
    pub fn keep(&self, failure: Failure) {
        LOG.failed("work on a stream", &failure);
        lock(&self.error).get_or_insert(failure);
    }

    /// Fails if the device was stopped, or with the first error of work on a stream since the last call.
    pub fn check(&self) -> Answer {
        self.flush();
        if let Some(error) = self.device.stopped() {
            return Err(self.failure(error));
        }
        lock(&self.error).take().map_or(Ok(()), Err)
    }

    /// Waits for all work; see [`Gpu::check`].
    pub fn synchronize(&self) -> Answer {
        let done = self.device.synchronize();
        self.flush();
        done.map_err(|error| self.failure(error))?;
        self.check()
    }

    /// Resets a device that an error of a kernel stopped.
    pub fn recover(&self) {
        self.device.recover();
        *lock(&self.reported) = false;
        lock(&self.error).take();
    }
}

/// The driver.
#[derive(Debug)]
pub struct Driver {
    pub gpus: Vec<Gpu>,
    pub process: u32,
}

static DRIVER: OnceLock<Answer<Driver>> = OnceLock::new();

impl Driver {
    /// Initializes it.
    pub fn start() -> Answer {
        let made = DRIVER.get_or_init(|| {
            let settings = Settings::read()?;
            let gpus = (0..settings.devices as i32).map(|ordinal| Gpu::new(ordinal, &settings));
            Ok(Self { gpus: gpus.collect(), process: std::process::id() })
        });
        let driver = made.as_ref().map_err(Failure::clone)?;
        if driver.gpus.is_empty() { Err(CUresult::NO_DEVICE.into()) } else { Self::get().map(drop) }
    }

    /// The driver, once it is initialized. A process that was forked afterwards has none: the threads are not in it.
    pub fn get() -> Answer<&'static Self> {
        match DRIVER.get() {
            Some(Ok(driver)) if driver.process == std::process::id() && !driver.gpus.is_empty() => Ok(driver),
            _ => Err(CUresult::NOT_INITIALIZED.into()),
        }
    }

    /// A device by its number.
    pub fn gpu(ordinal: i32) -> Answer<&'static Gpu> {
        let gpus = &Self::get()?.gpus;
        let found = usize::try_from(ordinal).ok().and_then(|ordinal| gpus.get(ordinal));
        Ok(found.ok_or(CUresult::INVALID_DEVICE)?)
    }
}
