//! Lanes of vectors that nothing reads.
//!
//! A warp that adds its numbers by shuffles does so in all lanes, though only the first one is stored. LLVM computes which elements of a vector are
//! demanded only through values with a single use, and each value of such a sum has two.

use std::collections::HashMap;

use inkwell::values::AsValueRef;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::{LLVMPointerTypeKind, LLVMVectorTypeKind};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use super::forward::lanes_of;
use crate::module::Module;
use crate::raw;

/// The most lanes of a gather or scatter that are accessed one by one: processors take about as long for a single lane as for all of them.
const FEW: usize = 4;

/// Accesses the lanes of gathers and scatters with a constant mask one by one if there are few, and removes what only computes lanes that nothing
/// reads; returns whether anything changed:
///
/// ```text
///   %s = shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
///   %c = add <4 x i32> %a, %s
///   call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %c, <4 x ptr> align 4 %p, <4 x i1> <i1 1, i1 0, i1 0, i1 0>)
/// ```
///
/// becomes the following, and `%b` is dead if it has no other use:
///
/// ```text
///   %s = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
///   %c = add <4 x i32> %a, %s
///   %e = extractelement <4 x i32> %c, i32 0
///   %q = extractelement <4 x ptr> %p, i32 0
///   store i32 %e, ptr %q, align 4
/// ```
pub(super) fn remove_unread_lanes(module: &Module<'_>) -> bool {
    let mut changed = false;
    for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0) {
        // SAFETY: the function belongs to a module that is alive and that nothing else changes meanwhile; instructions are only erased here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.inkwell().as_mut_ptr()));
            let blocks = raw::blocks(function.as_value_ref());
            for &block in &blocks {
                for instruction in raw::instructions(block) {
                    changed |= separate(builder, instruction);
                }
            }
            let instructions: Vec<_> = blocks.iter().flat_map(|&block| raw::instructions(block)).collect();
            changed |= Demanded::of(&instructions).remove(builder, &instructions);
            LLVMDisposeBuilder(builder);
        }
    }
    changed
}

/// Replaces a gather or scatter of few lanes by accesses of one lane each; returns whether it did.
///
/// # Safety
///
/// The instruction is alive, and nothing else holds it.
unsafe fn separate(builder: LLVMBuilderRef, instruction: LLVMValueRef) -> bool {
    // SAFETY: operands are asked of calls of the two intrinsics, which have them; what is built precedes the call and has the types of its operands.
    unsafe {
        let is_scatter = calls(instruction, "llvm.masked.scatter.");
        if !is_scatter && !calls(instruction, "llvm.masked.gather.") {
            return false;
        }
        let [first, second, third] = [0, 1, 2].map(|at| LLVMGetOperand(instruction, at));
        let (places, at, mask) = if is_scatter { (second, 2, third) } else { (first, 1, second) };
        let Some(mask) = lanes_of(mask) else { return false };
        if mask.iter().filter(|&&is_active| is_active).count() > FEW {
            return false;
        }
        LLVMPositionBuilderBefore(builder, instruction);
        let location = LLVMInstructionGetDebugLoc(instruction);
        let word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(places)));
        let alignment = alignment_of(instruction, at);
        let mut result = third;
        for (lane, _) in mask.iter().enumerate().filter(|(_, is_active)| **is_active) {
            let lane = LLVMConstInt(word, lane as u64, 0);
            let place = LLVMBuildExtractElement(builder, places, lane, c"".as_ptr());
            let access = if is_scatter {
                let value = LLVMBuildExtractElement(builder, first, lane, c"".as_ptr());
                LLVMBuildStore(builder, value, place)
            } else {
                let ty = LLVMGetElementType(LLVMTypeOf(instruction));
                LLVMBuildLoad2(builder, ty, place, c"".as_ptr())
            };
            LLVMSetAlignment(access, alignment);
            LLVMInstructionSetDebugLoc(access, location);
            if !is_scatter {
                result = LLVMBuildInsertElement(builder, result, access, lane, c"".as_ptr());
            }
        }
        if !is_scatter {
            LLVMReplaceAllUsesWith(instruction, result);
        }
        LLVMInstructionEraseFromParent(instruction);
        true
    }
}

/// The alignment in bytes that an argument of a call is declared to have, counted from 1.
///
/// # Safety
///
/// The call is alive and has the argument.
unsafe fn alignment_of(call: LLVMValueRef, argument: u32) -> u32 {
    const NAME: &str = "align";
    // SAFETY: as the caller promises.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
        let attribute = LLVMGetCallSiteEnumAttribute(call, argument, kind);
        if attribute.is_null() { 1 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
    }
}

