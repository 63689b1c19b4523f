//! Changing LLVM IR in place with safe code: what [`view`](crate::view) is for reading.
//!
//! [`edit`] gives an [`Editor`] of a module to a closure. Functions, blocks, instructions, constants and types are handles ([`Function`], [`Block`],
//! [`Inst`], [`Value`], [`Type`]) that are copied freely, compared and used as keys of tables; a pass finds an instruction, asks what it is, builds others with a
//! [`Builder`], and replaces or erases it:
//!
//! ```
//! # use ptx_llvm_core::{Context, Module};
//! # use ptx_llvm_core::edit::{Opcode, edit};
//! # let context = Context::new()?;
//! # let text = "define i32 @f(i32 %x) {\n  %y = mul i32 %x, 2\n  ret i32 %y\n}";
//! # let mut module = Module::parse(&context, "m", text.as_bytes())?;
//! edit(&mut module, |editor| {
//!     for inst in editor.functions().flat_map(|function| function.instructions()) {
//!         if inst.opcode() == Opcode::Mul && inst.operand(1).and_then(|by| by.as_unsigned()) == Some(2) {
//!             let factor = inst.operand(0).expect("a product has two operands");
//!             let sum = editor.before(inst)?.binary(ptx_llvm_core::build::BinaryOp::Add, factor, factor)?;
//!             editor.replace(inst, sum)?;
//!         }
//!     }
//!     Ok::<(), ptx_llvm_core::LlvmError>(())
//! })?;
//! # assert!(module.to_text().contains("%y = add i32 %x, %x"));
//! # Ok::<(), ptx_llvm_core::LlvmError>(())
//! ```
//!
//! Why no safe code reaches a value that is deleted, or one of another module:
//! - A handle has the lifetime `'e` of its editor, which is invariant and new for each call of [`edit`], since the closure is generic over it. So a handle neither
//!   leaves the closure nor meets a handle of another editor: both are errors of the compiler. The module is borrowed until the closure returns.
//! - What is erased ([`Editor::erase`], [`Editor::erase_variable`]) is not freed before the editor is dropped. Until then an erased instruction is in no block and
//!   its operands are `poison`; [`Inst::is_erased`] tells, questions about its operation are still answered, and what would make it a part of the module again is an error.
//! - Blocks and functions are not erased at all.
//! - Neither the memory of an operand is freed or moved: a phi gets all of its values when it is made ([`Builder::phi`]). So the lists of uses, which LLVM keeps
//!   in the operands, can be followed ([`Value::users`]) while instructions change; what is iterated over is then a question of logic, not of memory.
//! - Types are checked before LLVM is called, which does what is undefined where they do not fit; the answer is [`LlvmError::Other`](crate::LlvmError::Other) then.
//! - Questions that an instruction has no answer to (the predicate of an addition) give `None`.
//!
//! What the editor does not check is whether the result is a valid module: that operands are computed before they are used, that a block has a terminator. LLVM's
//! verifier does ([`Module::verify`](crate::Module::verify)), and whoever runs a pass calls it afterwards.
//!
//! inkwell's handles ([`Module::inkwell`](crate::Module::inkwell)) are not covered: those that were made before must not be used to delete anything.

mod block;
mod builder;
mod change;
mod editor;
mod flow;
mod handle;
mod inst;
mod layout;
mod memory;
mod metadata;
mod opcode;
mod operation;
mod ty;
mod uses;
mod value;

pub use builder::Builder;
pub use editor::{Editor, edit};
pub use flow::Flow;
pub use handle::{Block, Function, Inst, Location, MetadataKind, Node, SyncScope, Type, Value, Variable};
pub use layout::Layout;
pub use opcode::Opcode;
pub use operation::{AtomicOrder, Attribute, AttributeIndex, FastMath, GepFlags, WrapFlags};
pub use ty::TypeKind;
pub use uses::Users;

#[cfg(test)]
mod tests;
