//! What operations compute of numbers, by the PTX manual and independently of `ptx-program`.

use anyhow::{Context as _, Result, bail};

use super::syntax::Type;

pub(super) fn mask_of(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The low bits of a value, extended by the type's sign.
pub(super) fn extend(value: u64, ty: Type) -> u64 {
    let low = value & mask_of(ty.bits);
    let negative = ty.letter == 's' && low >> (ty.bits - 1) & 1 == 1;
    if negative { low | !mask_of(ty.bits) } else { low }
}

pub(super) fn compare(comparison: &str, ty: Type, a: u64, b: u64) -> Result<bool> {
    if ty.letter == 'f' {
        return compare_floats(comparison, float(ty, a), float(ty, b));
    }
    let (a, b) = (extend(a, ty), extend(b, ty));
    let (sa, sb) = (a as i64, b as i64);
    let signed = ty.letter == 's';
    Ok(match comparison {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => {
            if signed {
                sa < sb
            } else {
                a < b
            }
        }
        "le" => {
            if signed {
                sa <= sb
            } else {
                a <= b
            }
        }
        "gt" => {
            if signed {
                sa > sb
            } else {
                a > b
            }
        }
        "ge" => {
            if signed {
                sa >= sb
            } else {
                a >= b
            }
        }
        _ => bail!("no comparison {comparison}"),
    })
}

/// An integer operation; the carry is the bit that leaves the addition, `a + ~b + 1` for a subtraction.
pub(super) fn compute(operation: &str, ty: Type, arguments: &[u64], carry: &mut bool) -> Result<u64> {
    if ty.letter == 'f' && operation != "mov" {
        return compute_floats(operation, ty, arguments);
    }
    let mask = mask_of(ty.bits);
    let wide: Vec<u128> = arguments.iter().map(|one| u128::from(one & mask)).collect();
    let signed: Vec<i128> = arguments.iter().map(|one| i128::from(extend(*one, ty) as i64)).collect();
    let at = |k: usize| wide.get(k).copied().context("too few operands");
    let is_signed = ty.letter == 's';
    let product = |high: bool| -> Result<u128> {
        let (a, b) = (at(0)?, at(1)?);
        let whole = if is_signed { (signed[0] * signed[1]) as u128 } else { a * b };
        Ok(if high { whole >> ty.bits } else { whole } & u128::from(mask))
    };
    if let Some((base, rest)) = operation.split_once(".cc").map(|(base, _)| (base, true)).or_else(|| {
        matches!(operation, "addc" | "subc" | "madc.lo" | "madc.hi").then_some((operation, false))
    }) {
        let old = u128::from(*carry);
        let not = |v: u128| !v & u128::from(mask);
        let sum = match base {
            "add" => at(0)? + at(1)?,
            "sub" => at(0)? + not(at(1)?) + 1,
            "addc" => at(0)? + at(1)? + old,
            "subc" => at(0)? + not(at(1)?) + old,
            "mad.lo" => product(false)? + at(2)?,
            "mad.hi" => product(true)? + at(2)?,
            "madc.lo" => product(false)? + at(2)? + old,
            "madc.hi" => product(true)? + at(2)? + old,
            _ => bail!("no operation {operation}"),
        };
        if rest {
            *carry = sum >> ty.bits & 1 == 1;
        }
        return Ok(sum as u64 & mask);
    }
    let (a, b) = (arguments.first().copied().unwrap_or_default() & mask, arguments.get(1).copied());
    let b = b.unwrap_or_default();
    let result = match operation {
        "mov" => a,
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul.lo" => a.wrapping_mul(b),
        "mul.hi" => product(true)? as u64,
        "mul.wide" => {
            return Ok(if is_signed { (signed[0] * signed[1]) as u64 } else { (at(0)? * at(1)?) as u64 });
        }
        "mad.lo" => a.wrapping_mul(b).wrapping_add(arguments.get(2).copied().unwrap_or_default()),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "not" => !a,
        "neg" => a.wrapping_neg(),
        "min" | "max" => {
            let less = if is_signed { signed[0] < signed[1] } else { at(0)? < at(1)? };
            if less == (operation == "min") { a } else { b }
        }
        // The amount has 32 bits and is clamped to the width.
        "shl" => {
            let by = b & mask_of(32);
            if by >= u64::from(ty.bits) { 0 } else { a << by }
        }
        "shr" => {
            let by = (b & mask_of(32)).min(u64::from(ty.bits));
            if is_signed {
                (signed[0] >> by.min(64)) as u64
            } else if by >= 64 {
                0
            } else {
                a >> by
            }
        }
        "popc" => u64::from(a.count_ones()),
        "brev" => a.reverse_bits() >> (64 - ty.bits),
        _ => bail!("no operation {operation}"),
    };
    Ok(result & mask)
}

/// The number that the bits of a floating-point type are: all of them are numbers of `f64`.
fn float(ty: Type, bits: u64) -> f64 {
    match ty.bits {
        16 => half::f16::from_bits(bits as u16).to_f64(),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn compare_floats(comparison: &str, a: f64, b: f64) -> Result<bool> {
    Ok(match comparison {
        "eq" => a == b,
        "lt" => a < b,
        "ge" => a >= b,
        "ltu" => a < b || a.is_nan() || b.is_nan(),
        "nan" => a.is_nan() || b.is_nan(),
        _ => bail!("no comparison {comparison}"),
    })
}

/// `add.rn` and so on: one rounding, to the nearest. The bits of a NaN result are unspecified.
fn compute_floats(operation: &str, ty: Type, arguments: &[u64]) -> Result<u64> {
    let (operation, flush) = match operation.strip_suffix(".ftz") {
        Some(operation) => (operation, true),
        None => (operation, false),
    };
    let flushed = |number: f32| if flush && number.is_subnormal() { 0f32.copysign(number) } else { number };
    let at = |k: usize| arguments.get(k).copied().unwrap_or_default();
    Ok(match ty.bits {
        // Sums and products of two halves are numbers of `f64`, so that they are rounded once.
        16 => u64::from(half::f16::from_f64(of(operation, [0, 1, 2].map(|k| float(ty, at(k))))?).to_bits()),
        32 => {
            let [a, b, c] = [0, 1, 2].map(|k| flushed(f32::from_bits(at(k) as u32)));
            let result = match operation {
                "add.rn" => a + b,
                "sub.rn" => a - b,
                "mul.rn" => a * b,
                "fma.rn" => a.mul_add(b, c),
                _ => bail!("no operation {operation}"),
            };
            u64::from(flushed(result).to_bits())
        }
        _ => of(operation, [0, 1, 2].map(|k| f64::from_bits(at(k))))?.to_bits(),
    })
}

fn of(operation: &str, [a, b, c]: [f64; 3]) -> Result<f64> {
    Ok(match operation {
        "add.rn" => a + b,
        "sub.rn" => a - b,
        "mul.rn" => a * b,
        "fma.rn" => a.mul_add(b, c),
        _ => bail!("no operation {operation}"),
    })
}
