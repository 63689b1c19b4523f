//! Instructions: where they are, and what they are told beside their operands.

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;

use super::handle::{Block, Function, Inst, Location, MetadataKind, Node, Value};
use super::opcode::Opcode;
use super::operation::{FastMath, GepFlags, WrapFlags};
use crate::build::{FloatPredicate, IntPredicate};

impl<'e> Inst<'e> {
    /// The block that it is in; `None` if it was erased.
    pub fn block(self) -> Option<Block<'e>> {
        // SAFETY: an instruction is not freed before its editor.
        Block::of(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// Whether it was erased: it is in no block, and its operands are `poison`.
    pub fn is_erased(self) -> bool {
        self.block().is_none()
    }

    /// The instruction after it in its block.
    pub fn next(self) -> Option<Inst<'e>> {
        // SAFETY: asked of an instruction in a block; null after the last.
        self.block().and_then(|_| Inst::of(unsafe { LLVMGetNextInstruction(self.raw) }))
    }

    /// The instruction before it in its block.
    pub fn previous(self) -> Option<Inst<'e>> {
        // SAFETY: asked of an instruction in a block; null before the first.
        self.block().and_then(|_| Inst::of(unsafe { LLVMGetPreviousInstruction(self.raw) }))
    }

    fn is(self, opcode: Opcode) -> bool {
        self.opcode() == opcode
    }

    /// How an `icmp` compares.
    pub fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: an `icmp`.
        self.is(Opcode::ICmp).then(|| IntPredicate::of(unsafe { LLVMGetICmpPredicate(self.raw) }))
    }

    /// How an `fcmp` compares.
    pub fn float_predicate(self) -> Option<FloatPredicate> {
        // SAFETY: an `fcmp`.
        self.is(Opcode::FCmp).then(|| FloatPredicate::of(unsafe { LLVMGetFCmpPredicate(self.raw) }))
    }

    /// Whether it is an `icmp` of numbers of which it is known that their signs are the same: `samesign`.
    pub fn is_same_sign(self) -> bool {
        // SAFETY: an `icmp`.
        self.is(Opcode::ICmp) && unsafe { LLVMGetICmpSameSign(self.raw) != 0 }
    }

    /// Whether it has [`WrapFlags`].
    pub(super) fn may_wrap(self) -> bool {
        matches!(self.opcode(), Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::Trunc)
    }

    /// What an integer operation promises; nothing where it has no such flags.
    pub fn wrap_flags(self) -> WrapFlags {
        match self.may_wrap() {
            // SAFETY: an operation with these flags.
            true => unsafe { WrapFlags { nuw: LLVMGetNUW(self.raw) != 0, nsw: LLVMGetNSW(self.raw) != 0 } },
            false => WrapFlags::default(),
        }
    }

    /// Whether it is an `or` of numbers without a common bit, which is their sum.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: an `or`.
        self.is(Opcode::Or) && unsafe { LLVMGetIsDisjoint(self.raw) != 0 }
    }

    /// `nneg` of a `zext`: its operand is not negative.
    pub fn is_not_negative(self) -> bool {
        // SAFETY: an instruction that has the flag.
        self.is(Opcode::ZExt) && unsafe { LLVMGetNNeg(self.raw) != 0 }
    }

    /// The fast-math flags of a floating-point operation; none where it has no such flags.
    pub fn fast_math(self) -> FastMath {
        // SAFETY: asked first whether it has such flags.
        unsafe {
            match LLVMCanValueUseFastMathFlags(self.raw) {
                0 => FastMath::default(),
                _ => FastMath(LLVMGetFastMathFlags(self.raw)),
            }
        }
    }

    /// What a `getelementptr` promises; nothing for other instructions.
    pub fn gep_flags(self) -> GepFlags {
        match self.is(Opcode::GetElementPtr) {
            // SAFETY: a `getelementptr`.
            true => GepFlags(unsafe { LLVMGEPGetNoWrapFlags(self.raw) }),
            false => GepFlags::default(),
        }
    }

    /// The element of the operands, taken one after the other, that each element of the result of a `shufflevector` is; `None` of one that may be any.
    pub fn shuffle_mask(self) -> Vec<Option<usize>> {
        if !self.is(Opcode::ShuffleVector) {
            return Vec::new();
        }
        // SAFETY: a `shufflevector`, and as many elements as its mask has.
        let elements = unsafe {
            let count = LLVMGetNumMaskElements(self.raw);
            (0..count).map(|at| LLVMGetMaskValue(self.raw, at)).collect::<Vec<_>>()
        };
        // One that may be any is -1.
        elements.into_iter().map(|element| usize::try_from(element).ok()).collect()
    }

    /// The indices of an `extractvalue` or an `insertvalue`; none of other instructions.
    pub fn aggregate_indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Opcode::ExtractValue | Opcode::InsertValue) {
            return Vec::new();
        }
        // SAFETY: LLVM keeps as many indices as it counts in the instruction; they are copied.
        unsafe {
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), LLVMGetNumIndices(self.raw) as usize)
                .to_vec()
        }
    }

    /// The condition of a `br` that has one.
    pub fn condition(self) -> Option<Value<'e>> {
        // SAFETY: a `br`, and one with a condition.
        unsafe {
            let is_conditional = self.is(Opcode::Br) && LLVMIsConditional(self.raw) != 0;
            is_conditional.then(|| Value::new(LLVMGetCondition(self.raw)))
        }
    }

    /// How many blocks control may go to after it; zero for what does not end a block.
    pub(super) fn successor_count(self) -> u32 {
        match self.opcode().is_terminator() {
            // SAFETY: a terminator.
            true => unsafe { LLVMGetNumSuccessors(self.raw) },
            false => 0,
        }
    }

    /// One of the blocks that control may go to after it.
    pub fn successor(self, at: u32) -> Option<Block<'e>> {
        // SAFETY: there are more successors than that.
        (at < self.successor_count()).then(|| Block::new(unsafe { LLVMGetSuccessor(self.raw, at) }))
    }

    /// The blocks that control may go to after it, in LLVM's order: where a condition holds, then where it does not.
    pub fn successors(self) -> impl Iterator<Item = Block<'e>> + use<'e> {
        (0..self.successor_count()).filter_map(move |at| self.successor(at))
    }

    /// How many values a phi has; zero for other instructions.
    pub fn incoming_count(self) -> u32 {
        match self.is(Opcode::Phi) {
            // SAFETY: a phi.
            true => unsafe { LLVMCountIncoming(self.raw) },
            false => 0,
        }
    }

    /// One of the values of a phi, with the block that control comes from.
    pub fn incoming(self, at: u32) -> Option<(Value<'e>, Block<'e>)> {
        // SAFETY: a phi with more values than that.
        (at < self.incoming_count()).then(|| unsafe {
            (Value::new(LLVMGetIncomingValue(self.raw, at)), Block::new(LLVMGetIncomingBlock(self.raw, at)))
        })
    }

    /// The values of a phi, each with the block that control comes from.
    pub fn incomings(self) -> impl Iterator<Item = (Value<'e>, Block<'e>)> + use<'e> {
        (0..self.incoming_count()).filter_map(move |at| self.incoming(at))
    }

    /// What a phi has where control comes from a block.
    pub fn incoming_from(self, block: Block<'e>) -> Option<Value<'e>> {
        self.incomings().find(|(_, from)| *from == block).map(|(value, _)| value)
    }

    /// What a call calls.
    pub fn callee(self) -> Option<Value<'e>> {
        // SAFETY: a call.
        self.opcode().is_call().then(|| Value::new(unsafe { LLVMGetCalledValue(self.raw) }))
    }

    /// The function that a call calls by its name.
    pub fn called_function(self) -> Option<Function<'e>> {
        self.callee()?.as_function()
    }

    /// How many arguments a call has; zero for other instructions.
    pub fn argument_count(self) -> u32 {
        match self.opcode().is_call() {
            // SAFETY: a call.
            true => unsafe { LLVMGetNumArgOperands(self.raw) },
            false => 0,
        }
    }

    /// Whether it is a call of a function whose name begins so.
    pub fn calls(self, prefix: &str) -> bool {
        let callee = self.callee();
        callee.is_some_and(|callee| callee.name().starts_with(prefix.as_bytes()))
    }

    /// The alignment in bytes that an argument of a call is said to have; 1, which every address has, where nothing is said, and for other instructions.
    pub fn argument_alignment(self, at: u32) -> u32 {
        const NAME: &str = "align";
        if at >= self.argument_count() {
            return 1;
        }
        // SAFETY: a call that has the argument, whose place is one more; the name has as many bytes as stated, and the attribute has a number, at most 2^32.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let attribute = LLVMGetCallSiteEnumAttribute(self.raw, at + 1, kind);
            if attribute.is_null() { 1 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// Whether a call has operand bundles.
    pub fn has_operand_bundles(self) -> bool {
        // SAFETY: a call.
        self.opcode().is_call() && unsafe { LLVMGetNumOperandBundles(self.raw) != 0 }
    }

    /// Where it comes from in the source.
    pub fn location(self) -> Option<Location<'e>> {
        // SAFETY: as in `block`; null where it has none.
        Location::of(unsafe { LLVMInstructionGetDebugLoc(self.raw) })
    }

    /// Whether debug records stand before it.
    pub fn has_debug_records(self) -> bool {
        // SAFETY: as in `block`.
        unsafe { !LLVMGetFirstDbgRecord(self.raw).is_null() }
    }

    /// Its metadata of a kind.
    pub fn metadata(self, kind: MetadataKind<'e>) -> Option<Node<'e>> {
        // SAFETY: as in `block`; null where it has none.
        Node::of(unsafe { LLVMGetMetadata(self.raw, kind.number) })
    }
}
