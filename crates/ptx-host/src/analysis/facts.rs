//! Bounds of the values of rows, and transfer functions: the facts of an operation's result from those of its sources.
//!
//! They show that an index does not wrap around, so that `cvt.u64.u32` of it keeps its stride, and that it is a multiple of 32 at the first
//! lane of a warp, so that `tid.x >> 5` is uniform.

use ptx_isa::{Component, SpecialReg};
use ptx_program::scalar::bits::shifted;
use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::int::{Int, ProductPart, Saturation, Signedness};
use ptx_program::{Alu, Binary, Packing, Ternary, Unary, axis};

use super::{Lanes, Launched};

/// Known facts about the values of a row, as unsigned integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Lower bound, inclusive.
    pub least: u64,
    /// Upper bound, inclusive.
    pub most: u64,
    /// Known zero low bits.
    pub zeros: Zeros,
}

/// How many low bits of a row are known to be zero.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Zeros {
    /// In the first lane of a warp.
    pub warp: u32,
    /// In the first lane of each chunk.
    pub chunk: u32,
}

impl Zeros {
    /// The same number for both.
    pub fn all(zeros: u32) -> Self {
        Self { warp: zeros, chunk: zeros }
    }

    fn both(self, f: impl Fn(u32) -> u32) -> Self {
        Self { warp: f(self.warp), chunk: f(self.chunk) }
    }

    fn with(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        Self { warp: f(self.warp, other.warp), chunk: f(self.chunk, other.chunk) }
    }

    fn min(self, other: Self) -> Self {
        self.with(other, u32::min)
    }

    fn max(self, other: Self) -> Self {
        self.with(other, u32::max)
    }
}

/// The most blocks of a grid on the first axis, and on the others (manual, table of limits by compute capability).
const MOST_BLOCKS: [u64; 2] = [i32::MAX as u64, u16::MAX as u64];

impl Facts {
    /// The facts of a constant.
    pub fn constant(value: u64) -> Self {
        Self { least: value, most: value, zeros: Zeros::all(value.trailing_zeros()) }
    }

    /// The facts of arbitrary values of `bits` bits.
    pub fn of_bits(bits: u32) -> Self {
        Self::up_to(mask(bits))
    }

    fn up_to(most: u64) -> Self {
        Self { least: 0, most, zeros: Zeros::default() }
    }

    /// The facts that hold for the values of both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            zeros: self.zeros.min(other.zeros),
        }
    }

    /// The value, if there is only one.
    pub fn value(self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }

    /// The facts of the low bits of the values.
    fn low(self, bits: u32) -> Self {
        if self.most <= mask(bits) { self } else { Self { zeros: self.zeros, ..Self::of_bits(bits) } }
    }

    /// Whether all values are below `2^(bits - 1)`, so that signed and unsigned interpretation agree.
    pub fn are_small(self, bits: u32) -> bool {
        self.most <= mask(bits) >> 1
    }

    fn add(self, other: Self, bits: u32) -> Self {
        // Zero low bits survive a sum that wraps around, bounds do not.
        let zeros = self.zeros.min(other.zeros);
        match self.most.checked_add(other.most).filter(|&most| most <= mask(bits)) {
            Some(most) => Self { least: self.least + other.least, most, zeros },
            None => Self { zeros, ..Self::of_bits(bits) },
        }
    }

    fn sub(self, other: Self, bits: u32) -> Self {
        let zeros = self.zeros.min(other.zeros);
        if self.least >= other.most {
            Self { least: self.least - other.most, most: self.most - other.least, zeros }
        } else {
            Self { zeros, ..Self::of_bits(bits) }
        }
    }

    fn mul(self, other: Self, bits: u32) -> Self {
        let zeros = self.zeros.with(other.zeros, |a, b| a.saturating_add(b).min(64));
        match self.most.checked_mul(other.most).filter(|&most| most <= mask(bits)) {
            Some(most) => Self { least: self.least * other.least, most, zeros },
            None => Self { zeros, ..Self::of_bits(bits) },
        }
    }

    fn shr(self, by: u32) -> Self {
        let shift = |value: u64| shifted(value, by);
        Self {
            least: shift(self.least),
            most: shift(self.most),
            zeros: self.zeros.both(|zeros| zeros.saturating_sub(by)),
        }
    }

    fn and(self, other: Self) -> Self {
        Self { least: 0, most: self.most.min(other.most), zeros: self.zeros.max(other.zeros) }
    }

    /// For `or` and `xor`: no bit above the highest one of the two upper bounds is set.
    fn or(self, other: Self) -> Self {
        let bits = u64::BITS - (self.most | other.most).leading_zeros();
        Self { least: 0, most: mask(bits), zeros: self.zeros.min(other.zeros) }
    }
}

