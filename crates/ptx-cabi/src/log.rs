//! The log of a library.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::Failure;

/// The log: `PTX_CUDA_LOG` is `stderr` or the name of a file, to which all libraries of a process append. Each call that fails is written with its reason,
/// and each function that is not implemented the first time that it is called. With `PTX_CUDA_TRACE=1` every call is written.
///
/// The environment is read at the first use.
pub struct Log {
    /// The name of the library, with which each line begins.
    library: &'static str,
    destination: OnceLock<Destination>,
    /// The names of functions that are not implemented and were called.
    missing: Mutex<Option<HashSet<&'static str>>>,
}

struct Destination {
    writer: Option<Mutex<Box<dyn Write + Send>>>,
    is_stderr: bool,
    traces: bool,
}

impl Destination {
    fn from_environment() -> Self {
        let name = std::env::var_os("PTX_CUDA_LOG").filter(|name| !name.is_empty());
        let is_stderr = name.as_ref().is_some_and(|name| name == "stderr");
        let writer: Option<Box<dyn Write + Send>> = match name {
            None => None,
            Some(_) if is_stderr => Some(Box::new(std::io::stderr())),
            // Without permission to write the file there is no log: a program must not fail because of it.
            Some(name) => match OpenOptions::new().append(true).create(true).open(name) {
                Ok(file) => Some(Box::new(file)),
                Err(_) => None,
            },
        };
        let traces = std::env::var_os("PTX_CUDA_TRACE").is_some_and(|value| value == "1");
        Self { writer: writer.map(Mutex::new), is_stderr, traces }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Log {
    /// The log of a library, whose name begins each line.
    pub const fn new(library: &'static str) -> Self {
        Self { library, destination: OnceLock::new(), missing: Mutex::new(None) }
    }

    fn destination(&self) -> &Destination {
        self.destination.get_or_init(Destination::from_environment)
    }

    /// Writes a line.
    pub fn write(&self, line: &str) {
        if let Some(writer) = &self.destination().writer {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            // An error of writing the log has nowhere to be reported.
            let _ = writeln!(writer, "{}: {line}", self.library);
        }
    }

    /// Writes the name of a function that is called, if calls are traced.
    pub fn called(&self, function: &str) {
        if self.destination().traces {
            self.write(function);
        }
    }

    /// Writes that a function failed, and why.
    pub fn failed<F: Failure>(&self, function: &str, failure: &F) {
        if self.destination().writer.is_some()
            && let Some(line) = failure.line()
        {
            self.write(&format!("{function}: {line}"));
        }
    }

    /// Writes that a function is not implemented, the first time.
    pub fn missing(&self, function: &'static str) {
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if missing.get_or_insert_default().insert(function) {
            self.write(&format!("{function} is not implemented"));
        }
    }

    /// Writes a report to standard error, and to the log if that is a file.
    pub fn report(&self, text: &str) {
        // An error of writing to standard error has nowhere to be reported.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
        if !self.destination().is_stderr {
            self.write(text);
        }
    }
}
