//! Values while a function is raised: registers, constants and addresses that are not computed yet.

use ptx_ir::{RegId, Symbol};

/// What is known about the bits of a register above an integer's width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Upper {
    /// Nothing.
    Any,
    /// They are zero.
    Zero,
    /// They repeat the sign.
    Sign,
}

/// What comes above a number that is made wider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    Zero,
    Sign,
}

/// What an address counts from.
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
    /// An address: a base and bytes after it, in the state space of LLVM's number `space`. It may stand for a generic
    /// pointer; then it is converted where the bits of the generic address matter, and used as it is by loads and stores.
    Address { base: Base, offset: i64, space: u32 },
}

impl Val {
    /// A register about whose upper bits nothing is known.
    pub(crate) const fn reg(register: RegId) -> Self {
        Val::Register(register, Upper::Any)
    }
}

/// The bits of an integer of that width.
pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Extends the sign of an integer of that width.
pub(crate) const fn sign_extend(value: u64, bits: u32) -> i64 {
    if bits == 0 || bits >= 64 {
        return value as i64;
    }
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}
