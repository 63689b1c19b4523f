//! What an instruction works on that concerns the groups of a warp: divergent branches, calls, barriers, collectives.
//!
//! The inner loop ends at such an instruction, and the registers are back in their frame (`step.rs`).

use ptx_program::{Mask, Row, Src};

use super::Stop;
use super::at::Place;
use super::block::BlockState;
use super::grid::Grid;
use super::warp::{State, Warp};
use crate::error::TrapKind;

/// A group of threads at such an instruction.
pub(super) struct GroupAt<'a> {
    pub(super) warp: &'a mut Warp,
    pub(super) grid: &'a Grid<'a>,
    pub(super) block: &'a mut BlockState,
    /// Index into [`Warp::fragments`].
    pub(super) current: usize,
    pub(super) place: Place,
}

impl GroupAt<'_> {
    /// The frame of its call.
    pub(super) fn frame(&self) -> usize {
        self.warp.fragments[self.current].frame
    }

    /// The values of an operand.
    pub(super) fn row(&self, src: Src) -> &Row {
        self.warp.row(self.grid, self.frame(), src)
    }

    /// Splits `part` off the group, to continue at `pc`; returns the index of the group of `part`.
    pub(super) fn split(&mut self, part: Mask, pc: u32, state: State) -> usize {
        self.warp.split(self.current, part, pc, state)
    }

    /// Stops a lane here.
    pub(super) fn stop(&self, kind: TrapKind, lane: usize) -> Stop {
        self.place.stop(kind, lane)
    }
}
