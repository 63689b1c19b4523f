//! Lane masks that are live across blocks, on processors with 256-bit vectors and no mask registers (AVX2).
//!
//! Within a block, LLVM keeps a mask as its comparison produces it: all bits of a lane. Across blocks it keeps it in 128 bits, half as many per lane,
//! so that both blocks convert it.

use std::collections::{BTreeMap, BTreeSet};

use inkwell::values::AsValueRef;
use llvm_sys::LLVMIntPredicate::LLVMIntSLT;
use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVectorTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use crate::module::Module;
use crate::raw;

/// Turns masks that other blocks use into integer vectors that fill a register of `vector_bits`, whose sign bits are the mask:
///
/// ```text
///   %m = phi <8 x i1> [ %a, %x ], [ %b, %y ]           %w = phi <8 x i32> [ %wide.a, %x ], [ %wide.b, %y ]
///                                                      %m = icmp slt <8 x i32> %w, zeroinitializer
/// ```
///
/// with `%wide.a = sext <8 x i1> %a to <8 x i32>` after `%a`, and such an `icmp` in each block that uses it.
pub(super) fn widen_masks(module: &Module<'_>, vector_bits: u32) {
    for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0) {
        // SAFETY: the function belongs to a module that is alive and that nothing else changes meanwhile; instructions are only erased here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.inkwell().as_mut_ptr()));
            let masks = Masks { builder, vector_bits, wide: BTreeMap::new() };
            masks.widen(&raw::blocks(function.as_value_ref()));
            LLVMDisposeBuilder(builder);
        }
    }
}

struct Masks {
    builder: LLVMBuilderRef,
    vector_bits: u32,
    /// For each mask that other blocks use, the wide one.
    wide: BTreeMap<LLVMValueRef, LLVMValueRef>,
}

impl Masks {
    /// # Safety
    ///
    /// The blocks are those of a function that is alive, and nothing else holds its instructions.
    unsafe fn widen(mut self, blocks: &[LLVMBasicBlockRef]) {
        // SAFETY: as above; each wide value directly follows its mask, so that it dominates all uses of that.
        unsafe {
            let mut masks = Vec::new();
            for &block in blocks {
                for instruction in raw::instructions(block) {
                    if let Some(ty) = self.wide_type(instruction)
                        && (is_phi(instruction) || has_uses_elsewhere(instruction))
                    {
                        masks.push((instruction, ty));
                    }
                }
            }
            for &(mask, ty) in &masks {
                let wide = if is_phi(mask) {
                    LLVMPositionBuilderBefore(self.builder, mask);
                    LLVMBuildPhi(self.builder, ty, c"".as_ptr())
                } else {
                    LLVMPositionBuilderBefore(self.builder, LLVMGetNextInstruction(mask));
                    LLVMBuildSExt(self.builder, mask, ty, c"".as_ptr())
                };
                self.wide.insert(mask, wide);
            }
            for &(mask, ty) in masks.iter().filter(|(mask, _)| is_phi(*mask)) {
                self.add_incoming(mask, ty);
            }
            for &(mask, _) in &masks {
                self.replace_uses(mask);
            }
            // Phis of masks now have only each other as users.
            let phis = masks.iter().filter(|(mask, _)| is_phi(*mask)).map(|&(mask, _)| mask);
            for mask in phis.clone() {
                LLVMReplaceAllUsesWith(mask, LLVMGetPoison(LLVMTypeOf(mask)));
            }
            for mask in phis {
                LLVMInstructionEraseFromParent(mask);
            }
        }
    }

