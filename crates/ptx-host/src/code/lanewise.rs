//! Accesses through generic addresses that are not all above the windows: the space is determined lane by lane.
//!
//! That is long code: tests of five windows, and in kernels with local memory also those whether an element is in words that are apart. So it is in a function of
//! the module for each kind of access, which gets addresses and values in memory:
//!
//! ```text
//! call void @lanewise.load4x2(ptr %warp, ptr %local, i32 %lanes, ptr %addresses, i64 16, ptr %values0, ptr %values1)
//! ```

use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{
    BinaryOp, CastOp, Function, IntPredicate, Linkage, Ordering, Scope, Types, Value,
};
use ptx_llvm_core::{LlvmError, Module};
use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Load, Src, Store};

use super::fork::Fork;
use super::local::ROW;
use super::serial::Held;
use super::state::{Code, Guard, Lanewise};
use super::{cluster, local, notes, registers, serial};
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;

/// Loads with the function; `None` where the code of one lane is generated in place.
pub(super) fn load<'c>(
    code: &mut Code<'_, '_, 'c>,
    guard: Guard,
    load: &Load,
    base: Src,
) -> Result<Option<Vec<Vec<Value<'c>>>>, CompileError> {
    let access = Lanewise { stores: false, size: load.size, count: load.dsts.len() };
    if !has_function(code, access) {
        return Ok(None);
    }
    let mut values = Vec::new();
    for n in 0..access.count {
        values.push(serial::results(code, n + 1, 8 * access.size)?);
    }
    call(code, guard, access, (base, load.address.offset), &values)?;
    let loaded: Result<_, LlvmError> = values.into_iter().map(|held| serial::taken(code, held)).collect();
    Ok(Some(loaded?))
}

/// As [`load`], for a store; returns whether it was generated.
pub(super) fn store(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    store: &Store,
    base: Src,
) -> Result<bool, CompileError> {
    let access = Lanewise { stores: true, size: store.size, count: store.srcs.len() };
    if !has_function(code, access) {
        return Ok(false);
    }
    let mut values = Vec::new();
    for (n, &src) in store.srcs.iter().enumerate() {
        let vectors = registers::vectors(code, src, 8 * access.size)?;
        values.push(serial::put(code, n + 1, &vectors)?);
    }
    call(code, guard, access, (base, store.address.offset), &values)?;
    Ok(true)
}

/// Whether an access calls a function. In place its code is shorter without local memory, and vectors stay in registers, which no call preserves; and where several
/// warps execute together, the function would not know the lanes.
fn has_function(code: &Code<'_, '_, '_>, access: Lanewise) -> bool {
    let is_long = code.segment.is_some() || code.program.kernel().local > 0;
    is_long && code.analysis.warps == 1 && access.size <= 8
}

fn call<'c>(
    code: &mut Code<'_, '_, 'c>,
    guard: Guard,
    access: Lanewise,
    (base, offset): (Src, i64),
    values: &[Held<'c>],
) -> Result<(), CompileError> {
    notes::note(code, RemarkKind::Serial, None);
    let addresses = registers::vectors(code, base, 64)?;
    let addresses = serial::put(code, 0, &addresses)?;
    let lanes = serial::active_warps(code, guard)?;
    let &[lanes] = &*lanes else { return Err(defect("several warps").into()) };
    // Default: without local memory none is accessed.
    let local = code.local.unwrap_or(code.types.pointer(0).zero());
    let mut arguments = vec![code.frame, local, lanes, array(addresses)?, code.int(64, offset as u64)];
    for &held in values {
        arguments.push(array(held)?);
    }
    let function = declare(code.emit.module, access)?;
    code.builder().call(function, &arguments)?;
    if code.lanewise.borrow_mut().insert(access) {
        function.set_linkage(Linkage::Internal);
        function.compile_like(code.function);
        for flag in ["noinline", "nounwind", "cold"] {
            function.add_flag(code.types, flag);
        }
    }
    Ok(())
}

