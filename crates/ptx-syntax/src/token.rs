//! Tokens, and the run of them that the grammar works on: nom's input.

use std::iter::{Copied, Enumerate};
use std::slice::Iter;

use nom::{Input, Needed};
use ptx_diag::Span;

use crate::lexer::Fault;
use crate::syntax::Spare;

/// What a token is; its text is in [`Token::text`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name (manual 4.4), with its `%`, `$` or `_`.
    Ident,
    /// A name with words after dots: a mnemonic with modifiers, or a register with its component.
    Dotted,
    /// A word after a dot, with the words after `::`.
    Directive,
    /// A number.
    Number,
    /// Two or more numbers with commas between them, in an initializer.
    Numbers,
    /// A string with its quotes.
    Text,
    /// What is between the braces of a `.section`.
    Lines,
    /// A whole line of `@@DWARF`.
    DwarfLine,
    /// A punctuation character.
    Mark(u8),
    /// An operator of two characters.
    Operator([u8; 2]),
    /// Bytes that are no token.
    Bad(Fault),
    /// The end of the input.
    End,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    /// The token as written.
    pub(crate) text: &'s str,
    /// The offset of its first byte.
    pub(crate) lo: u32,
    pub(crate) kind: TokenKind,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

impl<'s> Token<'s> {
    /// The offset of the byte after it.
    pub(crate) fn hi(&self) -> u32 {
        self.lo + self.text.len() as u32
    }

    pub(crate) fn span(&self) -> Span {
        Span::new(self.lo, self.hi())
    }

    /// The word of a directive, without its dot.
    pub(crate) fn directive(&self) -> Option<&'s str> {
        if self.kind == TokenKind::Directive { self.text.strip_prefix('.') } else { None }
    }
}

/// The tokens that are still to be parsed.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'a, 's> {
    pub(crate) rest: &'a [Token<'s>],
    /// Memory of operand lists that were parsed before.
    pub(crate) spare: &'a Spare<'s>,
}

impl<'a, 's> Tokens<'a, 's> {
    /// The next token.
    #[inline]
    pub(crate) fn first(&self) -> Option<&'a Token<'s>> {
        self.rest.first()
    }

    /// What the next token is.
    #[inline]
    pub(crate) fn kind(&self) -> TokenKind {
        match self.rest {
            [token, ..] => token.kind,
            [] => TokenKind::End,
        }
    }

    /// Whether the next token is this character.
    #[inline]
    pub(crate) fn is_mark(&self, mark: u8) -> bool {
        matches!(self.rest, [token, ..] if token.kind == TokenKind::Mark(mark))
    }

    /// Whether the next token is this directive, which is written without its dot.
    pub(crate) fn is_directive(&self, word: &str) -> bool {
        self.first().is_some_and(|token| token.directive() == Some(word))
    }

    /// The tokens after the next one.
    #[inline]
    pub(crate) fn skip(self) -> Self {
        Self { rest: self.rest.split_first().map_or(&[], |(_, rest)| rest), ..self }
    }

    /// From the next token to the last one before `end`.
    pub(crate) fn span_to(self, end: Tokens<'a, 's>) -> Span {
        let count = self.rest.len().saturating_sub(end.rest.len());
        match self.rest.get(..count) {
            Some([first, .., last]) => first.span().to(last.span()),
            Some([only]) => only.span(),
            // Nothing was taken: the place is before the next token.
            Some([]) | None => self.first().map_or(Span::default(), |token| Span::new(token.lo, token.lo)),
        }
    }
}

impl<'a, 's> Input for Tokens<'a, 's> {
    type Item = Token<'s>;
    type Iter = Copied<Iter<'a, Token<'s>>>;
    type IterIndices = Enumerate<Self::Iter>;

    fn input_len(&self) -> usize {
        self.rest.len()
    }

    fn take(&self, index: usize) -> Self {
        Self { rest: self.rest.split_at(index).0, ..*self }
    }

    fn take_from(&self, index: usize) -> Self {
        Self { rest: self.rest.split_at(index).1, ..*self }
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P: Fn(Self::Item) -> bool>(&self, predicate: P) -> Option<usize> {
        self.rest.iter().position(|token| predicate(*token))
    }

    fn iter_elements(&self) -> Self::Iter {
        self.rest.iter().copied()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        if count <= self.rest.len() { Ok(count) } else { Err(Needed::new(count - self.rest.len())) }
    }
}
