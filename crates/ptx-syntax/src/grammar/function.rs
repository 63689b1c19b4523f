//! Kernels and device functions (manual 11.2, 11.4).

use nom::Parser;
use nom::combinator::{opt, peek};
use nom::multi::many0;
use nom::sequence::preceded;

use crate::codes;
use crate::grammar::error::{Failed, Fixed, Parsed, Problem, expected, fail, fixed};
use crate::grammar::module::{starts_item, strings};
use crate::grammar::terminal::{any_directive, comma_list, must, number, proper_identifier};
use crate::grammar::variable::{attribute_list, optional_parameters};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Function, FunctionDirective, Name};

/// The arguments of a directive of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Nothing,
    /// One number, with its description.
    Number(&'static str),
    /// One to three numbers.
    Lengths,
    /// One number or more, with their description.
    Numbers(&'static str),
    Strings,
    Attributes,
}

const BLOCKS: Arguments = Arguments::Number("the number of blocks");
const REGISTERS: Arguments = Arguments::Number("the number of registers");

/// The directives of functions with their arguments (manual 11.4, 11.7, 11.8; the last three are extensions of `ptxas`).
const DIRECTIVES: [(&str, Arguments); 17] = [
    ("maxntid", Arguments::Lengths),
    ("reqntid", Arguments::Lengths),
    ("minnctapersm", BLOCKS),
    ("maxnctapersm", BLOCKS),
    ("maxnreg", REGISTERS),
    ("noreturn", Arguments::Nothing),
    ("pragma", Arguments::Strings),
    ("explicitcluster", Arguments::Nothing),
    ("reqnctapercluster", Arguments::Lengths),
    ("maxclusterrank", BLOCKS),
    ("blocksareclusters", Arguments::Nothing),
    ("abi_preserve", REGISTERS),
    ("abi_preserve_control", REGISTERS),
    ("attribute", Arguments::Attributes),
    ("language", Arguments::Numbers("the number of a language")),
    ("local_maxnreg", REGISTERS),
    ("minperctamemory", Arguments::Number("a number of bytes")),
];

/// The words of [`DIRECTIVES`].
const WORDS: [&str; DIRECTIVES.len()] = {
    let mut words = [""; DIRECTIVES.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = DIRECTIVES[at].0;
        at += 1;
    }
    words
};

/// Returns the arguments that a directive of a function takes; `None` for other words.
fn arguments(word: &str) -> Option<Arguments> {
    DIRECTIVES.iter().find(|(known, _)| *known == word).map(|&(_, arguments)| arguments)
}

/// The description of a directive's number, for messages.
pub(crate) fn meaning_of_number(directive: &str) -> &'static str {
    match arguments(directive) {
        Some(Arguments::Number(what) | Arguments::Numbers(what)) => what,
        _ => LENGTH,
    }
}

const LENGTH: &str = "a number of threads or blocks";

/// `.entry name {(parameters)} {directives}` or
/// `.func {.attribute(..)} {(results)} name {(parameters)} {directives}`, up to the body or the semicolon.
pub(crate) fn function<'a, 's>(i: Tokens<'a, 's>, linkage: Option<Name<'s>>) -> Parsed<'a, 's, Function<'s>> {
    let (i, keyword) = any_directive(i)?;
    let is_device = keyword.text == "func";
    let (i, mut directives) = many0(attributes).parse(i)?;
    let (i, results) = if is_device { optional_parameters(i)? } else { (i, Vec::new()) };
    let (i, name) = must(proper_identifier("the function's name")).parse(i)?;
    let (i, parameters) = optional_parameters(i)?;
    let (i, others) = if is_device { device_directives(i)? } else { many0(directive).parse(i)? };
    directives.extend(others);
    let mut function = Function { linkage, keyword, results, name, parameters, directives, body: None };
    let i = end(i, &mut function)?;
    Ok((i, function))
}

/// `{`, `;`, or nothing after the declaration of a device function, before a directive or the end.
fn end<'a, 's>(i: Tokens<'a, 's>, function: &mut Function<'s>) -> Result<Tokens<'a, 's>, Failed<'s>> {
    const DEFINES: Fixed =
        fixed(codes::EXPECTED, "expected `{`: this directive is not allowed on a declaration", "");
    let is_device = function.keyword.text == "func";
    match i.rest {
        [token, ..] if token.kind == TokenKind::Mark(b'{') => {
            function.body = Some(token.span());
            Ok(i.skip())
        }
        [token, ..] if token.kind == TokenKind::Mark(b';') => {
            let kept = |directive: &&FunctionDirective<'_>| {
                is_device && device_rank(directive.word.text).is_some_and(|rank| rank < 3)
            };
            let precedes = |directive: &&FunctionDirective<'_>| directive.span.lo < function.name.span.lo;
            match function.directives.iter().find(|directive| !kept(directive) && !precedes(directive)) {
                Some(directive) => fail(i, Problem::Related(&DEFINES, directive.span)),
                None => Ok(i.skip()),
            }
        }
        [token, ..] if token.kind != TokenKind::Directive => expected(i, "`{` or `;`"),
        _ if is_device => Ok(i),
        _ => expected(i, "`{` or `;`"),
    }
}

/// `.attribute(..)` before the name.
fn attributes<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, FunctionDirective<'s>> {
    preceded(peek(crate::grammar::terminal::directive("attribute")), directive).parse(i)
}

