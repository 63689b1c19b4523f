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

/// A point in the work of a stream, once it is [recorded](crate::Stream::record). Clones refer to the same event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    last: Arc<Mutex<Option<Arc<Mark>>>>,
}

impl Event {
    /// An event that has not been recorded.
    pub fn new() -> Self {
        Self::default()
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<Mark>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new recording, which replaces the previous one.
    pub(crate) fn mark(&self) -> Arc<Mark> {
        let mark = Arc::new(Mark::default());
        *self.last() = Some(mark.clone());
        mark
    }

    /// The last recording.
    pub(crate) fn current(&self) -> Option<Arc<Mark>> {
        self.last().clone()
    }

    /// Whether the stream has reached the point of the last recording; true if there is none, as in CUDA.
    pub fn is_reached(&self) -> bool {
        self.current().is_none_or(|mark| mark.lock().is_some())
    }

    /// Waits until the stream has reached the point of the last recording.
    pub fn synchronize(&self) {
        if let Some(mark) = self.current() {
            mark.wait();
        }
    }

    /// The time from another event to this one, zero if this one came first.
    ///
    /// # Errors
    /// [`DeviceError::Event`] if one of them was not recorded or has not been reached.
    pub fn since(&self, earlier: &Event) -> Result<Duration, DeviceError> {
        let at = |event: &Event| {
            let mark = event.current().ok_or(DeviceError::Event("was not recorded"))?;
            let reached = *mark.lock();
            reached.ok_or(DeviceError::Event("was not reached yet"))
        };
        Ok(at(self)?.saturating_duration_since(at(earlier)?))
    }
}
