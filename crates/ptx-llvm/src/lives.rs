//! How long values live across calls.
//!
//! A value that lives across a call takes a register that the callee preserves, and has to be saved for that. LLVM's passes
//! know nothing of calls when they place an instruction: combining a select with a cast of it moves the select to where the
//! cast stands, and what it chooses from waits until there.

use std::collections::{HashMap, HashSet};

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::module::Module;
use crate::pass::is_optimized;

/// A value with more uses counts as one that lives on; so far casts in unreachable code are followed.
const MOST_USES: usize = 64;
/// Whether control comes back to a block is followed through this many.
const MOST_BLOCKS: usize = 1024;
/// The bits of the smallest register; predicates are saved in one.
const REGISTER: u64 = 32;

/// Moves instructions without effects up in their blocks, to where the last of their operands is known, when calls stand between
/// and fewer bits live across these calls then; with them what they need for that. The order of everything else and what the module computes stay,
/// and so do functions that are `optnone`.
pub fn shorten_lives(module: &Module<'_>) {
    for function in module.inkwell().get_functions().filter(|function| is_optimized(*function)) {
        for block in function.get_basic_block_iter() {
            // SAFETY: the block is one of a module that is alive and that nobody else changes meanwhile.
            unsafe { shorten_in_block(block.as_mut_ptr()) };
        }
    }
}

/// Where an instruction stands: the number of instructions up to it or, when it was moved, up to where it was moved to; then how
/// many were moved before it.
type Place = (usize, usize);

/// Where an instruction could stand earlier.
struct Earlier {
    /// How many instructions it would stand after.
    after: usize,
    /// Whether fewer bits live across the call then, and not as many.
    saves: bool,
    /// What has to stand earlier too for that, where it could: operands, and what else reads them.
    needs: Vec<LLVMValueRef>,
}

/// A block, with the order in which its instructions are to stand.
struct Order {
    block: LLVMBasicBlockRef,
    instructions: Vec<LLVMValueRef>,
    places: HashMap<LLVMValueRef, Place>,
    /// For each number of instructions how many there are up to and with the next call; more than there are after the last.
    next_call: Vec<usize>,
    /// How many phis the block begins with.
    phis: usize,
    /// Whether control comes back to the block without passing the one where a value is computed, as far as asked; arguments are computed
    /// in none.
    rounds: HashMap<LLVMBasicBlockRef, bool>,
}

/// # Safety
///
/// The block is alive, and nothing else changes its function meanwhile.
unsafe fn shorten_in_block(block: LLVMBasicBlockRef) {
    // SAFETY: the caller's.
    let mut order = unsafe { Order::new(block) };
    if order.next_call.first().is_none_or(|next| *next > order.instructions.len()) {
        return;
    }
    let mut found: HashMap<LLVMValueRef, Earlier> = HashMap::new();
    for at in 0..order.instructions.len() {
        let instruction = order.instructions[at];
        // SAFETY: an instruction of the block.
        if let Some(earlier) = unsafe { order.earlier(instruction, at) } {
            order.places.insert(instruction, (earlier.after, found.len() + 1));
            found.insert(instruction, earlier);
        }
    }
    let mut moved = order.keep_what_saves(&found);
    moved.sort_unstable_by_key(|(place, _)| *place);
    // SAFETY: the builder is of the block's context and is disposed of; the instructions are of the block.
    unsafe {
        let builder =
            LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block))));
        for ((after, _), instruction) in moved {
            order.put(builder, after, instruction);
        }
        LLVMDisposeBuilder(builder);
    }
}

