//! The lexer: bytes to tokens.
//!
//! Functions take the rest of the input, and return the kind of the token at its start and the input after it; the caller slices the
//! token's text from the input. Every function is a nom parser, or a part of one, that decides by the first byte; none tries alternatives
//! in turn. No function searches farther than the end of the token that it returns, or of the text that the reader then skips. This keeps
//! reading linear.

use nom::IResult;
use nom::bytes::complete::take;
use nom::error::{ErrorKind, ParseError};

/// The kind of a token; its text is sliced from the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lexeme {
    /// A name (manual 4.4), with its `%`, `$` or `_`.
    Ident,
    /// A word after a dot, with the words after `::`.
    Directive,
    /// A number.
    Number,
    /// A string, with its quotes.
    Text,
    /// A punctuation character.
    Mark(u8),
    /// An operator of two characters.
    Operator([u8; 2]),
}

/// The reason why bytes form no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// No token starts with this byte.
    Byte,
    /// The line ends before the quote.
    Quote,
    /// The input ends before `*/`.
    Comment,
    /// The input ends before the `}` of a section.
    Section,
}

impl<'s> ParseError<&'s [u8]> for Fault {
    fn from_error_kind(_: &'s [u8], _: ErrorKind) -> Self {
        Fault::Byte
    }

    fn append(_: &'s [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

pub(crate) type Lexed<'s, T> = IResult<&'s [u8], T, Fault>;

const IDENT: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;
/// A punctuation character that is a token by itself.
const MARK: u8 = 8;
/// The first character of a name.
const LETTER: u8 = 16;
/// A `MARK` that begins neither a comment nor a line of `@@DWARF`.
const PLAIN: u8 = 32;

/// The classes of each byte.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            table[at] |= IDENT;
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            table[at] |= LETTER;
        }
        if byte.is_ascii_digit() {
            table[at] |= DIGIT;
        }
        // `ptxas` accepts the end-of-file character of CP/M and DOS (0x1A) as a blank, but not a vertical tab.
        if matches!(byte, b' ' | b'\t' | b'\r' | 0x0C | 0x1A) {
            table[at] |= BLANK;
        }
        if matches!(byte, b'{' | b'}' | b'[' | b']' | b'(' | b')' | b',' | b';' | b':' | b'@')
            || matches!(byte, b'+' | b'-' | b'*' | b'/' | b'~' | b'^' | b'?')
        {
            table[at] |= MARK;
            if !matches!(byte, b'/' | b'@') {
                table[at] |= PLAIN;
            }
        }
        at += 1;
    }
    table
}

#[inline]
fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Whether a byte only separates tokens. Line feeds are not among them: they end some directives.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    is(byte, BLANK)
}

/// A `//` comment or any other text, up to the line feed or the end.
pub(crate) fn line(input: &[u8]) -> Lexed<'_, &[u8]> {
    take(memchr::memchr(b'\n', input).unwrap_or(input.len()))(input)
}

/// A line marker of a preprocessor, `# 1 "file.cu" 3`, up to the line feed. PTX has no other lines with a `#`.
pub(crate) fn line_marker(input: &[u8]) -> Option<&[u8]> {
    // Each part is searched only after the one before it was found. Finding the end of the line first would be simpler, but quadratic for
    // a line of `# # # ..`, which contains no marker and would be searched to its end from each `#`.
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let count = |text: &[u8], holds: &dyn Fn(&u8) -> bool| text.iter().take_while(|byte| holds(byte)).count();
    let some = |text, holds: &dyn Fn(&u8) -> bool| Some(count(text, holds)).filter(|&count| count > 0);
    let mut rest = input.strip_prefix(b"#")?;
    rest = rest.get(count(rest, &is_blank)..)?;
    if let Some(word) = rest.strip_prefix(b"line") {
        rest = word.get(some(word, &is_blank)?..)?;
    }
    rest = rest.get(some(rest, &u8::is_ascii_digit)?..)?;
    rest = rest.get(some(rest, &is_blank)?..)?;
    rest = rest.strip_prefix(b"\"")?;
    let quote = memchr::memchr2(b'"', b'\n', rest).filter(|&at| rest[at] == b'"')?;
    rest = rest.get(quote + 1..)?;
    let is_flag = |byte: &u8| byte.is_ascii_digit() || is_blank(byte) || *byte == b'\r';
    rest = rest.get(count(rest, &is_flag)..)?;
    rest.starts_with(b"\n").then(|| &input[..input.len() - rest.len()])
}

/// A comment from `/*` to `*/`.
pub(crate) fn block_comment(input: &[u8]) -> Lexed<'_, &[u8]> {
    // From after `/*`, so that `/*/` is not closed by its own star.
    let mut from = 2;
    while let Some(star) = input.get(from..).and_then(|rest| memchr::memchr(b'*', rest)) {
        from += star + 1;
        if input.get(from) == Some(&b'/') {
            return take(from + 1)(input);
        }
    }
    Err(nom::Err::Failure(Fault::Comment))
}

