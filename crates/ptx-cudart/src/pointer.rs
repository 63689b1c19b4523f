//! Pointers that functions are given.

use crate::error::Failure;

/// The address of a result.
pub type Out<T> = ptx_cabi::Out<T, Failure>;
/// The address of an argument, or of a list of them.
pub type In<T> = ptx_cabi::In<T, Failure>;
/// A text that ends with a zero, or null.
pub type Text = ptx_cabi::Text<Failure>;
