//! Everything known of a body before it is lowered.

use ptx_ir::{AddressBase, Body, Function, FunctionKind, Module, Operand, Param, Symbol, VarId};
use ptx_isa::Sem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::Flow;
use crate::represent::{Question, Repr, parameter_space, representations};
use crate::slots::{Slots, whole_scalar};
use crate::ssa::{self, Access, Slot, Ssa};

/// What is known of one body.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) flow: Flow,
    pub(crate) slots: Slots,
    pub(crate) accesses: FxHashMap<usize, Access>,
    pub(crate) ssa: Ssa,
    /// The representation of each value.
    pub(crate) reprs: Vec<Repr>,
    /// Parameters whose address is taken.
    pub(crate) taken: FxHashSet<VarId>,
    /// Parameters that are pointers, with LLVM's number of their space.
    pub(crate) parameter_spaces: FxHashMap<VarId, u32>,
}

/// Functions whose address is used other than by calling it: their parameters keep the types of the declaration.
pub(crate) fn functions_by_address(module: &Module) -> FxHashSet<ptx_ir::StrId> {
    let mut names = FxHashSet::default();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (_, inst) in body.instructions() {
            if inst.mnemonic.sem() == Sem::Call {
                continue;
            }
            for operand in body.operands(inst) {
                if let Operand::Symbol(Symbol::Function(id), _)
                | Operand::Address(AddressBase::Symbol(Symbol::Function(id)), _) = operand
                {
                    names.insert(module.function(*id).name);
                }
            }
        }
        for statement in &body.statements {
            if let ptx_ir::Stmt::CallTargets(_, targets) = statement {
                names.extend(targets.iter().map(|id| module.function(*id).name));
            }
        }
    }
    let mut work: Vec<&ptx_ir::Initializer> =
        module.variables.iter().filter_map(|variable| variable.init.as_ref()).collect();
    while let Some(initializer) = work.pop() {
        match initializer {
            ptx_ir::Initializer::List(values) => work.extend(values),
            ptx_ir::Initializer::Address { symbol: Symbol::Function(id), .. }
            | ptx_ir::Initializer::Masked { symbol: Symbol::Function(id), .. } => {
                names.insert(module.function(*id).name);
            }
            ptx_ir::Initializer::Value(_)
            | ptx_ir::Initializer::Address { .. }
            | ptx_ir::Initializer::Masked { .. } => {}
        }
    }
    names
}

impl Analysis {
    pub(crate) fn new(
        module: &Module,
        function: &Function,
        body: &Body,
        by_address: &FxHashSet<ptx_ir::StrId>,
    ) -> Self {
        let flow = Flow::new(body, &module.strings);
        let slots = Slots::new(module, function, body);
        let results: Vec<Slot> = function
            .results
            .iter()
            .filter_map(|param| match param {
                Param::Variable(var) => slots.param(*var),
                Param::Register(_, register) => Some(slots.lane(*register, 0)),
            })
            .collect();
        let accesses = slots.accesses(body, &flow, &results);
        let ssa = ssa::build(&flow, &accesses, &results);
        let question = Question { module, body, slots: &slots, ssa: &ssa };
        let mut reprs = representations(&question);
        let taken = taken(body);
        let mut parameter_spaces = FxHashMap::default();
        // Callers through a pointer go by the prototype, which knows no pointers; all others by this signature.
        let typed = function.kind == FunctionKind::Kernel || !by_address.contains(&function.name);
        for param in &function.params {
            let Param::Variable(var) = param else { continue };
            let wide = whole_scalar(module.variable(*var)).is_some_and(|ty| ty.bits() == 64);
            if wide
                && typed
                && !taken.contains(var)
                && let Some(space) = parameter_space(&question, *var, &mut reprs)
            {
                parameter_spaces.insert(*var, space);
            }
        }
        Self { flow, slots, accesses, ssa, reprs, taken, parameter_spaces }
    }
}

/// The variables whose address an instruction takes.
fn taken(body: &Body) -> FxHashSet<VarId> {
    let mut taken = FxHashSet::default();
    for (_, inst) in body.instructions() {
        if inst.mnemonic.sem() == Sem::Call {
            continue;
        }
        for operand in body.operands(inst) {
            if let Operand::Symbol(Symbol::Variable(var), _) = operand {
                taken.insert(*var);
            }
        }
    }
    taken
}
