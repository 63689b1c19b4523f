//! The instruction builder: appends to the end of a block.

use std::cell::Cell;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMBuilderRef;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMFastMathAllowContract, LLVMInlineAsmDialect, LLVMOpcode, LLVMTypeKind,
};

use super::{
    Block, Contraction, FloatPredicate, Function, IntPredicate, Metadata, Ordering, RmwOp, Scope, Type,
    Types, Value, Volatility, misfit,
};
use crate::{Context, LlvmError};

type Built<'c> = Result<Value<'c>, LlvmError>;

/// A two-operand instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `add`
    Add,
    /// `sub`
    Sub,
    /// `mul`
    Mul,
    /// `udiv`; the caller keeps the divisor from zero.
    UDiv,
    /// `sdiv`; the caller keeps the divisor from zero and the quotient in range.
    SDiv,
    /// `urem`
    URem,
    /// `srem`
    SRem,
    /// `shl`; the caller keeps the amount below the width.
    Shl,
    /// `lshr`
    LShr,
    /// `ashr`
    AShr,
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `fadd`
    FAdd,
    /// `fsub`
    FSub,
    /// `fmul`
    FMul,
    /// `fdiv`
    FDiv,
}

impl BinaryOp {
    fn raw(self) -> LLVMOpcode {
        match self {
            Self::Add => LLVMOpcode::LLVMAdd,
            Self::Sub => LLVMOpcode::LLVMSub,
            Self::Mul => LLVMOpcode::LLVMMul,
            Self::UDiv => LLVMOpcode::LLVMUDiv,
            Self::SDiv => LLVMOpcode::LLVMSDiv,
            Self::URem => LLVMOpcode::LLVMURem,
            Self::SRem => LLVMOpcode::LLVMSRem,
            Self::Shl => LLVMOpcode::LLVMShl,
            Self::LShr => LLVMOpcode::LLVMLShr,
            Self::AShr => LLVMOpcode::LLVMAShr,
            Self::And => LLVMOpcode::LLVMAnd,
            Self::Or => LLVMOpcode::LLVMOr,
            Self::Xor => LLVMOpcode::LLVMXor,
            Self::FAdd => LLVMOpcode::LLVMFAdd,
            Self::FSub => LLVMOpcode::LLVMFSub,
            Self::FMul => LLVMOpcode::LLVMFMul,
            Self::FDiv => LLVMOpcode::LLVMFDiv,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv)
    }
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// `trunc`
    Trunc,
    /// `zext`
    ZExt,
    /// `sext`
    SExt,
    /// `fptrunc`
    FpTrunc,
    /// `fpext`
    FpExt,
    /// `uitofp`
    UiToFp,
    /// `sitofp`
    SiToFp,
    /// `ptrtoint`
    PtrToInt,
    /// `inttoptr`
    IntToPtr,
    /// `bitcast`
    BitCast,
    /// `addrspacecast`
    AddrSpaceCast,
}

impl CastOp {
    fn raw(self) -> LLVMOpcode {
        match self {
            Self::Trunc => LLVMOpcode::LLVMTrunc,
            Self::ZExt => LLVMOpcode::LLVMZExt,
            Self::SExt => LLVMOpcode::LLVMSExt,
            Self::FpTrunc => LLVMOpcode::LLVMFPTrunc,
            Self::FpExt => LLVMOpcode::LLVMFPExt,
            Self::UiToFp => LLVMOpcode::LLVMUIToFP,
            Self::SiToFp => LLVMOpcode::LLVMSIToFP,
            Self::PtrToInt => LLVMOpcode::LLVMPtrToInt,
            Self::IntToPtr => LLVMOpcode::LLVMIntToPtr,
            Self::BitCast => LLVMOpcode::LLVMBitCast,
            Self::AddrSpaceCast => LLVMOpcode::LLVMAddrSpaceCast,
        }
    }

