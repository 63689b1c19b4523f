//! Bodies: register declarations and statements in their order (manual 4.3, 5.1.1, 11).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Body, Function, Inst, LabelKind, LabelTarget, Param, Prototype, Stmt, VarId};
use ptx_isa::{Construct, StateSpace};

use crate::context::{Checker, Site};
use crate::variables::{self, DeclarationScope, Head};
use crate::{cluster_addresses, codes, debug, functions, modifiers, operands};

/// Checks all that is between a function's braces.
pub(crate) fn check<'m>(cx: &mut Checker<'m>, function: &'m Function, body: &'m Body) {
    cx.enter(function, body);
    variables::check_registers(cx, body);
    for stmt in &body.statements {
        match stmt {
            Stmt::Inst(inst) => check_inst(cx, function, body, inst),
            Stmt::Variable(id) => {
                let is_parameter = cx.inputs.contains(id);
                let scope = if is_parameter {
                    DeclarationScope::KernelParameter(Head::Definition)
                } else {
                    DeclarationScope::Body
                };
                variables::check(cx, *id, scope);
                check_hidden(cx, function, body, *id);
            }
            Stmt::BranchTargets(label, targets) => {
                cx.require_construct(Construct::BranchTargets, body.label(*label).at.0);
                check_targets(cx, body, targets);
            }
            Stmt::CallTargets(label, _) => {
                cx.require_construct(Construct::CallTargets, body.label(*label).at.0);
            }
            Stmt::CallPrototype(label, prototype) => check_prototype(cx, body.label(*label).at.0, prototype),
            Stmt::Location(location) => debug::check_location(cx, location),
            Stmt::Label(_)
            | Stmt::Registers(..)
            | Stmt::ScopeStart
            | Stmt::ScopeEnd
            | Stmt::Pragma(_)
            | Stmt::Comment(_)
            | Stmt::TrailingComment(_)
            | Stmt::Mark(_) => {}
        }
    }
    cluster_addresses::check(cx, body);
}

/// Refuses a `.param` variable of an inner block with the name of a parameter of the function: for `ptxas` the name is that of the
/// parameter there, while other names of inner blocks hide those outside.
fn check_hidden(cx: &mut Checker<'_>, function: &Function, body: &Body, id: VarId) {
    let variable = cx.module.variable(id);
    let is_same = |param: &Param| match param {
        Param::Variable(own) => *own != id && cx.module.variable(*own).name == variable.name,
        Param::Register(decl, _) => {
            body.reg_decls.get(decl.0 as usize).is_some_and(|decl| decl.name == variable.name)
        }
    };
    if variable.space != StateSpace::Param || !function.params.iter().chain(&function.results).any(is_same) {
        return;
    }
    let name = cx.module.name(variable.name);
    let text = format!("`{name}` is the name of a parameter, which a `.param` variable cannot shadow");
    let error = Diagnostic::error(codes::REDECLARATION, variable.at.0, text);
    cx.report(error.with_help("`ptxas` resolves the name to the parameter; rename the variable"));
}

fn check_inst<'m>(cx: &mut Checker<'m>, function: &'m Function, body: &'m Body, inst: &'m Inst) {
    let site = Site { module: cx.module, function, body, inst };
    // The targets of single modifiers may exclude each other, so that each limit is checked separately.
    if cx.available.contains(&inst.mnemonic) {
        // Checked already.
    } else if inst.mnemonic.limits().all(|limit| cx.target.has(limit)) {
        cx.available.insert(inst.mnemonic);
    } else {
        let what = format!("`{}`", inst.mnemonic);
        let since = inst.mnemonic.since();
        if cx.target.has(since) {
            let limit = inst.mnemonic.limits().find(|limit| !cx.target.has(*limit));
            cx.require(limit.unwrap_or(since), inst.at.0, &what);
        } else {
            cx.require(since, inst.at.0, &what);
        }
    }
    operands::check_guard(cx, site);
    operands::check(cx, site);
    modifiers::check(cx, site);
}

fn check_targets(cx: &mut Checker<'_>, body: &Body, targets: &[LabelTarget]) {
    for target in targets {
        if body.label(target.label).kind != LabelKind::Code {
            let text =
                format!("`{}` is not the label of code", cx.module.name(body.label(target.label).name));
            cx.report(Diagnostic::error(codes::LABEL, target.at.0, text));
        }
    }
}

fn check_prototype(cx: &mut Checker<'_>, span: Span, prototype: &Prototype) {
    cx.require_construct(Construct::CallPrototype, span);
    let (results, params) =
        (DeclarationScope::Result(Head::Prototype), DeclarationScope::FunctionParameter(Head::Prototype));
    for (list, scope) in [(&prototype.results, results), (&prototype.params, params)] {
        for param in list {
            if let Param::Variable(id) = param {
                variables::check(cx, *id, scope);
            }
        }
    }
    functions::check_several_results(cx, &prototype.results, span);
    functions::check_open_arrays(cx, &prototype.params);
    if let Some(at) = prototype.noreturn {
        cx.require_construct(Construct::NoReturn, at.0);
        if !prototype.results.is_empty() {
            let text = "a `.noreturn` function cannot have results";
            cx.report(Diagnostic::error(codes::FUNCTION_DIRECTIVE, at.0, text));
        }
    }
    let preserved = [
        (prototype.abi_preserve, Construct::AbiPreserve),
        (prototype.abi_preserve_control, Construct::AbiPreserveControl),
    ];
    for (directive, construct) in preserved {
        if let Some((_, at)) = directive {
            cx.require_construct(construct, at.0);
        }
    }
}
