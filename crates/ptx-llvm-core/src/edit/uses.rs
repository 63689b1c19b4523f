//! The users of a value.

use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMUseRef;

use super::handle::{Block, Function, Inst, Value, Variable};

/// The users of a value, once for each of their operands that it is, in LLVM's order: the last that was added is the first.
///
/// It follows LLVM's list. An operand that is given another value while the list is followed belongs to the list of that one from then on: take the users into a
/// `Vec` first where they are changed.
#[derive(Debug)]
pub struct Users<'e> {
    next: LLVMUseRef,
    of: Value<'e>,
}

impl<'e> Users<'e> {
    /// The value belongs to one module.
    pub(super) fn of(value: Value<'e>) -> Self {
        // SAFETY: a value of a handle is not freed before its editor.
        Self { next: unsafe { LLVMGetFirstUse(value.raw) }, of: value }
    }

    fn none(value: Value<'e>) -> Self {
        Self { next: std::ptr::null_mut(), of: value }
    }
}

impl<'e> Iterator for Users<'e> {
    type Item = Value<'e>;

    fn next(&mut self) -> Option<Value<'e>> {
        if self.next.is_null() {
            return None;
        }
        // SAFETY: no operation of an editor frees or moves an operand, so that this one is where it was; its user is of the same module.
        unsafe {
            debug_assert_eq!(
                LLVMGetUsedValue(self.next),
                self.of.raw,
                "an operand changed while users were followed"
            );
            let user = LLVMGetUser(self.next);
            self.next = LLVMGetNextUse(self.next);
            Some(Value::new(user))
        }
    }
}

impl<'e> Value<'e> {
    /// The users of a parameter, an instruction, a block, a function or a variable. Others are constants, which modules share:
    /// they have none here, see [`Editor::users`](super::Editor::users).
    pub fn users(self) -> Users<'e> {
        // SAFETY: as in `Users::of`.
        let kind = unsafe { LLVMGetValueKind(self.raw) };
        match kind {
            LLVMArgumentValueKind
            | LLVMBasicBlockValueKind
            | LLVMFunctionValueKind
            | LLVMGlobalAliasValueKind
            | LLVMGlobalIFuncValueKind
            | LLVMGlobalVariableValueKind
            | LLVMInstructionValueKind => Users::of(self),
            _ => Users::none(self),
        }
    }
}

impl<'e> Inst<'e> {
    /// The instructions that have its result as an operand, once for each.
    pub fn users(self) -> impl Iterator<Item = Inst<'e>> + use<'e> {
        // An instruction is used by instructions alone.
        Users::of(self.into()).map(|user| Inst::new(user.raw))
    }

    /// Whether anything uses its result.
    pub fn has_users(self) -> bool {
        self.users().next().is_some()
    }

    /// How many operands its result is.
    pub fn use_count(self) -> usize {
        self.users().count()
    }

    /// Whether its result is one operand, and no more.
    pub fn has_one_use(self) -> bool {
        let mut users = self.users();
        users.next().is_some() && users.next().is_none()
    }
}

impl<'e> Block<'e> {
    /// Its label.
    pub fn value(self) -> Value<'e> {
        // SAFETY: blocks are not freed before their editor.
        Value::new(unsafe { LLVMBasicBlockAsValue(self.raw) })
    }

    /// The users of its label: branches to it, and constants that are its address.
    pub fn users(self) -> Users<'e> {
        Users::of(self.value())
    }
}

impl<'e> Function<'e> {
    /// The users of its address: calls of it and others.
    pub fn users(self) -> Users<'e> {
        Users::of(self.into())
    }
}

impl<'e> Variable<'e> {
    /// The users of its address.
    pub fn users(self) -> Users<'e> {
        Users::of(self.into())
    }
}
