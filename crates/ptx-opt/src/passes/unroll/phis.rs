//! Phis, and the values that copies of a loop have.

use std::collections::HashMap;

use ptx_llvm_core::edit::{Block, Inst, Opcode, Value};

/// The values of the loop, each with that of a copy.
pub(super) type Values<'e> = HashMap<Value<'e>, Value<'e>>;

/// The phis of a block.
pub(super) fn phis<'e>(block: Block<'e>) -> impl Iterator<Item = Inst<'e>> {
    block.instructions().into_iter().take_while(|inst| inst.opcode() == Opcode::Phi)
}

/// What a phi has where control comes from a block.
pub(super) fn incoming<'e>(phi: Inst<'e>, from: Block<'e>) -> Option<Value<'e>> {
    phi.incomings().find(|(_, block)| *block == from).map(|(value, _)| value)
}