/// The token at the start of `input`, which is not a blank and no comment.
#[inline]
pub(crate) fn token(input: &[u8]) -> Lexed<'_, Lexeme> {
    let [first, rest @ ..] = input else { return Err(nom::Err::Failure(Fault::Byte)) };
    // Names and marks are nearly all of a program.
    if is(*first, LETTER) {
        return Ok((skip_word(rest), Lexeme::Ident));
    }
    if is(*first, MARK) {
        return Ok((rest, Lexeme::Mark(*first)));
    }
    let follows = |class| rest.first().is_some_and(|&next| is(next, class));
    match first {
        b'%' | b'$' if follows(IDENT) => Ok((skip_word(rest), Lexeme::Ident)),
        b'%' => Ok((rest, Lexeme::Mark(b'%'))),
        b'0'..=b'9' => Ok((skip_number(input), Lexeme::Number)),
        b'.' if follows(DIGIT) => Ok((skip_number(input), Lexeme::Number)),
        b'.' if follows(IDENT) => Ok((skip_directive(rest), Lexeme::Directive)),
        b'"' => quoted(input),
        b'<' | b'>' | b'=' | b'!' | b'&' | b'|' => operator(input),
        _ => Err(nom::Err::Failure(Fault::Byte)),
    }
}

/// Whether a character only separates tokens.
#[inline]
pub(crate) fn separates(character: char) -> bool {
    character == '\n' || u8::try_from(character).is_ok_and(is_blank)
}

/// Skips blanks, line ends and comments.
#[inline]
pub(crate) fn separators(input: &str) -> &str {
    let mut input = input;
    loop {
        input = input.trim_start_matches(separates);
        let bytes = input.as_bytes();
        let length = match bytes {
            [b'/', b'/', ..] => line(bytes).map(|(_, text)| text.len()),
            [b'/', b'*', ..] => block_comment(bytes).map(|(_, text)| text.len()),
            [b'#', ..] => line_marker(bytes).map(<[u8]>::len).ok_or(nom::Err::Error(Fault::Byte)),
            _ => return input,
        };
        match length.ok().and_then(|length| input.get(length..)) {
            Some(rest) => input = rest,
            None => return input,
        }
    }
}

/// Returns the length in bytes of the table at the start of a list: two or more elements, separated by commas, each of which is a
/// number, a name with or without an offset, or a list of these.
///
/// The last element is excluded unless the list certainly ends after it, because it may begin an expression.
pub(crate) fn table(input: &[u8]) -> Option<usize> {
    /// Deeper lists are parsed token by token, so that no text is searched more often than this.
    const DEEPEST: usize = 4;
    let skip = |mut rest: &'_ [u8]| -> usize {
        let length = rest.len();
        while let [byte, tail @ ..] = rest
            && (is_blank(*byte) || *byte == b'\n')
        {
            rest = tail;
        }
        length - rest.len()
    };
    let (mut count, mut end, mut depth) = (0usize, 0, 0usize);
    let mut rest = input;
    'elements: loop {
        match rest {
            [b'{', tail @ ..] if depth < DEEPEST => {
                depth += 1;
                rest = tail.split_at(skip(tail)).1;
                if !matches!(rest, [b'}', ..]) {
                    continue;
                }
            }
            [b'-', tail @ ..] => {
                let number = tail.split_at(skip(tail)).1;
                if !number.first().is_some_and(u8::is_ascii_digit) {
                    break;
                }
                rest = skip_number(number);
            }
            [b'0'..=b'9', ..] => rest = skip_number(rest),
            [first, tail @ ..]
                if (is_letter(*first) || begins_name(rest)) && !rest.starts_with(b"WARP_SZ") =>
            {
                rest = skip_word(tail);
                let sum = rest.split_at(skip(rest)).1;
                if let [b'+', tail @ ..] = sum {
                    let number = tail.split_at(skip(tail)).1;
                    let number = number.strip_prefix(b"-").unwrap_or(number);
                    if !number.first().is_some_and(u8::is_ascii_digit) {
                        break;
                    }
                    rest = skip_number(number);
                }
            }
            _ => break,
        }
        // After an element: a comma before the next one, or the end of its list, which itself is an element.
        loop {
            let element_end = input.len() - rest.len();
            rest = rest.split_at(skip(rest)).1;
            match rest {
                [b',', tail @ ..] => {
                    if depth == 0 {
                        (count, end) = (count + 1, element_end);
                    }
                    rest = tail.split_at(skip(tail)).1;
                    break;
                }
                [b'}', tail @ ..] if depth > 0 => {
                    depth -= 1;
                    rest = tail;
                }
                [b'}', ..] => {
                    (count, end) = (count + 1, element_end);
                    break 'elements;
                }
                _ => break 'elements,
            }
        }
    }
    (count >= 2).then_some(end)
}

