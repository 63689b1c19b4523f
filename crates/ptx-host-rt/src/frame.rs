//! The interface between compiled code and the runtime.

use std::sync::atomic::AtomicU32;

use corosensei::Yielder;
use ptx_exec::TrapKind;
use ptx_program::{Program, Row};

use super::block::Block;
use super::cluster::Heavy;
use super::job::Job;
use super::known::Known;

/// Inputs and outputs of the compiled function for the warp that it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WarpFrame {
    /// The parameter space.
    pub params: *const u8,
    /// The constant memory.
    pub constant: *const u8,
    /// The constants of the program, of which code only reads those that are global-memory addresses.
    pub constants: *const Row,
    /// The shared memory of the block.
    pub shared: *mut u8,
    /// The index of the block in the grid.
    pub block_index: [u32; 3],
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// The index of the warp in its block.
    pub warp: u32,
    /// The existing lanes.
    pub lanes: u32,
    /// The runtime functions called by code.
    pub(crate) runtime: *const Runtime,
    /// The compiled program, for runtime functions that execute one of its instructions.
    pub(crate) program: *const Program,
    /// Nonzero when the warp is to terminate at the next backward jump.
    pub(crate) attention: *const AtomicU32,
    /// The state shared by the warps of the block.
    pub(crate) block: *mut Block,
    /// The cluster whose instructions the interpreter's runtime executes, if the kernel has any; and the register rows of the warp there.
    pub(crate) heavy: *mut Heavy,
    pub(crate) rows: *mut Row,
    /// The shared memory of each block of the cluster, by rank: [`PEERS`] entries, including nonexistent ranks.
    pub(crate) peers: *const *mut u8,
    /// The rank of the block in its cluster.
    pub(crate) rank: u32,
    /// One more than the instruction of the last unsuccessful mbarrier query, until it is noticed, or [`HANDED_OVER`];
    /// and the number of such queries since the warp last yielded.
    pub(crate) vain: u32,
    pub(crate) questions: u32,
    /// The launch.
    pub(crate) job: *const Job,
    /// Suspends the fiber of the warp.
    pub(crate) suspend: *const Suspend,
    /// The instruction at which the warp was stopped, and the lanes.
    pub(crate) pc: u32,
    pub(crate) stopped: u32,
    /// The result of a barrier with predicates: how many were true, and how many there were. Where threads arrive one by one, `trues` are the
    /// lanes that may go on.
    pub(crate) trues: u32,
    pub(crate) votes: u32,
    /// The operand of the instruction that stopped the warp: an invalid branch index, or a member mask.
    pub(crate) detail: u64,
    /// The valid addresses cached by checked accesses.
    pub(crate) sites: *mut Known,
}

/// The function of a warp.
pub type WarpCode = unsafe extern "C" fn(*mut WarpFrame) -> i32;

/// Suspends the fiber of a warp.
pub(crate) type Suspend = Yielder<(), ()>;

/// Value of `vain` in a frame: lanes of the warp poll an mbarrier, and can only make progress when other lanes run that code does not let run.
pub const HANDED_OVER: u32 = u32::MAX;

/// Number of ranks that a shared memory address can encode.
pub const PEERS: usize = 256;

/// The functions called by compiled code, each with the frame of its warp as first argument.
///
/// They must not unwind, which is impossible through frames of compiled code. Functions that may suspend the warp own nothing while they do.
#[repr(C)]
#[derive(Debug)]
pub struct Runtime {
    /// The warp arrives at a block barrier (`Coming`); returns a [`Status`].
    pub barrier: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32, u32, u32, u32) -> i32,
    /// Threads of the warp reach different barriers: the instruction and lanes of those that wait, and of the others; returns a [`Status`].
    pub part: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// The common value of these lanes in an array of 32 32-bit numbers; bit 32 is set if they differ.
    pub common: unsafe extern "C" fn(*mut WarpFrame, *const u32, u32) -> u64,
    /// The value of a special register ([`Asked`]).
    pub ask: unsafe extern "C" fn(*mut WarpFrame, u32) -> u64,
    /// An operation on registers: the instruction, four source rows of 32 64-bit values, and two result rows.
    pub row: unsafe extern "C" fn(
        *mut WarpFrame,
        u32,
        *const Row,
        *const Row,
        *const Row,
        *const Row,
        *mut Row,
        *mut Row,
    ),
    /// A call of a builtin function (`call`); returns a [`Status`].
    pub call: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *const Row, *mut Row, *const u8) -> i32,
    /// An instruction executed by the interpreter's runtime: its index, the lanes, the rows of its operands (`effect`); returns a [`Status`].
    pub effect: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *mut Row) -> i32,
    /// A matrix product by the interpreter's function: its index, the rows of its sources and of its results; returns a [`Status`].
    pub multiply: unsafe extern "C" fn(*mut WarpFrame, u32, *const Row, *mut Row) -> i32,
    /// An instruction executed by the interpreter's runtime (`step`); returns a [`Status`].
    pub step: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// Lanes have queried an mbarrier unsuccessfully and no other lane of the warp can run (`idle`); returns a [`Status`].
    pub idle: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// The warp may be polling for others in a loop, and yields: the instruction and the lanes; returns a [`Status`].
    pub give_way: unsafe extern "C" fn(*mut WarpFrame, u32, u32) -> i32,
    /// Local memory for a warp that starts: this many zeroed bytes, valid until the frame's next warp starts.
    pub local: unsafe extern "C" fn(*mut WarpFrame, u64) -> *mut u8,
    /// Lanes of the warp are deadlocked: the instruction at which each lane waits, the lanes that it waits for, and
    /// those that have not exited (`stuck`); returns a [`Status`].
    pub stuck: unsafe extern "C" fn(*mut WarpFrame, *const u32, *const u32, u32) -> i32,
    /// Checks whether lanes of the warps in a group can make the accesses of an instruction (`check`); returns a [`Status`].
    pub check: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *const u64, u32, *const u32, *const Row) -> i32,
    /// Hands the warp over to the interpreter: the next instruction of each lane, the lanes that have not exited, their
    /// local memory (`hand_over`); returns a [`Status`].
    pub hand_over: unsafe extern "C" fn(*mut WarpFrame, *const u32, u32, *const u8) -> i32,
    /// Threads of the warp come one by one to a barrier, or wait at it already (`singly`); returns a [`Status`].
    pub arrive: unsafe extern "C" fn(
        *mut WarpFrame,
        u32,
        u32,
        u32,
        u32,
        u32,
        *const u32,
        *const u32,
        *mut u32,
    ) -> i32,
    /// No lane of the warp can run before the phase of a barrier is over, given those that have not exited; returns 0 when one
    /// is, and another number if none will ever be.
    pub await_phase: unsafe extern "C" fn(*mut WarpFrame, u32) -> i32,
    /// Lanes have exited, and these have not; returns a [`Status`].
    pub left: unsafe extern "C" fn(*mut WarpFrame, u32) -> i32,
}

