//! Which parameters of a kernel are pointers: PTX declares most of them as integers.

use std::collections::{BTreeMap, BTreeSet};

use ptx_ir::{AddressBase, Body, Function, Inst, Module, Operand, Param, RegId, Symbol, VarId};
use ptx_isa::Opcode;

/// The parameters with `.ptr`, and those of which a value reaches the address of an access, or a conversion of addresses, by loads of the parameter, moves, sums and
/// choices. A number that is added to an address as it is, without a multiplication or shift before, is mistaken for a pointer; one that is only passed to a function
/// is not found.
pub fn pointers(module: &Module, kernel: &Function) -> BTreeSet<VarId> {
    let params = kernel.params.iter().filter_map(|param| match param {
        Param::Variable(id) => Some(*id),
        Param::Register(..) => None,
    });
    let params: BTreeSet<VarId> = params.collect();
    let declared = params.iter().copied().filter(|id| {
        let pointer = module.variable(*id).pointer;
        pointer.is_some_and(|pointer| pointer.reference.is_none())
    });
    let mut found: BTreeSet<VarId> = declared.collect();
    if let Some(body) = &kernel.body {
        let is_address = |id: &VarId| {
            let variable = module.variable(*id);
            variable.dims.is_empty()
                && variable.scalar_type().is_some_and(|ty| ty.is_integer_or_bits() && ty.bits() >= 32)
        };
        let mut flow =
            Flow { body, params: params.into_iter().filter(is_address).collect(), values: BTreeMap::new() };
        flow.follow();
        found.extend(flow.addresses());
    }
    found
}

/// The parameters that the values of registers come from.
struct Flow<'b> {
    body: &'b Body,
    params: BTreeSet<VarId>,
    values: BTreeMap<RegId, BTreeSet<VarId>>,
}

impl Flow<'_> {
    /// Follows values until no register gets a parameter; each pass adds one of finitely many pairs, or is the last.
    fn follow(&mut self) {
        let mut grows = true;
        while grows {
            grows = false;
            for (_, inst) in self.body.instructions() {
                let Some(Operand::Register(to)) = self.body.operands(inst).first().copied() else { continue };
                let mut from = self.sources(inst);
                let known = self.values.entry(to).or_default();
                let before = known.len();
                known.append(&mut from);
                grows |= known.len() > before;
            }
        }
    }

    /// The parameters whose values the result of an instruction may be an address of the memory of.
    fn sources(&self, inst: &Inst) -> BTreeSet<VarId> {
        let operands = self.body.operands(inst);
        let read = match inst.mnemonic.opcode() {
            Opcode::Ld => match operands.get(1) {
                Some(Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _))
                    if self.params.contains(id) =>
                {
                    return BTreeSet::from([*id]);
                }
                _ => return BTreeSet::new(),
            },
            Opcode::Mov | Opcode::Cvta | Opcode::Add | Opcode::Selp | Opcode::Min | Opcode::Max => {
                1..operands.len()
            }
            // The difference of two addresses is none.
            Opcode::Sub | Opcode::And => 1..2,
            Opcode::Mad => 3..4,
            _ => return BTreeSet::new(),
        };
        let registers = operands.get(read).into_iter().flatten().filter_map(|operand| match operand {
            Operand::Register(register) | Operand::Sum(register, _) => self.values.get(register),
            _ => None,
        });
        registers.flatten().copied().collect()
    }

    /// The parameters that are addresses of accesses.
    fn addresses(&self) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        let mut add = |register: &RegId| found.extend(self.values.get(register).into_iter().flatten());
        for (_, inst) in self.body.instructions() {
            if inst.mnemonic.opcode() == Opcode::Cvta
                && let Some(Operand::Register(from)) = self.body.operands(inst).get(1)
            {
                add(from);
            }
            self.body.for_each_operand(inst, |operand, _| {
                if let Operand::Address(AddressBase::Register(register), _) = operand {
                    add(&register);
                }
            });
        }
        found
    }
}
