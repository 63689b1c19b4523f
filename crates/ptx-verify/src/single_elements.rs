//! Vectors of one element, which `mov` takes for the element.
//!
//! ```text
//! mov.b32 {%r1}, %r2;        what is read, printed and verified
//! mov.b32 %r1, %r2;          what is lowered and executed
//! ```

use ptx_ir::{Body, Inst, Module, Operand, Stmt};
use ptx_isa::{MoveSem, Sem};

/// Whether the module has such a vector.
pub(crate) fn is_needed(module: &Module) -> bool {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    bodies.into_iter().any(|body| body.instructions().any(|(_, inst)| has_single(body, inst)))
}

/// Replaces such vectors by their elements.
pub(crate) fn replace(module: &mut Module) {
    for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
        for at in 0..body.statements.len() {
            let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
            if !has_single(body, inst) {
                continue;
            }
            let operands = body.operands(inst).iter().zip(body.operand_spans(inst));
            let operands: Vec<_> =
                operands.map(|(&operand, &span)| (single(body, operand).unwrap_or(operand), span)).collect();
            let operands = body.add_list(operands);
            if let Some(Stmt::Inst(inst)) = body.statements.get_mut(at) {
                inst.operands = operands;
            }
        }
    }
}

fn has_single(body: &Body, inst: &Inst) -> bool {
    inst.mnemonic.sem() == Sem::Move(MoveSem::Mov)
        && body.operands(inst).iter().any(|&operand| single(body, operand).is_some())
}

/// The element of a vector of one.
fn single(body: &Body, operand: Operand) -> Option<Operand> {
    let Operand::Vector(list) = operand else { return None };
    match body.list(list) {
        &[element] => Some(element),
        _ => None,
    }
}
