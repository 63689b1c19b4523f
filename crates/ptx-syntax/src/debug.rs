//! Debug directives (manual 11.5), kept as they are.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, DebugFile, DebugLocation, InlinedAt, Item, Section, SectionLine};

use ptx_isa::{PtxVersion, ScalarType};

use crate::codes;
use crate::constant::integer_literal;
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::reader::{Parse, Reader};
use crate::recovery::starts_item;

impl<'s> Reader<'s, '_> {
    /// `.file index "name" {, time, size}`
    pub(crate) fn file(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let index = self.word("the number of a file")?;
        let name = self.expect_text("the file's name in quotes")?;
        if let TokenKind::Text(_) = *self.cursor.kind() {
            let span = self.cursor.bump().span;
            let error = Diagnostic::error(codes::EXPECTED, span, "`.file` must have a single name");
            return Err(Box::new(error.with_help("write folder and file name as one string")));
        }
        let stamp = match self.eat(b',') {
            None => None,
            Some(_) => {
                let time = self.long_word("the time of a file")?;
                let size = match self.eat(b',') {
                    Some(_) => Some(self.long_word("the size of a file")?),
                    None => None,
                };
                Some((time, size))
            }
        };
        self.push_item(Item::File(DebugFile { index, name, stamp }, At(start.to(self.cursor.last))));
        Ok(())
    }

    /// `.loc file line column {, function_name label {+ offset}, inlined_at file line column}`
    pub(crate) fn location(&mut self) -> Parse<DebugLocation> {
        let start = self.cursor.bump().span;
        let file = self.word("the number of a file")?;
        let line = self.word("a line")?;
        let column = self.word("a column")?;
        let inlined = match self.eat(b',') {
            None => None,
            Some(_) => Some(Box::new(self.inlined_at()?)),
        };
        Ok(DebugLocation { file, line, column, inlined, at: At(start.to(self.cursor.last)) })
    }

    /// The attributes of a `.loc`, in either order.
    fn inlined_at(&mut self) -> Parse<InlinedAt> {
        let (mut name, mut offset, mut place) = (None, None, None);
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::Ident("function_name") if name.is_none() => {
                    self.cursor.advance();
                    let (label, _) = self.expect_section_name()?;
                    name = Some(self.module.strings.intern(label));
                    if self.eat(b'+').is_some() {
                        offset = Some(self.long_word("an offset")?);
                    }
                }
                TokenKind::Ident("inlined_at") if place.is_none() => {
                    self.cursor.advance();
                    let file = self.word("the number of a file")?;
                    let line = self.word("a line")?;
                    place = Some((file, line, self.word("a column")?));
                }
                _ => return Err(self.unexpected("`function_name` or `inlined_at`")),
            }
            if name.is_some() && place.is_some() {
                break;
            }
            self.expect(b',', "`,` with the other one of `function_name` and `inlined_at`")?;
        }
        match (name, place) {
            (Some(name), Some((file, line, column))) => Ok(InlinedAt { name, offset, file, line, column }),
            _ => Err(self.unexpected("`function_name` and `inlined_at`")),
        }
    }

    /// A label, or a section with its dot.
    fn expect_section_name(&mut self) -> Parse<(&'s str, Span)> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Directive(_) => {
                self.cursor.advance();
                Ok((crate::lexer::ascii(self.cursor.slice(token.span)), token.span))
            }
            _ => self.expect_ident("a label"),
        }
    }

    /// `.section name { .. }`
    pub(crate) fn section(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        if !matches!(*self.cursor.kind(), TokenKind::Directive(word) if names_section(word)) {
            return Err(self.unexpected("the section's name with its dot"));
        }
        let (name, _) = self.expect_section_name()?;
        let name = self.module.strings.intern(name);
        let open = self.expect(b'{', "`{`")?;
        let rest = self.cursor.text_from(open.hi);
        let Some((text, _)) = section_length(rest).and_then(|length| rest.split_at_checked(length)) else {
            self.cursor.jump(open.hi as usize + rest.len());
            let error = Diagnostic::error(codes::UNBALANCED, open, "this `{` is never closed");
            return Err(Box::new(error.with_help("add `}`")));
        };
        let checked = self.check_section(text, open.hi);
        self.cursor.jump(open.hi as usize + text.len() + 1);
        checked?;
        let mut lines = Vec::new();
        for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
            if !line.is_empty() {
                let text = self.module.strings.intern(&String::from_utf8_lossy(line));
                lines.push(SectionLine { text });
            }
        }
        let at = At(start.to(self.cursor.last));
        self.push_item(Item::Section(Section { name, lines, at }));
        Ok(())
    }

    /// Checks what is between the braces of a section, which start at `offset`: labels, and `.b8`, `.b16`, `.b32` or
    /// `.b64` with numbers, or one of the latter two with a label, a section, a sum or a difference (manual 11.5.4).
    fn check_section(&mut self, text: &'s [u8], offset: u32) -> Parse<()> {
        let mut cursor = Cursor::new(text);
        let shift = |span: Span| Span::new(offset + span.lo, offset + span.hi);
        loop {
            let token = cursor.bump();
            match token.kind {
                TokenKind::End => return Ok(()),
                TokenKind::Ident(name) if cursor.is_mark(b':') => {
                    cursor.advance();
                    let span = shift(token.span);
                    if let Some(first) = self.section_labels.insert(name, span) {
                        let message = format!("label `{name}` is defined twice");
                        let error = Diagnostic::error(codes::DUPLICATE, span, message);
                        return Err(Box::new(error.with_related(first, "first defined here")));
                    }
                }
                TokenKind::Directive(ty @ ("b8" | "b16" | "b32" | "b64")) => {
                    section_data(&mut cursor, ty).map_err(|span| section_error(shift(span)))?;
                }
                _ => return Err(section_error(shift(token.span))),
            }
        }
    }

    /// `@@DWARF ..`: debug information of PTX before version 2.0.
    pub(crate) fn dwarf_line(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        if self.cursor.byte_behind() != Some(b'@') {
            return Err(self.at(codes::EXPECTED, start, "instructions are only allowed in functions"));
        }
        if !self.cursor.text_from(start.lo).starts_with(b"@@DWARF") {
            return Err(self.at(codes::EXPECTED, start, "expected `@@DWARF`"));
        }
        let span = self.cursor.bump_line();
        if self.module.version().is_some_and(|version| version >= PtxVersion::new(2, 0)) {
            let message = "since PTX ISA 2.0 there is no `@@DWARF`";
            let error = Diagnostic::error(codes::DIRECTIVE, span, message);
            return Err(Box::new(error.with_help("write a `.section`")));
        }
        let text = String::from_utf8_lossy(self.cursor.slice(span)).into_owned();
        let text = self.module.strings.intern(&text);
        self.push_item(Item::DwarfLine(text));
        Ok(())
    }
}

