//! Reads input files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ptx_diag::{Diagnostic, SourceFile};

use crate::code;
use crate::failure::{ExitStatus, Failure};
use crate::program::note_input;

/// The name of standard input in diagnostics.
pub const STDIN_NAME: &str = "<stdin>";

/// Reads a file, or standard input if the path is `-`.
///
/// # Errors
///
/// A diagnostic without a location if the input cannot be read or is larger than 4 GiB.
pub fn read_input(path: &Path) -> Result<SourceFile, Failure> {
    let name = if path == Path::new("-") { STDIN_NAME.to_owned() } else { path.display().to_string() };
    note_input(&name);
    let reject = |code, message: String| {
        Failure::about(ExitStatus::Rejected, &name, Diagnostic::error_without_place(code, message))
    };
    let too_large = || {
        let finding =
            Diagnostic::error_without_place(code::TOO_LARGE, format!("`{name}` is larger than 4 GiB"))
                .with_help("split it: positions are counted in 32 bits");
        Failure::about(ExitStatus::Rejected, &name, finding)
    };
    // A file that is known to be too large is not read at all.
    let size =
        |path: &Path| std::fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.len());
    if path != Path::new("-") && size(path).is_some_and(|size| size > u64::from(u32::MAX)) {
        return Err(too_large());
    }
    let bytes =
        read(path).map_err(|error| reject(code::UNREADABLE, format!("cannot read `{name}`: {error}")))?;
    if bytes.len() as u64 > u64::from(u32::MAX) {
        return Err(too_large());
    }
    Ok(SourceFile::new(name, bytes))
}

/// The maximum number of bytes that are read from files of unknown size, such as pipes and endless devices.
const MOST_UNKNOWN: u64 = 1 << 30;

/// The reason why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    /// An error of the system.
    System(io::Error),
    /// It is too large; it has at least this number of bytes.
    TooLarge(u64),
}

/// Reads a file of at most `most` bytes. A file that is known to have more is not read at all. Of a file of unknown size, such as
/// `/dev/zero`, at most 1 GiB is read.
///
/// # Errors
///
/// See [`ReadError`].
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path).map_err(ReadError::System)?;
    let metadata = file.metadata().map_err(ReadError::System)?;
    // Files of the kernel, as in `/proc`, are regular files of size zero.
    let known = Some(metadata.len()).filter(|len| metadata.is_file() && *len > 0);
    if let Some(len) = known.filter(|len| *len > most) {
        return Err(ReadError::TooLarge(len));
    }
    let most = if known.is_some() { most } else { most.min(MOST_UNKNOWN) };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::System)?;
    let len = bytes.len() as u64;
    if len > most { Err(ReadError::TooLarge(len)) } else { Ok(bytes) }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        read_limited(io::stdin().lock())
    } else {
        File::open(path).and_then(read_limited)
    }
}

/// Reads everything, up to one byte more than the maximum size of an input.
fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(u64::from(u32::MAX) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_more_bytes_than_allowed_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("large");
        // A sparse file that is larger than this machine's memory.
        File::create(&path).and_then(|file| file.set_len(1 << 42)).expect("a file");
        assert!(matches!(read_at_most(&path, 1 << 34), Err(ReadError::TooLarge(len)) if len == 1 << 42));
        std::fs::write(&path, b"1234").expect("a file");
        assert_eq!(read_at_most(&path, 4).expect("read"), b"1234");
        assert!(matches!(read_at_most(&path, 3), Err(ReadError::TooLarge(4))));
        assert!(matches!(read_at_most(&folder.path().join("none"), 3), Err(ReadError::System(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_that_never_ends_is_read_up_to_the_limit() {
        assert!(matches!(read_at_most(Path::new("/dev/zero"), 1000), Err(ReadError::TooLarge(1001))));
        assert_eq!(read_at_most(Path::new("/dev/null"), 1000).expect("empty"), b"");
    }
}