impl Order {
    /// # Safety
    ///
    /// The block is alive.
    unsafe fn new(block: LLVMBasicBlockRef) -> Self {
        let mut instructions = Vec::new();
        let mut phis = 0;
        // SAFETY: the block is alive; an instruction's successor is null at the end.
        unsafe {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                phis += usize::from(LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMPHI);
                instructions.push(instruction);
                instruction = LLVMGetNextInstruction(instruction);
            }
        }
        let mut next_call = vec![instructions.len() + 1; instructions.len() + 1];
        for at in (0..instructions.len()).rev() {
            // SAFETY: an instruction of the block.
            let is_call = unsafe { saves_registers(instructions[at]) };
            next_call[at] = if is_call { at + 1 } else { next_call[at + 1] };
        }
        let places = instructions.iter().enumerate().map(|(at, inst)| (*inst, (at + 1, 0))).collect();
        Order { block, instructions, places, next_call, phis, rounds: HashMap::new() }
    }

    /// The moves that save registers with those that they need, each with its place; all others are taken back.
    fn keep_what_saves(&mut self, found: &HashMap<LLVMValueRef, Earlier>) -> Vec<(Place, LLVMValueRef)> {
        let saving = |inst: &&LLVMValueRef| found.get(*inst).is_some_and(|earlier| earlier.saves);
        let mut pending: Vec<LLVMValueRef> = self.instructions.iter().filter(saving).copied().collect();
        let mut kept: HashSet<LLVMValueRef> = HashSet::new();
        while let Some(instruction) = pending.pop() {
            if let Some(earlier) = found.get(&instruction)
                && kept.insert(instruction)
            {
                pending.extend(&earlier.needs);
            }
        }
        let mut moved = Vec::with_capacity(kept.len());
        for (at, instruction) in self.instructions.iter().enumerate() {
            if kept.contains(instruction) {
                moved.extend(self.places.get(instruction).map(|place| (*place, *instruction)));
            } else {
                self.places.insert(*instruction, (at + 1, 0));
            }
        }
        moved
    }

    /// Where the instruction at a place could stand earlier without more bits living across the call.
    ///
    /// # Safety
    ///
    /// The instruction is the block's, and its function is alive.
    unsafe fn earlier(&mut self, instruction: LLVMValueRef, at: usize) -> Option<Earlier> {
        // SAFETY: the caller's; operands are asked for by numbers below their count.
        unsafe {
            if !only_computes(LLVMGetInstructionOpcode(instruction)) {
                return None;
            }
            let count = LLVMGetNumOperands(instruction).max(0) as u32;
            let operands: Vec<LLVMValueRef> =
                (0..count).map(|number| LLVMGetOperand(instruction, number)).collect();
            let known = operands.iter().filter_map(|operand| self.places.get(operand)).map(|place| place.0);
            let after = known.max().unwrap_or(0).max(self.phis);
            let call = *self.next_call.get(after)?;
            if call > at {
                return None;
            }
            let mut needs = operands.clone();
            if same_register(instruction).is_some() {
                return Some(Earlier { after, saves: false, needs });
            }
            let mut freed = 0;
            let held: Vec<LLVMValueRef> = operands.iter().map(|operand| holder(*operand)).collect();
            for (number, &operand) in held.iter().enumerate() {
                let again = held.iter().take(number).any(|other| *other == operand);
                if again {
                    continue;
                }
                if let Some(before) = self.waits_for(operand, instruction, call) {
                    freed += registers(LLVMTypeOf(operand), 0)?;
                    needs.extend(before);
                }
            }
            let needed = registers(LLVMTypeOf(instruction), 0)?;
            (freed > 0 && freed >= needed).then_some(Earlier { after, saves: freed > needed, needs })
        }
    }

    /// What else reads a value that lives across a call for one instruction alone; `None` for one that lives on.
    ///
    /// # Safety
    ///
    /// The values are alive.
    unsafe fn waits_for(
        &mut self,
        value: LLVMValueRef,
        instruction: LLVMValueRef,
        call: usize,
    ) -> Option<Vec<LLVMValueRef>> {
        // SAFETY: asked of values that are alive; uses are followed to their end.
        unsafe {
            if !takes_register(value) || self.is_read_next_round(value) {
                return None;
            }
            let mut others = Vec::new();
            let mut places = vec![LLVMGetFirstUse(value)];
            for _ in 0..MOST_USES {
                let Some(place) = places.pop() else { return Some(others) };
                if place.is_null() {
                    continue;
                }
                places.push(LLVMGetNextUse(place));
                let user = LLVMGetUser(place);
                if same_register(user).is_some() {
                    places.push(LLVMGetFirstUse(user));
                    continue;
                }
                if user == instruction {
                    continue;
                }
                // A phi reads at the end of the block before, which can be this one.
                let before = LLVMIsAPHINode(user).is_null()
                    && self.places.get(&user).is_some_and(|place| place.0 <= call);
                if !before {
                    return None;
                }
                others.push(user);
            }
        }
        None
    }

    /// Whether a value from before the block is there for its instructions again when control comes back.
    ///
    /// # Safety
    ///
    /// The value is alive, and an instruction of the block's function or an argument.
    unsafe fn is_read_next_round(&mut self, value: LLVMValueRef) -> bool {
        // SAFETY: the caller's; blocks are asked for by terminators of the function.
        unsafe {
            let origin = match LLVMIsAInstruction(value).is_null() {
                true => std::ptr::null_mut(),
                false => LLVMGetInstructionParent(value),
            };
            let block = self.block;
            origin != block && *self.rounds.entry(origin).or_insert_with(|| comes_back(block, origin))
        }
    }

    /// Puts an instruction before the first one after a place that was not moved.
    ///
    /// # Safety
    ///
    /// The instruction is the block's and no terminator, and the builder one of its context.
    unsafe fn put(&self, builder: LLVMBuilderRef, after: usize, instruction: LLVMValueRef) {
        let stays = |inst: &&LLVMValueRef| self.places.get(*inst).is_some_and(|place| place.1 == 0);
        let Some(&next) = self.instructions.iter().skip(after).find(stays) else { return };
        // SAFETY: the next instruction is of the same block, and stays; the name is copied. The builder would give a place in the
        // source and a name of its own.
        unsafe {
            let debug = LLVMInstructionGetDebugLoc(instruction);
            let mut length = 0;
            let name = LLVMGetValueName2(instruction, &raw mut length);
            let name = match length {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(name.cast::<u8>(), length).to_vec(),
            };
            LLVMInstructionRemoveFromParent(instruction);
            LLVMPositionBuilder(builder, self.block, next);
            LLVMInsertIntoBuilder(builder, instruction);
            LLVMInstructionSetDebugLoc(instruction, debug);
            LLVMSetValueName2(instruction, name.as_ptr().cast(), name.len());
        }
    }
}

