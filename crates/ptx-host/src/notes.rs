//! What code generation notes of accesses and branches whose code is not the plain one: the kind of code, and the operand that decided it. Remarks
//! (`remarks.rs`) are made from the notes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use ptx_program::Src;

use crate::analysis::BlockId;

/// The code of an access or a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RemarkKind {
    /// Each lane loads from its own address.
    Gather,
    /// Each lane stores to its own address.
    Scatter,
    /// Each line of a matrix is a vector access at the address of a lane.
    Lines,
    /// Lanes access memory one after the other.
    Serial,
    /// A vector access if a run-time test succeeds, otherwise an access per lane.
    Tested,
    /// A masked vector access.
    Masked,
    /// A divergent branch.
    Divergent,
}

impl RemarkKind {
    /// Its name in remarks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Lines => "line by line",
            Self::Serial => "lane by lane",
            Self::Tested => "tested",
            Self::Masked => "masked",
            Self::Divergent => "divergent branch",
        }
    }
}

/// The notes of a kernel.
#[derive(Default, Debug)]
pub(crate) struct Notes {
    /// The instruction being generated, and its block.
    pub(crate) at: Cell<(u32, BlockId)>,
    pub(crate) all: RefCell<BTreeMap<(u32, RemarkKind), Note>>,
}

/// A note on an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) block: BlockId,
    /// The operand that decided: an address or a condition; `None` if it is that lanes wait elsewhere.
    pub(crate) src: Option<Src>,
    /// For strided accesses, the stride at which they would be consecutive.
    pub(crate) bytes: i64,
}

impl Notes {
    /// All notes, in the order of instructions.
    pub(crate) fn take(self) -> BTreeMap<(u32, RemarkKind), Note> {
        self.all.into_inner()
    }
}
