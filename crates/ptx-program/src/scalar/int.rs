//! Integer arithmetic of all widths (manual 9.7.1 and 9.7.2).

/// Signedness of an integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Signedness {
    /// `.u8` to `.u64`, and the untyped `.b8` to `.b64`.
    Unsigned,
    /// `.s8` to `.s64`, in two's complement.
    Signed,
}

/// An integer type of 8, 16, 32 or 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Int {
    bits: u32,
    sign: Signedness,
}

/// The part of a double-width product that an instruction returns (manual 9.7.1.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum ProductPart {
    /// The low half.
    Lo,
    /// The high half.
    Hi,
    /// The full product, in a register of twice the width.
    Wide,
}

/// Whether an addition saturates (`.sat`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Saturation {
    /// The result wraps around.
    Wrap,
    /// The result is clamped to `MININT..MAXINT`.
    Clamp,
}

impl Int {
    /// `.u8`.
    pub const U8: Int = Int { bits: 8, sign: Signedness::Unsigned };
    /// `.s8`.
    pub const S8: Int = Int { bits: 8, sign: Signedness::Signed };
    /// `.u16`.
    pub const U16: Int = Int { bits: 16, sign: Signedness::Unsigned };
    /// `.s16`.
    pub const S16: Int = Int { bits: 16, sign: Signedness::Signed };
    /// `.u32`.
    pub const U32: Int = Int { bits: 32, sign: Signedness::Unsigned };
    /// `.s32`.
    pub const S32: Int = Int { bits: 32, sign: Signedness::Signed };
    /// `.u64`.
    pub const U64: Int = Int { bits: 64, sign: Signedness::Unsigned };
    /// `.s64`.
    pub const S64: Int = Int { bits: 64, sign: Signedness::Signed };

    /// The type of `bits` bits, or `None` if there is no such type.
    #[inline]
    pub const fn new(bits: u32, sign: Signedness) -> Option<Int> {
        match bits {
            8 | 16 | 32 | 64 => Some(Int { bits, sign }),
            _ => None,
        }
    }

    /// The width in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Whether values are signed.
    #[inline]
    pub const fn sign(self) -> Signedness {
        self.sign
    }

    /// Truncates to the width of the type.
    #[inline]
    pub const fn wrap(self, raw: u64) -> u64 {
        raw & (u64::MAX >> (64 - self.bits))
    }

    /// Sign- or zero-extends the value to 64 bits.
    #[inline]
    pub const fn extend(self, raw: u64) -> u64 {
        match self.sign {
            Signedness::Unsigned => self.wrap(raw),
            Signedness::Signed => (((raw << (64 - self.bits)) as i64) >> (64 - self.bits)) as u64,
        }
    }

    /// The number that the bits represent.
    #[inline]
    pub const fn value(self, raw: u64) -> i128 {
        match self.sign {
            Signedness::Unsigned => self.wrap(raw) as i128,
            Signedness::Signed => self.extend(raw) as i64 as i128,
        }
    }

    /// The smallest number of the type.
    #[inline]
    pub const fn min_value(self) -> i128 {
        match self.sign {
            Signedness::Unsigned => 0,
            Signedness::Signed => -(1 << (self.bits - 1)),
        }
    }

    /// The largest number of the type.
    #[inline]
    pub const fn max_value(self) -> i128 {
        match self.sign {
            Signedness::Unsigned => (1 << self.bits) - 1,
            Signedness::Signed => (1 << (self.bits - 1)) - 1,
        }
    }

    /// The bits of `value` saturated to the range of the type.
    #[inline]
    pub fn clamp(self, value: i128) -> u64 {
        self.wrap(value.clamp(self.min_value(), self.max_value()) as u64)
    }

    #[inline]
    fn finish(self, value: i128, saturation: Saturation) -> u64 {
        match saturation {
            Saturation::Wrap => self.wrap(value as u64),
            Saturation::Clamp => self.clamp(value),
        }
    }

    #[inline]
    fn twice(self) -> Int {
        Int { bits: (self.bits * 2).min(64), sign: self.sign }
    }
}

/// `a + b`.
#[inline]
pub fn add(t: Int, saturation: Saturation, a: u64, b: u64) -> u64 {
    match saturation {
        Saturation::Wrap => t.wrap(a.wrapping_add(b)),
        Saturation::Clamp => t.clamp(t.value(a) + t.value(b)),
    }
}

/// `a - b`.
#[inline]
pub fn sub(t: Int, saturation: Saturation, a: u64, b: u64) -> u64 {
    match saturation {
        Saturation::Wrap => t.wrap(a.wrapping_sub(b)),
        Saturation::Clamp => t.clamp(t.value(a) - t.value(b)),
    }
}

