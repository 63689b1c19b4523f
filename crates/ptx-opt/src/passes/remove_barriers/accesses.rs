//! What memory instructions access, as far as it matters to other threads of the block.

use std::collections::HashMap;

use ptx_llvm_core::address_space;
use ptx_llvm_core::edit::{AtomicOrder, Inst, Opcode, Value, Variable};

/// Shared memory that is not known to be of one variable, or is of one of the dynamic variables, which are in the same place.
const SHARED: u64 = !GLOBAL;
const GLOBAL: u64 = 1;
/// The bit of the first variable that has one of its own.
const FIRST: u32 = 2;

/// The memory that is read, and that is written: a bit for global memory, one for each of some variables in shared memory, and one for the rest of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Accesses {
    reads: u64,
    writes: u64,
}

impl Accesses {
    /// Of memory that is not known, or by what may synchronize.
    const ANY: Self = Self { reads: u64::MAX, writes: u64::MAX };

    /// Whether it matters which of two comes first, if different threads execute them.
    pub(super) fn conflict(self, other: Self) -> bool {
        self.writes & (other.reads | other.writes) != 0 || self.reads & other.writes != 0
    }

    /// Both.
    pub(super) fn with(self, other: Self) -> Self {
        Self { reads: self.reads | other.reads, writes: self.writes | other.writes }
    }
}

/// The variables that have a bit.
#[derive(Default)]
pub(super) struct Objects<'e>(HashMap<Variable<'e>, u64>);

impl<'e> Objects<'e> {
    /// What an instruction accesses.
    pub(super) fn accesses(&mut self, inst: Inst<'e>) -> Accesses {
        if inst.is_volatile() {
            return Accesses::ANY;
        }
        let relaxed =
            |order| matches!(order, AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic);
        match (inst.opcode(), inst.access(), inst.memory_order()) {
            (opcode, Some((address, _)), Some((one, other))) if relaxed(one) && relaxed(other) => {
                let memory = self.memory(address);
                let reads = if opcode == Opcode::Store { 0 } else { memory };
                let writes = if opcode == Opcode::Load { 0 } else { memory };
                Accesses { reads, writes }
            }
            (Opcode::Call, ..) => self.of_call(inst),
            (Opcode::Fence | Opcode::Invoke | Opcode::CallBr | Opcode::VAArg, ..) | (_, Some(_), _) => {
                Accesses::ANY
            }
            _ => Accesses::default(),
        }
    }

    fn of_call(&mut self, call: Inst<'e>) -> Accesses {
        /// LLVM's number for memory that no access of the module can be of.
        const INACCESSIBLE: u64 = 0b1100;
        /// Exchanges between threads of a warp, which name those that take part.
        const EXCHANGES: [&str; 4] =
            ["llvm.nvvm.shfl.sync.", "llvm.nvvm.vote.", "llvm.nvvm.match.", "llvm.nvvm.redux."];
        let Some(function) = call.called_function().filter(|function| function.is_intrinsic()) else {
            return Accesses::ANY;
        };
        if call.calls("llvm.nvvm.ldmatrix.") {
            return match call.operand(0) {
                Some(address) => Accesses { reads: self.memory(address), writes: 0 },
                None => Accesses::ANY,
            };
        }
        let is_exchange = EXCHANGES.iter().any(|prefix| call.calls(prefix));
        match function.attribute("memory") {
            Some(0) => Accesses::default(),
            Some(INACCESSIBLE) if is_exchange || call.calls("llvm.assume") => Accesses::default(),
            _ => Accesses::ANY,
        }
    }

    /// The bits of the memory that an address may be of.
    fn memory(&mut self, address: Value<'e>) -> u64 {
        match address.ty().pointer_space() {
            Some(address_space::LOCAL | address_space::CONST | address_space::PARAM) => 0,
            Some(address_space::GLOBAL) => GLOBAL,
            Some(address_space::SHARED) => self.shared(address),
            _ => u64::MAX,
        }
    }

    fn shared(&mut self, mut address: Value<'e>) -> u64 {
        // Constant expressions have the same operations.
        while address.opcode() == Some(Opcode::GetElementPtr) {
            let Some(base) = address.operand(0) else { break };
            address = base;
        }
        let Some(variable) = address.as_variable().filter(|variable| variable.initializer().is_some()) else {
            return SHARED;
        };
        let next = FIRST + self.0.len() as u32;
        *self.0.entry(variable).or_insert_with(|| if next < u64::BITS { 1 << next } else { SHARED })
    }
}
