//! Values of constants and constant expressions (manual 4.5.3 to 4.5.6).

use std::borrow::Cow;

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Immediate, Literal};

use crate::codes;
use crate::literal::{Spelling, Value, bad_number, decimal, literal};
use crate::resolve::{Resolved, Resolver, at};
use crate::stream::Stream;
use crate::token::TokenKind;
use crate::tree::{Constant, ConstantValue, Number, Term};

impl<'s> Resolver<'s, '_> {
    /// A constant with its spelling: its text is kept if the value alone would be printed differently.
    #[inline]
    pub(crate) fn immediate(&mut self, constant: &Constant<'s>) -> Resolved<Immediate> {
        match constant.value {
            ConstantValue::Literal { negative: false, digits } => match decimal(digits) {
                Some(value) => Ok(Immediate::S64(value, Literal::Plain)),
                None => self.spelled(constant),
            },
            _ => self.spelled(constant),
        }
    }

    fn spelled(&mut self, constant: &Constant<'s>) -> Resolved<Immediate> {
        let (value, spelling) = evaluate(constant)?;
        Ok(match spelling {
            Spelling::Plain => value.with(Literal::Plain),
            Spelling::Hex => value.with(Literal::Hex),
            Spelling::Other => self.as_written(constant.span, value),
        })
    }

    /// A value that is printed as the text of its span.
    pub(crate) fn as_written(&mut self, span: Span, value: Value) -> Immediate {
        let text = String::from_utf8_lossy(self.source.slice(span));
        // Comments and line ends inside the expression are elsewhere in the model.
        let text = if text.contains(['\n', '\r']) || text.contains("/*") || text.contains("//") {
            Cow::Owned(without_comments(&text))
        } else {
            text
        };
        value.with(Literal::Text(self.module.strings.intern(&text)))
    }
}

/// The value of an integer constant, without its spelling.
#[inline]
pub(crate) fn integer_constant(constant: &Constant<'_>) -> Resolved<i64> {
    if let ConstantValue::Literal { negative: false, digits } = constant.value
        && let Some(value) = decimal(digits)
    {
        return Ok(value);
    }
    match evaluate(constant)?.0.integer() {
        Some(value) => Ok(value as i64),
        None => Err(at(codes::EXPRESSION, constant.span, "expected an integer")),
    }
}

/// A number of a directive in 32 bits; `what` describes it in messages.
///
/// As in `ptxas`, a 64-bit number whose upper half is all ones is truncated to its lower half.
pub(crate) fn word(number: Number<'_>, what: &str) -> Resolved<u32> {
    let value = long_word(number, what)?;
    match value >> 32 {
        0 | 0xFFFF_FFFF => Ok(value as u32),
        _ => {
            let message = format!("{what} must be from 0 to 4294967295, not {value}");
            Err(at(codes::DIRECTIVE_VALUE, number.span, message))
        }
    }
}

/// A number of a directive in 64 bits.
#[inline]
pub(crate) fn long_word(number: Number<'_>, what: &str) -> Resolved<u64> {
    match decimal(number.text) {
        Some(value) => Ok(value as u64),
        None => other_number(number, what),
    }
}

/// The same for a number that is not plain decimal digits.
fn other_number(number: Number<'_>, what: &str) -> Resolved<u64> {
    if number.text == "WARP_SZ" {
        return Ok(32);
    }
    let Some((value, _)) = literal(number.text) else { return Err(bad_number(number.text, number.span)) };
    value.integer().ok_or_else(|| {
        let message = format!("{what} must be an integer");
        at(codes::DIRECTIVE_VALUE, number.span, message)
    })
}

/// A constant's value and how it is spelled.
fn evaluate(constant: &Constant<'_>) -> Resolved<(Value, Spelling)> {
    match &constant.value {
        ConstantValue::Literal { negative, digits } => {
            let Span { hi, .. } = constant.span;
            let span = Span::new(hi - digits.len() as u32, hi);
            evaluate_literal(*negative, Number { text: digits, span }, constant.span.lo)
        }
        ConstantValue::Expression(terms) => Ok((expression(terms)?, Spelling::Other)),
    }
}

