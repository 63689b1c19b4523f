//! Integer arithmetic (`ptx_program::scalar::int`). Arguments have the width of the type.

use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate};
use ptx_program::scalar::compare::Relation;
use ptx_program::scalar::convert::PackElement;
use ptx_program::scalar::int::{Int, ProductPart, Saturation, Signedness};

use super::lanes::Lanes;

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

pub(super) fn is_signed(t: Int) -> bool {
    t.sign() == Signedness::Signed
}

/// The predicate of a comparison, or its constant result.
pub(super) fn predicate(relation: Relation, sign: Signedness) -> Result<IntPredicate, bool> {
    let by_sign = |signed, unsigned| match sign {
        Signedness::Signed => Ok(signed),
        Signedness::Unsigned => Ok(unsigned),
    };
    match relation {
        Relation::Equal => Ok(IntPredicate::Eq),
        Relation::NotEqual => Ok(IntPredicate::Ne),
        Relation::Less => by_sign(IntPredicate::Slt, IntPredicate::Ult),
        Relation::LessOrEqual => by_sign(IntPredicate::Sle, IntPredicate::Ule),
        Relation::Greater => by_sign(IntPredicate::Sgt, IntPredicate::Ugt),
        Relation::GreaterOrEqual => by_sign(IntPredicate::Sge, IntPredicate::Uge),
        Relation::Ordered => Err(true),
        Relation::Unordered => Err(false),
    }
}

/// A value of a type, extended to `width` bits.
pub(super) fn extend<'a, 'm, 'c>(t: Int, value: L<'a, 'm, 'c>, width: u32) -> L<'a, 'm, 'c> {
    let value = value.resize(t.bits());
    if is_signed(t) { value.resize_signed(width) } else { value.resize(width) }
}

pub(super) fn add<'a, 'm, 'c>(
    t: Int,
    saturation: Saturation,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    match (saturation, t.sign()) {
        (Saturation::Wrap, _) => a + b,
        (Saturation::Clamp, Signedness::Signed) => a.intrinsic("llvm.sadd.sat", &[b]),
        (Saturation::Clamp, Signedness::Unsigned) => a.intrinsic("llvm.uadd.sat", &[b]),
    }
}

pub(super) fn sub<'a, 'm, 'c>(
    t: Int,
    saturation: Saturation,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    match (saturation, t.sign()) {
        (Saturation::Wrap, _) => a - b,
        (Saturation::Clamp, Signedness::Signed) => a.intrinsic("llvm.ssub.sat", &[b]),
        (Saturation::Clamp, Signedness::Unsigned) => a.intrinsic("llvm.usub.sat", &[b]),
    }
}

pub(super) fn min<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic(if is_signed(t) { "llvm.smin" } else { "llvm.umin" }, &[b])
}

pub(super) fn max<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic(if is_signed(t) { "llvm.smax" } else { "llvm.umax" }, &[b])
}

/// `|a|`. Unsigned types of 64 bits count as signed, as in the interpreter; PTX has no such instruction.
pub(super) fn abs<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    if is_signed(t) || t.bits() == 64 { a.intrinsic_with("llvm.abs", &[], &[false]) } else { a }
}

/// A part of the product; `ProductPart::Wide` has twice the width, at most 64 bits.
pub(super) fn mul<'a, 'm, 'c>(
    t: Int,
    part: ProductPart,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let bits = t.bits();
    match part {
        ProductPart::Lo => a * b,
        ProductPart::Wide => {
            let width = (2 * bits).min(64);
            extend(t, a, width) * extend(t, b, width)
        }
        ProductPart::Hi if bits < 64 || a.value.ty().vector_parts().is_none() => {
            let product = extend(t, a, 2 * bits) * extend(t, b, 2 * bits);
            (product >> u64::from(bits)).resize(bits)
        }
        ProductPart::Hi => high_word(t, a, b),
    }
}

/// The upper half of a 64-bit product from 32-bit ones: vectors have no wider product.
fn high_word<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    const LOW: u64 = 0xffff_ffff;
    let (a_low, a_high, b_low, b_high) = (a & LOW, a >> 32, b & LOW, b >> 32);
    let (low, cross, other, high) = (a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high);
    let middle = (low >> 32) + (cross & LOW) + (other & LOW);
    let product = high + (cross >> 32) + (other >> 32) + (middle >> 32);
    if is_signed(t) { product - (a.ashr(63) & b) - (b.ashr(63) & a) } else { product }
}

/// The part that `mad.cc` adds; see `ptx_program::scalar::int::carry_product` for 16-bit `madc.hi`.
pub(super) fn carry_product<'a, 'm, 'c>(
    t: Int,
    part: ProductPart,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    match (part, t.bits()) {
        // The product has 32 bits; the bits above are its sign.
        (ProductPart::Hi, 16) if is_signed(t) => (extend(t, a, 32) * extend(t, b, 32)).ashr(31).resize(16),
        (ProductPart::Hi, 16) => a.zero(),
        _ => mul(t, part, a, b).resize(t.bits()),
    }
}

fn low24<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, width: u32) -> L<'a, 'm, 'c> {
    match t.sign() {
        Signedness::Unsigned => a.resize(width) & 0xff_ffff,
        Signedness::Signed => (a.resize(width) << u64::from(width - 24)).ashr(u64::from(width - 24)),
    }
}

pub(super) fn mul24<'a, 'm, 'c>(
    t: Int,
    part: ProductPart,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    match part {
        ProductPart::Lo | ProductPart::Wide => (low24(t, a, 32) * low24(t, b, 32)).resize(t.bits()),
        ProductPart::Hi => ((low24(t, a, 64) * low24(t, b, 64)) >> 16).resize(t.bits()),
    }
}

