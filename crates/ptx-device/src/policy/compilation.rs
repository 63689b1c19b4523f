//! Compilations that a launch does not wait for, or not for longer than its time limit.

use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Instant;

use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Compiler, Kernel, Kernels};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::detached::{attached, detach};
use ptx_program::Program;

/// A kernel that is to be compiled, for launches of one shape.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The compiler, with its cache.
    pub compiler: Arc<Compiler>,
    /// The kernels of the program that have been compiled.
    pub kernels: Arc<Kernels>,
    /// The program.
    pub program: Arc<Program>,
    /// The shape.
    pub launched: Launched,
}

/// The result of a compilation: a kernel, why there is none, or the panic that ended it.
pub struct Made(Result<Result<Arc<Kernel>, CompileError>, Box<dyn Any + Send>>);

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Made").field(&self.0).finish()
    }
}

impl Made {
    /// The kernel, if there is one.
    pub fn kernel(&self) -> Option<Arc<Kernel>> {
        match &self.0 {
            Ok(Ok(kernel)) => Some(kernel.clone()),
            Ok(Err(_)) | Err(_) => None,
        }
    }

    /// The result; a panic of the compilation goes on in this thread.
    ///
    /// # Errors
    /// Why the kernel was not compiled.
    pub fn get(self) -> Result<Arc<Kernel>, CompileError> {
        self.0.unwrap_or_else(|payload| resume_unwind(payload))
    }
}

impl Compilation {
    /// The kernel if it is there already, in this process or on disk, or why it is known that there is none.
    pub fn known(&self) -> Option<Result<Arc<Kernel>, CompileError>> {
        self.compiler.known(&self.kernels, &self.program, &self.launched)
    }

    /// Compiles the kernel, unless it is there already.
    ///
    /// # Errors
    /// Why it was not compiled.
    pub fn run(&self) -> Result<Arc<Kernel>, CompileError> {
        let compile = || self.compiler.kernel(&self.kernels, &self.program, &self.launched);
        attached(compile)
            .unwrap_or_else(|| Err(LlvmError::Other { message: "the process is ending".to_owned() }.into()))
    }

    /// Compiles the kernel on a thread of its own, which passes the result on. The thread may be ended by the end of the process.
    ///
    /// # Errors
    /// The host cannot start a thread.
    pub fn start(self, take: impl FnOnce(Made) + Send + 'static) -> io::Result<()> {
        detach("ptx compiler", move || Made(catch_unwind(AssertUnwindSafe(|| self.run()))), take)
    }

    /// Compiles the kernel, which is not [known](Self::known), and waits for it until a deadline; `None` if that is exceeded.
    ///
    /// # Errors
    /// Why the kernel was not compiled.
    pub fn run_until(self, deadline: Option<Instant>) -> Option<Result<Arc<Kernel>, CompileError>> {
        let Some(deadline) = deadline else { return Some(self.run()) };
        let (to, from) = channel();
        // The receiver is gone after the deadline.
        let send = move |made: Made| drop(to.send(made));
        if self.clone().start(send).is_err() {
            return Some(self.run());
        }
        match from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(made) => Some(made.get()),
            // The thread ends without a result only in a process that is ending.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }
}
