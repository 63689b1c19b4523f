//! Loads, stores and atomic operations (manual 9.7.9, 9.7.13).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, ScalarType};

use super::arithmetic::{Numbers, each, numbers};
use super::body::{BodyDecoder, Context, row_bits, rows_of};
use super::{Decoded, finding};
use crate::error::codes;
use crate::memory::{Order, Space};
use crate::program::{
    AsyncCopy, Atomic, Combine, CopyAmount, Exchange, Fill, Load, Op, Store, VectorAtomic, WideAtomic,
};
use crate::scalar::float::{self, Arith, Extreme, NanRule, SignRule, Subnormals};
use crate::scalar::format::Format;
use crate::scalar::int::{self, Saturation};

/// The order that a load or store must have at least.
fn order(cx: &Context<'_>) -> Order {
    match cx.m.get(Field::Sem) {
        Some(Mod::Acquire | Mod::Release | Mod::AcqRel | Mod::Sc) => Order::Strong,
        _ => Order::Relaxed,
    }
}

impl BodyDecoder<'_> {
    /// `ld`, `ldu`.
    pub(super) fn load(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        let space = self.space(cx)?;
        let address = self.address(cx, 1, space)?;
        let elements = self.elements(cx.operands[0]);
        let register = elements.iter().find_map(|&element| self.register_type(element)).unwrap_or(ty);
        let mut dsts = Vec::new();
        for &element in &elements {
            let d = self.dst_of(element, cx.span(0))?;
            dsts.extend((0..rows_of(ty)).map(|n| if d == self.sink { d } else { d + n }));
        }
        let size = ty.bytes();
        let align = u64::from(ty.bytes()) * elements.len() as u64;
        let sign_shift = if ty.is_signed() { 64 - ty.bits() } else { 0 };
        let fill = Fill { sign_shift, register: row_bits(register) };
        let load = Load {
            address,
            dsts: dsts.into(),
            size,
            align,
            fill,
            order: order(cx),
            polls: cx.m.get(Field::Sem).is_some_and(|sem| sem != Mod::Weak),
            used: self.used_bytes,
        };
        self.check_vector(cx, align)?;
        cx.emit(Op::Load(Box::new(load)));
        Ok(())
    }

    /// `st`.
    pub(super) fn store(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        let space = match self.space(cx)? {
            // What a kernel stores to the parameter space are arguments of its calls, in its frame.
            Space::Param => Space::Local,
            space => space,
        };
        let address = self.address(cx, 0, space)?;
        let elements = self.elements(cx.operands[1]);
        let mut srcs = Vec::new();
        for &element in &elements {
            let src = self.src_of(cx, element, ty, cx.span(1))?;
            srcs.extend((0..rows_of(ty)).map(|n| src.plus(n)));
        }
        let align = u64::from(ty.bytes()) * elements.len() as u64;
        let store = Store { address, srcs: srcs.into(), size: ty.bytes(), align, order: order(cx) };
        self.check_vector(cx, align)?;
        cx.emit(Op::Store(Box::new(store)));
        Ok(())
    }

    fn check_vector(&self, cx: &Context<'_>, align: u64) -> Decoded<()> {
        if align.is_power_of_two() && align <= 32 {
            return Ok(());
        }
        finding(codes::OPERAND, cx.inst.at.0, "a vector access has 2, 4 or 8 elements and 32 bytes at most")
    }

    /// `atom`, `red`.
    pub(super) fn atomic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        if ty == ScalarType::B128 {
            return self.wide_atomic(cx);
        }
        let space = self.space(cx)?;
        let (at, _) = cx.named("a");
        let address = self.address(cx, at, space)?;
        let dst = match cx.find("d") {
            Some(at) => Some(self.dst(cx, at)?),
            None => None,
        };
        let b = self.src_named(cx, "b")?;
        let c = if cx.find("c").is_some() { self.src_named(cx, "c")? } else { b };
        let combine = combination(cx, ty)?;
        cx.emit(Op::Atomic(Box::new(Atomic { address, size: ty.bytes(), dst, operands: [b, c], combine })));
        Ok(())
    }

    /// `atom` and `red` on vectors of floating-point values (manual 9.7.13.5).
    pub(super) fn vector_atomic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        let space = self.space(cx)?;
        let (at, _) = cx.named("a");
        let address = self.address(cx, at, space)?;
        let (at, values) = cx.named("b");
        let values = self.elements(values);
        let results = cx.find("d").map(|at| (at, self.elements(cx.operands[at])));
        self.check_vector(cx, u64::from(ty.bytes()) * values.len() as u64)?;
        let mut elements = Vec::with_capacity(values.len());
        for (n, value) in values.into_iter().enumerate() {
            let dst = match &results {
                Some((at, results)) => match results.get(n) {
                    Some(&result) => Some(self.dst_of(result, cx.span(*at))?),
                    None => return finding(codes::OPERAND, cx.span(*at), "the vectors have other lengths"),
                },
                None => None,
            };
            elements.push((dst, self.src_of(cx, value, ty, cx.span(at))?));
        }
        let combine = combination(cx, ty)?;
        let atomic = VectorAtomic { address, size: ty.bytes(), elements: elements.into(), combine };
        cx.emit(Op::VectorAtomic(Box::new(atomic)));
        Ok(())
    }

    fn wide_atomic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let exchange = match cx.m.get(Field::Op) {
            Some(Mod::Exch) => Exchange::Always,
            Some(Mod::Cas) => Exchange::WhereEqual,
            _ => return cx.unsupported("its operation has no such type"),
        };
        let space = self.space(cx)?;
        let (at, _) = cx.named("a");
        let address = self.address(cx, at, space)?;
        let dst = match cx.find("d") {
            Some(at) => {
                let d = self.dst(cx, at)?;
                Some([d, if d == self.sink { d } else { d + 1 }])
            }
            None => None,
        };
        let b = self.src_named(cx, "b")?;
        let c = if cx.find("c").is_some() { self.src_named(cx, "c")? } else { b };
        cx.emit(Op::WideAtomic(Box::new(WideAtomic { address, dst, operands: [b, c], exchange })));
        Ok(())
    }

    /// `cp.async`.
    pub(super) fn async_copy(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let to = self.address(cx, 0, Space::Shared)?;
        let from = self.address(cx, 1, Space::Global)?;
        let size = match cx.operands[2] {
            Operand::Immediate(immediate) => immediate.as_integer(),
            _ => None,
        };
        let Some(size @ (4 | 8 | 16)) = size else {
            return finding(codes::OPERAND, cx.span(2), "4, 8 or 16 bytes can be copied");
        };
        let amount = if cx.find("ignore-src").is_some() {
            CopyAmount::UnlessTrue(self.src_named(cx, "ignore-src")?)
        } else if cx.named("src-size").1.is_omitted() {
            CopyAmount::Whole
        } else {
            CopyAmount::Bytes(self.src_named(cx, "src-size")?)
        };
        cx.emit(Op::AsyncCopy(Box::new(AsyncCopy { to, from, size: size as u32, amount })));
        Ok(())
    }
}

