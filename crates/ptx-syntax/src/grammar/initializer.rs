//! Initial values of variables (manual 5.3, 5.4.4).

use nom::Parser;
use nom::combinator::cut;
use nom::sequence::{delimited, separated_pair};

use crate::codes;
use crate::grammar::MAX_DEPTH;
use crate::grammar::constant::constant;
use crate::grammar::error::{Fixed, Parsed, Problem, fail, fixed};
use crate::grammar::operand::offset;
use crate::grammar::terminal::{comma_list, identifier, mark, must};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Address, Constant, Field, Initializer, Name, Table};

const TOO_DEEP: Fixed = fixed(codes::TOO_DEEP, "initial values are nested deeper than 256 levels", "");

/// `constant`, `name+4`, `generic(name)+4`, `0xFF(name)`, or a list of these in braces; `depth` is the number of open braces.
pub(crate) fn initializer<'a, 's>(i: Tokens<'a, 's>, depth: u32) -> Parsed<'a, 's, Initializer<'s>> {
    match i.rest {
        [token, ..] if token.kind == TokenKind::Table => {
            Ok((i.skip(), Initializer::Table(Table { text: i.text(token), lo: token.lo })))
        }
        [token, ..] if token.kind == TokenKind::Mark(b'{') => {
            if depth >= MAX_DEPTH {
                return fail(i, Problem::Fixed(&TOO_DEEP));
            }
            braces(i, |i| initializer(i, depth + 1)).map(|(rest, values)| (rest, Initializer::List(values)))
        }
        [token, ..] if token.kind == TokenKind::Ident && !i.is_warp_size(token) => {
            address.map(Initializer::Address).parse(i)
        }
        [number, open, ..] if number.kind == TokenKind::Number && open.kind == TokenKind::Mark(b'(') => {
            masked(i)
        }
        _ => constant.map(Initializer::Value).parse(i),
    }
}

/// `{element, element}`, or nothing in the braces.
fn braces<'a, 's: 'a, T>(
    i: Tokens<'a, 's>,
    element: impl Fn(Tokens<'a, 's>) -> Parsed<'a, 's, T>,
) -> Parsed<'a, 's, Vec<T>> {
    let inner = i.skip();
    if inner.is_mark(b'}') {
        return Ok((inner.skip(), Vec::new()));
    }
    cut(delimited(mark(b'{', "`{`"), comma_list(element), mark(b'}', "`,` or `}`"))).parse(i)
}

/// `name+4` or `generic(name)+4`
fn address<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Address<'s>> {
    let (rest, name) = identifier("a name").parse(i)?;
    if name.text != "generic" || !rest.is_mark(b'(') {
        return offset.map(|offset| Address { name, generic: false, offset }).parse(rest);
    }
    let name = delimited(mark(b'(', "`(`"), identifier("a name"), mark(b')', "`)`"));
    must((name, offset)).map(|(name, offset)| Address { name, generic: true, offset }).parse(rest)
}

/// `0xFF00(name)`, `0xFF00(generic(name)+4)` or `0xFF00(constant)`: one byte.
fn masked<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Initializer<'s>> {
    enum Value<'s> {
        Address(Address<'s>),
        Constant(Constant<'s>),
    }
    let value = |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Ident && !i.is_warp_size(token) => {
            address.map(Value::Address).parse(i)
        }
        _ => constant.map(Value::Constant).parse(i),
    };
    let mask: Name<'s> = i.name(&i.rest[0]);
    let (rest, value) = must(delimited(mark(b'(', "`(`"), value, mark(b')', "`)`"))).parse(i.skip())?;
    Ok((
        rest,
        match value {
            Value::Address(address) => Initializer::MaskedAddress(mask, address),
            Value::Constant(constant) => Initializer::MaskedConstant(mask, constant, i.span_to(rest)),
        },
    ))
}

/// `{field = value, ..}`, or a list of these in braces, of texture, sampler and surface references (manual 5.3).
pub(crate) fn fields<'a, 's>(i: Tokens<'a, 's>, depth: u32) -> Parsed<'a, 's, Initializer<'s>> {
    if depth >= MAX_DEPTH {
        return fail(i, Problem::Fixed(&TOO_DEEP));
    }
    let (inner, _) = must(mark(b'{', "`{`")).parse(i)?;
    if inner.is_mark(b'{') {
        let references = braces(i, |i| fields(i, depth + 1));
        return references.map(|(rest, references)| (rest, Initializer::List(references)));
    }
    braces(i, field).map(|(rest, fields)| (rest, Initializer::Fields(fields)))
}

/// `name = word` or `name = constant`
fn field<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, (Name<'s>, Field<'s>)> {
    let value = |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Ident && !i.is_warp_size(token) => {
            Ok((i.skip(), Field::Name(i.name(token))))
        }
        _ => constant.map(Field::Constant).parse(i),
    };
    separated_pair(identifier("the name of a field"), mark(b'=', "`=`"), value).parse(i)
}
