//! The error of all functions.

use std::fmt;

#[cfg(feature = "exec")]
use ptx_device::DeviceError;
use ptx_diag::{Color, Diagnostics, Finding, Format, SourceFile, render};
#[cfg(feature = "llvm")]
use ptx_llvm_core::LlvmError;

/// Why a function of this crate failed: diagnostics, each with a code, a message, and as far as they are known a location and a correction.
///
/// It is shown as the tools show diagnostics, and so is its `Debug` form, which `unwrap` and `main` print:
///
/// ```
/// let error = ptx_llvm::parse(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { rett; }").unwrap_err();
/// assert!(error.to_string().starts_with("\
/// error[P0301]: unknown instruction `rett`
///  --> <ptx>:4:14
///   |
/// 4 | .entry k() { rett; }
///   |              ^^^^
///   |"), "{error}");
/// let [finding] = error.findings() else { panic!("one error") };
/// assert_eq!((finding.code, finding.position.unwrap().line), ("P0301", 4));
/// assert_eq!(finding.help.as_deref(), Some("did you mean `ret`?"));
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    shown: String,
    findings: Vec<Finding>,
    #[cfg(feature = "exec")]
    device: Option<DeviceError>,
}

impl Error {
    /// The diagnostics, including warnings, in the order of the text; empty if the error is not about a text, such as an argument that does not
    /// fit its parameter.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// The error of the device, if one occurred there: [`DeviceError::kind`] tells which it is.
    #[cfg(feature = "exec")]
    pub fn device(&self) -> Option<&DeviceError> {
        self.0.device.as_ref()
    }

    /// The error of diagnostics about files.
    pub(crate) fn about<'a>(files: impl IntoIterator<Item = (&'a SourceFile, &'a Diagnostics)>) -> Self {
        let (mut shown, mut findings) = (String::new(), Vec::new());
        for (file, found) in files {
            shown += &render(file, found, Format::Human(Color::Never));
            findings.extend(found.iter().map(|diagnostic| Finding::new(file, diagnostic)));
        }
        Self::new(shown.trim_end().to_owned(), findings)
    }

    fn new(shown: String, findings: Vec<Finding>) -> Self {
        Self(Box::new(Inner {
            shown,
            findings,
            #[cfg(feature = "exec")]
            device: None,
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.shown)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// The file of diagnostics about LLVM IR that was not read from a text.
#[cfg(feature = "llvm")]
pub(crate) fn nameless() -> SourceFile {
    SourceFile::new("<llvm>", "")
}

#[cfg(feature = "llvm")]
impl From<LlvmError> for Error {
    fn from(error: LlvmError) -> Self {
        let source = nameless();
        let mut found = Diagnostics::new();
        found.push(ptx_driver::llvm_finding(&error, &source));
        Self::about([(&source, &found)])
    }
}

#[cfg(feature = "exec")]
impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Self {
        let findings = error.findings().to_vec();
        let shown = if findings.is_empty() {
            error.to_string()
        } else {
            let mut parts: Vec<&str> = findings.iter().map(|finding| finding.human.as_str()).collect();
            let numbers = ptx_diag::numbers(findings.iter().map(|finding| finding.severity));
            parts.push(&numbers);
            parts.join("\n\n")
        };
        let mut own = Self::new(shown, findings);
        own.0.device = Some(error);
        own
    }
}
