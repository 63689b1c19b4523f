//! The stages from one representation of a program to another.
//!
//! Each function runs one stage and converts its errors to [`ptx_diag::Diagnostic`]s about the
//! input; the tools and the conformance runner combine the stages, and decide where output is written.

mod bitcode;
mod codes;
mod input_kind;
mod lines;
mod llvm_leg;
mod program;
mod ptx_leg;
mod retarget;
mod specialized;
mod view;

pub use bitcode::{BitcodeFindings, link_bitcode};
pub use codes::code_meanings;
pub use input_kind::InputKind;
pub use lines::locate_lines;
pub use llvm_leg::{
    Atomics, Unoptimized, code, generate, llvm_context, llvm_finding, load_pass_plugins, lower_constructors,
    optimize, optimize_observed, read_llvm, read_llvm_as, settle_atomics, settle_unoptimized,
    unroll_specialized,
};
pub use program::{FindingsByFile, Program, read_executable, read_program};
pub use ptx_leg::{BadOutput, JudgedText, explain, lower, print_checked, raise, raise_in_style, read_ptx};
pub use ptx_link::Sources;
pub use ptx_opt::{Observer, describe_passes};
pub use ptx_raise::{Annotations, Names, Style};
pub use ptx_syntax::Comments;
pub use ptx_verify::{is_known_version, known_targets, nearest_target};
pub use retarget::{TargetChoice, retarget};
pub use specialized::{Attempt, has_grown_too_much};
pub use view::{Translated, view, view_of_rejected};
