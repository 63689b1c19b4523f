//! Which functions call which, and the local memory that this takes.

use std::collections::{BTreeMap, BTreeSet};

use ptx_diag::Span;
use ptx_ir::dominators::{FlowGraph, components};
use ptx_ir::{
    Body, Function, FunctionId, FunctionKind, Initializer, Inst, LabelId, Module, Operand, Param, Stmt,
    Symbol,
};
use ptx_isa::{ControlSem, OperandKey, Sem, StateSpace};
use serde::Serialize;

/// A function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunctionCalls {
    /// Its name.
    pub name: String,
    /// Whether the host calls it.
    pub is_kernel: bool,
    /// Whether the module has its body.
    pub is_defined: bool,
    /// Bytes of its own local variables.
    pub local: u64,
    /// Bytes of local variables on the way with the most of them, its own included; `None` where calls are recursive, or go where that is not known.
    pub stack: Option<u64>,
    /// The functions on that way.
    pub deepest: Vec<String>,
    /// Whether it may be called again while it is executed.
    pub is_recursive: bool,
    /// What it calls.
    pub calls: Vec<Call>,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Call {
    /// Its line.
    pub line: u32,
    /// Whether it is by an address.
    pub is_indirect: bool,
    /// The functions that it may go to: for one by an address those of its list, or those whose address is taken and that have its signature.
    pub targets: Vec<String>,
}

/// The calls of a module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CallGraph {
    /// The functions in the order of the text, each once.
    pub functions: Vec<FunctionCalls>,
}

/// The graph of the calls, with a node before all functions.
struct Graph {
    calls: Vec<Vec<usize>>,
    callers: Vec<Vec<usize>>,
}

impl FlowGraph for Graph {
    fn block_count(&self) -> usize {
        self.calls.len()
    }

    fn entry(&self) -> Option<usize> {
        Some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.calls.get(block)?.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.callers.get(block).into_iter().flatten().copied()
    }
}

/// The calls of a module; `lines` as for the other analyses.
pub(crate) fn call_graph(module: &Module, lines: &impl Fn(&[Span]) -> Vec<u32>) -> CallGraph {
    let ids: Vec<FunctionId> =
        module.function_ids().filter(|id| module.definition(*id) == *id && is_first(module, *id)).collect();
    let numbers: BTreeMap<FunctionId, usize> = ids.iter().copied().zip(1..).collect();
    let taken = taken(module);
    let mut graph =
        Graph { calls: vec![(1..=ids.len()).collect()], callers: vec![Vec::new(); ids.len() + 1] };
    let (mut functions, mut leads_elsewhere) = (Vec::new(), vec![false]);
    for id in &ids {
        let function = module.function(*id);
        let body = function.body.as_ref();
        let found: Vec<_> = body.into_iter().flat_map(|body| calls(module, body, &taken, lines)).collect();
        let to: BTreeSet<usize> = found
            .iter()
            .flat_map(|(_, targets)| targets)
            .filter_map(|target| numbers.get(target).copied())
            .collect();
        leads_elsewhere.push(body.is_none() || found.iter().any(|(_, targets)| targets.is_empty()));
        graph.calls.push(to.into_iter().collect());
        functions.push(FunctionCalls {
            name: module.name(function.name).to_owned(),
            is_kernel: function.kind == FunctionKind::Kernel,
            is_defined: body.is_some(),
            local: body.into_iter().map(|body| local_bytes(module, body)).sum(),
            stack: None,
            deepest: Vec::new(),
            is_recursive: false,
            calls: found.into_iter().map(|(call, _)| call).collect(),
        });
    }
    for (from, all) in graph.calls.clone().into_iter().enumerate() {
        all.into_iter().for_each(|to| graph.callers[to].push(from));
    }
    let components = components(&graph);
    for (function, number) in functions.iter_mut().zip(1..) {
        let is_in_cycle = components.get(number).copied().flatten().is_some_and(|own| own.size > 1);
        function.is_recursive = is_in_cycle || graph.calls[number].contains(&number);
    }
    add_stacks(&mut functions, &graph, &leads_elsewhere);
    CallGraph { functions }
}

/// Whether no declaration of the same function without a body is before it.
fn is_first(module: &Module, id: FunctionId) -> bool {
    let name = module.function(id).name;
    module.function(id).body.is_some()
        || module.function_ids().find(|other| module.function(*other).name == name) == Some(id)
}

fn local_bytes(module: &Module, body: &Body) -> u64 {
    let variables = body.statements.iter().filter_map(|statement| match statement {
        Stmt::Variable(id) => Some(module.variable(*id)),
        _ => None,
    });
    variables
        .filter(|variable| variable.space == StateSpace::Local)
        .filter_map(|variable| variable.bytes())
        .sum()
}

/// The functions whose address is in a register or a variable.
fn taken(module: &Module) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (_, inst) in body.instructions() {
            let callee = callee(body, inst);
            body.for_each_operand(inst, |operand, _| {
                if let Operand::Symbol(Symbol::Function(id), _) = operand
                    && callee != Some(operand)
                {
                    found.insert(module.definition(id));
                }
            });
        }
    }
    for initializer in module.variables.iter().filter_map(|variable| variable.init.as_ref()) {
        of_initializer(module, initializer, &mut found);
    }
    found
}

