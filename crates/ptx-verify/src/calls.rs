//! Calls against the signatures of what they call (manual 7.1, 9.7.12.5, 11.3).

use ptx_diag::{Diagnostic, Span, counted};
use ptx_ir::{
    Body, Function, FunctionId, FunctionKind, Immediate, LabelId, LabelKind, Module, Operand, Param,
    Prototype, RegDecl, Stmt, Symbol, Variable, VectorShape,
};
use ptx_isa::{Construct, ScalarType, StateSpace, TypeKind};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::labels::check_order;
use crate::types::takes_immediate;

/// The indices of a call's operands in its row.
const RESULTS: usize = 0;
const CALLEE: usize = 1;
const ARGUMENTS: usize = 2;
const TARGETS: usize = 3;

/// A parameter or an argument, as far as calls compare them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    ty: ScalarType,
    /// A vector register, or a scalar.
    vector: VectorShape,
    /// Bytes of an array, `None` for a scalar; zero for an array without a length.
    array: Option<u64>,
    /// Alignment in bytes, of what lies in the parameter space.
    align: Option<u32>,
}

/// The signature that a call is checked against, with the body that its register parameters are declared in.
#[derive(Clone, Copy)]
struct Signature<'m> {
    results: &'m [Param],
    params: &'m [Param],
    registers: Option<&'m Body>,
}

impl<'m> Signature<'m> {
    fn of_function(function: &'m Function) -> Self {
        let registers = function.body.as_ref().or(function.reg_params.as_deref());
        Self { results: &function.results, params: &function.params, registers }
    }

    fn of_prototype(prototype: &'m Prototype, body: &'m Body) -> Self {
        Self { results: &prototype.results, params: &prototype.params, registers: Some(body) }
    }
}

/// Checks a call: what is called, and that arguments and results fit it.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    match site.operand(CALLEE) {
        Operand::Symbol(Symbol::Function(id), 0) => check_direct(cx, site, id),
        Operand::Register(reg) => {
            let ty = site.body.reg_type(reg);
            if !ty.is_integer_or_bits() || !matches!(ty.bits(), 32 | 64) {
                let text = format!("the called address must be a 64-bit register, not {}", dotted(ty));
                return cx.report(Diagnostic::error(codes::CALLEE, site.span(CALLEE), text));
            }
            check_indirect(cx, site);
        }
        Operand::Omitted => {}
        other => {
            let text = format!("only functions can be called, this is {}", site.describe(other));
            cx.report(Diagnostic::error(codes::CALLEE, site.span(CALLEE), text));
        }
    }
}

fn check_direct(cx: &mut Checker<'_>, site: Site<'_>, id: FunctionId) {
    let module = site.module;
    let function = module.function(id);
    let name = module.name(function.name);
    if function.kind == FunctionKind::Kernel {
        let text = format!("`{name}` is a kernel; only device functions can be called");
        let finding = Diagnostic::error(codes::CALLEE, site.span(CALLEE), text);
        return cx.report(finding.with_related(function.at.0, "declared with `.entry`"));
    }
    if !site.operand(TARGETS).is_omitted() {
        let text = "a direct call cannot have a prototype or a list of targets";
        return cx.report(Diagnostic::error(codes::PROTOTYPE, site.span(TARGETS), text));
    }
    check_signature(cx, site, Signature::of_function(function), &format!("`{name}`"), function.at.0);
}

fn check_indirect(cx: &mut Checker<'_>, site: Site<'_>) {
    cx.require_construct(Construct::IndirectCall, site.span(CALLEE));
    let label = match site.operand(TARGETS) {
        Operand::Label(label) => label,
        Operand::Omitted => {
            let text = "an indirect call needs a `.callprototype` or `.calltargets`";
            let help = "add its label as the last operand";
            return cx.report(Diagnostic::error(codes::PROTOTYPE, site.whole(), text).with_help(help));
        }
        other => {
            let text = format!("the last operand must be a label, this is {}", site.describe(other));
            return cx.report(Diagnostic::error(codes::PROTOTYPE, site.span(TARGETS), text));
        }
    };
    if let Some(found) = site.body.labels.get(label.0 as usize).filter(|found| found.kind != LabelKind::Code)
    {
        check_order(cx, site, site.span(TARGETS), found);
    }
    match cx.lists.get(&label).copied() {
        Some(Stmt::CallPrototype(_, prototype)) => {
            let at = site.body.label(label).at.0;
            check_signature(cx, site, Signature::of_prototype(prototype, site.body), "the prototype", at);
        }
        Some(Stmt::CallTargets(_, functions)) => {
            // All targets must have one signature; only the first that does not fit is reported.
            for &id in functions {
                let function = site.module.function(id);
                let what = format!("the target `{}`", site.module.name(function.name));
                if !check_signature(cx, site, Signature::of_function(function), &what, function.at.0) {
                    break;
                }
            }
        }
        _ => wrong_list(cx, site, label),
    }
}

