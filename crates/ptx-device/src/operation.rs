//! Operations of streams and graphs.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ptx_exec::{BoxSize, Pitched, Shape};

use crate::graph::Graph;
use crate::recording::{Mark, Recordings};
use crate::{Argument, Device, DeviceError, Kernel};

/// An operation of a stream, or of a node of a graph. It may be performed any number of times.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Nothing: a point that others depend on.
    Empty,
    /// A launch of a kernel.
    Kernel(KernelLaunch),
    /// A copy of a box of rows within memory.
    Copy {
        /// The destination.
        to: Pitched,
        /// The source.
        from: Pitched,
        /// The size.
        size: BoxSize,
    },
    /// A write of bytes to the rows of a box.
    Write {
        /// The destination.
        to: Pitched,
        /// The bytes.
        bytes: Arc<[u8]>,
        /// Bytes from a row to the next in them.
        pitch: u64,
        /// Bytes from a plane to the next in them.
        slice: u64,
        /// The size.
        size: BoxSize,
    },
    /// A fill of the rows of a box with copies of a pattern.
    Fill {
        /// The destination.
        to: Pitched,
        /// The pattern.
        pattern: Arc<[u8]>,
        /// The size; the width is in bytes.
        size: BoxSize,
    },
    /// A call of a host function, also after errors, like `cuLaunchHostFunc`.
    Host(HostFunction),
    /// Work that the host does on the memory of the device, such as a copy to memory of the process. It is not done once the device was stopped.
    Transfer(Transfer),
    /// A recording of an event, which begins when the operation is queued.
    Record(RecordedEvent),
    /// A wait until the last recording of an event, at the time of the operation, is reached.
    Wait(RecordedEvent),
    /// A write of a number of 4 or 8 bytes, after all earlier work.
    WriteValue {
        /// Its address.
        address: u64,
        /// The number.
        value: u64,
        /// Its size.
        bytes: ValueSize,
    },
    /// A wait until a number in memory fulfils a condition.
    WaitValue {
        /// Its address.
        address: u64,
        /// The number that it is compared with.
        value: u64,
        /// Its size.
        bytes: ValueSize,
        /// The condition.
        until: Condition,
    },
    /// The release of an allocation.
    Free(u64),
    /// The operations of another graph.
    Graph(Arc<Graph>),
}

/// The size of a number that streams write and wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueSize {
    /// 32 bits.
    Four,
    /// 64 bits.
    Eight,
}

/// A condition on a number in memory (`CUstreamWaitValue_flags`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// Their difference, as a signed number, is not negative: it may have wrapped around.
    GreaterOrEqual,
    /// They are equal.
    Equal,
    /// They have a bit in common.
    And,
    /// Together they do not have all bits: `!(a | b) != 0`.
    Nor,
}

impl Condition {
    fn holds(self, found: u64, value: u64, bytes: ValueSize) -> bool {
        let (found, value, all) = match bytes {
            ValueSize::Four => (found & 0xffff_ffff, value & 0xffff_ffff, 0xffff_ffff),
            ValueSize::Eight => (found, value, u64::MAX),
        };
        match self {
            Self::GreaterOrEqual => match bytes {
                ValueSize::Four => (found as u32).wrapping_sub(value as u32) as i32 >= 0,
                ValueSize::Eight => found.wrapping_sub(value) as i64 >= 0,
            },
            Self::Equal => found == value,
            Self::And => found & value != 0,
            Self::Nor => !(found | value) & all != 0,
        }
    }
}

/// A launch of a kernel, which fits the kernel and the device.
#[derive(Clone, Debug)]
pub struct KernelLaunch {
    kernel: Kernel,
    shape: Shape,
    params: Arc<[u8]>,
}

impl KernelLaunch {
    /// Checks a launch.
    ///
    /// # Errors
    /// See [`Kernel::launch`].
    pub fn new(kernel: &Kernel, shape: &Shape, arguments: &[Argument]) -> Result<Self, DeviceError> {
        let params = kernel.checked(shape, arguments)?;
        Ok(Self { kernel: kernel.clone(), shape: *shape, params: params.into() })
    }

    /// Checks a launch with the bytes of all parameters.
    ///
    /// # Errors
    /// See [`Kernel::launch_raw`].
    pub fn raw(kernel: &Kernel, shape: &Shape, params: &[u8]) -> Result<Self, DeviceError> {
        kernel.check_raw(shape, params)?;
        Ok(Self { kernel: kernel.clone(), shape: *shape, params: params.into() })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The bytes of the parameters, at their offsets; those that are missing at the end are zeros.
    pub fn params(&self) -> &[u8] {
        &self.params
    }
}

/// A function of the host.
#[derive(Clone)]
pub struct HostFunction(Arc<dyn Fn() + Send + Sync>);

impl HostFunction {
    /// A function, which must not wait for the stream or the device.
    pub fn new(function: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostFunction")
    }
}

/// Work that the host does on the memory of a device.
#[derive(Clone)]
pub struct Transfer(Arc<Work>);

type Work = dyn Fn(&Device) -> Result<(), DeviceError> + Send + Sync;

impl Transfer {
    /// Work, which must not wait for the stream or the device.
    pub fn new(work: impl Fn(&Device) -> Result<(), DeviceError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(work))
    }
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transfer")
    }
}

