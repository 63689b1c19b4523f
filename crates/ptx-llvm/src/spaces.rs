//! Spaces of generic pointers, by LLVM's `infer-address-spaces`, from which the constants that it misreads are hidden.
//!
//! LLVM 22's pass assumes that null, or a number as a generic address, is in the space of the other addresses in the same
//! `select`, `phi` or comparison, and assumes so of steps from any constant too:
//!
//! ```text
//! %p = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr inttoptr (i64 4096 to ptr)
//! %p = select i1 %c, ptr addrspace(3) @s, ptr addrspace(3) addrspacecast (ptr inttoptr (i64 4096 to ptr) to ptr addrspace(3))
//! ```
//!
//! But a variable of another space may be at this address, and an address that is not in a window has none in that space:
//! null would become the address of the first variable in shared memory. For a step from such a constant the pass even drops the
//! operand. So while it runs it sees `%k = freeze ptr inttoptr (i64 4096 to ptr)` in place of the constant, a generic address
//! of which it knows nothing. Null stays beside addresses of global memory, which are the same as generic ones.
//!
//! The pass also rewrites the indices of a step from such a constant, as if they were addresses: a `bitcast` of numbers in them becomes an
//! `addrspacecast`, and the generic address of another variable the one in its space. These constants are hidden everywhere.

use std::collections::{HashMap, HashSet};

use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use crate::address_space::{GENERIC, GLOBAL};
use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::{Tuning, run_on_functions, run_passes_tuned};
use crate::raw;
use crate::view::FunctionId;

/// LLVM's pass.
const PASS: &str = "infer-address-spaces";
/// The mark on an instruction that replaces a constant.
const MARK: &str = "ptx.constant";
/// LLVM's number for `ptx_kernel`.
const KERNEL: u32 = 71;

/// Runs LLVM's pass `infer-address-spaces` over all functions but those of `left_out`, which have pointers that are masked again, on which
/// the pass crashes.
///
/// # Errors
///
/// Those of [`run_passes_tuned`].
pub fn infer_address_spaces(
    module: &mut Module<'_>,
    machine: &Machine,
    tuning: Tuning,
    left_out: &[FunctionId],
) -> Result<(), LlvmError> {
    let mark = module.context().inkwell().get_kind_id(MARK);
    let kept = |(at, function)| (!left_out.contains(&FunctionId::new(at))).then_some(function);
    let functions: Vec<FunctionValue<'_>> =
        module.inkwell().get_functions().enumerate().filter_map(kept).collect();
    // SAFETY: the module is alive, and nothing else changes its functions meanwhile.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context().raw());
        for function in &functions {
            hide(function.as_value_ref(), builder, mark);
        }
        LLVMDisposeBuilder(builder);
    }
    let result = if left_out.is_empty() {
        run_passes_tuned(module, &format!("function({PASS})"), machine, tuning)
    } else {
        run_on_functions(module, &functions, PASS, machine, tuning)
    };
    for function in functions {
        // SAFETY: as before.
        unsafe { show(function.as_value_ref(), mark) };
    }
    result
}

/// Puts instructions in the place of a function's constants.
unsafe fn hide(function: LLVMValueRef, builder: LLVMBuilderRef, mark: u32) {
    // SAFETY: instructions of a function that is alive, operands by numbers below their count. What replaces a constant comes
    // first in the entry block, which every other instruction comes after.
    unsafe {
        let entry = LLVMGetFirstBasicBlock(function);
        let first = if entry.is_null() { entry.cast() } else { LLVMGetFirstInstruction(entry) };
        if first.is_null() {
            return;
        }
        // One instruction for each constant, in the entry block: it dominates every use, at the ends of a phi's predecessors too.
        LLVMPositionBuilderBefore(builder, first);
        let context = LLVMGetTypeContext(LLVMTypeOf(function));
        let node = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        let mut stand_ins: HashMap<LLVMValueRef, LLVMValueRef> = HashMap::new();
        for instruction in instructions(function) {
            let joined = pointers(instruction);
            for at in 0..LLVMGetNumOperands(instruction).max(0) as u32 {
                let operand = LLVMGetOperand(instruction, at);
                let is_joined = joined.contains(&at) && is_misread(instruction, operand);
                if !is_joined && !has_computed_step(operand) {
                    continue;
                }
                let stand_in = *stand_ins.entry(operand).or_insert_with(|| {
                    let frozen = LLVMBuildFreeze(builder, operand, c"".as_ptr());
                    LLVMSetMetadata(frozen, mark, node);
                    frozen
                });
                LLVMSetOperand(instruction, at, stand_in);
            }
        }
    }
}

