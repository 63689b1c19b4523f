//! A launch that the interpreter executes while its kernel is compiled, and that begins anew as compiled code.

use std::sync::{Arc, Mutex, PoisonError};

use ptx_exec::Report;
use ptx_exec::engine::Interpretation;
use ptx_host::{CompileError, Kernel};

use super::{Compilation, Made};

/// Which of the two was ready first.
#[derive(Debug)]
pub enum Raced {
    /// The interpreter ended the launch. If the kernel was to be compiled and that failed meanwhile, the reason.
    Interpreted(Report, Option<CompileError>),
    /// There is code, and the launch was abandoned: what it has stored until then is to be discarded.
    Compiled(Arc<Kernel>),
}

#[derive(Default)]
struct Result {
    made: Option<Made>,
    is_over: bool,
}

/// Has the interpreter execute a launch, and the kernel be compiled meanwhile once `steps` instructions of warps have been
/// executed; `tell` is called then. Compiled code is not launched here: it needs memory that the launch has not changed.
pub fn race(
    interpretation: Interpretation,
    compilation: Compilation,
    steps: u64,
    tell: impl FnOnce() + Send + 'static,
) -> Raced {
    let result = Arc::new(Mutex::new(Result::default()));
    let (relay, to) = (interpretation.relay(), result.clone());
    interpretation.notify_at(steps, move || {
        tell();
        // If the host refuses a thread, the interpreter goes on to the end.
        let _ = compilation.start(move |made| {
            let mut result = to.lock().unwrap_or_else(PoisonError::into_inner);
            if result.is_over {
                return;
            }
            if made.kernel().is_some() {
                relay.abandon();
            }
            result.made = Some(made);
        });
    });
    let interpreted = interpretation.run();
    let made = {
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        result.is_over = true;
        result.made.take()
    };
    match made.map(Made::get) {
        // Clusters that were abandoned count as stopped, so that a launch without an error is complete.
        Some(Ok(kernel)) if interpreted.result.is_err() => Raced::Compiled(kernel),
        Some(Ok(_)) | None => Raced::Interpreted(interpreted, None),
        Some(Err(error)) => Raced::Interpreted(interpreted, Some(error)),
    }
}
