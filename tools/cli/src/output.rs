//! Writes the output, completely or not at all.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use ptx_diag::Diagnostic;

use crate::code;
use crate::failure::{ExitStatus, Failure};
use crate::progress_bar::beside_bar;

/// The destination of a tool's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file; a regular file is replaced atomically.
    File(PathBuf),
}

/// The target of a path.
enum Target {
    /// A descriptor of this process (`/dev/stdout`, `/dev/fd/3`), by its number.
    Descriptor(u32),
    /// A pipe, a device or a socket.
    Stream,
    /// A regular file, or a file that does not exist yet: the path without links.
    Regular(PathBuf),
}

impl Output {
    /// The output specified on the command line; standard output for `-` or no path.
    pub fn from_argument(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Output::File(path.to_owned()),
            _ => Output::Stdout,
        }
    }

    /// Writes the whole output.
    ///
    /// A regular file is written to a temporary file in the same folder, which is then renamed, so that a reader never sees a part of it
    /// and a failure keeps the old one. Devices, pipes and descriptors (`/dev/stdout`, `>(command)` of a shell) are written directly. For a
    /// link, its target is replaced.
    ///
    /// # Errors
    ///
    /// A diagnostic without a location. It is not an error if the reader of standard output has closed it.
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

/// Rejects an output that is one of the input files, under any of its names.
///
/// # Errors
///
/// Wrong usage, with both names.
pub fn refuse_input<'p>(output: &Output, inputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let Output::File(path) = output else { return Ok(()) };
    let Some(written) = identity(path) else { return Ok(()) };
    let Some(input) = inputs.into_iter().find(|input| identity(input).as_ref() == Some(&written)) else {
        return Ok(());
    };
    let (shown, input) = (path.display(), input.display());
    let message = if shown.to_string() == input.to_string() {
        format!("the output `{shown}` is an input")
    } else {
        format!("the output `{shown}` is the same file as the input `{input}`")
    };
    let finding = Diagnostic::error_without_place(code::USAGE, message).with_help("name another file");
    Err(Failure::about(ExitStatus::Usage, "<command line>", finding))
}

/// Whether writing to one path replaces the file that was written to the other. This is never the case for streams.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (identity(one), identity(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one == other && !one.exists(),
        _ => false,
    }
}

/// An identity that is equal for all names of a regular file; `None` for other files.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

/// An identity that is equal for all names of a regular file, except hard links; `None` for other files.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    fs::canonicalize(path).ok()
}

/// Rejects binary output to a terminal, as LLVM's tools do.
///
/// # Errors
///
/// Wrong usage, if the output is standard output and that is a terminal.
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
    match target(path) {
        Target::Descriptor(1) => write_stdout(bytes),
        // Appending to a regular file keeps the text that the descriptor's owner has written before.
        Target::Descriptor(_) => fs::OpenOptions::new().append(true).open(path)?.write_all(bytes),
        // Opened by the original path, because the target of a descriptor's path has no name.
        Target::Stream => fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Target::Regular(target) => replace_file(&target, bytes),
    }
}

/// Resolves the target of a path, through as many links as the system follows.
fn target(path: &Path) -> Target {
    const MOST: usize = 40;
    let mut next = path.to_owned();
    for _ in 0..MOST {
        if let Some(number) = descriptor(&next) {
            return Target::Descriptor(number);
        }
        let Ok(link) = fs::read_link(&next) else { break };
        // A relative link starts at the folder that contains it.
        next = next.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
    }
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Target::Stream,
        Ok(_) => Target::Regular(fs::canonicalize(path).unwrap_or(next)),
        // A link to itself: the path of a missing folder causes the system's error message.
        Err(_) if next.is_symlink() => Target::Regular(path.join("")),
        Err(_) => Target::Regular(next),
    }
}

/// The number of the descriptor of this process to which a path refers.
fn descriptor(path: &Path) -> Option<u32> {
    let number = path.strip_prefix("/dev/fd").or_else(|_| path.strip_prefix("/proc/self/fd")).ok()?;
    number.to_str()?.parse().ok()
}

fn replace_file(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let existing = fs::metadata(target).ok();
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ptx-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The crate's error has the path of the temporary file, which the user did not specify.
    let nowhere = |error: io::Error| fs::metadata(folder).err().unwrap_or_else(|| error.kind().into());
    let mut file = builder.tempfile_in(folder).map_err(nowhere)?;
    // Written with the plain file, for the same reason.
    file.as_file_mut().write_all(bytes)?;
    if let Some(metadata) = existing {
        fs::set_permissions(file.path(), metadata.permissions())?;
    }
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
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
    #[cfg(unix)]
    #[test]
    fn pipe_is_written_to_under_every_name() {
        use std::io::Read as _;
        use std::os::fd::AsRawFd as _;

        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let descriptor = writer.as_raw_fd();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(format!("/dev/fd/{descriptor}"), &link).expect("ours");
        write_file(Path::new(&format!("/dev/fd/{descriptor}")), b"one ").expect("writable");
        write_file(Path::new(&format!("/proc/self/fd/{descriptor}")), b"two ").expect("writable");
        write_file(&link, b"three").expect("writable");
        drop(writer);
        let mut all = String::new();
        reader.read_to_string(&mut all).expect("text");
        assert_eq!(all, "one two three");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn file_behind_a_descriptor_keeps_what_is_in_it() {
        use std::os::fd::AsRawFd as _;

        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(b"head ").expect("writable");
        let descriptor = file.as_file().as_raw_fd();
        write_file(Path::new(&format!("/dev/fd/{descriptor}")), b"body").expect("writable");
        assert_eq!(fs::read(file.path()).expect("there"), b"head body");
    }

    #[cfg(unix)]
    #[test]
    fn output_that_is_an_input_is_refused_under_every_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name);
        let (input, other) = (path("in"), path("other"));
        fs::write(&input, "text").expect("writable");
        fs::write(&other, "text").expect("writable");
        fs::hard_link(&input, path("hard")).expect("ours");
        std::os::unix::fs::symlink("in", path("soft")).expect("ours");
        let is_refused = |output: PathBuf| {
            refuse_input(&Output::File(output), [other.as_path(), input.as_path()]).is_err()
        };
        for name in ["in", "hard", "soft", "../in", "other"] {
            let name = match name.strip_prefix("../") {
                Some(name) => folder.path().join(".").join(name),
                None => path(name),
            };
            assert!(is_refused(name.clone()), "{}", name.display());
        }
        assert!(!is_refused(path("new")));
        let devices = ["/dev/null", "/dev/stdin"].map(Path::new);
        assert!(refuse_input(&Output::File("/dev/null".into()), devices).is_ok(), "a device may be both");
        assert!(refuse_input(&Output::Stdout, [input.as_path()]).is_ok());
    }
}
