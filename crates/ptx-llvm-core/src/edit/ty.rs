//! Types: what they are, and constants of them.

use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;

use super::handle::{Type, Value};
use crate::LlvmError;

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "LLVM's names of floating-point types")]
pub enum TypeKind<'e> {
    /// An integer, with its bits.
    Integer(u32),
    Half,
    BFloat,
    Float,
    Double,
    /// A pointer, with the number of its address space.
    Pointer(u32),
    /// A vector of fixed length.
    Vector {
        /// The type of its elements.
        element: Type<'e>,
        /// How many there are.
        length: u32,
    },
    /// A vector of a multiple of a length that is not known.
    ScalableVector {
        /// The type of its elements.
        element: Type<'e>,
    },
    /// An array.
    Array {
        /// The type of its elements.
        element: Type<'e>,
        /// How many there are.
        length: u64,
    },
    /// A structure, with the number of its fields.
    Struct(u32),
    /// `void`.
    Void,
    /// A floating-point type of another target: `fp128` and its like.
    OtherFloat,
    /// A function, a label, metadata, or a type of another target.
    Other,
}

impl<'e> Type<'e> {
    /// What it is.
    pub fn kind(self) -> TypeKind<'e> {
        // SAFETY: a type lives as long as its context; each question is asked of the kind that it is for.
        unsafe {
            match LLVMGetTypeKind(self.raw) {
                LLVMIntegerTypeKind => TypeKind::Integer(LLVMGetIntTypeWidth(self.raw)),
                LLVMHalfTypeKind => TypeKind::Half,
                LLVMBFloatTypeKind => TypeKind::BFloat,
                LLVMFloatTypeKind => TypeKind::Float,
                LLVMDoubleTypeKind => TypeKind::Double,
                LLVMPointerTypeKind => TypeKind::Pointer(LLVMGetPointerAddressSpace(self.raw)),
                LLVMVectorTypeKind => TypeKind::Vector {
                    element: Type::new(LLVMGetElementType(self.raw)),
                    length: LLVMGetVectorSize(self.raw),
                },
                LLVMScalableVectorTypeKind => {
                    TypeKind::ScalableVector { element: Type::new(LLVMGetElementType(self.raw)) }
                }
                LLVMArrayTypeKind => TypeKind::Array {
                    element: Type::new(LLVMGetElementType(self.raw)),
                    length: LLVMGetArrayLength2(self.raw),
                },
                LLVMStructTypeKind => TypeKind::Struct(LLVMCountStructElementTypes(self.raw)),
                LLVMVoidTypeKind => TypeKind::Void,
                LLVMX86_FP80TypeKind | LLVMFP128TypeKind | LLVMPPC_FP128TypeKind => TypeKind::OtherFloat,
                _ => TypeKind::Other,
            }
        }
    }

    /// The width, for an integer.
    pub fn integer_bits(self) -> Option<u32> {
        match self.kind() {
            TypeKind::Integer(bits) => Some(bits),
            _ => None,
        }
    }

    /// The number of the address space, for a pointer.
    pub fn pointer_space(self) -> Option<u32> {
        match self.kind() {
            TypeKind::Pointer(space) => Some(space),
            _ => None,
        }
    }

    /// The type of the elements of a vector, or the type itself.
    pub fn scalar(self) -> Type<'e> {
        match self.kind() {
            TypeKind::Vector { element, .. } | TypeKind::ScalableVector { element } => element,
            _ => self,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double | TypeKind::OtherFloat
        )
    }

    /// The type of a field of a structure, or of the elements of an array that has so many.
    pub fn field(self, at: u32) -> Option<Type<'e>> {
        match self.kind() {
            // SAFETY: the structure has the field.
            TypeKind::Struct(count) if at < count => unsafe {
                Some(Type::new(LLVMStructGetTypeAtIndex(self.raw, at)))
            },
            TypeKind::Array { element, length } if u64::from(at) < length => Some(element),
            _ => None,
        }
    }

    /// Whether values of it are the operands and results of instructions: neither `void` nor a function, a label or metadata.
    pub fn is_first_class(self) -> bool {
        !matches!(self.kind(), TypeKind::Void | TypeKind::Other)
    }

    /// A number of an integer type, or in every element of a vector of integers of fixed length; bits above the width are cut, and
    /// those above 64 are copies of the sign.
    ///
    /// # Errors
    ///
    /// When it is no such type.
    pub fn number(self, number: i64) -> Result<Value<'e>, LlvmError> {
        let Some(bits) = self.scalar().integer_bits() else {
            return Err(LlvmError::Other { message: format!("no number of type {self:?}") });
        };
        let unused = 64_u32.saturating_sub(bits);
        let number = ((number << unused) >> unused) as u64;
        match self.kind() {
            // SAFETY: an integer type, and a number of its width.
            TypeKind::Integer(_) => unsafe { Ok(Value::new(LLVMConstInt(self.raw, number, 1))) },
            // SAFETY: a vector of as many constants of its element type; LLVM copies the list.
            TypeKind::Vector { element, length } => unsafe {
                let mut elements = vec![LLVMConstInt(element.raw, number, 1); length as usize];
                Ok(Value::new(LLVMConstVector(elements.as_mut_ptr(), length)))
            },
            _ => Err(LlvmError::Other { message: format!("no number of type {self:?}") }),
        }
    }

    /// All bits zero: 0, +0.0, the null pointer, or an aggregate of those.
    ///
    /// # Errors
    ///
    /// When the type has no values.
    pub fn zero(self) -> Result<Value<'e>, LlvmError> {
        if !self.is_first_class() {
            return Err(LlvmError::Other { message: format!("no zero of type {self:?}") });
        }
        // SAFETY: a type that has a zero.
        Ok(Value::new(unsafe { LLVMConstNull(self.raw) }))
    }

    /// `poison`.
    ///
    /// # Errors
    ///
    /// When the type has no values.
    pub fn poison(self) -> Result<Value<'e>, LlvmError> {
        if !self.is_first_class() {
            return Err(LlvmError::Other { message: format!("no poison of type {self:?}") });
        }
        // SAFETY: a type of values.
        Ok(Value::new(unsafe { LLVMGetPoison(self.raw) }))
    }
}
