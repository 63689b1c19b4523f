//! Checks of memory accesses before they are executed ([`Options::check_memory`](crate::Options::check_memory)).
//!
//! For each run of bytes that an instruction accesses (a site), the host thread caches a range of memory that may be accessed ([`Known`]): the one
//! around the last access. Code tests addresses against that range; if one is outside, it calls the runtime, which finds the memory
//! of that address, or the first lane that faults.
//!
//! | addresses | test |
//! |---|---|
//! | uniform or strided | the first one, for the bytes of all lanes; if that fails and lanes are inactive, those of the active lanes |
//! | varying | all of them, as a vector |
//!
//! ```text
//! %offset = sub i64 %address, %base
//! %steps = call i64 @llvm.fshr.i64(i64 %offset, i64 %offset, i64 2)   ; large if the address is not aligned
//! %inside = icmp ult i64 %steps, %count
//! ```

use std::mem::offset_of;

use ptx_host_rt::{Known, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::memory::Space;
use ptx_program::{AddressWidth, Base, Effect, Mask, Op, Program, Row, Run, Src, WARP};
use rustc_hash::FxHashMap;

use super::state::{Code, Guard, Probes};
use super::{index, lane_masks, registers, runtime, serial};
use crate::analysis::{BlockId, Indexed, Shape, Stride};
use crate::error::CompileError;

/// The most bytes from the first to the last lane that are tested as one run.
const LONGEST: i64 = 1 << 24;
/// The most registers from which the accesses of an instruction follow.
const SOURCES: usize = 3;

/// The sites of a program: for each instruction with sites the number of the first one, and how many there are in total.
pub(crate) fn sites(program: &Program) -> (FxHashMap<u32, u32>, usize) {
    let (mut firsts, mut count) = (FxHashMap::default(), 0);
    for (pc, inst) in program.code.iter().enumerate() {
        let Op::Effect(effect) = &inst.op else { continue };
        if let Some(accesses) = effect.accesses() {
            firsts.insert(pc as u32, count as u32);
            count += accesses.runs.len();
        }
    }
    (firsts, count)
}

/// A run of bytes that is tested.
#[derive(Clone, Copy)]
struct Tested<'c> {
    run: Run,
    src: Option<Src>,
    guard: Guard,
    /// The known range: its first address, and the numbers of valid addresses for one lane and for all.
    base: Value<'c>,
    each: Value<'c>,
    whole: Value<'c>,
    /// The width in which addresses are compared.
    bits: u32,
}

/// Which lanes can be tested together.
#[derive(Clone, Copy)]
enum Together {
    /// All lanes: a run of `bytes` bytes that begins `low` bytes from the first address.
    Warp { low: i64, bytes: i64, index: Option<(u32, Indexed)> },
    /// The lanes of each chunk.
    Chunk { low: i64, bytes: i64 },
    /// None.
    No,
}

/// Prepares the checks; `firsts` has the first site of each instruction.
pub(super) fn begin_probes<'a>(
    code: &mut Code<'a, '_, '_>,
    firsts: &'a FxHashMap<u32, u32>,
) -> Result<(), LlvmError> {
    let warps = code.analysis.warps as u64;
    let builder = code.builder();
    let place = builder.offset(code.frame, code.int(64, field::SITES as u64))?;
    let known = builder.load(code.types.pointer(0), place, 8, Ordinary)?;
    let numbers = |count: u64, bits| code.types.array(code.types.int(bits), count);
    let rows = builder.alloca(numbers(warps * (SOURCES * WARP) as u64, 64), 64)?;
    let lanes = builder.alloca(numbers(warps, 32), 64)?;
    let wholes = builder.alloca(numbers(2, 64), 64)?;
    code.probes = Some(Probes { firsts, known, rows, lanes, wholes });
    Ok(())
}

