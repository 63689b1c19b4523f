//! The progress bar on the screen, which is hidden while other text is written.

use std::sync::Mutex;

use indicatif::ProgressBar;

/// The progress bar, while there is one.
static BAR: Mutex<Option<Shown>> = Mutex::new(None);

/// A progress bar, with its message.
struct Shown {
    bar: ProgressBar,
    /// The input that is being processed.
    input: String,
}

pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    if let Ok(mut current) = BAR.lock() {
        *current = bar.map(|bar| Shown { bar, input: String::new() });
    }
}

/// Shows the input that is being processed.
pub(crate) fn show_input(name: String) {
    if let Ok(Some(Shown { bar, input })) = BAR.lock().as_deref_mut().map(Option::as_mut) {
        bar.set_message(name.clone());
        *input = name;
    }
}

/// Shows the current step for the input.
pub(crate) fn show_work(what: &str) {
    if let Ok(Some(Shown { bar, input })) = BAR.lock().as_deref().map(Option::as_ref) {
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
    }
}
