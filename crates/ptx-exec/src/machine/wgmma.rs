//! Warpgroup matrix products: `wgmma` (manual 9.7.15).
//!
//! Each warp computes its 16 rows as a separate operation (`operation.rs`), which reads the registers of A when it is
//! performed. Semantically, however, a product is one operation of four warps, which completes when all of them have
//! executed the instruction and the factors have been read: a wait for it lasts until then, since a thread may
//! afterwards signal others that their shared memory is free.

use super::Stop;
use super::block::BlockState;
use super::completion::Registers;
use super::descriptor::{Descriptor, SharedMatrix};
use super::grid::Grid;
use super::indexed::values_in;
use super::matrix::{Columns, Matrices, rounded};
use super::memory::View;
use super::operation::{Operation, Order as Ordered};
use super::products::{Lines, WarpgroupPart};
use super::rows::{predicate_mask, same_value};
use super::warp::Warp;
use super::warpgroup::{Common, RegisterOrder, Source, WarpgroupWork};
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::memory::{Fault, Order, Space};
use crate::program::{
    Dst, Effect, Element, FULL, FactorA, Family, Mask, MatrixOperand, Op, Row, SharedFactor, WARP, WARPGROUP,
    WarpgroupAction, WarpgroupProduct, first_lane,
};

/// Rows of A of a warpgroup, and of each of its warps.
const ROWS: usize = 64;
const ROWS_OF_WARP: usize = ROWS / WARPGROUP;

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
    rows: &[Row],
    constants: &[Row],
) -> Result<(Source, u64), Stopped> {
    let bits = uniform(factor.descriptor.of(rows, constants), "matrix descriptors")?;
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
    rows: &[Row],
    constants: &[Row],
) -> Result<(WarpgroupWork, Common), Stopped> {
    let (a, of_a) = match &op.a {
        FactorA::Registers(_) => (None, 0),
        FactorA::Shared(factor) => {
            let (a, bits) = shared_matrix(op, MatrixOperand::A, *factor, rows, constants)?;
            (Some(a), bits)
        }
    };
    let (b, of_b) = shared_matrix(op, MatrixOperand::B, op.b, rows, constants)?;
    let accumulates = match predicate_mask(op.accumulates.of(rows, constants)) {
        0 => false,
        FULL => true,
        _ => return misuse("the threads of the warp give different values of `scale-d`"),
    };
    let metadata = op.metadata.map(|metadata| metadata.of(rows, constants));
    let columns = Columns::new(&op.product, metadata)?;
    let stale = Vec::new();
    Ok((WarpgroupWork { number, a, b, accumulates, columns, stale }, (pc, [of_a, of_b], accumulates)))
}

/// The product that is the instruction at `pc`.
fn product_at<'p>(grid: &Grid<'p>, pc: u32) -> Option<&'p WarpgroupProduct> {
    match &grid.program.code.get(pc as usize)?.op {
        Op::Effect(Effect::Warpgroup(action)) => match &**action {
            WarpgroupAction::Multiply(op) => Some(op),
            WarpgroupAction::Fence | WarpgroupAction::Commit | WarpgroupAction::Wait(_) => None,
        },
        Op::Alu(_) | Op::Effect(_) => None,
    }
}

