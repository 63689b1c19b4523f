//! Comparisons of consecutive indices with a bound.
//!
//! A kernel tests whether each thread's index is below the length of an array. With the indices of all lanes of a block (CTA) in vectors, each of these takes
//! a broadcast, an addition and a comparison. The lanes for which the test holds depend on a single number: the distance of the bound from the first index.

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::{self, *};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVectorTypeKind};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use crate::module::Module;
use crate::raw;

/// The fewest comparisons of a block that are worth the computation of the distance, which takes about eight scalar instructions.
const FEWEST: usize = 4;

/// Where distances are clamped: above all offsets.
const FARTHEST: i64 = 1 << 30;

/// Compares offsets with a distance instead of sums with a bound, where a block has several such comparisons; returns whether it did:
///
/// ```text
///   %i = or disjoint <4 x i32> splat(%x), <i32 4, i32 5, i32 6, i32 7>
///   %m = icmp ult <4 x i32> %i, splat(%n)
/// ```
///
/// becomes the following, in which `%d` is the difference of `%n` and `%x` in 64 bits, clamped to -1 and [`FARTHEST`]:
///
/// ```text
///   %m = icmp slt <4 x i32> <i32 4, i32 5, i32 6, i32 7>, splat(%d)
/// ```
///
/// Sums must be known not to wrap around. The least and the greatest of several sums are sums, too, as LLVM makes of a test whether any comparison holds.
pub(super) fn compare_distances(module: &Module<'_>) -> bool {
    let mut changed = false;
    for function in module.inkwell().get_functions() {
        for block in function.get_basic_block_iter() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile; instructions are only erased here.
            unsafe {
                changed |= compare_in_block(module, block.as_mut_ptr());
            }
        }
    }
    changed
}

/// # Safety
///
/// The block belongs to the module and is alive, and nothing else holds its instructions.
unsafe fn compare_in_block(module: &Module<'_>, block: LLVMBasicBlockRef) -> bool {
    // SAFETY: what is built precedes the first comparison of its group, whose operands it has.
    unsafe {
        let mut sums = Sums::default();
        let mut groups: Vec<(Key, Vec<Comparison>)> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for instruction in raw::instructions(block) {
            if let Some((key, comparison)) = sums.comparison(instruction) {
                let place = *places.entry(key).or_insert(groups.len());
                if place == groups.len() {
                    groups.push((key, Vec::new()));
                }
                groups[place].1.push(comparison);
            }
        }
        groups.retain(|(_, comparisons)| comparisons.len() >= FEWEST);
        if groups.is_empty() {
            return false;
        }
        let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.inkwell().as_mut_ptr()));
        for (key, comparisons) in &groups {
            replace(builder, *key, comparisons);
        }
        LLVMDisposeBuilder(builder);
        true
    }
}

/// What is compared: sums with one base, with one bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: LLVMValueRef,
    bound: LLVMValueRef,
    is_signed: bool,
}

/// A comparison of sums, the first operand, with a bound.
struct Comparison {
    instruction: LLVMValueRef,
    predicate: LLVMIntPredicate,
    offsets: Vec<i64>,
}

/// A vector of sums of one number and constants from 0 to [`FARTHEST`], neither of which wraps around, signed or unsigned.
#[derive(Clone)]
struct Sum {
    base: LLVMValueRef,
    offsets: Vec<i64>,
}

/// The vectors of a block that are known to be sums.
#[derive(Default)]
struct Sums {
    known: HashMap<LLVMValueRef, Sum>,
}

