//! Types.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMTypeRef;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMOffsetOfElement, LLVMSizeOfTypeInBits, LLVMStoreSizeOfType,
};

use super::reader::Reader;
use super::text::cstr;
use crate::error::LlvmError;
use crate::view::id::TypeId;
use crate::view::types::{Entry, FloatKind, Layout, Type};

/// Types nested deeper than this are refused: nothing real comes near it.
const MAX_DEPTH: u32 = 256;

impl Reader {
    /// The id of a type.
    pub(super) fn ty(&mut self, raw: LLVMTypeRef) -> Result<TypeId, LlvmError> {
        self.ty_at(raw, 0)
    }

    fn ty_at(&mut self, raw: LLVMTypeRef, depth: u32) -> Result<TypeId, LlvmError> {
        if let Some(&id) = self.types.get(&raw) {
            return Ok(id);
        }
        if depth > MAX_DEPTH {
            let construct = format!("a type nested deeper than {MAX_DEPTH} levels");
            return Err(LlvmError::Unsupported { construct, place: "the module".to_owned() });
        }
        let ty = self.read_type(raw, depth + 1)?;
        let layout = self.read_layout(raw, &ty);
        let text = type_text(raw);
        let id = TypeId::new(self.view.types.len());
        self.view.types.push(Entry { ty, layout, text });
        self.types.insert(raw, id);
        Ok(id)
    }

    fn read_type(&mut self, raw: LLVMTypeRef, depth: u32) -> Result<Type, LlvmError> {
        // SAFETY: `raw` is a type of the module's context, and each getter is called for its own kind only; buffers have
        // the size LLVM states.
        unsafe {
            Ok(match LLVMGetTypeKind(raw) {
                LLVMTypeKind::LLVMVoidTypeKind => Type::Void,
                LLVMTypeKind::LLVMHalfTypeKind => Type::Float(FloatKind::Half),
                LLVMTypeKind::LLVMBFloatTypeKind => Type::Float(FloatKind::BFloat),
                LLVMTypeKind::LLVMFloatTypeKind => Type::Float(FloatKind::Float),
                LLVMTypeKind::LLVMDoubleTypeKind => Type::Float(FloatKind::Double),
                LLVMTypeKind::LLVMX86_FP80TypeKind => Type::Float(FloatKind::Other("x86_fp80")),
                LLVMTypeKind::LLVMFP128TypeKind => Type::Float(FloatKind::Other("fp128")),
                LLVMTypeKind::LLVMPPC_FP128TypeKind => Type::Float(FloatKind::Other("ppc_fp128")),
                LLVMTypeKind::LLVMIntegerTypeKind => Type::Int { bits: LLVMGetIntTypeWidth(raw) },
                LLVMTypeKind::LLVMPointerTypeKind => Type::Pointer { space: LLVMGetPointerAddressSpace(raw) },
                LLVMTypeKind::LLVMArrayTypeKind => {
                    let element = self.ty_at(LLVMGetElementType(raw), depth)?;
                    Type::Array { element, len: LLVMGetArrayLength2(raw) }
                }
                LLVMTypeKind::LLVMVectorTypeKind => {
                    let element = self.ty_at(LLVMGetElementType(raw), depth)?;
                    Type::Vector { element, len: LLVMGetVectorSize(raw) }
                }
                LLVMTypeKind::LLVMStructTypeKind if LLVMIsOpaqueStruct(raw) != 0 => {
                    Type::Other("opaque structure")
                }
                LLVMTypeKind::LLVMStructTypeKind => {
                    let mut fields = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(raw) as usize];
                    LLVMGetStructElementTypes(raw, fields.as_mut_ptr());
                    Type::Struct { fields: self.all(&fields, depth)? }
                }
                LLVMTypeKind::LLVMFunctionTypeKind => {
                    let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(raw) as usize];
                    LLVMGetParamTypes(raw, params.as_mut_ptr());
                    let ret = self.ty_at(LLVMGetReturnType(raw), depth)?;
                    Type::Function {
                        ret,
                        params: self.all(&params, depth)?,
                        variadic: LLVMIsFunctionVarArg(raw) != 0,
                    }
                }
                LLVMTypeKind::LLVMLabelTypeKind => Type::Other("label"),
                LLVMTypeKind::LLVMMetadataTypeKind => Type::Other("metadata"),
                LLVMTypeKind::LLVMTokenTypeKind => Type::Other("token"),
                LLVMTypeKind::LLVMScalableVectorTypeKind => Type::Other("scalable vector"),
                LLVMTypeKind::LLVMX86_AMXTypeKind => Type::Other("x86_amx"),
                LLVMTypeKind::LLVMTargetExtTypeKind => Type::Other("target extension type"),
            })
        }
    }

    fn all(&mut self, raw: &[LLVMTypeRef], depth: u32) -> Result<Box<[TypeId]>, LlvmError> {
        raw.iter().map(|&ty| self.ty_at(ty, depth)).collect()
    }

    /// The layout of `raw`, whose reading is `ty`. What holds something without a layout has none.
    fn read_layout(&self, raw: LLVMTypeRef, ty: &Type) -> Option<Layout> {
        let fields = match ty {
            Type::Void | Type::Function { .. } | Type::Other(_) => return None,
            Type::Int { .. } | Type::Float(_) | Type::Pointer { .. } => 0,
            Type::Array { element, len } => {
                // LLVM multiplies without a check.
                self.view.layout(*element)?.bits.max(8).checked_mul(*len)?.checked_mul(2)?;
                0
            }
            Type::Vector { element, .. } => {
                self.view.layout(*element)?;
                0
            }
            Type::Struct { fields } => {
                let sizes = fields.iter().map(|&field| self.view.layout(field).map(|layout| layout.size));
                sizes
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .try_fold(0u64, |sum, size| sum.checked_add(size))?;
                fields.len() as u32
            }
        };
        let data = self.layout.raw();
        // SAFETY: the type and all it holds are sized and not scalable, as checked above; field numbers are in range.
        unsafe {
            Some(Layout {
                size: LLVMABISizeOfType(data, raw),
                store_size: LLVMStoreSizeOfType(data, raw),
                bits: LLVMSizeOfTypeInBits(data, raw),
                align: LLVMABIAlignmentOfType(data, raw),
                offsets: (0..fields).map(|field| LLVMOffsetOfElement(data, raw, field)).collect(),
            })
        }
    }
}

fn type_text(raw: LLVMTypeRef) -> String {
    // SAFETY: the type is alive and the text is ours to dispose.
    unsafe {
        let text = LLVMPrintTypeToString(raw);
        let copy = cstr(text);
        LLVMDisposeMessage(text);
        copy
    }
}
