//! What is reported of the code: the source locations of instructions, to debuggers, and notes, for remarks.

use ptx_llvm::build::{DebugInfo, Metadata};

use crate::join::Joined;
use crate::notes::Notes;
use crate::options::Lines;

/// Where reports go, and the instructions of the source.
pub(crate) struct Reports<'a, 'c> {
    /// Where remarks about the code of accesses and branches are collected, if requested.
    pub(crate) notes: Option<&'a Notes>,
    /// The source locations of instructions, and the debug information made from them, if requested.
    pub(crate) lines: Option<&'a Lines>,
    pub(crate) debug: Option<Debug<'c>>,
    /// The mapping to the original program, if operations were joined.
    pub(crate) joined: Option<&'a Joined>,
}

/// The debug information of a module under construction.
pub(crate) struct Debug<'c> {
    pub(crate) info: DebugInfo<'c>,
    /// For each file, the function's scope in that file.
    pub(crate) scopes: Vec<Metadata<'c>>,
}