/// `{.noreturn} {.abi_preserve N} {.abi_preserve_control N}`, then the extensions of `ptxas`; a `.pragma` after a directive belongs to the
/// module.
fn device_directives<'a, 's>(mut i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<FunctionDirective<'s>>> {
    let (mut directives, mut rank) = (Vec::new(), 0);
    while let Some(word) = i.first().and_then(|token| i.directive(token)).filter(|word| !ends_head(word)) {
        if let Some(own) = device_rank(word) {
            if own < rank || (own == rank && word == "noreturn") {
                return fail(i, Problem::Order);
            }
            rank = own;
        }
        let (rest, directive) = directive(i)?;
        directives.push(directive);
        i = rest;
    }
    Ok((i, directives))
}

/// Whether a directive ends the head of a device function, as it begins another item.
fn ends_head(word: &str) -> bool {
    starts_item(word) || matches!(word, "global" | "const" | "shared" | "pragma")
}

/// The position of a directive of a device function among the others.
fn device_rank(word: &str) -> Option<u8> {
    match word {
        "noreturn" => Some(1),
        "abi_preserve" | "abi_preserve_control" => Some(2),
        "language" | "local_maxnreg" => Some(3),
        _ => None,
    }
}

/// A directive of a function with its arguments.
fn directive<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, FunctionDirective<'s>> {
    directive_of(&WORDS, i)
}

/// `.noreturn`, `.abi_preserve N`, `.abi_preserve_control N` of a prototype (manual 11.3.3).
pub(crate) fn prototype_directives<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<FunctionDirective<'s>>> {
    let (i, first) = if i.is_directive("noreturn") { opt(directive).parse(i)? } else { (i, None) };
    let others = |i| directive_of(&["abi_preserve", "abi_preserve_control"], i);
    let (i, others) = many0(others).parse(i)?;
    Ok((i, first.into_iter().chain(others).collect()))
}

/// One of some directives of functions.
fn directive_of<'a, 's>(
    known: &'static [&'static str],
    i: Tokens<'a, 's>,
) -> Parsed<'a, 's, FunctionDirective<'s>> {
    let (rest, word) = any_directive(i)?;
    let found = arguments(word.text).filter(|_| known.contains(&word.text));
    let Some(arguments) = found else { return fail(i, Problem::Directive(known)) };
    let mut directive = FunctionDirective {
        word,
        numbers: Vec::new(),
        texts: Vec::new(),
        attributes: Vec::new(),
        span: word.span,
    };
    let rest = match arguments {
        Arguments::Nothing => rest,
        Arguments::Number(what) => keep(must(number(what)).parse(rest)?, |one| directive.numbers.push(one)),
        Arguments::Numbers(what) => {
            keep(comma_list(number(what)).parse(rest)?, |list| directive.numbers = list)
        }
        Arguments::Lengths => keep(comma_list(number(LENGTH)).parse(rest)?, |list| directive.numbers = list),
        Arguments::Strings => keep(strings(rest)?, |list| directive.texts = list),
        Arguments::Attributes => keep(attribute_list(i)?, |list| directive.attributes = list),
    };
    if arguments == Arguments::Lengths && directive.numbers.len() > 3 {
        return expected(rest, "at most three numbers");
    }
    directive.span = i.span_to(rest);
    Ok((rest, directive))
}

fn keep<'a, 's, T>((rest, value): (Tokens<'a, 's>, T), keep: impl FnOnce(T)) -> Tokens<'a, 's> {
    keep(value);
    rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ptx_isa::{Directive, Place};

    use super::WORDS;

    #[test]
    fn directives_of_functions_are_those_of_the_table() {
        let known: BTreeSet<&str> = Directive::at(Place::Function).map(|row| row.word).collect();
        assert_eq!(known, WORDS.into_iter().collect());
    }
}