/// A sum with carry-in, and its carry-out, 0 or 1 (manual 9.7.2.1).
#[inline]
pub fn add_carry(t: Int, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(t.wrap(a)) + u128::from(t.wrap(b)) + u128::from(carry & 1);
    (t.wrap(sum as u64), (sum >> t.bits) as u64 & 1)
}

/// A sum with carry-in, saturated to the type's range.
#[inline]
pub fn add_carry_clamped(t: Int, a: u64, b: u64, carry: u64) -> u64 {
    t.clamp(t.value(a) + t.value(b) + i128::from(carry & 1))
}

/// `a + ~b + carry`: the difference if the carry is 1, one less if it is 0; saturated to the type's range.
#[inline]
pub fn sub_carry_clamped(t: Int, a: u64, b: u64, carry: u64) -> u64 {
    t.clamp(t.value(a) - t.value(b) - 1 + i128::from(carry & 1))
}

/// `a + ~b + carry` and its carry-out, 0 or 1 (manual 9.7.2.3): the carry flag is not a borrow, as the machine code shows.
#[inline]
pub fn sub_carry(t: Int, a: u64, b: u64, carry: u64) -> (u64, u64) {
    add_carry(t, a, !b, carry)
}

/// The selected part of `a * b` (manual 9.7.1.3). `ProductPart::Wide` of a 64-bit type has no PTX form and returns the low half.
#[inline]
pub fn mul(t: Int, part: ProductPart, a: u64, b: u64) -> u64 {
    match part {
        ProductPart::Lo => t.wrap(a.wrapping_mul(b)),
        ProductPart::Wide => t.twice().wrap(t.extend(a).wrapping_mul(t.extend(b))),
        // The product of two 64-bit values needs at most 127 bits and a sign, so every signed product fits in i128; unsigned ones need all 128 bits.
        ProductPart::Hi => match t.sign {
            Signedness::Signed => t.wrap(((t.value(a) * t.value(b)) >> t.bits) as u64),
            Signedness::Unsigned => {
                t.wrap(((u128::from(t.wrap(a)) * u128::from(t.wrap(b))) >> t.bits) as u64)
            }
        },
    }
}

/// The part of `a * b` that `mad.cc` and `madc` add to. `ptxas` also accepts `madc.hi` of 16-bit types, and generates
/// code that uses the bits from 32 on.
#[inline]
pub fn carry_product(t: Int, part: ProductPart, a: u64, b: u64) -> u64 {
    match (part, t.bits) {
        (ProductPart::Hi, 16) => t.wrap(mul(t.twice(), part, t.extend(a), t.extend(b))),
        _ => mul(t, part, a, b),
    }
}

/// The selected part of `a * b`, plus `c` (manual 9.7.1.4). `Saturation::Clamp` is for `.hi.s32` only.
#[inline]
pub fn mad(t: Int, part: ProductPart, saturation: Saturation, a: u64, b: u64, c: u64) -> u64 {
    let sum_type = if part == ProductPart::Wide { t.twice() } else { t };
    add(sum_type, saturation, mul(t, part, a, b), c)
}

/// The selected half of the 48-bit product of the low 24 bits of `a` and `b`: bits 31..0 or 47..16 (manual 9.7.1.5).
#[inline]
pub fn mul24(t: Int, part: ProductPart, a: u64, b: u64) -> u64 {
    let low24 = |raw: u64| match t.sign {
        Signedness::Unsigned => (raw & 0xff_ffff) as i64,
        Signedness::Signed => ((raw << 40) as i64) >> 40,
    };
    let product = low24(a).wrapping_mul(low24(b));
    match part {
        ProductPart::Lo | ProductPart::Wide => t.wrap(product as u64),
        ProductPart::Hi => t.wrap((product >> 16) as u64),
    }
}

/// [`mul24`] plus `c` (manual 9.7.1.6).
#[inline]
pub fn mad24(t: Int, part: ProductPart, saturation: Saturation, a: u64, b: u64, c: u64) -> u64 {
    add(t, saturation, mul24(t, part, a, b), c)
}

/// `c + |a - b|` (manual 9.7.1.7).
#[inline]
pub fn sad(t: Int, a: u64, b: u64, c: u64) -> u64 {
    let distance = (t.value(a) - t.value(b)).unsigned_abs() as u64;
    t.wrap(distance.wrapping_add(c))
}

/// `a / b`, rounded towards zero (manual 9.7.1.8).
///
/// Division by zero is machine-specific according to the manual: ptxas's code for 32 and 64 bits returns all ones, and
/// so does this for every width. `MININT / -1` wraps around to `MININT`.
#[inline]
pub fn div(t: Int, a: u64, b: u64) -> u64 {
    match t.value(b) {
        0 => t.wrap(u64::MAX),
        divisor => t.finish(t.value(a) / divisor, Saturation::Wrap),
    }
}

