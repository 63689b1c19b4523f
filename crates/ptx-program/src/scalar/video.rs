//! Video instructions: arithmetic on parts of registers, scalar or SIMD (manual 9.7.18).
//!
//! The manual's pseudo-code is evaluated in 64 bits, in which all intermediate values are exact. The code that `ptxas`
//! generates for current architectures, which lack these instructions, agrees except for secondary operations on values
//! wider than 31 bits and products of full unsigned words (docs/ptx-dialect.md).

use super::bits::Overshoot;
use super::compare::Relation;
use super::int::{Int, Saturation, Signedness};

/// A byte, half or word of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct RegisterPart {
    /// Its lowest bit.
    pub shift: u32,
    /// 8, 16 or 32.
    pub bits: u32,
}

impl RegisterPart {
    /// The whole register.
    pub const WORD: RegisterPart = RegisterPart { shift: 0, bits: 32 };

    #[inline]
    const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The part as a number.
    #[inline]
    pub fn of(self, sign: Signedness, raw: u64) -> i64 {
        extend(sign, self.bits, raw >> self.shift)
    }

    /// `word` with the part replaced by the low bits of `value`.
    #[inline]
    fn merge(self, value: i64, word: u64) -> u64 {
        let place = self.mask() << self.shift;
        word & !place & 0xffff_ffff | (value as u64 & self.mask()) << self.shift
    }
}

#[inline]
fn extend(sign: Signedness, bits: u32, raw: u64) -> i64 {
    let unused = 64 - bits;
    match sign {
        Signedness::Unsigned => (raw << unused >> unused) as i64,
        Signedness::Signed => (raw << unused) as i64 >> unused,
    }
}

/// Saturates `value` to an integer type of `bits` bits.
#[inline]
fn clamp(sign: Signedness, bits: u32, value: i64) -> i64 {
    match sign {
        Signedness::Unsigned => value.clamp(0, (1 << bits) - 1),
        Signedness::Signed => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// The operation on two parts or lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Operation {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The mean, rounded away from zero.
    Average,
    /// The absolute difference.
    Distance,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// `a` shifted left by `b`.
    ShiftLeft(Overshoot),
    /// `a` shifted right by `b`, arithmetically.
    ShiftRight(Overshoot),
    /// 1 when the comparison holds, else 0.
    Compare(Relation),
}

impl Operation {
    #[inline]
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Operation::Add => a + b,
            Operation::Sub => a - b,
            Operation::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Operation::Distance => (a - b).abs(),
            Operation::Min => a.min(b),
            Operation::Max => a.max(b),
            // The manual's intermediate value is 34 bits wide; higher bits are lost.
            Operation::ShiftLeft(overshoot) => a.wrapping_shl(amount(overshoot, b)) << 30 >> 30,
            Operation::ShiftRight(overshoot) => a >> amount(overshoot, b),
            Operation::Compare(relation) => relation.holds(a.cmp(&b)).into(),
        }
    }
}

/// A shift amount: clamped to 32, or taken modulo 32.
#[inline]
fn amount(overshoot: Overshoot, b: i64) -> u32 {
    match overshoot {
        Overshoot::Clamp => b.min(32) as u32,
        Overshoot::Wrap => b as u32 & 31,
    }
}

/// The secondary operation on the result of a scalar instruction and `c` (manual 9.7.18.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Second {
    /// None: there is no `c`.
    Nothing,
    /// `.add`: the sum.
    Add,
    /// `.min`: the minimum.
    Min,
    /// `.max`: the maximum.
    Max,
    /// The result is merged into this part of `c`.
    Merge(RegisterPart),
}

/// A scalar video instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scalar {
    /// The primary operation.
    pub operation: Operation,
    /// The part of `a`, and its type.
    pub a: (RegisterPart, Signedness),
    /// The part of `b`, and its type.
    pub b: (RegisterPart, Signedness),
    /// The type of the result and of `c`.
    pub d: Signedness,
    /// `.sat`: to the range of the type, with the width of the destination part.
    pub saturation: Saturation,
    /// The secondary operation.
    pub second: Second,
}

impl Scalar {
    /// Computes it.
    #[inline]
    pub fn apply(&self, a: u64, b: u64, c: u64) -> u64 {
        let (a, b) = (self.a.0.of(self.a.1, a), self.b.0.of(self.b.1, b));
        let exact = self.operation.apply(a, b);
        let bits = match self.second {
            Second::Merge(part) => part.bits,
            Second::Nothing | Second::Add | Second::Min | Second::Max => 32,
        };
        let result = match self.saturation {
            Saturation::Wrap => exact,
            Saturation::Clamp => clamp(self.d, bits, exact),
        };
        let third = RegisterPart::WORD.of(self.d, c);
        let combined = match self.second {
            Second::Nothing => result,
            Second::Add => result + third,
            Second::Min => result.min(third),
            Second::Max => result.max(third),
            Second::Merge(part) => return part.merge(result, c),
        };
        combined as u64 & 0xffff_ffff
    }
}

