//! Bytes to tokens.
//!
//! Every function here is a nom parser that decides by the first byte; none tries one way after another.

use nom::IResult;
use nom::bytes::complete::{take, take_while};
use nom::error::{ErrorKind, ParseError};

/// What a token is. Names and numbers keep their text; blanks and comments are no tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'s> {
    /// A name (manual 4.4), with its `%`, `$` or `_`.
    Ident(&'s str),
    /// A word behind a dot, without the dot, with the words behind `::`.
    Directive(&'s str),
    /// A number as written.
    Number(&'s str),
    /// A text between quotes, without them.
    Text(&'s [u8]),
    /// A mark of one byte.
    Mark(u8),
    /// A constant expression's operator of two bytes.
    Operator([u8; 2]),
    /// No token.
    Bad(Fault),
    /// The end of the input.
    End,
}

/// Why bytes make no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// No token starts so.
    Byte,
    /// The line ends before the quote.
    Quote,
    /// The input ends before `*/`.
    Comment,
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
const HEX: u8 = 4;
const BLANK: u8 = 8;

/// What a byte may be part of.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            table[at] |= IDENT;
        }
        if byte.is_ascii_digit() {
            table[at] |= DIGIT;
        }
        if byte.is_ascii_hexdigit() {
            table[at] |= HEX;
        }
        if matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C) {
            table[at] |= BLANK;
        }
        at += 1;
    }
    table
}

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Blanks, but no line feeds.
#[inline]
pub(crate) fn blanks(input: &[u8]) -> Lexed<'_, &[u8]> {
    take_while(|byte| is(byte, BLANK))(input)
}

/// A `//` comment or any other text, up to the line feed or the end.
pub(crate) fn line(input: &[u8]) -> Lexed<'_, &[u8]> {
    take(memchr::memchr(b'\n', input).unwrap_or(input.len()))(input)
}

/// A comment from `/*` to `*/`.
pub(crate) fn block_comment(input: &[u8]) -> Lexed<'_, &[u8]> {
    let mut from = 2;
    while let Some(star) = input.get(from..).and_then(|rest| memchr::memchr(b'*', rest)) {
        from += star + 1;
        if input.get(from) == Some(&b'/') {
            return take(from + 1)(input);
        }
    }
    Err(nom::Err::Failure(Fault::Comment))
}

/// The token at the start of `input`, which is no blank and no comment.
#[inline]
pub(crate) fn token(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    let Some(&first) = input.first() else { return Ok((input, Kind::End)) };
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => ident(input),
        b'%' => match input.get(1) {
            Some(&next) if is(next, IDENT) => ident(input),
            _ => mark(input),
        },
        b'$' => match input.get(1) {
            Some(&next) if is(next, IDENT) => ident(input),
            _ => Err(nom::Err::Failure(Fault::Byte)),
        },
        b'0'..=b'9' => number(input),
        b'.' => match input.get(1) {
            Some(&next) if is(next, DIGIT) => number(input),
            Some(&next) if is(next, IDENT) => directive(input),
            _ => Err(nom::Err::Failure(Fault::Byte)),
        },
        b'"' => quoted(input),
        b'<' | b'>' | b'=' | b'!' | b'&' | b'|' => operator(input, first),
        b'{' | b'}' | b'[' | b']' | b'(' | b')' | b',' | b';' | b':' | b'@' | b'+' | b'-' | b'*' | b'/'
        | b'~' | b'^' | b'?' => mark(input),
        _ => Err(nom::Err::Failure(Fault::Byte)),
    }
}

/// The modifiers behind an opcode: dots, words and `::`, and the ratio in `.sp::2:4`.
pub(crate) fn modifiers(input: &[u8]) -> Lexed<'_, &[u8]> {
    let mut end = 0;
    while let Some(&byte) = input.get(end) {
        let doubled = byte == b':' && input.get(end + 1) == Some(&b':');
        let ratio = byte == b':' && input[..end].ends_with(b"::2") && input.get(end + 1) == Some(&b'4');
        if doubled && input.get(end + 2).is_some_and(|&next| is(next, IDENT)) {
            end += 2;
        } else if is(byte, IDENT) || byte == b'.' || ratio {
            end += 1;
        } else {
            break;
        }
    }
    take(end)(input)
}

#[inline]
fn ident(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    let tail = input[1..].iter().position(|&byte| !is(byte, IDENT)).unwrap_or(input.len() - 1);
    let (rest, text) = take(tail + 1)(input)?;
    Ok((rest, Kind::Ident(ascii(text))))
}

fn directive(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    let (input, _) = take(1usize)(input)?;
    let mut end = input.iter().position(|&byte| !is(byte, IDENT)).unwrap_or(input.len());
    while input[end..].starts_with(b"::") && input.get(end + 2).is_some_and(|&next| is(next, IDENT)) {
        end += 2;
        end += input[end..].iter().position(|&byte| !is(byte, IDENT)).unwrap_or(input.len() - end);
    }
    let (rest, text) = take(end)(input)?;
    Ok((rest, Kind::Directive(ascii(text))))
}

