//! Modules: directives, variables and functions.

use ptx_isa::{Construct, PtxVersion, ScalarType, Sm, StateSpace};

use crate::at::At;
use crate::body::{Body, RegDecl, VectorShape};
use crate::ids::{FunctionId, RegDeclId, RegId, VarId};
use crate::integers::Integers;
use crate::operand::{Immediate, Symbol};
use crate::strings::{StrId, Strings};

/// The linkage of a name (manual 11.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// No directive: visible in this module only.
    Internal,
    /// `.extern`
    Extern,
    /// `.visible`
    Visible,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarType {
    /// A fundamental type.
    Scalar(ScalarType),
    /// `.texref`
    TexRef,
    /// `.samplerref`
    SamplerRef,
    /// `.surfref`
    SurfRef,
}

/// `.attribute(..)` of a variable or function (manual 5.4.8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarAttribute {
    /// `.managed`
    Managed,
    /// `.unified(a, b)`
    Unified(u64, u64),
}

/// The kind of an opaque reference (manual 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reference {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// `.ptr .space .align n` of a kernel parameter (manual 5.1.6.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ParamPointer {
    /// The space it points into; `None` for generic.
    pub space: Option<StateSpace>,
    /// `.ptr .texref`: the parameter is a handle of a texture, sampler or surface; `space` is then `None`.
    pub reference: Option<Reference>,
    /// The alignment of the memory that it points to, in bytes.
    pub align: Option<u32>,
}

/// The value of a field of a texture, sampler or surface reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// A number.
    Number(Immediate),
    /// One of the manual's names: `wrap`, `linear` and so on.
    Name(StrId),
}

/// An initial value (manual 5.4.4). Missing elements are zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initializer {
    /// `{width = 4, filter_mode = linear}`: fields of a texture, sampler or surface reference with their values, in
    /// order (manual 5.3).
    Fields(Vec<(StrId, FieldValue)>),
    /// `{..}`, nested as deep as the dimensions (and the vector) of the variable. A list of only integers is [`Self::Integers`] instead,
    /// see [`Self::list`].
    List(Vec<Initializer>),
    /// `{1, 0x2, 3}`: at least one integer, all of them signed and in decimal or hexadecimal.
    Integers(Integers),
    /// A number.
    Value(Immediate),
    /// The address of a variable or function plus an offset; `generic` for `generic(name)`.
    Address {
        /// The variable or function.
        symbol: Symbol,
        /// Bytes added to it.
        offset: i64,
        /// Whether the generic address is meant.
        generic: bool,
    },
    /// `0xFF00(name)`: the bits of an address under a mask, shifted down (manual 5.4.4).
    Masked {
        /// The mask: one byte of ones.
        mask: u64,
        /// The variable or function.
        symbol: Symbol,
        /// Bytes added to it.
        offset: i64,
        /// Whether the generic address is meant.
        generic: bool,
    },
}

impl Initializer {
    /// Values in braces, packed if all are integers.
    pub fn list(values: Vec<Initializer>) -> Self {
        let mut integers = Integers::with_capacity(0);
        let packs = |value: &Initializer| match value {
            Initializer::Value(constant) => integers.push_constant(*constant),
            _ => false,
        };
        if !values.is_empty() && values.iter().all(packs) {
            Initializer::Integers(integers)
        } else {
            Initializer::List(values)
        }
    }

    /// Replaces every variable to which it refers. Initial values are nested as deep as the dimensions of their variable, which the reader
    /// limits.
    pub fn map_variables(&mut self, map: &impl Fn(VarId) -> VarId) {
        match self {
            Initializer::List(values) => values.iter_mut().for_each(|value| value.map_variables(map)),
            Initializer::Integers(_) | Initializer::Value(_) | Initializer::Fields(_) => {}
            Initializer::Address { symbol, .. } | Initializer::Masked { symbol, .. } => {
                if let Symbol::Variable(id) = symbol {
                    *id = map(*id);
                }
            }
        }
    }

    /// The number of values in its outer braces; `None` without braces.
    pub fn list_len(&self) -> Option<usize> {
        match self {
            Initializer::List(values) => Some(values.len()),
            Initializer::Integers(values) => Some(values.len()),
            Initializer::Fields(_)
            | Initializer::Value(_)
            | Initializer::Address { .. }
            | Initializer::Masked { .. } => None,
        }
    }
}

