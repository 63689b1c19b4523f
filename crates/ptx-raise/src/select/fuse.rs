//! What one PTX instruction says with several of LLVM's, found before selection.
//!
//! A product of two extended operands is `mul.wide` (manual 9.7.1.3), two halves side by side are `mov` of a vector
//! (manual 9.7.9.4): the extensions and shifts have no instruction of their own then.

use ptx_ir::Operand;
use ptx_llvm::view::{BinaryOp, CastOp, Constant, InstId, Op, Type, Value};

use super::FunctionRaiser;
use super::wide::Fill;
use crate::error::Raised;
use crate::types::{Class, Scalar};
use crate::value::{Upper, Val, mask, sign_extend};

/// A product of narrow operands in twice their width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WideProduct {
    pub(super) lhs: Narrow,
    pub(super) rhs: Narrow,
    pub(super) signed: bool,
    /// Width of the operands.
    pub(super) bits: u32,
}

/// An operand before its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Narrow {
    Value(Value),
    /// A number of fewer bits, extended to the operand's width with its sign or with zeros.
    Short(Value, Fill),
    Constant(u64),
}

/// How a number was made wider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extends {
    Sign,
    Zero,
    /// The number is not negative.
    Either,
}

/// Two halves of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Halves {
    low: Narrow,
    high: Narrow,
    /// Width of a half.
    bits: u32,
    /// The instructions that put the low half and the high half into their places.
    steps: [Option<InstId>; 2],
}

