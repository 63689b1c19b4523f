//! The tokens of a text, one run at a time, and the comments between them.
//!
//! A run ends at the first semicolon, so that it has all tokens of the statement that it begins with; its memory is reused for the next run.
//! A text is scanned once, and takes memory for its longest statement only: a table of numbers is one token, and the lines of a section too.

use std::collections::VecDeque;

use ptx_diag::{Diagnostic, Span};

use crate::grammar::error::{Failed, Found, Parsed, Problem};
use crate::lexer::{self, Fault, Lexeme};
use crate::token::{Context, Text, Token, TokenKind, Tokens};
use crate::tree::Spare;

/// Whether comments become part of the module.
///
/// They are needed to print a module as it was written. A program that only verifies, lowers or executes it can drop them,
/// so that they take no memory beyond that of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comments {
    /// They become items and statements.
    Kept,
    /// They are skipped.
    Dropped,
}

/// A comment that no item or statement has taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) span: Span,
    /// Whether only blanks and comments precede it on its line.
    pub(crate) starts_line: bool,
}

/// A text: its bytes as they were read, and the same as a string, in which each byte of invalid UTF-8 is replaced by one that no token
/// contains.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub(crate) bytes: &'s [u8],
    pub(crate) text: &'s str,
}

impl<'s> From<&'s str> for Source<'s> {
    fn from(text: &'s str) -> Self {
        Self { bytes: text.as_bytes(), text }
    }
}

impl<'s> Source<'s> {
    /// The bytes of a span.
    pub(crate) fn slice(&self, span: Span) -> &'s [u8] {
        let bytes = self.bytes.get(span.lo as usize..span.hi as usize);
        debug_assert!(bytes.is_some(), "a span outside of the text");
        // Default: as asserted.
        bytes.unwrap_or_default()
    }
}

/// The run of tokens that is being parsed.
pub(crate) struct Stream<'s> {
    pub(crate) source: Source<'s>,
    at: usize,
    /// The offset of the zero bytes that some programs append to a text.
    padding: usize,
    tokens: Vec<Token>,
    pub(crate) context: Context<'s>,
    /// The next token's index.
    next: usize,
    /// Where the last production began.
    start: usize,
    /// A token that was read and begins the next run.
    lookahead: Option<Token>,
    /// Whether the rest of the input is an unterminated comment.
    pub(crate) unterminated_comment: bool,
    /// The last token taken.
    pub(crate) last: Span,
    /// Comments that were skipped and not taken yet, in order.
    comments: VecDeque<Comment>,
    /// Whether comments are collected.
    pub(crate) kept: Comments,
}

impl<'s> Stream<'s> {
    pub(crate) fn new(source: Source<'s>) -> Self {
        let padded = |&byte: &u8| byte == 0 || byte.is_ascii_whitespace();
        let padding = source.bytes.len() - source.bytes.iter().rev().take_while(|byte| padded(byte)).count();
        Self {
            source,
            at: 0,
            padding,
            tokens: Vec::new(),
            next: 0,
            start: 0,
            lookahead: None,
            context: Context { text: Text(source.text), spare: Spare::default() },
            unterminated_comment: false,
            last: Span::default(),
            comments: VecDeque::new(),
            kept: Comments::Kept,
        }
    }

