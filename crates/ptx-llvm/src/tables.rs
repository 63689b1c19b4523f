//! Constant tables of addresses that PTX cannot write as initial values (manual 5.4.4): those of shared variables, which each block has
//! its own of.
//!
//! LLVM makes such a table of a `switch` that only chooses a variable; programs for other targets have them in their source. What is loaded
//! from it is chosen by the offset instead:
//!
//! ```text
//! @t = private constant [3 x ptr addrspace(3)] [ptr addrspace(3) @a, ptr addrspace(3) @b, ptr addrspace(3) @c]
//!
//! %p = getelementptr ptr addrspace(3), ptr @t, i64 %i
//! %v = load ptr addrspace(3), ptr %p
//! ```
//!
//! becomes
//!
//! ```text
//! %at = ptrtoint ptr (getelementptr ptr addrspace(3), ptr null, i64 %i) to i64
//! %is_a = icmp ult i64 %at, 8
//! %is_b = icmp ult i64 %at, 16
//! %b_or_c = select i1 %is_b, ptr addrspace(3) @b, ptr addrspace(3) @c
//! %v = select i1 %is_a, ptr addrspace(3) @a, ptr addrspace(3) %b_or_c
//! ```
//!
//! A table that is used in any other way stays as it is.

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::LLVMIntULT;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage};

use crate::address_space;
use crate::module::Module;
use crate::raw;

/// A table of more values is chosen from by a function, if it is loaded from more than once.
const MOST_IN_PLACE: usize = 32;

/// Tables of more values stay: that is data, not choices of a program.
const MOST_VALUES: usize = 1 << 16;

/// Replaces loads from such tables, and removes the tables.
pub fn choose_addresses(module: &mut Module<'_>) {
    // SAFETY: the module is alive and nothing else changes it meanwhile.
    unsafe {
        let layout = LLVMGetModuleDataLayout(module.raw());
        let mut variables = Vec::new();
        let mut variable = LLVMGetFirstGlobal(module.raw());
        while !variable.is_null() {
            variables.push(variable);
            variable = LLVMGetNextGlobal(variable);
        }
        for variable in variables.into_iter().filter(|variable| is_table(*variable)) {
            if let Some(table) = Table::of(variable, layout) {
                table.replace(module);
            }
        }
    }
}

/// Whether a variable is constant, cannot be replaced by another definition, and has the address of a shared variable in its value.
///
/// # Safety
///
/// The variable is alive.
unsafe fn is_table(variable: LLVMValueRef) -> bool {
    // SAFETY: an initial value is asked of a variable that has one.
    unsafe {
        let value = LLVMGetInitializer(variable);
        LLVMIsGlobalConstant(variable) != 0
            && matches!(
                LLVMGetLinkage(variable),
                LLVMLinkage::LLVMInternalLinkage
                    | LLVMLinkage::LLVMPrivateLinkage
                    | LLVMLinkage::LLVMExternalLinkage
            )
            && !value.is_null()
            && has_shared_address(value)
    }
}

/// Whether a constant refers to a shared variable.
///
/// # Safety
///
/// The constant is alive.
unsafe fn has_shared_address(constant: LLVMValueRef) -> bool {
    let (mut work, mut seen) = (vec![constant], std::collections::HashSet::new());
    // SAFETY: operands are counted, and a variable has a pointer type.
    unsafe {
        while let Some(constant) = work.pop() {
            if !seen.insert(constant) {
                continue;
            }
            if !LLVMIsAGlobalVariable(constant).is_null() {
                if LLVMGetPointerAddressSpace(LLVMTypeOf(constant)) == address_space::SHARED {
                    return true;
                }
            } else if !LLVMIsAUser(constant).is_null() && LLVMIsAGlobalValue(constant).is_null() {
                let count = LLVMGetNumOperands(constant).max(0) as u32;
                work.extend((0..count).map(|at| LLVMGetOperand(constant, at)));
            }
        }
    }
    false
}

/// A table, all of whose uses are loads.
struct Table {
    variable: LLVMValueRef,
    layout: LLVMTargetDataRef,
    /// Its values in the order of their offsets, which are in bytes.
    values: Vec<(u64, LLVMValueRef)>,
    /// The loads, each with its pointer.
    loads: Vec<(LLVMValueRef, LLVMValueRef)>,
    /// The addresses that instructions compute from the variable's.
    derived: Vec<LLVMValueRef>,
}

