//! Diagnostics and progress on standard error.

use std::time::Instant;

use ptx_demangle::{demangled_finding, demangled_text};
use ptx_diag::{Code, Diagnostic, Diagnostics, Format, Severity, SourceFile, render};

use crate::failure::{ExitStatus, Failure};
use crate::progress_bar::{beside_bar, show_work};
use crate::{captured, code};

/// Whether progress is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Only diagnostics.
    Quiet,
    /// Also the steps of the work.
    Verbose,
}

/// How warnings are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Warnings {
    /// They are shown.
    #[default]
    Shown,
    /// They are omitted.
    Hidden,
    /// They are errors.
    Denied,
}

/// How a tool reports to its user on standard error.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    format: Format,
    verbosity: Verbosity,
    warnings: Warnings,
}

impl Terminal {
    /// A terminal that shows diagnostics in `format`.
    pub fn new(format: Format, verbosity: Verbosity, warnings: Warnings) -> Self {
        Self { format, verbosity, warnings }
    }

    /// Whether a spinner may be shown: neither other programs nor the steps of the work are on the same stream.
    pub(crate) fn shows_progress(&self) -> bool {
        matches!(self.format, Format::Human(_)) && self.verbosity == Verbosity::Quiet
    }

    /// The form in which diagnostics are shown.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Shows diagnostics, to people with the names of functions as their source has them.
    pub fn report(&self, source: &SourceFile, diagnostics: &Diagnostics) {
        write_stderr(&render(source, &self.weighed(diagnostics), self.format));
    }

    /// Shows the warnings of accepted inputs.
    ///
    /// # Errors
    ///
    /// If warnings are errors and there are any.
    pub fn warn(&self, parts: Vec<(SourceFile, Diagnostics)>) -> Result<(), Failure> {
        if parts.iter().any(|(_, found)| self.weighed(found).has_errors()) {
            return Err(Failure::about_several(ExitStatus::Rejected, parts));
        }
        parts.iter().for_each(|(source, found)| self.report(source, found));
        Ok(())
    }

    /// The diagnostics as they are shown, with warnings omitted or turned into errors as the user specifies.
    fn weighed(&self, diagnostics: &Diagnostics) -> Diagnostics {
        let mut weighed = Diagnostics::new();
        for diagnostic in diagnostics {
            let mut diagnostic = diagnostic.clone();
            match (diagnostic.severity, self.warnings) {
                (Severity::Warning, Warnings::Hidden) => continue,
                (Severity::Warning, Warnings::Denied) => diagnostic.severity = Severity::Error,
                _ => {}
            }
            weighed.push(if self.format == Format::Json {
                diagnostic
            } else {
                demangled_finding(diagnostic)
            });
        }
        weighed
    }

    /// Runs one step of the tool's work; prints its name and time with `--verbose`. The progress bar shows the name meanwhile.
    pub fn step<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        self.show_work(name);
        let result = work();
        self.show_captured();
        self.note(|| format!("{name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3));
        result
    }

    /// Shows the current step on the progress bar of many inputs.
    pub fn show_work(&self, what: &str) {
        show_work(what);
    }

    /// Prints a message if progress is shown; as a diagnostic if every line is one.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.verbosity == Verbosity::Verbose {
            self.say(text());
        }
    }

    /// Prints a message that is not about an input.
    pub fn say(&self, text: String) {
        match self.format {
            Format::Json => self.show_note(code::PROGRESS, text),
            Format::Human(_) | Format::Short => write_stderr(&format!("{}\n", demangled_text(&text))),
        }
    }

    /// Shows the text captured since the last call, if any, as a note.
    pub(crate) fn show_captured(&self) {
        if let Some(text) = captured::take() {
            self.show_note(code::PRINTED, text);
        }
    }

    fn show_note(&self, code: Code, text: String) {
        let mut notes = Diagnostics::new();
        let mut note = Diagnostic::warning_without_place(code, text);
        note.severity = Severity::Note;
        notes.push(note);
        write_stderr(&render(&SourceFile::new("", Vec::new()), &notes, self.format));
    }
}

impl Failure {
    /// Shows the diagnostics.
    pub fn report(&self, terminal: Terminal) {
        self.parts().iter().for_each(|(source, diagnostics)| terminal.report(source, diagnostics));
    }
}

/// Writes to standard error, without disturbing a progress bar.
pub(crate) fn write_stderr(text: &str) {
    beside_bar(|| captured::write(text));
}
