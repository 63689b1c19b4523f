//! Texts with tokens changed, whether they still mean something or not: what ptxas and we must agree about.
//!
//! [`crate::variant`] keeps to what the table knows of an instruction, and [`crate::mutate`] to bytes. This changes tokens to what
//! PTX writes elsewhere, so that it reaches the parts of the grammar that no manual shows.

use ptx_isa::{Mod, Opcode};

use crate::choices::Choices;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// A directive, a modifier or a component: `.reg`, `.L2::evict_last`, `.x`.
    Word,
    /// A name or an opcode.
    Name,
    /// A name that starts with `%`.
    Register,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// Any other character.
    Mark,
}

/// A token, with the blanks before it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Token {
    blanks: String,
    text: String,
    class: Class,
}

/// Words of directives, types, spaces and components.
const WORDS: &str = "\
    .reg .local .param .global .shared .const .align .v2 .v4 .v8 .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 \
    .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .bf16 .f32 .f64 .pred .x .y .z .w .b0 .h1 .ptr .texref \
    .samplerref .surfref .visible .extern .weak .common .entry .func .pragma .loc .file .section .alias \
    .attribute .managed .unified .noreturn .maxntid .reqntid .minnctapersm .maxnctapersm .maxnreg \
    .maxclusterrank .reqnctapercluster .explicitcluster .blocksareclusters .branchtargets .calltargets \
    .callprototype .abi_preserve .abi_preserve_control .version .target .address_size .language \
    .local_maxnreg .sreg .tex .uni .sat .ftz .cc .wide .lo .hi .rn .eq .and";

/// Registers: those that [`token_registers`] declares, and special ones.
const REGISTERS: &str = "\
    %Ap_0 %Ap_1 %Ab8_0 %Ab16_0 %Ab16_1 %Ab32_0 %Ab32_1 %Ab64_0 %Ab64_1 %Ab128_0 %Au8_0 %Au16_0 %Au32_0 \
    %Au64_0 %As8_0 %As16_0 %As32_0 %As64_0 %Af16_0 %Af16x2_0 %Af32_0 %Af64_0 %Av2b16_0 %Av2b32_0 \
    %Av4f32_0 %Av2f64_0 %Av4b32_0 %tid %tid.x %ntid.w %laneid %clock64 %clock %lanemask_eq %pm0 %envreg3 \
    %globaltimer %total_smem_size %current_graph_exec %is_explicit_cluster %gridid \
    %reserved_smem_offset_0";

/// Names: those of [`crate::Symbol`], and words that are names.
const NAMES: &str = "\
    _ WARP_SZ gv sv cv lv kp ap tex0 smp0 surf0 fn0 fn1 fn2 k generic mask sm_90 texmode_independent \
    debug nowhere";

/// Constants in all their forms.
const NUMBERS: &str = "\
    0 1 2 3 4 7 8 16 31 32 63 64 255 256 65536 4294967295 4294967296 0x10 0xFF 0b101 017 1U 0x7FU \
    18446744073709551615 1.0 2.5 1e3 1.0e-3 0f3F800000 0d3FF0000000000000 0F00000000 9.5 3.0 09 0x 0f3F8";

/// Marks, also those that PTX has no use for.
const MARKS: &str = "\
    , ; : ( ) { } [ ] < > + - * / % ! ~ | || & && ^ @ = == != << >> <= ? # \\ $ . :: '";

/// The text around an operand, which is `$`.
const AROUND: &str = "\
    -$ !$ ~$ +$ (.s64)$ (.u64)$ (.u32)$ ($) {$} [$] -($) !($) generic($) 0xFF($) $+4 $-4 $+-4 $+%Ab32_0 \
    $.x $.w $.b0 $.h1 $[1] $[%Ab32_0] $|_ $|%Ap_0 $|%Ab32_0 $*2 $<<1 $?1:2 $(4) $+1+2 4+$ $,_ _,$ _|$ \
    {$,%Ab32_0} {1,$} {_,$} [$+4] [$,{1}] $&&1 1==$ $<2> $=4 $.unified $U @$ [4+$]";

