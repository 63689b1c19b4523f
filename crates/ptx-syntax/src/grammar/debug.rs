//! Debugging directives (manual 11.5).

use nom::bytes::complete::take;
use nom::combinator::{cut, opt};
use nom::error::{ErrorKind, ParseError};
use nom::multi::separated_list1;
use nom::sequence::{pair, preceded};
use nom::{Err, IResult, Parser};
use ptx_diag::Span;
use ptx_isa::ScalarType;

use crate::codes;
use crate::grammar::error::{Failed, Fixed, Parsed, Problem, expected, fail, fixed};
use crate::grammar::module::starts_item;
use crate::grammar::terminal::{after, any_directive, identifier, mark, must, number, string};
use crate::lexer::{self, Lexeme};
use crate::token::{TokenKind, Tokens};
use crate::tree::{File, InlinedAt, Location, Name, Number, Section, Statement};

/// `.file file_index "filename" {, timestamp {, file_size}}` (manual 11.5.3)
pub(crate) fn file<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    const SEVERAL: Fixed =
        fixed(codes::EXPECTED, "`.file` must have a single name", "write folder and file name as one string");
    let head = (any_directive, number("the number of a file"), string("the file's name in quotes"));
    let (rest, (_, index, name)) = must(head).parse(i)?;
    if rest.kind() == TokenKind::Text {
        return fail(rest, Problem::Fixed(&SEVERAL));
    }
    let size = after(b',', number("the size of a file"));
    let (rest, stamp) = after(b',', pair(number("the time of a file"), size)).parse(rest)?;
    Ok((rest, Statement::File(Box::new(File { index, name, stamp, span: i.span_to(rest) }))))
}

/// `.loc file_index line_number column_position {, function_name label {+ immediate}, inlined_at file line column}`
/// (manual 11.5.4); the two parts in either order.
pub(crate) fn location<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Location<'s>> {
    let parts = (preceded(any_directive, must(position)), after(b',', inlined_at.map(Box::new)));
    let (rest, (position, inlined)) = { parts }.parse(i)?;
    Ok((rest, Location { position, inlined, span: i.span_to(rest) }))
}

/// `file_index line_number column_position`
fn position<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, [Number<'s>; 3]> {
    let parts = (number("the number of a file"), number("a line"), number("a column"));
    { parts }.map(|(file, line, column)| [file, line, column]).parse(i)
}

/// `function_name label {+ immediate}` and `inlined_at file line column`
fn inlined_at<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, InlinedAt<'s>> {
    let (mut rest, mut name, mut place) = (i, None, None);
    loop {
        match rest.first().map(|token| rest.text(token)) {
            Some("function_name") if name.is_none() => {
                let found = pair(section_name, after(b'+', number("an offset"))).parse(rest.skip())?;
                (rest, name) = (found.0, Some(found.1));
            }
            Some("inlined_at") if place.is_none() => {
                let found = must(position).parse(rest.skip())?;
                (rest, place) = (found.0, Some(found.1));
            }
            _ => return expected(rest, "`function_name` or `inlined_at`"),
        }
        if let (Some((name, offset)), Some(position)) = (name, place) {
            return Ok((rest, InlinedAt { name, offset, position }));
        }
        let comma = "`,` with the other one of `function_name` and `inlined_at`";
        (rest, _) = must(mark(b',', comma)).parse(rest)?;
    }
}

/// A label, or a section with its dot.
fn section_name<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Name<'s>> {
    match i.first() {
        Some(token) if token.kind == TokenKind::Directive => Ok((i.skip(), i.name(token))),
        _ => must(identifier("a label")).parse(i),
    }
}

/// Whether a word with a dot is the name of a section, not a directive or type.
fn names_section(word: &str) -> bool {
    let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic());
    is_word && word != "global" && !starts_item(word) && ScalarType::from_ptx(word).is_none()
}

/// `@@DWARF dwarf-string` (manual 11.5.1)
pub(crate) fn dwarf_line<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    match i.first() {
        Some(token) => Ok((i.skip(), Statement::DwarfLine(i.name(token)))),
        None => expected(i, "`@@DWARF`"),
    }
}

/// `.section section_name { dwarf-lines }` (manual 11.5.2)
pub(crate) fn section<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (rest, _) = any_directive(i)?;
    let Some(name) = rest.first().filter(|token| i.directive(token).is_some_and(names_section)) else {
        return expected(rest, "the section's name with its dot");
    };
    let (rest, open) = must(mark(b'{', "`{`")).parse(rest.skip())?;
    let Some(lines) = rest.first().filter(|token| token.kind == TokenKind::Lines) else {
        return expected(rest, "`}`");
    };
    let labels = labels(rest.text(lines), open.hi).map_err(|span| section_error(rest, span))?;
    let (text, text_span, name) = (rest.text(lines), lines.span(), i.name(name));
    let (rest, _) = must(mark(b'}', "`}`")).parse(rest.skip())?;
    Ok((rest, Statement::Section(Box::new(Section { name, text, text_span, labels, span: i.span_to(rest) }))))
}

fn section_error<'s>(i: Tokens<'_, 's>, span: Span) -> Failed<'s> {
    const LINE: Fixed = fixed(
        codes::DIRECTIVE_VALUE,
        "this is not a line of a debug section",
        "such a line is `label:`, or `.b8`, `.b16`, `.b32`, `.b64` with numbers that fit, or `.b32`, `.b64` with one label",
    );
    // The span is between the braces; parsing resumes after them.
    let i = i.skip().skip();
    Err::Failure(crate::grammar::error::SyntaxError {
        left: i.rest.len(),
        problem: Problem::Located(&LINE, span),
    })
}

