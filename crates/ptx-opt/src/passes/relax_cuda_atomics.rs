//! `ptx-relax-cuda-atomics`: the atomic functions of CUDA in modules of clang.
//!
//! CUDA documents `atomicAdd()` and its like as relaxed and atomic for the device (CUDA C++ Programming Guide, "Atomic Functions"), and nvcc
//! compiles them so. clang has no builtin of that meaning and writes the strongest one: an operation that is `seq_cst` for the system.
//! What is lost by this cannot be told from LLVM IR, where C++'s `__atomic_fetch_add(p, x, __ATOMIC_SEQ_CST)` is the same.

use ptx_llvm_core::edit::{AtomicOrder, Editor, Inst, Opcode, edit};
use ptx_llvm_core::{LlvmError, Module};

use crate::pass::{Pass, Run, When};

/// Runs where `ll2ptx` finds modules of clang for CUDA, or is told.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-relax-cuda-atomics",
    summary: "Gives atomic operations that are `seq_cst` for the system the meaning of CUDA's functions: relaxed, for the device.",
    when: When::Named,
    run: Run::Module(relax),
    parameters: &[],
};

/// The flag that clang writes into modules of CUDA, for libdevice.
const FLUSH_FLAG: &str = "nvvm-reflect-ftz";
/// The name of clang in the list of a module's compilers.
const CLANG: &[u8] = b"clang version";
/// The compiler that libdevice names, into whatever it is linked.
const CLANG_OF_LIBDEVICE: &[u8] = b"clang version 3.8.0 (tags/RELEASE_380/final)";

/// Whether a module is CUDA compiled by clang, and every atomic operation in it can be one of CUDA's functions: `seq_cst` for the system, and neither
/// a fence nor a load or a store, which CUDA's functions are not and C++'s atomic types need.
pub fn has_only_cuda_atomics(module: &mut Module<'_>) -> bool {
    is_cuda_of_clang(module)
        && edit(module, |editor| atomics(editor).into_iter().all(|atomic| is_of_cuda(editor, atomic)))
}

/// Gives atomic operations that are `seq_cst` for the system the meaning that CUDA documents.
///
/// ```text
/// %r = atomicrmw add ptr %p, i32 1 seq_cst    -->    %r = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
/// ```
pub fn relax_cuda_atomics(module: &mut Module<'_>) {
    edit(module, relax_all);
}

fn relax(editor: &Editor<'_>) -> Result<(), LlvmError> {
    relax_all(editor);
    Ok(())
}

fn relax_all(editor: &Editor<'_>) {
    let device = editor.sync_scope("device");
    for atomic in atomics(editor).into_iter().filter(|atomic| is_of_cuda(editor, *atomic)) {
        atomic.relax();
        atomic.set_sync_scope(device);
    }
}

fn is_cuda_of_clang(module: &Module<'_>) -> bool {
    let compilers = module.inkwell().get_global_metadata("llvm.ident");
    let names = compilers.iter().flat_map(|node| node.get_node_values()).flatten();
    let mut names = names.filter_map(|name| {
        let name = name.into_metadata_value();
        name.get_string_value().map(<[u8]>::to_vec)
    });
    module.has_flag(FLUSH_FLAG)
        && names.any(|name| name.windows(CLANG.len()).any(|part| part == CLANG) && name != CLANG_OF_LIBDEVICE)
}

/// The instructions that are atomic: updates and exchanges, fences, and loads and stores with an order.
fn atomics<'e>(editor: &Editor<'e>) -> Vec<Inst<'e>> {
    let instructions = editor.functions().flat_map(|function| function.instructions());
    let is_atomic =
        |inst: &Inst<'e>| inst.memory_order().is_some_and(|(order, _)| order != AtomicOrder::NotAtomic);
    instructions.filter(is_atomic).collect()
}

/// Whether an atomic instruction is how clang writes a function of CUDA.
fn is_of_cuda<'e>(editor: &Editor<'e>, atomic: Inst<'e>) -> bool {
    const STRONGEST: AtomicOrder = AtomicOrder::SequentiallyConsistent;
    matches!(atomic.opcode(), Opcode::AtomicRMW | Opcode::AtomicCmpXchg)
        && atomic.memory_order() == Some((STRONGEST, STRONGEST))
        && atomic.sync_scope() == Some(editor.sync_scope(""))
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    use super::{has_only_cuda_atomics, relax_cuda_atomics};

    const UPDATES: &str = "
define void @f(ptr %p, ptr %q) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = cmpxchg ptr %q, i32 0, i32 1 seq_cst seq_cst
  ret void
}
";
    const CLANG: &str = "!llvm.ident = !{!1}\n!1 = !{!\"Debian clang version 22.1.8\"}\n";
    const FLAG: &str = "!llvm.module.flags = !{!0}\n!0 = !{i32 4, !\"nvvm-reflect-ftz\", i32 0}\n";

    fn is_cuda(text: &str) -> bool {
        let context = Context::new().expect("LLVM 22");
        has_only_cuda_atomics(&mut Module::parse(&context, "m", text.as_bytes()).expect("valid text"))
    }

    #[test]
    fn modules_of_clang_for_cuda_are_told_from_others() {
        assert!(is_cuda(&format!("{UPDATES}{FLAG}{CLANG}")));
        assert!(
            !is_cuda(UPDATES)
                && !is_cuda(&format!("{UPDATES}{FLAG}"))
                && !is_cuda(&format!("{UPDATES}{CLANG}"))
        );
        // Triton writes the flag, too, and links libdevice.
        let libdevice =
            CLANG.replace("Debian clang version 22.1.8", "clang version 3.8.0 (tags/RELEASE_380/final)");
        assert!(!is_cuda(&format!("{UPDATES}{FLAG}{libdevice}")));
    }

    #[test]
    fn atomic_types_are_not_functions_of_cuda() {
        for one in [
            "fence syncscope(\"block\") acquire",
            "%x = load atomic i32, ptr %p monotonic, align 4",
            "store atomic i32 0, ptr %p release, align 4",
            "%x = atomicrmw add ptr %p, i32 1 acquire",
            "%x = atomicrmw add ptr %p, i32 1 syncscope(\"block\") seq_cst",
            "%x = cmpxchg ptr %p, i32 0, i32 1 seq_cst monotonic",
        ] {
            let updates = UPDATES.replace("ret void", &format!("{one}\n  ret void"));
            assert!(!is_cuda(&format!("{updates}{FLAG}{CLANG}")), "{one}");
        }
    }

    #[test]
    fn functions_of_cuda_become_relaxed_for_the_device() {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", UPDATES.as_bytes()).expect("valid text");
        relax_cuda_atomics(&mut module);
        module.verify().expect("valid");
        let text = module.to_text();
        assert!(text.contains("atomicrmw add ptr %p, i32 1 syncscope(\"device\") monotonic"), "{text}");
        assert!(text.contains("i32 1 syncscope(\"device\") monotonic monotonic"), "{text}");
    }
}
