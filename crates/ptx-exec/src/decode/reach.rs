//! What a kernel reaches: functions and variables.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{
    AddressBase, Body, FunctionId, FunctionKind, Initializer, Item, Linkage, Module, Operand, Stmt, Symbol,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::codes;
use crate::program::Builtin;

/// The functions and variables that a kernel needs, in a fixed order.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The kernel first; all have bodies.
    pub(crate) functions: Vec<FunctionId>,
    /// Variables that instructions or initial values name, in order of mention, with declarations resolved.
    pub(crate) variables: Vec<VarId>,
    /// Whether it calls `malloc`.
    pub(crate) needs_heap: bool,
    index: FxHashMap<FunctionId, u32>,
    seen: FxHashSet<VarId>,
    definitions: Definitions,
}

/// Where the names of a module are defined.
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
    /// The number of a function in the program; declarations and aliases lead to their definitions.
    pub(crate) fn function(&self, module: &Module, id: FunctionId) -> Option<u32> {
        self.index.get(&self.definition(module, id)).copied()
    }

    fn definition(&self, module: &Module, id: FunctionId) -> FunctionId {
        self.definitions.functions.get(&module.function(id).name).copied().unwrap_or(id)
    }

    /// The variable that an `.extern` declaration in the same module stands for, or itself.
    pub(crate) fn variable(&self, module: &Module, id: VarId) -> VarId {
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

    fn add_initializer(&mut self, module: &Module, initializer: &Initializer) {
        // Initial values are as deep as their variable's dimensions, but nothing bounds those.
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
                    body.operands(inst).iter().for_each(|&operand| self.add_operand(module, body, operand));
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
                | Stmt::TrailingComment(_) => {}
            }
        }
    }

    fn add_operand(&mut self, module: &Module, body: &Body, operand: Operand) {
        match operand {
            Operand::Symbol(symbol, _) | Operand::Address(AddressBase::Symbol(symbol), _) => {
                self.add_symbol(module, symbol);
            }
            // Lists hold no further lists.
            Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list) => {
                for &element in body.list(list) {
                    if let Operand::Symbol(symbol, _) = element {
                        self.add_symbol(module, symbol);
                    }
                }
            }
            Operand::Omitted
            | Operand::Sink
            | Operand::Register(_)
            | Operand::Element(..)
            | Operand::Selected(..)
            | Operand::Negated(..)
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Not(_)
            | Operand::Special(..)
            | Operand::Immediate(_)
            | Operand::Address(AddressBase::Register(_) | AddressBase::Absolute, _)
            | Operand::Label(_) => {}
        }
    }
}

/// The function of the system that a declaration without a definition means.
pub(crate) fn builtin(module: &Module, id: FunctionId) -> Option<Builtin> {
    match module.name(module.function(id).name) {
        "vprintf" => Some(Builtin::Printf),
        "malloc" => Some(Builtin::Malloc),
        "free" => Some(Builtin::Free),
        "__assertfail" => Some(Builtin::AssertFail),
        _ => None,
    }
}

/// Finds what the kernel `entry` needs.
///
/// # Errors
/// When the module has no such kernel with a body.
pub(crate) fn reach(module: &Module, entry: &str) -> Result<Reached, Diagnostics> {
    let is_kernel = |id: &FunctionId| {
        let function = module.function(*id);
        function.kind == FunctionKind::Kernel && function.body.is_some()
    };
    let kernel =
        module.function_ids().filter(is_kernel).find(|&id| module.name(module.function(id).name) == entry);
    let Some(kernel) = kernel else {
        let names: Vec<&str> =
            module.function_ids().filter(is_kernel).map(|id| module.name(module.function(id).name)).collect();
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
    let (mut functions, mut variables) = (0, 0);
    loop {
        if let Some(&id) = reached.functions.get(functions) {
            functions += 1;
            if let Some(body) = &module.function(id).body {
                reached.add_body(module, body);
            }
        } else if let Some(&id) = reached.variables.get(variables) {
            variables += 1;
            if let Some(initializer) = &module.variable(id).init {
                reached.add_initializer(module, initializer);
            }
        } else {
            return Ok(reached);
        }
    }
}
