//! Loops that LLVM's loop vectorizer leaves as they are.
//!
//! LLVM decides about that when it reads `default<O2>`, independently of the options of its pipelines; metadata of the loop itself is respected.

use std::collections::{HashMap, HashSet};
use std::ptr;

use inkwell::values::AsValueRef as _;
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

use crate::module::Module;
use crate::raw;

/// Runs `action` with the property `llvm.loop.vectorize.enable` false on every loop of a module, beside those that it has. Loops that come out
/// have it no more.
pub(crate) fn without_loop_vectors<T>(module: &Module<'_>, action: impl FnOnce() -> T) -> T {
    // SAFETY: nothing else changes the module meanwhile; blocks and metadata are asked for anew after the action.
    unsafe {
        let loops = Loops::of(module);
        loops.mark_all(module);
        let result = action();
        loops.clear_all(module);
        result
    }
}

struct Loops {
    context: LLVMContextRef,
    /// The kind of a loop's properties on the branch back.
    kind: u32,
    /// The property.
    unwanted: LLVMValueRef,
}

impl Loops {
    /// # Safety
    ///
    /// The module is alive.
    unsafe fn of(module: &Module<'_>) -> Self {
        // SAFETY: LLVM copies the names; the node has the context of the module.
        unsafe {
            let context = module.context().raw();
            let name = "llvm.loop.vectorize.enable";
            let name = LLVMMDStringInContext2(context, name.as_ptr().cast(), name.len());
            let no = LLVMValueAsMetadata(LLVMConstInt(LLVMInt1TypeInContext(context), 0, 0));
            let property = LLVMMDNodeInContext2(context, [name, no].as_mut_ptr(), 2);
            let kind = LLVMGetMDKindIDInContext(context, c"llvm.loop".as_ptr(), 9);
            Loops { context, kind, unwanted: LLVMMetadataAsValue(context, property) }
        }
    }

    /// # Safety
    ///
    /// The module is alive.
    unsafe fn mark_all(&self, module: &Module<'_>) {
        // Branches back to one block have to agree.
        let mut nodes = HashMap::new();
        for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0)
        {
            // SAFETY: the function has blocks, and a branch is given metadata of its kind.
            unsafe {
                for (branch, header) in branches_back(function.as_value_ref()) {
                    let own = LLVMGetMetadata(branch, self.kind);
                    let node = *nodes.entry((header, own)).or_insert_with(|| {
                        let mut properties = self.properties(own);
                        properties.push(self.unwanted);
                        self.node(&properties)
                    });
                    LLVMSetMetadata(branch, self.kind, node);
                }
            }
        }
    }

    /// # Safety
    ///
    /// The module is alive.
    unsafe fn clear_all(&self, module: &Module<'_>) {
        let mut nodes = HashMap::new();
        for block in module.inkwell().get_functions().flat_map(|function| function.get_basic_block_iter()) {
            // SAFETY: every block that is met ends in a terminator, which is given metadata of its kind or none.
            unsafe {
                let branch = LLVMGetBasicBlockTerminator(block.as_mut_ptr());
                let own = LLVMGetMetadata(branch, self.kind);
                let mut properties = self.properties(own);
                if !properties.contains(&self.unwanted) {
                    continue;
                }
                let node = *nodes.entry(own).or_insert_with(|| {
                    properties.retain(|property| *property != self.unwanted);
                    if properties.is_empty() { ptr::null_mut() } else { self.node(&properties) }
                });
                LLVMSetMetadata(branch, self.kind, node);
            }
        }
    }

    /// What a loop's node holds after itself; nothing without a node.
    ///
    /// # Safety
    ///
    /// The node is alive or null.
    unsafe fn properties(&self, node: LLVMValueRef) -> Vec<LLVMValueRef> {
        // SAFETY: by this function's contract.
        unsafe { raw::node_operands(node).into_iter().skip(1).collect() }
    }

    /// A loop's node: itself and its properties.
    ///
    /// # Safety
    ///
    /// The properties are metadata of the context.
    unsafe fn node(&self, properties: &[LLVMValueRef]) -> LLVMValueRef {
        // SAFETY: the temporary is replaced by the node made of it, after which LLVM frees it.
        unsafe {
            let own = LLVMTemporaryMDNode(self.context, ptr::null_mut(), 0);
            let mut all: Vec<LLVMMetadataRef> = vec![own];
            all.extend(properties.iter().map(|property| LLVMValueAsMetadata(*property)));
            let node = LLVMMDNodeInContext2(self.context, all.as_mut_ptr(), all.len());
            LLVMMetadataReplaceAllUsesWith(own, node);
            LLVMMetadataAsValue(self.context, node)
        }
    }
}

