//! Errors of the tool.

use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;

/// The status and the reason.
#[derive(Debug)]
pub struct Error {
    pub status: u8,
    pub message: String,
}

/// An operation failed: a file is missing, or the system refuses access.
const REJECTED: u8 = 1;

impl Error {
    pub fn rejected(message: impl Into<String>) -> Self {
        Self { status: REJECTED, message: message.into() }
    }

    /// What was being done with a file or folder.
    pub fn with(action: &str, path: &Path, error: impl Display) -> Self {
        Self::rejected(format!("cannot {action} {}: {error}", path.display()))
    }
}

/// Writes to standard error. An error of doing so cannot be reported.
pub fn write_stderr(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