/// A variable or parameter (manual 5.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: StrId,
    /// Its state space.
    pub space: StateSpace,
    /// The bank of `.const[2]`, before PTX 2.2 (manual 5.1.3).
    pub bank: Option<u32>,
    /// The type of the variable, or of each of its elements.
    pub ty: VarType,
    /// Elements of a vector variable.
    pub shape: VectorShape,
    /// Array dimensions, outermost first; an empty first one (`[]`) is `None`.
    pub dims: Vec<Option<u64>>,
    /// `.align`, in bytes; `None` when not written: see [`Variable::alignment`].
    pub align: Option<u32>,
    /// The linkage.
    pub linkage: Linkage,
    /// `.attribute(..)`, in order.
    pub attributes: Vec<VarAttribute>,
    /// `.ptr` of a kernel parameter.
    pub pointer: Option<ParamPointer>,
    /// The number of variables a range declares (`.param .b32 p<4>;`), `None` without one.
    pub count: Option<u32>,
    /// The initial value.
    pub init: Option<Initializer>,
    /// The name's position.
    pub at: At,
}

impl Variable {
    /// A declaration of a name, a space and a type, with no other attribute.
    pub fn new(name: StrId, space: StateSpace, ty: VarType) -> Self {
        Self {
            name,
            space,
            bank: None,
            ty,
            shape: VectorShape::Scalar,
            dims: Vec::new(),
            align: None,
            linkage: Linkage::Internal,
            attributes: Vec::new(),
            pointer: None,
            count: None,
            init: None,
            at: At::default(),
        }
    }

    /// A declaration of an array of numbers.
    pub fn array(name: StrId, space: StateSpace, element: ScalarType, length: u64) -> Self {
        Self { dims: vec![Some(length)], ..Self::new(name, space, VarType::Scalar(element)) }
    }

    /// Size of one element in bytes; that of a reference (texture, sampler, surface) is 8.
    pub fn element_bytes(&self) -> u64 {
        let scalar = match self.ty {
            VarType::Scalar(ty) => u64::from(ty.bytes()),
            VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => 8,
        };
        scalar * u64::from(self.shape.lanes())
    }

    /// Size in bytes. The length of an empty first dimension is that of the initial value, or zero without one.
    /// `None` if the size does not fit 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        // Default: as above.
        let implied = self.init.as_ref().and_then(Initializer::list_len).unwrap_or(0) as u64;
        let lengths = self.dims.iter().map(|dim| dim.unwrap_or(implied));
        lengths.chain([self.element_bytes()]).try_fold(1u64, u64::checked_mul)
    }

    /// Alignment in bytes: the explicit one, or else the size of an element (manual 5.4.5).
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(self.element_bytes() as u32)
    }

    /// The element type, if it is a fundamental type.
    pub fn scalar_type(&self) -> Option<ScalarType> {
        match self.ty {
            VarType::Scalar(ty) => Some(ty),
            VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => None,
        }
    }
}

/// A parameter or result of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// In the parameter space.
    Variable(VarId),
    /// In a register (`.func (.reg .u32 rv) f (.reg .u32 a)`); the declaration is in the function's body, or in
    /// [`Function::reg_params`] if it has no body.
    Register(RegDeclId, RegId),
}

/// Whether the host or the device calls a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// `.entry`
    Kernel,
    /// `.func`
    Device,
}

/// A directive between a function's parameters and its body (manual 11.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FunctionDirective {
    /// `.maxntid x, y, z`; omitted dimensions are `None`.
    MaxNtid([Option<u32>; 3]),
    /// `.reqntid x, y, z`
    ReqNtid([Option<u32>; 3]),
    /// `.minnctapersm n`
    MinNCtaPerSm(u32),
    /// `.maxnctapersm n`
    MaxNCtaPerSm(u32),
    /// `.maxnreg n`
    MaxNReg(u32),
    /// `.noreturn`
    NoReturn,
    /// `.pragma "a", "b";`
    Pragma(Vec<StrId>),
    /// `.explicitcluster`
    ExplicitCluster,
    /// `.reqnctapercluster x, y, z`
    ReqNCtaPerCluster([Option<u32>; 3]),
    /// `.maxclusterrank n`
    MaxClusterRank(u32),
    /// `.blocksareclusters`
    BlocksAreClusters,
    /// `.abi_preserve n`
    AbiPreserve(u32),
    /// `.abi_preserve_control n`
    AbiPreserveControl(u32),
    /// `.attribute(.unified(a, b))`
    Attribute(VarAttribute),
    /// `.language n`; undocumented, but accepted by `ptxas`.
    Language(Vec<u32>),
    /// `.local_maxnreg n`; undocumented, but accepted by `ptxas`.
    LocalMaxNReg(u32),
    /// `.minperctamemory n`; undocumented, but accepted by `ptxas`.
    MinPerCtaMemory(u32),
}

