//! Selections of bits by constants, under masks of lanes.
//!
//! LLVM 22 gets one form of them wrong on x86 with AVX-512 (its issue 157929): where the selection and the choice by the mask become one `vpternlog`
//! whose operands change places, the instruction has the truth table of another order.

use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVectorTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use crate::module::Module;
use crate::raw;

/// Makes the constant zero in the lanes that keep one of the two numbers, so that there is no choice left to merge with the selection:
///
/// ```text
///   %x = and <16 x i32> %a, splat (i32 255)          %c = select <16 x i1> %m, splat (i32 255), zeroinitializer
///   %y = and <16 x i32> %b, splat (i32 -256)         %d = xor <16 x i32> %a, %b
///   %z = or <16 x i32> %x, %y                        %e = and <16 x i32> %d, %c
///   %r = select <16 x i1> %m, %z, %b                 %r = xor <16 x i32> %e, %b
/// ```
///
/// This is as many instructions of the processor: a load that the mask governs, and `vpternlog`.
pub(super) fn split_masked_selections(module: &Module<'_>) {
    for function in module.inkwell().get_functions() {
        for block in function.get_basic_block_iter() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile; instructions are erased here alone.
            unsafe {
                for instruction in raw::instructions(block.as_mut_ptr()) {
                    if let Some(blend) = Blend::of(instruction) {
                        blend.split();
                    }
                }
            }
        }
    }
}

/// `select %mask, (a & c) | (b & ~c), b`, or with the last two exchanged.
struct Blend {
    select: LLVMValueRef,
    mask: LLVMValueRef,
    /// Whether the mask has the lanes that keep `b`, and not the others.
    inverted: bool,
    a: LLVMValueRef,
    b: LLVMValueRef,
    /// The bits that are of `a`.
    constant: LLVMValueRef,
    /// Vectors of integers, as many as the mask has lanes.
    ty: LLVMTypeRef,
}

impl Blend {
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn of(select: LLVMValueRef) -> Option<Self> {
        // SAFETY: operands are asked of what was seen to have them.
        unsafe {
            if LLVMIsASelectInst(select).is_null() {
                return None;
            }
            let [mask, yes, no] = [0, 1, 2].map(|at| LLVMGetOperand(select, at));
            if LLVMGetTypeKind(LLVMTypeOf(mask)) != LLVMVectorTypeKind {
                return None;
            }
            let ty = integers(LLVMTypeOf(select))?;
            [(yes, no, false), (no, yes, true)].into_iter().find_map(|(chosen, kept, inverted)| {
                let [one, other] = selection(without_casts(chosen))?;
                let kept = without_casts(kept);
                let (a, b) = if other.value == kept { (one, other) } else { (other, one) };
                if b.value != kept {
                    return None;
                }
                let constant = all_bits(a.constant, b.constant, ty)?;
                Some(Self { select, mask, inverted, a: a.value, b: b.value, constant, ty })
            })
        }
    }

    /// # Safety
    ///
    /// The function is alive; no one else holds the instruction.
    unsafe fn split(&self) {
        // SAFETY: what is built is inserted where its operands are there, and has the value of what it replaces.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(self.ty));
            LLVMPositionBuilderBefore(builder, self.select);
            let cast = |value, ty| LLVMBuildBitCast(builder, value, ty, c"".as_ptr());
            let [a, b] = [self.a, self.b].map(|value| cast(value, self.ty));
            let bits = self.bits(builder);
            let different = LLVMBuildXor(builder, a, b, c"".as_ptr());
            let changed = LLVMBuildAnd(builder, different, bits, c"".as_ptr());
            let result = LLVMBuildXor(builder, changed, b, c"".as_ptr());
            LLVMReplaceAllUsesWith(self.select, cast(result, LLVMTypeOf(self.select)));
            LLVMInstructionEraseFromParent(self.select);
            LLVMDisposeBuilder(builder);
        }
    }

    /// The bits of each lane that are of `a`.
    ///
    /// # Safety
    ///
    /// That of [`Blend::split`].
    unsafe fn bits(&self, builder: LLVMBuilderRef) -> LLVMValueRef {
        // SAFETY: both are vectors of the same type, with a lane for each of the mask.
        unsafe {
            let none = LLVMConstNull(self.ty);
            let [yes, no] = if self.inverted { [none, self.constant] } else { [self.constant, none] };
            LLVMBuildSelect(builder, self.mask, yes, no, c"".as_ptr())
        }
    }
}

/// A number, and the bits of it that are selected.
#[derive(Clone, Copy)]
struct Part {
    value: LLVMValueRef,
    constant: LLVMValueRef,
}

