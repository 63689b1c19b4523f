//! Numbers whose low bits are extended by their sign: a shift to the left and one back are one `cvt` (manual 9.7.9.21).

use ptx_llvm::view::{BinaryOp, InstId, Op, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::types::Scalar;
use crate::value::Val;

/// The low bits of a number, extended to its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SignField {
    value: Value,
    /// How many bits are kept.
    kept: u32,
    /// The number's width.
    bits: u32,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the shifts to the right that extend a sign.
    pub(super) fn find_sign_fields(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                let Some(field) = self.sign_field(id) else { continue };
                if let Value::Inst(used) = field.value
                    && let Some(count) = self.uses.get_mut(used.index())
                {
                    *count += 1;
                }
                if let Op::Binary { lhs, .. } = self.function.inst(id).op {
                    self.release(lhs);
                }
                self.sign_fields.insert(id, field);
            }
        }
    }

    fn sign_field(&self, id: InstId) -> Option<SignField> {
        if self.is_taken(id) {
            return None;
        }
        let Op::Binary { op: BinaryOp::AShr, lhs, rhs, .. } = self.function.inst(id).op else { return None };
        let bits = self.integer_bits(lhs).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let Op::Binary { op: BinaryOp::Shl, lhs: value, rhs: up, .. } = *self.plain_op(lhs)? else {
            return None;
        };
        let (up, down) = (self.small_number(up)?, self.small_number(rhs)?);
        let kept = bits.checked_sub(u32::try_from(up).ok()?)?;
        (up == down && matches!(kept, 8 | 16 | 32) && kept < bits).then_some(SignField { value, kept, bits })
    }

    /// `cvt` from the narrow type; its operand may be wider.
    pub(super) fn extend_field(&mut self, id: InstId, field: SignField) -> Raised<()> {
        let SignField { value, kept, bits } = field;
        let (value, scalar) = self.scalar(value)?;
        let value = self.in_register(value, scalar)?;
        let text = format!("cvt.s{bits}.s{kept}");
        let register = self.emit_new(Scalar::Int(bits).class(), &text, &[value.into()])?;
        self.define_one(id, Val::reg(register));
        Ok(())
    }
}
