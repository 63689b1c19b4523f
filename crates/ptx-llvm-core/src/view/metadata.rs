//! Metadata and debug locations.

use super::id::{ConstId, FileId, InstId, LocationId, MetadataId};
use super::value::Value;
use crate::marks;

/// A piece of metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Metadata {
    /// `!"text"`.
    String(String),
    /// `!{..}`; `null` operands are `None`. Nodes can be cyclic.
    Node(Box<[Option<MetadataId>]>),
    /// A constant.
    Constant(ConstId),
    /// A `DIFile`.
    File(FileId),
    /// A node of the debug information, where a compile unit asks for DWARF (see [`super::View::compile_units`]).
    Debug(DebugNode),
    /// Any other node of the debug information, or a value of a function; nothing PTX needs.
    Other,
}

/// A specialized node of the debug information (LangRef, "Specialized Metadata Nodes"), as LLVM prints it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugNode {
    /// `DICompositeType`, `DILocalVariable`, `DIExpression` and so on.
    pub class: String,
    /// Its fields in order. What LLVM leaves out has its default value; the operations of an expression have empty keys.
    pub fields: Vec<(String, DebugField)>,
}

/// The value of a field of a [`DebugNode`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DebugField {
    /// Another piece of metadata.
    Node(MetadataId),
    /// A number; of a typed constant its value.
    Integer(i128),
    /// A text in quotes.
    Text(String),
    /// A name of LLVM's or of DWARF's: `DW_TAG_member`, `true`, `DIFlagPublic | DIFlagStaticMember`.
    Word(String),
    /// A node that is in place, an expression above all.
    Nested(DebugNode),
}

impl DebugNode {
    /// The field `key`.
    pub fn field(&self, key: &str) -> Option<&DebugField> {
        self.fields.iter().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// The node that the field `key` refers to.
    pub fn node(&self, key: &str) -> Option<MetadataId> {
        match self.field(key)? {
            DebugField::Node(id) => Some(*id),
            DebugField::Integer(_) | DebugField::Text(_) | DebugField::Word(_) | DebugField::Nested(_) => {
                None
            }
        }
    }

    /// The number in the field `key`.
    pub fn integer(&self, key: &str) -> Option<i128> {
        match self.field(key)? {
            DebugField::Integer(value) => Some(*value),
            DebugField::Node(_) | DebugField::Text(_) | DebugField::Word(_) | DebugField::Nested(_) => None,
        }
    }

    /// The text in the field `key`; empty when it has none.
    pub fn text(&self, key: &str) -> &str {
        match self.field(key) {
            Some(DebugField::Text(text)) => text,
            Some(_) | None => "",
        }
    }

    /// The name in the field `key`; empty when it has none.
    pub fn word(&self, key: &str) -> &str {
        match self.field(key) {
            Some(DebugField::Word(word)) => word,
            Some(_) | None => "",
        }
    }

    /// Whether the flags in the field `key` have `flag` among them.
    pub fn has_flag(&self, key: &str, flag: &str) -> bool {
        self.word(key).split('|').any(|word| word.trim() == flag)
    }
}

/// What a debug record states of a variable of the source (LangRef, "Debug records").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DebugRecordKind {
    /// `#dbg_declare`: the variable lies at an address for all of its scope.
    Declare,
    /// `#dbg_value` and its kin: the variable has a value from here on.
    Value,
}

/// A debug record of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugRecord {
    /// The instruction that it precedes.
    pub before: InstId,
    /// What it states.
    pub kind: DebugRecordKind,
    /// The address or value; `None` where it is gone or made of several values.
    pub value: Option<Value>,
    /// The `DILocalVariable`.
    pub variable: MetadataId,
    /// The `DIExpression` that takes the value to the variable.
    pub expression: MetadataId,
    /// The scope, and what it was inlined at.
    pub location: Option<LocationId>,
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
        marks::DEBUG,
        marks::DEBUG_END,
        marks::FIELDS,
        marks::GUARD,
        marks::INST,
        marks::LITERAL,
        marks::MODS,
        marks::OPEN,
        marks::PRAGMA,
        marks::SCOPE,
        marks::UNIFIED,
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
    /// The file of its scope, when that has one.
    pub file: Option<FileId>,
    /// Line, from 1; 0 when the code has no line.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The call this code was inlined at.
    pub inlined_at: Option<LocationId>,
    /// The linkage name of the function the code is of, else its name; `None` where it has neither.
    pub function: Option<String>,
    /// Its scope, where a compile unit asks for DWARF (see [`super::View::compile_units`]).
    pub scope: Option<MetadataId>,
}
