//! Compare-and-swap: `atom.cas` itself, and loops around it for operations that `atom` lacks (manual 9.7.13.5).
//!
//! The memory of an atomic access is one integer of 8 to 128 bits, whatever its type. Those that `atom.cas` has are
//! exchanged as a whole; smaller ones inside the aligned 32-bit word that contains them.

use ptx_ir::{AddressBase, Operand, RegId};
use ptx_isa::{Mnemonic, Mod, ptx};
use ptx_llvm::view::{IntPredicate, Scope, TypeId};

use super::access::{Place, in_space};
use super::append::Arg;
use super::state::Emitter;
use crate::error::{INSTRUCTION, ORDER, RaiseError, Result};
use crate::types::integer_class;
use crate::types::{Class, Leaf, Scalar};
use crate::value::{Fill, Val, mask};

/// 128-bit accesses of the scope `.sys` (manual 9.7.9.8, 9.7.13.5).
const WIDE_SYSTEM: ptx_isa::Since = ptx_isa::Since::new(8, 4, 70);

impl Emitter<'_, '_, '_> {
    /// The width in bits of an atomic access to a value of a type.
    pub(super) fn atomic_width(&mut self, ty: TypeId, scope: &Scope) -> Result<u32> {
        let leaves = self.leaves(ty)?;
        let bits: u32 = leaves.iter().map(|leaf| leaf.scalar.bits()).sum();
        let whole = leaves.iter().all(|leaf| u64::from(leaf.scalar.bits()) == leaf.bytes * 8);
        if whole && matches!(bits, 8 | 16 | 32 | 64 | 128) {
            if bits == 128 && *scope == Scope::System {
                let what = || "a 128-bit atomic access of the system's scope".to_owned();
                self.module.target.need(WIDE_SYSTEM, &what)?;
            }
            return Ok(bits);
        }
        let text = self.module.view.type_text(ty);
        Err(RaiseError::new(ORDER, format!("an atomic access to a value of type {text}"))
            .with_help("PTX has atomic accesses of 8, 16, 32, 64 and 128 bits"))
    }

    /// A value as the integer of its bits, in 64-bit words where it is wide.
    pub(super) fn words_of(&mut self, ty: TypeId, values: &[Val], bits: u32) -> Result<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        self.bit_cast(&leaves, values, &word_leaves(bits))
    }

    /// A value from the integer of its bits.
    pub(super) fn value_of_words(&mut self, ty: TypeId, words: &[Val], bits: u32) -> Result<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        self.bit_cast(&word_leaves(bits), words, &leaves)
    }

    /// An integer as an operand of `atom`: wide ones in one register.
    pub(super) fn whole(&mut self, words: &[Val], bits: u32) -> Result<Arg> {
        if let &[word] = words {
            let scalar = Scalar::Int(bits);
            // Operands of 16 bits must be in registers.
            return if bits < 32 {
                Ok(self.in_register(word, scalar)?.into())
            } else {
                self.arg(word, scalar)
            };
        }
        Ok(self.join_words(words)?.into())
    }

    /// Two words in one register.
    pub(super) fn join_words(&mut self, words: &[Val]) -> Result<RegId> {
        let &[low, high] = words else {
            return Err(RaiseError::new(ORDER, "an integer of more than two words"));
        };
        let word = Scalar::Int(64);
        let halves = [self.in_register(low, word)?, self.in_register(high, word)?];
        self.join_halves(halves, Class::B64)
    }

    /// The words of an instruction's result.
    pub(super) fn emit_words(&mut self, mnemonic: Mnemonic, bits: u32, args: &[Arg]) -> Result<Vec<Val>> {
        if bits <= 64 {
            return Ok(vec![Val::reg(self.emit_new(integer_class(bits), mnemonic, args)?)]);
        }
        let wide = self.compute(mnemonic, args)?;
        Ok(self.halves_of(wide, Class::B64)?.map(Val::reg).to_vec())
    }

    /// Whether two integers differ or are equal.
    pub(super) fn compare_words(
        &mut self,
        predicate: IntPredicate,
        a: &[Val],
        b: &[Val],
        bits: u32,
    ) -> Result<Val> {
        if let (&[a], &[b]) = (a, b) {
            return self.compare_ints(predicate, a, b, Scalar::Int(bits));
        }
        let a = self.full_words(a, bits, Fill::Zero)?;
        let b = self.full_words(b, bits, Fill::Zero)?;
        self.wide_compare(predicate, &a, &b)
    }

    /// Compares and swaps whole integers; returns the old words.
    pub(super) fn swap_whole(
        &mut self,
        place: &Place<'_>,
        modifiers: &[Mod],
        bits: u32,
        expected: &[Val],
        new: &[Val],
    ) -> Result<Vec<Val>> {
        let args = [place.address.into(), self.whole(expected, bits)?, self.whole(new, bits)?];
        self.emit_words(swap(place, modifiers, bits)?, bits, &args)
    }

    /// The value of `own` bits that begins at a bit of a word.
    pub(super) fn part_value(&mut self, ty: TypeId, own: u32, word: RegId, shift: RegId) -> Result<Vec<Val>> {
        let moved = self.compute(ptx!("shr.u32"), &[word.into(), shift.into()])?;
        let part = self.extract_bits(moved, Class::B32, 0, Scalar::Int(own))?;
        self.value_of_words(ty, &[part], own)
    }

    /// The aligned 32-bit word that contains a smaller value, and the number of bits below the value.
    pub(super) fn word_around(&mut self, place: &Place<'_>) -> Result<(Operand, RegId)> {
        let Operand::Address(base, offset) = place.address else {
            return Err(RaiseError::new(INSTRUCTION, "an atomic operation without an address"));
        };
        let class = self.pointer_class(place.space);
        let width = class.bits();
        let own = match base {
            AddressBase::Register(register) => register,
            AddressBase::Symbol(symbol) => {
                self.compute(ptx!("mov.b32").with_bits(width)?, &[Operand::Symbol(symbol, 0).into()])?
            }
            AddressBase::Absolute => self.in_register(Val::Bits(0), Scalar::Int(width))?,
        };
        let whole = if offset == 0 {
            own
        } else {
            self.compute(ptx!("add.s32").with_bits(width)?, &[own.into(), Arg::Bits(offset as u64, width)])?
        };
        let aligned =
            self.compute(ptx!("and.b32").with_bits(width)?, &[whole.into(), Arg::Bits(!3, width)])?;
        let low = self.resized(whole, class, Class::B32)?;
        let byte = self.compute(ptx!("and.b32"), &[low.into(), Arg::Bits(3, 32)])?;
        let shift = self.compute(ptx!("shl.b32"), &[byte.into(), Arg::Bits(3, 32)])?;
        Ok((Operand::Address(AddressBase::Register(aligned), 0), shift))
    }

    /// A value of `bits` bits at its position in a word that is zero elsewhere.
    pub(super) fn at_place(&mut self, value: Val, shift: RegId, bits: u32) -> Result<RegId> {
        let wide = self.extended(value, Scalar::Int(bits), 32, Fill::Zero)?;
        self.compute(ptx!("shl.b32"), &[wide.into(), shift.into()])
    }

    /// A word with ones everywhere except at the position of a value of `bits` bits.
    pub(super) fn holes(&mut self, shift: RegId, bits: u32) -> Result<RegId> {
        let ones = self.in_register(Val::Bits(mask(bits)), Scalar::Int(32))?;
        let ones = self.compute(ptx!("shl.b32"), &[ones.into(), shift.into()])?;
        self.compute(ptx!("not.b32"), &[ones.into()])
    }
}

/// `atom.cas` of `bits` bits.
fn swap(place: &Place<'_>, modifiers: &[Mod], bits: u32) -> Result<Mnemonic> {
    in_space(ptx!("atom.cas.b32").with_bits(bits)?.with_all(modifiers)?, place.space)
}

/// The leaves of an integer of `bits` bits.
fn word_leaves(bits: u32) -> Vec<Leaf> {
    let width = bits.min(64);
    let words = u64::from(bits.div_ceil(64));
    let leaf = |at| Leaf { scalar: Scalar::Int(width), offset: at * 8, bytes: u64::from(width / 8) };
    (0..words).map(leaf).collect()
}
