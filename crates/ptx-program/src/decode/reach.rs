//! Functions and variables reachable from a kernel.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{
    AddressBase, Body, FunctionId, FunctionKind, Initializer, Item, Linkage, Module, Operand, Stmt, Symbol,
    VarId,
};
use ptx_isa::{ControlSem, Sem, StateSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::program::Builtin;

/// The functions and variables that a kernel needs, in a deterministic order.
#[derive(Debug, Default)]
pub struct Reached {
    /// The kernel first; all have bodies.
    pub functions: Vec<FunctionId>,
    /// Variables named by instructions or initializers, in order of first mention, with declarations resolved.
    pub variables: Vec<VarId>,
    /// Whether it calls `malloc`.
    pub needs_heap: bool,
    index: FxHashMap<FunctionId, u32>,
    seen: FxHashSet<VarId>,
    definitions: Definitions,
}

/// Definitions of the names of a module.
#[derive(Debug, Default)]
struct Definitions {
    functions: FxHashMap<ptx_ir::StrId, FunctionId>,
    variables: FxHashMap<ptx_ir::StrId, VarId>,
}

impl Definitions {
    fn new(module: &Module) -> Self {
        let mut definitions = Self::default();
        for id in module.function_ids() {
            let function = module.function(id);
            if function.body.is_some() {
                definitions.functions.entry(function.name).or_insert(id);
            }
        }
        for item in &module.items {
            match item {
                Item::Variable(id) if module.variable(*id).linkage != Linkage::Extern => {
                    definitions.variables.entry(module.variable(*id).name).or_insert(*id);
                }
                Item::Alias(alias, _) => {
                    let target = module.function(alias.target).name;
                    if let Some(&target) = definitions.functions.get(&target) {
                        definitions.functions.entry(module.function(alias.name).name).or_insert(target);
                    }
                }
                _ => {}
            }
        }
        definitions
    }
}

impl Reached {
    /// The index of a function in the program; declarations and aliases are resolved to their definitions.
    pub fn function(&self, module: &Module, id: FunctionId) -> Option<u32> {
        self.index.get(&self.definition(module, id)).copied()
    }

    /// The number of a function in the module, which determines its address; declarations and aliases are resolved to their definitions.
    pub fn number(&self, module: &Module, id: FunctionId) -> Option<u32> {
        let id = self.definition(module, id);
        module.function(id).body.as_ref().map(|_| id.0)
    }

    fn definition(&self, module: &Module, id: FunctionId) -> FunctionId {
        self.definitions.functions.get(&module.function(id).name).copied().unwrap_or(id)
    }

    /// The variable that an `.extern` declaration refers to in the same module, or itself.
    pub fn variable(&self, module: &Module, id: VarId) -> VarId {
        let variable = module.variable(id);
        if variable.linkage != Linkage::Extern {
            return id;
        }
        self.definitions.variables.get(&variable.name).copied().unwrap_or(id)
    }

    fn add_function(&mut self, module: &Module, id: FunctionId) {
        let id = self.definition(module, id);
        if module.function(id).body.is_none() {
            self.needs_heap |= builtin(module, id) == Some(Builtin::Malloc);
        } else if !self.index.contains_key(&id) {
            self.index.insert(id, self.functions.len() as u32);
            self.functions.push(id);
        }
    }

    fn add_symbol(&mut self, module: &Module, symbol: Symbol) {
        match symbol {
            Symbol::Function(id) => self.add_function(module, id),
            Symbol::Variable(id) => {
                let id = self.variable(module, id);
                if self.seen.insert(id) {
                    self.variables.push(id);
                }
            }
        }
    }

    /// Adds everything needed by the functions and variables reached so far.
    fn follow(&mut self, module: &Module) {
        // The lists double as worklists: entries before the two positions have been processed, and each entity is added only once.
        let (mut functions, mut variables) = (0, 0);
        loop {
            if let Some(&id) = self.functions.get(functions) {
                functions += 1;
                if let Some(body) = &module.function(id).body {
                    self.add_body(module, body);
                }
            } else if let Some(&id) = self.variables.get(variables) {
                variables += 1;
                if let Some(initializer) = &module.variable(id).init {
                    self.add_initializer(module, initializer);
                }
            } else {
                return;
            }
        }
    }

    fn add_initializer(&mut self, module: &Module, initializer: &Initializer) {
        // Initializers are nested as deeply as their variable's dimensions, but those are unbounded.
        let mut rest = vec![initializer];
        while let Some(next) = rest.pop() {
            match next {
                Initializer::List(values) => rest.extend(values.iter().rev()),
                Initializer::Integers(_) | Initializer::Value(_) | Initializer::Fields(_) => {}
                Initializer::Address { symbol, .. } | Initializer::Masked { symbol, .. } => {
                    self.add_symbol(module, *symbol);
                }
            }
        }
    }

    fn add_body(&mut self, module: &Module, body: &Body) {
        for stmt in &body.statements {
            match stmt {
                Stmt::Inst(inst) => {
                    body.for_each_operand(inst, |operand, _| {
                        if let Operand::Symbol(symbol, _) | Operand::Address(AddressBase::Symbol(symbol), _) =
                            operand
                        {
                            self.add_symbol(module, symbol);
                        }
                    });
                }
                Stmt::CallTargets(_, targets) => targets.iter().for_each(|&id| self.add_function(module, id)),
                Stmt::Label(_)
                | Stmt::BranchTargets(..)
                | Stmt::CallPrototype(..)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Location(_)
                | Stmt::Pragma(_)
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
            }
        }
    }
}

/// The builtin function that a declaration without a definition refers to.
pub fn builtin(module: &Module, id: FunctionId) -> Option<Builtin> {
    Builtin::named(module.name(module.function(id).name))
}

/// Where function addresses may come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launches {
    /// Only from what the kernel reaches.
    One,
    /// From anything that kernels of the module have stored in memory.
    Many,
}

