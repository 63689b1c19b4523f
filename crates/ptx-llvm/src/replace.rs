//! Instructions replaced by what functions written as LLVM IR compute.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMTypeKind};
use rustc_hash::FxHashMap as HashMap;

use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;
use crate::raw;
use crate::view::{FunctionId, InstId};

/// An instruction, and the function that computes its result from its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// Where the instruction is, as a [`View`](crate::view::View) of the module numbers it.
    pub function: FunctionId,
    /// Which it is there.
    pub inst: InstId,
    /// The name of a function of the text. Its parameters are the operands of the instruction that are data, in their order, or the arguments where
    /// it is a call, and its result has the instruction's type.
    pub with: String,
}

const INLINE: &str = "alwaysinline";
const STRICT: &str = "strictfp";

/// Replaces instructions by calls of functions that `text` defines, and inlines these:
///
/// ```text
///   %r = frem float %a, %b     define float @frem(float %a, float %b) {  ..      the body of @frem with %a and %b
/// ```
///
/// The functions of `text` must call no other function of it, and none of them may have the name of one of the module's. What the module itself
/// asks to inline is not inlined. Functions keep their attributes, but for `strictfp`.
///
/// # Errors
///
/// LLVM's message about the text or the module with the calls.
pub fn replace(
    module: &mut Module<'_>,
    text: &str,
    wanted: &[Replacement],
    machine: &Machine,
) -> Result<(), LlvmError> {
    let functions = Module::parse_text(module.context(), "replacements", text.as_bytes())?;
    functions.inkwell().set_triple(&module.inkwell().get_triple());
    functions.set_data_layout(&module.data_layout());
    let defined = functions.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0);
    let names: Vec<String> =
        defined.map(|function| function.get_name().to_string_lossy().into_owned()).collect();
    let sites: Vec<_> = wanted.iter().map(|own| (own.function, own.inst)).collect();
    let places = places(module, &sites);
    withdraw_inlining(module);
    module.link_whole(functions)?;
    let mut found = HashMap::default();
    for name in names {
        if let Some(function) = module.inkwell().get_function(&name) {
            function.set_linkage(Linkage::Internal);
            inline_without_trace(module, function);
            // SAFETY: the function is the module's, which nothing else changes meanwhile.
            unsafe { drop_names(function.as_value_ref()) };
            found.insert(name, function);
        }
    }
    for (inst, wanted) in places.into_iter().zip(wanted) {
        // SAFETY: the instruction and the function are of the module, which nothing else changes meanwhile.
        let replaced = inst
            .zip(found.get(&wanted.with))
            .is_some_and(|(inst, function)| unsafe { call_instead(inst, *function) });
        if !replaced {
            return Err(LlvmError::Other {
                message: format!("{} does not replace an instruction", wanted.with),
            });
        }
    }
    // The calls are checked before they are inlined: the types of their arguments are the caller's claim.
    module.verify()?;
    run_passes(module, "always-inline", machine)
}

/// The instructions, in the order in which they are wanted; `None` where there is none.
fn places(module: &Module<'_>, wanted: &[(FunctionId, InstId)]) -> Vec<Option<LLVMValueRef>> {
    let functions: Vec<LLVMValueRef> =
        module.inkwell().get_functions().map(|function| function.as_value_ref()).collect();
    let mut known: HashMap<FunctionId, Vec<LLVMValueRef>> = HashMap::default();
    let mut places = Vec::with_capacity(wanted.len());
    for (function, inst) in wanted {
        let insts = known.entry(*function).or_insert_with(|| {
            let Some(&function) = functions.get(function.index()) else { return Vec::new() };
            // SAFETY: the function and its blocks are the module's, which nothing changes meanwhile.
            unsafe { raw::blocks(function).into_iter().flat_map(|block| raw::instructions(block)).collect() }
        });
        places.push(insts.get(inst.index()).copied());
    }
    places
}

/// Gives variables (`alloca`) of functions, as a [`View`](crate::view::View) of the module numbers them, an alignment.
pub fn align_variables(module: &mut Module<'_>, wanted: &[(FunctionId, InstId, u64)]) {
    let sites: Vec<_> = wanted.iter().map(|(function, inst, _)| (*function, *inst)).collect();
    for (inst, (.., align)) in places(module, &sites).into_iter().zip(wanted) {
        // SAFETY: the instruction is the module's, which nothing changes meanwhile; a power of two below 2^32 is an alignment of an `alloca`.
        unsafe {
            if let Some(inst) = inst.filter(|inst| !LLVMIsAAllocaInst(*inst).is_null())
                && let Ok(align @ 1..) = u32::try_from(*align)
                && align.is_power_of_two()
            {
                LLVMSetAlignment(inst, align);
            }
        }
    }
}

/// Takes what asks to be inlined from functions and calls: the pass that inlines is for the replacements alone. In functions that are
/// `strictfp` it makes `llvm.experimental.constrained.*` of what it inlines; targets without modes of rounding and without exceptions need no such.
fn withdraw_inlining(module: &mut Module<'_>) {
    // SAFETY: the functions, blocks and instructions are the module's, and no attribute is read after it is removed.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(INLINE.as_ptr().cast(), INLINE.len());
        let strict = LLVMGetEnumAttributeKindForName(STRICT.as_ptr().cast(), STRICT.len());
        for function in module.inkwell().get_functions() {
            let function = function.as_value_ref();
            LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
            LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, strict);
            for inst in raw::blocks(function).into_iter().flat_map(|block| raw::instructions(block)) {
                if !LLVMIsACallInst(inst).is_null() || !LLVMIsAInvokeInst(inst).is_null() {
                    LLVMRemoveCallSiteEnumAttribute(inst, LLVMAttributeFunctionIndex, kind);
                }
            }
        }
    }
}

