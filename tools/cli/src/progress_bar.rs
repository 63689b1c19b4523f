//! The progress bar that is on the screen, which makes room for what is written.

use std::sync::Mutex;

use indicatif::ProgressBar;

/// The progress bar, while there is one.
static BAR: Mutex<Option<Shown>> = Mutex::new(None);

/// A progress bar, with its message.
struct Shown {
    bar: ProgressBar,
    /// The input that is worked on.
    input: String,
}

pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    if let Ok(mut current) = BAR.lock() {
        *current = bar.map(|bar| Shown { bar, input: String::new() });
    }
}

/// Shows which input is worked on.
pub(crate) fn show_input(name: String) {
    if let Ok(Some(Shown { bar, input })) = BAR.lock().as_deref_mut().map(Option::as_mut) {
        bar.set_message(name.clone());
        *input = name;
    }
}

/// Shows what is being done with the input.
pub(crate) fn show_work(what: &str) {
    if let Ok(Some(Shown { bar, input })) = BAR.lock().as_deref().map(Option::as_ref) {
        bar.set_message(format!("{input}: {what}"));
    }
}

/// Writes to a stream that may be the progress bar's terminal, which is not on the screen meanwhile.
pub(crate) fn beside_bar<T>(write: impl FnOnce() -> T) -> T {
    // Where LLVM has failed nothing is waited for.
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
