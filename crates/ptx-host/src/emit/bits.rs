//! Logic, shifts, bit fields and byte permutation (`ptx_program::scalar::bits`).
//!
//! In LLVM a shift by the width or more is poison, so each amount is clamped first, or the result is not selected. LLVM combines the shift and
//! the selection into one instruction on CPUs whose shifts behave as those of PTX.

use ptx_llvm_core::build::Value;
use ptx_program::scalar::bits::{Direction, Found, Overshoot, Permutation};
use ptx_program::scalar::int::{Int, Signedness};

use super::int::{extend, is_signed};
use super::lanes::Lanes;

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// The width at which a type is shifted: no CPU has narrower shifts by amounts that differ between lanes.
fn work(t: Int) -> u32 {
    t.bits().max(32)
}

pub(super) fn shl<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, amount: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let (width, amount) = (work(t), amount.resize(32));
    let shifted = a.resize(width) << amount.resize(width);
    amount.ult(u64::from(t.bits())).select(shifted, 0).resize(t.bits())
}

pub(super) fn shr<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, amount: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let (width, amount) = (work(t), amount.resize(32));
    let value = extend(t, a, width);
    let shifted = if is_signed(t) {
        value.ashr(amount.umin(u64::from(width) - 1).resize(width))
    } else {
        amount.ult(u64::from(width)).select(value >> amount.resize(width), 0)
    };
    shifted.resize(t.bits())
}

pub(super) fn shf<'a, 'm, 'c>(
    direction: Direction,
    overshoot: Overshoot,
    [a, b, c]: [L<'a, 'm, 'c>; 3],
) -> L<'a, 'm, 'c> {
    let (name, beyond) = match direction {
        Direction::Left => ("llvm.fshl", a),
        Direction::Right => ("llvm.fshr", b),
    };
    let shifted = b.intrinsic(name, &[a, c]);
    match overshoot {
        Overshoot::Wrap => shifted,
        Overshoot::Clamp => c.ult(32).select(shifted, beyond),
    }
}

/// A truth table of a function of two bits: bit `2 * b + c`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Table2(u8);

impl Table2 {
    fn of<'a, 'm, 'c>(self, b: L<'a, 'm, 'c>, c: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
        match self.0 & 15 {
            0b0000 => b.zero(),
            0b0001 => !(b | c),
            0b0010 => !b & c,
            0b0011 => !b,
            0b0100 => b & !c,
            0b0101 => !c,
            0b0110 => b ^ c,
            0b0111 => !(b & c),
            0b1000 => b & c,
            0b1001 => !(b ^ c),
            0b1010 => c,
            0b1011 => !b | c,
            0b1100 => b,
            0b1101 => b | !c,
            0b1110 => b | c,
            _ => b.constant(u64::MAX),
        }
    }

    fn inverted(self) -> Self {
        Self(!self.0 & 15)
    }
}

/// `lop3` as a selection by `a` between two functions of `b` and `c`.
pub(super) fn lop3<'a, 'm, 'c>(table: u8, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    // `a` is the highest of the three index bits: the lower half of the table is the function for bits of `a` that are clear, the upper for those
    // that are set. Equal, opposite or constant halves need no selection:  0x96 is a ^ (b ^ c), 0xca is (a & b) | (!a & c).
    let (clear, set) = (Table2(table & 15), Table2(table >> 4));
    let (zeros, ones) = (Table2(0), Table2(15));
    match (clear, set) {
        _ if clear == set => clear.of(b, c),
        _ if clear == set.inverted() => a ^ clear.of(b, c),
        _ if clear == zeros => a & set.of(b, c),
        _ if set == zeros => !a & clear.of(b, c),
        _ if clear == ones => !a | set.of(b, c),
        _ if set == ones => a | clear.of(b, c),
        _ => (a & set.of(b, c)) | (!a & clear.of(b, c)),
    }
}

pub(super) fn popc<'a, 'm, 'c>(a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic("llvm.ctpop", &[])
}

pub(super) fn clz<'a, 'm, 'c>(a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic_with("llvm.ctlz", &[], &[false])
}

pub(super) fn brev<'a, 'm, 'c>(a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic("llvm.bitreverse", &[])
}

pub(super) fn bfind<'a, 'm, 'c>(t: Int, found: Found, a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    // For a negative number, the highest bit that differs from the sign is needed: its complement has that bit set and those above clear.
    let value = if is_signed(t) { a ^ a.ashr(u64::from(t.bits()) - 1) } else { a };
    let above = clz(value).resize(32);
    let position = match found {
        Found::ShiftAmount => above,
        Found::Position => above.constant(u64::from(t.bits()) - 1) - above,
    };
    value.eq(0).select(position.constant(u64::MAX), position)
}

/// A mask of the low `length` bits, for `length` below the width; callers do not select the result otherwise.
fn ones<'a, 'm, 'c>(length: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    (length.constant(1) << length) - 1
}

