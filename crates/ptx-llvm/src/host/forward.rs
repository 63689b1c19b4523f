//! Store-to-load forwarding for loads that are not covered by a single store of the block.
//!
//! A processor forwards to a load from one store that is not in the cache yet, if that covers the whole load. A load of parts of two stores waits until
//! both are in the cache, which takes longer than a few dozen operations: reductions in shared memory have such a load in every step.
//! LLVM itself only forwards from a single store.

use std::collections::BTreeMap;

use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::LLVMVectorTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType, LLVMTargetDataRef};

use crate::module::Module;
use crate::raw;

/// Replaces loads of vectors that the block has stored by shuffles; returns whether it did:
///
/// ```text
///   store <4 x i32> %a, ptr %p                             store <4 x i32> %a, ptr %p
///   %q = getelementptr i8, ptr %p, i64 16                  %q = getelementptr i8, ptr %p, i64 16
///   store <4 x i32> %b, ptr %q                             store <4 x i32> %b, ptr %q
///   %r = getelementptr i8, ptr %p, i64 12                  %c = shufflevector <4 x i32> %a, <4 x i32> %b,
///   %c = load <4 x i32>, ptr %r                                               <4 x i32> <i32 3, i32 4, i32 5, i32 6>
/// ```
///
/// Also handles `llvm.masked.load` with a constant mask.
pub(super) fn forward_stores(module: &Module<'_>) -> bool {
    let mut changed = false;
    for function in module.inkwell().get_functions() {
        for block in function.get_basic_block_iter() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile; instructions are only erased here.
            unsafe {
                let layout = LLVMGetModuleDataLayout(module.inkwell().as_mut_ptr());
                let mut memory = Memory { layout, base: std::ptr::null_mut(), elements: BTreeMap::new() };
                for instruction in raw::instructions(block.as_mut_ptr()) {
                    changed |= memory.step(instruction);
                }
            }
        }
    }
    changed
}

/// The known contents of memory in a block: the elements of stored vectors, by their offsets from one pointer. A store through another
/// pointer may alias any of them.
struct Memory {
    layout: LLVMTargetDataRef,
    base: LLVMValueRef,
    elements: BTreeMap<i64, Element>,
}

/// An element of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Element {
    vector: LLVMValueRef,
    lane: u32,
    bytes: i64,
}

/// A vector access of the lanes in a constant mask.
struct Access {
    /// The stored value; for a load, the pass-through value of lanes outside the mask, if there are any.
    value: Option<LLVMValueRef>,
    ty: LLVMTypeRef,
    place: LLVMValueRef,
    mask: Vec<bool>,
}

impl Memory {
    /// Replaces the instruction if it is a load of known contents, otherwise records its effect on memory.
    ///
    /// # Safety
    ///
    /// The instruction is alive, and so is everything before it in its block; nothing else holds it.
    unsafe fn step(&mut self, instruction: LLVMValueRef) -> bool {
        // SAFETY: each property is only queried from instructions that have it.
        unsafe {
            match LLVMGetInstructionOpcode(instruction) {
                LLVMLoad if is_simple(instruction) => {
                    Access::of_load(instruction).is_some_and(|load| self.replace(instruction, &load))
                }
                LLVMLoad if LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic => false,
                LLVMStore if is_simple(instruction) => {
                    let value = LLVMGetOperand(instruction, 0);
                    let bytes = LLVMStoreSizeOfType(self.layout, LLVMTypeOf(value)) as i64;
                    let (base, offset) = place_of(LLVMGetOperand(instruction, 1));
                    self.forget(base, offset, bytes);
                    if let Some(store) = Access::of_store(instruction) {
                        self.note(&store);
                    }
                    false
                }
                LLVMCall => self.call(instruction),
                opcode => {
                    if may_write(opcode) {
                        self.elements.clear();
                    }
                    false
                }
            }
        }
    }

    /// As [`Memory::step`], for a call.
    ///
    /// # Safety
    ///
    /// As for [`Memory::step`]; the instruction is a call.
    unsafe fn call(&mut self, call: LLVMValueRef) -> bool {
        // SAFETY: as above.
        unsafe {
            let name = raw::name(LLVMGetCalledValue(call));
            let is = |prefix: &str| name.starts_with(prefix.as_bytes());
            if is("llvm.masked.load.") {
                return Access::of_masked_load(call).is_some_and(|load| self.replace(call, &load));
            }
            if is("llvm.masked.store.") {
                let value = LLVMGetOperand(call, 0);
                let bytes = LLVMStoreSizeOfType(self.layout, LLVMTypeOf(value)) as i64;
                let (base, offset) = place_of(LLVMGetOperand(call, 1));
                match Access::of_masked_store(call) {
                    Some(store) => self.note(&store),
                    None => self.forget(base, offset, bytes),
                }
            } else if !is("llvm.prefetch.") && !writes_nothing(call) {
                self.elements.clear();
            }
            false
        }
    }

