//! The analysis results of one body before it is lowered.

use ptx_ir::{AddressBase, Body, Function, FunctionKind, Module, Operand, Param, Symbol, VarId};
use ptx_isa::{ControlSem, MemorySem, Sem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::borrows::borrows;
use crate::flow::Flow;
use crate::represent::{CalleeSpaces, Question, Repr, loads_of_variables, parameter_space, representations};
use crate::slots::{Slots, whole_scalar};
use crate::ssa::{self, Access, Slot, Ssa, ValueId};

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
    pub(crate) numbers: FxHashSet<ValueId>,
}

impl Analysis {
    pub(crate) fn new(module: &Module, function: &Function, body: &Body, address_bits: u32) -> Self {
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
        let borrows = borrows(body, &slots, &ssa);
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

    /// The slots that a reachable instruction reads.
    pub(crate) fn reads(&self, statement: usize) -> &[Slot] {
        match self.accesses.get(&statement) {
            Some(access) => &access.reads,
            None => {
                debug_assert!(false, "statement {statement} is not a reachable instruction");
                &[]
            }
        }
    }

    /// Finds representations, and which of these parameters are pointers.
    pub(crate) fn represent(
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
    pub(crate) fn spaces_in_order(&self, params: &[Param]) -> Vec<Option<u32>> {
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
