//! What is computed of registers by a formula that is written here alone.
//!
//! An engine needs nothing but [`Formula::of`] to execute one, so that a new one is written here and in the decoder that gives it.
//! What ordinary kernels consist of has operations of its own (`alu.rs`), of which each engine makes what is fastest.

use serde::{Deserialize, Serialize};

use crate::scalar::bits;
use crate::scalar::int::Int;

/// What is computed of up to four registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Formula {
    /// `bfi`: of the field, what it is inserted into, its place and its length.
    Bfi(Int),
    /// `fns`: of the mask, the base and the offset.
    Fns,
}

impl Formula {
    /// Its value; sources that the instruction does not have are zero.
    #[inline]
    pub fn of(self, [a, b, c, d]: [u64; 4]) -> u64 {
        match self {
            Self::Bfi(t) => bits::bfi(t, a, b, c, d),
            Self::Fns => bits::fns(a, b, c),
        }
    }

    /// The bits of its value.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bfi(t) => t.bits(),
            Self::Fns => 32,
        }
    }
}
