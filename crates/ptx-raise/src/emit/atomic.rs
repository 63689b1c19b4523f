//! Atomic loads, stores, read-modify-write operations and compare-and-swap (manual 9.7.13.5, 9.7.13.7).
//!
//! An operation that `atom` has is one instruction, `red` where its result is not used and its order allows that. The
//! others, and those on memory of a single thread, are legalized. The memory of an atomic access of any type is one integer of 8
//! to 128 bits.

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, Mod, Opcode, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{AtomicOp, AtomicOrder, InstId, IntPredicate, Op, TypeId};

use super::access::{Access, AtomicTarget, Ordered, in_space};
use super::append::Arg;
use super::ordering::scopes;
use super::ordering::stronger;
use super::state::Emitter;
use super::volatile::Place;
use crate::error::{INSTRUCTION, ORDER, RaiseError, Result};
use crate::types::{Class, Scalar, integer_class, word_leaves};
use crate::value::{Fill, Val, mask};

impl Emitter<'_, '_, '_> {
    /// A load with an order.
    pub(super) fn atomic_load(
        &mut self,
        id: InstId,
        pointer: Val,
        scalar: Scalar,
        access: Ordered<'_>,
    ) -> Result<()> {
        let ty = self.type_of(id);
        let bits = self.atomic_width(ty)?;
        aligned(access.align, bits)?;
        let hints = self.hints(id);
        let Ordered { volatile, order, scope, .. } = access;
        let Place { address, space, object, modifiers } =
            self.place(pointer, scalar, volatile, &hints, Mod::Cv)?;
        let (order, modifiers) = if is_shared_memory(object) {
            let scopes = scopes(self, scope, object);
            (order, self.ordered_access(volatile, order, &scopes, Mod::Acquire)?)
        } else {
            self.scope_modifier(scope)?;
            (AtomicOrder::NotAtomic, modifiers)
        };
        let access = Access::load(space, address, u64::from(bits / 8))?.with(&modifiers, &hints)?;
        let values = if self.leaves(ty)?.len() == 1 {
            self.load_leaves(ty, &access)?
        } else {
            // One access, whatever the value's parts.
            let words = self.emit_words(access.mnemonic.with_bits(bits)?, bits, &[address.into()])?;
            self.value_of_words(ty, &words, bits)?
        };
        if !self.has_model() {
            self.fence_after(order, scope)?;
        }
        self.define(id, values.into())
    }

    /// A store with an order.
    pub(super) fn atomic_store(
        &mut self,
        id: InstId,
        ty: TypeId,
        values: &[Val],
        (pointer, scalar): (Val, Scalar),
        access: Ordered<'_>,
    ) -> Result<()> {
        let bits = self.atomic_width(ty)?;
        aligned(access.align, bits)?;
        let hints = self.hints(id);
        let Place { address, space, object, modifiers } =
            self.place(pointer, scalar, access.volatile, &hints, Mod::Wt)?;
        let modifiers = if is_shared_memory(object) {
            let scopes = scopes(self, access.scope, object);
            self.ordered_access(access.volatile, access.order, &scopes, Mod::Release)?
        } else {
            self.scope_modifier(access.scope)?;
            modifiers
        };
        let access = Access::written(space, address, u64::from(bits / 8))?.with(&modifiers, &hints)?;
        if values.len() == 1 {
            return self.store_leaves(ty, values, &access);
        }
        let words = self.words_of(ty, values, bits)?;
        let value = match (bits, words.as_slice()) {
            // Stores need small numbers in 16-bit registers.
            (8 | 16, &[word]) => self.in_register(word, Scalar::Int(bits))?.into(),
            _ => self.whole(&words, bits)?,
        };
        self.emit(access.mnemonic.with_bits(bits)?, &[address.into(), value])
    }

    /// `atomicrmw`.
    pub(super) fn atomic_rmw(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        let Op::AtomicRmw { op, ptr, value, order, scope, align, .. } = &function.inst(id).op else {
            return Ok(());
        };
        let (op, order) = (*op, *order);
        let ty = self.type_of(id);
        let operand = self.value(*value)?;
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.address_operand(pointer, kind)?;
        let target = AtomicTarget { address, space, scope };
        self.scope_modifier(scope)?;
        atomic_memory(space)?;
        let bits = self.atomic_width(ty)?;
        aligned(*align, bits)?;
        let Some((operation, operand)) = self.direct(op, ty, &operand, bits)? else {
            return Err(RaiseError::new(ORDER, "an atomic operation that the target does not support"));
        };
        let values = self.atom(id, operation, &target, order, ty, &operand)?;
        self.define(id, values.into())
    }

    /// The `atom` of an operation, on generic addresses, and its operand's words, when there is such an operation.
    fn direct(
        &mut self,
        op: AtomicOp,
        ty: TypeId,
        operand: &[Val],
        bits: u32,
    ) -> Result<Option<(Mnemonic, Vec<Val>)>> {
        if op == AtomicOp::Xchg && bits >= 32 {
            let exchange = ptx!("atom.exch.b32").with_bits(bits)?;
            return Ok(Some((exchange, self.words_of(ty, operand, bits)?)));
        }
        let leaves = self.leaves(ty)?;
        let ([leaf], &[value]) = (&*leaves, operand) else { return Ok(None) };
        let scalar = leaf.scalar;
        let operation = match (op, scalar) {
            (AtomicOp::Add | AtomicOp::Sub, Scalar::Int(32 | 64)) => ptx!("atom.add.u32").with_bits(bits)?,
            (AtomicOp::Max, Scalar::Int(32 | 64)) => ptx!("atom.max.s32").with_bits(bits)?,
            (AtomicOp::Min, Scalar::Int(32 | 64)) => ptx!("atom.min.s32").with_bits(bits)?,
            (AtomicOp::UMax, Scalar::Int(32 | 64)) => ptx!("atom.max.u32").with_bits(bits)?,
            (AtomicOp::UMin, Scalar::Int(32 | 64)) => ptx!("atom.min.u32").with_bits(bits)?,
            (AtomicOp::UIncWrap, Scalar::Int(32)) => ptx!("atom.inc.u32"),
            (AtomicOp::UDecWrap, Scalar::Int(32)) => ptx!("atom.dec.u32"),
            (AtomicOp::FAdd, _) => match scalar {
                Scalar::Double => ptx!("atom.add.f64"),
                Scalar::Half => ptx!("atom.add.noftz.f16"),
                Scalar::HalfPair => ptx!("atom.add.noftz.f16x2"),
                Scalar::BFloat => ptx!("atom.add.noftz.bf16"),
                Scalar::BFloatPair => ptx!("atom.add.noftz.bf16x2"),
                _ => ptx!("atom.add.f32"),
            },
            (AtomicOp::And, Scalar::Int(32 | 64)) => ptx!("atom.and.b32").with_bits(bits)?,
            (AtomicOp::Or, Scalar::Int(32 | 64)) => ptx!("atom.or.b32").with_bits(bits)?,
            (AtomicOp::Xor, Scalar::Int(32 | 64)) => ptx!("atom.xor.b32").with_bits(bits)?,
            _ => return Ok(None),
        };
        let value = match (op, value) {
            (AtomicOp::Sub, Val::Bits(number)) => Val::Bits(number.wrapping_neg() & mask(bits)),
            (AtomicOp::Sub, other) => {
                let other = self.in_register(other, scalar)?;
                Val::reg(self.compute(ptx!("neg.s32").with_bits(bits)?, &[other.into()])?)
            }
            (_, other) => other,
        };
        Ok(Some((operation, vec![value])))
    }

    /// One `atom` or `red`; its old value.
    fn atom(
        &mut self,
        id: InstId,
        operation: Mnemonic,
        target: &AtomicTarget<'_>,
        order: AtomicOrder,
        ty: TypeId,
        operand: &[Val],
    ) -> Result<Vec<Val>> {
        let scopes = scopes(self, target.scope, target.space);
        let modifiers = self.ordered_atom(order, &scopes)?;
        let plain = in_space(operation.with_all(&modifiers)?, target.space)?;
        let mut own = plain.with_all(&self.hints(id)).unwrap_or(plain);
        let values = if operation.has(Mod::Exch) {
            // Exchanged values are passed as untyped bits.
            let bits = self.atomic_width(ty)?;
            let args = [target.address.into(), self.whole(operand, bits)?];
            let words = self.emit_words(own, bits, &args)?;
            self.value_of_words(ty, &words, bits)?
        } else {
            let leaves = self.leaves(ty)?;
            let ([leaf], &[value]) = (&*leaves, operand) else {
                return Err(RaiseError::new(ORDER, "an atomic operation on several registers"));
            };
            let args = [target.address.into(), self.arg(value, leaf.scalar)?];
            if self.is_reduction(id, order) {
                own = reduction(own).or_else(|_| reduction(plain))?;
                self.emit(own, &args)?;
                vec![Val::Bits(0)]
            } else {
                vec![Val::reg(self.emit_new(leaf.scalar.class(), own, &args)?)]
            }
        };
        self.after_atom(order, &scopes)?;
        Ok(values)
    }

    /// Whether `red` is sufficient: the old value is not read, and reading it has no memory order.
    fn is_reduction(&self, id: InstId, order: AtomicOrder) -> bool {
        let acquires = matches!(
            order,
            AtomicOrder::Acquire | AtomicOrder::AcquireRelease | AtomicOrder::SequentiallyConsistent
        );
        self.cover.uses.count(id) == 0 && !acquires
    }

    /// `cmpxchg`: the old value, and whether it was the expected one.
    pub(super) fn compare_exchange(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        let Op::CmpXchg { ptr, expected, new, success, failure, scope, align, .. } = &function.inst(id).op
        else {
            return Ok(());
        };
        let ty = self.value_type(*expected)?;
        let bits = self.atomic_width(ty)?;
        aligned(*align, bits)?;
        let (expected, new) = (self.value(*expected)?, self.value(*new)?);
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.address_operand(pointer, kind)?;
        let order = stronger(*success, *failure);
        let wanted = self.words_of(ty, &expected, bits)?;
        self.scope_modifier(scope)?;
        atomic_memory(space)?;
        let scopes = scopes(self, scope, space);
        let modifiers = self.ordered_atom(order, &scopes)?;
        let stored = self.words_of(ty, &new, bits)?;
        let swap = in_space(ptx!("atom.cas.b32").with_bits(bits)?.with_all(&modifiers)?, space)?;
        let args = [address.into(), self.whole(&wanted, bits)?, self.whole(&stored, bits)?];
        let old = self.emit_words(swap, bits, &args)?;
        let equal = match (&old[..], &wanted[..]) {
            (&[old], &[wanted]) => self.compare_ints(IntPredicate::Eq, old, wanted, Scalar::Int(bits))?,
            (old, wanted) => {
                let old = self.full_words(old, bits, Fill::Zero)?;
                let wanted = self.full_words(wanted, bits, Fill::Zero)?;
                self.wide_compare(IntPredicate::Eq, &old, &wanted)?
            }
        };
        self.after_atom(order, &scopes)?;
        let mut values = self.value_of_words(ty, &old, bits)?;
        values.push(equal);
        self.define(id, values.into())
    }

    /// The width in bits of an atomic access to a value of a type.
    pub(super) fn atomic_width(&mut self, ty: TypeId) -> Result<u32> {
        let leaves = self.leaves(ty)?;
        let bits: u32 = leaves.iter().map(|leaf| leaf.scalar.bits()).sum();
        let whole = leaves.iter().all(|leaf| u64::from(leaf.scalar.bits()) == leaf.bytes * 8);
        if whole && matches!(bits, 8 | 16 | 32 | 64 | 128) {
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
}

/// An error if the memory is thread-private, which legalization has handled, or read-only.
fn atomic_memory(space: u32) -> Result<()> {
    match space {
        address_space::GENERIC
        | address_space::GLOBAL
        | address_space::SHARED
        | address_space::SHARED_CLUSTER => Ok(()),
        _ => Err(RaiseError::new(ORDER, "an atomic operation on memory that is not written")),
    }
}

/// Atomic accesses must be aligned: hardware has no others.
fn aligned(align: u32, bits: u32) -> Result<()> {
    if align >= bits / 8 {
        return Ok(());
    }
    let message = format!("an atomic access of {} bytes aligned to {align}", bits / 8);
    Err(RaiseError::new(ORDER, message).with_help("align it to its size"))
}

/// The `red` of an `atom`.
fn reduction(atom: Mnemonic) -> Result<Mnemonic> {
    atom.with_opcode(Opcode::Red)
        .ok_or_else(|| RaiseError::new(INSTRUCTION, format!("{atom} has no reduction")))
}

/// Memory that other threads can access.
fn is_shared_memory(space: u32) -> bool {
    !matches!(space, address_space::CONST | address_space::LOCAL | address_space::PARAM)
}
