//! The PTX instruction set as data.
//!
//! One [`Form`] is one line of a syntax box of the PTX manual: an opcode, its modifier slots in canonical order, its
//! operands, the versions that have it, its effects and its meaning ([`Sem`]). The reader, the verifier, the printer,
//! the lowering, the reverse emitter, the executor and the documentation all read these rows; nothing else lists
//! instructions.
//!
//! Invariants, checked by tests:
//! - a modifier is assigned to the first empty slot that accepts it, so that modifiers can be written in nearly any order (as for
//!   `ptxas`): only types, layouts, state spaces and the words of names keep theirs; printing in slot order gives one canonical
//!   spelling;
//! - the rows of an opcode are adjacent, so [`forms_of`] is a slice;
//! - every row with a first version also has one for each modifier that was added later.

mod constants;
mod constraint;
mod construct;
mod directive;
mod explain;
mod families;
mod form;
mod geometry;
mod length;
mod lowering;
mod matrix;
mod mnemonic;
mod name;
mod names;
mod operand_key;
mod selector;
mod special;
pub mod table;
mod target;
mod texture;
mod types;
mod words;

pub use constants::Constants;
pub use constraint::Constraint;
pub use construct::Construct;
pub use directive::{Directive, Place};
pub use explain::{Executes, construct_page, describe, explain, page, version_text};
pub use families::{
    ArithSem, AsyncSem, BitsSem, BlockSem, CompareSem, ControlSem, MatrixSem, MemorySem, MoveSem, Note,
    Opcode, Sem, TextureSem, VideoSem, WarpSem,
};
pub use form::{
    Combination, Effects, Form, FormId, Operand, OperandKind, Role, Rule, Slot, TypeRule, VectorLength,
};
pub use geometry::Geometry;
pub use length::VectorLengthRule;
pub use lowering::{Condition, Lowering};
pub use matrix::{
    MatrixShape, PACKED_KINDS, WMMA_HALVES, fragment_registers, sparse_chunk, sparsity_selectors,
};
pub use mnemonic::{
    Candidate, Misfit, Mnemonic, MnemonicError, Placement, Shape, UnknownForm, candidates, choose_row,
    implies_modifiers, misfit_today, rows_with,
};
pub use names::{Field, Mod};
pub use operand_key::OperandKey;
pub use selector::{Selection, Selector, Unit};
pub use special::{Component, SpecialReg};
pub use table::{all_forms, form, form_ids, forms_of};
pub use target::{PtxVersion, Since, Sm, SmVariant};
pub use texture::Opaque;
pub use types::{ScalarType, StateSpace, TypeKind, Width};
pub use words::{describe_directive, describe_modifier, describe_special, explain_word, type_text, words};
