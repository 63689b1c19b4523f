//! Runs a decoded program: a grid of blocks, spread over host threads.
//!
//! A cluster of blocks stays with one host thread while it runs, so its shared memory needs no atomics. One that runs for
//! long is put aside so that others get started: a grid that synchronizes through global memory makes progress as long as
//! its blocks stay below [`MOST_RESIDENT_BLOCKS`] and [`RESIDENT_BYTES`].
//!
//! Blocks of a cluster take turns, and warps of a block. Within a warp, threads that are at the same place of the same call run together; of
//! several such groups the one in the deepest call and at the lowest address runs first, which brings diverged threads
//! together again soon, and a group that waited for long runs next whatever its place, so that every thread makes
//! progress (manual 3.2).

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

/// How many blocks are started before older ones are taken up again, if their memory allows it: more than a GPU holds.
pub const MOST_RESIDENT_BLOCKS: usize = 4096;
/// Bytes that started blocks may take together; fewer are started when they would take more.
const RESIDENT_BYTES: usize = 512 << 20;

/// What stopped a thread, and the lane and instruction, as far as they are known.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) kind: crate::error::TrapKind,
    pub(crate) pc: Option<u32>,
    pub(crate) lane: usize,
    /// The warp, where it is not the one that runs.
    pub(crate) warp: Option<warp::WarpId>,
    pub(crate) related: Vec<(u32, String)>,
    /// The functions that the thread was in, each with the address of its local memory, where an access of that is wrong.
    pub(crate) frames: Vec<(u32, u32)>,
}

impl Stop {
    /// At an instruction of a lane.
    fn at(kind: crate::error::TrapKind, pc: u32, lane: usize) -> Self {
        Self { kind, pc: Some(pc), lane, warp: None, related: Vec::new(), frames: Vec::new() }
    }
}
