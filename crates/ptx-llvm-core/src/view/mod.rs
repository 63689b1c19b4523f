//! A read-only picture of an LLVM module, as plain data.
//!
//! [`View::new`] reads a module once; what it gives has no ties to LLVM and can be matched on. Ids index the tables of the
//! view they came from. Types and constants are interned: one [`TypeId`] a type, one [`ConstId`] a constant, so constants
//! that share parts stay small. Instructions are numbered by function in the order of the text, block after block.
//!
//! What instruction selection cannot use is kept as a named form (`Other(..)`) rather than left out, so that whoever meets
//! it can refuse it by name. Debug records (`#dbg_value` and its kin) and the graph of the debug information are there where
//! a compile unit asks for DWARF; lines alone need neither.

mod attribute;
mod constant;
mod function;
mod id;
mod inst;
mod metadata;
mod picture;
mod read;
mod types;
mod value;

pub use attribute::{Attribute, Attributes};
pub use constant::{ConstExpr, Constant, Symbol, mask, sign_extend};
pub use function::{Alias, Block, Function, Global, Linkage, Param, UnnamedAddress, Visibility};
pub use id::{
    AliasId, BlockId, ConstId, FileId, FunctionId, GlobalId, InlineAsmId, InstId, LocationId, MetadataId,
    TypeId,
};
pub use inst::{
    AtomicOp, AtomicOrder, BinaryOp, Bundle, Call, CallingConvention, CastOp, FastMath, FloatPredicate,
    InlineAsm, Inst, IntPredicate, Op, Scope, WrapFlags,
};
pub use metadata::{
    DebugField, DebugLocation, DebugNode, DebugRecord, DebugRecordKind, Metadata, MetadataKind, SourcePath,
};
pub use picture::View;
pub use types::{FloatKind, Layout, Type};
pub use value::Value;
