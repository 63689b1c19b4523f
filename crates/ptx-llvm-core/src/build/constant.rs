//! Constants.

use llvm_sys::core::*;

use super::handle::{Type, Value, misfit};
use super::types::Types;
use crate::LlvmError;

impl<'c> Types<'c> {
    /// An integer constant; bits above the width are cut.
    pub fn int_value(self, bits: u32, value: u64) -> Value<'c> {
        self.wide_value(bits, u128::from(value))
    }

    /// An integer constant of up to 128 bits; bits above the width are cut.
    pub fn wide_value(self, bits: u32, value: u128) -> Value<'c> {
        let kept = if bits >= 128 { value } else { value & ((1u128 << bits) - 1) };
        let words = [kept as u64, (kept >> 64) as u64];
        // SAFETY: an integer type, and as many words as are given.
        Value::new(unsafe { LLVMConstIntOfArbitraryPrecision(self.int(bits).raw, 2, words.as_ptr()) })
    }

    /// `true` or `false`.
    pub fn bool_value(self, value: bool) -> Value<'c> {
        self.int_value(1, u64::from(value))
    }

    /// A constant array of elements of one type.
    ///
    /// # Errors
    ///
    /// When an element has another type or is not a constant.
    pub fn array_value(self, element: Type<'c>, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        if values.iter().any(|value| value.ty() != element || !value.is_constant()) {
            return Err(misfit("a constant array", values));
        }
        let mut raw: Vec<_> = values.iter().map(|value| value.raw).collect();
        // SAFETY: constants of the element's type, and LLVM copies the list.
        Ok(Value::new(unsafe { LLVMConstArray2(element.raw, raw.as_mut_ptr(), raw.len() as u64) }))
    }

    /// A constant array of so many integers of `bits` bits: `values`, cut to the width, and zeros after them. One constant is made, none
    /// for each of the numbers. `None` for other widths than 8, 16, 32 and 64, and for more values than elements.
    pub fn integers_value(
        self,
        bits: u32,
        values: impl Iterator<Item = i64>,
        length: usize,
    ) -> Option<Value<'c>> {
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return None;
        }
        let size = bits as usize / 8;
        let whole = length.checked_mul(size)?;
        let mut data = Vec::with_capacity(whole);
        for value in values {
            let bytes = value.to_ne_bytes();
            let cut = if cfg!(target_endian = "big") { &bytes[8 - size..] } else { &bytes[..size] };
            data.extend_from_slice(cut);
        }
        if data.len() > whole {
            return None;
        }
        data.resize(whole, 0);
        // SAFETY: an integer type of as many bytes as there are for each element, in the host's order, and LLVM copies them.
        Some(Value::new(unsafe { LLVMConstDataArray(self.int(bits).raw, data.as_ptr().cast(), data.len()) }))
    }

    /// A constant array of bytes.
    pub fn bytes_value(self, bytes: &[u8]) -> Value<'c> {
        // SAFETY: the context is alive, LLVM copies the bytes; no NUL is appended.
        Value::new(unsafe {
            LLVMConstStringInContext2(self.context.raw(), bytes.as_ptr().cast(), bytes.len(), 1)
        })
    }

    /// A constant struct without padding.
    ///
    /// # Errors
    ///
    /// When a field is not a constant.
    pub fn packed_value(self, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        if values.iter().any(|value| !value.is_constant()) {
            return Err(misfit("a constant struct", values));
        }
        let mut raw: Vec<_> = values.iter().map(|value| value.raw).collect();
        // SAFETY: constants, and LLVM copies the list.
        Ok(Value::new(unsafe {
            LLVMConstStructInContext(self.context.raw(), raw.as_mut_ptr(), raw.len() as u32, 1)
        }))
    }

    /// A constant vector.
    ///
    /// # Errors
    ///
    /// When there is no element, or the elements differ in type or are no constants.
    pub fn vector_value(self, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let same = values.windows(2).all(|pair| pair[0].ty() == pair[1].ty());
        if values.is_empty() || !same || values.iter().any(|value| !value.is_constant()) {
            return Err(misfit("a constant vector", values));
        }
        let mut raw: Vec<_> = values.iter().map(|value| value.raw).collect();
        // SAFETY: constants of one type, and LLVM copies the list.
        Ok(Value::new(unsafe { LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32) }))
    }
}

