//! Vectors: broadcasts, shuffles, lanes, vectors of addresses and masked accesses, as code for the host is made of.

use llvm_sys::core::*;

use super::handle::{Type, Value, misfit};
use super::instruction::{Builder, Built};
use super::types::Types;
use crate::LlvmError;

impl<'c> Types<'c> {
    /// A floating-point constant: the number of the type that is nearest to `value`, ties to even. A NaN is a quiet one of the type;
    /// [`Value::constant_bits_as`] of an integer gives any other.
    ///
    /// # Errors
    ///
    /// When it is not a floating-point type.
    pub fn float_value(self, ty: Type<'c>, value: f64) -> Built<'c> {
        if !ty.is_float() {
            return Err(LlvmError::Other { message: format!("{} is not a floating-point type", ty.text()) });
        }
        // SAFETY: a floating-point type.
        Ok(Value::new(unsafe { LLVMConstReal(ty.raw, value) }))
    }

    /// A constant vector of integers of `bits` bits; bits above the width are cut.
    ///
    /// # Errors
    ///
    /// When there is no element.
    pub fn int_vector(self, bits: u32, values: &[u64]) -> Built<'c> {
        let elements: Vec<_> = values.iter().map(|value| self.int_value(bits, *value)).collect();
        self.vector_value(&elements)
    }
}

impl<'c> Type<'c> {
    /// The number of elements, for a vector; 1 for everything else.
    pub fn lanes(self) -> u32 {
        // Default: a type that is not a vector counts as one element.
        self.vector_parts().map_or(1, |(_, count)| count)
    }

    /// The type of the elements, for a vector; everything else is its own.
    pub fn element(self) -> Type<'c> {
        self.vector_parts().map_or(self, |(element, _)| element)
    }

    fn is_mask(self, lanes: u32) -> bool {
        self.vector_parts().is_some_and(|(element, count)| element.int_bits() == Some(1) && count == lanes)
    }

    /// Whether it can be an element of a vector.
    fn is_vector_element(self) -> bool {
        self.is_number() || self.pointer_space().is_some()
    }
}

impl<'c> Builder<'c> {
    /// A vector that has the value in each of so many lanes; a constant vector of a constant.
    ///
    /// # Errors
    ///
    /// When the value is not a number or pointer, or there is no lane.
    pub fn splat(&self, value: Value<'c>, lanes: u32) -> Built<'c> {
        if lanes == 0 || !value.ty().is_vector_element() {
            return Err(misfit("a broadcast", &[value]));
        }
        if value.is_constant() {
            return self.types.vector_value(&vec![value; lanes as usize]);
        }
        let empty = self.types.vector(value.ty(), lanes).poison();
        let first = self.insert_element(empty, value, 0)?;
        self.shuffle(first, empty, &vec![Some(0); lanes as usize])
    }

    /// `shufflevector`: lanes of `a` (from 0) and of `b` (counted on from those of `a`); `None` for a lane that is left open.
    ///
    /// # Errors
    ///
    /// When the operands are not vectors of one type, the list is empty, or there is no such lane.
    pub fn shuffle(&self, a: Value<'c>, b: Value<'c>, lanes: &[Option<u32>]) -> Built<'c> {
        self.at()?;
        let inside = |count: u32| lanes.iter().flatten().all(|lane| u64::from(*lane) < 2 * u64::from(count));
        let fits = a.ty().vector_parts().is_some_and(|(_, count)| inside(count));
        if a.ty() != b.ty() || lanes.is_empty() || !fits {
            return Err(misfit("shufflevector", &[a, b]));
        }
        let index = self.types.int(32);
        let element = |lane: &Option<u32>| match lane {
            Some(lane) => self.types.int_value(32, u64::from(*lane)),
            None => index.poison(),
        };
        let mask = self.types.vector_value(&lanes.iter().map(element).collect::<Vec<_>>())?;
        // SAFETY: two vectors of one type, and a constant vector of lanes that they have.
        Ok(Value::new(unsafe { LLVMBuildShuffleVector(self.raw, a.raw, b.raw, mask.raw, c"".as_ptr()) }))
    }

