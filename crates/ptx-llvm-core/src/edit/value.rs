//! Values: what they are, and what is known of constants.

use llvm_sys::LLVMValueKind::{self, *};
use llvm_sys::core::*;

use super::handle::{Block, Function, Inst, Type, Value, Variable};
use super::opcode::Opcode;
use crate::raw;

impl<'e> Value<'e> {
    fn kind(self) -> LLVMValueKind {
        // SAFETY: a value of a handle is not freed before its editor.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    /// Its type.
    pub fn ty(self) -> Type<'e> {
        // SAFETY: as in `kind`.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    /// The instruction whose result it is.
    pub fn as_inst(self) -> Option<Inst<'e>> {
        (self.kind() == LLVMInstructionValueKind).then(|| Inst::new(self.raw))
    }

    /// The instruction whose result it is, if that has the opcode.
    pub fn as_op(self, opcode: Opcode) -> Option<Inst<'e>> {
        self.as_inst().filter(|inst| inst.opcode() == opcode)
    }

    /// The function whose address it is.
    pub fn as_function(self) -> Option<Function<'e>> {
        (self.kind() == LLVMFunctionValueKind).then(|| Function::new(self.raw))
    }

    /// The global variable whose address it is.
    pub fn as_variable(self) -> Option<Variable<'e>> {
        (self.kind() == LLVMGlobalVariableValueKind).then(|| Variable::new(self.raw))
    }

    /// The block whose label it is.
    pub fn as_block(self) -> Option<Block<'e>> {
        // SAFETY: the value of a block.
        (self.kind() == LLVMBasicBlockValueKind)
            .then(|| Block::new(unsafe { LLVMValueAsBasicBlock(self.raw) }))
    }

    /// The function that it is a parameter of, and which.
    pub fn as_parameter(self) -> Option<(Function<'e>, u32)> {
        if self.kind() != LLVMArgumentValueKind {
            return None;
        }
        // SAFETY: a parameter has a function, which has as many as it counts.
        unsafe {
            let function = LLVMGetParamParent(self.raw);
            let at = (0..LLVMCountParams(function)).find(|at| LLVMGetParam(function, *at) == self.raw)?;
            Some((Function::new(function), at))
        }
    }

    /// Whether it is a parameter of a function.
    pub fn is_parameter(self) -> bool {
        self.kind() == LLVMArgumentValueKind
    }

    /// Whether it is the address of a function, a variable or an alias.
    pub fn is_symbol(self) -> bool {
        matches!(
            self.kind(),
            LLVMFunctionValueKind
                | LLVMGlobalVariableValueKind
                | LLVMGlobalAliasValueKind
                | LLVMGlobalIFuncValueKind
        )
    }

    /// Whether it is inline assembly.
    pub fn is_inline_asm(self) -> bool {
        self.kind() == LLVMInlineAsmValueKind
    }

    /// The text of inline assembly.
    pub fn asm_text(self) -> Option<String> {
        let mut length = 0;
        // SAFETY: inline assembly, whose text has as many bytes as LLVM says, and is copied at once.
        self.is_inline_asm().then(|| unsafe {
            let text = LLVMGetInlineAsmAsmString(self.raw, &raw mut length);
            let bytes = if length == 0 { &[][..] } else { std::slice::from_raw_parts(text.cast(), length) };
            String::from_utf8_lossy(bytes).into_owned()
        })
    }

    /// The bytes of a constant array of bytes, as a text has them, without a NUL byte at its end.
    pub fn as_text(self) -> Option<Vec<u8>> {
        let is_data = self.kind() == LLVMConstantDataArrayValueKind;
        let mut length = 0;
        // SAFETY: constant data, which is a text of as many bytes as LLVM says, and is copied at once.
        unsafe {
            if !is_data || LLVMIsConstantString(self.raw) == 0 {
                return None;
            }
            let start = LLVMGetAsString(self.raw, &raw mut length);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            Some(bytes.strip_suffix(b"\0").unwrap_or(bytes).to_vec())
        }
    }

    /// Whether it is a constant: a number, an address, an expression over those.
    pub fn is_constant(self) -> bool {
        // SAFETY: as in `kind`.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undef(self) -> bool {
        matches!(self.kind(), LLVMUndefValueValueKind | LLVMPoisonValueKind)
    }

    /// Whether it is the null pointer.
    pub fn is_null_pointer(self) -> bool {
        self.kind() == LLVMConstantPointerNullValueKind
    }

    /// Whether it is a constant all of whose bits are zero.
    pub fn is_zero(self) -> bool {
        // SAFETY: as in `kind`.
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// Whether it is a constant integer, of any width.
    pub fn is_constant_integer(self) -> bool {
        self.kind() == LLVMConstantIntValueKind
    }

    /// The number that a constant integer of at most 64 bits is, without a sign.
    pub fn as_unsigned(self) -> Option<u64> {
        let is_number = self.is_constant_integer() && self.ty().integer_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: a constant integer of at most 64 bits.
        is_number.then(|| unsafe { LLVMConstIntGetZExtValue(self.raw) })
    }

    /// The number that a constant integer of at most 64 bits is, with a sign.
    pub fn as_signed(self) -> Option<i64> {
        let is_number = self.is_constant_integer() && self.ty().integer_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: a constant integer of at most 64 bits.
        is_number.then(|| unsafe { LLVMConstIntGetSExtValue(self.raw) })
    }

    /// Whether it is a constant vector that lists its elements, of which one is no number.
    pub fn is_constant_vector(self) -> bool {
        self.kind() == LLVMConstantVectorValueKind
    }

    /// What a constant expression does.
    pub fn constant_opcode(self) -> Option<Opcode> {
        // SAFETY: a constant expression.
        (self.kind() == LLVMConstantExprValueKind)
            .then(|| Opcode::of(unsafe { LLVMGetConstOpcode(self.raw) }))
    }

    /// What an instruction or a constant expression does.
    pub fn opcode(self) -> Option<Opcode> {
        self.as_inst().map(Inst::opcode).or_else(|| self.constant_opcode())
    }

    /// How many operands an instruction or a constant has.
    pub fn operand_count(self) -> u32 {
        // SAFETY: operands are counted of what has some.
        unsafe {
            match LLVMIsAUser(self.raw).is_null() {
                true => 0,
                false => LLVMGetNumOperands(self.raw).max(0) as u32,
            }
        }
    }

    /// An operand of an instruction or a constant.
    pub fn operand(self, at: u32) -> Option<Value<'e>> {
        // SAFETY: there are more operands than that.
        (at < self.operand_count()).then(|| unsafe { LLVMGetOperand(self.raw, at) }).and_then(Value::of)
    }

    /// The operands of an instruction or a constant, in LLVM's order.
    pub fn operands(self) -> impl Iterator<Item = Value<'e>> + use<'e> {
        (0..self.operand_count()).filter_map(move |at| self.operand(at))
    }

    /// An element of a constant array, vector or structure; `None` of anything else and beyond its end.
    pub fn element(self, at: u32) -> Option<Value<'e>> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: asked of a constant; null where there is no such element.
        Value::of(unsafe { LLVMGetAggregateElement(self.raw, at) })
    }

    /// The elements of a constant vector or array of a length that is known; none of anything else.
    pub fn elements(self) -> impl Iterator<Item = Value<'e>> + use<'e> {
        (0..).map_while(move |at| self.element(at))
    }

    /// The type that the first index of a `getelementptr` steps over.
    pub fn gep_source(self) -> Option<Type<'e>> {
        let is_gep = self.opcode() == Some(Opcode::GetElementPtr);
        // SAFETY: an instruction or an expression of that kind.
        is_gep.then(|| Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw) }))
    }

    /// The bytes of its name; none where it has only a number.
    pub fn name(self) -> Vec<u8> {
        // SAFETY: as in `kind`.
        unsafe { raw::name(self.raw) }
    }

    /// Gives an instruction, a parameter or a block a name, which LLVM makes unique by a suffix. Other values keep theirs.
    pub fn set_name(self, name: &[u8]) {
        if matches!(self.kind(), LLVMInstructionValueKind | LLVMArgumentValueKind | LLVMBasicBlockValueKind) {
            // SAFETY: as in `kind`; LLVM copies the name, whose length is given.
            unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) };
        }
    }
}

