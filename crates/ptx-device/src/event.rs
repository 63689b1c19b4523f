//! Events: points in the work of streams.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::DeviceError;

/// One recording of an event.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    reached: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Mark {
    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reach(&self) {
        *self.lock() = Some(Instant::now());
        self.changed.notify_all();
    }

    pub(crate) fn wait(&self) -> Instant {
        let mut reached = self.lock();
        loop {
            if let Some(at) = *reached {
                return at;
            }
            reached = self.changed.wait(reached).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A point in the work of a stream, once it is [recorded](crate::Stream::record). Copies are the same event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    last: Arc<Mutex<Option<Arc<Mark>>>>,
}

impl Event {
    /// An event that is not recorded yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<Mark>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new recording, in place of the one before.
    pub(crate) fn mark(&self) -> Arc<Mark> {
        let mark = Arc::new(Mark::default());
        *self.last() = Some(mark.clone());
        mark
    }

    /// The last recording.
    pub(crate) fn current(&self) -> Option<Arc<Mark>> {
        self.last().clone()
    }

    /// Whether the stream has come to where the event was recorded last; true where it never was, as with CUDA.
    pub fn is_reached(&self) -> bool {
        self.current().is_none_or(|mark| mark.lock().is_some())
    }

    /// Waits until the stream has come to where the event was recorded last.
    pub fn synchronize(&self) {
        if let Some(mark) = self.current() {
            mark.wait();
        }
    }

    /// The time from another event to this one, zero where this one came first.
    ///
    /// # Errors
    /// [`DeviceError::Event`] where one of them was not recorded or not reached.
    pub fn since(&self, earlier: &Event) -> Result<Duration, DeviceError> {
        let at = |event: &Event| {
            let mark = event.current().ok_or(DeviceError::Event("was not recorded"))?;
            let reached = *mark.lock();
            reached.ok_or(DeviceError::Event("was not reached yet"))
        };
        Ok(at(self)?.saturating_duration_since(at(earlier)?))
    }
}
