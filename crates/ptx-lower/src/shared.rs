//! The state that all functions of a module share while they are lowered.

use ptx_ir::{FunctionId, Module, VarId};
use ptx_llvm_core::build::{Types, Value};
use rustc_hash::FxHashMap;

use crate::sections::{Sections, SourceFile};
use crate::signature::Signature;

/// The state that all functions of a module share while they are lowered.
pub(crate) struct Shared<'m, 'c> {
    pub(crate) module: &'m Module,
    pub(crate) out: ptx_llvm_core::Module<'c>,
    pub(crate) types: Types<'c>,
    /// The bits of generic addresses.
    pub(crate) address_bits: u32,
    /// Module variables and variables of functions that are in module scope.
    pub(crate) variables: FxHashMap<VarId, Value<'c>>,
    /// The files of `.file` by their numbers.
    pub(crate) files: FxHashMap<u32, SourceFile<'m, 'c>>,
    /// The DWARF sections.
    pub(crate) sections: Sections<'m, 'c>,
    /// Whether the module is debug code (`.target debug`), in which the descriptions of variables refer to registers.
    pub(crate) is_debugging: bool,
    /// All functions, declarations under the id of each mention.
    pub(crate) signatures: FxHashMap<FunctionId, Signature<'c>>,
    /// See [`crate::float::widens_halves`].
    pub(crate) widens_halves: bool,
}
