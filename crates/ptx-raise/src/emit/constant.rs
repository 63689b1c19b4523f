//! Constants as operands.

use ptx_llvm_core::view::BinaryOp;
use ptx_llvm_core::view::{CastOp, ConstExpr, ConstId, Constant, Type, TypeId};

use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Leaf, Scalar};
use crate::value::{Base, Val, mask, sign_extend};

/// Constant expressions nested deeper than this are refused.
const MAX_DEPTH: u32 = 64;

impl Emitter<'_, '_, '_> {
    /// The leaves of a constant.
    pub(super) fn constant(&mut self, id: ConstId, depth: u32) -> Result<Vec<Val>> {
        if depth > MAX_DEPTH {
            return Err(RaiseError::new(INSTRUCTION, "a constant nested too deep"));
        }
        let view = self.module.view;
        let ty = view.constant_type(id);
        let leaves = self.leaves(ty)?;
        match view.constant(id) {
            Constant::Int(words) if words.len() == leaves.len() => {
                let leaves = words.iter().zip(leaves.iter());
                Ok(leaves.map(|(word, leaf)| Val::Bits(word & mask(leaf.scalar.bits()))).collect())
            }
            Constant::Int(_) => Err(RaiseError::defect("an integer with more or fewer words than its type")),
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
                match view.ty(ty) {
                    Type::Vector { .. } => self.together(&leaves, &values),
                    _ => Ok(values),
                }
            }
            Constant::Symbol(symbol) => {
                let (symbol, space, offset) = self.module.symbol(*symbol)?;
                Ok(vec![Val::Address { base: Base::Symbol(symbol), offset, space }])
            }
            Constant::BlockAddress(_, block) => Ok(vec![Val::Bits(crate::value::block_number(*block))]),
            Constant::Expr(expr) => self.constant_expr(expr, ty, depth),
            Constant::Other(name) => {
                Err(RaiseError::new(INSTRUCTION, format!("a {name} has no counterpart in PTX")))
            }
        }
    }

    fn constant_expr(&mut self, expr: &ConstExpr, ty: TypeId, depth: u32) -> Result<Vec<Val>> {
        match expr {
            ConstExpr::Gep { source, base, indices } => {
                self.constant_addresses(*source, *base, indices, ty, depth)
            }
            ConstExpr::Cast { op, value } => self.constant_cast(*op, *value, ty, depth),
            ConstExpr::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.constant(*lhs, depth + 1)?, self.constant(*rhs, depth + 1)?);
                self.constant_sum(*op, ty, &lhs, &rhs)
            }
            ConstExpr::Element { vector, index } => self.constant_element(*vector, *index, ty, depth),
            ConstExpr::Insert { vector, element, index } => {
                let vector = self.constant(*vector, depth + 1)?;
                let element = self.constant(*element, depth + 1)?;
                let index = self.constant_index(*index, depth)?;
                let (mut elements, scalars) = self.elements_of(ty, &vector)?;
                self.replace(&mut elements, &scalars, &element, index)?;
                let leaves = self.leaves(ty)?;
                self.together(&leaves, &elements.concat())
            }
            ConstExpr::Other(number) => {
                Err(RaiseError::new(INSTRUCTION, format!("a constant expression of LLVM's opcode {number}")))
            }
        }
    }

    /// An element of a vector. If the vector is a bit cast of another constant, the other elements are not computed, since each of them
    /// would need instructions.
    fn constant_element(
        &mut self,
        vector: ConstId,
        index: ConstId,
        ty: TypeId,
        depth: u32,
    ) -> Result<Vec<Val>> {
        let view = self.module.view;
        let number = view.constant(index).as_u64().and_then(|index| u32::try_from(index).ok());
        if let (Constant::Expr(ConstExpr::Cast { op: CastOp::BitCast, value }), Some(number)) =
            (view.constant(vector), number)
        {
            let (from, to) = (self.leaves(view.constant_type(*value))?, self.leaves(ty)?);
            let values = self.constant(*value, depth + 1)?;
            let bits: u32 = to.iter().map(|leaf| leaf.scalar.bits()).sum();
            return self.bits_from(&from, &values, number.saturating_mul(bits), &to);
        }
        let values = self.constant(vector, depth + 1)?;
        let index = self.constant_index(index, depth)?;
        let (elements, scalars) = self.elements_of(view.constant_type(vector), &values)?;
        self.pick(&elements, &scalars, index)
    }

    /// A number that an element of a vector has.
    fn constant_index(&mut self, index: ConstId, depth: u32) -> Result<(Val, Scalar)> {
        let words = self.low_words(index, depth)?;
        words.first().copied().ok_or_else(|| RaiseError::new(INSTRUCTION, "an index that is not a number"))
    }

    /// `add`, `sub` and `xor` of integers of any width, at least one of which depends on an address.
    fn constant_sum(&mut self, op: BinaryOp, ty: TypeId, lhs: &[Val], rhs: &[Val]) -> Result<Vec<Val>> {
        let bits = self.width_of_integers(ty).ok_or_else(|| {
            RaiseError::new(INSTRUCTION, "constant arithmetic on a value that is not an integer")
        })?;
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor) {
            return Err(RaiseError::new(INSTRUCTION, "constant arithmetic that LLVM 22 does not have"));
        }
        let words = bits.div_ceil(64).max(1) as usize;
        let mut result = Vec::with_capacity(lhs.len());
        for (lhs, rhs) in lhs.chunks(words).zip(rhs.chunks(words)) {
            match (lhs, rhs) {
                (&[lhs], &[rhs]) => result.push(self.int_binary(op, lhs, rhs, bits)?),
                _ => result.extend(self.wide_binary(op, lhs, rhs, bits)?),
            }
        }
        Ok(result)
    }

    /// `getelementptr`: one address, or a vector of them, where a scalar applies to every element.
    fn constant_addresses(
        &mut self,
        source: TypeId,
        base: ConstId,
        indices: &[ConstId],
        ty: TypeId,
        depth: u32,
    ) -> Result<Vec<Val>> {
        let bases = self.low_words(base, depth)?;
        let indices: Vec<Vec<(Val, Scalar)>> =
            indices.iter().map(|&index| self.low_words(index, depth)).collect::<Result<_>>()?;
        let element = |of: &[(Val, Scalar)], at: usize| {
            // A scalar counts as one element.
            let found = if of.len() == 1 { of.first() } else { of.get(at) };
            found
                .copied()
                .ok_or_else(|| RaiseError::new(INSTRUCTION, "a vector of fewer addresses than its neighbour"))
        };
        let mut addresses = Vec::new();
        for at in 0..self.leaves(ty)?.len() {
            let (start, pointer) = element(&bases, at)?;
            let numbers: Vec<(Val, Scalar)> =
                indices.iter().map(|index| element(index, at)).collect::<Result<_>>()?;
            let is_known = numbers.iter().all(|(number, _)| matches!(number, Val::Bits(_)));
            let start = if is_known { start } else { self.as_typed(start, pointer)? };
            addresses.push(self.stepped(start, pointer, source, &numbers)?);
        }
        Ok(addresses)
    }

    /// The elements of a constant; of integers over 64 bits the low words.
    fn low_words(&mut self, id: ConstId, depth: u32) -> Result<Vec<(Val, Scalar)>> {
        let ty = self.module.view.constant_type(id);
        let words = match self.width_of_integers(ty) {
            Some(bits) => bits.div_ceil(64).max(1) as usize,
            // Other elements have one leaf.
            None => 1,
        };
        let (leaves, values) = (self.leaves(ty)?, self.constant(id, depth + 1)?);
        Ok(values.into_iter().zip(leaves.iter().map(|leaf| leaf.scalar)).step_by(words).collect())
    }

    fn constant_cast(&mut self, op: CastOp, value: ConstId, to: TypeId, depth: u32) -> Result<Vec<Val>> {
        let from = self.module.view.constant_type(value);
        let values = self.constant(value, depth + 1)?;
        let (source, target) = (self.leaves(from)?, self.leaves(to)?);
        match op {
            CastOp::BitCast => self.bit_cast(&source, &values, &target),
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt => self.integer_cast(op, from, to, &values),
            _ if source.len() != target.len() => self.wide_cast(op, from, to, &values),
            _ => source
                .iter()
                .zip(values)
                .zip(target.iter())
                .map(|((from, value), to)| self.convert(op, value, from.scalar, to.scalar))
                .collect(),
        }
    }
}

/// An address some bytes further on, in the space it counts in.
pub(super) fn offset_by(address: Val, pointer: Scalar, offset: i64) -> Result<Val> {
    let Scalar::Pointer { space, bits, .. } = pointer else {
        return Err(RaiseError::new(INSTRUCTION, "a getelementptr from a value that is not a pointer"));
    };
    Ok(match address {
        Val::Register(..) if offset == 0 => address,
        Val::Register(register, _) => Val::Address { base: Base::Register(register), offset, space },
        Val::Address { base, offset: first, space } => {
            Val::Address { base, offset: first.wrapping_add(offset), space }
        }
        Val::Bits(own) => Val::Bits(own.wrapping_add(offset as u64) & mask(bits)),
    })
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

/// A constant index as a signed number.
pub(super) fn index(bits: u64, width: u32) -> i64 {
    sign_extend(bits, width)
}