/// What replaces each operand in turn, which is `$`.
const INSTEAD: &str = "\
    $+1 %Av4b32_0 %laneid %tid.x %laneid+1 _ 5 1.5 0f3F800000 %Ap_0 %Ab16_0 %Af64_0 gv gv+4 gv[4] {$} [$] !$ -$ \
    $.x $.b0 fn0";

/// What precedes a statement.
const BEFORE: &[&str] = &[
    "@%Ap_0",
    "@!%Ap_0",
    "@%Ab32_0",
    "@1",
    "@",
    "lab:",
    ";",
    "/* */",
    ".pragma \"nounroll\";",
    ".loc 1 1 1",
    "{",
    "{}",
    ".reg .b32 nr;",
    "%Ab32_0:",
    "lab",
    ".align 4",
    "@@",
    "nop;",
];

/// The line that declares the registers which changes use.
pub fn token_registers() -> String {
    let mut text = String::new();
    for name in REGISTERS.split(' ') {
        let Some(ty) = name.strip_prefix("%A") else { continue };
        let Some((ty, number)) = ty.split_once('_') else { continue };
        let ty = match ty.strip_prefix('v') {
            _ if ty == "p" => ".pred".to_owned(),
            Some(vector) => {
                let Some((lanes, ty)) = vector.split_at_checked(1) else { continue };
                format!(".v{lanes} .{ty}")
            }
            None => format!(".{ty}"),
        };
        if number == "0" {
            text += &format!(".reg {ty} {}<2>; ", name.trim_end_matches('0'));
        }
    }
    text
}

/// Changes one thing about the tokens of a text; `None` when the change finds no place.
pub fn mutate_tokens(choices: &mut dyn Choices, text: &str) -> Option<String> {
    let mut tokens = split(text);
    let at = choices.below(tokens.len());
    match choices.below(24) {
        0 | 1 => {
            (at < tokens.len()).then(|| tokens.remove(at))?;
        }
        2 => {
            let token = tokens.get(at)?.clone();
            tokens.insert(at, token);
        }
        3 => {
            let other = if choices.chance(1, 2) { at + 1 } else { choices.below(tokens.len()) };
            exchange(&mut tokens, (at, at + 1), (other, other + 1))?;
        }
        4..=7 => {
            let class = tokens.get(at)?.class;
            let new = any(choices, &tokens, class)?;
            tokens.get_mut(at)?.text = new;
        }
        8 | 9 => {
            let class = any_class(choices);
            let new = any(choices, &tokens, class)?;
            tokens.get_mut(at)?.text = new;
        }
        10 => {
            let class = any_class(choices);
            let new = any(choices, &tokens, class)?;
            let old = tokens.get_mut(at)?;
            old.text = format!("{new} {}", old.text);
        }
        11..=17 => surround(choices, &mut tokens)?,
        18..=20 => change_unit(choices, &mut tokens)?,
        21 => {
            let words: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at].class == Class::Word).collect();
            let at = choices.pick(&words)?;
            let new = choices.pick(Mod::ALL)?.as_str();
            tokens.get_mut(at)?.text += &format!(".{new}");
        }
        _ => {
            let starts = (0..tokens.len()).filter(|&at| at == 0 || ends_statement(&tokens[at - 1]));
            let at = choices.pick(&starts.collect::<Vec<_>>())?;
            let new = choices.pick(BEFORE)?;
            let old = tokens.get_mut(at)?;
            old.text = format!("{new} {}", old.text);
        }
    }
    let changed = joined(&tokens);
    (changed != text).then_some(changed)
}

/// The text with each of its operands, in turn, something else: registers, constants and names that are no first word.
pub fn each_operand(text: &str) -> Vec<String> {
    let tokens = split(text);
    let mut changed = Vec::new();
    for at in operands(&tokens) {
        for instead in INSTEAD.split(' ') {
            let mut tokens = tokens.clone();
            let Some(token) = tokens.get_mut(at) else { continue };
            token.text = instead.replace('$', &token.text);
            changed.push(joined(&tokens));
        }
    }
    changed
}

