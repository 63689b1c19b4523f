//! Textures, samplers and surfaces: their handles are 64-bit numbers in LLVM IR, and names where PTX uses them (manual 5.3).

use ptx_ir::{Operand, RegId, Symbol};
use ptx_llvm::view::{Call, InstId};

use super::FunctionRaiser;
use super::generic::argument;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::Class;
use crate::value::{Base, Val};

/// The intrinsics that give the handle of a variable; their last argument is its address.
const HANDLE: &str = "llvm.nvvm.texsurf.handle.";

impl FunctionRaiser<'_, '_, '_> {
    /// Whether the intrinsic gives the handle of a variable; then it is raised.
    pub(super) fn handle_intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        if !name.starts_with(HANDLE) {
            return Ok(false);
        }
        let variable = argument(call, call.args.len().saturating_sub(1))?;
        let Val::Address { base: Base::Symbol(symbol), offset: 0, .. } = self.scalar(variable)?.0 else {
            return Err(Refusal::new(INTRINSIC, format!("{name} of something that is no variable")));
        };
        let register = self.handle(symbol)?;
        self.define(id, vec![Val::reg(register)].into());
        Ok(true)
    }

    /// The handle of a texture, sampler or surface in a register.
    pub(super) fn handle(&mut self, symbol: Symbol) -> Raised<RegId> {
        let register = self.emit_new(Class::B64, "mov.u64", &[Operand::Symbol(symbol, 0).into()])?;
        self.handles.insert(register, symbol);
        Ok(register)
    }

    /// The operand that names what a register holds the handle of; the register where it holds none.
    pub(super) fn named_reference(&self, register: RegId) -> Operand {
        match self.handles.get(&register) {
            Some(symbol) => Operand::Symbol(*symbol, 0),
            None => Operand::Register(register),
        }
    }
}
