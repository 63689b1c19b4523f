//! Video instructions (`ptx_program::scalar::video`), in 64 bits, which hold every intermediate value.

use ptx_program::scalar::bits::Overshoot;
use ptx_program::scalar::int::{Int, Saturation, Signedness};
use ptx_program::scalar::video::{Gather, MultiplyAdd, Operation, RegisterPart, Scalar, Second, Simd, Turn};

use super::int;
use super::lanes::Lanes;

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// Extends the low bits of a 64-bit word.
fn extend<'a, 'm, 'c>(sign: Signedness, bits: u32, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let unused = u64::from(64 - bits);
    match sign {
        Signedness::Unsigned => (raw << unused) >> unused,
        Signedness::Signed => (raw << unused).ashr(unused),
    }
}

fn part_of<'a, 'm, 'c>((part, sign): (RegisterPart, Signedness), raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    extend(sign, part.bits, raw >> u64::from(part.shift))
}

/// `word` with the part replaced by the low bits of `value`.
fn merge<'a, 'm, 'c>(part: RegisterPart, value: L<'a, 'm, 'c>, word: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let mask = u64::MAX >> (64 - part.bits);
    (word & !(mask << part.shift) & 0xffff_ffff) | ((value & mask) << u64::from(part.shift))
}

fn smin<'a, 'm, 'c>(a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic("llvm.smin", &[b])
}

fn smax<'a, 'm, 'c>(a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    a.intrinsic("llvm.smax", &[b])
}

/// Clamps a value to the range of a type of `bits` bits.
fn clamp<'a, 'm, 'c>(sign: Signedness, bits: u32, value: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let Some(t) = Int::new(bits, sign) else { return value };
    let [least, most] = [t.min_value(), t.max_value()].map(|end| value.constant(end as u64));
    smin(smax(value, least), most)
}

/// A shift amount: clamped to 32, or taken modulo 32.
fn amount<'a, 'm, 'c>(overshoot: Overshoot, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match overshoot {
        Overshoot::Clamp => smin(b, b.constant(32)) & 63,
        Overshoot::Wrap => b & 31,
    }
}

fn compute<'a, 'm, 'c>(operation: Operation, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match operation {
        Operation::Add => a + b,
        Operation::Sub => a - b,
        Operation::Average => {
            let sum = a + b;
            (sum + sum.sge(0).resize(64)).ashr(1)
        }
        Operation::Distance => (a - b).intrinsic_with("llvm.abs", &[], &[false]),
        Operation::Min => smin(a, b),
        Operation::Max => smax(a, b),
        // The sum of the steps is 34 bits wide; higher bits are lost.
        Operation::ShiftLeft(overshoot) => ((a << amount(overshoot, b)) << 30).ashr(30),
        Operation::ShiftRight(overshoot) => a.ashr(amount(overshoot, b)),
        Operation::Compare(relation) => match int::predicate(relation, Signedness::Signed) {
            Ok(predicate) => a.compare_int(predicate, b).resize(64),
            Err(always) => a.constant(always.into()),
        },
    }
}

/// A scalar instruction, with 64-bit arguments.
pub(super) fn scalar<'a, 'm, 'c>(x: &Scalar, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    let exact = compute(x.operation, part_of(x.a, a), part_of(x.b, b));
    let bits = match x.second {
        Second::Merge(part) => part.bits,
        Second::Nothing | Second::Add | Second::Min | Second::Max => 32,
    };
    let result = match x.saturation {
        Saturation::Wrap => exact,
        Saturation::Clamp => clamp(x.d, bits, exact),
    };
    let third = extend(x.d, 32, c);
    let combined = match x.second {
        Second::Nothing => result,
        Second::Add => result + third,
        Second::Min => smin(result, third),
        Second::Max => smax(result, third),
        Second::Merge(part) => merge(part, result, c),
    };
    combined.resize(32)
}

/// `vmad`. Its sums have at most 66 bits, of which a wrapped result shows the lower 47; clamped ones of words would need all of them,
/// and are not supported here.
pub(super) fn multiply_add<'a, 'm, 'c>(
    x: &MultiplyAdd,
    [a, b, c]: [L<'a, 'm, 'c>; 3],
) -> Option<L<'a, 'm, 'c>> {
    let unsigned = |sign| sign == Signedness::Unsigned;
    let sign = match x.turn {
        Turn::Neither | Turn::PlusOne if unsigned(x.a.1) && unsigned(x.b.1) => Signedness::Unsigned,
        Turn::Neither | Turn::PlusOne | Turn::Product | Turn::Summand => Signedness::Signed,
    };
    if x.saturation == Saturation::Clamp && x.a.0.bits + x.b.0.bits > 48 {
        return None;
    }
    let (product, third) = (part_of(x.a, a) * part_of(x.b, b), extend(sign, 32, c));
    let sum = match x.turn {
        Turn::Neither => product + third,
        Turn::Product => third - product,
        Turn::Summand => product - third,
        Turn::PlusOne => product + third + 1u64,
    };
    let scaled = sum.ashr(u64::from(x.scale));
    Some(match x.saturation {
        Saturation::Wrap => scaled.resize(32),
        Saturation::Clamp => clamp(sign, 32, scaled).resize(32),
    })
}

/// An instruction on two halfwords or four bytes, with 64-bit arguments.
pub(super) fn simd<'a, 'm, 'c>(x: &Simd, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> L<'a, 'm, 'c> {
    let source = (b << 32) | (a & 0xffff_ffff);
    let bits = x.lane_bits;
    let pick =
        |sign: Signedness, lane: u8| extend(sign, bits, source >> (u64::from(u32::from(lane) * bits) & 63));
    let ((of_a, sign_a), (of_b, sign_b)) = (x.a, x.b);
    let named = (0_u32..32 / bits).zip(of_a.into_iter().zip(of_b));
    let named = named.filter(|(lane, _)| x.mask >> lane & 1 == 1);
    let result = named.fold(c, |result, (lane, (a, b))| {
        let exact = compute(x.operation, pick(sign_a, a), pick(sign_b, b));
        let value = match x.saturation {
            Saturation::Wrap => exact,
            Saturation::Clamp => clamp(x.d, bits, exact),
        };
        match x.gather {
            Gather::Merge => merge(RegisterPart { shift: lane * bits, bits }, value, result),
            Gather::Sum => result + value,
        }
    });
    result.resize(32)
}
