//! LLVM's opcodes of instructions and constant expressions.

use std::fmt;

use llvm_sys::LLVMOpcode;

/// Declares the opcodes, each with LLVM's name of it in its C interface.
macro_rules! opcodes {
    ($($name:ident = $llvm:ident),* $(,)?) => {
        /// What an instruction or a constant expression does, by LLVM's names in its language reference.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "LLVM's opcode names")]
        pub enum Opcode {
            $($name),*
        }

        impl Opcode {
            pub(super) fn of(raw: LLVMOpcode) -> Self {
                match raw {
                    $(LLVMOpcode::$llvm => Self::$name),*
                }
            }
        }
    };
}

opcodes! {
    Ret = LLVMRet,
    Br = LLVMBr,
    Switch = LLVMSwitch,
    IndirectBr = LLVMIndirectBr,
    Invoke = LLVMInvoke,
    Unreachable = LLVMUnreachable,
    CallBr = LLVMCallBr,
    FNeg = LLVMFNeg,
    Add = LLVMAdd,
    FAdd = LLVMFAdd,
    Sub = LLVMSub,
    FSub = LLVMFSub,
    Mul = LLVMMul,
    FMul = LLVMFMul,
    UDiv = LLVMUDiv,
    SDiv = LLVMSDiv,
    FDiv = LLVMFDiv,
    URem = LLVMURem,
    SRem = LLVMSRem,
    FRem = LLVMFRem,
    Shl = LLVMShl,
    LShr = LLVMLShr,
    AShr = LLVMAShr,
    And = LLVMAnd,
    Or = LLVMOr,
    Xor = LLVMXor,
    Alloca = LLVMAlloca,
    Load = LLVMLoad,
    Store = LLVMStore,
    GetElementPtr = LLVMGetElementPtr,
    Trunc = LLVMTrunc,
    ZExt = LLVMZExt,
    SExt = LLVMSExt,
    FPToUI = LLVMFPToUI,
    FPToSI = LLVMFPToSI,
    UIToFP = LLVMUIToFP,
    SIToFP = LLVMSIToFP,
    FPTrunc = LLVMFPTrunc,
    FPExt = LLVMFPExt,
    PtrToInt = LLVMPtrToInt,
    PtrToAddr = LLVMPtrToAddr,
    IntToPtr = LLVMIntToPtr,
    BitCast = LLVMBitCast,
    AddrSpaceCast = LLVMAddrSpaceCast,
    ICmp = LLVMICmp,
    FCmp = LLVMFCmp,
    Phi = LLVMPHI,
    Call = LLVMCall,
    Select = LLVMSelect,
    UserOp1 = LLVMUserOp1,
    UserOp2 = LLVMUserOp2,
    VAArg = LLVMVAArg,
    ExtractElement = LLVMExtractElement,
    InsertElement = LLVMInsertElement,
    ShuffleVector = LLVMShuffleVector,
    ExtractValue = LLVMExtractValue,
    InsertValue = LLVMInsertValue,
    Freeze = LLVMFreeze,
    Fence = LLVMFence,
    AtomicCmpXchg = LLVMAtomicCmpXchg,
    AtomicRMW = LLVMAtomicRMW,
    Resume = LLVMResume,
    LandingPad = LLVMLandingPad,
    CleanupRet = LLVMCleanupRet,
    CatchRet = LLVMCatchRet,
    CatchPad = LLVMCatchPad,
    CleanupPad = LLVMCleanupPad,
    CatchSwitch = LLVMCatchSwitch,
}

impl Opcode {
    /// Whether an instruction of it ends a block.
    pub const fn is_terminator(self) -> bool {
        matches!(
            self,
            Self::Ret
                | Self::Br
                | Self::Switch
                | Self::IndirectBr
                | Self::Invoke
                | Self::Unreachable
                | Self::CallBr
                | Self::Resume
                | Self::CleanupRet
                | Self::CatchRet
                | Self::CatchSwitch
        )
    }

    /// Whether it calls something: `call`, `invoke` or `callbr`.
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::Invoke | Self::CallBr)
    }
}

impl fmt::Display for Opcode {
    /// The word of LLVM IR: `getelementptr`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtomicCmpXchg => f.pad("cmpxchg"),
            Self::VAArg => f.pad("va_arg"),
            // All other names are the words, with other capitals.
            other => f.pad(&format!("{other:?}").to_ascii_lowercase()),
        }
    }
}
