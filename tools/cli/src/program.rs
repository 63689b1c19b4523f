//! Runs a tool: its stack, and its exit after its own failures and those of LLVM.

use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};
use std::thread;

use ptx_diag::{Diagnostic, Diagnostics, Format, SourceFile, render};
use ptx_llvm_core::{KernelCrash, LastWords};

use crate::failure::{ExitStatus, Failure};
use crate::progress_bar::Spinner;
use crate::terminal::{Terminal, write_stderr};
use crate::{captured, code};

/// The stack size of the tool's work. LLVM's readers and passes recurse over nested types and expressions; the memory is
/// only committed when it is used.
const STACK_BYTES: usize = 512 << 20;

/// Runs a tool's work on a large stack, reports its failure, and returns the exit status.
///
/// LLVM's fatal errors and crashes end the process as rejected input, in the same form as other diagnostics. The output is
/// either complete at that point or not begun.
pub fn run(terminal: Terminal, work: impl FnOnce() -> Result<(), Failure> + Send) -> ExitCode {
    let _ = FATAL_TERMINAL.set(terminal);
    if terminal.format() == Format::Json {
        // If there is no space to capture the text of other code, it remains between the lines.
        let _ = captured::capture();
        std::panic::set_hook(Box::new(move |panic| {
            let finding = Diagnostic::error_without_place(code::DEFECT, panic.to_string())
                .with_help("this is a defect of the tool; please report it");
            Failure::about(ExitStatus::Rejected, "<tool>", finding).report(terminal);
        }));
    }
    ptx_llvm_core::on_fatal_error(report_fatal_error);
    let status = i32::from(ExitStatus::Rejected.number());
    ptx_llvm_core::on_crash(LastWords { words: crash_report, descriptor: captured::descriptor(), status });
    let spinner = if terminal.shows_progress() { Spinner::start() } else { None };
    let result = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        // A panic has already printed its message; only the status is left to return.
        Ok::<_, std::io::Error>(worker.join().unwrap_or_else(|_| std::process::exit(101)))
    });
    drop(spinner);
    terminal.show_captured();
    let status = match result {
        Ok(Ok(())) => ExitStatus::Ok,
        Ok(Err(failure)) => {
            failure.report(terminal);
            failure.status()
        }
        Err(error) => {
            let message = format!("cannot start a thread: {error}");
            let finding = Diagnostic::error_without_place(code::DEFECT, message);
            Failure::about(ExitStatus::Rejected, "<host>", finding).report(terminal);
            ExitStatus::Rejected
        }
    };
    // A launch may have ended before its kernel was compiled.
    ptx_llvm_core::detached::end_if_compiling(i32::from(status.number()));
    ExitCode::from(status.number())
}

/// LLVM's handler has no user data, so it reads the terminal here.
static FATAL_TERMINAL: OnceLock<Terminal> = OnceLock::new();

/// The name of the first of the inputs that are processed together, to which LLVM's failures are attributed.
static FATAL_INPUT: Mutex<Option<String>> = Mutex::new(None);

/// Sets the input to which a failure of LLVM is attributed; the first one remains until [`forget_input`].
pub(crate) fn note_input(name: &str) {
    if let Ok(mut noted) = FATAL_INPUT.lock() {
        noted.get_or_insert_with(|| name.to_owned());
    }
}

/// Clears the input to which failures of LLVM are attributed.
pub(crate) fn forget_input() {
    if let Ok(mut noted) = FATAL_INPUT.lock() {
        *noted = None;
    }
}

fn report_fatal_error(reason: &str) -> ! {
    let finding = Diagnostic::error_without_place(code::LLVM_FATAL, format!("fatal error in LLVM: {reason}"));
    if let Some(terminal) = FATAL_TERMINAL.get() {
        terminal.show_captured();
    }
    write_stderr(&about_llvm(finding));
    std::process::exit(i32::from(ExitStatus::Rejected.number()))
}

fn crash_report(signal: &str) -> Vec<u8> {
    let message = format!("fatal error in LLVM: it crashed ({signal})");
    let finding = Diagnostic::error_without_place(code::LLVM_FATAL, message)
        .with_help("if LLVM's opt or llc crash on it as well, the defect is in LLVM, otherwise in this tool");
    about_llvm(finding).into_bytes()
}

/// The handler for crashes of a kernel's code: it reports the diagnostic that `finding` returns for the signal's name, as a failed execution.
pub fn crash_of_kernel(finding: impl Fn(&str) -> Diagnostic) -> KernelCrash {
    let status = i32::from(ExitStatus::Failed.number());
    KernelCrash::new(|signal| about_llvm(finding(signal)).into_bytes(), captured::descriptor(), status)
}

/// Renders a diagnostic without a location about a failure of LLVM, in the format of the terminal.
fn about_llvm(finding: Diagnostic) -> String {
    let Some(terminal) = FATAL_TERMINAL.get() else { return String::new() };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(finding);
    // A crash may happen while the lock is held, so this must not wait for it.
    let noted = FATAL_INPUT.try_lock().ok().and_then(|noted| noted.clone());
    // Default: a failure before there is an input, or while another thread sets one.
    let name = noted.unwrap_or_else(|| "<LLVM>".to_owned());
    render(&SourceFile::new(name, Vec::new()), &diagnostics, terminal.format())
}
