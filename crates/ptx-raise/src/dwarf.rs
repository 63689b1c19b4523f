//! The debug information of a module as sections of DWARF, which [`ptx_dwarf`] writes.

use ptx_dwarf::Program;
use ptx_ir::{At, Item, Section, SectionLine};
use ptx_isa::{Construct, StateSpace};
use ptx_llvm_core::view::{FileId, Symbol};
use ptx_llvm_core::{Addresses, marks};

use crate::context::ModuleContext;
use crate::error::SECTIONS;

impl ModuleContext<'_, '_> {
    /// Whether the module's debug information is translated to sections: it has a compile unit, and no sections already. They are
    /// generated only for 64-bit addresses.
    pub(crate) fn makes_dwarf(&self) -> bool {
        !self.view.compile_units.is_empty()
            && self.view.addresses() == Addresses::Bits64
            && !self.has_sections()
    }

    /// Whether the module was PTX with sections.
    pub(crate) fn has_sections(&self) -> bool {
        !self.view.named(marks::SECTION).is_empty()
    }

    /// Emits the `.section`s of all compile units.
    pub(crate) fn dwarf(&mut self) {
        if !self.makes_dwarf() {
            if self.view.compile_units.is_empty() {
                return;
            }
            let omitted = "debug information other than lines is omitted: the module has";
            let (reason, help) = match self.view.addresses() {
                Addresses::Bits32 => ("32-bit addresses", "compile the module for nvptx64-nvidia-cuda"),
                Addresses::Bits64 => ("sections from PTX", "link the device code after compiling it"),
            };
            return self.warn(SECTIONS, format!("{omitted} {reason}"), help);
        }
        let traces = std::mem::take(&mut self.traces);
        let allows_labels = self.target.has(Construct::SectionLabel.since());
        let sections = ptx_dwarf::sections(self.view, self, &traces, allows_labels);
        for (name, lines) in sections {
            if name == ".debug_loc" {
                // Lists were made only where the version may be raised to this, so nothing is refused.
                let _ = self.target.need_construct(Construct::SectionLabel);
            }
            self.dwarf_section(name, lines);
        }
        self.target.add_debug();
    }

    /// Appends lines to a section.
    pub(crate) fn dwarf_section(&mut self, name: &str, lines: Vec<String>) {
        let mut lines: Vec<SectionLine> =
            lines.iter().map(|line| SectionLine { text: self.ir.strings.intern(line) }).collect();
        match self.section_item(name).and_then(|at| self.ir.items.get_mut(at)) {
            Some(Item::Section(section)) => section.lines.append(&mut lines),
            _ => {
                let name = self.ir.strings.intern(name);
                self.ir.items.push(Item::Section(Section { name, lines, at: At::default() }));
            }
        }
    }

    /// The item that is the section of a name. Sections are the last items.
    pub(crate) fn section_item(&self, name: &str) -> Option<usize> {
        let items = self.ir.items.iter().enumerate().rev();
        let mut sections = items.map_while(|(at, item)| match item {
            Item::Section(section) => Some((at, section)),
            _ => None,
        });
        sections.find(|(_, section)| self.ir.name(section.name) == name).map(|(at, _)| at)
    }
}

impl Program for ModuleContext<'_, '_> {
    fn file_number(&mut self, file: FileId) -> u32 {
        ModuleContext::file_number(self, file)
    }

    fn variable(&mut self, symbol: Symbol) -> Option<(String, StateSpace, i64)> {
        let Ok((ptx_ir::Symbol::Variable(id), _, offset)) = self.symbol(symbol) else { return None };
        let variable = self.ir.variable(id);
        Some((self.ir.name(variable.name).to_owned(), variable.space, offset))
    }

    fn code_label(&mut self, word: &str) -> String {
        self.dwarf_label(word)
    }

    fn strings(&mut self) -> &mut ptx_ir::Strings {
        &mut self.ir.strings
    }
}
