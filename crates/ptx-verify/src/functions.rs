//! Functions: parameters, directives and declarations against each other (manual 7.1, 11.2, 11.4, 11.7).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    Body, Function, FunctionDirective, FunctionId, FunctionKind, Linkage, Param, VarAttribute, VarId,
};
use ptx_isa::Construct;

use crate::context::Checker;
use crate::variables::{self, DeclarationScope, Head};
use crate::{body, codes, debug, old_parameters, redeclarations};

/// Checks a declaration or definition.
pub(crate) fn check(cx: &mut Checker<'_>, id: FunctionId) {
    let module = cx.module;
    let function = module.function(id);
    let head = if function.body.is_some() { Head::Definition } else { Head::Declaration };
    let scope = match function.kind {
        FunctionKind::Kernel => DeclarationScope::KernelParameter(head),
        FunctionKind::Device => DeclarationScope::FunctionParameter(head),
    };
    check_params(cx, function, &function.results, DeclarationScope::Result(head));
    check_params(cx, function, &function.params, scope);
    check_results(cx, function);
    if function.kind == FunctionKind::Kernel && !function.params.is_empty() {
        cx.require_construct(Construct::KernelParameters, function.at.0);
    }
    if function.kind == FunctionKind::Device {
        check_open_arrays(cx, &function.params);
    }
    if function.kind == FunctionKind::Kernel && function.body.is_none() {
        cx.require_construct(Construct::KernelDeclaration, function.at.0);
    }
    check_param_bytes(cx, function);
    check_linkage(cx, function);
    check_directives(cx, function);
    redeclarations::check_function(cx, id);
    if let Some(body) = &function.body {
        body::check(cx, function, body);
    }
}

fn check_params(cx: &mut Checker<'_>, function: &Function, params: &[Param], scope: DeclarationScope) {
    for param in params {
        match param {
            Param::Variable(id) => {
                variables::check(cx, *id, scope);
                if function.kind == FunctionKind::Device {
                    check_name(cx, *id);
                }
            }
            Param::Register(..) if function.kind == FunctionKind::Kernel => {
                let text = "parameters of kernels must be in `.param`";
                cx.report(Diagnostic::error(codes::PARAMETER, param_span(cx, function, *param), text));
            }
            // The declaration of the register is checked with the body it belongs to.
            Param::Register(decl, _) => {
                let decl = registers(function).and_then(|body| body.reg_decls.get(decl.0 as usize));
                if let Some(decl) = decl.filter(|decl| cx.module.name(decl.name) == "_") {
                    let text = "`_` is allowed as the name of a parameter only in `.callprototype`";
                    cx.report(Diagnostic::error(codes::PARAMETER, decl.at.0, text));
                }
            }
        }
    }
    if let Some(registers) = function.reg_params.as_deref() {
        variables::check_registers(cx, registers);
    }
}

/// Only prototypes and kernels have nameless parameters (manual 11.3.3).
fn check_name(cx: &mut Checker<'_>, id: VarId) {
    let variable = cx.module.variable(id);
    if cx.module.name(variable.name) == "_" {
        let text = "`_` is allowed as the name of a parameter only in `.callprototype`";
        cx.report(Diagnostic::error(codes::PARAMETER, variable.at.0, text));
    }
}

fn param_span(cx: &Checker<'_>, function: &Function, param: Param) -> Span {
    let found = match param {
        Param::Variable(id) => cx.module.variables.get(id.0 as usize).map(|variable| variable.at.0),
        Param::Register(decl, _) => {
            registers(function).and_then(|body| body.reg_decls.get(decl.0 as usize)).map(|decl| decl.at.0)
        }
    };
    found.unwrap_or(function.at.0)
}

/// The body that the register parameters of a function are declared in.
pub(crate) fn registers(function: &Function) -> Option<&Body> {
    function.body.as_ref().or(function.reg_params.as_deref())
}

