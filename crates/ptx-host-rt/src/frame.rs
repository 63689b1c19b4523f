//! What compiled code and the runtime know of each other.

use std::sync::atomic::AtomicU32;

use ptx_exec::TrapKind;
use ptx_exec::program::{Program, Row};

use super::block::{Block, Coming, Passed};
use super::check::{Known, check};
use super::effect::{effect, multiply};
use super::fibre::Suspend;
use super::grid::Job;
use super::heavy::{Heavy, hand_over, idle, step};
use super::row::row;
use super::stuck::stuck;
use super::system::call;

/// What the code of a kernel is given of the warp that it runs, and what it leaves.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WarpFrame {
    /// The parameter space.
    pub params: *const u8,
    /// The constant memory.
    pub constant: *const u8,
    /// The constants of the program, of which code reads those that are addresses in global memory.
    pub constants: *const Row,
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
    /// Not zero once the warp is to end at the next jump back.
    pub(crate) attention: *const AtomicU32,
    /// What the warps of the block share.
    pub(crate) block: *mut Block,
    /// The cluster whose instructions the interpreter's runtime executes, if the kernel has any; where it has the rows of the warp.
    pub(crate) heavy: *mut Heavy,
    pub(crate) rows: *mut Row,
    /// Where the shared memory of each block of the cluster is, by rank: [`PEERS`] places, also for ranks that there are not.
    pub(crate) peers: *const *mut u8,
    /// The rank of the block in its cluster.
    pub(crate) rank: u32,
    /// One more than the instruction of the last question about a phase that was in vain, until it is noticed, or [`HANDED_OVER`]; how many were
    /// since the warp let others run.
    pub(crate) vain: u32,
    pub(crate) questions: u32,
    /// The launch.
    pub(crate) job: *const Job,
    /// What suspends the fibre that the warp runs on.
    pub(crate) suspend: *const Suspend,
    /// Where the warp was stopped, and which of its lanes were.
    pub(crate) pc: u32,
    pub(crate) stopped: u32,
    /// What a barrier with predicates gave: how many were true, and how many there were.
    pub(crate) trues: u32,
    pub(crate) votes: u32,
    /// What the instruction was given that stopped the warp: the number of a branch that has no such target, the mask of an operation.
    pub(crate) detail: u64,
    /// What code knows of accesses that it checks.
    pub(crate) sites: *mut Known,
}

/// In the field `vain` of a frame: lanes of the warp ask in vain, and can only go on when others of it run, which code does not let.
pub const HANDED_OVER: u32 = u32::MAX;

/// Ranks that an address in shared memory may have.
pub const PEERS: usize = 256;

