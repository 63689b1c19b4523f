//! Reading the input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ptx_diag::{Diagnostic, SourceFile};

use crate::code;
use crate::failure::{ExitStatus, Failure};
use crate::program::note_input;

/// What findings call standard input.
pub const STDIN_NAME: &str = "<stdin>";

/// Reads a file, or standard input when the path is `-`.
///
/// # Errors
///
/// A finding without a place when the input cannot be read or is larger than 4 GiB.
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
    // What is known to be too large is not read at all.
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

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        read_limited(io::stdin().lock())
    } else {
        File::open(path).and_then(read_limited)
    }
}

/// Reads everything, but not much more than can be accepted.
fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(u64::from(u32::MAX) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
