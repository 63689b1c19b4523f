//! Performs asynchronous operations (`operation.rs`): their effect on memory and registers, at whatever point they complete.
//!
//! The functions of an instruction issue operations, `completion.rs` decides when one is performed, and both know these, which know neither.

mod bulk;
mod copy;
mod product;
mod tensor;

use super::memory::View;
use super::operation::Operation;
use super::tcgen05::{perform_tcgen05, perform_tensor_store};
use super::work::Work;
use crate::error::TrapKind;
use crate::memory::Fault;
pub(super) use bulk::clear_block;
use bulk::{perform_bulk, read_bulk};
use copy::{perform_copy, perform_write};
pub(super) use product::{ROWS, product_at};
use product::{perform_product, read_factors};
use ptx_program::Row;
pub(super) use tensor::{SHARED_ALIGNMENT, STEP};
use tensor::{perform_tensor, read_tensor};

/// Performs an operation.
pub(super) fn perform_work(
    view: &mut View<'_>,
    operation: &Operation,
    rows: &mut [Row],
) -> Result<(), TrapKind> {
    match &operation.work {
        Work::Nothing => Ok(()),
        Work::Copy(copy) => perform_copy(view, copy).map_err(TrapKind::Fault),
        Work::Write(write) => perform_write(view, write).map_err(TrapKind::Fault),
        Work::Bulk(bulk) => perform_bulk(view, operation.lane, bulk),
        Work::Warpgroup(product) => {
            perform_product(view, product, (operation.warp.index, operation.pc), rows)
                .map_err(TrapKind::Fault)
        }
        Work::Tensor(tensor) => perform_tensor(view, tensor).map_err(TrapKind::Fault),
        Work::Tcgen05(work) => perform_tcgen05(view, work),
        Work::TensorStore(store) => perform_tensor_store(view, store),
    }
}

/// Whether an operation still has to read shared memory.
pub(super) fn reads_shared(work: &Work) -> bool {
    match work {
        Work::Nothing | Work::Copy(_) | Work::Write(_) | Work::TensorStore(_) => false,
        Work::Tcgen05(work) => work.reads_shared(),
        Work::Bulk(bulk) => bulk.reads_shared(),
        Work::Warpgroup(product) => product.reads_shared(),
        Work::Tensor(tensor) => tensor.reads_shared(),
    }
}

/// Reads the sources of an operation that is the instruction at `pc`, so that only its writes remain.
pub(super) fn read_work(view: &View<'_>, work: &mut Work, pc: u32) -> Result<(), Fault> {
    match work {
        Work::Nothing | Work::Copy(_) | Work::Write(_) | Work::Tcgen05(_) | Work::TensorStore(_) => Ok(()),
        Work::Bulk(bulk) => read_bulk(view, bulk),
        Work::Warpgroup(product) => read_factors(view, product, pc),
        Work::Tensor(tensor) => read_tensor(view, tensor),
    }
}
