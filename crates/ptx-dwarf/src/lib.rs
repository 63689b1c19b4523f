//! DWARF sections from LLVM's debug information, if a compile unit requests all of it (emission kind `FullDebug`).
//!
//! The sections contain DWARF 2 as NVIDIA's tools read it (manual 11.5, LLVM's NVPTX usage guide): strings in place, addresses
//! as labels of the code, registers by their names (`expression.rs`), and on variables `DW_AT_address_class`, which names a state
//! space. The assembler generates `.debug_line` from `.loc`.
//!
//! Units that request only line information (`LineTablesOnly`, `DebugDirectivesOnly`) have no sections: `ptxas` reads them only under
//! `.target debug`, which also disables its optimizations.
//!
//! Input: the debug information of a module ([`View`]), how it relates to the code of the functions ([`FunctionTrace`]), and the names of files and variables in the PTX module
//! ([`Program`]). Output: the lines of the sections ([`sections`]).

mod code;
mod entry;
mod expression;
mod locations;
mod marks;
mod propagation;
mod scope;
mod trace;
mod types;
mod unit;

use ptx_ir::Strings;
use ptx_isa::StateSpace;
use ptx_llvm_core::view::{FileId, Symbol, View};

use crate::entry::{Abbreviations, Lines};
use crate::locations::LocationLists;
use crate::unit::Unit;

pub use crate::code::trace_code;
pub use crate::entry::ExpressionPart;
pub use crate::expression::{
    Expression, GENERIC, IN_REGISTER, Step, address_class, op_constant, op_piece, op_plus, op_value, parts,
    pointer_class,
};
pub use crate::marks::{Held, Instance, Marks};
pub use crate::scope::{ScopeKey, scope_chain};
pub use crate::trace::{FunctionTrace, LocationDescription, TracedVariable, VariableLocation};

/// What sections name of the module that they are for.
pub trait Program {
    /// The number of a file.
    fn file_number(&mut self, file: FileId) -> u32;
    /// The name and the state space of the variable that has an address, and the bytes from its start on.
    fn variable(&mut self, symbol: Symbol) -> Option<(String, StateSpace, i64)>;
    /// A label of the code that is unique in the module, with a word in its name.
    fn code_label(&mut self, word: &str) -> String;
    /// The strings of the module, which name registers and labels.
    fn strings(&mut self) -> &mut Strings;
}

/// The lines of `.debug_str` for texts with labels.
///
/// ```
/// let lines = ptx_dwarf::string_lines(&[("k".to_owned(), "name".to_owned())]);
/// assert_eq!(lines, ["name:", ".b8 107,0"]);
/// ```
pub fn string_lines(strings: &[(String, String)]) -> Vec<String> {
    let mut lines = Lines::default();
    for (text, label) in strings {
        lines.text(format!("{label}:"), "");
        lines.bytes(&[text.as_bytes(), &[0]].concat(), "");
    }
    lines.done
}

/// The sections of all units that ask for them, each with its name and its lines. `.debug_loc`, whose lists need labels in sections, is there only where that is allowed.
pub fn sections(
    view: &View,
    program: &mut dyn Program,
    traces: &[FunctionTrace],
    allows_labels: bool,
) -> Vec<(&'static str, Vec<String>)> {
    let mut abbreviations = Abbreviations::default();
    let mut lists = LocationLists { allowed: allows_labels, ..LocationLists::default() };
    let mut info = Vec::new();
    for &unit in &view.compile_units {
        let entries = Unit::new((view, &mut *program), &mut lists, unit).build(traces);
        info.extend(entries.lines(&mut abbreviations));
    }
    let mut all = vec![(".debug_abbrev", abbreviations.lines()), (".debug_info", info)];
    if !lists.lines.done.is_empty() {
        all.push((".debug_loc", lists.lines.done));
    }
    all
}
