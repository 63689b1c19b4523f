//! Functions and variables that modules name and none of them defines.

use ptx_diag::Span;
use ptx_ir::{
    AddressBase, Body, FunctionId, Initializer, Item, Linkage, Module, Operand, Stmt, StrId, Symbol, VarId,
};
use ptx_isa::StateSpace;
use rustc_hash::FxHashSet;

/// A name that a module declares and uses, and does not define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unresolved {
    /// What it names: a function without a body, or an `.extern` variable.
    pub symbol: Symbol,
    /// Where it is declared.
    pub at: Span,
    /// Where an instruction uses it first; where it is declared if an initializer or a list of targets does.
    pub used: Span,
}

/// Collects the names that are used.
struct Uses<'m> {
    module: &'m Module,
    functions: FxHashSet<StrId>,
    variables: FxHashSet<StrId>,
    seen: FxHashSet<(bool, StrId)>,
    found: Vec<Unresolved>,
}

/// The functions and variables that are used in a module and not defined in it, in the order of their first use. `.extern` variables in
/// `.shared` memory are defined by the launch.
pub fn unresolved(module: &Module) -> Vec<Unresolved> {
    let mut uses = Uses {
        module,
        functions: FxHashSet::default(),
        variables: FxHashSet::default(),
        seen: FxHashSet::default(),
        found: Vec::new(),
    };
    uses.define();
    for id in module.function_ids() {
        if let Some(body) = &module.function(id).body {
            uses.add_body(body);
        }
    }
    for item in &module.items {
        if let Item::Variable(id) = item
            && let Some(initializer) = &module.variable(*id).init
        {
            uses.add_initializer(initializer);
        }
    }
    uses.found
}

impl Uses<'_> {
    /// Notes what the module defines.
    fn define(&mut self) {
        let module = self.module;
        let defined = module.function_ids().map(|id| module.function(id));
        self.functions
            .extend(defined.filter(|function| function.body.is_some()).map(|function| function.name));
        for item in &module.items {
            match item {
                Item::Variable(id) if module.variable(*id).linkage != Linkage::Extern => {
                    self.variables.insert(module.variable(*id).name);
                }
                Item::Alias(alias, _) => {
                    self.functions.insert(module.function(alias.name).name);
                }
                _ => {}
            }
        }
    }

    fn push(&mut self, symbol: Symbol, at: Span, instruction: Option<Span>) {
        let mut used = at;
        if let Some(instruction) = instruction {
            used = instruction;
        }
        self.found.push(Unresolved { symbol, at, used });
    }

    fn add_function(&mut self, id: FunctionId, used: Option<Span>) {
        let function = self.module.function(id);
        if !self.functions.contains(&function.name) && self.seen.insert((true, function.name)) {
            self.push(Symbol::Function(id), function.at.0, used);
        }
    }

    fn add_variable(&mut self, id: VarId, used: Option<Span>) {
        let variable = self.module.variable(id);
        let is_dynamic = matches!(variable.space, StateSpace::Shared | StateSpace::SharedCta);
        if variable.linkage == Linkage::Extern
            && !is_dynamic
            && !self.variables.contains(&variable.name)
            && self.seen.insert((false, variable.name))
        {
            self.push(Symbol::Variable(id), variable.at.0, used);
        }
    }

    fn add(&mut self, symbol: Symbol, used: Option<Span>) {
        match symbol {
            Symbol::Function(id) => self.add_function(id, used),
            Symbol::Variable(id) => self.add_variable(id, used),
        }
    }

    fn add_body(&mut self, body: &Body) {
        for statement in &body.statements {
            match statement {
                Stmt::Inst(inst) => body.for_each_operand(inst, |operand, _| {
                    if let Operand::Symbol(symbol, _) | Operand::Address(AddressBase::Symbol(symbol), _) =
                        operand
                    {
                        self.add(symbol, Some(inst.at.0));
                    }
                }),
                Stmt::CallTargets(_, targets) => targets.iter().for_each(|&id| self.add_function(id, None)),
                Stmt::Variable(id) => {
                    if let Some(initializer) = &self.module.variable(*id).init {
                        self.add_initializer(initializer);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_initializer(&mut self, initializer: &Initializer) {
        // They are nested as deeply as the dimensions of their variable, which are unbounded.
        let mut rest = vec![initializer];
        while let Some(next) = rest.pop() {
            match next {
                Initializer::List(values) => rest.extend(values.iter().rev()),
                Initializer::Address { symbol, .. } | Initializer::Masked { symbol, .. } => {
                    self.add(*symbol, None);
                }
                Initializer::Integers(_) | Initializer::Value(_) | Initializer::Fields(_) => {}
            }
        }
    }
}