/// The operand that `vmad` negates, or `.po` (manual 9.7.18.1.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Turn {
    /// Nothing.
    Neither,
    /// The product.
    Product,
    /// The summand.
    Summand,
    /// `.po`: adds one more.
    PlusOne,
}

/// `vmad`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct MultiplyAdd {
    /// The part of `a`, and its type.
    pub a: (RegisterPart, Signedness),
    /// The part of `b`, and its type.
    pub b: (RegisterPart, Signedness),
    /// The negated operand.
    pub turn: Turn,
    /// Right shift of the sum: 0, 7 or 15.
    pub scale: u32,
    /// `.sat`: to 32 bits, signed unless all operands are unsigned.
    pub saturation: Saturation,
}

impl MultiplyAdd {
    /// Computes it.
    #[inline]
    pub fn apply(&self, a: u64, b: u64, c: u64) -> u64 {
        let unsigned = |sign| sign == Signedness::Unsigned;
        let sign = match self.turn {
            Turn::Neither | Turn::PlusOne if unsigned(self.a.1) && unsigned(self.b.1) => Signedness::Unsigned,
            Turn::Neither | Turn::PlusOne | Turn::Product | Turn::Summand => Signedness::Signed,
        };
        let (a, b) = (self.a.0.of(self.a.1, a), self.b.0.of(self.b.1, b));
        let (product, third) = (i128::from(a) * i128::from(b), i128::from(RegisterPart::WORD.of(sign, c)));
        let sum = match self.turn {
            Turn::Neither => product + third,
            Turn::Product => third - product,
            Turn::Summand => product - third,
            Turn::PlusOne => product + third + 1,
        };
        let scaled = sum >> self.scale;
        match self.saturation {
            Saturation::Wrap => scaled as u64 & 0xffff_ffff,
            Saturation::Clamp => match sign {
                Signedness::Unsigned => Int::U32.clamp(scaled),
                Signedness::Signed => Int::S32.clamp(scaled),
            },
        }
    }
}

/// Combination of the lanes of a SIMD instruction (manual 9.7.18.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Gather {
    /// Lanes in the mask replace those of `c`.
    Merge,
    /// `.add`: lanes in the mask are added to `c`.
    Sum,
}

/// A video instruction on two halves or four bytes. Lanes count from the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Simd {
    /// The operation in each lane.
    pub operation: Operation,
    /// 16 or 8.
    pub lane_bits: u32,
    /// The half or byte of `b:a` that is the left operand of each lane, and their type.
    pub a: ([u8; 4], Signedness),
    /// Likewise for the right operand.
    pub b: ([u8; 4], Signedness),
    /// The type of the results.
    pub d: Signedness,
    /// `.sat`: to the range of the type, with the width of a lane.
    pub saturation: Saturation,
    /// Bit mask of the selected lanes.
    pub mask: u8,
    /// How they are combined with `c`.
    pub gather: Gather,
}

