//! Threads stopped by an engine.

use crate::error::TrapKind;
use crate::launch::Dim3;

/// A stopped thread, or deadlocked threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The reason.
    pub kind: TrapKind,
    /// The instruction, if any.
    pub pc: Option<u32>,
    /// The index of its block in the grid.
    pub block: Dim3,
    /// Index of its warp in the block.
    pub warp: usize,
    /// Its lane in the warp.
    pub lane: usize,
    /// Other locations that explain the stop.
    pub related: Vec<(u32, String)>,
}
