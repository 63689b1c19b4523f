//! Building LLVM IR: types, values, instructions, metadata and debug information after checked, safe calls.
//!
//! inkwell covers neither atomic accesses with scopes nor inline assembly with metadata, attributes on call sites or
//! untyped values; this layer wraps what the lowering needs of LLVM's C API directly. [`Value`]s are untyped, as in
//! LLVM; each builder call checks the types LLVM would otherwise only assert, and answers [`LlvmError::Other`] instead of
//! doing what LLVM leaves undefined.
//!
//! Invariants: handles ([`Type`], [`Value`], [`Block`]) belong to the context whose lifetime they carry; a value that
//! came from a builder call is an LLVM value of the type that [`Value::ty`] gives.

mod constant;
mod control;
mod debug;
mod global;
mod instruction;
mod intrinsic;
mod memory;
mod metadata;
mod types;
mod vector;

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMGetValueKind, LLVMGetValueName2, LLVMIsAInstruction, LLVMIsConstant, LLVMSetValueName2, LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMValueKind,
};

pub use debug::DebugInfo;
pub use global::{DeviceAccess, Function, GlobalSpec, Linkage};
pub use instruction::{Asm, AsmEffects, BinaryOp, Builder, CastOp, NoWrap};
pub use types::Types;

use crate::{Context, LlvmError};

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    raw: LLVMTypeRef,
    context: PhantomData<&'c Context>,
}

/// An LLVM value: a constant, an argument, an instruction's result, or an instruction without one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c> {
    raw: LLVMValueRef,
    context: PhantomData<&'c Context>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c> {
    raw: LLVMBasicBlockRef,
    context: PhantomData<&'c Context>,
}

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metadata<'c> {
    raw: LLVMMetadataRef,
    context: PhantomData<&'c Context>,
}

impl<'c> Type<'c> {
    fn new(raw: LLVMTypeRef) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl<'c> Value<'c> {
    fn new(raw: LLVMValueRef) -> Self {
        Self { raw, context: PhantomData }
    }

    /// The value's type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: the value is alive as long as its module, which its user holds.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    /// Whether it is a constant (a number, an address, an expression over those).
    pub fn is_constant(self) -> bool {
        // SAFETY: as in `ty`.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// An element of a constant vector, array or struct; `None` when it is not a constant or has no such element.
    pub fn constant_element(self, index: u32) -> Option<Self> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: asked of a constant; LLVM gives null where there is no such element.
        let raw = unsafe { llvm_sys::core::LLVMGetAggregateElement(self.raw, index) };
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// The integer a constant holds, zero-extended, when it has at most 64 bits.
    pub fn as_constant_int(self) -> Option<u64> {
        let small = self.ty().int_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: as in `ty`.
        let kind = unsafe { LLVMGetValueKind(self.raw) };
        // SAFETY: a constant integer of at most 64 bits.
        (small && kind == LLVMValueKind::LLVMConstantIntValueKind)
            .then(|| unsafe { llvm_sys::core::LLVMConstIntGetZExtValue(self.raw) })
    }

    /// What a conversion that keeps all bits converts (`bitcast`, `ptrtoint`, `inttoptr`); `None` for everything else.
    pub fn converted(self) -> Option<Value<'c>> {
        use llvm_sys::core::{LLVMGetInstructionOpcode, LLVMGetOperand, LLVMIsAInstruction};
        // SAFETY: the value is alive; it is asked what it is before it is asked for its one operand.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                return None;
            }
            match LLVMGetInstructionOpcode(self.raw) {
                LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr => {
                    Some(Value::new(LLVMGetOperand(self.raw, 0)))
                }
                _ => None,
            }
        }
    }

    /// Whether it is a call of inline assembly.
    pub fn is_asm_call(self) -> bool {
        use llvm_sys::core::{LLVMGetCalledValue, LLVMIsACallInst, LLVMIsAInlineAsm};
        // SAFETY: the value is alive, and only a call is asked for what it calls.
        unsafe {
            !LLVMIsACallInst(self.raw).is_null() && !LLVMIsAInlineAsm(LLVMGetCalledValue(self.raw)).is_null()
        }
    }

    /// Whether it is an instruction that has no name yet.
    pub fn is_unnamed_instruction(self) -> bool {
        let mut len = 0;
        // SAFETY: the value is alive; LLVM writes the length of its name to the place given.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                return false;
            }
            LLVMGetValueName2(self.raw, &raw mut len);
        }
        len == 0
    }

    /// Names it if it is an instruction that has no name yet; tells whether it was. LLVM makes the name unique by a suffix.
    pub fn name_instruction(self, name: &str) -> bool {
        let is_unnamed = self.is_unnamed_instruction();
        if is_unnamed {
            self.set_name(name);
        }
        is_unnamed
    }

    /// Names it; LLVM makes the name unique by a suffix. Constants have no names.
    pub fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the name; its length is given.
        unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) };
    }
}

impl<'c> Block<'c> {
    fn new(raw: LLVMBasicBlockRef) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl<'c> Metadata<'c> {
    fn new(raw: LLVMMetadataRef) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: as in `Value::ty`; the string is LLVM's and is given back.
        let text = unsafe {
            let raw = llvm_sys::core::LLVMPrintValueToString(self.raw);
            let text = std::ffi::CStr::from_ptr(raw).to_string_lossy().into_owned();
            llvm_sys::core::LLVMDisposeMessage(raw);
            text
        };
        f.write_str(text.trim())
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Block")
    }
}

impl fmt::Debug for Metadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metadata")
    }
}

