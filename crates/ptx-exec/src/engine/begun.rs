//! A launch that an engine can run.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::launch::{Completion, Limits, Reconvergence};
use crate::machine::Geometry;
use crate::program::Program;

/// A checked launch, ready for an engine to run.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// The instructions.
    pub program: &'a Arc<Program>,
    /// Contents of the parameter space.
    pub params: &'a [u8],
    /// Contents of constant memory.
    pub constant: &'a [u8],
    /// Limits of the launch.
    pub limits: &'a Limits,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads that a branch has parted run together again.
    pub reconvergence: Reconvergence,
    /// Host threads that blocks are spread over.
    pub threads: NonZeroUsize,
    /// Shape of the launch.
    pub geometry: Geometry,
    /// Whether its blocks may wait for each other.
    pub cooperative: bool,
}
