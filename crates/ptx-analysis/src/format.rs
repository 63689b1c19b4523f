//! Formatting: the blanks and line ends between the words of a document.
//!
//! The layout is that of the printer (`ptx_ir::print`), which resembles `nvcc`'s. Words, their order, comments, tables and the lines of sections stay
//! as they are, so that the text means the same; statements that cannot be parsed stay as they are with the blanks around them.
//!
//! ```text
//! before:  @%p1   add.s32 %r1,%r2 , -7;ret;   // done
//! after:       @%p1 add.s32      %r1, %r2, -7;
//!              ret; // done
//! ```

mod layout;

use ptx_diag::Span;
use ptx_syntax::syntax::{Element, ElementKind, elements};

use crate::document::Document;
use layout::Layout;

/// A replacement of a part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The part.
    pub span: Span,
    /// The text in its place.
    pub text: String,
}

/// The formatted text.
pub fn format(document: &Document) -> String {
    let mut out = String::with_capacity(document.text().len());
    let mut reached = 0;
    for edit in format_edits(document) {
        out.push_str(document.slice(Span::new(reached, edit.span.lo)));
        out.push_str(&edit.text);
        reached = edit.span.hi;
    }
    out.push_str(document.slice(Span::new(reached, document.text().len() as u32)));
    out
}

/// The edits that format a document, in order: each replaces what is between two words.
pub fn format_edits(document: &Document) -> Vec<Edit> {
    let mut layout = Layout::new(document);
    let mut edits = Vec::new();
    let mut before: Option<Element> = None;
    let mut rest = elements(document.text()).peekable();
    while let Some(element) = rest.next() {
        let start = match before {
            Some(before) => before.span.hi,
            None => 0,
        };
        let gap = Span::new(start, element.span.lo);
        if let Some(text) = layout.gap(gap, before, element, rest.peek().copied())
            && document.slice(gap) != text
        {
            edits.push(Edit { span: gap, text });
        }
        before = Some(element);
    }
    // A comment or string that does not end goes on to the end of the text.
    if let Some(last) = before.filter(|last| last.kind != ElementKind::Bad) {
        let gap = Span::new(last.span.hi, document.text().len() as u32);
        // Zero bytes at the end are left.
        let is_blank = document.slice(gap).bytes().all(|byte| byte.is_ascii_whitespace());
        if is_blank && document.slice(gap) != layout.line_end() {
            edits.push(Edit { span: gap, text: layout.line_end().to_owned() });
        }
    }
    edits
}
