//! Runs a decoded program: a grid of blocks, spread over host threads.
//!
//! A cluster of blocks is executed by one host thread at a time, so its shared memory needs no atomics. A long-running
//! cluster is preempted so that others get started: a grid that synchronizes through global memory makes progress as
//! long as its blocks stay below [`MOST_RESIDENT_BLOCKS`] and [`RESIDENT_BYTES`].
//!
//! Blocks of a cluster are scheduled round-robin, and so are the warps of a block. Within a warp, threads at the same
//! instruction of the same call run together; of several such groups the one in the deepest call and at the lowest
//! address runs first, which makes diverged threads reconverge soon. A group that has waited for long runs next
//! regardless of its position, so that every thread makes progress (manual 3.2).

mod async_write;
mod asynchronous;
mod barrier;
mod bind;
mod block;
pub(crate) mod builtin;
mod bulk;
mod call;
mod cluster;
mod collective;
mod copy;
mod descriptor;
mod fragment;
mod grid;
mod heap;
mod launch_control;
pub(crate) mod matrix;
mod mbarrier;
pub(crate) mod meeting;
mod memory;
pub(crate) mod multimem;
mod observe;
mod pending;
pub(crate) mod probe;
mod products;
mod proxy;
pub(crate) mod report;
mod runs;
mod special;
mod stack;
mod step;
mod tcgen05;
mod tensor;
mod tensor_walk;
pub(crate) mod texture;
mod tile;
mod traffic;
pub(crate) mod warp;
mod watch;
mod wgmma;

pub use bind::RowOperation;
pub use cluster::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};
pub use grid::Geometry;
pub(crate) use grid::{Executable, Finished, Setup, pool, run};
pub(crate) use heap::Heap;
pub use launch_control::Queue;
pub use mbarrier::Question;
pub(crate) use observe::Observer;
pub use probe::{Around, Extent};
pub use products::{Lines, Matrix, Products, TensorPart, WarpgroupPart};

/// Maximum number of started blocks before older ones are resumed, if their memory allows it: more than a GPU can hold.
pub const MOST_RESIDENT_BLOCKS: usize = 4096;
/// Maximum total memory of started blocks; fewer are started if they would need more.
const RESIDENT_BYTES: usize = 512 << 20;

/// Why a thread was stopped, and its lane and instruction, as far as known.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) kind: crate::error::TrapKind,
    pub(crate) pc: Option<u32>,
    pub(crate) lane: usize,
    /// The warp, if it is not the running one.
    pub(crate) warp: Option<warp::WarpId>,
    pub(crate) related: Vec<(u32, String)>,
    /// For a faulty access to local memory, the call stack of the thread: each function with the address of its local memory.
    pub(crate) frames: Vec<(u32, u32)>,
}

impl Stop {
    /// A stop at an instruction of a lane.
    fn at(kind: crate::error::TrapKind, pc: u32, lane: usize) -> Self {
        Self { kind, pc: Some(pc), lane, warp: None, related: Vec::new(), frames: Vec::new() }
    }
}
