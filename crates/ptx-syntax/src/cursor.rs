//! Where the reader stands: the next token, and the comments passed on the way to it.

use ptx_diag::Span;

use crate::lexer::{self, Fault, Kind};

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind<'s>,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

/// A comment that no item or statement has taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) span: Span,
    /// Whether only blanks and comments stand before it on its line.
    pub(crate) starts_line: bool,
}

/// Reads tokens one at a time, only when asked, so that what follows an item is not read before the item is kept.
pub(crate) struct Cursor<'s> {
    text: &'s [u8],
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
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(text: &'s [u8]) -> Self {
        let padded = |&byte: &u8| byte == 0 || byte.is_ascii_whitespace();
        let padding = text.len() - text.iter().rev().take_while(|byte| padded(byte)).count();
        let next = Token { kind: Kind::End, span: Span::default(), starts_line: false };
        Self {
            text,
            at: 0,
            padding,
            next,
            is_read: false,
            is_cut: false,
            last: Span::default(),
            comments: Vec::new(),
        }
    }

    /// The bytes of a span.
    pub(crate) fn slice(&self, span: Span) -> &'s [u8] {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
    }

    /// The next token, without taking it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Token<'s> {
        self.fill();
        self.next
    }

    /// What the next token is; cheaper than a copy of all of it.
    #[inline]
    pub(crate) fn kind(&mut self) -> &Kind<'s> {
        self.fill();
        &self.next.kind
    }

    /// Whether the next token is this mark.
    #[inline]
    pub(crate) fn is_mark(&mut self, mark: u8) -> bool {
        matches!(self.kind(), Kind::Mark(found) if *found == mark)
    }

    /// Where the next token stands.
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

    /// Takes the next token, which nobody needs any more.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.fill();
        if !matches!(self.next.kind, Kind::End) {
            self.is_read = false;
            self.last = self.next.span;
        }
    }

    #[inline]
    fn fill(&mut self) {
        if !self.is_read {
            self.next = self.lex();
            self.is_read = true;
        }
    }

    /// The byte right behind the next token, if there is one.
    pub(crate) fn byte_behind(&mut self) -> Option<u8> {
        self.fill();
        self.text.get(self.at).copied()
    }

    /// Takes the opcode that the next token is together with the modifiers that hang on it.
    pub(crate) fn bump_mnemonic(&mut self) -> Token<'s> {
        let token = self.bump();
        if let Ok((rest, _)) = lexer::modifiers(&self.text[self.at..]) {
            self.at = self.text.len() - rest.len();
        }
        let span = Span::new(token.span.lo, self.at as u32);
        self.last = span;
        Token { kind: Kind::Ident(lexer::ascii(self.slice(span))), span, ..token }
    }

    /// Takes the rest of the line from the next token on; the span leaves blanks at the end out.
    pub(crate) fn bump_line(&mut self) -> Span {
        let start = self.span().lo as usize;
        let text = self.text.get(start..).unwrap_or_default();
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

    /// Everything from a byte offset on.
    pub(crate) fn text_from(&self, offset: u32) -> &'s [u8] {
        self.text.get(offset as usize..).unwrap_or_default()
    }

    fn lex(&mut self) -> Token<'s> {
        let mut starts_line = self.at == 0;
        loop {
            let rest = &self.text[self.at..];
            let passed = match rest {
                [b'\n', ..] => {
                    starts_line = true;
                    1
                }
                [b' ' | b'\t' | b'\r' | 0x0B | 0x0C, ..] => {
                    lexer::blanks(rest).map_or(1, |(_, blanks)| blanks.len())
                }
                [b'/', b'/', ..] => self.comment(lexer::line(rest), starts_line),
                [b'#', ..] if starts_line => self.comment(lexer::line(rest), starts_line),
                [b'/', b'*', ..] => match lexer::block_comment(rest) {
                    Ok((_, text)) => {
                        let length = self.comment(Ok((rest, text)), starts_line);
                        starts_line |= memchr::memchr(b'\n', text).is_some();
                        length
                    }
                    Err(_) => return self.bad(Fault::Comment, rest.len(), starts_line),
                },
                [0, ..] if self.at >= self.padding => rest.len(),
                _ => return self.token(rest, starts_line),
            };
            self.at += passed;
        }
    }

    fn token(&mut self, rest: &'s [u8], starts_line: bool) -> Token<'s> {
        let start = self.at as u32;
        match lexer::token(rest) {
            Ok((behind, kind)) => {
                self.at = self.text.len() - behind.len();
                Token { kind, span: Span::new(start, self.at as u32), starts_line }
            }
            Err(nom::Err::Failure(fault @ Fault::Quote)) => {
                let length = lexer::line(rest).map_or(rest.len(), |(_, line)| line.len());
                self.bad(fault, length, starts_line)
            }
            Err(_) => self.bad(Fault::Byte, lexer::bad_run(rest), starts_line),
        }
    }

    fn bad(&mut self, fault: Fault, length: usize, starts_line: bool) -> Token<'s> {
        let start = self.at as u32;
        self.is_cut |= fault == Fault::Comment;
        self.at += length;
        Token { kind: Kind::Bad(fault), span: Span::new(start, self.at as u32), starts_line }
    }

    /// Keeps a comment for the next item or statement and gives its length.
    fn comment(&mut self, lexed: lexer::Lexed<'s, &'s [u8]>, starts_line: bool) -> usize {
        let Ok((_, text)) = lexed else { return 1 };
        let length = text.strip_suffix(b"\r").unwrap_or(text).len();
        let span = Span::new(self.at as u32, (self.at + length) as u32);
        self.comments.push(Comment { span, starts_line });
        text.len()
    }
}
