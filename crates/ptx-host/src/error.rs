//! Why a kernel was not compiled: a [`Refusal`] of the analyses or of code generation, or an error of LLVM.

use ptx_llvm_core::LlvmError;
use thiserror::Error;

use crate::analysis::Refusal;

/// Why a kernel was not compiled.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum CompileError {
    /// An instruction is not compiled; the interpreter executes such kernels.
    #[error("{}", .0.why)]
    Refused(Refusal),
    /// LLVM rejected its input, which is a defect of this crate, or there is no LLVM.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
}

impl From<Refusal> for CompileError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl CompileError {
    pub(crate) fn refused(pc: u32, why: &'static str) -> Self {
        Self::Refused(Refusal { pc, why })
    }
}

/// A defect of this crate.
pub(crate) fn defect(what: &str) -> LlvmError {
    LlvmError::Other { message: what.to_owned() }
}