/// Why calls that were written for one declaration of a function do not fit another declaration: `None` where they do.
pub fn signature_mismatch(module: &Module, written: FunctionId, wanted: FunctionId) -> Option<String> {
    let written = module.functions.get(written.0 as usize)?;
    let wanted = module.functions.get(wanted.0 as usize)?;
    if written.kind != wanted.kind {
        return Some("it is a kernel in one place and a device function in the other".to_owned());
    }
    let (given, taken) = (Signature::of_function(written), Signature::of_function(wanted));
    let lists = [(given.params, taken.params, "parameter"), (given.results, taken.results, "result")];
    for (ours, theirs, noun) in lists {
        if ours.len() != theirs.len() {
            let (ours, theirs) = (counted(ours.len(), noun), theirs.len());
            return Some(format!("it has {ours} in one place and {theirs} in the other"));
        }
        for (at, (one, other)) in ours.iter().zip(theirs).enumerate() {
            let one = param_shape(module, given.registers, *one)?;
            let other = param_shape(module, taken.registers, *other)?;
            // A parameter in the parameter space has its alignment stated, one in a register none.
            if one.align.is_some() != other.align.is_some() || shape_mismatch(other, one).is_some() {
                let (one, other) = (say(one), say(other));
                return Some(format!("{noun} {} is {one} in one place and {other} in the other", at + 1));
            }
        }
    }
    None
}

fn wrong_list(cx: &mut Checker<'_>, site: Site<'_>, label: LabelId) {
    let Some(found) = site.body.labels.get(label.0 as usize) else { return };
    let text = match found.kind {
        LabelKind::Code => "code",
        LabelKind::BranchTargets => "a `.branchtargets` list",
        LabelKind::CallTargets | LabelKind::CallPrototype => "nothing",
    };
    let text = format!("`{}` is the label of {text}, not of a prototype", site.module.name(found.name));
    cx.report(Diagnostic::error(codes::PROTOTYPE, site.span(TARGETS), text));
}

/// Whether the call fits; reports why not.
fn check_signature(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    signature: Signature<'_>,
    what: &str,
    at: Span,
) -> bool {
    let results = entries(site, RESULTS);
    let arguments = entries(site, ARGUMENTS);
    let mut fits = true;
    for (given, wanted, place, noun) in [
        (&results, signature.results, RESULTS, "result"),
        (&arguments, signature.params, ARGUMENTS, "argument"),
    ] {
        // An array without a length may also have no argument.
        let spared = given.len() + 1 == wanted.len()
            && !site.operand(place).is_omitted()
            && wanted.last().is_some_and(|&param| is_open(site.module, param));
        if given.len() == wanted.len() || (spared && place == ARGUMENTS) {
            for (&(operand, span), &param) in given.iter().zip(wanted) {
                fits &= check_argument(cx, site, (operand, span), (param, signature.registers), (noun, what));
            }
            continue;
        }
        let span = if site.operand(place).is_omitted() { site.whole() } else { site.span(place) };
        let text = format!("{what} has {}, the call has {}", counted(wanted.len(), noun), given.len());
        cx.report(Diagnostic::error(codes::ARGUMENT_COUNT, span, text).with_related(at, "declared here"));
        fits = false;
    }
    fits
}

/// Whether a parameter is an array without a length.
fn is_open(module: &Module, param: Param) -> bool {
    let Param::Variable(id) = param else { return false };
    let variable = module.variables.get(id.0 as usize);
    variable.is_some_and(|variable| matches!(variable.dims.first(), Some(None | Some(0))))
}

fn entries(site: Site<'_>, at: usize) -> Vec<(Operand, Span)> {
    match site.operand(at) {
        Operand::List(list) => {
            let spans = site.body.list_spans(list);
            site.body.list(list).iter().copied().zip(spans.iter().copied()).collect()
        }
        Operand::Omitted => Vec::new(),
        other => vec![(other, site.span(at))],
    }
}

