//! Memory accesses: their properties, and the division of sequences of bytes into accesses.

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType, StateSpace, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{AtomicOrder, Scope};
use smallvec::SmallVec;

use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::Scalar;

/// Modifiers of one instruction.
pub(super) type Modifiers = SmallVec<[Mod; 4]>;

/// A load or store of memory, without the type and the number of its elements.
#[derive(Clone, Copy)]
pub(super) struct Access<'h> {
    /// The instruction, of one element of 32 bits.
    pub(super) mnemonic: Mnemonic,
    /// Modifiers that are omitted if no row accepts them.
    pub(super) hints: &'h [Mod],
    pub(super) address: Operand,
    /// How far the address is aligned, in bytes.
    pub(super) align: u64,
}

impl<'h> Access<'h> {
    /// A plain load from one of LLVM's address spaces.
    pub(super) fn load(space: u32, address: Operand, align: u64) -> Result<Self> {
        Ok(Self { mnemonic: in_space(ptx!("ld.b32"), space)?, hints: &[], address, align })
    }

    /// A plain store to one of LLVM's address spaces.
    pub(super) fn store(space: u32, address: Operand, align: u64) -> Result<Self> {
        Ok(Self { mnemonic: in_space(ptx!("st.b32"), space)?, hints: &[], address, align })
    }

    /// A plain store of the program itself: constant memory and parameters are read-only for it.
    pub(super) fn written(space: u32, address: Operand, align: u64) -> Result<Self> {
        if matches!(space, address_space::CONST | address_space::PARAM) {
            return Err(RaiseError::new(INSTRUCTION, "a store to read-only memory"));
        }
        Self::store(space, address, align)
    }

    /// The same access with these modifiers.
    pub(super) fn with(self, modifiers: &[Mod], hints: &'h [Mod]) -> Result<Self> {
        Ok(Self { mnemonic: self.mnemonic.with_all(modifiers)?, hints, ..self })
    }

    /// The access at `bytes` bytes after this one.
    pub(super) fn after(&self, bytes: u64) -> Self {
        Self { address: offset_operand(self.address, bytes), align: alignment(self.align, bytes), ..*self }
    }

    /// The instruction for a type and a number of elements, with the hints that it accepts.
    pub(super) fn of(&self, ty: ScalarType, elements: usize) -> Result<Mnemonic> {
        let typed = self.mnemonic.with_type(ty)?;
        let mut modifiers: Modifiers = match elements {
            1 => Modifiers::new(),
            2 => [Mod::V2].into_iter().collect(),
            4 => [Mod::V4].into_iter().collect(),
            8 => [Mod::V8].into_iter().collect(),
            _ => return Err(RaiseError::new(INSTRUCTION, format!("an access of {elements} elements"))),
        };
        let count = modifiers.len();
        modifiers.extend_from_slice(self.hints);
        let hinted = if self.hints.is_empty() { None } else { typed.with_all(&modifiers).ok() };
        Ok(match hinted {
            Some(hinted) => hinted,
            None => typed.with_all(&modifiers[..count])?,
        })
    }

    /// The state space that it names.
    pub(super) fn space(&self) -> Option<StateSpace> {
        self.mnemonic.space()
    }

    /// Whether it is a volatile load or store.
    pub(super) fn is_volatile(&self) -> bool {
        self.mnemonic.get(Field::MemOrder) == Some(Mod::Volatile)
    }

    /// Whether it is a load or store of global memory without memory order.
    pub(super) fn is_plain_global(&self) -> bool {
        let plain = |modifier| matches!(modifier, Mod::Global | Mod::Nc | Mod::B32);
        self.mnemonic.opcode() != Opcode::Ldu
            && self.space() == Some(StateSpace::Global)
            && self.mnemonic.modifiers().all(plain)
    }
}

/// An instruction on one of LLVM's address spaces; generic addresses have no modifier.
pub(super) fn in_space(mnemonic: Mnemonic, space: u32) -> Result<Mnemonic> {
    let modifier = match space {
        address_space::GENERIC => return Ok(mnemonic),
        address_space::GLOBAL => Mod::Global,
        address_space::SHARED => Mod::Shared,
        address_space::CONST => Mod::Const,
        address_space::LOCAL => Mod::Local,
        address_space::SHARED_CLUSTER => Mod::SharedCluster,
        address_space::PARAM => Mod::Param,
        other => {
            let message = format!("address space {other} has no loads and stores in PTX");
            return Err(RaiseError::new(INSTRUCTION, message));
        }
    };
    Ok(mnemonic.with_modifier(Field::Space, modifier)?)
}

/// An address operand that many bytes further on.
pub(super) fn offset_operand(operand: Operand, bytes: u64) -> Operand {
    match operand {
        Operand::Address(base, offset) => Operand::Address(base, offset.wrapping_add(bytes as i64)),
        other => other,
    }
}

/// The address of a variable of a function.
pub(super) fn variable_address(variable: ptx_ir::VarId) -> Operand {
    Operand::Address(AddressBase::Symbol(ptx_ir::Symbol::Variable(variable)), 0)
}

/// What an atomic operation accesses, and for whom it is atomic.
#[derive(Clone, Copy)]
pub(super) struct AtomicTarget<'a> {
    pub(super) address: Operand,
    pub(super) space: u32,
    pub(super) scope: &'a Scope,
}

/// The parts of an atomic access that its instruction states.
#[derive(Clone, Copy)]
pub(super) struct Ordered<'a> {
    pub(super) align: u32,
    pub(super) volatile: bool,
    pub(super) order: AtomicOrder,
    pub(super) scope: &'a Scope,
}

/// The largest power of two up to 8 that is aligned `at` bytes into something aligned to `align`, and fits.
pub(super) fn piece(at: u64, left: u64, align: u64) -> u64 {
    let mut bytes = 8;
    while bytes > 1 && (bytes > left || !at.is_multiple_of(bytes) || !align.is_multiple_of(bytes)) {
        bytes /= 2;
    }
    bytes
}

/// The type of untyped memory of that many bytes.
pub(super) fn word_of(bytes: u64) -> ScalarType {
    match bytes {
        1 => ScalarType::B8,
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        _ => ScalarType::B64,
    }
}

/// The type of a leaf in memory.
pub(super) fn memory_type(scalar: Scalar) -> ScalarType {
    match scalar {
        Scalar::Float => ScalarType::F32,
        Scalar::Double => ScalarType::F64,
        Scalar::Half | Scalar::BFloat => ScalarType::B16,
        Scalar::HalfPair | Scalar::BFloatPair => ScalarType::B32,
        Scalar::Int(bits) | Scalar::Pointer { bits, .. } => match bits {
            0..=8 => ScalarType::B8,
            9..=16 => ScalarType::B16,
            17..=32 => ScalarType::B32,
            _ => ScalarType::B64,
        },
    }
}

/// The largest power of two that divides both.
pub(super) fn alignment(align: u64, offset: u64) -> u64 {
    let bits = align.max(1) | offset;
    1 << bits.trailing_zeros().min(16)
}
