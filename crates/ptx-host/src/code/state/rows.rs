//! The memory of rows, and what is known of their values at this point of the code.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ptx_llvm::build::Value;
use rustc_hash::FxHashMap;

/// Where the values of rows are.
#[derive(Default)]
pub(crate) struct RowMemory<'c> {
    /// The memory of each row.
    slots: Vec<Slot<'c>>,
    /// For each indexed row, the memory of its index.
    indices: Vec<Slot<'c>>,
    /// The values of rows at this point of the block: the memory of a row is read and written once per block.
    pub(crate) current: RefCell<FxHashMap<(u32, usize), Current<'c>>>,
    /// Rows whose current values are in the warp's memory for the interpreter's runtime, in the lanes of the current block.
    pub(crate) given: BTreeSet<u32>,
    /// Memory for rows that are passed to the runtime, and how many rows fit.
    pub(crate) passed: Option<(Value<'c>, usize)>,
    /// Memory for one value per lane (`serial.rs`).
    pub(crate) arrays: Vec<Value<'c>>,
}

impl<'c> RowMemory<'c> {
    /// Adds the memory of the next row and of its index.
    pub(crate) fn add(&mut self, slot: Slot<'c>, index: Slot<'c>) {
        self.slots.push(slot);
        self.indices.push(index);
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> u32 {
        self.slots.len() as u32
    }

    /// The memory of a row.
    pub(crate) fn slot(&self, row: u32) -> &[Value<'c>] {
        of_row(&self.slots, row)
    }

    /// The memory of a row's index.
    pub(crate) fn indices(&self, row: u32) -> &[Value<'c>] {
        of_row(&self.indices, row)
    }
}

fn of_row<'s, 'c>(slots: &'s [Slot<'c>], row: u32) -> &'s [Value<'c>] {
    let slot = slots.get(row as usize);
    debug_assert!(slot.is_some(), "the memory of row {row} is not allocated");
    // Default: code generation fails where it takes the memory of a row that has none.
    slot.map_or(&[], Vec::as_slice)
}

/// The value of a row at this point of a block.
#[derive(Clone, Copy)]
pub(crate) struct Current<'c> {
    pub(crate) value: Value<'c>,
    /// Whether the block has computed it, so that it is not in memory yet.
    pub(crate) is_new: bool,
}

/// The memory of a row: one place, or one for each distinct chunk value. Rows that are constants have none.
pub(crate) type Slot<'c> = Vec<Value<'c>>;
