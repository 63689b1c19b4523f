//! How much the elements of a buffer may differ from the expected ones.

use half::{bf16, f16};

use crate::keys::number;
use crate::value_type::ValueType;

/// How much numbers may differ from the expected ones. One that is within any of the limits is accepted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// The difference may be this number, and ..
    pub absolute: f64,
    /// .. this times the expected number in addition.
    pub relative: f64,
    /// There may be this many steps between floating-point numbers of the type.
    pub steps: u64,
}

impl Tolerance {
    /// Sets the value of a key; returns whether it is one of a tolerance.
    ///
    /// # Errors
    /// The message for a value that is not such a number.
    pub fn set(&mut self, key: &str, text: &str) -> Result<bool, String> {
        let limit = || {
            let value: f64 = number(key, text)?;
            if value >= 0.0 {
                Ok(value)
            } else {
                Err(format!("{key}={text}: a tolerance is a number from 0"))
            }
        };
        match key {
            "atol" => self.absolute = limit()?,
            "rtol" => self.relative = limit()?,
            "ulp" => self.steps = number(key, text)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Whether an element is the expected one within a tolerance. NaNs are equal to each other.
pub fn is_close(ty: ValueType, found: &[u8], expected: &[u8], tolerance: Tolerance) -> bool {
    if found == expected {
        return true;
    }
    let (Some(one), Some(other)) = (value(ty, found), value(ty, expected)) else { return false };
    if one.is_nan() || other.is_nan() {
        return one.is_nan() && other.is_nan();
    }
    // Infinities are only equal to themselves; zeros of both signs are equal.
    if one == other && ty.is_float() {
        return true;
    }
    let is_near = (one - other).abs() <= tolerance.absolute + tolerance.relative * other.abs();
    let has_limit = tolerance.absolute > 0.0 || tolerance.relative > 0.0;
    let is_step = || ty.is_float() && ordered(found).abs_diff(ordered(expected)) <= tolerance.steps.into();
    one.is_finite() && other.is_finite() && (has_limit && is_near || is_step())
}

/// A floating-point number as an integer, so that neighbours differ by one.
fn ordered(bytes: &[u8]) -> i128 {
    let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    let sign = 1u64 << (8 * bytes.len() - 1);
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign == 0 { magnitude } else { -magnitude }
}

/// The value of an element, rounded for integers of more than 53 bits.
fn value(ty: ValueType, bytes: &[u8]) -> Option<f64> {
    Some(match ty {
        ValueType::I8 => i8::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::U8 => u8::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::I16 => i16::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::U16 => u16::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::I32 => i32::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::U32 => u32::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::I64 => i64::from_le_bytes(bytes.try_into().ok()?) as f64,
        ValueType::U64 => u64::from_le_bytes(bytes.try_into().ok()?) as f64,
        ValueType::F16 => f16::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::Bf16 => bf16::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::F32 => f32::from_le_bytes(bytes.try_into().ok()?).into(),
        ValueType::F64 => f64::from_le_bytes(bytes.try_into().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_close_within_any_of_the_limits() {
        let is = |one: f32, other: f32, tolerance: Tolerance| {
            is_close(ValueType::F32, &one.to_le_bytes(), &other.to_le_bytes(), tolerance)
        };
        let exact = Tolerance::default();
        assert!(is(1.5, 1.5, exact) && is(0.0, -0.0, exact) && is(f32::NAN, -f32::NAN, exact));
        assert!(
            !is(1.5, 1.500_000_1, exact) && !is(f32::NAN, 1.0, exact) && !is(f32::INFINITY, f32::NAN, exact)
        );
        let absolute = Tolerance { absolute: 0.5, ..exact };
        assert!(is(1.0, 1.5, absolute) && !is(1.0, 1.6, absolute) && !is(f32::INFINITY, 1.0, absolute));
        let relative = Tolerance { relative: 0.1, ..exact };
        assert!(is(109.0, 100.0, relative) && !is(111.0, 100.0, relative));
        let steps = Tolerance { steps: 2, ..exact };
        assert!(is(1.0, f32::from_bits(1f32.to_bits() + 2), steps));
        assert!(!is(1.0, f32::from_bits(1f32.to_bits() + 3), steps));
        // The smallest numbers on both sides of zero are two steps apart.
        assert!(is(f32::from_bits(1), -f32::from_bits(1), steps));
        assert!(!is(f32::MAX, f32::NEG_INFINITY, steps));
        let byte = |one: u8, other: u8, tolerance| is_close(ValueType::U8, &[one], &[other], tolerance);
        assert!(byte(3, 4, Tolerance { absolute: 1.0, ..exact }) && !byte(3, 4, steps));
        // Their values as f64 are equal.
        let large = [u64::MAX.to_le_bytes(), (u64::MAX - 1).to_le_bytes()];
        assert!(!is_close(ValueType::U64, &large[0], &large[1], exact));
    }
}