impl FunctionDirective {
    /// The construct, with the versions that have it.
    pub const fn construct(&self) -> Construct {
        match self {
            Self::MaxNtid(_) => Construct::MaxNtid,
            Self::ReqNtid(_) => Construct::ReqNtid,
            Self::MinNCtaPerSm(_) => Construct::MinNCtaPerSm,
            Self::MaxNCtaPerSm(_) => Construct::MaxNCtaPerSm,
            Self::MaxNReg(_) => Construct::MaxNReg,
            Self::NoReturn => Construct::NoReturn,
            Self::Pragma(_) => Construct::Pragma,
            Self::ExplicitCluster => Construct::ExplicitCluster,
            Self::ReqNCtaPerCluster(_) => Construct::ReqNCtaPerCluster,
            Self::MaxClusterRank(_) => Construct::MaxClusterRank,
            Self::BlocksAreClusters => Construct::BlocksAreClusters,
            Self::AbiPreserve(_) => Construct::AbiPreserve,
            Self::AbiPreserveControl(_) => Construct::AbiPreserveControl,
            Self::Attribute(VarAttribute::Unified(..)) => Construct::UnifiedFunction,
            Self::Attribute(VarAttribute::Managed) => Construct::ManagedVariable,
            Self::Language(_) => Construct::Language,
            Self::LocalMaxNReg(_) => Construct::LocalMaxNReg,
            Self::MinPerCtaMemory(_) => Construct::MinPerCtaMemory,
        }
    }

    /// The kind of function on which it is allowed; `None` for both.
    pub const fn allowed_on(&self) -> Option<FunctionKind> {
        match self {
            Self::MaxNtid(_)
            | Self::ReqNtid(_)
            | Self::MinNCtaPerSm(_)
            | Self::MaxNCtaPerSm(_)
            | Self::MaxNReg(_)
            | Self::Pragma(_)
            | Self::ExplicitCluster
            | Self::ReqNCtaPerCluster(_)
            | Self::MaxClusterRank(_)
            | Self::BlocksAreClusters
            | Self::MinPerCtaMemory(_) => Some(FunctionKind::Kernel),
            Self::NoReturn
            | Self::AbiPreserve(_)
            | Self::AbiPreserveControl(_)
            | Self::Attribute(VarAttribute::Unified(..)) => Some(FunctionKind::Device),
            Self::Attribute(VarAttribute::Managed) | Self::Language(_) | Self::LocalMaxNReg(_) => None,
        }
    }

    /// The numbers that must not be zero.
    pub fn positive(&self) -> Vec<u32> {
        match self {
            Self::MaxNtid(shape) | Self::ReqNtid(shape) => shape.iter().copied().flatten().collect(),
            Self::MinNCtaPerSm(count)
            | Self::MaxNCtaPerSm(count)
            | Self::MaxNReg(count)
            | Self::LocalMaxNReg(count) => vec![*count],
            Self::NoReturn
            | Self::Pragma(_)
            | Self::ExplicitCluster
            | Self::ReqNCtaPerCluster(_)
            | Self::MaxClusterRank(_)
            | Self::BlocksAreClusters
            | Self::AbiPreserve(_)
            | Self::AbiPreserveControl(_)
            | Self::Attribute(_)
            | Self::Language(_)
            | Self::MinPerCtaMemory(_) => Vec::new(),
        }
    }
}

impl VarAttribute {
    /// The construct that it is on a variable, with the versions that have it.
    pub const fn construct(&self) -> Construct {
        match self {
            Self::Managed => Construct::ManagedVariable,
            Self::Unified(..) => Construct::UnifiedVariable,
        }
    }
}

impl Linkage {
    /// The construct of a linking directive that not every version has.
    pub const fn construct(self) -> Option<Construct> {
        match self {
            Self::Weak => Some(Construct::Weak),
            Self::Common => Some(Construct::Common),
            Self::Internal | Self::Extern | Self::Visible => None,
        }
    }
}

/// A kernel or device function: a declaration if it has no body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: StrId,
    /// Whether it is a kernel or a device function.
    pub kind: FunctionKind,
    /// The linkage.
    pub linkage: Linkage,
    /// The results; kernels have none.
    pub results: Vec<Param>,
    /// The parameters.
    pub params: Vec<Param>,
    /// Directives after the parameters, with their positions.
    pub directives: Vec<(FunctionDirective, At)>,
    /// The body; `None` for a declaration.
    pub body: Option<Body>,
    /// The parameters in registers of a declaration, in a body without statements.
    pub reg_params: Option<Box<Body>>,
    /// The name's position.
    pub at: At,
}

/// `.file index "name" {, time, size}` (manual 11.5.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugFile {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The name, without its quotes, escapes as written.
    pub name: StrId,
    /// Time stamp and size, of which only the size can be omitted.
    pub stamp: Option<(u64, Option<u64>)>,
}

/// `.loc file line column {, ...}` (manual 11.5.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugLocation {
    /// The number of a `.file` directive.
    pub file: u32,
    /// Line, from 1; 0 for none.
    pub line: u32,
    /// Column, from 1; 0 for none.
    pub column: u32,
    /// `function_name label {+ offset}, inlined_at file line column`.
    pub inlined: Option<Box<InlinedAt>>,
    /// Its position.
    pub at: At,
}

