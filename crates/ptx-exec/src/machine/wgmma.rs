//! Warpgroup matrix products: `wgmma` (manual 9.7.15).
//!
//! Each warp computes its 16 rows as a separate operation (`operation.rs`), which reads the registers of A when it is
//! performed. Semantically, however, a product is one operation of four warps, which completes when all of them have
//! executed the instruction and the factors have been read: a wait for it lasts until then, since a thread may
//! afterwards signal others that their shared memory is free.

use ptx_program::{
    FULL, FactorA, Family, Mask, MatrixOperand, Row, SharedFactor, WARPGROUP, WarpgroupAction,
    WarpgroupProduct, first_lane,
};

use super::Stop;
use super::at::{At, Operands};
use super::block::BlockState;
use super::completion::{Registers, complete_reads, issue, perform};
use super::descriptor::{Descriptor, SharedMatrix};
use super::grid::Grid;
use super::matrix::Columns;
use super::memory::View;
use super::operation::{Operation, Order as Ordered};
use super::perform::{ROWS, product_at};
use super::rows::{predicate_mask, same_value};
use super::warp::Warp;
use super::warpgroup::{Common, RegisterOrder, Source, WarpgroupWork};
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;

/// The trap of a warp, and the lane that is reported.
type Stopped = (TrapKind, usize);

fn misuse<T>(text: impl Into<String>) -> Result<T, Stopped> {
    Err((TrapKind::Misuse(text.into()), 0))
}

/// The value of a uniform operand.
fn uniform(row: &Row, what: &str) -> Result<u64, Stopped> {
    if same_value(row, FULL, 0) == FULL {
        return Ok(row[0]);
    }
    misuse(format!("the threads of the warp give different {what}"))
}

/// A factor in shared memory, from its descriptor.
fn shared_matrix(
    op: &WarpgroupProduct,
    operand: MatrixOperand,
    factor: SharedFactor,
    operands: &Operands<'_>,
) -> Result<(Source, u64), Stopped> {
    let bits = uniform(operands.row(factor.descriptor), "matrix descriptors")?;
    let descriptor = Descriptor::of_warpgroup(bits).or_else(misuse)?;
    let (of_operand, lines) = match operand {
        MatrixOperand::A => (op.product.a, ROWS),
        MatrixOperand::B | MatrixOperand::Sum => (op.product.b, op.product.size.n as usize),
    };
    let matrix = SharedMatrix {
        descriptor,
        majorness: factor.majorness,
        bits: of_operand.element.bits(),
        lines,
        depth: op.product.kept(operand).k as usize,
    };
    matrix.check().or_else(misuse)?;
    Ok((Source::Shared(matrix), bits))
}

/// The operands read at issue, and those that must agree between all warps.
fn resolve(
    op: &WarpgroupProduct,
    number: u64,
    pc: u32,
    operands: &Operands<'_>,
) -> Result<(WarpgroupWork, Common), Stopped> {
    let (a, of_a) = match &op.a {
        FactorA::Registers(_) => (None, 0),
        FactorA::Shared(factor) => {
            let (a, bits) = shared_matrix(op, MatrixOperand::A, *factor, operands)?;
            (Some(a), bits)
        }
    };
    let (b, of_b) = shared_matrix(op, MatrixOperand::B, op.b, operands)?;
    let accumulates = match predicate_mask(operands.row(op.accumulates)) {
        0 => false,
        FULL => true,
        _ => return misuse("the threads of the warp give different values of `scale-d`"),
    };
    let metadata = op.metadata.map(|metadata| operands.row(metadata));
    let columns = Columns::new(&op.product, metadata)?;
    let stale = Vec::new();
    Ok((WarpgroupWork { number, a, b, accumulates, columns, stale }, (pc, [of_a, of_b], accumulates)))
}

/// Checks that all four warps of this warpgroup have all 32 threads, or issued this product before their threads exited.
fn check_warpgroup(at: &At<'_>, active: Mask, needed: u64) -> Result<(), Stopped> {
    if active != FULL {
        let text = "`wgmma` needs all 32 threads of the warp".to_owned();
        return Err((TrapKind::Misuse(text), first_lane(active)));
    }
    let group = at.warp.id.index / WARPGROUP;
    let counts = at.block.products_of(group);
    for (warp, count) in (group * WARPGROUP..).zip(counts) {
        let live = at.block.live.get(warp).copied();
        if live != Some(FULL) && count < needed {
            let what = if live.is_some() { "has threads that have exited" } else { "does not exist" };
            return misuse(format!(
                "`wgmma` needs four whole warps, from a multiple of four on; warp {warp} {what}"
            ));
        }
    }
    Ok(())
}

/// Records the register contents after a wait.
fn note_registers(at: &mut At<'_>) {
    if at.grid.completion == Completion::Eager {
        return;
    }
    let own = at.block.cluster.pending.operations.iter().filter(|operation| operation.warp == at.warp.id);
    let products = own.filter(|operation| matches!(operation.work, Work::Warpgroup(_)));
    let sums = products
        .filter_map(|operation| product_at(at.grid, operation.pc))
        .flat_map(|op| op.d.iter().copied());
    let sums = sums.collect();
    let waited = Some((at.operands.frame, at.operands.rows.to_vec()));
    at.warp.products.order = RegisterOrder { is_fenced: false, waited, sums };
}

