//! What the tools share: arguments, input and output, reporting, exit status.
//!
//! The libraries of this project only return what they found; the tools decide where it goes, and they all decide alike
//! through this crate. A tool's exit status is 0 when all went well, 1 when the input was rejected, 2 for wrong usage
//! and 3 when an execution failed ([`ExitStatus`]). An output file is either written whole or left as it was.

mod arguments;
mod batch;
mod captured;
mod examples;
mod explain;
mod input;
mod output;
mod program;
mod terminal;

pub use arguments::{
    ColorChoice, Documents, ErrorFormat, OptimizeArgs, ReportArgs, TargetArgs, parse_arguments,
    print_documents, ptx_version, sm,
};
pub use batch::{Batch, refuse_folders, run_batch};
pub use examples::{CodeExample, ExampleKind, code_examples};
pub use explain::{all_codes, explanation};
pub use input::{STDIN_NAME, read_input};
pub use output::{Output, refuse_terminal};
pub use program::{ExitStatus, Failure, crash_of_kernel, rejected, run, usage_or_rejected};
pub use terminal::{Terminal, Verbosity, Warnings};

/// The codes of what the tools themselves find.
pub mod code {
    ptx_diag::codes! {
        /// The input cannot be read.
        pub const UNREADABLE: Code = Code("T0001");
        /// The input is larger than the 4 GiB that positions can count.
        pub const TOO_LARGE: Code = Code("T0002");
        /// The output cannot be written.
        pub const UNWRITABLE: Code = Code("T0003");
        /// A combination of arguments makes no sense.
        pub const USAGE: Code = Code("T0004");
        /// LLVM cannot go on.
        pub const LLVM_FATAL: Code = Code("T0005");
        /// A launch file is not understood.
        pub const LAUNCH_FILE: Code = Code("T0007");
        /// Buffers of a launch that are larger than what is allowed or than the memory there is.
        pub const BUFFERS: Code = Code("T0008");
        /// What a tool is doing and how long it takes, with --verbose.
        pub const PROGRESS: Code = Code("T0009");
        /// A defect of the tool itself.
        pub const DEFECT: Code = Code("T0010");
        /// What a pass of LLVM prints, such as `print<domtree>`, with --error-format=json; it is the message.
        pub const PRINTED: Code = Code("T0011");
        /// Why the interpreter executes a kernel that was to be compiled, with --remarks.
        pub const REMARK: Code = Code("T0012");
        /// Why an access of a compiled kernel to memory is not a scalar or a plain vector, with --remarks.
        pub const ACCESS: Code = Code("T0013");
        /// Why lanes of a compiled kernel may part at a branch, with --remarks.
        pub const BRANCH: Code = Code("T0014");
        /// A compiled kernel crashed, most likely on memory that it was not given: without checks it accesses what it computes.
        pub const CRASHED: Code = Code("T0015");
        /// A kernel cannot be compiled ahead of time.
        pub const NOT_COMPILED: Code = Code("T0020");
        /// The shape of the blocks that a kernel is compiled for is not known.
        pub const NO_SHAPE: Code = Code("T0021");
    }
}
