//! Logic, shifts, bit fields and byte permutation (manual 9.7.1.14 to 9.7.1.22, 9.7.8, 9.7.9.7).

use super::int::{Int, Signedness};

/// Handling of an amount beyond the width, specified by a modifier of `shf`, `szext` and `bmsk`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Overshoot {
    /// The amount is limited to the width.
    Clamp,
    /// The amount is taken modulo 32.
    Wrap,
}

/// Direction of a funnel shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// `shf.l`: keeps the upper word.
    Left,
    /// `shf.r`: keeps the lower word.
    Right,
}

/// The form in which `bfind` returns the bit it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Found {
    /// Its position.
    Position,
    /// The left shift amount that would make it the top bit (`.shiftamt`).
    ShiftAmount,
}

/// The selection mode of `prmt` (manual 9.7.9.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Permutation {
    /// Default mode: four nibbles of `c`, each with a byte index and a sign-replication bit.
    Generic,
    /// `.f4e`: four bytes upwards from byte `c`.
    Forward4Extract,
    /// `.b4e`: four bytes downwards from byte `c`.
    Backward4Extract,
    /// `.rc8`: byte `c` everywhere.
    Replicate8,
    /// `.ecl`: edge clamp left.
    EdgeClampLeft,
    /// `.ecr`: edge clamp right.
    EdgeClampRight,
    /// `.rc16`: half `c` twice.
    Replicate16,
}

/// `a << b`; amounts of the width or more give 0 (manual 9.7.8.8).
#[inline]
pub fn shl(t: Int, a: u64, b: u64) -> u64 {
    let amount = b & 0xffff_ffff;
    if amount >= u64::from(t.bits()) { 0 } else { t.wrap(a << amount) }
}

/// A value shifted right, also by more than its width.
#[inline]
pub const fn shifted(value: u64, by: u32) -> u64 {
    if by < u64::BITS { value >> by } else { 0 }
}

/// `a >> b`, arithmetic for signed types; larger amounts are clamped to the width (manual 9.7.8.9).
#[inline]
pub fn shr(t: Int, a: u64, b: u64) -> u64 {
    let amount = (b & 0xffff_ffff).min(u64::from(t.bits()));
    match t.sign() {
        Signedness::Unsigned => shifted(t.wrap(a), amount as u32),
        Signedness::Signed => t.wrap(((t.extend(a) as i64) >> amount.min(63)) as u64),
    }
}

/// The upper or lower word of the 64-bit value `b:a` shifted by `c` (manual 9.7.8.7).
#[inline]
pub fn shf(direction: Direction, overshoot: Overshoot, a: u64, b: u64, c: u64) -> u64 {
    let value = (b << 32) | (a & 0xffff_ffff);
    let amount = match overshoot {
        Overshoot::Clamp => (c & 0xffff_ffff).min(32),
        Overshoot::Wrap => c & 31,
    };
    match direction {
        Direction::Left => (value << amount) >> 32,
        Direction::Right => (value >> amount) & 0xffff_ffff,
    }
}

/// An arbitrary function of three bits, looked up in `table` for each bit position (manual 9.7.8.6).
///
/// `table` is the function's value for `a = 0xf0`, `b = 0xcc`, `c = 0xaa`.
#[inline]
pub fn lop3(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let minterm = |i: u8| {
        let pick = |bit: u8, v: u64| if i & bit != 0 { v } else { !v };
        if table >> i & 1 == 1 { pick(4, a) & pick(2, b) & pick(1, c) } else { 0 }
    };
    (0..8).fold(0, |result, i| result | minterm(i)) & 0xffff_ffff
}

/// Population count (manual 9.7.1.14).
#[inline]
pub fn popc(t: Int, a: u64) -> u64 {
    u64::from(t.wrap(a).count_ones())
}

/// Count of leading zeros (manual 9.7.1.15).
#[inline]
pub fn clz(t: Int, a: u64) -> u64 {
    u64::from(t.wrap(a).leading_zeros() - (64 - t.bits()))
}

