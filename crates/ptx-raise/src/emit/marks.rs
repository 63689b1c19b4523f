//! Marks among the statements of a function: debug information at a position, for DWARF.

use std::collections::BTreeMap;
use std::rc::Rc;

use ptx_llvm::view::{LocationId, MetadataId};
use rustc_hash::FxHashMap as HashMap;

use ptx_dwarf::Step;

/// A mark at a position of the text.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// Code of another location begins.
    Location(LocationId),
    /// A variable is something else from here on.
    Variable(usize, Option<Rc<Held>>),
}

/// The location of a variable, or of a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Held {
    /// First bit and bits of the part; `None` for all of it.
    pub(super) fragment: Option<(u64, u64)>,
    pub(super) steps: Vec<Step>,
    pub(super) class: u64,
}

/// A variable of the source, in one of its inlined instances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Instance {
    pub(super) variable: MetadataId,
    pub(super) inlined_at: Option<LocationId>,
}

/// The marks of a function.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// By the number of their statement ([`ptx_ir::Stmt::Mark`]).
    pub(super) marks: Vec<Mark>,
    pub(super) variables: Vec<Instance>,
    pub(super) numbers: HashMap<Instance, usize>,
    /// Variables in memory for all of their scope.
    pub(super) declared: BTreeMap<usize, Held>,
}

impl Marks {
    pub(super) fn variable(&mut self, instance: Instance) -> usize {
        let next = self.variables.len();
        let number = *self.numbers.entry(instance).or_insert(next);
        if number == next {
            self.variables.push(instance);
        }
        number
    }
}
