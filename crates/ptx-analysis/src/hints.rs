//! The first version of PTX and the targets that a line needs.

use ptx_isa::{Since, version_text};

use crate::document::Document;
use crate::index::Rows;
use crate::instruction::instruction_at;

/// What an instruction needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionHint {
    /// The end of the instruction.
    pub offset: u32,
    /// The version and targets, such as `PTX 7.0, sm_80`.
    pub text: String,
}

/// The versions that the instructions between two offsets need, except those that every version of PTX has.
pub fn version_hints(document: &Document, lo: u32, hi: u32) -> Vec<VersionHint> {
    let statements = document.index().statements();
    let first = statements.partition_point(|one| one.span.hi < lo);
    let shown = statements.iter().skip(first).take_while(|one| one.span.lo <= hi);
    let mut rows = Rows::default();
    let hints = shown.filter_map(|extent| {
        let since = instruction_at(document, *extent, &mut rows)?.since()?;
        (since != Since::ALWAYS).then(|| VersionHint { offset: extent.span.hi, text: version_text(since) })
    });
    hints.collect()
}
