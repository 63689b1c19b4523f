//! The slots of a body, which are the locations that can be assigned, and the slots that each statement reads and writes.
//!
//! [`Slots::new`] computes the slots of a body, and [`Slots::accesses`] the accesses of its statements, from which `ssa.rs` builds SSA form. A
//! `.param` variable that is only accessed whole is a slot like a register, and needs no memory:
//!
//! ```text
//! .param .b32 out; st.param.b32 [out], %r1; call f, (out);         call void @f(i32 %r1)
//! ```

use ptx_ir::{
    AddressBase, Body, Function, Inst, Module, Operand, Param, RegId, Stmt, Symbol, VarId, Variable,
    VectorShape,
};
use ptx_isa::{Component, ControlSem, Field, MemorySem, ScalarType, Sem, StateSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{Flow, instruction};
use crate::ssa::{Access, Slot};

/// The slots of one body.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// The first slot of each register; vector registers have one per lane.
    first: Vec<u32>,
    /// The type of each slot's bits.
    types: Vec<ScalarType>,
    /// The register that each slot is the first lane of.
    registers: Vec<Option<RegId>>,
    /// `.param` variables of the body that are only accessed whole.
    params: FxHashMap<VarId, Slot>,
}

/// The carry flag's slot.
const CARRY: Slot = Slot(0);

impl Slots {
    /// Slots for all registers, the carry flag and the `.param` variables that can be slots.
    pub(crate) fn new(module: &Module, function: &Function, body: &Body) -> Self {
        let mut slots = Self { types: vec![ScalarType::Pred], registers: vec![None], ..Self::default() };
        for index in 0..body.registers.len() {
            let decl = body.decl(RegId(index as u32));
            slots.first.push(slots.types.len() as u32);
            slots.types.extend(std::iter::repeat_n(decl.ty, decl.shape.lanes() as usize));
            slots.registers.push(Some(RegId(index as u32)));
            slots.registers.resize(slots.types.len(), None);
        }
        let mut candidates: Vec<VarId> = body
            .statements
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::Variable(var) => Some(*var),
                _ => None,
            })
            .collect();
        candidates.extend(function.results.iter().filter_map(|param| match param {
            Param::Variable(var) => Some(*var),
            Param::Register(..) => None,
        }));
        // The function's own parameters are not among the candidates: they are LLVM arguments, which are values already.
        let partly = partly_accessed(module, body);
        for var in candidates {
            let variable = module.variable(var);
            if let Some(ty) =
                whole_scalar(variable).filter(|_| is_param(variable.space) && !partly.contains(&var))
            {
                slots.params.insert(var, Slot(slots.types.len() as u32));
                slots.types.push(ty);
            }
        }
        slots
    }

    /// The slots of a register: one, or one for each element of a vector.
    pub(crate) fn lanes<'s>(&'s self, body: &Body, register: RegId) -> impl Iterator<Item = Slot> + use<'s> {
        let lanes = body.decl(register).shape.lanes() as usize;
        (0..lanes).map(move |lane| self.lane(register, lane))
    }

    /// The carry flag.
    pub(crate) fn carry(&self) -> Slot {
        CARRY
    }

    /// A lane of a register.
    pub(crate) fn lane(&self, register: RegId, lane: usize) -> Slot {
        match self.first.get(register.index()) {
            Some(first) => Slot(first + lane as u32),
            None => {
                debug_assert!(false, "{register:?} is a register of another body");
                Slot::NOWHERE
            }
        }
    }

    /// The register whose first lane a slot is.
    pub(crate) fn register(&self, slot: Slot) -> Option<RegId> {
        self.registers.get(slot.0 as usize).copied().flatten()
    }

    /// The slot of a `.param` variable, when it has one.
    pub(crate) fn param(&self, var: VarId) -> Option<Slot> {
        self.params.get(&var).copied()
    }

    /// The type of the slot.
    pub(crate) fn ty(&self, slot: Slot) -> ScalarType {
        let ty = self.types.get(slot.0 as usize).copied();
        debug_assert!(ty.is_some(), "{slot:?} is a slot of another body");
        ty.unwrap_or(ScalarType::B32)
    }

    /// The slots that the statements of a body read and write; `results` are read by returns.
    pub(crate) fn accesses(&self, body: &Body, flow: &Flow, results: &[Slot]) -> FxHashMap<usize, Access> {
        let mut all = FxHashMap::default();
        for node in flow.order.iter().map(|id| &flow.nodes[id.index()]) {
            for statement in node.instructions.iter().copied().chain(node.end.statement()) {
                if let Some(inst) = instruction(body, statement) {
                    all.entry(statement).or_insert_with(|| self.access(body, inst, results));
                }
            }
        }
        all
    }

    fn access(&self, body: &Body, inst: &Inst, results: &[Slot]) -> Access {
        let mut access =
            Access { guard: inst.guard.map(|guard| self.lane(guard.register, 0)), ..Access::default() };
        let calls = inst.mnemonic.sem() == Sem::Control(ControlSem::Call);
        body.for_each_operand(inst, |operand, role| {
            let named = |into: &mut Vec<Slot>| match operand {
                // The arguments.
                Operand::Symbol(Symbol::Variable(var), _) if calls => into.extend(self.param(var)),
                other => self.collect(body, other, into),
            };
            if role.is_read() {
                named(&mut access.reads);
            }
            if role.is_written() {
                named(&mut access.writes);
            }
        });
        self.param_access(body, inst, &mut access);
        if inst.mnemonic.reads_carry() {
            access.reads.push(self.carry());
        }
        if inst.mnemonic.writes_carry() {
            access.writes.push(self.carry());
        }
        if matches!(inst.mnemonic.sem(), Sem::Control(ControlSem::Ret | ControlSem::Exit)) {
            access.reads.extend_from_slice(results);
        }
        access
    }

    /// `st.param` to a slot writes it, `ld.param` from one reads it.
    fn param_access(&self, body: &Body, inst: &Inst, access: &mut Access) {
        for operand in body.operands(inst) {
            let Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), _) = operand else { continue };
            let Some(slot) = self.param(*var) else { continue };
            match inst.mnemonic.sem() {
                Sem::Memory(MemorySem::Store) => access.writes.push(slot),
                _ => access.reads.push(slot),
            }
        }
    }

    /// The slots of an operand itself.
    fn collect(&self, body: &Body, operand: Operand, into: &mut Vec<Slot>) {
        match operand {
            Operand::Register(register) | Operand::Address(AddressBase::Register(register), _) => {
                into.extend(self.lanes(body, register));
            }
            Operand::Not(register)
            | Operand::Selected(register, _)
            | Operand::Negated(register, _)
            | Operand::Sum(register, _) => {
                into.push(self.lane(register, 0));
            }
            Operand::Element(register, component) => into.push(self.lane(register, lane_of(component))),
            Operand::Omitted
            | Operand::Sink
            | Operand::SpecialSum(..)
            | Operand::Special(..)
            | Operand::Immediate(_)
            | Operand::Symbol(..)
            | Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::List(_)
            | Operand::Label(_) => {}
        }
    }
}