fn array(held: Held<'_>) -> Result<Value<'_>, LlvmError> {
    match held {
        Held::Array(array, _) => Ok(array),
        Held::One(_) => Err(defect("one value for all lanes is not in memory")),
    }
}

/// The function of a module, declared if it is not yet.
pub(super) fn declare<'c>(module: &Module<'c>, access: Lanewise) -> Result<Function<'c>, LlvmError> {
    let types = Types::new(module.context());
    let pointer = types.pointer(0);
    let mut parameters = vec![pointer, pointer, types.int(32), pointer, types.int(64)];
    parameters.extend(vec![pointer; access.count]);
    module.function(&access.to_string(), types.function(types.void(), &parameters))
}

/// Generates the body of a function; the builder is at its beginning.
pub(super) fn define(code: &mut Code<'_, '_, '_>, access: Lanewise) -> Result<(), CompileError> {
    let parameters = code.function.parameters();
    let [_, local, lanes, addresses, offset, values @ ..] = &parameters[..] else {
        return Err(defect("a function for accesses with other parameters").into());
    };
    if code.program.kernel().local > 0 {
        code.local = Some(*local);
    }
    // The calls have the notes.
    code.reports.notes = None;
    let bits = 8 * access.size;
    let held: Vec<Held<'_>> = values.iter().map(|&value| Held::Array(value, bits)).collect();
    serial::each_lane(code, &[*lanes], |code, lane| {
        let first = serial::of_lane(code, Held::Array(*addresses, 64), lane)?;
        let first = code.builder().binary(BinaryOp::Add, first, *offset)?;
        for (n, &held) in held.iter().enumerate() {
            let after = code.int(64, n as u64 * u64::from(access.size));
            let address = code.builder().binary(BinaryOp::Add, first, after)?;
            let address = memory_at(code, Space::Generic, address, lane)?;
            if access.stores {
                let value = serial::of_lane(code, held, lane)?;
                store_lane(code, &address, value, None)?;
            } else {
                let value = load_lane(code, &address, bits, None)?;
                serial::set_lane(code, held, lane, value)?;
            }
        }
        Ok(())
    })?;
    code.builder().branch(code.ends.done)?;
    code.builder().position_at_end(code.ends.done);
    code.builder().ret(None)?;
    Ok(())
}

/// The memory of one lane's access.
pub(super) struct LaneAddress<'c> {
    pointer: Value<'c>,
    /// Whether it is in local memory, where consecutive words are apart; `None` if it cannot be.
    is_local: Option<Value<'c>>,
}

/// The memory of a lane's access.
pub(super) fn lane_address<'c>(
    code: &Code<'_, '_, 'c>,
    space: Space,
    addresses: Held<'c>,
    offset: i64,
    lane: Value<'c>,
) -> Result<LaneAddress<'c>, LlvmError> {
    let builder = code.builder();
    let address = serial::of_lane(code, addresses, lane)?;
    let bits = code.emit.bits(address);
    let offset = code.emit.constant(address, bits, offset as u64 & (u64::MAX >> (64 - bits)));
    let address = code.emit.resize(builder.binary(BinaryOp::Add, address, offset)?, 64)?;
    memory_at(code, space, address, lane)
}