/// Reports parameters without a length that are not the last one (manual 7.1.1).
pub(crate) fn check_open_arrays(cx: &mut Checker<'_>, params: &[Param]) {
    let Some((last, before)) = params.split_last() else { return };
    if let Param::Variable(id) = last
        && let Some(variable) = cx.module.variables.get(id.0 as usize)
        && matches!(variable.dims.first(), Some(None | Some(0)))
    {
        cx.require_construct(Construct::OpenArray, variable.at.0);
    }
    for param in before {
        let Param::Variable(id) = param else { continue };
        let variable = cx.module.variable(*id);
        if matches!(variable.dims.first(), Some(None | Some(0))) {
            let text = "only the last parameter can be an array without a length";
            cx.report(Diagnostic::error(codes::PARAMETER, variable.at.0, text));
        }
    }
}

/// Several results are returned in registers.
pub(crate) fn check_several_results(cx: &mut Checker<'_>, results: &[Param], span: Span) {
    let in_memory = results.iter().any(|result| matches!(result, Param::Variable(_)));
    if results.len() > 1 && in_memory {
        let text = "several results must be in registers, not in `.param`";
        let help = "return one array of `.b8` that holds all of them";
        cx.report(Diagnostic::error(codes::PARAMETER, span, text).with_help(help));
    }
}

fn check_results(cx: &mut Checker<'_>, function: &Function) {
    check_several_results(cx, &function.results, function.at.0);
    if function.kind == FunctionKind::Kernel && !function.results.is_empty() {
        let text = "a kernel cannot have results";
        cx.report(Diagnostic::error(codes::PARAMETER, function.at.0, text));
    }
}

/// Kernel parameters fill at most 32,764 bytes since PTX ISA 8.1 on sm_70, 4,352 before, and 256 before PTX ISA 1.5
/// (manual 5.1.6.1).
fn check_param_bytes(cx: &mut Checker<'_>, function: &Function) {
    if function.kind != FunctionKind::Kernel {
        return;
    }
    let large = cx.target.version_at_least(8, 1) && cx.target.sm_at_least(70);
    let limit: u64 = match (large, cx.target.version_at_least(1, 5)) {
        (true, _) => 32_764,
        (false, true) => 4_352,
        (false, false) => 256,
    };
    let mut bytes: u64 = 0;
    let listed = function.params.iter().filter_map(|param| match param {
        Param::Variable(id) => Some(*id),
        Param::Register(..) => None,
    });
    for id in listed.chain(old_parameters::of(cx.module, function)) {
        let variable = cx.module.variable(id);
        // Variables without a size have been reported already.
        let Some(size) = variable.bytes() else { return };
        let align = u64::from(variable.alignment().max(1));
        bytes = bytes.div_ceil(align).saturating_mul(align).saturating_add(size);
    }
    if bytes > limit {
        let text =
            format!("the parameters of this kernel have {bytes} bytes, but at most {limit} are allowed");
        let finding = Diagnostic::error(codes::PARAMETER_BYTES, function.at.0, text);
        cx.report(if large { finding } else { finding.with_help("PTX ISA 8.1 on sm_70 allows 32764") });
    }
}

fn check_linkage(cx: &mut Checker<'_>, function: &Function) {
    variables::check_linkage_since(cx, function.linkage, function.at.0);
    let text = match function.linkage {
        Linkage::Extern if function.body.is_some() => "an `.extern` function cannot have a body",
        Linkage::Common => "functions cannot be `.common`",
        Linkage::Internal | Linkage::Extern | Linkage::Visible | Linkage::Weak => return,
    };
    cx.report(Diagnostic::error(codes::LINKAGE, function.at.0, text));
}

/// The number of control registers that `ptxas` can preserve.
const MOST_CONTROL_REGISTERS: u32 = 11;

fn check_directives(cx: &mut Checker<'_>, function: &Function) {
    for (directive, at) in &function.directives {
        let (construct, span) = (directive.construct(), at.0);
        if directive.allowed_on().is_some_and(|kind| kind != function.kind) {
            let owner = match function.kind {
                FunctionKind::Kernel => "device functions",
                FunctionKind::Device => "kernels",
            };
            let text = format!("{construct} is only allowed on {owner}");
            cx.report(Diagnostic::error(codes::FUNCTION_DIRECTIVE, span, text));
            continue;
        }
        cx.require_construct(construct, span);
        if directive.positive().contains(&0) {
            let text = format!("{construct} must be positive");
            cx.report(Diagnostic::error(codes::DIRECTIVE_VALUE, span, text));
        }
        if let FunctionDirective::Pragma(strings) = directive {
            debug::check_outer_pragma(cx, strings, span);
        }
        check_single(cx, function, directive, span);
    }
    check_preserved(cx, function);
    check_conflicts(cx, function);
}