    /// The next token, without taking it.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> Token {
        if self.next >= self.tokens.len() {
            self.fill();
        }
        let token = self.tokens.get(self.next).copied();
        debug_assert!(token.is_some(), "a run has tokens");
        let at = self.at as u32;
        let end = Token { lo: at, hi: at, kind: TokenKind::End, starts_line: false };
        // Default: as asserted.
        token.unwrap_or(end)
    }

    /// A token as written.
    pub(crate) fn text(&self, token: &Token) -> &'s str {
        self.context.text.of(token)
    }

    /// The word of a directive, without its dot.
    pub(crate) fn directive(&self, token: &Token) -> Option<&'s str> {
        self.context.text.directive(token)
    }

    /// The token after the next one, if it is in the same run.
    #[inline]
    pub(crate) fn peek_second(&mut self) -> Option<Token> {
        self.peek();
        self.tokens.get(self.next + 1).copied()
    }

    /// Takes the next token.
    pub(crate) fn advance(&mut self) {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.last = token.span();
            self.next += 1;
        }
    }

    /// The tokens of the run that are not taken, for a production to begin with.
    #[inline]
    pub(crate) fn tokens(&mut self) -> Tokens<'_, 's> {
        self.peek();
        self.start = self.next;
        Tokens { rest: &self.tokens[self.next..], context: &self.context }
    }

    /// Takes the tokens of the run but the last `left`.
    #[inline]
    pub(crate) fn take_to(&mut self, left: usize) {
        self.next = self.tokens.len() - left;
        if self.next > self.start {
            self.last = self.tokens.get(self.next - 1).map_or(self.last, Token::span);
        }
    }

    /// Takes the tokens before an error, so that the next one is the wrong token.
    #[cold]
    pub(crate) fn take_to_error(&mut self, error: Failed<'s>) -> Problem<'s> {
        let (nom::Err::Error(error) | nom::Err::Failure(error)) = error else {
            debug_assert!(false, "no production asks for more tokens");
            return Problem::Expected("something else");
        };
        self.take_to(error.left);
        error.problem
    }

    /// Parses a production and takes its tokens. After an error the next token is the wrong one.
    pub(crate) fn parse<T>(
        &mut self,
        production: impl for<'a> FnOnce(Tokens<'a, 's>) -> Parsed<'a, 's, T>,
    ) -> Result<T, Problem<'s>> {
        match production(self.tokens()) {
            Ok((rest, value)) => {
                let left = rest.rest.len();
                self.take_to(left);
                Ok(value)
            }
            Err(error) => Err(self.take_to_error(error)),
        }
    }

    /// Parses from the start of the last production, without taking tokens. Returns the value and the number of tokens left after it.
    pub(crate) fn again<T>(
        &mut self,
        production: impl for<'a> FnOnce(Tokens<'a, 's>) -> Parsed<'a, 's, T>,
    ) -> Option<(T, usize)> {
        let rest = &self.tokens[self.start..];
        production(Tokens { rest, context: &self.context }).ok().map(|(rest, value)| (value, rest.rest.len()))
    }

    /// The tokens that the last production took, until the next run is read.
    pub(crate) fn taken(&self) -> &[Token] {
        &self.tokens[self.start..self.next]
    }

    /// The message for a problem with the next token.
    pub(crate) fn diagnostic(&mut self, problem: Problem<'s>) -> Box<Diagnostic> {
        let previous = self.last;
        let token = self.peek();
        Found { token, text: self.text(&token), previous, bytes: self.source.slice(token.span()) }
            .diagnostic(problem)
    }

    /// Takes the comments that begin before an offset.
    pub(crate) fn comments_before(&mut self, offset: u32) -> Vec<Comment> {
        let count = self.comments.iter().take_while(|comment| comment.span.lo < offset).count();
        self.comments.drain(..count).collect()
    }

    /// Whether any comment begins before an offset.
    #[inline]
    pub(crate) fn has_comments_before(&self, offset: u32) -> bool {
        self.comments.front().is_some_and(|comment| comment.span.lo < offset)
    }

    /// The first zero byte that is not at the end.
    pub(crate) fn zero_byte(&self) -> Option<Span> {
        let at = memchr::memchr(0, self.source.bytes.get(..self.padding)?)? as u32;
        Some(Span::new(at, at + 1))
    }

    /// Reads the next run: up to its first semicolon, or up to a directive that does not end with one. A brace at the start is a
    /// separate run.
    #[inline(never)]
    fn fill(&mut self) {
        self.tokens.clear();
        (self.start, self.next) = (0, 0);
        let mut run = Run::default();
        if let Some(token) = self.lookahead.take()
            && self.add(token, &mut run)
        {
            return;
        }
        let length = self.source.text.len();
        let mut rest = self.after(self.at);
        let mut starts_line = self.at == 0;
        while let [byte, tail @ ..] = rest {
            let byte = *byte;
            if lexer::is_blank(byte) {
                rest = tail;
            } else if lexer::is_letter(byte) || lexer::begins_name(rest) {
                let lo = (length - rest.len()) as u32;
                rest = lexer::skip_word(tail);
                let mut kind = TokenKind::Ident;
                if let [b'.', ..] = rest
                    && !run.declares
                {
                    kind = TokenKind::Dotted;
                    rest = lexer::skip_modifiers(rest);
                }
                let hi = (length - rest.len()) as u32;
                self.tokens.push(Token { lo, hi, kind, starts_line });
                starts_line = false;
            } else if lexer::is_mark(byte) {
                let lo = (length - rest.len()) as u32;
                self.tokens.push(Token { lo, hi: lo + 1, kind: TokenKind::Mark(byte), starts_line });
                starts_line = false;
                rest = tail;
                if matches!(byte, b';' | b'{' | b'}' | b',' | b':') {
                    self.at = lo as usize + 1;
                    if self.ends(byte, &mut run) {
                        return;
                    }
                    rest = self.after(self.at);
                }
            } else if byte == b'\n' {
                starts_line = true;
                rest = tail;
            } else if byte.is_ascii_digit() {
                let lo = (length - rest.len()) as u32;
                rest = lexer::skip_number(rest);
                let hi = (length - rest.len()) as u32;
                self.tokens.push(Token { lo, hi, kind: TokenKind::Number, starts_line });
                starts_line = false;
            } else {
                self.at = length - rest.len();
                let token = match byte {
                    b'.' => self.token(rest, starts_line),
                    _ => self.lex(starts_line),
                };
                if self.add(token, &mut run) {
                    return;
                }
                rest = self.after(self.at);
                starts_line = false;
            }
        }
        self.at = length;
        let end = length as u32;
        self.tokens.push(Token { lo: end, hi: end, kind: TokenKind::End, starts_line });
    }

    /// Whether the run ends with this punctuation character, its last token. A table after the character is read too.
    #[inline]
    fn ends(&mut self, mark: u8, run: &mut Run) -> bool {
        match mark {
            // The semicolon of a `.pragma` in the head of a kernel does not end the head.
            b';' => !std::mem::take(&mut run.in_pragma),
            b'{' | b'}' if self.tokens.len() == 1 => true,
            // A label, unless a directive may follow.
            b':' if self.tokens.len() == 2 => {
                let next = self.after(self.at).iter().find(|byte| !byte.is_ascii_whitespace());
                !matches!(next, None | Some(b'.' | b'/' | b'#'))
            }
            // The body of a function.
            b'{' if run.declares && !run.assigns => true,
            b'{' | b',' if run.assigns => {
                self.table();
                false
            }
            _ => false,
        }
    }

    /// Adds a token to the run, and returns whether the run ends.
    fn add(&mut self, token: Token, run: &mut Run) -> bool {
        let is_first = self.tokens.is_empty();
        let is_brace = |before: &Token| matches!(before.kind, TokenKind::Mark(b'{' | b'}'));
        let begins = self.tokens.last().is_none_or(is_brace);
        match token.kind {
            TokenKind::Directive => match self.text(&token) {
                // These can only begin a statement, and it does not end with a semicolon.
                ".loc" | ".file" | ".section" | ".version" | ".target" | ".address_size" if !is_first => {
                    self.lookahead = Some(token);
                    return true;
                }
                ".section" => {
                    self.tokens.push(token);
                    self.section();
                    return true;
                }
                ".pragma" if !is_first => run.in_pragma = true,
                ".loc" => {}
                _ => run.declares |= begins,
            },
            TokenKind::DwarfLine if !is_first => {
                self.lookahead = Some(token);
                return true;
            }
            TokenKind::Mark(b'=') => run.assigns = true,
            _ => {}
        }
        self.tokens.push(token);
        match token.kind {
            TokenKind::DwarfLine | TokenKind::End => true,
            // Punctuation characters after a comment, which `fill` reads with `lex`.
            TokenKind::Mark(mark) => self.ends(mark, run),
            _ => false,
        }
    }

    /// Reads two or more elements of a list that form a table as one token.
    fn table(&mut self) {
        let rest = self.after(self.at);
        let blanks = rest.iter().take_while(|byte| lexer::is_blank(**byte) || **byte == b'\n').count();
        let Some(list) = rest.get(blanks..) else { return };
        if let Some(length) = lexer::table(list) {
            let lo = self.at + blanks;
            self.at = lo + length;
            let starts_line = rest.iter().take(blanks).any(|byte| *byte == b'\n');
            self.tokens.push(token(TokenKind::Table, lo, self.at, starts_line));
        }
    }

    /// Reads the rest of a `.section`: its name, and the lines between braces as one token.
    fn section(&mut self) {
        for _ in 0..2 {
            let token = self.lex(false);
            self.tokens.push(token);
            match token.kind {
                TokenKind::End => return,
                TokenKind::Mark(b'{') => break,
                _ => {}
            }
        }
        if self.tokens.last().is_none_or(|token| token.kind != TokenKind::Mark(b'{')) {
            return;
        }
        let rest = self.after(self.at);
        let (kind, length) = match lexer::section(rest) {
            Some(length) => (TokenKind::Lines, length),
            None => (TokenKind::Bad(Fault::Section), rest.len()),
        };
        let lo = self.at;
        self.at += length;
        self.tokens.push(token(kind, lo, self.at, false));
        if kind == TokenKind::Lines {
            let brace = self.lex(false);
            self.tokens.push(brace);
        }
    }

    #[inline]
    fn after(&self, offset: usize) -> &'s [u8] {
        &self.source.text.as_bytes()[offset..]
    }

    /// Reads a token, and the comments before it.
    fn lex(&mut self, starts_line: bool) -> Token {
        let mut starts_line = starts_line;
        let mut rest = self.after(self.at);
        loop {
            match rest {
                [b'\n', tail @ ..] => {
                    starts_line = true;
                    rest = tail;
                }
                [byte, tail @ ..] if lexer::is_blank(*byte) => rest = tail,
                [b'/', b'/' | b'*', ..] | [b'#' | 0, ..] => {
                    self.at = self.source.text.len() - rest.len();
                    match self.skip_comment(rest, &mut starts_line) {
                        Ok(true) => rest = self.after(self.at),
                        Ok(false) => break,
                        Err(token) => return token,
                    }
                }
                _ => break,
            }
        }
        self.token(rest, starts_line)
    }

    /// Skips a comment or the padding at the end. Returns `false` if there is neither.
    #[cold]
    fn skip_comment(&mut self, rest: &'s [u8], starts_line: &mut bool) -> Result<bool, Token> {
        let comment = match rest {
            [b'#', ..] => lexer::line_marker(rest),
            [b'/', b'/', ..] => lexer::line(rest).ok().map(|(_, text)| text),
            [b'/', b'*', ..] => match lexer::block_comment(rest) {
                Ok((_, text)) => Some(text),
                Err(_) => {
                    self.unterminated_comment = true;
                    return Err(self.bad(Fault::Comment, rest.len(), *starts_line));
                }
            },
            _ if self.at >= self.padding => {
                self.at = self.source.text.len();
                return Ok(true);
            }
            _ => None,
        };
        let Some(text) = comment else { return Ok(false) };
        if self.kept == Comments::Kept {
            let length = text.strip_suffix(b"\r").unwrap_or(text).len();
            let span = Span::new(self.at as u32, (self.at + length) as u32);
            self.comments.push_back(Comment { span, starts_line: *starts_line });
        }
        *starts_line |= memchr::memchr(b'\n', text).is_some();
        self.at += text.len();
        Ok(true)
    }

    /// Reads the token at the start of `rest`, which extends to the end of the text.
    #[inline]
    fn token(&mut self, rest: &'s [u8], starts_line: bool) -> Token {
        let length = self.source.text.len();
        let lo = length - rest.len();
        self.at = lo;
        let (tail, lexeme) = match lexer::token(rest) {
            Ok(found) => found,
            Err(_) if rest.is_empty() => return token(TokenKind::End, lo, lo, starts_line),
            Err(nom::Err::Failure(fault @ Fault::Quote)) => {
                let length = lexer::line(rest).map_or(rest.len(), |(_, line)| line.len());
                return self.bad(fault, length, starts_line);
            }
            Err(_) => return self.bad(Fault::Byte, lexer::bad_run(rest), starts_line),
        };
        self.at = length - tail.len();
        let kind = match lexeme {
            Lexeme::Ident if tail.first() == Some(&b'.') => {
                if let Ok((rest, _)) = lexer::modifiers(tail) {
                    self.at = length - rest.len();
                }
                TokenKind::Dotted
            }
            Lexeme::Ident => TokenKind::Ident,
            Lexeme::Mark(b'@') if rest.starts_with(b"@@DWARF") => {
                let line = lexer::line(rest).map_or(rest, |(_, line)| line);
                self.at = lo + line.len();
                return token(TokenKind::DwarfLine, lo, lo + line.trim_ascii_end().len(), starts_line);
            }
            Lexeme::Mark(mark) => TokenKind::Mark(mark),
            Lexeme::Number => TokenKind::Number,
            Lexeme::Directive => TokenKind::Directive,
            Lexeme::Text => TokenKind::Text,
            Lexeme::Operator(bytes) => TokenKind::Operator(bytes),
        };
        token(kind, lo, self.at, starts_line)
    }

    #[cold]
    fn bad(&mut self, fault: Fault, length: usize, starts_line: bool) -> Token {
        let lo = self.at;
        self.at += length;
        token(TokenKind::Bad(fault), lo, self.at, starts_line)
    }
}

/// The state of the run that is being read.
#[derive(Default)]
struct Run {
    /// Whether it begins with a directive, in which a name ends before a dot: `.target sm_80.address_size 64`.
    declares: bool,
    /// Whether it has a `=`, after which numbers are tables.
    assigns: bool,
    /// Whether the next semicolon is that of a `.pragma` in the head of a kernel.
    in_pragma: bool,
}

#[inline]
fn token(kind: TokenKind, lo: usize, hi: usize, starts_line: bool) -> Token {
    Token { lo: lo as u32, hi: hi as u32, kind, starts_line }
}
