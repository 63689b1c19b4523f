//! Functions to run before and after the kernels (`llvm.global_ctors`, `llvm.global_dtors`), by LLVM's pass
//! `nvptx-lower-ctor-dtor`.
//!
//! The pass makes a constant `__init_array_object_NAME_ID_PRIORITY` for each function, from which a loader collects them, and the
//! kernel `nvptx$device$init`, which calls the functions between the addresses that `__init_array_start` and `__init_array_end` hold;
//! `__fini_array_` and `nvptx$device$fini`, which goes backwards, for the others. The loader writes these two variables. Here they begin with the functions of the
//! module, in the order of their priorities, so that the kernels do their work without a loader too.

use std::ffi::CStr;

use inkwell::attributes::AttributeLoc;
use llvm_sys::LLVMLinkage::LLVMPrivateLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use crate::address_space::GLOBAL;
use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;

/// LLVM's pass.
const PASS: &str = "nvptx-lower-ctor-dtor";
/// The bound that the pass gives its kernels, which is what they have without one; earlier targets do not know it.
const CLUSTER: &str = "nvvm.maxclusterrank";

/// One list with what becomes of it.
struct List {
    name: &'static CStr,
    table: &'static CStr,
    start: &'static CStr,
    end: &'static CStr,
    kernel: &'static str,
}

const LISTS: [List; 2] = [
    List {
        name: c"llvm.global_ctors",
        table: c"__init_array",
        start: c"__init_array_start",
        end: c"__init_array_end",
        kernel: "nvptx$device$init",
    },
    List {
        name: c"llvm.global_dtors",
        table: c"__fini_array",
        start: c"__fini_array_start",
        end: c"__fini_array_end",
        kernel: "nvptx$device$fini",
    },
];