    /// The type of a mask as a vector of wide integers; `None` if it is not a mask.
    ///
    /// # Safety
    ///
    /// The value is alive.
    unsafe fn wide_type(&self, value: LLVMValueRef) -> Option<LLVMTypeRef> {
        // SAFETY: the parts are only queried from vectors.
        unsafe {
            let ty = LLVMTypeOf(value);
            if LLVMGetTypeKind(ty) != LLVMVectorTypeKind {
                return None;
            }
            let element = LLVMGetElementType(ty);
            let is_mask =
                LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1;
            let lanes = LLVMGetVectorSize(ty);
            let bits = (self.vector_bits / lanes).clamp(8, 64);
            (is_mask && bits.is_power_of_two() && lanes > 1)
                .then(|| LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(ty), bits), lanes))
        }
    }

    /// Adds the incoming values of a mask's phi to the wide one.
    ///
    /// # Safety
    ///
    /// As for [`Masks::widen`].
    unsafe fn add_incoming(&self, phi: LLVMValueRef, ty: LLVMTypeRef) {
        // SAFETY: there are as many values as blocks.
        unsafe {
            // Several edges from one block have the same value.
            let mut added: BTreeMap<LLVMBasicBlockRef, LLVMValueRef> = BTreeMap::new();
            for at in 0..LLVMCountIncoming(phi) {
                let (value, from) = (LLVMGetIncomingValue(phi, at), LLVMGetIncomingBlock(phi, at));
                // A value that is not in the map is a constant or an argument: all others have a use in another block, by this phi at least.
                let wide = *added.entry(from).or_insert_with(|| {
                    self.wide.get(&value).copied().unwrap_or_else(|| {
                        LLVMPositionBuilderBefore(self.builder, LLVMGetBasicBlockTerminator(from));
                        LLVMBuildSExt(self.builder, value, ty, c"".as_ptr())
                    })
                });
                let (mut values, mut blocks) = ([wide], [from]);
                LLVMAddIncoming(self.wide[&phi], values.as_mut_ptr(), blocks.as_mut_ptr(), 1);
            }
        }
    }

    /// Makes each block that uses a mask of another one recompute it from the wide one.
    ///
    /// # Safety
    ///
    /// As for [`Masks::widen`].
    unsafe fn replace_uses(&self, mask: LLVMValueRef) {
        // SAFETY: a comparison precedes all instructions of its block but phis, and phis of masks are erased later.
        unsafe {
            let own = LLVMGetInstructionParent(mask);
            let wide = self.wide[&mask];
            let mut narrow: BTreeMap<LLVMBasicBlockRef, LLVMValueRef> = BTreeMap::new();
            for user in users(mask) {
                let block = LLVMGetInstructionParent(user);
                if self.wide.contains_key(&user) && is_phi(user)
                    || user == wide
                    || block == own && !is_phi(mask)
                {
                    continue;
                }
                let mask_there = *narrow.entry(block).or_insert_with(|| {
                    LLVMPositionBuilderBefore(self.builder, first_after_phis(block));
                    let zero = LLVMConstNull(LLVMTypeOf(wide));
                    LLVMBuildICmp(self.builder, LLVMIntSLT, wide, zero, c"".as_ptr())
                });
                for at in 0..LLVMGetNumOperands(user) as u32 {
                    if LLVMGetOperand(user, at) == mask {
                        LLVMSetOperand(user, at, mask_there);
                    }
                }
            }
        }
    }
}

/// # Safety
///
/// The value is alive.
unsafe fn is_phi(value: LLVMValueRef) -> bool {
    // SAFETY: by the contract.
    unsafe { !LLVMIsAPHINode(value).is_null() }
}

/// Whether an instruction has uses in other blocks, or in phis.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn has_uses_elsewhere(instruction: LLVMValueRef) -> bool {
    // SAFETY: users of an instruction are instructions.
    unsafe {
        let own = LLVMGetInstructionParent(instruction);
        users(instruction).into_iter().any(|user| is_phi(user) || LLVMGetInstructionParent(user) != own)
    }
}

/// The users of an instruction, once each.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn users(instruction: LLVMValueRef) -> Vec<LLVMValueRef> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    // SAFETY: the use after the last one is null.
    unsafe {
        let mut next = LLVMGetFirstUse(instruction);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            if seen.insert(user) {
                found.push(user);
            }
            next = LLVMGetNextUse(next);
        }
    }
    found
}

/// # Safety
///
/// The block is alive and has a terminator.
unsafe fn first_after_phis(block: LLVMBasicBlockRef) -> LLVMValueRef {
    // SAFETY: the terminator is not a phi.
    unsafe {
        let mut instruction = LLVMGetFirstInstruction(block);
        while is_phi(instruction) {
            instruction = LLVMGetNextInstruction(instruction);
        }
        instruction
    }
}

#[cfg(test)]
mod tests;
