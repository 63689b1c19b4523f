//! Changes of single instructions.

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;

use super::handle::{Block, Function, Inst, Location, MetadataKind, Node, Value};
use super::opcode::Opcode;
use super::operation::{Attribute, AttributeIndex, FastMath, WrapFlags};
use crate::LlvmError;

/// Why something is not done.
pub(super) fn refused<T>(message: String) -> Result<T, LlvmError> {
    Err(LlvmError::Other { message })
}

impl<'e> Value<'e> {
    /// Refuses the result of an instruction that was erased.
    pub(super) fn check_present(self) -> Result<(), LlvmError> {
        match self.as_inst() {
            Some(inst) if inst.is_erased() => refused(format!("an operand that was erased: {self:?}")),
            _ => Ok(()),
        }
    }

    /// The function that an instruction or a parameter belongs to.
    fn owner(self) -> Option<Function<'e>> {
        match self.as_inst() {
            Some(inst) => inst.block().map(Block::function),
            None if self.is_parameter() => self.as_parameter().map(|(function, _)| function),
            None => None,
        }
    }

    /// Refuses what an instruction cannot have as an operand: what was erased, and what belongs to another function.
    pub(super) fn check_operand_in(self, function: Function<'e>) -> Result<(), LlvmError> {
        self.check_present()?;
        match self.owner() {
            Some(owner) if owner != function => refused(format!("an operand of another function: {self:?}")),
            _ => Ok(()),
        }
    }
}