impl Sums {
    /// The comparison that an instruction is, if it is one of sums with a bound. To be called for all instructions of a block in their order.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn comparison(&mut self, instruction: LLVMValueRef) -> Option<(Key, Comparison)> {
        // SAFETY: operands are only asked of instructions that have them.
        unsafe {
            let opcode = LLVMGetInstructionOpcode(instruction);
            if !is_word_vector(LLVMTypeOf(match opcode {
                LLVMICmp => LLVMGetOperand(instruction, 0),
                _ => instruction,
            })) {
                return None;
            }
            if opcode != LLVMICmp {
                if let Some(sum) = self.sum_of(instruction) {
                    self.known.insert(instruction, sum);
                }
                return None;
            }
            let [first, second] = [0, 1].map(|at| LLVMGetOperand(instruction, at));
            let predicate = LLVMGetICmpPredicate(instruction);
            let (sum, bound, predicate) = match (self.known.get(&first), self.known.get(&second)) {
                (Some(sum), None) => (sum, second, predicate),
                (None, Some(sum)) => (sum, first, swapped(predicate)),
                _ => return None,
            };
            let bound = splatted(bound)?;
            let is_signed = matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE);
            let comparison = Comparison { instruction, predicate, offsets: sum.offsets.clone() };
            Some((Key { base: sum.base, bound, is_signed }, comparison))
        }
    }

    /// # Safety
    ///
    /// As for [`Sums::comparison`].
    unsafe fn sum_of(&self, instruction: LLVMValueRef) -> Option<Sum> {
        // SAFETY: operands are only asked of instructions that have them.
        unsafe {
            match LLVMGetInstructionOpcode(instruction) {
                LLVMOr | LLVMAdd if is_exact(instruction) => {
                    let [a, b] = [0, 1].map(|at| LLVMGetOperand(instruction, at));
                    let added = constants(b)?;
                    let sum = match self.known.get(&a) {
                        Some(sum) => sum.clone(),
                        None => Sum::with_base(splatted(a)?, added.len()),
                    };
                    sum.plus(&added)
                }
                LLVMCall => {
                    let name = raw::name(LLVMGetCalledValue(instruction));
                    let is = |prefix: &str| name.starts_with(prefix.as_bytes());
                    let chooses: fn(i64, i64) -> i64 = match () {
                        () if is("llvm.smin.v") || is("llvm.umin.v") => i64::min,
                        () if is("llvm.smax.v") || is("llvm.umax.v") => i64::max,
                        () => return None,
                    };
                    let [a, b] = [0, 1].map(|at| self.known.get(&LLVMGetOperand(instruction, at)));
                    let (a, b) = a.zip(b).filter(|(a, b)| a.base == b.base)?;
                    let offsets = a.offsets.iter().zip(&b.offsets).map(|(&a, &b)| chooses(a, b)).collect();
                    Some(Sum { base: a.base, offsets })
                }
                _ => None,
            }
        }
    }
}

impl Sum {
    /// A number in all lanes; what was added to another one without wrapping around counts as the offset.
    ///
    /// # Safety
    ///
    /// The number is alive.
    unsafe fn with_base(number: LLVMValueRef, lanes: usize) -> Self {
        // SAFETY: operands are only asked of instructions that have them.
        unsafe {
            let is_sum = !LLVMIsAInstruction(number).is_null()
                && matches!(LLVMGetInstructionOpcode(number), LLVMOr | LLVMAdd)
                && is_exact(number);
            let added = is_sum.then(|| LLVMGetOperand(number, 1));
            let added = added.filter(|&added| !LLVMIsAConstantInt(added).is_null());
            let added = added.map(|added| LLVMConstIntGetSExtValue(added)).filter(|&added| is_near(added));
            match added {
                Some(added) => Self { base: LLVMGetOperand(number, 0), offsets: vec![added; lanes] },
                None => Self { base: number, offsets: vec![0; lanes] },
            }
        }
    }

    fn plus(mut self, added: &[i64]) -> Option<Self> {
        for (offset, added) in self.offsets.iter_mut().zip(added) {
            *offset += added;
        }
        self.offsets.iter().all(|&offset| is_near(offset)).then_some(self)
    }
}

/// Whether an offset is one of those that distances are compared with.
fn is_near(offset: i64) -> bool {
    (0..FARTHEST).contains(&offset)
}

/// Replaces the comparisons of a group.
///
/// # Safety
///
/// The instructions are alive and of one block, in its order; nothing else holds them.
unsafe fn replace(builder: LLVMBuilderRef, key: Key, comparisons: &[Comparison]) {
    // SAFETY: the base and the bound precede the first comparison; all values have the types that are asked for here.
    unsafe {
        let Some(first) = comparisons.first() else { return };
        let ty = LLVMTypeOf(LLVMGetOperand(first.instruction, 0));
        let context = LLVMGetTypeContext(ty);
        let (word, wide) = (LLVMInt32TypeInContext(context), LLVMInt64TypeInContext(context));
        LLVMPositionBuilderBefore(builder, first.instruction);
        let [base, bound] = [key.base, key.bound].map(|number| match key.is_signed {
            true => LLVMBuildSExt(builder, number, wide, c"".as_ptr()),
            false => LLVMBuildZExt(builder, number, wide, c"".as_ptr()),
        });
        let mut distance = LLVMBuildSub(builder, bound, base, c"".as_ptr());
        for (limit, predicate) in [(FARTHEST, LLVMIntSLT), (-1, LLVMIntSGT)] {
            let limit = LLVMConstInt(wide, limit as u64, 1);
            let is_within = LLVMBuildICmp(builder, predicate, distance, limit, c"".as_ptr());
            distance = LLVMBuildSelect(builder, is_within, distance, limit, c"".as_ptr());
        }
        let distance = LLVMBuildTrunc(builder, distance, word, c"".as_ptr());
        for Comparison { instruction, predicate, offsets } in comparisons {
            LLVMPositionBuilderBefore(builder, *instruction);
            let (distances, offsets) = (broadcast(builder, distance, offsets.len()), vector(word, offsets));
            let compared = LLVMBuildICmp(builder, signed(*predicate), offsets, distances, c"".as_ptr());
            if !LLVMIsAInstruction(compared).is_null() {
                LLVMInstructionSetDebugLoc(compared, LLVMInstructionGetDebugLoc(*instruction));
            }
            LLVMReplaceAllUsesWith(*instruction, compared);
            LLVMInstructionEraseFromParent(*instruction);
        }
    }
}

