//! Standard error for one form of lines alone: what others write to it meanwhile is caught.
//!
//! Some of LLVM's passes print (`print<domtree>`, `aa-eval`), past every handler and straight to the descriptor. Where each line is an
//! object, what they print has to become one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::sync::{Mutex, OnceLock};

/// Standard error as it was, and the file that took its place.
struct Captured {
    own: File,
    file: Mutex<File>,
}

static CAPTURED: OnceLock<Captured> = OnceLock::new();

/// Catches from here on what is written to standard error other than by [`write`](fn@write).
///
/// # Errors
///
/// Those of the system, such as no room for a temporary file; then nothing has changed.
#[cfg(unix)]
pub(crate) fn capture() -> io::Result<()> {
    use std::os::fd::AsFd as _;

    if CAPTURED.get().is_some() {
        return Ok(());
    }
    let own = File::from(io::stderr().as_fd().try_clone_to_owned()?);
    let file = tempfile::tempfile()?;
    rustix::stdio::dup2_stderr(&file)?;
    let _ = CAPTURED.set(Captured { own, file: Mutex::new(file) });
    Ok(())
}

/// Nothing is caught where descriptors are something else.
#[cfg(not(unix))]
pub(crate) fn capture() -> io::Result<()> {
    Ok(())
}

/// The number of the descriptor that was standard error.
#[cfg(unix)]
pub(crate) fn descriptor() -> i32 {
    use std::os::fd::AsRawFd as _;

    CAPTURED.get().map_or_else(|| io::stderr().as_raw_fd(), |captured| captured.own.as_raw_fd())
}

/// The number of standard error.
#[cfg(not(unix))]
pub(crate) fn descriptor() -> i32 {
    2
}

/// Writes to what was standard error. Nothing can be reported when that itself fails.
pub(crate) fn write(text: &str) {
    let _ = match CAPTURED.get() {
        Some(captured) => (&captured.own).write_all(text.as_bytes()),
        None => io::stderr().lock().write_all(text.as_bytes()),
    };
}

/// What was caught since the last time; nothing where it cannot be read.
pub(crate) fn take() -> Option<String> {
    let captured = CAPTURED.get()?;
    // A failure of LLVM may have happened anywhere: nothing is waited for.
    let mut file = captured.file.try_lock().ok()?;
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    // The descriptor shares this file's position, so the next text begins at its start again.
    file.set_len(0).and_then(|()| file.rewind()).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}
