//! Register operations defined by a formula in this file alone.
//!
//! An engine needs only [`Formula::of`] to execute one, so a new formula is added here and in the decoder that emits
//! it. Operations common in kernels have their own variants (`alu.rs`), which each engine lowers to the fastest code it
//! has.

use serde::{Deserialize, Serialize};

use crate::scalar::bits;
use crate::scalar::int::Int;

/// A function of up to four registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Formula {
    /// `bfi`: operands are the field, the value it is inserted into, its position and its length.
    Bfi(Int),
    /// `fns`: operands are the mask, the base and the offset.
    Fns,
}

impl Formula {
    /// Its value; operands that the instruction does not have are zero.
    #[inline]
    pub fn of(self, [a, b, c, d]: [u64; 4]) -> u64 {
        match self {
            Self::Bfi(t) => bits::bfi(t, a, b, c, d),
            Self::Fns => bits::fns(a, b, c),
        }
    }

    /// Width of its value in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bfi(t) => t.bits(),
            Self::Fns => 32,
        }
    }
}