/// The error of a parser of a section's text: the number of bytes left at the error.
#[derive(Clone, Copy, Debug)]
struct Left(usize);

impl ParseError<&str> for Left {
    fn from_error_kind(i: &str, _: ErrorKind) -> Self {
        Left(i.len())
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

type Data<'s, T> = IResult<&'s str, T, Left>;

/// Returns the labels of a section's text, which starts at `offset`, or the span of its first syntax error.
fn labels(text: &str, offset: u32) -> Result<Vec<Name<'_>>, Span> {
    let mut labels = Vec::new();
    let mut i = lexer::separators(text);
    while !i.is_empty() {
        match dwarf_line_of_section(i) {
            Ok((rest, label)) => {
                let lo = offset + (text.len() - i.len()) as u32;
                let name = |text: &'_ str| Span::new(lo, lo + text.len() as u32);
                labels.extend(label.map(|text| Name { text, span: name(text) }));
                i = rest;
            }
            Err(Err::Error(Left(left)) | Err::Failure(Left(left))) => {
                let lo = text.len() - left;
                let wrong = text
                    .get(lo..)
                    .and_then(|rest| lexer::token(rest.as_bytes()).ok().map(|(tail, _)| left - tail.len()));
                let length = wrong.unwrap_or(usize::from(left > 0));
                return Err(Span::new(offset + lo as u32, offset + (lo + length) as u32));
            }
            Err(Err::Incomplete(_)) => break,
        }
    }
    Ok(labels)
}

/// A token and the separators after it.
#[inline]
fn lexeme(i: &str) -> Data<'_, (Lexeme, &str)> {
    match lexer::token(i.as_bytes()) {
        Ok((tail, lexeme)) => {
            let (rest, text) = take(i.len() - tail.len())(i)?;
            Ok((lexer::separators(rest), (lexeme, text)))
        }
        Err(_) => Err(Err::Error(Left(i.len()))),
    }
}

/// A token of one kind.
#[inline]
fn token<'s>(kind: Lexeme) -> impl Fn(&'s str) -> Data<'s, &'s str> {
    move |i| match lexeme(i) {
        Ok((rest, (found, text))) if found == kind => Ok((rest, text)),
        _ => Err(Err::Error(Left(i.len()))),
    }
}

/// `label:`, `.b8 list`, `.b16 list`, `.b32 list`, `.b64 list`, or `.b32` or `.b64` and `label`, `label+imm` or `label1-label2`.
/// Returns the label that the line defines.
fn dwarf_line_of_section(i: &str) -> Data<'_, Option<&str>> {
    let (rest, (kind, text)) = lexeme(i)?;
    let bits = match (kind, text) {
        (Lexeme::Ident, _) => {
            return match token(Lexeme::Mark(b':'))(rest) {
                Ok((rest, _)) => Ok((rest, Some(text))),
                Err(_) => Err(Err::Failure(Left(i.len()))),
            };
        }
        (Lexeme::Directive, ".b8") => 8,
        (Lexeme::Directive, ".b16") => 16,
        (Lexeme::Directive, ".b32") => 32,
        (Lexeme::Directive, ".b64") => 64,
        _ => return Err(Err::Failure(Left(i.len()))),
    };
    let (rest, ()) = match lexeme(rest)? {
        (_, (Lexeme::Ident | Lexeme::Directive, _)) if bits >= 32 => label_value(rest)?,
        _ => integer_list(bits)(rest)?,
    };
    Ok((rest, None))
}

/// `label`, `label+imm`, `label1-label2`; the first label can be a section's name, except in a difference.
fn label_value(i: &str) -> Data<'_, ()> {
    let (rest, (kind, text)) = lexeme(i)?;
    let is_section = kind == Lexeme::Directive;
    if text == "WARP_SZ" || (is_section && !names_section(&text[1..])) {
        return Err(Err::Failure(Left(i.len())));
    }
    let offset = preceded(token(Lexeme::Mark(b'+')), cut(integer));
    let (rest, sum) = { opt(offset) }.parse(rest)?;
    if sum.is_some() || is_section {
        return Ok((rest, ()));
    }
    let other = preceded(token(Lexeme::Mark(b'-')), cut(token(Lexeme::Ident)));
    { opt(other) }.map(|_| ()).parse(rest)
}

/// Integers with commas between them, each of which fits as signed or as unsigned.
fn integer_list<'s>(bits: u32) -> impl Fn(&'s str) -> Data<'s, ()> {
    move |i| {
        let integer = |i: &'s str| {
            let (rest, minus) = opt(token(Lexeme::Mark(b'-'))).parse(i)?;
            let (tail, value) = integer(rest)?;
            let limit = if minus.is_some() { 1u64 << (bits - 1) } else { u64::MAX >> (64 - bits) };
            let most = if minus.is_some() { u64::MAX >> 1 } else { u64::MAX };
            // `.b32` also accepts 64-bit numbers whose upper half is all ones, such as a minus one.
            let fits = value <= limit || (bits == 32 && value >> 32 == 0xFFFF_FFFF);
            if fits && value <= most { Ok((tail, ())) } else { Err(Err::Failure(Left(rest.len()))) }
        };
        separated_list1(token(Lexeme::Mark(b',')), cut(integer)).map(|_: Vec<()>| ()).parse(i)
    }
}

/// An integer literal.
fn integer(i: &str) -> Data<'_, u64> {
    let (rest, text) = token(Lexeme::Number)(i)?;
    match crate::literal::integer_literal(text) {
        Some(value) => Ok((rest, value)),
        None => Err(Err::Failure(Left(i.len()))),
    }
}
