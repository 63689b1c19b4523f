//! Standard error: findings, progress.

use std::time::Instant;

use ptx_diag::{Code, Diagnostic, Diagnostics, Format, Severity, SourceFile, render};

use crate::failure::{ExitStatus, Failure};
use crate::progress_bar::{beside_bar, show_work};
use crate::{captured, code};

/// Whether progress is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Only findings.
    Quiet,
    /// Also what is being done.
    Verbose,
}

/// What becomes of warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Warnings {
    /// They are shown.
    #[default]
    Shown,
    /// They are left out.
    Hidden,
    /// They are errors.
    Denied,
}

/// How a tool talks to its user on standard error.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    format: Format,
    verbosity: Verbosity,
    warnings: Warnings,
}

impl Terminal {
    /// A terminal that shows findings in `format`.
    pub fn new(format: Format, verbosity: Verbosity, warnings: Warnings) -> Self {
        Self { format, verbosity, warnings }
    }

    /// The form findings are shown in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Shows findings.
    pub fn report(&self, source: &SourceFile, diagnostics: &Diagnostics) {
        write_stderr(&render(source, &self.weighed(diagnostics), self.format));
    }

    /// Shows the warnings of accepted inputs.
    ///
    /// # Errors
    ///
    /// When warnings are errors and there are any.
    pub fn warn(&self, parts: Vec<(SourceFile, Diagnostics)>) -> Result<(), Failure> {
        if parts.iter().any(|(_, found)| self.weighed(found).has_errors()) {
            return Err(Failure::about_several(ExitStatus::Rejected, parts));
        }
        parts.iter().for_each(|(source, found)| self.report(source, found));
        Ok(())
    }

    /// The findings with their warnings as the user wants them.
    fn weighed(&self, diagnostics: &Diagnostics) -> Diagnostics {
        let mut weighed = Diagnostics::new();
        for diagnostic in diagnostics {
            let mut diagnostic = diagnostic.clone();
            match (diagnostic.severity, self.warnings) {
                (Severity::Warning, Warnings::Hidden) => continue,
                (Severity::Warning, Warnings::Denied) => diagnostic.severity = Severity::Error,
                _ => {}
            }
            weighed.push(diagnostic);
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

    /// Shows on the progress bar of many inputs what is being done with the current one.
    pub fn show_work(&self, what: &str) {
        show_work(what);
    }

    /// Prints a message when progress is shown; as a finding where every line is one.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.verbosity == Verbosity::Verbose {
            self.say(text());
        }
    }

    /// Prints a message that concerns no input.
    pub fn say(&self, text: String) {
        match self.format {
            Format::Json => self.show_note(code::PROGRESS, text),
            Format::Human(_) | Format::Short => write_stderr(&format!("{text}\n")),
        }
    }

    /// Shows as a note what others printed since the last time, where it was caught.
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
    /// Shows what was found.
    pub fn report(&self, terminal: Terminal) {
        self.parts().iter().for_each(|(source, diagnostics)| terminal.report(source, diagnostics));
    }
}

/// Writes to standard error, beside the progress bar where there is one.
pub(crate) fn write_stderr(text: &str) {
    beside_bar(|| captured::write(text));
}
