//! Selects the production of a statement by its first token (manual 4.3).

use nom::Parser;

use crate::grammar::control::label;
use crate::grammar::debug::{dwarf_line, file, location, section};
use crate::grammar::error::{Parsed, Problem, expected, fail};
use crate::grammar::function::function;
use crate::grammar::instruction::instruction;
use crate::grammar::module::{address_size, alias, is_linkage, pragma, target, version};
use crate::grammar::terminal::{any_directive, is_reserved};
use crate::grammar::variable::variables;
use crate::token::{TokenKind, Tokens};
use crate::tree::{Name, Statement};

/// The directives that begin an item of a module, then those that only begin a statement of a body.
const DIRECTIVES: [&str; 21] = [
    "version",
    "target",
    "address_size",
    "visible",
    "extern",
    "weak",
    "common",
    "entry",
    "func",
    "global",
    "const",
    "shared",
    "file",
    "section",
    "loc",
    "pragma",
    "alias",
    "tex",
    "reg",
    "param",
    "local",
];

/// The directives that begin an item of a module.
pub(crate) const MODULE_DIRECTIVES: &[&str] = DIRECTIVES.split_at(18).0;

/// `directive` or `{label:} {@p} instruction` (manual 4.3), or a brace.
pub(crate) fn statement<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let Some(token) = i.first() else { return fail(i, Problem::Stray("a statement")) };
    match token.kind {
        TokenKind::Ident if is_label(i) => label(i),
        TokenKind::Ident | TokenKind::Dotted => instruction.map(Statement::Instruction).parse(i),
        TokenKind::Mark(b'@') => instruction.map(Statement::Instruction).parse(i),
        TokenKind::Directive => directive_statement(i),
        TokenKind::Mark(b'{') => Ok((i.skip(), Statement::Open(token.span()))),
        TokenKind::Mark(b'}') => Ok((i.skip(), Statement::Close(token.span()))),
        TokenKind::Mark(b';') => Ok((i.skip(), Statement::Empty(token.span()))),
        TokenKind::DwarfLine => dwarf_line(i),
        _ => fail(i, Problem::Stray("an instruction or directive")),
    }
}

/// Whether the tokens begin with a label: a name with a colon after it.
fn is_label(i: Tokens<'_, '_>) -> bool {
    match i.rest {
        [name, colon, ..] if colon.kind == TokenKind::Mark(b':') => {
            i.text(name) != "_" && !is_reserved(i.text(name))
        }
        _ => false,
    }
}

fn directive_statement<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (rest, word) = any_directive(i)?;
    match word.text {
        "version" => version(i),
        "target" => target(i),
        "address_size" => address_size(i),
        "file" => file(i),
        "section" => section(i),
        "loc" => location.map(Statement::Location).parse(i),
        "pragma" => pragma(i),
        "alias" => alias(i),
        linkage if is_linkage(linkage) => declaration(rest, Some(word)),
        _ => declaration(i, None),
    }
}

/// `{.linkage}` and a function or variables (manual 11.6).
fn declaration<'a, 's>(i: Tokens<'a, 's>, linkage: Option<Name<'s>>) -> Parsed<'a, 's, Statement<'s>> {
    match any_directive(i).map(|(_, word)| word.text) {
        Ok("entry" | "func") => {
            function(i, linkage).map(|(i, function)| (i, Statement::Function(Box::new(function))))
        }
        Ok("reg" | "param" | "local" | "shared" | "global" | "const" | "tex" | "align" | "attribute") => {
            variables(i, linkage).map(|(i, variables)| (i, Statement::Variables(Box::new(variables))))
        }
        _ if linkage.is_some() => expected(i, "a function or variable"),
        _ => fail(i, Problem::Directive(&DIRECTIVES)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ptx_isa::{Directive, Place};

    use super::DIRECTIVES;

    #[test]
    fn directives_of_statements_are_those_of_the_table() {
        let places = [Place::Module, Place::Body];
        let known: BTreeSet<&str> =
            places.iter().flat_map(|place| Directive::at(*place)).map(|row| row.word).collect();
        // `.align` and `.attribute` may precede the state space, which messages do not suggest.
        let own: BTreeSet<&str> = DIRECTIVES.iter().copied().chain(["align", "attribute"]).collect();
        assert_eq!(known, own);
    }
}