/// Returns the offset of a section's closing brace; braces in comments are skipped.
pub(crate) fn section(input: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = input.get(at..)?;
        let found = memchr::memchr2(b'}', b'/', rest)?;
        let rest = rest.get(found..)?;
        at += found;
        match rest {
            [b'}', ..] => return Some(at),
            [b'/', b'/', ..] => at += memchr::memchr(b'\n', rest)?,
            [b'/', b'*', ..] => at += 4 + memchr::memmem::find(rest.get(2..)?, b"*/")?,
            _ => at += 1,
        }
    }
}

/// Skips letters, digits, dollars and underscores.
#[inline]
pub(crate) fn skip_word(input: &[u8]) -> &[u8] {
    let end = input.iter().position(|&byte| !is(byte, IDENT)).unwrap_or(input.len());
    input.split_at(end).1
}

/// Skips words that are separated by `::`.
fn skip_directive(input: &[u8]) -> &[u8] {
    let mut rest = skip_word(input);
    while let [b':', b':', next, ..] = rest
        && is(*next, IDENT)
    {
        rest = skip_word(&rest[2..]);
    }
    rest
}

/// Skips a number: digits with any letters attached, and in decimal numbers a fraction and a signed exponent.
pub(crate) fn skip_number(input: &[u8]) -> &[u8] {
    // `0x1E+4` is a sum: in hexadecimal an `E` is a digit. In decimal it begins an exponent, and the sign after it is part of the number.
    let mut rest = skip_word(input);
    if !matches!(rest.first(), Some(b'.' | b'+' | b'-')) || is_radix_marked(input) {
        return rest;
    }
    if let [b'.', fraction @ ..] = rest {
        rest = skip_word(fraction);
    }
    let last = (input.len() - rest.len()).checked_sub(1).and_then(|at| input.get(at));
    match rest {
        [b'+' | b'-', exponent @ ..] if matches!(last, Some(b'e' | b'E')) => skip_word(exponent),
        _ => rest,
    }
}

/// Whether a number's letters are digits of its radix, so that an `e` starts no exponent.
pub(crate) fn is_radix_marked(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D' | b'b' | b'B', ..])
}

/// Skips modifiers.
#[inline]
pub(crate) fn skip_modifiers(input: &[u8]) -> &[u8] {
    modifiers(input).map_or(input, |(rest, _)| rest)
}

/// Whether a name with a `%` or `$` begins here.
#[inline]
pub(crate) fn begins_name(input: &[u8]) -> bool {
    matches!(input, [b'%' | b'$', next, ..] if is(*next, IDENT))
}

/// Whether a byte begins a name.
#[inline]
pub(crate) fn is_letter(byte: u8) -> bool {
    is(byte, LETTER)
}

/// Whether a byte is a token by itself and begins neither a comment nor a line of `@@DWARF`.
#[inline]
pub(crate) fn is_mark(byte: u8) -> bool {
    is(byte, PLAIN)
}

/// The modifiers after an opcode: dots, words and `::`, and the ratio in `.sp::2:4`.
#[inline]
pub(crate) fn modifiers(input: &[u8]) -> Lexed<'_, &[u8]> {
    let mut end = 0;
    while let Some(&byte) = input.get(end) {
        if is(byte, IDENT) || byte == b'.' {
            end += 1;
        } else if byte == b':'
            && let Some(length) = colons(input, end)
        {
            end += length;
        } else {
            break;
        }
    }
    take(end)(input)
}

/// Returns the number of bytes from the colon at `at` that belong to the mnemonic; `None` if the colon ends it.
fn colons(input: &[u8], at: usize) -> Option<usize> {
    let (before, from) = input.split_at_checked(at)?;
    // `.shared::cta` and `.sp::2:4`. Any other colon ends the mnemonic: that of a label, or of `? :` in a constant expression.
    match from {
        [b':', b':', next, ..] if is(*next, IDENT) => Some(2),
        [b':', b'4', ..] if before.ends_with(b"::2") => Some(1),
        _ => None,
    }
}

fn quoted(input: &[u8]) -> Lexed<'_, Lexeme> {
    // A backslash is a character like any other, as in the names of Windows.
    let tail = &input[1..];
    match memchr::memchr2(b'"', b'\n', tail) {
        Some(length) if tail[length] == b'"' => Ok((&tail[length + 1..], Lexeme::Text)),
        _ => Err(nom::Err::Failure(Fault::Quote)),
    }
}

