//! Executes PTX on the host CPU.
//!
//! [`run`] launches a kernel of a verified module: it lays out the module's variables, decodes the functions that the
//! kernel reaches into a [program](ptx_program::Program), and interprets it warp by warp, the blocks of the grid spread over host
//! threads. It is the reference that faster engines are compared with: slow, exact and full of checks.
//!
//! A [`DecodedLaunch`] repeats one launch; memory persists from one repetition to the next.
//!
//! An [`Image`] is a module whose variables live in a caller-provided [`Memory`], at host-process addresses: its
//! kernels are decoded once and launched any number of times. The crate `ptx-device` adds streams, events and checked
//! arguments.
//!
//! Semantics of a launch:
//! - arithmetic is bit-exact as specified by the manual ([`ptx_program::scalar`]); approximate functions are correctly rounded,
//!   which is within their error bounds;
//! - every access to memory is checked for bounds and alignment; the first invalid one stops the launch and is reported with
//!   its address, space, thread and position;
//! - the 32 lanes of a warp diverge and reconverge freely; collectives wait for all lanes named by their member mask;
//!   barriers count threads; a deadlock is reported, and a livelock runs into the time limit;
//! - memory is at least as strongly ordered as any PTX order and scope requires;
//! - nothing is ignored: a construct that cannot be executed is rejected, with its position, before the first thread runs;
//! - the result depends only on the module and the launch, except where the program itself depends on the order in
//!   which blocks and warps run, or on the global timer.
//!
//! Nothing here prints, reads the environment, or grows without bound on any input ([`Limits`]).

mod attributes;
mod cluster_shape;
#[doc(hidden)]
pub mod engine;
mod error;
mod explain;
mod extents;
pub mod format;
mod image;
mod inputs;
mod interrupt;
mod kernel;
mod launch;
mod machine;
mod memory;
mod object;
mod observe;
mod pointer;
mod relocation;
mod repeat;
mod run;
mod spec;
pub mod texture;

pub use attributes::KernelAttributes;
pub use error::{ExecError, Trap, TrapKind, codes};
pub use extents::{LARGEST_BLOCK, LARGEST_GRID, MOST_THREADS};
pub use image::{DeviceHeap, Image, Prepared, Surroundings, Variable};
pub use interrupt::{Interrupt, Listening};
pub use kernel::{Kernel, Parameter};
pub use launch::{
    Argument, Completion, Content, Dim3, Executed, Launch, Limits, Outcome, Reconvergence, Relocation,
    Report, Shape,
};
pub use machine::MOST_RESIDENT_BLOCKS;
#[doc(hidden)]
pub use machine::{Geometry, RowOperation};
pub use memory::{
    Bounds, BoxSize, Fault, FaultKind, HostMemory, HostRegion, Memory, MemoryError, MemoryKind,
    MemoryOptions, Pitched, RegionInfo, RegionKind, Words,
};
pub use observe::{Choice, Counts, Observation, Observed, Profile, Sink, Trace, TraceEvent, Value};
pub use ptx_program::SourceLine;
pub use ptx_program::memory::{AddressSize, Space};
pub use ptx_program::tensormap::{self, TensorMap};
pub use repeat::{DecodedLaunch, LoadedLaunch};
pub use run::{run, run_observed};
pub use spec::LaunchSpec;
