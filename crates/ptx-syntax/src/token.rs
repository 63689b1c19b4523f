//! Tokens, and the run of them that the grammar works on: nom's input.

use std::iter::{Copied, Enumerate};
use std::slice::Iter;

use nom::{Input, Needed};
use ptx_diag::Span;

use crate::lexer::Fault;
use crate::tree::{Name, Spare};

/// The kind of a token.
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
    /// Two or more elements of an initializer that are numbers, addresses without `generic`, or lists of these.
    Table,
    /// A string with its quotes.
    Text,
    /// The text between the braces of a `.section`.
    Lines,
    /// A whole line of `@@DWARF`.
    DwarfLine,
    /// A punctuation character.
    Mark(u8),
    /// An operator of two characters.
    Operator([u8; 2]),
    /// Bytes that form no token.
    Bad(Fault),
    /// The end of the input.
    End,
}

/// A token and its position; [`Text::of`] returns its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The offset of its first byte.
    pub(crate) lo: u32,
    /// The offset of the byte after it.
    pub(crate) hi: u32,
    pub(crate) kind: TokenKind,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

impl Token {
    #[inline]
    pub(crate) fn span(&self) -> Span {
        Span::new(self.lo, self.hi)
    }
}

/// The text that contains the tokens.
#[derive(Clone, Copy)]
pub(crate) struct Text<'s>(pub(crate) &'s str);

impl<'s> Text<'s> {
    /// A token as written.
    #[inline]
    pub(crate) fn of(self, token: &Token) -> &'s str {
        let text = self.0.get(token.lo as usize..token.hi as usize);
        debug_assert!(text.is_some(), "a token ends within a character");
        // Default: as asserted.
        text.unwrap_or_default()
    }

    /// The word of a directive, without its dot.
    pub(crate) fn directive(self, token: &Token) -> Option<&'s str> {
        if token.kind == TokenKind::Directive { self.of(token).strip_prefix('.') } else { None }
    }
}

/// The context shared by all tokens of a run.
pub(crate) struct Context<'s> {
    pub(crate) text: Text<'s>,
    /// Memory of operand lists that were parsed before.
    pub(crate) spare: Spare<'s>,
}

/// The tokens that are still to be parsed.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'a, 's> {
    pub(crate) rest: &'a [Token],
    pub(crate) context: &'a Context<'s>,
}

impl<'a, 's> Tokens<'a, 's> {
    /// The next token.
    #[inline]
    pub(crate) fn first(&self) -> Option<&'a Token> {
        self.rest.first()
    }

    /// The kind of the next token.
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

    /// A token as written.
    #[inline]
    pub(crate) fn text(&self, token: &Token) -> &'s str {
        self.context.text.of(token)
    }

    /// A token as a name.
    #[inline]
    pub(crate) fn name(&self, token: &Token) -> Name<'s> {
        Name { text: self.text(token), span: token.span() }
    }

    /// The word of a directive, without its dot.
    pub(crate) fn directive(&self, token: &Token) -> Option<&'s str> {
        self.context.text.directive(token)
    }

    /// Whether the next token is this directive, which is written without its dot.
    pub(crate) fn is_directive(&self, word: &str) -> bool {
        self.first().is_some_and(|token| self.directive(token) == Some(word))
    }

    /// Whether a token is `WARP_SZ`.
    pub(crate) fn is_warp_size(&self, token: &Token) -> bool {
        token.kind == TokenKind::Ident && self.text(token) == "WARP_SZ"
    }

    /// The tokens after the next one.
    #[inline]
    pub(crate) fn skip(self) -> Self {
        match self.rest {
            [_, rest @ ..] => Self { rest, ..self },
            [] => self,
        }
    }

    /// From the next token to the last one before `end`.
    pub(crate) fn span_to(self, end: Tokens<'a, 's>) -> Span {
        let count = self.rest.len().saturating_sub(end.rest.len());
        match (self.rest.get(..count), self.rest) {
            (Some([first, .., last]), _) => first.span().to(last.span()),
            // One token, or none: then the span is empty and before the next token.
            (_, [next, ..]) => Span::new(next.lo, if count == 1 { next.hi } else { next.lo }),
            (_, []) => Span::default(),
        }
    }
}

impl<'a, 's> Input for Tokens<'a, 's> {
    type Item = Token;
    type Iter = Copied<Iter<'a, Token>>;
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
