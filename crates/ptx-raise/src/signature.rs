//! Signatures: LLVM's parameters and results in the `.param` space (manual 7.1).
//!
//! Numbers and pointers are variables of their own type; in device functions integers below 32 bits have 32. Vectors, structures,
//! arrays and integers over 64 bits are arrays of bytes with the type's alignment, and so is the memory that a `byval` pointer
//! points to. Kernels have every number in its own width.

use ptx_ir::{
    At, Body, FunctionDirective, FunctionKind, Linkage, Param, ParamPointer, Reference, RegDecl, RegDeclId,
    RegId, Register, VarAttribute, VarId, VarType, Variable, VectorShape,
};
use ptx_isa::{Construct, ScalarType, StateSpace};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{Attributes, CallingConvention, FloatKind, Function, Type, TypeId};
use ptx_llvm_core::{Addresses, address_space};

use crate::context::ModuleContext;
use crate::error::{BOUND, CALL, RaiseError, Result};
use crate::names;
use crate::types::{Class, Scalar, integer_type};

/// The largest alignment of a variable in the parameter space. Values are copied to and from it as a whole, so that a type with a
/// larger alignment does not need it.
const MAX_PARAM_ALIGN: u32 = 128;

/// How one parameter or result is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Passing {
    /// A variable of this type.
    Scalar(ScalarType),
    /// That many bytes.
    Bytes { size: u64, align: u32 },
}

/// One parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    pub(crate) passing: Passing,
    pub(crate) ty: TypeId,
    /// The type that a `byval` pointer points to.
    pub(crate) by_value: Option<TypeId>,
    pub(crate) pointer: Option<ParamPointer>,
    pub(crate) name: String,
    /// The type of the reference, if the parameter is declared as one, which is a 64-bit handle in LLVM IR.
    pub(crate) reference: Option<VarType>,
}

/// A function's parameters and result.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) kind: FunctionKind,
    pub(crate) params: Vec<Parameter>,
    /// The address of the further arguments of a variadic function, after all others.
    pub(crate) variadic: Option<String>,
    pub(crate) result: Option<Passing>,
    pub(crate) directives: Vec<FunctionDirective>,
    /// The registers that pass everything, where registers do (`"ptx.abi"="reg"`).
    pub(crate) registers: Option<RegisterPassing>,
}

/// Parameters and results in registers, by class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RegisterPassing {
    pub(crate) params: Vec<Class>,
    pub(crate) results: Vec<Class>,
}

/// The registers of a function that was declared with them; `None` where a value does not fill one or several are returned.
pub(crate) fn register_passing(
    module: &mut ModuleContext<'_, '_>,
    function: &Function,
) -> Result<Option<RegisterPassing>> {
    if function.attributes.string(marks::ABI) != Some("reg") || function.variadic {
        return Ok(None);
    }
    let mut params = Vec::with_capacity(function.params.len());
    for param in &function.params {
        match filled_registers(module, param.ty)?.as_deref() {
            Some(&[class]) if param.attributes.ty("byval").is_none() => params.push(class),
            _ => return Ok(None),
        }
    }
    let results = match module.view.ty(function.ret) {
        Type::Void => Some(Vec::new()),
        _ => filled_registers(module, function.ret)?,
    };
    // With several results in registers `ptxas` does without the ABI, and compiles no module apart.
    let results = results.filter(|results| results.len() <= 1);
    Ok(results.map(|results| RegisterPassing { params, results }))
}

/// The classes of the leaves of a type, when each fills its register of 32 bits or more: `ptxas` passes no predicates and
/// nothing smaller in registers.
fn filled_registers(module: &mut ModuleContext<'_, '_>, ty: TypeId) -> Result<Option<Vec<Class>>> {
    let leaves = module.leaves.of(module.view, ty)?;
    let filled = leaves.iter().map(|leaf| {
        let class = leaf.scalar.class();
        (leaf.scalar.bits() == class.bits() && class.bits() >= 32).then_some(class)
    });
    Ok(filled.collect())
}