impl FunctionRaiser<'_, '_, '_> {
    /// Takes the extensions out of the count of uses where a product does their work.
    pub(super) fn fuse(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if self.fused.contains(&id) || self.spellings.contains_key(&id) {
                    continue;
                }
                if let Some(halves) = self.halves(id) {
                    for (step, half) in halves.steps.into_iter().zip([halves.low, halves.high]) {
                        if let (Some(step), Narrow::Value(half)) = (step, half) {
                            self.look_through(step, half);
                        }
                    }
                    continue;
                }
                if let Some(root) = self.inverse_root(id) {
                    self.look_through(root.call, root.of);
                    self.drop_unread(root.call);
                    continue;
                }
                if let Some(truths) = self.truths(id) {
                    self.look_through(truths.cast, truths.vector);
                    continue;
                }
                self.fuse_index(id);
                if let Some((extension, narrow)) = self.masked_extension(id) {
                    self.look_through(extension, narrow);
                }
                if self.wide_product(id).is_none() {
                    continue;
                }
                let Op::Binary { lhs, rhs, .. } = self.function.inst(id).op else { continue };
                for operand in [lhs, rhs] {
                    if let Value::Inst(extension) = operand
                        && let Op::Cast { value, .. } = self.function.inst(extension).op
                    {
                        self.look_through(extension, value);
                    }
                }
            }
        }
    }

    /// The extension under a mask that an instruction is: the sign of a minimum or maximum of bytes up to a halfword, and zeros above.
    /// PTX computes these in halfwords, whose registers have the sign already; LLVM makes bytes of them.
    pub(super) fn masked_extension(&self, id: InstId) -> Option<(InstId, Value)> {
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::And, lhs: Value::Inst(extension), rhs, .. } = inst.op else {
            return None;
        };
        let Op::Cast { op: CastOp::SExt, value: Value::Inst(narrow), .. } = self.function.inst(extension).op
        else {
            return None;
        };
        let Op::Call(call) = &self.function.inst(narrow).op else { return None };
        let callee = self.callee(call)?.name.as_str();
        let fits = matches!(callee, "llvm.smin.i8" | "llvm.smax.i8")
            && self.number(rhs) == Some(mask(16))
            && matches!(self.module.view.ty(inst.ty), Type::Int { bits: 32 })
            && matches!(self.uses.get(extension.index()), Some(0 | 1))
            && !self.spelled.contains(&extension)
            && !self.spellings.contains_key(&extension);
        fits.then_some((extension, Value::Inst(narrow)))
    }

    /// Computes it.
    pub(super) fn extend_under_mask(&mut self, id: InstId, narrow: Value) -> Raised<()> {
        let (value, scalar) = self.scalar(narrow)?;
        let half = self.sign_extended(value, scalar, 16)?;
        let word = self.resized(half, Class::B16, Class::B32)?;
        self.define_one(id, Val::Register(word, Upper::Zero));
        Ok(())
    }

    /// The `mul.wide` an instruction is, if it is one.
    pub(super) fn wide_product(&self, id: InstId) -> Option<WideProduct> {
        let inst = self.function.inst(id);
        let Op::Binary { op, lhs, rhs, .. } = &inst.op else { return None };
        if inst.metadata("ptx.literal").is_some() {
            return None;
        }
        let wide = match self.module.view.ty(inst.ty) {
            Type::Int { bits: bits @ (32 | 64) } => *bits,
            _ => return None,
        };
        let bits = wide / 2;
        match op {
            BinaryOp::Mul => {}
            BinaryOp::Shl if wide == 64 => return self.shifted_product(*lhs, *rhs),
            _ => return None,
        }
        [false, true].into_iter().find_map(|signed| {
            let lhs = self.factor(*lhs, bits, wide, signed)?;
            let rhs = self.factor(*rhs, bits, wide, signed)?;
            let constant = matches!((lhs, rhs), (Narrow::Constant(_), Narrow::Constant(_)));
            (!constant).then_some(WideProduct { lhs, rhs, signed, bits })
        })
    }

    /// A shift to the left in 64 bits of what had 32: a product with a power of two.
    fn shifted_product(&self, value: Value, amount: Value) -> Option<WideProduct> {
        let amount = self.number(amount).filter(|amount| *amount < 31)?;
        let (lhs, extends) = self.narrow_factor(value, 32)?;
        let rhs = Narrow::Constant(1 << amount);
        Some(WideProduct { lhs, rhs, signed: extends == Extends::Sign, bits: 32 })
    }

    /// The bytes that an index into elements of `stride` bytes counts, as a product of 32-bit factors.
    pub(super) fn wide_index(&self, index: Value, stride: u64) -> Option<WideProduct> {
        let (narrow, extends) = self.index_factor(index)?;
        let signed = extends == Extends::Sign;
        let shifted = match narrow {
            Narrow::Value(value) if value != index => self.before_shift(value, extends),
            Narrow::Value(_) | Narrow::Short(..) | Narrow::Constant(_) => None,
        };
        let (lhs, factor) = match shifted {
            Some((inner, amount)) => (Narrow::Value(inner), stride.checked_mul(1 << amount)?),
            None => (narrow, stride),
        };
        let rhs = Narrow::Constant(factor);
        (2..1 << 31).contains(&factor).then_some(WideProduct { lhs, rhs, signed, bits: 32 })
    }

    /// An index in 32 bits: one of fewer than 64 bits is signed.
    fn index_factor(&self, index: Value) -> Option<(Narrow, Extends)> {
        let ty = self.module.view.value_type(self.function, index)?;
        match (self.module.view.ty(ty), index) {
            (_, Value::Const(_)) => None,
            (Type::Int { bits: 32 }, _) => Some((Narrow::Value(index), Extends::Sign)),
            (Type::Int { bits: 8 | 16 }, _) => Some((Narrow::Short(index, Fill::Sign), Extends::Sign)),
            _ => self.narrow_factor(index, 32),
        }
    }

    /// A number before a shift to the left that loses nothing, and by how much.
    fn before_shift(&self, value: Value, extends: Extends) -> Option<(Value, u32)> {
        let Value::Inst(id) = value else { return None };
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Shl, lhs, rhs, wrap, .. } = inst.op else { return None };
        let exact = match extends {
            Extends::Sign => wrap.nsw,
            Extends::Zero | Extends::Either => wrap.nuw,
        };
        let kept = self.spelled.contains(&id) || inst.metadata("ptx.inst").is_some();
        let amount = self.number(rhs).filter(|amount| exact && !kept && *amount < 31)?;
        Some((lhs, amount as u32))
    }

    /// Takes the extension of an index that is computed with its product out of the count of uses.
    fn fuse_index(&mut self, id: InstId) {
        let Op::Gep { source, base, ref indices, .. } = self.function.inst(id).op else { return };
        let (&[index], Value::Inst(_) | Value::Arg(_)) = (indices.as_slice(), base) else { return };
        let Some(stride) = self.module.view.layout(source).map(|layout| layout.size) else { return };
        let Some(Type::Pointer { space }) =
            self.module.view.value_type(self.function, base).map(|ty| self.module.view.ty(ty))
        else {
            return;
        };
        if self.pointer_class(*space) != Class::B64 || self.wide_index(index, stride).is_none() {
            return;
        }
        let (Value::Inst(extension), Some((narrow, extends))) = (index, self.index_factor(index)) else {
            return;
        };
        if matches!(narrow, Narrow::Value(value) | Narrow::Short(value, _) if value == index) {
            // Nothing extends it that could be left out.
            return;
        }
        match narrow {
            Narrow::Value(value) => {
                let (factor, _) = self.before_shift(value, extends).unwrap_or((value, 0));
                self.look_through(extension, factor);
            }
            Narrow::Short(value, _) => self.look_through(extension, value),
            Narrow::Constant(_) => {}
        }
    }

    /// Notes that an instruction reads `inner` instead of what `outer` makes of it.
    fn look_through(&mut self, outer: InstId, inner: Value) {
        if let Value::Inst(inner) = inner
            && let Some(count) = self.uses.get_mut(inner.index())
        {
            *count += 1;
        }
        // Casts and shifts that nobody reads any more are not computed.
        let mut unused = vec![outer];
        while let Some(id) = unused.pop() {
            let Some(count) = self.uses.get_mut(id.index()) else { continue };
            *count = count.saturating_sub(1);
            let operand = match self.function.inst(id).op {
                Op::Cast { value, .. } => value,
                Op::Binary { op: BinaryOp::Shl, lhs, .. } => lhs,
                _ => continue,
            };
            if *count == 0 && !self.spelled.contains(&id) && self.fused.insert(id) {
                unused.extend(match operand {
                    Value::Inst(operand) => Some(operand),
                    _ => None,
                });
            }
        }
    }

    /// A factor in half its width, where it is the extension of that.
    fn factor(&self, value: Value, bits: u32, wide: u32, signed: bool) -> Option<Narrow> {
        if let Some(number) = self.number(value) {
            let fits = if signed {
                sign_extend(number, wide) == sign_extend(number, bits)
            } else {
                number <= mask(bits)
            };
            return fits.then_some(Narrow::Constant(number & mask(bits)));
        }
        match self.narrow_factor(value, bits)? {
            (narrow, Extends::Either) => Some(narrow),
            (narrow, Extends::Sign) if signed => Some(narrow),
            (narrow, Extends::Zero) if !signed => Some(narrow),
            (_, Extends::Sign | Extends::Zero) => None,
        }
    }

    /// What a value is the extension of, from that width or from a number that fits it.
    fn narrow_factor(&self, value: Value, bits: u32) -> Option<(Narrow, Extends)> {
        if let Some((narrow, extends)) = self.extension(value, bits) {
            return Some((Narrow::Value(narrow), extends));
        }
        [8, 16].into_iter().filter(|short| *short < bits).find_map(|short| {
            let (narrow, extends) = self.extension(value, short)?;
            Some(match extends {
                Extends::Sign => (Narrow::Short(narrow, Fill::Sign), Extends::Sign),
                // With zeros above it is not negative.
                Extends::Zero | Extends::Either => (Narrow::Short(narrow, Fill::Zero), Extends::Either),
            })
        })
    }

    /// The halves that an instruction puts side by side, where nothing else needs them in their places.
    pub(super) fn halves(&self, id: InstId) -> Option<Halves> {
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Or, lhs, rhs, .. } = inst.op else { return None };
        let whole = match self.module.view.ty(inst.ty) {
            Type::Int { bits: bits @ (32 | 64) } => *bits,
            _ => return None,
        };
        let bits = whole / 2;
        for (low, high) in [(lhs, rhs), (rhs, lhs)] {
            let (Some((low, first)), Some((high, second))) =
                (self.low_half(low, bits), self.high_half(high, bits))
            else {
                continue;
            };
            let constant = matches!((low, high), (Narrow::Constant(_), Narrow::Constant(_)));
            let steps = [first, second];
            return (!constant).then_some(Halves { low, high, bits, steps });
        }
        None
    }

    /// A number that fits the lower half.
    fn low_half(&self, value: Value, bits: u32) -> Option<(Narrow, Option<InstId>)> {
        if let Some(number) = self.number(value) {
            return (number <= mask(bits)).then_some((Narrow::Constant(number), None));
        }
        let Value::Inst(id) = value else { return None };
        match self.extension(value, bits)? {
            (narrow, Extends::Zero | Extends::Either) => Some((Narrow::Value(narrow), Some(id))),
            (_, Extends::Sign) => None,
        }
    }

    /// A number in the upper half, over zeros.
    fn high_half(&self, value: Value, bits: u32) -> Option<(Narrow, Option<InstId>)> {
        if let Some(number) = self.number(value) {
            return (number & mask(bits) == 0).then_some((Narrow::Constant(number >> bits), None));
        }
        let Value::Inst(id) = value else { return None };
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Shl, lhs, rhs, .. } = inst.op else { return None };
        if self.spelled.contains(&id) || self.is_own_register(id) || inst.metadata("ptx.literal").is_some() {
            return None;
        }
        let amount = self.number(rhs)?;
        let (narrow, _) = self.extension(lhs, bits)?;
        (amount == u64::from(bits)).then_some((Narrow::Value(narrow), Some(id)))
    }

    pub(super) fn number(&self, value: Value) -> Option<u64> {
        let Value::Const(constant) = value else { return None };
        match self.module.view.constant(constant) {
            Constant::Int(words) => words.first().copied(),
            _ => None,
        }
    }

    /// `mov` of two halves.
    pub(super) fn put_side_by_side(&mut self, id: InstId, halves: Halves) -> Raised<()> {
        let scalar = Scalar::Int(halves.bits);
        let mut parts = [Operand::Omitted; 2];
        for (part, half) in parts.iter_mut().zip([halves.low, halves.high]) {
            let value = match half {
                Narrow::Constant(bits) => Val::Bits(bits),
                Narrow::Value(value) => self.scalar(value)?.0,
                Narrow::Short(value, fill) => self.filled_up(value, fill, halves.bits)?,
            };
            *part = Operand::Register(self.in_register(value, scalar)?);
        }
        let list = Operand::Vector(self.builder.list(&parts));
        let (class, text) = if halves.bits == 32 { (Class::B64, "mov.b64") } else { (Class::B32, "mov.b32") };
        let register = self.emit_new(class, text, &[list.into()])?;
        self.define_one(id, Val::reg(register));
        Ok(())
    }

    /// What a value is the extension of, from exactly that width.
    fn extension(&self, value: Value, bits: u32) -> Option<(Value, Extends)> {
        let Value::Inst(id) = value else { return None };
        if self.spelled.contains(&id) || self.is_own_register(id) {
            return None;
        }
        let Op::Cast { op, value: narrow, nneg, .. } = self.function.inst(id).op else { return None };
        let ty = self.module.view.value_type(self.function, narrow)?;
        if *self.module.view.ty(ty) != (Type::Int { bits }) {
            return None;
        }
        match op {
            CastOp::SExt => Some((narrow, Extends::Sign)),
            CastOp::ZExt if nneg => Some((narrow, Extends::Either)),
            CastOp::ZExt => Some((narrow, Extends::Zero)),
            _ => None,
        }
    }
}
