//! DWARF sections from LLVM's debug information, where a compile unit asks for all of it (emission kind `FullDebug`).
//!
//! What is in the sections is DWARF 2 as NVIDIA's tools read it (manual 11.5, LLVM's NVPTX usage guide): strings in place, addresses
//! as labels of the code, registers by their names ([`expression`]), and on variables `DW_AT_address_class`, which names a state
//! space. `.debug_line` is made by the assembler from `.loc`.
//!
//! Units of which only lines are asked for (`LineTablesOnly`, `DebugDirectivesOnly`) get no sections: `ptxas` reads them under
//! `.target debug` alone, which also keeps it from optimizing.

mod entry;
mod expression;
mod locations;
mod scope;
pub(crate) mod trace;
mod types;
mod unit;

use ptx_ir::{At, Item, Section, SectionLine};
use ptx_isa::Since;
use ptx_llvm::Addresses;
use ptx_llvm::marks;

use self::entry::{Abbreviations, Lines};
pub(crate) use self::expression::{
    Expression, GENERIC, IN_REGISTER, Step, address_class, op_constant, op_piece, op_plus, op_value, parts,
    pointer_class,
};
use self::locations::LocationLists;
pub(crate) use self::scope::{ScopeKey, scope_chain};
pub(crate) use self::trace::{FunctionTrace, Place, TracedPlace, TracedVariable};
use crate::context::ModuleContext;
use crate::error::SECTIONS;

/// Labels in sections.
const SECTION_LABELS: Since = Since::new(7, 0, 0);

/// The lines of `.debug_str` for texts with labels.
pub(crate) fn string_lines(strings: &[(String, String)]) -> Vec<String> {
    let mut lines = Lines::default();
    for (text, label) in strings {
        lines.text(format!("{label}:"), "");
        lines.bytes(&[text.as_bytes(), &[0]].concat(), "");
    }
    lines.done
}

impl ModuleContext<'_, '_> {
    /// Whether the module's debug information becomes sections: some unit asks for it, and none came with the module already. They are
    /// made for addresses of 64 bits alone.
    pub(crate) fn makes_dwarf(&self) -> bool {
        !self.view.compile_units.is_empty()
            && self.view.addresses() == Addresses::Bits64
            && self.view.named(marks::SECTION).is_empty()
            && self.view.named(marks::DWARF).is_empty()
    }

    /// A label of the code that nothing else in the module is called.
    pub(crate) fn dwarf_label(&mut self, word: &str) -> String {
        let number = self.label_numbers.entry(word.to_owned()).or_default();
        let label = format!("$L__{word}{number}");
        *number += 1;
        self.free_name(label)
    }

    /// `.section`s of all units that ask for them.
    pub(crate) fn dwarf(&mut self) {
        if !self.makes_dwarf() {
            let has_unit = !self.view.compile_units.is_empty();
            if has_unit && self.view.addresses() == Addresses::Bits32 {
                let message = "debug information is left out but for lines: the module has 32-bit addresses";
                self.warn(SECTIONS, message.to_owned(), "compile the module for nvptx64-nvidia-cuda");
            }
            return;
        }
        let traces = std::mem::take(&mut self.traces);
        let mut abbreviations = Abbreviations::default();
        let mut lists =
            LocationLists { allowed: self.target.has(SECTION_LABELS), ..LocationLists::default() };
        let mut info = Vec::new();
        for unit in self.view.compile_units.clone() {
            let entries = unit::Unit::new(self, &mut lists, unit).build(&traces);
            info.extend(entries.lines(&mut abbreviations));
        }
        self.dwarf_section(".debug_abbrev", abbreviations.lines());
        self.dwarf_section(".debug_info", info);
        if !lists.lines.done.is_empty() {
            // Lists were made only where the version may be raised to this, so nothing is refused.
            let _ = self.target.need(SECTION_LABELS, &|| "a label in a section".to_owned());
            self.dwarf_section(".debug_loc", lists.lines.done);
        }
        self.target.add_debug();
    }

    pub(crate) fn dwarf_section(&mut self, name: &str, lines: Vec<String>) {
        let name = self.ir.strings.intern(name);
        let lines = lines.iter().map(|line| SectionLine { text: self.ir.strings.intern(line) }).collect();
        self.ir.items.push(Item::Section(Section { name, lines, at: At::default() }));
    }
}
