//! Regions that lanes execute one lane at a time (`analysis/alone.rs`).
//!
//! The live-in rows of all lanes are stored to memory, and the results are loaded from there when the last lane has left:
//!
//! ```text
//! store <16 x i32> %r2, ptr %array0        ; a row that the region reads, of all chunks
//! each lane:
//!   %r2 = load i32, ptr (%array0 + 4 * %lane)
//!   ...                                    ; the blocks of the region, with branches, on scalars
//!   store float %sum, ptr (%array3 + 4 * %lane)
//! %f29 = load <16 x float>, ptr %array3
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ptx_host_rt::Status;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::{Ordinary, Volatile};
use ptx_llvm_core::build::{BinaryOp, Block, CastOp, IntPredicate, Value};
use ptx_program::{Alu, Base, Effect, Inst, Load, Op, Src};
use rustc_hash::FxHashMap;

use super::next_block::Left;
use super::serial::Held;
use super::state::Code;
use super::{addressing, gather, lane_masks, lines, next_block, notes, registers, runtime, serial, slots};
use crate::analysis::{Access, Accessed, BlockId, Region, Shape, Terminator, guard_of, takes_any};
use crate::emit::alu::{Nan, Style, alu_with};
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;

/// Where the value of a row is for the current lane.
#[derive(Clone, Copy)]
enum RowStorage<'c> {
    /// A value, for a row that the region does not write.
    Value(Value<'c>),
    /// Memory of its own.
    Memory(Value<'c>),
}

/// The state of lanes that enters a region and leaves it.
struct Carried<'r, 'c> {
    region: &'r Region,
    /// The rows that are written, and those of them that are live after the region.
    writes: BTreeSet<u32>,
    results: Vec<u32>,
    /// The memory of the rows that the region reads or that are live after it, for all lanes.
    held: BTreeMap<u32, Held<'c>>,
    /// The rows that are live into the region.
    brought: BTreeSet<u32>,
    /// The mask of lanes that enter, and memory for the masks of those that leave through each exit; a single exit takes all lanes.
    lanes: Value<'c>,
    exits: BTreeMap<BlockId, Value<'c>>,
}

/// The code of one lane.
struct Alone<'r, 'c> {
    carried: &'r Carried<'r, 'c>,
    rows: FxHashMap<u32, RowStorage<'c>>,
    /// The LLVM block of each block, and the one that a lane reaches when it leaves.
    blocks: Vec<Block<'c>>,
    left: Block<'c>,
    /// The bit of the lane.
    own: Value<'c>,
}

/// The region that a block is in.
pub(super) fn region_of(code: &Code<'_, '_, '_>, id: BlockId) -> Option<Region> {
    // Checked code computes rows in the blocks for which the claims were made, and memory accesses are checked for all lanes at once.
    let checks = code.checks() || code.probes.is_some();
    let regions = if checks { &[][..] } else { &code.analysis.alone[..] };
    regions.iter().find(|region| region.contains(id)).cloned()
}

/// Generates the code of a region, in place of its first block; the others have no code of their own.
pub(super) fn go_alone<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    region: &Region,
) -> Result<(), CompileError> {
    if id != region.first {
        code.builder().unreachable()?;
        return Ok(());
    }
    code.rows.current.borrow_mut().clear();
    gather::take(code, id)?;
    let carried = carried(code, region)?;
    let memory = carried.writes.iter().map(|&row| {
        let ty = code.types.int(code.analysis.widths.row(row));
        Ok((row, code.builder().alloca_in_entry(ty, 8)?))
    });
    let memory: BTreeMap<u32, Value<'c>> = memory.collect::<Result<_, LlvmError>>()?;
    begin_notes_of_region(code, region);
    serial::each_lane(code, &[carried.lanes], |code, lane| lane_alone(code, &carried, &memory, lane))?;
    for &row in &carried.results {
        let values = match (carried.held.get(&row), memory.get(&row)) {
            (Some(&held @ Held::Array(..)), _) => serial::taken(code, held)?,
            // All lanes have the value of the last one.
            (_, Some(&place)) => vec![code.builder().load(slots::type_of(code, row), place, 8, Ordinary)?],
            (_, None) => return Err(defect("a result that is not written").into()),
        };
        registers::write(code, id, None, row, &values)?;
    }
    leave_region(code, &carried)
}

/// Attributes the remarks on a region to its first load.
fn begin_notes_of_region(code: &Code<'_, '_, '_>, region: &Region) {
    for id in region.first..=region.last {
        let block = code.analysis.graph.block(id);
        let is_load = |pc: &u32| {
            let inst = code.program.code.get(*pc as usize);
            inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::Load(_))))
        };
        if let Some(pc) = (block.first..block.end).find(is_load) {
            notes::begin_notes(code, id, pc);
            return;
        }
    }
}

