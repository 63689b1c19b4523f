//! Captures the text that other code writes to standard error, so that all its lines have the same form.
//!
//! Some of LLVM's passes print (`print<domtree>`, `aa-eval`) directly to the descriptor, without a handler. If each line has to be a JSON
//! object, their text has to be converted to one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::sync::{Mutex, OnceLock};

/// The original standard error, and the file that replaces it.
struct Captured {
    own: File,
    file: Mutex<File>,
}

static CAPTURED: OnceLock<Captured> = OnceLock::new();

/// Starts to capture all text that is written to standard error, except by [`write`](fn@write).
///
/// # Errors
///
/// Those of the system, such as no space for a temporary file. Then nothing is captured.
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

/// Nothing is captured on systems without such descriptors.
#[cfg(not(unix))]
pub(crate) fn capture() -> io::Result<()> {
    Ok(())
}

/// The number of the descriptor of the original standard error.
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

/// Writes to the original standard error. A failure to do so cannot be reported.
pub(crate) fn write(text: &str) {
    let _ = match CAPTURED.get() {
        Some(captured) => (&captured.own).write_all(text.as_bytes()),
        None => io::stderr().lock().write_all(text.as_bytes()),
    };
}

/// The text captured since the last call; `None` if there is none or it cannot be read.
pub(crate) fn take() -> Option<String> {
    let captured = CAPTURED.get()?;
    // A failure of LLVM may happen while the lock is held, so this must not wait for it.
    let mut file = captured.file.try_lock().ok()?;
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    // The descriptor shares this file's position, so the next text is written at its start.
    file.set_len(0).and_then(|()| file.rewind()).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}
