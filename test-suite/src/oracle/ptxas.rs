//! Runs of ptxas, which are kept: on the same text it says the same again.
//!
//! A run is a file below `target/ptxas`, named by a hash of the program, the options and the text. Deleting the folder forgets all.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::judge::supervise;

/// What ptxas makes of a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    /// What it wrote; the name of its input is `input`.
    pub(super) said: String,
    /// What it wrote on the error stream.
    pub(super) complaint: String,
    /// How it ended, when not well.
    pub(super) ending: Option<String>,
    /// The machine code, where there is some.
    #[serde(skip)]
    pub(super) cubin: Vec<u8>,
}

impl Run {
    /// Whether ptxas accepts the text, or says in which line it does not.
    fn is_judgement(&self) -> bool {
        let said = [&self.said, &self.complaint];
        self.ending.is_none() || said.iter().any(|text| text.contains("ptxas input, line "))
    }
}

/// Lets ptxas assemble `ptx` with these options; it is killed after `limit`. Only judgements of the text are kept.
pub(super) fn run(ptxas: &Path, options: &[&str], ptx: &str, limit: Duration) -> Result<Run> {
    let kept = kept_at(ptxas, options, ptx);
    if let Some(run) = kept.as_deref().and_then(read) {
        return Ok(run);
    }
    let folder = tempfile::tempdir()?;
    let (input, output) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
    std::fs::write(&input, ptx)?;
    let mut command = Command::new(ptxas);
    let ended = supervise(command.args(options).arg(&input).arg("-o").arg(&output), limit)?;
    let without_name = |text: &str| text.replace(&*input.to_string_lossy(), "input");
    let run = Run {
        said: without_name(&ended.said),
        complaint: without_name(&ended.complaint),
        // None for a virtual architecture, or for what is refused.
        cubin: std::fs::read(&output).unwrap_or_default(),
        ending: ended.ending,
    };
    // Not what ended for another reason than the text: its time was over, the system killed it, a disk was full.
    if let Some(path) = kept.filter(|_| run.is_judgement()) {
        // A run that cannot be kept is done again the next time.
        let _ = write(&path, &run);
    }
    Ok(run)
}

/// Where a run is kept; `None` where nothing tells this program from another of its name.
fn kept_at(ptxas: &Path, options: &[&str], ptx: &str) -> Option<PathBuf> {
    let program = std::fs::metadata(ptxas).ok()?;
    let changed = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut hasher = blake3::Hasher::new();
    for part in [
        &*ptxas.to_string_lossy(),
        &format!("{} {}", program.len(), changed.as_nanos()),
        &options.join(" "),
        ptx,
    ] {
        hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
    }
    let name = hasher.finalize().to_hex();
    Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/ptxas").join(&name[..2]).join(&name[2..]))
}

/// A kept run: a line of JSON, and the machine code.
fn read(path: &Path) -> Option<Run> {
    let bytes = std::fs::read(path).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let run: Run = serde_json::from_slice(&bytes[..end]).ok()?;
    Some(Run { cubin: bytes[end + 1..].to_vec(), ..run })
}

/// Writes in one move: several programs may keep the same run.
fn write(path: &Path, run: &Run) -> Result<()> {
    let folder = path.parent().context("no folder")?;
    std::fs::create_dir_all(folder)?;
    let mut bytes = serde_json::to_vec(run)?;
    bytes.push(b'\n');
    bytes.extend(&run.cubin);
    let file = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(file.path(), bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_run_is_read_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ab/cd");
        assert_eq!(read(&path), None);
        let run = Run {
            said: "a\nb".to_owned(),
            complaint: "input, line 2".to_owned(),
            ending: None,
            cubin: vec![0, b'\n', 255],
        };
        write(&path, &run).unwrap();
        assert_eq!(read(&path), Some(run));
        std::fs::write(&path, "no JSON\n").unwrap();
        assert_eq!(read(&path), None);
    }

    #[test]
    fn only_judgements_are_kept() {
        let run = |complaint: &str, ending: Option<&str>| Run {
            said: String::new(),
            complaint: complaint.to_owned(),
            ending: ending.map(str::to_owned),
            cubin: Vec::new(),
        };
        assert!(run("", None).is_judgement());
        assert!(run("ptxas input, line 7; error   : x", Some("exit status: 255")).is_judgement());
        assert!(!run("", Some("signal: 9 (SIGKILL)")).is_judgement());
        assert!(!run("ptxas fatal   : Could not open output file", Some("exit status: 1")).is_judgement());
    }

    #[test]
    fn runs_differ_by_program_options_and_text() {
        let program = std::env::current_exe().unwrap();
        let at = |options: &[&str], ptx: &str| kept_at(&program, options, ptx).unwrap();
        assert_eq!(at(&["-v"], "x"), at(&["-v"], "x"));
        assert_ne!(at(&["-v"], "x"), at(&["-v"], "y"));
        assert_ne!(at(&["-v"], "x"), at(&["-w"], "x"));
        assert_eq!(kept_at(Path::new("/nowhere/ptxas"), &[], "x"), None);
    }
}
