//! Global variables, functions and aliases.

use super::attribute::Attributes;
use super::id::{BlockId, ConstId, InstId, LocationId, MetadataId, TypeId};
use super::inst::{CallingConvention, Inst};
use super::metadata::{DebugRecord, MetadataKind};

/// LLVM's linkage types, those that mean the same to PTX as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// `external`, and the historical DLL forms.
    External,
    /// `available_externally`: a body for optimizers only, not to be emitted.
    AvailableExternally,
    /// `linkonce`, `linkonce_odr`.
    LinkOnce,
    /// `weak`, `weak_odr`.
    Weak,
    /// `appending`, for LLVM's own arrays.
    Appending,
    /// `internal`.
    Internal,
    /// `private`.
    Private,
    /// `extern_weak`.
    ExternalWeak,
    /// `common`.
    Common,
}

impl Linkage {
    /// Whether the symbol is invisible to other modules.
    pub const fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }

    /// Whether a program may have another definition than this one: all but `GlobalValue::isStrongDefinitionForLinker`.
    pub const fn is_replaceable(self) -> bool {
        match self {
            Linkage::External | Linkage::Appending | Linkage::Internal | Linkage::Private => false,
            Linkage::AvailableExternally
            | Linkage::LinkOnce
            | Linkage::Weak
            | Linkage::ExternalWeak
            | Linkage::Common => true,
        }
    }
}

/// LLVM's visibility styles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Visibility {
    /// `default`.
    Default,
    /// `hidden`.
    Hidden,
    /// `protected`.
    Protected,
}

/// Whether the address of a symbol matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnnamedAddress {
    /// It does.
    Significant,
    /// Not within the module.
    Local,
    /// Not at all.
    Global,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name, without `@`.
    pub name: String,
    /// The type of its content.
    pub ty: TypeId,
    /// The address space it lies in, see [`crate::address_space`].
    pub space: u32,
    /// Its content; `None` for a declaration.
    pub initializer: Option<ConstId>,
    /// Whether it is `constant` rather than `global`.
    pub constant: bool,
    /// Whether it is `thread_local`.
    pub thread_local: bool,
    /// Whether it is `externally_initialized`.
    pub externally_initialized: bool,
    /// Linkage.
    pub linkage: Linkage,
    /// Visibility.
    pub visibility: Visibility,
    /// Whether its address matters.
    pub unnamed_address: UnnamedAddress,
    /// Alignment in bytes, when stated.
    pub align: Option<u32>,
    /// The alignment in bytes that LLVM assumes for its address, as `Value::getPointerAlignment` does: what is stated; else the
    /// preferred alignment if no other definition can replace this one, which is 16 for anything over 128 bits, and the ABI's for
    /// other variables. `None` if none is stated and the type has no size.
    pub assumed_align: Option<u32>,
    /// Section, when stated.
    pub section: Option<String>,
    /// Attached metadata.
    pub metadata: Vec<(MetadataKind, MetadataId)>,
    /// Its `DIGlobalVariableExpression`s, where a compile unit asks for DWARF.
    pub debug: Vec<MetadataId>,
}

/// Another name for an address.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name, without `@`.
    pub name: String,
    /// The type of what it names.
    pub ty: TypeId,
    /// The address space.
    pub space: u32,
    /// What it names.
    pub target: ConstId,
    /// Linkage.
    pub linkage: Linkage,
    /// Visibility.
    pub visibility: Visibility,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name without `%`; empty when it has only a number.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its attributes.
    pub attributes: Attributes,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its name without `%`; empty when it has only a number.
    pub name: String,
    /// Its instructions: phis first, a terminator last.
    pub insts: std::ops::Range<u32>,
}

impl Block {
    /// The ids of its instructions, in order.
    pub fn inst_ids(&self) -> impl DoubleEndedIterator<Item = InstId> + use<> {
        self.insts.clone().map(InstId)
    }
}

/// A function, defined or declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, without `@`.
    pub name: String,
    /// Its function type.
    pub ty: TypeId,
    /// What it returns.
    pub ret: TypeId,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Calling convention.
    pub convention: CallingConvention,
    /// Linkage.
    pub linkage: Linkage,
    /// Visibility.
    pub visibility: Visibility,
    /// Whether it is one of LLVM's intrinsics.
    pub intrinsic: bool,
    /// Attributes of the function.
    pub attributes: Attributes,
    /// Attributes of its result.
    pub ret_attributes: Attributes,
    /// Alignment in bytes, when stated.
    pub align: Option<u32>,
    /// Section, when stated.
    pub section: Option<String>,
    /// Attached metadata, without debug information.
    pub metadata: Vec<(MetadataKind, MetadataId)>,
    /// Where its code begins in the source, when its `DISubprogram` has that.
    pub location: Option<LocationId>,
    /// Its `DISubprogram`, where a compile unit asks for DWARF.
    pub subprogram: Option<MetadataId>,
    /// Its debug records in order, where a compile unit asks for DWARF.
    pub records: Vec<DebugRecord>,
    /// Its blocks, the entry first; none for a declaration.
    pub blocks: Vec<Block>,
    /// All its instructions, block after block.
    pub insts: Vec<Inst>,
}

impl Function {
    /// Whether it has no body.
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    /// An instruction.
    pub fn inst(&self, id: InstId) -> &Inst {
        &self.insts[id.index()]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The ids of its blocks, in order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }
}