    /// `extractelement`: the lane that an integer names; poison beyond the last one.
    ///
    /// # Errors
    ///
    /// When the first operand is not a vector or the second not an integer.
    pub fn extract_lane(&self, vector: Value<'c>, index: Value<'c>) -> Built<'c> {
        self.at()?;
        if vector.ty().vector_parts().is_none() || index.ty().int_bits().is_none() {
            return Err(misfit("extractelement", &[vector, index]));
        }
        // SAFETY: a vector and an integer.
        Ok(Value::new(unsafe { LLVMBuildExtractElement(self.raw, vector.raw, index.raw, c"".as_ptr()) }))
    }

    /// `insertelement`: the vector with the lane replaced that an integer names; poison beyond the last one.
    ///
    /// # Errors
    ///
    /// When the operands are not a vector, a value of its element type and an integer.
    pub fn insert_lane(&self, vector: Value<'c>, value: Value<'c>, index: Value<'c>) -> Built<'c> {
        self.at()?;
        let fits = vector.ty().vector_parts().is_some_and(|(element, _)| element == value.ty());
        if !fits || index.ty().int_bits().is_none() {
            return Err(misfit("insertelement", &[vector, value, index]));
        }
        // SAFETY: a vector, a value of its element type and an integer.
        Ok(Value::new(unsafe {
            LLVMBuildInsertElement(self.raw, vector.raw, value.raw, index.raw, c"".as_ptr())
        }))
    }

    /// `getelementptr i8` over lanes: the addresses so many bytes after a base; wraps around. The base is one pointer for all lanes, in
    /// which form x86's gathers take it as it is, or a vector of as many pointers as there are offsets.
    ///
    /// # Errors
    ///
    /// When the base is neither, or the offsets are not a vector of integers. Offsets narrower than 64 bits count as signed.
    pub fn vector_offset(&self, base: Value<'c>, bytes: Value<'c>) -> Built<'c> {
        self.at()?;
        let lanes = bytes.ty().vector_parts().filter(|(element, _)| element.int_bits().is_some());
        let base_lanes = base.ty().vector_parts().map(|(_, count)| count);
        let fits = lanes.is_some_and(|(_, count)| base_lanes.is_none_or(|other| other == count));
        if !fits || base.ty().element().pointer_space().is_none() {
            return Err(misfit("getelementptr", &[base, bytes]));
        }
        let mut index = [bytes.raw];
        let byte = self.types.int(8);
        // SAFETY: a pointer, or pointers in as many lanes as the index has, and one vector of integers as index.
        Ok(Value::new(unsafe {
            LLVMBuildGEP2(self.raw, byte.raw, base.raw, index.as_mut_ptr(), 1, c"".as_ptr())
        }))
    }

    /// `llvm.masked.load`: a vector from an address, of which only the lanes of the mask are read; the others are those of
    /// `passthru`. The alignment in bytes is that of the address.
    ///
    /// # Errors
    ///
    /// When the type is not a vector, the address not a pointer, the mask not a vector of as many `i1`, `passthru` of another type, or
    /// the alignment not a power of two.
    pub fn masked_load(
        &self,
        ty: Type<'c>,
        address: Value<'c>,
        align: u32,
        mask: Value<'c>,
        passthru: Value<'c>,
    ) -> Built<'c> {
        let fits = address.ty().pointer_space().is_some() && passthru.ty() == ty;
        if !fits || !align.is_power_of_two() || !mask.ty().is_mask(ty.lanes()) {
            return Err(misfit("llvm.masked.load", &[address, mask, passthru]));
        }
        let call = self.intrinsic("llvm.masked.load", &[ty, address.ty()], &[address, mask, passthru])?;
        call.add_call_argument_align(self.types, 0, align);
        Ok(call)
    }

    /// `llvm.masked.store`: a vector to an address, of which only the lanes of the mask are written.
    ///
    /// # Errors
    ///
    /// As [`Builder::masked_load`].
    pub fn masked_store(
        &self,
        value: Value<'c>,
        address: Value<'c>,
        align: u32,
        mask: Value<'c>,
    ) -> Built<'c> {
        let fits = address.ty().pointer_space().is_some() && value.ty().vector_parts().is_some();
        if !fits || !align.is_power_of_two() || !mask.ty().is_mask(value.ty().lanes()) {
            return Err(misfit("llvm.masked.store", &[value, address, mask]));
        }
        let overloads = [value.ty(), address.ty()];
        let call = self.intrinsic("llvm.masked.store", &overloads, &[value, address, mask])?;
        call.add_call_argument_align(self.types, 1, align);
        Ok(call)
    }

    /// `llvm.masked.gather`: each lane of the mask from its own address; the others are those of `passthru`. The alignment in
    /// bytes is that of each address.
    ///
    /// # Errors
    ///
    /// When the type is not a vector, the others are not vectors of as many pointers, `i1` and its elements, or the alignment is not a
    /// power of two.
    pub fn masked_gather(
        &self,
        ty: Type<'c>,
        pointers: Value<'c>,
        align: u32,
        mask: Value<'c>,
        passthru: Value<'c>,
    ) -> Built<'c> {
        let fits = are_pointers(pointers, ty.lanes()) && passthru.ty() == ty;
        if !fits || !align.is_power_of_two() || !mask.ty().is_mask(ty.lanes()) {
            return Err(misfit("llvm.masked.gather", &[pointers, mask, passthru]));
        }
        let overloads = [ty, pointers.ty()];
        let call = self.intrinsic("llvm.masked.gather", &overloads, &[pointers, mask, passthru])?;
        call.add_call_argument_align(self.types, 0, align);
        Ok(call)
    }

    /// `llvm.masked.scatter`: each lane of the mask to its own address, in the order of lanes.
    ///
    /// # Errors
    ///
    /// As [`Builder::masked_gather`].
    pub fn masked_scatter(
        &self,
        value: Value<'c>,
        pointers: Value<'c>,
        align: u32,
        mask: Value<'c>,
    ) -> Built<'c> {
        let lanes = value.ty().lanes();
        if !are_pointers(pointers, lanes) || !align.is_power_of_two() || !mask.ty().is_mask(lanes) {
            return Err(misfit("llvm.masked.scatter", &[value, pointers, mask]));
        }
        let overloads = [value.ty(), pointers.ty()];
        let call = self.intrinsic("llvm.masked.scatter", &overloads, &[value, pointers, mask])?;
        call.add_call_argument_align(self.types, 1, align);
        Ok(call)
    }
}

fn are_pointers(value: Value<'_>, lanes: u32) -> bool {
    value
        .ty()
        .vector_parts()
        .is_some_and(|(element, count)| element.pointer_space().is_some() && count == lanes)
}

impl<'c> Value<'c> {
    /// `align` on an argument of a call, by its position from 0; does nothing on anything but a call, and when the alignment is not a
    /// power of two.
    pub fn add_call_argument_align(self, types: Types<'c>, argument: u32, align: u32) {
        // SAFETY: a live value is asked what it is first, and for the number of its arguments.
        let has =
            unsafe { !LLVMIsACallInst(self.raw).is_null() && argument < LLVMGetNumArgOperands(self.raw) };
        if has && align.is_power_of_two() {
            self.add_call_enum(types, argument + 1, "align", u64::from(align));
        }
    }
}

#[cfg(test)]
mod tests;