/// Whether control can come back to a block without passing another one. Assumed where that is too far to follow.
///
/// # Safety
///
/// The blocks are alive; the other one may be none.
unsafe fn comes_back(block: LLVMBasicBlockRef, without: LLVMBasicBlockRef) -> bool {
    let mut seen = HashSet::from([without]);
    let mut pending = vec![block];
    while let Some(from) = pending.pop() {
        // SAFETY: successors are asked of a terminator, by numbers below their count.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(from);
            if terminator.is_null() {
                continue;
            }
            for number in 0..LLVMGetNumSuccessors(terminator) {
                let to = LLVMGetSuccessor(terminator, number);
                if to == block || seen.len() > MOST_BLOCKS {
                    return true;
                }
                if seen.insert(to) {
                    pending.push(to);
                }
            }
        }
    }
    false
}

/// What an instruction gives back as it is, in another type.
///
/// # Safety
///
/// The value is alive.
unsafe fn same_register(value: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: these casts have one operand.
    unsafe {
        let is_number = !LLVMIsAPtrToIntInst(value).is_null() || !LLVMIsAIntToPtrInst(value).is_null();
        if LLVMIsABitCastInst(value).is_null() && !is_number {
            return None;
        }
        let operand = LLVMGetOperand(value, 0);
        let as_wide = || registers(LLVMTypeOf(value), 0) == registers(LLVMTypeOf(operand), 0);
        (!is_number || as_wide()).then_some(operand)
    }
}

