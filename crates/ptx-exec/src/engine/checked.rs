//! A launch that an engine can run, before its memory is there.

use std::num::NonZeroUsize;
use std::sync::Arc;

use ptx_program::Program;

use crate::inputs::host_threads;
use crate::machine::Geometry;
use crate::spec::LaunchSpec;

/// A launch that fits its kernel, without its memory: what decides which engine executes it.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The instructions.
    pub program: &'a Arc<Program>,
    /// What the kernel is launched with.
    pub spec: &'a LaunchSpec,
    /// Shape of the launch.
    pub geometry: Geometry,
}

impl Checked<'_> {
    /// Host threads that blocks are spread over.
    pub fn threads(&self) -> NonZeroUsize {
        self.spec.threads.unwrap_or_else(host_threads)
    }
}
