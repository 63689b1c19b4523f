//! Runtime for kernels compiled for the host CPU.
//!
//! The code of a kernel is a function of a warp, `i32 kernel(WarpFrame *)`. It calls the runtime through a table of
//! functions that is reachable from the frame; each of them takes the frame as first argument. The result is a
//! [`Status`].
//!
//! | module | |
//! |---|---|
//! | `frame` | the interface between compiled code and the runtime |
//! | `about` | metadata of a kernel in an object file |
//! | `linked` | launches of kernels that are linked into a program |
//! | `grid` | scheduling of blocks on host threads, each with reusable shared memory, frames and stacks |
//! | `block` | the warps of a block: run one after the other, or on fibers if they wait for each other |
//! | `barrier`, `fibre` | barriers of a block; stacks |
//! | `check` | bounds checks of accesses that compiled code cannot prove valid |
//! | `effect` | instructions executed by the interpreter's runtime, and matrix products by its function |
//! | `heavy` | clusters some of whose instructions are executed by the interpreter's runtime |
//! | `patient` | blocks that wait for each other in polling loops |
//! | `product` | products of `wgmma` and `tcgen05.mma` with the host's vector instructions |
//! | `row` | operations on registers by the interpreter's functions |
//! | `stuck` | deadlocks of lanes of a warp |
//! | `system` | builtin functions of the system: `vprintf`, `malloc`, `free`, failed assertions |
//! | `watch` | time limits of launches |

#![allow(unsafe_code)]

mod about;
mod barrier;
mod block;
mod check;
mod effect;
mod fibre;
mod frame;
mod grid;
mod heavy;
mod linked;
mod patient;
mod product;
mod row;
mod stuck;
mod system;
mod watch;

pub use about::{About, ForShape, Site, VERSION};
pub use check::Known;
pub use effect::{Effects, Operands, operands};
pub use frame::{Asked, HANDED_OVER, PEERS, Runtime, Status, WarpFrame, field, note};
pub use grid::{Compiled, Given, WarpCode, launch};
pub use linked::{Failure, Linked, Request};
pub use patient::MOST_WARPS;
pub use product::{Computed, vector_products};
pub use system::ARGUMENTS;
