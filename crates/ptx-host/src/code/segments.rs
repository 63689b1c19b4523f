//! Kernels that are split into segments (`analysis/segments.rs`), each a function.
//!
//! The function of a warp keeps where each lane is, as the number of a block, and calls the segment of the lowest one:
//!
//! ```text
//! dispatch:
//!   %at = load <16 x i32>, ptr %state                       ; and the other chunk
//!   %next = call i32 @llvm.vector.reduce.umin(..)           ; of those not below %bound
//!   switch i32 %next, label %done [ i32 0, label %segment0  i32 7, label %segment1  i32 9, label %segment1 .. ]
//! segment1:
//!   %status = call i32 @segment1(ptr %warp, ptr %state, i32 %next)
//! ```
//!
//! A segment begins with masks of the lanes at its blocks, and runs these as a kernel in one function does. It returns when lanes are at a block before it, or
//! when no lane is at one of its blocks any more. In between, these are in the memory of the warp's function:
//!
//! | offset | |
//! |---|---|
//! | [`LANES_AT`] | the block at which each lane is, [`EXITED`] for lanes that have exited |
//! | [`BOUND`] | the lowest block that may run next: above that of an operation for which lanes are missing, usually 0 |
//! | [`VAIN`] | operations in vain since a block has run, if loops may wait for other threads |
//! | [`EXCEPT`], [`PLACE`], [`LANES`] | then, what lets others run and cannot run next itself |
//! | [`LOCAL`] | the address of local memory |
//! | [`ROWS`] | rows that are live from one segment to another |

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use ptx_host_rt::{Status, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Block, IntPredicate, Linkage, Type, Value};
use ptx_program::{Effect, Op};
use rustc_hash::FxHashMap;

use super::outside::{BOUND, EXCEPT, EXITED, LANES, PLACE, VAIN};
use super::state::{Code, Plan, Reporter, Segment};
use super::stuck::Waits;
use super::{lane_masks, local, next_block, next_segment, outside, patient_segment, runtime, slots, stuck};
use crate::analysis::{BlockId, Segments};
use crate::error::{CompileError, defect};
use crate::strategy::Version;

/// How many blocks a function looks at that reports where lanes are.
const BLOCKS_OF_PART: usize = 64;

const LOCAL: u64 = BOUND + 8;
const ROWS: u64 = BOUND + 64;

impl<'a, 'c> Plan<'a, 'c> {
    /// Declares the functions, and lays the state out.
    pub(super) fn new(code: &Code<'a, '_, 'c>, segments: &'a Segments) -> Result<Self, LlvmError> {
        let (types, module) = (code.types, code.emit.module);
        let (pointer, word) = (types.pointer(0), types.int(32));
        let declare = |name: &str, parameters: &[Type<'c>]| {
            let function = module.function(name, types.function(word, parameters))?;
            function.set_linkage(Linkage::Internal);
            function.compile_like(code.function);
            function.add_attribute(types, "probe-stack", "inline-asm");
            function.add_flag(types, "noinline");
            function.add_flag(types, "nounwind");
            // The state is memory of the calling function that nothing else has the address of.
            function.add_parameter_flag(types, 1, "noalias");
            Ok::<_, LlvmError>(function)
        };
        let functions = (0..segments.ranges().len())
            .map(|number| declare(&format!("segment{number}"), &[pointer, pointer, word]))
            .collect::<Result<_, _>>()?;
        let reporter = |name: &str, parameters: &[Type<'c>], is_in: &dyn Fn(BlockId) -> bool| {
            let blocks: Vec<BlockId> =
                (0..code.analysis.graph.blocks().len()).filter(|&id| is_in(id)).collect();
            let part = |(number, blocks): (usize, &[BlockId])| {
                Ok((declare(&format!("{name}{number}"), &[pointer, pointer, pointer])?, blocks.to_vec()))
            };
            let parts =
                blocks.chunks(BLOCKS_OF_PART).enumerate().map(part).collect::<Result<_, LlvmError>>()?;
            Ok::<_, LlvmError>(Reporter { function: declare(name, parameters)?, parts })
        };
        let stuck =
            reporter("stuck", &[pointer, pointer], &|id| stuck::collective_gather(code, id).is_some())?;
        let parted = reporter("parted", &[pointer, pointer, word, word], &|id| is_barrier(code, id))?;
        let (mut offsets, mut bytes) = (FxHashMap::default(), ROWS);
        let mut crossing: Vec<u32> = segments.crossing().collect();
        crossing.sort_unstable();
        for row in crossing {
            let mut place = |ty: Type<'c>| {
                let at = bytes;
                bytes += bytes_of(ty).next_multiple_of(8);
                at
            };
            let of_row = slots::types_of_row(code, row).into_iter().map(&mut place).collect();
            let of_index = slots::types_of_index(code, row).into_iter().map(&mut place).collect();
            offsets.insert(row, [of_row, of_index]);
        }
        Ok(Self { segments, functions, stuck, parted, offsets, bytes: bytes.next_multiple_of(64) })
    }
}

