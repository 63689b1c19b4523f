//! Variables: their types, spaces, alignment, dimensions and linkage (manual 5.1 to 5.4, 11.6).

use ptx_diag::Diagnostic;
use ptx_ir::{Body, Initializer, Linkage, RegDecl, RegDeclId, VarId, VarType, Variable, VectorShape};
use ptx_isa::{Construct, ScalarType, StateSpace};

use crate::context::{Checker, dotted};
use crate::{codes, initializers};

/// Where a variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclarationScope {
    Module,
    Body,
    KernelParameter(Head),
    FunctionParameter(Head),
    Result(Head),
}

/// The kind of function head that a parameter belongs to: `ptxas` fully checks only those of functions with a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    Definition,
    Declaration,
    Prototype,
}

impl DeclarationScope {
    const fn head(self) -> Option<Head> {
        match self {
            DeclarationScope::KernelParameter(head)
            | DeclarationScope::FunctionParameter(head)
            | DeclarationScope::Result(head) => Some(head),
            DeclarationScope::Module | DeclarationScope::Body => None,
        }
    }

    const fn is_parameter(self) -> bool {
        self.head().is_some()
    }

    /// Whether it is a parameter of something without a body.
    fn is_loose(self) -> bool {
        self.head().is_some_and(|head| head != Head::Definition)
    }
}

/// Checks one declaration.
pub(crate) fn check(cx: &mut Checker<'_>, id: VarId, scope: DeclarationScope) {
    let module = cx.module;
    let variable = module.variable(id);
    let is_typed = match variable.ty {
        VarType::Scalar(ty) => check_type(cx, variable, ty, scope),
        VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => check_reference(cx, variable, scope),
    };
    check_space(cx, variable, scope);
    check_alignment(cx, variable, scope);
    check_dimensions(cx, variable, scope);
    check_linkage(cx, variable);
    check_pointer(cx, variable, scope);
    check_attributes(cx, variable, scope);
    check_bank(cx, variable);
    if is_typed {
        initializers::check(cx, variable);
    }
}

/// The first version that declares registers and variables of a type, where that is a later one.
pub(crate) fn check_type_since(cx: &mut Checker<'_>, ty: ScalarType, span: ptx_diag::Span) {
    let construct = match ty {
        ScalarType::F16x2 => Construct::F16x2Variable,
        ScalarType::B128 => Construct::B128Variable,
        _ => return,
    };
    cx.require_construct(construct, span);
}

/// Reports a type that registers and variables cannot have; returns whether it is allowed.
pub(crate) fn check_declarable(cx: &mut Checker<'_>, ty: ScalarType, span: ptx_diag::Span) -> bool {
    if ty.is_declarable() {
        return true;
    }
    let text = format!("{} is a type of instructions only and cannot be declared", dotted(ty));
    let finding = Diagnostic::error(codes::VARIABLE_TYPE, span, text);
    cx.report(match ty.as_bits() {
        Some(bits) => finding.with_help(format!("declare it as {}", dotted(bits))),
        None => finding,
    });
    false
}

/// Vectors have at most 128 bits and hold no predicates (manual 5.4.2).
pub(crate) fn check_shape(cx: &mut Checker<'_>, ty: ScalarType, shape: VectorShape, span: ptx_diag::Span) {
    if shape == VectorShape::Scalar {
        return;
    }
    if ty == ScalarType::Pred {
        cx.report(Diagnostic::error(codes::VECTOR_TYPE, span, "there are no vectors of predicates"));
    } else if shape == VectorShape::V8 || ty.bits() * shape.lanes() > 128 {
        let text =
            format!("a vector of {} {} has more than 128 bits or 4 elements", shape.lanes(), dotted(ty));
        cx.report(Diagnostic::error(codes::VECTOR_TYPE, span, text));
    }
}

