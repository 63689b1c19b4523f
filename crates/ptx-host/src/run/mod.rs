//! Runs compiled kernels.
//!
//! The code of a kernel is a function of a warp, `i32 kernel(WarpFrame *)`. What it cannot do alone it asks the runtime for, through the
//! [`Runtime`](frame::Runtime) that its frame refers to: functions that get the frame first. The result is a [`Status`].

mod frame;

pub(crate) use frame::{RUNTIME, Status, field};
pub use frame::{Stopped, WarpFrame};