impl<'e> Inst<'e> {
    /// What it does.
    pub fn opcode(self) -> Opcode {
        // SAFETY: an instruction is not freed before its editor.
        Opcode::of(unsafe { LLVMGetInstructionOpcode(self.raw) })
    }
}

/// Declares what a handle has that is a value.
macro_rules! as_value {
    ($($name:ident),*) => {
        $(impl<'e> $name<'e> {
            /// The same as a value.
            pub fn value(self) -> Value<'e> {
                self.into()
            }

            /// The bytes of its name; none where it has only a number.
            pub fn name(self) -> Vec<u8> {
                self.value().name()
            }
        })*
    };
}

as_value!(Inst, Function, Variable);

impl<'e> Inst<'e> {
    /// The type of its result.
    pub fn ty(self) -> Type<'e> {
        self.value().ty()
    }

    /// One of its operands.
    pub fn operand(self, at: u32) -> Option<Value<'e>> {
        self.value().operand(at)
    }

    /// Its operands in LLVM's order: of a call the arguments first, the callee last.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = Value<'e>> + use<'e> {
        (0..self.value().operand_count()).filter_map(move |at| self.operand(at))
    }

    /// Its first two operands.
    pub fn two_operands(self) -> Option<[Value<'e>; 2]> {
        Some([self.operand(0)?, self.operand(1)?])
    }
}
