//! Loads and stores other than the plain ones of `memory.rs`: with generic addresses, in local memory, of 128 bits, and with memory
//! ordering or polling.
//!
//! A generic address is a host address, unless its upper bits select a window (`ptx_program::memory::Space::of_generic`). If the addresses of all active
//! lanes are above all windows, which is tested once per warp, the access is one to global memory; otherwise the space is determined lane by
//! lane, in a function (`lanewise.rs`). Synchronizing accesses are also executed lane by lane, as atomic loads and stores of the host.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Ordering, Value};
use ptx_program::memory::Space;
use ptx_program::{Address, AddressWidth, Base, Load, Order, Src, Store};

use super::fork::Fork;
use super::serial::Held;
use super::state::{Code, Guard};
use super::{atomic, checks, lanewise, local, memory, notes, registers, serial};
use crate::analysis::{BlockId, Shape, Stride};
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;

/// The first generic address above all windows.
const ABOVE: u64 = 1 << 36;
/// The largest stride for which the first address determines the space of all of them.
const LARGEST_STRIDE: u64 = 1 << 31;

/// The memory ordering of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atomicity {
    Plain,
    Relaxed,
    Strong,
}

impl Atomicity {
    fn of(space: Space, order: Order, polls: bool) -> Self {
        match (space, order, polls) {
            // Only visible to the block, or to the cluster, whose warps do not run at the same time.
            (Space::Shared | Space::SharedCluster | Space::Local | Space::Const | Space::Param, ..) => {
                Self::Plain
            }
            (_, Order::Strong, _) => Self::Strong,
            (_, Order::Relaxed, true) => Self::Relaxed,
            (_, Order::Relaxed, false) => Self::Plain,
        }
    }

    fn of_load(load: &Load) -> Self {
        Self::of(load.address.space, load.order, load.polls)
    }

    /// A relaxed store only must not tear, as no store of the host does.
    fn of_store(store: &Store) -> Self {
        Self::of(store.address.space, store.order, false)
    }

    fn load_order(self) -> Option<Ordering> {
        match self {
            Self::Plain => None,
            Self::Relaxed => Some(Ordering::Monotonic),
            Self::Strong => Some(Ordering::Acquire),
        }
    }

    fn store_order(self) -> Option<Ordering> {
        match self {
            Self::Plain => None,
            Self::Relaxed => Some(Ordering::Monotonic),
            Self::Strong => Some(Ordering::Release),
        }
    }
}

fn has_narrow_base(address: &Address) -> bool {
    matches!(address.base, Base::Row(_, AddressWidth::Bits32))
}

/// A load, if it is not a plain one.
pub(super) fn special_load(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    load: &Load,
    pc: u32,
) -> Result<Option<()>, CompileError> {
    let (space, atomicity) = (load.address.space, Atomicity::of_load(load));
    if load.size == 16 && atomicity == Atomicity::Plain {
        // Two elements; no other thread can observe them separately.
        let halves = Load { size: 8, ..load.clone() };
        return memory::load(code, id, guard, &halves, pc).map(Some);
    }
    if space == Space::Local || matches!(load.address.base, Base::Frame) {
        let mut loaded = Vec::new();
        for n in 0..load.dsts.len() {
            let offset = load.address.offset.wrapping_add((n as u64 * u64::from(load.size)) as i64);
            loaded.push(local::load_local(code, guard, load.address.base, offset, load.size)?);
        }
        return memory::set_loaded(code, id, guard, load, loaded).map(Some);
    }
    let is_apart = space == Space::Global && has_narrow_base(&load.address) || space == Space::SharedCluster;
    if atomicity != Atomicity::Plain || is_apart {
        let loaded = load_serially(code, guard, load, atomicity, pc)?;
        return memory::set_loaded(code, id, guard, load, loaded).map(Some);
    }
    if space != Space::Generic {
        return Ok(None);
    }
    let loaded = load_generic(code, guard, load, pc)?;
    memory::set_loaded(code, id, guard, load, loaded).map(Some)
}

/// A store, if it is not a plain one.
pub(super) fn special_store(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    store: &Store,
    pc: u32,
) -> Result<Option<()>, CompileError> {
    let (space, atomicity) = (store.address.space, Atomicity::of_store(store));
    if store.size == 16 && atomicity == Atomicity::Plain {
        let halves = Store { size: 8, ..store.clone() };
        return memory::store(code, guard, &halves, pc).map(Some);
    }
    if space == Space::Local || matches!(store.address.base, Base::Frame) {
        for (src, offset) in store_elements(store) {
            let values = registers::vectors(code, src, 8 * store.size)?;
            local::store_local(code, guard, store.address.base, offset, store.size, &values)?;
        }
        return Ok(Some(()));
    }
    let is_apart = space == Space::Global && has_narrow_base(&store.address) || space == Space::SharedCluster;
    if atomicity != Atomicity::Plain || is_apart {
        return store_serially(code, guard, store, atomicity, pc).map(Some);
    }
    if space != Space::Generic {
        return Ok(None);
    }
    store_generic(code, guard, store, pc).map(Some)
}

