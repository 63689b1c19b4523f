//! Values while a function is raised: registers, constants and addresses that are not computed yet.

use ptx_ir::{RegId, Symbol};
use ptx_isa::ScalarType;
use ptx_llvm_core::view::BlockId;
pub(crate) use ptx_llvm_core::view::{mask, sign_extend};

use crate::types::integer_type;

/// The known state of the bits of a register above an integer's width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Upper {
    /// Unknown.
    Any,
    /// They are zero.
    Zero,
    /// They repeat the sign.
    Sign,
}

/// The upper bits of an extended number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    Zero,
    Sign,
}

impl Fill {
    /// That of a signed or unsigned number.
    pub(crate) const fn of(signed: bool) -> Self {
        if signed { Fill::Sign } else { Fill::Zero }
    }

    /// The number of `width` bits in 64.
    pub(crate) const fn extend(self, bits: u64, width: u32) -> u64 {
        match self {
            Fill::Zero => bits,
            Fill::Sign => sign_extend(bits, width) as u64,
        }
    }

    /// The state of the bits above the width after the extension.
    pub(crate) const fn upper(self) -> Upper {
        match self {
            Fill::Zero => Upper::Zero,
            Fill::Sign => Upper::Sign,
        }
    }

    /// The integer type of at least `bits` bits that extends so.
    pub(crate) const fn integer(self, bits: u32) -> ScalarType {
        integer_type(matches!(self, Fill::Sign), bits)
    }
}

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Register(RegId),
    Symbol(Symbol),
}

/// One leaf of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Val {
    /// A register of the leaf's class.
    Register(RegId, Upper),
    /// Constant bits, zero above the leaf's width.
    Bits(u64),
    /// An address: a base and bytes after it, in the state space of LLVM's number `space`. It may represent a generic
    /// pointer; then it is converted if the bits of the generic address are needed, and loads and stores use it as it is.
    Address { base: Base, offset: i64, space: u32 },
}

impl Val {
    /// A register whose upper bits are unknown.
    pub(crate) const fn reg(register: RegId) -> Self {
        Val::Register(register, Upper::Any)
    }
}

/// The address of a block is its number in its function, from one on, since no address is null. Nothing but
/// `indirectbr` in the same function can use it.
pub(crate) fn block_number(block: BlockId) -> u64 {
    block.index() as u64 + 1
}