/// Initial values are nested as deep as the dimensions of their variable, which the reader limits.
fn of_initializer(module: &Module, initializer: &Initializer, found: &mut BTreeSet<FunctionId>) {
    match initializer {
        Initializer::List(entries) => entries.iter().for_each(|entry| of_initializer(module, entry, found)),
        Initializer::Address { symbol: Symbol::Function(id), .. }
        | Initializer::Masked { symbol: Symbol::Function(id), .. } => {
            found.insert(module.definition(*id));
        }
        Initializer::Fields(_)
        | Initializer::Integers(_)
        | Initializer::Value(_)
        | Initializer::Address { .. }
        | Initializer::Masked { .. } => {}
    }
}

fn callee(body: &Body, inst: &Inst) -> Option<Operand> {
    if inst.mnemonic.sem() != Sem::Control(ControlSem::Call) {
        return None;
    }
    body.operands(inst).get(inst.mnemonic.form().operand(OperandKey::Func)?).copied()
}

/// The calls of a function with their targets.
fn calls(
    module: &Module,
    body: &Body,
    taken: &BTreeSet<FunctionId>,
    lines: &impl Fn(&[Span]) -> Vec<u32>,
) -> Vec<(Call, Vec<FunctionId>)> {
    let found: Vec<(&Inst, Operand)> =
        body.instructions().filter_map(|(_, inst)| Some((inst, callee(body, inst)?))).collect();
    let spans: Vec<Span> = found.iter().map(|(inst, _)| inst.at.0).collect();
    let of = |((inst, callee), line): ((&Inst, Operand), u32)| {
        let (is_indirect, targets) = match callee {
            Operand::Symbol(Symbol::Function(id), _) => (false, vec![module.definition(id)]),
            _ => (true, by_address(module, body, inst, taken)),
        };
        let name = |id: &FunctionId| module.name(module.function(*id).name).to_owned();
        (Call { line, is_indirect, targets: targets.iter().map(name).collect() }, targets)
    };
    found.into_iter().zip(lines(&spans)).map(of).collect()
}

/// Where a call by an address may go to.
fn by_address(module: &Module, body: &Body, inst: &Inst, taken: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
    let list = inst
        .mnemonic
        .form()
        .operand(OperandKey::Tlist)
        .or_else(|| inst.mnemonic.form().operand(OperandKey::Targets));
    let label = list.and_then(|at| body.operands(inst).get(at)).and_then(|operand| match operand {
        Operand::Label(label) => Some(*label),
        _ => None,
    });
    let Some(label) = label else { return Vec::new() };
    for statement in &body.statements {
        match statement {
            Stmt::CallTargets(own, targets) if *own == label => {
                return targets.iter().map(|target| module.definition(*target)).collect();
            }
            Stmt::CallPrototype(own, prototype) if *own == label => {
                let wanted =
                    (sizes(module, body, &prototype.results), sizes(module, body, &prototype.params));
                let fits = |id: &&FunctionId| {
                    let Function { results, params, body: own, reg_params, .. } = module.function(**id);
                    let own = own.as_ref().or(reg_params.as_deref());
                    own.is_none_or(|own| (sizes(module, own, results), sizes(module, own, params)) == wanted)
                };
                return taken.iter().filter(fits).copied().collect();
            }
            _ => {}
        }
    }
    debug_assert!(label_exists(body, label), "verified");
    Vec::new()
}

fn label_exists(body: &Body, label: LabelId) -> bool {
    body.labels.len() > label.0 as usize
}

/// The bytes of parameters.
fn sizes(module: &Module, body: &Body, params: &[Param]) -> Vec<Option<u64>> {
    let size = |param: &Param| match param {
        Param::Variable(id) => module.variable(*id).bytes(),
        Param::Register(decl, _) => body.reg_decls.get(decl.0 as usize).map(|decl| decl.ty.bytes().into()),
    };
    params.iter().map(size).collect()
}

/// Adds the local memory of the calls, callees first.
fn add_stacks(functions: &mut [FunctionCalls], graph: &Graph, leads_elsewhere: &[bool]) {
    // For each node whether it was visited, and the callee on the deepest way.
    let mut is_done = vec![false; graph.calls.len()];
    let mut next: Vec<Option<usize>> = vec![None; graph.calls.len()];
    for root in 1..graph.calls.len() {
        let mut path = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if is_done[node] {
                path.pop();
                continue;
            }
            let callee = graph.calls[node].get(*at).copied();
            *at += 1;
            match callee {
                Some(callee) if is_done[callee] || path.iter().any(|(other, _)| *other == callee) => {}
                Some(callee) => path.push((callee, 0)),
                None => {
                    is_done[node] = true;
                    let own = functions[node - 1].local;
                    let callees =
                        graph.calls[node].iter().map(|callee| functions[callee - 1].stack.zip(Some(*callee)));
                    let all: Option<Vec<(u64, usize)>> = callees.collect();
                    let is_known = !functions[node - 1].is_recursive && !leads_elsewhere[node];
                    if let Some(all) = all.filter(|_| is_known) {
                        let deepest = all
                            .into_iter()
                            .max_by_key(|(stack, callee)| (*stack, std::cmp::Reverse(*callee)));
                        next[node] = deepest.map(|(_, callee)| callee);
                        functions[node - 1].stack = Some(deepest.map_or(own, |(stack, _)| own + stack));
                    }
                }
            }
        }
    }
    for number in 1..graph.calls.len() {
        let way = std::iter::successors(Some(number), |node| next[*node]);
        let names: Vec<String> = way.map(|node| functions[node - 1].name.clone()).collect();
        if functions[number - 1].stack.is_some() {
            functions[number - 1].deepest = names;
        }
    }
}
