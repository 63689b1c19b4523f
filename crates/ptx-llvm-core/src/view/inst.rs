//! Instructions.

use super::attribute::Attributes;
use super::id::{BlockId, ConstId, LocationId, MetadataId, TypeId};
use super::metadata::MetadataKind;
use super::value::Value;

/// An inline assembly text with its constraints.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineAsm {
    /// The text with `$0`-style operands.
    pub text: String,
    /// The constraints, separated by commas.
    pub constraints: String,
    /// Whether it may do more than compute its results.
    pub side_effects: bool,
}

/// Arithmetic on two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "LLVM's opcode names")]
pub enum BinaryOp {
    Add,
    FAdd,
    Sub,
    FSub,
    Mul,
    FMul,
    UDiv,
    SDiv,
    FDiv,
    URem,
    SRem,
    FRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

impl BinaryOp {
    /// Whether the operands may change places.
    pub const fn commutes(self) -> bool {
        match self {
            Self::Add | Self::FAdd | Self::Mul | Self::FMul | Self::And | Self::Or | Self::Xor => true,
            Self::Sub
            | Self::FSub
            | Self::UDiv
            | Self::SDiv
            | Self::FDiv
            | Self::URem
            | Self::SRem
            | Self::FRem
            | Self::Shl
            | Self::LShr
            | Self::AShr => false,
        }
    }
}

/// Casts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "LLVM's opcode names")]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FPToUI,
    FPToSI,
    UIToFP,
    SIToFP,
    FPTrunc,
    FPExt,
    PtrToInt,
    PtrToAddr,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// `icmp` predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "LLVM's predicate names")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// `fcmp` predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "LLVM's predicate names")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// What integer arithmetic may assume.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WrapFlags {
    /// `nuw`.
    pub nuw: bool,
    /// `nsw`.
    pub nsw: bool,
    /// `exact`.
    pub exact: bool,
    /// `disjoint`.
    pub disjoint: bool,
}

/// What floating-point arithmetic may assume.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FastMath {
    /// `reassoc`.
    pub reassoc: bool,
    /// `nnan`.
    pub nnan: bool,
    /// `ninf`.
    pub ninf: bool,
    /// `nsz`.
    pub nsz: bool,
    /// `arcp`.
    pub arcp: bool,
    /// `contract`.
    pub contract: bool,
    /// `afn`.
    pub afn: bool,
}

/// Atomic orderings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "LLVM's ordering names")]
pub enum AtomicOrder {
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// Synchronization scopes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// No `syncscope`: every thread of the system.
    System,
    /// `device`.
    Device,
    /// `cluster`.
    Cluster,
    /// `block`.
    Block,
    /// `singlethread`.
    SingleThread,
    /// Any other, by name.
    Other(String),
}

/// `atomicrmw` operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "LLVM's operation names")]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    FMaximum,
    FMinimum,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
}

/// An operand bundle of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bundle {
    /// Its tag.
    pub tag: String,
    /// Its operands.
    pub args: Vec<Value>,
}

/// Calling conventions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallingConvention {
    /// `ptx_kernel`: an entry.
    PtxKernel,
    /// `ptx_device`.
    PtxDevice,
    /// `ccc`, the default.
    C,
    /// Any other, by LLVM's number.
    Other(u32),
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called: a constant (a function's address), inline assembly, or a pointer.
    pub callee: Value,
    /// The function type it is called as.
    pub ty: TypeId,
    /// The arguments.
    pub args: Vec<Value>,
    /// Calling convention.
    pub convention: CallingConvention,
    /// Attributes of the call.
    pub attributes: Attributes,
    /// Attributes of its result.
    pub ret_attributes: Attributes,
    /// Attributes of each argument.
    pub arg_attributes: Vec<Attributes>,
    /// Fast-math flags, for results that are floating point.
    pub fast: FastMath,
    /// Operand bundles.
    pub bundles: Vec<Bundle>,
    /// Whether it is `musttail`, which PTX cannot promise.
    pub must_tail: bool,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "operands carry the names of LLVM's language reference")]
