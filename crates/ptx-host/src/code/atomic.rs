//! Atomic operations.
//!
//! | operands | code |
//! |---|---|
//! | one address, an associative integer operation, result unused | the operands of the lanes are reduced, then one operation |
//! | any other | one lane after the other, in order |
//!
//! Shared memory belongs to a block (CTA), which one host thread executes, so that operations there are a load and a store. In
//! global memory they are atomic operations of the host, sequentially consistent, those on floating-point numbers in a compare-exchange
//! loop: as in the interpreter, and at least as strong as any order and scope of PTX (manual 8).

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Ordering, RmwOp, Scope, Value};
use ptx_program::memory::{AddressSize, Space};
use ptx_program::scalar::float::{Arith, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::scalar::int::{Int, Signedness};
use ptx_program::{
    Address, AddressWidth, Alu, Atomic, Base, Binary, Combine, Exchange, FloatBinary, FloatCombine, Packing,
    Src, VectorAtomic, WideAtomic,
};

use super::cluster::SHARED_OFFSET;
use super::serial::Held;
use super::state::{Code, Guard};
use super::{cluster, registers, serial};
use crate::analysis::BlockId;
use crate::emit::alu::alu_with;
use crate::error::{CompileError, defect};

/// The addresses of an atomic operation.
#[derive(Clone, Copy)]
enum LaneAddresses<'c> {
    /// Host addresses.
    Global(Held<'c>),
    /// 32-bit addresses in the shared memory of the blocks of the cluster.
    Cluster(Held<'c>),
    /// 32-bit offsets in the shared memory of the block.
    Shared(Held<'c>),
    /// Generic addresses, which select between global and shared memory.
    Generic(Held<'c>),
}

/// A host address, and the memory that it is in.
#[derive(Clone, Copy)]
struct HostAddress<'c> {
    pointer: Value<'c>,
    memory: Kind<'c>,
}

#[derive(Clone, Copy)]
enum Kind<'c> {
    Global,
    Shared,
    /// Shared memory if the condition holds, otherwise global memory.
    Either(Value<'c>),
}

/// `atom`, `red`.
pub(super) fn atomic<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    atomic: &Atomic,
    pc: u32,
) -> Result<(), CompileError> {
    let bits = 8 * atomic.size;
    let dst = atomic.dst.filter(|dst| code.analysis.is_read_after(code.program, id, pc, *dst));
    let addresses = lane_addresses(code, &atomic.address, pc)?;
    let lanes = serial::active_warps(code, guard)?;
    if dst.is_none() && combined_first(code, guard, atomic, addresses, &lanes)? {
        return Ok(());
    }
    let [b, c] = atomic.operands;
    let b = serial::hold(code, 1, b, bits)?;
    let c = if atomic.combine == Combine::CompareAndSwap { serial::hold(code, 2, c, bits)? } else { b };
    let results = dst.map(|_| serial::results(code, 3, bits)).transpose()?;
    // Lanes may have the same address, so their operations cannot be vectorized: each sees the result of the one before it.
    let one = |code: &Code<'_, '_, 'c>, lane: Value<'c>| {
        let address = host_address(code, addresses, 0, lane)?;
        let [b, c] = [serial::of_lane(code, b, lane)?, serial::of_lane(code, c, lane)?];
        let old = update(code, atomic.combine, address, bits, b, c)?;
        results.map_or(Ok(()), |results| serial::set_lane(code, results, lane, old))
    };
    if is_short(atomic.combine, addresses) {
        serial::each_lane_unrolled(code, &lanes, one)?;
    } else {
        serial::each_lane(code, &lanes, one)?;
    }
    if let (Some(dst), Some(results)) = (dst, results) {
        let values = serial::taken(code, results)?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(())
}

/// `atom` and `red` on vectors: the elements of one lane after the other, then the next lane.
pub(super) fn vector_atomic(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    atomic: &VectorAtomic,
    pc: u32,
) -> Result<(), CompileError> {
    let bits = 8 * atomic.size;
    let addresses = lane_addresses(code, &atomic.address, pc)?;
    let lanes = serial::active_warps(code, guard)?;
    let mut elements = Vec::new();
    for (n, &(dst, src)) in atomic.elements.iter().enumerate() {
        let results = dst.map(|_| serial::results(code, 2 * n + 2, bits)).transpose()?;
        elements.push((serial::hold(code, 2 * n + 1, src, bits)?, results));
    }
    serial::each_lane(code, &lanes, |code, lane| {
        for (n, &(operand, results)) in elements.iter().enumerate() {
            let address = host_address(code, addresses, n as u64 * u64::from(atomic.size), lane)?;
            let b = serial::of_lane(code, operand, lane)?;
            let old = update(code, atomic.combine, address, bits, b, b)?;
            if let Some(results) = results {
                serial::set_lane(code, results, lane, old)?;
            }
        }
        Ok(())
    })?;
    for ((dst, _), (_, results)) in atomic.elements.iter().zip(elements) {
        if let (&Some(dst), Some(results)) = (dst, results) {
            let values = serial::taken(code, results)?;
            registers::write(code, id, guard, dst, &values)?;
        }
    }
    Ok(())
}

/// `atom.b128`.
pub(super) fn wide_atomic(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    atomic: &WideAtomic,
    pc: u32,
) -> Result<(), CompileError> {
    let addresses = lane_addresses(code, &atomic.address, pc)?;
    let lanes = serial::active_warps(code, guard)?;
    let mut halves = Vec::new();
    for (n, src) in atomic.operands.into_iter().flat_map(|src| [src, src.plus(1)]).enumerate() {
        halves.push(serial::hold(code, n + 1, src, 64)?);
    }
    let [low, high] = [serial::results(code, 5, 64)?, serial::results(code, 6, 64)?];
    serial::each_lane(code, &lanes, |code, lane| {
        let address = host_address(code, addresses, 0, lane)?;
        let of = |n: usize| serial::of_lane(code, halves[n], lane);
        let [b, c] = [joined(code, of(0)?, of(1)?)?, joined(code, of(2)?, of(3)?)?];
        let combine = match atomic.exchange {
            Exchange::Always => Combine::Exchange,
            Exchange::WhereEqual => Combine::CompareAndSwap,
        };
        let old = match (address.memory, combine) {
            (Kind::Global | Kind::Either(_), Combine::Exchange) => {
                exchanged(code, address.pointer, 128, |_, _| Ok(b))?
            }
            _ => update(code, combine, address, 128, b, c)?,
        };
        let upper = code.builder().binary(BinaryOp::LShr, old, code.types.wide_value(128, 64))?;
        serial::set_lane(code, low, lane, code.emit.resize(old, 64)?)?;
        serial::set_lane(code, high, lane, code.emit.resize(upper, 64)?)
    })?;
    for (dst, held) in atomic.dst.into_iter().flatten().zip([low, high]) {
        let values = serial::taken(code, held)?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(())
}

/// Joins two halves to an integer of 128 bits.
pub(super) fn joined<'c>(
    code: &Code<'_, '_, 'c>,
    low: Value<'c>,
    high: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let [low, high] = [code.emit.resize(low, 128)?, code.emit.resize(high, 128)?];
    let high = code.builder().binary(BinaryOp::Shl, high, code.types.wide_value(128, 64))?;
    code.builder().binary(BinaryOp::Or, low, high)
}

/// The addresses of an atomic operation, which array 0 holds.
fn lane_addresses<'c>(
    code: &mut Code<'_, '_, 'c>,
    address: &Address,
    pc: u32,
) -> Result<LaneAddresses<'c>, CompileError> {
    let Base::Row(src, width) = address.base else {
        return Err(CompileError::refused(pc, "local memory has no atomic operations"));
    };
    match address.space {
        Space::Shared => Ok(LaneAddresses::Shared(hold_sum(code, 0, src, 32, address.offset)?)),
        Space::Global | Space::Generic => {
            let held = match width {
                AddressWidth::Bits64 => hold_sum(code, 0, src, 64, address.offset)?,
                AddressWidth::Bits32 => hold_sum(code, 0, src, 32, address.offset)?,
            };
            Ok(if address.space == Space::Global {
                LaneAddresses::Global(held)
            } else {
                LaneAddresses::Generic(held)
            })
        }
        Space::SharedCluster => Ok(LaneAddresses::Cluster(hold_sum(code, 0, src, 32, address.offset)?)),
        Space::Local | Space::Const | Space::Param => {
            Err(CompileError::refused(pc, "the memory has no atomic operations"))
        }
    }
}

/// The sums of an operand and a constant, in `bits` bits.
pub(super) fn hold_sum<'c>(
    code: &mut Code<'_, '_, 'c>,
    number: usize,
    src: Src,
    bits: u32,
    addend: i64,
) -> Result<Held<'c>, LlvmError> {
    let add = |code: &Code<'_, '_, 'c>, value: Value<'c>| {
        let value = code.emit.resize(value, bits)?;
        let addend = code.emit.constant(value, bits, addend as u64 & (u64::MAX >> (64 - bits)));
        code.builder().binary(BinaryOp::Add, value, addend)
    };
    if code.analysis.shapes.src(src).is_uniform() {
        return Ok(Held::One(add(code, registers::first(code, src, 0)?)?));
    }
    let chunks: Result<Vec<_>, LlvmError> =
        (0..code.chunks).map(|chunk| add(code, registers::vector(code, src, chunk)?)).collect();
    serial::put(code, number, &chunks?)
}