fn check_argument(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    (operand, span): (Operand, Span),
    (param, registers): (Param, Option<&Body>),
    (noun, what): (&str, &str),
) -> bool {
    let Some(wanted) = param_shape(site.module, registers, param) else { return true };
    let mismatch = match operand {
        Operand::Sink if noun == "result" => None,
        Operand::Immediate(value) if noun == "argument" => immediate_mismatch(wanted, value),
        Operand::Register(reg) => shape_mismatch(wanted, register_shape(site.body, reg)),
        Operand::Symbol(Symbol::Variable(id), 0) => match site.module.variables.get(id.0 as usize) {
            Some(variable) if variable.space.window() != StateSpace::Param => {
                Some(format!("a variable in `.{}`, not in `.param`", variable.space.as_str()))
            }
            Some(_) if cx.inputs.contains(&id) || cx.outputs.contains(&id) => {
                Some("a parameter of this function, which cannot be passed on".to_owned())
            }
            Some(variable) => variable_shape(variable).and_then(|given| shape_mismatch(wanted, given)),
            None => None,
        },
        other => Some(site.describe(other)),
    };
    let Some(mismatch) = mismatch else { return true };
    let text = format!("this {noun} does not fit {what}: it is {mismatch}");
    let help = match operand {
        Operand::Element(..) if noun == "argument" => {
            format!("`mov` it to a register, and pass that: {what} expects {}", say(wanted))
        }
        Operand::Element(..) => {
            format!("use {} for the result, and copy it from there with `mov`", say(wanted))
        }
        _ => format!("{what} expects {}", say(wanted)),
    };
    cx.report(Diagnostic::error(codes::ARGUMENT_TYPE, span, text).with_help(help));
    false
}

fn param_shape(module: &Module, registers: Option<&Body>, param: Param) -> Option<Shape> {
    match param {
        Param::Variable(id) => module.variables.get(id.0 as usize).and_then(variable_shape),
        Param::Register(decl, _) => {
            let decl = registers?.reg_decls.get(decl.0 as usize)?;
            Some(declared_shape(decl))
        }
    }
}

fn register_shape(body: &Body, reg: ptx_ir::RegId) -> Shape {
    declared_shape(body.decl(reg))
}

fn declared_shape(decl: &RegDecl) -> Shape {
    Shape { ty: decl.ty, vector: decl.shape, array: None, align: None }
}

fn variable_shape(variable: &Variable) -> Option<Shape> {
    let array = if variable.dims.is_empty() { None } else { Some(variable.bytes()?) };
    let ty = variable.scalar_type()?;
    Some(Shape { ty, vector: variable.shape, array, align: Some(variable.alignment()) })
}

/// The mistake in an argument, `None` when it fits.
fn shape_mismatch(wanted: Shape, given: Shape) -> Option<String> {
    // A vector is passed element by element. `ptxas` accepts any type with as many bits, and passes only the first element or crashes.
    let array_fits = wanted.vector == given.vector
        && match (wanted.array, given.array) {
            (None, None) => types_fit(wanted.ty, given.ty),
            // `[]` accepts an array of any length.
            (Some(wanted), Some(given)) => wanted == given || wanted == 0,
            (None, Some(_)) | (Some(_), None) => false,
        };
    let aligned = match (wanted.align, given.align) {
        (Some(wanted), Some(given)) => wanted == given,
        // A register has the alignment of its type.
        (None, Some(given)) => given == wanted.ty.bytes(),
        (Some(wanted), None) => wanted == given.ty.bytes(),
        (None, None) => true,
    };
    if array_fits && aligned { None } else { Some(say(given)) }
}

/// Same width and kind; untyped bits fit every type of their width, from either side.
fn types_fit(wanted: ScalarType, given: ScalarType) -> bool {
    // `ptxas` accepts a pair of halves for any 32-bit type, and for a predicate.
    let pair = |ty: ScalarType| ty == ScalarType::F16x2;
    let as_pair = |ty: ScalarType| ty.bits() == 32 || ty == ScalarType::Pred;
    if (pair(wanted) && as_pair(given)) || (pair(given) && as_pair(wanted)) {
        return true;
    }
    if wanted == ScalarType::Pred || given == ScalarType::Pred {
        return wanted == given;
    }
    let bits = |ty: ScalarType| ty.kind() == TypeKind::Bits;
    let same_kind = wanted == given || (wanted.is_integer_or_bits() && given.is_integer_or_bits());
    wanted.bits() == given.bits() && (same_kind || bits(wanted) || bits(given))
}

fn immediate_mismatch(wanted: Shape, value: Immediate) -> Option<String> {
    let integer = value.as_integer().is_some();
    let fits = wanted.array.is_none()
        && wanted.vector == VectorShape::Scalar
        && wanted.ty != ScalarType::Pred
        && takes_immediate(wanted.ty, value);
    let found = if integer { "an integer constant" } else { "a floating-point constant" };
    if fits { None } else { Some(found.to_owned()) }
}

fn say(shape: Shape) -> String {
    let mut ty = dotted(shape.ty);
    if shape.vector != VectorShape::Scalar {
        ty = format!("`.v{} .{}`", shape.vector.lanes(), shape.ty.as_str());
    }
    match (shape.array, shape.align) {
        (None, None) => format!("a {ty} register"),
        (None, Some(align)) => format!("{ty} aligned to {align}"),
        (Some(0), _) => format!("an array of {ty} of any length"),
        (Some(bytes), align) => {
            // Default: without `.align` an array of bytes may begin anywhere.
            format!("an array of {} aligned to {}", counted(bytes, "byte"), align.unwrap_or(1))
        }
    }
}