/// The functions that compiled code calls, each with the frame of its warp first.
///
/// They may not unwind: there is no way through the frames of compiled code. Those that may suspend the warp own nothing while they do.
#[repr(C)]
#[derive(Debug)]
pub struct Runtime {
    /// The warp comes to a block barrier (`Coming`); gives a [`Status`].
    pub barrier: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32, u32, u32, u32) -> i32,
    /// Threads of the warp come to different barriers: the instruction and lanes of those that wait, and of the others; gives a [`Status`].
    pub part: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// The number that these lanes have in an array of 32 numbers of 32 bits; with bit 32 where they have different ones.
    pub common: unsafe extern "C" fn(*mut WarpFrame, *const u32, u32) -> u64,
    /// What a special register has ([`Asked`]).
    pub ask: unsafe extern "C" fn(*mut WarpFrame, u32) -> u64,
    /// An operation on registers: the instruction, four rows of 32 numbers of 64 bits, and two that get the results.
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
    /// A call of a function of the system (`call`); gives a [`Status`].
    pub call: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *const Row, *mut Row, *const u8) -> i32,
    /// An instruction that the interpreter's runtime executes: its number, the lanes, the rows of its operands (`effect`);
    /// gives a [`Status`].
    pub effect: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *mut Row) -> i32,
    /// A product of matrices by the interpreter's function: its number, the rows of its sources and of its results; gives a [`Status`].
    pub multiply: unsafe extern "C" fn(*mut WarpFrame, u32, *const Row, *mut Row) -> i32,
    /// An instruction that the interpreter's runtime executes (`step`); gives a [`Status`].
    pub step: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// Lanes have asked in vain and no other lane of the warp can run (`idle`); gives a [`Status`].
    pub idle: unsafe extern "C" fn(*mut WarpFrame, u32, u32, u32, u32) -> i32,
    /// The warp may wait for others in a loop, and lets them run: the instruction and the lanes; gives a [`Status`].
    pub give_way: unsafe extern "C" fn(*mut WarpFrame, u32, u32) -> i32,
    /// The local memory of the warp, which begins: so many bytes, all zero, until its next one begins.
    pub local: unsafe extern "C" fn(*mut WarpFrame, u64) -> *mut u8,
    /// Lanes of the warp wait for each other for ever: where each lane waits, the lanes that it waits with, and those that have not exited
    /// (`stuck`); gives a [`Status`].
    pub stuck: unsafe extern "C" fn(*mut WarpFrame, *const u32, *const u32, u32) -> i32,
    /// Looks whether lanes of the warps that run together can make the accesses of an instruction (`check`); gives a [`Status`].
    pub check: unsafe extern "C" fn(*mut WarpFrame, u32, u32, *const u64, u32, *const u32, *const Row) -> i32,
    /// The interpreter runs the warp to its end: the instruction that each lane comes to, those that have not exited, their local memory
    /// (`hand_over`); gives a [`Status`].
    pub hand_over: unsafe extern "C" fn(*mut WarpFrame, *const u32, u32, *const u8) -> i32,
}

/// The only table.
pub(crate) static RUNTIME: Runtime = Runtime {
    barrier,
    part,
    common,
    ask,
    row,
    call,
    effect,
    multiply,
    step,
    idle,
    give_way,
    local,
    stuck,
    check,
    hand_over,
};

/// What code asks of the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Asked {
    /// Bytes of shared memory of a block.
    Shared = 0,
    /// Those that the launch asks for.
    DynamicShared = 1,
    /// Whether the launch or the kernel gives the shape of clusters.
    IsExplicitCluster = 2,
    /// Nanoseconds since it began.
    Nanoseconds = 3,
    /// The address of the workspace of a cooperative launch; 0 for any other.
    Workspace = 4,
}

/// How the function of a warp ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    /// All threads of the warp have exited.
    Done = 0,
    /// The instruction stopped a thread: `trap`, `brkpt`.
    Stopped = 1,
    /// The block has noted why ([`note`]).
    Noted = 2,
    /// It was told to end.
    Interrupted = 3,
    /// Lanes wait for other lanes of their warp, which do not come to the same operation: they wait for another one, or for these.
    Deadlock = 4,
    /// Lanes execute an operation whose `membermask` does not name them.
    NotMember = 5,
    /// Lanes execute an operation of the whole warp, of which others have exited or do not exist.
    NotWhole = 6,
    /// A matrix lies in memory where it cannot, or lanes give different addresses or strides for one.
    NotMatrix = 7,
    /// Lanes run a block or do not, in code that checks it, unlike it was claimed.
    Apart = 8,
}

/// Notes why a function that code calls stops lanes of the warp at an instruction; code is to end with what this gives.
///
/// # Safety
/// The frame is that of a warp that runs.
pub unsafe fn note(frame: *mut WarpFrame, pc: u32, lanes: u32, kind: TrapKind) -> i32 {
    // SAFETY: the frame of the warp that runs, and its block, which nothing else refers to now.
    unsafe {
        let frame = &mut *frame;
        (frame.pc, frame.stopped) = (pc, lanes);
        (*frame.block).note(kind, Vec::new());
    }
    Status::Noted as i32
}

