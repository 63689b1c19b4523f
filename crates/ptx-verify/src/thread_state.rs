//! Registers and local variables that are declared outside of functions, before PTX 3.0 (manual 7.1.1).
//!
//! Each thread has them once, for its whole life, in all functions. `ptxas` does not use the ABI then: it keeps such a
//! register in one hardware register across all calls, so that all functions must be known and recursion is not allowed.

use std::collections::BTreeSet;

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Body, FunctionId, Item, Module, Operand, RegDeclId, Symbol, VarId};
use ptx_isa::{ControlSem, Sem, StateSpace};

use crate::codes;
use crate::context::Checker;

/// The registers and variables that a function needs, itself or in its callees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Used {
    /// Registers: one of [`Module::registers`] with its number.
    pub(crate) registers: BTreeSet<(RegDeclId, u32)>,
    /// Local variables.
    pub(crate) locals: BTreeSet<VarId>,
}

impl Used {
    pub(crate) fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.locals.is_empty()
    }
}

/// Where the module declares such a register or variable first.
pub(crate) fn declared(module: &Module) -> Option<Span> {
    module.items.iter().find_map(|item| match item {
        Item::Registers(first, ..) => module.registers.get(first.0 as usize).map(|decl| decl.at.0),
        Item::Variable(id) => {
            let variable = module.variables.get(id.0 as usize)?;
            (variable.space == StateSpace::Local).then_some(variable.at.0)
        }
        _ => None,
    })
}

/// Checks that every call is to a known function, by its name, and is not recursive.
pub(crate) fn check(cx: &mut Checker<'_>) {
    let module = cx.module;
    let Some(declared) = declared(module) else { return };
    let report = |cx: &mut Checker<'_>, span: Span, text: String, help: &str| {
        let finding = Diagnostic::error(codes::CALLEE, span, text).with_help(help);
        cx.report(finding.with_related(declared, "declared outside of functions here"));
    };
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (callee, span) in callees(module, body) {
            let Some(id) = callee else {
                let text = "in a module with registers or local variables outside of functions, indirect calls are not allowed";
                report(cx, span, text.to_owned(), "declare them in the functions that use them");
                continue;
            };
            let function = module.function(id);
            if function.body.is_none() {
                let name = module.name(function.name);
                let text = format!(
                    "`{name}` has no body, which is required in a module with registers or local variables outside of functions"
                );
                report(cx, span, text, "declare them in the functions that use them, or define the function");
            }
        }
    }
    for (id, span) in order(module).1 {
        let name = module.name(module.function(id).name);
        let text = format!(
            "this call is recursive through `{name}`, which is not allowed in a module with registers or local variables outside of functions"
        );
        report(cx, span, text, "declare them in the functions that use them");
    }
}

/// The registers and variables that each function needs, by its number.
pub(crate) fn used(module: &Module) -> Vec<Used> {
    let locals: BTreeSet<VarId> = locals(module).collect();
    // Functions after those that they call, so that one pass finds what callees need, too. There are no cycles: `check` has refused them.
    let mut used = vec![Used::default(); module.functions.len()];
    for id in order(module).0 {
        let Some(body) = module.functions.get(id.0 as usize).and_then(|function| function.body.as_ref())
        else {
            continue;
        };
        let mut all = Used {
            registers: registers(body).map(|(outer, number, _)| (outer, number)).collect(),
            locals: body.variables_named().filter(|id| locals.contains(id)).collect(),
        };
        for (callee, _) in callees(module, body) {
            if let Some(callee) = callee.and_then(|callee| used.get(callee.0 as usize)) {
                all.registers.extend(&callee.registers);
                all.locals.extend(&callee.locals);
            }
        }
        if let Some(place) = used.get_mut(id.0 as usize) {
            *place = all;
        }
    }
    used
}

/// The local variables of the module.
pub(crate) fn locals(module: &Module) -> impl Iterator<Item = VarId> + '_ {
    module.items.iter().filter_map(|item| match item {
        Item::Variable(id) if module.variable(*id).space == StateSpace::Local => Some(*id),
        _ => None,
    })
}

/// The registers of the module that a body mentions, each with its number and the index it has in the body.
pub(crate) fn registers(body: &Body) -> impl Iterator<Item = (RegDeclId, u32, usize)> + '_ {
    body.registers.iter().enumerate().filter_map(|(at, register)| {
        let (_, outer) = body.module_registers.iter().find(|(own, _)| *own == register.decl)?;
        Some((*outer, register.number, at))
    })
}

/// The callees of a body: the definition, if there is one, or `None` for a call through a register.
fn callees<'m>(module: &'m Module, body: &'m Body) -> impl Iterator<Item = (Option<FunctionId>, Span)> + 'm {
    let calls = body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call));
    calls.map(|(_, inst)| match body.operands(inst).get(1) {
        Some(Operand::Symbol(Symbol::Function(id), _)) => (Some(module.definition(*id)), inst.at.0),
        _ => (None, inst.at.0),
    })
}

/// All functions, each after those that it calls, and the calls that lead back to a function.
fn order(module: &Module) -> (Vec<FunctionId>, Vec<(FunctionId, Span)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let calls = |id: FunctionId| {
        let body = module.functions.get(id.0 as usize).and_then(|function| function.body.as_ref());
        let all = body.into_iter().flat_map(|body| callees(module, body));
        all.filter_map(|(callee, span)| Some((callee?, span))).collect::<Vec<_>>()
    };
    let mut marks = vec![Mark::New; module.functions.len()];
    let (mut ordered, mut back) = (Vec::new(), Vec::new());
    for first in module.function_ids() {
        // Functions that are open, each with the calls that are left of it.
        let mut open = vec![(first, Vec::new())];
        while let Some((id, left)) = open.last_mut() {
            let id = *id;
            let Some(mark) = marks.get_mut(id.0 as usize) else { break };
            if *mark == Mark::New {
                *mark = Mark::Open;
                *left = calls(id);
            }
            if *mark == Mark::Done {
                open.pop();
                continue;
            }
            let Some((callee, span)) = left.pop() else {
                *mark = Mark::Done;
                ordered.push(id);
                open.pop();
                continue;
            };
            match marks.get(callee.0 as usize) {
                Some(Mark::New) => open.push((callee, Vec::new())),
                Some(Mark::Open) => back.push((callee, span)),
                Some(Mark::Done) | None => {}
            }
        }
    }
    (ordered, back)
}