/// The host address of a lane, `after` bytes after its own.
fn host_address<'c>(
    code: &Code<'_, '_, 'c>,
    addresses: LaneAddresses<'c>,
    after: u64,
    lane: Value<'c>,
) -> Result<HostAddress<'c>, LlvmError> {
    let builder = code.builder();
    let of = |held| -> Result<Value<'c>, LlvmError> {
        let address = code.emit.resize(serial::of_lane(code, held, lane)?, 64)?;
        if after == 0 { Ok(address) } else { builder.binary(BinaryOp::Add, address, code.int(64, after)) }
    };
    let host = |address| builder.cast(CastOp::IntToPtr, address, code.types.pointer(0));
    Ok(match addresses {
        LaneAddresses::Global(held) => HostAddress { pointer: host(of(held)?)?, memory: Kind::Global },
        LaneAddresses::Shared(held) => {
            let mut offset = of(held)?;
            if code.launched.clusters {
                offset = builder.binary(BinaryOp::And, offset, code.int(64, SHARED_OFFSET))?;
            }
            HostAddress { pointer: builder.offset(code.inputs.shared, offset)?, memory: Kind::Shared }
        }
        LaneAddresses::Cluster(held) => {
            HostAddress { pointer: cluster::in_cluster(code, of(held)?)?, memory: Kind::Shared }
        }
        LaneAddresses::Generic(held) => {
            let address = of(held)?;
            let upper = builder.binary(BinaryOp::LShr, address, code.int(64, 32))?;
            let window = code.int(64, Space::Shared.window(AddressSize::Bits64) >> 32);
            let is_shared = builder.int_compare(IntPredicate::Eq, upper, window)?;
            let own = cluster::in_cluster(code, address)?;
            let pointer = builder.select(is_shared, own, host(address)?)?;
            HostAddress { pointer, memory: Kind::Either(is_shared) }
        }
    })
}

