//! The code of a kernel: launches of a prepared kernel on a device, by the [engine](crate::Engine) of the device, to
//! their reports.

#[cfg(feature = "jit")]
mod compiled;
#[cfg(not(feature = "jit"))]
mod interpreted;
#[cfg(feature = "jit")]
mod relay;

#[cfg(feature = "jit")]
pub(crate) use compiled::Code;
#[cfg(not(feature = "jit"))]
pub(crate) use interpreted::Code;