pub(super) fn sad<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>, c: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    max(t, a, b) - min(t, a, b) + c
}

/// Field `index` of `width` bits of a word, extended to 32 bits.
fn field<'a, 'm, 'c>(raw: L<'a, 'm, 'c>, index: u32, width: u32, sign: Signedness) -> L<'a, 'm, 'c> {
    let (above, unused) = (u64::from(32 - width * (index + 1)), u64::from(32 - width));
    match sign {
        Signedness::Signed => (raw << above).ashr(unused),
        Signedness::Unsigned => (raw << above) >> unused,
    }
}

pub(super) fn dp4a<'a, 'm, 'c>(signs: [Signedness; 2], [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    (0..4).fold(c, |sum, i| sum + field(a, i, 8, signs[0]) * field(b, i, 8, signs[1]))
}

pub(super) fn dp2a<'a, 'm, 'c>(
    signs: [Signedness; 2],
    part: ProductPart,
    [a, b, c]: [L<'a, 'm, 'c>; 3],
) -> L<'a, 'm, 'c> {
    let first = if part == ProductPart::Hi { 2 } else { 0 };
    (0..2).fold(c, |sum, i| sum + field(a, i, 16, signs[0]) * field(b, first + i, 8, signs[1]))
}

/// The quotient and the remainder: all ones if the divisor is zero, and `MININT / -1` is `MININT`.
///
/// LLVM scalarizes vector divisions, so up to 32 bits the quotient is computed in floating point. It is never rounded up
/// to an integer that the exact quotient does not reach: that is at least `1 / b` away from one, and the error is below `2^-21 / b` (`2^-8 / b` for
/// 16 bits in binary32).
pub(super) fn divide<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> [L<'a, 'm, 'c>; 2] {
    let ones = a.constant(u64::MAX);
    let by_zero = b.eq(0);
    // Neither zero nor, for signed types, which could overflow, minus one.
    let (safe, by_minus_one) = if is_signed(t) {
        ((b + 1).ult(2).select(b.constant(1), b), Some(b.eq(u64::MAX)))
    } else {
        (by_zero.select(b.constant(1), b), None)
    };
    let plain = quotient(t, a, safe);
    let whole = by_minus_one.map_or(plain, |is| is.select(-a, plain));
    let rest = a - whole * b;
    [by_zero.select(ones, whole), by_zero.select(ones, rest)]
}

fn quotient<'a, 'm, 'c>(t: Int, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    if t.bits() == 64 || a.value.ty().vector_parts().is_none() {
        return a.binary(if is_signed(t) { BinaryOp::SDiv } else { BinaryOp::UDiv }, b);
    }
    let types = a.code.emit.types;
    let element = if t.bits() == 32 { types.f64() } else { types.f32() };
    if is_signed(t) {
        (a.signed_to(element) / b.signed_to(element)).float_to_int(CastOp::FpToSi, t.bits())
    } else {
        (a.unsigned_to(element) / b.unsigned_to(element)).float_to_int(CastOp::FpToUi, t.bits())
    }
}

/// Clamps a value of one type to the range of another, in the other's width.
pub(super) fn clamp<'a, 'm, 'c>(to: Int, from: Int, value: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let width = to.bits().max(from.bits());
    let value = extend(from, value, width);
    let limit =
        |value: L<'a, 'm, 'c>, name: &str, end: i128| value.intrinsic(name, &[value.constant(end as u64)]);
    let (lowest, highest) = if is_signed(from) { ("llvm.smax", "llvm.smin") } else { ("", "llvm.umin") };
    let raised = if is_signed(from) && to.min_value() > from.min_value() {
        limit(value, lowest, to.min_value())
    } else {
        value
    };
    let lowered =
        if to.max_value() < from.max_value() { limit(raised, highest, to.max_value()) } else { raised };
    lowered.resize(to.bits())
}

/// The sum with carry-in, and the carry-out.
pub(super) fn add_carry<'a, 'm, 'c>(
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
    carry: L<'a, 'm, 'c>,
) -> [L<'a, 'm, 'c>; 2] {
    let sum = a + b;
    let whole = sum + carry.resize(1).resize(a.width());
    [whole, sum.ult(a) | whole.ult(sum)]
}

/// The clamped sum of up to 32 bits with a carry.
pub(super) fn add_carry_clamped<'a, 'm, 'c>(
    t: Int,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
    carry: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    clamp(t, Int::S64, extend(t, a, 64) + extend(t, b, 64) + carry.resize(1).resize(64))
}

/// `a + ~b + carry`, clamped.
pub(super) fn sub_carry_clamped<'a, 'm, 'c>(
    t: Int,
    a: L<'a, 'm, 'c>,
    b: L<'a, 'm, 'c>,
    carry: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    clamp(t, Int::S64, extend(t, a, 64) - extend(t, b, 64) - 1u64 + carry.resize(1).resize(64))
}

/// Two signed words clamped into elements, `a` above `b`, and `c` above both.
pub(super) fn pack<'a, 'm, 'c>(element: PackElement, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    let mask = (1u64 << element.bits) - 1;
    let (least, most) = match element.sign {
        Signedness::Unsigned => (0, mask),
        Signedness::Signed => ((mask >> 1).wrapping_add(1).wrapping_neg(), mask >> 1),
    };
    let clamped = |value: L<'a, 'm, 'c>| {
        let raised = value.intrinsic("llvm.smax", &[value.constant(least)]);
        raised.intrinsic("llvm.smin", &[value.constant(most)]) & mask
    };
    let pair = (clamped(a) << u64::from(element.bits)) | clamped(b);
    if element.bits == 16 { pair } else { pair | (c << u64::from(2 * element.bits)) }
}