fn load_generic<'c>(
    code: &mut Code<'_, '_, 'c>,
    guard: Guard,
    load: &Load,
    pc: u32,
) -> Result<Vec<Vec<Value<'c>>>, CompileError> {
    let base = row(&load.address, pc)?;
    let is_global = is_above_windows(code, guard, base, load.address.offset)?;
    let fork = Fork::new(code, is_global, Some(true), ["global", "windows", "loaded"])?;
    let global = Load { address: Address { space: Space::Global, ..load.address }, ..load.clone() };
    let mut found = memory::found(code, guard, &global, base)?;
    for values in &mut found {
        // Uniform values, or one for each chunk, which may differ in the windows.
        let is_vector = |value: &Value<'c>| value.ty().vector_parts().is_some();
        if !values.iter().all(is_vector) {
            let chunks = (0..code.chunks).filter_map(|chunk| values.get(chunk).or(values.first()));
            let chunks: Result<Vec<_>, _> =
                chunks.map(|&value| code.builder().splat(value, code.lanes)).collect();
            *values = chunks?;
        }
    }
    let path = fork.other(code)?;
    let others = match lanewise::load(code, guard, load, base)? {
        Some(others) => others,
        None => load_serially(code, guard, load, Atomicity::Plain, pc)?,
    };
    let met = path.meet(code)?;
    for (values, others) in found.iter_mut().zip(others) {
        for (value, other) in values.iter_mut().zip(others) {
            *value = met.either(code, [*value, other])?;
        }
    }
    Ok(found)
}

fn store_generic(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    store: &Store,
    pc: u32,
) -> Result<(), CompileError> {
    let base = row(&store.address, pc)?;
    let is_global = is_above_windows(code, guard, base, store.address.offset)?;
    let fork = Fork::new(code, is_global, Some(true), ["global", "windows", "stored"])?;
    let global = Store { address: Address { space: Space::Global, ..store.address }, ..store.clone() };
    memory::store(code, guard, &global, pc)?;
    let other = fork.other(code)?;
    if !lanewise::store(code, guard, store, base)? {
        store_serially(code, guard, store, Atomicity::Plain, pc)?;
    }
    other.meet(code)?;
    Ok(())
}

/// Whether the addresses of all active lanes are above the windows, or are host addresses for other reasons.
fn is_above_windows<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    base: Src,
    offset: i64,
) -> Result<Value<'c>, LlvmError> {
    notes::note(code, RemarkKind::Tested, Some(base));
    let builder = code.builder();
    let sum = |value: Value<'c>| {
        let value = code.emit.resize(value, 64)?;
        builder.binary(BinaryOp::Add, value, code.emit.constant(value, 64, offset as u64))
    };
    let is_small = |stride: i64| stride.unsigned_abs() < LARGEST_STRIDE;
    match code.analysis.shapes.src(base) {
        shape if shape.is_uniform() => builder.int_compare(
            IntPredicate::Uge,
            sum(registers::first(code, base, 0)?)?,
            code.int(64, ABOVE),
        ),
        Shape::Strided(Stride { within, across }) if is_small(within) && across.is_none_or(is_small) => {
            // No lane is further from the first than the first is from the windows, or from the end of the address space.
            let firsts = if across.is_some() { 1 } else { code.chunks };
            let mut all: Option<Value<'c>> = None;
            for chunk in 0..firsts {
                let first = sum(registers::first(code, base, chunk)?)?;
                let beyond = builder.binary(BinaryOp::Sub, first, code.int(64, 2 * ABOVE))?;
                let room = code.int(64, u64::MAX - 4 * ABOVE);
                let is_beyond = builder.int_compare(IntPredicate::Ult, beyond, room)?;
                all = Some(match all {
                    None => is_beyond,
                    Some(others) => builder.binary(BinaryOp::And, others, is_beyond)?,
                });
            }
            all.ok_or_else(|| defect("a warp without chunks"))
        }
        _ => {
            let mut low = Vec::new();
            for chunk in 0..code.chunks {
                let addresses = sum(registers::vector(code, base, chunk)?)?;
                let above = code.emit.constant(addresses, 64, ABOVE);
                let is_low = builder.int_compare(IntPredicate::Ult, addresses, above)?;
                low.push(builder.binary(BinaryOp::And, is_low, registers::active(code, guard, chunk)?)?);
            }
            let mut any = low[0];
            for &other in &low[1..] {
                any = builder.binary(BinaryOp::Or, any, other)?;
            }
            let any = builder.cast(CastOp::BitCast, any, code.types.int(code.lanes))?;
            builder.int_compare(IntPredicate::Eq, any, code.int(code.lanes, 0))
        }
    }
}

