//! The registers that hold a value.
//!
//! The machine's registers have 32 bits, and much of LLVM IR only says which of them are meant: the low half of an integer, an
//! element of a vector, a number of the same bits. A value is therefore a list of words, each made by one instruction or
//! argument, independent of the values that pass it on:
//!
//! ```text
//!   %w = load i64, ptr %p                        [%w.0, %w.1]
//!   %l = trunc i64 %w to i32                     [%w.0]             no register of its own
//!   %v = bitcast i64 %w to <2 x i32>             [%w.0, %w.1]
//!   %h = extractelement <2 x i32> %v, i32 1      [%w.1]
//!   %s = sext i32 %h to i64                      [%w.1, %s.0]       the sign is computed
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::address_space;

/// The bits of a register; predicates are saved in one.
const REGISTER: u64 = 32;
/// A value with more words is not followed: that would cost more than it is worth.
const MOST_WORDS: usize = 128;
/// Types nested deeper, and values passed on more often, are not followed.
const DEEPEST: u32 = 64;

/// A register's content: the number of a word among those that an instruction makes, or an argument has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Word {
    pub(super) maker: LLVMValueRef,
    at: usize,
}

/// The words of a value; `None` for one that takes no register: a constant, an address known before the program runs.
pub(super) type List = Rc<[Option<Word>]>;

/// The words of the values of a function. Moving instructions changes none of them.
#[derive(Default)]
pub(super) struct Words {
    lists: HashMap<LLVMValueRef, Option<List>>,
}

impl Words {
    /// The words of a value; `None` when it is no data or has too many.
    ///
    /// # Safety
    ///
    /// The value is valid.
    pub(super) unsafe fn of(&mut self, value: LLVMValueRef) -> Option<List> {
        // SAFETY: the caller's.
        unsafe { self.find(value, 0) }
    }

    /// How many words an instruction makes itself.
    ///
    /// # Safety
    ///
    /// The instruction is valid.
    pub(super) unsafe fn made_by(&mut self, instruction: LLVMValueRef) -> Option<usize> {
        // SAFETY: the caller's.
        let list = unsafe { self.of(instruction)? };
        Some(list.iter().flatten().filter(|word| word.maker == instruction).count())
    }

