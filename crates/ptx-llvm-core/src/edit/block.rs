//! Blocks and functions.

use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::*;

use super::handle::{Block, Function, Inst, Type, Value, Variable};
use super::opcode::Opcode;
use super::operation::Attribute;
use crate::raw;
use crate::view::CallingConvention;

/// LLVM's number for `ptx_kernel`.
const PTX_KERNEL: u32 = 71;
/// LLVM's number for `ptx_device`.
const PTX_DEVICE: u32 = 72;

impl<'e> Block<'e> {
    /// The function that it is in.
    pub fn function(self) -> Function<'e> {
        // SAFETY: blocks are not freed before their editor, and each is in a function.
        Function::new(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// The block after it in the order of the function.
    pub fn next(self) -> Option<Block<'e>> {
        // SAFETY: as in `function`; null after the last.
        Block::of(unsafe { LLVMGetNextBasicBlock(self.raw) })
    }

    /// Its instructions as they are now, in order.
    pub fn instructions(self) -> Vec<Inst<'e>> {
        // SAFETY: as in `function`.
        unsafe { raw::instructions(self.raw) }.into_iter().map(Inst::new).collect()
    }

    /// Its first instruction.
    pub fn first(self) -> Option<Inst<'e>> {
        // SAFETY: as in `function`; null where it is empty.
        Inst::of(unsafe { LLVMGetFirstInstruction(self.raw) })
    }

    /// Its first instruction that is not a phi.
    pub fn first_after_phis(self) -> Option<Inst<'e>> {
        let mut inst = self.first();
        while let Some(phi) = inst.filter(|inst| inst.opcode() == Opcode::Phi) {
            inst = phi.next();
        }
        inst
    }

    /// Its phis, which come first.
    pub fn phis(self) -> impl Iterator<Item = Inst<'e>> + use<'e> {
        self.instructions().into_iter().take_while(|inst| inst.opcode() == Opcode::Phi)
    }

    /// The instruction that ends it.
    pub fn terminator(self) -> Option<Inst<'e>> {
        // SAFETY: as in `function`; null where it has none.
        Inst::of(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The blocks that control may go to after it, in the order of its terminator.
    pub fn successors(self) -> impl Iterator<Item = Block<'e>> + use<'e> {
        self.terminator().into_iter().flat_map(Inst::successors)
    }
}

