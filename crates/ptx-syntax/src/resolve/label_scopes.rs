//! The labels of the function being read: where each open scope has defined and used them.

use std::borrow::Cow;

use ptx_diag::Span;
use ptx_ir::LabelId;
use rustc_hash::FxHashMap;

/// A label of one scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownLabel {
    pub(crate) id: LabelId,
    /// Where it is, once it was met.
    pub(crate) defined: Option<Span>,
    /// Where it was first used.
    pub(crate) used: Span,
}

/// The labels of the open scopes of a function.
#[derive(Default)]
pub(crate) struct Labels<'s> {
    /// By name; those of ranges (`L<4>`) are not in the text.
    pub(crate) scopes: Vec<FxHashMap<Cow<'s, str>, KnownLabel>>,
    /// Uses in order, per scope, so that findings come in the order of the text.
    pub(crate) waiting: Vec<Vec<Cow<'s, str>>>,
    /// Labels that turned out to be those of an outer scope.
    pub(crate) merged: Vec<(LabelId, LabelId)>,
}
