//! Source positions, diagnostics and their renderers.
//!
//! A [`Diagnostic`] is about one location of an input: it has a stable code, a message, a [`Span`] and, where
//! possible, a suggestion. Stages collect them in [`Diagnostics`] and never print; only a tool renders them,
//! in human, short or JSON form.

mod code;
mod count;
mod diagnostic;
mod finding;
mod nearest;
mod render;
mod source;

pub use code::{Code, CodeMeaning};
pub use count::{between, counted};
pub use diagnostic::{Detail, Diagnostic, Diagnostics, Fix, Label, Severity};
pub use finding::Finding;
pub use nearest::nearest;
pub use render::{Color, Format, MAX_SHOWN, numbers, render, render_one};
pub use source::{Position, SourceFile, Span};
