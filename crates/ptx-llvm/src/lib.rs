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

mod branches;
pub mod build;
mod codegen;
mod constructors;
mod contents;
mod context;
mod counters;
mod error;
mod expand;
mod failure;
pub mod host;
mod identity;
mod indices;
pub mod intrinsics;
mod library;
mod link;
mod literals;
mod live_ranges;
mod machine;
pub mod marks;
mod module;
mod pass;
mod raw;
mod reflect;
mod replace;
mod spaces;
mod vectors;
pub mod view;

pub use branches::{Branches, point_branches};
pub use codegen::emit_ptx;
pub use constructors::lower_constructors;
pub use contents::{OPAQUE_WRITE, WRITES_ARGUMENTS, leave_contents_open};
pub use context::Context;
pub use counters::count_first;
pub use error::{LlvmError, Message, TextPosition};
pub use expand::{expand_intrinsics, expand_wide_divisions, has_expandable_intrinsics};
pub use failure::{KernelCrash, LastWords, fail_past_file_limit, on_crash, on_fatal_error};
pub use identity::Identity;
pub use indices::index_elements;
pub use library::{is_loaded, load, version};
pub use link::{FlushToZero, LinkConflict};
pub use live_ranges::reduce_call_pressure;
pub use machine::{AddressWidth, Gpu, Machine, OptLevel, check_target, nearest_processor, nearest_version};
pub use module::Module;
pub use pass::{
    Tuning, default_pipeline, drop_instruction_metadata, drop_optimized_metadata, is_left_alone, run_passes,
    run_passes_tuned,
};
pub use reflect::{asks_reflect, resolve_reflect};
pub use replace::{Replacement, align_variables, replace};
pub use spaces::infer_address_spaces;

/// inkwell, through which the lowering builds instructions; the version is chosen here.
pub use inkwell;

/// The variable that is the whole of dynamic shared memory, in every module that has it (docs/mapping.md, "Module variables").
pub const DYNAMIC_SHARED: &str = "__ptx_dynamic_shared";
/// The named metadata with the names of that memory in PTX.
pub const DYNAMIC_SHARED_NAMES: &str = marks::DYNAMIC_SHARED;

/// The target triple of modules with 64-bit addresses.
pub const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The data layout LLVM 22 gives [`TRIPLE`]: 64-bit generic, global, constant and parameter pointers, little endian,
/// and 32-bit pointers in tensor memory (address space 6).
pub const DATA_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// The target triple of modules with 32-bit addresses.
pub const TRIPLE_32: &str = "nvptx-nvidia-cuda";

/// The data layout LLVM 22 gives [`TRIPLE_32`]: pointers of 32 bits in all address spaces, little endian.
pub const DATA_LAYOUT_32: &str =
    "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// How many bits generic addresses have (`.address_size`, manual 11.1.3), by LLVM's two targets for PTX.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Addresses {
    /// 32 bits, as all other addresses.
    Bits32,
    /// 64 bits.
    #[default]
    Bits64,
}

impl Addresses {
    /// Their bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    /// The target triple of modules with such addresses.
    pub const fn triple(self) -> &'static str {
        match self {
            Self::Bits32 => TRIPLE_32,
            Self::Bits64 => TRIPLE,
        }
    }

    /// Their data layout.
    pub const fn data_layout(self) -> &'static str {
        match self {
            Self::Bits32 => DATA_LAYOUT_32,
            Self::Bits64 => DATA_LAYOUT,
        }
    }

    /// Those of a target triple; `None` for another architecture.
    pub fn of_triple(triple: &str) -> Option<Self> {
        match triple.split('-').next() {
            Some("nvptx") => Some(Self::Bits32),
            Some("nvptx64") => Some(Self::Bits64),
            _ => None,
        }
    }
}

/// LLVM's address spaces for [`TRIPLE`], by LLVM's numbers (NVPTX guide, "Address Spaces").
pub mod address_space {
    /// Any window; what PTX calls a generic address.
    pub const GENERIC: u32 = 0;
    /// `.global`.
    pub const GLOBAL: u32 = 1;
    /// `.shared::cta`.
    pub const SHARED: u32 = 3;
    /// `.const`.
    pub const CONST: u32 = 4;
    /// `.local`.
    pub const LOCAL: u32 = 5;
    /// Tensor memory of `tcgen05`.
    pub const TENSOR: u32 = 6;
    /// `.shared::cluster`.
    pub const SHARED_CLUSTER: u32 = 7;
    /// `.param` of the entry.
    pub const PARAM: u32 = 101;
}