/// Whether an instruction calls a function whose name begins like this.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn calls(instruction: LLVMValueRef, prefix: &str) -> bool {
    // SAFETY: the callee is only asked of calls.
    unsafe {
        LLVMGetInstructionOpcode(instruction) == LLVMCall
            && raw::name(LLVMGetCalledValue(instruction)).starts_with(prefix.as_bytes())
    }
}

/// A set of lanes of a vector of at most 64.
type Lanes = u64;

/// All lanes of a vector of `count`.
fn all(count: u32) -> Lanes {
    Lanes::MAX >> (64 - count)
}

/// For each vector that is computed lane by lane, the lanes that something reads.
struct Demanded {
    lanes: HashMap<LLVMValueRef, Lanes>,
    pending: Vec<LLVMValueRef>,
}

impl Demanded {
    /// Computes what is read in a function, from its instructions with other effects than a vector backwards.
    ///
    /// # Safety
    ///
    /// The instructions are all those of a function, and alive.
    unsafe fn of(instructions: &[LLVMValueRef]) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let tracked = instructions.iter().filter(|&&instruction| is_lanewise(instruction));
            let lanes = tracked.map(|&instruction| (instruction, 0)).collect();
            let mut demanded = Self { lanes, pending: Vec::new() };
            for &instruction in instructions {
                if !demanded.lanes.contains_key(&instruction) {
                    demanded.read_by(instruction, Lanes::MAX);
                }
            }
            while let Some(instruction) = demanded.pending.pop() {
                let lanes = demanded.lanes[&instruction];
                demanded.read_by(instruction, lanes);
            }
            demanded
        }
    }

    fn read(&mut self, value: LLVMValueRef, lanes: Lanes) {
        if let Some(known) = self.lanes.get_mut(&value)
            && *known | lanes != *known
        {
            *known |= lanes;
            self.pending.push(value);
        }
    }

    /// Adds what an instruction reads to compute these of its lanes.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn read_by(&mut self, instruction: LLVMValueRef, lanes: Lanes) {
        // SAFETY: each property is only asked of instructions that have it.
        unsafe {
            let operand = |at| LLVMGetOperand(instruction, at);
            match LLVMGetInstructionOpcode(instruction) {
                LLVMShuffleVector => {
                    let (first, second) = read_by_shuffle(instruction, lanes);
                    self.read(operand(0), first);
                    self.read(operand(1), second);
                }
                // Default: which lane is replaced is not known.
                LLVMInsertElement => self.read(operand(0), lanes & !lane_of(operand(2)).unwrap_or(0)),
                // Default: any lane may be read.
                LLVMExtractElement => self.read(operand(0), lane_of(operand(1)).unwrap_or(Lanes::MAX)),
                LLVMBitCast => self.read(operand(0), read_by_bitcast(instruction, lanes)),
                LLVMSelect => {
                    let (yes, no) = read_by_select(operand(0), lanes);
                    self.read(operand(0), lanes);
                    self.read(operand(1), yes);
                    self.read(operand(2), no);
                }
                // The lanes of the stored value that are beside a constant mask are not read.
                LLVMCall
                    if calls(instruction, "llvm.masked.scatter.")
                        || calls(instruction, "llvm.masked.store.") =>
                {
                    let (stored, _) = read_by_select(operand(2), lanes);
                    self.read(operand(0), stored);
                    self.read(operand(1), lanes);
                    self.read(operand(2), lanes);
                }
                _ => (0..LLVMGetNumOperands(instruction) as u32).for_each(|at| self.read(operand(at), lanes)),
            }
        }
    }

    /// Removes vectors of which nothing is read, and operands of shuffles, insertions and selections that nothing is read of.
    ///
    /// # Safety
    ///
    /// The instructions are those of [`Demanded::of`], and nothing else holds them.
    unsafe fn remove(&self, builder: LLVMBuilderRef, instructions: &[LLVMValueRef]) -> bool {
        // SAFETY: an instruction is erased once all that used it reads poison instead; what replaces another is of its type and precedes it.
        unsafe {
            let of_known = |&instruction: &LLVMValueRef| Some((instruction, *self.lanes.get(&instruction)?));
            let (unread, read): (Vec<_>, Vec<_>) =
                instructions.iter().filter_map(of_known).partition(|&(_, lanes)| lanes == 0);
            let mut changed = !unread.is_empty();
            for &(instruction, _) in &unread {
                LLVMReplaceAllUsesWith(instruction, LLVMGetPoison(LLVMTypeOf(instruction)));
            }
            for &(instruction, _) in &unread {
                LLVMInstructionEraseFromParent(instruction);
            }
            for (instruction, lanes) in read {
                if let Some(value) = simpler(builder, instruction, lanes) {
                    LLVMReplaceAllUsesWith(instruction, value);
                    LLVMInstructionEraseFromParent(instruction);
                    changed = true;
                }
            }
            changed
        }
    }
}

