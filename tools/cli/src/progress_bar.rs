//! The progress bar on the screen, which is hidden while other text is written.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The progress bar, while there is one.
static BAR: Mutex<Option<Shown>> = Mutex::new(None);

/// A progress bar, with its message.
struct Shown {
    bar: ProgressBar,
    /// The input that is being processed.
    input: String,
    /// Whether it is the bar of a [`Spinner`].
    spins: bool,
}

/// The current step, also while there is no bar.
static WORK: Mutex<String> = Mutex::new(String::new());

/// Describes how far the current step is, if that is known.
type Progress = fn() -> Option<String>;

/// The function that describes the current step.
static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);

/// Has a function called now and then whose text the progress bar shows in place of the name of the step, unless it is `None`.
pub fn show_progress_of(progress: fn() -> Option<String>) {
    if let Ok(mut current) = PROGRESS.lock() {
        *current = Some(progress);
    }
}

/// Whether a spinner would be in the way of the tool's output.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Shows no spinner from now on: the tool writes many lines while it works.
pub fn hide_spinner() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// How long work takes before a spinner appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two changes of a spinner.
const TICK: Duration = Duration::from_millis(200);

/// A bar for work whose length is not known, with the current step and the time. It appears once the work takes longer than a moment, and not beside the bar of several
/// inputs; when this is dropped it disappears.
pub(crate) struct Spinner {
    /// Dropped to end the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// A spinner on standard error; `None` if that is not a terminal.
    pub(crate) fn start() -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || spin(&stopped)).ok()?;
        Some(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Shows a spinner until the other end of the channel is dropped or another bar is shown.
fn spin(stopped: &mpsc::Receiver<()>) {
    let goes_on = |wait| stopped.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout);
    if !goes_on(PATIENCE) || HIDDEN.load(Ordering::Relaxed) {
        return;
    }
    let bar = ProgressBar::new_spinner().with_elapsed(PATIENCE);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        bar.set_style(style);
    }
    match BAR.lock() {
        Ok(mut current) if current.is_none() => {
            *current = Some(Shown { bar: bar.clone(), input: String::new(), spins: true });
        }
        Ok(_) | Err(_) => return,
    }
    loop {
        bar.set_message(step());
        bar.tick();
        let is_shown = || BAR.lock().is_ok_and(|shown| shown.as_ref().is_some_and(|shown| shown.spins));
        if !goes_on(TICK) || !is_shown() {
            break;
        }
    }
    bar.finish_and_clear();
    if let Ok(mut current) = BAR.lock()
        && current.as_ref().is_some_and(|shown| shown.spins)
    {
        *current = None;
    }
}

/// What is being done: how far the current step is, or its name.
fn step() -> String {
    let progress = PROGRESS.lock().ok().and_then(|progress| *progress);
    match progress.and_then(|progress| progress()) {
        Some(text) => text,
        None => WORK.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    if let Ok(mut current) = BAR.lock() {
        *current = bar.map(|bar| Shown { bar, input: String::new(), spins: false });
    }
}

/// Shows the input that is being processed.
pub(crate) fn show_input(name: String) {
    if let Ok(Some(Shown { bar, input, .. })) = BAR.lock().as_deref_mut().map(Option::as_mut) {
        bar.set_message(name.clone());
        *input = name;
    }
}

/// Shows the current step for the input.
pub(crate) fn show_work(what: &str) {
    if let Ok(mut work) = WORK.lock() {
        what.clone_into(&mut work);
    }
    if let Ok(Some(Shown { bar, input, spins: false })) = BAR.lock().as_deref().map(Option::as_ref) {
        bar.set_message(format!("{input}: {what}"));
    }
}

/// Writes to a stream that may be the terminal of the progress bar, which is hidden meanwhile.
pub(crate) fn beside_bar<T>(write: impl FnOnce() -> T) -> T {
    // LLVM may have failed while the lock is held, so this must not wait for it.
    let bar = BAR.try_lock().ok().and_then(|shown| Some(shown.as_ref()?.bar.clone()));
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_what_is_done_with_which_input() {
        let bar = ProgressBar::hidden();
        set_bar(Some(bar.clone()));
        show_input("a.ptx".to_owned());
        assert_eq!(bar.message(), "a.ptx");
        show_work("compile");
        assert_eq!(bar.message(), "a.ptx: compile");
        show_input("b.ptx".to_owned());
        assert_eq!(bar.message(), "b.ptx");
        set_bar(None);
        show_work("compile");
        assert_eq!(bar.message(), "b.ptx");
        assert_eq!(step(), "compile");
        show_progress_of(|| Some("k: 3 of 4 blocks".to_owned()));
        assert_eq!(step(), "k: 3 of 4 blocks");
    }
}