fn carried<'c, 'r>(code: &mut Code<'_, '_, 'c>, region: &'r Region) -> Result<Carried<'r, 'c>, LlvmError> {
    let (analysis, id) = (code.analysis, region.first);
    let has_value = |row: &u32| !matches!(analysis.shapes.row(*row), Shape::Unwritten | Shape::Constant(_));
    let is_left = |row: &u32| region.exits.iter().any(|&to| analysis.liveness.is_live_into(to, *row));
    let mut writes = region.writes(code.program, &analysis.graph);
    writes.retain(has_value);
    let results: Vec<u32> = writes.iter().copied().filter(is_left).collect();
    let mut brought = region.reads(code.program, &analysis.graph);
    brought.extend(&results);
    brought.retain(|row| has_value(row) && analysis.liveness.is_live_into(id, *row));
    // Inactive lanes keep their old values of the results.
    let rows: BTreeSet<u32> = brought.iter().chain(&results).copied().collect();
    let mut held = BTreeMap::new();
    for (number, row) in rows.into_iter().enumerate() {
        held.insert(row, serial::hold(code, number, Src::register(row), analysis.widths.row(row).max(8))?);
    }
    let mut exits = BTreeMap::new();
    for &exit in region.exits.iter().filter(|_| region.exits.len() > 1) {
        let place = code.builder().alloca_in_entry(code.types.int(32), 4)?;
        code.builder().store(code.int(32, 0), place, 4, Ordinary)?;
        exits.insert(exit, place);
    }
    let lanes = registers::active_lanes(code, None)?;
    Ok(Carried { region, writes, results, held, brought, lanes, exits })
}

/// Generates the code of one lane, given its number.
fn lane_alone<'c>(
    code: &Code<'_, '_, 'c>,
    carried: &Carried<'_, 'c>,
    memory: &BTreeMap<u32, Value<'c>>,
    lane: Value<'c>,
) -> Result<(), LlvmError> {
    let Carried { region, .. } = *carried;
    let block = |_| code.block("alone");
    let blocks: Vec<Block<'c>> = (region.first..=region.last).map(block).collect();
    let own = code.builder().binary(BinaryOp::Shl, code.int(32, 1), code.emit.resize(lane, 32)?)?;
    let left = code.block("left");
    let mut alone = Alone { carried, rows: FxHashMap::default(), blocks, left, own };
    // A row that the region writes is memory, which LLVM promotes to a register with phis; one that it only reads is a value.
    for &row in carried.brought.iter().chain(&carried.writes) {
        let bits = code.analysis.widths.row(row);
        let value = match carried.held.get(&row).filter(|_| carried.brought.contains(&row)) {
            Some(&held) => code.emit.resize(serial::of_lane(code, held, lane)?, bits)?,
            None => code.int(bits, 0),
        };
        let place = match memory.get(&row) {
            Some(&place) => {
                code.builder().store(value, place, 8, Ordinary)?;
                RowStorage::Memory(place)
            }
            None => RowStorage::Value(value),
        };
        alone.rows.insert(row, place);
    }
    code.builder().branch(alone.block(region.first)?)?;
    for id in region.first..=region.last {
        code.builder().position_at_end(alone.block(id)?);
        block_alone(code, &alone, id)?;
    }
    code.builder().position_at_end(alone.left);
    for row in &carried.results {
        if let (Some(&held @ Held::Array(_, bits)), Some(&place)) = (carried.held.get(row), memory.get(row)) {
            let value =
                code.builder().load(code.types.int(code.analysis.widths.row(*row)), place, 8, Ordinary)?;
            serial::set_lane(code, held, lane, code.emit.resize(value, bits)?)?;
        }
    }
    Ok(())
}

fn block_alone<'c>(code: &Code<'_, '_, 'c>, alone: &Alone<'_, 'c>, id: BlockId) -> Result<(), LlvmError> {
    let block = code.analysis.graph.block(id);
    for pc in block.first..block.end {
        notes::begin_notes(code, id, pc);
        lines::locate(code, pc);
        code.at.pc.set(pc);
        instruction_alone(code, alone, &code.program.code[pc as usize])?;
    }
    lines::locate(code, block.end);
    let pc = block.end;
    match block.terminator {
        Terminator::Jump(to) => {
            let to = way_alone(code, alone, (id, pc), to)?;
            code.builder().branch(to)?;
        }
        Terminator::Branch { condition: (row, negated), taken, other } => {
            notes::begin_notes(code, id, pc);
            if !code.analysis.shapes.row(row).is_uniform() {
                notes::note(code, RemarkKind::Divergent, Some(Src::register(row)));
            }
            let holds = code.emit.resize(value_alone(code, alone, Src::register(row))?, 1)?;
            let holds = registers::negate_if(code, holds, negated)?;
            let [taken, other] = [taken, other].map(|to| way_alone(code, alone, (id, pc), to));
            code.builder().branch_if(holds, taken?, other?)?;
        }
        _ => return Err(defect("a region with another end")),
    }
    Ok(())
}

