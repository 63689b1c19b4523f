//! Products of `wgmma` and `tcgen05.mma` with the processor's vectors, with the interpreter's results: products are exact in binary64, and
//! added in the order of depth.
//!
//! In go a part of a product, as the interpreter describes it ([`WarpgroupPart`], [`TensorPart`]), and rows of registers or cells of tensor memory;
//! these are changed. What kind of product it is are numbers and slices of that description and the type of D ([`sum::Sum`]): types of factors are
//! values in binary64 once they are read ([`factor`]), scales are factors of these, and of a sparse A each element has the depth of what it meets.

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
use ptx_exec::program::{Element, Row};

/// The products of this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors;

/// The only ones.
pub(crate) static VECTORS: Vectors = Vectors;

/// Those that code has for its instructions, for other launches.
#[doc(hidden)]
pub fn vector_products() -> &'static dyn Products {
    &VECTORS
}

thread_local! {
    static COMPUTED: Cell<Computed> = const { Cell::new(Computed { warpgroup: 0, tensor: 0, others: 0 }) };
    static PLACE: RefCell<warpgroup::Place> = RefCell::default();
}

/// How many products were computed with the processor's vectors; others the interpreter computes, element by element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Computed {
    /// Parts of a warp of `wgmma.mma_async`.
    pub warpgroup: u64,
    /// Parts of a block of `tcgen05.mma`.
    pub tensor: u64,
    /// Parts of both that were left to the interpreter.
    pub others: u64,
}

impl Computed {
    /// Those of this thread of the host. A launch on one thread runs on the one that launches.
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
        let is_computed = PLACE.with_borrow_mut(|place| warpgroup::warpgroup(part, rows, place)).is_some();
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
        PLACE.with_borrow_mut(|place| {
            let own = (&mut place.known, &mut place.raw);
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
