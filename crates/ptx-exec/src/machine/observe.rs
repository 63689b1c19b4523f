//! Instruments a launch: counts the cost of instructions, and reports registers read and written by threads.

use std::sync::atomic::Ordering;

use ptx_program::decode::Named;
use ptx_program::{Mask, Op, Row, lanes};

use super::at::{At, Place};
use super::block::BlockState;
use super::grid::Grid;
use super::indexed::value_at;
use super::observer::{Observer, Tracer};
use super::traffic::accesses;
use crate::observe::{TraceEvent, Value};

/// The operand values before an instruction.
pub(super) type Before = Vec<Row>;

impl Observer {
    /// Counts an instruction that lanes are about to execute.
    pub(super) fn count(&self, at: &At<'_>) {
        let pc = at.place.pc;
        let Some(counter) = self.counters.get(pc as usize) else { return };
        counter.warps.fetch_add(1, Ordering::Relaxed);
        counter.threads.fetch_add(at.place.active.count_ones().into(), Ordering::Relaxed);
        let Some(Op::Effect(effect)) = at.grid.program.code.get(pc as usize).map(|inst| &inst.op) else {
            return;
        };
        for access in accesses(at, effect) {
            counter.add(access.sectors(), access.conflicts());
        }
    }

    /// The operands of an instruction before its execution, if it is reported and this is its first part.
    pub(super) fn before(&self, at: &At<'_>) -> Option<Before> {
        let pc = at.place.pc;
        let (tracer, number) = self.traced(at.grid, at.block, pc)?;
        let operands = tracer.registers.instructions.get(number)?;
        (operands.first == pc).then(|| values(&operands.reads, at.operands.rows))
    }

    fn traced(&self, grid: &Grid<'_>, block: &BlockState, pc: u32) -> Option<(&Tracer, usize)> {
        let tracer =
            self.tracer.as_ref().filter(|tracer| tracer.is_chosen.get(pc as usize) == Some(&true))?;
        let is_here = tracer.trace.block.is_none_or(|wanted| wanted == block.index);
        let number = tracer.registers.at.get(pc as usize).copied().flatten().filter(|_| is_here)?;
        debug_assert!(grid.program.code.len() == tracer.is_chosen.len());
        Some((tracer, number as usize))
    }

    /// Reports an instruction that lanes have executed; `writes` means that its results are available. Returns false if more parts of it follow.
    pub(super) fn after(&self, at: &At<'_>, before: &mut Option<Before>, writes: bool) {
        let (grid, block, rows, Place { pc, active }) = (at.grid, &*at.block, &*at.operands.rows, at.place);
        let Some((tracer, number)) = self.traced(grid, block, pc) else { return };
        let Some(operands) = tracer.registers.instructions.get(number) else { return };
        if operands.last != pc {
            return;
        }
        let read = before.take().unwrap_or_else(|| values(&operands.reads, rows));
        let written = if writes { values(&operands.writes, rows) } else { Vec::new() };
        tracer.report(
            grid,
            block,
            (at.operands.warp.index, active, pc),
            (&operands.reads, &read),
            (&operands.writes, &written),
        );
    }

    /// Reports the results of a collective instruction or a call.
    pub(super) fn results(
        &self,
        grid: &Grid<'_>,
        block: &BlockState,
        (warp, active, pc): (usize, Mask, u32),
        rows: &[Row],
    ) {
        let Some((tracer, number)) = self.traced(grid, block, pc) else { return };
        let Some(operands) = tracer.registers.instructions.get(number) else { return };
        let written = values(&operands.writes, rows);
        if !written.is_empty() {
            tracer.report(grid, block, (warp, active, pc), (&[], &[]), (&operands.writes, &written));
        }
    }
}

/// The rows of registers, concatenated.
fn values(registers: &[Named], rows: &[Row]) -> Vec<Row> {
    let rows_of = |named: &Named| named.first..named.first + named.rows;
    registers.iter().flat_map(rows_of).map(|at| value_at(rows, at as usize)).collect()
}

impl Tracer {
    fn report(
        &self,
        grid: &Grid<'_>,
        block: &BlockState,
        (warp, active, pc): (usize, Mask, u32),
        reads: (&[Named], &[Row]),
        writes: (&[Named], &[Row]),
    ) {
        let Some(origin) = grid.program.origins.get(pc as usize) else { return };
        for lane in lanes(active) {
            let thread = grid.geometry.thread(warp, lane);
            if self.trace.thread.is_some_and(|wanted| wanted != thread) {
                continue;
            }
            (self.trace.sink)(&TraceEvent {
                block: block.index,
                thread,
                span: origin.span,
                source: grid.program.line_of(pc).cloned(),
                reads: of_lane(reads, lane),
                writes: of_lane(writes, lane),
            });
        }
    }
}

fn of_lane((registers, rows): (&[Named], &[Row]), lane: usize) -> Vec<Value> {
    // Operands that are not recorded have no rows.
    let known = if rows.is_empty() { &[] } else { registers };
    let mut at = 0;
    let value = |named: &Named| {
        let word = |at: usize| u128::from(value_at(rows, at)[lane]);
        let bits = if named.rows == 2 { word(at) | word(at + 1) << 64 } else { word(at) };
        at += named.rows as usize;
        Value { register: named.name.clone(), ty: named.ty, bits }
    };
    known.iter().map(value).collect()
}