/// Replaces the value in memory by the result of the operation; returns the old value.
fn update<'c>(
    code: &Code<'_, '_, 'c>,
    combine: Combine,
    address: HostAddress<'c>,
    bits: u32,
    b: Value<'c>,
    c: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    if let Kind::Shared = address.memory {
        let old = builder.load(code.types.int(bits), address.pointer, bits / 8, Ordinary)?;
        let new = combined(code, combine, address.memory, old, b, c)?;
        builder.store(new, address.pointer, bits / 8, Ordinary)?;
        return Ok(old);
    }
    if combine == Combine::CompareAndSwap {
        let pair = builder.compare_exchange(address.pointer, b, c, Ordering::SeqCst, Scope::System)?;
        return builder.extract_field(pair, 0);
    }
    match host_operation(combine) {
        Some(op) => builder.atomic_rmw(op, address.pointer, b, Ordering::SeqCst, Scope::System),
        None => exchanged(code, address.pointer, bits, |code, old| {
            combined(code, combine, address.memory, old, b, c)
        }),
    }
}

/// Replaces the value in memory by a function of it with a compare-exchange loop; returns the old value.
fn exchanged<'c>(
    code: &Code<'_, '_, 'c>,
    pointer: Value<'c>,
    bits: u32,
    new: impl FnOnce(&Code<'_, '_, 'c>, Value<'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let [again, after] = code.blocks(["again", "exchanged"]);
    let ty = code.types.int(bits);
    // Torn halves only make the first exchange fail.
    let first = match bits {
        128 => {
            let half = |offset| -> Result<Value<'c>, LlvmError> {
                let half_address = builder.offset(pointer, code.int(64, offset))?;
                let half = builder.load(code.types.int(64), half_address, 8, Ordinary)?;
                builder.make_atomic(half, Ordering::Monotonic, Scope::System)?;
                Ok(half)
            };
            joined(code, half(0)?, half(8)?)?
        }
        _ => {
            let first = builder.load(ty, pointer, bits / 8, Ordinary)?;
            builder.make_atomic(first, Ordering::Monotonic, Scope::System)?;
            first
        }
    };
    let before = builder.block()?;
    builder.branch(again)?;
    builder.position_at_end(again);
    let old = builder.phi(ty)?;
    builder.add_incoming(old, first, before)?;
    let new = new(code, old)?;
    let pair = builder.compare_exchange(pointer, old, new, Ordering::SeqCst, Scope::System)?;
    let (found, is_done) = (builder.extract_field(pair, 0)?, builder.extract_field(pair, 1)?);
    builder.add_incoming(old, found, builder.block()?)?;
    builder.branch_if(is_done, after, again)?;
    builder.position_at_end(after);
    Ok(old)
}

