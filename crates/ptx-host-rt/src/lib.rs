//! Runs kernels that were compiled for the host CPU.
//!
//! The code of a kernel is a function of a warp, `i32 kernel(WarpFrame *)`. What it cannot do alone it asks the runtime for, through the
//! table of functions that its frame refers to: they get the frame first. The result is a [`Status`].
//!
//! | module | |
//! |---|---|
//! | `frame` | what code and the runtime know of each other |
//! | `about` | what an object file has beside the code of a kernel |
//! | `linked` | launches of kernels that a program was linked with |
//! | `grid` | host threads take up blocks, each with shared memory, frames and stacks that it keeps |
//! | `block` | the warps of a block: in turn, or on fibres where they wait for each other |
//! | `barrier`, `fibre` | barriers of a block; stacks |
//! | `check` | accesses to memory of which code cannot tell that they are right |
//! | `effect` | instructions that the interpreter's runtime executes, and products of matrices by its function |
//! | `heavy` | clusters whose warps ask the interpreter's runtime for what it does for them |
//! | `patient` | blocks that wait for each other in loops |
//! | `product` | products of `wgmma` and `tcgen05.mma` with the processor's vectors |
//! | `row` | operations on registers by the interpreter's functions |
//! | `stuck` | lanes of a warp that wait for each other for ever |
//! | `system` | functions that the system provides: `vprintf`, `malloc`, `free`, failed assertions |
//! | `watch` | ends launches whose time is over |

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