/// An event that operations record, or wait for.
#[derive(Clone, Debug)]
pub struct RecordedEvent(Recordings);

impl RecordedEvent {
    pub(crate) fn new(recordings: Recordings) -> Self {
        Self(recordings)
    }

    pub(crate) fn recordings(&self) -> &Recordings {
        &self.0
    }
}

/// The recordings that operations reach, in the order in which these are performed.
pub(crate) type Marks = VecDeque<Arc<Mark>>;

impl Operation {
    /// Begins the recordings of events, when it is queued: whoever waits for the events from then on waits for it.
    pub(crate) fn begin(&self, marks: &mut Marks) {
        match self {
            Self::Record(event) => marks.push_back(event.0.start()),
            Self::Graph(graph) => graph.begin(marks),
            _ => {}
        }
    }

    /// Performs it, after everything that it depends on. Returns when it is complete.
    pub(crate) fn perform(&self, device: &Device, marks: &mut Marks) -> Result<(), DeviceError> {
        match self {
            Self::Empty => Ok(()),
            Self::Kernel(launch) => launch.kernel.run(&launch.shape, &launch.params).map(drop),
            Self::Copy { to, from, size } if size.height == 1 && size.depth == 1 => {
                device.copy(to.address, from.address, size.width)
            }
            Self::Copy { to, from, size } => device.copy_box(*to, *from, *size),
            Self::Write { to, bytes, pitch, slice, size } => {
                device.write_box(*to, (&**bytes, *pitch, *slice), *size)
            }
            Self::Fill { to, pattern, size } => device.fill_box(*to, pattern, *size),
            Self::Host(function) => {
                (function.0)();
                Ok(())
            }
            Self::Transfer(transfer) => {
                device.check()?;
                (transfer.0)(device)
            }
            Self::Record(_) => {
                debug_assert!(!marks.is_empty(), "the recording has not begun");
                if let Some(mark) = marks.pop_front() {
                    mark.reach();
                }
                Ok(())
            }
            Self::Wait(event) => {
                if let Some(mark) = event.0.current() {
                    mark.wait();
                }
                Ok(())
            }
            Self::WriteValue { address, value, bytes } => {
                let number = value.to_le_bytes();
                let length = match bytes {
                    ValueSize::Four => 4,
                    ValueSize::Eight => 8,
                };
                device.write(*address, &number[..length])
            }
            Self::WaitValue { address, value, bytes, until } => {
                wait_for(device, *address, |found| until.holds(found, *value, *bytes), *bytes)
            }
            Self::Free(address) => device.release(*address),
            Self::Graph(graph) => graph.perform(device, marks),
        }
    }
}

/// Reads a number until it fulfils a condition.
fn wait_for(
    device: &Device,
    address: u64,
    holds: impl Fn(u64) -> bool,
    bytes: ValueSize,
) -> Result<(), DeviceError> {
    /// Before that the thread does not sleep, as the other work is likely to be short.
    const BUSY: Duration = Duration::from_micros(50);
    const MOST: Duration = Duration::from_millis(1);
    let start = Instant::now();
    loop {
        let mut number = [0; 8];
        let length = match bytes {
            ValueSize::Four => 4,
            ValueSize::Eight => 8,
        };
        device.read(address, &mut number[..length])?;
        if holds(u64::from_le_bytes(number)) {
            return Ok(());
        }
        let waited = start.elapsed();
        if waited < BUSY {
            std::thread::yield_now();
        } else {
            std::thread::sleep((waited / 8).min(MOST));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definitions in `cuda.h`.
    #[test]
    fn conditions_hold_for_their_size() {
        let four = |until: Condition, found, value| until.holds(found, value, ValueSize::Four);
        let eight = |until: Condition, found, value| until.holds(found, value, ValueSize::Eight);
        assert!(four(Condition::GreaterOrEqual, 0x8000_0000, 0x7fff_ffff));
        assert!(four(Condition::GreaterOrEqual, 3, 0xffff_ffff) && !four(Condition::GreaterOrEqual, 3, 4));
        assert!(!eight(Condition::GreaterOrEqual, 3, 4) && eight(Condition::GreaterOrEqual, 3, u64::MAX));
        assert!(four(Condition::Equal, 1 << 32 | 7, 7) && !eight(Condition::Equal, 1 << 32 | 7, 7));
        assert!(four(Condition::And, 6, 12) && !four(Condition::And, 3, 12));
        assert!(four(Condition::Nor, 1, 2) && !four(Condition::Nor, 0xffff_0000, 0xffff));
        assert!(eight(Condition::Nor, 0xffff_0000, 0xffff));
    }
}
