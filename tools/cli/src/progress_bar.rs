//! The progress bar that is on the screen, which makes room for what is written.

use std::sync::Mutex;

use indicatif::ProgressBar;

/// The progress bar, while there is one.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    if let Ok(mut current) = BAR.lock() {
        *current = bar;
    }
}

/// Writes to a stream that may be the progress bar's terminal, which is not on the screen meanwhile.
pub(crate) fn beside_bar<T>(write: impl FnOnce() -> T) -> T {
    // Where LLVM has failed nothing is waited for.
    match BAR.try_lock().ok().and_then(|bar| bar.clone()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
