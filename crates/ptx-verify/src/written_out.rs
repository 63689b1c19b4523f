//! Transforms a module so that everything that its instructions imply is explicit.
//!
//! Old versions and targets imply modifiers, and `ptxas` adds constants to registers where they are read:
//!
//! ```text
//! mul.wide.u32 %rd1, %r1+7, 3;                 what is read, printed and verified
//!
//! add.u32 %sum0, %r1, 7;                       what is lowered and executed
//! mul.wide.u32 %rd1, %sum0, 3;
//! ```
//!
//! Registers and local variables outside of functions become parameters ([`hand_over`]), and words of old versions those that
//! replaced them ([`old_words`]). Addresses in the cluster's window are converted as such ([`cluster_addresses`]), and vectors of one element become
//! the element ([`single_elements`]). Parameters that the bodies of old kernels declare become lists ([`old_parameters`]).

use std::borrow::Cow;
use std::ops::Deref;

use ptx_ir::{
    Body, Immediate, Inst, Module, Operand, RegDecl, RegDeclId, RegId, Register, Stmt, StrId, VectorShape,
};
use ptx_isa::{Mnemonic, ScalarType, SpecialReg, implies_modifiers, ptx};

use crate::{Verified, cluster_addresses, hand_over, old_parameters, old_words, single_elements};

/// A verified module as [`Verified::written_out`] gives it, which alone makes one: what is lowered and executed.
#[derive(Clone, Debug)]
pub struct WrittenOut<'m>(Cow<'m, Module>);

impl WrittenOut<'_> {
    /// The same, independent of the module that was verified.
    pub fn into_owned(self) -> WrittenOut<'static> {
        WrittenOut(Cow::Owned(self.0.into_owned()))
    }
}

impl Deref for WrittenOut<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

impl<'m> Verified<'m> {
    /// The module with the modifiers that its version and target imply written out ([`ptx_isa::Mnemonic::written_out`]), and with sums
    /// of registers and constants as instructions of their own, nothing declared outside of functions that belongs to a thread, and
    /// no directive that later versions lack: what its instructions mean under any version and target.
    pub fn written_out(self) -> WrittenOut<'m> {
        let header = self.module.version().zip(self.module.target().and_then(|target| target.sm));
        let implied = header.filter(|(version, sm)| implies_modifiers(*version, *sm));
        let has_sums = |body: &Body| body.all_operands().iter().any(is_sum);
        let sums = self.module.functions.iter().filter_map(|function| function.body.as_ref()).any(has_sums);
        let hands_over = hand_over::is_needed(self.module);
        let has_old_words = old_words::is_needed(self.module);
        let has_old_parameters = old_parameters::is_needed(self.module);
        let has_cluster_addresses = cluster_addresses::is_needed(self.module);
        let has_singles = single_elements::is_needed(self.module);
        if implied.is_none()
            && !sums
            && !hands_over
            && !has_old_words
            && !has_old_parameters
            && !has_cluster_addresses
            && !has_singles
        {
            return WrittenOut(Cow::Borrowed(self.module));
        }
        let mut module = self.module.clone();
        if has_singles {
            single_elements::replace(&mut module);
        }
        if hands_over {
            hand_over::hand_over(&mut module);
        }
        if has_old_words {
            old_words::replace(&mut module);
        }
        if has_old_parameters {
            old_parameters::list(&mut module);
        }
        if has_cluster_addresses {
            cluster_addresses::replace(&mut module);
        }
        if let Some((version, sm)) = implied {
            let bodies = module.functions.iter_mut().filter_map(|function| function.body.as_mut());
            for statement in bodies.flat_map(|body| &mut body.statements) {
                if let Stmt::Inst(inst) = statement {
                    inst.mnemonic = inst.mnemonic.written_out(version, sm);
                }
            }
        }
        if sums || hands_over {
            let name = module.strings.intern("%sum");
            for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
                if has_sums(body) {
                    add_before(body, name);
                }
            }
        }
        WrittenOut(Cow::Owned(module))
    }
}

fn is_sum(operand: &Operand) -> bool {
    matches!(operand, Operand::Sum(..) | Operand::SpecialSum(..))
}

/// Adds before each instruction the sums that its operands are. They have no guard: nothing else reads them.
fn add_before(body: &mut Body, name: StrId) {
    let statements = std::mem::take(&mut body.statements);
    for statement in statements {
        let Stmt::Inst(mut inst) = statement else {
            body.statements.push(statement);
            continue;
        };
        let operands: Vec<_> =
            body.operands(&inst).iter().copied().zip(body.operand_spans(&inst).iter().copied()).collect();
        if operands.iter().any(|(operand, _)| is_sum(operand)) {
            let named = operands.into_iter().map(|(operand, span)| {
                let result = match operand {
                    Operand::Sum(register, constant) => sum(body, name, &inst, register, constant),
                    Operand::SpecialSum(special, constant) => moved(body, name, &inst, special)
                        .and_then(|register| sum(body, name, &inst, register, constant)),
                    _ => None,
                };
                (result.map_or(operand, Operand::Register), span)
            });
            let named: Vec<_> = named.collect();
            inst.operands = body.add_list(named);
        }
        body.statements.push(Stmt::Inst(inst));
    }
}

/// Copies a special register to a new register; `None` for one that no constant is added to.
fn moved(body: &mut Body, name: StrId, user: &Inst, special: SpecialReg) -> Option<RegId> {
    let (added, ty) = match special.scalar_type().bits() {
        32 => (ptx!("mov.u32"), ScalarType::U32),
        64 => (ptx!("mov.u64"), ScalarType::U64),
        _ => return None,
    };
    let result = new_register(body, name, user, ty);
    add_inst(body, user, added, &[Operand::Register(result), Operand::Special(special, None)]);
    Some(result)
}

/// Adds a constant to a register in a new register; `None` for registers that no constant is added to.
fn sum(body: &mut Body, name: StrId, user: &Inst, register: RegId, constant: i64) -> Option<RegId> {
    let (added, ty) = match body.reg_type(register).bits() {
        16 => (ptx!("add.u16"), ScalarType::U16),
        32 => (ptx!("add.u32"), ScalarType::U32),
        64 => (ptx!("add.u64"), ScalarType::U64),
        _ => return None,
    };
    let result = new_register(body, name, user, ty);
    let constant = Operand::Immediate(Immediate::integer(constant));
    add_inst(body, user, added, &[Operand::Register(result), Operand::Register(register), constant]);
    Some(result)
}

fn new_register(body: &mut Body, name: StrId, user: &Inst, ty: ScalarType) -> RegId {
    let number = body.registers.len() as u32;
    let (shape, count) = (VectorShape::Scalar, Some(number + 1));
    body.reg_decls.push(RegDecl { name, ty, shape, count, at: user.at });
    body.registers.push(Register { decl: RegDeclId(body.reg_decls.len() as u32 - 1), number });
    RegId(number)
}

/// Adds an instruction.
fn add_inst(body: &mut Body, user: &Inst, mnemonic: Mnemonic, operands: &[Operand]) {
    let operands = body.add_list(operands.iter().map(|operand| (*operand, user.at.0)));
    let inst = Inst { guard: None, mnemonic, operands, zero_offsets: user.zero_offsets, at: user.at };
    body.statements.push(Stmt::Inst(inst));
}
