//! Reading the input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ptx_diag::{Diagnostic, SourceFile};

use crate::code;

/// What findings call standard input.
pub const STDIN_NAME: &str = "<stdin>";

/// Reads a file, or standard input when the path is `-`.
///
/// # Errors
///
/// A finding without a place when the input cannot be read or is larger than 4 GiB.
pub fn read_input(path: &Path) -> Result<SourceFile, Diagnostic> {
    let (name, result) = if path == Path::new("-") {
        (STDIN_NAME.to_owned(), read_limited(io::stdin().lock()))
    } else {
        (path.display().to_string(), File::open(path).and_then(read_limited))
    };
    let bytes = result.map_err(|error| {
        Diagnostic::error_without_place(code::UNREADABLE, format!("cannot read `{name}`: {error}"))
    })?;
    if bytes.len() as u64 > u64::from(u32::MAX) {
        let message = format!("`{name}` is larger than 4 GiB");
        return Err(Diagnostic::error_without_place(code::TOO_LARGE, message));
    }
    Ok(SourceFile::new(name, bytes))
}

/// Reads everything, but not much more than can be accepted.
fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(u64::from(u32::MAX) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
