//! The contents of [`DEBUG`](crate::marks::DEBUG) and [`DEBUG_END`](crate::marks::DEBUG_END): what lowering writes there and raising reads.
//!
//! ```text
//! call void @f(), !ptx.debug !{!1, !{!2, i32 22, i32 5}, !{!3, i32 7, i32 1, !1, !2, i32 22, i32 5, i64 4}}
//! !1 = distinct !{!1, !"$L_tmp1"}
//! !2 = !DIFile(filename: "a.cu", directory: "")
//! ```
//!
//! Files and the labels that sections name are nodes, which remain different where linked modules use the same numbers and names
//! for different ones. Nothing here refers to a subprogram or a compile unit: passes that strip debug information leave this
//! metadata behind, and LLVM's verifier rejects references to a unit that is no longer listed.

use crate::build::{Metadata, Types};
use crate::view::{Constant, FileId, Metadata as Read, MetadataId, View};

/// A line, with files and labels as they are written or as they are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugLine<F, L> {
    /// A label of the code: a node from [`label`] if sections name it, else a string.
    Label(L),
    /// A `.loc`.
    Location(Location<F, L>),
}

/// A `.loc` (manual 11.5.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<F, L> {
    /// The file.
    pub file: F,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 for none.
    pub column: u32,
    /// Where the function was inlined.
    pub inlined: Option<Call<F, L>>,
}

/// `function_name label {+ offset}, inlined_at file line column`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<F, L> {
    /// The label of the function's name in a section.
    pub label: L,
    /// Bytes added to the label.
    pub offset: Option<u64>,
    /// The file of the call.
    pub file: F,
    /// The line of the call.
    pub line: u32,
    /// The column of the call.
    pub column: u32,
}

/// A label that sections name, as a node that equals no other: `distinct !{itself, !"name"}`.
pub fn label<'c>(types: Types<'c>, name: &str) -> Metadata<'c> {
    types.distinct_node(&[types.metadata_string(name)])
}

/// The name of a label that sections name; `None` for any other metadata.
pub fn label_name(view: &View, id: MetadataId) -> Option<&str> {
    let Read::Node(parts) = view.metadata(id) else { return None };
    match **parts {
        [Some(own), Some(name)] if own == id => text(view, name),
        _ => None,
    }
}

/// The text of a string.
pub(super) fn text(view: &View, id: MetadataId) -> Option<&str> {
    match view.metadata(id) {
        Read::String(text) => Some(text),
        Read::Node(_) | Read::Constant(_) | Read::File(_) | Read::Debug(_) | Read::Other => None,
    }
}

/// A number, of which the type has enough bits.
pub(super) fn number(view: &View, id: MetadataId) -> Option<u64> {
    match view.metadata(id) {
        Read::Constant(value) => match view.constant(*value) {
            Constant::Zero => Some(0),
            value => value.as_u64(),
        },
        Read::String(_) | Read::Node(_) | Read::File(_) | Read::Debug(_) | Read::Other => None,
    }
}

impl<'c> DebugLine<Metadata<'c>, Metadata<'c>> {
    /// The line as metadata.
    pub fn node(&self, types: Types<'c>) -> Metadata<'c> {
        let number = |value: u32| types.metadata_value(types.int_value(32, u64::from(value)));
        let Location { file, line, column, inlined } = match self {
            Self::Label(label) => return *label,
            Self::Location(location) => *location,
        };
        let mut parts = vec![file, number(line), number(column)];
        if let Some(Call { label, offset, file, line, column }) = inlined {
            parts.extend([label, file, number(line), number(column)]);
            parts.extend(offset.map(|offset| types.metadata_value(types.int_value(64, offset))));
        }
        types.metadata_node(&parts)
    }
}

impl DebugLine<FileId, MetadataId> {
    /// The lines of a node; what is none is passed over.
    pub fn read(view: &View, node: MetadataId) -> Vec<Self> {
        let Read::Node(parts) = view.metadata(node) else { return Vec::new() };
        parts.iter().flatten().filter_map(|&part| Self::of(view, part)).collect()
    }

    fn of(view: &View, id: MetadataId) -> Option<Self> {
        if text(view, id).is_some() || label_name(view, id).is_some() {
            return Some(Self::Label(id));
        }
        let Read::Node(parts) = view.metadata(id) else { return None };
        let parts: Vec<MetadataId> = parts.iter().copied().collect::<Option<_>>()?;
        let (&[file, line, column], call) = parts.split_first_chunk()?;
        let file = view.file_node(file)?;
        let number = |id| number(view, id).and_then(|value| u32::try_from(value).ok());
        let inlined = match *call {
            [] => None,
            [label, file, line, column, ref offset @ ..] => {
                let file = view.file_node(file)?;
                let offset = offset.first().and_then(|&offset| self::number(view, offset));
                Some(Call { label, offset, file, line: number(line)?, column: number(column)? })
            }
            _ => return None,
        };
        Some(Self::Location(Location { file, line: number(line)?, column: number(column)?, inlined }))
    }
}
