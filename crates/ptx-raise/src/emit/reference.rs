//! Textures, samplers and surfaces: their handles are 64-bit numbers in LLVM IR, and names where PTX uses them (manual 5.3).

use ptx_ir::{Body, Operand, RegId, Stmt, Symbol};
use ptx_isa::{MoveSem, Sem, ptx};
use ptx_llvm_core::view::{Call, InstId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::value::{Base, Val};

impl Emitter<'_, '_, '_> {
    /// `llvm.nvvm.texsurf.handle` and similar: the handle of the variable whose address is the last argument.
    pub(super) fn variable_handle(&mut self, id: InstId, call: &Call) -> Result<()> {
        let variable = argument(call, call.args.len().saturating_sub(1))?;
        let Val::Address { base: Base::Symbol(symbol), offset: 0, .. } = self.scalar(variable)?.0 else {
            let name = self.source.callee_name(call);
            return Err(RaiseError::new(INTRINSIC, format!("{name} of something that is not a variable")));
        };
        let register = self.handle(symbol)?;
        self.define(id, vec![Val::reg(register)].into())
    }

    /// The handle of a texture, sampler or surface in a register.
    pub(super) fn handle(&mut self, symbol: Symbol) -> Result<RegId> {
        let register = self.compute(ptx!("mov.u64"), &[Operand::Symbol(symbol, 0).into()])?;
        self.registers.handles.insert(register, symbol);
        Ok(register)
    }

    /// The variable whose handle is in a register as an operand, or the register if it does not contain a handle.
    pub(super) fn named_reference(&self, register: RegId) -> Operand {
        match self.registers.handles.get(&register) {
            Some(symbol) => Operand::Symbol(*symbol, 0),
            None => Operand::Register(register),
        }
    }
}

/// Removes moves of handles and of constants to registers that are not read. Uses of a handle refer to the variable: with
/// `texmode_independent` a handle in a register is not allowed before PTX 4.1. Such constants are words of integers that have
/// no effect.
pub(super) fn drop_unread(
    body: &mut Body,
    handles: &HashMap<RegId, Symbol>,
    constants: &HashMap<RegId, u64>,
) {
    if handles.is_empty() && constants.is_empty() {
        return;
    }
    let mut mentions: HashMap<RegId, usize> = HashMap::default();
    for statement in &body.statements {
        if let Stmt::Inst(inst) = statement {
            body.for_each_register(inst, |register, _| {
                if handles.contains_key(&register) || constants.contains_key(&register) {
                    *mentions.entry(register).or_default() += 1;
                }
            });
        }
    }
    let unread: HashSet<RegId> =
        mentions.into_iter().filter(|&(_, count)| count == 1).map(|(register, _)| register).collect();
    let mut statements = std::mem::take(&mut body.statements);
    statements.retain(|statement| {
        let Stmt::Inst(inst) = statement else { return true };
        let is_move = inst.mnemonic.sem() == Sem::Move(MoveSem::Mov);
        match *body.operands(inst) {
            [Operand::Register(to), Operand::Symbol(..) | Operand::Immediate(_)] if is_move => {
                !unread.contains(&to)
            }
            _ => true,
        }
    });
    body.statements = statements;
}
