//! What the code of a function tells DWARF.

use ptx_llvm_core::view::{LocationId, MetadataId};

use crate::entry::ExpressionPart;
use crate::scope::ScopeKey;

/// What the code of one function is to DWARF.
#[derive(Debug)]
pub struct FunctionTrace {
    /// Its `DISubprogram`.
    pub subprogram: MetadataId,
    /// The scopes that have code, each with the labels around it; the function is among them.
    pub scopes: Vec<(ScopeKey, (String, String))>,
    /// The variables that its debug records name.
    pub variables: Vec<TracedVariable>,
}

/// A variable of the source and where it is.
#[derive(Debug)]
pub struct TracedVariable {
    /// Its `DILocalVariable`.
    pub variable: MetadataId,
    /// The call that its scope was inlined at.
    pub inlined_at: Option<LocationId>,
    /// Where it is.
    pub location: VariableLocation,
}

/// Where a variable is.
#[derive(Debug)]
pub enum VariableLocation {
    /// Nowhere: it was optimized out.
    Nowhere,
    /// At one location in all of its scope.
    Everywhere(LocationDescription),
    /// Between labels: the first, the one after, and the expression.
    Ranges(Vec<(String, String, Vec<ExpressionPart>)>),
}

/// An expression and the class of the address that it gives.
#[derive(Debug)]
pub struct LocationDescription {
    /// The expression.
    pub parts: Vec<ExpressionPart>,
    /// The class of the address.
    pub class: u64,
}