/// Something simpler with the same values in these lanes.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn simpler(builder: LLVMBuilderRef, instruction: LLVMValueRef, lanes: Lanes) -> Option<LLVMValueRef> {
    // SAFETY: as for `Demanded::read_by`.
    unsafe {
        let operand = |at| LLVMGetOperand(instruction, at);
        match LLVMGetInstructionOpcode(instruction) {
            LLVMInsertElement => {
                lane_of(operand(2)).is_some_and(|lane| lane & lanes == 0).then(|| operand(0))
            }
            LLVMSelect => match read_by_select(operand(0), lanes) {
                (_, 0) => Some(operand(1)),
                (0, _) => Some(operand(2)),
                _ => None,
            },
            LLVMShuffleVector => without_unread_operands(builder, instruction, lanes),
            _ => None,
        }
    }
}

/// A shuffle of which only these lanes are read, with poison instead of an operand of which it reads nothing, if there is one.
///
/// # Safety
///
/// The instruction is a shuffle that is alive.
unsafe fn without_unread_operands(
    builder: LLVMBuilderRef,
    shuffle: LLVMValueRef,
    lanes: Lanes,
) -> Option<LLVMValueRef> {
    // SAFETY: the mask is asked of a shuffle, as many elements as it has.
    unsafe {
        let operands = [0, 1].map(|at| LLVMGetOperand(shuffle, at));
        let (first, second) = read_by_shuffle(shuffle, lanes);
        let is_unread = [first == 0, second == 0];
        let is_read = |lane: u32| LLVMGetMaskValue(shuffle, lane) >= 0 && lanes >> lane & 1 == 1;
        let names_unread = (0..LLVMGetNumMaskElements(shuffle))
            .any(|lane| LLVMGetMaskValue(shuffle, lane) >= 0 && !is_read(lane));
        if is_unread == [false, false] || !names_unread {
            return None;
        }
        let poison = LLVMGetPoison(LLVMTypeOf(operands[0]));
        let word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(shuffle)));
        let element = |lane: u32| {
            let of = LLVMGetMaskValue(shuffle, lane);
            if is_read(lane) { LLVMConstInt(word, of as u64, 0) } else { LLVMGetPoison(word) }
        };
        let mut mask: Vec<_> = (0..LLVMGetNumMaskElements(shuffle)).map(element).collect();
        let mask = LLVMConstVector(mask.as_mut_ptr(), mask.len() as u32);
        let [a, b] = [0, 1].map(|at| if is_unread[at] { poison } else { operands[at] });
        LLVMPositionBuilderBefore(builder, shuffle);
        let simpler = LLVMBuildShuffleVector(builder, a, b, mask, c"".as_ptr());
        if !LLVMIsAInstruction(simpler).is_null() {
            LLVMInstructionSetDebugLoc(simpler, LLVMInstructionGetDebugLoc(shuffle));
        }
        Some(simpler)
    }
}

/// The number of lanes of a vector type, if lanes of it are tracked.
///
/// # Safety
///
/// The type is alive.
unsafe fn count_of(ty: LLVMTypeRef) -> Option<u32> {
    // SAFETY: the size is only asked of vectors of fixed length.
    unsafe {
        let count = (LLVMGetTypeKind(ty) == LLVMVectorTypeKind).then(|| LLVMGetVectorSize(ty))?;
        (1..=64).contains(&count).then_some(count)
    }
}

/// Whether an instruction has no effect but a vector, each lane of which depends on the same lanes of its operands, or on known ones.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn is_lanewise(instruction: LLVMValueRef) -> bool {
    // SAFETY: each property is only asked of instructions that have it.
    unsafe {
        if count_of(LLVMTypeOf(instruction)).is_none() {
            return false;
        }
        match LLVMGetInstructionOpcode(instruction) {
            // Not divisions of integers: a divisor that is poison in any lane is undefined behavior.
            LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr
            | LLVMFNeg | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMTrunc | LLVMZExt | LLVMSExt
            | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt | LLVMICmp
            | LLVMFCmp | LLVMFreeze | LLVMPHI | LLVMSelect | LLVMInsertElement | LLVMGetElementPtr
            | LLVMPtrToInt | LLVMIntToPtr => true,
            LLVMShuffleVector => count_of(LLVMTypeOf(LLVMGetOperand(instruction, 0))).is_some(),
            LLVMBitCast => {
                let from = LLVMTypeOf(LLVMGetOperand(instruction, 0));
                // Pointers have no other size to be cast to.
                count_of(from).is_some() && LLVMGetTypeKind(LLVMGetElementType(from)) != LLVMPointerTypeKind
            }
            LLVMCall => is_lanewise_intrinsic(&raw::name(LLVMGetCalledValue(instruction))),
            _ => false,
        }
    }
}

