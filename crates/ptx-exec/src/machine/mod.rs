//! Runs a decoded program: a grid of blocks, spread over host threads.
//!
//! A cluster of blocks is executed by one host thread at a time, so its shared memory needs no atomics. A long-running
//! cluster is preempted so that others get started: a grid that synchronizes through global memory makes progress as
//! long as its blocks stay below [`MOST_RESIDENT_BLOCKS`] and `RESIDENT_BYTES`.
//!
//! Blocks of a cluster are scheduled round-robin, and so are the warps of a block. Within a warp, threads at the same
//! instruction of the same call run together; of several such groups the one in the deepest call and at the lowest
//! address runs first, which makes diverged threads reconverge soon. A group that has waited for long runs next
//! regardless of its position, so that every thread makes progress (manual 3.2). With late reconvergence (`rejoin.rs`), threads
//! that a branch has parted run apart until all of its paths meet.

mod access;
mod assist;
mod async_write;
mod asynchronous;
mod at;
mod barrier;
mod bind;
mod block;
pub(crate) mod builtin;
mod bulk;
mod bulk_work;
mod call;
mod cluster;
mod collective;
mod completion;
mod control;
mod copy;
mod descriptor;
mod executable;
mod fragment;
mod geometry;
mod grid;
mod group;
mod group_barrier;
mod heap;
mod indexed;
mod launch_control;
mod map_address;
pub(crate) mod matrix;
mod mbarrier;
mod mbarrier_access;
mod mbarrier_object;
pub(crate) mod meeting;
mod memory;
pub(crate) mod multimem;
mod observe;
mod observer;
mod operation;
mod pending;
mod perform;
mod polling;
mod postdominators;
pub(crate) mod probe;
mod products;
mod proxy;
mod queue;
mod rejoin;
pub(crate) mod report;
mod rows;
mod runs;
mod schedule;
mod sectors;
mod setup;
mod slots;
mod special;
mod stack;
mod step;
mod stop;
mod tcgen05;
mod tensor;
mod tensor_walk;
mod tensor_work;
pub(crate) mod texture;
mod tile;
mod traffic;
mod warp;
mod warpgroup;
mod watch;
mod wgmma;
mod work;

pub use assist::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};
pub use bind::RowOperation;
pub(crate) use executable::Executable;
pub use executable::MOST_RESIDENT_BLOCKS;
pub use geometry::Geometry;
pub(crate) use geometry::WarpId;
pub(crate) use heap::Heap;
pub use mbarrier_object::Question;
pub(crate) use observer::Observer;
pub use probe::{Around, Extent};
pub use products::{Lines, Matrix, Products, TensorPart, WarpgroupPart};
pub use queue::Queue;
pub use schedule::Relay;
pub(crate) use schedule::{Finished, Running, pool};
pub use setup::Setup;
pub(crate) use stop::Stop;