impl View<'_> {
    /// The values of a factor, line by line.
    fn values(&self, source: &Source, element: Element) -> Result<Vec<f64>, Fault> {
        match source {
            Source::Read(values) => Ok(values.clone()),
            Source::Shared(matrix) => {
                let read = |address| self.read_wide(0, Space::Shared, address, Order::Relaxed);
                Ok(matrix.elements(read)?.into_iter().map(|raw| element.value(raw)).collect())
            }
        }
    }

    /// Reads the factors, so that memory may change.
    pub(super) fn read_factors(&self, work: &mut WarpgroupWork, pc: u32) -> Result<(), Fault> {
        let Some(op) = product_at(self.grid, pc) else { return Ok(()) };
        if let Some(a) = &mut work.a {
            *a = Source::Read(self.values(a, op.product.a.element)?);
        }
        work.b = Source::Read(self.values(&work.b, op.product.b.element)?);
        Ok(())
    }

    /// Computes the rows of a warp with the external implementation, if there is one.
    fn perform_elsewhere(
        &self,
        op: &WarpgroupProduct,
        work: &WarpgroupWork,
        warp: usize,
        rows: &mut [Row],
    ) -> bool {
        let (Some(products), true) = (self.grid.products, work.stale.is_empty()) else { return false };
        let lines = |source: &Source| match source {
            Source::Shared(matrix) => Some(Lines::new(*matrix, &self.block.shared)),
            Source::Read(_) => None,
        };
        let Some(b) = lines(&work.b) else { return false };
        let part = WarpgroupPart {
            op,
            a: work.a.as_ref().and_then(lines),
            depths: work.columns.of_rows(),
            b,
            accumulates: work.accumulates,
            quarter: warp % WARPGROUP,
            constants: self.grid.constants(self.block.rank),
        };
        products.warpgroup(&part, rows)
    }

    /// Computes the 16 rows of a warp, with the arithmetic of `mma`.
    pub(super) fn perform_product(
        &self,
        work: &WarpgroupWork,
        (warp, pc): (usize, u32),
        rows: &mut [Row],
    ) -> Result<(), Fault> {
        let Some(op) = product_at(self.grid, pc) else { return Ok(()) };
        if self.perform_elsewhere(op, work, warp, rows) {
            return Ok(());
        }
        let product = &op.product;
        let (kept, depth) = (product.kept(MatrixOperand::A).k as usize, product.size.k as usize);
        let mut a: Vec<f64> = match (&op.a, &work.a) {
            (_, Some(source)) => {
                let all = self.values(source, product.a.element)?;
                let first = warp % WARPGROUP * ROWS_OF_WARP * kept;
                all.into_iter().skip(first).take(ROWS_OF_WARP * kept).collect()
            }
            (FactorA::Registers(srcs), None) => {
                let constants = self.grid.constants(self.block.rank);
                let held: Vec<Row> = srcs.iter().map(|&src| work.found(src, rows, constants)).collect();
                Matrices::gather(product, MatrixOperand::A, product.a, &held).values(product.a.element)
            }
            (FactorA::Shared(_), None) => Vec::new(),
        };
        if op.negated {
            a.iter_mut().for_each(|value| *value = -*value);
        }
        let b = self.values(&work.b, product.b.element)?;
        for &(d, before) in work.stale.iter().filter(|(register, _)| op.d.contains(register)) {
            rows[d as usize] = before;
        }
        let mut sums = Sums::new(op, rows, work.accumulates);
        let n = (product.size.n as usize).max(1);
        // B transposed to rows, so that the sums of a row of D are contiguous.
        let b: Vec<f64> = (0..depth).flat_map(|k| b.iter().skip(k).step_by(depth).take(n)).copied().collect();
        for (row, (sums, a)) in sums.values.chunks_mut(n).zip(a.chunks(kept.max(1))).enumerate() {
            for (i, value) in a.iter().enumerate() {
                let depth = work.columns.at(row, i);
                let of_b = values_in(&b, depth * n..(depth + 1) * n);
                sums.iter_mut().zip(of_b).for_each(|(sum, other)| *sum += value * other);
            }
        }
        sums.store(op, rows);
        Ok(())
    }
}

/// The sums of a warp, row by row.
struct Sums {
    values: Vec<f64>,
}

impl Sums {
    /// Initialized with D, or zeros.
    fn new(op: &WarpgroupProduct, rows: &[Row], accumulates: bool) -> Self {
        let mut sums = Self { values: vec![0.0; ROWS_OF_WARP * op.product.size.n as usize] };
        if accumulates {
            let element = op.product.d;
            let mask = u64::MAX >> (64 - element.bits());
            sums.each(op, |sum, d, lane, low| {
                let word = rows[d as usize][lane];
                *sum = element.value(word >> low & mask);
            });
        }
        sums
    }

    /// Calls `f` for each sum with its register, lane and lowest bit.
    fn each(&mut self, op: &WarpgroupProduct, mut f: impl FnMut(&mut f64, Dst, usize, u32)) {
        let (bits, each) = (op.product.d.bits(), op.product.d.per_register() as usize);
        for (register, &d) in op.d.iter().enumerate() {
            for (lane, sub) in (0..WARP).flat_map(|lane| (0..each).map(move |sub| (lane, sub))) {
                let (row, column) = WarpgroupProduct::place(lane, register * each + sub);
                if let Some(sum) = self.values.get_mut(row * op.product.size.n as usize + column) {
                    f(sum, d, lane, bits * sub as u32);
                }
            }
        }
    }

    /// Writes them to D.
    fn store(&mut self, op: &WarpgroupProduct, rows: &mut [Row]) {
        let (element, overflow) = (op.product.d, op.product.overflow);
        self.each(op, |sum, d, lane, low| {
            if let Some(word) = rows.get_mut(d as usize).map(|words| &mut words[lane]) {
                // The first element of a register clears it.
                let kept = *word & ((1 << low) - 1);
                *word = kept | rounded(element, overflow, *sum) << low;
            }
        });
    }
}

impl Warp {
    /// Checks that all four warps of this warpgroup have all 32 threads, or issued this product before their threads exited.
    fn check_warpgroup(&self, block: &BlockState, active: Mask, needed: u64) -> Result<(), Stopped> {
        if active != FULL {
            return Err((
                TrapKind::Misuse("`wgmma` needs all 32 threads of the warp".to_owned()),
                first_lane(active),
            ));
        }
        let group = self.id.index / WARPGROUP;
        let counts = block.products_of(group);
        for (warp, count) in (group * WARPGROUP..).zip(counts) {
            let live = block.live.get(warp).copied();
            if live != Some(FULL) && count < needed {
                let what = if live.is_some() { "has threads that have exited" } else { "does not exist" };
                return misuse(format!(
                    "`wgmma` needs four whole warps, from a multiple of four on; warp {warp} {what}"
                ));
            }
        }
        Ok(())
    }

