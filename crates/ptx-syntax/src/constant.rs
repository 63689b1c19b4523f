//! Numbers and constant expressions (manual 4.5).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Immediate, Literal};

use crate::codes;
use crate::lexer::{TokenKind, is_radix_marked};
use crate::reader::{MAX_DEPTH, Parse, Reader};

/// A value with the type that the rules of manual 4.5.5 give it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    Signed(i64),
    Unsigned(u64),
    /// The bits of a single-precision literal; operators widen it.
    Single(u32),
    Double(f64),
}

impl Value {
    fn integer(self) -> Option<u64> {
        match self {
            Value::Signed(value) => Some(value as u64),
            Value::Unsigned(value) => Some(value),
            Value::Single(_) | Value::Double(_) => None,
        }
    }

    fn double(self) -> Option<f64> {
        match self {
            Value::Single(bits) => Some(f64::from(f32::from_bits(bits))),
            Value::Double(value) => Some(value),
            Value::Signed(_) | Value::Unsigned(_) => None,
        }
    }

    fn truth(condition: bool) -> Self {
        Value::Signed(i64::from(condition))
    }

    fn with(self, literal: Literal) -> Immediate {
        match self {
            Value::Signed(value) => Immediate::S64(value, literal),
            Value::Unsigned(value) => Immediate::U64(value, literal),
            Value::Single(bits) => Immediate::F32(bits, literal),
            Value::Double(value) => Immediate::F64(value.to_bits(), literal),
        }
    }
}

/// How a literal would print from its value alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spelling {
    Plain,
    Hex,
    Other,
}

/// Reads one literal; `None` when it is none or is too large.
fn literal(text: &str) -> Option<(Value, Spelling)> {
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

/// All of `digits` as a number; `None` for no digits, wrong ones or too many.
///
/// As `ptxas` does it, a digit after a value with its top bit set is one too many; a number that passes 64 bits with
/// its last digit keeps its low ones.
fn whole(digits: &[u8], radix: u32) -> Option<u64> {
    let digit = |value: u64, &byte: &u8| {
        let digit = char::from(byte).to_digit(radix)?;
        let room = value >> 63 == 0;
        room.then(|| value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit)))
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, digit) }
}