impl Simd {
    /// Computes it.
    #[inline]
    pub fn apply(&self, a: u64, b: u64, c: u64) -> u64 {
        let source = (b << 32) | (a & 0xffff_ffff);
        let bits = self.lane_bits;
        let pick = |(lanes, sign): ([u8; 4], Signedness), at: usize| {
            extend(sign, bits, source >> ((u32::from(lanes[at]) * bits) & 63))
        };
        let named = (0..32 / bits as usize).filter(|lane| self.mask >> lane & 1 == 1);
        named.fold(c & 0xffff_ffff, |result, lane| {
            let exact = self.operation.apply(pick(self.a, lane), pick(self.b, lane));
            let value = match self.saturation {
                Saturation::Wrap => exact,
                Saturation::Clamp => clamp(self.d, bits, exact),
            };
            match self.gather {
                Gather::Merge => RegisterPart { shift: lane as u32 * bits, bits }.merge(value, result),
                Gather::Sum => result.wrapping_add(value as u64) & 0xffff_ffff,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE_1: RegisterPart = RegisterPart { shift: 8, bits: 8 };
    const HALF_1: RegisterPart = RegisterPart { shift: 16, bits: 16 };

    fn scalar(operation: Operation, sign: Signedness, saturation: Saturation, second: Second) -> Scalar {
        Scalar { operation, a: (BYTE_1, sign), b: (HALF_1, sign), d: sign, saturation, second }
    }

    #[test]
    fn parts_are_extended_by_their_type_and_results_clamped_to_theirs() {
        // Byte 1 of a is 0x80, half 1 of b is 0x7fff.
        let (a, b) = (0x0000_8000, 0x7fff_0000);
        let of = |sign, saturation, second| {
            scalar(Operation::Sub, sign, saturation, second).apply(a, b, 0x1234_5678)
        };
        assert_eq!(of(Signedness::Signed, Saturation::Wrap, Second::Nothing), 0xffff_7f81, "-128 - 32767");
        assert_eq!(of(Signedness::Unsigned, Saturation::Clamp, Second::Nothing), 0, "128 - 32767");
        assert_eq!(of(Signedness::Signed, Saturation::Clamp, Second::Merge(HALF_1)), 0x8000_5678);
        assert_eq!(of(Signedness::Signed, Saturation::Clamp, Second::Merge(BYTE_1)), 0x1234_8078);
        assert_eq!(of(Signedness::Signed, Saturation::Wrap, Second::Max), 0x1234_5678);
        assert_eq!(of(Signedness::Signed, Saturation::Wrap, Second::Add), 0x1233_d5f9);
    }

    #[test]
    fn shifts_lose_what_goes_beyond_34_bits() {
        let shift = |overshoot, saturation| Scalar {
            operation: Operation::ShiftLeft(overshoot),
            a: (RegisterPart::WORD, Signedness::Unsigned),
            b: (RegisterPart::WORD, Signedness::Unsigned),
            d: Signedness::Unsigned,
            saturation,
            second: Second::Nothing,
        };
        assert_eq!(shift(Overshoot::Clamp, Saturation::Clamp).apply(1, 99, 0), 0xffff_ffff, "2^32");
        assert_eq!(shift(Overshoot::Clamp, Saturation::Clamp).apply(4, 99, 0), 0, "2^34");
        assert_eq!(shift(Overshoot::Wrap, Saturation::Wrap).apply(3, 33, 0), 6);
    }

    #[test]
    fn multiply_add_takes_the_sign_of_its_operands() {
        let word = |sign| (RegisterPart::WORD, sign);
        let vmad = |sign, turn, scale, saturation| MultiplyAdd {
            a: word(sign),
            b: word(sign),
            turn,
            scale,
            saturation,
        };
        let (u, s) = (Signedness::Unsigned, Signedness::Signed);
        let ones = 0xffff_ffff;
        assert_eq!(vmad(u, Turn::Neither, 0, Saturation::Clamp).apply(ones, 2, 0), ones);
        assert_eq!(vmad(s, Turn::Neither, 0, Saturation::Clamp).apply(ones, 2, 0), 0xffff_fffe);
        assert_eq!(vmad(u, Turn::Product, 0, Saturation::Clamp).apply(ones, ones, 0), 0x8000_0000);
        assert_eq!(vmad(s, Turn::Summand, 0, Saturation::Wrap).apply(5, 7, 36), 0xffff_ffff);
        assert_eq!(vmad(u, Turn::PlusOne, 7, Saturation::Wrap).apply(1 << 16, 1 << 16, 127), 0x200_0001);
    }

    #[test]
    fn lanes_are_picked_from_both_registers_and_merged_by_mask() {
        let simd = |operation, gather, mask| Simd {
            operation,
            lane_bits: 8,
            a: ([0, 1, 2, 3], Signedness::Signed),
            b: ([7, 6, 5, 4], Signedness::Unsigned),
            d: Signedness::Signed,
            saturation: Saturation::Clamp,
            mask,
            gather,
        };
        // Lanes, lowest first: -1 + 1, 2 + 2, 127 + 3, -128 + 255.
        let (a, b) = (0x807f_02ff, 0x0102_03ff);
        assert_eq!(simd(Operation::Add, Gather::Merge, 0b1111).apply(a, b, 0), 0x7f7f_0400);
        assert_eq!(simd(Operation::Add, Gather::Merge, 0b0101).apply(a, b, 0x1122_3344), 0x117f_3300);
        let sum = Simd { saturation: Saturation::Wrap, ..simd(Operation::Add, Gather::Sum, 0b1110) };
        assert_eq!(sum.apply(a, b, 1000), 1000 + 4 + 130 + 127);
        // Means, away from zero: 0, 2, 65, 63.5.
        assert_eq!(simd(Operation::Average, Gather::Merge, 0b1111).apply(a, b, 0), 0x4041_0200);
        // -128 and -1: -64.5 becomes -65.
        let signed =
            Simd { b: ([0; 4], Signedness::Signed), ..simd(Operation::Average, Gather::Merge, 0b1000) };
        assert_eq!(signed.apply(a, b, 0), 0xbf00_0000);
        let compare = simd(Operation::Compare(Relation::Less), Gather::Merge, 0b1111);
        assert_eq!(compare.apply(a, b, 0), 0x0100_0001);
    }
}
