//! A read-only picture of an LLVM module, as plain data.
//!
//! [`View::new`] reads a module once; what it gives has no ties to LLVM and can be matched on. Ids index the tables of the
//! view they came from. Types and constants are interned: one [`TypeId`] a type, one [`ConstId`] a constant, so constants
//! that share parts stay small. Instructions are numbered by function in the order of the text, block after block.
//!
//! What instruction selection cannot use is kept as a named form (`Other(..)`) rather than left out, so that whoever meets
//! it can refuse it by name. Debug records (`#dbg_value` and its kin) and the graph of the debug information are there where
//! a compile unit asks for DWARF; lines alone need neither.

mod attribute;
mod constant;
mod function;
mod inst;
mod metadata;
mod read;
mod types;

pub use attribute::{Attribute, Attributes};
pub use constant::{ConstExpr, ConstId, Constant, Symbol, mask, sign_extend};
pub use function::{
    Alias, AliasId, Block, BlockId, CallingConvention, Function, FunctionId, Global, GlobalId, InstId,
    Linkage, Param, UnnamedAddress, Visibility,
};
pub use inst::{
    AtomicOp, AtomicOrder, BinaryOp, Bundle, Call, CastOp, FastMath, FloatPredicate, InlineAsm, InlineAsmId,
    Inst, IntPredicate, Op, Scope, Value, WrapFlags,
};
pub use metadata::{
    DebugField, DebugLocation, DebugNode, DebugRecord, DebugRecordKind, FileId, LocationId, Metadata,
    MetadataId, MetadataKind, SourcePath,
};
pub(crate) use read::instruction_text;
pub use types::{FloatKind, Layout, Type, TypeId};

use crate::error::LlvmError;
use crate::module::Module;

/// The picture of one module.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The target triple; empty when the module names none.
    pub triple: String,
    /// The data layout the sizes and offsets in this view follow: the module's, or that of its target ([`crate::Addresses::data_layout`]) when it has none.
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
    types: Vec<types::Entry>,
    constants: Vec<constant::Entry>,
    metadata: Vec<Metadata>,
    asms: Vec<InlineAsm>,
    locations: Vec<DebugLocation>,
    files: Vec<SourcePath>,
}

impl View {
    /// How many bits generic addresses have, by the target triple.
    pub fn addresses(&self) -> crate::Addresses {
        crate::Addresses::of_triple(&self.triple).unwrap_or_default()
    }

    /// Reads `module`. The module should have passed [`Module::verify`]; what LLVM's verifier refuses may be misread, but
    /// not unsafely.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Unsupported`] for types nested deeper than 256 levels.
    pub fn new(module: &Module<'_>) -> Result<Self, LlvmError> {
        read::read(module)
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
            let bits = self.layout(self.constant_type(index)).map_or(64, |layout| layout.bits as u32);
            let number = match self.constant(index) {
                Constant::Int(words) => sign_extend(words.first().copied().unwrap_or(0), bits),
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
            Metadata::Node(_) | Metadata::Constant(_) | Metadata::Debug(_) | Metadata::Other => None,
        });
        texts.collect()
    }

    /// A node of the debug information; `None` for any other metadata.
    pub fn debug_node(&self, id: MetadataId) -> Option<&DebugNode> {
        match self.metadata(id) {
            Metadata::Debug(node) => Some(node),
            Metadata::String(_) | Metadata::Node(_) | Metadata::Constant(_) | Metadata::Other => None,
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

    /// Source files in the order they are first named.
    pub fn files(&self) -> &[SourcePath] {
        &self.files
    }

    /// The named metadata `name`, or nothing.
    pub fn named(&self, name: &str) -> &[MetadataId] {
        let found = self.named_metadata.iter().find(|(candidate, _)| candidate == name);
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

/// Defines an id: an index into one table of a view.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The position in the table, from 0.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of position `index`.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}
use id;
