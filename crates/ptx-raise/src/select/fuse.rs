//! What one PTX instruction says with several of LLVM's, found before selection.
//!
//! A product of two extended operands is `mul.wide` (manual 9.7.1.3), two halves side by side are `mov` of a vector
//! (manual 9.7.9.4): the extensions and shifts have no instruction of their own then.

use ptx_ir::Operand;
use ptx_llvm::view::{BinaryOp, CastOp, Constant, InstId, Op, Type, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::types::{Class, Scalar};
use crate::value::{Val, mask, sign_extend};

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
    /// The instructions that only put the halves into their places.
    steps: [Option<InstId>; 3],
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
                    self.fused.extend(halves.steps.into_iter().flatten());
                    continue;
                }
                if self.wide_product(id).is_none() {
                    continue;
                }
                let Op::Binary { lhs, rhs, .. } = self.function.inst(id).op else { continue };
                for operand in [lhs, rhs] {
                    if let Value::Inst(extension) = operand
                        && let Some(count) = self.uses.get_mut(extension.index())
                    {
                        *count = count.saturating_sub(1);
                        if *count == 0 {
                            self.fused.insert(extension);
                        }
                    }
                }
            }
        }
    }

    /// The `mul.wide` an instruction is, if it is one.
    pub(super) fn wide_product(&self, id: InstId) -> Option<WideProduct> {
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Mul, lhs, rhs, .. } = &inst.op else { return None };
        if inst.metadata("ptx.literal").is_some() {
            return None;
        }
        let wide = match self.module.view.ty(inst.ty) {
            Type::Int { bits: bits @ (32 | 64) } => *bits,
            _ => return None,
        };
        let bits = wide / 2;
        [false, true].into_iter().find_map(|signed| {
            let lhs = self.factor(*lhs, bits, wide, signed)?;
            let rhs = self.factor(*rhs, bits, wide, signed)?;
            let constant = matches!((lhs, rhs), (Narrow::Constant(_), Narrow::Constant(_)));
            (!constant).then_some(WideProduct { lhs, rhs, signed, bits })
        })
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
        match self.extension(value, bits)? {
            (narrow, Extends::Either) => Some(Narrow::Value(narrow)),
            (narrow, Extends::Sign) if signed => Some(Narrow::Value(narrow)),
            (narrow, Extends::Zero) if !signed => Some(Narrow::Value(narrow)),
            (_, Extends::Sign | Extends::Zero) => None,
        }
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
            let (Some((low, first)), Some((high, rest))) =
                (self.low_half(low, bits), self.high_half(high, bits))
            else {
                continue;
            };
            let steps = [first, rest[0], rest[1]];
            let constant = matches!((low, high), (Narrow::Constant(_), Narrow::Constant(_)));
            let free = steps
                .iter()
                .flatten()
                .all(|step| self.uses.get(step.index()) == Some(&1) && !self.spelled.contains(step));
            return (free && !constant).then_some(Halves { low, high, bits, steps });
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
    fn high_half(&self, value: Value, bits: u32) -> Option<(Narrow, [Option<InstId>; 2])> {
        if let Some(number) = self.number(value) {
            return (number & mask(bits) == 0).then_some((Narrow::Constant(number >> bits), [None; 2]));
        }
        let Value::Inst(id) = value else { return None };
        let Op::Binary { op: BinaryOp::Shl, lhs, rhs, .. } = self.function.inst(id).op else { return None };
        let (Value::Inst(extended), Some(amount)) = (lhs, self.number(rhs)) else { return None };
        let (narrow, _) = self.extension(lhs, bits)?;
        (amount == u64::from(bits)).then_some((Narrow::Value(narrow), [Some(id), Some(extended)]))
    }

    fn number(&self, value: Value) -> Option<u64> {
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
        if self.spelled.contains(&id) {
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
