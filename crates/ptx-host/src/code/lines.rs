//! Debug information: the kernel as a function of its PTX, with the line of each instruction.

use ptx_llvm_core::Module;
use ptx_llvm_core::build::{DebugInfo, Function, Metadata, Types};
use ptx_program::Program;

use super::state::{Code, Debug};
use crate::options::Lines;

impl<'c> Debug<'c> {
    /// Creates the debug information of a kernel's module.
    pub(super) fn new(module: &Module<'c>, types: Types<'c>, program: &Program, lines: &Lines) -> Self {
        let mut info = DebugInfo::for_host(module, types);
        let kernel = program.kernel();
        // Default: without a location the function is at line 0 of the first file.
        let first = lines.location(kernel.start).unwrap_or_default();
        let files: Vec<Metadata<'c>> = lines.files.iter().map(|file| info.file(module, file)).collect();
        let own = files.get(first.file as usize).copied();
        let own = own.unwrap_or_else(|| info.file(module, "kernel"));
        Self { info, types, files, own, name: kernel.name.to_string(), first }
    }

    /// For each file the scope of a function of the kernel in that file.
    pub(super) fn scopes_of(&self, function: Function<'c>) -> Vec<Metadata<'c>> {
        let scope = self.info.subprogram(&self.name, &self.name, self.own, self.first.line, Some(function));
        // Debuggers and profilers use it to unwind frames.
        function.add_attribute(self.types, "frame-pointer", "all");
        let in_file = |(number, &file): (usize, &Metadata<'c>)| {
            if number == self.first.file as usize { scope } else { self.info.scope_in_file(scope, file) }
        };
        self.files.iter().enumerate().map(in_file).collect()
    }

    /// Completes the debug information.
    pub(super) fn finish(&self) {
        self.info.finish();
    }
}

/// Sets the source location of the code generated from now on to that of an instruction.
pub(super) fn locate(code: &Code<'_, '_, '_>, pc: u32) {
    let (Some((debug, scopes)), Some(lines)) = (&code.reports.debug, code.reports.lines) else { return };
    let pc = code.reports.joined.map_or(pc, |joined| joined.place(pc));
    let Some(location) = lines.location(pc) else { return };
    if let Some(&scope) = scopes.get(location.file as usize) {
        code.builder().set_location(Some(debug.info.location(location.line, location.column, scope, None)));
    }
}
