//! Events.

use std::sync::Mutex;

use crate::capture::Captured;
use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult};
use crate::handle::{AnyHandle, objects};

objects! { Event, 3; }

/// An event.
#[derive(Debug)]
pub struct Event {
    pub context: AnyHandle,
    pub gpu: &'static Gpu,
    pub has_time: bool,
    pub inner: ptx_device::Event,
    /// Where it was recorded, if that was in a capture.
    pub captured: Mutex<Option<Captured>>,
}

impl Event {
    pub fn refuse_captured(&self) -> Answer {
        if lock(&self.captured).is_some() { Err(CUresult::CAPTURED_EVENT.into()) } else { Ok(()) }
    }
}
