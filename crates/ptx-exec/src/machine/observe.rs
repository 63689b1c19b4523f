//! Instruments a launch: counts the cost of instructions, and reports registers read and written by threads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::block::BlockState;
use super::grid::Grid;
use super::traffic::{Sectors, accesses};
use super::warp::Warp;
use crate::decode::{Named, Registers};
use crate::observe::{Counts, Observation, Profile, Trace, TraceEvent, Value};
use crate::program::{Mask, Op, Program, Row, WARP, lanes};

/// Collects the observations of a launch.
pub(crate) struct Observer {
    /// By instruction; empty if nothing is counted.
    counters: Vec<Counter>,
    tracer: Option<Tracer>,
}

#[derive(Default)]
struct Counter {
    warps: AtomicU64,
    threads: AtomicU64,
    divergent: AtomicU64,
    sectors: AtomicU64,
    conflicts: AtomicU64,
}

struct Tracer {
    trace: Trace,
    registers: Registers,
    /// By instruction of the program.
    is_chosen: Vec<bool>,
}

/// The operand values before an instruction.
pub(super) type Before = Vec<Row>;

impl Observer {
    pub(crate) fn new(program: &Program, observation: &Observation, registers: Registers) -> Self {
        let count = if observation.profile { program.code.len() } else { 0 };
        let tracer = observation.trace.clone().map(|trace| {
            let is_chosen = (0u32..).zip(&program.origins).map(|(pc, origin)| match &trace.instructions {
                None => true,
                Some(choice) => choice(origin.span, program.line_of(pc).map(|line| &**line)),
            });
            Tracer { is_chosen: is_chosen.collect(), registers, trace }
        });
        Self { counters: (0..count).map(|_| Counter::default()).collect(), tracer }
    }

    /// The counts, by PTX instruction.
    pub(crate) fn profile(&self, program: &Program) -> Vec<Profile> {
        let mut profile: Vec<Profile> = Vec::new();
        for ((pc, counter), origin) in (0u32..).zip(&self.counters).zip(&program.origins) {
            let counts = counter.counts();
            if counts.warps == 0 {
                continue;
            }
            let function =
                program.functions.get(origin.function as usize).map_or("", |function| &function.name);
            // A PTX instruction may be several instructions here, which are counted once.
            if let Some(last) = profile.last_mut()
                && (last.span, last.function.as_str()) == (origin.span, function)
            {
                let warps = last.counts.warps.max(counts.warps);
                let threads = last.counts.threads.max(counts.threads);
                last.counts += counts;
                (last.counts.warps, last.counts.threads) = (warps, threads);
                continue;
            }
            profile.push(Profile {
                span: origin.span,
                source: program.line_of(pc).cloned(),
                instruction: origin.mnemonic.to_string(),
                function: function.to_owned(),
                counts,
            });
        }
        profile
    }

    /// Counts a divergent branch.
    pub(super) fn diverged(&self, pc: u32) {
        if let Some(counter) = self.counters.get(pc as usize) {
            counter.divergent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an instruction that lanes are about to execute.
    pub(super) fn count(&self, grid: &Grid<'_>, local: u32, rows: &[Row], active: Mask, pc: u32) {
        let Some(counter) = self.counters.get(pc as usize) else { return };
        counter.warps.fetch_add(1, Ordering::Relaxed);
        counter.threads.fetch_add(active.count_ones().into(), Ordering::Relaxed);
        let Some(Op::Effect(effect)) = grid.program.code.get(pc as usize).map(|inst| &inst.op) else {
            return;
        };
        for access in accesses(grid, effect, rows, local, active) {
            counter.add(access.sectors(), access.conflicts());
        }
    }

    /// Whether instructions are counted.
    pub(super) fn is_counting(&self) -> bool {
        !self.counters.is_empty()
    }

    /// Counts sectors that a thread touched for an instruction other than by its own accesses.
    pub(super) fn touch(&self, pc: u32, sectors: &Sectors) {
        if let Some(counter) = self.counters.get(pc as usize) {
            counter.add(sectors.count(), 0);
        }
    }

    /// The operands of an instruction before its execution, if it is reported and this is its first part.
    pub(super) fn before(
        &self,
        grid: &Grid<'_>,
        block: &BlockState,
        rows: &[Row],
        pc: u32,
    ) -> Option<Before> {
        let (tracer, number) = self.traced(grid, block, pc)?;
        let operands = tracer.registers.instructions.get(number)?;
        (operands.first == pc).then(|| values(&operands.reads, rows))
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
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop")]
    pub(super) fn after(
        &self,
        grid: &Grid<'_>,
        block: &BlockState,
        warp: usize,
        rows: &[Row],
        active: Mask,
        pc: u32,
        before: &mut Option<Before>,
        writes: bool,
    ) {
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
            (warp, active, pc),
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
    let row = |at: u32| rows.get(at as usize).copied().unwrap_or([0; WARP]);
    registers.iter().flat_map(rows_of).map(row).collect()
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
    let mut rows = rows.iter();
    // Operands that are not recorded have no rows.
    let known = if rows.len() == 0 { &[] } else { registers };
    let value = |named: &Named| {
        let mut next = || rows.next().and_then(|row| row.get(lane)).copied().map_or(0, u128::from);
        let low = next();
        let bits = if named.rows == 2 { low | next() << 64 } else { low };
        Value { register: named.name.clone(), ty: named.ty, bits }
    };
    known.iter().map(value).collect()
}

impl Counter {
    fn add(&self, sectors: u64, conflicts: u64) {
        self.sectors.fetch_add(sectors, Ordering::Relaxed);
        self.conflicts.fetch_add(conflicts, Ordering::Relaxed);
    }

    fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            warps: of(&self.warps),
            threads: of(&self.threads),
            divergent: of(&self.divergent),
            sectors: of(&self.sectors),
            conflicts: of(&self.conflicts),
        }
    }
}

impl Warp {
    /// Base of the local memory of a frame.
    pub(super) fn local_of(&self, frame: usize) -> u32 {
        self.frames.get(frame).map_or(0, |frame| frame.local)
    }
}
