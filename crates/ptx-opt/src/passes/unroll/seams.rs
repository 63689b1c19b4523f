//! Where control enters and leaves the loops.

use std::collections::HashMap;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Block, Editor, Inst, Value};

use super::counted::{Counted, Values};

/// Leads both loops to `after` and from there to where the loop led: `between` from the unrolled one, whose last copy has `values`. What is used after the loop is a phi of both.
pub(super) fn leave<'e>(
    editor: &Editor<'e>,
    counted: &Counted<'e>,
    values: &Values<'e>,
    between: Block<'e>,
    after: Block<'e>,
) -> Result<(), LlvmError> {
    let Counted { latch, exit, .. } = *counted;
    let builder = editor.at_end(after);
    let mut joined: HashMap<Value<'e>, Value<'e>> = HashMap::new();
    let mut joined_of = |value: Value<'e>| {
        if counted.is_invariant(value) {
            return Ok(value);
        }
        if let Some(&joined) = joined.get(&value) {
            return Ok(joined);
        }
        let own = values.get(&value).copied().unwrap_or(value);
        let phi = builder.phi(value.ty(), &[(value, latch), (own, between)])?;
        joined.insert(value, phi.value());
        Ok::<_, LlvmError>(phi.value())
    };
    for phi in exit.phis() {
        let mut incomings = Vec::new();
        for (value, from) in phi.incomings() {
            incomings.push(if from == latch { (joined_of(value)?, after) } else { (value, from) });
        }
        let own = editor.before(phi)?.phi(phi.ty(), &incomings)?;
        editor.replace(phi, own.value())?;
    }
    for inst in counted.blocks.iter().flat_map(|block| block.instructions()) {
        let is_outside =
            |user: &Inst<'e>| user.block().is_some_and(|block| !counted.contains(block) && block != after);
        let users: Vec<Inst<'e>> = inst.users().filter(is_outside).collect();
        for user in users {
            let own = joined_of(inst.value())?;
            for (at, operand) in (0..).zip(user.operands()) {
                if operand == inst.value() {
                    user.set_operand(at, own)?;
                }
            }
        }
    }
    editor.at_end(after).branch(exit)?;
    retarget(latch, exit, after)
}

/// Leads control to the original loop from `between`, after the unrolled one, or from `entry` if that is not entered.
pub(super) fn enter<'e>(
    editor: &Editor<'e>,
    counted: &Counted<'e>,
    values: &Values<'e>,
    entry: Block<'e>,
    between: Block<'e>,
) -> Result<(), LlvmError> {
    let Counted { before, header, latch, .. } = *counted;
    // Before any phi is replaced, which others may take from the round before.
    let last = |phi: Inst<'e>| {
        let back = phi.incoming_from(latch)?;
        Some((phi, values.get(&back).copied().unwrap_or(back)))
    };
    let found: Vec<(Inst<'e>, Value<'e>)> = header.phis().filter_map(last).collect();
    for (phi, last) in found {
        let Some((start, back)) = phi.incoming_from(before).zip(phi.incoming_from(latch)) else { continue };
        let own = editor.before(phi)?.phi(phi.ty(), &[(start, entry), (back, latch), (last, between)])?;
        editor.replace(phi, own.value())?;
    }
    retarget(before, header, entry)
}

/// Has the end of a block go to another one.
fn retarget<'e>(block: Block<'e>, from: Block<'e>, to: Block<'e>) -> Result<(), LlvmError> {
    let Some(end) = block.terminator() else { return Ok(()) };
    for (at, successor) in (0..).zip(block.successors()) {
        if successor == from {
            end.set_successor(at, to)?;
        }
    }
    Ok(())
}
