//! Where threads that a branch separated come together again, while LLVM's passes change the flow of control.
//!
//! An operation such as `activemask`, `vote` or `bar.sync` depends on which threads execute it together, and a GPU brings separated threads
//! together where their ways join. LLVM does not duplicate such an operation (`convergent`), but it moves the join before it: SimplifyCFG lets
//! a block whose branch is decided on one of the ways to it branch directly.
//!
//! ```text
//!   br i1 %p, label %T, label %F             br i1 %p, label %T, label %M
//! T: .. br label %M                        T: .. br label %X
//! F: .. br label %M                  -->   M: .. br i1 %u, label %X, label %V
//! M:                                       X:
//!   %f = phi i1 [ true, %T ], [ %u, %F ]     call i32 @llvm.nvvm.activemask()
//!   br i1 %f, label %X, label %V
//! X:
//!   call i32 @llvm.nvvm.activemask()
//! ```
//!
//! On the left all threads are together at `%M` and so in `%X`; on the right those of `%T` come to `%X` alone, since the ways first join
//! after it. So while passes run, each branch on which it depends whether a convergent operation is executed has a call before it that is
//! itself convergent, and that LLVM therefore neither duplicates nor passes by; afterwards the calls are removed.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use inkwell::values::AsValueRef as _;
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::LLVMCallConv;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use ptx_graph::{FlowGraph, immediate_dominators, iterated_frontier};

use crate::module::Module;
use crate::pass::is_optimized;
use crate::raw;

mod assembly;

/// The function that is called where threads come together; LLVM adds a number if the module has one of this name.
const MARKER: &CStr = c"ptx.join";

/// LLVM's number for `memory(inaccessiblemem: readwrite)`: the calls are kept, and have no effect on any access.
const INACCESSIBLE_MEMORY: u64 = 0b1100;

/// Calling convention of kernels.
const PTX_KERNEL: u32 = LLVMCallConv::LLVMPTXKernelCallConv as u32;

/// Runs `action`, which may change the flow of control, so that threads that were together at a convergent operation still are.
pub(crate) fn with_joins_kept<T>(module: &Module<'_>, action: impl FnOnce() -> T) -> T {
    // SAFETY: nothing else changes the module meanwhile; the marker is looked up again after the action.
    unsafe {
        let convergent = Convergent::new();
        assembly::mark(module, &convergent);
        let mut marker = Marker::new(module);
        for function in module.inkwell().get_functions() {
            if function.count_basic_blocks() > 1 && is_optimized(function) {
                marker.place(&Flow::new(function.as_value_ref()), &convergent);
            }
        }
        let name = marker.name();
        let result = action();
        if let Some(name) = name {
            remove(module, &name);
        }
        result
    }
}

/// LLVM's attribute `convergent`.
struct Convergent {
    kind: u32,
}

impl Convergent {
    fn new() -> Self {
        // SAFETY: the text has that many bytes.
        Self { kind: unsafe { LLVMGetEnumAttributeKindForName(c"convergent".as_ptr(), 10) } }
    }

    /// Whether an instruction is a call that has the attribute, or whose callee has it.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn is(&self, instruction: LLVMValueRef) -> bool {
        // SAFETY: attributes are asked of calls and functions.
        unsafe {
            if !is_call(instruction) {
                return false;
            }
            let own = LLVMGetCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, self.kind);
            !own.is_null() || self.is_function(LLVMIsAFunction(LLVMGetCalledValue(instruction)))
        }
    }

    /// Whether a function has the attribute.
    ///
    /// # Safety
    ///
    /// The function is alive or null.
    unsafe fn is_function(&self, function: LLVMValueRef) -> bool {
        // SAFETY: the attribute is asked of a function.
        unsafe {
            !function.is_null()
                && !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, self.kind).is_null()
        }
    }
}

/// Whether an instruction is a call.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn is_call(instruction: LLVMValueRef) -> bool {
    // SAFETY: the kind is asked of a value that is alive.
    unsafe { matches!(LLVMGetInstructionOpcode(instruction), LLVMCall | LLVMInvoke | LLVMCallBr) }
}

/// Whether LLVM may replace a call by the body of a function, whose blocks then join in the block of the call.
///
/// # Safety
///
/// The call is alive.
unsafe fn may_be_inlined(call: LLVMValueRef) -> bool {
    // SAFETY: the blocks are counted of a function.
    unsafe {
        let callee = LLVMGetCalledValue(call);
        let function = LLVMIsAFunction(callee);
        match function.is_null() {
            // Through an address, which may become known.
            true => LLVMIsAInlineAsm(callee).is_null(),
            false => LLVMCountBasicBlocks(function) > 0,
        }
    }
}

