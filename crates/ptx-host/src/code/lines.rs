//! Debug information: the kernel as a function of its PTX, with the line of each instruction.

use ptx_exec::program::Program;
use ptx_llvm::Module;
use ptx_llvm::build::{DebugInfo, Function, Metadata, Types};

use super::state::{Code, Debug};
use crate::options::Lines;

impl<'c> Debug<'c> {
    /// Creates the debug information of a kernel's function.
    pub(super) fn new(
        module: &Module<'c>,
        types: Types<'c>,
        function: Function<'c>,
        program: &Program,
        lines: &Lines,
    ) -> Self {
        let mut info = DebugInfo::for_host(module, types);
        let kernel = program.kernel();
        let name = kernel.name.as_str();
        // Default: without a location the function is at line 0 of the first file.
        let first = lines.location(kernel.start).unwrap_or_default();
        let files: Vec<Metadata<'c>> = lines.files.iter().map(|file| info.file(module, file)).collect();
        let own = files.get(first.file as usize).copied();
        let own = own.unwrap_or_else(|| info.file(module, "kernel"));
        let scope = info.subprogram(name, name, own, first.line, Some(function));
        let in_file = |(number, &file): (usize, &Metadata<'c>)| {
            if number == first.file as usize { scope } else { info.scope_in_file(scope, file) }
        };
        let scopes = files.iter().enumerate().map(in_file).collect();
        // Debuggers and profilers use it to unwind frames.
        function.add_attribute(types, "frame-pointer", "all");
        Self { info, scopes }
    }

    /// Completes the debug information.
    pub(super) fn finish(&self) {
        self.info.finish();
    }
}

impl Code<'_, '_, '_> {
    /// Sets the source location of the code generated from now on to that of an instruction.
    pub(super) fn locate(&self, pc: u32) {
        let (Some(debug), Some(lines)) = (&self.reports.debug, self.reports.lines) else { return };
        let pc = self.reports.joined.map_or(pc, |joined| joined.place(pc));
        let Some(location) = lines.location(pc) else { return };
        if let Some(&scope) = debug.scopes.get(location.file as usize) {
            self.builder().set_location(Some(debug.info.location(
                location.line,
                location.column,
                scope,
                None,
            )));
        }
    }
}
