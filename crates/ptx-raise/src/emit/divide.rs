//! Division of integers by constants: a product with the reciprocal in place of `div` and `rem`, which are long sequences
//! for any divisor (Granlund and Montgomery, "Division by Invariant Integers using Multiplication").

use ptx_ir::RegId;
use ptx_isa::ptx;
use ptx_llvm_core::view::BinaryOp;

use super::append::{Arg, number};
use super::state::Emitter;
use crate::error::Result;
use crate::types::Scalar;
use crate::types::integer_class;
use crate::value::{Fill, Upper, Val, mask, sign_extend};

/// A reciprocal of an unsigned divisor, for numbers of some width: the quotient is the upper half of the product, shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reciprocal {
    /// By how much the dividend is shifted to the right first.
    before: u32,
    /// The factor, of the width of the numbers.
    factor: u64,
    /// Whether the factor has one more bit, which is set.
    extra_bit: bool,
    /// By how much the upper half of the product is shifted to the right; with an extra bit one less than that.
    after: u32,
}

impl Reciprocal {
    /// The reciprocal of a divisor of at least 3 that is no power of two, for numbers of `width` bits, 32 or 64.
    fn new(divisor: u64, width: u32) -> Self {
        let most = 64 - (divisor - 1).leading_zeros();
        let fits = |divisor: u64, before: u32| {
            (0..most).find_map(|after| {
                let power = 1u128 << (width + after);
                let factor = power.div_ceil(u128::from(divisor));
                let excess = factor * u128::from(divisor) - power;
                let exact = factor >> width == 0 && excess <= 1 << (after + before);
                exact.then_some(Self { before, factor: factor as u64, extra_bit: false, after })
            })
        };
        let zeros = divisor.trailing_zeros();
        let found = fits(divisor, 0).or_else(|| fits(divisor >> zeros, zeros).filter(|_| zeros > 0));
        found.unwrap_or_else(|| {
            // The factor without its highest bit: 2^most exceeds the divisor by less than the divisor.
            let rest = (1u128 << most) - u128::from(divisor);
            let factor = (rest << width).div_ceil(u128::from(divisor)) as u64;
            Self { before: 0, factor, extra_bit: true, after: most - 1 }
        })
    }
}

/// The factor and the shift for a signed divisor whose size is at least 3 and no power of two.
fn signed_reciprocal(divisor: i64, width: u32) -> (i64, u32) {
    let size = u128::from(divisor.unsigned_abs());
    // The largest number of that sign that leaves the largest remainder.
    let bound = (1u128 << (width - 1)) + u128::from(divisor < 0);
    let critical = bound - 1 - bound % size;
    let enough = |power: &u32| (1u128 << power) > critical * (size - (1u128 << power) % size);
    // Default: the last one is enough, since `critical` and `size` are at most 2^(width - 1).
    let power = (width..2 * width - 1).find(enough).unwrap_or(2 * width - 1);
    debug_assert!(enough(&power), "no shift divides by {divisor}");
    let factor = (1u128 << power) / size + 1;
    let factor = sign_extend(factor as u64 & mask(width), width);
    (if divisor < 0 { sign_extend(factor.wrapping_neg() as u64, width) } else { factor }, power - width)
}

