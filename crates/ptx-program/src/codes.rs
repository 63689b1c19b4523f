//! Diagnostic codes of decoding and layout.

ptx_diag::codes! {
    /// The module has no such kernel.
    pub const NO_KERNEL: Code = Code("X0001");
    /// The arguments do not match the kernel's parameters.
    pub const ARGUMENTS: Code = Code("X0003");
    /// Too much shared memory, or a variable that is too large.
    pub const SIZE: Code = Code("X0004");
    /// A construct that the interpreter does not support.
    pub const UNSUPPORTED: Code = Code("X0101");
    /// A name without a definition.
    pub const UNDEFINED: Code = Code("X0102");
    /// An operand that is invalid for its instruction.
    pub const OPERAND: Code = Code("X0103");
}