/// The position of the highest bit that is not a sign bit, or all ones (manual 9.7.1.16).
#[inline]
pub fn bfind(t: Int, found: Found, a: u64) -> u64 {
    let value = t.extend(a);
    let value =
        if t.sign() == Signedness::Signed && (value as i64) < 0 { t.wrap(!value) } else { t.wrap(value) };
    match value.checked_ilog2() {
        None => 0xffff_ffff,
        Some(position) => match found {
            Found::Position => u64::from(position),
            Found::ShiftAmount => u64::from(t.bits() - 1 - position),
        },
    }
}

/// The position of the `offset`-th set bit of `mask`, counted from bit `base` upwards, or downwards if `offset` is
/// negative; all ones if there is none (manual 9.7.1.17).
#[inline]
pub fn fns(mask: u64, base: u64, offset: u64) -> u64 {
    let (mask, base, offset) = (mask as u32, base as u32, offset as u32 as i32);
    let not_found = 0xffff_ffff;
    if base > 31 {
        return not_found;
    }
    let set = |position: &u32| mask >> position & 1 == 1;
    let nth = offset.unsigned_abs().saturating_sub(1) as usize;
    let position = match offset.signum() {
        0 => Some(base).filter(set),
        1 => (base..32).filter(set).nth(nth),
        _ => (0..=base).rev().filter(set).nth(nth),
    };
    position.map_or(not_found, u64::from)
}

/// Bit reversal (manual 9.7.1.18).
#[inline]
pub fn brev(t: Int, a: u64) -> u64 {
    t.wrap(a).reverse_bits() >> (64 - t.bits())
}

/// The field of `len` bits at `pos`, sign-extended if the type is signed (manual 9.7.1.19).
#[inline]
pub fn bfe(t: Int, a: u64, pos: u64, len: u64) -> u64 {
    let (pos, len) = ((pos & 0xff) as u32, (len & 0xff) as u32);
    if len == 0 {
        return 0;
    }
    let field = shr(t, a, u64::from(pos));
    // Beyond the top bit the shift has already filled in what the manual specifies: zeros, or copies of the sign.
    if len >= t.bits() || pos + len >= t.bits() {
        return field;
    }
    let unused = 64 - len;
    match t.sign() {
        Signedness::Unsigned => (field << unused) >> unused,
        Signedness::Signed => t.wrap((((field << unused) as i64) >> unused) as u64),
    }
}

/// `b` with its `len` bits from `pos` replaced by the low bits of `a` (manual 9.7.1.20).
#[inline]
pub fn bfi(t: Int, a: u64, b: u64, pos: u64, len: u64) -> u64 {
    let (pos, len) = ((pos & 0xff) as u32, (len & 0xff) as u32);
    if len == 0 || pos >= t.bits() {
        return t.wrap(b);
    }
    let field = (u64::MAX >> (64 - len.min(64))) << pos;
    t.wrap((b & !field) | ((a << pos) & field))
}

/// The low `b` bits of `a`, sign- or zero-extended to 32 bits (manual 9.7.1.21).
#[inline]
pub fn szext(sign: Signedness, overshoot: Overshoot, a: u64, b: u64) -> u64 {
    let (a, width) = (a & 0xffff_ffff, b & 31);
    if overshoot == Overshoot::Clamp && (b & 0xffff_ffff) >= 32 {
        return a;
    }
    if width == 0 {
        return 0;
    }
    let unused = 64 - width;
    match sign {
        Signedness::Unsigned => (a << unused) >> unused,
        Signedness::Signed => (((a << unused) as i64) >> unused) as u64 & 0xffff_ffff,
    }
}

/// A mask of `b` ones from bit `a` upwards, in 32 bits (manual 9.7.1.22).
#[inline]
pub fn bmsk(overshoot: Overshoot, a: u64, b: u64) -> u64 {
    let (a, b) = match overshoot {
        Overshoot::Wrap => (a & 31, b & 31),
        Overshoot::Clamp => ((a & 0xffff_ffff).min(32), (b & 0xffff_ffff).min(32)),
    };
    (((1 << b) - 1) << a) & 0xffff_ffff
}