fn check_type(cx: &mut Checker<'_>, variable: &Variable, ty: ScalarType, scope: DeclarationScope) -> bool {
    let span = variable.at.0;
    if !check_declarable(cx, ty, span) {
        return false;
    }
    // `ptxas` requires no version for arrays of 128-bit numbers, nor for vectors of pairs.
    let is_plain = variable.shape == VectorShape::Scalar;
    if is_plain && (ty != ScalarType::B128 || (variable.dims.is_empty() && !scope.is_loose())) {
        check_type_since(cx, ty, span);
    }
    let is_array_of_predicates = ty == ScalarType::Pred && !variable.dims.is_empty();
    if scope.is_loose() && !is_array_of_predicates {
        return false;
    }
    if ty == ScalarType::Pred {
        let text = "predicates must be in registers";
        cx.report(
            Diagnostic::error(codes::VARIABLE_TYPE, span, text)
                .with_help("use `.reg .pred`, or `.b8` in memory"),
        );
        return false;
    }
    check_shape(cx, ty, variable.shape, span);
    if variable.space == StateSpace::Param
        && ((ty == ScalarType::F16x2 && variable.dims.is_empty()) || variable.shape != VectorShape::Scalar)
    {
        let text = "parameters must be scalars or arrays of scalars";
        let help = "use an array of `.b8` with the alignment of the vector";
        cx.report(Diagnostic::error(codes::PARAMETER, span, text).with_help(help));
    }
    true
}

/// Texture, sampler and surface references lie in `.global` at module scope, or are kernel parameters (manual 5.3).
fn check_reference(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) -> bool {
    cx.require_construct(Construct::Reference, variable.at.0);
    initializers::check_reference(cx, variable);
    let fits = match scope {
        DeclarationScope::Module => variable.space == StateSpace::Global,
        DeclarationScope::KernelParameter(_) => true,
        DeclarationScope::FunctionParameter(_) | DeclarationScope::Result(_) => scope.is_loose(),
        DeclarationScope::Body => false,
    };
    if !fits {
        let text = "texture, sampler and surface references must be in `.global` at module scope or be kernel parameters";
        cx.report(Diagnostic::error(codes::VARIABLE_SPACE, variable.at.0, text));
    }
    if variable.shape != VectorShape::Scalar {
        let text = "there are no vectors of references";
        cx.report(Diagnostic::error(codes::VECTOR_TYPE, variable.at.0, text));
    }
    if variable.linkage == Linkage::Common {
        let text = "texture, sampler and surface references cannot be `.common`";
        cx.report(Diagnostic::error(codes::LINKAGE, variable.at.0, text));
    }
    // Arrays of them `ptxas` lets be.
    let is_single = variable.dims.is_empty();
    if variable.ty == VarType::SamplerRef && is_single && !cx.target.has_samplers() {
        let text = "sampler references need `.target` with `texmode_independent`";
        cx.report(Diagnostic::error(codes::TARGET_OPTION, variable.at.0, text));
    }
    false
}

fn check_space(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) {
    use StateSpace::*;
    let help = match (scope, variable.space) {
        (DeclarationScope::Module, Global | Const | Shared) => return,
        (DeclarationScope::Module, Local) if !cx.target.version_at_least(3, 0) => return,
        (DeclarationScope::Module, Tex) if !cx.target.version_at_least(1, 5) => {
            return check_tex(cx, variable);
        }
        (DeclarationScope::Body, Global | Const | Shared | Local) => return,
        (DeclarationScope::Body, Param) if cx.target.version_at_least(2, 0) => return,
        (DeclarationScope::FunctionParameter(_) | DeclarationScope::Result(_), Param)
            if !cx.target.version_at_least(2, 0) =>
        {
            Some("before PTX ISA 2.0 parameters and results of functions must be registers")
        }
        (
            DeclarationScope::KernelParameter(_)
            | DeclarationScope::FunctionParameter(_)
            | DeclarationScope::Result(_),
            Param,
        ) => return,
        (DeclarationScope::Body, Param) if !cx.target.version_at_least(2, 0) => {
            Some("before PTX ISA 2.0 only kernels can have parameters in memory")
        }
        (DeclarationScope::Module, Local) => Some("declare it in the function that uses it"),
        (DeclarationScope::Module, Param) => Some("declare it with its function, or in a body"),
        (_, SharedCta | SharedCluster) => Some("declare it in `.shared`"),
        (_, ParamEntry | ParamFunc) => Some("declare it in `.param`"),
        (DeclarationScope::Module, Tex) => Some("since PTX ISA 1.5 a texture is a `.global .texref`"),
        (_, Tex) => Some("declare it at module scope"),
        _ => None,
    };
    let where_ = match scope {
        DeclarationScope::Module => "at module scope",
        DeclarationScope::Body => "in a function",
        DeclarationScope::KernelParameter(_) | DeclarationScope::FunctionParameter(_) => "as a parameter",
        DeclarationScope::Result(_) => "as a result",
    };
    let text = format!("nothing can be declared in `.{}` {where_}", variable.space.as_str());
    let finding = Diagnostic::error(codes::VARIABLE_SPACE, variable.at.0, text);
    cx.report(match help {
        Some(help) => finding.with_help(help),
        None => finding,
    });
}

