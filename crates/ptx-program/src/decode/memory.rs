//! Loads, stores and atomic operations (manual 9.7.9, 9.7.13).

use ptx_ir::Operand;
use ptx_isa::{Field, MemorySem, Mod, OperandKey, ScalarType};

use super::combine::combination;
use super::context::{Context, Decode};
use super::modifiers::{CACHING, NO_CACHES, ORDERING, STRONGEST};
use super::multimem::{multimem, multimem_load, multimem_reduce, multimem_store};
use super::operand::{address, dst, dst_operand, space, src_given, src_of, src_operand};
use super::output::{Decoded, finding};
use super::signature::{row_bits, rows_of};
use super::stack::{allocate, stack};
use crate::codes;
use crate::memory::Space;
use crate::program::Order;
use crate::program::{
    Address, AsyncCopy, Atomic, CopyAmount, Effect, Exchange, Fill, Load, Stack, Store, VectorAtomic,
    WideAtomic,
};

/// The minimum order of a load or store, and whether programs may poll with it for writes of other threads.
fn order(cx: &Context<'_>) -> Decoded<(Order, bool)> {
    cx.m.ignore(&[Field::Scope, Field::Mmio], STRONGEST);
    match cx.m.get(Field::MemOrder) {
        None | Some(Mod::Weak) => Ok((Order::Relaxed, false)),
        Some(Mod::Volatile | Mod::Relaxed) => Ok((Order::Relaxed, true)),
        Some(Mod::Acquire | Mod::Release) => Ok((Order::Strong, true)),
        Some(_) => cx.unsupported("its order is not supported"),
    }
}

/// Ignores the modifiers of a memory access that have no effect.
fn ignore(cx: &Context<'_>) {
    cx.m.ignore(CACHING, NO_CACHES);
    cx.m.ignore(&[Field::Vec], "the operand has that many elements");
}

/// The decoder of synchronous memory accesses, and of cache and stack operations.
pub(super) fn memory_decoder(sem: MemorySem) -> Decode {
    use MemorySem as S;
    match sem {
        S::Load | S::LoadUniform => load,
        S::Store => store,
        S::Atom | S::Red => atomic,
        S::AtomVector | S::RedVector => vector_atomic,
        // Discarded memory has undefined contents, which may be its current ones.
        S::Prefetch | S::ApplyPriority | S::Discard => |cx| cx.plain(Effect::Nothing, NO_CACHES),
        S::CreatePolicy => create_policy,
        S::MultimemLoadReduce => |cx| multimem(cx, multimem_load),
        S::MultimemStore => |cx| multimem(cx, multimem_store),
        S::MultimemReduce => |cx| multimem(cx, multimem_reduce),
        S::Stacksave => |cx| {
            let d = dst_operand(cx, OperandKey::D)?;
            stack(cx, Stack::Save { d })
        },
        S::Stackrestore => |cx| {
            let a = src_operand(cx, OperandKey::A)?;
            stack(cx, Stack::Restore { a })
        },
        S::Alloca => allocate,
    }
}

/// `ld`, `ldu`.
pub(super) fn load(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    let space = space(cx)?;
    let address = address(cx, 1, space)?;
    let elements = cx.scope.elements(cx.operands[0]);
    let register = elements.iter().find_map(|&element| cx.scope.register_type(element)).unwrap_or(ty);
    let mut dsts = Vec::new();
    for &element in &elements {
        let d = cx.scope.dst_of(element, cx.span(0))?;
        dsts.extend((0..rows_of(ty)).map(|n| if d == cx.scope.sink { d } else { d + n }));
    }
    let size = ty.bytes();
    let align = u64::from(ty.bytes()) * elements.len() as u64;
    let sign_shift = if ty.is_signed() { 64 - ty.bits() } else { 0 };
    let fill = Fill { sign_shift, register: row_bits(register) };
    let (order, polls) = order(cx)?;
    ignore(cx);
    let load = Load { address, dsts: dsts.into(), size, align, fill, order, polls, used: cx.used_bytes };
    check_vector(cx, align)?;
    cx.emit(Effect::Load(Box::new(load)));
    Ok(())
}

/// `st`.
pub(super) fn store(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    let space = match space(cx)? {
        // Stores of a kernel to the parameter space are arguments of its calls, in its frame.
        Space::Param => Space::Local,
        space => space,
    };
    let address = address(cx, 0, space)?;
    let elements = cx.scope.elements(cx.operands[1]);
    let align = u64::from(ty.bytes()) * elements.len() as u64;
    if elements.contains(&Operand::Sink) {
        return store_some(cx, ty, address, &elements);
    }
    let mut srcs = Vec::new();
    for &element in &elements {
        let src = src_of(cx, element, ty, cx.span(1))?;
        srcs.extend((0..rows_of(ty)).map(|n| src.plus(n)));
    }
    let (order, _) = order(cx)?;
    ignore(cx);
    cx.m.ignore(&[Field::Type], "as many bits are stored as they are");
    let store = Store { address, srcs: srcs.into(), size: ty.bytes(), align, order };
    check_vector(cx, align)?;
    cx.emit(Effect::Store(Box::new(store)));
    Ok(())
}

