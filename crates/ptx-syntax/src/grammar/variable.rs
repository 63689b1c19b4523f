//! Declarations of variables, registers and parameters (manual 5.1.6, 5.4).

use nom::Parser;
use nom::combinator::{cut, opt};
use nom::error::context;
use nom::multi::many0;
use nom::sequence::{delimited, preceded, terminated};
use ptx_isa::ScalarType;

use crate::codes;
use crate::grammar::error::{Failed, Fixed, Parsed, Problem, expected, fail, fixed};
use crate::grammar::initializer::{fields, initializer};
use crate::grammar::terminal::{
    after, any_directive, comma_list, directive, identifier, mark, must, number, one_of, proper_identifier,
    semicolon,
};
use crate::token::{TokenKind, Tokens};
use crate::tree::{
    Attribute, Declaration, Declarator, Initializer, Name, Number, Parameter, Pointer, Variables,
};

/// The state spaces of variables (manual 5.1).
const SPACES: &[&str] = &["reg", "const", "global", "local", "param", "shared", "tex"];

/// `declaration name {, name} ;`
pub(crate) fn variables<'a, 's>(
    i: Tokens<'a, 's>,
    linkage: Option<Name<'s>>,
) -> Parsed<'a, 's, Variables<'s>> {
    let (i, declaration) = declaration(i)?;
    if i.is_mark(b';') {
        return Ok((i.skip(), Variables { linkage, declaration, declarators: Vec::new() }));
    }
    let opaque = matches!(declaration.ty.text, "texref" | "samplerref" | "surfref");
    let names = if declaration.space.text == "reg" {
        terminated(comma_list(register), semicolon).parse(i)
    } else {
        terminated(comma_list(|i| variable(i, opaque)), semicolon).parse(i)
    };
    names.map(|(i, declarators)| (i, Variables { linkage, declaration, declarators }))
}

/// `name` or `name<count>` (manual 5.4.6)
fn register<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Declarator<'s>> {
    let (i, (name, count)) = (proper_identifier("the name of a variable"), range).parse(i)?;
    if i.is_mark(b'[') {
        return fail(i, Problem::Brackets(name.text));
    }
    Ok((i, Declarator { name, count, dimensions: Vec::new(), initializer: None }))
}

/// `name {[length]} {= initializer}` or `name<count>`; the initializer of an opaque type has fields.
fn variable<'a, 's>(i: Tokens<'a, 's>, opaque: bool) -> Parsed<'a, 's, Declarator<'s>> {
    let (i, (name, count)) = (proper_identifier("the name of a variable"), range).parse(i)?;
    if count.is_some() {
        return Ok((i, Declarator { name, count, dimensions: Vec::new(), initializer: None }));
    }
    let value = move |i: Tokens<'a, 's>| -> Parsed<'a, 's, Initializer<'s>> {
        if opaque { fields(i, 0) } else { initializer(i, 0) }
    };
    let (i, (dimensions, initializer)) =
        (many0(dimension), after(b'=', context("an initial value", value))).parse(i)?;
    Ok((i, Declarator { name, count, dimensions, initializer }))
}

/// `<count>`, or nothing (manual 5.4.6)
pub(crate) fn range<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Option<Number<'s>>> {
    after(b'<', terminated(number("how many a range declares"), mark(b'>', "`>`"))).parse(i)
}

/// `[length]` or `[]` (manual 5.4.3)
fn dimension<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, (Option<Number<'s>>, ptx_diag::Span)> {
    let (i, open) = mark(b'[', "`[`").parse(i)?;
    if i.is_mark(b']') {
        return Ok((i.skip(), (None, open)));
    }
    let length = terminated(number("the length of an array"), mark(b']', "`]`"));
    must(length).map(|length| (Some(length), open)).parse(i)
}

/// `{.align N} {.attribute(..)} .space {[bank]} {.align N} {.attribute(..)} {.v2} .type`, alignments and attributes any number of times.
pub(crate) fn declaration<'a, 's>(start: Tokens<'a, 's>) -> Parsed<'a, 's, Declaration<'s>> {
    let (mut alignments, mut attributes) = (Vec::new(), Vec::new());
    let i = alignments_and_attributes(start, &mut alignments, &mut attributes)?;
    let (i, space) = must(one_of(SPACES)).parse(i).or_else(|_| expected(i, "a state space"))?;
    let bank = delimited(mark(b'[', "`[`"), cut(number("the number of a bank")), cut(mark(b']', "`]`")));
    let (i, bank) = if space.text == "const" { opt(bank).parse(i)? } else { (i, None) };
    let i = alignments_and_attributes(i, &mut alignments, &mut attributes)?;
    let (i, vector) = opt(one_of(&["v2", "v4", "v8"])).parse(i)?;
    let (i, ty) = variable_type(i)?;
    let span = start.span_to(i);
    Ok((i, Declaration { space, bank, alignments, attributes, vector, ty, span }))
}

