//! What an instruction works on while lanes of a group execute it.
//!
//! The inner loop (`step.rs`) makes an [`At`] for each instruction that is not an operation on registers alone, and the function of the
//! instruction's family takes it with the instruction. An access to memory and the registers that it reads or writes are borrowed
//! at the same time, so [`At::split`] gives both.

use ptx_program::{Address, Dst, Mask, Row, Src};

use super::Stop;
use super::block::BlockState;
use super::geometry::WarpId;
use super::grid::Grid;
use super::memory::{Addresses, View, addresses};
use super::rows::blend;
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::Fault;

/// The instruction that lanes execute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pc: u32,
    /// The lanes: those of the group for which the guard is true.
    pub(super) active: Mask,
}

impl Place {
    /// Stops a lane here.
    pub(super) fn stop(self, kind: TrapKind, lane: usize) -> Stop {
        Stop::at(kind, self.pc, lane)
    }

    /// Stops a lane here that made a faulty access.
    pub(super) fn fault(self, fault: Fault, lane: usize) -> Stop {
        self.stop(TrapKind::Fault(fault), lane)
    }
}

/// The registers of the call in which a group of threads is. They have been moved out of its frame.
#[derive(Debug)]
pub(super) struct Operands<'a> {
    pub(super) rows: &'a mut [Row],
    pub(super) constants: &'a [Row],
    pub(super) warp: WarpId,
    /// Index into [`Warp::frames`].
    pub(super) frame: usize,
    /// The address of the frame's local memory.
    pub(super) local: u32,
}

impl Operands<'_> {
    /// The values of an operand.
    #[inline]
    pub(super) fn row(&self, src: Src) -> &Row {
        src.of(self.rows, self.constants)
    }

    /// The value of an operand in a lane.
    #[inline]
    pub(super) fn value(&self, src: Src, lane: usize) -> u64 {
        self.row(src)[lane]
    }

    /// The addresses that an operand gives.
    #[inline]
    pub(super) fn addresses(&self, address: &Address) -> Addresses<'_> {
        addresses(address, self.rows, self.constants, self.local)
    }

    /// The address that an operand gives in a lane.
    #[inline]
    pub(super) fn address(&self, address: &Address, lane: usize) -> u64 {
        self.addresses(address).of(lane)
    }

    /// Writes a register in a lane.
    #[inline]
    pub(super) fn set(&mut self, dst: Dst, lane: usize, value: u64) {
        self.rows[dst as usize][lane] = value;
    }

    /// Writes a register in these lanes.
    #[inline]
    pub(super) fn blend(&mut self, dst: Dst, values: &Row, active: Mask) {
        blend(self.rows, dst, values, active);
    }
}

/// An instruction that lanes of a group execute, and what it may access.
pub(super) struct At<'a> {
    pub(super) warp: &'a mut Warp,
    pub(super) grid: &'a Grid<'a>,
    pub(super) block: &'a mut BlockState,
    pub(super) operands: Operands<'a>,
    pub(super) place: Place,
}

impl<'a> At<'a> {
    /// An instruction in a frame of a warp, the rows of which have been moved out of it.
    #[inline(always)]
    pub(super) fn new(
        warp: &'a mut Warp,
        grid: &'a Grid<'a>,
        block: &'a mut BlockState,
        (frame, rows): (usize, &'a mut [Row]),
        place: Place,
    ) -> Self {
        let (constants, local) = (warp.constants(grid), warp.frames[frame].local);
        let operands = Operands { rows, constants, warp: warp.id, frame, local };
        Self { warp, grid, block, operands, place }
    }

    /// The memory that the threads see, the registers, and where they are.
    #[inline(always)]
    pub(super) fn split(&mut self) -> (View<'_>, Operands<'_>, Place) {
        let Operands { ref mut rows, constants, warp, frame, local } = self.operands;
        let view = View { grid: self.grid, block: self.block, local: &mut self.warp.local };
        (view, Operands { rows, constants, warp, frame, local }, self.place)
    }

    /// Ends the time slice after an operation was put in flight, so that others run before it completes.
    pub(super) fn issued(&mut self) {
        if !self.block.cluster.pending.is_empty() {
            self.warp.end_turn();
        }
    }
}
