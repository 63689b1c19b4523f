//! The progress of a stream: the stream and its thread record what is queued and what is complete, with the first
//! error; the stream, other streams and its device wait for it.

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
    /// Pieces of work that were queued, and that are complete, in all.
    queued: u64,
    done: u64,
    /// Threads that wait.
    waiting: usize,
    error: Option<DeviceError>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that work is queued.
    pub(crate) fn begin(&self) {
        self.lock().queued += 1;
    }

    /// Whether all queued work is complete.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.done == state.queued
    }

    /// The number of pieces of work that were queued, if any of it is not complete.
    pub(crate) fn pending(&self) -> Option<u64> {
        let state = self.lock();
        (state.done < state.queued).then_some(state.queued)
    }

    /// Waits until all queued work is complete.
    pub(crate) fn wait(&self) {
        drop(self.idle());
    }

    /// Waits until fewer pieces of work than this are queued and not complete.
    pub(crate) fn wait_for_room(&self, most: u64) {
        drop(self.until(|state| state.queued - state.done < most));
    }

    /// Waits until this number of pieces of work is complete.
    pub(crate) fn wait_for(&self, count: u64) {
        drop(self.until(|state| state.done >= count));
    }

    fn until(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !holds(&state) {
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    fn idle(&self) -> MutexGuard<'_, State> {
        self.until(|state| state.done == state.queued)
    }

    /// Waits until all queued work is complete; takes its first error since the last call.
    pub(crate) fn take_error(&self) -> Option<DeviceError> {
        self.idle().error.take()
    }

    /// Records that a piece of queued work is complete, with its result.
    pub(crate) fn done(&self, result: Result<(), DeviceError>) {
        let mut state = self.lock();
        state.done += 1;
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}
