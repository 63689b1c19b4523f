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
mod perform;
mod shared;
mod work;

pub(super) use access::{Issue, Outcome, access, load_in_place};
pub(super) use issue::{tensor, tensor_commit};
pub(super) use memory::TensorMemory;
pub(super) use perform::{perform_tcgen05, perform_tensor_store};
pub(super) use work::{Tcgen05Work, TensorStore};
