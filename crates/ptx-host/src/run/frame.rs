//! What compiled code and the runtime know of each other.

use ptx_exec::program::Program;

/// What the code of a kernel is given of the warp that it runs, and what it leaves.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WarpFrame {
    /// The parameter space.
    pub params: *const u8,
    /// The constant memory.
    pub constant: *const u8,
    /// The shared memory of the block.
    pub shared: *mut u8,
    /// The index of the block in the grid.
    pub block_index: [u32; 3],
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// The number of the warp in its block.
    pub warp: u32,
    /// The lanes that are threads.
    pub lanes: u32,
    /// The functions that code calls.
    pub(crate) runtime: *const Runtime,
    /// What was compiled, for functions of the runtime that execute one of its instructions.
    pub(crate) program: *const Program,
    /// Where the warp was stopped, and which of its lanes were.
    pub(crate) pc: u32,
    pub(crate) stopped: u32,
}

/// The functions that compiled code calls, each with the frame of its warp first.
///
/// They may not unwind: there is no way through the frames of compiled code.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Runtime {
    /// Keeps the table from being empty.
    pub(crate) reserved: usize,
}

/// The only table.
pub(crate) static RUNTIME: Runtime = Runtime { reserved: 0 };

/// How the function of a warp ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum Status {
    /// All threads of the warp have exited.
    Done = 0,
    /// The instruction stopped a thread: `trap`, `brkpt`.
    Stopped = 1,
}

/// A warp that was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// Why, as the result of its function.
    pub status: i32,
    /// The instruction.
    pub pc: u32,
    /// The lanes that were stopped.
    pub lanes: u32,
    /// The warp.
    pub warp: u32,
    /// Its block.
    pub block_index: [u32; 3],
}

impl WarpFrame {
    /// What the function left whose result this is.
    pub(crate) fn stop(&self, status: i32) -> Stopped {
        let Self { pc, stopped, warp, block_index, .. } = *self;
        Stopped { status, pc, lanes: stopped, warp, block_index }
    }
}

/// Where the fields of [`WarpFrame`] are, in bytes.
pub(crate) mod field {
    use std::mem::offset_of;

    use super::WarpFrame;

    pub(crate) const PARAMS: usize = offset_of!(WarpFrame, params);
    pub(crate) const CONSTANT: usize = offset_of!(WarpFrame, constant);
    pub(crate) const SHARED: usize = offset_of!(WarpFrame, shared);
    pub(crate) const BLOCK_INDEX: usize = offset_of!(WarpFrame, block_index);
    pub(crate) const GRID: usize = offset_of!(WarpFrame, grid);
    pub(crate) const WARP: usize = offset_of!(WarpFrame, warp);
    pub(crate) const LANES: usize = offset_of!(WarpFrame, lanes);
    pub(crate) const RUNTIME: usize = offset_of!(WarpFrame, runtime);
    pub(crate) const PC: usize = offset_of!(WarpFrame, pc);
    pub(crate) const STOPPED: usize = offset_of!(WarpFrame, stopped);
}