fn operands(tokens: &[Token]) -> Vec<usize> {
    (1..tokens.len()).filter(|&at| is_operand(&tokens[at]) && !ends_statement(&tokens[at - 1])).collect()
}

fn joined(tokens: &[Token]) -> String {
    tokens.iter().flat_map(|token| [token.blanks.as_str(), &token.text]).collect()
}

fn any_class(choices: &mut dyn Choices) -> Class {
    const CLASSES: &[Class] = &[Class::Word, Class::Name, Class::Register, Class::Number, Class::Mark];
    choices.pick(CLASSES).unwrap_or(Class::Mark)
}

/// One of the words of a list.
fn one_of(choices: &mut dyn Choices, list: &'static str) -> Option<&'static str> {
    list.split(' ').nth(choices.below(list.split(' ').count()))
}

/// A token of a class: one of the text's own, or any that PTX has.
fn any(choices: &mut dyn Choices, tokens: &[Token], class: Class) -> Option<String> {
    let own: Vec<&str> =
        tokens.iter().filter(|token| token.class == class).map(|token| token.text.as_str()).collect();
    let generated = match class {
        _ if choices.chance(1, 4) => choices.pick(&own),
        Class::Word if choices.chance(1, 2) => {
            return choices.pick(Mod::ALL).map(|modifier| format!(".{}", modifier.as_str()));
        }
        Class::Word => one_of(choices, WORDS),
        Class::Name if choices.chance(1, 3) => choices.pick(Opcode::ALL).map(Opcode::as_str),
        Class::Name => one_of(choices, NAMES),
        Class::Register => one_of(choices, REGISTERS),
        Class::Number => one_of(choices, NUMBERS),
        Class::Mark => one_of(choices, MARKS),
        Class::Text => Some("\"noreturn\""),
    };
    generated.map(str::to_owned)
}

fn ends_statement(token: &Token) -> bool {
    matches!(token.text.as_str(), ";" | "{" | "}" | ":")
}

fn is_operand(token: &Token) -> bool {
    matches!(token.class, Class::Register | Class::Number | Class::Name)
}

/// Puts something around an operand.
fn surround(choices: &mut dyn Choices, tokens: &mut [Token]) -> Option<()> {
    let at = choices.pick(&operands(tokens))?;
    let (before, after) = one_of(choices, AROUND)?.split_once('$')?;
    let token = tokens.get_mut(at)?;
    token.text = format!("{before}{}{after}", token.text);
    Some(())
}

/// Leaves a unit between commas out, writes it twice, or exchanges it with another.
fn change_unit(choices: &mut dyn Choices, tokens: &mut Vec<Token>) -> Option<()> {
    let units = units(tokens);
    let (start, end) = choices.pick(&units)?;
    match choices.below(4) {
        0 => {
            let comma = tokens.get(end).is_some_and(|token| token.text == ",");
            tokens.drain(start..end + usize::from(comma));
        }
        1 => {
            let mut again = tokens.get(start..end)?.to_vec();
            again.push(Token { blanks: String::new(), text: ",".to_owned(), class: Class::Mark });
            tokens.splice(start..start, again);
        }
        2 => {
            let other = choices.pick(&units)?;
            exchange(tokens, (start, end), other)?;
        }
        _ => {
            let class = any_class(choices);
            let new = any(choices, tokens, class)?;
            tokens.splice(start..end, [Token { blanks: " ".to_owned(), text: new, class }]);
        }
    }
    Some(())
}

/// Exchanges two ranges that do not overlap.
fn exchange(tokens: &mut Vec<Token>, one: (usize, usize), other: (usize, usize)) -> Option<()> {
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    if first.1 > second.0 || second.1 > tokens.len() {
        return None;
    }
    let [left, middle, right] =
        [first, (first.1, second.0), second].map(|(start, end)| tokens.get(start..end).map(<[_]>::to_vec));
    let new = [right?, middle?, left?].concat();
    tokens.splice(first.0..second.1, new);
    Some(())
}

/// The text between commas and the brackets or blanks around them.
fn units(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (start, token) in tokens.iter().enumerate().skip(1) {
        let before = &tokens[start - 1];
        let opens = matches!(before.text.as_str(), "," | "(" | "{" | "[" | ";")
            || (!token.blanks.is_empty()
                && matches!(before.class, Class::Word | Class::Name | Class::Number));
        let mut depth = 0;
        let length = tokens.iter().skip(start).position(|token| {
            match token.text.as_str() {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
            depth < 0 || (depth == 0 && matches!(token.text.as_str(), "," | ";"))
        });
        if let Some(length) = length
            && opens
            && length > 0
        {
            found.push((start, start + length));
        }
    }
    found
}

/// The tokens of a text. Blanks after the last one are lost.
fn split(text: &str) -> Vec<Token> {
    let mut rest = text;
    let mut tokens = Vec::new();
    loop {
        let trimmed = rest.trim_start();
        let (blanks, _) = rest.split_at(rest.len() - trimmed.len());
        let Some(first) = trimmed.chars().next() else { return tokens };
        let (length, class) = token(trimmed, first);
        let (text, after) = trimmed.split_at(length);
        tokens.push(Token { blanks: blanks.to_owned(), text: text.to_owned(), class });
        rest = after;
    }
}

/// The length in bytes and the class of the token that a text starts with.
fn token(text: &str, first: char) -> (usize, Class) {
    let word = |text: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        text.find(|c| !is_word(c)).unwrap_or(text.len())
    };
    let (_, after) = text.split_at(first.len_utf8());
    match first {
        '.' if word(after) > 0 => {
            let mut length = 1 + word(after);
            while let Some(more) = text.get(length..).and_then(|rest| rest.strip_prefix("::")) {
                length += 2 + word(more);
            }
            (length, Class::Word)
        }
        '%' if word(after) > 0 => (1 + word(after), Class::Register),
        '"' => (after.find('"').map_or(text.len(), |end| end + 2), Class::Text),
        '0'..='9' => {
            let whole = word(text);
            match text.get(whole..).and_then(|rest| rest.strip_prefix('.')).map(word) {
                Some(fraction) if fraction > 0 => (whole + 1 + fraction, Class::Number),
                _ => (whole, Class::Number),
            }
        }
        'a'..='z' | 'A'..='Z' | '_' | '$' => (word(text), Class::Name),
        _ => (first.len_utf8(), Class::Mark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Seeded;

    #[test]
    fn tokens_are_those_of_ptx() {
        let texts: Vec<String> =
            split("@!%p ld.L2::64B %r1, [gv+1.5];\n\"a b\"").into_iter().map(|token| token.text).collect();
        assert_eq!(
            texts,
            ["@", "!", "%p", "ld", ".L2::64B", "%r1", ",", "[", "gv", "+", "1.5", "]", ";", "\"a b\""]
        );
    }

    #[test]
    fn units_lie_between_commas() {
        let tokens = split("st.v2 [a+4], {b, c};");
        let text = |(start, end): (usize, usize)| {
            tokens[start..end].iter().map(|token| token.text.as_str()).collect::<String>()
        };
        assert_eq!(
            units(&tokens).into_iter().map(text).collect::<Vec<_>>(),
            ["[a+4]", "a+4", "{b,c}", "b", "c"]
        );
    }

    #[test]
    fn the_same_choices_give_the_same_change() {
        let changed = || {
            let mut choices = Seeded::new(7);
            (0..50).map(|_| mutate_tokens(&mut choices, "add.u32 %r1, %r2, 3;")).collect::<Vec<_>>()
        };
        assert_eq!(changed(), changed());
        assert!(changed().iter().flatten().count() > 30);
    }
}
