//! Pieces of structured arguments and results (manual 7.1), read and written right in the parameter space.

use ptx_ir::VarId;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{InstId, Op, TypeId};

use super::access::{Access, variable_address};
use super::state::Emitter;
use crate::cover::Piece;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::signature::Passing;

impl Emitter<'_, '_, '_> {
    /// Stores a piece of the function's result.
    pub(super) fn store_result(&mut self, id: InstId, offset: u64) -> Result<()> {
        match (self.frame.result, &self.signature.result) {
            (Some(variable), Some(Passing::Bytes { align, .. })) => {
                let align = u64::from(*align);
                self.store_piece(Piece { inst: id, offset }, variable, align)
            }
            _ => Err(RaiseError::new(INSTRUCTION, "a piece of a result that is not in memory")),
        }
    }

    /// Stores the operand of a store in a variable of the parameter space instead.
    pub(super) fn store_piece(&mut self, piece: Piece, variable: VarId, align: u64) -> Result<()> {
        let function = self.function;
        let Op::Store { value, .. } = &function.inst(piece.inst).op else { return Ok(()) };
        let (ty, values) = (self.value_type(*value)?, self.defined(*value)?);
        let whole = Access::store(address_space::PARAM, variable_address(variable), align)?;
        self.store_whole(ty, &values, &whole.after(piece.offset))
    }

    /// Loads the result of a load from a variable of the parameter space instead.
    pub(super) fn load_piece(&mut self, piece: Piece, variable: VarId, align: u64) -> Result<()> {
        let ty: TypeId = self.type_of(piece.inst);
        let whole = Access::load(address_space::PARAM, variable_address(variable), align)?;
        let values = self.load_whole(ty, &whole.after(piece.offset))?;
        self.define(piece.inst, values.into())
    }
}
