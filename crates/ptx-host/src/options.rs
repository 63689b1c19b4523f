//! Compilation options.

use std::sync::Arc;

use crate::analysis::Limits;
use crate::inline::Inlined;
use crate::strategy::{Form, Forms};

/// Compilation options other than the processor and the shape of launches. Options that are off cost nothing.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Generates code that computes each lane separately and compares the results with all claims of the analysis: uniformity, stride,
    /// index, bounds and known bits of each row, and which lanes execute together. A difference stops the launch with
    /// [`TrapKind::Defect`](ptx_exec::TrapKind). It is for tests: such code is many times slower.
    /// Warps execute in lockstep as in other code, except where several groups of them take turns at barriers. Plain
    /// loads of an address that other threads write meanwhile may be reported: lanes then see different values, which PTX allows.
    pub check_shapes: bool,
    /// Generates code that checks bounds and alignment of each memory access before it executes, as the interpreter does, and stops the thread on an error.
    /// Launches must know their memory ([`launch`](crate::launch)).
    pub check_memory: bool,
    /// The source locations of instructions: code then has line tables and frames that can be unwound. Debuggers see them if the
    /// [`Compiler`](crate::Compiler) registers its code ([`Compiler::show_to_debuggers`](crate::Compiler::show_to_debuggers)).
    pub lines: Option<Arc<Lines>>,
    /// If set, functions are added to the process's `perf` map, `/tmp/perf-PID.map`, each as `kernel`, its name, and this text.
    pub perf_map: Option<String>,
    /// Whether notes on the code of accesses and branches are taken.
    pub(crate) notes: bool,
    /// From which size on kernels are split into several functions.
    pub limits: Limits,
    /// Special forms of code that are not used, as if they did not exist.
    pub disabled: Forms,
}

impl Options {
    /// Whether code compiled with these options is cached on disk for other processes: it must contain no addresses of this one, and be the same in every
    /// process that compiles the program. An option that changes code must be listed here, or be part of the cache key.
    pub fn is_kept(&self) -> bool {
        // Whether memory is checked is part of the key.
        let Self { check_shapes, check_memory: _, lines, perf_map: _, notes: _, limits, disabled } = self;
        !check_shapes && lines.is_none() && *limits == Limits::DEFAULT && disabled.is_empty()
    }

    /// The options for a program that was derived from another one, with source locations mapped.
    pub(crate) fn placed(&self, inlined: &Inlined) -> Self {
        let moved = |lines: &Arc<Lines>| {
            let locations = inlined.places.iter().map(|&pc| lines.location(pc)).collect();
            Arc::new(Lines { files: lines.files.clone(), locations })
        };
        Self { lines: self.lines.as_ref().map(moved), ..self.clone() }
    }

    /// These options with [`Self::check_memory`] set to the given value.
    #[must_use]
    pub fn with_check_memory(self, check_memory: bool) -> Self {
        Self { check_memory, ..self }
    }

    /// These options with [`Self::limits`] set to the given value.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// These options with [`Self::disabled`] set to the given forms.
    #[must_use]
    pub fn with_disabled(self, forms: impl IntoIterator<Item = Form>) -> Self {
        Self { disabled: forms.into_iter().collect(), ..self }
    }

    /// These options with [`Self::check_shapes`] set to the given value.
    #[must_use]
    pub fn with_check_shapes(self, check_shapes: bool) -> Self {
        Self { check_shapes, ..self }
    }
}

/// A location in a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SourceLocation {
    /// The number of the file.
    pub file: u32,
    /// One-based.
    pub line: u32,
    /// One-based; 0 if unknown.
    pub column: u32,
}

/// The source locations of a program's instructions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lines {
    /// The paths of the files.
    pub files: Vec<String>,
    /// The location of each instruction.
    pub locations: Vec<Option<SourceLocation>>,
}

impl Lines {
    /// The location of an instruction.
    pub fn location(&self, pc: u32) -> Option<SourceLocation> {
        self.locations.get(pc as usize).copied().flatten()
    }
}
