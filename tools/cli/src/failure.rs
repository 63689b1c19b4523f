//! Why a tool could not do its work, and the exit status that it ends with.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};

/// How a tool ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// All went well.
    Ok,
    /// The input was rejected, or input or output failed.
    Rejected,
    /// The command line makes no sense.
    Usage,
    /// An execution failed: trap, deadlock, time-out, bad access.
    Failed,
}

impl ExitStatus {
    /// The number the system sees.
    pub const fn number(self) -> u8 {
        match self {
            ExitStatus::Ok => 0,
            ExitStatus::Rejected => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Failed => 3,
        }
    }
}

/// Why a tool could not do its work: what it found, about which input, and how it ends.
#[derive(Debug)]
pub struct Failure(Box<Report>);

#[derive(Debug)]
struct Report {
    status: ExitStatus,
    parts: Vec<(SourceFile, Diagnostics)>,
}

impl Failure {
    /// The findings given about `source` end the tool with `status`.
    pub fn new(status: ExitStatus, source: SourceFile, diagnostics: Diagnostics) -> Self {
        Self::about_several(status, vec![(source, diagnostics)])
    }

    /// The findings given about several inputs end the tool with `status`.
    pub fn about_several(status: ExitStatus, parts: Vec<(SourceFile, Diagnostics)>) -> Self {
        Self(Box::new(Report { status, parts }))
    }

    /// How the tool ends.
    pub fn status(&self) -> ExitStatus {
        self.0.status
    }

    /// What was found, with the input that it is about.
    pub(crate) fn parts(&self) -> &[(SourceFile, Diagnostics)] {
        &self.0.parts
    }

    /// One finding about the file `name` as a whole.
    pub fn about(status: ExitStatus, name: &str, diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        Self::new(status, SourceFile::new(name, Vec::new()), diagnostics)
    }
}

/// The input is rejected for what was found.
pub fn rejected(source: &SourceFile, diagnostics: Diagnostics) -> Failure {
    Failure::new(ExitStatus::Rejected, source.clone(), diagnostics)
}

/// The input is rejected, or the user is, when it is the text of `--passes` that is wrong.
pub fn usage_or_rejected(source: &SourceFile, diagnostics: Diagnostics) -> Failure {
    let by_user = diagnostics.iter().any(|found| found.code == ptx_driver::code::PIPELINE);
    let status = if by_user { ExitStatus::Usage } else { ExitStatus::Rejected };
    Failure::new(status, source.clone(), diagnostics)
}