/// The memory at a lane's address of 64 bits.
fn memory_at<'c>(
    code: &Code<'_, '_, 'c>,
    space: Space,
    address: Value<'c>,
    lane: Value<'c>,
) -> Result<LaneAddress<'c>, LlvmError> {
    let builder = code.builder();
    let mut pointer = builder.cast(CastOp::IntToPtr, address, code.types.pointer(0))?;
    if space == Space::SharedCluster {
        return Ok(LaneAddress { pointer: cluster::in_cluster(code, address)?, is_local: None });
    }
    if space != Space::Generic {
        return Ok(LaneAddress { pointer, is_local: None });
    }
    let upper = builder.binary(BinaryOp::LShr, address, code.int(64, 32))?;
    let is_in = |space: Space| {
        let window = code.int(64, space.window(AddressSize::Bits64) >> 32);
        builder.int_compare(IntPredicate::Eq, upper, window)
    };
    for (space, start, bits) in [
        (Space::Const, code.inputs.constant, u32::MAX.into()),
        (Space::Param, code.inputs.params, u32::MAX.into()),
    ] {
        let offset = builder.binary(BinaryOp::And, address, code.int(64, bits))?;
        pointer = builder.select(is_in(space)?, builder.offset(start, offset)?, pointer)?;
    }
    pointer = builder.select(is_in(Space::Shared)?, cluster::in_cluster(code, address)?, pointer)?;
    let Some(local) = code.local else { return Ok(LaneAddress { pointer, is_local: None }) };
    let is_local = is_in(Space::Local)?;
    let offset = builder.binary(BinaryOp::And, address, code.int(64, u32::MAX.into()))?;
    let bytes = builder.binary(BinaryOp::And, address, code.int(64, 3))?;
    let words = builder.binary(BinaryOp::Mul, lane, code.int(64, 4))?;
    let at = builder.binary(BinaryOp::Add, local::local_row(code, offset, 64)?, words)?;
    let at = builder.binary(BinaryOp::Add, at, bytes)?;
    let pointer = builder.select(is_local, builder.offset(local, at)?, pointer)?;
    Ok(LaneAddress { pointer, is_local: Some(is_local) })
}

/// Loads `bits` bits; 128 bits from local memory do not occur.
pub(super) fn load_lane<'c>(
    code: &Code<'_, '_, 'c>,
    address: &LaneAddress<'c>,
    bits: u32,
    order: Option<Ordering>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let whole = |code: &Code<'_, '_, 'c>| {
        let value = code.builder().load(code.types.int(bits), address.pointer, bits / 8, Ordinary)?;
        if let Some(order) = order {
            code.builder().make_atomic(value, order, Scope::System)?;
        }
        Ok(value)
    };
    let Some(is_local) = address.is_local.filter(|_| bits > 32) else { return whole(code) };
    let fork = Fork::new(code, is_local, None, ["words", "one", "loaded"])?;
    let mut all = code.types.int(bits).zero();
    for word in 0..u64::from(bits / 32) {
        let at = builder.offset(address.pointer, code.int(64, ROW * word))?;
        let value = code.emit.resize(builder.load(code.types.int(32), at, 4, Ordinary)?, bits)?;
        let value =
            builder.binary(BinaryOp::Shl, value, code.types.wide_value(bits, u128::from(32 * word)))?;
        all = builder.binary(BinaryOp::Or, all, value)?;
    }
    let other = fork.other(code)?;
    let value = whole(code)?;
    other.meet(code)?.either(code, [all, value])
}

pub(super) fn store_lane<'c>(
    code: &Code<'_, '_, 'c>,
    address: &LaneAddress<'c>,
    value: Value<'c>,
    order: Option<Ordering>,
) -> Result<(), LlvmError> {
    let bits = code.emit.bits(value);
    let whole = |code: &Code<'_, '_, 'c>| {
        let stored = code.builder().store(value, address.pointer, bits / 8, Ordinary)?;
        match order {
            Some(order) => code.builder().make_atomic(stored, order, Scope::System),
            None => Ok(()),
        }
    };
    let Some(is_local) = address.is_local.filter(|_| bits > 32) else { return whole(code) };
    let builder = code.builder();
    let fork = Fork::new(code, is_local, None, ["words", "one", "stored"])?;
    for word in 0..u64::from(bits / 32) {
        let at = builder.offset(address.pointer, code.int(64, ROW * word))?;
        let part =
            builder.binary(BinaryOp::LShr, value, code.types.wide_value(bits, u128::from(32 * word)))?;
        builder.store(code.emit.resize(part, 32)?, at, 4, Ordinary)?;
    }
    let other = fork.other(code)?;
    whole(code)?;
    other.meet(code)?;
    Ok(())
}