impl Table {
    /// `None` of a table with other uses, or of values that its loads do not load as they are.
    ///
    /// # Safety
    ///
    /// The variable has an initial value.
    unsafe fn of(variable: LLVMValueRef, layout: LLVMTargetDataRef) -> Option<Self> {
        let mut table =
            Table { variable, layout, values: Vec::new(), loads: Vec::new(), derived: Vec::new() };
        // SAFETY: uses of what is alive are followed to their end.
        unsafe {
            table.add_values(LLVMGetInitializer(variable), 0, layout)?;
            let mut work = vec![variable];
            while let Some(pointer) = work.pop() {
                let mut place = LLVMGetFirstUse(pointer);
                while !place.is_null() {
                    let user = LLVMGetUser(place);
                    match Use::of(user, pointer) {
                        Some(Use::Load) => table.loads.push((user, pointer)),
                        Some(Use::Address) => {
                            if !LLVMIsAInstruction(user).is_null() {
                                table.derived.push(user);
                            }
                            work.push(user);
                        }
                        None => return None,
                    }
                    place = LLVMGetNextUse(place);
                }
            }
            let fits = |load: LLVMValueRef| {
                let ty = LLVMTypeOf(load);
                table.values.iter().any(|(_, value)| LLVMTypeOf(*value) == ty)
            };
            table.loads.iter().all(|(load, _)| fits(*load)).then_some(table)
        }
    }

    /// # Safety
    ///
    /// The constant is alive and has a size.
    unsafe fn add_values(
        &mut self,
        constant: LLVMValueRef,
        at: u64,
        layout: LLVMTargetDataRef,
    ) -> Option<()> {
        // SAFETY: elements are asked of aggregates, and counted.
        unsafe {
            let ty = LLVMTypeOf(constant);
            let count = match LLVMGetTypeKind(ty) {
                LLVMArrayTypeKind => LLVMGetArrayLength2(ty),
                LLVMStructTypeKind => u64::from(LLVMCountStructElementTypes(ty)),
                _ => {
                    self.values.push((at, constant));
                    return (self.values.len() <= MOST_VALUES).then_some(());
                }
            };
            if count > MOST_VALUES as u64 {
                return None;
            }
            for element in 0..count as u32 {
                let value = LLVMGetAggregateElement(constant, element);
                if value.is_null() {
                    return None;
                }
                let offset = match LLVMGetTypeKind(ty) {
                    LLVMStructTypeKind => LLVMOffsetOfElement(layout, ty, element),
                    _ => u64::from(element) * LLVMABISizeOfType(layout, LLVMGetElementType(ty)),
                };
                self.add_values(value, at + offset, layout)?;
            }
            debug_assert!(LLVMStoreSizeOfType(layout, ty) <= LLVMABISizeOfType(layout, ty));
            Some(())
        }
    }

    /// # Safety
    ///
    /// The table's variable and its uses are the module's.
    unsafe fn replace(&self, module: &Module<'_>) {
        // SAFETY: values are computed before the loads that they replace; the addresses have no more uses then.
        unsafe {
            let builder = LLVMCreateBuilderInContext(module.context().raw());
            let mut choosers = HashMap::new();
            for &(load, pointer) in &self.loads {
                LLVMPositionBuilderBefore(builder, load);
                let offset = self.offset(module, pointer, builder);
                LLVMPositionBuilderBefore(builder, load);
                let ty = LLVMTypeOf(load);
                let values = self.values_of(ty);
                let chosen = if values.len() > MOST_IN_PLACE && self.loads.len() > 1 {
                    let function = *choosers.entry(ty).or_insert_with(|| self.chooser(module, ty));
                    let mut arguments = [offset];
                    LLVMBuildCall2(
                        builder,
                        LLVMGlobalGetValueType(function),
                        function,
                        arguments.as_mut_ptr(),
                        1,
                        c"".as_ptr(),
                    )
                } else {
                    choice(builder, offset, &values)
                };
                raw::replace_with(load, chosen);
            }
            LLVMDisposeBuilder(builder);
            // Those that are derived from others were found after them.
            for address in self.derived.iter().rev() {
                LLVMInstructionEraseFromParent(*address);
            }
            if LLVMGetFirstUse(self.variable).is_null() || only_dead_constants(self.variable) {
                LLVMReplaceAllUsesWith(self.variable, LLVMConstNull(LLVMTypeOf(self.variable)));
                LLVMDeleteGlobal(self.variable);
            }
        }
    }

