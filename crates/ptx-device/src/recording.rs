//! Recordings of events: points in the work of streams.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

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

    /// When it was reached, if it was.
    pub(crate) fn reached(&self) -> Option<Instant> {
        *self.lock()
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

/// The last recording of an event. Clones are of the same event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recordings {
    last: Arc<Mutex<Option<Arc<Mark>>>>,
}

impl Recordings {
    fn last(&self) -> MutexGuard<'_, Option<Arc<Mark>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new recording, which replaces the previous one.
    pub(crate) fn start(&self) -> Arc<Mark> {
        let mark = Arc::new(Mark::default());
        *self.last() = Some(mark.clone());
        mark
    }

    /// The last recording.
    pub(crate) fn current(&self) -> Option<Arc<Mark>> {
        self.last().clone()
    }

    /// Whether both are of the same event.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.last, &other.last)
    }
}
