//! The codes of what linking finds.

ptx_diag::codes! {
    /// Two units define the same name.
    pub const DUPLICATE: Code = Code("K0001");
    /// Units declare the same name differently.
    pub const MISMATCH: Code = Code("K0002");
    /// Units that cannot be linked into one module: of incompatible targets or address sizes, or with registers or local
    /// variables outside of functions (manual 7.1.1).
    pub const TARGET: Code = Code("K0003");
    /// Debug information that would be wrong in the result is omitted.
    pub const DEBUG: Code = Code("K0004");
    /// A function of CUDA's device runtime (`libcudadevrt`) that is not supported.
    pub const DEVICE_RUNTIME: Code = Code("K0005");
}