/// The blocks of a function and the edges between them.
struct Flow {
    function: LLVMValueRef,
    blocks: Vec<LLVMBasicBlockRef>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl Flow {
    /// # Safety
    ///
    /// The function is alive and has blocks.
    unsafe fn new(function: LLVMValueRef) -> Self {
        // SAFETY: successors are asked of a terminator.
        unsafe {
            let blocks = raw::blocks(function);
            let numbers: HashMap<LLVMBasicBlockRef, usize> =
                blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
            let mut successors = vec![Vec::new(); blocks.len()];
            let mut predecessors = vec![Vec::new(); blocks.len()];
            for (at, block) in blocks.iter().enumerate() {
                let end = LLVMGetBasicBlockTerminator(*block);
                let count = if end.is_null() { 0 } else { LLVMGetNumSuccessors(end) };
                for place in 0..count {
                    if let Some(&to) = numbers.get(&LLVMGetSuccessor(end, place)) {
                        successors[at].push(to);
                        predecessors[to].push(at);
                    }
                }
            }
            Self { function, blocks, successors, predecessors }
        }
    }

    /// Whether an edge, from one block to another, leads back to a block that dominates where it comes from.
    fn is_back_edge(&self) -> impl Fn(usize, usize) -> bool + use<> {
        let immediate = immediate_dominators(self);
        // Numbers of a walk over the dominator tree: a block is dominated by those whose interval has its own.
        let mut children = vec![Vec::new(); immediate.len()];
        for (block, parent) in immediate.iter().enumerate() {
            if let Some(parent) = parent.filter(|parent| *parent != block) {
                children[parent].push(block);
            }
        }
        let mut interval = vec![(0usize, 0usize); immediate.len()];
        let (mut number, mut walk) = (0, vec![(0usize, false)]);
        while let Some((block, is_left)) = walk.pop() {
            number += 1;
            if is_left {
                interval[block].1 = number;
            } else {
                interval[block].0 = number;
                walk.push((block, true));
                walk.extend(children[block].iter().map(|child| (*child, false)));
            }
        }
        move |from, to| interval[to].0 <= interval[from].0 && interval[from].1 <= interval[to].1
    }
}

impl FlowGraph for Flow {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&self) -> Option<usize> {
        (!self.blocks.is_empty()).then_some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.successors[block].get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.predecessors[block].iter().copied()
    }
}

/// A function with its edges reversed. Its entry is an additional block after the function's own, to which control goes where it leaves the
/// function, and from one block of each part that it never leaves.
struct Reversed<'f> {
    flow: &'f Flow,
    ends: Vec<usize>,
    is_end: Vec<bool>,
}

impl<'f> Reversed<'f> {
    fn new(flow: &'f Flow) -> Self {
        let count = flow.blocks.len();
        let mut reversed = Reversed { flow, ends: Vec::new(), is_end: vec![false; count] };
        let mut seen = vec![false; count];
        let leaving = (0..count).filter(|block| flow.successors[*block].is_empty());
        // Where no way leads out, the last block of each part in the order of the text is its end.
        for end in leaving.chain((0..count).rev()) {
            if seen[end] {
                continue;
            }
            reversed.ends.push(end);
            reversed.is_end[end] = true;
            let mut walk = vec![end];
            while let Some(block) = walk.pop() {
                if !std::mem::replace(&mut seen[block], true) {
                    walk.extend(flow.predecessors[block].iter().filter(|before| !seen[**before]));
                }
            }
        }
        reversed
    }
}

impl FlowGraph for Reversed<'_> {
    fn block_count(&self) -> usize {
        self.flow.blocks.len() + 1
    }

    fn entry(&self) -> Option<usize> {
        Some(self.flow.blocks.len())
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        let next = if block == self.flow.blocks.len() { &self.ends } else { &self.flow.predecessors[block] };
        next.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        // Nothing precedes the additional block.
        let is_own = block != self.flow.blocks.len();
        let own = if is_own { self.flow.successors[block].as_slice() } else { &[] };
        own.iter().copied().chain((is_own && self.is_end[block]).then_some(self.flow.blocks.len()))
    }
}

/// Where a branch gets its call.
enum Place {
    /// A convergent operation precedes the branch, or nothing joins there.
    Nowhere,
    /// Before this instruction.
    Before(LLVMValueRef),
    /// In a new block on the way from these predecessors.
    Between(Vec<usize>),
}

/// The function that is called.
struct Marker<'m, 'c> {
    module: &'m Module<'c>,
    /// Its type and itself, once there is a call.
    function: Option<(LLVMTypeRef, LLVMValueRef)>,
}

