//! Reading the input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ptx_diag::{Diagnostic, SourceFile};

use crate::code;
use crate::program::{ExitStatus, Failure, note_input};

/// What findings call standard input.
pub const STDIN_NAME: &str = "<stdin>";

/// Reads a file, or standard input when the path is `-`.
///
/// # Errors
///
/// A finding without a place when the input cannot be read or is larger than 4 GiB.
pub fn read_input(path: &Path) -> Result<SourceFile, Failure> {
    let (name, result) = if path == Path::new("-") {
        (STDIN_NAME.to_owned(), read_limited(io::stdin().lock()))
    } else {
        (path.display().to_string(), File::open(path).and_then(read_limited))
    };
    note_input(&name);
    let reject = |code, message: String| {
        Failure::about(ExitStatus::Rejected, &name, Diagnostic::error_without_place(code, message))
    };
    let bytes = result.map_err(|error| reject(code::UNREADABLE, format!("cannot read `{name}`: {error}")))?;
    if bytes.len() as u64 > u64::from(u32::MAX) {
        return Err(reject(code::TOO_LARGE, format!("`{name}` is larger than 4 GiB")));
    }
    Ok(SourceFile::new(name, bytes))
}

/// Reads everything, but not much more than can be accepted.
fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(u64::from(u32::MAX) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