/// Checks the accesses of an instruction, if that is enabled.
pub(super) fn check_memory(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    effect: &Effect,
    pc: u32,
) -> Result<(), CompileError> {
    let Some(probes) = &code.probes else { return Ok(()) };
    let Some(accesses) = effect.accesses() else { return Ok(()) };
    if code.reports.joined.is_some_and(|joined| joined.place(pc) != pc) {
        let why = "accesses of operations that lanes reach through different instructions are not checked in compiled code";
        return Err(CompileError::refused(pc, why));
    }
    let Some(&first) = probes.firsts.get(&pc) else { return Ok(()) };
    let mut tested = Vec::new();
    for (n, run) in accesses.runs.iter().enumerate() {
        let src = accesses.srcs.get(n).copied().filter(|_| matches!(run.address.base, Base::Row(..)));
        if is_in_frame(code, run, src) {
            continue;
        }
        tested.push((n, test(code, *run, src, guard, first as usize + n)?));
    }
    if tested.is_empty() && !accesses.runs.is_empty() {
        return Ok(());
    }
    let mut inside = code.int(1, u64::from(!accesses.runs.is_empty()));
    let mut wholes = [0; 2];
    for (n, tested) in &tested {
        let (is_inside, whole) = run_is_inside(code, tested)?;
        inside = code.builder().binary(BinaryOp::And, inside, is_inside)?;
        if let Some(bytes) = wholes.get_mut(*n) {
            *bytes = whole;
        }
    }
    let every_lane_runs = guard.is_none() && code.analysis.schedule.is_together(id);
    let retried = wholes != [0; 2] && !every_lane_runs;
    let after = code.block("checked");
    let outside = code.block("outside");
    code.builder().branch_if_likely(inside, after, outside, true)?;
    code.builder().position_at_end(outside);
    if retried {
        let mut inside = code.int(1, 1);
        for (_, tested) in &tested {
            inside = code.builder().binary(BinaryOp::And, inside, lanes_are_inside(code, tested)?)?;
        }
        let ask = code.block("ask");
        code.builder().branch_if_likely(inside, after, ask, true)?;
        code.builder().position_at_end(ask);
    }
    ask_runtime(code, probes, guard, &accesses.srcs, (pc, first), wholes)?;
    code.builder().branch(after)?;
    code.builder().position_at_end(after);
    Ok(())
}

/// Whether a run at a constant address is inside local memory; `src` is the base, if it is a register.
fn is_in_frame(code: &Code<'_, '_, '_>, run: &Run, src: Option<Src>) -> bool {
    let local = i64::from(code.program.kernel().local);
    let bytes = i64::from(run.bytes);
    let offset = match (src.map(|src| code.analysis.shapes.src(src)), run.address.base) {
        (None, _) => run.address.offset,
        (Some(Shape::Constant(base)), Base::Row(_, AddressWidth::Bits32)) => {
            base.wrapping_add(run.address.offset as u64) as i64 & i64::from(u32::MAX)
        }
        (Some(Shape::Constant(base)), _) => base.wrapping_add(run.address.offset as u64) as i64,
        (Some(_), _) => return false,
    };
    run.address.space == Space::Local
        && (0..=local - bytes).contains(&offset)
        && offset % i64::from(run.align) == 0
}

fn test<'c>(
    code: &Code<'_, '_, 'c>,
    run: Run,
    src: Option<Src>,
    guard: Guard,
    site: usize,
) -> Result<Tested<'c>, LlvmError> {
    let Some(probes) = &code.probes else { return Err(crate::error::defect("no sites")) };
    let is_narrow = matches!(run.address.base, Base::Row(_, AddressWidth::Bits32));
    let is_global = matches!(run.address.space, Space::Global | Space::Generic);
    let bits = if is_narrow && !is_global { 32 } else { 64 };
    let part = |offset: usize| {
        let at = code.int(64, (site * size_of::<Known>() + offset) as u64);
        let value =
            code.builder().load(code.types.int(64), code.builder().offset(probes.known, at)?, 8, Ordinary)?;
        code.emit.resize(value, bits)
    };
    let base = part(offset_of!(Known, base))?;
    let [each, whole] = [part(offset_of!(Known, each))?, part(offset_of!(Known, whole))?];
    Ok(Tested { run, src, guard, base, each, whole, bits })
}

