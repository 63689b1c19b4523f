//! The PTX module model and its printer.
//!
//! A [`Module`] is the content of a PTX file with its names resolved: directives in their order ([`Item`]), variables, functions,
//! and in each function's [`Body`] the statements in their order. It keeps the details that printing needs (comments, debug
//! directives, omitted and explicit modifiers, literal forms of immediates) and the source position of each item ([`At`]).
//! Blocks and edges are not stored; [`cfg::Cfg`] derives them from the statements.
//!
//! Invariants, which the reader and every builder maintain:
//! - an [`Inst`] has exactly one operand for each operand of its form, in the form's order; one that the program omits
//!   is [`Operand::Omitted`];
//! - every id belongs to the arena of its owner: variables and functions to the module; registers, labels and operand
//!   lists to the body;
//! - equality ignores positions, so that `parse(print(m)) == m` can be true.

mod address_size;
mod at;
mod body;
mod build;
pub mod cfg;
mod ids;
mod import;
mod integers;
pub mod liveness;
mod module;
mod operand;
pub mod pressure;
mod print;
mod strings;
mod walk;

pub use at::{At, SpanTable};
pub use body::{
    Body, Guard, Inst, Label, LabelKind, LabelTarget, Prototype, RegDecl, Register, Stmt, VectorShape,
    ZeroOffsets, used_bytes,
};
pub use build::{BodyBuilder, Extent};
pub use ids::{FunctionId, LabelId, RegDeclId, RegId, VarId};
pub use import::Imported;
pub use integers::Integers;
pub use module::{
    Alias, DebugFile, DebugLocation, FieldValue, Function, FunctionDirective, FunctionKind, Initializer,
    InlinedAt, Item, Linkage, Module, Param, ParamPointer, Reference, Section, SectionLine, TargetSpec,
    VarAttribute, VarType, Variable,
};
pub use operand::{AddressBase, Immediate, ListId, Literal, Operand, Symbol};
pub use print::{
    print, print_instruction, print_operands, print_register_name, print_signature, print_statement,
    print_variable,
};
/// Algorithms on [`mod@cfg`] and other graphs of blocks.
pub use ptx_graph as dominators;
pub use strings::{StrId, Strings};