/// The two sides of `(a & c) | (b & d)`, with any operation that adds them up where `d` is `~c`, or of `((a ^ b) & c) ^ b`.
///
/// # Safety
///
/// The value is alive.
unsafe fn selection(value: LLVMValueRef) -> Option<[Part; 2]> {
    // SAFETY: operands are asked of instructions that have two.
    unsafe {
        let sides = operands(value, &[LLVMOpcode::LLVMOr, LLVMOpcode::LLVMXor, LLVMOpcode::LLVMAdd])?;
        if let [Some(one), Some(other)] = sides.map(|side| part(side)) {
            return Some([one, other]);
        }
        if LLVMGetInstructionOpcode(value) != LLVMOpcode::LLVMXor {
            return None;
        }
        [(0, 1), (1, 0)].into_iter().find_map(|(inner, outer)| {
            let changed = part(sides[inner])?;
            let pair = operands(changed.value, &[LLVMOpcode::LLVMXor])?.map(|side| without_casts(side));
            let b = without_casts(sides[outer]);
            let a = if pair[0] == b { pair[1] } else { pair[0] };
            let complement = LLVMConstNot(changed.constant);
            let parts =
                [Part { value: a, constant: changed.constant }, Part { value: b, constant: complement }];
            pair.contains(&b).then_some(parts)
        })
    }
}

/// The first constant, where the second one has all other bits. A lane of either that is undefined may be what makes that so.
///
/// # Safety
///
/// The values are constant vectors of as many bits as the type, one of integers of up to 64 bits.
unsafe fn all_bits(one: LLVMValueRef, other: LLVMValueRef, ty: LLVMTypeRef) -> Option<LLVMValueRef> {
    // SAFETY: casts of constants are constants; elements are asked for as many as there are.
    unsafe {
        let element = LLVMGetElementType(ty);
        let width = LLVMGetIntTypeWidth(element);
        let [one, other] = [one, other].map(|constant| LLVMConstBitCast(constant, ty));
        let mut bits = Vec::new();
        for lane in 0..LLVMGetVectorSize(ty) {
            let [one, other] = [one, other].map(|constant| number(LLVMGetAggregateElement(constant, lane)));
            let bit = match (one?, other?) {
                (Some(one), Some(other)) if (one ^ other) << (64 - width) != u64::MAX << (64 - width) => {
                    return None;
                }
                (Some(one), _) => one,
                (None, Some(other)) => !other,
                (None, None) => 0,
            };
            bits.push(LLVMConstInt(element, bit, 0));
        }
        Some(LLVMConstVector(bits.as_mut_ptr(), bits.len() as u32))
    }
}

/// An element of a constant: a number, or nothing where it is undefined. Nothing at all of what is neither.
///
/// # Safety
///
/// The value is null or a constant of at most 64 bits.
unsafe fn number(element: LLVMValueRef) -> Option<Option<u64>> {
    // SAFETY: values are asked of integers.
    unsafe {
        if element.is_null() {
            return None;
        }
        if LLVMIsUndef(element) != 0 || LLVMIsPoison(element) != 0 {
            return Some(None);
        }
        (!LLVMIsAConstantInt(element).is_null()).then(|| Some(LLVMConstIntGetZExtValue(element)))
    }
}

/// `value & constant`.
///
/// # Safety
///
/// The value is alive.
unsafe fn part(value: LLVMValueRef) -> Option<Part> {
    // SAFETY: as above.
    unsafe {
        let [one, other] = operands(without_casts(value), &[LLVMOpcode::LLVMAnd])?;
        let [value, constant] = if LLVMIsConstant(one) != 0 { [other, one] } else { [one, other] };
        let is_part = LLVMIsConstant(constant) != 0 && LLVMIsConstant(value) == 0;
        is_part.then(|| Part { value: without_casts(value), constant })
    }
}

/// The operands of one of these operations.
///
/// # Safety
///
/// The value is alive.
unsafe fn operands(value: LLVMValueRef, opcodes: &[LLVMOpcode]) -> Option<[LLVMValueRef; 2]> {
    // SAFETY: opcodes are asked of instructions, and operands of operations that have two.
    unsafe {
        let is_one =
            !LLVMIsAInstruction(value).is_null() && opcodes.contains(&LLVMGetInstructionOpcode(value));
        is_one.then(|| [0, 1].map(|at| LLVMGetOperand(value, at)))
    }
}

/// A value as it is before casts that keep its bits.
///
/// # Safety
///
/// The value is alive.
unsafe fn without_casts(mut value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: casts have an operand.
    unsafe {
        while !LLVMIsABitCastInst(value).is_null() {
            value = LLVMGetOperand(value, 0);
        }
        value
    }
}

/// Vectors of as many integers, of as many bits; nothing for vectors of addresses.
///
/// # Safety
///
/// The type is alive.
unsafe fn integers(ty: LLVMTypeRef) -> Option<LLVMTypeRef> {
    use llvm_sys::LLVMTypeKind::{
        LLVMBFloatTypeKind, LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMHalfTypeKind,
    };

    // SAFETY: elements are asked of vectors.
    unsafe {
        let (element, lanes) = (LLVMGetElementType(ty), LLVMGetVectorSize(ty));
        let bits = match LLVMGetTypeKind(element) {
            LLVMIntegerTypeKind => LLVMGetIntTypeWidth(element),
            LLVMHalfTypeKind | LLVMBFloatTypeKind => 16,
            LLVMFloatTypeKind => 32,
            LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        (bits <= 64).then(|| LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(ty), bits), lanes))
    }
}