/// A decimal fraction; `None` for one that double precision holds as infinite, as subnormal or, though it is not zero,
/// as zero.
fn decimal_fraction(text: &str) -> Option<(Value, Spelling)> {
    let allowed = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !text.bytes().all(allowed) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // `1e-400` parses as zero, but is not: zero is only what has no digit but zeros before its exponent.
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

/// The binary operators by how tightly they bind; higher binds tighter.
fn precedence(kind: TokenKind<'_>) -> Option<(u8, [u8; 2])> {
    let operator = match kind {
        TokenKind::Mark(byte) => [byte, 0],
        TokenKind::Operator(bytes) => bytes,
        _ => return None,
    };
    let level = match &operator {
        b"*\0" | b"/\0" | b"%\0" => 10,
        b"+\0" | b"-\0" => 9,
        b"<<" | b">>" => 8,
        b"<\0" | b">\0" | b"<=" | b">=" => 7,
        b"==" | b"!=" => 6,
        b"&\0" => 5,
        b"^\0" => 4,
        b"|\0" => 3,
        b"&&" => 2,
        b"||" => 1,
        _ => return None,
    };
    Some((level, operator))
}

impl<'s> Reader<'s, '_> {
    /// A constant: a literal, `WARP_SZ` or an expression; the text is kept where the value alone would print otherwise.
    #[inline]
    pub(crate) fn immediate(&mut self) -> Parse<Immediate> {
        if let Some(value) = self.decimal() {
            return Ok(Immediate::S64(value, Literal::Plain));
        }
        self.any_immediate()
    }

    /// Takes a number of nothing but decimal digits that certainly is not part of an expression, as nearly all are.
    #[inline]
    pub(crate) fn decimal(&mut self) -> Option<i64> {
        const MOST: usize = 18;
        let TokenKind::Number(text) = *self.cursor.kind() else { return None };
        if text.len() > MOST || (text.len() > 1 && text.starts_with('0')) {
            return None;
        }
        let digit = |value: i64, byte: u8| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'));
        let value = text.bytes().try_fold(0, digit)?;
        // Only what cannot be followed by an operator: after anything else the number may be the first of an expression.
        let ends = matches!(self.cursor.byte_behind(), Some(b',' | b';' | b'}' | b']'));
        if ends {
            self.cursor.advance();
        }
        ends.then_some(value)
    }

    fn any_immediate(&mut self) -> Parse<Immediate> {
        let start = self.cursor.span();
        let (value, spelling) = self.constant()?;
        Ok(match spelling {
            Spelling::Plain => value.with(Literal::Plain),
            Spelling::Hex => value.with(Literal::Hex),
            Spelling::Other => self.with_text(value, start),
        })
    }

    /// An integer constant, of which only the value counts.
    pub(crate) fn integer_constant(&mut self) -> Parse<i64> {
        if let Some(value) = self.decimal() {
            return Ok(value);
        }
        let start = self.cursor.span();
        let (value, _) = self.constant()?;
        match value.integer() {
            Some(value) => Ok(value as i64),
            None => Err(self.at(codes::EXPRESSION, start.to(self.cursor.last), "expected an integer")),
        }
    }

    /// A constant's value and how it is spelled.
    fn constant(&mut self) -> Parse<(Value, Spelling)> {
        let first = self.cursor.span();
        let negative = self.eat(b'-').is_some();
        let value = match *self.cursor.kind() {
            TokenKind::Number(text) => {
                self.cursor.advance();
                let Some((value, spelling)) = literal(text) else {
                    return Err(self.bad_number(text, self.cursor.last));
                };
                if negative && matches!(value, Value::Single(_)) {
                    return Err(self.alone(first));
                }
                if self.ends_constant() {
                    return Ok(simple(text, value, spelling, negative));
                }
                value
            }
            _ => self.unary(1)?,
        };
        let value = if negative { self.apply_unary(b'-', first, value)? } else { value };
        let value = self.operators(value, 0, 1)?;
        Ok((self.conditional(value, 1)?, Spelling::Other))
    }

    /// A number of a directive, which is one literal or `WARP_SZ`, in 32 bits.
    ///
    /// As `ptxas` does it, a number of 64 bits with all upper ones set stands for its lower half.
    pub(crate) fn word(&mut self, what: &str) -> Parse<u32> {
        let span = self.cursor.span();
        let value = self.long_word(what)?;
        match value >> 32 {
            0 | 0xFFFF_FFFF => Ok(value as u32),
            _ => {
                let message = format!("{what} must be from 0 to 4294967295, not {value}");
                Err(self.at(codes::DIRECTIVE_VALUE, span, message))
            }
        }
    }

    /// A number of a directive, which is one literal or `WARP_SZ`, in 64 bits.
    pub(crate) fn long_word(&mut self, what: &str) -> Parse<u64> {
        let token = self.cursor.peek();
        let value = match token.kind {
            TokenKind::Number(text) => self.number(text, token.span)?.integer(),
            TokenKind::Ident("WARP_SZ") => Some(32),
            _ => return Err(self.unexpected(what)),
        };
        self.cursor.advance();
        value.ok_or_else(|| {
            let message = format!("{what} must be an integer");
            self.at(codes::DIRECTIVE_VALUE, token.span, message)
        })
    }

    fn ends_constant(&mut self) -> bool {
        match *self.cursor.kind() {
            TokenKind::Mark(b',' | b';' | b'}' | b']') => true,
            TokenKind::Mark(b'?') => false,
            kind => precedence(kind).is_none(),
        }
    }

    /// An integer that prints as what was read from `start` on.
    pub(crate) fn as_written(&mut self, start: Span, value: u64) -> Immediate {
        self.with_text(Value::Signed(value as i64), start)
    }

    fn with_text(&mut self, value: Value, start: Span) -> Immediate {
        let span = start.to(self.cursor.last);
        let text = String::from_utf8_lossy(self.cursor.slice(span)).into_owned();
        // Comments and line ends inside the expression are elsewhere in the model.
        let text = if text.contains(['\n', '\r']) || text.contains("/*") || text.contains("//") {
            without_comments(&text)
        } else {
            text
        };
        value.with(Literal::Text(self.module.strings.intern(&text)))
    }

    fn number(&mut self, text: &str, span: Span) -> Parse<Value> {
        match literal(text) {
            Some((value, _)) => Ok(value),
            None => Err(self.bad_number(text, span)),
        }
    }

    fn bad_number(&self, text: &str, span: Span) -> Box<Diagnostic> {
        let shown: String = text.chars().take(40).collect();
        let help = match text.as_bytes() {
            [b'0', b'f' | b'F', ..] => "a single-precision number is `0f` and exactly 8 hexadecimal digits",
            [b'0', b'd' | b'D', ..] => "a double-precision number is `0d` and exactly 16 hexadecimal digits",
            [b'0', b'0'..=b'9', ..] => "a number that starts with 0 is octal: digits from 0 to 7",
            _ => "numbers are decimal, `0x` hexadecimal, `0` octal or `0b` binary, and fit 64 bits",
        };
        if !is_radix_marked(text.as_bytes()) && text.contains(['.', 'e', 'E']) && text.parse::<f64>().is_ok()
        {
            let message = format!("`{shown}` is too large or too small for double precision");
            let help = "subnormal numbers are written as bits: `0d0000000000000001`";
            return Box::new(Diagnostic::error(codes::NUMBER, span, message).with_help(help));
        }
        let message = format!("`{shown}` is not a number");
        if let Some(number) = without_suffix(text) {
            let help = format!("the type of a number is that of the instruction: write `{number}`");
            return Box::new(Diagnostic::error(codes::NUMBER, span, message).with_help(help));
        }
        Box::new(Diagnostic::error(codes::NUMBER, span, message).with_help(help))
    }

    fn expression(&mut self, depth: u32) -> Parse<Value> {
        if depth > MAX_DEPTH {
            let span = self.cursor.span();
            let message = format!("this expression is nested deeper than {MAX_DEPTH} levels");
            return Err(self.at(codes::TOO_DEEP, span, message));
        }
        let value = self.unary(depth)?;
        let value = self.operators(value, 0, depth)?;
        self.conditional(value, depth)
    }

    fn unary(&mut self, depth: u32) -> Parse<Value> {
        let mut pending = Vec::new();
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::Mark(sign @ (b'-' | b'+' | b'~' | b'!')) => {
                    self.cursor.advance();
                    pending.push((sign, token.span));
                }
                _ => break,
            }
        }
        let mut value = self.primary(depth)?;
        while let Some((sign, span)) = pending.pop() {
            value = self.apply_unary(sign, span, value)?;
        }
        Ok(value)
    }

    fn apply_unary(&self, sign: u8, span: Span, value: Value) -> Parse<Value> {
        let integer = value.integer();
        match (sign, integer) {
            (b'+' | b'-', _) if matches!(value, Value::Single(_)) => Err(self.alone(span)),
            (b'+', _) => Ok(value),
            (b'-', _) => Ok(negate(value)),
            (b'!', Some(value)) => Ok(Value::truth(value == 0)),
            (b'~', Some(value)) => Ok(Value::Unsigned(!value)),
            _ => {
                let sign = char::from(sign);
                Err(self.at(codes::EXPRESSION, span, format!("`{sign}` needs an integer")))
            }
        }
    }

    /// The error that a `0f` number is an operand.
    fn alone(&self, span: Span) -> Box<Diagnostic> {
        let error = Diagnostic::error(
            codes::EXPRESSION,
            span,
            "a single-precision `0f` number cannot be an operand of an operator",
        );
        Box::new(error.with_help("write the result's bits, or compute with `0d` numbers"))
    }

    fn primary(&mut self, depth: u32) -> Parse<Value> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Number(text) => {
                self.cursor.advance();
                self.number(text, token.span)
            }
            TokenKind::Ident("WARP_SZ") => {
                self.cursor.advance();
                Ok(Value::Signed(32))
            }
            TokenKind::Mark(b'(') => {
                self.cursor.advance();
                match *self.cursor.kind() {
                    TokenKind::Directive(ty @ ("s64" | "u64")) => self.cast(ty, depth),
                    _ => {
                        let value = self.expression(depth + 1)?;
                        self.expect(b')', "`)`")?;
                        Ok(value)
                    }
                }
            }
            _ => Err(self.unexpected("a constant")),
        }
    }

    /// `.s64)` or `.u64)` and what is cast.
    fn cast(&mut self, ty: &str, depth: u32) -> Parse<Value> {
        let span = self.cursor.bump().span;
        self.expect(b')', "`)`")?;
        if depth > MAX_DEPTH {
            return Err(self.at(codes::TOO_DEEP, span, "too many casts in a row"));
        }
        let value = self.unary(depth + 1)?;
        match value.integer() {
            Some(bits) if ty == "s64" => Ok(Value::Signed(bits as i64)),
            Some(bits) => Ok(Value::Unsigned(bits)),
            None => Err(self.at(codes::EXPRESSION, span, "only integers can be cast")),
        }
    }

    /// Binary operators that bind at least as tightly as `least`, from the left.
    fn operators(&mut self, mut left: Value, least: u8, depth: u32) -> Parse<Value> {
        loop {
            let found = precedence(*self.cursor.kind()).filter(|(level, _)| *level > least);
            let Some((level, operator)) = found else { return Ok(left) };
            let token = self.cursor.peek();
            self.cursor.advance();
            let right = self.unary(depth + 1)?;
            let right = self.operators(right, level, depth + 1)?;
            left = self.apply(operator, token.span, left, right)?;
        }
    }

    fn conditional(&mut self, condition: Value, depth: u32) -> Parse<Value> {
        if *self.cursor.kind() != TokenKind::Mark(b'?') {
            return Ok(condition);
        }
        let span = self.cursor.bump().span;
        let yes = self.expression(depth + 1)?;
        self.expect(b':', "`:`")?;
        let no = self.expression(depth + 1)?;
        let Some(condition) = condition.integer() else {
            return Err(self.at(codes::EXPRESSION, span, "the condition must be an integer"));
        };
        if yes.integer().is_none() || no.integer().is_none() {
            return Err(self.at(codes::EXPRESSION, span, "both results must be integers"));
        }
        // `ptxas` gives the result the type of the one picked, whatever the other one has.
        Ok(if condition != 0 { yes } else { no })
    }

    fn apply(&self, operator: [u8; 2], span: Span, left: Value, right: Value) -> Parse<Value> {
        if matches!(left, Value::Single(_)) || matches!(right, Value::Single(_)) {
            return Err(self.alone(span));
        }
        let value = match (left.double(), right.double(), left.integer(), right.integer()) {
            (Some(a), Some(b), _, _) => floating(operator, a, b),
            (_, _, Some(_), Some(0)) if matches!(operator[0], b'/' | b'%') => {
                return Err(self.at(codes::EXPRESSION, span, "division by zero"));
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
}

/// A literal with or without a minus, as most constants are: its value and whether it prints so from the value alone.
fn simple(text: &str, value: Value, spelling: Spelling, negative: bool) -> (Value, Spelling) {
    if !negative {
        return (value, spelling);
    }
    match negate(value) {
        // The one number whose positive counterpart needs the unsigned range.
        _ if text == "9223372036854775808" => (Value::Signed(i64::MIN), Spelling::Plain),
        Value::Signed(value) if value != 0 => (Value::Signed(value), spelling),
        // `-0`, `-5U` and negative floating-point numbers print otherwise from their values.
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

/// `signed`: both operands are; `left_signed`: the left one is. A divisor is not zero; shifts take the low six bits
/// of their amount, as `ptxas` does.
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
        // The manual's table says signed here; `ptxas` goes by the text of 4.5.5.
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

/// The tokens of an expression without what is between them.
fn without_comments(text: &str) -> String {
    let mut cursor = crate::cursor::Cursor::new(text.as_bytes());
    let mut kept = String::new();
    loop {
        let token = cursor.bump();
        if token.kind == TokenKind::End {
            return kept;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(&String::from_utf8_lossy(cursor.slice(token.span)));
    }
}

/// A number without the suffix of another language that gives its type: `1.0` of `1.0f`, `7` of `7LL`.
fn without_suffix(text: &str) -> Option<&str> {
    let number = text.trim_end_matches(['f', 'F', 'l', 'L', 'd', 'D', 'h', 'H', 'u', 'U']);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && literal(number).is_some();
    (number.len() < text.len() && is_number && !is_radix_marked(text.as_bytes())).then_some(number)
}
