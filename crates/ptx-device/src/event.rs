//! Events: points in the work of streams.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::DeviceError;
use crate::graph::{CapturedPoint, RecordedEvent};
use crate::recording::Recordings;

/// A point in the work of a stream, once it is [recorded](crate::Stream::record). Clones refer to the same event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    recordings: Recordings,
    /// The point of a capture at which it was recorded last, if that was in one.
    captured: Arc<Mutex<Option<CapturedPoint>>>,
}

impl Event {
    /// An event that has not been recorded.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// The point of a capture at which it was recorded last, if that was in one.
    pub(crate) fn captured(&self) -> MutexGuard<'_, Option<CapturedPoint>> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It as the event of an [operation](crate::graph::Operation).
    pub fn in_operation(&self) -> RecordedEvent {
        RecordedEvent::new(self.recordings.clone())
    }

    /// Whether an operation records it, or waits for it.
    pub fn is_in(&self, operation: &RecordedEvent) -> bool {
        operation.recordings().is_of(&self.recordings)
    }

    /// Whether it was recorded last in a stream that was being captured: only streams may wait for it then.
    pub fn is_captured(&self) -> bool {
        self.captured().is_some()
    }

    /// Whether the stream has reached the point of the last recording; true if there is none, as in CUDA.
    pub fn is_reached(&self) -> bool {
        self.recordings.current().is_none_or(|mark| mark.reached().is_some())
    }

    /// Waits until the stream has reached the point of the last recording.
    pub fn synchronize(&self) {
        if let Some(mark) = self.recordings.current() {
            mark.wait();
        }
    }

    /// The time from another event to this one, zero if this one came first.
    ///
    /// # Errors
    /// [`DeviceError::Event`] if one of them was not recorded or has not been reached.
    pub fn since(&self, earlier: &Event) -> Result<Duration, DeviceError> {
        let at = |event: &Event| {
            let mark = event.recordings.current().ok_or(DeviceError::Event("was not recorded"))?;
            mark.reached().ok_or(DeviceError::Event("was not reached yet"))
        };
        Ok(at(self)?.saturating_duration_since(at(earlier)?))
    }
}
