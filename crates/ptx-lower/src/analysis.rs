//! The analysis results of a body before it is lowered.

use ptx_ir::{AddressBase, Body, Function, FunctionId, FunctionKind, Module, Operand, Param, Symbol, VarId};
use ptx_isa::{ControlSem, MemorySem, Sem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::carry;
use crate::flow::Flow;
use crate::provenance::Provenance;
use crate::represent::{CalleeSpaces, Question, Repr, loads_of_variables, parameter_space, representations};
use crate::slots::{Slots, whole_scalar};
use crate::ssa::{self, Access, Slot, Ssa, ValueId};
use crate::widened::read_as_numbers;

/// The analysis results of one body.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The bits of generic addresses.
    pub(crate) address_bits: u32,
    pub(crate) flow: Flow,
    pub(crate) slots: Slots,
    pub(crate) accesses: FxHashMap<usize, Access>,
    pub(crate) ssa: Ssa,
    /// The registers that callers read.
    pub(crate) results: Vec<Slot>,
    /// The values of the carry flag that are kept as borrows.
    pub(crate) borrows: FxHashSet<ValueId>,
    /// The representation of each value.
    pub(crate) reprs: Vec<Repr>,
    /// Parameters whose address is taken.
    pub(crate) taken: FxHashSet<VarId>,
    /// Parameters that are pointers, with LLVM's number of their space.
    pub(crate) parameter_spaces: FxHashMap<VarId, u32>,
    /// Sums that are kept as numbers because they may leave the variable whose address is a term, and widened addresses that are
    /// read as numbers.
    numbers: FxHashSet<ValueId>,
}

/// Functions whose address is used other than by calling it: their parameters keep the types of the declaration.
pub(crate) fn functions_by_address(module: &Module) -> FxHashSet<ptx_ir::StrId> {
    let mut names = FxHashSet::default();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (_, inst) in body.instructions() {
            if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) {
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
            ptx_ir::Initializer::Integers(_)
            | ptx_ir::Initializer::Value(_)
            | ptx_ir::Initializer::Fields(_)
            | ptx_ir::Initializer::Address { .. }
            | ptx_ir::Initializer::Masked { .. } => {}
        }
    }
    names
}

/// Analyses every body. A value passed to a callee that uses it as an address is an address in its callers, too, so that the
/// representations are recomputed until no parameter changes; a few rounds suffice for real call chains, and further ones
/// would only add types.
pub(crate) fn analyse(module: &Module) -> FxHashMap<FunctionId, Analysis> {
    const ROUNDS: usize = 4;
    let by_address = functions_by_address(module);
    let mut analyses: FxHashMap<FunctionId, Analysis> = FxHashMap::default();
    let mut callees = CalleeSpaces::default();
    let address_bits = module.address_size();
    for id in module.function_ids() {
        let function = module.function(id);
        if let Some(body) = &function.body {
            analyses.insert(id, Analysis::new(module, function, body, address_bits));
        }
    }
    let provenance = Provenance::new(module, &analyses);
    for _ in 0..ROUNDS {
        let mut found = CalleeSpaces::default();
        for id in module.function_ids() {
            let function = module.function(id);
            let (Some(body), Some(analysis)) = (&function.body, analyses.get_mut(&id)) else { continue };
            // Callers through a pointer use the prototype, which has no pointer types; all others use this signature.
            let typed = function.kind == FunctionKind::Kernel || !by_address.contains(&function.name);
            let params: &[Param] = if typed { &function.params } else { &[] };
            analysis.represent(module, body, function.kind, params, &callees);
            // If one sum is a number, another term of the next may be the address.
            loop {
                let mut leaving = provenance.may_leave(module, id, analysis);
                leaving.extend(read_as_numbers(body, analysis));
                if leaving.is_empty() {
                    break;
                }
                analysis.numbers.extend(leaving);
                analysis.represent(module, body, function.kind, params, &callees);
            }
            found.insert(function.name, analysis.spaces_in_order(params));
        }
        if found == callees {
            break;
        }
        callees = found;
    }
    analyses
}

impl Analysis {
    fn new(module: &Module, function: &Function, body: &Body, address_bits: u32) -> Self {
        let flow = Flow::new(body, &module.strings);
        let slots = Slots::new(module, function, body);
        let results: Vec<Slot> = function
            .results
            .iter()
            .flat_map(|param| match param {
                Param::Variable(var) => slots.param(*var).into_iter().collect(),
                Param::Register(_, register) => slots.lanes(body, *register).collect::<Vec<_>>(),
            })
            .collect();
        let accesses = slots.accesses(body, &flow, &results);
        let ssa = ssa::build(&flow, &accesses, &results);
        let borrows = carry::borrows(body, &slots, &ssa);
        let (reprs, parameter_spaces, numbers) = (Vec::new(), FxHashMap::default(), FxHashSet::default());
        let taken = taken(body);
        Self {
            address_bits,
            flow,
            slots,
            accesses,
            ssa,
            results,
            borrows,
            reprs,
            taken,
            parameter_spaces,
            numbers,
        }
    }

    /// Finds representations, and which of these parameters are pointers.
    fn represent(
        &mut self,
        module: &Module,
        body: &Body,
        kind: FunctionKind,
        params: &[Param],
        callees: &CalleeSpaces,
    ) {
        let question = Question {
            module,
            address_bits: self.address_bits,
            body,
            slots: &self.slots,
            ssa: &self.ssa,
            callees,
            kind,
            numbers: &self.numbers,
        };
        let mut reprs = representations(&question);
        let mut spaces = FxHashMap::default();
        let loads = loads_of_variables(&question);
        for param in params {
            let Param::Variable(var) = param else { continue };
            let wide = whole_scalar(module.variable(*var)).is_some_and(|ty| ty.bits() == self.address_bits);
            if wide
                && !self.taken.contains(var)
                && let Some(loads) = loads.get(var)
                && let Some(space) = parameter_space(loads, &mut reprs)
            {
                spaces.insert(*var, space);
            }
        }
        self.reprs = reprs;
        self.parameter_spaces = spaces;
    }

    /// Whether an instruction takes the address of a variable; operands that are textures, samplers or surfaces are handles.
    pub(crate) fn takes_address(&self, module: &Module, var: VarId) -> bool {
        self.taken.contains(&var) && module.variable(var).scalar_type().is_some()
    }

    /// The pointer space of each parameter, in their order.
    fn spaces_in_order(&self, params: &[Param]) -> Vec<Option<u32>> {
        let space = |param: &Param| match param {
            Param::Variable(var) => self.parameter_spaces.get(var).copied(),
            Param::Register(..) => None,
        };
        params.iter().map(space).collect()
    }
}

/// The variables whose address an instruction takes.
fn taken(body: &Body) -> FxHashSet<VarId> {
    let mut taken = FxHashSet::default();
    for (_, inst) in body.instructions() {
        if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) {
            continue;
        }
        let accesses = matches!(inst.mnemonic.sem(), Sem::Memory(MemorySem::Load | MemorySem::Store));
        for operand in body.operands(inst) {
            match operand {
                Operand::Symbol(Symbol::Variable(var), _) => {
                    taken.insert(*var);
                }
                Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), _) if !accesses => {
                    taken.insert(*var);
                }
                _ => {}
            }
        }
    }
    taken
}
