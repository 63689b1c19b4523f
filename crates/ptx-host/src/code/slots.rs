//! The memory of rows: how many values a row has, their types, and what is read and written between blocks.

use std::collections::BTreeSet;
use std::ops::Range;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{Type, Value};
use ptx_program::Src;

use super::state::{Code, Current};
use crate::analysis::{BlockId, Indexed, Shape};

/// The index from which a row follows; in code that checks claims, the one from which it is claimed to.
pub(super) fn indexed(code: &Code<'_, '_, '_>, row: u32) -> Option<Indexed> {
    match code.analysis.shapes.claim(Src::register(row)) {
        Shape::Indexed(indexed) if code.checks() => Some(indexed),
        _ => code.analysis.shapes.indexed(row),
    }
}

/// The type of an index in memory: of the first lane, and of each lane in code that checks claims.
pub(super) fn index_type<'c>(code: &Code<'_, '_, 'c>, indexed: Indexed) -> Type<'c> {
    if code.checks() { code.vector_of(indexed.bits) } else { code.types.int(indexed.bits) }
}

/// Allocates zeroed memory for rows and for the masks of lanes that wait at blocks.
pub(super) fn make_memory(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    for row in 0..code.program.kernel().rows {
        make_row(code, row)?;
    }
    make_masks(code, 0..code.analysis.graph.blocks().len())
}

/// Allocates the zeroed memory of a row.
pub(super) fn make_row(code: &mut Code<'_, '_, '_>, row: u32) -> Result<(), LlvmError> {
    let slot = types_of_row(code, row).into_iter().map(|ty| zeroed(code, ty)).collect::<Result<_, _>>()?;
    let indices =
        types_of_index(code, row).into_iter().map(|ty| zeroed(code, ty)).collect::<Result<_, _>>()?;
    code.rows.add(row, slot, indices);
    Ok(())
}

/// The types of a row's values in memory.
pub(super) fn types_of_row<'c>(code: &Code<'_, '_, 'c>, row: u32) -> Vec<Type<'c>> {
    let count = match code.analysis.shapes.row(row) {
        Shape::Unwritten | Shape::Constant(_) => 0,
        // A row that is live into no block is never in memory.
        _ if !code.analysis.liveness.is_live_anywhere(row) => 0,
        _ => code.analysis.shapes.copies(row),
    };
    vec![type_of(code, row); count]
}

/// The types of the values of a row's index.
pub(super) fn types_of_index<'c>(code: &Code<'_, '_, 'c>, row: u32) -> Vec<Type<'c>> {
    let ty = indexed(code, row).map(|indexed| index_type(code, indexed));
    ty.map(|ty| vec![ty; code.analysis.shapes.copies(row)]).into_iter().flatten().collect()
}

/// Allocates the memory of the masks of lanes that wait at blocks of a range, and of those that have not exited.
pub(super) fn make_masks(code: &mut Code<'_, '_, '_>, blocks: Range<BlockId>) -> Result<(), LlvmError> {
    let mask = code.vector_of(1);
    code.masks.first = blocks.start;
    for _ in blocks {
        let slot = (0..code.chunks).map(|_| zeroed(code, mask)).collect::<Result<_, _>>()?;
        code.masks.waiting.push(slot);
    }
    code.masks.alive = (0..code.chunks).map(|_| zeroed(code, mask)).collect::<Result<_, _>>()?;
    Ok(())
}

fn zeroed<'c>(code: &Code<'_, '_, 'c>, ty: Type<'c>) -> Result<Value<'c>, LlvmError> {
    let place = code.builder().alloca_in_entry(ty, 8)?;
    code.builder().store(ty.zero(), place, 8, Ordinary)?;
    Ok(place)
}

pub(super) fn type_of<'c>(code: &Code<'_, '_, 'c>, row: u32) -> Type<'c> {
    let ty = code.types.int(code.analysis.widths.row(row));
    if code.analysis.shapes.is_vector(row) { code.types.vector(ty, code.lanes) } else { ty }
}

/// Loads the rows that a block uses and that are live into it, at its beginning, so that each value dominates all of its LLVM blocks.
pub(super) fn read_live(code: &Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    code.rows.current.borrow_mut().clear();
    for (&row, &value) in code.at.copies.get(code.at.copy).into_iter().flat_map(|copy| &copy.known) {
        let value = code.int(code.analysis.widths.row(row), value);
        code.rows.current.borrow_mut().insert((row, 0), Current { value, is_new: false });
    }
    for row in code.analysis.rows_of(code.program, id) {
        if code.analysis.liveness.is_live_into(id, row) {
            for (at, &place) in slot(code, row).iter().enumerate() {
                if code.rows.current.borrow().contains_key(&(row, at)) {
                    continue;
                }
                let value = code.builder().load(type_of(code, row), place, 8, Ordinary)?;
                code.rows.current.borrow_mut().insert((row, at), Current { value, is_new: false });
            }
        }
    }
    Ok(())
}

/// Stores the rows that a block has computed and that its successors or waiting blocks read.
pub(super) fn write_live(code: &Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    let mut others: BTreeSet<BlockId> =
        code.analysis.graph.block(id).terminator.targets().into_iter().collect();
    // In a segment, what waiting lanes need is in memory already: the lanes of this block do not go there.
    if code.segment.is_none() {
        others.extend(code.analysis.schedule.waiting(id).iter());
    }
    write_live_into(code, &others)
}

/// As [`write_live`], for these blocks.
pub(super) fn write_live_into(code: &Code<'_, '_, '_>, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
    let analysis = code.analysis;
    let mut new: Vec<_> = code
        .rows
        .current
        .borrow()
        .iter()
        .filter(|(_, current)| current.is_new)
        .map(|(&at, current)| (at, current.value))
        .collect();
    // The map is a hash map; stores in its order would make the code of equal kernels differ.
    new.sort_by_key(|(at, _)| *at);
    for ((row, at), value) in new {
        let place = slot(code, row)
            .get(at)
            .filter(|_| others.iter().any(|&other| analysis.liveness.is_live_into(other, row)));
        if let Some(&place) = place {
            code.builder().store(value, place, 8, Ordinary)?;
        }
    }
    Ok(())
}

fn slot<'s, 'c>(code: &'s Code<'_, '_, 'c>, row: u32) -> &'s [Value<'c>] {
    code.rows.slot(row)
}

pub(super) fn read<'c>(code: &Code<'_, '_, 'c>, row: u32, at: usize) -> Result<Value<'c>, LlvmError> {
    if let Some(current) = code.rows.current.borrow().get(&(row, at)) {
        return Ok(current.value);
    }
    match slot(code, row).get(at) {
        Some(&place) => code.builder().load(type_of(code, row), place, 8, Ordinary),
        // It is live into no block, so its value is never used.
        None => Ok(type_of(code, row).zero()),
    }
}
