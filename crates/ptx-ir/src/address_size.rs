//! The size of addresses in bits (manual 11.1.3).

use ptx_isa::{MemorySem, MoveSem, Sem, StateSpace};

use crate::{AddressBase, Body, Inst, Item, Module, Operand, Symbol};

impl Module {
    /// The size of an address in bits: the `.address_size`. Without one, 32 if the program uses an address of 32 bits, and otherwise 64.
    /// The manual has 32 as the default, but `ptxas` accepts a module that is written for 64.
    pub fn address_size(&self) -> u32 {
        self.written_address_size().unwrap_or_else(|| if self.uses_32_bit_addresses() { 32 } else { 64 })
    }

    /// The `.address_size` that the module has.
    pub fn written_address_size(&self) -> Option<u32> {
        self.items.iter().find_map(|item| match item {
            Item::AddressSize(bits, _) => Some(*bits),
            _ => None,
        })
    }

    /// Whether an instruction uses 32 bits as a global or generic address.
    fn uses_32_bit_addresses(&self) -> bool {
        let bodies = self.function_ids().filter_map(|id| self.function(id).body.as_ref());
        bodies
            .into_iter()
            .any(|body| body.instructions().any(|(_, inst)| self.has_32_bit_address(body, inst)))
    }

    fn has_32_bit_address(&self, body: &Body, inst: &Inst) -> bool {
        let (sem, space) = (inst.mnemonic.sem(), inst.mnemonic.space());
        let has_32_bits = || inst.mnemonic.scalar_type().is_some_and(|ty| ty.bits() == 32);
        match sem {
            Sem::Move(MoveSem::Cvta) => has_32_bits(),
            Sem::Move(MoveSem::Mov) => {
                let is_global = |operand: &Operand| {
                    matches!(*operand, Operand::Symbol(Symbol::Variable(id), _)
                        if self.variable(id).space == StateSpace::Global)
                };
                has_32_bits() && body.operands(inst).iter().any(is_global)
            }
            Sem::Memory(
                MemorySem::Load
                | MemorySem::LoadUniform
                | MemorySem::Store
                | MemorySem::Atom
                | MemorySem::AtomVector
                | MemorySem::Red
                | MemorySem::RedVector
                | MemorySem::Prefetch,
            ) => {
                let is_far = matches!(space, None | Some(StateSpace::Global));
                let is_narrow = |operand: &Operand| {
                    matches!(*operand, Operand::Address(AddressBase::Register(register), _)
                        if body.reg_type(register).bits() == 32)
                };
                is_far && body.operands(inst).iter().any(is_narrow)
            }
            _ => false,
        }
    }
}
