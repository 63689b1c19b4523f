//! What a kernel is compiled from.

use ptx_program::Program;

use crate::analysis::Launched;
use crate::options::Options;

/// A program, the launches that its code is for, and how it is compiled: with the processor, all that code depends on.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launched: &'a Launched,
    pub(crate) options: &'a Options,
}

impl<'a> Source<'a> {
    pub(crate) fn new(program: &'a Program, launched: &'a Launched, options: &'a Options) -> Self {
        Self { program, launched, options }
    }

    /// The same for a program that was derived from this one.
    pub(crate) fn with_program(self, program: &'a Program) -> Self {
        Self { program, ..self }
    }
}
