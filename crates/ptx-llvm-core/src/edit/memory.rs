//! Accesses to memory, and what is allocated.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;

use super::handle::{Inst, SyncScope, Type, Value};
use super::opcode::Opcode;
use super::operation::{AtomicOrder, atomic_order};

impl<'e> Inst<'e> {
    /// The address that a load, a store or an atomic operation accesses, and the type of what it reads or writes there.
    pub fn access(self) -> Option<(Value<'e>, Type<'e>)> {
        match self.opcode() {
            Opcode::Load => Some((self.operand(0)?, self.ty())),
            Opcode::Store => Some((self.operand(1)?, self.operand(0)?.ty())),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => Some((self.operand(0)?, self.operand(1)?.ty())),
            _ => None,
        }
    }

    /// Whether it is a volatile access.
    pub fn is_volatile(self) -> bool {
        // SAFETY: an access.
        self.access().is_some() && unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// The order of an access or a fence; of `cmpxchg` that of success, then that of failure. `None` of other instructions.
    pub fn memory_order(self) -> Option<(AtomicOrder, AtomicOrder)> {
        // SAFETY: each order is asked of an instruction that has it.
        unsafe {
            match self.opcode() {
                Opcode::Load | Opcode::Store | Opcode::AtomicRMW | Opcode::Fence => {
                    let order = atomic_order(LLVMGetOrdering(self.raw));
                    Some((order, order))
                }
                Opcode::AtomicCmpXchg => {
                    let success = atomic_order(LLVMGetCmpXchgSuccessOrdering(self.raw));
                    Some((success, atomic_order(LLVMGetCmpXchgFailureOrdering(self.raw))))
                }
                _ => None,
            }
        }
    }

    /// The type of the variable of an `alloca`.
    pub fn allocated_type(self) -> Option<Type<'e>> {
        let is_alloca = self.opcode() == Opcode::Alloca;
        // SAFETY: an `alloca`.
        is_alloca.then(|| Type::new(unsafe { LLVMGetAllocatedType(self.raw) }))
    }

    /// The alignment in bytes of an `alloca`, or that a load or a store has.
    pub fn alignment(self) -> Option<u32> {
        let has_one = matches!(self.opcode(), Opcode::Alloca) || self.access().is_some();
        // SAFETY: an instruction with an alignment.
        has_one.then(|| unsafe { LLVMGetAlignment(self.raw) })
    }

    /// Makes an atomic operation on memory (`atomicrmw`, `cmpxchg`) relaxed; of other instructions nothing changes.
    pub fn relax(self) {
        const RELAXED: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        // SAFETY: each order is set of an instruction that has it, and is one that LLVM allows for it.
        unsafe {
            match self.opcode() {
                Opcode::AtomicRMW => LLVMSetOrdering(self.raw, RELAXED),
                Opcode::AtomicCmpXchg => {
                    LLVMSetCmpXchgSuccessOrdering(self.raw, RELAXED);
                    LLVMSetCmpXchgFailureOrdering(self.raw, RELAXED);
                }
                _ => {}
            }
        }
    }

    /// The threads that an atomic operation on memory synchronizes with; `None` of one that is not atomic.
    pub fn sync_scope(self) -> Option<SyncScope<'e>> {
        let is_atomic = self.memory_order().is_some_and(|(order, _)| order != AtomicOrder::NotAtomic);
        // SAFETY: an atomic instruction.
        is_atomic.then(|| SyncScope::new(unsafe { LLVMGetAtomicSyncScopeID(self.raw) }))
    }

    /// Sets the threads that an atomic operation on memory synchronizes with; of other instructions nothing changes.
    pub fn set_sync_scope(self, scope: SyncScope<'e>) {
        if self.sync_scope().is_some() {
            // SAFETY: an atomic instruction, and a scope of its context.
            unsafe { LLVMSetAtomicSyncScopeID(self.raw, scope.number) };
        }
    }
}