/// A name for a texture, whose number has 32 or 64 bits (manual 5.1.8).
fn check_tex(cx: &mut Checker<'_>, variable: &Variable) {
    let is_number = matches!(variable.scalar_type(), Some(ScalarType::U32 | ScalarType::U64));
    if !is_number || variable.shape != VectorShape::Scalar || !variable.dims.is_empty() {
        let text = "a variable in `.tex` must be a `.u32` or a `.u64`";
        cx.report(Diagnostic::error(codes::VARIABLE_TYPE, variable.at.0, text));
    }
}

/// Checks the `.reg` declarations of a body.
pub(crate) fn check_registers(cx: &mut Checker<'_>, body: &Body) {
    check_declared(cx, &body.reg_decls);
}

/// Checks declarations of registers.
pub(crate) fn check_declared(cx: &mut Checker<'_>, declarations: &[RegDecl]) {
    for decl in declarations {
        if check_declarable(cx, decl.ty, decl.at.0) {
            if decl.shape == VectorShape::Scalar {
                check_type_since(cx, decl.ty, decl.at.0);
            }
            check_shape(cx, decl.ty, decl.shape, decl.at.0);
        }
    }
}

/// Registers outside of functions (manual 7.1.1).
pub(crate) fn check_outer_registers(cx: &mut Checker<'_>, first: RegDeclId, end: RegDeclId) {
    let module = cx.module;
    let declared = &module.registers[first.0 as usize..end.0 as usize];
    if cx.target.version_at_least(3, 0)
        && let Some(decl) = declared.first()
    {
        let text = "since PTX ISA 3.0 registers must be declared in functions";
        let finding = Diagnostic::error(codes::REMOVED, decl.at.0, text);
        cx.report(
            finding.with_help("declare it in the functions that use it, and pass it to those they call"),
        );
    }
    check_declared(cx, declared);
}

fn check_alignment(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) {
    let Some(align) = variable.align else { return };
    let limited = match scope {
        DeclarationScope::FunctionParameter(_) | DeclarationScope::Result(_) => !scope.is_loose(),
        DeclarationScope::Body => variable.space == StateSpace::Param,
        DeclarationScope::Module | DeclarationScope::KernelParameter(_) => false,
    };
    if !align.is_power_of_two() {
        bad_alignment(cx, variable, align, "a power of two");
    } else if limited && align > 128 {
        bad_alignment(cx, variable, align, "at most 128 for parameters");
    }
}

fn bad_alignment(cx: &mut Checker<'_>, variable: &Variable, align: u32, wanted: &str) {
    let text = format!("an alignment of {align} is not allowed; it must be {wanted}");
    cx.report(Diagnostic::error(codes::ALIGNMENT, variable.at.0, text));
}

fn check_dimensions(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) {
    let empty = variable.init.as_ref().and_then(Initializer::list_len) == Some(0);
    let is_open = |dim: &Option<u64>| dim.is_none() || (scope.is_parameter() && *dim == Some(0));
    let open = variable.dims.iter().any(is_open);
    let inner_open = variable.dims.iter().skip(1).any(Option::is_none);
    let text = if inner_open {
        "only the first dimension can be omitted"
    } else if !scope.is_parameter() && variable.dims.contains(&Some(0)) {
        "an array must have at least one element"
    } else if variable.bytes().is_none_or(|bytes| bytes > u64::from(u32::MAX) * 16) {
        "the variable is too large"
    } else if open && matches!(scope, DeclarationScope::KernelParameter(_)) {
        "a kernel parameter must have a length"
    } else if open && matches!(scope, DeclarationScope::Result(_)) {
        "a result must have a length"
    } else if open
        && !scope.is_parameter()
        && variable.linkage != Linkage::Extern
        && (variable.init.is_none() || empty)
    {
        "an array without `.extern` must have a length or an initial value"
    } else {
        return;
    };
    cx.report(Diagnostic::error(codes::ARRAY_SIZE, variable.at.0, text));
}

