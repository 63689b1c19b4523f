//! Floating-point literals as LLVM 23 writes them, spelled as LLVM 22 reads them.
//!
//! LLVM 22 knows two spellings of a floating-point constant: a decimal number that the type holds exactly, and the bits in
//! hexadecimal digits, those of `float` as a `double`. LLVM 23 writes others:
//!
//! ```text
//! LLVM 23                  LLVM 22                      what it is
//! float f0x3FB8AA3B        float 0x3FF7154760000000     the bits of the type
//! float 7.910000e-01       float 0x3FE94FDF40000000     the nearest number of the type
//! float 0x1.8p3            float 0x4028000000000000     digits and exponent to base 2
//! half +inf                half 0xH7C00                 infinity, with its sign
//! double -qnan             double 0xFFF8000000000000    the preferred quiet NaN
//! float +snan(0x1)         float 0x7FF0000020000000     a NaN with its payload
//! ```
//!
//! The attribute `denormal_fpenv` is spelled anew, too (`denormal_fpenv.rs`).
//!
//! A literal's type is the last floating-point type before it: LLVM writes a type before the first of the
//! operands that have it.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round, Status};

use crate::denormal_fpenv;
use crate::error::TextPosition;

/// A text whose literals LLVM 22 reads.
pub(crate) struct Respelled {
    /// The text.
    pub(crate) text: Vec<u8>,
    /// The literals that were spelled anew, in the order of the text.
    edits: Vec<Edit>,
}

/// One literal that was spelled anew.
struct Edit {
    /// Where it begins in the new text.
    at: TextPosition,
    /// The column at which it began in the original text.
    column: u32,
    /// Its length in the original text, in bytes.
    old: u32,
    /// Its length now, in bytes.
    new: u32,
}

impl Respelled {
    /// The place in the original text of a place in the new text; inside a literal, where the literal begins.
    pub(crate) fn original(&self, place: TextPosition) -> TextPosition {
        let before = |edit: &&Edit| edit.at.line == place.line && edit.at.column <= place.column;
        let Some(edit) = self.edits.iter().rev().find(before) else { return place };
        let column = match place.column.checked_sub(edit.at.column + edit.new) {
            Some(after) => edit.column + edit.old + after,
            None => edit.column,
        };
        TextPosition { line: place.line, column }
    }
}

/// A floating-point type with literals that are spelled anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FloatType {
    Half,
    BFloat,
    Float,
    Double,
}