/// Loads one lane after the other; rows with one value get one.
fn load_serially<'c>(
    code: &mut Code<'_, '_, 'c>,
    guard: Guard,
    load: &Load,
    atomicity: Atomicity,
    pc: u32,
) -> Result<Vec<Vec<Value<'c>>>, CompileError> {
    let base = row(&load.address, pc)?;
    let space = load.address.space;
    let bits = if has_narrow_base(&load.address) { 32 } else { 64 };
    let addresses = match checks::claimed_one(code, base, guard)? {
        // Otherwise other threads may write it between the loads of two lanes.
        Some(address) if space == Space::Global => Held::One(code.emit.resize(address, bits)?),
        _ => serial::hold(code, 0, base, bits)?,
    };
    // An element of 16 bytes is two results.
    let parts = load.size.div_ceil(8) as usize;
    let bits = 8 * load.size.min(8);
    let mut results = Vec::new();
    for n in 0..load.dsts.len() {
        results.push(serial::results(code, n + 1, bits)?);
    }
    let lanes = serial::active_warps(code, guard)?;
    let one = |code: &Code<'_, '_, 'c>, lane: Value<'c>| {
        for (n, part) in results.chunks(parts).enumerate() {
            let offset = load.address.offset.wrapping_add((n as u64 * u64::from(load.size)) as i64);
            let address = lanewise::lane_address(code, space, addresses, offset, lane)?;
            let value = lanewise::load_lane(code, &address, 8 * load.size, atomicity.load_order())?;
            serial::set_lane(code, part[0], lane, code.emit.resize(value, bits)?)?;
            if let Some(&upper) = part.get(1) {
                let shift = code.types.wide_value(128, 64);
                let value = code.builder().binary(BinaryOp::LShr, value, shift)?;
                serial::set_lane(code, upper, lane, code.emit.resize(value, bits)?)?;
            }
        }
        Ok(())
    };
    if matches!(addresses, Held::One(_)) && space == Space::Global {
        // One lane loads for all.
        let any = serial::any_lane(code, &lanes)?;
        serial::only_if(code, any, |code| one(code, code.int(64, 0)))?;
    } else {
        serial::each_lane(code, &lanes, one)?;
    }
    let mut loaded = Vec::new();
    for (&dst, &held) in load.dsts.iter().zip(&results) {
        let values = match addresses {
            Held::One(_) if space == Space::Global => {
                let value = serial::of_lane(code, held, code.int(64, 0))?;
                if code.analysis.shapes.is_vector(dst) {
                    vec![code.builder().splat(value, code.lanes)?; code.chunks]
                } else {
                    vec![value]
                }
            }
            _ => serial::taken(code, held)?,
        };
        loaded.push(values);
    }
    Ok(loaded)
}

/// Stores one lane after the other.
fn store_serially(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    store: &Store,
    atomicity: Atomicity,
    pc: u32,
) -> Result<(), CompileError> {
    let base = row(&store.address, pc)?;
    let space = store.address.space;
    let addresses = serial::hold(code, 0, base, if has_narrow_base(&store.address) { 32 } else { 64 })?;
    let (parts, bits) = (store.size.div_ceil(8) as usize, 8 * store.size.min(8));
    let mut sources = Vec::new();
    for (n, &src) in store.srcs.iter().enumerate() {
        sources.push(serial::hold(code, n + 1, src, bits)?);
    }
    let lanes = serial::active_warps(code, guard)?;
    serial::each_lane(code, &lanes, |code, lane| {
        for (n, part) in sources.chunks(parts).enumerate() {
            let offset = store.address.offset.wrapping_add((n as u64 * u64::from(store.size)) as i64);
            let address = lanewise::lane_address(code, space, addresses, offset, lane)?;
            let mut value = serial::of_lane(code, part[0], lane)?;
            if let Some(&upper) = part.get(1) {
                value = atomic::joined(code, value, serial::of_lane(code, upper, lane)?)?;
            }
            lanewise::store_lane(code, &address, value, atomicity.store_order())?;
        }
        Ok(())
    })?;
    Ok(())
}

/// The operands of a store, and the offset of the element that each one is.
fn store_elements(store: &Store) -> Vec<(Src, i64)> {
    let offset = |n: usize| store.address.offset.wrapping_add((n as u64 * u64::from(store.size)) as i64);
    store.srcs.iter().enumerate().map(|(n, &src)| (src, offset(n))).collect()
}

/// The base of an address.
fn row(address: &Address, pc: u32) -> Result<Src, CompileError> {
    match address.base {
        Base::Row(src, _) => Ok(src),
        Base::Frame => Err(CompileError::refused(pc, "the space of the address has no frame")),
    }
}
