//! Conversions of packs, narrow formats included.

use ptx_program::scalar::convert::{Element, Range, Repack};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::narrow::{Direction, Narrow, Negatives};
use ptx_program::{Binary, PackConversion, Packing, Ternary};

use crate::alu::harness::{Case, binary, check, ternary};

const WHOLE: Packing = Packing::Whole;
const NARROW: [Narrow; 8] = [
    Narrow::E4m3,
    Narrow::E5m2,
    Narrow::E2m3,
    Narrow::E3m2,
    Narrow::E2m1,
    Narrow::Ue8m0,
    Narrow::Ue5m3,
    Narrow::S2f6,
];
const WIDE: [Format; 3] = [Format::F16, Format::Bf16, Format::F32];
const ROUNDINGS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up];
const MODIFIERS: [(Range, Negatives); 4] = [
    (Range::Finite, Negatives::Keep),
    (Range::Infinite, Negatives::Keep),
    (Range::Finite, Negatives::Zero),
    (Range::Infinite, Negatives::Zero),
];

fn conversion(
    to: Element,
    from: Element,
    count: u32,
    (range, negatives): (Range, Negatives),
) -> PackConversion {
    PackConversion { repack: Repack { to, from, range, negatives }, count }
}

/// With roundings: all of them from `.f32`, and the usual one from halves.
fn repacks() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |conversion, rounding| {
        cases.push(binary(Binary::Repack(conversion, Direction::By(rounding)), WHOLE, [64, 64]));
    };
    for format in NARROW {
        let narrow = Element::Narrow(format);
        for modifiers in MODIFIERS {
            for rounding in ROUNDINGS {
                add(conversion(narrow, Element::Wide(Format::F32), 2, modifiers), rounding);
            }
        }
        for wide in WIDE.map(Element::Wide) {
            add(conversion(narrow, wide, 4, MODIFIERS[0]), Rounding::NearestEven);
            add(conversion(wide, narrow, 2, MODIFIERS[2]), Rounding::NearestEven);
            add(conversion(wide, narrow, 1, MODIFIERS[1]), Rounding::TowardZero);
        }
    }
    for to in [Format::F16, Format::Bf16] {
        for modifiers in MODIFIERS {
            add(
                conversion(Element::Wide(to), Element::Wide(Format::F32), 2, modifiers),
                Rounding::TowardZero,
            );
        }
    }
    cases
}

#[test]
fn roundings() {
    check("packs", &repacks(), 0);
}

#[test]
fn random_bits_and_scales() {
    let mut cases = Vec::new();
    let f32 = Element::Wide(Format::F32);
    for to in NARROW.map(Element::Narrow).into_iter().chain([Format::F16, Format::Bf16].map(Element::Wide)) {
        for modifiers in MODIFIERS {
            let count = if matches!(to, Element::Narrow(_)) { 4 } else { 2 };
            let random = Ternary::RepackRandom(conversion(to, f32, count, modifiers));
            cases.push(ternary(random, WHOLE, [64, 64, 32]));
        }
    }
    for narrow in NARROW.map(Element::Narrow) {
        for rounding in [Rounding::NearestEven, Rounding::TowardZero] {
            let by = Direction::By(rounding);
            for wide in WIDE.map(Element::Wide) {
                let up = Ternary::RepackScaled(conversion(wide, narrow, 2, MODIFIERS[1]), by);
                let down = Ternary::RepackScaled(conversion(narrow, wide, 2, MODIFIERS[2]), by);
                cases.extend([up, down].map(|op| ternary(op, WHOLE, [64, 64, 16])));
            }
        }
    }
    // Fixed-point numbers are not rounded by random bits: ptxas has no such conversion.
    check("random", &cases, 4);
}