impl FloatType {
    fn of_keyword(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"half" => Self::Half,
            b"bfloat" => Self::BFloat,
            b"float" => Self::Float,
            b"double" => Self::Double,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// The number of bits of the fraction.
    fn fraction(self) -> u32 {
        match self {
            Self::Half => 10,
            Self::BFloat => 7,
            Self::Float => 23,
            Self::Double => 52,
        }
    }

    fn infinity(self) -> u64 {
        ((1 << (self.bits() - 1 - self.fraction())) - 1) << self.fraction()
    }

    /// The bits of the number nearest to a decimal or hexadecimal one, the even one of two; `None` where there is none.
    fn nearest(self, number: &str) -> Option<u64> {
        fn bits<T: Float>(number: &str) -> Option<u64> {
            let read = T::from_str_r(number, Round::NearestTiesToEven).ok()?;
            let fits = !read.status.intersects(Status::OVERFLOW | Status::INVALID_OP);
            (fits && read.value.is_finite()).then(|| read.value.to_bits() as u64)
        }
        match self {
            Self::Half => bits::<Half>(number),
            Self::BFloat => bits::<BFloat>(number),
            Self::Float => bits::<Single>(number),
            Self::Double => bits::<Double>(number),
        }
    }

    /// The literal of LLVM 22 with these bits.
    fn spell(self, bits: u64) -> String {
        match self {
            Self::Half => format!("0xH{bits:04X}"),
            Self::BFloat => format!("0xR{bits:04X}"),
            Self::Float => format!("0x{:016X}", widened(bits)),
            Self::Double => format!("0x{bits:016X}"),
        }
    }
}

/// The bits as a `double` of the bits of a `float`; a NaN keeps its payload and whether it is quiet.
fn widened(bits: u64) -> u64 {
    let single = f32::from_bits(bits as u32);
    if single.is_nan() {
        let (sign, fraction) = (bits >> 31 & 1, bits & 0x7f_ffff);
        sign << 63 | 0x7ff << 52 | fraction << 29
    } else {
        f64::from(single).to_bits()
    }
}

/// The text with every literal and attribute of LLVM 23 spelled for LLVM 22, or `None` when it has none.
pub(crate) fn respell(text: &[u8]) -> Option<Respelled> {
    let mut writer =
        Writer { text, copied: 0, line: 1, old_line: 0, new_line: 0, out: Vec::new(), edits: Vec::new() };
    let mut last_type = None;
    let mut at = 0;
    while let Some(token) = next_token(text, at) {
        let word = text.get(token.start..token.end)?;
        // LLVM 22 reads `fp128` and the like as they are; until the next type no literal is taken for one of an earlier type.
        if token.kind == TokenKind::Word {
            last_type = match word {
                b"fp128" | b"x86_fp80" | b"ppc_fp128" => None,
                _ => FloatType::of_keyword(word).or(last_type),
            };
        }
        if word == b"denormal_fpenv"
            && token.kind == TokenKind::Word
            && let Some((attributes, end)) = denormal_fpenv::attributes(text, token.end)
        {
            writer.replace(token.start, end, &attributes);
            at = end;
            continue;
        }
        if token.kind != TokenKind::Other
            && let Some(new) = std::str::from_utf8(word).ok().and_then(|word| literal(word, last_type))
        {
            writer.replace(token.start, token.end, &new);
        }
        at = token.end;
    }
    writer.finish()
}

/// The spelling of LLVM 22 of one literal, `None` when the word is none or is spelled so already.
fn literal(word: &str, last_type: Option<FloatType>) -> Option<String> {
    if let Some(digits) = word.strip_prefix("f0x") {
        // LLVM 22 writes the low half of an `fp128` first.
        if let (32, Some((high, low))) = (digits.len(), digits.split_at_checked(16)) {
            return Some(format!("0xL{low}{high}"));
        }
        let ty = match (digits.len(), last_type) {
            (4, Some(ty)) if ty.bits() == 16 => ty,
            (8, _) => FloatType::Float,
            (16, _) => FloatType::Double,
            _ => return None,
        };
        return Some(ty.spell(u64::from_str_radix(digits, 16).ok()?));
    }
    let ty = last_type?;
    let (sign, magnitude) = match word.as_bytes().first()? {
        b'-' => (1u64, word.get(1..)?),
        b'+' => (0, word.get(1..)?),
        _ => (0, word),
    };
    let signed = magnitude.len() != word.len();
    let bits = match magnitude {
        "inf" if signed => ty.infinity(),
        "qnan" if signed => ty.infinity() | 1 << (ty.fraction() - 1),
        _ if signed && magnitude.ends_with(')') => nan(magnitude, ty)?,
        _ => number(magnitude, ty)?,
    };
    Some(ty.spell(bits | sign << (ty.bits() - 1)))
}

/// The bits of `nan(0x1)`, which is quiet, or of `snan(0x1)`.
fn nan(text: &str, ty: FloatType) -> Option<u64> {
    let (name, payload) = text.strip_suffix(')')?.split_once("(0x")?;
    let payload = u64::from_str_radix(payload, 16).ok()?;
    let quiet = 1u64 << (ty.fraction() - 1);
    match name {
        "nan" if payload < quiet => Some(ty.infinity() | quiet | payload),
        "snan" if payload < quiet && payload != 0 => Some(ty.infinity() | payload),
        _ => None,
    }
}

/// The bits of a decimal number with a point or a hexadecimal number with an exponent to base 2. The bits in
/// hexadecimal digits of LLVM 22 (`0x3FF0000000000000`) have no exponent.
fn number(magnitude: &str, ty: FloatType) -> Option<u64> {
    let hexadecimal = magnitude.starts_with("0x");
    let is_number = if hexadecimal { magnitude.contains('p') } else { magnitude.contains('.') };
    is_number.then(|| ty.nearest(magnitude)).flatten()
}

/// Copies a text but for the literals that it replaces, and records where they were.
struct Writer<'t> {
    text: &'t [u8],
    /// Up to where the text is copied.
    copied: usize,
    line: u32,
    /// Where the line begins in the old text, and in the new one.
    old_line: usize,
    new_line: usize,
    out: Vec<u8>,
    edits: Vec<Edit>,
}

impl Writer<'_> {
    fn replace(&mut self, start: usize, end: usize, new: &str) {
        self.copy(start);
        self.edits.push(Edit {
            at: TextPosition { line: self.line, column: TextPosition::column(self.out.len(), self.new_line) },
            column: TextPosition::column(start, self.old_line),
            old: (end - start) as u32,
            new: new.len() as u32,
        });
        self.out.extend_from_slice(new.as_bytes());
        self.copied = end;
    }

    /// Copies up to a place, and counts the lines.
    fn copy(&mut self, until: usize) {
        let Some(piece) = self.text.get(self.copied..until) else {
            return debug_assert!(false, "literals are in order: {until} follows {}", self.copied);
        };
        for (index, _) in piece.iter().enumerate().filter(|&(_, &byte)| byte == b'\n') {
            self.line = self.line.saturating_add(1);
            self.old_line = self.copied + index + 1;
            self.new_line = self.out.len() + index + 1;
        }
        self.out.extend_from_slice(piece);
        self.copied = until;
    }

    fn finish(mut self) -> Option<Respelled> {
        if self.edits.is_empty() {
            return None;
        }
        self.copy(self.text.len());
        Some(Respelled { text: self.out, edits: self.edits })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    /// A keyword, a type, an instruction's name, or `f0x3F800000`.
    Word,
    /// A number, or a signed word such as `+inf` and `-nan(0x1)`.
    Number,
    /// A name, a string, a comment, a label, space or punctuation: nothing that is a literal.
    Other,
}

struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

/// Whether a byte continues a name, a keyword or a number.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

/// The token at a place, by the rules of LLVM's lexer as far as literals need them.
fn next_token(text: &[u8], start: usize) -> Option<Token> {
    let first = *text.get(start)?;
    let rest = text.get(start + 1..)?;
    let length_while = |accept: fn(u8) -> bool| rest.iter().take_while(|&&byte| accept(byte)).count();
    let (kind, length) = match first {
        b'"' => {
            (TokenKind::Other, rest.iter().position(|&byte| byte == b'"').map_or(rest.len(), |end| end + 1))
        }
        b';' => (TokenKind::Other, length_while(|byte| byte != b'\n')),
        b'%' | b'@' | b'!' | b'$' | b'#' | b'^' => (TokenKind::Other, length_while(is_name)),
        b'+' | b'-' | b'0'..=b'9' => (TokenKind::Number, length_while(|byte| is_name(byte) || byte == b'+')),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => (TokenKind::Word, length_while(is_name)),
        _ => (TokenKind::Other, 0),
    };
    let mut end = start + 1 + length;
    // The payload of a NaN belongs to it.
    if kind == TokenKind::Number
        && text.get(start + 1..end).is_some_and(|word| word.ends_with(b"nan"))
        && let Some(payload) = text.get(end..).filter(|payload| payload.starts_with(b"(0x"))
        && let Some(close) = payload.iter().position(|&byte| byte == b')')
    {
        end += close + 1;
    }
    // `half:` is a label.
    let kind = if text.get(end) == Some(&b':') { TokenKind::Other } else { kind };
    Some(Token { kind, start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn respelled(text: &str) -> String {
        respell(text.as_bytes())
            .map_or_else(|| text.to_owned(), |new| String::from_utf8(new.text).expect("ASCII"))
    }

    #[test]
    fn literals_take_the_last_type_before_them() {
        for (old, new) in [
            ("%a = fmul float %x, f0x3FB8AA3B", "%a = fmul float %x, 0x3FF7154760000000"),
            ("ret double f0x7FEFFFFFFFFFFFFF", "ret double 0x7FEFFFFFFFFFFFFF"),
            ("ret half f0x4200", "ret half 0xH4200"),
            ("%c = fcmp olt bfloat %half, f0x3F80", "%c = fcmp olt bfloat %half, 0xR3F80"),
            (
                "[2 x float] [float 0.000000e+00, float 7.910000e-01]",
                "[2 x float] [float 0x0000000000000000, float 0x3FE94FDF40000000]",
            ),
            ("half +0x1.e3p-16", "half 0xH01E3"),
            ("float 0x1.8p3", "float 0x4028000000000000"),
            ("half -inf", "half 0xHFC00"),
            ("double -qnan", "double 0xFFF8000000000000"),
            ("float +snan(0x1)", "float 0x7FF0000020000000"),
            ("fp128 f0x3FFF0000000000000000000000000001", "fp128 0xL00000000000000013FFF000000000000"),
            ("double +nan(0x1), i32 1", "double 0x7FF8000000000001, i32 1"),
        ] {
            assert_eq!(respelled(old), new);
        }
    }

    #[test]
    fn names_strings_comments_labels_and_older_literals_stay() {
        for text in [
            "float %f0x3FB8AA3B, ptr @f0x3FB8AA3B ; f0x3FB8AA3B",
            "float \"f0x3FB8AA3B\"",
            "float f0x3FB8AA3B:",
            "float 0x3FF7154760000000, half 0xH3C00",
            "nofpclass(nan inf) float %x, i32 -1",
            "half f0x3FB8",
        ] {
            let new = respelled(text);
            assert_eq!(new, text.replace("half f0x3FB8", "half 0xH3FB8"));
        }
    }

    #[test]
    fn numbers_too_large_for_their_type_stay_for_llvm_to_refuse() {
        assert_eq!(respelled("half 1.0e+30"), "half 1.0e+30");
        assert_eq!(respelled("float f0x3FB8AA"), "float f0x3FB8AA");
    }

    #[test]
    fn places_are_those_of_the_original_text() {
        let text = "\n  float f0x3FB8AA3B, float f0x3F800000, oops\n";
        let new = respell(text.as_bytes()).expect("two literals");
        let place = |text: &str| {
            let line = text.lines().nth(1).expect("two lines");
            TextPosition { line: 2, column: line.find("oops").expect("a word") as u32 + 1 }
        };
        let changed = String::from_utf8(new.text.clone()).expect("ASCII");
        assert_ne!(place(&changed), place(text));
        assert_eq!(new.original(place(&changed)), place(text));
        assert_eq!(new.original(TextPosition { line: 2, column: 12 }), TextPosition { line: 2, column: 9 });
        assert_eq!(new.original(TextPosition { line: 2, column: 3 }), TextPosition { line: 2, column: 3 });
        assert_eq!(new.original(TextPosition { line: 3, column: 1 }), TextPosition { line: 3, column: 1 });
    }
}
