//! The computation of one instruction for one thread, on raw bits.
//!
//! Every function takes and returns the bits of a register in the low end of a `u64`; bits above the type's width are
//! ignored in operands and zero in results. Nothing here depends on warps, memory or the module model, so any engine
//! can use it and each function can be tested in isolation.
//!
//! The functions are `#[inline]`: engines apply them to whole rows of registers, in loops of their own crates.

pub mod approx;
pub mod bits;
pub mod compare;
pub mod convert;
pub mod float;
pub mod format;
pub mod int;
pub mod narrow;
pub mod video;
