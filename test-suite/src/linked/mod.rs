//! Random PTX modules with debug information that LLVM's own programs link, optimize and take apart as LLVM IR.
//!
//! The modules have what separately compiled files have in common: numbers of files, labels, static functions and variables of the
//! same names. Each stores numbers that occur once, and the generator knows the line, the file and the inlined function of each store, and
//! what the DWARF data of each module names. The judge reads that back from the PTX that results, whatever its numbers and labels are.

mod dwarf;
mod generate;
mod judge;

use std::collections::BTreeMap;

pub use judge::{Tools, Way, judge};

/// A line of the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Where a store comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) line: Line,
    /// The function that was inlined, and where.
    pub(crate) inlined: Option<(String, Line)>,
}

/// A store: its place, the unit and the function that has it.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) place: Place,
    pub(crate) unit: usize,
    pub(crate) function: String,
}

/// What the DWARF data of a unit states of a function or variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) unit: usize,
    /// The file that declares it.
    pub(crate) file: String,
    /// A number that is stored next to its label, or to the variable.
    pub(crate) store: u32,
}

/// Modules that are linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// What they were generated from.
    pub seed: u64,
    /// The PTX of each.
    pub units: Vec<String>,
    /// By the number that is stored.
    pub(crate) stores: BTreeMap<u32, Store>,
    /// By name.
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Program {
    /// Generates modules.
    pub fn new(seed: u64) -> Self {
        generate::program(seed)
    }

    /// All modules as one text.
    pub fn text(&self) -> String {
        let units = self.units.iter().enumerate();
        units.map(|(at, unit)| format!("// unit {at} of seed {}\n{unit}\n", self.seed)).collect()
    }
}
