//! The functions of matrix products, which code calls.

use ptx_llvm_core::build::{Function, Value};
use ptx_program::Product;

use crate::emit::alu::Nan;

/// The functions of a product.
#[derive(Clone, Copy)]
pub(crate) struct Multiplier<'c> {
    pub(crate) product: Product,
    /// How NaNs of its results are represented.
    pub(crate) nan: Nan,
    /// The function that stores A, and the one that multiplies.
    pub(crate) functions: [Function<'c>; 2],
    /// The memory of its arguments and results: register after register, lane after lane.
    pub(crate) arguments: Value<'c>,
    pub(crate) results: Value<'c>,
    /// The memory of the elements of A.
    pub(crate) a: Value<'c>,
}