    /// Whether LLVM has this conversion between the types' kinds and widths; vectors convert element by element.
    fn fits(self, from: Type<'_>, to: Type<'_>) -> bool {
        let (from, to) = match (from.vector_parts(), to.vector_parts()) {
            (Some((a, n)), Some((b, m))) if self != Self::BitCast => {
                if n != m {
                    return false;
                }
                (a, b)
            }
            _ => (from, to),
        };
        let ints = from.int_bits().zip(to.int_bits());
        let floats = (from.is_float() && to.is_float()).then(|| from.bits().zip(to.bits())).flatten();
        match self {
            Self::Trunc => ints.is_some_and(|(a, b)| a > b),
            Self::ZExt | Self::SExt => ints.is_some_and(|(a, b)| a < b),
            Self::FpTrunc => floats.is_some_and(|(a, b)| a > b),
            Self::FpExt => floats.is_some_and(|(a, b)| a < b),
            Self::UiToFp | Self::SiToFp => from.int_bits().is_some() && to.is_float(),
            Self::PtrToInt => from.pointer_space().is_some() && to.int_bits().is_some(),
            Self::IntToPtr => from.int_bits().is_some() && to.pointer_space().is_some(),
            Self::BitCast => from.bits().is_some() && from.bits() == to.bits(),
            Self::AddrSpaceCast => from.pointer_space().zip(to.pointer_space()).is_some_and(|(a, b)| a != b),
        }
    }
}

/// What a piece of inline assembly does beyond its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsmEffects {
    /// A function of its operands.
    None,
    /// Must not be removed or repeated.
    SideEffects,
}

/// One piece of inline assembly (mapping, "Inline assembly").
#[derive(Clone, Copy, Debug)]
pub struct Asm<'a> {
    /// The text, operands as `$0`, `$1` ..
    pub text: &'a str,
    /// LLVM's constraint string.
    pub constraints: &'a str,
    /// Whether it may be removed.
    pub effects: AsmEffects,
}

/// Where a builder builds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the end of a block that has no terminator yet.
    End,
    /// Before the terminator of a block.
    BeforeTerminator,
}

/// Appends instructions to the end of a block.
pub struct Builder<'c> {
    raw: LLVMBuilderRef,
    types: Types<'c>,
    place: Cell<Place>,
    context: PhantomData<&'c Context>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new` and disposed once.
        unsafe { LLVMDisposeBuilder(self.raw) };
    }
}

impl<'c> Builder<'c> {
    /// A builder without a place; call [`Builder::position_at_end`] first.
    pub fn new(types: Types<'c>) -> Self {
        // SAFETY: the context is alive.
        let raw = unsafe { LLVMCreateBuilderInContext(types.context.raw()) };
        Self { raw, types, place: Cell::new(Place::End), context: PhantomData }
    }

