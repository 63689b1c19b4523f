//! Standard error: findings, progress.

use std::io::{self, Write};
use std::time::Instant;

use ptx_diag::{Diagnostics, Format, SourceFile, render};

/// Whether progress is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Only findings.
    Quiet,
    /// Also what is being done.
    Verbose,
}

/// How a tool talks to its user on standard error.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    format: Format,
    verbosity: Verbosity,
}

impl Terminal {
    /// A terminal that shows findings in `format`.
    pub fn new(format: Format, verbosity: Verbosity) -> Self {
        Self { format, verbosity }
    }

    /// The form findings are shown in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Shows findings.
    pub fn report(&self, source: &SourceFile, diagnostics: &Diagnostics) {
        write_stderr(&render(source, diagnostics, self.format));
    }

    /// Runs one step of the tool's work; says its name and time when that is wanted.
    pub fn step<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.note(|| format!("{name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3));
        result
    }

    /// Says something when progress is wanted.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.verbosity == Verbosity::Verbose {
            write_stderr(&format!("{}\n", text()));
        }
    }
}

/// Nobody is left to tell when standard error itself fails.
pub(crate) fn write_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
