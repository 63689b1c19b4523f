//! Building LLVM IR: types, values, instructions, metadata and debug information after checked, safe calls.
//!
//! inkwell covers neither atomic accesses with scopes nor inline assembly with metadata, attributes on call sites or
//! untyped values; this layer wraps what the lowering needs of LLVM's C API directly. [`Value`]s are untyped, as in
//! LLVM; each builder call checks the types LLVM would otherwise only assert, and answers
//! [`LlvmError::Other`](crate::LlvmError::Other) instead of doing what LLVM leaves undefined.
//!
//! Invariants: handles ([`Type`], [`Value`], [`Block`]) belong to the context whose lifetime they carry; a value that
//! came from a builder call is an LLVM value of the type that [`Value::ty`] gives.

mod constant;
mod control;
mod debug;
mod global;
mod handle;
mod instruction;
mod intrinsic;
mod memory;
mod metadata;
mod name;
pub(crate) use name::c_name;
mod operation;
mod types;
mod vector;

pub use debug::DebugInfo;
pub use global::{DeviceAccess, Function, GlobalSpec, Linkage};
pub use handle::{Block, Metadata, Type, Value};
pub use instruction::{Asm, AsmEffects, BinaryOp, Builder, CastOp, NoWrap};
pub(crate) use instruction::{build_before, move_before};
pub use operation::{Contraction, FloatPredicate, IntPredicate, Ordering, RmwOp, Scope, Volatility};
pub use types::Types;

#[cfg(test)]
mod tests;
