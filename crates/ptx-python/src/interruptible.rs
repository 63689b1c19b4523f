//! Work that Ctrl-C ends.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

use pyo3::prelude::*;

/// How often signals are asked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Does work without holding Python's lock. Python handles signals on its main thread alone: there the work is done on another thread, and
/// is stopped when the handler of a signal raises an exception, which is returned then. A handler that raises none is called, and the work goes on.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: impl Fn() + Send + Sync,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if !is_main_thread(py)? {
        return Ok(py.detach(work));
    }
    py.detach(|| {
        scope(|scope| {
            let (done, waits) = channel();
            let worker = Builder::new().name("ptx launch".to_owned()).spawn_scoped(scope, move || {
                let result = work();
                // The other end waits until the thread ends.
                let _ = done.send(());
                result
            })?;
            let mut interrupted = None;
            while waits.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    interrupted = Some(error);
                    stop();
                }
            }
            match (worker.join(), interrupted) {
                (Err(panic), _) => std::panic::resume_unwind(panic),
                (Ok(_), Some(error)) => Err(error),
                (Ok(result), None) => Ok(result),
            }
        })
    })
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("get_ident")?;
    threading.call_method0("main_thread")?.getattr("ident")?.eq(current)
}