/// The branches of a function to a block that control is already inside of, each with that block.
///
/// # Safety
///
/// The function is alive and has blocks.
unsafe fn branches_back(function: LLVMValueRef) -> Vec<(LLVMValueRef, LLVMBasicBlockRef)> {
    let mut found = Vec::new();
    // SAFETY: successors are asked of terminators, as many as there are.
    unsafe {
        let blocks = raw::blocks(function);
        let mut seen = HashSet::from([blocks[0]]);
        let mut inside = HashSet::from([blocks[0]]);
        // Blocks on the way from the entry, each with the successor that is next.
        let mut way = vec![(blocks[0], 0)];
        while let Some((block, at)) = way.pop() {
            let end = LLVMGetBasicBlockTerminator(block);
            if at == LLVMGetNumSuccessors(end) {
                inside.remove(&block);
                continue;
            }
            way.push((block, at + 1));
            let next = LLVMGetSuccessor(end, at);
            if inside.contains(&next) && LLVMGetInstructionOpcode(end) == LLVMOpcode::LLVMBr {
                found.push((end, next));
            } else if seen.insert(next) {
                inside.insert(next);
                way.push((next, 0));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::pass::run_passes_tuned;
    use crate::{Context, Gpu, Machine, Module, OptLevel, Tuning};

    /// Copies bytes; the test is at the top, as tinygrad writes loops, so that the branch back comes before its target.
    const COPY: &str = "define void @f(ptr noalias %p, ptr noalias %q) {
  br label %test
loop:
  %from = getelementptr i8, ptr %p, i32 %i
  %to = getelementptr i8, ptr %q, i32 %i
  %byte = load i8, ptr %from, align 4
  store i8 %byte, ptr %to, align 4
  %next = add i32 %i, 1
  br label %test, !llvm.loop !0
test:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %more = icmp ult i32 %i, 128
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!\"llvm.loop.unroll.disable\"}
";

    fn run(text: &str, pipeline: &str, tuning: Tuning) -> String {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        run_passes_tuned(&mut module, pipeline, &machine, tuning).expect("runs");
        module.verify().expect("valid");
        module.to_text()
    }

    #[test]
    fn default_pipelines_vectorize_loops_of_sources_alone() {
        for level in ["default<O2>", "default<O3>"] {
            let text = run(COPY, level, Tuning::Compiled);
            assert!(text.contains("load i8") && !text.contains("<4 x i8>"), "{text}");
            assert!(run(COPY, level, Tuning::Source).contains("load <4 x i8>"));
        }
        // Who names the pass has it.
        let named = "function(instcombine,loop(loop-rotate),instcombine,loop-vectorize)";
        assert!(run(COPY, named, Tuning::Compiled).contains("load <4 x i8>"));
    }

    #[test]
    fn loops_keep_their_properties_and_no_more() {
        let text = run(COPY, "default<O2>", Tuning::Compiled);
        assert!(text.contains("br i1") && text.contains(", !llvm.loop !0"), "{text}");
        assert!(text.ends_with("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n"), "{text}");
        let bare = COPY.replace(", !llvm.loop !0", "");
        let text = run(&bare, "default<O2>", Tuning::Compiled);
        assert!(text.contains("br i1") && !text.contains("llvm.loop"), "{text}");
    }
}