/// `a - b * (a / b)`, with the sign of `a` (manual 9.7.1.9); all ones for a zero divisor, like [`div`].
#[inline]
pub fn rem(t: Int, a: u64, b: u64) -> u64 {
    match t.value(b) {
        0 => t.wrap(u64::MAX),
        divisor => t.finish(t.value(a) % divisor, Saturation::Wrap),
    }
}

/// `|a|`; `MININT` is unchanged (manual 9.7.1.10).
#[inline]
pub fn abs(t: Int, a: u64) -> u64 {
    t.wrap((t.extend(a) as i64).unsigned_abs())
}

/// `-a` (manual 9.7.1.11).
#[inline]
pub fn neg(t: Int, a: u64) -> u64 {
    t.wrap(a.wrapping_neg())
}

/// Minimum (manual 9.7.1.12).
#[inline]
pub fn min(t: Int, a: u64, b: u64) -> u64 {
    let (a, b) = (t.extend(a), t.extend(b));
    t.wrap(match t.sign {
        Signedness::Unsigned => a.min(b),
        Signedness::Signed => (a as i64).min(b as i64) as u64,
    })
}

/// Maximum (manual 9.7.1.13).
#[inline]
pub fn max(t: Int, a: u64, b: u64) -> u64 {
    let (a, b) = (t.extend(a), t.extend(b));
    t.wrap(match t.sign {
        Signedness::Unsigned => a.max(b),
        Signedness::Signed => (a as i64).max(b as i64) as u64,
    })
}

/// `c` plus the dot product of the four bytes of `a` and `b`, wrapping at 32 bits (manual 9.7.1.23).
#[inline]
pub fn dp4a(a_bytes: Signedness, b_bytes: Signedness, a: u64, b: u64, c: u64) -> u64 {
    let product = |i: u32| field(a, i, 8, a_bytes).wrapping_mul(field(b, i, 8, b_bytes));
    (0..4).fold(c, |sum, i| sum.wrapping_add(product(i) as u64)) & 0xffff_ffff
}

/// `c` plus the dot product of the two halves of `a` with two bytes of `b`, the lower or the upper two
/// (manual 9.7.1.24). `ProductPart::Lo` and `ProductPart::Wide` take the lower bytes.
#[inline]
pub fn dp2a(a_halves: Signedness, b_bytes: Signedness, part: ProductPart, a: u64, b: u64, c: u64) -> u64 {
    let first = if part == ProductPart::Hi { 2 } else { 0 };
    let product = |i: u32| field(a, i, 16, a_halves).wrapping_mul(field(b, first + i, 8, b_bytes));
    (0..2).fold(c, |sum, i| sum.wrapping_add(product(i) as u64)) & 0xffff_ffff
}