/// The value that an operation leaves in memory ([`Combine::of`]).
fn combined<'c>(
    code: &Code<'_, '_, 'c>,
    combine: Combine,
    memory: Kind<'c>,
    old: Value<'c>,
    b: Value<'c>,
    c: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let compare = |predicate, other| builder.int_compare(predicate, old, other);
    let bits = code.emit.bits(old);
    let (zero, one) = (code.emit.constant(old, bits, 0), code.emit.constant(old, bits, 1));
    match combine {
        Combine::Exchange => Ok(b),
        Combine::CompareAndSwap => builder.select(compare(IntPredicate::Eq, b)?, c, old),
        Combine::And => builder.binary(BinaryOp::And, old, b),
        Combine::Or => builder.binary(BinaryOp::Or, old, b),
        Combine::Xor => builder.binary(BinaryOp::Xor, old, b),
        Combine::IntAdd(_) => builder.binary(BinaryOp::Add, old, b),
        Combine::Inc => {
            let next = builder.binary(BinaryOp::Add, old, one)?;
            builder.select(compare(IntPredicate::Uge, b)?, zero, next)
        }
        Combine::Dec => {
            let (is_zero, is_above) = (compare(IntPredicate::Eq, zero)?, compare(IntPredicate::Ugt, b)?);
            let wraps = builder.binary(BinaryOp::Or, is_zero, is_above)?;
            builder.select(wraps, b, builder.binary(BinaryOp::Sub, old, one)?)
        }
        Combine::IntMin(t) => computed(code, Binary::IntMin(t), Packing::Whole, old, b),
        Combine::IntMax(t) => computed(code, Binary::IntMax(t), Packing::Whole, old, b),
        Combine::Float(float) => combined_floats(code, float, memory, old, b),
    }
}

fn combined_floats<'c>(
    code: &Code<'_, '_, 'c>,
    combine: FloatCombine,
    memory: Kind<'c>,
    old: Value<'c>,
    b: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let single = |subnormals| {
        let arith = Arith { subnormals, ..Arith::nearest(Format::F32) };
        computed(code, Binary::Float(FloatBinary::Add, arith), Packing::Whole, old, b)
    };
    match combine {
        FloatCombine::AddF32 { in_global } => match memory {
            Kind::Global => single(in_global),
            Kind::Shared => single(Subnormals::Keep),
            Kind::Either(_) if in_global == Subnormals::Keep => single(Subnormals::Keep),
            Kind::Either(is_shared) => {
                code.builder().select(is_shared, single(Subnormals::Keep)?, single(in_global)?)
            }
        },
        FloatCombine::Add(format, packing) => {
            let op = Binary::Float(FloatBinary::Add, Arith::nearest(format));
            computed(code, op, packing, old, b)
        }
        FloatCombine::Extreme(extreme, packing) => computed(code, Binary::Extreme(extreme), packing, old, b),
    }
}

/// The result of an operation on registers, as wide as its operands.
fn computed<'c>(
    code: &Code<'_, '_, 'c>,
    op: Binary,
    packing: Packing,
    old: Value<'c>,
    b: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    // The operand rows are not used.
    let none = Src::constant(0);
    let alu = Alu::Binary { op, packing, d: 0, a: none, b: none };
    let made = alu_with(&code.emit, &alu, &[old, b], code.style)?;
    let result = made.and_then(|made| made.first().copied());
    let result = result.ok_or_else(|| defect("an atomic operation without a form"))?;
    code.emit.resize(result, code.emit.bits(old))
}

