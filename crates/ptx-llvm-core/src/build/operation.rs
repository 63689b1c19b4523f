//! What instructions are told beside their operands: comparisons, atomic operations, memory orders and scopes.
//!
//! Our names come in; LLVM's values for them go out.

use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate};

/// Declares an enum of ours with LLVM's value for each variant.
macro_rules! llvm_enum {
    ($(#[$m:meta])* $name:ident => $llvm:ident { $($(#[$vm:meta])* $v:ident = $l:ident),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vm])* $v),* }
        impl $name {
            pub(crate) fn raw(self) -> $llvm { match self { $(Self::$v => $llvm::$l),* } }
        }
    };
}

/// The same, for enums that have all of LLVM's values, so that these can be read, too.
macro_rules! whole_llvm_enum {
    ($(#[$m:meta])* $name:ident => $llvm:ident { $($(#[$vm:meta])* $v:ident = $l:ident),* $(,)? }) => {
        llvm_enum! { $(#[$m])* $name => $llvm { $($(#[$vm])* $v = $l),* } }
        impl $name {
            pub(crate) fn of(raw: $llvm) -> Self { match raw { $($llvm::$l => Self::$v),* } }
        }
    };
}

whole_llvm_enum! {
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

impl IntPredicate {
    /// The predicate that holds where this one does not.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Ugt => Self::Ule,
            Self::Ule => Self::Ugt,
            Self::Uge => Self::Ult,
            Self::Ult => Self::Uge,
            Self::Sgt => Self::Sle,
            Self::Sle => Self::Sgt,
            Self::Sge => Self::Slt,
            Self::Slt => Self::Sge,
        }
    }

    /// The comparison with regard to signs that comes to the same where both signs are equal; `None` of one that regards them, or none.
    pub const fn signed(self) -> Option<Self> {
        match self {
            Self::Ugt => Some(Self::Sgt),
            Self::Uge => Some(Self::Sge),
            Self::Ult => Some(Self::Slt),
            Self::Ule => Some(Self::Sle),
            Self::Eq | Self::Ne | Self::Sgt | Self::Sge | Self::Slt | Self::Sle => None,
        }
    }
}

impl IntPredicate {
    /// The predicate for exchanged operands.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Eq | Self::Ne => self,
        }
    }
}

impl FloatPredicate {
    /// The predicate that holds where this one does not.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::True => Self::False,
            Self::Oeq => Self::Une,
            Self::Une => Self::Oeq,
            Self::Ogt => Self::Ule,
            Self::Ule => Self::Ogt,
            Self::Oge => Self::Ult,
            Self::Ult => Self::Oge,
            Self::Olt => Self::Uge,
            Self::Uge => Self::Olt,
            Self::Ole => Self::Ugt,
            Self::Ugt => Self::Ole,
            Self::One => Self::Ueq,
            Self::Ueq => Self::One,
            Self::Ord => Self::Uno,
            Self::Uno => Self::Ord,
        }
    }
}

whole_llvm_enum! {
    /// How `fcmp` compares: `O..` is false and `U..` true when an operand is NaN.
    FloatPredicate => LLVMRealPredicate {
        /// Never.
        False = LLVMRealPredicateFalse,
        /// Always.
        True = LLVMRealPredicateTrue,
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
