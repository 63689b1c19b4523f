//! The form for people, drawn by annotate-snippets.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::excerpt::{Excerpt, excerpt};
use super::{Color, MAX_SHOWN, numbers};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::source::{Position, SourceFile, Span};

pub(super) fn render(source: &SourceFile, diagnostics: &Diagnostics, color: Color) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let renderer = renderer(color);
    let shown = choose_shown(diagnostics);
    let mut positions =
        source.positions(&shown.iter().flat_map(|d| places(d)).collect::<Vec<_>>()).into_iter();
    let mut out = String::new();
    for diagnostic in &shown {
        let own: Vec<Position> = positions.by_ref().take(places(diagnostic).count()).collect();
        out.push_str(&renderer.render(&[group(source, diagnostic, &own)]));
        out.push_str("\n\n");
    }
    out.push_str(&summary(diagnostics, diagnostics.len() - shown.len()));
    out
}

/// One diagnostic.
pub(super) fn render_one(source: &SourceFile, diagnostic: &Diagnostic, color: Color) -> String {
    let positions = source.positions(&places(diagnostic).collect::<Vec<_>>());
    renderer(color).render(&[group(source, diagnostic, &positions)])
}

fn renderer(color: Color) -> Renderer {
    let renderer = match color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    renderer.decor_style(DecorStyle::Ascii)
}

/// All diagnostics, or [`MAX_SHOWN`] of them with errors preferred, in their order.
fn choose_shown(diagnostics: &Diagnostics) -> Vec<&Diagnostic> {
    let mut others = MAX_SHOWN.saturating_sub(diagnostics.error_count());
    let mut errors = MAX_SHOWN;
    diagnostics
        .iter()
        .filter(|d| {
            let left = if d.severity == Severity::Error { &mut errors } else { &mut others };
            let chosen = *left > 0;
            *left = left.saturating_sub(1);
            chosen
        })
        .collect()
}

/// The offsets of a diagnostic's location and of the related ones.
fn places(diagnostic: &Diagnostic) -> impl Iterator<Item = u32> {
    let related = diagnostic.related.iter().map(|label| label.span.lo);
    diagnostic.span.map(|span| span.lo).into_iter().chain(related)
}

/// One diagnostic; `positions` are those of [`places`].
fn group<'a>(source: &'a SourceFile, diagnostic: &'a Diagnostic, positions: &[Position]) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.0);
    let mut group = Group::with_title(title);
    let mut positions = positions.iter().copied();
    match diagnostic.span.zip(diagnostic.span.and_then(|_| positions.next())) {
        Some((span, position)) => {
            let label = diagnostic.label.as_deref();
            group = push_place(group, source, span, position, AnnotationKind::Primary, label);
        }
        None => group = group.element(Origin::path(source.name())),
    }
    for (related, position) in diagnostic.related.iter().zip(positions) {
        let label = Some(related.text.as_str());
        group = push_place(group, source, related.span, position, AnnotationKind::Context, label);
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// Adds `--> file:line:column` and the source line with the location underlined.
fn push_place<'a>(
    group: Group<'a>,
    source: &'a SourceFile,
    span: Span,
    position: Position,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Group<'a> {
    let line = position.line as usize;
    match excerpt(source, span, position.line) {
        Excerpt::Line(text, place) => group.element(
            Snippet::source(text)
                .path(source.name())
                .line_start(line)
                .annotation(kind.span(place).label(label)),
        ),
        Excerpt::Piece(text) => {
            let origin = Origin::path(source.name()).line(line).char_column(position.column as usize);
            // Default: a location without a label has no remark.
            let remark = label.map(|label| format!(": {label}")).unwrap_or_default();
            group.element(origin).element(Level::NOTE.message(format!("near `{text}`{remark}")))
        }
    }
}

/// The last line: the numbers of diagnostics, and of those that were not shown.
fn summary(diagnostics: &Diagnostics, hidden: usize) -> String {
    let counts = numbers(diagnostics.iter().map(|diagnostic| diagnostic.severity));
    if hidden == 0 { format!("{counts}\n") } else { format!("... and {hidden} more\n{counts}\n") }
}