    /// Forgets what a store to these bytes may change.
    fn forget(&mut self, base: LLVMValueRef, offset: i64, bytes: i64) {
        if base != self.base {
            self.elements.clear();
            self.base = base;
        }
        /// The most bytes of an element.
        const MOST: i64 = 16;
        let overlaps = |(&at, element): (&i64, &Element)| {
            (at + element.bytes > offset && at < offset.saturating_add(bytes)).then_some(at)
        };
        let near = self.elements.range(offset.saturating_sub(MOST)..offset.saturating_add(bytes));
        for at in near.filter_map(overlaps).collect::<Vec<_>>() {
            self.elements.remove(&at);
        }
    }

    /// Records the stored lanes.
    ///
    /// # Safety
    ///
    /// The values of the access are alive.
    unsafe fn note(&mut self, store: &Access) {
        // SAFETY: the type is a vector.
        unsafe {
            let Some(vector) = store.value else { return };
            let bytes = LLVMStoreSizeOfType(self.layout, LLVMGetElementType(store.ty)) as i64;
            let (base, offset) = place_of(store.place);
            let lanes = store.mask.iter().enumerate().filter(|(_, is_stored)| **is_stored);
            for (lane, _) in lanes {
                let at = offset.saturating_add(lane as i64 * bytes);
                self.forget(base, at, bytes);
                self.elements.insert(at, Element { vector, lane: lane as u32, bytes });
            }
        }
    }

    /// Replaces a load whose contents are known, if they come from at most two vectors as long as the load itself.
    ///
    /// # Safety
    ///
    /// As for [`Memory::step`].
    unsafe fn replace(&mut self, instruction: LLVMValueRef, load: &Access) -> bool {
        // SAFETY: stored vectors are of the same block and precede the load; the shuffle has the load's type.
        unsafe {
            let bytes = LLVMStoreSizeOfType(self.layout, LLVMGetElementType(load.ty)) as i64;
            let (base, offset) = place_of(load.place);
            if base != self.base {
                return false;
            }
            let count = load.mask.len();
            let mut vectors: Vec<LLVMValueRef> = Vec::new();
            let mut lanes = Vec::new();
            for (lane, &is_loaded) in load.mask.iter().enumerate() {
                let element = match (is_loaded, load.value) {
                    (true, _) => self.elements.get(&(offset.saturating_add(lane as i64 * bytes))).copied(),
                    (false, Some(vector)) => Some(Element { vector, lane: lane as u32, bytes }),
                    (false, None) => None,
                };
                let Some(element) = element.filter(|element| element.bytes == bytes) else { return false };
                let at = vectors.iter().position(|&vector| vector == element.vector).unwrap_or(vectors.len());
                if at == vectors.len() {
                    let ty = LLVMTypeOf(element.vector);
                    if vectors.len() == 2 || LLVMGetVectorSize(ty) as usize != count {
                        return false;
                    }
                    vectors.push(element.vector);
                }
                lanes.push(at as u32 * count as u32 + element.lane);
            }
            let Some((&first, second)) =
                vectors.first().map(|first| (first, vectors.last().unwrap_or(first)))
            else {
                return false;
            };
            let context = LLVMGetTypeContext(load.ty);
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, instruction);
            let [first, second] =
                [first, *second].map(|vector| LLVMBuildBitCast(builder, vector, load.ty, c"".as_ptr()));
            let word = LLVMInt32TypeInContext(context);
            let mut lanes: Vec<_> = lanes.iter().map(|&lane| LLVMConstInt(word, lane.into(), 0)).collect();
            let lanes = LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32);
            let shuffle = LLVMBuildShuffleVector(builder, first, second, lanes, c"".as_ptr());
            LLVMDisposeBuilder(builder);
            LLVMReplaceAllUsesWith(instruction, shuffle);
            LLVMInstructionEraseFromParent(instruction);
            true
        }
    }
}

impl Access {
    /// # Safety
    ///
    /// The instruction is a load that is alive; for the functions below, a store or a call of one of the two intrinsics.
    unsafe fn of_load(load: LLVMValueRef) -> Option<Self> {
        // SAFETY: by the contract.
        unsafe { Self::of_all(None, LLVMTypeOf(load), LLVMGetOperand(load, 0)) }
    }

    unsafe fn of_store(store: LLVMValueRef) -> Option<Self> {
        // SAFETY: by the contract.
        unsafe {
            let value = LLVMGetOperand(store, 0);
            Self::of_all(Some(value), LLVMTypeOf(value), LLVMGetOperand(store, 1))
        }
    }

    unsafe fn of_all(value: Option<LLVMValueRef>, ty: LLVMTypeRef, place: LLVMValueRef) -> Option<Self> {
        // SAFETY: the size is only queried from vectors.
        unsafe {
            let is_vector = LLVMGetTypeKind(ty) == LLVMVectorTypeKind && has_whole_bytes(ty);
            is_vector.then(|| Self { value, ty, place, mask: vec![true; LLVMGetVectorSize(ty) as usize] })
        }
    }

