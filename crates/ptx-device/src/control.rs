//! Limits of a single launch.

use std::time::Duration;

use ptx_exec::{Interrupt, LaunchSpec};

/// What ends a single launch early, besides the [limits](ptx_exec::Limits) of its device.
///
/// ```
/// use ptx_device::{Device, ErrorKind, Interrupt, LaunchControl, Module, Shape};
///
/// let device = Device::new();
/// let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry forever() { again: bra again; }";
/// let forever = Module::load(&device, "forever.ptx", text)?.kernel("forever")?;
/// let interrupt = Interrupt::default();
/// let error = std::thread::scope(|scope| {
///     scope.spawn(|| interrupt.request());
///     let control = LaunchControl { interrupt: Some(interrupt.clone()), ..LaunchControl::default() };
///     forever.launch_with(&Shape::default(), &[], &control)
/// });
/// assert_eq!(error.unwrap_err().kind(), ErrorKind::Timeout);
/// # Ok::<(), ptx_device::DeviceError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LaunchControl {
    /// Wall-clock time of the launch, in place of that of the [limits](ptx_exec::Limits::timeout) of the device; `None` for these.
    pub timeout: Option<Duration>,
    /// Ends the launch from another thread, as if its time limit had expired. It does not end the compilation of a kernel.
    pub interrupt: Option<Interrupt>,
}

impl LaunchControl {
    /// Applies to what a kernel is launched with.
    pub(crate) fn apply(&self, spec: &mut LaunchSpec) {
        spec.interrupt.clone_from(&self.interrupt);
        if self.timeout.is_some() {
            spec.limits.timeout = self.timeout;
        }
    }
}