/// Bytes of a value of a row.
fn bytes_of(ty: Type<'_>) -> u64 {
    let (lane, lanes) = match ty.vector_parts() {
        Some((lane, lanes)) => (lane, u64::from(lanes)),
        None => (ty, 1),
    };
    // A predicate is a bit of a mask.
    // Default: rows are integers; no other type takes more than 64 bits.
    let bits = u64::from(lane.int_bits().unwrap_or(64)) * lanes;
    bits.div_ceil(8).next_power_of_two()
}

/// Generates the function of a warp, which calls the segments. The builder is at its beginning.
pub(super) fn dispatch<'a, 'c>(
    code: &mut Code<'a, '_, 'c>,
    plan: &Plan<'a, 'c>,
    lanes: Value<'c>,
) -> Result<(), CompileError> {
    let (types, word) = (code.types, code.types.int(32));
    let state = code.builder().alloca_in_entry(types.array(types.int(8), plan.bytes), 64)?;
    local::make_local(code)?;
    if let Some(local) = code.local {
        code.builder().store(local, code.builder().offset(state, code.int(64, LOCAL))?, 8, Ordinary)?;
    }
    clear_rows(code, plan, state)?;
    for (chunk, mask) in lane_masks::vectors_of(code, lanes)?.into_iter().enumerate() {
        let [first, exited] = [0, EXITED].map(|number| lane_masks::constants(code, 32, chunk, |_| number));
        let at = code.builder().select(mask, first?, exited?)?;
        code.builder().store(at, outside::lanes_at(code, state, chunk)?, 8, Ordinary)?;
    }
    let bound_at = code.builder().offset(state, code.int(64, BOUND))?;
    code.builder().store(code.int(32, 0), bound_at, 4, Ordinary)?;
    let begin = runtime::instruction_of(code, code.program.kernel().start, lanes)?;
    let (none, except) = (code.int(32, 0), code.int(32, EXITED));
    for (at, value) in [(VAIN, none), (EXCEPT, except), (PLACE, begin), (LANES, lanes)] {
        code.builder().store(value, code.builder().offset(state, code.int(64, at))?, 4, Ordinary)?;
    }
    let [head, returned, stopped] = code.blocks(["dispatch", "returned", "stopped"]);
    code.builder().branch(head)?;
    code.builder().position_at_end(returned);
    let status = code.builder().phi(word)?;
    let done = code.builder().int_compare(IntPredicate::Eq, status, code.int(32, Status::Done as u64))?;
    code.builder().branch_if_likely(done, head, stopped, true)?;
    code.builder().position_at_end(stopped);
    code.builder().ret(Some(status))?;
    code.builder().position_at_end(head);
    let next = lowest_block(code, state, bound_at)?;
    let mut cases = Vec::new();
    let here = code.builder().block()?;
    for (range, &function) in plan.segments.ranges().iter().zip(&plan.functions) {
        let call = code.block("segment");
        code.builder().position_at_end(call);
        let result = code.builder().call(function, &[code.frame, state, next])?;
        code.builder().add_incoming(status, result, call)?;
        code.builder().branch(returned)?;
        let entries = range.clone().filter(|&id| plan.segments.is_entry(id));
        cases.extend(entries.map(|id| (id as u64, call)));
    }
    let nowhere = code.block("nowhere");
    code.builder().position_at_end(here);
    switch_in_groups(code, next, nowhere, &cases)?;
    // Lanes are at a block at which no segment begins: a defect of `analysis/segments.rs`, which must not end the warp as if they had exited.
    code.builder().position_at_end(nowhere);
    runtime::stop(code, code.program.kernel().start, lanes, Status::Apart)?;
    code.builder().position_at_end(code.ends.done);
    code.builder().ret(Some(code.int(32, Status::Done as u64)))?;
    Ok(())
}