/// The kernels that a module defines.
pub fn kernels(module: &Module) -> impl Iterator<Item = FunctionId> {
    module.function_ids().filter(|&id| {
        let function = module.function(id);
        function.kind == FunctionKind::Kernel && function.body.is_some()
    })
}

/// All global and constant variables of a module, including those of its functions.
pub fn all_variables(module: &Module) -> Reached {
    let mut reached = Reached { definitions: Definitions::new(module), ..Reached::default() };
    let mut add = |id: VarId| {
        let variable = module.variable(id);
        let is_kept = matches!(variable.space, StateSpace::Global | StateSpace::Const);
        if is_kept && variable.linkage != Linkage::Extern && reached.seen.insert(id) {
            reached.variables.push(id);
        }
    };
    for item in &module.items {
        if let Item::Variable(id) = item {
            add(*id);
        }
    }
    for body in module.function_ids().filter_map(|id| module.function(id).body.as_ref()) {
        for stmt in &body.statements {
            if let Stmt::Variable(id) = stmt {
                add(*id);
            }
        }
    }
    reached
}

/// Whether a function contains indirect calls.
fn calls_addresses(body: &Body) -> bool {
    let calls = body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call));
    let mut operands = calls.flat_map(|(_, inst)| body.operands(inst));
    operands.any(|operand| matches!(operand, Operand::Register(_)))
}

/// The functions whose addresses a function takes.
fn addressed<'m>(module: &'m Module, body: &'m Body) -> impl Iterator<Item = FunctionId> + use<'m> {
    let others =
        body.instructions().filter(|(_, inst)| inst.mnemonic.sem() != Sem::Control(ControlSem::Call));
    let operands = others.flat_map(|(_, inst)| body.operands(inst));
    operands.filter_map(|operand| match operand {
        Operand::Symbol(Symbol::Function(id), _) if module.function(*id).kind != FunctionKind::Kernel => {
            Some(*id)
        }
        _ => None,
    })
}

/// Determines what the kernel `entry` needs.
///
/// # Errors
/// If the module has no such kernel with a body.
pub fn reach(module: &Module, entry: &str, launches: Launches) -> Result<Reached, Diagnostics> {
    let kernel = kernels(module).find(|&id| module.name(module.function(id).name) == entry);
    let Some(kernel) = kernel else {
        let names: Vec<&str> = kernels(module).map(|id| module.name(module.function(id).name)).collect();
        let mut findings = Diagnostics::new();
        let text = format!("the module has no kernel `{entry}`");
        let help = match names.as_slice() {
            [] => "the module defines no kernel".to_owned(),
            names => format!("its kernels are: {}", names.join(", ")),
        };
        findings.push(Diagnostic::error_without_place(codes::NO_KERNEL, text).with_help(help));
        return Err(findings);
    };
    let mut reached = Reached { definitions: Definitions::new(module), ..Reached::default() };
    reached.add_function(module, kernel);
    reached.follow(module);
    let reached_bodies = || reached.functions.iter().filter_map(|&id| module.function(id).body.as_ref());
    if launches == Launches::Many && reached_bodies().any(calls_addresses) {
        let bodies = module.function_ids().filter_map(|id| module.function(id).body.as_ref());
        bodies.flat_map(|body| addressed(module, body)).for_each(|id| reached.add_function(module, id));
        let kept = all_variables(module).variables;
        let initial = kept.iter().filter_map(|&id| module.variable(id).init.as_ref());
        initial.for_each(|init| reached.add_initializer(module, init));
        reached.follow(module);
    }
    Ok(reached)
}
