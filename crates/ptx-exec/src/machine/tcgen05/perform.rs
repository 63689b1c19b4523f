//! Performs operations on tensor memory.

use ptx_program::{Columns, Group, TensorOperation, WARP};

use super::copy::{copy, shift};
use super::misuse::misuse;
use super::moves::Moves;
use super::multiply::multiply;
use super::work::{Tcgen05Work, TensorStore};
use crate::error::TrapKind;
use crate::machine::block::BlockState;
use crate::machine::memory::View;
use crate::machine::products::Products;

/// Checks that a block, or both blocks of a pair, use the same `.cta_group` throughout.
pub(super) fn use_group(block: &mut BlockState, group: Group) -> Result<(), TrapKind> {
    block.tensor.use_group(group)?;
    match group {
        Group::One => Ok(()),
        Group::Pair => block.with_peer(|_, peer| peer.tensor.use_group(group)).unwrap_or_else(|| {
            misuse("`.cta_group::2` needs a cluster with a block of the rank next to this one")
        }),
    }
}

/// Performs an operation on the tensor memory of a block, or of a pair with the even block first.
fn perform(
    operation: &TensorOperation<u64>,
    blocks: &mut [&mut BlockState],
    products: Option<&'static dyn Products>,
) -> Result<(), TrapKind> {
    match operation {
        &TensorOperation::Copy { rows, chunks, packed, to, from } => {
            blocks.iter_mut().try_for_each(|block| copy((rows, chunks), packed, to as u32, from, block))
        }
        TensorOperation::Shift(at) => {
            blocks.iter_mut().try_for_each(|block| shift(*at as u32, &mut block.tensor))
        }
        TensorOperation::Multiply(product) => multiply(product, blocks, products),
    }
}

/// Performs an issued operation.
pub(crate) fn perform_tcgen05(view: &mut View<'_>, work: &Tcgen05Work) -> Result<(), TrapKind> {
    if work.group == Group::One {
        return perform(&work.operation, &mut [&mut *view.block], view.grid.products);
    }
    let is_even = view.block.rank.is_multiple_of(2);
    let products = view.grid.products;
    let done = view.block.with_peer(|block, peer| match is_even {
        true => perform(&work.operation, &mut [block, peer], products),
        false => perform(&work.operation, &mut [peer, block], products),
    });
    done.unwrap_or(Ok(()))
}

impl TensorStore {
    /// Calls `f` for each cell with the thread, the lane, the column and the stored value.
    pub(super) fn each<E>(
        &self,
        mut f: impl FnMut(usize, usize, i64, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        for thread in 0..WARP {
            for (register, row) in self.registers.iter().enumerate() {
                let (lane, columns) = self.cells.cells(thread, register);
                for (half, column) in columns.enumerate() {
                    let value = match self.cells.columns {
                        Columns::Whole => row[thread] as u32,
                        Columns::Halves => (row[thread] >> (16 * half)) as u32 & 0xffff,
                    };
                    f(thread, self.lane + lane, self.column + column, value)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn moves(&self) -> Moves {
        Moves::new(self.cells, self.lane, self.column)
    }
}

/// Performs an issued store.
pub(crate) fn perform_tensor_store(view: &mut View<'_>, store: &TensorStore) -> Result<(), TrapKind> {
    if store.moves().store(&mut view.block.tensor, &store.registers) {
        return Ok(());
    }
    store.each(|_, lane, column, value| view.block.tensor.write(lane, column, value))
}