/// Replaces the operations of all lanes by a single one, if possible.
fn combined_first<'c>(
    code: &mut Code<'_, '_, 'c>,
    guard: Guard,
    atomic: &Atomic,
    addresses: LaneAddresses<'c>,
    lanes: &[Value<'c>],
) -> Result<bool, LlvmError> {
    let (LaneAddresses::Global(held)
    | LaneAddresses::Shared(held)
    | LaneAddresses::Cluster(held)
    | LaneAddresses::Generic(held)) = addresses;
    let bits = 8 * atomic.size;
    let Some(reduction) = Reduction::of(atomic.combine, bits) else { return Ok(false) };
    let Held::One(_) = held else { return Ok(false) };
    let ([src, _], builder) = (atomic.operands, code.builder());
    let ty = code.types.int(bits);
    let shape = code.analysis.shapes.src(src);
    let operand = if shape.is_uniform() && matches!(atomic.combine, Combine::IntAdd(_)) {
        let word = code.types.int(32);
        let mut count = code.int(32, 0);
        for &lanes in lanes {
            let own = builder.intrinsic("llvm.ctpop", &[word], &[lanes])?;
            count = builder.binary(BinaryOp::Add, count, own)?;
        }
        let count = code.emit.resize(count, bits)?;
        let value = code.emit.resize(registers::first(code, src, 0)?, bits)?;
        builder.binary(BinaryOp::Mul, value, count)?
    } else {
        let mut all: Option<Value<'c>> = None;
        for chunk in 0..code.chunks {
            let value = code.emit.resize(registers::vector(code, src, chunk)?, bits)?;
            let neutral = code.emit.constant(value, bits, reduction.neutral);
            let value = builder.select(registers::active(code, guard, chunk)?, value, neutral)?;
            all = Some(match all {
                None => value,
                Some(others) => combined(code, atomic.combine, Kind::Shared, others, value, value)?,
            });
        }
        let all = all.ok_or_else(|| defect("a warp without chunks"))?;
        if code.lanes == 1 {
            builder.extract_element(all, 0)?
        } else {
            builder.intrinsic(reduction.name, &[code.types.vector(ty, code.lanes)], &[all])?
        }
    };
    let any = serial::any_lane(code, lanes)?;
    serial::only_if(code, any, |code| {
        let address = host_address(code, addresses, 0, code.int(64, 0))?;
        update(code, atomic.combine, address, bits, operand, operand).map(drop)
    })?;
    Ok(true)
}

/// How the operands of lanes are reduced.
struct Reduction {
    name: &'static str,
    neutral: u64,
}

impl Reduction {
    /// The reduction for an operation whose order does not matter.
    fn of(combine: Combine, bits: u32) -> Option<Self> {
        let all = u64::MAX >> (64 - bits.min(64));
        let least = |t: Int| match t.sign() {
            Signedness::Signed => 1 << (bits - 1),
            Signedness::Unsigned => 0,
        };
        let (name, neutral) = match combine {
            Combine::IntAdd(_) => ("llvm.vector.reduce.add", 0),
            Combine::And => ("llvm.vector.reduce.and", all),
            Combine::Or => ("llvm.vector.reduce.or", 0),
            Combine::Xor => ("llvm.vector.reduce.xor", 0),
            Combine::IntMin(t) if t.sign() == Signedness::Signed => ("llvm.vector.reduce.smin", all >> 1),
            Combine::IntMin(_) => ("llvm.vector.reduce.umin", all),
            Combine::IntMax(t) if t.sign() == Signedness::Signed => ("llvm.vector.reduce.smax", least(t)),
            Combine::IntMax(t) => ("llvm.vector.reduce.umax", least(t)),
            Combine::Exchange | Combine::CompareAndSwap | Combine::Inc | Combine::Dec | Combine::Float(_) => {
                return None;
            }
        };
        Some(Self { name, neutral })
    }
}

/// The host's atomic operation, if there is one.
fn host_operation(combine: Combine) -> Option<RmwOp> {
    match combine {
        Combine::Exchange => Some(RmwOp::Xchg),
        Combine::And => Some(RmwOp::And),
        Combine::Or => Some(RmwOp::Or),
        Combine::Xor => Some(RmwOp::Xor),
        Combine::Inc => Some(RmwOp::UIncWrap),
        Combine::Dec => Some(RmwOp::UDecWrap),
        Combine::IntAdd(_) => Some(RmwOp::Add),
        Combine::IntMin(t) if t.sign() == Signedness::Signed => Some(RmwOp::Min),
        Combine::IntMin(_) => Some(RmwOp::UMin),
        Combine::IntMax(t) if t.sign() == Signedness::Signed => Some(RmwOp::Max),
        Combine::IntMax(_) => Some(RmwOp::UMax),
        Combine::CompareAndSwap | Combine::Float(_) => None,
    }
}

/// Whether the code of one lane is a few instructions, without a loop.
fn is_short(combine: Combine, addresses: LaneAddresses<'_>) -> bool {
    match (combine, addresses) {
        (Combine::Float(_), _) => false,
        (_, LaneAddresses::Shared(_)) => true,
        (_, LaneAddresses::Cluster(_)) => false,
        (Combine::IntAdd(_) | Combine::Exchange | Combine::CompareAndSwap, LaneAddresses::Global(_)) => true,
        (_, LaneAddresses::Global(_) | LaneAddresses::Generic(_)) => false,
    }
}
