//! The progress of a stream: the stream and its thread record what is queued and what is complete, with the first
//! error; the stream and its device wait for the end.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::DeviceError;

/// The progress of a stream's queue.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: u64,
    error: Option<DeviceError>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that work is queued.
    pub(crate) fn begin(&self) {
        self.lock().waiting += 1;
    }

    /// Whether all queued work is complete.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock().waiting == 0
    }

    /// Waits until all queued work is complete.
    pub(crate) fn wait(&self) {
        drop(self.idle());
    }

    fn idle(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while state.waiting > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Waits until all queued work is complete; takes its first error since the last call.
    pub(crate) fn take_error(&self) -> Option<DeviceError> {
        self.idle().error.take()
    }

    /// Records that a piece of queued work is complete, with its result.
    pub(crate) fn done(&self, result: Result<(), DeviceError>) {
        let mut state = self.lock();
        state.waiting -= 1;
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        if state.waiting == 0 {
            self.changed.notify_all();
        }
    }
}
