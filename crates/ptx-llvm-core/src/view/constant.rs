//! Constants: trees that share their parts.

use super::id::{AliasId, BlockId, ConstId, FunctionId, GlobalId, TypeId};
use super::inst::{BinaryOp, CastOp};

/// Something with a name and an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// A function.
    Function(FunctionId),
    /// A global variable.
    Global(GlobalId),
    /// An alias.
    Alias(AliasId),
}

/// The value of a constant; its type is [`View::constant_type`](super::View::constant_type).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constant {
    /// An integer as 64-bit words, the low one first, zero above its width. The type is an integer type, or `fp128`, of which
    /// these are the bits.
    Int(Box<[u64]>),
    /// A floating-point number by its bits. The type is `half`, `bfloat`, `float` or `double`.
    Float(u64),
    /// The null pointer.
    Null,
    /// All bits zero, of an aggregate or a vector.
    Zero,
    /// Any bits.
    Undef,
    /// Undefined behaviour when it matters.
    Poison,
    /// Elements of an array or a vector, as they lie in memory (little endian, without gaps).
    Data(Box<[u8]>),
    /// The elements of an array or a vector, or the fields of a structure.
    Aggregate(Box<[ConstId]>),
    /// The address of a symbol.
    Symbol(Symbol),
    /// The address of a block of a function.
    BlockAddress(FunctionId, BlockId),
    /// A computation with constant operands.
    Expr(ConstExpr),
    /// A form with no counterpart in PTX, by name.
    Other(&'static str),
}

impl Constant {
    /// The integer as 128 bits, when it fits them.
    pub fn as_u128(&self) -> Option<u128> {
        let Constant::Int(words) = self else { return None };
        if words.iter().skip(2).any(|&word| word != 0) {
            return None;
        }
        debug_assert!(!words.is_empty(), "an integer has at least one word");
        Some(words.iter().take(2).rev().fold(0, |value, word| value << 64 | u128::from(*word)))
    }

    /// The integer as 64 bits, when it fits them.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_u128().and_then(|value| u64::try_from(value).ok())
    }

    /// The constants that it has as elements or operands, in order.
    pub fn parts(&self) -> impl Iterator<Item = ConstId> + '_ {
        const NONE: &[ConstId] = &[];
        let (first, rest) = match self {
            Self::Aggregate(parts) => ([None; 3], &**parts),
            Self::Expr(ConstExpr::Gep { base, indices, .. }) => ([Some(*base), None, None], &**indices),
            Self::Expr(ConstExpr::Cast { value, .. }) => ([Some(*value), None, None], NONE),
            Self::Expr(ConstExpr::Binary { lhs, rhs, .. }) => ([Some(*lhs), Some(*rhs), None], NONE),
            Self::Expr(ConstExpr::Element { vector, index }) => ([Some(*vector), Some(*index), None], NONE),
            Self::Expr(ConstExpr::Insert { vector, element, index }) => {
                ([Some(*vector), Some(*element), Some(*index)], NONE)
            }
            _ => ([None; 3], NONE),
        };
        first.into_iter().flatten().chain(rest.iter().copied())
    }
}

/// A constant expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstExpr {
    /// `getelementptr`.
    Gep {
        /// The type the first index steps over.
        source: TypeId,
        /// The address it starts from.
        base: ConstId,
        /// The indices.
        indices: Box<[ConstId]>,
    },
    /// A cast to the constant's type.
    Cast {
        /// Which.
        op: CastOp,
        /// What is cast.
        value: ConstId,
    },
    /// Arithmetic on two operands of the constant's type.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left operand.
        lhs: ConstId,
        /// Right operand.
        rhs: ConstId,
    },
    /// An element of a vector of fixed length: `extractelement`.
    Element {
        /// The vector.
        vector: ConstId,
        /// Which element; it may be made of an address.
        index: ConstId,
    },
    /// A vector of fixed length with another element: `insertelement`, which LLVM keeps only where the index is made of an address.
    Insert {
        /// The vector.
        vector: ConstId,
        /// The new element.
        element: ConstId,
        /// Its place.
        index: ConstId,
    },
    /// Any other expression, by LLVM's opcode number.
    Other(u32),
}

/// One row of the table of constants.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) ty: TypeId,
    pub(crate) constant: Constant,
}

/// The bits of an integer of that width.
pub const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Extends the sign of an integer of that width.
pub const fn sign_extend(value: u64, bits: u32) -> i64 {
    if bits == 0 || bits >= 64 {
        return value as i64;
    }
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}