/// Where the function of a `.loc` was inlined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedAt {
    /// The label of the function's name in `.debug_str`.
    pub name: StrId,
    /// Bytes added to the label; `None` when not written.
    pub offset: Option<u64>,
    /// The file of the call.
    pub file: u32,
    /// The line of the call.
    pub line: u32,
    /// The column of the call.
    pub column: u32,
}

/// One line between the braces of a `.section`, kept as text without indentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionLine {
    /// The line's tokens as written.
    pub text: StrId,
}

/// `.section name { .. }` (manual 11.5.4): DWARF data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name, with its dot.
    pub name: StrId,
    /// Its lines, without empty ones.
    pub lines: Vec<SectionLine>,
    /// Its position.
    pub at: At,
}

/// `.alias name, aliasee;` (manual 11.6.6)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The new name: a declared function.
    pub name: FunctionId,
    /// The function to which it refers.
    pub target: FunctionId,
}

/// `.target sm_90a, texmode_independent` (manual 11.1.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetSpec {
    /// The architecture; `None` if there are only options or unknown names.
    pub sm: Option<Sm>,
    /// Everything after `.target`, in order, as written.
    pub names: Vec<StrId>,
}

/// A directive of a module, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `.version`
    Version(PtxVersion, At),
    /// `.target`
    Target(TargetSpec, At),
    /// `.address_size`
    AddressSize(u32, At),
    /// A module variable.
    Variable(VarId),
    /// Names of one `.reg` directive, before PTX 3.0: [`Module::registers`] from the first to before the second id. It may be
    /// `.visible`, which has no effect.
    Registers(RegDeclId, RegDeclId, Linkage),
    /// A function, declared or defined.
    Function(FunctionId),
    /// `.file`
    File(DebugFile, At),
    /// `.section`
    Section(Section),
    /// `.loc` outside a function.
    Location(DebugLocation),
    /// `.pragma`
    Pragma(Vec<StrId>, At),
    /// `.alias`
    Alias(Alias, At),
    /// `@@DWARF` line of old debug information, with the marks, without the line ending.
    DwarfLine(StrId),
    /// A comment with its slashes, without the line ending.
    Comment(StrId),
    /// A comment on the line of the item before it.
    TrailingComment(StrId),
}

/// The content of a PTX file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Names and texts.
    pub strings: Strings,
    /// Directives, in order.
    pub items: Vec<Item>,
    /// Variables of the module, of its functions' parameters and of its functions' bodies, in order.
    pub variables: Vec<Variable>,
    /// Functions in order, with a separate entry for each declaration and definition.
    pub functions: Vec<Function>,
    /// Registers declared outside of functions, which each thread has once for all functions (manual 7.1.1).
    pub registers: Vec<RegDecl>,
}

impl Module {
    /// The text of an interned name.
    pub fn name(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// A variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// A function, for changes.
    pub fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        &mut self.functions[id.0 as usize]
    }

    /// Adds a variable; the caller also adds the item, parameter or statement that declares it.
    pub fn add_variable(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds a variable of the module, declared before its functions.
    pub fn declare_variable(&mut self, variable: Variable) -> VarId {
        let id = self.add_variable(variable);
        let first = self.items.iter().position(|item| matches!(item, Item::Function(_)));
        // Default: a module without functions ends with its variables.
        self.items.insert(first.unwrap_or(self.items.len()), Item::Variable(id));
        id
    }

    /// Adds a function; the caller also adds the item that declares it.
    pub fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// The ids of all functions, in order.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }

    /// The kernels that have a body, in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions
            .iter()
            .filter(|function| function.kind == FunctionKind::Kernel && function.body.is_some())
    }

    /// The function of a name: its definition, or its first declaration if it has none.
    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        let name = self.strings.find(name)?;
        let found = self.function_ids().find(|id| self.function(*id).name == name)?;
        Some(self.definition(found))
    }

    /// The entry that defines the function that `id` declares, or `id` if there is none.
    pub fn definition(&self, id: FunctionId) -> FunctionId {
        let name = self.function(id).name;
        let defines = |f: &Function| f.name == name && f.body.is_some();
        let found = self.functions.iter().position(defines);
        found.map_or(id, |at| FunctionId(at as u32))
    }

    /// The `.version`.
    pub fn version(&self) -> Option<PtxVersion> {
        self.items.iter().find_map(|item| match item {
            Item::Version(version, _) => Some(*version),
            _ => None,
        })
    }

    /// The `.target`.
    pub fn target(&self) -> Option<&TargetSpec> {
        self.items.iter().find_map(|item| match item {
            Item::Target(target, _) => Some(target),
            _ => None,
        })
    }
}
