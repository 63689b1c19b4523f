//! Video instructions (manual 9.7.18).

use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType, Selector, Sem, Unit, VideoSem};

use super::{Outcome, SourceOperand, Surroundings, clamp, holds};
use crate::prove::term::Bits;

/// Wide enough for every intermediate result: a product of 33 bits each, and a sum.
const WIDE: u32 = 72;

pub(super) fn define<'t>(
    mnemonic: &Mnemonic,
    sources: &[SourceOperand<'t>],
    around: Surroundings<'t>,
) -> Option<Outcome<'t>> {
    match (mnemonic.sem(), mnemonic.opcode()) {
        (_, Opcode::Vmad) => multiply_add(mnemonic, sources),
        (Sem::Video(VideoSem::VideoSimd), _) => lanes(mnemonic, sources, around),
        _ => scalar(mnemonic, sources, around),
    }
}

const fn unit(selector: Selector) -> u32 {
    match selector.unit {
        Unit::Byte => 8,
        Unit::Half => 16,
    }
}

/// A source, or the part of it that is picked, by its type as a wide number.
fn number<'t>(source: &SourceOperand<'t>, ty: ScalarType) -> Option<Bits<'t>> {
    let bits = match source.selector {
        None => source.bits,
        Some(selector) => {
            source.bits.extract(u32::from(*selector.digits().first()?) * unit(selector), unit(selector))
        }
    };
    Some(bits.resize(ty.is_signed(), WIDE))
}

/// The type of the result, and of the third source.
fn result_type(mnemonic: &Mnemonic) -> ScalarType {
    mnemonic.type_of(Field::DType).unwrap_or(ScalarType::U32)
}

/// The second stage: on numbers, wide enough that nothing is lost.
fn operation<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>) -> Option<Bits<'t>> {
    let name = mnemonic.opcode().as_str().trim_end_matches(['2', '4']);
    Some(match name {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => (a - b).abs(),
        "vmin" => a.min(true, b),
        "vmax" => a.max(true, b),
        // Halves round away from zero.
        "vavrg" => {
            let sum = a + b;
            let rounded = sum.sign().pick(sum, sum + sum.number(1));
            rounded.ashr(sum.number(1))
        }
        "vset" => holds(true, mnemonic.get(Field::Cmp)?, a, b)?.zext(WIDE),
        "vshl" | "vshr" => {
            let n = if mnemonic.has(Mod::Clamp) { b.min(true, b.number(32)) } else { b & b.number(31) };
            // A result of 34 bits, with a sign.
            if name == "vshl" { a.shift_left(n).trunc(34).sext(WIDE) } else { a.ashr(n) }
        }
        _ => return None,
    })
}

fn scalar<'t>(
    mnemonic: &Mnemonic,
    sources: &[SourceOperand<'t>],
    around: Surroundings<'t>,
) -> Option<Outcome<'t>> {
    let a = number(sources.first()?, mnemonic.type_of(Field::AType)?)?;
    let b = number(sources.get(1)?, mnemonic.type_of(Field::BType)?)?;
    let ty = result_type(mnemonic);
    let place = around.destination;
    let mut value = operation(mnemonic, a, b)?;
    if mnemonic.has(Mod::Sat) {
        let width = place.map_or(32, unit);
        value = clamp(ty.is_signed(), width, value).resize(ty.is_signed(), WIDE);
    }
    let Some(c) = sources.get(2).map(|source| source.bits) else { return Outcome::one(value.trunc(32)) };
    if let Some(second) = mnemonic.get(Field::Op) {
        let c = c.resize(ty.is_signed(), WIDE);
        let joined = match second {
            Mod::Add => value + c,
            Mod::Min => value.min(true, c),
            Mod::Max => value.max(true, c),
            _ => return None,
        };
        return Outcome::one(joined.trunc(32));
    }
    Outcome::one(match place {
        Some(place) => replaced(c, value, u32::from(*place.digits().first()?), unit(place)),
        None => value.trunc(32),
    })
}

/// `c` with the low bits of a value in one of its parts.
fn replaced<'t>(c: Bits<'t>, value: Bits<'t>, at: u32, width: u32) -> Bits<'t> {
    let part = |index: u32| if index == at { value.trunc(width) } else { c.extract(index * width, width) };
    (1..32 / width).fold(part(0), |low, index| part(index).concat(low))
}

/// Two halves or four bytes at once.
fn lanes<'t>(
    mnemonic: &Mnemonic,
    sources: &[SourceOperand<'t>],
    around: Surroundings<'t>,
) -> Option<Outcome<'t>> {
    let [a, b, c] = sources else { return None };
    let (width, count) = if mnemonic.opcode().as_str().ends_with('2') { (16, 2) } else { (8, 4) };
    let ty = result_type(mnemonic);
    let both = b.bits.concat(a.bits);
    // Digits name the parts of `b:a`, the highest lane first; without them `a` gives its own, and `b` its own.
    let lane = |source: &SourceOperand<'t>, first: u32, at: u32, ty: ScalarType| {
        let chosen = source
            .selector
            .and_then(|selector| selector.digits().iter().rev().nth(at as usize).copied().map(u32::from));
        both.extract(chosen.unwrap_or(first + at) * width, width).resize(ty.is_signed(), WIDE)
    };
    let mut result = c.bits;
    for at in 0..count {
        let left = lane(a, 0, at, mnemonic.type_of(Field::AType)?);
        let right = lane(b, count, at, mnemonic.type_of(Field::BType)?);
        let mut value = operation(mnemonic, left, right)?;
        if mnemonic.has(Mod::Sat) {
            value = clamp(ty.is_signed(), width, value).resize(ty.is_signed(), WIDE);
        }
        let is_written = around.destination.is_none_or(|place| place.digits().contains(&(at as u8)));
        if !is_written {
            continue;
        }
        result = if mnemonic.has(Mod::Add) {
            result + value.trunc(32)
        } else {
            replaced(result, value, at, width)
        };
    }
    Outcome::one(result)
}

/// `vmad` (manual 9.7.18.1, `vmad`).
fn multiply_add<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let [a, b, c] = sources else { return None };
    let (a_type, b_type) = (mnemonic.type_of(Field::AType)?, mnemonic.type_of(Field::BType)?);
    let product = number(a, a_type)? * number(b, b_type)?;
    let negates_product = a.negated != b.negated;
    let is_signed = a_type.is_signed() || b_type.is_signed() || negates_product || c.negated;
    // `-x` is `~x` and a one, which is added with `.po` too.
    let (product, c_bits, one) = if mnemonic.has(Mod::Po) {
        (product, c.bits, 1)
    } else if negates_product {
        (!product, c.bits, 1)
    } else if c.negated {
        (product, !c.bits, 1)
    } else {
        (product, c.bits, 0)
    };
    let sum = product + c_bits.resize(is_signed, WIDE) + product.number(one);
    let scale = match mnemonic.get(Field::Scale) {
        Some(Mod::Shr7) => 7,
        Some(Mod::Shr15) => 15,
        _ => 0,
    };
    let scaled = sum.ashr(sum.number(scale));
    Outcome::one(if mnemonic.has(Mod::Sat) { clamp(is_signed, 32, scaled) } else { scaled.trunc(32) })
}