impl<'e> Inst<'e> {
    /// The function that it is in.
    ///
    /// # Errors
    ///
    /// When it was erased.
    pub fn function(self) -> Result<Function<'e>, LlvmError> {
        match self.block() {
            Some(block) => Ok(block.function()),
            None => refused(format!("an instruction that was erased: {self:?}")),
        }
    }

    /// Gives it another operand. The labels of a terminator are set by [`Inst::set_successor`].
    ///
    /// # Errors
    ///
    /// When it has no such operand, or the value has another type, was erased, or belongs to another function.
    pub fn set_operand(self, at: u32, value: Value<'e>) -> Result<(), LlvmError> {
        value.check_operand_in(self.function()?)?;
        // The other operands of terminators are labels, and constants that LLVM relies on.
        let is_own = at < self.argument_count()
            || !self.opcode().is_terminator()
            || (at == 0 && !self.opcode().is_call());
        match self.operand(at).filter(|old| is_own && old.as_block().is_none()) {
            Some(old) if old.ty() == value.ty() => {
                // SAFETY: the instruction has the operand, which gets a value of its type.
                unsafe { LLVMSetOperand(self.raw, at, value.raw) };
                Ok(())
            }
            _ => refused(format!("operand {at} of `{self:?}` cannot be {value:?}")),
        }
    }

    /// Gives a conditional branch another condition.
    ///
    /// # Errors
    ///
    /// When it is no conditional branch, and as [`Inst::set_operand`].
    pub fn set_condition(self, condition: Value<'e>) -> Result<(), LlvmError> {
        condition.check_operand_in(self.function()?)?;
        if self.condition().is_none() || condition.ty().integer_bits() != Some(1) {
            return refused(format!("no condition of `{self:?}`: {condition:?}"));
        }
        // SAFETY: a conditional branch and a truth value.
        unsafe { LLVMSetCondition(self.raw, condition.raw) };
        Ok(())
    }

    /// Has a terminator go to another block. The phis of both blocks are the caller's.
    ///
    /// # Errors
    ///
    /// When it has no such successor, or the block is of another function.
    pub fn set_successor(self, at: u32, block: Block<'e>) -> Result<(), LlvmError> {
        if at >= self.successor_count() || block.function() != self.function()? {
            return refused(format!("no successor of `{self:?}`"));
        }
        // SAFETY: a terminator with more successors than that, and a block of its function.
        unsafe { LLVMSetSuccessor(self.raw, at, block.raw) };
        Ok(())
    }

    /// Puts a value in all places where its result is used. The result itself stays, without uses.
    ///
    /// # Errors
    ///
    /// When the value has another type, is the result, was erased, or belongs to another function.
    pub fn replace_all_uses(self, value: Value<'e>) -> Result<(), LlvmError> {
        value.check_operand_in(self.function()?)?;
        if value == self.value() || value.ty() != self.ty() {
            return refused(format!("`{self:?}` cannot be replaced by {value:?}"));
        }
        // SAFETY: two values of one type, both present.
        unsafe { LLVMReplaceAllUsesWith(self.raw, value.raw) };
        Ok(())
    }

    /// Sets what an integer operation promises; of an instruction without such flags nothing changes.
    pub fn set_wrap_flags(self, flags: WrapFlags) {
        if self.may_wrap() {
            // SAFETY: an operation with these flags.
            unsafe {
                LLVMSetNUW(self.raw, i32::from(flags.nuw));
                LLVMSetNSW(self.raw, i32::from(flags.nsw));
            }
        }
    }

    /// Sets the fast-math flags; of an instruction without such flags nothing changes.
    pub fn set_fast_math(self, flags: FastMath) {
        // SAFETY: asked first whether it has such flags.
        unsafe {
            if LLVMCanValueUseFastMathFlags(self.raw) != 0 {
                LLVMSetFastMathFlags(self.raw, flags.0);
            }
        }
    }

    /// Sets the alignment in bytes of an `alloca`, a load or a store; of other instructions, and to what is no power of two, nothing changes.
    pub fn set_alignment(self, bytes: u32) {
        if self.alignment().is_some() && bytes.is_power_of_two() {
            // SAFETY: an instruction with an alignment, and a power of two.
            unsafe { LLVMSetAlignment(self.raw, bytes) };
        }
    }

    /// Whether a call itself has an attribute; that of its callee is another question.
    pub fn has_call_attribute(self, name: &str) -> bool {
        let at = llvm_sys::LLVMAttributeFunctionIndex;
        // SAFETY: a call; the name has as many bytes as stated.
        self.opcode().is_call()
            && unsafe {
                let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                !LLVMGetCallSiteEnumAttribute(self.raw, at, kind).is_null()
            }
    }

    /// Removes an attribute from a call; of other instructions nothing changes.
    pub fn remove_call_attribute(self, name: &str) {
        if self.opcode().is_call() {
            // SAFETY: a call; the name has as many bytes as stated.
            unsafe {
                let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                LLVMRemoveCallSiteEnumAttribute(self.raw, llvm_sys::LLVMAttributeFunctionIndex, kind);
            }
        }
    }

    /// Gives a call an attribute.
    ///
    /// # Errors
    ///
    /// When it is no call, or has no such argument.
    pub fn add_call_attribute(self, place: AttributeIndex, attribute: Attribute) -> Result<(), LlvmError> {
        let at = match place {
            AttributeIndex::Function if self.opcode().is_call() => llvm_sys::LLVMAttributeFunctionIndex,
            // AttributeIndex 0 is the result's.
            AttributeIndex::Argument(at) if at < self.argument_count() => at + 1,
            _ => return refused(format!("no place of an attribute: {place:?} of `{self:?}`")),
        };
        // SAFETY: a call that has the place, and an attribute of its context.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            LLVMAddCallSiteAttribute(self.raw, at, attribute.raw(context));
        }
        Ok(())
    }

    /// Gives it a place in the source, or none.
    pub fn set_location(self, location: Option<Location<'e>>) {
        let raw = location.map_or(std::ptr::null_mut(), |location| location.raw);
        // SAFETY: an instruction, and a location of its context or none.
        unsafe { LLVMInstructionSetDebugLoc(self.raw, raw) };
    }

    /// Gives it the place in the source that another instruction has, if that has one.
    pub fn take_location(self, from: Inst<'e>) {
        if let Some(location) = from.location() {
            self.set_location(Some(location));
        }
    }

    /// Gives it metadata of a kind, or removes that.
    pub fn set_metadata(self, kind: MetadataKind<'e>, node: Option<Node<'e>>) {
        let raw = node.map_or(std::ptr::null_mut(), |node| node.raw);
        // SAFETY: an instruction, and a node of its context or none.
        unsafe { LLVMSetMetadata(self.raw, kind.number, raw) };
    }

    /// Takes the instruction out of its block and its operands from it; it is freed by the editor.
    pub(super) fn take_out(self) -> Result<(), LlvmError> {
        self.function()?;
        if self.opcode().is_terminator() || self.has_users() {
            return refused(format!("`{self:?}` cannot be erased: it ends a block, or has users"));
        }
        // SAFETY: an instruction in a block, that is not its end. Operands that are data become `poison` of their types.
        unsafe {
            LLVMInstructionRemoveFromParent(self.raw);
            for (at, operand) in (0..).zip(self.operands()) {
                if operand.ty().is_first_class() {
                    LLVMSetOperand(self.raw, at, LLVMGetPoison(LLVMTypeOf(operand.raw)));
                }
            }
        }
        Ok(())
    }

    /// Whether an instruction may be moved or be put before this one: LLVM's phis come first in a block, and its terminator last.
    pub(super) fn may_precede(self, next: Inst<'e>) -> bool {
        let is_phi = |inst: Inst<'e>| inst.opcode() == Opcode::Phi;
        !self.opcode().is_terminator() && self != next && (is_phi(self) || !is_phi(next))
    }
}
