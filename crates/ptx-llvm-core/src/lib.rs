//! The interface to LLVM 22: every unsafe call and every LLVM-specific name.
//!
//! A [`Context`] owns LLVM's types and constants and collects what LLVM would otherwise print to standard error; a
//! [`Module`] is one LLVM module that belongs to it. Modules come from LLVM IR text, from bitcode or from the builder, and
//! leave as text or bitcode. [`view`] is a read-only snapshot of a module as plain data. [`host`] compiles modules for the host's
//! processor and links them into the process.
//!
//! Invariants:
//! - No other crate calls LLVM's C API, and none of its raw pointers leaves this crate. inkwell's safe types may.
//! - A [`Module`] cannot outlive its [`Context`] (the lifetime `'c`), and neither is shared between threads.
//! - LLVM's shared library is loaded when the first [`Context`], [`Machine`] or object of [`host`] is created ([`load`]), and nothing of LLVM
//!   is called before; a process that creates none does not load it.
//! - LLVM's messages become [`LlvmError`] values or [`Message`]s; nothing is printed.
#![allow(unsafe_code)]

pub mod address_space;
mod addresses;
pub mod build;
mod codegen;
mod constructors;
mod context;
mod convergence;
pub mod debug_marks;
mod denormal_fpenv;
mod denormals;
pub mod detached;
pub mod edit;
mod error;
mod expand;
mod exponents;
mod failure;
pub mod guest;
pub mod host;
mod identity;
pub mod intrinsics;
mod library;
mod link;
mod listing;
mod literals;
mod machine;
pub mod marks;
mod module;
mod pass;
mod plugins;
mod raw;
mod reflect;
mod replace;
mod vectors;
pub mod view;

pub use addresses::{Addresses, DATA_LAYOUT, DATA_LAYOUT_32, TRIPLE, TRIPLE_32};
pub use codegen::emit_ptx;
pub use constructors::lower_constructors;
pub use context::Context;
pub use denormals::{Denormal, DenormalMode};
pub use error::{LlvmError, Message, TextPosition};
pub use expand::{expand_intrinsics, expand_wide_divisions, has_expandable_intrinsics};
pub use failure::{KernelCrash, LastWords, fail_past_file_limit, on_crash, on_fatal_error};
pub use identity::Identity;
pub use library::{is_loaded, load, version};
pub use link::{FlushToZero, LinkConflict};
pub use listing::plain_label;
pub use machine::{AddressWidth, Gpu, Machine, OptLevel, check_target, nearest_processor, nearest_version};
pub use module::Module;
pub use pass::{
    Tuning, allow_optimization, default_pipeline, drop_optimized_metadata, instruction_count, is_left_alone,
    run_passes, run_passes_on_functions, run_passes_tuned, state_optimized, unroll_loops,
};
pub use plugins::load_pass_plugin;
pub use reflect::{asks_reflect, resolve_reflect};
pub use replace::{Replacement, align_variables, replace};

/// inkwell, through which the lowering builds instructions; the version is chosen here.
pub use inkwell;

/// The variable that is the whole of dynamic shared memory, in every module that has it (docs/mapping.md, "Module variables").
pub const DYNAMIC_SHARED: &str = "__ptx_dynamic_shared";
/// The named metadata with the names of that memory in PTX.
pub const DYNAMIC_SHARED_NAMES: &str = marks::DYNAMIC_SHARED;