/// A number in all lanes of a vector.
///
/// # Safety
///
/// The number is alive and precedes the place of the builder.
unsafe fn broadcast(builder: LLVMBuilderRef, number: LLVMValueRef, lanes: usize) -> LLVMValueRef {
    // SAFETY: by the contract.
    unsafe {
        let ty = LLVMVectorType(LLVMTypeOf(number), lanes as u32);
        let word = LLVMInt32TypeInContext(LLVMGetTypeContext(ty));
        let (poison, zero) = (LLVMGetPoison(ty), LLVMConstInt(word, 0, 0));
        let first = LLVMBuildInsertElement(builder, poison, number, zero, c"".as_ptr());
        let mask = LLVMConstNull(LLVMVectorType(word, lanes as u32));
        LLVMBuildShuffleVector(builder, first, poison, mask, c"".as_ptr())
    }
}

/// # Safety
///
/// The type is an integer that is alive.
unsafe fn vector(element: LLVMTypeRef, numbers: &[i64]) -> LLVMValueRef {
    // SAFETY: by the contract.
    unsafe {
        let mut elements: Vec<_> =
            numbers.iter().map(|&number| LLVMConstInt(element, number as u64, 1)).collect();
        LLVMConstVector(elements.as_mut_ptr(), elements.len() as u32)
    }
}

/// Whether a type is a vector of 32-bit integers.
///
/// # Safety
///
/// The type is alive.
unsafe fn is_word_vector(ty: LLVMTypeRef) -> bool {
    // SAFETY: each property is only asked of types that have it.
    unsafe {
        LLVMGetTypeKind(ty) == LLVMVectorTypeKind
            && LLVMGetTypeKind(LLVMGetElementType(ty)) == LLVMIntegerTypeKind
            && LLVMGetIntTypeWidth(LLVMGetElementType(ty)) == 32
    }
}

/// Whether a sum of a number and a constant from 0 wraps around neither signed nor unsigned.
///
/// # Safety
///
/// The instruction is an `or` or an `add` that is alive.
unsafe fn is_exact(instruction: LLVMValueRef) -> bool {
    // SAFETY: by the contract.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMOr => LLVMGetIsDisjoint(instruction) != 0,
            _ => LLVMGetNUW(instruction) != 0 && LLVMGetNSW(instruction) != 0,
        }
    }
}

/// The elements of a constant vector of integers.
///
/// # Safety
///
/// The value is a vector that is alive.
unsafe fn constants(value: LLVMValueRef) -> Option<Vec<i64>> {
    // SAFETY: elements are asked of a constant, as many as it has.
    unsafe {
        if LLVMIsConstant(value) == 0 {
            return None;
        }
        let element = |lane| {
            let element = LLVMGetAggregateElement(value, lane);
            let is_known = !element.is_null() && !LLVMIsAConstantInt(element).is_null();
            is_known.then(|| LLVMConstIntGetSExtValue(element)).filter(|number| is_near(*number))
        };
        (0..LLVMGetVectorSize(LLVMTypeOf(value))).map(element).collect()
    }
}

/// The number that all lanes of a vector have.
///
/// # Safety
///
/// The value is a vector that is alive.
unsafe fn splatted(value: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: operands are only asked of instructions that have them.
    unsafe {
        if LLVMIsConstant(value) != 0 {
            let first = LLVMGetAggregateElement(value, 0);
            let is_same = |lane| LLVMGetAggregateElement(value, lane) == first;
            let is_splat = !first.is_null()
                && !LLVMIsAConstantInt(first).is_null()
                && (1..LLVMGetVectorSize(LLVMTypeOf(value))).all(is_same);
            return is_splat.then_some(first);
        }
        if LLVMIsAShuffleVectorInst(value).is_null() {
            return None;
        }
        let insertion = LLVMGetOperand(value, 0);
        let is_first = |lane| LLVMGetMaskValue(value, lane) == 0;
        if LLVMIsAInsertElementInst(insertion).is_null() || !(0..LLVMGetNumMaskElements(value)).all(is_first)
        {
            return None;
        }
        let index = LLVMGetOperand(insertion, 2);
        let is_of_first = !LLVMIsAConstantInt(index).is_null() && LLVMConstIntGetZExtValue(index) == 0;
        is_of_first.then(|| LLVMGetOperand(insertion, 1))
    }
}

/// The predicate with exchanged operands.
fn swapped(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntEQ | LLVMIntNE => predicate,
    }
}

/// The predicate for offsets and distances, which are signed.
fn signed(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntULT => LLVMIntSLT,
        LLVMIntULE => LLVMIntSLE,
        LLVMIntUGT => LLVMIntSGT,
        LLVMIntUGE => LLVMIntSGE,
        other => other,
    }
}

#[cfg(test)]
mod tests;
