//! Ctrl-C during a launch: where the launch is, and the end of the process.

use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Instant;

use ptx_cli::{ExitStatus, Failure, Terminal, code};
use ptx_demangle::demangled_text;
use ptx_diag::{Detail, Diagnostic};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// What can be told of a launch while it is executed.
pub struct Watched {
    /// Its blocks.
    pub blocks: u64,
    /// The number of blocks that have been started; `None` if it is not known.
    pub started: Box<dyn Fn() -> Option<u64> + Send>,
}

/// The launch that is executed.
struct Current {
    terminal: Terminal,
    kernel: String,
    begin: Instant,
    watched: Watched,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);

fn current() -> MutexGuard<'static, Option<Current>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch is reported by Ctrl-C until this is dropped.
pub struct Interruptible(());

impl Drop for Interruptible {
    fn drop(&mut self) {
        *current() = None;
    }
}

/// Reports the launch of a kernel when the user presses Ctrl-C, and ends the process with the status of a shell for that.
pub fn during(terminal: Terminal, kernel: &str, watched: Watched) -> Interruptible {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // If the system refuses the handler or the thread, Ctrl-C ends the process without a report.
        if let Ok(mut signals) = Signals::new([SIGINT]) {
            let wait = move || {
                if signals.forever().next().is_some() {
                    end();
                }
            };
            let _ = thread::Builder::new().name("interrupt".to_owned()).spawn(wait);
        }
    });
    let kernel = kernel.to_owned();
    *current() = Some(Current { terminal, kernel, begin: Instant::now(), watched });
    Interruptible(())
}

/// The kernel that is executed, and how many of its blocks have been started; `None` if none is.
pub fn progress() -> Option<String> {
    let current = current();
    let Current { kernel, watched, .. } = current.as_ref()?;
    let (name, blocks) = (demangled_text(kernel), watched.blocks);
    Some(match (watched.started)() {
        Some(started) => format!("{name}: {started} of {blocks} blocks started"),
        None => format!("{name}: {blocks} blocks"),
    })
}

/// Reports the launch, and ends the process. Nothing that the launch has computed is written.
fn end() -> ! {
    let current = current();
    if let Some(Current { terminal, kernel, begin, watched }) = &*current {
        let seconds = begin.elapsed().as_secs_f64();
        let blocks = watched.blocks;
        let started = (watched.started)();
        let progress = match started {
            Some(started) => format!("{started} of {blocks} blocks had been started"),
            None => format!("it has {blocks} blocks"),
        };
        let name = demangled_text(kernel);
        let message = format!("interrupted in the launch of kernel {name} after {seconds:.1} s; {progress}");
        let mut finding = Diagnostic::error_without_place(code::INTERRUPTED, message)
            .with_detail("kernel", Detail::Text(kernel.clone()))
            .with_detail("blocks", Detail::Number(blocks))
            .with_detail("milliseconds", Detail::Number(begin.elapsed().as_millis() as u64));
        if let Some(started) = started {
            finding = finding.with_detail("started", Detail::Number(started));
        }
        Failure::about(ExitStatus::Interrupted, "<launch>", finding).report(*terminal);
    }
    // `process::exit` runs destructors of LLVM, which the threads that compile and execute still use.
    low_level::exit(ExitStatus::Interrupted.number().into())
}
