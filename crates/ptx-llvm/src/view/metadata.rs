//! Metadata and debug locations.

use super::constant::ConstId;
use super::id;

id! {
    /// A piece of metadata; equal ids mean the same piece.
    MetadataId
}
id! {
    /// A place in the source.
    LocationId
}
id! {
    /// A source file.
    FileId
}

/// A piece of metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Metadata {
    /// `!"text"`.
    String(String),
    /// `!{..}`; `null` operands are `None`. Nodes can be cyclic.
    Node(Box<[Option<MetadataId>]>),
    /// A constant.
    Constant(ConstId),
    /// A node of the debug information, or a value of a function; nothing PTX needs.
    Other,
}

/// The kinds of metadata on instructions, functions and globals, by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MetadataKind {
    /// A kind this crate registers a name for, see [`MetadataKind::REGISTERED`].
    Named(&'static str),
    /// Any other, by LLVM's number, which holds within one context.
    Number(u32),
}

impl MetadataKind {
    /// The kinds instruction selection reads. `ptx.*` are this project's own; docs/mapping.md says what they hold.
    pub const REGISTERED: &'static [&'static str] = &[
        "invariant.load",
        "nontemporal",
        "range",
        "noundef",
        "nonnull",
        "tbaa",
        "alias.scope",
        "noalias",
        "llvm.loop",
        "unpredictable",
        "fpmath",
        "prof",
        "srcloc",
        "associated",
        "absolute_symbol",
        "reqd_work_group_size",
        "maxntid",
        "callees",
        "ptx.debug",
        "ptx.fields",
        "ptx.guard",
        "ptx.inst",
        "ptx.literal",
        "ptx.mods",
        "ptx.pragma",
        "ptx.scope",
        "ptx.unified",
    ];

    /// Whether this is the kind `name`.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, MetadataKind::Named(own) if *own == name)
    }
}

/// Where the source file of a debug location is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourcePath {
    /// The directory the name is relative to; may be empty.
    pub directory: String,
    /// The file's name.
    pub name: String,
}

/// A `DILocation`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugLocation {
    /// The file its scope is in, when that says one.
    pub file: Option<FileId>,
    /// Line, from 1; 0 when the code has no line.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The call this code was inlined at.
    pub inlined_at: Option<LocationId>,
    /// The linkage name of the function the code is of, else its name; `None` where it has neither.
    pub function: Option<String>,
}
