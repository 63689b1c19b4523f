//! Constants as operands.

use ptx_llvm::view::BinaryOp;
use ptx_llvm::view::{CastOp, ConstExpr, ConstId, Constant, IntPredicate, Type, TypeId};

use super::FunctionRaiser;
use super::emit::Arg;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Leaf, Scalar};
use crate::value::{Base, Val, mask, sign_extend};

/// Constant expressions nested deeper than this are refused.
const MAX_DEPTH: u32 = 64;

impl FunctionRaiser<'_, '_, '_> {
    /// The leaves of a constant.
    pub(super) fn constant(&mut self, id: ConstId, depth: u32) -> Raised<Vec<Val>> {
        if depth > MAX_DEPTH {
            return Err(Refusal::new(INSTRUCTION, "a constant nested too deep"));
        }
        let view = self.module.view;
        let ty = view.constant_type(id);
        let leaves = self.leaves(ty)?;
        match view.constant(id) {
            Constant::Int(words) => Ok(leaves
                .iter()
                .enumerate()
                .map(|(at, leaf)| Val::Bits(words.get(at).copied().unwrap_or(0) & mask(leaf.scalar.bits())))
                .collect()),
            Constant::Float(bits) => Ok(vec![Val::Bits(*bits)]),
            Constant::Null | Constant::Zero | Constant::Undef | Constant::Poison => {
                Ok(leaves.iter().map(|_| Val::Bits(0)).collect())
            }
            Constant::Data(bytes) => Ok(data(&leaves, bytes)),
            Constant::Aggregate(parts) => {
                let mut values = Vec::with_capacity(leaves.len());
                for &part in parts {
                    values.extend(self.constant(part, depth + 1)?);
                }
                let pairs = |leaf: &Leaf| leaf.scalar.is_pair();
                let is_vector = matches!(view.ty(ty), Type::Vector { .. });
                if is_vector && leaves.iter().any(pairs) {
                    return values.chunks(2).map(join_pair).collect();
                }
                Ok(values)
            }
            Constant::Symbol(symbol) => {
                let (symbol, space, offset) = self.module.symbol(*symbol)?;
                Ok(vec![Val::Address { base: Base::Symbol(symbol), offset, space }])
            }
            Constant::BlockAddress(_, block) => Ok(vec![Val::Bits(crate::initializer::block_number(*block))]),
            Constant::Expr(expr) => self.constant_expr(expr, ty, depth),
            Constant::Other(name) => {
                Err(Refusal::new(INSTRUCTION, format!("a {name} has no counterpart in PTX")))
            }
        }
    }

    fn constant_expr(&mut self, expr: &ConstExpr, ty: TypeId, depth: u32) -> Raised<Vec<Val>> {
        match expr {
            ConstExpr::Gep { source, base, indices }
                if matches!(self.module.view.ty(ty), Type::Vector { .. }) =>
            {
                self.constant_addresses(*source, *base, indices, ty, depth)
            }
            ConstExpr::Gep { source, base, indices } => {
                let (base, pointer) = self.constant_scalar(*base, depth)?;
                if let Ok(offset) = crate::initializer::gep_offset(self.module.view, *source, indices) {
                    return Ok(vec![add_offset(base, offset)]);
                }
                // An index can be an expression on addresses itself, in the first place at least.
                let &[first] = &**indices else {
                    return Err(Refusal::new(
                        INSTRUCTION,
                        "an index of a constant that is computed from addresses",
                    ));
                };
                let (number, kind) = self.constant_scalar(first, depth)?;
                let size = self.module.view.layout(*source).map_or(0, |layout| layout.size);
                Ok(vec![self.add_index(base, pointer, number, kind, size)?])
            }
            ConstExpr::Cast { op, value } => self.constant_cast(*op, *value, ty, depth),
            ConstExpr::Binary { op, lhs, rhs } => {
                let (lhs, scalar) = self.constant_scalar(*lhs, depth)?;
                let (rhs, _) = self.constant_scalar(*rhs, depth)?;
                let bits = scalar.bits();
                let fold = |a: u64, b: u64| match op {
                    BinaryOp::Add => Some(a.wrapping_add(b)),
                    BinaryOp::Sub => Some(a.wrapping_sub(b)),
                    BinaryOp::Xor => Some(a ^ b),
                    _ => None,
                };
                if let (Val::Bits(a), Val::Bits(b)) = (lhs, rhs)
                    && let Some(value) = fold(a, b)
                {
                    return Ok(vec![Val::Bits(value & mask(bits))]);
                }
                let text = match (op, bits) {
                    (BinaryOp::Add, 64) => "add.s64",
                    (BinaryOp::Sub, 64) => "sub.s64",
                    (BinaryOp::Xor, 64) => "xor.b64",
                    (BinaryOp::Add, 32) => "add.s32",
                    (BinaryOp::Sub, 32) => "sub.s32",
                    (BinaryOp::Xor, 32) => "xor.b32",
                    _ => {
                        return Err(Refusal::new(
                            INSTRUCTION,
                            "constant arithmetic of an odd width on addresses",
                        ));
                    }
                };
                let (lhs, rhs) = (self.arg(lhs, scalar)?, self.arg(rhs, scalar)?);
                Ok(vec![Val::reg(self.emit_new(scalar.class(), text, &[lhs, rhs])?)])
            }
            ConstExpr::Other(number) => {
                Err(Refusal::new(INSTRUCTION, format!("a constant expression of LLVM's opcode {number}")))
            }
        }
    }

    /// A vector of addresses: one base for all or one for each, and one index of numbers known now.
    fn constant_addresses(
        &mut self,
        source: TypeId,
        base: ConstId,
        indices: &[ConstId],
        ty: TypeId,
        depth: u32,
    ) -> Raised<Vec<Val>> {
        let computed = || Refusal::new(INSTRUCTION, "addresses in a vector that are computed from others");
        let &[index] = indices else { return Err(computed()) };
        let size = self.module.view.layout(source).map_or(0, |layout| layout.size) as i64;
        let (bases, numbers) = (self.constant(base, depth + 1)?, self.constant(index, depth + 1)?);
        let widths = self.leaves(self.module.view.constant_type(index))?;
        let mut addresses = Vec::new();
        for at in 0..self.leaves(ty)?.len() {
            // What is no vector counts for every element.
            let place = |len: usize| if len == 1 { 0 } else { at };
            let one = place(numbers.len());
            let (Some(&base), Some(&Val::Bits(number)), Some(width)) =
                (bases.get(place(bases.len())), numbers.get(one), widths.get(one))
            else {
                return Err(computed());
            };
            let steps = sign_extend(number, width.scalar.bits());
            addresses.push(add_offset(base, steps.wrapping_mul(size)));
        }
        Ok(addresses)
    }

    fn constant_scalar(&mut self, id: ConstId, depth: u32) -> Raised<(Val, Scalar)> {
        let leaves = self.leaves(self.module.view.constant_type(id))?;
        let values = self.constant(id, depth + 1)?;
        match (&*leaves, values.as_slice()) {
            ([leaf], [value]) => Ok((*value, leaf.scalar)),
            _ => Err(Refusal::new(INSTRUCTION, "a constant expression on several values")),
        }
    }

    fn constant_cast(&mut self, op: CastOp, value: ConstId, to: TypeId, depth: u32) -> Raised<Vec<Val>> {
        let target = self.leaves(to)?;
        if op == CastOp::BitCast {
            let source = self.leaves(self.module.view.constant_type(value))?;
            let values = self.constant(value, depth + 1)?;
            return self.bit_cast(&source, &values, &target);
        }
        let (value, from) = self.constant_scalar(value, depth)?;
        let [Leaf { scalar: target, .. }] = &*target else {
            return Err(Refusal::new(INSTRUCTION, "a constant cast to several values"));
        };
        let value = match (op, value) {
            // Null keeps its bits in every space but is no address, so this matches `cvta` for none.
            (CastOp::AddrSpaceCast, Val::Address { .. }) => value,
            (CastOp::AddrSpaceCast, other) => {
                let (Scalar::Pointer { space: held, .. }, Scalar::Pointer { space, .. }) = (from, *target)
                else {
                    return Err(Refusal::new(
                        INSTRUCTION,
                        "an addrspacecast of something that is no pointer",
                    ));
                };
                let register = self.in_register(other, from)?;
                Val::reg(self.convert_address(register, held, space)?)
            }
            (CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr, Val::Bits(bits)) => {
                Val::Bits(bits & mask(target.bits().min(from.bits())))
            }
            (CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr | CastOp::Trunc, other) => {
                let register = self.in_register(other, from)?;
                self.resize_register(register, from.class().bits(), target.class().bits())?
            }
            _ => return Err(Refusal::new(INSTRUCTION, "a constant cast of a kind PTX cannot compute")),
        };
        Ok(vec![value])
    }

    /// The low bits of an integer or address in a register of another width, zero above.
    pub(super) fn resize_register(&mut self, register: ptx_ir::RegId, from: u32, to: u32) -> Raised<Val> {
        use crate::types::Class;
        let (old, new) = (Class::of_bits(from), Class::of_bits(to));
        if old == new {
            return Ok(Val::reg(register));
        }
        let text = match (old, new) {
            (Class::Pred, Class::B16 | Class::B32 | Class::B64) => {
                let scalar = Scalar::Int(new.bits());
                return self.choose(Val::reg(register), Val::Bits(1), Val::Bits(0), scalar);
            }
            (Class::B16 | Class::B32 | Class::B64, Class::Pred) => {
                let text = format!("and.b{}", old.bits());
                let low = self.emit_new(old, &text, &[register.into(), Arg::Bits(1, old.bits())])?;
                let scalar = Scalar::Int(old.bits());
                return self.compare_ints(IntPredicate::Ne, Val::reg(low), Val::Bits(0), scalar);
            }
            (Class::B64, Class::B32) => "cvt.u32.u64",
            (Class::B64, Class::B16) => "cvt.u16.u64",
            (Class::B32, Class::B64) => "cvt.u64.u32",
            (Class::B32, Class::B16) => "cvt.u16.u32",
            (Class::B16, Class::B32) => "cvt.u32.u16",
            (Class::B16, Class::B64) => "cvt.u64.u16",
            _ => return Err(Refusal::new(INSTRUCTION, format!("a cast from {from} to {to} bits"))),
        };
        let args: [Arg; 1] = [register.into()];
        Ok(Val::reg(self.emit_new(new, text, &args)?))
    }
}

