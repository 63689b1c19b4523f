//! PTX, NVIDIA's virtual instruction set: parsed, verified, translated to LLVM IR and back, and executed on the host CPU.
//!
//! This crate is what a program depends on. It has one function for each step, and re-exports the types that these take and give:
//!
//! | function | from | to |
//! |---|---|---|
//! | [`parse`] | the text of PTX | [`PtxModule`] |
//! | [`verify`](fn@verify) | [`PtxModule`] | [`Verified`] |
//! | [`print`](fn@print) | [`Module`] | the text of PTX |
//! | [`link`](fn@link) | several [`PtxModule`]s | [`PtxModule`] |
#![cfg_attr(
    feature = "llvm",
    doc = "| [`lower`] | [`Verified`] | [`LlvmModule`] |
| [`parse_llvm`] | LLVM IR, text or bitcode | [`LlvmModule`] |
| [`optimize`], [`run_passes`] | [`LlvmModule`] | the same, changed |
| [`raise`] | [`LlvmModule`] | [`PtxModule`] |
| [`ptx_to_llvm`], [`llvm_to_ptx`] | a text | the other text |"
)]
#![cfg_attr(
    feature = "exec",
    doc = "| [`run`] | a program, the name of a kernel, a shape, arguments | what the kernel writes |"
)]
//!
#![cfg_attr(
    feature = "llvm",
    doc = r#"
```
use ptx_llvm::{Context, OptLevel, lower, optimize, parse, print, raise, verify};

let ptx = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 to)
{
    .reg .b32 %x;
    .reg .b64 %to;
    ld.param.u64 %to, [to];
    mov.u32 %x, 20;
    add.u32 %x, %x, 22;
    st.global.u32 [%to], %x;
    ret;
}";
let module = parse(ptx)?;
let context = Context::new()?;
let mut llvm = lower(&verify(&module)?, &context)?;
optimize(&mut llvm, OptLevel::O2)?;
let optimized = print(&raise(&mut llvm)?);
assert!(optimized.contains(", 42;") && !optimized.contains("add."), "{optimized}");
# Ok::<(), ptx_llvm::Error>(())
```
"#
)]
//!
//! Each function fails with an [`Error`], which has diagnostics and is shown as the tools show them.
//!
//! # Features
//!
//! | feature | what | needs |
//! |---|---|---|
//! | (none) | parsing, verification, linking, printing, control flow, liveness | only Rust |
//! | `llvm` (default) | LLVM IR: lowering, optimization, raising | LLVM 22, to build and when a function of it is first called |
//! | `exec` (default) | execution of kernels by the interpreter | only Rust |
//! | `jit` | long kernels are compiled for the host | LLVM 22 |
//! | `static` | LLVM is linked into the program, which then needs no library of it | LLVM's static libraries, to build |
//!
//! Where LLVM 22 is not installed, `default-features = false` with `features = ["exec"]` builds all but the translation.
//!
//! # More
//!
//! The functions above have the usual options. The crates below them have the rest, and are re-exported as modules: [`ir`] is the model of PTX
//! (with [`ir::cfg`] and [`ir::liveness`]), [`isa`] the table of instructions, [`diag`] diagnostics and their forms, [`syntax`] the reader.
#![cfg_attr(
    feature = "llvm",
    doc = "[`driver`] has the translation with all options, [`llvm`] the interface to LLVM, [`edit`] changes LLVM IR by safe handles."
)]
#![cfg_attr(
    feature = "exec",
    doc = "[`device`] is a device in the sense of a GPU driver, with memory, modules, kernels, streams, events and graphs."
)]

mod error;
mod ptx;
#[cfg(feature = "exec")]
mod run;
#[cfg(feature = "llvm")]
mod translate;

pub use error::Error;
pub use ptx::{PtxModule, Verified, link, parse, parse_named, print, verify};
#[cfg(feature = "exec")]
pub use run::{RunArgument, run};
#[cfg(feature = "llvm")]
pub use translate::{llvm_to_ptx, lower, optimize, parse_llvm, ptx_to_llvm, raise, raise_for, run_passes};

pub use ptx_diag::{self as diag, Finding, Position, Severity, SourceFile, Span};
pub use ptx_ir::cfg::{BlockId, Cfg};
pub use ptx_ir::{self as ir, Body, Function, Inst, Item, Module, Operand, Stmt, Variable};
pub use ptx_isa::{self as isa, Field, Mnemonic, Mod, Opcode, PtxVersion, ScalarType, Sm, StateSpace, ptx};
pub use ptx_link as linker;
pub use ptx_syntax as syntax;
pub use ptx_verify as verifier;

#[cfg(feature = "exec")]
pub use ptx_device::{
    self as device, Argument, Device, DeviceError, DeviceOptions, Engine, Number, Report, Shape,
};

#[cfg(feature = "llvm")]
pub use ptx_driver::{self as driver, TargetChoice};
#[cfg(feature = "llvm")]
pub use ptx_llvm_core::{self as llvm, Context, LlvmError, Module as LlvmModule, OptLevel, edit};

/// The examples of the page about this crate.
#[cfg(all(doctest, feature = "llvm", feature = "exec"))]
#[doc = include_str!("../../../docs/library.md")]
struct Page;