impl<'m, 'c> Marker<'m, 'c> {
    fn new(module: &'m Module<'c>) -> Self {
        Self { module, function: None }
    }

    /// Its name; `None` without a call.
    ///
    /// # Safety
    ///
    /// The module is alive.
    unsafe fn name(&self) -> Option<Vec<u8>> {
        // SAFETY: the function is the module's.
        self.function.map(|(_, function)| unsafe { raw::name(function) })
    }

    /// Adds the calls of a function.
    ///
    /// # Safety
    ///
    /// The flow is that of a function of the module as it is.
    unsafe fn place(&mut self, flow: &Flow, convergent: &Convergent) {
        // SAFETY: blocks and their instructions are alive; new blocks are added after all are found.
        unsafe {
            let is_convergent = |block: &LLVMBasicBlockRef| {
                raw::instructions(*block).into_iter().any(|instruction| convergent.is(instruction))
            };
            let operations: Vec<usize> =
                (0..flow.blocks.len()).filter(|at| is_convergent(&flow.blocks[*at])).collect();
            if operations.is_empty() {
                return;
            }
            let reversed = Reversed::new(flow);
            let controlling = iterated_frontier(&reversed, &immediate_dominators(&reversed), operations);
            let is_back = flow.is_back_edge();
            for block in (0..flow.blocks.len()).filter(|block| controlling[*block]) {
                // A branch to one place decides nothing.
                if flow.successors[block].len() < 2 {
                    continue;
                }
                match place_of(flow, block, &is_back, convergent) {
                    Place::Nowhere => {}
                    Place::Before(instruction) => self.call_before(instruction),
                    Place::Between(predecessors) => self.call_between(flow, &predecessors, block),
                }
            }
        }
    }

    /// # Safety
    ///
    /// The instruction is alive and the module's.
    unsafe fn call_before(&mut self, instruction: LLVMValueRef) {
        let (ty, function) = self.declared();
        // SAFETY: the builder is positioned before an instruction that is alive, and disposed once.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.module.context().raw());
            LLVMPositionBuilderBefore(builder, instruction);
            LLVMBuildCall2(builder, ty, function, std::ptr::null_mut(), 0, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }

    /// Puts a block with the call between a block and some of its predecessors.
    ///
    /// # Safety
    ///
    /// The flow is that of a function of the module, apart from blocks between others; the predecessors are the block's.
    unsafe fn call_between(&mut self, flow: &Flow, predecessors: &[usize], block: usize) {
        // SAFETY: phis, branches and blocks are alive; each phi is given as many values as it has predecessors.
        unsafe {
            let (context, block) = (self.module.context().raw(), flow.blocks[block]);
            let before: HashSet<LLVMBasicBlockRef> = predecessors.iter().map(|at| flow.blocks[*at]).collect();
            let between = LLVMInsertBasicBlockInContext(context, block, c"join".as_ptr());
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderAtEnd(builder, between);
            let end = LLVMBuildBr(builder, block);
            self.call_before(end);
            for phi in raw::instructions(block) {
                if LLVMIsAPHINode(phi).is_null() {
                    break;
                }
                split_phi(builder, phi, &before, between);
            }
            LLVMDisposeBuilder(builder);
            for predecessor in before {
                let end = LLVMGetBasicBlockTerminator(predecessor);
                for at in 0..LLVMGetNumSuccessors(end) {
                    if LLVMGetSuccessor(end, at) == block {
                        LLVMSetSuccessor(end, at, between);
                    }
                }
            }
        }
    }

    /// The function, which is declared with the first call.
    fn declared(&mut self) -> (LLVMTypeRef, LLVMValueRef) {
        *self.function.get_or_insert_with(|| {
            // SAFETY: the name ends in a NUL byte, which LLVM copies; attributes are added to a function.
            unsafe {
                let context = self.module.context().raw();
                let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), std::ptr::null_mut(), 0, 0);
                let function = LLVMAddFunction(self.module.raw(), MARKER.as_ptr(), ty);
                let flags =
                    ["convergent", "nocallback", "nofree", "nounwind", "willreturn"].map(|name| (name, 0));
                for (name, value) in flags.into_iter().chain([("memory", INACCESSIBLE_MEMORY)]) {
                    let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                    let attribute = LLVMCreateEnumAttribute(context, kind, value);
                    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
                }
                (ty, function)
            }
        })
    }
}

