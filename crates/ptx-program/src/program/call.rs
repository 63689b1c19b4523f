//! Calls, with their arguments and results.

use super::row::Src;

/// An argument or result of a call, on the caller's or the callee's side.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Slot {
    /// Bytes in the frame's local memory.
    Memory { offset: u32, size: u32 },
    /// Space in the frame's local memory for a parameter of unspecified size, which takes as many bytes as a call
    /// passes, possibly none.
    Open { offset: u32, size: u32 },
    /// Registers; a 128-bit value takes two rows, a vector one or two for each element.
    Rows { first: Src, count: u32, bits: u64 },
    /// An ignored result.
    Nothing,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Callee {
    Function(u32),
    /// The function address in a row.
    Address(Src),
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

/// `call`.
#[derive(Clone, Debug, Hash)]
pub struct Call {
    pub callee: Callee,
    pub arguments: Box<[Slot]>,
    pub results: Box<[Slot]>,
}
