//! Operands of instructions (manual 6).

use nom::combinator::cut;
use nom::sequence::preceded;
use nom::{Input, Parser};

use crate::codes;
use crate::grammar::constant::constant;
use crate::grammar::error::{Failed, Fixed, Parsed, Problem, expected, fail, fixed};
use crate::grammar::terminal::{comma_list, identifier, mark, must};
use crate::in_place::push;
use crate::token::{Token, TokenKind, Tokens};
use crate::tree::{Constant, ConstantValue, Name, Operand, OperandKind};
use ptx_diag::Span;

/// Parses an operand into a list.
#[inline(always)]
pub(crate) fn push_operand<'a, 's>(
    i: Tokens<'a, 's>,
    paired: bool,
    operands: &mut Vec<Operand<'s>>,
) -> Result<Tokens<'a, 's>, Failed<'s>> {
    if let Some(rest) = common_operand(i, paired, operands) {
        return Ok(rest);
    }
    let (rest, operand) = operand(i)?;
    operands.push(Operand { paired, ..operand });
    Ok(rest)
}

/// Parses the most common operands: `a`, `42`, `[a]` or `[a+42]`. [`operand`] parses these too, but moving its result into the list
/// takes longer than parsing it.
#[inline(always)]
fn common_operand<'a, 's>(
    i: Tokens<'a, 's>,
    paired: bool,
    operands: &mut Vec<Operand<'s>>,
) -> Option<Tokens<'a, 's>> {
    let ends = |token: &Token| matches!(token.kind, TokenKind::Mark(b',' | b';' | b'}' | b')'));
    let is_name = |token: &Token| token.kind == TokenKind::Ident && !matches!(i.text(token), "_" | "WARP_SZ");
    let literal = |token: &Token| {
        let value = ConstantValue::Literal { negative: false, digits: i.text(token) };
        Constant { value, span: token.span() }
    };
    match i.rest {
        [name, end, ..] if ends(end) && is_name(name) => {
            let span = name.span();
            push(operands, || Operand { kind: OperandKind::Name(i.name(name)), span, paired });
            Some(i.take_from(1))
        }
        [number, end, ..] if ends(end) && number.kind == TokenKind::Number => {
            let span = number.span();
            push(operands, || Operand { kind: OperandKind::Constant(literal(number)), span, paired });
            Some(i.take_from(1))
        }
        [open, name, rest @ ..] if open.kind == TokenKind::Mark(b'[') && is_name(name) => match rest {
            [close, ..] if close.kind == TokenKind::Mark(b']') => {
                let span = Span::new(open.lo, close.hi);
                let kind = || OperandKind::Address(Some(i.name(name)), None);
                push(operands, || Operand { kind: kind(), span, paired });
                Some(i.take_from(3))
            }
            [plus, number, close, ..]
                if plus.kind == TokenKind::Mark(b'+')
                    && number.kind == TokenKind::Number
                    && close.kind == TokenKind::Mark(b']') =>
            {
                let span = Span::new(open.lo, close.hi);
                let kind = || OperandKind::Address(Some(i.name(name)), Some(literal(number)));
                push(operands, || Operand { kind: kind(), span, paired });
                Some(i.take_from(5))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `_`, `a`, `a.x`, `a[3]`, `a+4`, `!p`, `-a`, `[a+4]`, `{a, b}` or a constant.
pub(crate) fn operand<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Operand<'s>> {
    let Some(token) = i.first() else { return expected(i, "an operand") };
    let (rest, kind) = match token.kind {
        // The most common operand: a name by itself.
        TokenKind::Ident => {
            let rest = i.skip();
            let follows = matches!(rest.kind(), TokenKind::Mark(b'[' | b'+' | b'-') | TokenKind::Directive);
            if follows || matches!(i.text(token), "_" | "WARP_SZ") {
                name(i, token)?
            } else {
                (rest, OperandKind::Name(i.name(token)))
            }
        }
        TokenKind::Dotted => component(i, token)?,
        TokenKind::Number | TokenKind::Mark(b'+' | b'~' | b'(') => constant_operand(i)?,
        TokenKind::Mark(b'[') => address(i)?,
        TokenKind::Mark(b'{') => vector(i)?,
        TokenKind::Mark(b'!') => not(i)?,
        TokenKind::Mark(b'-') => negated(i)?,
        _ => return expected(i, "an operand"),
    };
    let span = Span::new(token.lo, i.span_to(rest).hi);
    Ok((rest, Operand { kind, span, paired: false }))
}

fn constant_operand<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, OperandKind<'s>> {
    constant.map(OperandKind::Constant).parse(i)
}

/// `_`, `WARP_SZ`, or `a` with `[3]`, `+4` or a component after a blank.
fn name<'a, 's>(i: Tokens<'a, 's>, token: &Token) -> Parsed<'a, 's, OperandKind<'s>> {
    if i.is_warp_size(token) {
        return constant_operand(i);
    }
    let rest = i.skip();
    let name = i.name(token);
    if name.text == "_" {
        return Ok((rest, OperandKind::Sink));
    }
    match rest.kind() {
        // Registers are neither arrays nor addresses: the next token is not part of the operand.
        TokenKind::Mark(b'[' | b'-') if name.text.starts_with('%') => Ok((rest, OperandKind::Name(name))),
        TokenKind::Mark(b'[') => element(rest, name),
        TokenKind::Mark(_) => offset
            .map(|offset| {
                offset.map_or(OperandKind::Name(name), |offset| OperandKind::Sum(name, Box::new(offset)))
            })
            .parse(rest),
        _ => match rest.first().map(|word| (word, i.directive(word))) {
            Some((word, Some(text))) => {
                Ok((rest.skip(), OperandKind::Component(name, Name { text, span: word.span() })))
            }
            _ => Ok((rest, OperandKind::Name(name))),
        },
    }
}

/// `%tid.x`, `%r1.b0` (manual 6.4.3, 9.7.18)
fn component<'a, 's>(i: Tokens<'a, 's>, token: &Token) -> Parsed<'a, 's, OperandKind<'s>> {
    let (name, component) = split_dotted(i, token);
    Ok((i.skip(), OperandKind::Component(name, component)))
}

