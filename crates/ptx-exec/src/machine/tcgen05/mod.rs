//! Tensor memory and the multiplications that use it (manual 9.7.16).

mod access;
mod copy;
mod elsewhere;
mod factor;
mod instruction;
mod issue;
mod layout;
mod memory;
mod misuse;
mod moves;
mod multiply;
mod shared;
mod work;

pub(super) use access::{Issue, Outcome, access, load_in_place};
pub(super) use memory::TensorMemory;
pub(super) use work::{Tcgen05Work, TensorStore};
