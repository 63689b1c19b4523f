//! Runtime for kernels compiled for the host CPU.
//!
//! The code of a kernel is a function of a warp, `i32 kernel(WarpFrame *)`. It calls the runtime through a table of
//! functions that is reachable from the frame; each of them takes the frame as first argument. The result is a
//! [`Status`].
//!
//! | module | |
//! |---|---|
//! | `frame` | the interface between compiled code and the runtime |
//! | `runtime` | the functions that compiled code calls |
//! | `about` | metadata of a kernel in an object file |
//! | `linked` | launches of kernels that are linked into a program |
//! | `grid`, `job` | scheduling of blocks on host threads |
//! | `resources` | reusable shared memory, frames and stacks of a host thread |
//! | `block`, `barrier` | the state shared by the warps of a block |
//! | `warps`, `fibre` | the warps of a block are run one after the other, or on fibers if they wait for each other; stacks |
//! | `arrivals`, `singly` | barriers to which the threads of a warp come one by one |
//! | `stop` | why a block was stopped |
//! | `check`, `known` | bounds checks of accesses that compiled code cannot prove valid |
//! | `effect`, `operands` | instructions executed by the interpreter's runtime, and matrix products by its function |
//! | `heavy`, `cluster` | clusters some of whose instructions are executed by the interpreter's runtime |
//! | `patient` | blocks that wait for each other in polling loops |
//! | `product` | products of `wgmma` and `tcgen05.mma` with the host's vector instructions |
//! | `row` | operations on registers by the interpreter's functions |
//! | `stuck` | deadlocks of lanes of a warp |
//! | `system` | builtin functions of the system: `vprintf`, `malloc`, `free`, failed assertions |
//! | `watch` | time limits of launches |

#![allow(unsafe_code)]

mod about;
mod arrivals;
mod barrier;
mod block;
mod check;
mod cluster;
mod effect;
mod fibre;
mod frame;
mod grid;
mod heavy;
mod job;
mod known;
mod linked;
mod operands;
mod patient;
mod product;
mod resources;
mod row;
mod runtime;
mod singly;
mod stop;
mod stuck;
mod system;
mod warps;
mod watch;

pub use about::{About, ForShape, Site, VERSION};
pub use frame::{Asked, HANDED_OVER, PEERS, Runtime, Status, WarpCode, WarpFrame, field, note};
pub use grid::launch;
pub use job::{Cancellation, Compiled, Given};
pub use known::Known;
pub use linked::{Failure, Linked, Request};
pub use operands::{Effects, Operands, operands};
pub use patient::MOST_WARPS;
pub use product::{Computed, vector_products};
pub use system::ARGUMENTS;