/// Checks the requirements of one directive for its function.
fn check_single(cx: &mut Checker<'_>, function: &Function, directive: &FunctionDirective, span: Span) {
    let (text, code) = match directive {
        FunctionDirective::NoReturn if !function.results.is_empty() => {
            ("a `.noreturn` function cannot have results", codes::FUNCTION_DIRECTIVE)
        }
        FunctionDirective::MaxNCtaPerSm(_) if cx.target.version_at_least(2, 1) => {
            ("`.maxnctapersm` was removed in PTX ISA 2.1; use `.minnctapersm`", codes::REMOVED)
        }
        FunctionDirective::Language(numbers) if numbers.iter().any(|&number| number > 10) => {
            ("a language must be a number from 0 to 10", codes::DIRECTIVE_VALUE)
        }
        FunctionDirective::AbiPreserveControl(count) if *count > MOST_CONTROL_REGISTERS => {
            ("at most 11 control registers can be preserved", codes::DIRECTIVE_VALUE)
        }
        FunctionDirective::Attribute(VarAttribute::Managed) => {
            ("functions cannot be `.managed`", codes::ATTRIBUTE)
        }
        _ => return,
    };
    cx.report(Diagnostic::error(code, span, text));
}

/// `.abi_preserve` and `.abi_preserve_control` may occur once.
fn check_preserved(cx: &mut Checker<'_>, function: &Function) {
    let (mut registers, mut control) = (false, false);
    for (directive, at) in &function.directives {
        let again = match directive {
            FunctionDirective::AbiPreserve(_) => std::mem::replace(&mut registers, true),
            FunctionDirective::AbiPreserveControl(_) => std::mem::replace(&mut control, true),
            _ => false,
        };
        if again {
            let text = format!("{} is given twice", directive.construct());
            cx.report(Diagnostic::error(codes::FUNCTION_DIRECTIVE, at.0, text));
        }
    }
}

/// Directives that exclude each other, and `.blocksareclusters`, which needs two others (manual 11.7, 11.8.1).
fn check_conflicts(cx: &mut Checker<'_>, function: &Function) {
    let place = |wanted: fn(&FunctionDirective) -> bool| {
        function.directives.iter().find(|(directive, _)| wanted(directive)).map(|(_, at)| at.0)
    };
    let max_ntid = place(|d| matches!(d, FunctionDirective::MaxNtid(_)));
    let req_ntid = place(|d| matches!(d, FunctionDirective::ReqNtid(_)));
    let per_cluster = place(|d| matches!(d, FunctionDirective::ReqNCtaPerCluster(_)));
    let rank = place(|d| matches!(d, FunctionDirective::MaxClusterRank(_)));
    let blocks = place(|d| matches!(d, FunctionDirective::BlocksAreClusters));
    let pairs = [
        (max_ntid, req_ntid, ".maxntid", ".reqntid"),
        (per_cluster, rank, ".reqnctapercluster", ".maxclusterrank"),
    ];
    for (first, second, one, other) in pairs {
        if let (Some(first), Some(second)) = (first, second) {
            let text = format!("`{one}` and `{other}` are mutually exclusive");
            cx.report(
                Diagnostic::error(codes::DIRECTIVE_CONFLICT, second, text)
                    .with_related(first, "the other one"),
            );
        }
    }
    if let Some(span) = blocks
        && (req_ntid.is_none() || per_cluster.is_none())
    {
        let text = "`.blocksareclusters` needs `.reqntid` and `.reqnctapercluster`";
        cx.report(Diagnostic::error(codes::DIRECTIVE_CONFLICT, span, text));
    }
}
