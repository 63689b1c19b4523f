//! The lexical elements of a text with its comments, for formatters and highlighting.

use ptx_diag::Span;

use crate::stream::{Comment, Stream};
use crate::token::{Token, TokenKind};

/// The kind of a lexical element (manual 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementKind {
    /// `// ..`, `/* .. */`, or a line marker of a preprocessor.
    Comment,
    /// A name (manual 4.4), with its `%`, `$` or `_`; also an opcode without modifiers.
    Name,
    /// A name with words after dots: a mnemonic with modifiers, or a register with its component.
    Dotted,
    /// A word after a dot, with the words after `::`: a directive, a type, or a modifier after a blank.
    Directive,
    /// A number.
    Number,
    /// Two or more elements of an initializer, with the commas, blanks and comments between them.
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
    Bad,
}

/// A token or a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// Where it is.
    pub span: Span,
    /// Its kind.
    pub kind: ElementKind,
}

/// The tokens and comments of a text in order. What is between them is blank.
///
/// A text of more than 4 GiB has none.
pub fn elements(text: &str) -> Elements<'_> {
    let readable = if u32::try_from(text.len()).is_ok() { text } else { "" };
    Elements { stream: Stream::new(readable.into()), comments: Vec::new().into_iter() }
}

/// The iterator of [`elements`].
pub struct Elements<'s> {
    stream: Stream<'s>,
    /// Comments before the next token.
    comments: std::vec::IntoIter<Comment>,
}

impl Iterator for Elements<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        if let Some(comment) = self.comments.next() {
            return Some(Element { span: comment.span, kind: ElementKind::Comment });
        }
        let token = self.stream.peek();
        if self.stream.has_comments_before(token.lo) || self.has_comments_at_end(token) {
            let offset = if token.kind == TokenKind::End { u32::MAX } else { token.lo };
            self.comments = self.stream.comments_before(offset).into_iter();
            return self.next();
        }
        let kind = kind_of(token.kind)?;
        self.stream.advance();
        Some(Element { span: token.span(), kind })
    }
}

impl Elements<'_> {
    fn has_comments_at_end(&self, token: Token) -> bool {
        token.kind == TokenKind::End && self.stream.has_comments_before(u32::MAX)
    }
}

/// The kind of a token; `None` at the end.
fn kind_of(kind: TokenKind) -> Option<ElementKind> {
    Some(match kind {
        TokenKind::Ident => ElementKind::Name,
        TokenKind::Dotted => ElementKind::Dotted,
        TokenKind::Directive => ElementKind::Directive,
        TokenKind::Number => ElementKind::Number,
        TokenKind::Table => ElementKind::Table,
        TokenKind::Text => ElementKind::Text,
        TokenKind::Lines => ElementKind::Lines,
        TokenKind::DwarfLine => ElementKind::DwarfLine,
        TokenKind::Mark(mark) => ElementKind::Mark(mark),
        TokenKind::Operator(bytes) => ElementKind::Operator(bytes),
        TokenKind::Bad(_) => ElementKind::Bad,
        TokenKind::End => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(&str, ElementKind)> {
        let text_of = |element: Element| &text[element.span.lo as usize..element.span.hi as usize];
        elements(text).map(|element| (text_of(element), element.kind)).collect()
    }

    #[test]
    fn comments_are_between_the_tokens() {
        let found = texts("// a\n@%p add.s32 %r1 /* b */, 2; // c\n");
        let names: Vec<&str> = found.iter().map(|(text, _)| *text).collect();
        assert_eq!(names, ["// a", "@", "%p", "add.s32", "%r1", "/* b */", ",", "2", ";", "// c"]);
        assert_eq!(found.iter().filter(|(_, kind)| *kind == ElementKind::Comment).count(), 3);
    }

    #[test]
    fn nothing_but_blanks_is_between_the_elements() {
        for text in [
            ".global .b8 t[3] = {1, /* one */ 2,\n 3};\n# 1 \"a.cu\"\n",
            ".section .debug_abbrev { .b8 1 // x }\n }\n@@DWARF .byte 1\n/* open",
            "é \u{0} \"open\n`x` ;; }{",
        ] {
            let mut rest = text.to_owned();
            let found: Vec<Element> = elements(text).collect();
            assert!(found.windows(2).all(|pair| pair[0].span.hi <= pair[1].span.lo), "{text}");
            for element in found.iter().rev() {
                rest.replace_range(element.span.lo as usize..element.span.hi as usize, "");
            }
            assert_eq!(rest.trim(), "", "{text}");
        }
    }
}