/// Moves a phi's values of some predecessors to a phi in the block that comes between.
///
/// ```text
///   %x = phi i32 [ 1, %a ], [ 2, %b ], [ %y, %latch ]
/// ```
///
/// becomes, in the block between and here:
///
/// ```text
///   %j = phi i32 [ 1, %a ], [ 2, %b ]
///   %x = phi i32 [ %y, %latch ], [ %j, %join ]
/// ```
///
/// # Safety
///
/// The phi is alive, and the blocks are those that it has values for.
unsafe fn split_phi(
    builder: LLVMBuilderRef,
    phi: LLVMValueRef,
    before: &HashSet<LLVMBasicBlockRef>,
    between: LLVMBasicBlockRef,
) {
    // SAFETY: incoming values are counted, and each is given with its block.
    unsafe {
        let incoming = (0..LLVMCountIncoming(phi))
            .map(|at| (LLVMGetIncomingValue(phi, at), LLVMGetIncomingBlock(phi, at)));
        let (moved, kept): (Vec<_>, Vec<_>) = incoming.partition(|(_, block)| before.contains(block));
        let add = |phi, (mut value, mut block): (LLVMValueRef, LLVMBasicBlockRef)| {
            LLVMAddIncoming(phi, &raw mut value, &raw mut block, 1);
        };
        LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(between));
        let joined = LLVMBuildPhi(builder, LLVMTypeOf(phi), c"".as_ptr());
        moved.into_iter().for_each(|value| add(joined, value));
        // LLVM's interface has no way to take a value from a phi.
        LLVMPositionBuilderBefore(builder, phi);
        let rest = LLVMBuildPhi(builder, LLVMTypeOf(phi), c"".as_ptr());
        kept.into_iter().chain([(joined, between)]).for_each(|value| add(rest, value));
        let name = raw::name(phi);
        LLVMReplaceAllUsesWith(phi, rest);
        LLVMInstructionEraseFromParent(phi);
        LLVMSetValueName2(rest, name.as_ptr().cast(), name.len());
    }
}

/// Where the branch at the end of a block gets its call: after the last call that may become blocks of its own, else where the block begins. In
/// front of a loop it is where the ways into the loop join, or those back: a call in the loop's first block would keep LLVM from
/// rotating it.
///
/// # Safety
///
/// The flow is that of a function that is alive, apart from blocks between others.
unsafe fn place_of(
    flow: &Flow,
    block: usize,
    is_back: &impl Fn(usize, usize) -> bool,
    convergent: &Convergent,
) -> Place {
    // SAFETY: instructions of a block that is alive.
    unsafe {
        let instructions = raw::instructions(flow.blocks[block]);
        for at in (0..instructions.len()).rev().filter(|at| is_call(instructions[*at])) {
            if may_be_inlined(instructions[at]) {
                // The call may be the terminator, whose ways have nothing to join.
                return instructions.get(at + 1).map_or(Place::Nowhere, |next| Place::Before(*next));
            }
            if convergent.is(instructions[at]) {
                return Place::Nowhere;
            }
        }
        if block == 0 {
            // Kernels are not called by others.
            return match LLVMGetFunctionCallConv(flow.function) == PTX_KERNEL {
                true => Place::Nowhere,
                false => first_place(&instructions),
            };
        }
        let (back, into): (Vec<usize>, Vec<usize>) =
            flow.predecessors[block].iter().copied().partition(|from| is_back(*from, block));
        match (back.len(), into.len()) {
            (0, _) => first_place(&instructions),
            (1, 1) => Place::Nowhere,
            (_, 1) => Place::Between(back),
            _ => Place::Between(into),
        }
    }
}

/// Before the first instruction that is not a phi.
///
/// # Safety
///
/// The instructions are alive.
unsafe fn first_place(instructions: &[LLVMValueRef]) -> Place {
    // SAFETY: the kind is asked of a value that is alive.
    let is_phi = |instruction: &&LLVMValueRef| unsafe { !LLVMIsAPHINode(**instruction).is_null() };
    instructions
        .iter()
        .find(|instruction| !is_phi(instruction))
        .map_or(Place::Nowhere, |first| Place::Before(*first))
}

/// Removes the calls and the function.
///
/// # Safety
///
/// Nothing else refers to instructions of the module.
unsafe fn remove(module: &Module<'_>, name: &[u8]) {
    // SAFETY: the name is as long as said; calls have no result, and the function no uses after them.
    unsafe {
        let function = LLVMGetNamedFunctionWithLength(module.raw(), name.as_ptr().cast(), name.len());
        if function.is_null() {
            return;
        }
        loop {
            let place = LLVMGetFirstUse(function);
            if place.is_null() {
                break;
            }
            let user = LLVMGetUser(place);
            debug_assert!(!LLVMIsACallInst(user).is_null(), "only calls use the marker");
            LLVMInstructionEraseFromParent(user);
        }
        LLVMDeleteFunction(function);
    }
}

#[cfg(test)]
mod tests;
