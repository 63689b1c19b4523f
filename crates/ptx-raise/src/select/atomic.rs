//! Atomic loads, stores, read-modify-write operations and compare-and-swap (manual 9.7.13.5, 9.7.13.7).
//!
//! An operation that `atom` has is one instruction, `red` where its result is not used and its order allows that. The
//! others are loops around `atom.cas`. Memory of one thread alone knows no atomic accesses: there an operation is a load and a store.

use ptx_ir::Operand;
use ptx_llvm::address_space;
use ptx_llvm::view::{AtomicOp, AtomicOrder, InstId, IntPredicate, Op, Scope, TypeId};

use super::FunctionRaiser;
use super::emit::space_word;
use super::exchange::Round;
use super::ordering::stronger;
use crate::error::{INSTRUCTION, ORDER, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Val, mask};

/// `atom.add.f64`, `atom.add.noftz` of each type (manual 9.7.13.5).
const ADD_DOUBLE: ptx_isa::Since = ptx_isa::Since::new(5, 0, 60);
const ADD_HALF_PAIR: ptx_isa::Since = ptx_isa::Since::new(6, 2, 60);
const ADD_HALF: ptx_isa::Since = ptx_isa::Since::new(6, 3, 70);
const ADD_BFLOAT: ptx_isa::Since = ptx_isa::Since::new(7, 8, 90);

/// Where an atomic operation is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) address: Operand,
    pub(super) space: u32,
    pub(super) scope: &'a Scope,
}

/// The parts of an atomic access that its instruction states.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(super) align: u32,
    pub(super) volatile: bool,
    pub(super) order: AtomicOrder,
    pub(super) scope: &'a Scope,
}