/// Branches to the case of a block's number, or to the end for lanes that have exited. The cases are sorted. A switch of several thousand cases is divided
/// into groups of consecutive numbers, since LLVM's placement of blocks takes time with the square of the successors of a block.
///
/// ```text
/// switch i32 %next, label %nowhere [ i32 0, label %segment0 .. ]
///   =>
/// %group = lshr i32 %next, 7
/// switch i32 %group, label %nowhere [ i32 0, label %group0  i32 1, label %group1 .. ]
/// group0:
/// switch i32 %next, label %nowhere [ i32 0, label %segment0 .. ]
/// ```
fn switch_in_groups<'c>(
    code: &Code<'_, '_, 'c>,
    next: Value<'c>,
    nowhere: Block<'c>,
    cases: &[(u64, Block<'c>)],
) -> Result<(), LlvmError> {
    const GROUP_BITS: u64 = 7;
    let group = |&(number, _): &(u64, Block<'c>)| number >> GROUP_BITS;
    let groups: Vec<_> = cases.chunk_by(|a, b| group(a) == group(b)).collect();
    if let [only] = groups[..] {
        let all: Vec<_> = only.iter().copied().chain([(EXITED, code.ends.done)]).collect();
        return code.builder().switch_on(next, nowhere, &all).map(drop);
    }
    let blocks: Vec<_> = groups.iter().map(|cases| (group(&cases[0]), code.block("group"))).collect();
    let number = code.builder().binary(BinaryOp::LShr, next, code.int(32, GROUP_BITS))?;
    let all: Vec<_> = blocks.iter().copied().chain([(EXITED >> GROUP_BITS, code.ends.done)]).collect();
    code.builder().switch_on(number, nowhere, &all)?;
    for (cases, &(_, block)) in groups.iter().zip(&blocks) {
        code.builder().position_at_end(block);
        code.builder().switch_on(next, nowhere, cases)?;
    }
    Ok(())
}

/// The block that runs next: the lowest, at least the bound, at which a lane is.
fn lowest_block<'c>(
    code: &Code<'_, '_, 'c>,
    state: Value<'c>,
    bound_at: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let bound = code.builder().load(code.types.int(32), bound_at, 4, Ordinary)?;
    if code.analysis.schedule.has_patient() {
        return patient_segment::next_in_turn(code, state, bound);
    }
    let bound = code.builder().splat(bound, code.lanes)?;
    outside::lowest_of(code, state, |_, at| code.builder().int_compare(IntPredicate::Uge, at, bound))
}

/// Clears the rows that may be read before they are written.
fn clear_rows<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    plan: &Plan<'a, 'c>,
    state: Value<'c>,
) -> Result<(), LlvmError> {
    for row in code.analysis.liveness.rows_into(0) {
        let Some([of_row, of_index]) = plan.offsets.get(&row) else { continue };
        let values = of_row.iter().zip(slots::types_of_row(code, row));
        for (&at, ty) in values.chain(of_index.iter().zip(slots::types_of_index(code, row))) {
            let place = code.builder().offset(state, code.int(64, at))?;
            code.builder().store(ty.zero(), place, 8, Ordinary)?;
        }
    }
    Ok(())
}

/// Begins the function of a segment, or one that reports an error, with an empty range; the parameters after the first are `state` and, in a
/// segment, the number of the block that runs first.
pub(super) fn begin_segment<'a, 'c>(
    code: &mut Code<'a, '_, 'c>,
    plan: &'a Plan<'a, 'c>,
    range: Range<BlockId>,
    state: Value<'c>,
) -> Result<(), CompileError> {
    let ty = code.vector_of(32);
    let leave = code.block("leave");
    let bound = code.builder().alloca_in_entry(code.types.int(32), 4)?;
    code.builder().store(code.int(32, 0), bound, 4, Ordinary)?;
    if code.program.kernel().local > 0 {
        let place = code.builder().offset(state, code.int(64, LOCAL))?;
        code.local = Some(code.builder().load(code.types.pointer(0), place, 8, Ordinary)?);
    }
    if code.analysis.schedule.has_patient() {
        code.masks.vain = Some(code.builder().offset(state, code.int(64, VAIN))?);
    }
    slots::make_masks(code, range.clone())?;
    let mut lanes_at = Vec::new();
    for chunk in 0..code.chunks {
        let at = code.builder().load(ty, outside::lanes_at(code, state, chunk)?, 8, Ordinary)?;
        let is_alive = outside::number_is(code, at, chunk, IntPredicate::Ne, EXITED)?;
        code.builder().store(is_alive, code.masks.alive[chunk], 8, Ordinary)?;
        for id in range.clone().filter(|&id| plan.segments.is_entry(id)) {
            let is_here = outside::number_is(code, at, chunk, IntPredicate::Eq, id as u64)?;
            code.builder().store(is_here, code.masks.at(id)?[chunk], 8, Ordinary)?;
        }
        let place = code.builder().alloca_in_entry(ty, 8)?;
        code.builder().store(at, place, 8, Ordinary)?;
        lanes_at.push(place);
    }
    let (dispatch, pass_over, parted) = (Cell::new(None), Cell::new(None), Cell::new(None));
    code.segment = Some(Segment { plan, range, state, lanes_at, leave, bound, dispatch, pass_over, parted });
    Ok(())
}