pub(super) fn bfe<'a, 'm, 'c>(t: Int, [a, position, length]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    let width = u64::from(t.bits());
    let (position, length) = (position.resize(32) & 0xff, (length.resize(32) & 0xff).resize(t.bits()));
    // `shr` clamps: a field that begins past the top consists of zeros, or of copies of the sign.
    let field = shr(t, a, position);
    if is_signed(t) {
        // The shift has filled in copies of the sign, so that a field that extends beyond the top bit is sign-extended, too.
        let unused = length.constant(width) - length.umin(width);
        let extended = (field << unused).ashr(unused);
        length.eq(0).select(field.zero(), extended)
    } else {
        length.ult(width).select(field & ones(length), field)
    }
}

pub(super) fn bfi<'a, 'm, 'c>(t: Int, [a, b, position, length]: [L<'a, 'm, 'c>; 4]) -> L<'a, 'm, 'c> {
    let width = u64::from(t.bits());
    let low = |value: L<'a, 'm, 'c>| (value.resize(32) & 0xff).resize(t.bits());
    let (position, length) = (low(position), low(length));
    let field = length.ult(width).select(ones(length), u64::MAX) << position;
    position.ult(width).select((b & !field) | ((a << position) & field), b)
}

pub(super) fn szext<'a, 'm, 'c>(
    sign: Signedness,
    overshoot: Overshoot,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let width = b & 31;
    let extended = match sign {
        Signedness::Unsigned => a & ones(width),
        Signedness::Signed => {
            let unused = width.constant(32) - width;
            width.eq(0).select(a.zero(), (a << unused).ashr(unused))
        }
    };
    match overshoot {
        Overshoot::Wrap => extended,
        Overshoot::Clamp => b.ult(32).select(extended, a),
    }
}

pub(super) fn bmsk<'a, 'm, 'c>(overshoot: Overshoot, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match overshoot {
        Overshoot::Wrap => ones(b & 31) << (a & 31),
        Overshoot::Clamp => {
            let mask = b.ult(32).select(ones(b), u64::MAX);
            a.ult(32).select(mask << a, 0)
        }
    }
}

/// The integer that a constant has in all of its lanes, if there is one.
pub(super) fn same_constant(value: Value<'_>) -> Option<u64> {
    let Some((_, lanes)) = value.ty().vector_parts() else { return value.as_constant_int() };
    let mut numbers =
        (0..lanes).map(|lane| value.constant_element(lane).and_then(|element| element.as_constant_int()));
    let first = numbers.next()??;
    numbers.all(|number| number == Some(first)).then_some(first)
}

pub(super) fn prmt<'a, 'm, 'c>(mode: Permutation, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    if mode == Permutation::Generic
        && let Some(selector) = same_constant(c.value)
        && let Some((_, lanes)) = a.value.ty().vector_parts()
    {
        return shuffle_bytes(selector, lanes, a, b);
    }
    let bytes = (b.resize(64) << 32) | a.resize(64);
    let at = (c & 3).resize(64);
    let pick = |index: L<'a, 'm, 'c>| (bytes >> (index << 3)) & 0xff;
    let part = |place: u64| match mode {
        Permutation::Generic => {
            let nibble = (c >> (4 * place)).resize(64);
            let byte = pick(nibble & 7);
            (nibble & 8).eq(0).select(byte, (-(byte >> 7)) & 0xff)
        }
        Permutation::Forward4Extract => pick(at + place),
        Permutation::Backward4Extract => pick((at - place) & 7),
        Permutation::Replicate8 => pick(at),
        Permutation::EdgeClampLeft => pick(at.ult(place).select(at.constant(place), at)),
        Permutation::EdgeClampRight => pick(at.umin(place)),
        Permutation::Replicate16 => pick(((at & 1) << 1) + (place & 1)),
    };
    (1..4).fold(part(0), |result, place| result | (part(place) << (8 * place))).resize(32)
}

/// `prmt` of vectors with a constant selector: a byte shuffle.
fn shuffle_bytes<'a, 'm, 'c>(selector: u64, lanes: u32, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let nibble = |byte: u32| (selector >> (4 * (byte % 4))) as u32 & 0xf;
    let source = |byte: u32| {
        let (lane, index) = (byte / 4, nibble(byte) & 7);
        Some(if index < 4 { 4 * lane + index } else { 4 * (lanes + lane) + index - 4 })
    };
    let picked = a.regroup(8).shuffle(b.regroup(8), &(0..4 * lanes).map(source).collect::<Vec<_>>());
    let signs =
        (0..4).filter(|place| nibble(*place) & 8 != 0).fold(0u64, |mask, place| mask | 0xff << (8 * place));
    if signs == 0 {
        return picked.regroup_like(a.value.ty());
    }
    let replicated = picked.ashr(7).regroup_like(a.value.ty());
    (picked.regroup_like(a.value.ty()) & !signs) | (replicated & signs)
}