/// Whether a function is an intrinsic that computes each lane from the same lanes of its operands, and has no other effect.
fn is_lanewise_intrinsic(name: &[u8]) -> bool {
    const NAMES: [&str; 39] = [
        "abs",
        "bitreverse",
        "bswap",
        "canonicalize",
        "ceil",
        "copysign",
        "ctlz",
        "ctpop",
        "cttz",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fshl",
        "fshr",
        "is.fpclass",
        "maximum",
        "maximumnum",
        "maxnum",
        "minimum",
        "minimumnum",
        "minnum",
        "nearbyint",
        "rint",
        "round",
        "roundeven",
        "sadd.sat",
        "smax",
        "smin",
        "sqrt",
        "ssub.sat",
        "trunc",
        "uadd.sat",
        "umax",
        "umin",
        "usub.sat",
        "fptosi.sat",
        "fptoui.sat",
        "ldexp",
    ];
    let Some(rest) = std::str::from_utf8(name).ok().and_then(|name| name.strip_prefix("llvm.")) else {
        return false;
    };
    // The types of its overload follow: `llvm.fma.v16f32`.
    NAMES.iter().any(|name| rest.strip_prefix(name).is_some_and(|types| types.starts_with(".v")))
}

/// The lanes of its two operands that a shuffle reads for these of its own.
///
/// # Safety
///
/// The instruction is a shuffle that is alive.
unsafe fn read_by_shuffle(shuffle: LLVMValueRef, lanes: Lanes) -> (Lanes, Lanes) {
    // SAFETY: as many elements are asked for as the mask has.
    unsafe {
        let Some(count) = count_of(LLVMTypeOf(LLVMGetOperand(shuffle, 0))) else {
            return (Lanes::MAX, Lanes::MAX);
        };
        let (mut first, mut second) = (0, 0);
        for lane in 0..LLVMGetNumMaskElements(shuffle) {
            let is_read = lane >= 64 || lanes >> lane & 1 == 1;
            match u32::try_from(LLVMGetMaskValue(shuffle, lane)) {
                Ok(of) if is_read && of < count => first |= 1 << of,
                Ok(of) if is_read => second |= 1 << (of - count),
                // Poison, or not read.
                _ => {}
            }
        }
        (first, second)
    }
}

/// The lanes of its operand that a bit cast reads for these of its own.
///
/// # Safety
///
/// The instruction is a bit cast that is alive.
unsafe fn read_by_bitcast(cast: LLVMValueRef, lanes: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe {
        let counts = [LLVMTypeOf(LLVMGetOperand(cast, 0)), LLVMTypeOf(cast)].map(|ty| count_of(ty));
        let [Some(from), Some(to)] = counts else { return Lanes::MAX };
        // Lane `k` of the longer vector is within lane `k / times` of the shorter one.
        let overlap = |a: u32, b: u32| if from >= to { a / (from / to) == b } else { b / (to / from) == a };
        if from.max(to) % from.min(to) != 0 {
            return Lanes::MAX;
        }
        let is_read = |a: &u32| (0..to).any(|b| lanes >> b & 1 == 1 && overlap(*a, b));
        (0..from).filter(is_read).fold(0, |set, a| set | 1 << a)
    }
}

/// The lanes that a selection reads of its second and third operands.
///
/// # Safety
///
/// The condition is alive.
unsafe fn read_by_select(condition: LLVMValueRef, lanes: Lanes) -> (Lanes, Lanes) {
    // SAFETY: as above.
    unsafe {
        let count = count_of(LLVMTypeOf(condition));
        let Some(constant) = count.and_then(|_| lanes_of(condition)) else { return (lanes, lanes) };
        let yes = constant.iter().enumerate().fold(0, |set, (lane, &is)| set | Lanes::from(is) << lane);
        let all = all(constant.len() as u32);
        (lanes & yes, lanes & all & !yes)
    }
}

/// The lane of a constant index; absent for another one, and beyond the vector.
///
/// # Safety
///
/// The index is alive.
unsafe fn lane_of(index: LLVMValueRef) -> Option<Lanes> {
    // SAFETY: the value is only asked of constants.
    unsafe {
        let is_constant = !LLVMIsAConstantInt(index).is_null();
        let index = is_constant.then(|| LLVMConstIntGetZExtValue(index)).filter(|&index| index < 64)?;
        Some(1 << index)
    }
}

#[cfg(test)]
mod tests;
