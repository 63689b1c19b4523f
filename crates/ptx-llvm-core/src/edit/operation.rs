//! What instructions are told beside their operands.

use llvm_sys::core::{LLVMCreateEnumAttribute, LLVMGetEnumAttributeKindForName};
use llvm_sys::prelude::{LLVMAttributeRef, LLVMContextRef};
use llvm_sys::{LLVMAtomicOrdering, LLVMGEPFlagInBounds, LLVMGEPFlagNUSW, LLVMGEPFlagNUW};

pub use crate::view::AtomicOrder;

/// What an integer operation may assume not to happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WrapFlags {
    /// `nuw`: it does not wrap as a number without a sign.
    pub nuw: bool,
    /// `nsw`: it does not wrap as a number with a sign.
    pub nsw: bool,
}

/// The fast-math flags of an operation, as LLVM's bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FastMath(pub(super) u32);

/// What a `getelementptr` promises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GepFlags(pub(super) u32);

impl GepFlags {
    /// Whether it does not wrap as an address plus a number with a sign: `inbounds` or `nusw`.
    pub fn is_signed(self) -> bool {
        self.0 & (LLVMGEPFlagInBounds | LLVMGEPFlagNUSW) != 0
    }

    /// Whether it does not wrap as an address plus a number without a sign: `nuw`.
    pub fn is_unsigned(self) -> bool {
        self.0 & LLVMGEPFlagNUW != 0
    }
}

/// What an attribute of a call is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeIndex {
    /// The call as a whole.
    Function,
    /// An argument, from 0.
    Argument(u32),
}

/// An attribute of a function or a call: some of LLVM's that take no type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// `convergent`
    Convergent,
    /// `nocallback`
    NoCallback,
    /// `nofree`
    NoFree,
    /// `nosync`
    NoSync,
    /// `nounwind`
    NoUnwind,
    /// `willreturn`
    WillReturn,
    /// `writeonly`, of an argument.
    WriteOnly,
    /// `memory`, with LLVM's number for what is read and written.
    Memory(u64),
    /// `captures`, with LLVM's number for what is kept of an argument.
    Captures(u64),
}

impl Attribute {
    /// LLVM's attribute, in the context of a module.
    ///
    /// # Safety
    ///
    /// The context is alive.
    pub(super) unsafe fn raw(self, context: LLVMContextRef) -> LLVMAttributeRef {
        let (name, number) = self.parts();
        // SAFETY: by this function's contract; the name is one of an attribute without a type, and has as many bytes as stated.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMCreateEnumAttribute(context, kind, number)
        }
    }

    /// LLVM's name of it, and its number.
    fn parts(self) -> (&'static str, u64) {
        match self {
            Self::Convergent => ("convergent", 0),
            Self::NoCallback => ("nocallback", 0),
            Self::NoFree => ("nofree", 0),
            Self::NoSync => ("nosync", 0),
            Self::NoUnwind => ("nounwind", 0),
            Self::WillReturn => ("willreturn", 0),
            Self::WriteOnly => ("writeonly", 0),
            Self::Memory(number) => ("memory", number),
            Self::Captures(number) => ("captures", number),
        }
    }
}

/// LLVM's memory order as the view's.
pub(super) fn atomic_order(raw: LLVMAtomicOrdering) -> AtomicOrder {
    match raw {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => AtomicOrder::NotAtomic,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => AtomicOrder::Unordered,
        LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => AtomicOrder::Monotonic,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => AtomicOrder::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => AtomicOrder::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => AtomicOrder::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => AtomicOrder::SequentiallyConsistent,
    }
}
