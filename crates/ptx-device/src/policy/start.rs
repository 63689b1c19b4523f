//! How a launch begins: the meaning of an [`Engine`], for devices and `ptxrun` alike.

use std::sync::Arc;
use std::time::Instant;

use ptx_diag::{Code, Diagnostic};
use ptx_exec::engine::Checked;
use ptx_host::{CompileError, Kernel};
use ptx_llvm_core::LlvmError;
use ptx_program::Program;

use super::{Compilation, may_be_short};
use crate::Engine;

/// How a launch begins.
#[derive(Debug)]
pub enum Start {
    /// In the interpreter, where it also ends; with the reason if that is not the engine asked for.
    Interpreted(Option<NotCompiled>),
    /// As compiled code.
    Compiled(Arc<Kernel>),
    /// In the interpreter, until its kernel is compiled.
    Both(Compilation),
}

/// Why a launch does not begin.
#[derive(Debug)]
pub enum NotStarted {
    /// Compiled code was asked for, and there is none.
    NotCompiled(NotCompiled),
    /// The kernel was not compiled in time.
    TimedOut,
}

/// When a kernel that has not been compiled is, with [`Engine::Automatic`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Before the launch begins.
    AtOnce,
    /// Once the launch has turned out to be long, unless it cannot be short ([`may_be_short`]).
    OnceLong,
}

/// Why the kernel of a launch is not compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCompiled {
    why: String,
    /// The instruction, if one is responsible.
    pc: Option<u32>,
    is_defect: bool,
}

impl NotCompiled {
    /// For a reason that no instruction is responsible for.
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), pc: None, is_defect: false }
    }

    /// The reason, without its location.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Whether LLVM rejected the code, which is a defect.
    pub fn is_defect(&self) -> bool {
        self.is_defect
    }

    /// The reason as an error at the instruction of the program, after a text on what follows from it.
    pub fn finding(&self, program: &Program, code: Code, consequence: &str) -> Diagnostic {
        let message = format!("{consequence}: {}", self.why);
        let origin = self.pc.and_then(|pc| Some((pc, program.origins.get(pc as usize)?)));
        match origin {
            Some((pc, origin)) => Diagnostic::error(code, origin.span, message).with_label(program.label(pc)),
            None => Diagnostic::error_without_place(code, message),
        }
    }
}

impl From<CompileError> for NotCompiled {
    fn from(error: CompileError) -> Self {
        let error = match error {
            CompileError::Refused(refusal) => {
                return Self { pc: Some(refusal.pc), ..Self::new(refusal.why) };
            }
            CompileError::Llvm(error) => error,
        };
        let is_missing = matches!(error, LlvmError::Missing { .. });
        let what = if is_missing { "" } else { "LLVM rejected the code of the kernel: " };
        let is_defect = !is_missing && !matches!(error, LlvmError::Target { .. });
        Self { is_defect, ..Self::new(format!("{what}{error}")) }
    }
}

/// How a launch begins, compiling its kernel if that comes before it; `tell` is called then.
///
/// # Errors
/// With [`Engine::Compiled`], why there is no code; for any engine, that the kernel was not compiled by the deadline.
pub fn start(
    engine: Engine,
    launch: &Checked<'_>,
    when: When,
    deadline: Option<Instant>,
    compilation: impl FnOnce() -> Result<Compilation, CompileError>,
    tell: impl FnOnce(),
) -> Result<Start, NotStarted> {
    let interpreted = |why: NotCompiled| match engine {
        Engine::Compiled => Err(NotStarted::NotCompiled(why)),
        Engine::Interpreter | Engine::Automatic => Ok(Start::Interpreted(Some(why))),
    };
    if engine == Engine::Interpreter {
        return Ok(Start::Interpreted(None));
    }
    if let Some(why) = ptx_host::refused(launch) {
        return interpreted(NotCompiled::new(why));
    }
    let compilation = match compilation() {
        Ok(compilation) => compilation,
        Err(error) => return interpreted(error.into()),
    };
    let may_be_short = engine == Engine::Automatic && may_be_short(&launch.geometry);
    let made = match compilation.known() {
        Some(known) => known,
        None if when == When::OnceLong && may_be_short => return Ok(Start::Both(compilation)),
        None => {
            tell();
            compilation.run_until(deadline).ok_or(NotStarted::TimedOut)?
        }
    };
    match made {
        Ok(kernel) => Ok(Start::Compiled(kernel)),
        Err(error) => interpreted(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_llvm_rejects_is_a_defect() {
        let missing = LlvmError::Missing { message: "no libLLVM".to_owned() };
        let defect = LlvmError::Other { message: "invalid cast".to_owned() };
        let is_defect =
            [missing, defect].map(|error| NotCompiled::from(CompileError::from(error)).is_defect());
        assert_eq!(is_defect, [false, true]);
    }
}
