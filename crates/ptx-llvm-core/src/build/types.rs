//! Types and what can be asked of them.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::handle::{Type, Value};
use crate::Context;

/// Makes types and constants of one context.
#[derive(Clone, Copy)]
pub struct Types<'c> {
    pub(super) context: &'c Context,
}

impl<'c> Types<'c> {
    /// The types of `context`.
    pub fn new(context: &'c Context) -> Self {
        Self { context }
    }

    /// The integer type of that many bits (1 to 2^23).
    pub fn int(self, bits: u32) -> Type<'c> {
        // SAFETY: the context is alive; the width is brought into LLVM's range.
        Type::new(unsafe { LLVMIntTypeInContext(self.context.raw(), bits.clamp(1, 1 << 23)) })
    }

    /// `half`
    pub fn f16(self) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMHalfTypeInContext(self.context.raw()) })
    }

    /// `bfloat`
    pub fn bf16(self) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMBFloatTypeInContext(self.context.raw()) })
    }

    /// `float`
    pub fn f32(self) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMFloatTypeInContext(self.context.raw()) })
    }

    /// `double`
    pub fn f64(self) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMDoubleTypeInContext(self.context.raw()) })
    }

    /// `void`
    pub fn void(self) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMVoidTypeInContext(self.context.raw()) })
    }

    /// A pointer into an address space, by LLVM's number.
    pub fn pointer(self, space: u32) -> Type<'c> {
        // SAFETY: the context is alive.
        Type::new(unsafe { LLVMPointerTypeInContext(self.context.raw(), space) })
    }

    /// `<count x element>`
    pub fn vector(self, element: Type<'c>, count: u32) -> Type<'c> {
        // SAFETY: the element is a type of this context; a vector has at least one element.
        Type::new(unsafe { LLVMVectorType(element.raw, count.max(1)) })
    }

    /// `[count x element]`
    pub fn array(self, element: Type<'c>, count: u64) -> Type<'c> {
        // SAFETY: the element is a type of this context.
        Type::new(unsafe { LLVMArrayType2(element.raw, count) })
    }

    /// `{ fields }`
    pub fn structure(self, fields: &[Type<'c>]) -> Type<'c> {
        self.structure_of(fields, 0)
    }

    /// `<{ fields }>`, without padding.
    pub fn packed_structure(self, fields: &[Type<'c>]) -> Type<'c> {
        self.structure_of(fields, 1)
    }

    fn structure_of(self, fields: &[Type<'c>], packed: i32) -> Type<'c> {
        let mut raw: Vec<_> = fields.iter().map(|field| field.raw).collect();
        // SAFETY: the fields are types of this context, and LLVM copies the list.
        Type::new(unsafe {
            LLVMStructTypeInContext(self.context.raw(), raw.as_mut_ptr(), raw.len() as u32, packed)
        })
    }

    /// `result (parameters)`
    pub fn function(self, result: Type<'c>, parameters: &[Type<'c>]) -> Type<'c> {
        let mut raw: Vec<_> = parameters.iter().map(|parameter| parameter.raw).collect();
        // SAFETY: the types are of this context, and LLVM copies the list.
        Type::new(unsafe { LLVMFunctionType(result.raw, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// `result (parameters, ...)`: the callee finds the further arguments with `llvm.va_start`.
    pub fn variadic_function(self, result: Type<'c>, parameters: &[Type<'c>]) -> Type<'c> {
        let mut raw: Vec<_> = parameters.iter().map(|parameter| parameter.raw).collect();
        // SAFETY: the types are of this context, and LLVM copies the list.
        Type::new(unsafe { LLVMFunctionType(result.raw, raw.as_mut_ptr(), raw.len() as u32, 1) })
    }
}

impl<'c> Type<'c> {
    pub(super) fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is alive as long as its context.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    /// The width, for an integer.
    pub fn int_bits(self) -> Option<u32> {
        // SAFETY: asked of an integer type only.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.raw) })
    }

    /// LLVM's number of the address space, for a pointer.
    pub fn pointer_space(self) -> Option<u32> {
        // SAFETY: asked of a pointer type only.
        (self.kind() == LLVMTypeKind::LLVMPointerTypeKind)
            .then(|| unsafe { LLVMGetPointerAddressSpace(self.raw) })
    }

    /// Whether it is a scalar floating-point type.
    pub fn is_float(self) -> bool {
        use LLVMTypeKind::*;
        matches!(self.kind(), LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind)
    }

    /// Whether it is a scalar floating-point type, of any target.
    pub(crate) fn is_any_float(self) -> bool {
        use LLVMTypeKind::*;
        self.is_float()
            || matches!(self.kind(), LLVMX86_FP80TypeKind | LLVMFP128TypeKind | LLVMPPC_FP128TypeKind)
    }

    /// Whether it is one integer or floating-point number: what a PTX vector access is made of.
    pub fn is_number(self) -> bool {
        self.is_float() || self.int_bits().is_some()
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    /// The element type and the number of elements, for a vector.
    pub fn vector_parts(self) -> Option<(Type<'c>, u32)> {
        // SAFETY: asked of a vector type only.
        (self.kind() == LLVMTypeKind::LLVMVectorTypeKind)
            .then(|| unsafe { (Type::new(LLVMGetElementType(self.raw)), LLVMGetVectorSize(self.raw)) })
    }

    /// The type of a struct's or array's field; `None` when there is no such field.
    pub fn field(self, index: u32) -> Option<Type<'c>> {
        match self.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                // SAFETY: asked of a struct type, and the index is below the number of fields.
                unsafe {
                    (index < LLVMCountStructElementTypes(self.raw))
                        .then(|| Type::new(LLVMStructGetTypeAtIndex(self.raw, index)))
                }
            }
            // SAFETY: asked of an array type.
            LLVMTypeKind::LLVMArrayTypeKind => unsafe {
                (u64::from(index) < LLVMGetArrayLength2(self.raw))
                    .then(|| Type::new(LLVMGetElementType(self.raw)))
            },
            _ => None,
        }
    }

    /// The parameters' types, for a function type.
    pub fn parameters(self) -> Vec<Type<'c>> {
        if self.kind() != LLVMTypeKind::LLVMFunctionTypeKind {
            return Vec::new();
        }
        // SAFETY: a function type; LLVM fills exactly as many entries as it counts.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Type::new).collect()
        }
    }

    /// Whether it is the type of a function that takes further arguments.
    pub fn is_variadic(self) -> bool {
        // SAFETY: asked of a function type only.
        self.kind() == LLVMTypeKind::LLVMFunctionTypeKind && unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    /// The result's type, for a function type.
    pub fn result(self) -> Option<Type<'c>> {
        // SAFETY: asked of a function type only.
        (self.kind() == LLVMTypeKind::LLVMFunctionTypeKind)
            .then(|| Type::new(unsafe { LLVMGetReturnType(self.raw) }))
    }

    /// The width of the bits it holds, for integers, floats and vectors of them.
    pub fn bits(self) -> Option<u32> {
        use LLVMTypeKind::*;
        match self.kind() {
            LLVMIntegerTypeKind => self.int_bits(),
            LLVMHalfTypeKind | LLVMBFloatTypeKind => Some(16),
            LLVMFloatTypeKind => Some(32),
            LLVMDoubleTypeKind => Some(64),
            LLVMVectorTypeKind => {
                self.vector_parts().and_then(|(element, count)| Some(element.bits()? * count))
            }
            _ => None,
        }
    }

    /// Whether a value of this type can be loaded, stored and passed.
    pub fn is_sized(self) -> bool {
        // SAFETY: the type is alive.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// LLVM's text for it.
    pub fn text(self) -> String {
        // SAFETY: the type is alive; the string is LLVM's and is given back.
        unsafe {
            let raw = LLVMPrintTypeToString(self.raw);
            let text = std::ffi::CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            text
        }
    }

    /// `undef` of this type.
    pub fn undef(self) -> Value<'c> {
        // SAFETY: the type is alive.
        Value::new(unsafe { LLVMGetUndef(self.raw) })
    }

    /// `poison` of this type.
    pub fn poison(self) -> Value<'c> {
        // SAFETY: the type is alive.
        Value::new(unsafe { LLVMGetPoison(self.raw) })
    }

    /// All bits zero: 0, +0.0, the null pointer or an aggregate of those.
    pub fn zero(self) -> Value<'c> {
        // SAFETY: the type is alive.
        Value::new(unsafe { LLVMConstNull(self.raw) })
    }
}