/// Whether the host launches a function.
pub(crate) fn is_kernel(module: &ModuleContext<'_, '_>, function: &Function) -> bool {
    match function.convention {
        CallingConvention::PtxKernel => true,
        CallingConvention::C | CallingConvention::PtxDevice | CallingConvention::Other(_) => {
            module.annotation(&function.name, "kernel") == Some(1)
        }
    }
}

/// The signature of a function.
pub(crate) fn of_function(module: &mut ModuleContext<'_, '_>, function: &Function) -> Result<Signature> {
    let kind = if is_kernel(module, function) { FunctionKind::Kernel } else { FunctionKind::Device };
    let symbol = names::escape(&function.name).into_owned();
    let mut params: Vec<Parameter> = Vec::with_capacity(function.params.len());
    for (at, param) in function.params.iter().enumerate() {
        let own = &param.name;
        let reserved = own.starts_with("$L__") || own.starts_with("__local") || module.call_names.clash(own);
        let taken = reserved || module.symbol_names.contains(own) || !names::is_plain(own);
        let name = if taken { format!("{symbol}_param_{at}") } else { own.clone() };
        let is_taken =
            |name: &str| params.iter().any(|param| param.name == name) || module.symbol_names.contains(name);
        let name = names::free(name, is_taken);
        let mut param_passed = parameter(module, param.ty, &param.attributes, kind, name)?;
        if let (Some(text), FunctionKind::Kernel) = (param.attributes.string(marks::PTR), kind) {
            param_passed.pointer = Some(stated_pointer(text, param.attributes.number("align"))?);
        }
        if let Passing::Scalar(ScalarType::B64 | ScalarType::U64) = param_passed.passing {
            param_passed.reference = module.reference_parameter(&function.name, at);
        }
        params.push(param_passed);
    }
    if kind == FunctionKind::Kernel && function.variadic {
        return Err(RaiseError::new(CALL, "a kernel with a variable number of arguments"));
    }
    let variadic = function.variadic.then(|| module.free_name(format!("{symbol}_vararg")));
    let result = if kind == FunctionKind::Kernel && !matches!(module.view.ty(function.ret), Type::Void) {
        return Err(RaiseError::new(CALL, "a kernel that returns a value"));
    } else {
        result(module, function.ret, &function.ret_attributes)?
    };
    let mut directives = directives(function)?;
    if kind == FunctionKind::Kernel {
        directives = launch_bounds(directives)?;
    }
    // `noreturn` may have been inferred by an optimizer; in PTX it is a hint, allowed on functions without results for newer targets.
    let hint = function.attributes.has("noreturn") && kind == FunctionKind::Device && result.is_none();
    if hint && module.target.has(Construct::NoReturn.since()) {
        directives.push(FunctionDirective::NoReturn);
    }
    if let Some(text) = function.attributes.string(marks::PRAGMA) {
        for pragma in text.split(';').filter(|pragma| !pragma.is_empty()) {
            let text = module.ir.strings.intern(pragma);
            directives.push(FunctionDirective::Pragma(vec![text]));
        }
    }
    let mut kept = Vec::with_capacity(directives.len());
    for directive in directives {
        let construct = directive.construct();
        let since = construct.since();
        let ignored = format!("{construct} of function {} is ignored", function.name);
        if is_about_clusters(&directive) && module.target.lacks(since) {
            let message = format!("{ignored}: clusters require sm_{}", since.sm);
            module.warn(BOUND, message, "the kernel runs without clusters on this target");
            continue;
        }
        if directive.allowed_on() == Some(FunctionKind::Kernel) && kind != FunctionKind::Kernel {
            let message = format!("{ignored}: it is only allowed on kernels");
            module.warn(BOUND, message, "a kernel has the calling convention ptx_kernel");
            continue;
        }
        module.target.need_construct(construct)?;
        kept.push(directive);
    }
    let directives = kept;
    let registers = register_passing(module, function)?;
    Ok(Signature { kind, params, variadic, result, directives, registers })
}

