//! The analyses of a kernel that code generation depends on.
//!
//! The input is the [`Program`](ptx_program::Program) that the interpreter executes, the result an [`Analysis`]: the basic blocks in execution order, the blocks at which
//! lanes wait for reconvergence, and the shape and bounds of each row (a row is one register of all lanes).
//!
//! | module | computes |
//! |---|---|
//! | `again` | rows that are recomputed after barriers instead of being saved |
//! | `alone` | loops that lanes execute one lane at a time |
//! | `access` | the rows that an instruction reads and writes, or why it is not compiled |
//! | `accesses` | what is known of the addresses of an access's lanes |
//! | `by_row` | results for each row |
//! | `heavy`, `asking` | instructions that the interpreter's runtime executes; loops that poll an mbarrier |
//! | `gather`, `participants` | operations at which lanes wait for each other; which lanes take part, and the shapes of their results |
//! | `graph` | basic blocks, ordered so that the blocks of a loop are contiguous |
//! | `group` | how many warps execute in lockstep, as one wide warp |
//! | `part` | into how many parts, executed one after the other, a warp is split if its rows do not fit into registers |
//! | `together` | whether all warps of a block execute in lockstep, for kernels with short runs between barriers |
//! | `unroll` | copies of blocks for the iterations of loops that contain barriers |
//! | `latency` | loops bound by the latency of a warp's own results |
//! | `layout` | how the values of a row are represented |
//! | `liveness` | the rows that are live into each block |
//! | `places` | whether lanes reach one operation at different instructions |
//! | `progress` | whether a loop waits for other threads |
//! | `block_set` | sets of blocks, for the fixed point of `schedule` |
//! | `schedule`, `spans` | the blocks at which other lanes of the warp may wait while a block runs, as sets or as intervals |
//! | `segments` | the functions that a large kernel is compiled to |
//! | `width` | how many bits the values of a row need |
//! | `turns` | whether the warps of a block (CTA) can take turns in one function |
//! | `phases` | whether all warps execute their barriers in one order |
//! | `patterns` | offsets of lanes from the first lane of their chunk |
//! | `own_memory` | generic accesses that are known to be to the thread's own local memory |
//! | `nans` | the rows whose NaNs may have any payload |
//! | `shape` | the lattice of shapes: uniform, strided, indexed, varying |
//! | `singly` | barriers to which the threads of a warp come one by one |
//! | `facts` | bounds of the values of rows |
//! | `chunkwise` | which chunks of a row have equal values |
//! | `differing` | the bits in which the lanes of a warp may differ |
//! | `dominance`, `edges` | the dominator tree; the graph in the form that algorithms of `ptx-ir` take |
//! | `rows`, `rounds`, `transfer` | the shape of each row, from what instructions write |
//! | `sweep` | the order in which the fixed points over rows look at instructions |
//! | `results` | all results for a kernel, and the fixed point of `schedule` and `rows` |
//! | `reason` | why a row is divergent: its definitions, walked backward |
//! | `claims` | whether values agree with the analysis, in checked code |

mod access;
mod accesses;
mod again;
mod alone;
mod asking;
mod block_set;
mod by_row;
mod chunkwise;
mod claims;
mod differing;
mod dominance;
mod edges;
mod facts;
mod gather;
mod graph;
mod group;
mod heavy;
mod latency;
mod layout;
#[cfg(test)]
pub(crate) mod lies;
mod liveness;
mod nans;
mod own_memory;
mod part;
mod participants;
mod patterns;
mod phases;
mod places;
mod progress;
mod reason;
mod results;
mod rounds;
mod rows;
mod schedule;
mod segments;
mod shape;
mod singly;
mod spans;
mod sweep;
mod together;
mod transfer;
mod turns;
mod unroll;
mod width;

pub use access::{Access, Refusal};
pub(crate) use accesses::{Accessed, Form, Window, form, has_gathers, window_of};
pub use again::computed_again;
pub use alone::Region;
pub(crate) use asking::repeats;
pub use claims::{Claim, Claims};
pub(crate) use dominance::Dominance;
pub(crate) use edges::Edges;
pub use facts::{Facts, Zeros};
pub use gather::{Gather, asks, guard_of};
pub use graph::{Block, BlockId, Graph, Terminator};
pub use group::groups;
pub use heavy::{has_heavy, is_heavy};
pub use liveness::Liveness;
pub(crate) use liveness::read_from_before;
pub use nans::Nans;
pub(crate) use nans::takes_any;
pub use own_memory::{access_locally, own_accesses};
pub use part::part;
pub use patterns::{Pattern, Patterns};
pub use phases::Phases;
pub use places::APART;
pub use progress::waiting;
pub(crate) use reason::{Cause, Origin, Reasons};
pub use results::Analysis;
pub use rows::Shapes;
pub use schedule::Schedule;
pub(crate) use segments::leaves_early;
pub use segments::{Limits, Segments};
pub(crate) use shape::Lanes;
pub use shape::{Indexed, Launched, Shape, Stride};
pub(crate) use singly::{begins_with_wait, is_waited_at};
pub use together::{pays_together, runs_together, together};
pub use turns::take_turns;
pub(crate) use unroll::copies_of;
pub use unroll::{BlockCopy, come_back, copies, single_copies};
pub use width::Widths;
