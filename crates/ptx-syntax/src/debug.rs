//! Debug directives (manual 11.5), kept as they are.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, DebugFile, DebugLocation, InlinedAt, Item, Section, SectionLine};

use crate::codes;
use crate::cursor::Cursor;
use crate::lexer::Kind;
use crate::reader::{Parse, Reader};

impl<'s> Reader<'s, '_> {
    /// `.file index "name" {, time, size}`
    pub(crate) fn file(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let index = self.word("the number of a file")?;
        let name = self.expect_text("the file's name in quotes")?;
        if let Kind::Text(_) = *self.cursor.kind() {
            let span = self.cursor.bump().span;
            let error = Diagnostic::error(codes::EXPECTED, span, "`.file` has one name only");
            return Err(Box::new(error.with_help("put folder and name into one text")));
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
                Kind::Ident("function_name") if name.is_none() => {
                    self.cursor.advance();
                    let (label, _) = self.expect_section_name()?;
                    name = Some(self.module.strings.intern(label));
                    if self.eat(b'+').is_some() {
                        offset = Some(self.long_word("an offset")?);
                    }
                }
                Kind::Ident("inlined_at") if place.is_none() => {
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
            Kind::Directive(_) => {
                self.cursor.advance();
                Ok((crate::lexer::ascii(self.cursor.slice(token.span)), token.span))
            }
            _ => self.expect_ident("a label"),
        }
    }

    /// `.section name { .. }`
    pub(crate) fn section(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let Kind::Directive(_) = *self.cursor.kind() else {
            return Err(self.unexpected("the section's name with its dot"));
        };
        let (name, _) = self.expect_section_name()?;
        let name = self.module.strings.intern(name);
        let open = self.expect(b'{', "`{`")?;
        let mut lines = Vec::new();
        let mut offset = open.hi as usize;
        for line in self.cursor.text_from(open.hi).split_inclusive(|&byte| byte == b'\n') {
            // Comments may hold braces, strings do not occur.
            let comment = line.windows(2).position(|pair| pair == b"//").unwrap_or(line.len());
            let end = memchr::memchr(b'}', &line[..comment]);
            let text = line[..end.unwrap_or(line.len())].trim_ascii();
            if !text.is_empty() {
                let start = offset + (line.len() - line.trim_ascii_start().len());
                self.check_section_line(text, start as u32)?;
                let text = self.module.strings.intern(&String::from_utf8_lossy(text));
                lines.push(SectionLine { text });
            }
            if let Some(end) = end {
                self.cursor.jump(offset + end + 1);
                let at = At(start.to(self.cursor.last));
                self.push_item(Item::Section(Section { name, lines, at }));
                return Ok(());
            }
            offset += line.len();
        }
        self.cursor.jump(offset);
        Err(Box::new(
            Diagnostic::error(codes::UNBALANCED, open, "this `{` is never closed").with_help("add `}`"),
        ))
    }

    /// Checks a line of a section: labels, then `.b8`, `.b16`, `.b32` or `.b64` with numbers, names and sums of them.
    fn check_section_line(&self, text: &[u8], offset: u32) -> Parse<()> {
        let mut cursor = Cursor::new(text);
        loop {
            let token = cursor.bump();
            let wrong = match token.kind {
                Kind::End => false,
                Kind::Ident(_) if cursor.peek().kind == Kind::Mark(b':') => {
                    cursor.bump();
                    continue;
                }
                Kind::Directive("b8" | "b16" | "b32" | "b64") => !is_data(&mut cursor),
                // A comment alone is no token; anything else is no line of a section.
                _ => true,
            };
            if !wrong {
                return Ok(());
            }
            let span = Span::new(offset + token.span.lo, offset + text.len() as u32);
            let error = Diagnostic::error(codes::DIRECTIVE_VALUE, span, "this is no line of a debug section");
            return Err(Box::new(
                error.with_help("such a line is `label:` or `.b8`, `.b16`, `.b32`, `.b64` with values"),
            ));
        }
    }

    /// `@@DWARF ..`: debug information of PTX before version 2.0.
    pub(crate) fn dwarf_line(&mut self) -> Parse<()> {
        let start = self.cursor.span();
        if self.cursor.byte_behind() != Some(b'@') {
            return Err(self.at(codes::EXPECTED, start, "instructions stand in functions only"));
        }
        if !self.cursor.text_from(start.lo).starts_with(b"@@DWARF") {
            return Err(self.at(codes::EXPECTED, start, "expected `@@DWARF`"));
        }
        let span = self.cursor.bump_line();
        let text = String::from_utf8_lossy(self.cursor.slice(span)).into_owned();
        let text = self.module.strings.intern(&text);
        self.push_item(Item::DwarfLine(text));
        Ok(())
    }
}

/// Whether values follow up to the end: numbers and names, joined by signs, parted by commas.
fn is_data(cursor: &mut Cursor<'_>) -> bool {
    let mut complete = false;
    loop {
        match (cursor.bump().kind, complete) {
            (Kind::Number(_) | Kind::Ident(_) | Kind::Directive(_), false) => complete = true,
            (Kind::Mark(b',' | b'+' | b'-'), true) => complete = false,
            (Kind::Mark(b'-'), false) => {}
            (Kind::Directive("b8" | "b16" | "b32" | "b64"), true) => complete = false,
            (Kind::End, complete) => return complete,
            _ => return false,
        }
    }
}