fn alignments_and_attributes<'a, 's>(
    mut i: Tokens<'a, 's>,
    alignments: &mut Vec<Number<'s>>,
    attributes: &mut Vec<Attribute<'s>>,
) -> Result<Tokens<'a, 's>, Failed<'s>> {
    loop {
        if i.is_directive("align") {
            let (rest, value) = must(alignment).parse(i)?;
            alignments.push(value);
            i = rest;
        } else if i.is_directive("attribute") {
            let (rest, values) = attribute_list(i)?;
            attributes.extend(values);
            i = rest;
        } else {
            return Ok(i);
        }
    }
}

/// `.align N` (manual 5.4.5)
fn alignment<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Number<'s>> {
    preceded(directive("align"), cut(number("an alignment"))).parse(i)
}

/// `.attribute(attribute {, attribute})` (manual 5.4.8)
pub(crate) fn attribute_list<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<Attribute<'s>>> {
    let list = delimited(mark(b'(', "`(`"), comma_list(attribute), mark(b')', "`)`"));
    preceded(directive("attribute"), cut(list)).parse(i)
}

/// `.managed` or `.unified(upper, lower)`
fn attribute<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Attribute<'s>> {
    match any_directive(i) {
        Ok((i, Name { text: "managed", .. })) => Ok((i, Attribute::Managed)),
        Ok((i, Name { text: "unified", .. })) => {
            let upper = number("the first half of an identifier");
            let lower = number("the second half of an identifier");
            let parts = (mark(b'(', "`(`"), upper, mark(b',', "`,`"), lower, mark(b')', "`)`"));
            must(parts).map(|(_, upper, _, lower, _)| Attribute::Unified(upper, lower)).parse(i)
        }
        _ => expected(i, "`.managed` or `.unified`"),
    }
}

/// `.type`: a fundamental type, `.texref`, `.samplerref` or `.surfref` (manual 5.2, 5.3)
fn variable_type<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Name<'s>> {
    match any_directive(i) {
        Ok((i, ty)) if is_type(ty.text) => Ok((i, ty)),
        Ok(_) => fail(i, Problem::Type),
        Err(_) if i.kind() == TokenKind::Ident => fail(i, Problem::TypeWord(type_meant)),
        Err(_) => expected(i, "a type"),
    }
}

fn is_type(word: &str) -> bool {
    matches!(word, "texref" | "samplerref" | "surfref") || ScalarType::from_ptx(word).is_some()
}

/// The type that a word without its dot means; also accepts the names of C.
fn type_meant(word: &str) -> Option<&str> {
    Some(match word {
        "int" => "s32",
        "unsigned" => "u32",
        "long" => "s64",
        "short" => "s16",
        "char" => "s8",
        "float" => "f32",
        "double" => "f64",
        "half" => "f16",
        "bool" => "pred",
        word => return is_type(word).then_some(word),
    })
}

/// `(parameter {, parameter})` or `()`
fn parameters<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<Parameter<'s>>> {
    let (inner, _) = mark(b'(', "`(`").parse(i)?;
    if inner.is_mark(b')') {
        return Ok((inner.skip(), Vec::new()));
    }
    must(terminated(comma_list(parameter), mark(b')', "`,` or `)`"))).parse(inner)
}

/// `{(parameter {, parameter})}`
pub(crate) fn optional_parameters<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Vec<Parameter<'s>>> {
    if i.is_mark(b'(') { parameters(i) } else { Ok((i, Vec::new())) }
}

/// `declaration {.ptr {.space} {.align N}} name {[length]}` (manual 5.1.6.3, 11.2.1), in `.param` or `.reg`
fn parameter<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Parameter<'s>> {
    const SPACE: Fixed = fixed(codes::EXPECTED, "a parameter must be in `.param` or `.reg`", "");
    let (rest, declaration) = declaration(i)?;
    if !matches!(declaration.space.text, "param" | "reg") {
        return fail(i, Problem::Fixed(&SPACE));
    }
    let (rest, (pointer, name)) = (pointer, identifier("the name of a parameter")).parse(rest)?;
    let is_array = declaration.space.text == "param" && rest.is_mark(b'[');
    let (rest, dimension) = if is_array { dimension.map(Some).parse(rest)? } else { (rest, None) };
    Ok((rest, Parameter { declaration, pointer, name, dimension: dimension.map(|(length, _)| length) }))
}

/// `.ptr {.space} {.align N}`, or an alignment alone, or nothing.
fn pointer<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Option<Pointer<'s>>> {
    let (rest, ptr) = opt(directive("ptr")).parse(i)?;
    if ptr.is_none() && !i.is_directive("align") {
        return Ok((i, None));
    }
    let space = one_of(&["const", "global", "local", "shared", "texref", "samplerref", "surfref"]);
    (opt(space), opt(alignment)).map(|(space, alignment)| Some(Pointer { space, alignment })).parse(rest)
}
