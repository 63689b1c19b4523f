//! Memory: stack slots, loads, stores, atomics and fences.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;

use super::handle::{Type, Value, misfit};
use super::instruction::{Builder, Built};
use super::operation::{Ordering, RmwOp, Scope, Volatility};
use crate::LlvmError;

impl<'c> Builder<'c> {
    /// `alloca` with an alignment in bytes (a power of two).
    ///
    /// # Errors
    ///
    /// When the type has no size or the alignment is none.
    pub fn alloca(&self, ty: Type<'c>, align: u32) -> Built<'c> {
        self.at()?;
        self.check_access(ty, align)?;
        // SAFETY: a sized type; the alignment is a power of two.
        unsafe {
            let value = LLVMBuildAlloca(self.raw, ty.raw, c"".as_ptr());
            LLVMSetAlignment(value, align);
            Ok(Value::new(value))
        }
    }

    /// `alloca` at the start of the function's entry block, wherever the builder is: a stack slot that is made once and that passes turn
    /// into values.
    ///
    /// # Errors
    ///
    /// As [`Builder::alloca`], and when the builder has no place yet.
    pub fn alloca_in_entry(&self, ty: Type<'c>, align: u32) -> Built<'c> {
        let block = self.block()?;
        self.check_access(ty, align)?;
        // SAFETY: the block is alive and in a function, which has an entry block then; a builder of its own, disposed of here, is placed
        // before that block's first instruction, or at its end when it is empty. A sized type; the alignment is a power of two.
        unsafe {
            let entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block.raw));
            let builder = LLVMCreateBuilderInContext(self.types.context.raw());
            LLVMPositionBuilder(builder, entry, LLVMGetFirstInstruction(entry));
            let value = LLVMBuildAlloca(builder, ty.raw, c"".as_ptr());
            LLVMSetAlignment(value, align);
            LLVMDisposeBuilder(builder);
            Ok(Value::new(value))
        }
    }

    fn check_access(&self, ty: Type<'c>, align: u32) -> Result<(), LlvmError> {
        if ty.is_sized() && align.is_power_of_two() {
            return Ok(());
        }
        let message = format!("no access of type {} aligned to {align} bytes", ty.text());
        Err(LlvmError::Other { message })
    }

