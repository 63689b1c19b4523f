//! Parts of a text.

use ptx_diag::Span;

/// The text of a span.
pub(crate) fn slice(text: &str, span: Span) -> &str {
    let found = text.get(span.lo as usize..span.hi as usize);
    debug_assert!(found.is_some(), "a span outside of the text");
    // Default: as asserted.
    found.unwrap_or_default()
}
