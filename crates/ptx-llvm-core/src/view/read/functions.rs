//! Functions and their blocks.

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use rustc_hash::FxHashMap as HashMap;

use super::attributes::AttributeIndex;
use super::reader::Reader;
use super::symbols::{linkage, section, visibility};
use super::text::value_name;
use crate::error::LlvmError;
use crate::view::function::{Block, Function, Param};
use crate::view::id::{BlockId, InstId};
use crate::view::inst::CallingConvention;
use crate::view::types::Type;
use crate::view::value::Value;

/// What the operands of one function's instructions mean.
#[derive(Default)]
pub(super) struct Locals {
    pub(super) values: HashMap<LLVMValueRef, Value>,
    pub(super) blocks: HashMap<LLVMBasicBlockRef, BlockId>,
}

impl Reader {
    /// Reads a function.
    pub(super) fn function(&mut self, raw: LLVMValueRef) -> Result<Function, LlvmError> {
        // SAFETY: `raw` is a function of the module.
        let (ty, convention, intrinsic, align) = unsafe {
            (
                LLVMGlobalGetValueType(raw),
                LLVMGetFunctionCallConv(raw),
                LLVMGetIntrinsicID(raw),
                LLVMGetAlignment(raw),
            )
        };
        let name = value_name(raw);
        let ty = self.ty(ty)?;
        let Type::Function { ret, params: param_types, variadic } = self.view.ty(ty).clone() else {
            let construct = "a function without a function type".to_owned();
            return Err(LlvmError::Unsupported { construct, place: name });
        };
        let mut locals = Locals::default();
        let mut params = Vec::with_capacity(param_types.len());
        for (at, &param_type) in param_types.iter().enumerate() {
            // SAFETY: the function has as many parameters as its type.
            let value = unsafe { LLVMGetParam(raw, at as u32) };
            locals.values.insert(value, Value::Arg(at as u32));
            let attributes = self.function_attributes(raw, AttributeIndex::Param(at as u32))?;
            params.push(Param { name: value_name(value), ty: param_type, attributes });
        }
        let mut function = Function {
            name,
            ty,
            ret,
            params,
            variadic,
            convention: calling_convention(convention),
            linkage: linkage(raw),
            visibility: visibility(raw),
            intrinsic: intrinsic != 0,
            attributes: self.function_attributes(raw, AttributeIndex::Function)?,
            ret_attributes: self.function_attributes(raw, AttributeIndex::Return)?,
            align: (align != 0).then_some(align),
            section: section(raw),
            metadata: self.global_metadata(raw),
            location: self.function_location(raw),
            subprogram: self.subprogram(raw),
            records: Vec::new(),
            blocks: Vec::new(),
            insts: Vec::new(),
        };
        self.body(raw, &mut locals, &mut function)?;
        Ok(function)
    }

    /// Numbers the blocks and instructions of a function, then reads them.
    fn body(
        &mut self,
        raw: LLVMValueRef,
        locals: &mut Locals,
        function: &mut Function,
    ) -> Result<(), LlvmError> {
        let mut insts = Vec::new();
        // SAFETY: `raw` is a function of the module; each iteration ends in null; texts are copied at once.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(raw);
            while !block.is_null() {
                locals.blocks.insert(block, BlockId::new(function.blocks.len()));
                let first = insts.len() as u32;
                let mut inst = LLVMGetFirstInstruction(block);
                while !inst.is_null() {
                    locals.values.insert(inst, Value::Inst(InstId::new(insts.len())));
                    insts.push(inst);
                    inst = LLVMGetNextInstruction(inst);
                }
                let name = value_name(LLVMBasicBlockAsValue(block));
                function.blocks.push(Block { name, insts: first..insts.len() as u32 });
                block = LLVMGetNextBasicBlock(block);
            }
        }
        function.insts.reserve(insts.len());
        for inst in insts {
            let before = InstId::new(function.insts.len());
            self.records(inst, before, locals, &mut function.records)?;
            let read = self.inst(inst, locals, &function.name)?;
            function.insts.push(read);
        }
        Ok(())
    }
}

/// LLVM's number of a calling convention, by its name (llvm/IR/CallingConv.h).
pub(super) fn calling_convention(number: u32) -> CallingConvention {
    match number {
        0 => CallingConvention::C,
        71 => CallingConvention::PtxKernel,
        72 => CallingConvention::PtxDevice,
        other => CallingConvention::Other(other),
    }
}