    /// `load` with an alignment in bytes.
    ///
    /// # Errors
    ///
    /// When the address is not a pointer, the type has no size, or the alignment is no power of two.
    pub fn load(&self, ty: Type<'c>, address: Value<'c>, align: u32, volatility: Volatility) -> Built<'c> {
        self.at()?;
        self.check_access(ty, align)?;
        if address.ty().pointer_space().is_none() {
            return Err(misfit("load", &[address]));
        }
        // SAFETY: a pointer, a sized type and a power of two.
        unsafe {
            let value = LLVMBuildLoad2(self.raw, ty.raw, address.raw, c"".as_ptr());
            LLVMSetAlignment(value, align);
            LLVMSetVolatile(value, i32::from(volatility == Volatility::Volatile));
            Ok(Value::new(value))
        }
    }

    /// `store` with an alignment in bytes.
    ///
    /// # Errors
    ///
    /// As [`Builder::load`].
    pub fn store(
        &self,
        value: Value<'c>,
        address: Value<'c>,
        align: u32,
        volatility: Volatility,
    ) -> Built<'c> {
        self.at()?;
        self.check_access(value.ty(), align)?;
        if address.ty().pointer_space().is_none() {
            return Err(misfit("store", &[value, address]));
        }
        // SAFETY: a pointer, a sized value and a power of two.
        unsafe {
            let store = LLVMBuildStore(self.raw, value.raw, address.raw);
            LLVMSetAlignment(store, align);
            LLVMSetVolatile(store, i32::from(volatility == Volatility::Volatile));
            Ok(Value::new(store))
        }
    }

    /// Makes a load or store atomic.
    ///
    /// # Errors
    ///
    /// When the value is neither a load nor a store, or the order is not one LLVM has for it.
    pub fn make_atomic(&self, access: Value<'c>, ordering: Ordering, scope: Scope) -> Result<(), LlvmError> {
        // SAFETY: asked of a live value.
        let (load, store) =
            unsafe { (!LLVMIsALoadInst(access.raw).is_null(), !LLVMIsAStoreInst(access.raw).is_null()) };
        let fits = match ordering {
            Ordering::Monotonic | Ordering::SeqCst => load || store,
            Ordering::Acquire => load,
            Ordering::Release => store,
            Ordering::AcqRel => false,
        };
        if !fits {
            return Err(misfit(&format!("an atomic access of order {ordering:?}"), &[access]));
        }
        // SAFETY: a load or store and an order it can have.
        unsafe {
            LLVMSetOrdering(access.raw, ordering.raw());
            LLVMSetAtomicSyncScopeID(access.raw, self.scope_id(scope));
        }
        Ok(())
    }

    fn scope_id(&self, scope: Scope) -> u32 {
        let name = scope.as_str();
        // SAFETY: the context is alive and LLVM copies the name.
        unsafe { LLVMGetSyncScopeID(self.types.context.raw(), name.as_ptr().cast(), name.len()) }
    }

    /// `atomicrmw`; gives the old value.
    ///
    /// # Errors
    ///
    /// When the operands do not fit the operation.
    pub fn atomic_rmw(
        &self,
        op: RmwOp,
        address: Value<'c>,
        value: Value<'c>,
        ordering: Ordering,
        scope: Scope,
    ) -> Built<'c> {
        self.at()?;
        let element = value.ty().vector_parts().map_or(value.ty(), |(element, _)| element);
        let fits = match op {
            RmwOp::FAdd => element.is_float(),
            RmwOp::Xchg => {
                value.ty().int_bits().is_some()
                    || value.ty().is_float()
                    || value.ty().pointer_space().is_some()
            }
            RmwOp::Add
            | RmwOp::And
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap => value.ty().int_bits().is_some(),
        };
        if address.ty().pointer_space().is_none() || !fits {
            return Err(misfit("atomicrmw", &[address, value]));
        }
        // SAFETY: a pointer and a value the operation takes; every order is allowed here.
        Ok(Value::new(unsafe {
            LLVMBuildAtomicRMWSyncScope(
                self.raw,
                op.raw(),
                address.raw,
                value.raw,
                ordering.raw(),
                self.scope_id(scope),
            )
        }))
    }

    /// `cmpxchg`; gives the old value and whether it was exchanged, as a struct.
    ///
    /// # Errors
    ///
    /// When the operands do not fit.
    pub fn compare_exchange(
        &self,
        address: Value<'c>,
        expected: Value<'c>,
        new: Value<'c>,
        ordering: Ordering,
        scope: Scope,
    ) -> Built<'c> {
        self.at()?;
        let sized = expected.ty().int_bits().is_some_and(|bits| bits >= 8 && bits.is_power_of_two());
        if address.ty().pointer_space().is_none() || expected.ty() != new.ty() || !sized {
            return Err(misfit("cmpxchg", &[address, expected, new]));
        }
        let failure = match ordering {
            Ordering::Monotonic | Ordering::Release => LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
            Ordering::Acquire | Ordering::AcqRel => LLVMAtomicOrdering::LLVMAtomicOrderingAcquire,
            Ordering::SeqCst => LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
        };
        // SAFETY: a pointer, two integers of one type and orders that go together.
        Ok(Value::new(unsafe {
            LLVMBuildAtomicCmpXchgSyncScope(
                self.raw,
                address.raw,
                expected.raw,
                new.raw,
                ordering.raw(),
                failure,
                self.scope_id(scope),
            )
        }))
    }

    /// `fence`
    ///
    /// # Errors
    ///
    /// When the order is [`Ordering::Monotonic`], which no fence has.
    pub fn fence(&self, ordering: Ordering, scope: Scope) -> Built<'c> {
        self.at()?;
        if ordering == Ordering::Monotonic {
            return Err(LlvmError::Other { message: "a fence cannot be monotonic".to_owned() });
        }
        // SAFETY: a place to build at and an order a fence can have.
        Ok(Value::new(unsafe {
            LLVMBuildFenceSyncScope(self.raw, ordering.raw(), self.scope_id(scope), c"".as_ptr())
        }))
    }
}