/// Whether a value is in a register: a constant is not, nor the address of a variable on the stack, which is known.
///
/// # Safety
///
/// The value is alive.
unsafe fn takes_register(value: LLVMValueRef) -> bool {
    let mut value = value;
    for _ in 0..MOST_USES {
        // SAFETY: casts and steps from an address have an operand.
        unsafe {
            if let Some(same) = same_register(value) {
                value = same;
            } else if !LLVMIsAAddrSpaceCastInst(value).is_null() || is_constant_step(value) {
                value = LLVMGetOperand(value, 0);
            } else {
                break;
            }
        }
    }
    // SAFETY: the caller's.
    unsafe {
        let computed = !LLVMIsAInstruction(value).is_null() || !LLVMIsAArgument(value).is_null();
        computed && LLVMIsAAllocaInst(value).is_null()
    }
}

/// Whether an instruction is a step of known length from an address.
///
/// # Safety
///
/// The value is alive.
unsafe fn is_constant_step(value: LLVMValueRef) -> bool {
    // SAFETY: operands are asked for by numbers below their count.
    unsafe {
        !LLVMIsAGetElementPtrInst(value).is_null()
            && (1..LLVMGetNumOperands(value).max(0) as u32)
                .all(|number| LLVMIsConstant(LLVMGetOperand(value, number)) != 0)
    }
}

/// The value whose register a value is in.
///
/// # Safety
///
/// The value is alive.
unsafe fn holder(value: LLVMValueRef) -> LLVMValueRef {
    let mut value = value;
    for _ in 0..MOST_USES {
        // SAFETY: the caller's.
        match unsafe { same_register(value) } {
            Some(same) => value = same,
            None => break,
        }
    }
    value
}

/// Whether values that live across an instruction need registers that a callee preserves: a call of a function of the program's.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn saves_registers(instruction: LLVMValueRef) -> bool {
    // SAFETY: the called value is asked of a call.
    unsafe {
        if LLVMIsACallInst(instruction).is_null() {
            return false;
        }
        let callee = LLVMGetCalledValue(instruction);
        let is_function = !LLVMIsAFunction(callee).is_null();
        LLVMIsAInlineAsm(callee).is_null() && !(is_function && LLVMGetIntrinsicID(callee) != 0)
    }
}

/// Whether an instruction of this kind neither has effects nor can be undefined where it was not.
fn only_computes(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode::*;
    matches!(
        opcode,
        LLVMAdd
            | LLVMFAdd
            | LLVMSub
            | LLVMFSub
            | LLVMMul
            | LLVMFMul
            | LLVMFDiv
            | LLVMFNeg
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMBitCast
            | LLVMAddrSpaceCast
            | LLVMGetElementPtr
            | LLVMICmp
            | LLVMFCmp
            | LLVMSelect
            | LLVMExtractElement
            | LLVMInsertElement
            | LLVMShuffleVector
            | LLVMExtractValue
            | LLVMInsertValue
            | LLVMFreeze
    )
}

/// The bits of the registers that a value of a type takes; `None` when it is no data, or nested too deep to be worth it.
///
/// # Safety
///
/// The type is alive.
unsafe fn registers(ty: LLVMTypeRef, depth: u32) -> Option<u64> {
    const DEEPEST: u32 = 8;
    if depth > DEEPEST {
        return None;
    }
    // SAFETY: each question is asked of a type that it can be asked of.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => {
                Some(u64::from(LLVMGetIntTypeWidth(ty)).next_multiple_of(REGISTER))
            }
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind => Some(REGISTER),
            LLVMTypeKind::LLVMDoubleTypeKind | LLVMTypeKind::LLVMPointerTypeKind => Some(2 * REGISTER),
            LLVMTypeKind::LLVMVectorTypeKind => {
                Some(registers(LLVMGetElementType(ty), depth + 1)? * u64::from(LLVMGetVectorSize(ty)))
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                registers(LLVMGetElementType(ty), depth + 1)?.checked_mul(LLVMGetArrayLength2(ty))
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                let fields = 0..LLVMCountStructElementTypes(ty);
                fields.map(|at| registers(LLVMStructGetTypeAtIndex(ty, at), depth + 1)).sum()
            }
            _ => None,
        }
    }
}
