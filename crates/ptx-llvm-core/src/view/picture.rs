//! The picture of one module and what can be asked of it.
//!
//! Ids of the view come in; what they stand for goes out.

use super::constant::{self, Constant, Symbol, sign_extend};
use super::function::{Alias, Function, Global};
use super::id::{
    AliasId, ConstId, FileId, FunctionId, GlobalId, InlineAsmId, LocationId, MetadataId, TypeId,
};
use super::inst::{Call, InlineAsm};
use super::metadata::{DebugLocation, DebugNode, Metadata, SourcePath};
use super::types::{self, FloatKind, Layout, Type};
use super::value::Value;
use crate::addresses::Addresses;

/// The picture of one module.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The target triple; empty when the module names none.
    pub triple: String,
    /// The data layout the sizes and offsets in this view follow: the module's, or that of its target ([`Addresses::data_layout`]) when it has none.
    pub data_layout: String,
    /// Module-level inline assembly.
    pub inline_asm: String,
    /// Global variables in order.
    pub globals: Vec<Global>,
    /// Functions in order, definitions and declarations.
    pub functions: Vec<Function>,
    /// Aliases in order.
    pub aliases: Vec<Alias>,
    /// The names of functions that code chooses when the program is loaded (`ifunc`), in order.
    pub ifuncs: Vec<String>,
    /// Named metadata in order, without the debug information's.
    pub named_metadata: Vec<(String, Vec<MetadataId>)>,
    /// The compile units that ask for DWARF (emission kind `FullDebug`), in order. Where there is none the
    /// debug information is not read but for lines.
    pub compile_units: Vec<MetadataId>,
    pub(super) types: Vec<types::Entry>,
    pub(super) constants: Vec<constant::Entry>,
    pub(super) metadata: Vec<Metadata>,
    pub(super) asms: Vec<InlineAsm>,
    pub(super) locations: Vec<DebugLocation>,
    pub(super) files: Vec<SourcePath>,
    /// The first of the files are those of locations.
    pub(super) located_files: usize,
}

