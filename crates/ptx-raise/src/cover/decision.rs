//! The decision about an instruction: the interface between cover and emitter.

use std::borrow::Cow;
use std::rc::Rc;

use ptx_isa::{Mnemonic, ScalarType};
use ptx_llvm_core::view::{BinaryOp, CastOp, FastMath, InstId, Value};
use smallvec::SmallVec;

use crate::constraint::Constraint;
use crate::types::Class;
use crate::value::Fill;

/// The decision about an instruction that is not emitted as itself.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// Computed by others. Its operands are computed, so that rules may look through it.
    Folded,
    /// Computed by the code of another instruction. Its operands may not be computed, so that nothing looks through it.
    Absorbed(InstId),
    /// Replaced by other code, or emitted in another way.
    Emit(Rc<Match>),
}

/// The match of a rule.
#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) action: Action,
    /// The values that the action reads, in place of the operands of the instruction.
    pub(crate) reads: Reads,
}

/// The values that an action reads.
pub(crate) type Reads = SmallVec<[Value; 4]>;

/// The emitted code.
#[derive(Debug)]
pub(crate) enum Action {
    /// PTX text.
    Text(Text),
    /// One shift for a shift with a guard.
    ClampedShift(ClampedShift),
    /// `mov` of two halves, after selects of one or both.
    JoinChosen(Joined),
    /// `rsqrt` of a number.
    InverseRoot(Value),
    /// A byte extended to a word by way of its halfword.
    ExtendUnderMask(Value),
    /// Several truth values combined.
    Truths(Truths),
    /// The operation on the value, and then the choice.
    ChosenOperand(ChosenOperand),
    /// `fma` of the factors of a product that may be contracted.
    Fused(Fused),
    /// `cvta` of a number that is an address in the space with LLVM's number.
    ConvertNumber(Value, u32),
    /// Arithmetic on a pair of 16-bit integers.
    Pair(Pair),
    /// The low bits of a parameter loaded here.
    LoadParameter(usize),
    /// A piece of the function's result stored at that offset.
    StoreResult(u64),
    /// Nothing: the function's result has already been stored.
    ResultInPlace,
    /// The load, which extends the loaded value.
    ExtendingLoad(Rc<ExtendingLoad>),
    /// The load, as pairs of 16-bit integers; whether the elements are also read.
    LoadPairs { apart: bool },
    /// The store, of the low bits of a wider value.
    TruncatingStore(Value),
    /// The address, with its index multiplied in 32 bits.
    Index(WideProduct),
    /// The call, with pieces of aggregates instead of the whole.
    CallByPieces(CallPieces),
    /// The `insertvalue` of an undefined value, for which memory may keep its contents.
    SkipField,
    /// The phi, whose bytes are in words.
    WordPhi,
}

/// PTX text that computes several LLVM instructions.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: Cow<'static, str>,
    pub(crate) constraints: Vec<Constraint>,
    /// The instruction that has each result, if any.
    pub(crate) roots: Vec<Option<InstId>>,
    /// The operands, in the order of the constraints.
    pub(crate) inputs: Vec<Narrow>,
}

impl Text {
    /// The values that are read.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        self.inputs.iter().copied().filter_map(Narrow::value)
    }
}

/// A shift whose amount PTX clamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClampedShift {
    pub(crate) op: BinaryOp,
    pub(crate) value: Value,
    /// Width of the shifted value.
    pub(crate) bits: u32,
    pub(crate) amount: Bits,
    /// The cast between the shift and the choice.
    pub(crate) cast: Option<CastOp>,
    /// The width after the cast.
    pub(crate) to: u32,
}

/// Some bits of a number, the others zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    pub(crate) base: Value,
    /// Width of the base.
    pub(crate) width: u32,
    pub(crate) mask: u64,
}

/// Two halves of a number, one or both of which are selected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joined {
    pub(crate) low: Half,
    pub(crate) high: Half,
    /// Width of a half.
    pub(crate) bits: u32,
}

/// A half of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half {
    Plain(HalfSource),
    Chosen { cond: Value, then: HalfSource, other: HalfSource },
}

/// The source of a half.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HalfSource {
    Constant(u64),
    /// A number of its width.
    Narrow(Value),
    /// The bits of a wider number from this one on.
    Part(Value, u32),
}

/// An index of 32 bits times a number of bytes, in 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WideProduct {
    pub(crate) index: Narrow,
    pub(crate) factor: u64,
    pub(crate) signed: bool,
}

/// An operand before its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Narrow {
    Value(Value),
    /// A number of fewer bits, extended to the operand's width with its sign or with zeros.
    Short(Value, Fill),
    Constant(u64),
}

impl Narrow {
    /// The value that is read.
    pub(super) fn value(self) -> Option<Value> {
        match self {
            Narrow::Value(value) | Narrow::Short(value, _) => Some(value),
            Narrow::Constant(_) => None,
        }
    }
}

/// A comparison of truth values with none or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Truths {
    /// The vector of them.
    pub(crate) vector: Value,
    /// Whether the test is for all, and not for any.
    pub(crate) all: bool,
    /// Whether the result is negated.
    pub(crate) negated: bool,
}

/// An operation of which one operand is a value, or under a condition what leaves the other one as it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ChosenOperand {
    pub(crate) op: BinaryOp,
    pub(crate) fast: FastMath,
    pub(crate) cond: Value,
    /// The truth value of the condition with which the result is the other operand.
    pub(crate) unchanged_if: bool,
    pub(crate) value: Value,
    pub(crate) other: Value,
    /// Whether the value is the left operand.
    pub(crate) on_left: bool,
}

/// A sum with a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fused {
    pub(crate) factors: [Value; 2],
    pub(crate) addend: Value,
    pub(crate) negates_product: bool,
    pub(crate) negates_addend: bool,
}

/// The properties of a pair of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The instruction that computes it.
    pub(crate) mnemonic: Mnemonic,
    /// The operands.
    pub(crate) args: [Value; 2],
    /// Whether the elements are also needed separately.
    pub(crate) apart: bool,
}

/// How a load fills wider registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ExtendingLoad {
    pub(crate) class: Class,
    /// The type of the access, which extends.
    pub(crate) ty: ScalarType,
    /// By element of the loaded value: the extensions that get its register.
    pub(crate) casts: Vec<Vec<InstId>>,
}

/// A parameter of which only the low bits are read.
#[derive(Clone, Debug)]
pub(crate) struct LowBits {
    pub(crate) load: Rc<ExtendingLoad>,
    /// In debug code, the cast at which it is loaded.
    pub(crate) at: Option<InstId>,
}

/// The pieces in which a call's arguments are passed and its result is returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallPieces {
    /// The loads that read the pieces of the result.
    pub(crate) received: Option<Vec<Piece>>,
    /// The stores of the pieces of an argument, by its number.
    pub(crate) passed: Vec<(usize, Vec<Piece>)>,
}

/// A piece of a variable: the instruction that reads or writes it, and its offset in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) inst: InstId,
    pub(crate) offset: u64,
}
