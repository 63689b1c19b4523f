//! Calls, with their arguments and results.

use super::row::Src;

/// An argument or result of a call, on the caller's or the callee's side.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Slot {
    /// Bytes in the frame's local memory.
    Memory {
        /// Offset of its first byte in the frame.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// Space in the frame's local memory for a parameter of unspecified size, which takes as many bytes as a call
    /// passes, possibly none.
    Open {
        /// Offset of its first byte in the frame.
        offset: u32,
        /// Size in bytes of the space.
        size: u32,
    },
    /// Registers; a 128-bit value takes two rows, a vector one or two for each element.
    Rows {
        /// The first row.
        first: Src,
        /// Number of rows.
        count: u32,
        /// Mask of the bits that a row has.
        bits: u64,
    },
    /// An ignored result.
    Nothing,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Callee {
    /// The index of a function in [`Program::functions`](crate::Program::functions).
    Function(u32),
    /// The function address in a row.
    Address(Src),
    /// A function without code in the program.
    Builtin(Builtin),
}

/// Functions provided by the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Builtin {
    /// `int vprintf(const char *, void *)`
    Printf,
    /// `void *malloc(size_t)`
    Malloc,
    /// `void free(void *)`
    Free,
    /// `__assertfail(message, file, line, function, size)`
    AssertFail,
}

impl Builtin {
    /// The builtin function of this name, which modules only declare (CUDA Programming Guide, "C++ Language Extensions").
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "vprintf" => Some(Self::Printf),
            "malloc" => Some(Self::Malloc),
            "free" => Some(Self::Free),
            "__assertfail" => Some(Self::AssertFail),
            _ => None,
        }
    }
}

/// `call`.
#[derive(Clone, Debug, Hash)]
pub struct Call {
    /// The function.
    pub callee: Callee,
    /// What the caller passes.
    pub arguments: Box<[Slot]>,
    /// Where the caller wants the results.
    pub results: Box<[Slot]>,
}
