//! The failure of a tool, and its exit status.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};

/// The name of the command line in diagnostics.
const COMMAND_LINE: &str = "<command line>";

/// The exit status of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// Success.
    Ok,
    /// The input was rejected, or input or output failed.
    Rejected,
    /// The command line is invalid.
    Usage,
    /// An execution failed: trap, deadlock, time-out, bad access.
    Failed,
    /// The user interrupted the tool.
    Interrupted,
}

impl ExitStatus {
    /// The number that is returned to the system.
    pub const fn number(self) -> u8 {
        match self {
            ExitStatus::Ok => 0,
            ExitStatus::Rejected => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Failed => 3,
            // As a shell has it for a process that SIGINT ends.
            ExitStatus::Interrupted => 130,
        }
    }
}

/// The failure of a tool: diagnostics about inputs, and the exit status.
#[derive(Debug)]
pub struct Failure(Box<Report>);

#[derive(Debug)]
struct Report {
    status: ExitStatus,
    parts: Vec<(SourceFile, Diagnostics)>,
}

impl Failure {
    /// A failure with diagnostics about `source` and an exit status.
    pub fn new(status: ExitStatus, source: SourceFile, diagnostics: Diagnostics) -> Self {
        Self::about_several(status, vec![(source, diagnostics)])
    }

    /// A failure with diagnostics about several inputs and an exit status.
    pub fn about_several(status: ExitStatus, parts: Vec<(SourceFile, Diagnostics)>) -> Self {
        Self(Box::new(Report { status, parts }))
    }

    /// The same with another exit status.
    #[must_use]
    pub fn with_status(mut self, status: ExitStatus) -> Self {
        self.0.status = status;
        self
    }

    /// The exit status.
    pub fn status(&self) -> ExitStatus {
        self.0.status
    }

    /// The diagnostics with their inputs.
    pub fn parts(&self) -> &[(SourceFile, Diagnostics)] {
        &self.0.parts
    }

    /// Both failures, with the exit status of the first.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.parts.extend(other.0.parts);
        self
    }

    /// The failure with the name of an input in place of the command line, which is the same for several inputs.
    #[must_use]
    pub(crate) fn of_input(mut self, name: &str) -> Self {
        for (source, _) in &mut self.0.parts {
            if source.name() == COMMAND_LINE {
                *source = SourceFile::new(name, Vec::new());
            }
        }
        self
    }

    /// A failure with one diagnostic about the file `name` as a whole.
    pub fn about(status: ExitStatus, name: &str, diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        Self::new(status, SourceFile::new(name, Vec::new()), diagnostics)
    }
}

/// The failure that an input is rejected with these diagnostics.
pub fn rejected(source: &SourceFile, diagnostics: Diagnostics) -> Failure {
    Failure::new(ExitStatus::Rejected, source.clone(), diagnostics)
}

/// The failure that an input is rejected, or wrong usage if the text of `--passes` is invalid or a plugin cannot be loaded.
pub fn usage_or_rejected(source: &SourceFile, diagnostics: Diagnostics) -> Failure {
    let of_user = [ptx_driver::code::PIPELINE, ptx_driver::code::PLUGIN];
    let by_user = diagnostics.iter().any(|found| of_user.contains(&found.code));
    let status = if by_user { ExitStatus::Usage } else { ExitStatus::Rejected };
    Failure::new(status, source.clone(), diagnostics)
}