/// A vector store that skips elements that are `_` (manual 9.7.9.11), split into scalar stores:
///
/// ```text
/// st.v4.b32 [a], {x, _, y, _};
/// Store [a] {}      // no elements: only checks the alignment of the vector
/// Store [a] {x}
/// Store [a+8] {y}
/// ```
fn store_some(cx: &mut Context<'_>, ty: ScalarType, address: Address, elements: &[Operand]) -> Decoded<()> {
    let (order, _) = order(cx)?;
    ignore(cx);
    let size = u64::from(ty.bytes());
    let align = size * elements.len() as u64;
    check_vector(cx, align)?;
    // The alignment is that of the whole vector, so it is checked first.
    let whole = Store { address, srcs: [].into(), size: ty.bytes(), align, order };
    cx.emit(Effect::Store(Box::new(whole.clone())));
    for (n, &element) in elements.iter().enumerate().filter(|(_, element)| **element != Operand::Sink) {
        let src = src_of(cx, element, ty, cx.span(1))?;
        let offset = address.offset.wrapping_add((n as u64 * size) as i64);
        let srcs = [src].into();
        let store = Store { address: Address { offset, ..address }, srcs, align: size, ..whole.clone() };
        cx.emit(Effect::Store(Box::new(store)));
    }
    Ok(())
}

fn check_vector(cx: &Context<'_>, align: u64) -> Decoded<()> {
    if align.is_power_of_two() && align <= 32 {
        return Ok(());
    }
    finding(codes::OPERAND, cx.inst.at.0, "a vector access has 2, 4 or 8 elements and 32 bytes at most")
}

/// `atom`, `red`.
pub(super) fn atomic(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    if ty == ScalarType::B128 {
        return wide_atomic(cx);
    }
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::A)?;
    let address = address(cx, at, space)?;
    let dst = match cx.find(OperandKey::D) {
        Some(at) => Some(dst(cx, at)?),
        None => None,
    };
    let b = src_operand(cx, OperandKey::B)?;
    let c = src_given(cx, OperandKey::C)?.unwrap_or(b);
    let combine = combination(cx, ty)?;
    cx.m.ignore(ORDERING, STRONGEST);
    ignore(cx);
    cx.emit(Effect::Atomic(Box::new(Atomic { address, size: ty.bytes(), dst, operands: [b, c], combine })));
    Ok(())
}

/// `atom` and `red` on vectors of floating-point values (manual 9.7.13.5).
pub(super) fn vector_atomic(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::A)?;
    let address = address(cx, at, space)?;
    let (at, values) = cx.operand(OperandKey::B)?;
    let values = cx.scope.elements(values);
    let results = cx.find(OperandKey::D).map(|at| (at, cx.scope.elements(cx.operands[at])));
    check_vector(cx, u64::from(ty.bytes()) * values.len() as u64)?;
    let mut elements = Vec::with_capacity(values.len());
    for (n, value) in values.into_iter().enumerate() {
        let dst = match &results {
            Some((at, results)) => match results.get(n) {
                Some(&result) => Some(cx.scope.dst_of(result, cx.span(*at))?),
                None => return finding(codes::OPERAND, cx.span(*at), "the vectors have other lengths"),
            },
            None => None,
        };
        elements.push((dst, src_of(cx, value, ty, cx.span(at))?));
    }
    let combine = combination(cx, ty)?;
    cx.m.ignore(ORDERING, STRONGEST);
    ignore(cx);
    let atomic = VectorAtomic { address, size: ty.bytes(), elements: elements.into(), combine };
    cx.emit(Effect::VectorAtomic(Box::new(atomic)));
    Ok(())
}

fn wide_atomic(cx: &mut Context<'_>) -> Decoded<()> {
    let exchange = match cx.m.get(Field::Op) {
        Some(Mod::Exch) => Exchange::Always,
        Some(Mod::Cas) => Exchange::WhereEqual,
        _ => return cx.unsupported("its operation has no such type"),
    };
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::A)?;
    let address = address(cx, at, space)?;
    let dst = match cx.find(OperandKey::D) {
        Some(at) => {
            let d = dst(cx, at)?;
            Some([d, if d == cx.scope.sink { d } else { d + 1 }])
        }
        None => None,
    };
    let b = src_operand(cx, OperandKey::B)?;
    let c = src_given(cx, OperandKey::C)?.unwrap_or(b);
    cx.m.ignore(ORDERING, STRONGEST);
    ignore(cx);
    cx.emit(Effect::WideAtomic(Box::new(WideAtomic { address, dst, operands: [b, c], exchange })));
    Ok(())
}

/// `cp.async`.
pub(super) fn async_copy(cx: &mut Context<'_>) -> Decoded<()> {
    let to = address(cx, 0, Space::Shared)?;
    let from = address(cx, 1, Space::Global)?;
    let size = match cx.operands[2] {
        Operand::Immediate(immediate) => immediate.as_integer(),
        _ => None,
    };
    let Some(size @ (4 | 8 | 16)) = size else {
        return finding(codes::OPERAND, cx.span(2), "4, 8 or 16 bytes can be copied");
    };
    let amount = if cx.find(OperandKey::IgnoreSrc).is_some() {
        CopyAmount::UnlessTrue(src_operand(cx, OperandKey::IgnoreSrc)?)
    } else {
        src_given(cx, OperandKey::SrcSize)?.map_or(CopyAmount::Whole, CopyAmount::Bytes)
    };
    ignore(cx);
    cx.m.ignore(&[Field::Space], "it goes to shared memory of the block");
    cx.emit(Effect::AsyncCopy(Box::new(AsyncCopy { to, from, size: size as u32, amount })));
    Ok(())
}

/// `createpolicy`: policies have no effect here, and their bits are opaque.
fn create_policy(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore_all(NO_CACHES);
    let d = dst_operand(cx, OperandKey::CachePolicy)?;
    let a = cx.constants.of(0);
    cx.emit(Effect::Copy([(d, a)].into()));
    Ok(())
}