/// Whether a run is inside in all lanes; where lanes are tested together, inactive ones count too. Also returns the bytes of
/// those that are tested together.
fn run_is_inside<'c>(code: &Code<'_, '_, 'c>, tested: &Tested<'c>) -> Result<(Value<'c>, u64), LlvmError> {
    let Some(src) = tested.src else {
        let address =
            code.int(tested.bits, tested.run.address.offset as u64 & (u64::MAX >> (64 - tested.bits)));
        return Ok((is_below(code, tested, address, tested.each)?, 0));
    };
    if code.analysis.shapes.src(src).is_uniform() && tested.run.lanes == Mask::MAX {
        let address = tested_address(code, tested, registers::first(code, src, 0)?, 0)?;
        return Ok((is_below(code, tested, address, tested.each)?, 0));
    }
    match together(code, tested, src) {
        Together::Warp { low, bytes, index } => {
            let address = tested_address(code, tested, index::first_unwrapped(code, src, 0)?, low)?;
            let mut inside = is_below(code, tested, address, tested.whole)?;
            if let Some((row, indexed)) = index {
                let holds = lane_masks::not(code, index::wraps(code, row, indexed)?)?;
                inside = code.builder().binary(BinaryOp::And, inside, holds)?;
            }
            Ok((inside, bytes as u64))
        }
        Together::Chunk { low, bytes } => {
            let mut inside = code.int(1, 1);
            for chunk in (0..code.chunks).filter(|&chunk| is_own_chunk(code, src, chunk)) {
                let address = tested_address(code, tested, registers::first(code, src, chunk)?, low)?;
                let this = is_below(code, tested, address, tested.whole)?;
                inside = code.builder().binary(BinaryOp::And, inside, this)?;
            }
            Ok((inside, bytes as u64))
        }
        Together::No => Ok((lanes_are_inside(code, tested)?, 0)),
    }
}

/// Whether no chunk before this one has the same values.
fn is_own_chunk(code: &Code<'_, '_, '_>, src: Src, chunk: usize) -> bool {
    chunk & code.analysis.shapes.chunkwise_of(src) as usize == chunk
}

fn together<'c>(code: &Code<'_, '_, 'c>, tested: &Tested<'c>, src: Src) -> Together {
    let (shape, is_wide) = (code.analysis.shapes.src(src), code.analysis.widths.src(src) >= tested.bits);
    let is_extended =
        tested.bits == 64 && matches!(tested.run.address.base, Base::Row(_, AddressWidth::Bits32));
    if !is_wide || is_extended || tested.run.lanes != Mask::MAX {
        return Together::No;
    }
    let (stride, index) = match (shape, src.as_register()) {
        (Shape::Strided(stride), _) => (stride, None),
        (Shape::Indexed(indexed), Some(row)) => (indexed.stride(), Some((row, indexed))),
        _ => return Together::No,
    };
    let Stride { within, across } = stride;
    let ends = |step: i64, count: usize| {
        let last = step.checked_mul(count as i64 - 1).filter(|last| last.abs() < LONGEST)?;
        Some((last.min(0), last.max(0)))
    };
    let Some((low, high)) = ends(within, code.lanes as usize) else { return Together::No };
    let bytes = i64::from(tested.run.bytes);
    match (across.map(|across| ends(across, code.chunks)), index) {
        (Some(Some((below, above))), index) => {
            Together::Warp { low: low + below, bytes: high + above - low - below + bytes, index }
        }
        (None, None) => Together::Chunk { low, bytes: high - low + bytes },
        _ => Together::No,
    }
}

/// The address of a base, `more` bytes further.
fn tested_address<'c>(
    code: &Code<'_, '_, 'c>,
    tested: &Tested<'c>,
    base: Value<'c>,
    more: i64,
) -> Result<Value<'c>, LlvmError> {
    let is_narrow = matches!(tested.run.address.base, Base::Row(_, AddressWidth::Bits32));
    let bits = if is_narrow { 32 } else { 64 };
    let base = code.emit.resize(base, bits)?;
    let offset = tested.run.address.offset.wrapping_add(more) as u64 & (u64::MAX >> (64 - bits));
    let sum = code.builder().binary(BinaryOp::Add, base, code.emit.constant(base, bits, offset))?;
    code.emit.resize(sum, tested.bits)
}

