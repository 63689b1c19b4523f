//! Loads from memory that a kernel does not write, if no two of its pointers point to the same.
//!
//! Each register has the set of parameters that addresses in it may be computed of: the union of those of all sources of any instruction. Where the
//! kernel stores through a pointer that is loaded from memory, through a variable's address, or calls a function, nothing is known.

use std::collections::{HashMap, HashSet};

use ptx_ir::{AddressBase, Body, Inst, Operand, Param, RegId, Stmt, Symbol, VarId};
use ptx_isa::{ControlSem, Field, MemorySem, Mod, Sem, StateSpace};

/// Of memory that no parameter points to, or that is not known.
const OTHER: u64 = 1 << 63;

/// What a load of read-only memory cannot be (manual 9.7.9.9).
const EXCLUDED: [Mod; 7] =
    [Mod::Weak, Mod::Volatile, Mod::Relaxed, Mod::Acquire, Mod::Mmio, Mod::Lu, Mod::Cv];

/// Makes loads of global memory `ld.global.nc` that read through parameters through which nothing is written.
///
/// `ld.global.b32 %r1, [%rd1]` --> `ld.global.nc.b32 %r1, [%rd1]`
pub(crate) fn load_through_read_only(body: &mut Body, params: &[Param]) {
    let Some(origins) = Origins::new(body, params) else { return };
    let Some(written) = origins.written(body) else { return };
    let is_read_only = |inst: &Inst| {
        let read = origins.of_addresses(body, inst);
        read != 0 && read & (OTHER | written) == 0
    };
    let mut changed = Vec::new();
    for (at, inst) in body.instructions() {
        let is_load = inst.mnemonic.sem() == Sem::Memory(MemorySem::Load)
            && inst.mnemonic.space() == Some(StateSpace::Global)
            && !EXCLUDED.iter().any(|modifier| inst.mnemonic.has(*modifier));
        if is_load
            && is_read_only(inst)
            && let Ok(mnemonic) = inst.mnemonic.with_modifier(Field::Nc, Mod::Nc)
        {
            changed.push((at, mnemonic));
        }
    }
    for (at, mnemonic) in changed {
        if let Stmt::Inst(inst) = &mut body.statements[at] {
            inst.mnemonic = mnemonic;
        }
    }
}

/// The parameters that registers depend on, a bit each.
struct Origins(HashMap<RegId, u64>);

impl Origins {
    /// `None` where the kernel calls functions, which could do anything.
    fn new(body: &Body, params: &[Param]) -> Option<Self> {
        let number: HashMap<VarId, usize> = params
            .iter()
            .enumerate()
            .filter_map(|(at, param)| match param {
                Param::Variable(id) => Some((*id, at)),
                Param::Register(..) => None,
            })
            .collect();
        let mut origins = Self(HashMap::new());
        let mut readers: HashMap<RegId, Vec<usize>> = HashMap::new();
        let mut work = Vec::new();
        for (at, inst) in body.instructions() {
            if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) {
                return None;
            }
            work.push(at);
            body.for_each_register(inst, |register, role| {
                if role.is_read() {
                    readers.entry(register).or_default().push(at);
                }
            });
        }
        // Each register changes at most once for each bit.
        while let Some(at) = work.pop() {
            let Stmt::Inst(inst) = &body.statements[at] else { continue };
            let own = origins.of_result(body, inst, &number);
            let mut changed = HashSet::new();
            body.for_each_register(inst, |register, role| {
                let known = origins.0.entry(register).or_default();
                if role.is_written() && *known | own != *known {
                    *known |= own;
                    changed.insert(register);
                }
            });
            for register in changed {
                work.extend(readers.get(&register).into_iter().flatten());
            }
        }
        Some(origins)
    }

    /// What the results of an instruction depend on.
    fn of_result(&self, body: &Body, inst: &Inst, number: &HashMap<VarId, usize>) -> u64 {
        let of_param = |id: &VarId| match number.get(id) {
            Some(&at) if at < OTHER.trailing_zeros() as usize => 1 << at,
            _ => OTHER,
        };
        let is_param = matches!(inst.mnemonic.space(), Some(StateSpace::Param | StateSpace::ParamEntry));
        if inst.mnemonic.sem() == Sem::Memory(MemorySem::Load) && is_param {
            let mut found = 0;
            body.for_each_operand(inst, |operand, _| match operand {
                Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) => found |= of_param(&id),
                Operand::Address(..) => found |= OTHER,
                _ => {}
            });
            return found;
        }
        let mut found = if inst.mnemonic.form().effects.reads { OTHER } else { 0 };
        body.for_each_operand(inst, |operand, _| {
            // The address of a variable.
            if matches!(operand, Operand::Symbol(..) | Operand::Address(AddressBase::Symbol(_), _)) {
                found |= OTHER;
            }
        });
        body.for_each_register(inst, |register, role| {
            if let Some(origins) = self.0.get(&register).filter(|_| role.is_read()) {
                found |= origins;
            }
        });
        found
    }

    /// What the addresses of an instruction depend on; those that are numbers, or of variables, are other memory.
    fn of_addresses(&self, body: &Body, inst: &Inst) -> u64 {
        let mut found = 0;
        body.for_each_operand(inst, |operand, _| match operand {
            Operand::Address(AddressBase::Register(register), _) => {
                // A register without origin holds a number.
                found |= match self.0.get(&register) {
                    Some(0) | None => OTHER,
                    Some(origins) => *origins,
                };
            }
            Operand::Address(..) => found |= OTHER,
            // Addresses of tensor maps and the like.
            Operand::Bracket(_) => found |= OTHER,
            _ => {}
        });
        found
    }

    /// The parameters through which the kernel writes; `None` if it writes to memory that is not known.
    fn written(&self, body: &Body) -> Option<u64> {
        let mut written = 0;
        for (_, inst) in body.instructions().filter(|(_, inst)| inst.mnemonic.form().effects.writes) {
            let is_elsewhere = matches!(
                inst.mnemonic.space(),
                Some(
                    StateSpace::Shared
                        | StateSpace::SharedCta
                        | StateSpace::Local
                        | StateSpace::Param
                        | StateSpace::ParamFunc
                )
            );
            if !(is_elsewhere && count_addresses(body, inst) == 1) {
                written |= self.of_addresses(body, inst);
            }
        }
        (written & OTHER == 0).then_some(written)
    }
}

fn count_addresses(body: &Body, inst: &Inst) -> usize {
    let mut count = 0;
    body.for_each_operand(inst, |operand, _| {
        count += usize::from(matches!(operand, Operand::Address(..) | Operand::Bracket(_)));
    });
    count
}