/// The warp comes to a barrier.
unsafe extern "C" fn barrier(
    frame: *mut WarpFrame,
    pc: u32,
    lanes: u32,
    live: u32,
    id: u32,
    count: u32,
    trues: u32,
    differs: u32,
) -> i32 {
    // SAFETY: the frame of the warp that runs, its block, which no other warp uses meanwhile, and what suspends its fibre.
    unsafe {
        let frame = &mut *frame;
        let block = &mut *frame.block;
        let warp = frame.warp as usize;
        let votes = match block.come(&Coming { pc, warp, lanes, live, id, count, trues, differs }) {
            Passed::On(votes) => votes,
            Passed::Waits => {
                (*frame.suspend).suspend(());
                (*frame.block).votes(warp)
            }
            Passed::Stopped => {
                (frame.pc, frame.stopped) = (pc, lanes);
                return Status::Noted as i32;
            }
        };
        (frame.trues, frame.votes) = (votes.trues, votes.all);
        Status::Done as i32
    }
}

/// The local memory of the warp.
unsafe extern "C" fn local(frame: *mut WarpFrame, bytes: u64) -> *mut u8 {
    // SAFETY: the frame of the warp that runs, and its block, which nothing else refers to now.
    unsafe { (*(*frame).block).local((*frame).warp as usize, bytes) }
}

/// The warp lets others run.
unsafe extern "C" fn give_way(frame: *mut WarpFrame, pc: u32, lanes: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, its block, which no other warp uses meanwhile, and what suspends its fibre.
    unsafe {
        let frame = &mut *frame;
        (*frame.block).give_way(frame.warp as usize, pc, lanes);
        (*frame.suspend).suspend(());
    }
    Status::Done as i32
}

/// Threads of a warp come to different barriers.
unsafe extern "C" fn part(frame: *mut WarpFrame, here: u32, lanes: u32, pc: u32, others: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, its block and launch.
    unsafe {
        let frame = &mut *frame;
        (*frame.block).part(&*frame.job, frame.warp as usize, (here, lanes));
        (frame.pc, frame.stopped) = (pc, others);
    }
    Status::Noted as i32
}

/// One number of several lanes.
unsafe extern "C" fn common(_: *mut WarpFrame, numbers: *const u32, lanes: u32) -> u64 {
    // SAFETY: an array of 32 numbers.
    let numbers = unsafe { std::slice::from_raw_parts(numbers, 32) };
    let mut given = ptx_exec::program::lanes(lanes).map(|lane| numbers[lane]);
    let first = given.next().unwrap_or(0);
    let differs = given.any(|number| number != first);
    u64::from(first) | u64::from(differs) << 32
}

/// What a special register has.
unsafe extern "C" fn ask(frame: *mut WarpFrame, what: u32) -> u64 {
    // SAFETY: the frame of the warp that runs, and its launch.
    let job = unsafe { &*(*frame).job };
    match what {
        what if what == Asked::Shared as u32 => job.geometry.shared.into(),
        what if what == Asked::DynamicShared as u32 => job.geometry.dynamic_shared.into(),
        what if what == Asked::IsExplicitCluster as u32 => job.geometry.is_explicit_cluster.into(),
        what if what == Asked::Workspace as u32 => job.workspace,
        _ => job.nanoseconds(),
    }
}

/// Where the fields of [`WarpFrame`] are, in bytes.
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

    /// Those of [`Runtime`].
    pub mod runtime {
        use super::{Runtime, offset_of};

        pub const BARRIER: usize = offset_of!(Runtime, barrier);
        pub const PART: usize = offset_of!(Runtime, part);
        pub const COMMON: usize = offset_of!(Runtime, common);
        pub const ASK: usize = offset_of!(Runtime, ask);
        pub const STEP: usize = offset_of!(Runtime, step);
        pub const IDLE: usize = offset_of!(Runtime, idle);
        pub const CHECK: usize = offset_of!(Runtime, check);
        pub const HAND_OVER: usize = offset_of!(Runtime, hand_over);
    }
}
