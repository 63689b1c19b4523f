//! Why and where threads are stopped.

use super::geometry::WarpId;
use crate::error::TrapKind;

/// Why a thread was stopped, and its lane and instruction, as far as known.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) kind: TrapKind,
    pub(crate) pc: Option<u32>,
    pub(crate) lane: usize,
    /// The warp, if it is not the running one.
    pub(crate) warp: Option<WarpId>,
    pub(crate) related: Vec<(u32, String)>,
    /// For a faulty access to local memory, the call stack of the thread: each function with the address of its local memory.
    pub(crate) frames: Vec<(u32, u32)>,
}

impl Stop {
    /// The warp of a stop that has left it.
    pub(crate) fn warp(&self) -> WarpId {
        debug_assert!(self.warp.is_some(), "a stop of no warp: {:?}", self.kind);
        // Default: a stop gets its warp where this one's execution ends.
        self.warp.unwrap_or_default()
    }

    /// A stop at an instruction of a lane.
    pub(super) fn at(kind: TrapKind, pc: u32, lane: usize) -> Self {
        Self { kind, pc: Some(pc), lane, warp: None, related: Vec::new(), frames: Vec::new() }
    }
}
