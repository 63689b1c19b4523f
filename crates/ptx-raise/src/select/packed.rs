//! Vectors whose elements share bytes in memory, alone and within structures and arrays.

use ptx_ir::Operand;
use ptx_llvm::view::{Type, TypeId};

use super::FunctionRaiser;
use super::memory::alignment;
use super::undefined::filled;
use crate::error::Raised;
use crate::types::{Leaf, Scalar};
use crate::value::Val;

/// A component of a type, and where it lies.
struct Part {
    ty: TypeId,
    offset: u64,
    /// How many leaves the components before it have.
    first: usize,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Loads a value from where LLVM keeps it in memory.
    pub(super) fn load_whole(
        &mut self,
        ty: TypeId,
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        if let Some(bits) = self.bit_packed(ty) {
            return self.load_bit_packed(ty, bits, address, word, align, opcode, mods);
        }
        if !self.holds_bit_packed(ty) {
            return self.load_leaves(ty, address, word, align, opcode, mods);
        }
        let mut values = Vec::with_capacity(self.leaves(ty)?.len());
        for part in self.parts(ty)? {
            let place = Self::offset_operand(address, part.offset);
            let aligned = alignment(align, part.offset);
            values.extend(self.load_whole(part.ty, place, word, aligned, opcode, mods)?);
        }
        Ok(values)
    }

    /// Stores a value, of which leaves can be undefined, where LLVM keeps it in memory.
    pub(super) fn store_whole(
        &mut self,
        ty: TypeId,
        values: &[Option<Val>],
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        if let Some(bits) = self.bit_packed(ty) {
            return self.store_bit_packed(ty, bits, &filled(values), address, word, align, opcode, mods);
        }
        if !self.holds_bit_packed(ty) {
            let leaves = self.leaves(ty)?;
            return self.store_each(&leaves, values, address, word, align, opcode, mods);
        }
        for part in self.parts(ty)? {
            let place = Self::offset_operand(address, part.offset);
            let aligned = alignment(align, part.offset);
            let rest = values.get(part.first..).unwrap_or_default();
            self.store_whole(part.ty, rest, place, word, aligned, opcode, mods)?;
        }
        Ok(())
    }

    /// Loads a parameter or a result of a function: as in memory, but for vectors, which have bytes for each element.
    pub(super) fn load_passed(&mut self, ty: TypeId, address: Operand, align: u64) -> Raised<Vec<Val>> {
        if self.bit_packed(ty).is_some() {
            return self.load_leaves(ty, address, ".param", align, "ld", "");
        }
        self.load_whole(ty, address, ".param", align, "ld", "")
    }

    /// Stores an argument or a result where [`FunctionRaiser::load_passed`] finds it.
    pub(super) fn store_passed(
        &mut self,
        ty: TypeId,
        values: &[Option<Val>],
        address: Operand,
        align: u64,
    ) -> Raised<()> {
        if self.bit_packed(ty).is_some() {
            let leaves = self.leaves(ty)?;
            return self.store_each(&leaves, values, address, ".param", align, "st", "");
        }
        self.store_whole(ty, values, address, ".param", align, "st", "")
    }

    /// Whether such a vector is somewhere in a type. Recursion is bounded: a view holds no type nested deeper than 256 levels.
    pub(super) fn holds_bit_packed(&self, ty: TypeId) -> bool {
        match self.module.view.ty(ty) {
            Type::Struct { fields } => fields.iter().any(|&field| self.holds_bit_packed(field)),
            Type::Array { element, len } => *len > 0 && self.holds_bit_packed(*element),
            Type::Vector { .. } => self.bit_packed(ty).is_some(),
            Type::Void
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Pointer { .. }
            | Type::Function { .. }
            | Type::Other(_) => false,
        }
    }

    /// The fields of a structure, or the elements of an array.
    fn parts(&mut self, ty: TypeId) -> Raised<Vec<Part>> {
        let view = self.module.view;
        let places: Vec<(TypeId, u64)> = match view.ty(ty) {
            Type::Struct { fields } => {
                let offsets = view.layout(ty).map(|layout| layout.offsets.clone()).unwrap_or_default();
                fields.iter().copied().zip(offsets).collect()
            }
            // A value with more leaves than the limit has been refused, and every element here has one.
            Type::Array { element, len } => {
                let size = view.layout(*element).map_or(0, |layout| layout.size);
                (0..*len).map(|at| (*element, at * size)).collect()
            }
            Type::Void
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Pointer { .. }
            | Type::Vector { .. }
            | Type::Function { .. }
            | Type::Other(_) => Vec::new(),
        };
        let mut first = 0;
        let mut parts = Vec::with_capacity(places.len());
        for (ty, offset) in places {
            parts.push(Part { ty, offset, first });
            first += self.leaves(ty)?.len();
        }
        Ok(parts)
    }

    /// The width of a vector whose elements do not lie on byte boundaries: LLVM packs them bit by bit.
    pub(super) fn bit_packed(&self, ty: TypeId) -> Option<u32> {
        let Type::Vector { element, len } = self.module.view.ty(ty) else { return None };
        let Type::Int { bits } = self.module.view.ty(*element) else { return None };
        let whole = matches!(bits, 8 | 16 | 32 | 64) || *bits > 64 && bits % 64 == 0;
        (!whole).then_some(bits * len)
    }

    #[allow(clippy::too_many_arguments, reason = "an access has that many parts")]
    fn load_bit_packed(
        &mut self,
        ty: TypeId,
        bits: u32,
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        if bits > 64 {
            let words = crate::types::word_leaves(bits);
            let mut values = Vec::with_capacity(words.len());
            for leaf in &words {
                let place = Self::offset_operand(address, leaf.offset);
                let aligned = alignment(align, leaf.offset);
                values.push(self.load_leaf(*leaf, place, word, aligned, opcode, mods)?);
            }
            let leaves = self.leaves(ty)?;
            return self.bit_cast(&words, &values, &leaves);
        }
        let whole = packed_leaf(bits);
        let value = match whole.scalar {
            // One bit alone is loaded as a byte.
            Scalar::Int(1) => return Ok(vec![self.load_leaf(whole, address, word, align, opcode, mods)?]),
            _ => self.load_leaf(whole, address, word, align, opcode, mods)?,
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

    #[allow(clippy::too_many_arguments, reason = "an access has that many parts")]
    fn store_bit_packed(
        &mut self,
        ty: TypeId,
        bits: u32,
        values: &[Val],
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        if bits > 64 {
            let (leaves, words) = (self.leaves(ty)?, crate::types::word_leaves(bits));
            let packed = self.bit_cast(&leaves, values, &words)?;
            for (leaf, value) in words.iter().zip(packed) {
                let place = Self::offset_operand(address, leaf.offset);
                let aligned = alignment(align, leaf.offset);
                self.store_leaf(*leaf, value, place, word, aligned, opcode, mods)?;
            }
            return Ok(());
        }
        let whole = packed_leaf(bits);
        if let (Scalar::Int(1), [value]) = (whole.scalar, values) {
            return self.store_leaf(whole, *value, address, word, align, opcode, mods);
        }
        let leaves = self.leaves(ty)?;
        let sum = self.join_bits(&leaves, values, whole.scalar.class())?;
        self.store_leaf(whole, Val::reg(sum), address, word, align, opcode, mods)
    }
}

/// The integer that a bit-packed vector of at most 64 bits is in memory.
fn packed_leaf(bits: u32) -> Leaf {
    Leaf { scalar: Scalar::Int(bits), offset: 0, bytes: u64::from(bits.div_ceil(8)) }
}
