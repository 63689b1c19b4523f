//! A program in the form that the machine executes, and how many of its blocks are started at a time.

use std::sync::Arc;

use ptx_program::{AsyncOp, COLUMNS, Effect, LANES, Op, Program, WARP};

use super::bind::{Bound, bind};
use super::geometry::Geometry;

/// Maximum number of started blocks before older ones are resumed, if their memory allows it: more than a GPU can hold.
pub const MOST_RESIDENT_BLOCKS: usize = 4096;

/// Maximum total memory of started blocks; fewer are started if they would need more.
const RESIDENT_BYTES: usize = 512 << 20;

/// A program with its instructions in the form the inner loop executes, usable for any number of launches.
pub(crate) struct Executable {
    pub(crate) program: Arc<Program>,
    pub(super) code: Vec<Bound>,
    /// Bytes of tensor memory of a block.
    tensor: usize,
}

impl Executable {
    pub(crate) fn new(program: Program) -> Self {
        let multiplies =
            program.code.iter().any(|inst| matches!(&inst.op, Op::Effect(Effect::Async(AsyncOp::Tensor(_)))));
        let tensor = if multiplies { LANES * COLUMNS * size_of::<u32>() } else { 0 };
        Self { code: bind(&program), program: Arc::new(program), tensor }
    }

    /// Maximum number of started blocks: whole clusters.
    pub(crate) fn resident_blocks(&self, geometry: &Geometry) -> usize {
        let kernel = self.program.kernel();
        let of_warp = (kernel.rows as usize * 8 + kernel.local as usize) * WARP;
        let of_block = geometry.threads().div_ceil(WARP) * of_warp + geometry.shared as usize + self.tensor;
        let cluster = geometry.cluster_size().max(1) as usize;
        let blocks = (RESIDENT_BYTES / of_block.max(1)).clamp(16, MOST_RESIDENT_BLOCKS);
        (blocks / cluster).max(1) * cluster
    }
}
