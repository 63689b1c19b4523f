//! The atomic functions of CUDA in modules of clang.
//!
//! CUDA documents `atomicAdd()` and its like as relaxed and atomic for the device (CUDA C++ Programming Guide, "Atomic Functions"), and nvcc
//! compiles them so. clang has no builtin of that meaning and writes the strongest one: an operation that is `seq_cst` for the system.
//! What is lost by this cannot be told from LLVM IR, where C++'s `__atomic_fetch_add(p, x, __ATOMIC_SEQ_CST)` is the same.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use crate::module::Module;
use crate::raw;

/// The flag that clang writes into modules of CUDA, for libdevice.
const FLUSH_FLAG: &str = "nvvm-reflect-ftz";
/// The name of clang in the list of a module's compilers.
const CLANG: &[u8] = b"clang version";
/// The compiler that libdevice names, into whatever it is linked.
const CLANG_OF_LIBDEVICE: &[u8] = b"clang version 3.8.0 (tags/RELEASE_380/final)";

/// Whether a module is CUDA compiled by clang, and every atomic operation in it can be one of CUDA's functions: `seq_cst` for the system, and neither
/// a fence nor a load or a store, which CUDA's functions are not and C++'s atomic types need.
pub fn has_only_cuda_atomics(module: &Module<'_>) -> bool {
    is_cuda_of_clang(module) && atomics(module).into_iter().all(|atomic| atomic.is_of_cuda())
}

/// Gives atomic operations that are `seq_cst` for the system the meaning that CUDA documents.
///
/// ```text
/// %r = atomicrmw add ptr %p, i32 1 seq_cst    -->    %r = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
/// ```
pub fn relax_cuda_atomics(module: &mut Module<'_>) {
    for atomic in atomics(module).into_iter().filter(Atomic::is_of_cuda) {
        atomic.relax();
    }
}

fn is_cuda_of_clang(module: &Module<'_>) -> bool {
    // SAFETY: the module is alive; the name has as many bytes as stated.
    let flag = unsafe { LLVMGetModuleFlag(module.raw(), FLUSH_FLAG.as_ptr().cast(), FLUSH_FLAG.len()) };
    let compilers = module.inkwell().get_global_metadata("llvm.ident");
    let names = compilers.iter().flat_map(|node| node.get_node_values()).flatten();
    let mut names = names.filter_map(|name| {
        let name = name.into_metadata_value();
        name.get_string_value().map(<[u8]>::to_vec)
    });
    !flag.is_null()
        && names.any(|name| name.windows(CLANG.len()).any(|part| part == CLANG) && name != CLANG_OF_LIBDEVICE)
}

/// An instruction that is atomic.
struct Atomic {
    instruction: LLVMValueRef,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Update,
    Exchange,
    /// A load, a store or a fence.
    Other,
}

impl Atomic {
    /// `None` if the instruction is not atomic.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn of(instruction: LLVMValueRef) -> Option<Self> {
        // SAFETY: kinds are asked of any instruction, orders of loads and stores alone.
        let kind = unsafe {
            if !LLVMIsAAtomicRMWInst(instruction).is_null() {
                Kind::Update
            } else if !LLVMIsAAtomicCmpXchgInst(instruction).is_null() {
                Kind::Exchange
            } else if !LLVMIsAFenceInst(instruction).is_null() {
                Kind::Other
            } else if LLVMIsALoadInst(instruction).is_null() && LLVMIsAStoreInst(instruction).is_null()
                || LLVMGetOrdering(instruction) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
            {
                return None;
            } else {
                Kind::Other
            }
        };
        Some(Self { instruction, kind })
    }

    /// Whether it is how clang writes a function of CUDA.
    fn is_of_cuda(&self) -> bool {
        const STRONGEST: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        // SAFETY: the instruction is alive, since nothing is erased here; each order is asked of an instruction that has it.
        unsafe {
            let is_strongest = match self.kind {
                Kind::Update => LLVMGetOrdering(self.instruction) == STRONGEST,
                Kind::Exchange => {
                    LLVMGetCmpXchgSuccessOrdering(self.instruction) == STRONGEST
                        && LLVMGetCmpXchgFailureOrdering(self.instruction) == STRONGEST
                }
                Kind::Other => false,
            };
            is_strongest && LLVMGetAtomicSyncScopeID(self.instruction) == self.scope("")
        }
    }

    /// Makes it relaxed for the device.
    fn relax(&self) {
        const RELAXED: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        // SAFETY: as in `is_of_cuda`; the verifier allows this order for both kinds.
        unsafe {
            match self.kind {
                Kind::Update => LLVMSetOrdering(self.instruction, RELAXED),
                Kind::Exchange => {
                    LLVMSetCmpXchgSuccessOrdering(self.instruction, RELAXED);
                    LLVMSetCmpXchgFailureOrdering(self.instruction, RELAXED);
                }
                Kind::Other => return,
            }
            LLVMSetAtomicSyncScopeID(self.instruction, self.scope("device"));
        }
    }

    /// LLVM's number of a scope; that of the system has no name.
    fn scope(&self, name: &str) -> u32 {
        // SAFETY: the instruction is alive, and the name has as many bytes as stated.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.instruction));
            LLVMGetSyncScopeID(context, name.as_ptr().cast(), name.len())
        }
    }
}

fn atomics(module: &Module<'_>) -> Vec<Atomic> {
    let mut found = Vec::new();
    for function in module.inkwell().get_functions() {
        // SAFETY: the function and all in it are alive while the module is borrowed.
        unsafe {
            for block in raw::blocks(inkwell::values::AsValueRef::as_value_ref(&function)) {
                found.extend(raw::instructions(block).into_iter().filter_map(|one| Atomic::of(one)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::{Context, Module, has_only_cuda_atomics, relax_cuda_atomics};

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
        has_only_cuda_atomics(&Module::parse(&context, "m", text.as_bytes()).expect("valid text"))
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
