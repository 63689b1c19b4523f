//! Code shared by the tools: arguments, input and output, reporting, exit status.
//!
//! The libraries of this project only return diagnostics; this crate reports them identically for all
//! tools. A tool's exit status is 0 on success, 1 if the input was rejected, 2 for wrong usage
//! and 3 if an execution failed ([`ExitStatus`]). An output file is either written completely or left unchanged.

mod arguments;
mod batch;
mod captured;
pub mod code;
mod examples;
mod explain;
mod failure;
mod input;
mod output;
mod passes;
mod program;
mod progress_bar;
mod terminal;
mod version;

pub use arguments::{
    ColorChoice, Documents, ErrorFormat, OptimizeArgs, PassReportArgs, ReportArgs, TargetArgs, feature,
    parse_arguments, print_documents, ptx_version, sm,
};
pub use batch::{Batch, refuse_folders, run_batch};
pub use examples::{CodeExample, ExampleKind, code_examples};
pub use explain::{all_codes, explanation};
pub use failure::{ExitStatus, Failure, rejected, usage_or_rejected};
pub use input::{ReadError, STDIN_NAME, read_at_most, read_input};
pub use output::{Output, is_same_file, refuse_input, refuse_terminal};
pub use passes::optimize;
pub use program::{crash_of_kernel, run};
pub use progress_bar::{hide_spinner, show_progress_of};
pub use terminal::{Terminal, Verbosity, Warnings};