/// The attributes that LLVM's inliner takes from a function where what is inlined does not have them.
const KEPT_IF_SHARED: [&str; 6] = [
    "approx-func-fp-math",
    "less-precise-fpmad",
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "unsafe-fp-math",
];

/// Has a function inlined wherever it is called, so that its callers keep all their attributes.
fn inline_without_trace(module: &mut Module<'_>, function: FunctionValue<'_>) {
    let context = module.context().inkwell();
    for name in [INLINE, "nounwind", "mustprogress"] {
        let kind = inkwell::attributes::Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    for name in KEPT_IF_SHARED {
        function.add_attribute(AttributeLoc::Function, context.create_string_attribute(name, "true"));
    }
}

/// Takes their names from what a function computes and from its blocks: they would be names of the callers'.
///
/// # Safety
///
/// The function is alive.
unsafe fn drop_names(function: LLVMValueRef) {
    // SAFETY: by this function's contract; a name is copied, and an empty one may be anywhere.
    unsafe {
        for block in raw::blocks(function) {
            LLVMSetValueName2(LLVMBasicBlockAsValue(block), c"".as_ptr(), 0);
            for inst in raw::instructions(block) {
                LLVMSetValueName2(inst, c"".as_ptr(), 0);
            }
        }
    }
}

/// Puts a call of `function` with the operands of an instruction in its place; whether the function gives what the instruction gave.
///
/// # Safety
///
/// Both are alive and of one module.
unsafe fn call_instead(inst: LLVMValueRef, function: FunctionValue<'_>) -> bool {
    // SAFETY: by this function's contract; operands are asked for below their count, and the instruction is not touched after it is erased.
    unsafe {
        let callee = function.as_value_ref();
        let ty = LLVMGlobalGetValueType(callee);
        if LLVMGetReturnType(ty) != LLVMTypeOf(inst) {
            return false;
        }
        let is_call = !LLVMIsACallInst(inst).is_null();
        let count = if is_call { LLVMGetNumArgOperands(inst) } else { LLVMGetNumOperands(inst) as u32 };
        let mut operands: Vec<LLVMValueRef> = (0..count).map(|at| LLVMGetOperand(inst, at)).collect();
        operands
            .retain(|operand| LLVMGetTypeKind(LLVMTypeOf(*operand)) != LLVMTypeKind::LLVMMetadataTypeKind);
        let builder = Builder::before(inst);
        let call =
            LLVMBuildCall2(builder.0, ty, callee, operands.as_mut_ptr(), operands.len() as u32, c"".as_ptr());
        let name = raw::name(inst);
        LLVMReplaceAllUsesWith(inst, call);
        LLVMInstructionEraseFromParent(inst);
        if !name.is_empty() {
            LLVMSetValueName2(call, name.as_ptr().cast(), name.len());
        }
        true
    }
}

/// A builder that is disposed with this value.
struct Builder(LLVMBuilderRef);

impl Builder {
    /// One that inserts before an instruction, with its place in the source.
    ///
    /// # Safety
    ///
    /// The instruction is alive and in a block.
    unsafe fn before(inst: LLVMValueRef) -> Self {
        // SAFETY: by this function's contract.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(inst)));
            LLVMPositionBuilderBefore(builder, inst);
            Self(builder)
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: the builder is ours and is disposed once.
        unsafe { LLVMDisposeBuilder(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    const TEXT: &str = "
define float @f(float %a, float %b) noinline optnone \"unsafe-fp-math\"=\"true\" {
  %x = call float @own(float %a)
  %r = frem float %x, %b
  ret float %r
}
define internal float @own(float %a) alwaysinline {
  ret float %a
}
";

    fn replaced(with: &str) -> Result<String, LlvmError> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", TEXT.as_bytes()).expect("valid LLVM IR");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        let wanted =
            Replacement { function: FunctionId::new(0), inst: InstId::new(1), with: "legal.0".to_owned() };
        replace(&mut module, with, &[wanted], &machine)?;
        Ok(module.to_text())
    }

    #[test]
    fn an_instruction_becomes_the_body_of_a_function_and_others_stay() {
        let text = replaced(
            "define float @legal.0(float %a, float %b) {\n  %r = fsub float %a, %b\n  ret float %r\n}\n",
        )
        .expect("replaced");
        assert!(text.contains("fsub float %x, %b") && !text.contains("frem"), "{text}");
        assert!(text.contains("call float @own") && !text.contains("legal"), "{text}");
        assert!(text.contains("noinline optnone \"unsafe-fp-math\"=\"true\""), "{text}");
    }

    #[test]
    fn a_function_of_another_type_is_an_error() {
        let text = "define i32 @legal.0(float %a, float %b) {\n  ret i32 0\n}\n";
        assert!(matches!(replaced(text), Err(LlvmError::Other { .. })));
        let text = "define float @legal.0(float %a, i32 %b) {\n  ret float %a\n}\n";
        assert!(matches!(replaced(text), Err(LlvmError::Invalid { .. })));
        assert!(matches!(replaced("declare void @other()\n"), Err(LlvmError::Other { .. })));
    }
}
