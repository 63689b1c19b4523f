//! Volatile accesses (manual 8.4.2): one `.volatile` instruction for each of LLVM's, wherever PTX has an instruction of that size.
//!
//! Those of local memory exist since PTX 9.1. Before, the access goes through the generic address, whose volatile accesses all versions
//! have, because `ptxas` removes ordinary accesses of local memory:
//!
//! ```text
//! store volatile i32 7, ptr addrspace(5) %buf    -->    cvta.local.u64 %rd1, %buf; st.volatile.b32 [%rd1], 7;
//! ```
//!
//! Constant memory and parameters are never written while a kernel runs, and have no volatile accesses.

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Mod, ptx};
use ptx_llvm_core::address_space;

use super::access::{Modifiers, offset_operand};
use super::state::Emitter;
use crate::error::Result;
use crate::types::Scalar;
use crate::value::{Base, Val};

/// Where a load or store accesses memory.
pub(super) struct Place {
    pub(super) address: Operand,
    /// The address space that the operand counts in.
    pub(super) space: u32,
    /// The address space of the object, as far as it is known: the same one except for volatile accesses of local memory.
    pub(super) object: u32,
    /// `.volatile` or nothing.
    pub(super) modifiers: Modifiers,
}

impl Emitter<'_, '_, '_> {
    /// The operand of an access. `same` is the cache operation that reads or writes the memory itself each time, which takes the place of
    /// `.volatile`.
    pub(super) fn place(
        &mut self,
        pointer: Val,
        scalar: Scalar,
        volatile: bool,
        hints: &[Mod],
        same: Mod,
    ) -> Result<Place> {
        let (address, object) = self.address_operand(pointer, scalar)?;
        if !volatile || hints.contains(&same) || matches!(object, address_space::CONST | address_space::PARAM)
        {
            return Ok(Place { address, space: object, object, modifiers: Modifiers::new() });
        }
        let (address, space) = match object {
            address_space::LOCAL => self.volatile_local(address, pointer, scalar)?,
            _ => (address, object),
        };
        Ok(Place { address, space, object, modifiers: [Mod::Volatile].into_iter().collect() })
    }

    /// The operand of a volatile access of local memory, and the space that it counts in.
    fn volatile_local(&mut self, local: Operand, pointer: Val, scalar: Scalar) -> Result<(Operand, u32)> {
        let target = &self.module.target;
        if ptx!("ld.volatile.local.b32").limits().all(|since| target.has_already(since)) {
            return Ok((local, address_space::LOCAL));
        }
        // Accesses of one variable then differ only in their offsets.
        let (start, offset) = match pointer {
            Val::Address { base: base @ Base::Symbol(_), offset, space } if i32::try_from(offset).is_ok() => {
                (self.plain_address(base, 0, space)?, offset)
            }
            Val::Address { base, offset, space } => (self.plain_address(base, offset, space)?, 0),
            Val::Register(..) | Val::Bits(_) => (self.in_register(pointer, scalar)?, 0),
        };
        let generic = self.convert_address(start, address_space::LOCAL, address_space::GENERIC)?;
        let operand = Operand::Address(AddressBase::Register(generic), 0);
        Ok((offset_operand(operand, offset as u64), address_space::GENERIC))
    }
}