impl View {
    /// How many bits generic addresses have, by the target triple.
    pub fn addresses(&self) -> Addresses {
        Addresses::of_module(&self.triple)
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()].ty
    }

    /// Size, alignment and field offsets of a type; `None` when it has no size (`void`, functions, labels, opaque
    /// structures, scalable vectors and what holds them).
    pub fn layout(&self, id: TypeId) -> Option<&Layout> {
        self.types[id.index()].layout.as_ref()
    }

    /// The type of the elements of a vector, or the type itself.
    pub fn element_type(&self, id: TypeId) -> TypeId {
        match self.ty(id) {
            Type::Vector { element, .. } => *element,
            _ => id,
        }
    }

    /// Whether a type is `fp128`, or a vector of it.
    pub fn is_quadruple(&self, id: TypeId) -> bool {
        matches!(self.ty(self.element_type(id)), Type::Float(FloatKind::Other("fp128")))
    }

    /// A type as LLVM spells it.
    pub fn type_text(&self, id: TypeId) -> &str {
        &self.types[id.index()].text
    }

    /// The bytes that constant indices of a `getelementptr` step over; `None` where an index is not a number or there is nothing for it.
    pub fn offset_of(&self, source: TypeId, indices: &[ConstId]) -> Option<i64> {
        let mut offset: i64 = 0;
        let mut ty = source;
        for (at, &index) in indices.iter().enumerate() {
            let bits = self.layout(self.constant_type(index))?.bits as u32;
            let number = match self.constant(index) {
                Constant::Int(words) => sign_extend(*words.first()?, bits),
                Constant::Zero | Constant::Undef | Constant::Poison => 0,
                _ => return None,
            };
            ty = match (at, self.ty(ty)) {
                (0, _) => ty,
                (_, Type::Struct { fields }) => {
                    let field = usize::try_from(number).ok()?;
                    offset = offset.wrapping_add(*self.layout(ty)?.offsets.get(field)? as i64);
                    ty = *fields.get(field)?;
                    continue;
                }
                (_, Type::Array { element, .. } | Type::Vector { element, .. }) => *element,
                _ => return None,
            };
            offset = offset.wrapping_add(number.wrapping_mul(self.layout(ty)?.size as i64));
        }
        Some(offset)
    }

    /// A constant.
    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id.index()].constant
    }

    /// The type of a constant.
    pub fn constant_type(&self, id: ConstId) -> TypeId {
        self.constants[id.index()].ty
    }

    /// A global variable.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// An alias.
    pub fn alias(&self, id: AliasId) -> &Alias {
        &self.aliases[id.index()]
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Function(id) => &self.function(id).name,
            Symbol::Global(id) => &self.global(id).name,
            Symbol::Alias(id) => &self.alias(id).name,
        }
    }

    /// The function that is the operand of a call, if it is one by name.
    pub fn called(&self, call: &Call) -> Option<&Function> {
        let Value::Const(id) = call.callee else { return None };
        let Constant::Symbol(Symbol::Function(id)) = self.constant(id) else { return None };
        Some(self.function(*id))
    }

    /// A piece of metadata.
    pub fn metadata(&self, id: MetadataId) -> &Metadata {
        &self.metadata[id.index()]
    }

    /// The texts of a node of strings, in order; what is not a string is left out.
    pub fn strings(&self, id: MetadataId) -> Vec<&str> {
        let Metadata::Node(parts) = self.metadata(id) else { return Vec::new() };
        let texts = parts.iter().flatten().filter_map(|&part| match self.metadata(part) {
            Metadata::String(text) => Some(text.as_str()),
            Metadata::Node(_)
            | Metadata::Constant(_)
            | Metadata::File(_)
            | Metadata::Debug(_)
            | Metadata::Other => None,
        });
        texts.collect()
    }

    /// A node of the debug information; `None` for any other metadata.
    pub fn debug_node(&self, id: MetadataId) -> Option<&DebugNode> {
        match self.metadata(id) {
            Metadata::Debug(node) => Some(node),
            Metadata::String(_)
            | Metadata::Node(_)
            | Metadata::Constant(_)
            | Metadata::File(_)
            | Metadata::Other => None,
        }
    }

    /// An inline assembly text with its constraints.
    pub fn inline_asm(&self, id: InlineAsmId) -> &InlineAsm {
        &self.asms[id.index()]
    }

    /// A place in the source the module was made from.
    pub fn location(&self, id: LocationId) -> &DebugLocation {
        &self.locations[id.index()]
    }

    /// The source files of locations, in the order they are first named.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        (0..self.located_files).map(FileId::new)
    }

    /// The path of a source file.
    pub fn file(&self, id: FileId) -> &SourcePath {
        &self.files[id.index()]
    }

    /// The file that a piece of metadata is; `None` for any other.
    pub fn file_node(&self, id: MetadataId) -> Option<FileId> {
        match self.metadata(id) {
            Metadata::File(file) => Some(*file),
            Metadata::String(_)
            | Metadata::Node(_)
            | Metadata::Constant(_)
            | Metadata::Debug(_)
            | Metadata::Other => None,
        }
    }

    /// The named metadata `name`, or nothing.
    pub fn named(&self, name: &str) -> &[MetadataId] {
        let found = self.named_metadata.iter().find(|(candidate, _)| candidate == name);
        // Default: a module without the node has none of what it would list.
        found.map_or(&[], |(_, nodes)| nodes)
    }

    /// The type of a value of `function`; `None` for blocks, metadata and inline assembly, which are no data.
    pub fn value_type(&self, function: &Function, value: Value) -> Option<TypeId> {
        match value {
            Value::Arg(index) => function.params.get(index as usize).map(|param| param.ty),
            Value::Inst(id) => function.insts.get(id.index()).map(|inst| inst.ty),
            Value::Const(id) => Some(self.constant_type(id)),
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => None,
        }
    }
}