impl FunctionRaiser<'_, '_, '_> {
    /// A load with an order.
    pub(super) fn atomic_load(
        &mut self,
        id: InstId,
        pointer: Val,
        scalar: Scalar,
        access: Access<'_>,
    ) -> Raised<()> {
        let ty = self.type_of(id);
        let bits = self.atomic_width(ty, access.scope)?;
        aligned(access.align, bits)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        let word = space_word(space)?;
        let mods = self.hints(id);
        let Access { volatile, order, scope, .. } = access;
        let (order, modifiers) = if is_shared_memory(space) {
            (order, self.ordered_load(volatile, order, scope)?)
        } else {
            self.scope_word(scope)?;
            (AtomicOrder::NotAtomic, String::new())
        };
        let opcode = format!("ld{modifiers}");
        let values = if self.leaves(ty)?.len() == 1 {
            self.load_leaves(ty, address, word, u64::from(bits / 8), &opcode, &mods)?
        } else {
            // One access, whatever the value's parts.
            let words = self.emit_words(&format!("{opcode}{word}.b{bits}"), bits, &[address.into()])?;
            self.value_of_words(ty, &words, bits)?
        };
        if !self.has_model() {
            self.fence_after(order, scope)?;
        }
        self.define(id, values.into());
        Ok(())
    }

    /// A store with an order.
    pub(super) fn atomic_store(
        &mut self,
        id: InstId,
        ty: TypeId,
        values: &[Val],
        (pointer, scalar): (Val, Scalar),
        access: Access<'_>,
    ) -> Raised<()> {
        let bits = self.atomic_width(ty, access.scope)?;
        aligned(access.align, bits)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        if matches!(space, address_space::CONST | address_space::PARAM) {
            return Err(Refusal::new(INSTRUCTION, "a store to memory that only reads"));
        }
        let word = space_word(space)?;
        let mods = self.hints(id);
        let modifiers = if is_shared_memory(space) {
            self.ordered_store(access.volatile, access.order, access.scope)?
        } else {
            self.scope_word(access.scope)?;
            String::new()
        };
        let opcode = format!("st{modifiers}");
        if values.len() == 1 {
            return self.store_leaves(ty, values, address, word, u64::from(bits / 8), &opcode, &mods);
        }
        let words = self.words_of(ty, values, bits)?;
        let value = match (bits, words.as_slice()) {
            // Stores take small numbers from 16-bit registers.
            (8 | 16, &[word]) => self.in_register(word, Scalar::Int(bits))?.into(),
            _ => self.whole(&words, bits)?,
        };
        self.emit(&format!("{opcode}{word}.b{bits}"), &[address.into(), value])
    }

    /// `atomicrmw`.
    pub(super) fn atomic_rmw(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let Op::AtomicRmw { op, ptr, value, order, scope, align, .. } = &function.inst(id).op else {
            return Ok(());
        };
        let (op, order) = (*op, *order);
        let ty = self.type_of(id);
        let operand = self.value(*value)?;
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.address_operand(pointer, kind)?;
        let place = Place { address, space, scope };
        if !self.is_atomic_memory(&place)? {
            let old = self.private_load(ty, &place, *align)?;
            let new = self.combined(op, ty, &old, &operand)?;
            self.private_store(ty, &place, *align, &new)?;
            self.define(id, old.into());
            return Ok(());
        }
        let bits = self.atomic_width(ty, scope)?;
        aligned(*align, bits)?;
        let values = match self.direct(op, ty, &operand, bits)? {
            Some((name, operand)) => self.atom(id, &name, &place, order, ty, &operand)?,
            None => match bitwise(op) {
                Some(name) if bits < 32 => self.bitwise_part(id, name, &place, order, ty, &operand)?,
                _ => self.exchange_loop(&place, order, ty, &mut |this, old| {
                    Ok(Round { new: this.combined(op, ty, old, &operand)?, leave: None })
                })?,
            },
        };
        self.define(id, values.into());
        Ok(())
    }

    /// Whether several threads can share the memory; an error where nobody can write it.
    fn is_atomic_memory(&mut self, place: &Place<'_>) -> Raised<bool> {
        match place.space {
            address_space::GENERIC
            | address_space::GLOBAL
            | address_space::SHARED
            | address_space::SHARED_CLUSTER => Ok(true),
            address_space::LOCAL => {
                self.scope_word(place.scope)?;
                Ok(false)
            }
            _ => Err(Refusal::new(ORDER, "an atomic operation on memory that is not written")),
        }
    }

    fn private_load(&mut self, ty: TypeId, place: &Place<'_>, align: u32) -> Raised<Vec<Val>> {
        let word = space_word(place.space)?;
        self.load_leaves(ty, place.address, word, u64::from(align), "ld", "")
    }

    fn private_store(&mut self, ty: TypeId, place: &Place<'_>, align: u32, values: &[Val]) -> Raised<()> {
        let word = space_word(place.space)?;
        self.store_leaves(ty, values, place.address, word, u64::from(align), "st", "")
    }

    /// The operation and type words of `atom` for an operation, and its operand's words, when there is such an operation.
    fn direct(
        &mut self,
        op: AtomicOp,
        ty: TypeId,
        operand: &[Val],
        bits: u32,
    ) -> Raised<Option<(String, Vec<Val>)>> {
        if op == AtomicOp::Xchg && bits >= 32 {
            return Ok(Some((format!("exch.b{bits}"), self.words_of(ty, operand, bits)?)));
        }
        let leaves = self.leaves(ty)?;
        let ([leaf], &[value]) = (&*leaves, operand) else { return Ok(None) };
        let scalar = leaf.scalar;
        let name = match (op, scalar) {
            (AtomicOp::Add | AtomicOp::Sub, Scalar::Int(32 | 64)) => format!("add.u{bits}"),
            (AtomicOp::And, Scalar::Int(32 | 64)) => format!("and.b{bits}"),
            (AtomicOp::Or, Scalar::Int(32 | 64)) => format!("or.b{bits}"),
            (AtomicOp::Xor, Scalar::Int(32 | 64)) => format!("xor.b{bits}"),
            (AtomicOp::Max, Scalar::Int(32 | 64)) => format!("max.s{bits}"),
            (AtomicOp::Min, Scalar::Int(32 | 64)) => format!("min.s{bits}"),
            (AtomicOp::UMax, Scalar::Int(32 | 64)) => format!("max.u{bits}"),
            (AtomicOp::UMin, Scalar::Int(32 | 64)) => format!("min.u{bits}"),
            (AtomicOp::UIncWrap, Scalar::Int(32)) => "inc.u32".to_owned(),
            (AtomicOp::UDecWrap, Scalar::Int(32)) => "dec.u32".to_owned(),
            (AtomicOp::FAdd, _) if self.adds_floats(scalar) => {
                let rounding = if bits == 16 || scalar.is_pair() { "noftz." } else { "" };
                format!("add.{rounding}{}", scalar.float_type().unwrap_or("f32"))
            }
            _ => return Ok(None),
        };
        let value = match (op, value) {
            (AtomicOp::Sub, Val::Bits(number)) => Val::Bits(number.wrapping_neg() & mask(bits)),
            (AtomicOp::Sub, other) => {
                let other = self.in_register(other, scalar)?;
                Val::reg(self.emit_new(scalar.class(), &format!("neg.s{bits}"), &[other.into()])?)
            }
            (_, other) => other,
        };
        Ok(Some((name, vec![value])))
    }

    /// Whether `atom.add` takes floating-point numbers of a type.
    fn adds_floats(&self, scalar: Scalar) -> bool {
        let target = &self.module.target;
        match scalar {
            Scalar::Float => true,
            Scalar::Double => target.has(ADD_DOUBLE),
            Scalar::Half => target.has(ADD_HALF),
            Scalar::HalfPair => target.has(ADD_HALF_PAIR),
            Scalar::BFloat | Scalar::BFloatPair => target.has(ADD_BFLOAT),
            Scalar::Int(_) | Scalar::Pointer { .. } => false,
        }
    }

    /// One `atom` or `red`; its old value.
    fn atom(
        &mut self,
        id: InstId,
        name: &str,
        place: &Place<'_>,
        order: AtomicOrder,
        ty: TypeId,
        operand: &[Val],
    ) -> Raised<Vec<Val>> {
        let hints = self.hints(id);
        let modifiers = self.ordered_atom(order, place.scope)?;
        let space = space_word(place.space)?;
        let (operation, word) = name.rsplit_once('.').unwrap_or((name, "b32"));
        let with = |this: &mut Self, text: String| {
            let full = format!("{text}{space}.{operation}{hints}.{word}");
            if hints.is_empty() || this.module.mnemonics.rows(&full).is_some() {
                full
            } else {
                format!("{text}{space}.{name}")
            }
        };
        let values = if operation == "exch" {
            // What is exchanged travels as bits.
            let bits = self.atomic_width(ty, place.scope)?;
            let args = [place.address.into(), self.whole(operand, bits)?];
            let text = with(self, format!("atom{modifiers}"));
            let words = self.emit_words(&text, bits, &args)?;
            self.value_of_words(ty, &words, bits)?
        } else {
            let leaves = self.leaves(ty)?;
            let ([leaf], &[value]) = (&*leaves, operand) else {
                return Err(Refusal::new(ORDER, "an atomic operation on several registers"));
            };
            let args = [place.address.into(), self.arg(value, leaf.scalar)?];
            if self.is_reduction(id, order) {
                let text = with(self, format!("red{modifiers}"));
                self.emit(&text, &args)?;
                vec![Val::Bits(0)]
            } else {
                let text = with(self, format!("atom{modifiers}"));
                vec![Val::reg(self.emit_new(leaf.scalar.class(), &text, &args)?)]
            }
        };
        self.after_atom(order, place.scope)?;
        Ok(values)
    }

    /// Whether `red` does: nobody reads the old value, and reading it orders nothing.
    fn is_reduction(&self, id: InstId, order: AtomicOrder) -> bool {
        let orders = match order {
            AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic
            | AtomicOrder::Release => false,
            AtomicOrder::Acquire | AtomicOrder::AcquireRelease | AtomicOrder::SequentiallyConsistent => true,
        };
        self.uses.get(id.index()) == Some(&0) && !orders
    }

    /// `and`, `or` and `xor` of small integers: of the word around, with an operand that leaves the rest as it is.
    fn bitwise_part(
        &mut self,
        id: InstId,
        name: &str,
        place: &Place<'_>,
        order: AtomicOrder,
        ty: TypeId,
        operand: &[Val],
    ) -> Raised<Vec<Val>> {
        let bits = self.atomic_width(ty, place.scope)?;
        let (address, shift) = self.word_around(place)?;
        let words = self.words_of(ty, operand, bits)?;
        let &[value] = words.as_slice() else {
            return Err(Refusal::new(ORDER, "an atomic operation on several registers"));
        };
        let mut wide = self.at_place(value, shift, bits)?;
        if name == "and" {
            let holes = self.holes(shift, bits)?;
            wide = self.emit_new(Class::B32, "or.b32", &[wide.into(), holes.into()])?;
        }
        let modifiers = self.ordered_atom(order, place.scope)?;
        let text = format!("{modifiers}{}.{name}.b32", space_word(place.space)?);
        let args = [address.into(), wide.into()];
        let values = if self.is_reduction(id, order) {
            self.emit(&format!("red{text}"), &args)?;
            self.leaves(ty)?.iter().map(|_| Val::Bits(0)).collect()
        } else {
            let old = self.emit_new(Class::B32, &format!("atom{text}"), &args)?;
            self.part_value(ty, bits, old, shift)?
        };
        self.after_atom(order, place.scope)?;
        Ok(values)
    }

    /// `cmpxchg`: the old value, and whether it was the expected one.
    pub(super) fn compare_exchange(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let Op::CmpXchg { ptr, expected, new, success, failure, scope, align, .. } = &function.inst(id).op
        else {
            return Ok(());
        };
        let ty = self.value_type(*expected)?;
        let bits = self.atomic_width(ty, scope)?;
        aligned(*align, bits)?;
        let (expected, new) = (self.value(*expected)?, self.value(*new)?);
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.address_operand(pointer, kind)?;
        let place = Place { address, space, scope };
        let order = stronger(*success, *failure);
        let wanted = self.words_of(ty, &expected, bits)?;
        let (mut values, equal) = if !self.is_atomic_memory(&place)? {
            let old = self.private_load(ty, &place, *align)?;
            let equal = self.equals(ty, &old, &wanted, bits)?;
            let leaves = self.leaves(ty)?;
            let mut stored = Vec::with_capacity(leaves.len());
            for ((leaf, &new), &old) in leaves.iter().zip(&*new).zip(&old) {
                stored.push(self.choose(equal, new, old, leaf.scalar)?);
            }
            self.private_store(ty, &place, *align, &stored)?;
            (old, equal)
        } else if self.swaps_whole(bits) {
            let modifiers = self.ordered_atom(order, scope)?;
            let stored = self.words_of(ty, &new, bits)?;
            let old = self.swap_whole(&place, &modifiers, bits, &wanted, &stored)?;
            let equal = self.compare_words(IntPredicate::Eq, &old, &wanted, bits)?;
            self.after_atom(order, scope)?;
            (self.value_of_words(ty, &old, bits)?, equal)
        } else {
            let old = self.exchange_loop(&place, order, ty, &mut |this, old| {
                let words = this.words_of(ty, old, bits)?;
                let differs = this.compare_words(IntPredicate::Ne, &words, &wanted, bits)?;
                let leave = this.in_register(differs, Scalar::Int(1))?;
                Ok(Round { new: new.to_vec(), leave: Some(leave) })
            })?;
            let equal = self.equals(ty, &old, &wanted, bits)?;
            (old, equal)
        };
        values.push(equal);
        self.define(id, values.into());
        Ok(())
    }

    fn equals(&mut self, ty: TypeId, old: &[Val], wanted: &[Val], bits: u32) -> Raised<Val> {
        let words = self.words_of(ty, old, bits)?;
        self.compare_words(IntPredicate::Eq, &words, wanted, bits)
    }
}

/// Atomic accesses must be aligned: hardware has no others.
fn aligned(align: u32, bits: u32) -> Raised<()> {
    if align >= bits / 8 {
        return Ok(());
    }
    let message = format!("an atomic access of {} bytes aligned to {align}", bits / 8);
    Err(Refusal::new(ORDER, message).with_help("align it to its size"))
}

/// The word of an operation on each bit alone.
fn bitwise(op: AtomicOp) -> Option<&'static str> {
    match op {
        AtomicOp::And => Some("and"),
        AtomicOp::Or => Some("or"),
        AtomicOp::Xor => Some("xor"),
        _ => None,
    }
}

/// Memory that other threads see.
fn is_shared_memory(space: u32) -> bool {
    !matches!(space, address_space::CONST | address_space::LOCAL | address_space::PARAM)
}