/// The largest integer of `bits` bits.
pub(super) fn mask(bits: u32) -> u64 {
    shifted(u64::MAX, 64 - bits.min(64))
}

/// The facts of the result of an operation from those of its sources; `None` if only its width is known.
pub(super) fn of_alu(alu: &Alu, sources: &[Facts]) -> Option<Facts> {
    match (*alu, sources) {
        (Alu::Unary { op, packing: Packing::Whole, .. }, [a]) => unary(op, *a),
        (Alu::Binary { op, packing: Packing::Whole, .. }, [a, b]) => binary(op, *a, *b),
        (Alu::Ternary { op, packing: Packing::Whole, .. }, [a, b, c]) => match op {
            Ternary::IntMad(t, part, Saturation::Wrap) => {
                let bits = if part == ProductPart::Wide { 2 * t.bits() } else { t.bits() };
                Some(product(t, part, *a, *b)?.add(c.low(bits), bits))
            }
            Ternary::Select => Some(a.join(*b)),
            _ => None,
        },
        _ => None,
    }
}

fn unary(op: Unary, a: Facts) -> Option<Facts> {
    match op {
        Unary::Field { shift, mask } => Some(a.shr(shift).and(Facts::constant(mask))),
        Unary::AddConstant { addend, mask } => {
            let bits = u64::BITS - mask.leading_zeros();
            // `add %r1, %r1, -1` is a subtraction of 1 if no value is less than 1. Of wider values only the low bits are read, so that
            // nothing is known of the difference then.
            let negative = addend.wrapping_neg() & mask;
            if negative <= a.least && a.most <= mask {
                return Some(a.sub(Facts::constant(negative), bits));
            }
            Some(a.low(bits).add(Facts::constant(addend & mask), bits))
        }
        Unary::IntToInt { to, from, excess: Excess::Truncate, register } => {
            // Values below half of the narrower type's range are changed by neither truncation nor either extension.
            let narrow = to.bits().min(from.bits());
            if a.are_small(narrow) {
                return Some(a);
            }
            let register = u64::BITS - register.leading_zeros();
            Some(Facts { zeros: a.zeros.both(|zeros| zeros.min(narrow)), ..Facts::of_bits(register) })
        }
        _ => None,
    }
}

/// The product of integers of a type, where signed and unsigned multiplication agree.
fn product(t: Int, part: ProductPart, a: Facts, b: Facts) -> Option<Facts> {
    let bits = t.bits();
    match part {
        ProductPart::Lo => Some(a.low(bits).mul(b.low(bits), bits)),
        ProductPart::Wide if t.sign() == Signedness::Unsigned || (a.are_small(bits) && b.are_small(bits)) => {
            Some(a.low(bits).mul(b.low(bits), 2 * bits))
        }
        ProductPart::Wide | ProductPart::Hi => None,
    }
}