fn check_linkage(cx: &mut Checker<'_>, variable: &Variable) {
    check_linkage_since(cx, variable.linkage, variable.at.0);
    if variable.linkage == Linkage::Common && variable.space != StateSpace::Global {
        let text = "`.common` variables must be in `.global`";
        cx.report(Diagnostic::error(codes::LINKAGE, variable.at.0, text));
    }
}

/// Checks that the version has a linking directive.
pub(crate) fn check_linkage_since(cx: &mut Checker<'_>, linkage: Linkage, span: ptx_diag::Span) {
    if let Some(construct) = linkage.construct() {
        cx.require_construct(construct, span);
    }
}

/// `.ptr` states where a kernel parameter points (manual 5.1.6.3).
fn check_pointer(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) {
    let Some(pointer) = variable.pointer else { return };
    cx.require_construct(Construct::Ptr, variable.at.0);
    if pointer.reference.is_some() {
        cx.require_construct(Construct::PtrToReference, variable.at.0);
    }
    if !matches!(scope, DeclarationScope::KernelParameter(_)) && scope.head() != Some(Head::Prototype) {
        let text = "`.ptr` is only allowed on parameters of kernels";
        return cx.report(Diagnostic::error(codes::PARAMETER_POINTER, variable.at.0, text));
    }
    if let Some(align) = pointer.align
        && !align.is_power_of_two()
    {
        bad_alignment(cx, variable, align, "a power of two");
    }
    let points = match pointer.space {
        None => true,
        Some(space) => {
            matches!(space, StateSpace::Const | StateSpace::Global | StateSpace::Local | StateSpace::Shared)
        }
    };
    if !points {
        let text = "`.ptr` must point to `.const`, `.global`, `.local` or `.shared`";
        cx.report(Diagnostic::error(codes::PARAMETER_POINTER, variable.at.0, text));
    }
}

/// Banks of constant memory were given up with PTX ISA 2.2 (manual 5.1.3).
fn check_bank(cx: &mut Checker<'_>, variable: &Variable) {
    let is_open = variable.linkage == Linkage::Extern && matches!(variable.dims.first(), Some(None));
    if variable.space != StateSpace::Const || (variable.bank.is_none() && !is_open) {
        return;
    }
    // Default: without a bank it is the one that every instruction means.
    let bank = variable.bank.unwrap_or(0);
    let text = if cx.target.version_at_least(2, 2) {
        if variable.bank.is_none() {
            return;
        }
        "since PTX ISA 2.2 constant memory has no banks".to_owned()
    } else if bank > 10 {
        "the banks of constant memory are numbered from 0 to 10".to_owned()
    } else if !cx.target.version_at_least(1, 5) && bank > 0 {
        "before PTX ISA 1.5 constant memory has bank 0 only".to_owned()
    } else if bank == 0 && is_open {
        let text = "external arrays without a length must be in banks 1 to 10 of constant memory";
        let finding = Diagnostic::error(codes::VARIABLE_SPACE, variable.at.0, text);
        return cx.report(
            finding.with_help("specify the length of the array, or pass its address as a parameter"),
        );
    } else if bank > 0 && !is_open {
        format!("bank {bank} can contain only external arrays without a length")
    } else {
        return;
    };
    cx.report(Diagnostic::error(codes::VARIABLE_SPACE, variable.at.0, text).with_help("write `.const`"));
}

fn check_attributes(cx: &mut Checker<'_>, variable: &Variable, scope: DeclarationScope) {
    if scope.is_loose() {
        return;
    }
    for attribute in &variable.attributes {
        let (construct, span) = (attribute.construct(), variable.at.0);
        if variable.space != StateSpace::Global {
            let text = format!("{construct} variables must be in `.global`");
            cx.report(Diagnostic::error(codes::ATTRIBUTE, span, text));
        }
        cx.require_construct(construct, span);
    }
}