/// How an argument of type `ty` with these attributes is passed.
pub(crate) fn parameter(
    module: &mut ModuleContext<'_, '_>,
    ty: TypeId,
    attributes: &Attributes,
    kind: FunctionKind,
    name: String,
) -> Result<Parameter> {
    let by_value = attributes.ty("byval");
    let stated = attributes.number("align").and_then(|align| u32::try_from(align).ok());
    if let Some(content) = by_value {
        let layout = module.view.layout(content).ok_or_else(|| {
            RaiseError::new(CALL, format!("a byval parameter of type {}", module.view.type_text(content)))
        })?;
        let align = stated.map_or(layout.align, |stated| stated.max(layout.align));
        let passing = Passing::Bytes { size: layout.size, align };
        return Ok(Parameter { passing, ty, by_value, pointer: None, name, reference: None });
    }
    let passing = aligned(passing(module, ty, kind)?, attributes);
    let pointer = match module.view.ty(ty) {
        Type::Pointer { space } if kind == FunctionKind::Kernel => stated.map(|align| ParamPointer {
            space: pointer_space(*space),
            reference: None,
            align: Some(align),
        }),
        _ => None,
    };
    Ok(Parameter { passing, ty, by_value: None, pointer, name, reference: None })
}

/// The `.ptr` that `"ptx.ptr"` states: a space or nothing, and an alignment where the parameter is not a pointer to LLVM.
fn stated_pointer(text: &str, align: Option<u64>) -> Result<ParamPointer> {
    let unknown =
        || RaiseError::new(CALL, format!("the attribute \"ptx.ptr\"=\"{text}\" names no state space"));
    let (space, stated) = match text.split_once(',') {
        Some((space, stated)) => (space, Some(number(marks::PTR, stated)?)),
        None => (text, None),
    };
    let (space, reference) = match space {
        "" => (None, None),
        ".texref" => (None, Some(Reference::Texture)),
        ".samplerref" => (None, Some(Reference::Sampler)),
        ".surfref" => (None, Some(Reference::Surface)),
        word => (Some(StateSpace::from_ptx(word).ok_or_else(unknown)?), None),
    };
    let align = stated.or_else(|| align.and_then(|align| u32::try_from(align).ok()));
    Ok(ParamPointer { space, reference, align })
}

/// The `.ptr` space word (manual 5.1.6.1), also that of a variable.
pub(crate) fn pointer_space(space: u32) -> Option<StateSpace> {
    match space {
        address_space::GLOBAL => Some(StateSpace::Global),
        address_space::SHARED => Some(StateSpace::Shared),
        address_space::CONST => Some(StateSpace::Const),
        address_space::LOCAL => Some(StateSpace::Local),
        _ => None,
    }
}

/// How a result of type `ty` with these attributes is passed.
pub(crate) fn result(
    module: &mut ModuleContext<'_, '_>,
    ty: TypeId,
    attributes: &Attributes,
) -> Result<Option<Passing>> {
    if matches!(module.view.ty(ty), Type::Void) {
        return Ok(None);
    }
    let passed = passing(module, ty, FunctionKind::Device)?;
    Ok(Some(aligned(passed, attributes)))
}

/// Byte arrays with the alignment of `alignstack`, which LLVM's backend uses in the same way.
fn aligned(passing: Passing, attributes: &Attributes) -> Passing {
    let stated = attributes.number("alignstack").and_then(|align| u32::try_from(align).ok());
    match (passing, stated.filter(|align| align.is_power_of_two())) {
        (Passing::Bytes { size, .. }, Some(stated)) => {
            Passing::Bytes { size, align: stated.min(MAX_PARAM_ALIGN) }
        }
        (other, _) => other,
    }
}

