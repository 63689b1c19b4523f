//! DWARF sections from LLVM's debug information, where a compile unit asks for all of it (emission kind `FullDebug`).
//!
//! What stands in the sections is DWARF 2 as NVIDIA's tools read it (manual 11.5, LLVM's NVPTX usage guide): strings in place, addresses
//! as labels of the code, registers by their names ([`expression`]), and on variables `DW_AT_address_class`, which names a state
//! space. `.debug_line` is made by the assembler from `.loc`.
//!
//! Units of which only lines are asked for (`LineTablesOnly`, `DebugDirectivesOnly`) get no sections: `ptxas` reads them under
//! `.target debug` alone, which also keeps it from optimizing.

mod entry;
mod expression;
mod scope;
mod types;
mod unit;

use gimli::constants as dw;
use ptx_ir::{At, Item, Section, SectionLine};
use ptx_isa::Since;
use ptx_llvm::Addresses;
use ptx_llvm::view::{LocationId, MetadataId};

use self::entry::{Abbreviations, Lines, Part};
pub(crate) use self::expression::{
    Expression, GENERIC, IN_REGISTER, Step, address_class, parts, pointer_class,
};
pub(crate) use self::scope::{ScopeKey, scope_chain};
use crate::error::SECTIONS;
use crate::module::ModuleRaiser;

/// Labels in sections.
const SECTION_LABELS: Since = Since::new(7, 0, 0);

/// `DW_OP_piece` of that many bytes.
pub(crate) fn op_piece(bytes: u64) -> Vec<Step> {
    expression::operation(dw::DW_OP_piece, &entry::uleb(bytes))
}

/// `DW_OP_stack_value`: what is there is the value and not its address.
pub(crate) fn op_value() -> Vec<Step> {
    expression::operation(dw::DW_OP_stack_value, &[])
}

/// `DW_OP_plus_uconst`.
pub(crate) fn op_plus(bytes: u64) -> Vec<Step> {
    expression::operation(dw::DW_OP_plus_uconst, &entry::uleb(bytes))
}

/// `DW_OP_constu`.
pub(crate) fn op_constant(value: u64) -> Vec<Step> {
    expression::operation(dw::DW_OP_constu, &entry::uleb(value))
}

/// What the code of one function is to DWARF.
#[derive(Debug)]
pub(crate) struct FunctionTrace {
    /// Its `DISubprogram`.
    pub(crate) subprogram: MetadataId,
    /// The scopes that have code, each with the labels around it; the function is among them.
    pub(crate) scopes: Vec<(ScopeKey, (String, String))>,
    pub(crate) variables: Vec<TracedVariable>,
}

/// A variable of the source and where it is.
#[derive(Debug)]
pub(crate) struct TracedVariable {
    /// Its `DILocalVariable`.
    pub(crate) variable: MetadataId,
    pub(crate) inlined_at: Option<LocationId>,
    pub(crate) place: TracedPlace,
}

/// Where a variable is.
#[derive(Debug)]
pub(crate) enum TracedPlace {
    /// Nowhere: it was optimized out.
    Nowhere,
    /// At one place in all of its scope.
    Everywhere(Place),
    /// Between labels: the first, the one behind, and the expression.
    Ranges(Vec<(String, String, Vec<Part>)>),
}

/// An expression and the class of the address that it gives.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) parts: Vec<Part>,
    pub(crate) class: u64,
}

/// The lines of `.debug_str` for texts with labels.
pub(crate) fn string_lines(strings: &[(String, String)]) -> Vec<String> {
    let mut lines = Lines::default();
    for (text, label) in strings {
        lines.text(format!("{label}:"), "");
        lines.bytes(&[text.as_bytes(), &[0]].concat(), "");
    }
    lines.done
}

/// `.debug_loc`: the lists of places of all units (DWARF 2, 2.4.6).
#[derive(Default)]
pub(crate) struct LocationLists {
    lines: Lines,
    labels: u32,
    allowed: bool,
}

impl LocationLists {
    /// Adds a list; gives its label. `None` where the version of PTX has no labels in sections: then where the variable is
    /// is not said.
    fn add(&mut self, stem: &str, ranges: &[(String, String, Vec<Part>)]) -> Option<String> {
        if !self.allowed {
            return None;
        }
        let label = format!("{stem}{}", self.labels);
        self.labels += 1;
        self.lines.text(format!("{label}:"), "");
        for (start, end, parts) in ranges {
            let Ok(size) = u16::try_from(entry::size_of(parts)) else { continue };
            self.lines.text(format!(".b64 {start}"), "");
            self.lines.text(format!(".b64 {end}"), "");
            self.lines.bytes(&size.to_le_bytes(), "size of the expression");
            self.lines.parts(parts, "");
        }
        self.lines.text(".b64 0".to_owned(), "end of the list");
        self.lines.text(".b64 0".to_owned(), "");
        Some(label)
    }
}

impl ModuleRaiser<'_, '_> {
    /// Whether the module's debug information becomes sections: some unit asks for it, and none came with the module already. They are
    /// made for addresses of 64 bits alone.
    pub(crate) fn makes_dwarf(&self) -> bool {
        !self.view.compile_units.is_empty()
            && self.view.addresses() == Addresses::Bits64
            && self.view.named("ptx.section").is_empty()
            && self.view.named("ptx.dwarf").is_empty()
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
