//! What inlining and the transformations after it make: a program, and where each of its instructions comes from.

use ptx_program::Program;

/// A kernel without calls of its module's functions.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// Its instructions.
    pub program: Program,
    /// For each of them, the instruction of the program that it was made from.
    pub places: Vec<u32>,
}

impl Inlined {
    /// A program as it is.
    pub(crate) fn unchanged(program: &Program) -> Self {
        Self { program: program.clone(), places: (0..program.code.len() as u32).collect() }
    }

    /// The instruction that an instruction was made from.
    pub fn place(&self, pc: u32) -> u32 {
        self.places.get(pc as usize).copied().unwrap_or(pc)
    }
}
