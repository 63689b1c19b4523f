//! Why a module cannot be raised.

use ptx_diag::{Code, Diagnostic};
use thiserror::Error;

ptx_diag::codes! {
    /// An instruction, intrinsic or operand has no counterpart in PTX, or none that this crate knows.
    pub const INSTRUCTION: Code = Code("R0101");
    /// A type has no counterpart in PTX.
    pub const TYPE: Code = Code("R0102");
    /// An unknown intrinsic or LLVM library function.
    pub const INTRINSIC: Code = Code("R0103");
    /// Inline assembly that cannot be parsed, or whose constraints do not match.
    pub const ASSEMBLY: Code = Code("R0104");
    /// An initial value that PTX cannot express.
    pub const INITIALIZER: Code = Code("R0105");
    /// The target or the PTX version does not support what the module uses.
    pub const TARGET: Code = Code("R0106");
    /// A call or a signature that the `.param` ABI cannot express.
    pub const CALL: Code = Code("R0107");
    /// A memory order or scope that PTX cannot express.
    pub const ORDER: Code = Code("R0108");
    /// A construct at module scope that cannot be raised.
    pub const MODULE: Code = Code("R0109");
    /// The module cannot be read.
    pub const VIEW: Code = Code("R0110");
    /// A launch bound that is ignored: one of clusters for a target without clusters, or of a function that is not a kernel (a warning).
    pub const BOUND: Code = Code("R0111");
    /// A `musttail` call, which PTX cannot guarantee (a warning).
    pub const TAIL_CALL: Code = Code("R0112");
    /// A warning that the program itself reports, with `llvm.nvvm.compiler.warn`.
    pub const SAID: Code = Code("R0113");
    /// An internal variable that becomes visible to other modules, since its initial value and those of others refer to each other (a warning).
    pub const VISIBLE: Code = Code("R0114");
    /// An atomic operation of system scope for a target whose operations are only atomic within the device (a warning).
    pub const SCOPE: Code = Code("R0115");
    /// Debug information other than lines that is omitted, since debug sections require 64-bit addresses (a warning).
    pub const SECTIONS: Code = Code("R0116");
}

/// Why one construct cannot be raised; the caller adds the location.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub(crate) struct RaiseError {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// The result of raising a part.
pub(crate) type Result<T, E = RaiseError> = std::result::Result<T, E>;

impl From<ptx_isa::UnknownForm> for RaiseError {
    /// A member of a family that the instruction table does not have: an error of this crate, reported where it happens.
    fn from(unknown: ptx_isa::UnknownForm) -> Self {
        Self::new(INSTRUCTION, unknown.to_string())
    }
}

impl RaiseError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// An error of this crate, not of the module: something that earlier code ensures does not hold.
    pub(crate) fn defect(what: &str) -> Self {
        debug_assert!(false, "{what}");
        Self::new(INSTRUCTION, what).with_help("this is a defect of raising, not of the input")
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic, with the location in words: LLVM IR has no source positions.
    pub(crate) fn at(self, place: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error_without_place(self.code, format!("{}, in {place}", self.message));
        match self.help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }
}
