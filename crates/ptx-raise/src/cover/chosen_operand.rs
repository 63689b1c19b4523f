//! Operations of which one operand is chosen between a value and one that changes nothing.
//!
//! ```text
//! %s = select i1 %c, i32 0, i32 %x
//! %r = add i32 %s, %y                    ; add.s32 %t, %x, %y;
//!                                        ; selp.b32 %r, %y, %t, %c;
//! ```
//!
//! InstCombine prefers the choice of the operand. ptxas predicates an operation whose result is chosen, and makes a product before it a part of it.

use ptx_llvm_core::view::{BinaryOp, Constant, FastMath, FloatKind, InstId, Op, Type, Value};
use smallvec::smallvec;

use super::decision::{Action, ChosenOperand, Match};
use super::state::Covering;
use crate::value::mask;

/// Recognizes an operation on a choice that nothing else reads.
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let inst = cover.source.inst(id);
    let Op::Binary { op, lhs, rhs, fast, .. } = inst.op else { return None };
    if cover.source.is_as_written() || cover.source.is_own_register(id) {
        return None;
    }
    let on_left = chosen(cover, op, fast, lhs, rhs, true);
    let chosen = on_left.or_else(|| chosen(cover, op, fast, rhs, lhs, false))?;
    let reads = smallvec![chosen.cond, chosen.value, chosen.other];
    Some(Match { action: Action::ChosenOperand(chosen), reads })
}

fn chosen(
    cover: &Covering<'_, '_, '_>,
    op: BinaryOp,
    fast: FastMath,
    choice: Value,
    other: Value,
    on_left: bool,
) -> Option<ChosenOperand> {
    let source = cover.source;
    let Value::Inst(select) = choice else { return None };
    let Op::Select { cond, then, other: otherwise, .. } = *cover.cover.plain_op(choice)? else { return None };
    let is_open = cover.cover.uses.count(select) == 1
        && !cover.is_decided(select)
        && !cover.text_inputs.contains(&choice)
        // With a constant there is nothing to gain, and a condition for each element is not one.
        && !matches!(other, Value::Const(_))
        && source.type_of(cond).and_then(|ty| source.int_bits(ty)) == Some(1);
    if !is_open {
        return None;
    }
    let changes_nothing = |value| is_identity(cover, op, fast, value, on_left);
    let (value, if_true) = match (changes_nothing(then), changes_nothing(otherwise)) {
        (true, false) => (otherwise, true),
        (false, true) => (then, false),
        _ => return None,
    };
    Some(ChosenOperand { op, fast, cond, unchanged_if: if_true, value, other, on_left })
}

/// Whether an operand leaves the other one as it is. Choices of 64 bits are two instructions each, which sums with offsets of 32 bits avoid.
fn is_identity(
    cover: &Covering<'_, '_, '_>,
    op: BinaryOp,
    fast: FastMath,
    value: Value,
    on_left: bool,
) -> bool {
    let (source, Value::Const(constant)) = (cover.source, value) else { return false };
    let Some(ty) = source.type_of(value) else { return false };
    match (source.view.ty(ty), source.view.constant(constant)) {
        (Type::Int { bits: 32 }, _) => {
            let Some(number) = source.number(value) else { return false };
            match op {
                BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => number == 0,
                BinaryOp::Sub | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => number == 0 && !on_left,
                BinaryOp::And => number == mask(32),
                _ => false,
            }
        }
        (Type::Float(FloatKind::Float), Constant::Float(bits)) => match op {
            BinaryOp::FAdd => *bits == 1 << 31 || *bits == 0 && fast.nsz,
            BinaryOp::FSub => !on_left && (*bits == 0 || *bits == 1 << 31 && fast.nsz),
            BinaryOp::FMul => *bits == 0x3f80_0000,
            _ => false,
        },
        _ => false,
    }
}