    /// `<4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %others)`
    unsafe fn of_masked_load(call: LLVMValueRef) -> Option<Self> {
        // SAFETY: by the contract.
        unsafe {
            let [place, mask, others] = [0, 1, 2].map(|at| LLVMGetOperand(call, at));
            let mask = lanes_of(mask)?;
            Self::of_all(Some(others), LLVMTypeOf(call), place).map(|access| Self { mask, ..access })
        }
    }

    /// `void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr %p, <4 x i1> %mask)`
    unsafe fn of_masked_store(call: LLVMValueRef) -> Option<Self> {
        // SAFETY: by the contract.
        unsafe {
            let [value, place, mask] = [0, 1, 2].map(|at| LLVMGetOperand(call, at));
            let mask = lanes_of(mask)?;
            Self::of_all(Some(value), LLVMTypeOf(value), place).map(|access| Self { mask, ..access })
        }
    }
}

/// Whether the elements of a vector are stored without padding.
///
/// # Safety
///
/// The type is a vector.
unsafe fn has_whole_bytes(ty: LLVMTypeRef) -> bool {
    use llvm_sys::LLVMTypeKind::*;
    // SAFETY: the width is only queried from integers.
    unsafe {
        let element = LLVMGetElementType(ty);
        match LLVMGetTypeKind(element) {
            LLVMIntegerTypeKind => matches!(LLVMGetIntTypeWidth(element), 8 | 16 | 32 | 64),
            LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind => true,
            _ => false,
        }
    }
}

/// The lanes of a constant mask.
///
/// # Safety
///
/// The value is a vector of `i1` that is alive.
pub(super) unsafe fn lanes_of(mask: LLVMValueRef) -> Option<Vec<bool>> {
    // SAFETY: elements are queried from a constant, as many as it has.
    unsafe {
        if LLVMIsConstant(mask) == 0 {
            return None;
        }
        let lane = |at| {
            let element = LLVMGetAggregateElement(mask, at);
            let is_known = !element.is_null() && !LLVMIsAConstantInt(element).is_null();
            is_known.then(|| LLVMConstIntGetZExtValue(element) != 0)
        };
        (0..LLVMGetVectorSize(LLVMTypeOf(mask))).map(lane).collect()
    }
}

/// Decomposes a pointer into a base and a constant number of bytes.
///
/// # Safety
///
/// The value is a pointer that is alive.
unsafe fn place_of(mut pointer: LLVMValueRef) -> (LLVMValueRef, i64) {
    let mut offset = 0i64;
    // SAFETY: operands are only queried from instructions that have them.
    unsafe {
        while !LLVMIsAGetElementPtrInst(pointer).is_null() && LLVMGetNumOperands(pointer) == 2 {
            let index = LLVMGetOperand(pointer, 1);
            let element = LLVMGetGEPSourceElementType(pointer);
            let is_byte = LLVMGetTypeKind(element) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind
                && LLVMGetIntTypeWidth(element) == 8;
            if !is_byte || LLVMIsAConstantInt(index).is_null() {
                break;
            }
            let Some(sum) = offset.checked_add(LLVMConstIntGetSExtValue(index)) else { break };
            offset = sum;
            pointer = LLVMGetOperand(pointer, 0);
        }
    }
    (pointer, offset)
}

/// Whether an access is neither volatile nor atomic.
///
/// # Safety
///
/// The value is a load or a store that is alive.
unsafe fn is_simple(access: LLVMValueRef) -> bool {
    // SAFETY: by the contract.
    unsafe { LLVMGetVolatile(access) == 0 && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic }
}

/// Whether an instruction other than a plain access or a call may write memory, or make another thread's writes visible.
fn may_write(opcode: LLVMOpcode) -> bool {
    matches!(
        opcode,
        LLVMLoad
            | LLVMStore
            | LLVMFence
            | LLVMAtomicCmpXchg
            | LLVMAtomicRMW
            | LLVMInvoke
            | LLVMCallBr
            | LLVMVAArg
    )
}

/// Whether a called function is declared to write no memory.
///
/// # Safety
///
/// The value is a call that is alive.
unsafe fn writes_nothing(call: LLVMValueRef) -> bool {
    /// The write bits of the attribute's value, which has two bits for each kind of memory.
    const WRITES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    const NAME: &str = "memory";
    // SAFETY: attributes are only queried from functions.
    unsafe {
        let called = LLVMGetCalledValue(call);
        if LLVMIsAFunction(called).is_null() {
            return false;
        }
        let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
        let attribute = LLVMGetEnumAttributeAtIndex(called, llvm_sys::LLVMAttributeFunctionIndex, kind);
        !attribute.is_null() && LLVMGetEnumAttributeValue(attribute) & WRITES == 0
    }
}

#[cfg(test)]
mod tests;
