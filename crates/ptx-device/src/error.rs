//! Errors of a device.

use std::fmt;
use std::sync::Arc;

use ptx_diag::{Diagnostic, Diagnostics, Finding};
use ptx_exec::texture::TextureError;
use ptx_exec::{MemoryError, Trap};
use ptx_link::Sources;
use thiserror::Error;

/// The diagnostics about the files of a module.
pub(crate) fn findings(sources: &Sources, found: &Diagnostics) -> Vec<Finding> {
    let files = sources.split(found);
    files
        .iter()
        .flat_map(|(file, findings)| findings.iter().map(|finding| Finding::new(file, finding)))
        .collect()
}

fn joined(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|finding| finding.is_error);
    errors.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// A kernel that was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The trap, with its location.
    pub trap: Trap,
    /// The trap with its location in the file, and the locations of other threads that explain it.
    pub findings: Vec<Finding>,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.findings))?;
        let related = self.findings.iter().flat_map(|finding| &finding.related);
        related.into_iter().try_for_each(|place| write!(f, "\n{place}"))
    }
}

/// Why an operation of a device failed.
#[derive(Clone, Debug, Error)]
pub enum DeviceError {
    /// The text is not PTX, is invalid, or its parts cannot be linked.
    #[error("the module is rejected:\n{}", joined(.0))]
    Module(Vec<Finding>),
    /// The module is for a target that the device does not support.
    #[error("the module requires {needed}, but the device is {has}")]
    Target {
        /// The target of the module.
        needed: String,
        /// The target of the device.
        has: String,
    },
    /// There is no such kernel, or it requires something that cannot be executed.
    #[error("the kernel cannot be executed:\n{}", joined(.0))]
    Kernel(Vec<Finding>),
    /// The arguments do not match the parameters.
    #[error("{0}")]
    Arguments(String),
    /// The launch does not fit the kernel or the device.
    #[error("the launch is rejected:\n{}", joined(.0))]
    Launch(Vec<Finding>),
    /// An error of a memory access or of memory management.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// An invalid texture, surface or sampler, or an invalid handle of one.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// A kernel was stopped, now or earlier. Until [`Device::recover`](crate::Device::recover) all calls return this.
    #[error("{0}")]
    Stopped(Arc<Stopped>),
    /// An event that was not recorded, or has not been reached yet.
    #[error("the event {0}")]
    Event(&'static str),
    /// An operation that is not allowed while a stream is captured.
    #[error("{0}")]
    Capture(&'static str),
    /// A limit that cannot be set.
    #[error("{0}")]
    Limit(&'static str),
    /// A graph that has a cycle, or a change that does not fit it.
    #[error("{0}")]
    Graph(&'static str),
    /// The host cannot create a thread for a stream.
    #[error("the host cannot start a thread: {0}")]
    Host(String),
    /// A defect of this library.
    #[error("internal error: {0}")]
    Internal(String),
}

impl DeviceError {
    /// Its diagnostics, if it is about a module, a launch or a stopped kernel.
    pub fn findings(&self) -> &[Finding] {
        match self {
            DeviceError::Module(findings) | DeviceError::Kernel(findings) | DeviceError::Launch(findings) => {
                findings
            }
            DeviceError::Stopped(stopped) => &stopped.findings,
            DeviceError::Target { .. }
            | DeviceError::Arguments(_)
            | DeviceError::Memory(_)
            | DeviceError::Texture(_)
            | DeviceError::Event(_)
            | DeviceError::Capture(_)
            | DeviceError::Limit(_)
            | DeviceError::Graph(_)
            | DeviceError::Host(_)
            | DeviceError::Internal(_) => &[],
        }
    }
}

/// The refusal of a kernel or launch for one reason.
pub(crate) fn refused(sources: &Sources, finding: Diagnostic) -> Vec<Finding> {
    let mut found = Diagnostics::new();
    found.push(finding);
    findings(sources, &found)
}

/// The message of a panic.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    // Default: payloads that are no text are not made by this project.
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".to_owned())
}
