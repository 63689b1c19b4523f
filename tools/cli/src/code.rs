//! The codes of the tools' own diagnostics.

ptx_diag::codes! {
    /// The input cannot be read.
    pub const UNREADABLE: Code = Code("T0001");
    /// The input is larger than the 4 GiB that positions can count.
    pub const TOO_LARGE: Code = Code("T0002");
    /// The output cannot be written.
    pub const UNWRITABLE: Code = Code("T0003");
    /// An invalid combination of arguments.
    pub const USAGE: Code = Code("T0004");
    /// A fatal error in LLVM.
    pub const LLVM_FATAL: Code = Code("T0005");
    /// A launch file is invalid.
    pub const LAUNCH_FILE: Code = Code("T0007");
    /// Buffers of a launch exceed the limit or the available memory.
    pub const BUFFERS: Code = Code("T0008");
    /// Progress and timing, with --verbose.
    pub const PROGRESS: Code = Code("T0009");
    /// A defect of the tool itself.
    pub const DEFECT: Code = Code("T0010");
    /// The output of a pass of LLVM, such as `print<domtree>`, as the message, with --error-format=json.
    pub const PRINTED: Code = Code("T0011");
    /// Why a kernel is executed by the interpreter instead of being compiled, with --remarks; an error where compiled code was asked for.
    pub const REMARK: Code = Code("T0012");
    /// Why a memory access of a compiled kernel is not a scalar or plain vector access, with --remarks.
    pub const ACCESS: Code = Code("T0013");
    /// Why lanes of a compiled kernel may diverge at a branch, with --remarks.
    pub const BRANCH: Code = Code("T0014");
    /// A compiled kernel crashed, most likely on an access outside of its buffers, which is not checked by default.
    pub const CRASHED: Code = Code("T0015");
    /// How the warps of a compiled kernel are executed, with --remarks.
    pub const STRATEGY: Code = Code("T0016");
    /// A buffer differs from what is expected of it (`--expect`).
    pub const DIFFERENT: Code = Code("T0017");
    /// A launch was interrupted by the user.
    pub const INTERRUPTED: Code = Code("T0018");
    /// A kernel cannot be compiled ahead of time.
    pub const NOT_COMPILED: Code = Code("T0020");
    /// The block shape that a kernel is compiled for is not specified.
    pub const NO_SHAPE: Code = Code("T0021");
    /// `ptxas` or `nvdisasm`, which make and list machine code, is not found, cannot be run, or does not end in time.
    pub const TOOLKIT: Code = Code("T0024");
    /// `ptxas` rejects a module.
    pub const ASSEMBLER: Code = Code("T0025");
}