/// The lane of a component.
pub(crate) fn lane_of(component: Component) -> usize {
    component.index()
}

/// Whether the space is the parameter space, in any spelling.
pub(crate) fn is_param(space: StateSpace) -> bool {
    matches!(space, StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc)
}

/// The type of a variable that is one scalar.
pub(crate) fn whole_scalar(variable: &Variable) -> Option<ScalarType> {
    let single =
        variable.dims.is_empty() && variable.shape == VectorShape::Scalar && variable.count.is_none();
    variable.scalar_type().filter(|_| single)
}

/// The `.param` variables whose address is taken, or that are accessed by parts, or through vectors.
pub(crate) fn partly_accessed(module: &Module, body: &Body) -> FxHashSet<VarId> {
    let mut partly = FxHashSet::default();
    for (_, inst) in body.instructions() {
        let call = inst.mnemonic.sem() == Sem::Control(ControlSem::Call);
        for operand in body.operands(inst) {
            match operand {
                Operand::Symbol(Symbol::Variable(var), _) if !call => {
                    partly.insert(*var);
                }
                Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), offset) => {
                    let whole = whole_scalar(module.variable(*var));
                    let ty = inst.mnemonic.scalar_type();
                    let same = ty.map(ScalarType::bits) == whole.map(ScalarType::bits);
                    if *offset != 0 || !same || inst.mnemonic.get(Field::Vec).is_some() {
                        partly.insert(*var);
                    }
                }
                _ => {}
            }
        }
    }
    partly
}