    /// Executes a warpgroup instruction; false if it has to wait for other warps, and is then re-executed.
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn warpgroup(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        action: &WarpgroupAction,
        active: Mask,
        pc: u32,
    ) -> Result<bool, Stop> {
        let stop = |(kind, lane)| Stop::at(kind, pc, lane);
        let (number, own) = (self.id.index / WARPGROUP, self.id.index % WARPGROUP);
        let count = block.products_of(number)[own];
        match action {
            WarpgroupAction::Multiply(op) => {
                self.check_warpgroup(block, active, count + 1).map_err(stop)?;
                let (mut work, common) = resolve(op, count, pc, rows, self.constants(grid)).map_err(stop)?;
                if grid.completion != Completion::Eager {
                    let stale = self.products.order.all_stale(op, &work, frame, rows);
                    if !stale.is_empty() && block.cluster.pending.is_disordered() {
                        work.stale = stale;
                    }
                    self.products.order.sums.extend(op.d.iter().copied());
                }
                let group = block.warpgroups.entry(number).or_default();
                group.note(own, common).or_else(misuse).map_err(stop)?;
                block.wake |= std::mem::take(&mut group.is_awaited);
                let operation = Operation::new(Work::Warpgroup(Box::new(work)), (self.id, 0, pc))
                    .grouped(Family::Products, Ordered::AfterEarlier)
                    .with_registers(frame);
                let mut registers = Registers::Running { warp: self.id, frame, rows };
                self.view(grid, block).issue(operation, &mut registers)?;
                self.issued(block);
                Ok(true)
            }
            WarpgroupAction::Fence => {
                self.products.order.is_fenced = true;
                Ok(true)
            }
            WarpgroupAction::Commit => {
                self.products.groups.push_back(count);
                Ok(true)
            }
            WarpgroupAction::Wait(left) => {
                let groups = &self.products.groups;
                let closed = (groups.len() as u64).saturating_sub(*left) as usize;
                let last = closed.checked_sub(1).and_then(|last| groups.get(last));
                let Some(&needed) = last else { return Ok(true) };
                self.check_warpgroup(block, active, needed).map_err(stop)?;
                let group = block.warpgroups.entry(number).or_default();
                if group.counts.iter().any(|&count| count < needed) {
                    group.is_awaited = true;
                    return Ok(false);
                }
                self.products.groups.drain(..closed);
                self.complete_products(grid, block, needed, (frame, rows))?;
                self.note_registers(grid, block, frame, rows);
                Ok(true)
            }
        }
    }

    /// Records the register contents after a wait.
    fn note_registers(&mut self, grid: &Grid<'_>, block: &BlockState, frame: usize, rows: &[Row]) {
        if grid.completion == Completion::Eager {
            return;
        }
        let own = block.cluster.pending.operations.iter().filter(|operation| operation.warp == self.id);
        let products = own.filter(|operation| matches!(operation.work, Work::Warpgroup(_)));
        let sums = products
            .filter_map(|operation| product_at(grid, operation.pc))
            .flat_map(|op| op.d.iter().copied());
        let sums = sums.collect();
        self.products.order = RegisterOrder { is_fenced: false, waited: Some((frame, rows.to_vec())), sums };
    }

    /// Performs the warp's in-flight products before product `needed`. The other warps of the group at least read the
    /// factors of theirs, as a product is one operation of all four.
    fn complete_products(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        needed: u64,
        running: (usize, &mut [Row]),
    ) -> Result<(), Stop> {
        if block.cluster.pending.is_empty() {
            return Ok(());
        }
        let (rank, group) = (self.id.rank, self.id.index / WARPGROUP);
        let is_before =
            |operation: &Operation| matches!(&operation.work, Work::Warpgroup(work) if work.number < needed);
        let of_group = |operation: &Operation| {
            operation.warp.rank == rank && operation.warp.index / WARPGROUP == group && is_before(operation)
        };
        self.view(grid, block).complete_reads(of_group)?;
        self.perform_products(grid, block, running, is_before)
    }

    /// Performs the warp's in-flight products selected by `which`. The rows of the running frame are passed separately.
    fn perform_products(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        (running, rows): (usize, &mut [Row]),
        which: impl Fn(&Operation) -> bool,
    ) -> Result<(), Stop> {
        let warp = self.id;
        for operation in block.cluster.pending.take(|operation| operation.warp == warp && which(operation)) {
            let Some(frame) = operation.registers else { continue };
            let rows = if frame == running {
                &mut *rows
            } else if let Some(frame) = self.frames.get_mut(frame) {
                &mut frame.rows
            } else {
                return Err(
                    operation.stop(TrapKind::Defect("a product of a call that has returned".to_owned()))
                );
            };
            let mut view = View { grid, block, local: &mut self.local };
            view.perform(&operation, &mut Registers::Running { warp, frame, rows })?;
        }
        Ok(())
    }

    /// Performs the in-flight products whose registers belong to a call that has returned, before other calls reuse them.
    pub(super) fn end_products(
        &mut self,
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
        self.perform_products(grid, block, (usize::MAX, &mut []), is_of_frame)
    }
}