/// Splits a dotted name at its first dot.
fn split_dotted<'s>(i: Tokens<'_, 's>, token: &Token) -> (Name<'s>, Name<'s>) {
    let text = i.text(token);
    let parts = text.split_once('.');
    debug_assert!(parts.is_some(), "a dotted name has a dot");
    // Default: as asserted.
    let (name, component) = parts.unwrap_or((text, ""));
    let middle = token.lo + name.len() as u32;
    let span = Span::new(token.lo, middle);
    (Name { text: name, span }, Name { text: component, span: Span::new(middle, token.hi) })
}

/// `a[3]` (manual 6.4.2)
fn element<'a, 's>(i: Tokens<'a, 's>, name: Name<'s>) -> Parsed<'a, 's, OperandKind<'s>> {
    const IN_REGISTER: Fixed = fixed(
        codes::UNSUPPORTED,
        "an index in a register is not supported",
        "compute the address in a register: `[%rd1]`",
    );
    let index = i.skip();
    if let Some(token) = index.first()
        && matches!(token.kind, TokenKind::Ident | TokenKind::Dotted)
        && !i.is_warp_size(token)
    {
        return fail(index, Problem::Fixed(&IN_REGISTER));
    }
    let (rest, index) = constant(index)?;
    let (rest, _) = must(mark(b']', "`]`")).parse(rest)?;
    Ok((rest, OperandKind::Element(name, Box::new(index), i.span_to(rest))))
}

/// `+4` or `+-4`, or nothing.
#[inline]
pub(crate) fn offset<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Option<Constant<'s>>> {
    const SUBTRACTED: Fixed =
        fixed(codes::EXPECTED, "an offset cannot be subtracted", "write `+-4` for four bytes before");
    match i.kind() {
        TokenKind::Mark(b'+') => constant.map(Some).parse(i.skip()),
        TokenKind::Mark(b'-') => fail(i, Problem::Fixed(&SUBTRACTED)),
        _ => Ok((i, None)),
    }
}

/// `!p`; before a number `!` is an operator.
fn not<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, OperandKind<'s>> {
    let rest = i.skip();
    match rest.kind() {
        TokenKind::Number | TokenKind::Mark(b'(' | b'!' | b'~' | b'-' | b'+') => constant_operand(i),
        _ => must(identifier("a predicate register")).map(OperandKind::Not).parse(rest),
    }
}