/// The LLVM block through which a lane goes from a block to another; a back edge polls whether the launch's time is over.
fn way_alone<'c>(
    code: &Code<'_, '_, 'c>,
    alone: &Alone<'_, 'c>,
    (id, pc): (BlockId, u32),
    to: BlockId,
) -> Result<Block<'c>, LlvmError> {
    let (builder, carried) = (code.builder(), alone.carried);
    let is_inside = carried.region.contains(to);
    if is_inside && to > id {
        return alone.block(to);
    }
    let here = builder.block()?;
    let way = code.block(if is_inside { "back" } else { "leave" });
    builder.position_at_end(way);
    if is_inside {
        let attention = builder.load(code.types.int(32), code.inputs.attention, 4, Volatile)?;
        let goes_on = builder.int_compare(IntPredicate::Eq, attention, code.int(32, 0))?;
        lane_masks::unless(code, goes_on, |code| {
            runtime::stop(code, pc, carried.lanes, Status::Interrupted)
        })?;
        builder.branch(alone.block(to)?)?;
    } else {
        if let Some(&place) = carried.exits.get(&to) {
            let before = builder.load(code.types.int(32), place, 4, Ordinary)?;
            builder.store(builder.binary(BinaryOp::Or, before, alone.own)?, place, 4, Ordinary)?;
        }
        builder.branch(alone.left)?;
    }
    builder.position_at_end(here);
    Ok(way)
}

/// Sends lanes to the exits of the region after all have left it.
fn leave_region<'c>(code: &Code<'_, '_, 'c>, carried: &Carried<'_, 'c>) -> Result<(), CompileError> {
    let (region, schedule) = (carried.region, &code.analysis.schedule);
    let waiting = (region.first..=region.last).flat_map(|id| schedule.waiting(id).into_owned());
    let targets: Vec<BlockId> = region.exits.iter().copied().collect();
    let others = waiting.filter(|&id| !region.contains(id));
    let all: BTreeSet<BlockId> = others.chain(targets.iter().copied()).collect();
    slots::write_live_into(code, &all)?;
    for &exit in &targets {
        let lanes = match carried.exits.get(&exit) {
            Some(&place) => {
                let lanes = code.builder().load(code.types.int(32), place, 4, Ordinary)?;
                masks_of_lanes(code, lanes)?
            }
            None => code.masks.active.clone(),
        };
        next_block::send(code, exit, &lanes)?;
    }
    next_block::run_next_among(code, code.at.version, region.last, (all, &targets), Left::Some)?;
    Ok(())
}

/// Converts a lane mask to the masks of chunks.
fn masks_of_lanes<'c>(code: &Code<'_, '_, 'c>, lanes: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let ty = code.vector_of(1);
    let mask = |chunk: usize| {
        let shift = code.int(32, chunk as u64 * u64::from(code.lanes));
        let bits = code.builder().binary(BinaryOp::LShr, lanes, shift)?;
        code.builder().cast(CastOp::BitCast, code.emit.resize(bits, code.lanes)?, ty)
    };
    (0..code.chunks).map(mask).collect()
}

fn instruction_alone<'c>(
    code: &Code<'_, '_, 'c>,
    alone: &Alone<'_, 'c>,
    inst: &Inst,
) -> Result<(), LlvmError> {
    let holds = match guard_of(inst) {
        Some(guard) => {
            let holds = code.emit.resize(value_alone(code, alone, Src::register(guard.row))?, 1)?;
            Some(registers::negate_if(code, holds, guard.negated)?)
        }
        None => None,
    };
    match &inst.op {
        Op::Alu(alu) => alu_alone(code, alone, holds, alu),
        Op::Effect(Effect::Copy(pairs)) => {
            let values = pairs.iter().map(|&(dst, src)| match code.analysis.nans.has_any(dst) {
                true => raw_alone(code, alone, src),
                false => value_alone(code, alone, src),
            });
            let values: Vec<_> = values.collect::<Result<_, _>>()?;
            let mut written = pairs.iter().zip(values);
            written.try_for_each(|((dst, _), value)| write_alone(code, alone, holds, *dst, value))
        }
        Op::Effect(Effect::Load(load)) => load_alone(code, alone, holds, load),
        Op::Effect(Effect::Nothing) => Ok(()),
        Op::Effect(_) => Err(defect("a region with another instruction")),
    }
}

