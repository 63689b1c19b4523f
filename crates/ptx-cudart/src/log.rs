//! The log: `PTX_CUDA_LOG` is `stderr` or the name of a file, which the driver writes to as well. Each call that fails is written with its reason,
//! and each function that is not implemented once. With `PTX_CUDA_TRACE=1` all calls are.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::{Error, Failure};

struct Log {
    to: Option<Mutex<Box<dyn Write + Send>>>,
    traces: bool,
    /// The names of functions that are not implemented and were called.
    missing: Mutex<HashSet<&'static str>>,
}

fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| {
        let file = |name| -> Option<File> { OpenOptions::new().append(true).create(true).open(name).ok() };
        let to: Option<Box<dyn Write + Send>> = match std::env::var_os("PTX_CUDA_LOG") {
            None => None,
            Some(name) if name.is_empty() => None,
            Some(name) if name == "stderr" => Some(Box::new(std::io::stderr())),
            // A log that cannot be written is not.
            Some(name) => file(name).map(|file| -> Box<dyn Write + Send> { Box::new(file) }),
        };
        let traces = std::env::var_os("PTX_CUDA_TRACE").is_some_and(|value| value == "1");
        Log { to: to.map(Mutex::new), traces, missing: Mutex::default() }
    })
}

/// Writes a line to the log.
fn write(line: &str) {
    if let Some(to) = &log().to {
        let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
        // There is no one to tell that the log cannot be written.
        let _ = writeln!(to, "ptx-cudart: {line}");
    }
}

pub(crate) fn called(name: &'static str) {
    if log().traces {
        write(name);
    }
}

pub(crate) fn failed(name: &'static str, failure: &Failure) {
    if log().to.is_some() && failure.error != Error::NOT_READY {
        let Failure { error, reason } = failure;
        match reason {
            Some(reason) => write(&format!("{name}: {}: {reason}", error.name())),
            None => write(&format!("{name}: {}", error.name())),
        }
    }
}

/// What a function that is not implemented returns.
pub(crate) fn missing(name: &'static str) -> Error {
    let log = log();
    if log.missing.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
        write(&format!("{name} is not implemented"));
    }
    crate::error::remember(Error::NOT_SUPPORTED);
    Error::NOT_SUPPORTED
}