/// What an atomic operation writes (manual 9.7.13.5).
fn combination(cx: &Context<'_>, ty: ScalarType) -> Decoded<Combine> {
    let Some(numbers) = numbers(ty) else { return cx.unsupported("its type has no atomic operations") };
    // Rows with one operation have it in their name.
    let op = cx.m.get(Field::Op).or_else(|| cx.m.has(Mod::Add).then_some(Mod::Add));
    Ok(match (op, numbers) {
        (Some(Mod::Exch), _) => Box::new(|_, _, b, _| b),
        (Some(Mod::Cas), _) => Box::new(|_, old, b, c| if old == b { c } else { old }),
        (Some(Mod::And), _) => Box::new(|_, old, b, _| old & b),
        (Some(Mod::Or), _) => Box::new(|_, old, b, _| old | b),
        (Some(Mod::Xor), _) => Box::new(|_, old, b, _| old ^ b),
        (Some(Mod::Inc), _) => Box::new(|_, old, b, _| if old >= b { 0 } else { old + 1 }),
        (Some(Mod::Dec), _) => Box::new(|_, old, b, _| if old == 0 || old > b { b } else { old - 1 }),
        (Some(Mod::Add), Numbers::Int(t)) => {
            Box::new(move |_, old, b, _| int::add(t, Saturation::Wrap, old, b))
        }
        (Some(Mod::Min), Numbers::Int(t)) => Box::new(move |_, old, b, _| int::min(t, old, b)),
        (Some(Mod::Max), Numbers::Int(t)) => Box::new(move |_, old, b, _| int::max(t, old, b)),
        (Some(Mod::Add), Numbers::Float(Format::F32)) => {
            // In global memory `.f32` subnormals are flushed unless asked otherwise, in shared memory they are kept.
            let in_global = if cx.m.has(Mod::Noftz) { Subnormals::Keep } else { Subnormals::Flush };
            Box::new(move |space, old, b, _| {
                let subnormals = if space == Space::Global { in_global } else { Subnormals::Keep };
                float::add(&Arith { subnormals, ..Arith::nearest(Format::F32) }, old, b)
            })
        }
        (Some(Mod::Add), Numbers::Float(format)) => {
            Box::new(move |_, old, b, _| float::add(&Arith::nearest(format), old, b))
        }
        (Some(Mod::Add), Numbers::Floats(format, count)) => Box::new(move |_, old, b, _| {
            each(format.bits(), count, [old, b], |[old, b]| float::add(&Arith::nearest(format), old, b))
        }),
        (Some(op @ (Mod::Min | Mod::Max)), Numbers::Float(format) | Numbers::Floats(format, _)) => {
            let which = if op == Mod::Min { Extreme::Min } else { Extreme::Max };
            let count = if let Numbers::Floats(_, count) = numbers { count } else { 1 };
            let extreme = move |[old, b]: [u64; 2]| {
                float::extreme(format, Subnormals::Keep, which, NanRule::Ignore, SignRule::Plain, old, b)
            };
            Box::new(move |_, old, b, _| each(format.bits(), count, [old, b], extreme))
        }
        _ => return cx.unsupported("its operation has no such type"),
    })
}