fn alu_alone<'c>(
    code: &Code<'_, '_, 'c>,
    alone: &Alone<'_, 'c>,
    holds: Option<Value<'c>>,
    alu: &Alu,
) -> Result<(), LlvmError> {
    let access = Access::of(&Op::Alu(*alu));
    let mut results = Vec::new();
    for (which, &dst) in access.writes.iter().enumerate() {
        let gives_any = code.analysis.nans.has_any(dst);
        let style = Style { nan: if gives_any { Nan::Any } else { Nan::Canonical }, ..code.style };
        let argument = |(index, &src): (usize, &Src)| match takes_any(alu, index, gives_any) {
            true => raw_alone(code, alone, src),
            false => value_alone(code, alone, src),
        };
        let arguments: Vec<_> = access.reads.iter().enumerate().map(argument).collect::<Result<_, _>>()?;
        let made = alu_with(&code.emit, alu, &arguments, style)?;
        let made = made.and_then(|made| made.get(which).copied());
        results.push((dst, made.ok_or_else(|| defect("an operation without a form"))?));
    }
    results.into_iter().try_for_each(|(dst, value)| write_alone(code, alone, holds, dst, value))
}

/// Loads for one lane; if the guard does not hold, from a dummy address.
fn load_alone<'c>(
    code: &Code<'_, '_, 'c>,
    alone: &Alone<'_, 'c>,
    holds: Option<Value<'c>>,
    load: &Load,
) -> Result<(), LlvmError> {
    let Base::Row(base, _) = load.address.base else { return Err(defect("an address of a frame")) };
    let accessed =
        Accessed { address: &load.address, base, guard: None, size: load.size, count: load.dsts.len() };
    if !code.analysis.shapes.src(base).is_uniform() {
        notes::note(code, RemarkKind::Serial, None);
    }
    let address = value_alone(code, alone, base)?;
    let mut values = Vec::new();
    for element in 0..load.dsts.len() {
        let mut place = addressing::element_place(code, accessed, address, element)?;
        if let Some(holds) = holds {
            place = code.builder().select(holds, place, code.frame)?;
        }
        let value = code.builder().load(code.types.int(accessed.bits()), place, load.size, Ordinary)?;
        values.push(addressing::fill(code, load, value)?);
    }
    let mut loaded = load.dsts.iter().zip(values);
    loaded.try_for_each(|(&dst, value)| write_alone(code, alone, holds, dst, value))
}

fn write_alone<'c>(
    code: &Code<'_, '_, 'c>,
    alone: &Alone<'_, 'c>,
    holds: Option<Value<'c>>,
    row: u32,
    value: Value<'c>,
) -> Result<(), LlvmError> {
    // Rows that are constants have no memory.
    let Some(&RowStorage::Memory(place)) = alone.rows.get(&row) else { return Ok(()) };
    let mut value = code.emit.resize(value, code.analysis.widths.row(row))?;
    if let Some(holds) = holds {
        value = code.builder().select(holds, value, raw_alone(code, alone, Src::register(row))?)?;
    }
    code.builder().store(value, place, 8, Ordinary).map(drop)
}

/// The value of an operand for the lane.
fn value_alone<'c>(code: &Code<'_, '_, 'c>, alone: &Alone<'_, 'c>, src: Src) -> Result<Value<'c>, LlvmError> {
    registers::with_own_nan(code, src, raw_alone(code, alone, src)?)
}

/// As [`value_alone`], without canonicalizing NaNs.
fn raw_alone<'c>(code: &Code<'_, '_, 'c>, alone: &Alone<'_, 'c>, src: Src) -> Result<Value<'c>, LlvmError> {
    match src.as_register().and_then(|row| Some((row, *alone.rows.get(&row)?))) {
        Some((_, RowStorage::Value(value))) => Ok(value),
        Some((row, RowStorage::Memory(place))) => {
            code.builder().load(code.types.int(code.analysis.widths.row(row)), place, 8, Ordinary)
        }
        None => registers::raw_first(code, src, 0),
    }
}

impl<'c> Alone<'_, 'c> {
    fn block(&self, id: BlockId) -> Result<Block<'c>, LlvmError> {
        let block = id.checked_sub(self.carried.region.first).and_then(|at| self.blocks.get(at));
        block.copied().ok_or_else(|| defect("a region without a block"))
    }
}