/// The value of a number with or without a minus, which begins at `lo`, and how it is spelled.
pub(crate) fn evaluate_literal(negative: bool, digits: Number<'_>, lo: u32) -> Resolved<(Value, Spelling)> {
    match literal(digits.text) {
        None => Err(bad_number(digits.text, digits.span)),
        Some((Value::Single(_), _)) if negative => Err(alone(Span::new(lo, digits.span.hi))),
        Some((value, spelling)) => Ok(simple(digits.text, value, spelling, negative)),
    }
}

/// The value of an expression in postfix order.
fn expression(terms: &[Term<'_>]) -> Resolved<Value> {
    let mut values: Vec<Value> = Vec::new();
    for term in terms {
        let value = match *term {
            Term::Number(number) => match literal(number.text) {
                Some((value, _)) => value,
                None => return Err(bad_number(number.text, number.span)),
            },
            Term::WarpSize => Value::Signed(32),
            Term::Unary(sign, span) => unary(sign, span, operand(&mut values))?,
            Term::Cast(word) => cast(word, operand(&mut values))?,
            Term::Binary(operator, span) => {
                let right = operand(&mut values);
                binary(operator, span, operand(&mut values), right)?
            }
            Term::Conditional(span) => {
                let no = operand(&mut values);
                let yes = operand(&mut values);
                conditional(span, operand(&mut values), yes, no)?
            }
        };
        values.push(value);
    }
    Ok(operand(&mut values))
}

fn operand(values: &mut Vec<Value>) -> Value {
    debug_assert!(!values.is_empty(), "operands precede their operator");
    // Default: as asserted.
    values.pop().unwrap_or(Value::Signed(0))
}

fn unary(sign: u8, span: Span, value: Value) -> Resolved<Value> {
    match (sign, value.integer()) {
        (b'+' | b'-', _) if matches!(value, Value::Single(_)) => Err(alone(span)),
        (b'+', _) => Ok(value),
        (b'-', _) => Ok(negate(value)),
        (b'!', Some(value)) => Ok(Value::truth(value == 0)),
        (b'~', Some(value)) => Ok(Value::Unsigned(!value)),
        _ => Err(at(codes::EXPRESSION, span, format!("`{}` needs an integer", char::from(sign)))),
    }
}

fn cast(word: Number<'_>, value: Value) -> Resolved<Value> {
    match value.integer() {
        Some(bits) if word.text == "s64" => Ok(Value::Signed(bits as i64)),
        Some(bits) => Ok(Value::Unsigned(bits)),
        None => Err(at(codes::EXPRESSION, word.span, "only integers can be cast")),
    }
}

fn conditional(span: Span, condition: Value, yes: Value, no: Value) -> Resolved<Value> {
    let Some(condition) = condition.integer() else {
        return Err(at(codes::EXPRESSION, span, "the condition must be an integer"));
    };
    if yes.integer().is_none() || no.integer().is_none() {
        return Err(at(codes::EXPRESSION, span, "both results must be integers"));
    }
    // In `ptxas` the result has the type of the selected value; the type of the other one has no effect.
    Ok(if condition != 0 { yes } else { no })
}

/// The error that a `0f` number is an operand.
fn alone(span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(
        codes::EXPRESSION,
        span,
        "a single-precision `0f` number cannot be an operand of an operator",
    );
    Box::new(error.with_help("write the result's bits, or compute with `0d` numbers"))
}

fn binary(operator: [u8; 2], span: Span, left: Value, right: Value) -> Resolved<Value> {
    if matches!(left, Value::Single(_)) || matches!(right, Value::Single(_)) {
        return Err(alone(span));
    }
    let value = match (left.double(), right.double(), left.integer(), right.integer()) {
        (Some(a), Some(b), _, _) => floating(operator, a, b),
        (_, _, Some(_), Some(0)) if matches!(operator[0], b'/' | b'%') => {
            return Err(at(codes::EXPRESSION, span, "division by zero"));
        }
        (_, _, Some(a), Some(b)) => {
            let signed = matches!((left, right), (Value::Signed(_), Value::Signed(_)));
            integers(operator, a, b, signed, matches!(left, Value::Signed(_)))
        }
        _ => None,
    };
    value.ok_or_else(|| {
        let shown = String::from_utf8_lossy(&operator).trim_end_matches('\0').to_owned();
        let message = format!("`{shown}` cannot be applied to these operands");
        let error = Diagnostic::error(codes::EXPRESSION, span, message);
        Box::new(error.with_help("both sides must be integers, or both floating-point numbers"))
    })
}

/// The value and spelling of a literal with or without a minus, the most common constant.
fn simple(text: &str, value: Value, spelling: Spelling, negative: bool) -> (Value, Spelling) {
    if !negative {
        return (value, spelling);
    }
    match negate(value) {
        // The one number whose positive counterpart needs the unsigned range.
        _ if text == "9223372036854775808" => (Value::Signed(i64::MIN), Spelling::Plain),
        Value::Signed(value) if value != 0 => (Value::Signed(value), spelling),
        // `-0`, `-5U` and negative floating-point numbers are printed differently from their values alone.
        value => (value, Spelling::Other),
    }
}

fn negate(value: Value) -> Value {
    match value {
        Value::Signed(value) => Value::Signed(value.wrapping_neg()),
        Value::Unsigned(value) => Value::Unsigned(value.wrapping_neg()),
        Value::Single(bits) => Value::Single(bits ^ 1 << 31),
        Value::Double(value) => Value::Double(-value),
    }
}

fn floating(operator: [u8; 2], a: f64, b: f64) -> Option<Value> {
    Some(match &operator {
        b"+\0" => Value::Double(a + b),
        b"-\0" => Value::Double(a - b),
        b"*\0" => Value::Double(a * b),
        b"/\0" => Value::Double(a / b),
        b"<\0" => Value::truth(a < b),
        b">\0" => Value::truth(a > b),
        b"<=" => Value::truth(a <= b),
        b">=" => Value::truth(a >= b),
        b"==" => Value::truth(a == b),
        b"!=" => Value::truth(a != b),
        _ => return None,
    })
}

/// `signed`: both operands are; `left_signed`: the left one is. A divisor is not zero. As in `ptxas`, shifts use the low six bits
/// of their amount.
fn integers(operator: [u8; 2], a: u64, b: u64, signed: bool, left_signed: bool) -> Option<Value> {
    let typed = |bits: u64| if signed { Value::Signed(bits as i64) } else { Value::Unsigned(bits) };
    let ordered = |less: fn(std::cmp::Ordering) -> bool| {
        Value::truth(less(if signed { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) }))
    };
    Some(match &operator {
        b"+\0" => typed(a.wrapping_add(b)),
        b"-\0" => typed(a.wrapping_sub(b)),
        b"*\0" => typed(a.wrapping_mul(b)),
        b"/\0" if signed => Value::Signed((a as i64).wrapping_div(b as i64)),
        b"/\0" => Value::Unsigned(a.checked_div(b)?),
        // The manual's table has signed here; `ptxas` follows the text of 4.5.5.
        b"%\0" => Value::Unsigned(a.checked_rem(b)?),
        b"<<" if left_signed => Value::Signed(a.wrapping_shl(b as u32) as i64),
        b"<<" => Value::Unsigned(a.wrapping_shl(b as u32)),
        b">>" if left_signed => Value::Signed((a as i64).wrapping_shr(b as u32)),
        b">>" => Value::Unsigned(a.wrapping_shr(b as u32)),
        b"&\0" => typed(a & b),
        b"|\0" => typed(a | b),
        b"^\0" => typed(a ^ b),
        b"<\0" => ordered(std::cmp::Ordering::is_lt),
        b">\0" => ordered(std::cmp::Ordering::is_gt),
        b"<=" => ordered(std::cmp::Ordering::is_le),
        b">=" => ordered(std::cmp::Ordering::is_ge),
        b"==" => Value::truth(a == b),
        b"!=" => Value::truth(a != b),
        b"&&" => Value::truth(a != 0 && b != 0),
        b"||" => Value::truth(a != 0 || b != 0),
        _ => return None,
    })
}

/// The tokens of an expression with one blank between them.
fn without_comments(text: &str) -> String {
    let mut stream = Stream::new(text.into());
    let mut kept = String::new();
    loop {
        let token = stream.peek();
        if token.kind == TokenKind::End {
            return kept;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(stream.text(&token));
        stream.advance();
    }
}