    /// The different words of an instruction's operands.
    ///
    /// # Safety
    ///
    /// The instruction is valid.
    pub(super) unsafe fn read_by(&mut self, instruction: LLVMValueRef) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        // SAFETY: the caller's.
        for operand in unsafe { operands(instruction) } {
            // SAFETY: an operand of an instruction that is valid.
            for word in unsafe { self.of(operand)? }.iter().flatten() {
                if !words.contains(word) {
                    words.push(*word);
                }
            }
        }
        Some(words)
    }

    unsafe fn find(&mut self, value: LLVMValueRef, depth: u32) -> Option<List> {
        if let Some(list) = self.lists.get(&value) {
            return list.clone();
        }
        // SAFETY: the caller's, of a value that is valid.
        let list = unsafe { self.passed_on(value, depth).or_else(|| own(value)) };
        self.lists.insert(value, list.clone());
        list
    }

    /// The words of a value that is made of others'; `None` when it has words of its own alone.
    unsafe fn passed_on(&mut self, value: LLVMValueRef, depth: u32) -> Option<List> {
        use LLVMOpcode::*;
        // SAFETY: operands are asked of instructions that have them.
        unsafe {
            if LLVMIsAInstruction(value).is_null() || depth > DEEPEST {
                return None;
            }
            let count = words(LLVMTypeOf(value), 0)?;
            // Each arm gives up (`None`: the value makes all its words itself) where the counts differ. A list of the wrong length would
            // take one register for another.
            match LLVMGetInstructionOpcode(value) {
                LLVMBitCast | LLVMFreeze | LLVMPtrToInt | LLVMIntToPtr => {
                    let list = self.operand(value, 0, depth)?;
                    (list.len() == count).then_some(list)
                }
                LLVMTrunc => Some(self.operand(value, 0, depth)?.get(..count)?.into()),
                LLVMZExt | LLVMSExt => self.extended(value, count, depth),
                LLVMGetElementPtr => self.element_of_known_place(value, count, depth),
                // The cast is an addition of a window's base, but of an address that is known before the program runs, which costs nothing.
                LLVMAddrSpaceCast => {
                    let list = self.operand(value, 0, depth)?;
                    list.iter().all(Option::is_none).then(|| vec![None; count].into())
                }
                LLVMExtractValue => {
                    let start = position(value)?;
                    Some(self.operand(value, 0, depth)?.get(start..start + count)?.into())
                }
                LLVMInsertValue => {
                    let start = position(value)?;
                    self.replaced(value, start, depth)
                }
                LLVMExtractElement => {
                    let start = element(value, 1)? * count;
                    let list = self.operand(value, 0, depth)?;
                    // Not so for `<2 x half>`, one word of two elements: taking one out is an instruction.
                    (list.len() == count * length(LLVMGetOperand(value, 0))).then_some(())?;
                    Some(list.get(start..start + count)?.into())
                }
                LLVMInsertElement => {
                    let one = words(LLVMTypeOf(LLVMGetOperand(value, 1)), 0)?;
                    (count == one * length(value)).then_some(())?;
                    let start = element(value, 2)? * one;
                    self.replaced(value, start, depth)
                }
                LLVMShuffleVector => self.shuffled(value, count, depth),
                _ => None,
            }
        }
    }

    unsafe fn operand(&mut self, value: LLVMValueRef, number: u32, depth: u32) -> Option<List> {
        // SAFETY: the caller's, of an instruction that has the operand.
        unsafe { self.find(LLVMGetOperand(value, number), depth + 1) }
    }

    /// An integer of 32 bits or more keeps its words when it is extended; those above are zero, or its sign, which is computed.
    unsafe fn extended(&mut self, value: LLVMValueRef, count: usize, depth: u32) -> Option<List> {
        // SAFETY: extensions have one operand.
        unsafe {
            let from = LLVMTypeOf(LLVMGetOperand(value, 0));
            if LLVMGetTypeKind(from) != LLVMTypeKind::LLVMIntegerTypeKind
                || !u64::from(LLVMGetIntTypeWidth(from)).is_multiple_of(REGISTER)
            {
                return None;
            }
            let low = self.operand(value, 0, depth)?;
            let signed = LLVMGetInstructionOpcode(value) == LLVMOpcode::LLVMSExt;
            // All words above the low ones are copies of one sign word, or the constant zero, which takes no register.
            let high = (low.len()..count).map(|_| signed.then_some(Word { maker: value, at: 0 }));
            Some(low.iter().copied().chain(high).collect())
        }
    }

    /// An address a known way after another is not another register: accesses take the distance.
    unsafe fn element_of_known_place(
        &mut self,
        value: LLVMValueRef,
        count: usize,
        depth: u32,
    ) -> Option<List> {
        // SAFETY: operands are asked for by numbers below their count.
        unsafe {
            let known = operands(value).iter().skip(1).all(|index| LLVMIsConstant(*index) != 0);
            let list = self.operand(value, 0, depth)?;
            (known && list.len() == count).then_some(list)
        }
    }

    /// The words of the first operand, with those of the second from one place on.
    unsafe fn replaced(&mut self, value: LLVMValueRef, start: usize, depth: u32) -> Option<List> {
        // SAFETY: insertions have two such operands.
        unsafe {
            let mut list = self.operand(value, 0, depth)?.to_vec();
            let part = self.operand(value, 1, depth)?;
            list.get_mut(start..start + part.len())?.copy_from_slice(&part);
            Some(list.into())
        }
    }

    unsafe fn shuffled(&mut self, value: LLVMValueRef, count: usize, depth: u32) -> Option<List> {
        // SAFETY: a shuffle of vectors has two and a mask.
        unsafe {
            let elements = LLVMGetNumMaskElements(value);
            let each = count / elements.max(1) as usize;
            let sources = length(LLVMGetOperand(value, 0));
            let both = [self.operand(value, 0, depth)?, self.operand(value, 1, depth)?].concat();
            // Two half-precision numbers in one register are taken apart.
            if each * elements as usize != count || both.len() != 2 * sources * each {
                return None;
            }
            let mut list = Vec::with_capacity(count);
            for at in 0..elements {
                match usize::try_from(LLVMGetMaskValue(value, at)) {
                    Ok(from) => list.extend_from_slice(both.get(from * each..(from + 1) * each)?),
                    Err(_) => list.extend(std::iter::repeat_n(None, each)),
                }
            }
            Some(list.into())
        }
    }
}