/// Puts the constants back.
unsafe fn show(function: LLVMValueRef, mark: u32) {
    // SAFETY: instructions of a function that is alive; each is erased when nothing uses it.
    unsafe {
        for instruction in instructions(function) {
            // Not every `freeze` of a constant: the program may have some of its own. The mark may be gone where the pass has made another instruction of
            // one; that stays, and is correct.
            if LLVMGetInstructionOpcode(instruction) == LLVMFreeze
                && !LLVMGetMetadata(instruction, mark).is_null()
                && LLVMIsConstant(LLVMGetOperand(instruction, 0)) != 0
            {
                LLVMReplaceAllUsesWith(instruction, LLVMGetOperand(instruction, 0));
                LLVMInstructionEraseFromParent(instruction);
            }
        }
    }
}

unsafe fn instructions(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: blocks and instructions of a function that is alive.
    unsafe { raw::blocks(function).into_iter().flat_map(|block| raw::instructions(block)).collect() }
}

/// The numbers of the operands whose spaces the pass joins, or makes the result's.
unsafe fn pointers(instruction: LLVMValueRef) -> std::ops::Range<u32> {
    // SAFETY: an instruction that is alive; a call has a callee.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMPHI => 0..LLVMCountIncoming(instruction),
            LLVMSelect => 1..3,
            LLVMICmp => 0..2,
            LLVMGetElementPtr | LLVMIntToPtr => 0..1,
            LLVMCall if raw::name(LLVMGetCalledValue(instruction)).starts_with(b"llvm.ptrmask.") => 0..1,
            _ => 0..0,
        }
    }
}

/// Whether the pass may take an operand for an address in a space of which it need not be.
unsafe fn is_misread(user: LLVMValueRef, operand: LLVMValueRef) -> bool {
    // SAFETY: an instruction that is alive, and one of its operands.
    unsafe {
        if LLVMIsConstant(operand) == 0 || LLVMIsUndef(operand) != 0 {
            return false;
        }
        if LLVMGetInstructionOpcode(user) == LLVMIntToPtr {
            // It goes through to the pointer whose number this is.
            return LLVMIsAConstantExpr(operand) == operand;
        }
        if space(LLVMTypeOf(operand)) != Some(GENERIC) || space_before_cast(operand).is_some() {
            return false;
        }
        LLVMIsAConstantPointerNull(operand).is_null() || !is_beside_global_addresses(user)
    }
}

/// The space of a pointer or of a vector of pointers.
unsafe fn space(ty: LLVMTypeRef) -> Option<u32> {
    // SAFETY: a type that is alive, asked for what its kind has.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMPointerTypeKind => Some(LLVMGetPointerAddressSpace(ty)),
            LLVMVectorTypeKind | LLVMScalableVectorTypeKind => space(LLVMGetElementType(ty)),
            _ => None,
        }
    }
}

/// Whether a constant is an address that is made of a generic one with an index that is an expression, of which the pass makes another one.
unsafe fn has_computed_step(mut constant: LLVMValueRef) -> bool {
    // SAFETY: a value that is alive; these expressions have operands, by numbers below their count.
    unsafe {
        if space(LLVMTypeOf(constant)).is_none() {
            return false;
        }
        while !LLVMIsAConstantExpr(constant).is_null() {
            match LLVMGetConstOpcode(constant) {
                LLVMGetElementPtr => {
                    let count = LLVMGetNumOperands(constant).max(0) as u32;
                    let is_generic = space(LLVMTypeOf(constant)) == Some(GENERIC);
                    if is_generic && (1..count).any(|at| is_computed(LLVMGetOperand(constant, at))) {
                        return true;
                    }
                    constant = LLVMGetOperand(constant, 0);
                }
                // It looks through casts to other spaces, too.
                LLVMIntToPtr | LLVMPtrToInt | LLVMBitCast | LLVMAddrSpaceCast => {
                    constant = LLVMGetOperand(constant, 0);
                }
                _ => return false,
            }
        }
        false
    }
}