/// `-a` or `-a.b0`, without a blank after the minus; otherwise a constant.
fn negated<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, OperandKind<'s>> {
    let rest = i.skip();
    let (Some(minus), Some(token)) = (i.first(), rest.first()) else { return constant_operand(i) };
    match token.kind {
        _ if token.lo > minus.hi || i.is_warp_size(token) => constant_operand(i),
        TokenKind::Ident => Ok((rest.skip(), OperandKind::Negated(i.name(token), None))),
        TokenKind::Dotted => {
            let (name, component) = split_dotted(i, token);
            Ok((rest.skip(), OperandKind::Negated(name, Some(component.text))))
        }
        _ => constant_operand(i),
    }
}

/// `[a]`, `[a+4]` or `[4]` (manual 6.4.1); or several values in brackets, `[tex, {x, y}]`
#[inline]
fn address<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, OperandKind<'s>> {
    let i = i.skip();
    let (rest, base, offset) = match i.rest {
        [token, ..] if token.kind == TokenKind::Ident && !i.is_warp_size(token) => {
            let (rest, offset) = offset(i.skip())?;
            (rest, Some(i.name(token)), offset)
        }
        [token, ..] if token.kind == TokenKind::Dotted => return expected(i, "an address"),
        _ => {
            let (rest, offset) = constant(i)?;
            (rest, None, Some(offset))
        }
    };
    match rest.kind() {
        TokenKind::Mark(b']') => Ok((rest.skip(), OperandKind::Address(base, offset))),
        TokenKind::Mark(b',') => bracket(i, rest, base, offset),
        _ => expected(rest, "`]`"),
    }
}

/// `[a, b, {c, d}]`, from the token after its first value, which is at `i`.
fn bracket<'a, 's>(
    i: Tokens<'a, 's>,
    rest: Tokens<'a, 's>,
    base: Option<Name<'s>>,
    offset: Option<Constant<'s>>,
) -> Parsed<'a, 's, OperandKind<'s>> {
    const SUM: Fixed = fixed(codes::OPERANDS, "an offset cannot be added to a value in a list", "");
    const NO_NAME: Fixed = fixed(codes::OPERANDS, "this is not a value", "");
    let Some(first) = base else { return fail(rest, Problem::Located(&NO_NAME, i.span_to(rest))) };
    if offset.is_some() {
        return fail(rest, Problem::Located(&SUM, i.span_to(rest)));
    }
    let element = |i: Tokens<'a, 's>| match i.kind() {
        TokenKind::Mark(b'[') => expected(i, "a register, a constant or a vector"),
        _ => operand(i),
    };
    let others = preceded(mark(b',', "`,`"), comma_list(element));
    let (rest, others) = cut((others, mark(b']', "`,` or `]`"))).map(|(others, _)| others).parse(rest)?;
    let first = Operand { kind: OperandKind::Name(first), span: first.span, paired: false };
    Ok((rest, OperandKind::Bracket(std::iter::once(first).chain(others).collect())))
}

/// `{a, b, c, d}` (manual 6.4.3)
fn vector<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, OperandKind<'s>> {
    elements(i, b'}', "`,` or `}`").map(|(rest, list)| (rest, OperandKind::Vector(list)))
}

/// `(a, b)`: results or arguments of a call (manual 9.7.12.5).
pub(crate) fn list<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Operand<'s>> {
    let (rest, list) = elements(i, b')', "`,` or `)`")?;
    Ok((rest, Operand { kind: OperandKind::List(list), span: i.span_to(rest), paired: false }))
}

/// Operands with commas between them, none of which is a list or an address.
fn elements<'a, 's>(i: Tokens<'a, 's>, close: u8, shown: &'static str) -> Parsed<'a, 's, Vec<Operand<'s>>> {
    let mut i = i.skip();
    let mut list = Vec::with_capacity(4);
    if i.is_mark(close) {
        return Ok((i.skip(), list));
    }
    loop {
        if let TokenKind::Mark(b'{' | b'[') = i.kind() {
            return expected(i, "a register or constant");
        }
        i = push_operand(i, false, &mut list)?;
        match i.kind() {
            TokenKind::Mark(b',') => i = i.skip(),
            TokenKind::Mark(mark) if mark == close => return Ok((i.skip(), list)),
            _ => return expected(i, shown),
        }
    }
}