/// The operands of an instruction.
///
/// # Safety
///
/// The instruction is valid.
pub(super) unsafe fn operands(instruction: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: operands are asked for by numbers below their count.
    unsafe {
        let count = LLVMGetNumOperands(instruction).max(0) as u32;
        (0..count).map(|number| LLVMGetOperand(instruction, number)).collect()
    }
}

/// The words that a value itself makes. Variables on the stack are at a known distance from the stack's.
unsafe fn own(value: LLVMValueRef) -> Option<List> {
    // SAFETY: the caller's, of a value that is valid.
    unsafe {
        let count = words(LLVMTypeOf(value), 0)?;
        let makes = !LLVMIsAArgument(value).is_null()
            || (!LLVMIsAInstruction(value).is_null() && LLVMIsAAllocaInst(value).is_null());
        Some((0..count).map(|at| makes.then_some(Word { maker: value, at })).collect())
    }
}

/// The number of elements of a vector.
unsafe fn length(vector: LLVMValueRef) -> usize {
    // SAFETY: asked of a vector alone.
    unsafe {
        let ty = LLVMTypeOf(vector);
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMVectorTypeKind => LLVMGetVectorSize(ty) as usize,
            _ => 0,
        }
    }
}

/// The element that an operand names, when it is known.
unsafe fn element(value: LLVMValueRef, number: u32) -> Option<usize> {
    // SAFETY: the operand is there; a constant integer of at most 64 bits is asked for its value.
    unsafe {
        let index = LLVMGetOperand(value, number);
        let known = !LLVMIsAConstantInt(index).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(index)) <= 64;
        known.then(|| usize::try_from(LLVMConstIntGetZExtValue(index)).ok())?
    }
}

/// The number of words before the component that an instruction takes out or puts in.
unsafe fn position(value: LLVMValueRef) -> Option<usize> {
    // SAFETY: an instruction with indices, which lie within the type.
    unsafe {
        let indices = std::slice::from_raw_parts(LLVMGetIndices(value), LLVMGetNumIndices(value) as usize);
        let mut ty = LLVMTypeOf(LLVMGetOperand(value, 0));
        let mut before = 0;
        for &index in indices {
            if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMStructTypeKind {
                for field in 0..index {
                    before += words(LLVMStructGetTypeAtIndex(ty, field), 0)?;
                }
                ty = LLVMStructGetTypeAtIndex(ty, index);
            } else {
                ty = LLVMGetElementType(ty);
                before += words(ty, 0)? * index as usize;
            }
        }
        Some(before)
    }
}

/// The words of a type; `None` when it is no data, or has too many.
///
/// # Safety
///
/// The type is valid.
unsafe fn words(ty: LLVMTypeRef, depth: u32) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    // SAFETY: each question is asked of a type that it can be asked of.
    let count = unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => {
                u64::from(LLVMGetIntTypeWidth(ty)).div_ceil(REGISTER) as usize
            }
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind => 1,
            LLVMTypeKind::LLVMDoubleTypeKind => 2,
            LLVMTypeKind::LLVMPointerTypeKind => match LLVMGetPointerAddressSpace(ty) {
                address_space::SHARED => 1,
                _ => 2,
            },
            LLVMTypeKind::LLVMVectorTypeKind => vector_words(ty, depth)?,
            LLVMTypeKind::LLVMArrayTypeKind => words(LLVMGetElementType(ty), depth + 1)?
                .checked_mul(usize::try_from(LLVMGetArrayLength2(ty)).ok()?)?,
            LLVMTypeKind::LLVMStructTypeKind => {
                let mut sum = 0_usize;
                for at in 0..LLVMCountStructElementTypes(ty) {
                    sum = sum.checked_add(words(LLVMStructGetTypeAtIndex(ty, at), depth + 1)?)?;
                }
                sum
            }
            _ => return None,
        }
    };
    (count <= MOST_WORDS).then_some(count)
}

/// Two half-precision numbers of a vector of an even number share a register, as PTX computes with them.
unsafe fn vector_words(ty: LLVMTypeRef, depth: u32) -> Option<usize> {
    // SAFETY: the caller's, of a vector.
    unsafe {
        let element = LLVMGetElementType(ty);
        let length = LLVMGetVectorSize(ty) as usize;
        let halves = matches!(
            LLVMGetTypeKind(element),
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind
        );
        match halves && length.is_multiple_of(2) {
            true => Some(length / 2),
            false => words(element, depth + 1)?.checked_mul(length),
        }
    }
}
