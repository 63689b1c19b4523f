//! Calls of the runtime, and the ends of warps that are stopped.

use ptx_host_rt::{Status, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Type, Value};
use ptx_program::Src;

use super::state::{Code, Guard};
use super::{lane_masks, registers, threads};

/// Calls the runtime function at offset `entry` of its table (`offset_of!(Runtime, ..)`), with the frame of the
/// warp and then the arguments.
pub(super) fn call_runtime<'c>(
    code: &Code<'_, '_, 'c>,
    entry: usize,
    arguments: &[Value<'c>],
    result: Type<'c>,
) -> Result<Value<'c>, LlvmError> {
    code.asks.borrow_mut().push((code.at.pc.get(), entry));
    let builder = code.builder();
    let pointer = code.types.pointer(0);
    let table = builder.offset(code.frame, code.int(64, field::RUNTIME as u64))?;
    let table = builder.load(pointer, table, 8, Ordinary)?;
    let function = builder.offset(table, code.int(64, entry as u64))?;
    let function = builder.load(pointer, function, 8, Ordinary)?;
    let arguments: Vec<Value<'c>> = std::iter::once(code.frame).chain(arguments.iter().copied()).collect();
    let parameters: Vec<Type<'c>> = arguments.iter().map(|argument| argument.ty()).collect();
    builder.call_value(code.types.function(result, &parameters), function, &arguments)
}

/// Calls a runtime function that returns a [`Status`], and ends the warp with it unless it is [`Status::Done`].
pub(super) fn call_checked<'c>(
    code: &Code<'_, '_, 'c>,
    entry: usize,
    arguments: &[Value<'c>],
) -> Result<(), LlvmError> {
    let status = call_runtime(code, entry, arguments, code.types.int(32))?;
    end_unless_done(code, status)
}

/// Ends the warp with a [`Status`] unless it is [`Status::Done`].
pub(super) fn end_unless_done<'c>(code: &Code<'_, '_, 'c>, status: Value<'c>) -> Result<(), LlvmError> {
    let done = code.int(32, Status::Done as u64);
    let is_done = code.builder().int_compare(IntPredicate::Eq, status, done)?;
    lane_masks::unless(code, is_done, |code| code.builder().ret(Some(status)).map(drop))
}

/// Stops the warp if the guard holds for an active lane.
pub(super) fn stop_where(code: &Code<'_, '_, '_>, pc: u32, guard: Guard) -> Result<(), LlvmError> {
    let lanes = registers::active_lanes(code, guard)?;
    let none = code.builder().int_compare(IntPredicate::Eq, lanes, code.int(32, 0))?;
    lane_masks::unless(code, none, |code| stop(code, pc, lanes, Status::Stopped))
}

/// Ends the warp: the lanes of this mask are stopped at an instruction.
pub(super) fn stop<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    lanes: Value<'c>,
    status: Status,
) -> Result<(), LlvmError> {
    stop_numbered(code, instruction_of(code, pc, lanes)?, lanes, status)
}

/// As [`stop`], at an instruction with this number in the original program.
pub(super) fn stop_numbered<'c>(
    code: &Code<'_, '_, 'c>,
    pc: Value<'c>,
    lanes: Value<'c>,
    status: Status,
) -> Result<(), LlvmError> {
    let builder = code.builder();
    for (at, value) in [(field::PC, pc), (field::STOPPED, lanes)] {
        builder.store(value, builder.offset(code.frame, code.int(64, at as u64))?, 4, Ordinary)?;
    }
    builder.ret(Some(code.int(32, status as u64))).map(drop)
}

/// The number that the runtime knows an instruction by: its place in the program before operations were joined. For a merged operation
/// it is the place of the original that the first of these lanes reached.
pub(super) fn instruction_of<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    lanes: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let Some((row, sites)) = code.reports.joined.and_then(|joined| joined.meeting(pc)) else {
        let place = code.reports.joined.map_or(pc, |joined| joined.place(pc));
        return Ok(code.int(32, place.into()));
    };
    let memory = lane_masks::in_memory(code, &registers::vectors(code, Src::register(row), 32)?)?;
    let number =
        lane_masks::lane_in_memory(code, memory, code.types.int(32), lane_masks::lowest(code, lanes)?)?;
    let mut place = code.int(32, sites.first().copied().unwrap_or(pc).into());
    for (own, &site) in (0..).zip(sites) {
        let is_it = code.builder().int_compare(IntPredicate::Eq, number, code.int(32, own))?;
        place = code.builder().select(is_it, code.int(32, site.into()), place)?;
    }
    Ok(place)
}

/// As [`stop`], for lanes of several warps, of which only those of the first affected warp are stopped, or for those of a part of one.
pub(super) fn stop_first<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    masks: &[Value<'c>],
    status: Status,
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let warps: Vec<Value<'c>> = lane_masks::lanes_of_warps(code, masks)?;
    let (mut first, mut number) = (code.int(32, 0), code.int(32, 0));
    for (warp, &lanes) in warps.iter().enumerate().rev() {
        let any = builder.int_compare(IntPredicate::Ne, lanes, code.int(32, 0))?;
        first = builder.select(any, lanes, first)?;
        number = builder.select(any, code.int(32, warp as u64), number)?;
    }
    if warps.len() > 1 {
        let number = builder.binary(BinaryOp::Add, code.inputs.warp, number)?;
        let place = builder.offset(code.frame, code.int(64, field::WARP as u64))?;
        builder.store(number, place, 4, Ordinary)?;
    }
    stop(code, pc, threads::in_warp(code, first)?, status)
}

/// Ends the warp, whose lanes wait for each other forever. It is at the beginning of a block, so that all rows are in memory.
pub(super) fn end_stuck(code: &Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let block = code.ends.stuck.get().unwrap_or_else(|| code.block("stuck"));
    code.ends.stuck.set(Some(block));
    code.builder().branch(block).map(drop)
}

/// Stops lanes at an instruction because of an operand value, such as a branch index out of range.
pub(super) fn stop_at<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    value: Value<'c>,
    lanes: Value<'c>,
    status: Status,
) -> Result<(), LlvmError> {
    let place = code.builder().offset(code.frame, code.int(64, field::DETAIL as u64))?;
    code.builder().store(code.emit.resize(value, 64)?, place, 8, Ordinary)?;
    stop(code, pc, lanes, status)
}

/// Waits until a phase of a barrier is over for which lanes of the warp wait; if they wait for no barrier, they wait for each other forever.
pub(super) fn await_phase(code: &Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let arguments = [lane_masks::alive_lanes(code)?];
    let status = call_runtime(code, field::runtime::AWAIT_PHASE, &arguments, code.types.int(32))?;
    let goes_on = code.builder().int_compare(IntPredicate::Eq, status, code.int(32, 0))?;
    lane_masks::unless(code, goes_on, end_stuck)
}
