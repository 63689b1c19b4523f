//! The parts of a document that an editor can fold.

use ptx_diag::Span;
use ptx_syntax::syntax::{ElementKind, elements};

use crate::document::Document;

/// What is folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    /// Comments.
    Comment,
    /// Braces, a list of parameters or a table.
    Region,
}

/// A part of a document of more than one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The kind.
    pub kind: FoldKind,
    /// The part.
    pub span: Span,
}

/// The parts that can be folded: bodies, blocks, sections, lists of parameters, tables, and comments on consecutive lines.
pub fn folds(document: &Document) -> Vec<Fold> {
    let mut found = Vec::new();
    let mut opened: Vec<u32> = Vec::new();
    let mut comments: Option<Span> = None;
    let mut comment_line = 0;
    for element in elements(document.text()) {
        let Span { lo, hi } = element.span;
        if element.kind == ElementKind::Comment {
            let line = document.line_of(lo);
            comments = match comments {
                Some(before) if line <= comment_line + 1 => Some(before.to(element.span)),
                Some(before) => {
                    found.push(Fold { kind: FoldKind::Comment, span: before });
                    Some(element.span)
                }
                None => Some(element.span),
            };
            comment_line = document.line_of(hi);
            continue;
        }
        // Comments at the ends of lines of code are not together.
        if let Some(span) = comments.take() {
            found.push(Fold { kind: FoldKind::Comment, span });
        }
        match element.kind {
            ElementKind::Mark(b'{' | b'(') => opened.push(lo),
            ElementKind::Mark(b'}' | b')') => {
                let span = opened.pop().map(|open| Span::new(open, hi));
                found.extend(span.map(|span| Fold { kind: FoldKind::Region, span }));
            }
            _ => {}
        }
    }
    found.extend(comments.map(|span| Fold { kind: FoldKind::Comment, span }));
    found.retain(|fold| document.line_of(fold.span.lo) < document.line_of(fold.span.hi));
    found.sort_by_key(|fold| fold.span);
    found
}