impl<'e> Function<'e> {
    /// Its blocks as they are now, the entry first; none of a declaration.
    pub fn blocks(self) -> Vec<Block<'e>> {
        // SAFETY: functions are not freed before their editor.
        unsafe { raw::blocks(self.raw) }.into_iter().map(Block::new).collect()
    }

    /// Its instructions as they are now, block after block.
    pub fn instructions(self) -> Vec<Inst<'e>> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    /// The block that it begins with; `None` of a declaration.
    pub fn entry(self) -> Option<Block<'e>> {
        // SAFETY: as in `blocks`; null where it has none.
        Block::of(unsafe { LLVMGetFirstBasicBlock(self.raw) })
    }

    /// One of its parameters.
    pub fn parameter(self, at: u32) -> Option<Value<'e>> {
        // SAFETY: as in `blocks`; it has more parameters than that.
        unsafe { (at < LLVMCountParams(self.raw)).then(|| Value::new(LLVMGetParam(self.raw, at))) }
    }

    /// Its type: what it takes and gives.
    pub fn function_type(self) -> Type<'e> {
        // SAFETY: as in `blocks`.
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    /// The type of what it gives.
    pub fn result_type(self) -> Type<'e> {
        // SAFETY: the type of a function.
        Type::new(unsafe { LLVMGetReturnType(LLVMGlobalGetValueType(self.raw)) })
    }

    /// Whether values are of the types of its parameters, as many as it has.
    pub fn takes(self, arguments: &[Value<'e>]) -> bool {
        let parameters = self.function_type().build().parameters();
        parameters.into_iter().eq(arguments.iter().map(|argument| argument.ty().build()))
    }

    /// Whether it is one of LLVM's intrinsics.
    pub fn is_intrinsic(self) -> bool {
        // SAFETY: as in `blocks`.
        unsafe { LLVMGetIntrinsicID(self.raw) != 0 }
    }

    /// Whether passes may optimize it: it is not `optnone`.
    pub fn is_optimized(self) -> bool {
        self.attribute("optnone").is_none()
    }

    /// Its calling convention.
    pub fn calling_convention(self) -> CallingConvention {
        // SAFETY: as in `blocks`.
        match unsafe { LLVMGetFunctionCallConv(self.raw) } {
            0 => CallingConvention::C,
            PTX_KERNEL => CallingConvention::PtxKernel,
            PTX_DEVICE => CallingConvention::PtxDevice,
            other => CallingConvention::Other(other),
        }
    }

    /// The number of one of its attributes, which is 0 where the attribute has none; `None` without the attribute.
    pub fn attribute(self, name: &str) -> Option<u64> {
        self.attribute_at(LLVMAttributeFunctionIndex, name)
    }

    /// The same of an attribute of one of its parameters.
    pub fn parameter_attribute(self, parameter: u32, name: &str) -> Option<u64> {
        // Place 0 is the result's.
        self.attribute_at(parameter.checked_add(1)?, name)
    }

    fn attribute_at(self, place: u32, name: &str) -> Option<u64> {
        // SAFETY: the name has as many bytes as stated; an attribute is asked for its number if it is there, and one that has a type has none.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMGetEnumAttributeAtIndex(self.raw, place, kind);
            if attribute.is_null() {
                return None;
            }
            Some(if LLVMIsEnumAttribute(attribute) != 0 { LLVMGetEnumAttributeValue(attribute) } else { 0 })
        }
    }

    /// The value of one of its attributes that are texts.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        // SAFETY: the name has as many bytes as stated; LLVM's text is copied.
        unsafe {
            let length = u32::try_from(name.len()).ok()?;
            let attribute = LLVMGetStringAttributeAtIndex(
                self.raw,
                LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                length,
            );
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(attribute, &raw mut length);
            if length == 0 {
                return Some(String::new());
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

impl Function<'_> {
    /// Gives it an attribute.
    pub fn add_attribute(self, attribute: Attribute) {
        // SAFETY: functions are not freed before their editor, and the attribute is of the function's context.
        unsafe {
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(self.raw));
            LLVMAddAttributeAtIndex(self.raw, LLVMAttributeFunctionIndex, attribute.raw(context));
        }
    }

    /// Removes an attribute.
    pub fn remove_attribute(self, name: &str) {
        // SAFETY: functions are not freed before their editor; the name has as many bytes as stated.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(self.raw, LLVMAttributeFunctionIndex, kind);
        }
    }

    /// Gives it an attribute that is a text, in place of one of this name.
    pub fn set_text_attribute(self, name: &str, value: &str) {
        let (key, at) = (name.as_ptr().cast(), LLVMAttributeFunctionIndex);
        let (Ok(key_length), Ok(length)) = (u32::try_from(name.len()), u32::try_from(value.len())) else {
            debug_assert!(false, "no attribute has 4 GiB");
            return;
        };
        // SAFETY: both texts have as many bytes as stated, and LLVM copies them; the attribute is of the function's context.
        unsafe {
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(self.raw));
            LLVMRemoveStringAttributeAtIndex(self.raw, at, key, key_length);
            let attribute =
                LLVMCreateStringAttribute(context, key, key_length, value.as_ptr().cast(), length);
            LLVMAddAttributeAtIndex(self.raw, at, attribute);
        }
    }
}

impl<'e> Variable<'e> {
    /// Its initial value; `None` of a declaration.
    pub fn initializer(self) -> Option<Value<'e>> {
        // SAFETY: variables are not freed before their editor; null where it has none.
        Value::of(unsafe { LLVMGetInitializer(self.raw) })
    }

    /// Whether it is `constant`.
    pub fn is_constant(self) -> bool {
        // SAFETY: as in `initializer`.
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Whether no other definition can replace this one: it is internal, private, or external without being weak.
    pub fn is_definitive(self) -> bool {
        use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage, LLVMPrivateLinkage};
        // SAFETY: as in `initializer`.
        let linkage = unsafe { LLVMGetLinkage(self.raw) };
        matches!(linkage, LLVMInternalLinkage | LLVMPrivateLinkage | LLVMExternalLinkage)
    }
}