/// The error of a call whose operands do not fit.
fn misfit(what: &str, values: &[Value<'_>]) -> LlvmError {
    let types: Vec<String> = values.iter().map(|value| value.ty().text()).collect();
    LlvmError::Other { message: format!("{what} does not take operands of type {}", types.join(", ")) }
}

/// A name for LLVM's C API, cut at the first NUL byte (PTX names have none).
fn c_name(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(text.get(..end).unwrap_or_default()).unwrap_or_default()
}

/// Declares an enum of ours with LLVM's value for each variant.
macro_rules! llvm_enum {
    ($(#[$m:meta])* $name:ident => $llvm:ident { $($(#[$vm:meta])* $v:ident = $l:ident),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vm])* $v),* }
        impl $name {
            fn raw(self) -> $llvm { match self { $(Self::$v => $llvm::$l),* } }
        }
    };
}

llvm_enum! {
    /// How `icmp` compares.
    IntPredicate => LLVMIntPredicate {
        /// Equal.
        Eq = LLVMIntEQ,
        /// Not equal.
        Ne = LLVMIntNE,
        /// Unsigned greater.
        Ugt = LLVMIntUGT,
        /// Unsigned greater or equal.
        Uge = LLVMIntUGE,
        /// Unsigned less.
        Ult = LLVMIntULT,
        /// Unsigned less or equal.
        Ule = LLVMIntULE,
        /// Signed greater.
        Sgt = LLVMIntSGT,
        /// Signed greater or equal.
        Sge = LLVMIntSGE,
        /// Signed less.
        Slt = LLVMIntSLT,
        /// Signed less or equal.
        Sle = LLVMIntSLE,
    }
}

llvm_enum! {
    /// How `fcmp` compares: `O..` is false and `U..` true when an operand is NaN.
    FloatPredicate => LLVMRealPredicate {
        /// Ordered and equal.
        Oeq = LLVMRealOEQ,
        /// Ordered and greater.
        Ogt = LLVMRealOGT,
        /// Ordered and greater or equal.
        Oge = LLVMRealOGE,
        /// Ordered and less.
        Olt = LLVMRealOLT,
        /// Ordered and less or equal.
        Ole = LLVMRealOLE,
        /// Ordered and not equal.
        One = LLVMRealONE,
        /// Neither is NaN.
        Ord = LLVMRealORD,
        /// One is NaN.
        Uno = LLVMRealUNO,
        /// Unordered or equal.
        Ueq = LLVMRealUEQ,
        /// Unordered or greater.
        Ugt = LLVMRealUGT,
        /// Unordered or greater or equal.
        Uge = LLVMRealUGE,
        /// Unordered or less.
        Ult = LLVMRealULT,
        /// Unordered or less or equal.
        Ule = LLVMRealULE,
        /// Unordered or not equal.
        Une = LLVMRealUNE,
    }
}

llvm_enum! {
    /// Memory order of an atomic access or fence.
    Ordering => LLVMAtomicOrdering {
        /// PTX's `.relaxed`.
        Monotonic = LLVMAtomicOrderingMonotonic,
        /// PTX's `.acquire`.
        Acquire = LLVMAtomicOrderingAcquire,
        /// PTX's `.release`.
        Release = LLVMAtomicOrderingRelease,
        /// PTX's `.acq_rel`.
        AcqRel = LLVMAtomicOrderingAcquireRelease,
        /// PTX's `.sc`.
        SeqCst = LLVMAtomicOrderingSequentiallyConsistent,
    }
}

llvm_enum! {
    /// What `atomicrmw` does.
    RmwOp => LLVMAtomicRMWBinOp {
        /// Exchange.
        Xchg = LLVMAtomicRMWBinOpXchg,
        /// Integer addition.
        Add = LLVMAtomicRMWBinOpAdd,
        /// Bitwise and.
        And = LLVMAtomicRMWBinOpAnd,
        /// Bitwise or.
        Or = LLVMAtomicRMWBinOpOr,
        /// Bitwise exclusive or.
        Xor = LLVMAtomicRMWBinOpXor,
        /// Signed maximum.
        Max = LLVMAtomicRMWBinOpMax,
        /// Signed minimum.
        Min = LLVMAtomicRMWBinOpMin,
        /// Unsigned maximum.
        UMax = LLVMAtomicRMWBinOpUMax,
        /// Unsigned minimum.
        UMin = LLVMAtomicRMWBinOpUMin,
        /// Floating-point addition.
        FAdd = LLVMAtomicRMWBinOpFAdd,
        /// PTX's `.inc`.
        UIncWrap = LLVMAtomicRMWBinOpUIncWrap,
        /// PTX's `.dec`.
        UDecWrap = LLVMAtomicRMWBinOpUDecWrap,
    }
}

/// Which threads an atomic access or fence synchronizes with (manual 8.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// `.cta`
    Block,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Device,
    /// `.sys`
    System,
}

impl Scope {
    /// LLVM's name of the scope on this target; the system scope is LLVM's default, without a name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Block => "block",
            Scope::Cluster => "cluster",
            Scope::Device => "device",
            Scope::System => "",
        }
    }
}

/// Whether an access may be removed, repeated or merged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Volatility {
    /// An ordinary access.
    Ordinary,
    /// LLVM's `volatile`.
    Volatile,
}

/// Whether a floating-point operation may be fused with another (LLVM's `contract` flag).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contraction {
    /// Rounded as written.
    Forbidden,
    /// May be fused.
    Allowed,
}

#[cfg(test)]
mod tests;
