//! A tensor copy or reduction with its operands resolved.

use ptx_program::Combine;
use ptx_program::memory::Space;
use ptx_program::tensormap::{ElementType, OutOfBounds, Swizzle};

use super::sectors::Sectors;
use super::tensor_walk::Run;

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

    /// Bytes of a run in shared memory.
    pub(super) fn row(&self) -> u64 {
        self.element.shared_bytes(self.length)
    }

    /// Bytes of shared memory copied, including elements outside the tensor.
    pub(super) fn bytes(&self) -> u64 {
        self.row() * self.runs.len() as u64
    }

    /// The sectors of the tensor's memory touched by the copy.
    pub(super) fn sectors(&self) -> Sectors {
        let mut sectors = Sectors::default();
        for run in &self.runs {
            let bytes = |elements: u64| elements * self.element.bits() / 8;
            let start = run.global.wrapping_add(bytes(run.inside.start));
            sectors.add(start, bytes(run.inside.end.saturating_sub(run.inside.start)));
        }
        sectors
    }
}
