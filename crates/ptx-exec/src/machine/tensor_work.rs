//! A tensor copy or reduction with its operands resolved.

use super::tensor_walk::Run;
use crate::memory::Space;
use crate::program::Combine;
use crate::tensormap::{ElementType, OutOfBounds, Swizzle};

/// A tensor copy of one thread, with the contents of the tensor map at the time of the instruction.
#[derive(Clone, Debug)]
pub(super) struct TensorWork {
    pub(super) element: ElementType,
    pub(super) out_of_bounds: OutOfBounds,
    pub(super) swizzle: Swizzle,
    /// The address in shared memory, and the space: `.shared::cta` or `.shared::cluster`.
    pub(super) shared: u64,
    pub(super) space: Space,
    pub(super) effect: TensorEffect,
    /// In the order of shared memory, each of `length` elements.
    pub(super) runs: Box<[Run]>,
    pub(super) length: u64,
    /// The contents of shared memory, if they have been read.
    pub(super) read: Option<Box<[u8]>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum TensorEffect {
    Load,
    Store,
    Reduce(Combine),
}

impl TensorWork {
    /// Whether it still has to read shared memory.
    pub(super) fn reads_shared(&self) -> bool {
        !matches!(self.effect, TensorEffect::Load) && self.read.is_none()
    }
}
