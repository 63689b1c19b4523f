//! Terminals of the grammar, and lists separated by commas.

use nom::combinator::{cut, opt};
use nom::multi::separated_list1;
use nom::sequence::preceded;
use nom::{Err, Parser};
use ptx_diag::Span;

use crate::grammar::error::{Failed, Parsed, Problem, SyntaxError};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Name, Number};

/// A parser from tokens to a part of the syntax tree.
pub(crate) trait Production<'a, 's: 'a, T>:
    Parser<Tokens<'a, 's>, Output = T, Error = SyntaxError<'s>>
{
}

impl<'a, 's: 'a, T, P: Parser<Tokens<'a, 's>, Output = T, Error = SyntaxError<'s>>> Production<'a, 's, T>
    for P
{
}

/// The recoverable error for a token that may be absent: the caller may continue without it.
#[inline]
fn absent<'s, T>(i: Tokens<'_, 's>, what: &'static str) -> Result<T, Failed<'s>> {
    Err(Err::Error(SyntaxError { left: i.rest.len(), problem: Problem::Expected(what) }))
}

/// A punctuation character; `shown` is its name in messages.
#[inline]
pub(crate) fn mark<'a, 's: 'a>(mark: u8, shown: &'static str) -> impl Production<'a, 's, Span> {
    move |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Mark(mark) => Ok((i.skip(), token.span())),
        _ => absent(i, shown),
    }
}

/// `;`
#[inline]
pub(crate) fn semicolon<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Span> {
    mark(b';', "`;`").parse(i)
}

/// The word of a directive.
pub(crate) fn directive<'a, 's: 'a>(word: &'static str) -> impl Production<'a, 's, Name<'s>> {
    move |i: Tokens<'a, 's>| match any_directive(i) {
        Ok((rest, found)) if found.text == word => Ok((rest, found)),
        _ => absent(i, "a directive"),
    }
}

/// Any directive.
pub(crate) fn any_directive<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Name<'s>> {
    match i.first().map(|token| (token, i.directive(token))) {
        Some((token, Some(text))) => Ok((i.skip(), Name { text, span: token.span() })),
        _ => absent(i, "a directive"),
    }
}

/// One of some directives.
pub(crate) fn one_of<'a, 's: 'a>(words: &'static [&'static str]) -> impl Production<'a, 's, Name<'s>> {
    move |i: Tokens<'a, 's>| match any_directive(i) {
        Ok((rest, found)) if words.contains(&found.text) => Ok((rest, found)),
        _ => absent(i, "a directive"),
    }
}

/// Whether a word is reserved, and cannot be declared (manual 4.4, and `ptxas` for the words of `.loc`).
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "WARP_SZ" | "inlined_at" | "function_name")
}

/// An identifier (manual 4.4) that is not reserved; `what` describes it in messages.
pub(crate) fn identifier<'a, 's: 'a>(what: &'static str) -> impl Production<'a, 's, Name<'s>> {
    move |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Ident && !is_reserved(i.text(token)) => {
            Ok((i.skip(), i.name(token)))
        }
        _ => absent(i, what),
    }
}

/// An identifier that is not `_`.
pub(crate) fn proper_identifier<'a, 's: 'a>(what: &'static str) -> impl Production<'a, 's, Name<'s>> {
    move |i: Tokens<'a, 's>| match identifier(what).parse(i) {
        Ok((_, name)) if name.text == "_" => absent(i, what),
        parsed => parsed,
    }
}

/// A number of a directive: a literal or `WARP_SZ`.
pub(crate) fn number<'a, 's: 'a>(what: &'static str) -> impl Production<'a, 's, Number<'s>> {
    move |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Number || i.is_warp_size(token) => {
            Ok((i.skip(), i.name(token)))
        }
        _ => absent(i, what),
    }
}

/// A string; the name is without its quotes, its place includes them.
pub(crate) fn string<'a, 's: 'a>(what: &'static str) -> impl Production<'a, 's, Name<'s>> {
    move |i: Tokens<'a, 's>| match i.rest {
        [token, ..] if token.kind == TokenKind::Text => {
            let text = i.text(token);
            let text = text.get(1..text.len() - 1);
            debug_assert!(text.is_some(), "a string without quotes");
            // Default: as asserted.
            Ok((i.skip(), Name { text: text.unwrap_or_default(), span: token.span() }))
        }
        _ => absent(i, what),
    }
}

/// One or more elements, separated by commas.
pub(crate) fn comma_list<'a, 's: 'a, T>(
    element: impl Production<'a, 's, T>,
) -> impl Production<'a, 's, Vec<T>> {
    separated_list1(mark(b',', "`,`"), cut(element))
}

/// An optional production after a character: present if the next token is that character.
pub(crate) fn after<'a, 's: 'a, T>(
    first: u8,
    production: impl Production<'a, 's, T>,
) -> impl Production<'a, 's, Option<T>> {
    opt(preceded(mark(first, ""), cut(production)))
}

/// A production without alternatives: its errors are failures.
#[inline]
pub(crate) fn must<'a, 's: 'a, T>(mut production: impl Production<'a, 's, T>) -> impl Production<'a, 's, T> {
    move |i: Tokens<'a, 's>| {
        production.parse(i).map_err(|error| match error {
            Err::Error(error) => Err::Failure(error),
            error => error,
        })
    }
}
