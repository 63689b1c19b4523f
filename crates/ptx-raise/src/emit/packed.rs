//! Vectors whose elements share bytes in memory, alone and within structures and arrays.

use ptx_ir::Operand;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{Type, TypeId};

use super::access::Access;
use super::state::Emitter;
use super::undefined::filled;
use crate::error::{RaiseError, Result};
use crate::types::{Leaf, Scalar, components};
use crate::value::Val;

/// A component of a type, and its offset.
struct Part {
    ty: TypeId,
    offset: u64,
    /// How many leaves the components before it have.
    first: usize,
}

impl Emitter<'_, '_, '_> {
    /// Loads a value from where LLVM keeps it in memory.
    pub(super) fn load_whole(&mut self, ty: TypeId, access: &Access<'_>) -> Result<Vec<Val>> {
        if let Some(bits) = self.source.bit_packed(ty) {
            return self.load_bit_packed(ty, bits, access);
        }
        if !self.holds_bit_packed(ty) {
            return self.load_leaves(ty, access);
        }
        let mut values = Vec::with_capacity(self.leaves(ty)?.len());
        for part in self.parts(ty)? {
            values.extend(self.load_whole(part.ty, &access.after(part.offset))?);
        }
        Ok(values)
    }

    /// Stores a value, of which leaves can be undefined, where LLVM keeps it in memory.
    pub(super) fn store_whole(
        &mut self,
        ty: TypeId,
        values: &[Option<Val>],
        access: &Access<'_>,
    ) -> Result<()> {
        if let Some(bits) = self.source.bit_packed(ty) {
            return self.store_bit_packed(ty, bits, &filled(values), access);
        }
        if !self.holds_bit_packed(ty) {
            let leaves = self.leaves(ty)?;
            return self.store_each(&leaves, values, access);
        }
        for part in self.parts(ty)? {
            let rest = values.get(part.first..);
            let rest =
                rest.ok_or_else(|| RaiseError::defect("a value with fewer registers than its type"))?;
            self.store_whole(part.ty, rest, &access.after(part.offset))?;
        }
        Ok(())
    }

    /// Loads a parameter or a result of a function: as in memory, except for vectors, which have separate bytes for each element.
    pub(super) fn load_passed(&mut self, ty: TypeId, address: Operand, align: u64) -> Result<Vec<Val>> {
        let access = Access::load(address_space::PARAM, address, align)?;
        if self.source.bit_packed(ty).is_some() {
            return self.load_leaves(ty, &access);
        }
        self.load_whole(ty, &access)
    }

    /// Stores an argument or a result where [`Emitter::load_passed`] finds it.
    pub(super) fn store_passed(
        &mut self,
        ty: TypeId,
        values: &[Option<Val>],
        address: Operand,
        align: u64,
    ) -> Result<()> {
        let access = Access::store(address_space::PARAM, address, align)?;
        if self.source.bit_packed(ty).is_some() {
            let leaves = self.leaves(ty)?;
            return self.store_each(&leaves, values, &access);
        }
        self.store_whole(ty, values, &access)
    }

    /// Whether such a vector is somewhere in a type. Recursion is bounded: a view holds no type nested deeper than 256 levels.
    pub(super) fn holds_bit_packed(&self, ty: TypeId) -> bool {
        match self.module.view.ty(ty) {
            Type::Struct { fields } => fields.iter().any(|&field| self.holds_bit_packed(field)),
            Type::Array { element, len } => *len > 0 && self.holds_bit_packed(*element),
            Type::Vector { .. } => self.source.bit_packed(ty).is_some(),
            Type::Void
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Pointer { .. }
            | Type::Function { .. }
            | Type::Other(_) => false,
        }
    }

    /// The components of a structure or an array. A value with more leaves than the limit has been refused.
    fn parts(&mut self, ty: TypeId) -> Result<Vec<Part>> {
        let places = components(self.module.view, ty)?;
        let mut first = 0;
        let mut parts = Vec::with_capacity(places.len());
        for (ty, offset) in places {
            parts.push(Part { ty, offset, first });
            first += self.leaves(ty)?.len();
        }
        Ok(parts)
    }

    fn load_bit_packed(&mut self, ty: TypeId, bits: u32, access: &Access<'_>) -> Result<Vec<Val>> {
        if bits > 64 {
            let words = crate::types::word_leaves(bits);
            let mut values = Vec::with_capacity(words.len());
            for leaf in &words {
                values.push(self.load_leaf(*leaf, &access.after(leaf.offset))?);
            }
            let leaves = self.leaves(ty)?;
            return self.bit_cast(&words, &values, &leaves);
        }
        let whole = packed_leaf(bits);
        let value = match whole.scalar {
            // One bit alone is loaded as a byte.
            Scalar::Int(1) => return Ok(vec![self.load_leaf(whole, access)?]),
            _ => self.load_leaf(whole, access)?,
        };
        let register = self.in_register(value, whole.scalar)?;
        let leaves = self.leaves(ty)?;
        let mut values = Vec::with_capacity(leaves.len());
        let mut at = 0;
        for leaf in leaves.iter() {
            values.push(self.extract_bits(register, whole.scalar.class(), at, leaf.scalar)?);
            at += leaf.scalar.bits();
        }
        Ok(values)
    }

    fn store_bit_packed(&mut self, ty: TypeId, bits: u32, values: &[Val], access: &Access<'_>) -> Result<()> {
        if bits > 64 {
            let (leaves, words) = (self.leaves(ty)?, crate::types::word_leaves(bits));
            let packed = self.bit_cast(&leaves, values, &words)?;
            for (leaf, value) in words.iter().zip(packed) {
                self.store_leaf(*leaf, value, &access.after(leaf.offset))?;
            }
            return Ok(());
        }
        let whole = packed_leaf(bits);
        if let (Scalar::Int(1), [value, ..]) = (whole.scalar, values) {
            return self.store_leaf(whole, *value, access);
        }
        let leaves = self.leaves(ty)?;
        let sum = self.join_bits(&leaves, values, whole.scalar.class())?;
        self.store_leaf(whole, Val::reg(sum), access)
    }
}

/// The integer that a bit-packed vector of at most 64 bits is in memory.
fn packed_leaf(bits: u32) -> Leaf {
    Leaf { scalar: Scalar::Int(bits), offset: 0, bytes: u64::from(bits.div_ceil(8)) }
}