    /// The types of the builder's context.
    pub fn types(&self) -> Types<'c> {
        self.types
    }

    /// Goes to the end of a block.
    pub fn position_at_end(&self, block: Block<'c>) {
        // SAFETY: the block is alive.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.raw) };
        self.place.set(Place::End);
    }

    /// Goes before the terminator of a block.
    ///
    /// # Errors
    ///
    /// When the block has none.
    pub fn position_before_end(&self, block: Block<'c>) -> Result<(), LlvmError> {
        // SAFETY: the block is alive; its terminator is asked for first.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(block.raw);
            if terminator.is_null() {
                return Err(LlvmError::Other { message: "the block has no terminator".to_owned() });
            }
            LLVMPositionBuilderBefore(self.raw, terminator);
        }
        self.place.set(Place::BeforeTerminator);
        Ok(())
    }

    /// The block the builder appends to.
    ///
    /// # Errors
    ///
    /// When the builder has no place yet.
    pub fn block(&self) -> Result<Block<'c>, LlvmError> {
        // SAFETY: the builder is alive.
        let block = unsafe { LLVMGetInsertBlock(self.raw) };
        match block.is_null() {
            true => Err(LlvmError::Other { message: "the builder has no place to build at".to_owned() }),
            false => Ok(Block::new(block)),
        }
    }

    /// Whether the builder's block has a terminator already.
    pub fn is_terminated(&self) -> bool {
        // SAFETY: a live block, or null, which the check leaves alone.
        unsafe {
            let block = LLVMGetInsertBlock(self.raw);
            !block.is_null() && !LLVMGetBasicBlockTerminator(block).is_null()
        }
    }

    /// The source location of what is built from now on; `None` for none.
    pub fn set_location(&self, location: Option<Metadata<'c>>) {
        // SAFETY: a location of this context or none.
        unsafe { LLVMSetCurrentDebugLocation2(self.raw, location.map_or(std::ptr::null_mut(), |l| l.raw)) };
    }

    fn at(&self) -> Result<(), LlvmError> {
        if self.place.get() == Place::End && self.is_terminated() {
            return Err(LlvmError::Other {
                message: "an instruction behind the block's terminator".to_owned(),
            });
        }
        self.block().map(|_| ())
    }

    /// A two-operand instruction without flags.
    ///
    /// # Errors
    ///
    /// When the operands differ in type, or are not integers (or floats) or vectors of them.
    pub fn binary(&self, op: BinaryOp, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        let fits = if op.is_float() { element.is_float() } else { element.int_bits().is_some() };
        if a.ty() != b.ty() || !fits {
            return Err(misfit(&format!("{op:?}"), &[a, b]));
        }
        // SAFETY: operands of one type that the opcode takes, and a place to build at.
        Ok(Value::new(unsafe { LLVMBuildBinOp(self.raw, op.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// A floating-point instruction that may or may not be fused.
    ///
    /// # Errors
    ///
    /// As [`Builder::binary`].
    pub fn float_binary(&self, op: BinaryOp, a: Value<'c>, b: Value<'c>, fuse: Contraction) -> Built<'c> {
        let value = self.binary(op, a, b)?;
        self.set_contraction(value, fuse);
        Ok(value)
    }

    /// Sets the `contract` flag of an instruction that can carry it.
    pub fn set_contraction(&self, value: Value<'c>, fuse: Contraction) {
        // SAFETY: asked first whether the value is an instruction with such flags.
        unsafe {
            let can =
                !LLVMIsAInstruction(value.raw).is_null() && LLVMCanValueUseFastMathFlags(value.raw) != 0;
            if can && fuse == Contraction::Allowed {
                LLVMSetFastMathFlags(value.raw, LLVMFastMathAllowContract);
            }
        }
    }

    /// `fneg`
    ///
    /// # Errors
    ///
    /// When the operand is no float or vector of floats.
    pub fn float_negate(&self, a: Value<'c>) -> Built<'c> {
        self.at()?;
        if !a.ty().vector_parts().map_or(a.ty(), |(element, _)| element).is_float() {
            return Err(misfit("fneg", &[a]));
        }
        // SAFETY: a floating-point operand.
        Ok(Value::new(unsafe { LLVMBuildFNeg(self.raw, a.raw, c"".as_ptr()) }))
    }

    /// A conversion; a value that has the type already stays as it is.
    ///
    /// # Errors
    ///
    /// When LLVM has no such conversion between the types.
    pub fn cast(&self, op: CastOp, value: Value<'c>, to: Type<'c>) -> Built<'c> {
        if value.ty() == to {
            return Ok(value);
        }
        self.at()?;
        if !op.fits(value.ty(), to) {
            return Err(misfit(&format!("{op:?} to {}", to.text()), &[value]));
        }
        // SAFETY: the conversion exists between these types.
        Ok(Value::new(unsafe { LLVMBuildCast(self.raw, op.raw(), value.raw, to.raw, c"".as_ptr()) }))
    }

    /// `icmp`
    ///
    /// # Errors
    ///
    /// When the operands differ in type or are no integers or pointers.
    pub fn int_compare(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        if a.ty() != b.ty() || (element.int_bits().is_none() && element.pointer_space().is_none()) {
            return Err(misfit("icmp", &[a, b]));
        }
        // SAFETY: two integers or pointers of one type.
        Ok(Value::new(unsafe { LLVMBuildICmp(self.raw, predicate.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// `fcmp`
    ///
    /// # Errors
    ///
    /// When the operands differ in type or are no floats.
    pub fn float_compare(&self, predicate: FloatPredicate, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        if a.ty() != b.ty() || !element.is_float() {
            return Err(misfit("fcmp", &[a, b]));
        }
        // SAFETY: two floats of one type.
        Ok(Value::new(unsafe { LLVMBuildFCmp(self.raw, predicate.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// `select`
    ///
    /// # Errors
    ///
    /// When the condition is no `i1` (or a vector of as many), or the values differ in type.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Built<'c> {
        self.at()?;
        let scalar = condition.ty().int_bits() == Some(1);
        let lanes =
            condition.ty().vector_parts().filter(|(element, _)| element.int_bits() == Some(1)).map(|p| p.1);
        let matching = lanes.is_some() && lanes == yes.ty().vector_parts().map(|parts| parts.1);
        if yes.ty() != no.ty() || !(scalar || matching) {
            return Err(misfit("select", &[condition, yes, no]));
        }
        // SAFETY: a condition and two values of one type.
        Ok(Value::new(unsafe { LLVMBuildSelect(self.raw, condition.raw, yes.raw, no.raw, c"".as_ptr()) }))
    }

    /// `getelementptr i8`: the address so many bytes after another; wraps around.
    ///
    /// # Errors
    ///
    /// When the base is no pointer or the offset no integer.
    pub fn offset(&self, base: Value<'c>, bytes: Value<'c>) -> Built<'c> {
        self.at()?;
        if base.ty().pointer_space().is_none() || bytes.ty().int_bits().is_none() {
            return Err(misfit("getelementptr", &[base, bytes]));
        }
        let mut index = [bytes.raw];
        let byte = self.types.int(8);
        // SAFETY: a pointer and one integer index.
        Ok(Value::new(unsafe {
            LLVMBuildGEP2(self.raw, byte.raw, base.raw, index.as_mut_ptr(), 1, c"".as_ptr())
        }))
    }

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
    /// When the address is no pointer, the type has no size, or the alignment is no power of two.
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

    /// A call of a function of this module.
    ///
    /// # Errors
    ///
    /// When the arguments differ from the function's parameters.
    pub fn call(&self, function: Function<'c>, arguments: &[Value<'c>]) -> Built<'c> {
        self.call_value(function.ty(), function.value(), arguments)
    }

    /// A call through a pointer.
    ///
    /// # Errors
    ///
    /// When the callee is no pointer or the arguments differ from the type's parameters.
    pub fn call_value(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>]) -> Built<'c> {
        self.at()?;
        let parameters = ty.parameters();
        let same = parameters.len() == arguments.len()
            && parameters.iter().zip(arguments).all(|(p, a)| *p == a.ty());
        if !same || ty.result().is_none() || callee.ty().pointer_space().is_none() {
            return Err(misfit(&format!("a call of type {}", ty.text()), arguments));
        }
        Ok(self.raw_call(ty, callee, arguments))
    }

    /// The call itself; callers have checked types.
    fn raw_call(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw).collect();
        // SAFETY: a function type, a pointer and arguments of the parameters' types; LLVM copies the list.
        Value::new(unsafe {
            LLVMBuildCall2(self.raw, ty.raw, callee.raw, raw.as_mut_ptr(), raw.len() as u32, c"".as_ptr())
        })
    }

    /// A call of inline assembly of the given function type.
    ///
    /// # Errors
    ///
    /// When the arguments differ from the type's parameters.
    pub fn inline_asm(&self, ty: Type<'c>, asm: Asm<'_>, arguments: &[Value<'c>]) -> Built<'c> {
        self.at()?;
        let parameters = ty.parameters();
        let same = parameters.len() == arguments.len()
            && parameters.iter().zip(arguments).all(|(p, a)| *p == a.ty());
        if !same || ty.result().is_none() {
            return Err(misfit(&format!("inline assembly of type {}", ty.text()), arguments));
        }
        // SAFETY: a function type; LLVM copies both texts. That the constraints match the type is for LLVM's verifier.
        let callee = unsafe {
            LLVMGetInlineAsm(
                ty.raw,
                asm.text.as_ptr().cast(),
                asm.text.len(),
                asm.constraints.as_ptr().cast(),
                asm.constraints.len(),
                i32::from(asm.effects == AsmEffects::SideEffects),
                0,
                LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            )
        };
        Ok(self.raw_call(ty, Value::new(callee), arguments))
    }

    /// A field of a struct or array.
    ///
    /// # Errors
    ///
    /// When there is no such field.
    pub fn extract_field(&self, aggregate: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if aggregate.ty().field(index).is_none() {
            return Err(misfit("extractvalue", &[aggregate]));
        }
        // SAFETY: the aggregate has the field.
        Ok(Value::new(unsafe { LLVMBuildExtractValue(self.raw, aggregate.raw, index, c"".as_ptr()) }))
    }

    /// A struct or array with one field replaced.
    ///
    /// # Errors
    ///
    /// When there is no such field or the value has another type.
    pub fn insert_field(&self, aggregate: Value<'c>, value: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if aggregate.ty().field(index) != Some(value.ty()) {
            return Err(misfit("insertvalue", &[aggregate, value]));
        }
        // SAFETY: the aggregate has the field, of the value's type.
        Ok(Value::new(unsafe {
            LLVMBuildInsertValue(self.raw, aggregate.raw, value.raw, index, c"".as_ptr())
        }))
    }

    /// An element of a vector.
    ///
    /// # Errors
    ///
    /// When there is no such element.
    pub fn extract_element(&self, vector: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if vector.ty().vector_parts().is_none_or(|(_, count)| index >= count) {
            return Err(misfit("extractelement", &[vector]));
        }
        let index = self.types.int_value(32, u64::from(index));
        // SAFETY: a vector and an index below its length.
        Ok(Value::new(unsafe { LLVMBuildExtractElement(self.raw, vector.raw, index.raw, c"".as_ptr()) }))
    }

    /// A vector with one element replaced.
    ///
    /// # Errors
    ///
    /// When there is no such element or the value has another type.
    pub fn insert_element(&self, vector: Value<'c>, value: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if vector.ty().vector_parts().is_none_or(|(element, count)| index >= count || element != value.ty()) {
            return Err(misfit("insertelement", &[vector, value]));
        }
        let index = self.types.int_value(32, u64::from(index));
        // SAFETY: a vector, an element of its type and an index below its length.
        Ok(Value::new(unsafe {
            LLVMBuildInsertElement(self.raw, vector.raw, value.raw, index.raw, c"".as_ptr())
        }))
    }

    /// `freeze`: some fixed value where the operand is undefined.
    ///
    /// # Errors
    ///
    /// When there is no place to build at.
    pub fn freeze(&self, value: Value<'c>) -> Built<'c> {
        self.at()?;
        // SAFETY: any first-class value can be frozen.
        Ok(Value::new(unsafe { LLVMBuildFreeze(self.raw, value.raw, c"".as_ptr()) }))
    }

    /// `br`
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn branch(&self, to: Block<'c>) -> Built<'c> {
        self.at()?;
        // SAFETY: a live block.
        Ok(Value::new(unsafe { LLVMBuildBr(self.raw, to.raw) }))
    }

    /// `br` on a condition.
    ///
    /// # Errors
    ///
    /// When the condition is no `i1` or the block is terminated already.
    pub fn branch_if(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Built<'c> {
        self.at()?;
        if condition.ty().int_bits() != Some(1) {
            return Err(misfit("br", &[condition]));
        }
        // SAFETY: an `i1` and live blocks.
        Ok(Value::new(unsafe { LLVMBuildCondBr(self.raw, condition.raw, yes.raw, no.raw) }))
    }

    /// `switch` over 0, 1, 2 .. in order.
    ///
    /// # Errors
    ///
    /// When the index is no integer or the block is terminated already.
    pub fn switch(&self, index: Value<'c>, default: Block<'c>, cases: &[Block<'c>]) -> Built<'c> {
        self.at()?;
        let Some(bits) = index.ty().int_bits() else { return Err(misfit("switch", &[index])) };
        // SAFETY: an integer, live blocks, and distinct constants of the integer's type.
        unsafe {
            let switch = LLVMBuildSwitch(self.raw, index.raw, default.raw, cases.len() as u32);
            for (number, case) in cases.iter().enumerate() {
                LLVMAddCase(switch, self.types.int_value(bits, number as u64).raw, case.raw);
            }
            Ok(Value::new(switch))
        }
    }

    /// `ret`, with or without a value.
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn ret(&self, value: Option<Value<'c>>) -> Built<'c> {
        self.at()?;
        // SAFETY: a place to build at; that the type is the function's is for LLVM's verifier.
        Ok(Value::new(unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value.raw),
                None => LLVMBuildRetVoid(self.raw),
            }
        }))
    }

    /// `unreachable`
    ///
    /// # Errors
    ///
    /// When the block is terminated already.
    pub fn unreachable(&self) -> Built<'c> {
        self.at()?;
        // SAFETY: a place to build at.
        Ok(Value::new(unsafe { LLVMBuildUnreachable(self.raw) }))
    }

    /// A `phi` without incoming values; call it before anything else in the block.
    ///
    /// # Errors
    ///
    /// When there is no place to build at or the type is `void`.
    pub fn phi(&self, ty: Type<'c>) -> Built<'c> {
        self.at()?;
        if ty.is_void() || ty.kind() == LLVMTypeKind::LLVMFunctionTypeKind {
            return Err(LlvmError::Other { message: format!("no phi of type {}", ty.text()) });
        }
        // SAFETY: a first-class type.
        Ok(Value::new(unsafe { LLVMBuildPhi(self.raw, ty.raw, c"".as_ptr()) }))
    }

    /// Adds what a `phi` is when control comes from a block.
    ///
    /// # Errors
    ///
    /// When the first value is no `phi` or the second has another type.
    pub fn add_incoming(&self, phi: Value<'c>, value: Value<'c>, from: Block<'c>) -> Result<(), LlvmError> {
        // SAFETY: a live value is asked what it is; then a phi gets a value of its type.
        unsafe {
            if LLVMIsAPHINode(phi.raw).is_null() || phi.ty() != value.ty() {
                return Err(misfit("phi", &[phi, value]));
            }
            LLVMAddIncoming(phi.raw, &mut { value.raw }, &mut { from.raw }, 1);
        }
        Ok(())
    }
}