/// Makes kernels that run a module's constructors and destructors, where it has any.
///
/// # Errors
///
/// [`LlvmError::Unsupported`] for a list that contains something other than functions; the errors of LLVM's pass.
pub fn lower_constructors(module: &mut Module<'_>, machine: &Machine) -> Result<(), LlvmError> {
    let mut found = Vec::new();
    for list in LISTS {
        // SAFETY: the module is alive.
        let functions = unsafe { functions(module, &list) }.map_err(|construct| LlvmError::Unsupported {
            construct: construct.to_owned(),
            place: "the module".to_owned(),
        })?;
        // SAFETY: the list's entries are constants, as was seen.
        unsafe { remove_empty_entries(module, &list) };
        if !functions.is_empty() {
            found.push((list, functions));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    with_content_as_source(module, |module| run_passes(module, PASS, machine))?;
    for (list, functions) in found {
        // SAFETY: the functions are the module's, which the pass leaves as they are.
        unsafe { fill(module, &list, &functions) };
        if let Some(kernel) = module.inkwell().get_function(list.kernel) {
            kernel.remove_string_attribute(AttributeLoc::Function, CLUSTER);
        }
    }
    module.verify()
}

/// The functions of a list in the order of their priorities; an error names what else it contains.
unsafe fn functions(module: &Module<'_>, list: &List) -> Result<Vec<LLVMValueRef>, &'static str> {
    const UNKNOWN: &str = "a list of constructors or destructors that is not a constant";
    let mut found = Vec::new();
    // SAFETY: getters for the operands of constants that are alive, each asked for its kind first.
    unsafe {
        let global = LLVMGetNamedGlobal(module.raw(), list.name.as_ptr());
        let value = if global.is_null() { global } else { LLVMGetInitializer(global) };
        if value.is_null() {
            return Ok(Vec::new());
        }
        if LLVMIsAConstantArray(value).is_null() {
            let empty = LLVMIsNull(value) != 0 || LLVMGetArrayLength2(LLVMTypeOf(value)) == 0;
            return if empty { Ok(Vec::new()) } else { Err(UNKNOWN) };
        }
        for at in 0..LLVMGetNumOperands(value) as u32 {
            let entry = LLVMGetOperand(value, at);
            // An entry without a function is none.
            if LLVMIsNull(entry) != 0 {
                continue;
            }
            if LLVMIsAConstantStruct(entry).is_null() {
                return Err(UNKNOWN);
            }
            let (priority, function) = (LLVMGetOperand(entry, 0), LLVMGetOperand(entry, 1));
            if LLVMIsNull(function) != 0 {
                continue;
            }
            if LLVMIsAConstantInt(priority).is_null() {
                return Err(UNKNOWN);
            }
            found.push((LLVMConstIntGetZExtValue(priority), function));
        }
    }
    found.sort_by_key(|(priority, _)| *priority);
    Ok(found.into_iter().map(|(_, function)| function).collect())
}

/// Writes a list without the entries that have no function, of which LLVM's pass takes operands.
///
/// ```text
/// @llvm.global_ctors = appending global [2 x {..}] [{..} { i32 1, ptr @a, ptr null }, {..} zeroinitializer]
/// ```
///
/// becomes
///
/// ```text
/// @llvm.global_ctors = appending global [1 x {..}] [{..} { i32 1, ptr @a, ptr null }]
/// ```
///
/// # Safety
///
/// The list's value is an array of structures whose second field is a function, or zero.
unsafe fn remove_empty_entries(module: &Module<'_>, list: &List) {
    // SAFETY: as the caller promises; the old variable has no uses when it is deleted.
    unsafe {
        let global = LLVMGetNamedGlobal(module.raw(), list.name.as_ptr());
        let value = if global.is_null() { global } else { LLVMGetInitializer(global) };
        if value.is_null() || LLVMIsAConstantArray(value).is_null() {
            return;
        }
        let entries: Vec<LLVMValueRef> =
            (0..LLVMGetNumOperands(value).max(0) as u32).map(|at| LLVMGetOperand(value, at)).collect();
        let is_empty =
            |entry: &LLVMValueRef| LLVMIsNull(*entry) != 0 || LLVMIsNull(LLVMGetOperand(*entry, 1)) != 0;
        let mut kept: Vec<LLVMValueRef> = entries.iter().copied().filter(|entry| !is_empty(entry)).collect();
        if kept.len() == entries.len() {
            return;
        }
        let element = LLVMGetElementType(LLVMTypeOf(value));
        let array = LLVMConstArray2(element, kept.as_mut_ptr(), kept.len() as u64);
        let space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
        let shorter = LLVMAddGlobalInAddressSpace(module.raw(), LLVMTypeOf(array), c"".as_ptr(), space);
        LLVMSetInitializer(shorter, array);
        LLVMSetLinkage(shorter, LLVMGetLinkage(global));
        LLVMReplaceAllUsesWith(global, shorter);
        LLVMDeleteGlobal(global);
        LLVMSetValueName2(shorter, list.name.as_ptr(), list.name.count_bytes());
    }
}

/// Runs something with the module's text as the name of its source, from which the pass makes names that no other module has.
fn with_content_as_source<T>(module: &mut Module<'_>, run: impl FnOnce(&mut Module<'_>) -> T) -> T {
    let name = module.inkwell().get_name().to_owned();
    // The text begins with it, and it is a path.
    module.inkwell().set_name("");
    let text = module.to_text();
    module.inkwell().set_name(&name.to_string_lossy());
    // SAFETY: the module is alive; LLVM copies the names, whose lengths are given.
    unsafe {
        let mut length = 0;
        let source = LLVMGetSourceFileName(module.raw(), &raw mut length);
        let source = std::slice::from_raw_parts(source.cast::<u8>(), length).to_vec();
        LLVMSetSourceFileName(module.raw(), text.as_ptr().cast(), text.len());
        let result = run(module);
        LLVMSetSourceFileName(module.raw(), source.as_ptr().cast(), source.len());
        result
    }
}

/// Gives the variables that the kernel looks at a table of the functions.
unsafe fn fill(module: &mut Module<'_>, list: &List, functions: &[LLVMValueRef]) {
    // SAFETY: constants and variables of a module that is alive.
    unsafe {
        let [start, end] = [list.start, list.end].map(|name| LLVMGetNamedGlobal(module.raw(), name.as_ptr()));
        if start.is_null() || end.is_null() {
            return;
        }
        let context = module.context().raw();
        let pointer = LLVMPointerTypeInContext(context, 0);
        let mut elements: Vec<LLVMValueRef> =
            functions.iter().map(|function| LLVMConstPointerCast(*function, pointer)).collect();
        let count = elements.len() as u64;
        let array = LLVMConstArray2(pointer, elements.as_mut_ptr(), count);
        let table = LLVMAddGlobalInAddressSpace(module.raw(), LLVMTypeOf(array), list.table.as_ptr(), GLOBAL);
        LLVMSetInitializer(table, array);
        LLVMSetGlobalConstant(table, 1);
        LLVMSetLinkage(table, LLVMPrivateLinkage);
        let mut index = [LLVMConstInt(LLVMInt64TypeInContext(context), count, 0)];
        let after = LLVMConstInBoundsGEP2(pointer, table, index.as_mut_ptr(), 1);
        for (global, address) in [(start, table), (end, after)] {
            let ty = LLVMGlobalGetValueType(global);
            LLVMSetInitializer(global, LLVMConstPointerCast(address, ty));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    fn lowered(text: &str) -> Result<String, LlvmError> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "/some/path", text.as_bytes()).expect("valid LLVM IR");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        lower_constructors(&mut module, &machine)?;
        Ok(module.to_text())
    }

    const HEAD: &str = "target triple = \"nvptx64-nvidia-cuda\"
define internal void @a() {\n  ret void\n}
define internal void @b() {\n  ret void\n}
";

    #[test]
    fn functions_are_called_by_priority() {
        let text = format!(
            "{HEAD}@llvm.global_ctors = appending global [2 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 65535, ptr @b, ptr null }}, {{ i32, ptr, ptr }} {{ i32 101, ptr @a, ptr null }}]\n"
        );
        let after = lowered(&text).expect("lowered");
        assert!(
            after.contains("@__init_array = private addrspace(1) constant [2 x ptr] [ptr @a, ptr @b]"),
            "{after}"
        );
        assert!(after.contains("define weak_odr ptx_kernel void @\"nvptx$device$init\"()"), "{after}");
        assert!(
            after.contains("__init_array_object_a_") && after.contains("__init_array_object_b_"),
            "{after}"
        );
        assert!(!after.contains("llvm.global_ctors") && !after.contains("maxclusterrank"), "{after}");
        // The same in every place, and another name for another module.
        assert_eq!(after, lowered(&text).expect("lowered"));
        let other = lowered(&text.replace("i32 101", "i32 102")).expect("lowered");
        let id = |text: &str| {
            let (_, rest) = text.split_once("__init_array_object_b_").expect("its constant");
            rest.split('_').next().map(str::to_owned)
        };
        assert_ne!(id(&after), id(&other));
    }

    #[test]
    fn nothing_to_run_changes_nothing() {
        for list in ["", "@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer\n"] {
            assert!(!lowered(&format!("{HEAD}{list}")).expect("nothing to do").contains("ptx_kernel"));
        }
    }

    /// LLVM passes over entries without a function.
    #[test]
    fn empty_entries_run_nothing() {
        let empty = "{ i32, ptr, ptr } { i32 1, ptr null, ptr null }";
        for entries in ["zeroinitializer", &format!("[{empty}]")] {
            let list = format!("@llvm.global_dtors = appending global [1 x {{ i32, ptr, ptr }}] {entries}\n");
            assert!(!lowered(&format!("{HEAD}{list}")).expect("nothing to do").contains("ptx_kernel"));
        }
        let list = format!(
            "@llvm.global_ctors = appending global [3 x {{ i32, ptr, ptr }}] [{empty}, {{ i32, ptr, ptr }} {{ i32 2, ptr @a, ptr null }}, {{ i32, ptr, ptr }} zeroinitializer]\n"
        );
        let after = lowered(&format!("{HEAD}{list}")).expect("one to run");
        assert!(after.contains("[1 x ptr] [ptr @a]"), "{after}");
    }
}
