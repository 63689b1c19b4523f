//! Source positions, diagnostics and their renderers.
//!
//! A [`Diagnostic`] is one finding about one place of one input: a stable code, a sentence, a [`Span`] and, where it
//! can be said, what would be right. Stages collect them in [`Diagnostics`] and never print; only a tool renders them,
//! in human, short or JSON form.

mod code;
mod diagnostic;
mod nearest;
mod render;
mod source;

pub use code::{Code, CodeMeaning};
pub use diagnostic::{Detail, Diagnostic, Diagnostics, Label, Severity};
pub use nearest::nearest;
pub use render::{Color, Format, MAX_SHOWN, render};
pub use source::{Position, SourceFile, Span};