/// An address some bytes further on.
pub(super) fn add_offset(value: Val, offset: i64) -> Val {
    match value {
        Val::Address { base, offset: first, space } => {
            Val::Address { base, offset: first.wrapping_add(offset), space }
        }
        Val::Bits(bits) => Val::Bits(bits.wrapping_add(offset as u64)),
        Val::Register(..) => value,
    }
}

/// An address in a register some bytes further on.
pub(super) fn stepped(base: Val, pointer: Scalar, offset: i64) -> Val {
    match (base, pointer) {
        (Val::Register(register, _), Scalar::Pointer { space, .. }) => {
            Val::Address { base: Base::Register(register), offset, space }
        }
        _ => add_offset(base, offset),
    }
}

/// Leaves out of memory bytes that have no gaps.
fn data(leaves: &[Leaf], bytes: &[u8]) -> Vec<Val> {
    let mut at = 0;
    let mut values = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let len = leaf.bytes as usize;
        let mut bits = 0;
        for (shift, byte) in bytes.iter().skip(at).take(len.min(8)).enumerate() {
            bits |= u64::from(*byte) << (8 * shift);
        }
        at += len;
        values.push(Val::Bits(bits & mask(leaf.scalar.bits())));
    }
    values
}

/// Two half-precision constants as one register.
fn join_pair(values: &[Val]) -> Raised<Val> {
    match values {
        &[Val::Bits(low), Val::Bits(high)] => Ok(Val::Bits(low & 0xffff | (high & 0xffff) << 16)),
        _ => Err(Refusal::new(INSTRUCTION, "a vector of two halves that are no numbers")),
    }
}

/// A constant index as a signed number.
pub(super) fn index(bits: u64, width: u32) -> i64 {
    sign_extend(bits, width)
}