/// Performs the warp's in-flight products before product `needed`. The other warps of the group at least read the
/// factors of theirs, as a product is one operation of all four.
fn complete_products(at: &mut At<'_>, needed: u64) -> Result<(), Stop> {
    if at.block.cluster.pending.is_empty() {
        return Ok(());
    }
    let (rank, group) = (at.warp.id.rank, at.warp.id.index / WARPGROUP);
    let is_before =
        |operation: &Operation| matches!(&operation.work, Work::Warpgroup(work) if work.number < needed);
    let of_group = |operation: &Operation| {
        operation.warp.rank == rank && operation.warp.index / WARPGROUP == group && is_before(operation)
    };
    complete_reads(&mut at.split().0, of_group)?;
    let At { warp, grid, block, operands, .. } = at;
    perform_products(warp, grid, block, (operands.frame, operands.rows), is_before)
}

/// Performs the warp's in-flight products selected by `which`. The rows of the running frame are passed separately.
fn perform_products(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    (running, rows): (usize, &mut [Row]),
    which: impl Fn(&Operation) -> bool,
) -> Result<(), Stop> {
    let id = warp.id;
    for operation in block.cluster.pending.take(|operation| operation.warp == id && which(operation)) {
        let Some(frame) = operation.registers else { continue };
        let rows = if frame == running {
            &mut *rows
        } else if let Some(frame) = warp.frames.get_mut(frame) {
            &mut frame.rows
        } else {
            let text = "a product of a call that has returned".to_owned();
            return Err(operation.stop(TrapKind::Defect(text)));
        };
        let mut view = View { grid, block, local: &mut warp.local };
        perform(&mut view, &operation, &mut Registers::Running { warp: id, frame, rows })?;
    }
    Ok(())
}

/// Performs the in-flight products whose registers belong to a call that has returned, before other calls reuse them.
pub(super) fn end_products(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    frame: usize,
) -> Result<(), Stop> {
    if block.cluster.pending.is_empty() {
        return Ok(());
    }
    let is_of_frame = |operation: &Operation| {
        operation.registers == Some(frame) && matches!(operation.work, Work::Warpgroup(_))
    };
    perform_products(warp, grid, block, (usize::MAX, &mut []), is_of_frame)
}

/// Executes a warpgroup instruction; false if it has to wait for other warps, and is then re-executed.
pub(super) fn warpgroup(at: &mut At<'_>, action: &WarpgroupAction) -> Result<bool, Stop> {
    let (place, active, frame) = (at.place, at.place.active, at.operands.frame);
    let stop = |(kind, lane)| place.stop(kind, lane);
    let (number, own) = (at.warp.id.index / WARPGROUP, at.warp.id.index % WARPGROUP);
    let count = at.block.products_of(number)[own];
    match action {
        WarpgroupAction::Multiply(op) => {
            check_warpgroup(at, active, count + 1).map_err(stop)?;
            let (mut work, common) = resolve(op, count, place.pc, &at.operands).map_err(stop)?;
            if at.grid.completion != Completion::Eager {
                let stale = at.warp.products.order.all_stale(op, &work, frame, at.operands.rows);
                if !stale.is_empty() && at.block.cluster.pending.is_disordered() {
                    work.stale = stale;
                }
                at.warp.products.order.sums.extend(op.d.iter().copied());
            }
            let group = at.block.warpgroups.entry(number).or_default();
            group.note(own, common).or_else(misuse).map_err(stop)?;
            at.block.wake |= std::mem::take(&mut group.is_awaited);
            let operation = Operation::new(Work::Warpgroup(Box::new(work)), (at.warp.id, 0, place.pc))
                .grouped(Family::Products, Ordered::AfterEarlier)
                .with_registers(frame);
            let (mut view, mut operands, _) = at.split();
            issue(&mut view, operation, &mut Registers::running(&mut operands))?;
            at.issued();
            Ok(true)
        }
        WarpgroupAction::Fence => {
            at.warp.products.order.is_fenced = true;
            Ok(true)
        }
        WarpgroupAction::Commit => {
            at.warp.products.groups.push_back(count);
            Ok(true)
        }
        WarpgroupAction::Wait(left) => {
            let groups = &at.warp.products.groups;
            let closed = (groups.len() as u64).saturating_sub(*left) as usize;
            let last = closed.checked_sub(1).and_then(|last| groups.get(last));
            let Some(&needed) = last else { return Ok(true) };
            check_warpgroup(at, active, needed).map_err(stop)?;
            let group = at.block.warpgroups.entry(number).or_default();
            if group.counts.iter().any(|&count| count < needed) {
                group.is_awaited = true;
                return Ok(false);
            }
            at.warp.products.groups.drain(..closed);
            complete_products(at, needed)?;
            note_registers(at);
            Ok(true)
        }
    }
}