pub enum Op {
    Ret {
        value: Option<Value>,
    },
    Br {
        target: BlockId,
    },
    CondBr {
        cond: Value,
        then: BlockId,
        other: BlockId,
    },
    Switch {
        value: Value,
        default: BlockId,
        cases: Vec<(ConstId, BlockId)>,
    },
    /// A call that goes on to `normal`. On a GPU nothing unwinds, so that nothing else is said of it.
    Invoke {
        call: Box<Call>,
        normal: BlockId,
    },
    IndirectBr {
        address: Value,
        targets: Vec<BlockId>,
    },
    Unreachable,
    FNeg {
        value: Value,
        fast: FastMath,
    },
    Binary {
        op: BinaryOp,
        lhs: Value,
        rhs: Value,
        wrap: WrapFlags,
        fast: FastMath,
    },
    Cast {
        op: CastOp,
        value: Value,
        fast: FastMath,
        nneg: bool,
        wrap: WrapFlags,
    },
    ICmp {
        predicate: IntPredicate,
        lhs: Value,
        rhs: Value,
    },
    FCmp {
        predicate: FloatPredicate,
        lhs: Value,
        rhs: Value,
        fast: FastMath,
    },
    Select {
        cond: Value,
        then: Value,
        other: Value,
        fast: FastMath,
    },
    Phi {
        incoming: Vec<(Value, BlockId)>,
    },
    Alloca {
        ty: TypeId,
        count: Value,
        align: u32,
    },
    Load {
        ptr: Value,
        align: u32,
        volatile: bool,
        order: AtomicOrder,
        scope: Scope,
    },
    Store {
        value: Value,
        ptr: Value,
        align: u32,
        volatile: bool,
        order: AtomicOrder,
        scope: Scope,
    },
    Gep {
        source: TypeId,
        base: Value,
        indices: Vec<Value>,
        inbounds: bool,
    },
    ExtractElement {
        vector: Value,
        index: Value,
    },
    InsertElement {
        vector: Value,
        element: Value,
        index: Value,
    },
    /// A mask element of -1 is any value.
    ShuffleVector {
        a: Value,
        b: Value,
        mask: Vec<i32>,
    },
    ExtractValue {
        aggregate: Value,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Value,
        element: Value,
        indices: Vec<u32>,
    },
    Freeze {
        value: Value,
    },
    Fence {
        order: AtomicOrder,
        scope: Scope,
    },
    CmpXchg {
        ptr: Value,
        expected: Value,
        new: Value,
        success: AtomicOrder,
        failure: AtomicOrder,
        scope: Scope,
        volatile: bool,
        align: u32,
    },
    AtomicRmw {
        op: AtomicOp,
        ptr: Value,
        value: Value,
        order: AtomicOrder,
        scope: Scope,
        volatile: bool,
        align: u32,
    },
    Call(Box<Call>),
    VaArg {
        list: Value,
    },
    /// An instruction with no counterpart in PTX, by LLVM's name.
    Other(&'static str),
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// The type of its result; `void` when it has none.
    pub ty: TypeId,
    /// Its name without `%`; empty when it has only a number.
    pub name: String,
    /// Attached metadata, without debug locations.
    pub metadata: Vec<(MetadataKind, MetadataId)>,
    /// Where it comes from.
    pub location: Option<LocationId>,
}

impl Inst {
    /// The metadata of kind `name`.
    pub fn metadata(&self, name: &str) -> Option<MetadataId> {
        self.metadata.iter().find(|(kind, _)| kind.is(name)).map(|(_, id)| *id)
    }
}

impl Op {
    /// Calls `found` for every operand, in LLVM's order of the language reference; calls have the callee first.
    pub fn for_each_operand(&self, found: &mut dyn FnMut(Value)) {
        match self {
            Op::Ret { value } => value.iter().copied().for_each(found),
            Op::Br { .. } | Op::Unreachable | Op::Fence { .. } | Op::Other(_) => {}
            Op::CondBr { cond, .. } => found(*cond),
            Op::Switch { value, .. }
            | Op::FNeg { value, .. }
            | Op::Cast { value, .. }
            | Op::Freeze { value }
            | Op::IndirectBr { address: value, .. }
            | Op::VaArg { list: value }
            | Op::ExtractValue { aggregate: value, .. }
            | Op::Alloca { count: value, .. }
            | Op::Load { ptr: value, .. } => found(*value),
            Op::Binary { lhs, rhs, .. } | Op::ICmp { lhs, rhs, .. } | Op::FCmp { lhs, rhs, .. } => {
                [*lhs, *rhs].into_iter().for_each(found);
            }
            Op::Select { cond, then, other, .. } => [*cond, *then, *other].into_iter().for_each(found),
            Op::Phi { incoming } => incoming.iter().for_each(|(value, _)| found(*value)),
            Op::Store { value, ptr, .. } => [*value, *ptr].into_iter().for_each(found),
            Op::Gep { base, indices, .. } => {
                std::iter::once(*base).chain(indices.iter().copied()).for_each(found);
            }
            Op::ExtractElement { vector, index } => [*vector, *index].into_iter().for_each(found),
            Op::InsertElement { vector, element, index } => {
                [*vector, *element, *index].into_iter().for_each(found);
            }
            Op::ShuffleVector { a, b, .. } => [*a, *b].into_iter().for_each(found),
            Op::InsertValue { aggregate, element, .. } => [*aggregate, *element].into_iter().for_each(found),
            Op::CmpXchg { ptr, expected, new, .. } => [*ptr, *expected, *new].into_iter().for_each(found),
            Op::AtomicRmw { ptr, value, .. } => [*ptr, *value].into_iter().for_each(found),
            Op::Call(call) | Op::Invoke { call, .. } => {
                let bundled = call.bundles.iter().flat_map(|bundle| bundle.args.iter().copied());
                std::iter::once(call.callee).chain(call.args.iter().copied()).chain(bundled).for_each(found);
            }
        }
    }

    /// Whether an operand has a property.
    pub fn any_operand(&self, has: impl Fn(Value) -> bool) -> bool {
        let mut found = false;
        self.for_each_operand(&mut |value| found = found || has(value));
        found
    }
}
