//! The contents of [`FILE`](crate::marks::FILE) and [`SECTION`](crate::marks::SECTION): what lowering writes there and raising reads.
//!
//! ```text
//! !ptx.file = !{!3}
//! !ptx.section = !{!4}
//! !2 = !DIFile(filename: "a.cu", directory: "")
//! !3 = !{!2, i32 1, !"a.cu"}
//! !4 = !{!{!3}, !{!".debug_info", !".b64 ", !5, !"\0A.b64 ", ptr addrspace(1) @v, !"\0A.b64 ", !{ptr @k, !"k_param_0"}}}
//! !5 = distinct !{!5, !"$L_tmp1"}
//! ```
//!
//! A node of `!ptx.section` has all sections of one PTX module, so that linked modules keep theirs apart: their labels may have the
//! same names, and numbers in the data count from the start of the module's own sections and files. Symbols are values, which are
//! renamed together with what they name.

use super::debug_line::{label_name, number, text};
use crate::build::{Metadata, Types, Value};
use crate::marks;
use crate::view::{Constant, FileId, FunctionId, Metadata as Read, MetadataId, Symbol, View};

/// A `.file`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File<'t, F> {
    /// The file.
    pub file: F,
    /// Its number.
    pub number: u32,
    /// The path as it is written.
    pub path: &'t str,
    /// Time of the last change.
    pub time: Option<u64>,
    /// Size in bytes.
    pub size: Option<u64>,
}

/// A part of a section's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionPart<'t> {
    /// Text as it is written.
    Text(&'t str),
    /// A label of the code or of a section; the colon is text.
    Label(MetadataId),
    /// A variable or function.
    Symbol(Symbol),
    /// A parameter or variable of a function.
    Local(FunctionId, &'t str),
    /// A symbol that was removed.
    Removed,
}

/// A `.section`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section<'t> {
    /// Its name; that of `@@DWARF` lines is `@@DWARF`.
    pub name: &'t str,
    /// Its text.
    pub parts: Vec<SectionPart<'t>>,
}

/// The sections of one PTX module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionUnit<'t> {
    /// The numbers by which the sections name files.
    pub files: Vec<(FileId, u32)>,
    /// The sections in order.
    pub sections: Vec<Section<'t>>,
}

impl<'c> File<'_, Metadata<'c>> {
    /// The file as metadata.
    pub fn node(&self, types: Types<'c>) -> Metadata<'c> {
        let number = types.metadata_value(types.int_value(32, u64::from(self.number)));
        let mut parts = vec![self.file, number, types.metadata_string(self.path)];
        let wide = |value| types.metadata_value(types.int_value(64, value));
        parts.extend(self.time.map(wide));
        parts.extend(self.size.map(wide));
        types.metadata_node(&parts)
    }
}

impl<'t> File<'t, FileId> {
    /// The file of a node; `None` for another node.
    pub fn read(view: &'t View, node: MetadataId) -> Option<Self> {
        let Read::Node(parts) = view.metadata(node) else { return None };
        let parts: Vec<MetadataId> = parts.iter().copied().collect::<Option<_>>()?;
        let (&[file, index, path], stamp) = parts.split_first_chunk()?;
        let stamp = |at: usize| stamp.get(at).and_then(|&part| number(view, part));
        Some(Self {
            file: view.file_node(file)?,
            number: u32::try_from(number(view, index)?).ok()?,
            path: text(view, path)?,
            time: stamp(0),
            size: stamp(1),
        })
    }
}

/// A parameter or variable of a function as a part of a section.
pub fn local<'c>(types: Types<'c>, function: Value<'c>, name: &str) -> Metadata<'c> {
    types.metadata_node(&[types.metadata_value(function), types.metadata_string(name)])
}

/// The sections of all PTX modules that were linked.
pub fn section_units(view: &View) -> Vec<SectionUnit<'_>> {
    view.named(marks::SECTION).iter().filter_map(|&node| unit(view, node)).collect()
}

fn unit(view: &View, node: MetadataId) -> Option<SectionUnit<'_>> {
    let mut parts = nodes(view, node);
    let files = nodes(view, parts.next()?).filter_map(|node| File::read(view, node));
    let files = files.map(|file| (file.file, file.number)).collect();
    Some(SectionUnit { files, sections: parts.filter_map(|node| section(view, node)).collect() })
}

fn nodes(view: &View, node: MetadataId) -> impl Iterator<Item = MetadataId> {
    let parts = match view.metadata(node) {
        Read::Node(parts) => parts.to_vec(),
        Read::String(_) | Read::Constant(_) | Read::File(_) | Read::Debug(_) | Read::Other => Vec::new(),
    };
    parts.into_iter().flatten()
}

fn section(view: &View, node: MetadataId) -> Option<Section<'_>> {
    let Read::Node(parts) = view.metadata(node) else { return None };
    let (name, parts) = parts.split_first()?;
    Some(Section {
        name: text(view, (*name)?)?,
        parts: parts.iter().map(|part| part.map_or(SectionPart::Removed, |part| of(view, part))).collect(),
    })
}

fn of(view: &View, id: MetadataId) -> SectionPart<'_> {
    if let Some(text) = text(view, id) {
        return SectionPart::Text(text);
    }
    if label_name(view, id).is_some() {
        return SectionPart::Label(id);
    }
    if let Some(symbol) = symbol(view, id) {
        return SectionPart::Symbol(symbol);
    }
    let Read::Node(parts) = view.metadata(id) else { return SectionPart::Removed };
    match **parts {
        [Some(function), Some(name)] => match (symbol(view, function), text(view, name)) {
            (Some(Symbol::Function(function)), Some(name)) => SectionPart::Local(function, name),
            _ => SectionPart::Removed,
        },
        _ => SectionPart::Removed,
    }
}

fn symbol(view: &View, id: MetadataId) -> Option<Symbol> {
    let Read::Constant(value) = view.metadata(id) else { return None };
    match view.constant(*value) {
        Constant::Symbol(symbol) => Some(*symbol),
        _ => None,
    }
}