/// Gives the rows that the blocks of the segment access their memory: in the state if they are live from one segment to another.
pub(super) fn make_rows_of_segment(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    let (plan, state) = (segment.plan, segment.state);
    let rows: BTreeSet<u32> =
        segment.range.clone().flat_map(|id| code.analysis.rows_of(code.program, id)).collect();
    for row in rows {
        make_row_of_segment(code, plan, state, row)?;
    }
    Ok(())
}

fn make_row_of_segment<'a, 'c>(
    code: &mut Code<'a, '_, 'c>,
    plan: &Plan<'a, 'c>,
    state: Value<'c>,
    row: u32,
) -> Result<(), LlvmError> {
    let Some(offsets) = plan.offsets.get(&row) else { return slots::make_row(code, row) };
    let places = |offsets: &[u64]| {
        offsets.iter().map(|&at| code.builder().offset(state, code.int(64, at))).collect::<Result<_, _>>()
    };
    let (of_row, of_index) = (places(&offsets[0])?, places(&offsets[1])?);
    code.rows.add(row, of_row, of_index);
    Ok(())
}

/// Branches to the block that runs first, whose number is given, and completes the function.
pub(super) fn enter_segment<'c>(code: &mut Code<'_, '_, 'c>, next: Value<'c>) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    let blocks = &code.at.blocks[code.at.version as usize];
    let entries = segment.range.clone().zip(blocks);
    let entries = entries.filter(|(id, _)| segment.plan.segments.is_entry(*id));
    let cases: Vec<_> = entries.map(|(id, &block)| (id as u64, block)).collect();
    if let [(_, only)] = cases[..] {
        code.builder().branch(only)?;
        return Ok(());
    }
    let nowhere = code.block("nowhere");
    code.builder().switch_on(next, nowhere, &cases)?;
    code.builder().position_at_end(nowhere);
    code.builder().unreachable()?;
    Ok(())
}

/// Generates the code that returns from a segment.
pub(super) fn finish_segment(code: &mut Code<'_, '_, '_>) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    finish_dispatch(code, segment)?;
    stuck::finish_parted(code, segment)?;
    code.builder().position_at_end(segment.leave);
    outside::save_lanes(code, segment)?;
    code.builder().ret(Some(code.int(32, Status::Done as u64)))?;
    code.builder().position_at_end(code.ends.done);
    code.builder().branch(segment.leave)?;
    Ok(())
}

/// Generates the tests that ends of blocks and operations share: all blocks of the segment in order, and those from the bound on.
fn finish_dispatch<'a, 'c>(code: &Code<'a, '_, 'c>, segment: &Segment<'a, 'c>) -> Result<(), LlvmError> {
    let blocks = segment.range.clone().zip(code.at.blocks[code.at.version as usize].iter().copied());
    if let Some(block) = segment.dispatch.get() {
        code.builder().position_at_end(block);
        for (id, to) in blocks.clone() {
            let after = code.block("after");
            code.builder().branch_if(next_block::has_waiting(code, id)?, to, after)?;
            code.builder().position_at_end(after);
        }
        code.builder().branch(segment.leave)?;
    }
    if let Some(block) = segment.pass_over.get() {
        code.builder().position_at_end(block);
        let bound = code.builder().load(code.types.int(32), segment.bound, 4, Ordinary)?;
        for (id, to) in blocks {
            let [found, after] = code.blocks(["found", "after"]);
            let is_above = code.builder().int_compare(IntPredicate::Ule, bound, code.int(32, id as u64))?;
            let runs = code.builder().binary(BinaryOp::And, next_block::has_waiting(code, id)?, is_above)?;
            code.builder().branch_if(runs, found, after)?;
            code.builder().position_at_end(found);
            code.builder().store(code.int(32, 0), segment.bound, 4, Ordinary)?;
            code.builder().branch(to)?;
            code.builder().position_at_end(after);
        }
        next_segment::leave_for_later(code, segment)?;
    }
    Ok(())
}