fn passing(module: &mut ModuleContext<'_, '_>, ty: TypeId, kind: FunctionKind) -> Result<Passing> {
    let aggregate = match module.view.ty(ty) {
        Type::Int { bits } => *bits > 64,
        Type::Array { .. } | Type::Vector { .. } | Type::Struct { .. } | Type::Float(FloatKind::Other(_)) => {
            true
        }
        Type::Void | Type::Float(_) | Type::Pointer { .. } | Type::Function { .. } | Type::Other(_) => false,
    };
    // Refuses types that have no registers.
    let leaves = module.leaves.of(module.view, ty)?;
    if aggregate {
        let layout = module.view.layout(ty).ok_or_else(|| {
            RaiseError::new(CALL, format!("a parameter of type {}", module.view.type_text(ty)))
        })?;
        // Vectors of elements of odd widths are packed in memory; when passed to functions each element has separate bytes.
        let apart = match (module.view.ty(ty), kind) {
            (Type::Vector { .. }, FunctionKind::Device) => {
                leaves.iter().map(|leaf| leaf.offset + leaf.bytes).fold(0, u64::max)
            }
            _ => 0,
        };
        let size = layout.size.max(apart);
        return Ok(Passing::Bytes { size, align: layout.align.min(MAX_PARAM_ALIGN) });
    }
    let [leaf] = &*leaves else { return Err(RaiseError::new(CALL, "a parameter without a value")) };
    Ok(Passing::Scalar(match (leaf.scalar, kind) {
        (Scalar::Int(bits) | Scalar::Pointer { bits, .. }, FunctionKind::Kernel) => integer_type(false, bits),
        (Scalar::Int(0..=32) | Scalar::Pointer { bits: 0..=32, .. }, _) => ScalarType::B32,
        (Scalar::Int(_) | Scalar::Pointer { .. }, _) => ScalarType::B64,
        (Scalar::Half | Scalar::BFloat, _) => ScalarType::B16,
        (Scalar::Float, _) => ScalarType::F32,
        (Scalar::Double, _) => ScalarType::F64,
        (Scalar::HalfPair | Scalar::BFloatPair, _) => ScalarType::B32,
    }))
}

impl RegisterPassing {
    /// The registers of the results and of the parameters, and the body that holds them.
    fn declare(&self, module: &mut ModuleContext<'_, '_>) -> (Vec<Param>, Vec<Param>, Option<Box<Body>>) {
        let mut holder = Body::default();
        let mut hold = |classes: &[Class], word: &str| {
            let one = |(at, class): (usize, &Class)| {
                let decl = RegDeclId(holder.reg_decls.len() as u32);
                let register = RegId(holder.registers.len() as u32);
                let name = module.ir.strings.intern(&format!("%{word}{at}_"));
                let (ty, shape) = (class.register_type(), VectorShape::Scalar);
                holder.reg_decls.push(RegDecl { name, ty, shape, count: None, at: At::default() });
                holder.registers.push(Register { decl, number: 0 });
                Param::Register(decl, register)
            };
            classes.iter().enumerate().map(one).collect()
        };
        let (results, params) = (hold(&self.results, "result"), hold(&self.params, "param"));
        (results, params, Some(Box::new(holder)))
    }
}

impl Signature {
    /// Adds an entry for the function, without a body, and remembers its variables.
    pub(crate) fn declare(
        &self,
        module: &mut ModuleContext<'_, '_>,
        function: &Function,
        linkage: Linkage,
    ) -> ptx_ir::FunctionId {
        let symbol = names::escape(&function.name).into_owned();
        let (results, params, reg_params) = match &self.registers {
            Some(registers) => registers.declare(module),
            None => {
                let (results, params) = self.variables(module, &symbol);
                let variables = |ids: Vec<VarId>| ids.into_iter().map(Param::Variable).collect();
                (variables(results), variables(params), None)
            }
        };
        let entry = ptx_ir::Function {
            name: module.ir.strings.intern(&symbol),
            kind: self.kind,
            linkage,
            results,
            params,
            directives: self.directives.iter().map(|directive| (directive.clone(), At::default())).collect(),
            body: None,
            reg_params,
            at: At::default(),
        };
        module.ir.add_function(entry)
    }