/// Digits with whatever letters hang on them, and for decimal numbers a fraction and a signed exponent.
fn number(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    let plain = |input: &[u8]| input.iter().position(|&byte| !is(byte, IDENT)).unwrap_or(input.len());
    let mut end = plain(input);
    if !is_radix_marked(input) {
        if input.get(end) == Some(&b'.') {
            end += 1;
            end += plain(&input[end..]);
        }
        let exponent = end > 0 && matches!(input[end - 1], b'e' | b'E');
        if exponent && matches!(input.get(end), Some(b'+' | b'-')) {
            end += 1;
            end += plain(&input[end..]);
        }
    }
    let (rest, text) = take(end)(input)?;
    Ok((rest, Kind::Number(ascii(text))))
}

/// Whether a number's letters are digits of its radix, so that an `e` starts no exponent.
pub(crate) fn is_radix_marked(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D' | b'b' | b'B', ..])
}

fn quoted(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    // A backslash is a character like any other, as in the names of Windows.
    match memchr::memchr2(b'"', b'\n', &input[1..]) {
        Some(length) if input[length + 1] == b'"' => {
            let (rest, text) = take(length + 2)(input)?;
            Ok((rest, Kind::Text(&text[1..=length])))
        }
        _ => Err(nom::Err::Failure(Fault::Quote)),
    }
}

fn operator(input: &[u8], first: u8) -> Lexed<'_, Kind<'_>> {
    match (first, input.get(1)) {
        (b'<', Some(&second @ (b'<' | b'=')))
        | (b'>', Some(&second @ (b'>' | b'=')))
        | (b'=' | b'!', Some(&second @ b'='))
        | (b'&', Some(&second @ b'&'))
        | (b'|', Some(&second @ b'|')) => {
            let (rest, _) = take(2usize)(input)?;
            Ok((rest, Kind::Operator([first, second])))
        }
        _ => mark(input),
    }
}

#[inline]
fn mark(input: &[u8]) -> Lexed<'_, Kind<'_>> {
    let (rest, text) = take(1usize)(input)?;
    Ok((rest, Kind::Mark(text[0])))
}

/// How many bytes from the start of `input` make no token; at least one.
pub(crate) fn bad_run(input: &[u8]) -> usize {
    let stops =
        |&byte: &u8| is(byte, BLANK | IDENT) || matches!(byte, b'\n' | b';' | b'{' | b'}' | b'"' | b'/');
    input.iter().skip(1).position(stops).map_or(input.len(), |at| at + 1)
}

/// The text of a token whose bytes are all ASCII by their classes.
pub(crate) fn ascii(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text without blanks at its ends.
    fn tokens(mut input: &[u8]) -> Vec<Kind<'_>> {
        let mut found = Vec::new();
        while !input.is_empty() {
            let (rest, kind) = token(input).expect("a token");
            found.push(kind);
            input = blanks(rest).expect("blanks").0;
        }
        found
    }

    #[test]
    fn names_take_letters_digits_dollars_underscores_and_a_leading_percent() {
        let expected = ["%r1", "$L__BB0_2", "_Z1fv", "_", "a$b"].map(Kind::Ident);
        assert_eq!(tokens(b"%r1 $L__BB0_2 _Z1fv _ a$b"), expected);
        assert_eq!(tokens(b"5 % 3"), [Kind::Number("5"), Kind::Mark(b'%'), Kind::Number("3")]);
    }

    #[test]
    fn words_behind_dots_go_on_behind_double_colons() {
        assert_eq!(
            tokens(b".global .shared::cta"),
            [Kind::Directive("global"), Kind::Directive("shared::cta")]
        );
        assert_eq!(tokens(b"a:"), [Kind::Ident("a"), Kind::Mark(b':')]);
    }

    #[test]
    fn only_decimal_numbers_have_fractions_and_exponents() {
        let numbers = ["1.5", ".5", "1.", "1e-3", "1.5E+3", "0x1F", "0f3F800000", "42U"];
        for number in numbers {
            assert_eq!(tokens(number.as_bytes()), [Kind::Number(number)], "{number}");
        }
        assert_eq!(tokens(b"0x1E+4"), [Kind::Number("0x1E"), Kind::Mark(b'+'), Kind::Number("4")]);
        assert_eq!(tokens(b"1+4"), [Kind::Number("1"), Kind::Mark(b'+'), Kind::Number("4")]);
    }

    #[test]
    fn operators_of_two_bytes_are_one_token() {
        assert_eq!(
            tokens(b"<< >= == && |"),
            [
                Kind::Operator(*b"<<"),
                Kind::Operator(*b">="),
                Kind::Operator(*b"=="),
                Kind::Operator(*b"&&"),
                Kind::Mark(b'|'),
            ]
        );
    }

    #[test]
    fn a_mnemonic_ends_where_its_last_word_does() {
        for (text, expected) in
            [(".global.u32 %r1", ".global.u32"), (".shared::cta.b32\t[", ".shared::cta.b32"), (";", "")]
        {
            let (_, found) = modifiers(text.as_bytes()).expect("modifiers");
            assert_eq!(found, expected.as_bytes());
        }
    }

    #[test]
    fn comments_and_texts_end_at_their_first_end() {
        assert_eq!(block_comment(b"/* a ** / */ b */").map(|(rest, _)| rest), Ok(&b" b */"[..]));
        assert_eq!(block_comment(b"/*/"), Err(nom::Err::Failure(Fault::Comment)));
        assert_eq!(token(b"\"C:\\dir\\\" x").map(|(_, kind)| kind), Ok(Kind::Text(b"C:\\dir\\")));
        assert_eq!(token(b"\"a\n\""), Err(nom::Err::Failure(Fault::Quote)));
    }
}