/// Generates the function that reports lanes which wait for each other forever. Its segment has no blocks.
///
/// ```text
/// store <16 x i32> splat (i32 -1), ptr %waits                       ; for each lane, where it waits, and whom for
/// call i32 @stuck0(ptr %warp, ptr %state, ptr %waits)               ; looks at the first 64 operations at which lanes may wait
/// call i32 @stuck1(ptr %warp, ptr %state, ptr %waits)
/// ```
pub(super) fn report_stuck_segments(code: &mut Code<'_, '_, '_>) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    let memory = Waits::none(code)?.in_memory(code)?;
    for (part, _) in &segment.plan.stuck.parts {
        code.builder().call(*part, &[code.frame, segment.state, memory])?;
    }
    Waits::load(code, memory)?.report(code)?;
    unused_ends(code)
}

/// Generates a function that adds the lanes at some of the operations to those in memory.
pub(super) fn find_stuck<'c>(
    code: &mut Code<'_, '_, 'c>,
    blocks: &[BlockId],
    memory: Value<'c>,
) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    let (plan, state) = (segment.plan, segment.state);
    let rows: BTreeSet<u32> = blocks.iter().flat_map(|&id| code.analysis.rows_of(code.program, id)).collect();
    for row in rows {
        make_row_of_segment(code, plan, state, row)?;
    }
    code.rows.current.borrow_mut().clear();
    code.at.version = Version::Partial;
    let mut waits = Waits::load(code, memory)?;
    waits.add(code, blocks.iter().copied())?;
    waits.store(code, memory)?;
    return_from_part(code)
}

/// Whether a block begins with a block barrier.
fn is_barrier(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    let op = code.program.code.get(code.analysis.graph.block(id).first as usize).map(|inst| &inst.op);
    matches!(op, Some(Op::Effect(Effect::BlockBarrier(_))))
}

/// Generates the function that reports which lanes are at another barrier, or somewhere else, when others have reached one.
pub(super) fn report_parted_segments<'c>(
    code: &mut Code<'_, '_, 'c>,
    pc: Value<'c>,
    all: Value<'c>,
) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    let none = code.int(32, 0);
    // The lanes at another barrier, that barrier, and the lanes that have reached this one.
    let memory = lane_masks::in_memory(code, &[none, pc, all])?;
    for (part, _) in segment.plan.parted.parts.iter().rev() {
        code.builder().call(*part, &[code.frame, segment.state, memory])?;
    }
    let [others, place] = lane_masks::from_memory(code, memory, code.types.int(32), 2)?[..] else {
        return Err(defect("two words of memory").into());
    };
    let at_no_barrier = code.builder().int_compare(IntPredicate::Eq, others, none)?;
    lane_masks::unless(code, at_no_barrier, |code| {
        let status =
            runtime::call_runtime(code, field::runtime::PART, &[pc, all, place, others], code.types.int(32))?;
        code.builder().ret(Some(status)).map(drop)
    })?;
    runtime::stop_numbered(code, pc, all, Status::Deadlock)?;
    unused_ends(code)
}

/// Generates a function that looks for such lanes at some of the barriers, the lowest of which with lanes counts.
pub(super) fn find_parted<'c>(
    code: &Code<'_, '_, 'c>,
    blocks: &[BlockId],
    memory: Value<'c>,
) -> Result<(), CompileError> {
    let word = code.types.int(32);
    let [mut others, mut place, all] = lane_masks::from_memory(code, memory, word, 3)?[..] else {
        return Err(defect("three words of memory").into());
    };
    for &id in blocks.iter().rev() {
        let lanes = lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)?;
        let lanes = code.builder().binary(BinaryOp::And, lanes, lane_masks::not(code, all)?)?;
        let any = code.builder().int_compare(IntPredicate::Ne, lanes, code.int(32, 0))?;
        others = code.builder().select(any, lanes, others)?;
        let first = code.analysis.graph.block(id).first;
        place = code.builder().select(any, code.int(32, first.into()), place)?;
    }
    lane_masks::to_memory(code, memory, &[others, place, all])?;
    return_from_part(code)
}

fn return_from_part(code: &Code<'_, '_, '_>) -> Result<(), CompileError> {
    code.builder().ret(Some(code.int(32, Status::Done as u64)))?;
    unused_ends(code)
}

/// Completes a function that is never left by its ordinary ends.
fn unused_ends(code: &Code<'_, '_, '_>) -> Result<(), CompileError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function").into()) };
    for block in [segment.leave, code.ends.done] {
        code.builder().position_at_end(block);
        code.builder().unreachable()?;
    }
    Ok(())
}
