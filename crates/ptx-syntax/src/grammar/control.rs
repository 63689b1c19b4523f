//! Labels and control flow directives (manual 11.3).

use nom::Parser;
use nom::combinator::cut;
use nom::sequence::{pair, preceded, terminated};

use crate::grammar::error::{Parsed, Problem, fail};
use crate::grammar::function::prototype_directives;
use crate::grammar::terminal::{any_directive, comma_list, directive, identifier, mark, must, semicolon};
use crate::grammar::variable::{optional_parameters, range};
use crate::token::Tokens;
use crate::tree::{Name, Prototype, Statement};

/// `name:`, alone or before a control flow directive.
pub(crate) fn label<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Statement<'s>> {
    let (i, name) = must(label_name).parse(i)?;
    match any_directive(i) {
        Ok((_, Name { text: "branchtargets", .. })) => branch_targets(i, name),
        Ok((_, Name { text: "calltargets", .. })) => call_targets(i, name),
        Ok((_, Name { text: "callprototype", .. })) => call_prototype(i, name),
        _ => Ok((i, Statement::Label(name))),
    }
}

/// `name:`
pub(crate) fn label_name<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Name<'s>> {
    terminated(identifier("a label"), mark(b':', "`:`")).parse(i)
}

/// `label: .branchtargets list-of-labels ;` (manual 11.3.1); a label can be a range, `L<4>`.
fn branch_targets<'a, 's>(i: Tokens<'a, 's>, label: Name<'s>) -> Parsed<'a, 's, Statement<'s>> {
    let labels = terminated(comma_list(pair(identifier("a label"), range)), semicolon);
    let parts = preceded(directive("branchtargets"), labels);
    must(parts).map(|targets| Statement::BranchTargets(label, targets)).parse(i)
}

/// `label: .calltargets list-of-functions ;` (manual 11.3.2)
fn call_targets<'a, 's>(i: Tokens<'a, 's>, label: Name<'s>) -> Parsed<'a, 's, Statement<'s>> {
    let functions = terminated(comma_list(identifier("the name of a function")), semicolon);
    let parts = preceded(directive("calltargets"), functions);
    must(parts).map(|functions| Statement::CallTargets(label, functions)).parse(i)
}

/// `label: .callprototype {(ret-param)} _ {(param-list)} {.noreturn} {.abi_preserve N} {.abi_preserve_control N} ;`
/// (manual 11.3.3)
fn call_prototype<'a, 's>(i: Tokens<'a, 's>, label: Name<'s>) -> Parsed<'a, 's, Statement<'s>> {
    let (i, _) = directive("callprototype").parse(i)?;
    let (i, (results, _, parameters)) =
        (optional_parameters, cut(underscore), optional_parameters).parse(i)?;
    let (i, directives) = prototype_directives(i)?;
    let repeated =
        |at: usize| directives[..at].iter().any(|earlier| earlier.word.text == directives[at].word.text);
    if let Some(at) = (0..directives.len()).find(|&at| repeated(at)) {
        return fail(i, Problem::Repeated(directives[at].word.text, directives[at].word.span));
    }
    let (i, _) = must(semicolon).parse(i)?;
    Ok((i, Statement::CallPrototype(label, Box::new(Prototype { results, parameters, directives }))))
}

/// `_`
fn underscore<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Name<'s>> {
    match i.first() {
        Some(token) if i.text(token) == "_" => Ok((i.skip(), i.name(token))),
        _ => crate::grammar::error::expected(i, "`_`"),
    }
}
