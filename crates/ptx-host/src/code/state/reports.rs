//! What is reported of the code: the source locations of instructions, to debuggers, and notes, for remarks.

use ptx_llvm_core::build::{DebugInfo, Metadata, Types};

use crate::join::Joined;
use crate::notes::Notes;
use crate::options::{Lines, SourceLocation};

/// Where reports go, and the instructions of the source.
pub(crate) struct Reports<'a, 'c> {
    /// Where remarks about the code of accesses and branches are collected, if requested.
    pub(crate) notes: Option<&'a Notes>,
    /// The source locations of instructions, and the debug information made from them, if requested: that of the module, and for each file the function's
    /// scope in that file.
    pub(crate) lines: Option<&'a Lines>,
    pub(crate) debug: Option<(&'a Debug<'c>, Vec<Metadata<'c>>)>,
    /// The mapping to the original program, if operations were joined.
    pub(crate) joined: Option<&'a Joined>,
}

/// The debug information of a module under construction.
pub(crate) struct Debug<'c> {
    pub(crate) info: DebugInfo<'c>,
    pub(crate) types: Types<'c>,
    /// The files, and the name and the location of the kernel.
    pub(crate) files: Vec<Metadata<'c>>,
    pub(crate) own: Metadata<'c>,
    pub(crate) name: String,
    pub(crate) first: SourceLocation,
}