/// A property of the launch requested by code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Asked {
    /// Bytes of shared memory of a block.
    Shared = 0,
    /// Bytes of dynamic shared memory.
    DynamicShared = 1,
    /// Whether the launch or the kernel specifies the cluster shape.
    IsExplicitCluster = 2,
    /// Nanoseconds since the launch began.
    Nanoseconds = 3,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    Workspace = 4,
}

/// Result of the function of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    /// All threads of the warp have exited.
    Done = 0,
    /// An instruction stopped a thread: `trap`, `brkpt`.
    Stopped = 1,
    /// The block has recorded the reason ([`note`]).
    Noted = 2,
    /// It was told to terminate.
    Interrupted = 3,
    /// Deadlock of lanes: they wait for lanes of their warp that wait at a different collective, or for them.
    Deadlock = 4,
    /// Lanes execute a collective whose `membermask` does not include them.
    NotMember = 5,
    /// Lanes execute a collective of the whole warp, of which other lanes have exited or do not exist.
    NotWhole = 6,
    /// A matrix is in an invalid memory space, its address or stride is not uniform, or the stride is less than the length of its lines.
    NotMatrix = 7,
    /// Lanes execute a block, or not, contrary to an assumption of the compiler, in code that checks it.
    Apart = 8,
}

/// Records why a runtime function stops lanes of the warp at an instruction; code must return the result.
///
/// # Safety
/// The frame is that of a running warp.
pub unsafe fn note(frame: *mut WarpFrame, pc: u32, lanes: u32, kind: TrapKind) -> i32 {
    // SAFETY: the frame of the warp that runs, and its block, which nothing else refers to now.
    unsafe {
        let frame = &mut *frame;
        (frame.pc, frame.stopped) = (pc, lanes);
        (*frame.block).note(kind, Vec::new());
    }
    Status::Noted as i32
}

/// Offsets of the fields of [`WarpFrame`] in bytes.
#[allow(missing_docs)]
pub mod field {
    use std::mem::offset_of;

    use super::{Runtime, WarpFrame};

    pub const PARAMS: usize = offset_of!(WarpFrame, params);
    pub const CONSTANT: usize = offset_of!(WarpFrame, constant);
    pub const CONSTANTS: usize = offset_of!(WarpFrame, constants);
    pub const SHARED: usize = offset_of!(WarpFrame, shared);
    pub const BLOCK_INDEX: usize = offset_of!(WarpFrame, block_index);
    pub const GRID: usize = offset_of!(WarpFrame, grid);
    pub const WARP: usize = offset_of!(WarpFrame, warp);
    pub const PEERS: usize = offset_of!(WarpFrame, peers);
    pub const RANK: usize = offset_of!(WarpFrame, rank);
    pub const ROWS: usize = offset_of!(WarpFrame, rows);
    pub const VAIN: usize = offset_of!(WarpFrame, vain);
    pub const QUESTIONS: usize = offset_of!(WarpFrame, questions);
    pub const LANES: usize = offset_of!(WarpFrame, lanes);
    pub const RUNTIME: usize = offset_of!(WarpFrame, runtime);
    pub const ATTENTION: usize = offset_of!(WarpFrame, attention);
    pub const PC: usize = offset_of!(WarpFrame, pc);
    pub const DETAIL: usize = offset_of!(WarpFrame, detail);
    pub const SITES: usize = offset_of!(WarpFrame, sites);
    pub const STOPPED: usize = offset_of!(WarpFrame, stopped);
    pub const TRUES: usize = offset_of!(WarpFrame, trues);
    pub const VOTES: usize = offset_of!(WarpFrame, votes);

    /// Offsets of the fields of [`Runtime`].
    pub mod runtime {
        use std::mem::offset_of;

        use super::Runtime;

        pub const BARRIER: usize = offset_of!(Runtime, barrier);
        pub const PART: usize = offset_of!(Runtime, part);
        pub const COMMON: usize = offset_of!(Runtime, common);
        pub const ASK: usize = offset_of!(Runtime, ask);
        pub const STEP: usize = offset_of!(Runtime, step);
        pub const IDLE: usize = offset_of!(Runtime, idle);
        pub const CHECK: usize = offset_of!(Runtime, check);
        pub const HAND_OVER: usize = offset_of!(Runtime, hand_over);
        pub const ARRIVE: usize = offset_of!(Runtime, arrive);
        pub const AWAIT_PHASE: usize = offset_of!(Runtime, await_phase);
        pub const LEFT: usize = offset_of!(Runtime, left);
    }
}
