//! The programs that make and list machine code: `ptxas` and `nvdisasm` of a CUDA toolkit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::listing::{Item, functions};
use crate::usage::{Usage, usage};

/// How often a running program is looked at.
const STEP: Duration = Duration::from_millis(5);

/// The two programs, and how long each may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// `ptxas`.
    pub ptxas: PathBuf,
    /// `nvdisasm`.
    pub nvdisasm: PathBuf,
    /// After so long a program is ended.
    pub limit: Duration,
}

/// The machine code of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineCode {
    /// The architecture that it is for.
    pub architecture: String,
    /// What the section of each function holds.
    pub functions: BTreeMap<String, Vec<Item>>,
    /// What each function uses.
    pub usage: BTreeMap<String, Usage>,
}

/// A complaint of `ptxas`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The line of the text, from 1, if it names one.
    pub line: Option<u32>,
    /// What it is about.
    pub message: String,
}

/// Why machine code cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// A program cannot be run, or a temporary file not be used.
    #[error("cannot run `{program}`: {error}", program = .0.display(), error = .1)]
    NotRun(PathBuf, io::Error),
    /// A program did not end in time.
    #[error("`{}` did not end within {} s", .0.display(), .1.as_secs())]
    TimedOut(PathBuf, Duration),
    /// `ptxas` does not know the architecture.
    #[error("ptxas does not know `{0}`")]
    NoArchitecture(String),
    /// `ptxas` rejects the text.
    #[error("ptxas rejects the text: {}", messages(.0))]
    Rejected(Vec<Complaint>),
    /// `nvdisasm` fails, with what it printed.
    #[error("nvdisasm fails: {0}")]
    NotListed(String),
}

fn messages(complaints: &[Complaint]) -> String {
    complaints.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// What a program left.
struct Run {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Toolchain {
    /// Assembles a text with `-O3` for an architecture, and lists it with the PTX line of each instruction. A text that is not a whole program, since functions are only
    /// declared, is assembled for a linker (`-c`).
    ///
    /// # Errors
    ///
    /// `ptxas` rejects the text, or a program cannot be run or does not end.
    pub fn assemble(&self, ptx: &[u8], architecture: &str) -> Result<MachineCode, ToolchainError> {
        let not_run = |error| ToolchainError::NotRun(self.ptxas.clone(), error);
        let folder = tempfile::tempdir().map_err(not_run)?;
        let (text, cubin) = (folder.path().join("module.ptx"), folder.path().join("module.cubin"));
        std::fs::write(&text, ptx).map_err(not_run)?;
        let whole = self.run_ptxas(&text, &cubin, architecture, &[]);
        let printed = match whole {
            Err(ToolchainError::Rejected(complaints)) => {
                // The complaints about the whole program are those that help.
                self.run_ptxas(&text, &cubin, architecture, &["-c"])
                    .map_err(|_| ToolchainError::Rejected(complaints))?
            }
            other => other?,
        };
        let listed =
            self.run(&self.nvdisasm, folder.path(), |command| command.args(["-gp", "-c"]).arg(&cubin))?;
        if !listed.status.success() {
            return Err(ToolchainError::NotListed(listed.stderr.trim().to_owned()));
        }
        Ok(MachineCode {
            architecture: architecture.to_owned(),
            functions: functions(&listed.stdout),
            usage: usage(&printed),
        })
    }

    /// What `ptxas -v` prints.
    fn run_ptxas(
        &self,
        text: &Path,
        cubin: &Path,
        architecture: &str,
        more: &[&str],
    ) -> Result<String, ToolchainError> {
        let folder = text.parent().unwrap_or(Path::new("."));
        let run = self.run(&self.ptxas, folder, |command| {
            let command = command.args(["-O3", "-v", "-lineinfo"]).arg(format!("-arch={architecture}"));
            command.args(more).arg(text).arg("-o").arg(cubin)
        })?;
        // Complaints of some versions are on standard output.
        let printed = run.stderr + &run.stdout;
        if run.status.success() && cubin.exists() {
            return Ok(printed);
        }
        if printed.contains("is not defined for option 'gpu-name'") {
            return Err(ToolchainError::NoArchitecture(architecture.to_owned()));
        }
        let mut complaints: Vec<Complaint> = printed.lines().filter_map(complaint).collect();
        if complaints.is_empty() {
            let message = match printed.trim() {
                "" => format!("it ended with {} and wrote no machine code", run.status),
                printed => printed.to_owned(),
            };
            complaints.push(Complaint { line: None, message });
        }
        Err(ToolchainError::Rejected(complaints))
    }

    /// Runs a program to its end. Its output goes to files, so that it never waits for a reader.
    fn run(
        &self,
        program: &Path,
        folder: &Path,
        arguments: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Run, ToolchainError> {
        let not_run = |error| ToolchainError::NotRun(program.to_owned(), error);
        let paths = [folder.join("stdout"), folder.join("stderr")];
        let [stdout, stderr] = [File::create(&paths[0]), File::create(&paths[1])];
        let mut command = Command::new(program);
        arguments(&mut command)
            .stdin(Stdio::null())
            .stdout(stdout.map_err(not_run)?)
            .stderr(stderr.map_err(not_run)?);
        let mut child = command.spawn().map_err(not_run)?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(not_run)? {
                break status;
            }
            if start.elapsed() >= self.limit {
                // It may have ended by itself just now.
                let _ = child.kill();
                child.wait().map_err(not_run)?;
                return Err(ToolchainError::TimedOut(program.to_owned(), self.limit));
            }
            std::thread::sleep(STEP);
        };
        let read =
            |path: &PathBuf| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Run {
            status,
            stdout: read(&paths[0]).map_err(not_run)?,
            stderr: read(&paths[1]).map_err(not_run)?,
        })
    }
}

/// Reads `ptxas a.ptx, line 7; error   : sentence` and `ptxas fatal   : sentence`.
fn complaint(line: &str) -> Option<Complaint> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, message) = rest.split_once(" : ")?;
    let is_complaint = ["error", "fatal"].into_iter().any(|kind| place.trim_end().ends_with(kind));
    if !is_complaint || message.contains("aborted due to errors") {
        return None;
    }
    let number = place.rsplit_once(", line ").and_then(|(_, number)| number.split(';').next());
    Some(Complaint {
        line: number.and_then(|digits| digits.trim().parse().ok()),
        message: message.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_have_their_lines() {
        let of = |line| complaint(line).map(|one| (one.line, one.message));
        assert_eq!(
            of("ptxas /tmp/a, line 3.ptx, line 28; error   : Unknown modifier '.sunc'"),
            Some((Some(28), "Unknown modifier '.sunc'".to_owned()))
        );
        assert_eq!(of("ptxas fatal   : No such file"), Some((None, "No such file".to_owned())));
        assert_eq!(of("ptxas fatal   : Ptx assembly aborted due to errors"), None);
        assert_eq!(of("ptxas info    : 0 bytes gmem"), None);
        assert_eq!(of("ptxas a.ptx, line 3; warning : deprecated"), None);
    }
}
