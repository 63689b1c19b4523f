//! Tensor memory and the multiplications that use it (manual 9.7.16).

mod access;
mod memory;

pub(super) use access::{Issue, Outcome, access};
pub(super) use memory::TensorMemory;
