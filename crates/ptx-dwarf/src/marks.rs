//! Marks among the statements of a function: debug information at a position.
//!
//! In: what the code generator knows where it emits an instruction. Out: [`Stmt::Mark`]s, which `code.rs` evaluates and removes
//! when the registers are final.

use std::collections::BTreeMap;
use std::rc::Rc;

use ptx_ir::Stmt;
use ptx_llvm_core::view::{LocationId, MetadataId};
use rustc_hash::FxHashMap as HashMap;

use crate::expression::Step;

/// A mark at a position of the text.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    /// Code of another location begins.
    Location(LocationId),
    /// A variable has another location from here on, or an unknown one.
    Variable(usize, Option<Rc<Held>>),
}

/// The location of a variable, or of a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// First bit and bits of the part; `None` for all of it.
    pub fragment: Option<(u64, u64)>,
    /// The expression that computes it.
    pub steps: Vec<Step>,
    /// The class of the address.
    pub class: u64,
}

/// A variable of the source, in one of its inlined instances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// Its `DILocalVariable`.
    pub variable: MetadataId,
    /// The call that its scope was inlined at.
    pub inlined_at: Option<LocationId>,
}

/// The marks of a function.
#[derive(Debug, Default)]
pub struct Marks {
    /// By the number of their statement ([`Stmt::Mark`]).
    pub(crate) marks: Vec<Mark>,
    pub(crate) variables: Vec<Instance>,
    numbers: HashMap<Instance, usize>,
    /// Variables in memory for all of their scope.
    pub(crate) declared: BTreeMap<usize, Held>,
}

impl Marks {
    /// The statement where code of a location begins.
    pub fn location(&mut self, id: LocationId) -> Stmt {
        self.mark(Mark::Location(id))
    }

    /// The statement from which on a variable is held in another way (`#dbg_value`), or nowhere.
    pub fn value(&mut self, instance: Instance, held: Option<Held>) -> Stmt {
        let number = self.variable(instance);
        self.mark(Mark::Variable(number, held.map(Rc::new)))
    }

    /// A variable of the function: in memory for all of its scope (`#dbg_declare`), if it is held anywhere.
    pub fn declare(&mut self, instance: Instance, held: Option<Held>) {
        let number = self.variable(instance);
        if let Some(held) = held {
            self.declared.insert(number, held);
        }
    }

    fn mark(&mut self, mark: Mark) -> Stmt {
        self.marks.push(mark);
        Stmt::Mark(self.marks.len() as u32 - 1)
    }

    fn variable(&mut self, instance: Instance) -> usize {
        let next = self.variables.len();
        let number = *self.numbers.entry(instance).or_insert(next);
        if number == next {
            self.variables.push(instance);
        }
        number
    }
}