/// Whether addresses, which may be vectors, are among the `count` valid ones from the known one on, in steps of the alignment.
fn is_below<'c>(
    code: &Code<'_, '_, 'c>,
    tested: &Tested<'c>,
    address: Value<'c>,
    count: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let (mut base, mut count) = (tested.base, count);
    if address.ty().vector_parts().is_some() {
        [base, count] = [builder.splat(base, code.lanes)?, builder.splat(count, code.lanes)?];
    }
    let mut offset = builder.binary(BinaryOp::Sub, address, base)?;
    if tested.run.align > 1 {
        let shift = code.emit.constant(offset, tested.bits, tested.run.align.trailing_zeros().into());
        offset = builder.intrinsic("llvm.fshr", &[offset.ty()], &[offset, offset, shift])?;
    }
    builder.int_compare(IntPredicate::Ult, offset, count)
}

/// Whether a run is inside in each active lane.
fn lanes_are_inside<'c>(code: &Code<'_, '_, 'c>, tested: &Tested<'c>) -> Result<Value<'c>, LlvmError> {
    let Some(src) = tested.src else { return Ok(run_is_inside(code, tested)?.0) };
    let mut outside: Option<Value<'c>> = None;
    for chunk in (0..code.chunks).filter(|&chunk| is_own_chunk(code, src, chunk)) {
        let mut mask = registers::active(code, tested.guard, chunk)?;
        for other in chunk + 1..code.chunks {
            if other & code.analysis.shapes.chunkwise_of(src) as usize == chunk {
                mask = code.builder().binary(
                    BinaryOp::Or,
                    mask,
                    registers::active(code, tested.guard, other)?,
                )?;
            }
        }
        if tested.run.lanes != Mask::MAX {
            let of = lane_masks::constants(code, 1, chunk, |lane| {
                u64::from(tested.run.lanes >> (lane % WARP) & 1)
            })?;
            mask = code.builder().binary(BinaryOp::And, mask, of)?;
        }
        let address = tested_address(code, tested, registers::vector(code, src, chunk)?, 0)?;
        let inside = is_below(code, tested, address, tested.each)?;
        let this = code.builder().binary(BinaryOp::And, mask, lane_masks::not(code, inside)?)?;
        outside = Some(match outside {
            None => this,
            Some(before) => code.builder().binary(BinaryOp::Or, before, this)?,
        });
    }
    let Some(outside) = outside else { return Ok(code.int(1, 1)) };
    let lanes = code.builder().cast(CastOp::BitCast, outside, code.types.int(code.lanes))?;
    code.builder().int_compare(IntPredicate::Eq, lanes, code.int(code.lanes, 0))
}

/// Calls the runtime, which ends the warp if a lane faults.
fn ask_runtime<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    probes: &Probes<'a, 'c>,
    guard: Guard,
    srcs: &[Src],
    (pc, site): (u32, u32),
    wholes: [u64; 2],
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let at = |place: Value<'c>, bytes: usize| builder.offset(place, code.int(64, bytes as u64));
    let chunks = (WARP / code.lanes as usize).max(1);
    for (n, &src) in srcs.iter().enumerate() {
        for chunk in 0..code.chunks {
            let row = chunk / chunks * srcs.len() + n;
            let place = row * size_of::<Row>() + chunk % chunks * code.lanes as usize * 8;
            let values = code.emit.resize(registers::vector(code, src, chunk)?, 64)?;
            builder.store(values, at(probes.rows, place)?, 8, Ordinary)?;
        }
    }
    let warps = serial::active_warps(code, guard)?;
    for (warp, &lanes) in warps.iter().enumerate() {
        builder.store(lanes, at(probes.lanes, 4 * warp)?, 4, Ordinary)?;
    }
    for (n, bytes) in wholes.into_iter().enumerate() {
        builder.store(code.int(64, bytes), at(probes.wholes, 8 * n)?, 8, Ordinary)?;
    }
    let [pc, site, count] = [pc, site, warps.len() as u32].map(|number| code.int(32, number.into()));
    let arguments = [pc, site, probes.wholes, count, probes.lanes, probes.rows];
    runtime::call_checked(code, field::runtime::CHECK, &arguments)
}
