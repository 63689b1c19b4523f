//! Decodes a kernel of a verified module into a [`Program`], the executable form that engines share.
//!
//! [`decode::reach`] finds the functions and variables that a kernel needs, [`layout::lay_out`] places the variables, and
//! [`decode::decode`] decodes the functions. A program is data: an instruction is an operation on registers ([`Alu`]) or an effect on memory,
//! other lanes or control ([`Effect`]), with everything that determines its result. What the operations compute is in [`scalar`],
//! bit by bit as specified by the manual. State spaces and their addresses are in [`memory`], and what a launch gives to kernels as opaque
//! objects is described in [`tensormap`] and [`texture`].

pub mod codes;
pub mod decode;
pub mod layout;
pub mod memory;
mod program;
pub mod scalar;
pub mod tensormap;
pub mod texture;

pub use program::*;
