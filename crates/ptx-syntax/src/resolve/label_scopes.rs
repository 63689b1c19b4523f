//! The labels of the function being read: where each open scope has defined and used them.

use std::borrow::Cow;

use ptx_diag::Span;
use ptx_ir::LabelId;
use rustc_hash::FxHashMap;

/// A label of one scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownLabel {
    pub(crate) id: LabelId,
    /// Where it is defined, if its definition was read.
    pub(crate) defined: Option<Span>,
    /// Where it was first used.
    pub(crate) used: Span,
}

/// The labels of the open scopes of a function.
#[derive(Default)]
pub(crate) struct Labels<'s> {
    /// By name; those of ranges (`L<4>`) are not in the text.
    pub(crate) scopes: Vec<FxHashMap<Cow<'s, str>, KnownLabel>>,
    /// The labels used in each scope, in order, so that diagnostics are in the order of the text.
    pub(crate) used: Vec<Vec<Cow<'s, str>>>,
    /// Labels that are those of an outer scope, with the labels that replace them.
    pub(crate) merged: Vec<(LabelId, LabelId)>,
}