    /// Makes the variables of the results and of the parameters.
    pub(crate) fn variables(
        &self,
        module: &mut ModuleContext<'_, '_>,
        symbol: &str,
    ) -> (Vec<VarId>, Vec<VarId>) {
        let results: Vec<VarId> = self
            .result
            .iter()
            .map(|passing| param_variable(module, passing, None, &format!("{symbol}_retval0")))
            .collect();
        let mut params = Vec::with_capacity(self.params.len());
        for param in &self.params {
            let id = param_variable(module, &param.passing, param.pointer, &param.name);
            if let (Some(ty), Some(variable)) = (param.reference, module.ir.variables.get_mut(id.0 as usize))
            {
                variable.ty = ty;
            }
            params.push(id);
        }
        if let Some(name) = &self.variadic {
            params.push(param_variable(module, &address_passing(module), None, name));
        }
        (results, params)
    }
}

/// How a generic address is passed to functions.
pub(crate) fn address_passing(module: &ModuleContext<'_, '_>) -> Passing {
    Passing::Scalar(match module.view.addresses() {
        Addresses::Bits32 => ScalarType::B32,
        Addresses::Bits64 => ScalarType::B64,
    })
}

/// A variable in the parameter space.
pub(crate) fn param_variable(
    module: &mut ModuleContext<'_, '_>,
    passing: &Passing,
    pointer: Option<ParamPointer>,
    name: &str,
) -> VarId {
    let (ty, dims, align) = match passing {
        Passing::Scalar(ty) => (*ty, Vec::new(), None),
        Passing::Bytes { size, align } => (ScalarType::B8, vec![Some((*size).max(1))], Some(*align)),
    };
    let name = module.ir.strings.intern(name);
    module.ir.add_variable(Variable {
        dims,
        align,
        pointer,
        ..Variable::new(name, StateSpace::Param, VarType::Scalar(ty))
    })
}

/// How the text of an attribute is translated to a directive.
enum Stated {
    Dimensions(fn([Option<u32>; 3]) -> FunctionDirective),
    Number(fn(u32) -> FunctionDirective),
    Numbers(fn(Vec<u32>) -> FunctionDirective),
    Word(FunctionDirective),
    /// The dimensions of clusters, of zeros where the launch has them.
    Clusters,
    Unified,
}

/// The attributes that are directives, in the order in which these are written (docs/mapping.md, "Functions").
const STATED: &[(&str, Stated)] = &[
    ("nvvm.maxntid", Stated::Dimensions(FunctionDirective::MaxNtid)),
    (marks::MAX_NTID, Stated::Dimensions(FunctionDirective::MaxNtid)),
    ("nvvm.reqntid", Stated::Dimensions(FunctionDirective::ReqNtid)),
    (marks::REQ_NTID, Stated::Dimensions(FunctionDirective::ReqNtid)),
    ("nvvm.minctasm", Stated::Number(FunctionDirective::MinNCtaPerSm)),
    ("nvvm.maxnreg", Stated::Number(FunctionDirective::MaxNReg)),
    ("nvvm.cluster_dim", Stated::Clusters),
    (marks::EXPLICIT_CLUSTER, Stated::Word(FunctionDirective::ExplicitCluster)),
    (marks::CLUSTER_DIM, Stated::Dimensions(FunctionDirective::ReqNCtaPerCluster)),
    ("nvvm.maxclusterrank", Stated::Number(FunctionDirective::MaxClusterRank)),
    (marks::MAX_CLUSTER_RANK, Stated::Number(FunctionDirective::MaxClusterRank)),
    ("nvvm.blocksareclusters", Stated::Word(FunctionDirective::BlocksAreClusters)),
    (marks::LANGUAGE, Stated::Numbers(FunctionDirective::Language)),
    (marks::LOCAL_MAXNREG, Stated::Number(FunctionDirective::LocalMaxNReg)),
    (marks::MIN_PER_CTA_MEMORY, Stated::Number(FunctionDirective::MinPerCtaMemory)),
    (marks::UNIFIED, Stated::Unified),
    (marks::ABI_PRESERVE, Stated::Number(FunctionDirective::AbiPreserve)),
    (marks::ABI_PRESERVE_CONTROL, Stated::Number(FunctionDirective::AbiPreserveControl)),
];

