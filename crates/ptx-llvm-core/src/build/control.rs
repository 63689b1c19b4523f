//! Calls, inline assembly, branches and phis.

use llvm_sys::core::*;
use llvm_sys::{LLVMInlineAsmDialect, LLVMTypeKind};

use super::global::Function;
use super::handle::{Block, Type, Value, misfit};
use super::instruction::{Asm, AsmEffects, Builder, Built};
use crate::LlvmError;
use crate::marks;

impl<'c> Builder<'c> {
    /// A call of a function of this module.
    ///
    /// # Errors
    ///
    /// When the arguments differ from the function's parameters.
    pub fn call(&self, function: Function<'c>, arguments: &[Value<'c>]) -> Built<'c> {
        self.call_value(function.ty(), function.value(), arguments)
    }

    /// A call through a pointer.
    ///
    /// # Errors
    ///
    /// When the callee is not a pointer or the arguments differ from the type's parameters; after those, a variadic
    /// function takes any.
    pub fn call_value(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>]) -> Built<'c> {
        self.at()?;
        let parameters = ty.parameters();
        let enough =
            parameters.len() == arguments.len() || (ty.is_variadic() && parameters.len() < arguments.len());
        let same = enough && parameters.iter().zip(arguments).all(|(p, a)| *p == a.ty());
        if !same || ty.result().is_none() || callee.ty().pointer_space().is_none() {
            return Err(misfit(&format!("a call of type {}", ty.text()), arguments));
        }
        Ok(self.raw_call(ty, callee, arguments))
    }

    /// The call itself; callers have checked types.
    fn raw_call(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw).collect();
        // SAFETY: a function type, a pointer and arguments of the parameters' types; LLVM copies the list.
        Value::new(unsafe {
            LLVMBuildCall2(self.raw, ty.raw, callee.raw, raw.as_mut_ptr(), raw.len() as u32, c"".as_ptr())
        })
    }

    /// A call of an intrinsic that LLVM must take for one that reads and writes any memory, whatever the intrinsic's own attributes
    /// say: an operand bundle `"ptx.order"` without operands, which no pass may drop and code generation ignores.
    ///
    /// # Errors
    ///
    /// When the arguments differ from the function's parameters.
    pub fn call_ordered(&self, function: Function<'c>, arguments: &[Value<'c>]) -> Built<'c> {
        const TAG: &str = marks::ORDER;
        self.at()?;
        let ty = function.ty();
        let parameters = ty.parameters();
        let same = parameters.len() == arguments.len()
            && parameters.iter().zip(arguments).all(|(p, a)| *p == a.ty());
        if !same || ty.result().is_none() {
            return Err(misfit(&format!("a call of type {}", ty.text()), arguments));
        }
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw).collect();
        // SAFETY: a function and arguments of its parameters' types; LLVM copies the lists, and the bundle is disposed of once
        // the call has a copy of it.
        Ok(Value::new(unsafe {
            let mut bundle = LLVMCreateOperandBundle(TAG.as_ptr().cast(), TAG.len(), std::ptr::null_mut(), 0);
            let call = LLVMBuildCallWithOperandBundles(
                self.raw,
                ty.raw,
                function.value().raw,
                raw.as_mut_ptr(),
                raw.len() as u32,
                &raw mut bundle,
                1,
                c"".as_ptr(),
            );
            LLVMDisposeOperandBundle(bundle);
            call
        }))
    }

    /// A call of inline assembly of the given function type.
    ///
    /// # Errors
    ///
    /// When the arguments differ from the type's parameters.
    pub fn inline_asm(&self, ty: Type<'c>, asm: Asm<'_>, arguments: &[Value<'c>]) -> Built<'c> {
        self.at()?;
        let parameters = ty.parameters();
        let same = parameters.len() == arguments.len()
            && parameters.iter().zip(arguments).all(|(p, a)| *p == a.ty());
        if !same || ty.result().is_none() {
            return Err(misfit(&format!("inline assembly of type {}", ty.text()), arguments));
        }
        // SAFETY: a function type; LLVM copies both texts. That the constraints match the type is for LLVM's verifier.
        let callee = unsafe {
            LLVMGetInlineAsm(
                ty.raw,
                asm.text.as_ptr().cast(),
                asm.text.len(),
                asm.constraints.as_ptr().cast(),
                asm.constraints.len(),
                i32::from(asm.effects == AsmEffects::SideEffects),
                0,
                LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            )
        };
        Ok(self.raw_call(ty, Value::new(callee), arguments))
    }

    /// `br`
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn branch(&self, to: Block<'c>) -> Built<'c> {
        self.at()?;
        // SAFETY: a live block.
        Ok(Value::new(unsafe { LLVMBuildBr(self.raw, to.raw) }))
    }

    /// `br` on a condition.
    ///
    /// # Errors
    ///
    /// When the condition is no `i1` or the block is terminated already.
    pub fn branch_if(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Built<'c> {
        self.at()?;
        if condition.ty().int_bits() != Some(1) {
            return Err(misfit("br", &[condition]));
        }
        // SAFETY: an `i1` and live blocks.
        Ok(Value::new(unsafe { LLVMBuildCondBr(self.raw, condition.raw, yes.raw, no.raw) }))
    }

    /// `br` on a condition that is usually true, or usually false: with the metadata `!prof`, by weights of 2000 to 1 as LLVM gives
    /// what `__builtin_expect` marks.
    ///
    /// # Errors
    ///
    /// As [`Builder::branch_if`].
    pub fn branch_if_likely(
        &self,
        condition: Value<'c>,
        yes: Block<'c>,
        no: Block<'c>,
        likely: bool,
    ) -> Built<'c> {
        let branch = self.branch_if(condition, yes, no)?;
        let weights = if likely { [2000, 1] } else { [1, 2000] };
        let number = |weight| self.types.metadata_value(self.types.int_value(32, weight));
        let name = self.types.metadata_string("branch_weights");
        let node = self.types.metadata_node(&[name, number(weights[0]), number(weights[1])]);
        self.types.attach(branch, "prof", node);
        Ok(branch)
    }

    /// `switch` over numbers, each with its block.
    ///
    /// # Errors
    ///
    /// When the index is not an integer of at most 64 bits, two numbers are the same once they are cut to its width, or the block is
    /// terminated already.
    pub fn switch_on(&self, index: Value<'c>, default: Block<'c>, cases: &[(u64, Block<'c>)]) -> Built<'c> {
        self.at()?;
        let bits = index.ty().int_bits().filter(|bits| *bits <= 64);
        let Some(bits) = bits else { return Err(misfit("switch", &[index])) };
        let mut numbers: Vec<u64> = cases.iter().map(|(number, _)| number << (64 - bits)).collect();
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(LlvmError::Other { message: "a switch with the same number twice".to_owned() });
        }
        // SAFETY: an integer, live blocks, and distinct constants of the integer's type.
        unsafe {
            let switch = LLVMBuildSwitch(self.raw, index.raw, default.raw, cases.len() as u32);
            for (number, case) in cases {
                LLVMAddCase(switch, self.types.int_value(bits, *number).raw, case.raw);
            }
            Ok(Value::new(switch))
        }
    }

    /// `switch` over 0, 1, 2 .. in order.
    ///
    /// # Errors
    ///
    /// When the index is not an integer or the block is terminated already.
    pub fn switch(&self, index: Value<'c>, default: Block<'c>, cases: &[Block<'c>]) -> Built<'c> {
        self.at()?;
        let Some(bits) = index.ty().int_bits() else { return Err(misfit("switch", &[index])) };
        // SAFETY: an integer, live blocks, and distinct constants of the integer's type.
        unsafe {
            let switch = LLVMBuildSwitch(self.raw, index.raw, default.raw, cases.len() as u32);
            for (number, case) in cases.iter().enumerate() {
                LLVMAddCase(switch, self.types.int_value(bits, number as u64).raw, case.raw);
            }
            Ok(Value::new(switch))
        }
    }

    /// `ret`, with or without a value.
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn ret(&self, value: Option<Value<'c>>) -> Built<'c> {
        self.at()?;
        // SAFETY: a place to build at; that the type is the function's is for LLVM's verifier.
        Ok(Value::new(unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value.raw),
                None => LLVMBuildRetVoid(self.raw),
            }
        }))
    }

    /// `unreachable`
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn unreachable(&self) -> Built<'c> {
        self.at()?;
        // SAFETY: a place to build at.
        Ok(Value::new(unsafe { LLVMBuildUnreachable(self.raw) }))
    }

    /// A `phi` without incoming values; call it before anything else in the block.
    ///
    /// # Errors
    ///
    /// When there is no place to build at or the type is `void`.
    pub fn phi(&self, ty: Type<'c>) -> Built<'c> {
        self.at()?;
        if ty.is_void() || ty.kind() == LLVMTypeKind::LLVMFunctionTypeKind {
            return Err(LlvmError::Other { message: format!("no phi of type {}", ty.text()) });
        }
        // SAFETY: a first-class type.
        Ok(Value::new(unsafe { LLVMBuildPhi(self.raw, ty.raw, c"".as_ptr()) }))
    }

    /// Adds what a `phi` is when control comes from a block.
    ///
    /// # Errors
    ///
    /// When the first value is no `phi` or the second has another type.
    pub fn add_incoming(&self, phi: Value<'c>, value: Value<'c>, from: Block<'c>) -> Result<(), LlvmError> {
        // SAFETY: a live value is asked what it is; then a phi gets a value of its type.
        unsafe {
            if LLVMIsAPHINode(phi.raw).is_null() || phi.ty() != value.ty() {
                return Err(misfit("phi", &[phi, value]));
            }
            LLVMAddIncoming(phi.raw, &mut { value.raw }, &mut { from.raw }, 1);
        }
        Ok(())
    }
}
