//! `frem`, which PTX lacks: the remainder of a division that truncates, exact whatever the quotient.
//!
//! The divisor is doubled until twice it exceeds the dividend, then halved back to itself; on the way down it is subtracted where
//! it fits. Doubling, halving back and subtracting something of less than twice its size round nothing.

use ptx_isa::ptx;
use ptx_llvm::view::{BinaryOp, FastMath, FloatPredicate};

use super::state::Emitter;
use crate::error::Raised;
use crate::types::Scalar;
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// The remainder with the dividend's sign.
    pub(super) fn float_remainder(&mut self, a: Val, b: Val, scalar: Scalar) -> Raised<Val> {
        if !matches!(scalar, Scalar::Float | Scalar::Double) {
            return self.through_single(scalar, &[a, b], &mut |this, args| {
                this.float_remainder(args[0], args[1], Scalar::Float)
            });
        }
        let (infinity, nan, half) = if scalar == Scalar::Float {
            (0x7f80_0000, 0x7fc0_0000, 0x3f00_0000)
        } else {
            (0x7ff0 << 48, 0x7ff8 << 48, 0x3fe0 << 48)
        };
        let dividend = self.absolute(a, scalar)?;
        let divisor = self.absolute(b, scalar)?;
        let divisor = self.in_register(divisor, scalar)?;
        let (rest, step) = (self.register_for(scalar), self.register_for(scalar));
        self.copy_to(rest, dividend, scalar)?;
        self.copy_to(step, Val::reg(divisor), scalar)?;
        // Neither loop ends with an infinite dividend or a divisor of zero, and NaN is its own result.
        let unordered =
            self.compare_floats(FloatPredicate::Uno, Val::reg(rest), Val::reg(divisor), scalar)?;
        let infinite =
            self.compare_floats(FloatPredicate::Oeq, Val::reg(rest), Val::Bits(infinity), scalar)?;
        let zero = self.compare_floats(FloatPredicate::Oeq, Val::reg(divisor), Val::Bits(0), scalar)?;
        let either = self.pred(ptx!("or.pred"), unordered, infinite)?;
        let undefined = self.pred(ptx!("or.pred"), either, zero)?;
        let undefined = self.in_register(undefined, Scalar::Int(1))?;
        let (up, up_end, down, down_end, end) =
            (self.new_label(), self.new_label(), self.new_label(), self.new_label(), self.new_label());
        self.copy_to_if(undefined, rest, nan, scalar)?;
        self.branch_if(undefined, false, end)?;
        self.builder.place(up);
        let twice = self.exact(BinaryOp::FAdd, Val::reg(step), Val::reg(step), scalar)?;
        let fits = self.compare_floats(FloatPredicate::Ole, twice, Val::reg(rest), scalar)?;
        let fits = self.in_register(fits, Scalar::Int(1))?;
        self.branch_if(fits, true, up_end)?;
        self.copy_to(step, twice, scalar)?;
        self.jump_back(up)?;
        self.builder.place(up_end);
        self.builder.place(down);
        let less = self.exact(BinaryOp::FSub, Val::reg(rest), Val::reg(step), scalar)?;
        let fits = self.compare_floats(FloatPredicate::Oge, Val::reg(rest), Val::reg(step), scalar)?;
        let next = self.choose(fits, less, Val::reg(rest), scalar)?;
        self.copy_to(rest, next, scalar)?;
        let last = self.compare_floats(FloatPredicate::Oeq, Val::reg(step), Val::reg(divisor), scalar)?;
        let last = self.in_register(last, Scalar::Int(1))?;
        self.branch_if(last, false, down_end)?;
        let halved = self.exact(BinaryOp::FMul, Val::reg(step), Val::Bits(half), scalar)?;
        self.copy_to(step, halved, scalar)?;
        self.jump_back(down)?;
        self.builder.place(down_end);
        self.builder.place(end);
        self.copy_sign(Val::reg(rest), a, scalar)
    }

    /// Arithmetic that neither flushes subnormal numbers nor contracts.
    fn exact(&mut self, op: BinaryOp, a: Val, b: Val, scalar: Scalar) -> Raised<Val> {
        let flush = std::mem::replace(&mut self.flush, false);
        let result = self.float_binary(op, a, b, scalar, FastMath::default());
        self.flush = flush;
        result
    }

    fn jump_back(&mut self, label: ptx_ir::LabelId) -> Raised<()> {
        self.emit(ptx!("bra.uni"), &[ptx_ir::Operand::Label(label).into()])
    }

    fn copy_to_if(
        &mut self,
        condition: ptx_ir::RegId,
        register: ptx_ir::RegId,
        bits: u64,
        scalar: Scalar,
    ) -> Raised<()> {
        let chosen = self.choose(Val::reg(condition), Val::Bits(bits), Val::reg(register), scalar)?;
        self.copy_to(register, chosen, scalar)
    }
}