/// The directives for attributes.
fn directives(function: &Function) -> Result<Vec<FunctionDirective>> {
    let mut list = Vec::new();
    for (key, stated) in STATED {
        let Some(text) = function.attributes.string(key) else { continue };
        let directive = match stated {
            Stated::Dimensions(make) => make(dimensions(key, text)?),
            Stated::Number(make) => make(number(key, text)?),
            Stated::Numbers(make) => {
                make(text.split(',').map(|part| number(key, part)).collect::<Result<_>>()?)
            }
            // The dimensions specify it too.
            Stated::Word(directive) if list.contains(directive) => continue,
            Stated::Word(directive) => directive.clone(),
            Stated::Unified => FunctionDirective::Attribute(unified(text.split(','))?),
            Stated::Clusters => {
                let dims = dimensions(key, text)?;
                if dims.iter().flatten().all(|dim| *dim == 0) {
                    FunctionDirective::ExplicitCluster
                } else {
                    // LLVM's own printer always writes it.
                    if function.attributes.string(marks::IMPLICIT_CLUSTER).is_none() {
                        list.push(FunctionDirective::ExplicitCluster);
                    }
                    FunctionDirective::ReqNCtaPerCluster(dims)
                }
            }
        };
        list.push(directive);
    }
    Ok(list)
}

/// The directives without those implied by others, since `.maxntid` and `.reqntid` exclude each other (manual 11.4.3).
fn launch_bounds(mut list: Vec<FunctionDirective>) -> Result<Vec<FunctionDirective>> {
    let threads = |dims: &[Option<u32>; 3]| {
        dims.iter().flatten().fold(1, |all: u64, dim| all.saturating_mul((*dim).into()))
    };
    let (mut most, mut exact) = (None, None);
    for directive in &list {
        match directive {
            FunctionDirective::MaxNtid(dims) => most = Some(threads(dims)),
            FunctionDirective::ReqNtid(dims) => exact = Some(threads(dims)),
            FunctionDirective::MaxNReg(0) => return Err(RaiseError::new(CALL, "\"nvvm.maxnreg\" of 0")),
            FunctionDirective::MinNCtaPerSm(0) => {
                return Err(RaiseError::new(CALL, "\"nvvm.minctasm\" of 0"));
            }
            _ => {}
        }
    }
    if let (Some(most), Some(exact)) = (most, exact) {
        if exact > most {
            let message = format!("a kernel requires {exact} threads per block but allows at most {most}");
            return Err(
                RaiseError::new(CALL, message).with_help("remove \"nvvm.maxntid\" or \"nvvm.reqntid\"")
            );
        }
        list.retain(|directive| !matches!(directive, FunctionDirective::MaxNtid(_)));
    }
    Ok(list)
}

/// Whether a directive specifies clusters. A target without clusters launches none, so that it has no effect there.
fn is_about_clusters(directive: &FunctionDirective) -> bool {
    matches!(
        directive,
        FunctionDirective::ExplicitCluster
            | FunctionDirective::ReqNCtaPerCluster(_)
            | FunctionDirective::MaxClusterRank(_)
            | FunctionDirective::BlocksAreClusters
    )
}

/// `.unified(a, b)` from its two numbers (manual 5.4.8).
pub(crate) fn unified<'t>(numbers: impl Iterator<Item = &'t str>) -> Result<VarAttribute> {
    let numbers: Result<Vec<u64>, _> = numbers.map(|text| text.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[first, second]) => Ok(VarAttribute::Unified(first, second)),
        Ok(_) | Err(_) => Err(RaiseError::new(CALL, "\"ptx.unified\" does not hold two numbers")),
    }
}

fn dimensions(key: &str, text: &str) -> Result<[Option<u32>; 3]> {
    let mut dims = [None; 3];
    for (at, part) in text.split(',').enumerate() {
        let slot = dims.get_mut(at).ok_or_else(|| {
            RaiseError::new(CALL, format!("the attribute \"{key}\"=\"{text}\" has more than three numbers"))
        })?;
        *slot = Some(number(key, part)?);
    }
    Ok(dims)
}

fn number(key: &str, text: &str) -> Result<u32> {
    let parsed = text.trim().parse();
    parsed.map_err(|_| RaiseError::new(CALL, format!("the attribute \"{key}\"=\"{text}\" is not a number")))
}