/// Selects four of the eight bytes of `b:a` (manual 9.7.9.7).
#[inline]
pub fn prmt(mode: Permutation, a: u64, b: u64, c: u64) -> u64 {
    let bytes = (b << 32) | (a & 0xffff_ffff);
    let at = (c & 3) as u32;
    let pick = |place: u32| -> u64 {
        let (index, replicate_sign) = match mode {
            Permutation::Generic => {
                let nibble = (c >> (4 * place)) as u32 & 0xf;
                (nibble & 7, nibble & 8 != 0)
            }
            Permutation::Forward4Extract => (at + place, false),
            Permutation::Backward4Extract => ((at + 8 - place) & 7, false),
            Permutation::Replicate8 => (at, false),
            Permutation::EdgeClampLeft => (at.max(place), false),
            Permutation::EdgeClampRight => (at.min(place), false),
            Permutation::Replicate16 => ((at & 1) * 2 + (place & 1), false),
        };
        let byte = bytes >> (8 * index) & 0xff;
        match (replicate_sign, byte >> 7) {
            (false, _) => byte,
            (true, 0) => 0,
            (true, _) => 0xff,
        }
    };
    (0..4).fold(0, |result, place| result | pick(place) << (8 * place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_clamp() {
        assert_eq!(shl(Int::U32, 1, 32), 0);
        assert_eq!(shl(Int::U64, 1, 63), 1 << 63);
        assert_eq!(shl(Int::U32, 1, 0xffff_ffff), 0);
        assert_eq!(shr(Int::U64, u64::MAX, 64), 0);
        assert_eq!(shr(Int::S32, 0x8000_0000, 99), 0xffff_ffff);
        assert_eq!(shr(Int::S16, 0x8000, 3), 0xf000);
        assert_eq!(shr(Int::S64, 1 << 63, 64), u64::MAX);
    }

    #[test]
    fn funnel_shifts_join_two_words() {
        assert_eq!(shf(Direction::Left, Overshoot::Wrap, 0x8000_0000, 1, 1), 3);
        assert_eq!(shf(Direction::Right, Overshoot::Wrap, 1, 3, 33), 0x8000_0000);
        assert_eq!(shf(Direction::Left, Overshoot::Clamp, 7, 9, 40), 7);
        assert_eq!(shf(Direction::Right, Overshoot::Clamp, 7, 9, 40), 9);
    }

    #[test]
    fn lop3_is_its_truth_table() {
        // The manual's own examples of immLut (9.7.8.6).
        assert_eq!(lop3(0x80, 0b1100, 0b1010, 0b0110), 0b1000 & 0b0110);
        assert_eq!(lop3(0xfe, 0xf0, 0xcc, 0xaa), 0xfe);
        assert_eq!(lop3(0x96, 0xffff_0000, 0x00ff_ff00, 0x0000_ffff), 0xffff_0000 ^ 0x00ff_ff00 ^ 0xffff);
        for table in 0..=255u8 {
            assert_eq!(lop3(table, 0xf0, 0xcc, 0xaa) & 0xff, u64::from(table));
        }
    }

    #[test]
    fn counting_and_finding() {
        assert_eq!(clz(Int::U32, 0), 32);
        assert_eq!(clz(Int::U64, 1), 63);
        assert_eq!(popc(Int::U32, 0xffff_ffff_0000_0003), 2);
        assert_eq!(bfind(Int::U32, Found::Position, 0), 0xffff_ffff);
        assert_eq!(bfind(Int::S32, Found::Position, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(bfind(Int::S32, Found::Position, 0xffff_fff0), 3);
        assert_eq!(bfind(Int::U32, Found::ShiftAmount, 1), 31);
        assert_eq!(bfind(Int::S64, Found::Position, 1 << 40), 40);
        assert_eq!(brev(Int::U32, 1), 0x8000_0000);
        assert_eq!(brev(Int::U64, 2), 1 << 62);
    }

    #[test]
    fn the_nth_set_bit() {
        assert_eq!(fns(0b1011_0100, 2, 0), 2);
        assert_eq!(fns(0b1011_0100, 3, 0), 0xffff_ffff);
        assert_eq!(fns(0b1011_0100, 2, 2), 4);
        assert_eq!(fns(0b1011_0100, 5, (-2i32) as u32 as u64), 4);
        assert_eq!(fns(0b1011_0100, 5, 3), 0xffff_ffff);
    }

    /// The manual's pseudo-code for `bfe`, bit by bit.
    fn bfe_by_the_manual(t: Int, a: u64, b: u64, c: u64) -> u64 {
        let (msb, pos, len) = (u64::from(t.bits()) - 1, b & 0xff, c & 0xff);
        let sbit =
            if t.sign() == Signedness::Unsigned || len == 0 { 0 } else { a >> (pos + len - 1).min(msb) & 1 };
        (0..=msb).fold(0, |d, i| {
            let bit = if i < len && pos + i <= msb { a >> (pos + i) & 1 } else { sbit };
            d | bit << i
        })
    }

    #[test]
    fn bit_fields_agree_with_the_manual() {
        for t in [Int::U32, Int::S32, Int::U64, Int::S64] {
            let a = t.wrap(0x9234_5678_9abc_def1);
            for pos in (0..256).step_by(5).chain(28..36).chain(60..68) {
                for len in (0..256).step_by(7).chain(0..4).chain(30..34).chain(62..66) {
                    assert_eq!(bfe(t, a, pos, len), bfe_by_the_manual(t, a, pos, len), "{t:?} {pos} {len}");
                    let inserted = (0..len)
                        .take_while(|i| pos + i < u64::from(t.bits()))
                        .fold(t.wrap(0x0f0f_3c3c_aaaa_5555), |f, i| {
                            f & !(1 << (pos + i)) | ((i < 64 && a >> i & 1 == 1) as u64) << (pos + i)
                        });
                    assert_eq!(bfi(t, a, 0x0f0f_3c3c_aaaa_5555, pos, len), inserted, "{t:?} {pos} {len}");
                }
            }
        }
    }

    #[test]
    fn extension_and_masks() {
        assert_eq!(szext(Signedness::Signed, Overshoot::Wrap, 0x0f, 4), 0xffff_ffff);
        assert_eq!(szext(Signedness::Unsigned, Overshoot::Wrap, 0xff, 4), 0xf);
        assert_eq!(szext(Signedness::Signed, Overshoot::Clamp, 0x8000_0001, 40), 0x8000_0001);
        assert_eq!(szext(Signedness::Signed, Overshoot::Wrap, 0x8000_0001, 32), 0);
        assert_eq!(bmsk(Overshoot::Clamp, 4, 8), 0xff0);
        assert_eq!(bmsk(Overshoot::Clamp, 32, 8), 0);
        assert_eq!(bmsk(Overshoot::Clamp, 0, 32), 0xffff_ffff);
        assert_eq!(bmsk(Overshoot::Clamp, 3, 40), 0xffff_fff8);
        assert_eq!(bmsk(Overshoot::Wrap, 33, 33), 2);
    }

    #[test]
    fn byte_permutation() {
        let (a, b) = (0x8302_0100, 0x0706_0584);
        assert_eq!(prmt(Permutation::Generic, a, b, 0x3210), 0x8302_0100);
        assert_eq!(prmt(Permutation::Generic, a, b, 0x7654), 0x0706_0584);
        assert_eq!(prmt(Permutation::Generic, a, b, 0xbc83), 0xffff_0083);
        // The manual's table of the special modes, byte 3 first: f4e 1 = 4 3 2 1, b4e 1 = 6 7 0 1, and so on.
        let (a, b) = (0x0302_0100, 0x0706_0504);
        assert_eq!(prmt(Permutation::Forward4Extract, a, b, 1), 0x0403_0201);
        assert_eq!(prmt(Permutation::Backward4Extract, a, b, 1), 0x0607_0001);
        assert_eq!(prmt(Permutation::Replicate8, a, b, 2), 0x0202_0202);
        assert_eq!(prmt(Permutation::EdgeClampLeft, a, b, 2), 0x0302_0202);
        assert_eq!(prmt(Permutation::EdgeClampRight, a, b, 2), 0x0202_0100);
        assert_eq!(prmt(Permutation::Replicate16, a, b, 1), 0x0302_0302);
        assert_eq!(prmt(Permutation::Replicate16, a, b, 2), 0x0100_0100);
    }
}
