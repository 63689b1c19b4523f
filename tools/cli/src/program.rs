//! Running a tool: its stack, and its end when it fails or LLVM gives up.

use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};
use std::thread;

use ptx_diag::{Diagnostic, Diagnostics, Format, SourceFile, render};
use ptx_llvm::{KernelCrash, LastWords};

use crate::failure::{ExitStatus, Failure};
use crate::terminal::{Terminal, write_stderr};
use crate::{captured, code};

/// The stack the work gets. LLVM's readers and passes recurse over nested types and expressions; the memory is only
/// taken when it is used.
const STACK_BYTES: usize = 512 << 20;

/// Runs a tool's work on a large stack, reports why it failed, and gives the exit status.
///
/// LLVM's fatal errors and crashes end the process as rejected input, in the same form as other findings. Output is
/// written by then, or not begun.
pub fn run(terminal: Terminal, work: impl FnOnce() -> Result<(), Failure> + Send) -> ExitCode {
    let _ = FATAL_TERMINAL.set(terminal);
    if terminal.format() == Format::Json {
        // Without room for what others print it stays among the lines.
        let _ = captured::capture();
        std::panic::set_hook(Box::new(move |panic| {
            let finding = Diagnostic::error_without_place(code::DEFECT, panic.to_string())
                .with_help("this is a defect of the tool; please report it");
            Failure::about(ExitStatus::Rejected, "<tool>", finding).report(terminal);
        }));
    }
    ptx_llvm::on_fatal_error(report_fatal_error);
    let status = i32::from(ExitStatus::Rejected.number());
    ptx_llvm::on_crash(LastWords { words: crash_report, descriptor: captured::descriptor(), status });
    let result = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        // A panic has printed its message already; there is nothing to add but the status.
        Ok::<_, std::io::Error>(worker.join().unwrap_or_else(|_| std::process::exit(101)))
    });
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
    ptx_llvm::detached::end_if_compiling(i32::from(status.number()));
    ExitCode::from(status.number())
}

/// LLVM's handler takes no data of its own, so it finds the terminal here.
static FATAL_TERMINAL: OnceLock<Terminal> = OnceLock::new();

/// The name of the first input that is worked on together, to which LLVM's failures are attributed.
static FATAL_INPUT: Mutex<Option<String>> = Mutex::new(None);

/// Notes what a failure of LLVM will be about; the first name stays until [`forget_input`].
pub(crate) fn note_input(name: &str) {
    if let Ok(mut noted) = FATAL_INPUT.lock() {
        noted.get_or_insert_with(|| name.to_owned());
    }
}

/// What comes next has nothing to do with the inputs so far.
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

/// How the tool ends when the code of a kernel crashes: with what `finding` makes of the signal's name, as a failed execution.
pub fn crash_of_kernel(finding: impl Fn(&str) -> Diagnostic) -> KernelCrash {
    let status = i32::from(ExitStatus::Failed.number());
    KernelCrash::new(|signal| about_llvm(finding(signal)).into_bytes(), captured::descriptor(), status)
}

/// A finding that LLVM's failure leaves no time to place, as the terminal shows it.
fn about_llvm(finding: Diagnostic) -> String {
    let Some(terminal) = FATAL_TERMINAL.get() else { return String::new() };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(finding);
    // A crash may have happened anywhere: nothing is waited for.
    let noted = FATAL_INPUT.try_lock().ok().and_then(|noted| noted.clone());
    // Default: a failure before there is an input, or while another thread notes one.
    let name = noted.unwrap_or_else(|| "<LLVM>".to_owned());
    render(&SourceFile::new(name, Vec::new()), &diagnostics, terminal.format())
}
