//! Instruction statements (manual 4.3.2).

use nom::Parser;
use nom::combinator::{cut, opt};
use nom::multi::many0;
use nom::sequence::delimited;

use crate::grammar::error::{Failed, Parsed, Problem, expected, fail};
use crate::grammar::operand::{list, operand, push_operand};
use crate::grammar::terminal::{any_directive, identifier, mark, must, number};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Guard, Instruction, Mnemonic, Operand, OperandKind, SpacedModifiers};

/// `{@{!}p} mnemonic {operand {, operand}} ;`
#[inline]
pub(crate) fn instruction<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Instruction<'s>> {
    let (rest, (guard, mnemonic)) = head(i)?;
    let mut operands = i.context.spare.take();
    let rest = if is_call(mnemonic.name.text) {
        call_operands(rest, &mut operands)?
    } else {
        operand_list(rest, &mnemonic, &mut operands)?
    };
    let span = i.span_to(rest);
    match rest.kind() {
        TokenKind::Mark(b';') => Ok((rest.skip(), Instruction { guard, mnemonic, operands, span })),
        _ => expected(rest, "`,` or `;`"),
    }
}

/// The condition and the mnemonic.
#[inline(always)]
pub(crate) fn head<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, (Option<Guard<'s>>, Mnemonic<'s>)> {
    let (i, guard) = if i.is_mark(b'@') { guard.map(Some).parse(i)? } else { (i, None) };
    let (i, mnemonic) = mnemonic(i)?;
    Ok((i, (guard, mnemonic)))
}

/// `@p` or `@!p`
fn guard<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Guard<'s>> {
    let parts = (mark(b'@', "`@`"), opt(mark(b'!', "`!`")), must(identifier("a predicate register")));
    parts.map(|(_, not, name)| Guard { negated: not.is_some(), name }).parse(i)
}

/// `opcode{.modifier}`, with `[bank]` or blanks before the last modifiers.
#[inline(always)]
fn mnemonic<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Mnemonic<'s>> {
    let name = match i.rest {
        [token, ..] if matches!(token.kind, TokenKind::Ident | TokenKind::Dotted) => i.name(token),
        _ => return expected(i, "an instruction"),
    };
    let i = i.skip();
    let has_bank = i.is_mark(b'[') && name.text.ends_with(".const") && i.rest[0].lo == name.span.hi;
    if !has_bank && i.kind() != TokenKind::Directive {
        return Ok((i, Mnemonic { name, spaced: None }));
    }
    let (i, spaced) = spaced_modifiers(i)?;
    Ok((i, Mnemonic { name, spaced: Some(Box::new(spaced)) }))
}

/// `{[bank]} {.modifier}` after an opcode, each perhaps after a blank.
fn spaced_modifiers<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, SpacedModifiers<'s>> {
    let bank = delimited(mark(b'[', "`[`"), cut(number("the number of a bank")), cut(mark(b']', "`]`")));
    (opt(bank), many0(any_directive)).map(|(bank, words)| SpacedModifiers { bank, words }).parse(i)
}

/// Whether a mnemonic is that of `call`, whose operands have a separate syntax.
fn is_call(mnemonic: &str) -> bool {
    mnemonic.strip_prefix("call").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// `operand {, operand}` with `|` in place of the comma before a second destination, or nothing.
#[inline]
fn operand_list<'a, 's>(
    i: Tokens<'a, 's>,
    mnemonic: &Mnemonic<'s>,
    operands: &mut Vec<Operand<'s>>,
) -> Result<Tokens<'a, 's>, Failed<'s>> {
    let Some(first) = i.first() else { return Ok(i) };
    // After an instruction without operands, a token on the next line begins the next instruction.
    let ends = !begins_operand(first.kind) || first.starts_line;
    if first.kind == TokenKind::Mark(b';') || (ends && takes_none(mnemonic)) {
        return Ok(i);
    }
    let mut i = i;
    let mut paired = false;
    loop {
        let rest = push_operand(i, paired, operands)?;
        paired = match rest.kind() {
            TokenKind::Mark(b',') => false,
            TokenKind::Mark(b'|') => true,
            _ => return Ok(rest),
        };
        i = rest.skip();
    }
}

/// Whether a token can be the first of an operand.
fn begins_operand(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Ident | TokenKind::Dotted | TokenKind::Number)
        || matches!(kind, TokenKind::Mark(b'[' | b'{' | b'(' | b'!' | b'-' | b'+' | b'~'))
}

/// Whether the instruction has no operands.
fn takes_none(mnemonic: &Mnemonic<'_>) -> bool {
    ptx_isa::candidates(mnemonic.name.text)
        .is_ok_and(|found| found.iter().all(|mnemonic| mnemonic.form().operands.is_empty()))
}

/// `{(results),} function {, (arguments)} {, targets}` (manual 9.7.12.5)
fn call_operands<'a, 's>(
    i: Tokens<'a, 's>,
    operands: &mut Vec<Operand<'s>>,
) -> Result<Tokens<'a, 's>, Failed<'s>> {
    let mut i = i;
    if i.is_mark(b'(') {
        let (rest, (results, _)) = (list, must(mark(b',', "`,` and the function"))).parse(i)?;
        operands.push(results);
        i = rest;
    }
    let (rest, name) = must(identifier("the name of a function")).parse(i)?;
    operands.push(Operand { kind: OperandKind::Name(name), span: name.span, paired: false });
    if rest.is_mark(b'(') {
        let help = "expected a comma before the arguments: `call f, (a);`";
        return fail(rest, Problem::ExpectedWith("`,` or `;`", help));
    }
    if !rest.is_mark(b',') {
        return Ok(rest);
    }
    let mut i = rest.skip();
    if i.is_mark(b'(') {
        let (rest, arguments) = list(i)?;
        operands.push(arguments);
        if !rest.is_mark(b',') {
            return Ok(rest);
        }
        i = rest.skip();
    }
    let (rest, targets) = operand(i)?;
    operands.push(targets);
    Ok(rest)
}