/// Whether a constant number is an expression, or a vector with one.
unsafe fn is_computed(constant: LLVMValueRef) -> bool {
    // SAFETY: a constant that is alive; operands by numbers below their count.
    unsafe {
        let mut elements = 0..LLVMGetNumOperands(constant).max(0) as u32;
        let is_expression = |value| !LLVMIsAConstantExpr(value).is_null();
        is_expression(constant)
            || (!LLVMIsAConstantVector(constant).is_null()
                && elements.any(|at| is_expression(LLVMGetOperand(constant, at))))
    }
}

/// The space that a constant was cast from, steps from there included.
unsafe fn space_before_cast(mut constant: LLVMValueRef) -> Option<u32> {
    // SAFETY: a constant that is alive; these expressions have an operand.
    unsafe {
        while !LLVMIsAConstantExpr(constant).is_null() {
            match LLVMGetConstOpcode(constant) {
                LLVMGetElementPtr => constant = LLVMGetOperand(constant, 0),
                LLVMAddrSpaceCast => return space(LLVMTypeOf(LLVMGetOperand(constant, 0))),
                _ => return None,
            }
        }
        None
    }
}

/// Whether all other addresses that an instruction's pointers are made of are of global memory, and there is one.
unsafe fn is_beside_global_addresses(user: LLVMValueRef) -> bool {
    // Back over the instructions whose spaces the pass joins, to where the addresses come from. Only then is null the same number in the
    // space that the pass would give it.
    let mut work = vec![user];
    let mut seen = HashSet::new();
    let mut found = false;
    // SAFETY: values that are alive, asked for what their kinds have.
    unsafe {
        while let Some(value) = work.pop() {
            if !seen.insert(value) || LLVMIsUndef(value) != 0 || !LLVMIsAConstantPointerNull(value).is_null()
            {
                continue;
            }
            if LLVMIsAInstruction(value).is_null() {
                if space_before_cast(value) != Some(GLOBAL) && !is_kernel_pointer(value) {
                    return false;
                }
                found = true;
                continue;
            }
            match LLVMGetInstructionOpcode(value) {
                LLVMPHI | LLVMSelect | LLVMGetElementPtr => {}
                LLVMICmp if value == user => {}
                LLVMAddrSpaceCast if space(LLVMTypeOf(LLVMGetOperand(value, 0))) == Some(GLOBAL) => {
                    found = true;
                    continue;
                }
                _ => return false,
            }
            work.extend(pointers(value).map(|at| LLVMGetOperand(value, at)));
        }
    }
    found
}

