//! Writing the output: whole or not at all.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use ptx_diag::Diagnostic;

use crate::code;
use crate::failure::{ExitStatus, Failure};
use crate::progress_bar::beside_bar;

/// Where a tool's product goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file, which is replaced in one step.
    File(PathBuf),
}

impl Output {
    /// The output named on the command line; `-` and nothing mean standard output.
    pub fn from_argument(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Output::File(path.to_owned()),
            _ => Output::Stdout,
        }
    }

    /// Writes the whole product.
    ///
    /// A regular file is written beside its final place and then renamed, so that a reader never sees half of it and a
    /// failure leaves the old one. Devices and pipes are written to directly, and a link's target is what is replaced.
    ///
    /// # Errors
    ///
    /// A finding without a place. A reader of standard output that has gone away is none.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let (name, result) = match self {
            Output::Stdout => ("<stdout>".to_owned(), write_stdout(bytes)),
            Output::File(path) => (path.display().to_string(), write_file(path, bytes)),
        };
        result.map_err(|error| {
            let message = format!("cannot write `{name}`: {error}");
            let finding = Diagnostic::error_without_place(code::UNWRITABLE, message);
            Failure::about(ExitStatus::Rejected, &name, finding)
        })
    }
}

/// Refuses binary output to a terminal, as LLVM's tools do.
///
/// # Errors
///
/// Wrong usage when the output is standard output and that is a terminal.
pub fn refuse_terminal(output: &Output, what: &str) -> Result<(), Failure> {
    if *output != Output::Stdout || !io::stdout().is_terminal() {
        return Ok(());
    }
    let message = format!("{what} is not written to a terminal");
    let diagnostic = Diagnostic::error_without_place(code::USAGE, message).with_help("name a file with -o");
    Err(Failure::about(ExitStatus::Usage, "<stdout>", diagnostic))
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let write = || {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    };
    match beside_bar(write) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| followed(path));
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return fs::OpenOptions::new().write(true).open(&target)?.write_all(bytes);
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ptx-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The crate's error names the temporary file, which says nothing to whoever named another one.
    let nowhere = |error: io::Error| fs::metadata(folder).err().unwrap_or_else(|| error.kind().into());
    let mut file = builder.tempfile_in(folder).map_err(nowhere)?;
    // Written through the file alone, for the same reason.
    file.as_file_mut().write_all(bytes)?;
    if let Some(metadata) = existing {
        fs::set_permissions(file.path(), metadata.permissions())?;
    }
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Where a link to what does not exist yet points, through as many links as a system follows.
fn followed(path: &Path) -> PathBuf {
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&target) else { return target };
        // A relative link starts at the folder that contains it.
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    // A link that leads to itself: the folder that there is not gives the system's words.
    path.join("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_replaced_whole_and_keeps_its_permissions() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out");
        fs::write(&path, "old and longer").expect("writable");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
            fs::set_permissions(&path, mode).expect("ours");
        }
        let before = fs::metadata(&path).expect("there").permissions();
        write_file(&path, b"new").expect("writable");
        assert_eq!(fs::read(&path).expect("there"), b"new");
        assert_eq!(fs::metadata(&path).expect("there").permissions(), before);
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "the temporary file is gone");
    }

    #[test]
    fn missing_folder_is_an_error_in_the_systems_words() {
        let error = write_file(Path::new("/nonexistent-folder/out"), b"x").expect_err("nowhere");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains(".ptx-"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn link_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").expect("writable");
        std::os::unix::fs::symlink(&target, &link).expect("ours");
        write_file(&link, b"new").expect("writable");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&target).expect("there"), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn dangling_link_stays_and_its_target_is_made() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::os::unix::fs::symlink("target", &link).expect("ours");
        write_file(&link, b"new").expect("writable");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&target).expect("made"), b"new");
        let round = folder.path().join("round");
        std::os::unix::fs::symlink("round", &round).expect("ours");
        assert!(write_file(&round, b"new").is_err(), "a link to itself leads nowhere");
        assert!(fs::symlink_metadata(&round).expect("there").is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn device_is_written_to_and_not_replaced() {
        write_file(Path::new("/dev/null"), b"x").expect("takes everything");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }
}
