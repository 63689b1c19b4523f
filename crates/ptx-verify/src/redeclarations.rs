//! Declarations of one name against each other, and aliases (manual 11.6).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Alias, Function, FunctionDirective, FunctionId, FunctionKind, Linkage, Param, VarId, Variable};
use ptx_isa::{Construct, ScalarType};

use crate::codes;
use crate::context::Checker;
use crate::functions::registers;

/// Checks a module variable against the first of its name.
pub(crate) fn check_variable(cx: &mut Checker<'_>, id: VarId) {
    let module = cx.module;
    let variable = module.variable(id);
    let Some(first) = cx.first_variable(variable.name, id) else {
        if variable.linkage != Linkage::Extern {
            cx.set_defined(variable.name);
        }
        return;
    };
    let earlier = module.variable(first);
    let name = module.name(variable.name);
    let external = |variable: &Variable| variable.linkage == Linkage::Extern;
    let text = if !external(variable) && cx.is_defined(variable.name) {
        format!("`{name}` is defined twice")
    } else if !same_variable(earlier, variable) {
        format!("`{name}` is declared with a different type or state space")
    } else if external(earlier) && variable.linkage == Linkage::Internal {
        format!("`{name}` is declared `.extern`; its definition must be `.visible` or `.weak`")
    } else {
        if !external(variable) {
            cx.set_defined(variable.name);
        }
        return;
    };
    let finding = Diagnostic::error(codes::REDECLARATION, variable.at.0, text);
    cx.report(finding.with_related(earlier.at.0, "first declared here"));
}

fn same_variable(first: &Variable, second: &Variable) -> bool {
    let open = |variable: &Variable| matches!(variable.dims.first(), Some(None | Some(0)));
    let same_dims = first.dims == second.dims
        || ((open(first) || open(second))
            && first.dims.len() == second.dims.len()
            && first.dims.get(1..) == second.dims.get(1..));
    first.space == second.space && first.ty == second.ty && first.shape == second.shape && same_dims
}

/// Checks a function against the first of its name.
pub(crate) fn check_function(cx: &mut Checker<'_>, id: FunctionId) {
    let module = cx.module;
    let function = module.function(id);
    let Some(first) = cx.first_function(function.name, id) else {
        if function.body.is_some() {
            cx.set_defined(function.name);
        }
        return;
    };
    let earlier = module.function(first);
    let name = module.name(function.name);
    let text = if cx.is_defined(function.name) {
        format!("`{name}` is already defined")
    } else if earlier.kind != function.kind {
        format!("`{name}` is declared as a kernel and as a device function")
    } else if let Some(difference) = difference(cx, earlier, function) {
        format!("`{name}` is declared with {difference}")
    } else if returns(earlier) != returns(function) {
        format!("`{name}` is declared both with and without `.noreturn`")
    } else if !linkage_agrees(earlier, function) {
        format!("`{name}` is declared with a different linkage")
    } else {
        if function.body.is_some() {
            cx.set_defined(function.name);
        }
        return;
    };
    let finding = Diagnostic::error(codes::REDECLARATION, function.at.0, text);
    cx.report(finding.with_related(earlier.at.0, "first declared here"));
}

/// `.visible` and `.weak` may be left out the second time.
fn linkage_agrees(first: &Function, second: &Function) -> bool {
    let repeated = matches!(first.linkage, Linkage::Visible | Linkage::Weak);
    first.linkage == second.linkage || (repeated && second.linkage == Linkage::Internal)
}

fn difference(cx: &Checker<'_>, first: &Function, second: &Function) -> Option<&'static str> {
    if first.params.len() != second.params.len() || first.results.len() != second.results.len() {
        return Some("a different number of parameters or results");
    }
    let pairs = first.params.iter().zip(&second.params).chain(first.results.iter().zip(&second.results));
    for (&one, &other) in pairs {
        let same = match (one, other) {
            (Param::Variable(one), Param::Variable(other)) => {
                let (one, other) =
                    (cx.module.variables.get(one.0 as usize), cx.module.variables.get(other.0 as usize));
                one.zip(other).is_none_or(|(one, other)| {
                    same_variable(one, other)
                        && one.dims == other.dims
                        && one.alignment() == other.alignment()
                })
            }
            (Param::Register(..), Param::Register(..)) => {
                register_type(first, one) == register_type(second, other)
            }
            (Param::Variable(_), Param::Register(..)) | (Param::Register(..), Param::Variable(_)) => false,
        };
        if !same {
            return Some("different types of parameters or results");
        }
    }
    None
}

/// Whether control comes back from a function.
fn returns(function: &Function) -> bool {
    !function.directives.iter().any(|(directive, _)| matches!(directive, FunctionDirective::NoReturn))
}

fn register_type(function: &Function, param: Param) -> Option<ScalarType> {
    match param {
        Param::Register(decl, _) => registers(function)?.reg_decls.get(decl.0 as usize).map(|decl| decl.ty),
        Param::Variable(_) => None,
    }
}

/// Checks an `.alias` (manual 11.2.3): a declared function is another name of another one, which the module need not define.
pub(crate) fn check_alias(cx: &mut Checker<'_>, alias: Alias, span: Span) {
    let module = cx.module;
    cx.require_construct(Construct::Alias, span);
    let definition = |id: FunctionId| module.functions.get(id.0 as usize).map(|_| cx.definition(id));
    let (Some(name), Some(target)) = (definition(alias.name), definition(alias.target)) else { return };
    let (Some(name), Some(target)) =
        (module.functions.get(name.0 as usize), module.functions.get(target.0 as usize))
    else {
        return;
    };
    let (alias_text, target_text) = (module.name(name.name), module.name(target.name));
    let text = if name.name == target.name {
        format!("`{alias_text}` cannot be an alias of itself")
    } else if name.body.is_some() {
        format!("`{alias_text}` has a body and cannot be an alias")
    } else if name.kind == FunctionKind::Kernel || target.kind == FunctionKind::Kernel {
        "only device functions can have aliases".to_owned()
    } else if target.linkage == Linkage::Weak {
        format!("`{target_text}` is `.weak` and cannot have an alias")
    } else if target.linkage == Linkage::Extern {
        format!("`{target_text}` is `.extern` and cannot have an alias")
    } else if let Some(first) = cx.aliases.get(&name.name) {
        let text = format!("`{alias_text}` is already an alias of `{}`", module.name(*first));
        return cx.report(Diagnostic::error(codes::ALIAS, span, text));
    } else if let Some(difference) = difference(cx, target, name) {
        format!("`{alias_text}` is an alias of `{target_text}`, but is declared with {difference}")
    } else {
        cx.aliases.insert(name.name, target.name);
        return;
    };
    cx.report(Diagnostic::error(codes::ALIAS, span, text));
}