#[inline]
fn field(raw: u64, index: u32, width: u32, sign: Signedness) -> i64 {
    let t = Int { bits: width, sign };
    t.extend(raw >> (index * width)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_with_a_carry_are_clamped_once() {
        let add = |a: i32, b: i32, carry| {
            add_carry_clamped(Int::S32, a as u32 as u64, b as u32 as u64, carry) as u32 as i32
        };
        // A clear flag takes one away.
        let sub = |a: i32, b: i32, borrow: u64| {
            sub_carry_clamped(Int::S32, a as u32 as u64, b as u32 as u64, 1 - borrow) as u32 as i32
        };
        assert_eq!(
            [add(i32::MAX, 0, 1), add(i32::MAX, -1, 1), add(i32::MIN, -1, 1)],
            [i32::MAX, i32::MAX, i32::MIN]
        );
        assert_eq!([sub(i32::MIN, 0, 1), sub(i32::MIN, -1, 1), sub(5, 3, 1)], [i32::MIN, i32::MIN, 1]);
    }

    #[test]
    fn high_halves_of_products_keep_the_sign() {
        assert_eq!(mul(Int::S32, ProductPart::Hi, 0xffff_ffff, 2), 0xffff_ffff);
        assert_eq!(mul(Int::U32, ProductPart::Hi, 0xffff_ffff, 2), 1);
        assert_eq!(mul(Int::U64, ProductPart::Hi, u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(mul(Int::S64, ProductPart::Hi, 1 << 63, 1 << 63), 1 << 62);
        assert_eq!(mul(Int::S16, ProductPart::Hi, 0x8000, 0x8000), 0x4000);
    }

    #[test]
    fn wide_products_fill_twice_the_width() {
        assert_eq!(mul(Int::S16, ProductPart::Wide, 0xffff, 0x0003), 0xffff_fffd);
        assert_eq!(mul(Int::U16, ProductPart::Wide, 0xffff, 0xffff), 0xfffe_0001);
        assert_eq!(mul(Int::S32, ProductPart::Wide, 0xffff_ffff, 3), 0xffff_ffff_ffff_fffd);
        assert_eq!(
            mad(Int::U32, ProductPart::Wide, Saturation::Wrap, 0xffff_ffff, 0xffff_ffff, 1 << 32),
            0xffff_ffff_0000_0001
        );
    }

    #[test]
    fn saturating_addition_stops_at_the_ends() {
        assert_eq!(add(Int::S32, Saturation::Clamp, 0x7fff_ffff, 1), 0x7fff_ffff);
        assert_eq!(sub(Int::S32, Saturation::Clamp, 0x8000_0000, 1), 0x8000_0000);
        assert_eq!(
            mad(Int::S32, ProductPart::Hi, Saturation::Clamp, 0x8000_0000, 0x8000_0000, 0x7fff_ffff),
            0x7fff_ffff
        );
        assert_eq!(add(Int::S32, Saturation::Wrap, 0x7fff_ffff, 1), 0x8000_0000);
    }

    #[test]
    fn carries_chain_through_words() {
        let (low, carry) = add_carry(Int::U32, 0xffff_ffff, 1, 0);
        assert_eq!((low, carry), (0, 1));
        assert_eq!(add_carry(Int::U32, 0xffff_ffff, 0xffff_ffff, 1), (0xffff_ffff, 1));
        assert_eq!(add_carry(Int::U64, u64::MAX, u64::MAX, 1), (u64::MAX, 1));
        // `a + ~b + carry`: the carry is the opposite of a borrow.
        assert_eq!(sub_carry(Int::U32, 0, 1, 1), (0xffff_ffff, 0));
        assert_eq!(sub_carry(Int::U32, 5, 7, 1), (0xffff_fffe, 0));
        assert_eq!(sub_carry(Int::U64, 0, u64::MAX, 0), (0, 0));
        assert_eq!(sub_carry(Int::U32, 5, 4, 0), (0, 1));
        assert_eq!(sub_carry(Int::U32, 100, 10, 0), (89, 1));
    }

    #[test]
    fn division_never_traps() {
        assert_eq!(div(Int::S32, 0x8000_0000, 0xffff_ffff), 0x8000_0000);
        assert_eq!(rem(Int::S32, 0x8000_0000, 0xffff_ffff), 0);
        assert_eq!(div(Int::U32, 7, 0), 0xffff_ffff);
        assert_eq!(rem(Int::U64, 7, 0), u64::MAX);
        assert_eq!(div(Int::S64, 1 << 63, u64::MAX), 1 << 63);
        assert_eq!(div(Int::S16, 0xfff9, 2), 0xfffd, "-7 / 2 = -3");
        assert_eq!(rem(Int::S16, 0xfff9, 2), 0xffff, "-7 % 2 = -1");
    }

    #[test]
    fn products_of_24_bits_take_the_low_bits_of_their_factors() {
        assert_eq!(mul24(Int::U32, ProductPart::Lo, 0xff00_0002, 3), 6);
        assert_eq!(mul24(Int::S32, ProductPart::Lo, 0x00ff_ffff, 3), 0xffff_fffd, "-1 * 3");
        assert_eq!(mul24(Int::U32, ProductPart::Hi, 0xff_ffff, 0xff_ffff), 0xffff_fe00);
        assert_eq!(
            mad24(Int::S32, ProductPart::Hi, Saturation::Clamp, 0x7f_ffff, 0x7f_ffff, 0x7fff_ffff),
            0x7fff_ffff
        );
    }

    #[test]
    fn distances_and_dot_products() {
        assert_eq!(sad(Int::S32, 0xffff_fffe, 3, 10), 15, "10 + |-2 - 3|");
        assert_eq!(sad(Int::U32, 3, 0xffff_fffe, 0), 0xffff_fffb);
        // Bytes 1, -1, 2, -128 times 4, 3, 2, 1: 4 - 3 + 4 - 128.
        assert_eq!(dp4a(Signedness::Signed, Signedness::Unsigned, 0x8002_ff01, 0x0102_0304, 200), 77);
        assert_eq!(
            dp2a(Signedness::Signed, Signedness::Signed, ProductPart::Hi, 0xffff_0002, 0xfd05_0000, 1),
            14,
            "1 + 2*5 + -1*-3"
        );
    }

    #[test]
    fn the_smallest_value_is_its_own_magnitude() {
        assert_eq!(abs(Int::S16, 0x8000), 0x8000);
        assert_eq!(abs(Int::S64, u64::MAX), 1);
        assert_eq!(min(Int::S32, 0xffff_ffff, 1), 0xffff_ffff);
        assert_eq!(min(Int::U32, 0xffff_ffff, 1), 1);
        assert_eq!(max(Int::S16, 0x8000, 0x7fff), 0x7fff);
    }
}
