//! Operands: the edges of every type, and random numbers.

use ptx_gen::{Choices, Seeded};
use ptx_isa::ScalarType;

use super::case::{Register, is_floating, lanes};

/// The values of all registers of an instruction, for one execution; bits in the low end.
pub(super) type Tuple = Vec<u128>;

/// Values for the registers, so many times. What is read takes all combinations of edges when they are no more than
/// that; else random ones of them, and random numbers among them.
pub(super) fn tuples(choices: &mut Seeded, registers: &[Register], count: usize) -> Vec<Tuple> {
    let edges: Vec<Vec<u128>> = registers.iter().map(|one| edges(one.read.unwrap_or(one.declared))).collect();
    let read: Vec<bool> = registers.iter().map(|one| one.read.is_some()).collect();
    let lengths = edges.iter().zip(&read).filter(|(_, read)| **read).map(|(edges, _)| edges.len());
    let product = lengths.fold(1usize, usize::saturating_mul);
    let mut all = Vec::with_capacity(count);
    for number in 0..count {
        let mut rest = number;
        let systematic = product <= count && number < product;
        let random = !systematic && choices.below(4) == 0;
        let mut value = |at: usize| -> u128 {
            let of = &edges[at];
            if systematic && read[at] {
                let digit = rest % of.len();
                rest /= of.len();
                return of[digit];
            }
            let ty = registers[at].read.unwrap_or(registers[at].declared);
            match choices.below(4) {
                0 => number_of(choices, ty),
                _ if random => number_of(choices, ty),
                _ => of[choices.below(of.len())],
            }
        };
        let valid = registers.iter().enumerate().map(|(at, one)| {
            let value = value(at) & mask(one.declared.bits());
            if one.divides { value.max(1) } else { value }
        });
        all.push(valid.collect());
    }
    all
}

/// So many low bits.
pub(super) const fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Values of a type where something changes; never none.
fn edges(ty: ScalarType) -> Vec<u128> {
    let (bits, mut all) = (ty.bits(), Vec::new());
    match (lanes(ty), ty) {
        (Some((exponent, fraction)), _) => {
            let width = 1 + exponent + fraction;
            let single = float_edges(exponent, fraction);
            if width == bits {
                all = single;
            } else {
                all.extend(pairs(&single, width));
            }
        }
        (None, ScalarType::U16x2 | ScalarType::S16x2) => all.extend(pairs(&int_edges(16), 16)),
        (None, ScalarType::U8x4 | ScalarType::S8x4) => {
            let halves: Vec<u128> = pairs(&int_edges(8), 8).collect();
            all.extend(pairs(&halves, 16));
        }
        (None, ScalarType::Pred) => all.extend([0, 1]),
        (None, ScalarType::Tf32) => all = float_edges(8, 23),
        (None, _) => all = int_edges(bits),
    }
    all
}

/// Each value below another one of the list.
fn pairs(single: &[u128], width: u32) -> impl Iterator<Item = u128> + '_ {
    let other = |at: usize| single.get((7 * at + 3) % single.len()).copied().unwrap_or(0);
    single.iter().enumerate().map(move |(at, low)| low | other(at) << width)
}

fn int_edges(bits: u32) -> Vec<u128> {
    let top = 1u128 << (bits - 1);
    let small = [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256];
    let large = [top, top + 1, top - 1, top - 2, top | top >> 1, 0xffff, 0x8000, 0x7fff_ffff, 0x8000_0000];
    let patterns = [
        u128::MAX,
        u128::MAX - 1,
        u128::MAX - 31,
        0xffff_ffff,
        0x1_0000_0000,
        0x5555_5555_5555_5555_5555_5555_5555_5555,
        0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978,
        0xff00_ff00_ff00_ff00_80ff_7f01_80ff_7f01,
    ];
    distinct(small.into_iter().chain(large).chain(patterns).map(|value| value & mask(bits)))
}

/// Zeros, subnormal numbers, the ends of the ranges of this and other types, halves between integers, infinities, NaNs; of
/// either sign.
fn float_edges(exponent: u32, fraction: u32) -> Vec<u128> {
    let bias = (1u128 << (exponent - 1)) - 1;
    let last = (1u128 << exponent) - 1;
    let make = |exponent: u128, rest: u128| exponent << fraction | rest & mask(fraction);
    let power = |of_two: u128| make(bias + of_two, 0);
    let top = 1u128 << (fraction - 1);
    let mut all = vec![
        0,
        make(0, 1),
        make(0, u128::MAX),
        make(1, 0),
        make(1, 1),
        make(bias - 1, 0),
        make(bias - 1, 0) - 1,
        make(bias, 0) - 1,
        make(bias, 0),
        make(bias, 1),
        make(bias, top),
        make(bias + 1, 0),
        make(bias + 1, top >> 1),
        make(last - 1, u128::MAX - 1),
        make(last - 1, u128::MAX),
        make(last, 0),
        make(last, 1),
        make(last, top),
        make(last, u128::MAX),
        make(last, 0x0012_3456_789a_bcde),
    ];
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        if bias + bits < last {
            all.extend([power(bits) - 1, power(bits), power(bits) + 1]);
        }
    }
    let sign = 1u128 << (exponent + fraction);
    let both: Vec<u128> = all.iter().flat_map(|&value| [value, value | sign]).collect();
    distinct(both.into_iter())
}

fn distinct(values: impl Iterator<Item = u128>) -> Vec<u128> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// A random value of a type: any bits, or, as often, a small integer or a floating-point number near one.
fn number_of(choices: &mut Seeded, ty: ScalarType) -> u128 {
    let any = u128::from(choices.bits()) << 64 | u128::from(choices.bits());
    if choices.below(2) == 0 {
        return any;
    }
    if !is_floating(ty) {
        return (any & mask(ty.bits())) >> choices.below(ty.bits() as usize);
    }
    let Some((exponent, fraction)) = lanes(ty) else { return any };
    let bias = (1u128 << (exponent - 1)) - 1;
    let near = |value: u128| {
        let power = bias - 8 + (value >> fraction & 15);
        value & !(mask(exponent) << fraction) | power << fraction
    };
    let width = 1 + exponent + fraction;
    let low = near(any & mask(width));
    if width == ty.bits() { low } else { low | near(any >> width & mask(width)) << width }
}