/// Whether a word with a dot is the name of a section and no directive or type.
fn names_section(word: &str) -> bool {
    let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic());
    is_word && word != "global" && !starts_item(word) && ScalarType::from_ptx(word).is_none()
}

/// The place of a section's closing brace, after comments.
fn section_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
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

fn section_error(span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(codes::DIRECTIVE_VALUE, span, "this is not a line of a debug section");
    Box::new(error.with_help(
        "such a line is `label:`, or `.b8`, `.b16`, `.b32`, `.b64` with numbers that fit, or `.b32`, `.b64` with one label",
    ))
}

/// Reads what follows the type of a section's data; gives the place of what is wrong.
fn section_data(cursor: &mut Cursor<'_>, ty: &str) -> Result<(), Span> {
    let wide = matches!(ty, "b32" | "b64");
    let first = cursor.peek();
    let is_section = match first.kind {
        TokenKind::Ident(name) if wide && name != "WARP_SZ" => false,
        TokenKind::Directive(word) if wide && names_section(word) => true,
        TokenKind::Number(_) | TokenKind::Mark(b'-') => return section_numbers(cursor, ty),
        _ => return Err(first.span),
    };
    cursor.advance();
    if cursor.is_mark(b'+') {
        cursor.advance();
        let token = cursor.bump();
        return match token.kind {
            TokenKind::Number(text) if integer_literal(text).is_some() => Ok(()),
            _ => Err(token.span),
        };
    }
    if !is_section && cursor.is_mark(b'-') {
        cursor.advance();
        let token = cursor.bump();
        return if matches!(token.kind, TokenKind::Ident(_)) { Ok(()) } else { Err(token.span) };
    }
    Ok(())
}

/// Numbers with commas between them, each of which fits the type as signed or as unsigned.
fn section_numbers(cursor: &mut Cursor<'_>, ty: &str) -> Result<(), Span> {
    let bits = match ty {
        "b8" => 8,
        "b16" => 16,
        "b32" => 32,
        _ => 64,
    };
    loop {
        let negative = cursor.is_mark(b'-');
        if negative {
            cursor.advance();
        }
        let token = cursor.bump();
        let value = match token.kind {
            TokenKind::Number(text) => integer_literal(text).ok_or(token.span)?,
            _ => return Err(token.span),
        };
        let most = if negative { u64::MAX >> 1 } else { u64::MAX };
        let limit = if negative { 1u64 << (bits - 1) } else { u64::MAX >> (64 - bits) };
        // All ones stand for minus one at any width but the narrow ones.
        let fits = value <= limit || (bits == 32 && value >> 32 == 0xFFFF_FFFF);
        if !fits || value > most {
            return Err(token.span);
        }
        if !cursor.is_mark(b',') {
            return Ok(());
        }
        cursor.advance();
    }
}
