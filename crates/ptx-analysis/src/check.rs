//! The diagnostics of a document.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_syntax::Comments;

/// Parses and verifies a text. The verifier is only asked about a text without syntax errors.
///
/// ```
/// let found = ptx_analysis::check(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { frob; }");
/// assert_eq!(found.error_count(), 1);
/// ```
pub fn check(text: &str) -> Diagnostics {
    let source = SourceFile::new("document", text);
    let (module, mut diagnostics) = ptx_syntax::parse_with(&source, Comments::Dropped);
    if !diagnostics.has_errors() {
        diagnostics.append(match ptx_verify::verify(&module) {
            Ok((_, warnings)) => warnings,
            Err(findings) => findings,
        });
    }
    diagnostics
}
