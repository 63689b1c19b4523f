//! Types and their layout.

use super::id::TypeId;

/// The floating-point formats PTX has registers for, and a name for any other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// `half`, IEEE binary16.
    Half,
    /// `bfloat`.
    BFloat,
    /// `float`, IEEE binary32.
    Float,
    /// `double`, IEEE binary64.
    Double,
    /// `fp128`, `x86_fp80` or `ppc_fp128`.
    Other(&'static str),
}

impl FloatKind {
    /// Width in bits; 128 for the formats PTX lacks.
    pub const fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::Other(_) => 128,
        }
    }
}

/// A first-class or function type of LLVM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// `iN`.
    Int {
        /// `N`.
        bits: u32,
    },
    /// A floating-point type.
    Float(FloatKind),
    /// `ptr addrspace(N)`.
    Pointer {
        /// `N`, see [`crate::address_space`].
        space: u32,
    },
    /// `[N x T]`.
    Array {
        /// `T`.
        element: TypeId,
        /// `N`.
        len: u64,
    },
    /// `<N x T>`.
    Vector {
        /// `T`.
        element: TypeId,
        /// `N`.
        len: u32,
    },
    /// `{ .. }`, named or not; field offsets are in its [`Layout`].
    Struct {
        /// The types of its fields.
        fields: Box<[TypeId]>,
    },
    /// A function type.
    Function {
        /// What it returns.
        ret: TypeId,
        /// Fixed parameters.
        params: Box<[TypeId]>,
        /// Whether more arguments may follow.
        variadic: bool,
    },
    /// A type with no counterpart in PTX, by LLVM's name for its kind.
    Other(&'static str),
}

/// Where a type's bytes lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes from one element of an array to the next.
    pub size: u64,
    /// Bytes a store may write.
    pub store_size: u64,
    /// Bits of the value itself.
    pub bits: u64,
    /// Alignment in bytes by the ABI.
    pub align: u32,
    /// Offset of each field in bytes; empty for what is not a structure.
    pub offsets: Box<[u64]>,
}

/// One row of the table of types.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) ty: Type,
    pub(crate) layout: Option<Layout>,
    pub(crate) text: String,
}
