//! Directives of a module: its head, aliases, pragmas and linkage (manual 11.1, 11.2.3, 11.4.7, 11.6).

use nom::Parser;
use nom::sequence::{preceded, terminated};

use crate::grammar::error::Parsed;
use crate::grammar::terminal::{
    any_directive, comma_list, identifier, mark, must, number, semicolon, string,
};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Name, Statement};

/// Whether a directive can only begin an item of a module.
pub(crate) fn starts_item(word: &str) -> bool {
    matches!(word, "entry" | "func" | "version" | "target" | "address_size" | "alias" | "file" | "section")
        || is_linkage(word)
}

/// The linking directives (manual 11.6).
pub(crate) fn is_linkage(word: &str) -> bool {
    matches!(word, "extern" | "visible" | "weak" | "common")
}

/// `.version major.minor` (manual 11.1.1)
pub(crate) fn version<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let number = |i: Tokens<'a, 's>| match i.first() {
        Some(token) if token.kind == TokenKind::Number => Ok((i.skip(), i.name(token))),
        _ => crate::grammar::error::expected(i, "a version such as `8.7`"),
    };
    let (rest, version) = preceded(any_directive, number).parse(i)?;
    Ok((rest, Statement::Version(version, i.span_to(rest))))
}

/// `.target stringlist` (manual 11.1.2)
pub(crate) fn target<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (rest, names) =
        preceded(any_directive, comma_list(identifier("a target such as `sm_80`"))).parse(i)?;
    Ok((rest, Statement::Target(names, i.span_to(rest))))
}

/// `.address_size address-size` (manual 11.1.3)
pub(crate) fn address_size<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (rest, bits) = must(preceded(any_directive, number("32 or 64"))).parse(i)?;
    Ok((rest, Statement::AddressSize(bits, i.span_to(rest))))
}

/// `.pragma list-of-strings ;` (manual 11.4.7)
pub(crate) fn pragma<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (rest, texts) = preceded(any_directive, strings).parse(i)?;
    Ok((rest, Statement::Pragma(texts, i.span_to(rest))))
}

/// `list-of-strings ;`
pub(crate) fn strings<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<Name<'s>>> {
    must(terminated(comma_list(string("a text in quotes")), semicolon)).parse(i)
}

/// `.alias fAlias, fAliasee ;` (manual 11.2.3)
pub(crate) fn alias<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let function = || identifier("the name of a function");
    let parts = (any_directive, function(), mark(b',', "`,`"), function(), semicolon);
    let (rest, (_, name, _, target, _)) = must(parts).parse(i)?;
    Ok((rest, Statement::Alias(name, target, i.span_to(rest))))
}
