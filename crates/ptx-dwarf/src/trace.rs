//! What the code of a function tells DWARF.

use ptx_llvm::view::{LocationId, MetadataId};

use super::entry::Part;
use super::scope::ScopeKey;

/// What the code of one function is to DWARF.
#[derive(Debug)]
pub(crate) struct FunctionTrace {
    /// Its `DISubprogram`.
    pub(crate) subprogram: MetadataId,
    /// The scopes that have code, each with the labels around it; the function is among them.
    pub(crate) scopes: Vec<(ScopeKey, (String, String))>,
    pub(crate) variables: Vec<TracedVariable>,
}

/// A variable of the source and where it is.
#[derive(Debug)]
pub(crate) struct TracedVariable {
    /// Its `DILocalVariable`.
    pub(crate) variable: MetadataId,
    pub(crate) inlined_at: Option<LocationId>,
    pub(crate) place: TracedPlace,
}

/// Where a variable is.
#[derive(Debug)]
pub(crate) enum TracedPlace {
    /// Nowhere: it was optimized out.
    Nowhere,
    /// At one place in all of its scope.
    Everywhere(Place),
    /// Between labels: the first, the one after, and the expression.
    Ranges(Vec<(String, String, Vec<Part>)>),
}

/// An expression and the class of the address that it gives.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) parts: Vec<Part>,
    pub(crate) class: u64,
}
