//! The memory of rows, and what is known of their values at this point of the code.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ptx_llvm_core::build::Value;
use rustc_hash::FxHashMap;

/// Where the values of rows are.
#[derive(Default)]
pub(crate) struct RowMemory<'c> {
    /// The memory of each row, and of its index if it is indexed.
    slots: FxHashMap<u32, [Slot<'c>; 2]>,
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
    /// Sets the memory of a row and of its index.
    pub(crate) fn add(&mut self, row: u32, slot: Slot<'c>, index: Slot<'c>) {
        self.slots.insert(row, [slot, index]);
    }

    /// The memory of a row.
    pub(crate) fn slot(&self, row: u32) -> &[Value<'c>] {
        self.of_row(row, 0)
    }

    /// The memory of a row's index.
    pub(crate) fn indices(&self, row: u32) -> &[Value<'c>] {
        self.of_row(row, 1)
    }

    fn of_row(&self, row: u32, which: usize) -> &[Value<'c>] {
        let slots = self.slots.get(&row);
        debug_assert!(slots.is_some(), "the memory of row {row} is not allocated");
        // Default: code generation fails where it takes the memory of a row that has none.
        slots.map_or(&[], |slots| slots[which].as_slice())
    }
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
