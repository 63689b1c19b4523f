//! Between the protocol's types and ours.

use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
    SymbolKind as Kind, TextEdit, Uri,
};
use ptx_analysis::{Document, Edit, Encoding, Positions, SymbolKind};
use ptx_demangle::demangled_finding;
use ptx_diag::{Diagnostic, Diagnostics, Severity, Span};

pub fn own(position: Position) -> ptx_analysis::Position {
    ptx_analysis::Position { line: position.line, column: position.character }
}

pub fn range(positions: &mut Positions<'_>, span: Span) -> Range {
    let at = |position: ptx_analysis::Position| Position { line: position.line, character: position.column };
    Range { start: at(positions.at(span.lo)), end: at(positions.at(span.hi.max(span.lo))) }
}

/// Edits as the protocol has them.
pub fn edits(document: &Document, encoding: Encoding, edits: Vec<Edit>) -> Vec<TextEdit> {
    let mut positions = document.positions(encoding);
    let edit = |edit: Edit| TextEdit { range: range(&mut positions, edit.span), new_text: edit.text };
    edits.into_iter().map(edit).collect()
}

pub fn symbol_kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Kernel => Kind::EVENT,
        SymbolKind::Function => Kind::FUNCTION,
        SymbolKind::Variable => Kind::VARIABLE,
        SymbolKind::Parameter => Kind::FIELD,
        SymbolKind::Register => Kind::CONSTANT,
        SymbolKind::Label => Kind::KEY,
        SymbolKind::Targets => Kind::ENUM,
    }
}

/// The diagnostics of a document.
pub fn diagnostics(
    document: &Document,
    uri: &Uri,
    encoding: Encoding,
    found: &Diagnostics,
) -> Vec<lsp_types::Diagnostic> {
    let mut positions = document.positions(encoding);
    found.iter().map(|one| diagnostic(&mut positions, uri, one)).collect()
}

/// Where a diagnostic is shown.
pub fn place(one: &Diagnostic) -> Span {
    // Default: what concerns the input as a whole is shown at its start.
    one.span.unwrap_or_default()
}

pub fn diagnostic(positions: &mut Positions<'_>, uri: &Uri, one: &Diagnostic) -> lsp_types::Diagnostic {
    let one = &demangled_finding(one.clone());
    let range_of = range(positions, place(one));
    let mut message = one.message.clone();
    if let Some(label) = one.label.as_deref().filter(|label| !message.contains(label)) {
        message = format!("{message}\n{label}");
    }
    if let Some(help) = &one.help {
        message = format!("{message}\nhelp: {help}");
    }
    let related = one.related.iter().map(|label| DiagnosticRelatedInformation {
        location: Location { uri: uri.clone(), range: range(positions, label.span) },
        message: label.text.clone(),
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    lsp_types::Diagnostic {
        range: range_of,
        severity: Some(match one.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(one.code.0.to_owned())),
        source: Some("ptx".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    }
}
