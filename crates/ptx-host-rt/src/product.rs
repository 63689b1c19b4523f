//! Products of `wgmma` and `tcgen05.mma` with the host's vector instructions, with the results of the interpreter:
//! products are exact in binary64, and added in depth order.
//!
//! The inputs are a share of a product, as described by the interpreter ([`WarpgroupPart`], [`TensorPart`]), and rows
//! of registers or cells of tensor memory, which are updated. The kind of product is expressed by numbers and slices of
//! that description and by the type of D ([`sum::Sum`]): factors are converted to binary64 when they are read
//! ([`factor`]), scales are multiplied into them, and for a sparse A each element has its depth.

mod factor;
mod processor;
mod sparse;
mod sum;
mod tensor;
#[cfg(test)]
mod tests;
mod tiles;
mod warpgroup;

use std::cell::{Cell, RefCell};

use ptx_exec::engine::{Lines, Products, TensorPart, WarpgroupPart};
use ptx_program::{Element, Row};

/// The implementation of products in this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors;

/// The only instance.
pub(crate) static VECTORS: Vectors = Vectors;

/// The implementation used by compiled code, for other launches.
#[doc(hidden)]
pub fn vector_products() -> &'static dyn Products {
    &VECTORS
}

thread_local! {
    static COMPUTED: Cell<Computed> = const { Cell::new(Computed { warpgroup: 0, tensor: 0, others: 0 }) };
    static CACHES: RefCell<warpgroup::ProductCaches> = RefCell::default();
}

/// Number of products computed with the host's vector instructions; others are computed by the interpreter, element by element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Computed {
    /// Shares of one warp of `wgmma.mma_async`.
    pub warpgroup: u64,
    /// Shares of one block of `tcgen05.mma`.
    pub tensor: u64,
    /// Shares of both that were left to the interpreter.
    pub others: u64,
}

impl Computed {
    /// The numbers for this host thread. A launch on one thread runs on the launching thread.
    pub fn on_this_thread() -> Self {
        COMPUTED.get()
    }
}

fn count(is_computed: bool, of: impl Fn(&mut Computed) -> &mut u64) {
    let mut computed = COMPUTED.get();
    *if is_computed { of(&mut computed) } else { &mut computed.others } += 1;
    COMPUTED.set(computed);
}

impl Products for Vectors {
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool {
        let is_computed = CACHES.with_borrow_mut(|caches| warpgroup::warpgroup(part, rows, caches)).is_some();
        count(is_computed, |computed| &mut computed.warpgroup);
        is_computed
    }

    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool {
        let is_computed = tensor::tensor(part, cells).is_some();
        count(is_computed, |computed| &mut computed.tensor);
        is_computed
    }

    fn elements(&self, lines: &Lines<'_>, element: Element) -> Option<Vec<f64>> {
        let mut values = Vec::new();
        CACHES.with_borrow_mut(|caches| {
            let own = (&mut caches.known, &mut caches.raw);
            factor::by_line(lines, element, 0..lines.count(), own, &mut values)
        })?;
        Some(values)
    }

    fn values(&self, element: Element, raw: &[u8]) -> Option<Vec<f64>> {
        let mut values = Vec::new();
        factor::values(element, raw, &mut values)?;
        Some(values)
    }
}
