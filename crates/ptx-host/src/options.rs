//! How kernels are compiled.

use std::sync::Arc;

use crate::inline::Inlined;

/// How kernels are compiled, beside the processor and the shape of launches. What is not asked for costs nothing.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Code that computes each lane by itself and compares what comes out with everything that the analysis claims: one value, a stride,
    /// an index, bounds and known bits of each row, and which lanes run together. A difference stops the launch as
    /// [`TrapKind::Defect`](ptx_exec::TrapKind). It is for tests: such code is many times slower.
    /// Warps run together as in other code, except where several groups of them take turns at barriers. Plain
    /// loads of one place that other threads write meanwhile may be reported: lanes then find different values, which PTX allows.
    pub check_shapes: bool,
    /// Code that checks each access to memory as the interpreter does, bounds and alignment, before it is made, and stops the thread.
    /// Launches have to know their memory ([`launch`](crate::launch)).
    pub check_memory: bool,
    /// Where instructions are, for debuggers: code has these lines, and frames that can be walked. They are seen where the code's
    /// [`Compiler`](crate::Compiler) shows it ([`Compiler::show_to_debuggers`](crate::Compiler::show_to_debuggers)).
    pub lines: Option<Arc<Lines>>,
    /// Whether functions are added to the map of the process for `perf`, `/tmp/perf-PID.map`, each as `kernel`, its name, and this.
    pub perf_map: Option<String>,
    /// Whether it is noted what code accesses and branches have.
    pub(crate) notes: bool,
}

impl Options {
    /// Whether code that is compiled so is kept on disk for other processes: it has no addresses of this one in it, and is the code that every process
    /// compiles for the program. An option that changes code is named here, or becomes part of the key of what is kept.
    pub fn is_kept(&self) -> bool {
        // Whether memory is checked is part of the key.
        let Self { check_shapes, check_memory: _, lines, perf_map: _, notes: _ } = self;
        !check_shapes && lines.is_none()
    }

    /// The same for a program that was made of another one.
    pub(crate) fn placed(&self, inlined: &Inlined) -> Self {
        let place = |lines: &Arc<Lines>| {
            let places = inlined.places.iter().map(|&pc| lines.place(pc)).collect();
            Arc::new(Lines { files: lines.files.clone(), places })
        };
        Self { lines: self.lines.as_ref().map(place), ..self.clone() }
    }

    /// The same with [`Self::check_memory`] as it is given.
    #[must_use]
    pub fn with_check_memory(self, check_memory: bool) -> Self {
        Self { check_memory, ..self }
    }

    /// The same with [`Self::check_shapes`] as it is given.
    #[must_use]
    pub fn with_check_shapes(self, check_shapes: bool) -> Self {
        Self { check_shapes, ..self }
    }
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Place {
    /// The file, by its number.
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where it is not known.
    pub column: u32,
}

/// Where the instructions of a program are.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lines {
    /// The paths of the files.
    pub files: Vec<String>,
    /// Of each instruction.
    pub places: Vec<Option<Place>>,
}

impl Lines {
    /// Where an instruction is.
    pub fn place(&self, pc: u32) -> Option<Place> {
        self.places.get(pc as usize).copied().flatten()
    }
}