fn operator(input: &[u8]) -> Lexed<'_, Lexeme> {
    match input {
        [first @ b'<', second @ (b'<' | b'='), rest @ ..]
        | [first @ b'>', second @ (b'>' | b'='), rest @ ..]
        | [first @ (b'=' | b'!'), second @ b'=', rest @ ..]
        | [first @ b'&', second @ b'&', rest @ ..]
        | [first @ b'|', second @ b'|', rest @ ..] => Ok((rest, Lexeme::Operator([*first, *second]))),
        [first, rest @ ..] => Ok((rest, Lexeme::Mark(*first))),
        [] => Err(nom::Err::Failure(Fault::Byte)),
    }
}

/// Returns the number of bytes at the start of `input` that form no token; at least one.
pub(crate) fn bad_run(input: &[u8]) -> usize {
    // One diagnostic for a run of bytes, not one for each byte of a multi-byte character.
    let stops =
        |&byte: &u8| is(byte, BLANK | IDENT) || matches!(byte, b'\n' | b';' | b'{' | b'}' | b'"' | b'/');
    input.iter().skip(1).position(stops).map_or(input.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text without blanks at its ends, each with its text.
    fn tokens(mut input: &[u8]) -> Vec<(Lexeme, &str)> {
        let mut found = Vec::new();
        while !input.is_empty() {
            let (rest, lexeme) = token(input).expect("a token");
            found.push((lexeme, std::str::from_utf8(&input[..input.len() - rest.len()]).expect("ASCII")));
            input = rest.trim_ascii_start();
        }
        found
    }

    #[test]
    fn names_take_letters_digits_dollars_underscores_and_a_leading_percent() {
        let expected = ["%r1", "$L__BB0_2", "_Z1fv", "_", "a$b"].map(|name| (Lexeme::Ident, name));
        assert_eq!(tokens(b"%r1 $L__BB0_2 _Z1fv _ a$b"), expected);
        let expected = [(Lexeme::Number, "5"), (Lexeme::Mark(b'%'), "%"), (Lexeme::Number, "3")];
        assert_eq!(tokens(b"5 % 3"), expected);
    }

    #[test]
    fn directives_continue_after_double_colons() {
        let expected = [(Lexeme::Directive, ".global"), (Lexeme::Directive, ".shared::cta")];
        assert_eq!(tokens(b".global .shared::cta"), expected);
        assert_eq!(tokens(b"a:"), [(Lexeme::Ident, "a"), (Lexeme::Mark(b':'), ":")]);
    }

    #[test]
    fn only_decimal_numbers_have_fractions_and_exponents() {
        let numbers = ["1.5", ".5", "1.", "1e-3", "1.5E+3", ".5e-2", "0x1F", "0f3F800000", "42U"];
        for number in numbers {
            assert_eq!(tokens(number.as_bytes()), [(Lexeme::Number, number)], "{number}");
        }
        for (text, first, second) in [("0x1E+4", "0x1E", "4"), ("1+4", "1", "4")] {
            let expected = [(Lexeme::Number, first), (Lexeme::Mark(b'+'), "+"), (Lexeme::Number, second)];
            assert_eq!(tokens(text.as_bytes()), expected);
        }
    }

    #[test]
    fn operators_of_two_bytes_are_one_token() {
        let lexemes: Vec<Lexeme> = tokens(b"<< >= == && | !").into_iter().map(|(lexeme, _)| lexeme).collect();
        let doubled = [*b"<<", *b">=", *b"==", *b"&&"].map(Lexeme::Operator);
        assert_eq!(lexemes, [&doubled[..], &[Lexeme::Mark(b'|'), Lexeme::Mark(b'!')]].concat());
    }

    #[test]
    fn a_mnemonic_ends_where_its_last_word_does() {
        for (text, expected) in [
            (".global.u32 %r1", ".global.u32"),
            (".shared::cta.b32\t[", ".shared::cta.b32"),
            (".sp::2:4.b32 ", ".sp::2:4.b32"),
            (":4", ""),
            (";", ""),
        ] {
            let (_, found) = modifiers(text.as_bytes()).expect("modifiers");
            assert_eq!(found, expected.as_bytes());
        }
    }

    #[test]
    fn comments_and_texts_end_at_their_first_end() {
        assert_eq!(block_comment(b"/* a ** / */ b */").map(|(rest, _)| rest), Ok(&b" b */"[..]));
        assert_eq!(block_comment(b"/*/"), Err(nom::Err::Failure(Fault::Comment)));
        assert_eq!(token(b"\"C:\\dir\\\" x"), Ok((&b" x"[..], Lexeme::Text)));
        assert_eq!(token(b"\"a\n\""), Err(nom::Err::Failure(Fault::Quote)));
    }
}