fn binary(op: Binary, a: Facts, b: Facts) -> Option<Facts> {
    let unsigned =
        |t: Int| t.sign() == Signedness::Unsigned || (a.are_small(t.bits()) && b.are_small(t.bits()));
    match op {
        Binary::And => Some(a.and(b)),
        Binary::Or | Binary::Xor => Some(a.or(b)),
        Binary::IntAdd(t, Saturation::Wrap) => Some(a.low(t.bits()).add(b.low(t.bits()), t.bits())),
        Binary::IntSub(t, Saturation::Wrap) => Some(a.low(t.bits()).sub(b.low(t.bits()), t.bits())),
        Binary::IntMul(t, part) => product(t, part, a, b),
        Binary::Shl(t) => match b.value() {
            Some(by) if by < u64::from(t.bits()) => {
                Some(a.low(t.bits()).mul(Facts::constant(1 << by), t.bits()))
            }
            _ => None,
        },
        // Shifts, divisions and remainders read the type's low bits only, so wider values have no bounds here.
        Binary::Shr(t) if unsigned(t) && a.most <= mask(t.bits()) => {
            b.value().and_then(|by| u32::try_from(by).ok()).map(|by| a.shr(by))
        }
        Binary::IntDiv(t) if unsigned(t) && a.most <= mask(t.bits()) => match b.value() {
            Some(by) if by > 0 => {
                let zeros = match by.is_power_of_two() {
                    true => a.zeros.both(|zeros| zeros.saturating_sub(by.ilog2())),
                    false => Zeros::default(),
                };
                Some(Facts { least: a.least / by, most: a.most / by, zeros })
            }
            _ => None,
        },
        Binary::IntRem(t) if unsigned(t) && a.most <= mask(t.bits()) => match b.value() {
            Some(by) if by > 0 => {
                let zeros = if by.is_power_of_two() { a.zeros } else { Zeros::default() };
                Some(Facts { least: 0, most: a.most.min(by - 1), zeros })
            }
            _ => None,
        },
        Binary::IntMin(t) if unsigned(t) => {
            Some(Facts { least: a.least.min(b.least), most: a.most.min(b.most), zeros: a.zeros.min(b.zeros) })
        }
        Binary::IntMax(t) if unsigned(t) => {
            Some(Facts { least: a.least.max(b.least), most: a.most.max(b.most), zeros: a.zeros.min(b.zeros) })
        }
        _ => None,
    }
}

/// The facts of a special register.
pub(super) fn of_special(
    register: SpecialReg,
    component: Option<Component>,
    launched: &Launched,
    lanes: Lanes,
) -> Option<Facts> {
    let axis = axis(component);
    let most_blocks = MOST_BLOCKS[usize::from(axis > 0)];
    let [x, y, z] = launched.block.map(u64::from);
    match register {
        SpecialReg::LaneId => {
            // 0 in the first lane of a warp; in the first lane of a part of a warp, a multiple of the part's lanes.
            let warp = if lanes.parts() == 1 { 64 } else { lanes.group.trailing_zeros() };
            let zeros = Zeros { warp, chunk: lanes.chunk.trailing_zeros() };
            Some(Facts { least: 0, most: 31, zeros })
        }
        SpecialReg::Ntid if axis < 3 => Some(Facts::constant([x, y, z][axis])),
        SpecialReg::WarpId => Some(Facts::up_to((x * y * z).div_ceil(32).saturating_sub(1))),
        SpecialReg::CtaId if axis < 3 => Some(Facts::up_to(most_blocks - 1)),
        SpecialReg::NCtaId if axis < 3 => {
            Some(Facts { least: 1, most: most_blocks, zeros: Zeros::default() })
        }
        SpecialReg::Tid if axis < 3 => {
            let extent = [x, y, z][axis];
            // Threads are numbered `x` first: the first lane of a chunk has a multiple of the chunk's lanes, modulo the extent.
            let chunk = lanes.chunk.trailing_zeros();
            let zeros = match axis {
                0 if y * z == 1 || x.is_multiple_of(lanes.group.into()) => {
                    Zeros { warp: lanes.group.trailing_zeros(), chunk }
                }
                0 => Zeros::all(chunk.min(x.trailing_zeros())),
                _ => Zeros::default(),
            };
            Some(Facts { least: 0, most: extent.saturating_sub(1), zeros })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_of_values_with_more_bits_is_that_of_their_low_bits() {
        let op = Unary::AddConstant { addend: u64::MAX, mask: u32::MAX.into() };
        let low = unary(op, Facts::constant(5)).map(|facts| (facts.least, facts.most));
        assert_eq!(low, Some((4, 4)));
        // 2^32 + 5 is 5 in 32 bits.
        let found = unary(op, Facts::constant((1 << 32) + 5));
        assert!(found.is_none_or(|facts| (facts.least..=facts.most).contains(&4)), "{found:?}");
    }
}