impl<'c> Value<'c> {
    /// The address so many bytes after a constant pointer, as a constant expression.
    ///
    /// # Errors
    ///
    /// When it is not a constant pointer.
    pub fn constant_offset(self, types: Types<'c>, bytes: i64) -> Result<Value<'c>, LlvmError> {
        if self.ty().pointer_space().is_none() || !self.is_constant() {
            return Err(misfit("a constant address", &[self]));
        }
        let mut index = [types.int_value(64, bytes as u64).raw];
        // SAFETY: a constant pointer and one constant index.
        Ok(Value::new(unsafe { LLVMConstGEP2(types.int(8).raw, self.raw, index.as_mut_ptr(), 1) }))
    }

    /// A constant pointer in another address space, as a constant expression.
    ///
    /// # Errors
    ///
    /// When it is not a constant pointer, or the type is none.
    pub fn constant_space_cast(self, ty: Type<'c>) -> Result<Value<'c>, LlvmError> {
        match (self.ty().pointer_space(), ty.pointer_space()) {
            (Some(from), Some(to)) if self.is_constant() && from == to => Ok(self),
            (Some(_), Some(_)) if self.is_constant() => {
                // SAFETY: a constant pointer and a pointer type of another space.
                Ok(Value::new(unsafe { LLVMConstAddrSpaceCast(self.raw, ty.raw) }))
            }
            _ => Err(misfit("addrspacecast", &[self])),
        }
    }

    /// The bits of a constant pointer as an integer, as a constant expression.
    ///
    /// # Errors
    ///
    /// When it is not a constant pointer, or the type is not an integer.
    pub fn constant_to_int(self, ty: Type<'c>) -> Result<Value<'c>, LlvmError> {
        if self.ty().pointer_space().is_none() || !self.is_constant() || ty.int_bits().is_none() {
            return Err(misfit("ptrtoint", &[self]));
        }
        // SAFETY: a constant pointer and an integer type.
        Ok(Value::new(unsafe { LLVMConstPtrToInt(self.raw, ty.raw) }))
    }

    /// A constant's bits read as another type of the same width.
    ///
    /// # Errors
    ///
    /// When it is not a constant, or the widths differ.
    pub fn constant_bits_as(self, ty: Type<'c>) -> Result<Value<'c>, LlvmError> {
        if self.ty() == ty {
            return Ok(self);
        }
        if !self.is_constant() || self.ty().bits().is_none() || self.ty().bits() != ty.bits() {
            return Err(misfit("bitcast", &[self]));
        }
        // SAFETY: a constant and a type of the same width, neither a pointer.
        Ok(Value::new(unsafe { LLVMConstBitCast(self.raw, ty.raw) }))
    }

    /// One byte of a constant integer, the lowest being byte 0, as a constant expression: LLVM has no shifts among those, so it is
    /// `extractelement (<8 x i8> bitcast (i64 .. to <8 x i8>), i32 1)`.
    ///
    /// # Errors
    ///
    /// When it is not a constant integer of whole bytes, or has no such byte.
    pub fn constant_byte(self, types: Types<'c>, index: u32) -> Result<Value<'c>, LlvmError> {
        let bytes = self.ty().int_bits().filter(|bits| bits.is_multiple_of(8)).map(|bits| bits / 8);
        let Some(bytes) = bytes.filter(|&bytes| index < bytes) else {
            return Err(misfit("a byte of a constant", &[self]));
        };
        // LLVM folds this of numbers only where it knows the order of bytes.
        if let Some(value) = self.as_constant_int() {
            return Ok(types.int_value(8, value >> (8 * index)));
        }
        let vector = self.constant_bits_as(types.vector(types.int(8), bytes))?;
        let index = types.int_value(32, u64::from(index));
        // SAFETY: a constant vector, and a constant index below the number of its elements.
        Ok(Value::new(unsafe { LLVMConstExtractElement(vector.raw, index.raw) }))
    }
}
