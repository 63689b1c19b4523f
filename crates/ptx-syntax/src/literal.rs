//! Numbers (manual 4.5.1, 4.5.2): their values, and the errors for invalid ones.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Immediate, Literal};

use crate::codes;
use crate::lexer::is_radix_marked;

/// A value with its type by the rules of manual 4.5.5.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    Signed(i64),
    Unsigned(u64),
    /// The bits of a single-precision literal; operators widen it.
    Single(u32),
    Double(f64),
}

impl Value {
    pub(crate) fn integer(self) -> Option<u64> {
        match self {
            Value::Signed(value) => Some(value as u64),
            Value::Unsigned(value) => Some(value),
            Value::Single(_) | Value::Double(_) => None,
        }
    }

    pub(crate) fn double(self) -> Option<f64> {
        match self {
            Value::Single(bits) => Some(f64::from(f32::from_bits(bits))),
            Value::Double(value) => Some(value),
            Value::Signed(_) | Value::Unsigned(_) => None,
        }
    }

    pub(crate) fn truth(condition: bool) -> Self {
        Value::Signed(i64::from(condition))
    }

    pub(crate) fn with(self, literal: Literal) -> Immediate {
        match self {
            Value::Signed(value) => Immediate::S64(value, literal),
            Value::Unsigned(value) => Immediate::U64(value, literal),
            Value::Single(bits) => Immediate::F32(bits, literal),
            Value::Double(value) => Immediate::F64(value.to_bits(), literal),
        }
    }
}

/// The spelling of a literal; [`Self::Other`] cannot be printed from the value alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    Plain,
    Hex,
    Other,
}

/// Parses a literal; `None` if it is invalid or too large.
pub(crate) fn literal(text: &str) -> Option<(Value, Spelling)> {
    let bytes = text.as_bytes();
    match bytes {
        [b'0', b'f' | b'F', digits @ ..] => {
            let bits = exact_hex(digits, 8)?;
            Some((Value::Single(bits as u32), Spelling::Plain))
        }
        [b'0', b'd' | b'D', digits @ ..] => {
            Some((Value::Double(f64::from_bits(exact_hex(digits, 16)?)), Spelling::Plain))
        }
        _ if !is_radix_marked(bytes) && bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            decimal_fraction(text)
        }
        _ => integer(bytes),
    }
}

/// The value of an integer literal.
pub(crate) fn integer_literal(text: &str) -> Option<u64> {
    literal(text)?.0.integer()
}

fn exact_hex(digits: &[u8], count: usize) -> Option<u64> {
    if digits.len() != count { None } else { whole(digits, 16) }
}

/// Parses all of `digits` as a number; `None` if there are none, an invalid one, or too many.
///
/// As in `ptxas`, a digit after a value with its top bit set is one too many; a number that exceeds 64 bits with its last
/// digit keeps its low bits.
fn whole(digits: &[u8], radix: u32) -> Option<u64> {
    let digit = |value: u64, &byte: &u8| {
        let digit = char::from(byte).to_digit(radix)?;
        let room = value >> 63 == 0;
        room.then(|| value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit)))
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, digit) }
}

/// Parses a decimal fraction; `None` if it is infinite or subnormal in double precision, or zero although it is written
/// with other digits.
fn decimal_fraction(text: &str) -> Option<(Value, Spelling)> {
    let allowed = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !text.bytes().all(allowed) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // `1e-400` parses as zero, but is not: a zero has only zeros before its exponent.
    let mut digits = text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let is_zero = digits.all(|byte| !matches!(byte, b'1'..=b'9'));
    (value.is_normal() || is_zero).then_some((Value::Double(value), Spelling::Other))
}

fn integer(bytes: &[u8]) -> Option<(Value, Spelling)> {
    let (digits, unsigned) = match bytes {
        [digits @ .., b'U'] => (digits, true),
        _ => (bytes, false),
    };
    let (value, spelling) = match digits {
        [b'0', b'x' | b'X', digits @ ..] => (whole(digits, 16)?, Spelling::Hex),
        [b'0', b'b' | b'B', digits @ ..] => (whole(digits, 2)?, Spelling::Other),
        [b'0', digits @ ..] if !digits.is_empty() => (whole(digits, 8)?, Spelling::Other),
        digits => (whole(digits, 10)?, Spelling::Plain),
    };
    match i64::try_from(value) {
        Ok(value) if !unsigned => Some((Value::Signed(value), spelling)),
        _ => Some((Value::Unsigned(value), spelling)),
    }
}

/// The value of a decimal integer of at most 18 digits, the most common number; `None` for other numbers, valid or not.
#[inline]
pub(crate) fn decimal(text: &str) -> Option<i64> {
    const MOST: usize = 18;
    if text.len() > MOST || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    let digit = |value: i64, byte: u8| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'));
    text.bytes().try_fold(0, digit)
}

/// Parses a decimal integer of at most 18 digits before a comma, brace, line feed or the end; `None` for other numbers, valid or not.
#[inline]
pub(crate) fn decimal_prefix(text: &[u8]) -> Option<(&[u8], i64)> {
    let mut value = 0i64;
    let mut rest = text;
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
        rest = tail;
    }
    let length = text.len() - rest.len();
    let is_decimal = (1..=18).contains(&length) && (length == 1 || text.first() != Some(&b'0'));
    (is_decimal && matches!(rest, [] | [b',' | b'}' | b'\n', ..])).then_some((rest, value))
}

/// The error for a number that [`literal`] does not read.
pub(crate) fn bad_number(text: &str, span: Span) -> Box<Diagnostic> {
    let shown: String = text.chars().take(40).collect();
    let help = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => "a single-precision number is `0f` and exactly 8 hexadecimal digits",
        [b'0', b'd' | b'D', ..] => "a double-precision number is `0d` and exactly 16 hexadecimal digits",
        [b'0', b'0'..=b'9', ..] => "a number that starts with 0 is octal: digits from 0 to 7",
        _ => "numbers are decimal, `0x` hexadecimal, `0` octal or `0b` binary, and fit 64 bits",
    };
    if !is_radix_marked(text.as_bytes()) && text.contains(['.', 'e', 'E']) && text.parse::<f64>().is_ok() {
        let message = format!("`{shown}` is too large or too small for double precision");
        let help = "subnormal numbers are written as bits: `0d0000000000000001`";
        return Box::new(Diagnostic::error(codes::NUMBER, span, message).with_help(help));
    }
    let message = format!("`{shown}` is not a number");
    if let Some(number) = without_suffix(text) {
        let help = format!("the type of a number is that of the instruction: write `{number}`");
        return Box::new(
            Diagnostic::error(codes::NUMBER, span, message).with_help(help).with_fix(span, number),
        );
    }
    Box::new(Diagnostic::error(codes::NUMBER, span, message).with_help(help))
}

/// Removes the type suffix of another language from a number: `1.0` of `1.0f`, `7` of `7LL`.
fn without_suffix(text: &str) -> Option<&str> {
    let number = text.trim_end_matches(['f', 'F', 'l', 'L', 'd', 'D', 'h', 'H', 'u', 'U']);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && literal(number).is_some();
    (number.len() < text.len() && is_number && !is_radix_marked(text.as_bytes())).then_some(number)
}