    /// The values that a load of a type may give. An offset between two of them is undefined behaviour.
    ///
    /// # Safety
    ///
    /// The type is alive.
    unsafe fn values_of(&self, ty: LLVMTypeRef) -> Vec<(u64, LLVMValueRef)> {
        // SAFETY: types are asked of values.
        self.values.iter().copied().filter(|(_, value)| unsafe { LLVMTypeOf(*value) == ty }).collect()
    }

    /// The offset in bytes of an address from the table's, as an integer of 64 bits.
    ///
    /// # Safety
    ///
    /// The pointer is the variable or derived from it, and known where the builder is.
    unsafe fn offset(
        &self,
        module: &Module<'_>,
        pointer: LLVMValueRef,
        builder: LLVMBuilderRef,
    ) -> LLVMValueRef {
        // SAFETY: indices are operands of the same address, which are known where it is computed.
        unsafe {
            let word = LLVMInt64TypeInContext(module.context().raw());
            let mut sum = LLVMConstInt(word, 0, 0);
            let mut pointer = pointer;
            while pointer != self.variable {
                let base = LLVMGetOperand(pointer, 0);
                let is_step = !LLVMIsAGetElementPtrInst(pointer).is_null()
                    || (!LLVMIsAConstantExpr(pointer).is_null()
                        && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
                if is_step {
                    let step = match self.constant_step(pointer) {
                        Some(step) => LLVMConstInt(word, step, 0),
                        None => step_of(builder, pointer, word),
                    };
                    sum = LLVMBuildAdd(builder, sum, step, c"".as_ptr());
                }
                pointer = base;
            }
            sum
        }
    }

    /// How far a `getelementptr` with constant indices goes.
    ///
    /// # Safety
    ///
    /// The pointer is a `getelementptr`.
    unsafe fn constant_step(&self, pointer: LLVMValueRef) -> Option<u64> {
        // SAFETY: each index is of the type that the ones before lead to, as LLVM's verifier demands.
        unsafe {
            let mut ty = LLVMGetGEPSourceElementType(pointer);
            let mut step = 0_u64;
            for at in 1..LLVMGetNumOperands(pointer).max(1) as u32 {
                let index = LLVMIsAConstantInt(LLVMGetOperand(pointer, at));
                if index.is_null() {
                    return None;
                }
                let number = LLVMConstIntGetSExtValue(index) as u64;
                if at > 1 && LLVMGetTypeKind(ty) == LLVMStructTypeKind {
                    step = step.wrapping_add(LLVMOffsetOfElement(self.layout, ty, number as u32));
                    ty = LLVMStructGetTypeAtIndex(ty, number as u32);
                    continue;
                }
                if at > 1 {
                    ty = LLVMGetElementType(ty);
                }
                step = step.wrapping_add(number.wrapping_mul(LLVMABISizeOfType(self.layout, ty)));
            }
            Some(step)
        }
    }

    /// A function that gives the value at an offset.
    ///
    /// # Safety
    ///
    /// The type is that of values of the table.
    unsafe fn chooser(&self, module: &Module<'_>, ty: LLVMTypeRef) -> LLVMValueRef {
        // SAFETY: the function has one block, which ends in the result.
        unsafe {
            let context = module.context().raw();
            let mut parameters = [LLVMInt64TypeInContext(context)];
            let signature = LLVMFunctionType(ty, parameters.as_mut_ptr(), 1, 0);
            let mut name = raw::name(self.variable);
            name.extend_from_slice(b".at\0");
            let function = LLVMAddFunction(module.raw(), name.as_ptr().cast(), signature);
            LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
            let builder = LLVMCreateBuilderInContext(context);
            let block = LLVMAppendBasicBlockInContext(context, function, c"".as_ptr());
            LLVMPositionBuilderAtEnd(builder, block);
            let value = choice(builder, LLVMGetParam(function, 0), &self.values_of(ty));
            LLVMBuildRet(builder, value);
            LLVMDisposeBuilder(builder);
            function
        }
    }
}

/// How an address of a table is used.
enum Use {
    /// What it points to is loaded.
    Load,
    /// Another address is computed from it.
    Address,
}

impl Use {
    /// `None` of all other uses.
    ///
    /// # Safety
    ///
    /// The user has the pointer as an operand.
    unsafe fn of(user: LLVMValueRef, pointer: LLVMValueRef) -> Option<Self> {
        // SAFETY: opcodes are asked of instructions and of constant expressions.
        unsafe {
            let opcode = match (LLVMIsAInstruction(user).is_null(), LLVMIsAConstantExpr(user).is_null()) {
                (false, _) => LLVMGetInstructionOpcode(user),
                (true, false) => LLVMGetConstOpcode(user),
                (true, true) => return None,
            };
            match opcode {
                LLVMLoad
                    if LLVMGetVolatile(user) == 0
                        && LLVMGetOrdering(user) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic =>
                {
                    Some(Use::Load)
                }
                LLVMGetElementPtr
                    if LLVMGetOperand(user, 0) == pointer
                        && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind =>
                {
                    Some(Use::Address)
                }
                LLVMAddrSpaceCast if LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind => {
                    Some(Use::Address)
                }
                _ => None,
            }
        }
    }
}

/// How far a `getelementptr` goes, from an address of zero.
///
/// # Safety
///
/// The pointer is a `getelementptr` whose indices are known where the builder is.
unsafe fn step_of(builder: LLVMBuilderRef, pointer: LLVMValueRef, word: LLVMTypeRef) -> LLVMValueRef {
    // SAFETY: as the caller promises.
    unsafe {
        let count = LLVMGetNumOperands(pointer).max(1) as u32;
        let mut indices: Vec<LLVMValueRef> = (1..count).map(|at| LLVMGetOperand(pointer, at)).collect();
        let null = LLVMConstNull(LLVMTypeOf(LLVMGetOperand(pointer, 0)));
        let ty = LLVMGetGEPSourceElementType(pointer);
        let step = LLVMBuildGEP2(builder, ty, null, indices.as_mut_ptr(), count - 1, c"".as_ptr());
        LLVMBuildPtrToInt(builder, step, word, c"".as_ptr())
    }
}

/// The value at an offset, by halves: as many comparisons one after another as the number of values has bits.
///
/// # Safety
///
/// The values are of one type, at least one, and the offset is known where the builder is.
unsafe fn choice(
    builder: LLVMBuilderRef,
    offset: LLVMValueRef,
    values: &[(u64, LLVMValueRef)],
) -> LLVMValueRef {
    let (low, high) = values.split_at(values.len() / 2);
    let Some(&(first, value)) = high.first() else {
        debug_assert!(false, "a load of a type that the table has");
        return std::ptr::null_mut();
    };
    // SAFETY: a number is asked of a constant integer.
    let is_high = unsafe {
        let number = LLVMIsAConstantInt(offset);
        (!number.is_null()).then(|| LLVMConstIntGetZExtValue(number) >= first)
    };
    match is_high {
        _ if low.is_empty() => return value,
        // SAFETY: as the caller promises, of either half.
        Some(is_high) => return unsafe { choice(builder, offset, if is_high { high } else { low }) },
        None => {}
    }
    // SAFETY: both halves have values; constants are folded by the builder.
    unsafe {
        let (low, high) = (choice(builder, offset, low), choice(builder, offset, high));
        if low == high {
            return low;
        }
        let bound = LLVMConstInt(LLVMTypeOf(offset), first, 0);
        let is_low = LLVMBuildICmp(builder, LLVMIntULT, offset, bound, c"".as_ptr());
        LLVMBuildSelect(builder, is_low, low, high, c"".as_ptr())
    }
}

/// Whether nothing but constants that nothing uses refer to a variable.
///
/// # Safety
///
/// The variable is alive.
unsafe fn only_dead_constants(variable: LLVMValueRef) -> bool {
    let mut work = vec![variable];
    // SAFETY: uses of what is alive are followed to their end.
    unsafe {
        while let Some(value) = work.pop() {
            let mut place = LLVMGetFirstUse(value);
            while !place.is_null() {
                let user = LLVMGetUser(place);
                if LLVMIsAConstantExpr(user).is_null() {
                    return false;
                }
                work.push(user);
                place = LLVMGetNextUse(place);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::choose_addresses;
    use crate::context::Context;
    use crate::module::Module;

    const HEAD: &str = "
target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@a = internal addrspace(3) global [4 x i32] undef
@b = internal addrspace(3) global [8 x i32] undef
";

    fn chosen(text: &str) -> String {
        let context = Context::new().expect("LLVM 22");
        let mut module =
            Module::parse(&context, "m", format!("{HEAD}{text}").as_bytes()).expect("valid text");
        choose_addresses(&mut module);
        module.verify().expect("a valid module");
        module.to_text()
    }

    #[test]
    fn loads_of_shared_addresses_become_choices() {
        let text = chosen(
            "@t = private constant [3 x ptr addrspace(3)] [ptr addrspace(3) @a, ptr addrspace(3) @b, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @b, i64 16)]
define ptr addrspace(3) @f(i64 %i) {
  %p = getelementptr inbounds ptr addrspace(3), ptr @t, i64 %i
  %v = load ptr addrspace(3), ptr %p
  ret ptr addrspace(3) %v
}
define ptr addrspace(3) @g() {
  %v = load ptr addrspace(3), ptr getelementptr (i8, ptr @t, i64 8)
  ret ptr addrspace(3) %v
}",
        );
        assert!(!text.contains("@t"), "{text}");
        assert_eq!(text.matches("select").count(), 2, "{text}");
        assert!(text.contains("ret ptr addrspace(3) @b"), "a constant offset: {text}");
    }

    #[test]
    fn tables_of_records_are_chosen_by_field() {
        let text = chosen(
            "@t = internal unnamed_addr addrspace(4) constant [2 x { i32, ptr }] [{ i32, ptr } { i32 5, ptr addrspacecast (ptr addrspace(3) @a to ptr) }, { i32, ptr } { i32 6, ptr addrspacecast (ptr addrspace(3) @b to ptr) }]
define ptr @f(i32 %i) {
  %p = getelementptr [2 x { i32, ptr }], ptr addrspacecast (ptr addrspace(4) @t to ptr), i64 0, i32 %i, i32 1
  %v = load ptr, ptr %p
  ret ptr %v
}
define i32 @g(i32 %i) {
  %p = getelementptr [2 x { i32, ptr }], ptr addrspace(4) @t, i64 0, i32 %i
  %q = getelementptr { i32, ptr }, ptr addrspace(4) %p, i64 0, i32 0
  %v = load i32, ptr addrspace(4) %q
  ret i32 %v
}",
        );
        assert!(!text.contains("@t"), "{text}");
        assert!(text.contains("select i1 %") && text.contains("i32 5, i32 6"), "{text}");
    }

    #[test]
    fn large_tables_are_chosen_from_by_a_function() {
        let entries: Vec<String> = (0..40)
            .map(|n| format!("ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @a, i64 {n})"))
            .collect();
        let text = chosen(&format!(
            "@t = private constant [40 x ptr addrspace(3)] [{}]
define void @f(i64 %i, i64 %j, ptr %o) {{
  %p = getelementptr ptr addrspace(3), ptr @t, i64 %i
  %v = load ptr addrspace(3), ptr %p
  store ptr addrspace(3) %v, ptr %o
  %q = getelementptr ptr addrspace(3), ptr @t, i64 %j
  %w = load ptr addrspace(3), ptr %q
  store ptr addrspace(3) %w, ptr %o
  ret void
}}",
            entries.join(", ")
        ));
        assert_eq!(text.matches("call ptr addrspace(3) @t.at(").count(), 2, "{text}");
        assert_eq!(text.matches("select").count(), 39, "{text}");
    }

    #[test]
    fn tables_that_are_not_only_loaded_from_stay() {
        for other in
            ["store ptr @t, ptr %o", "%v = load volatile ptr addrspace(3), ptr @t", "%v = load i64, ptr @t"]
        {
            let text = chosen(&format!(
                "@t = private constant [1 x ptr addrspace(3)] [ptr addrspace(3) @a]\ndefine void @f(ptr %o) {{\n  {other}\n  ret void\n}}"
            ));
            assert!(text.contains("@t = private"), "{text}");
        }
        // What PTX can initialize stays, too.
        let text = chosen(
            "@g = internal addrspace(1) global i32 0
@t = private constant [1 x ptr addrspace(1)] [ptr addrspace(1) @g]
define ptr addrspace(1) @f(i64 %i) {
  %p = getelementptr ptr addrspace(1), ptr @t, i64 %i
  %v = load ptr addrspace(1), ptr %p
  ret ptr addrspace(1) %v
}",
        );
        assert!(text.contains("@t = private") && !text.contains("select"), "{text}");
    }
}
