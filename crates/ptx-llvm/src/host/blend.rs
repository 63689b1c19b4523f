//! Bitwise selections by constants, under lane masks.
//!
//! LLVM 22 miscompiles one form of them on x86 with AVX-512 (its issue 157929): if the bitwise selection and the selection by the mask become one
//! `vpternlog` whose operands are commuted, the instruction has the truth table of another operand order.

use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVectorTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use crate::module::Module;
use crate::raw;

/// Makes the constant zero in the lanes that keep one of the two values, so that no selection is left to merge with the bitwise one:
///
/// ```text
///   %x = and <16 x i32> %a, splat (i32 255)          %c = select <16 x i1> %m, splat (i32 255), zeroinitializer
///   %y = and <16 x i32> %b, splat (i32 -256)         %d = xor <16 x i32> %a, %b
///   %z = or <16 x i32> %x, %y                        %e = and <16 x i32> %d, %c
///   %r = select <16 x i1> %m, %z, %b                 %r = xor <16 x i32> %e, %b
/// ```
///
/// This takes as many machine instructions: a masked load, and `vpternlog`.
pub(super) fn split_masked_selections(module: &Module<'_>) {
    for function in module.inkwell().get_functions() {
        for block in function.get_basic_block_iter() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile; instructions are only erased here.
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
    /// Whether the mask is that of the lanes that keep `b`.
    inverted: bool,
    a: LLVMValueRef,
    b: LLVMValueRef,
    /// The bits that come from `a`.
    constant: LLVMValueRef,
    /// An integer vector type with as many lanes as the mask.
    ty: LLVMTypeRef,
}

impl Blend {
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn of(select: LLVMValueRef) -> Option<Self> {
        // SAFETY: operands are only queried from instructions that have them.
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
    /// The function is alive; nothing else holds the instruction.
    unsafe fn split(&self) {
        // SAFETY: new instructions are inserted where their operands dominate, and the result has the value of the replaced one.
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

    /// The bits of each lane that come from `a`.
    ///
    /// # Safety
    ///
    /// As for [`Blend::split`].
    unsafe fn bits(&self, builder: LLVMBuilderRef) -> LLVMValueRef {
        // SAFETY: both are vectors of the same type, with a lane for each of the mask.
        unsafe {
            let none = LLVMConstNull(self.ty);
            let [yes, no] = if self.inverted { [none, self.constant] } else { [self.constant, none] };
            LLVMBuildSelect(builder, self.mask, yes, no, c"".as_ptr())
        }
    }
}

/// A value, and the bits of it that are selected.
#[derive(Clone, Copy)]
struct Part {
    value: LLVMValueRef,
    constant: LLVMValueRef,
}

/// The two sides of `(a & c) | (b & d)`, with any operation that is equivalent to `or` if `d` is `~c`, or of `((a ^ b) & c) ^ b`.
///
/// # Safety
///
/// The value is alive.
unsafe fn selection(value: LLVMValueRef) -> Option<[Part; 2]> {
    // SAFETY: operands are only queried from instructions that have two.
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

/// The first constant, if the second one is its complement. Undefined lanes of either are chosen to make it so.
///
/// # Safety
///
/// The values are constant vectors of as many bits as the type, which is a vector of integers of up to 64 bits.
unsafe fn all_bits(one: LLVMValueRef, other: LLVMValueRef, ty: LLVMTypeRef) -> Option<LLVMValueRef> {
    // SAFETY: casts of constants are constants; as many elements are queried as there are.
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

/// An element of a constant: `Some(None)` if it is undefined, `None` if it is not an integer.
///
/// # Safety
///
/// The value is null or a constant of at most 64 bits.
unsafe fn number(element: LLVMValueRef) -> Option<Option<u64>> {
    // SAFETY: values are only queried from integers.
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
    // SAFETY: opcodes are only queried from instructions, and operands from operations that have two.
    unsafe {
        let is_one =
            !LLVMIsAInstruction(value).is_null() && opcodes.contains(&LLVMGetInstructionOpcode(value));
        is_one.then(|| [0, 1].map(|at| LLVMGetOperand(value, at)))
    }
}

/// Strips bitcasts from a value.
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

/// The vector type of integers with the same lanes and element width; `None` for vectors of pointers.
///
/// # Safety
///
/// The type is alive.
unsafe fn integers(ty: LLVMTypeRef) -> Option<LLVMTypeRef> {
    use llvm_sys::LLVMTypeKind::{
        LLVMBFloatTypeKind, LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMHalfTypeKind,
    };

    // SAFETY: elements are only queried from vectors.
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