impl Emitter<'_, '_, '_> {
    /// A quotient or remainder of an integer of at most 64 bits and a constant; `None` where the divisor has no short form.
    pub(super) fn divide_by_constant(
        &mut self,
        op: BinaryOp,
        value: Val,
        divisor: u64,
        bits: u32,
    ) -> Result<Option<Val>> {
        let fill = match op {
            BinaryOp::UDiv | BinaryOp::URem => Fill::Zero,
            BinaryOp::SDiv | BinaryOp::SRem => Fill::Sign,
            _ => return Ok(None),
        };
        if bits == 1 || divisor == 0 || matches!(value, Val::Bits(_)) {
            return Ok(None);
        }
        // Narrow numbers are divided in 32 bits.
        let width = if bits <= 32 { 32 } else { 64 };
        let scalar = Scalar::Int(bits);
        let remainder = matches!(op, BinaryOp::URem | BinaryOp::SRem);
        let dividend = self.extended(value, scalar, width, fill)?;
        let (result, upper) = match fill {
            Fill::Sign => {
                let divisor = sign_extend(divisor, bits);
                (self.divide_signed(dividend, divisor, width, remainder)?, Upper::Any)
            }
            Fill::Zero => (self.divide_unsigned(dividend, divisor, bits, remainder)?, Upper::Zero),
        };
        let register = self.resized(result, integer_class(width), scalar.class())?;
        Ok(Some(Val::Register(register, upper)))
    }

    fn divide_unsigned(&mut self, n: RegId, divisor: u64, bits: u32, remainder: bool) -> Result<RegId> {
        let width = if bits <= 32 { 32 } else { 64 };
        if divisor.is_power_of_two() {
            return if remainder {
                self.compute(ptx!("and.b32").with_bits(width)?, &[n.into(), Arg::Bits(divisor - 1, width)])
            } else {
                self.shifted_down(n, divisor.trailing_zeros(), width)
            };
        }
        let quotient = if bits <= 16 {
            // The product of 16 bits and a reciprocal rounded up in 32 is exact.
            let factor = (1u64 << 32).div_ceil(divisor);
            self.compute(ptx!("mul.hi.u32"), &[n.into(), Arg::Bits(factor, 32)])?
        } else {
            self.multiply_reciprocal(n, Reciprocal::new(divisor, width), width)?
        };
        if remainder { self.rest_of(n, quotient, divisor, width) } else { Ok(quotient) }
    }

    fn multiply_reciprocal(&mut self, n: RegId, by: Reciprocal, width: u32) -> Result<RegId> {
        let start = self.shifted_down(n, by.before, width)?;
        let factor = Arg::Bits(by.factor, width);
        let high = self.compute(ptx!("mul.hi.u32").with_bits(width)?, &[start.into(), factor])?;
        if !by.extra_bit {
            return self.shifted_down(high, by.after, width);
        }
        // (n + high) / 2 without the bit that the sum may have too many.
        let (add, sub) = (ptx!("add.s32").with_bits(width)?, ptx!("sub.s32").with_bits(width)?);
        let difference = self.compute(sub, &[n.into(), high.into()])?;
        let half = self.shifted_down(difference, 1, width)?;
        let sum = self.compute(add, &[half.into(), high.into()])?;
        self.shifted_down(sum, by.after, width)
    }

    fn divide_signed(&mut self, n: RegId, divisor: i64, width: u32, remainder: bool) -> Result<RegId> {
        let size = divisor.unsigned_abs();
        if size.is_power_of_two() {
            return self.divide_signed_power(n, divisor, width, remainder);
        }
        let (factor, shift) = signed_reciprocal(divisor, width);
        let args = [n.into(), Arg::Bits(factor as u64 & mask(width), width)];
        let mut high = self.compute(ptx!("mul.hi.s32").with_bits(width)?, &args)?;
        if (divisor > 0) != (factor > 0) {
            let corrected = if divisor > 0 { ptx!("add.s32") } else { ptx!("sub.s32") };
            high = self.compute(corrected.with_bits(width)?, &[high.into(), n.into()])?;
        }
        let sign = self.shifted_down(high, width - 1, width)?;
        if shift > 0 {
            high = self.compute(ptx!("shr.s32").with_bits(width)?, &[high.into(), number(shift.into())])?;
        }
        let quotient = self.compute(ptx!("add.s32").with_bits(width)?, &[high.into(), sign.into()])?;
        if remainder { self.rest_of(n, quotient, divisor as u64, width) } else { Ok(quotient) }
    }

    /// A power of two: negative numbers are biased, since a shift would round them down.
    fn divide_signed_power(&mut self, n: RegId, divisor: i64, width: u32, remainder: bool) -> Result<RegId> {
        let shift = divisor.unsigned_abs().trailing_zeros();
        let raised = match shift {
            0 => n,
            _ => {
                let sign = if shift == 1 {
                    n
                } else {
                    let all = number(u64::from(width - 1));
                    self.compute(ptx!("shr.s32").with_bits(width)?, &[n.into(), all])?
                };
                let rounding = self.shifted_down(sign, width - shift, width)?;
                self.compute(ptx!("add.s32").with_bits(width)?, &[n.into(), rounding.into()])?
            }
        };
        if remainder {
            if shift == 0 {
                return self.in_register(Val::Bits(0), Scalar::Int(width));
            }
            let whole = Arg::Bits(!mask(shift) & mask(width), width);
            let multiple = self.compute(ptx!("and.b32").with_bits(width)?, &[raised.into(), whole])?;
            return self.compute(ptx!("sub.s32").with_bits(width)?, &[n.into(), multiple.into()]);
        }
        let quotient = match shift {
            0 => raised,
            _ => {
                self.compute(ptx!("shr.s32").with_bits(width)?, &[raised.into(), number(u64::from(shift))])?
            }
        };
        if divisor > 0 {
            return Ok(quotient);
        }
        self.compute(ptx!("neg.s32").with_bits(width)?, &[quotient.into()])
    }

    /// The dividend without the multiple of the divisor.
    fn rest_of(&mut self, n: RegId, quotient: RegId, divisor: u64, width: u32) -> Result<RegId> {
        let factor = Arg::Bits(divisor.wrapping_neg() & mask(width), width);
        self.compute(ptx!("mad.lo.s32").with_bits(width)?, &[quotient.into(), factor, n.into()])
    }

    fn shifted_down(&mut self, register: RegId, by: u32, width: u32) -> Result<RegId> {
        self.shifted_by(ptx!("shr.u32"), register, by, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quotient as the emitted instructions compute it.
    fn unsigned(n: u64, by: Reciprocal, width: u32) -> u64 {
        let high = ((u128::from(n >> by.before) * u128::from(by.factor)) >> width) as u64;
        if !by.extra_bit {
            return high >> by.after;
        }
        (((n.wrapping_sub(high) & mask(width)) >> 1) + high) >> by.after
    }

    fn signed(n: i64, divisor: i64, width: u32) -> i64 {
        let (factor, shift) = signed_reciprocal(divisor, width);
        let mut high = ((i128::from(n) * i128::from(factor)) >> width) as i64;
        if (divisor > 0) != (factor > 0) {
            high = if divisor > 0 { high.wrapping_add(n) } else { high.wrapping_sub(n) };
            high = sign_extend(high as u64 & mask(width), width);
        }
        (high >> shift) + i64::from(high < 0)
    }

    #[test]
    fn reciprocals_divide_exactly_at_the_edges() {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for width in [32, 64] {
            for step in 0..20_000u64 {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(step | 1);
                let divisor = if step < 3000 { step + 3 } else { (random & mask(width)) >> (step % 30) };
                if divisor < 3 || divisor.is_power_of_two() {
                    continue;
                }
                let multiple = mask(width) / divisor * divisor;
                for n in
                    [0, 1, divisor - 1, divisor, multiple - 1, multiple, mask(width), random & mask(width)]
                {
                    let by = Reciprocal::new(divisor, width);
                    assert_eq!(unsigned(n, by, width), n / divisor, "{n} / {divisor}, {by:?}");
                }
                let divisor = sign_extend(divisor, width);
                if divisor.unsigned_abs() < 3 || divisor.unsigned_abs().is_power_of_two() {
                    continue;
                }
                let (least, most) =
                    (sign_extend(1 << (width - 1), width), sign_extend(mask(width - 1), width));
                for n in
                    [0, 1, -1, divisor, divisor - divisor.signum(), least, least + 1, most, random as i64]
                {
                    let n = sign_extend(n as u64 & mask(width), width);
                    assert_eq!(signed(n, divisor, width), n.wrapping_div(divisor), "{n} / {divisor}");
                }
            }
        }
    }
}
