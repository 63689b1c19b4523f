//! Where the reader is: the next token, and the comments passed on the way to it.

use ptx_diag::Span;

use crate::lexer::{self, Fault, Lexeme, TokenKind};

/// Whether comments become part of the module.
///
/// They are needed to print a module as it was written. What is only checked, translated or executed does without them,
/// and then takes no memory for them beyond the input's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comments {
    /// They become items and statements.
    Kept,
    /// They are read over.
    Dropped,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: TokenKind<'s>,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

/// A comment that no item or statement has taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) span: Span,
    /// Whether only blanks and comments precede it on its line.
    pub(crate) starts_line: bool,
}

/// Reads tokens one at a time, only when asked, so that what follows an item is not read before the item is kept.
pub(crate) struct Cursor<'s> {
    text: &'s [u8],
    /// The same, when all of it is UTF-8: names are then taken out of it without being looked at again.
    checked: Option<&'s str>,
    at: usize,
    /// Where the zero bytes start that some programs leave at the end.
    padding: usize,
    /// The next token, when it was read already.
    next: Token<'s>,
    is_read: bool,
    /// Whether a comment without an end took the rest of the input.
    pub(crate) is_cut: bool,
    /// The end of the last token taken.
    pub(crate) last: Span,
    /// Comments passed and not yet taken, in order.
    pub(crate) comments: Vec<Comment>,
    /// Whether they are collected at all.
    pub(crate) kept: Comments,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(text: &'s [u8]) -> Self {
        let padded = |&byte: &u8| byte == 0 || byte.is_ascii_whitespace();
        let padding = text.len() - text.iter().rev().take_while(|byte| padded(byte)).count();
        let next = Token { kind: TokenKind::End, span: Span::default(), starts_line: false };
        Self {
            text,
            checked: std::str::from_utf8(text).ok(),
            at: 0,
            padding,
            next,
            is_read: false,
            is_cut: false,
            last: Span::default(),
            comments: Vec::new(),
            kept: Comments::Kept,
        }
    }

    /// The bytes of a span.
    pub(crate) fn slice(&self, span: Span) -> &'s [u8] {
        let bytes = self.text.get(span.lo as usize..span.hi as usize);
        debug_assert!(bytes.is_some(), "a span outside of the text");
        // Default: as asserted.
        bytes.unwrap_or_default()
    }

    /// The text of a token of ASCII characters.
    #[inline]
    fn ascii(&self, lo: usize, hi: usize) -> &'s str {
        let text = match self.checked {
            Some(text) => text.get(lo..hi),
            None => self.text.get(lo..hi).map(lexer::ascii),
        };
        debug_assert!(text.is_some(), "a token outside of the text");
        // Default: as asserted.
        text.unwrap_or_default()
    }

    /// The next token, without taking it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Token<'s> {
        self.fill();
        self.next
    }

    /// What the next token is; cheaper than a copy of all of it.
    #[inline]
    pub(crate) fn kind(&mut self) -> &TokenKind<'s> {
        self.fill();
        &self.next.kind
    }

    /// Whether the next token is this mark.
    #[inline]
    pub(crate) fn is_mark(&mut self, mark: u8) -> bool {
        matches!(self.kind(), TokenKind::Mark(found) if *found == mark)
    }

    /// The place of the next token.
    #[inline]
    pub(crate) fn span(&mut self) -> Span {
        self.fill();
        self.next.span
    }

    /// Takes the next token.
    #[inline]
    pub(crate) fn bump(&mut self) -> Token<'s> {
        let token = self.peek();
        self.advance();
        token
    }

    /// Takes the next token, which no one needs any more.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.fill();
        if !matches!(self.next.kind, TokenKind::End) {
            self.is_read = false;
            self.last = self.next.span;
        }
    }

    #[inline]
    fn fill(&mut self) {
        if !self.is_read {
            self.lex();
            self.is_read = true;
        }
    }

    /// The byte right after the next token, if there is one.
    pub(crate) fn byte_behind(&mut self) -> Option<u8> {
        self.fill();
        self.text.get(self.at).copied()
    }

    /// The first byte after the next token that is not a blank, if there is one.
    pub(crate) fn byte_behind_blanks(&mut self) -> Option<u8> {
        self.fill();
        self.text.get(self.at..)?.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }

    /// Takes the next token, which is an opcode, together with the modifiers that follow it without a blank.
    pub(crate) fn bump_mnemonic(&mut self) -> Token<'s> {
        // The token ends before the first dot; reading goes on from there with the rules of modifiers, to which `.sp::2:4` is one.
        self.fill();
        let start = self.next.span.lo;
        if let Ok((rest, _)) = lexer::modifiers(self.after(self.at)) {
            self.at = self.text.len() - rest.len();
        }
        self.is_read = false;
        self.last = Span::new(start, self.at as u32);
        let kind = TokenKind::Ident(self.ascii(start as usize, self.at));
        Token { kind, span: self.last, starts_line: self.next.starts_line }
    }

    /// Takes the rest of the line from the next token on; the span leaves blanks at the end out.
    pub(crate) fn bump_line(&mut self) -> Span {
        let start = self.span().lo as usize;
        let text = self.after(start);
        let line = lexer::line(text).map_or(text, |(_, line)| line);
        self.is_read = false;
        self.at = start + line.len();
        self.last = Span::new(start as u32, (start + line.trim_ascii_end().len()) as u32);
        self.last
    }

    /// Goes on at a byte offset.
    pub(crate) fn jump(&mut self, offset: usize) {
        self.is_read = false;
        self.at = offset.min(self.text.len());
        self.last = Span::new(self.at.saturating_sub(1) as u32, self.at as u32);
    }

    /// The first zero byte that is not at the end.
    pub(crate) fn zero_byte(&self) -> Option<Span> {
        let at = memchr::memchr(0, self.text.get(..self.padding)?)? as u32;
        Some(Span::new(at, at + 1))
    }

    /// Everything from a byte offset on.
    pub(crate) fn text_from(&self, offset: u32) -> &'s [u8] {
        self.after(offset as usize)
    }

    #[inline]
    fn after(&self, offset: usize) -> &'s [u8] {
        self.slice(Span::new(offset as u32, self.text.len() as u32))
    }

    /// Reads the next token, and the comments before it.
    fn lex(&mut self) {
        let mut starts_line = self.at == 0;
        let mut rest = self.after(self.at);
        loop {
            match rest {
                [b'\n', behind @ ..] => {
                    starts_line = true;
                    rest = behind;
                }
                [byte, behind @ ..] if lexer::is_blank(*byte) => rest = behind,
                [b'/', b'/' | b'*', ..] | [b'#' | 0, ..] => {
                    self.at = self.text.len() - rest.len();
                    if !self.passes(rest, &mut starts_line) {
                        return;
                    }
                    rest = self.after(self.at);
                }
                _ => break,
            }
        }
        self.next.starts_line = starts_line;
        self.token(rest);
    }

    /// Goes after a comment or the padding at the end; `false` when there is a token, which is then read.
    fn passes(&mut self, rest: &'s [u8], starts_line: &mut bool) -> bool {
        match rest {
            [b'#', ..] => {
                if let Some(line) = lexer::line_marker(rest) {
                    self.comment(Ok((rest, line)), *starts_line);
                    return true;
                }
            }
            [b'/', b'/', ..] => {
                self.comment(lexer::line(rest), *starts_line);
                return true;
            }
            [b'/', b'*', ..] => match lexer::block_comment(rest) {
                Ok((behind, text)) => {
                    self.comment(Ok((behind, text)), *starts_line);
                    *starts_line |= memchr::memchr(b'\n', text).is_some();
                    return true;
                }
                Err(_) => {
                    self.next.starts_line = *starts_line;
                    self.bad(Fault::Comment, rest.len());
                    return false;
                }
            },
            _ if self.at >= self.padding => {
                self.at = self.text.len();
                return true;
            }
            _ => {}
        }
        self.next.starts_line = *starts_line;
        self.token(rest);
        false
    }

    /// Reads the token at the start of `rest`, which reaches to the end of the text.
    #[inline]
    fn token(&mut self, rest: &'s [u8]) {
        let start = self.text.len() - rest.len();
        self.at = start;
        let (behind, lexeme) = match lexer::token(rest) {
            Ok(found) => found,
            Err(_) if rest.is_empty() => {
                self.next.kind = TokenKind::End;
                self.next.span = Span::new(start as u32, start as u32);
                return;
            }
            Err(nom::Err::Failure(fault @ Fault::Quote)) => {
                let length = lexer::line(rest).map_or(rest.len(), |(_, line)| line.len());
                return self.bad(fault, length);
            }
            Err(_) => return self.bad(Fault::Byte, lexer::bad_run(rest)),
        };
        let end = self.text.len() - behind.len();
        self.at = end;
        self.next.span = Span::new(start as u32, end as u32);
        self.next.kind = match lexeme {
            Lexeme::Ident => TokenKind::Ident(self.ascii(start, end)),
            Lexeme::Mark(mark) => TokenKind::Mark(mark),
            Lexeme::Number => TokenKind::Number(self.ascii(start, end)),
            Lexeme::Directive => TokenKind::Directive(self.ascii(start + 1, end)),
            Lexeme::Text => TokenKind::Text(self.slice(Span::new(start as u32 + 1, end as u32 - 1))),
            Lexeme::Operator(bytes) => TokenKind::Operator(bytes),
        };
    }

    fn bad(&mut self, fault: Fault, length: usize) {
        let start = self.at as u32;
        self.is_cut |= fault == Fault::Comment;
        self.at += length;
        self.next.kind = TokenKind::Bad(fault);
        self.next.span = Span::new(start, self.at as u32);
    }

    /// Keeps a comment for the next item or statement and goes after it.
    fn comment(&mut self, lexed: lexer::Lexed<'s, &'s [u8]>, starts_line: bool) {
        let Ok((_, text)) = lexed else { return };
        let length = text.strip_suffix(b"\r").unwrap_or(text).len();
        let span = Span::new(self.at as u32, (self.at + length) as u32);
        if self.kept == Comments::Kept {
            self.comments.push(Comment { span, starts_line });
        }
        self.at += text.len();
    }
}