/// Whether a value is a kernel's parameter, which the pass takes for an address in global memory; one that is given `byval` is not.
unsafe fn is_kernel_pointer(value: LLVMValueRef) -> bool {
    // SAFETY: a value that is alive; an argument has a function, which has as many parameters.
    unsafe {
        if LLVMIsAArgument(value).is_null() {
            return false;
        }
        let function = LLVMGetParamParent(value);
        let byval = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
        let at = (0..LLVMCountParams(function)).find(|at| LLVMGetParam(function, *at) == value);
        LLVMGetFunctionCallConv(function) == KERNEL
            && at.is_some_and(|at| LLVMGetEnumAttributeAtIndex(function, at + 1, byval).is_null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    const VARIABLES: &str = "
target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@s = internal addrspace(3) global [4 x i32] undef
@g = internal global [4 x i32] zeroinitializer
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
";
    const S: &str = "addrspacecast (ptr addrspace(3) @s to ptr)";

    fn inferred(function: &str) -> (String, String) {
        let context = Context::new().expect("LLVM 22");
        let text = format!("{VARIABLES}{function}");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        let before = module.to_text();
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        infer_address_spaces(&mut module, &machine, Tuning::Source, &[]).expect("runs");
        module.verify().expect("valid afterwards");
        (before, module.to_text())
    }

    #[test]
    fn constants_are_of_no_space() {
        let number = "inttoptr (i64 ptrtoint (ptr @g to i64) to ptr)";
        for other in [
            "null",
            "inttoptr (i64 4096 to ptr)",
            number,
            "@g",
            "getelementptr (i8, ptr @g, i64 4)",
            "getelementptr (i8, ptr inttoptr (i64 4096 to ptr), i64 4)",
        ] {
            let load = "%v = load i32, ptr %p\nret i32 %v\n}\n";
            let select = format!("%p = select i1 %c, ptr {S}, ptr {other}\n{load}");
            let phi = format!(
                "br i1 %c, label %a, label %b\na:\nbr label %b\nb:\n%p = phi ptr [ {S}, %0 ], [ {other}, %a ]\n{load}"
            );
            let step = format!(
                "%q = getelementptr i32, ptr {other}, i64 %k\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
            );
            let mask = format!(
                "%q = call ptr @llvm.ptrmask.p0.i64(ptr {other}, i64 %k)\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
            );
            let cast = format!(
                "%q = inttoptr i64 ptrtoint (ptr {other} to i64) to ptr\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
            );
            for body in [select, phi, step, mask, cast] {
                let (before, after) = inferred(&format!("define i32 @f(i1 %c, i64 %k) {{\n{body}"));
                assert_eq!(before, after);
            }
            let (_, after) = inferred(&format!(
                "define i1 @f(ptr addrspace(3) %q) {{\n%p = addrspacecast ptr addrspace(3) %q to ptr\nstore i32 1, ptr %p\n%e = icmp eq ptr %p, {other}\nret i1 %e\n}}\n"
            ));
            assert!(
                after.contains("store i32 1, ptr addrspace(3)")
                    && after.contains(&format!("icmp eq ptr %p, {other}")),
                "{after}"
            );
        }
    }

    #[test]
    fn steps_that_are_expressions_stay() {
        let generic = format!("i64 ptrtoint (ptr {S} to i64)");
        let halves = format!("<2 x i32> bitcast ({generic} to <2 x i32>)");
        let word = format!("i32 extractelement ({halves}, i32 0)");
        for index in [
            format!("i64 sub ({generic}, i64 ptrtoint (ptr @g to i64))"),
            format!("i64 bitcast (<2 x i32> <{word}, i32 0> to i64)"),
        ] {
            let place = format!("ptr getelementptr (i8, ptr {S}, {index})");
            let place_after = format!("ptr getelementptr (i8, {place}, i64 4)");
            let in_shared = format!("ptr addrspace(3) addrspacecast ({place} to ptr addrspace(3))");
            for body in [
                format!("%v = load i32, {place}\nret i32 %v"),
                format!("store i32 1, {place_after}\nret i32 0"),
                format!("%e = icmp eq {place}, {S}\n%v = zext i1 %e to i32\nret i32 %v"),
                format!("call void @llvm.memset.p0.i64({place}, i8 1, i64 4, i1 false)\nret i32 0"),
                format!("%v = load i32, {in_shared}\nret i32 %v"),
                format!("store i32 1, ptr addrspace(3) getelementptr (i8, {in_shared}, i64 4)\nret i32 0"),
            ] {
                let (before, after) = inferred(&format!("define i32 @f() {{\n{body}\n}}\n"));
                assert_eq!(before, after);
            }
        }
    }

    #[test]
    fn known_spaces_are_inferred() {
        let cases = [
            // Two addresses of one space, and steps from them.
            (
                format!("i1 %c, i64 %k) {{\n%q = getelementptr i8, ptr {S}, i64 %k\n%p = select i1 %c, ptr %q, ptr getelementptr (i8, ptr {S}, i64 4)"),
                3,
            ),
            // Null beside global memory.
            (
                "i1 %c, ptr addrspace(1) %q) {\n%g = addrspacecast ptr addrspace(1) %q to ptr\n%p = select i1 %c, ptr %g, ptr null".to_owned(),
                1,
            ),
            // Nothing at all beside shared memory.
            (format!("i1 %c) {{\n%p = select i1 %c, ptr {S}, ptr poison"), 3),
        ];
        for (function, space) in cases {
            let (_, after) =
                inferred(&format!("define i32 @f({function}\n%v = load i32, ptr %p\nret i32 %v\n}}\n"));
            assert!(after.contains(&format!("load i32, ptr addrspace({space}) %p")), "{after}");
        }
    }

    #[test]
    fn null_among_addresses_of_several_spaces_is_of_none() {
        // In a loop, and by way of another choice.
        let (before, after) = inferred(
            "define i32 @f(i1 %c, ptr addrspace(3) %s) {
  %g = addrspacecast ptr addrspace(3) %s to ptr
  br label %head
head:
  %p = phi ptr [ null, %0 ], [ %q, %head ]
  %q = select i1 %c, ptr %p, ptr %g
  %v = load volatile i32, ptr %q
  br i1 %c, label %head, label %end
end:
  ret i32 %v
}
",
        );
        assert_eq!(before, after);
    }
}
