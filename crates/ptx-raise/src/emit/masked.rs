//! Accesses of memory by mask, and `ldu`.
//!
//! An element that one instruction accesses does so under a guard; any other is branched around.

use std::rc::Rc;

use ptx_ir::{AddressBase, Guard, Operand};
use ptx_isa::{Mod, ptx};
use ptx_llvm::address_space;
use ptx_llvm::view::{BinaryOp, Call, InstId, Op};

use super::access::{Access, memory_type};
use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::HistogramOp;
use crate::types::{Leaf, Scalar};
use crate::value::Val;

/// No access is aligned to more than its own size, which is at most so many bytes.
const MOST_ALIGNED: u64 = 16;

/// Where an element lies.
#[derive(Clone, Copy)]
struct Place {
    operand: Operand,
    space: u32,
    align: u64,
}

impl Place {
    fn load(&self) -> Result<Access<'static>> {
        Access::load(self.space, self.operand, self.align)
    }

    fn store(&self) -> Result<Access<'static>> {
        Access::written(self.space, self.operand, self.align)
    }
}

impl Emitter<'_, '_, '_> {
    /// Whether a call is `llvm.masked.load`.
    pub(super) fn is_masked_load(&self, call: &Call) -> bool {
        self.source.callee(call).is_some_and(|function| function.name.starts_with("llvm.masked.load."))
    }

    /// `llvm.masked.load`: every element that its mask names; the others come from the last argument.
    pub(super) fn masked_load(&mut self, id: InstId, call: &Call) -> Result<()> {
        if self.source.bit_packed(self.type_of(id)).is_some() {
            return self.masked_bits(id, call);
        }
        let elements = self.element_leaves(self.type_of(id))?;
        let place = self.masked_place(call, 0)?;
        let mask = self.value(argument(call, 1)?)?;
        let rest = self.elements(argument(call, 2)?)?.0;
        if let Some(whole) = self.load_by_known_mask(id, place, &elements, &mask, &rest)? {
            return self.define_vector(id, &whole);
        }
        let mut loaded: Vec<Vec<Val>> = Vec::with_capacity(elements.len());
        while loaded.len() < elements.len() {
            let at = loaded.len();
            let together = always(&mask[at.min(mask.len())..]).min(elements.len() - at);
            if together > 1 {
                let leaves: Vec<Leaf> = elements.iter().skip(at).take(together).flatten().copied().collect();
                let values = self.load_each(&leaves, &place.load()?)?;
                loaded.extend(values.chunks(leaves.len() / together).map(<[Val]>::to_vec));
            } else if let Some(leaves) = elements.get(at) {
                let own = Self::element_place(place, leaves);
                loaded.push(self.load_where(leaves, own, mask.get(at).copied(), rest.get(at))?);
            }
        }
        self.define_vector(id, &loaded)
    }

    /// A load of several elements by a mask that is known, as few vectors. LLVM makes such masks where it fills gaps between
    /// neighbouring loads: what is between two elements is in their object too. What is before the first and after the last is
    /// loaded only where the object is known to have it.
    ///
    /// ```text
    /// masked.load <4 x i8> @g, <1, 0, 1, 0>    ; @g has 3 bytes
    /// ld.v2.b8 {%a, %unused}, [g]; ld.b8 %c, [g+2]
    /// ```
    fn load_by_known_mask(
        &mut self,
        id: InstId,
        place: Place,
        elements: &[Vec<Leaf>],
        mask: &[Val],
        rest: &[Vec<Val>],
    ) -> Result<Option<Vec<Vec<Val>>>> {
        let size = self.module.view.layout(self.type_of(id)).map_or(0, |layout| layout.size);
        let wanted: Option<Vec<bool>> =
            mask.iter().map(|bit| if let Val::Bits(bit) = bit { Some(bit & 1 == 1) } else { None }).collect();
        let Some(wanted) = wanted else { return Ok(None) };
        let single = elements.iter().all(|leaves| leaves.len() == 1);
        let shared = matches!(
            place.space,
            address_space::GENERIC | address_space::GLOBAL | address_space::SHARED | address_space::CONST
        );
        let several = wanted.iter().filter(|wanted| **wanted).count() > 1;
        if !(single && shared && several && size <= MOST_ALIGNED && place.align >= size) {
            return Ok(None);
        }
        let cached = place.space == address_space::GLOBAL && self.reads_constant_memory(id);
        let access = place.load()?.with(if cached { &[Mod::Nc] } else { &[] }, &[])?;
        let first = wanted.iter().position(|wanted| *wanted).unwrap_or(0);
        let last = wanted.iter().rposition(|wanted| *wanted).unwrap_or(0);
        let (range, loaded) = if self.has_bytes(id, size) {
            let (ty, leaves) = (self.type_of(id), self.leaves(self.type_of(id))?);
            let loaded = self.load_leaves(ty, &access)?;
            let apart = self.apart(&leaves, &loaded)?;
            (0..elements.len(), apart.into_iter().map(|(value, _)| value).collect())
        } else {
            let range = first..last + 1;
            let leaves: Vec<Leaf> =
                elements.get(range.clone()).into_iter().flatten().flatten().copied().collect();
            (range, self.load_each(&leaves, &access)?)
        };
        let mut chosen = rest.to_vec();
        for (at, value) in range.zip(loaded) {
            if let (Some(true), Some(element)) = (wanted.get(at), chosen.get_mut(at)) {
                *element = vec![value];
            }
        }
        Ok(Some(chosen))
    }

    /// Whether the object that a masked load reads is known to have so many bytes from its address on.
    fn has_bytes(&self, id: InstId, size: u64) -> bool {
        let Op::Call(call) = &self.function.inst(id).op else { return false };
        let known = call.args.first().and_then(|pointer| self.bytes_after(*pointer));
        known.is_some_and(|bytes| bytes >= size)
    }

    /// `llvm.masked.load` of elements that share bytes: all are loaded where the mask names one.
    fn masked_bits(&mut self, id: InstId, call: &Call) -> Result<()> {
        let ty = self.type_of(id);
        let place = self.masked_place(call, 0)?;
        let mask = self.value(argument(call, 1)?)?;
        let other = self.value(argument(call, 2)?)?;
        let leaves = self.leaves(ty)?;
        let mut any = Val::Bits(0);
        for &wanted in mask.iter() {
            any = if any == Val::Bits(0) { wanted } else { self.pred(ptx!("or.pred"), any, wanted)? };
        }
        let any = self.in_register(any, Scalar::Int(1))?;
        let mut registers = Vec::with_capacity(leaves.len());
        for leaf in leaves.iter() {
            let register = self.register_for(leaf.scalar);
            self.copy_to(register, Val::Bits(0), leaf.scalar)?;
            registers.push(register);
        }
        let end = self.new_label();
        self.branch_if(any, true, end)?;
        let loaded = self.load_leaves(ty, &place.load()?)?;
        for ((leaf, value), &register) in leaves.iter().zip(loaded).zip(&registers) {
            self.copy_to(register, value, leaf.scalar)?;
        }
        self.builder.place(end);
        let mut values = Vec::with_capacity(leaves.len());
        for (((leaf, register), &wanted), &other) in
            leaves.iter().zip(registers).zip(mask.iter()).zip(other.iter())
        {
            values.push(self.choose(wanted, Val::reg(register), other, leaf.scalar)?);
        }
        self.define(id, values.into());
        Ok(())
    }

    /// `llvm.masked.store`.
    pub(super) fn masked_store(&mut self, call: &Call) -> Result<()> {
        let stored = argument(call, 0)?;
        let elements = self.element_leaves(self.value_type(stored)?)?;
        let values = self.elements(stored)?.0;
        let place = self.masked_place(call, 1)?;
        let mask = self.value(argument(call, 2)?)?;
        let mut at = 0;
        while let (Some(leaves), Some(own_values)) = (elements.get(at), values.get(at)) {
            let together = always(&mask[at.min(mask.len())..]).min(elements.len() - at);
            if together > 1 {
                let leaves: Vec<Leaf> = elements.iter().skip(at).take(together).flatten().copied().collect();
                let values: Vec<Option<Val>> =
                    values.iter().skip(at).take(together).flatten().copied().map(Some).collect();
                self.store_each(&leaves, &values, &place.store()?)?;
            } else {
                let own = Self::element_place(place, leaves);
                self.store_where(leaves, own_values, own, mask.get(at).copied())?;
            }
            at += together.max(1);
        }
        Ok(())
    }

    /// `llvm.masked.gather`: every element from an address of its own.
    pub(super) fn masked_gather(&mut self, id: InstId, call: &Call) -> Result<()> {
        let elements = self.scattered_leaves(self.type_of(id))?;
        let mask = self.value(argument(call, 1)?)?;
        let rest = self.elements(argument(call, 2)?)?.0;
        let mut loaded = Vec::with_capacity(elements.len());
        for (at, leaves) in elements.iter().enumerate() {
            let place = self.scattered_place(call, 0, at)?;
            let leaves = from_zero(leaves);
            loaded.push(self.load_where(&leaves, place, mask.get(at).copied(), rest.get(at))?);
        }
        self.define_vector(id, &loaded)
    }

    /// `llvm.masked.scatter`; elements at one address are stored in order.
    pub(super) fn masked_scatter(&mut self, call: &Call) -> Result<()> {
        let stored = argument(call, 0)?;
        let elements = self.scattered_leaves(self.value_type(stored)?)?;
        let values = self.elements(stored)?.0;
        let mask = self.value(argument(call, 2)?)?;
        for (at, (leaves, values)) in elements.iter().zip(&values).enumerate() {
            let place = self.scattered_place(call, 1, at)?;
            self.store_where(&from_zero(leaves), values, place, mask.get(at).copied())?;
        }
        Ok(())
    }

    /// `llvm.masked.expandload`: elements that lie one after the other go where the mask names places.
    pub(super) fn expand_load(&mut self, id: InstId, call: &Call) -> Result<()> {
        let elements = self.element_leaves(self.type_of(id))?;
        let (cursor, space, align, size) = self.running_place(call, 0, &elements)?;
        let mask = self.value(argument(call, 1)?)?;
        let rest = self.elements(argument(call, 2)?)?.0;
        let mut loaded = Vec::with_capacity(elements.len());
        for (at, leaves) in elements.iter().enumerate() {
            let operand = Operand::Address(AddressBase::Register(cursor), 0);
            let place = Place { operand, space, align };
            let wanted = mask.get(at).copied();
            loaded.push(self.load_where(&from_zero(leaves), place, wanted, rest.get(at))?);
            self.advance_where(cursor, wanted, size)?;
        }
        self.define_vector(id, &loaded)
    }

    /// `llvm.masked.compressstore`: the elements that the mask names, one after the other.
    pub(super) fn compress_store(&mut self, call: &Call) -> Result<()> {
        let stored = argument(call, 0)?;
        let elements = self.element_leaves(self.value_type(stored)?)?;
        let values = self.elements(stored)?.0;
        let (cursor, space, align, size) = self.running_place(call, 1, &elements)?;
        let mask = self.value(argument(call, 2)?)?;
        for (at, (leaves, values)) in elements.iter().zip(&values).enumerate() {
            let operand = Operand::Address(AddressBase::Register(cursor), 0);
            let wanted = mask.get(at).copied();
            self.store_where(&from_zero(leaves), values, Place { operand, space, align }, wanted)?;
            self.advance_where(cursor, wanted, size)?;
        }
        Ok(())
    }

    /// `experimental.vector.histogram.*`: what lies at each address that the mask names is changed, one after the other.
    pub(super) fn histogram(&mut self, call: &Call, op: HistogramOp) -> Result<()> {
        let (step, scalar) = self.scalar(argument(call, 1)?)?;
        let leaves = self.value_leaves(argument(call, 1)?)?;
        let mask = self.value(argument(call, 2)?)?;
        for at in 0..mask.len() {
            let place = self.scattered_place(call, 0, at)?;
            let align = leaves.iter().map(|leaf| leaf.bytes).max().unwrap_or(1);
            let place = Place { align: place.align.max(align), ..place };
            let wanted = mask.get(at).copied();
            let old = self.load_where(&leaves, place, wanted, None)?;
            let old = old.first().copied().unwrap_or(Val::Bits(0));
            let new = match op {
                HistogramOp::Add => self.int_binary(BinaryOp::Add, old, step, scalar.bits())?,
                HistogramOp::SaturatingAdd => self.saturating((BinaryOp::Add, false), old, step, scalar)?,
                HistogramOp::Min => self.int_extreme(ptx!("min.u32"), old, step, scalar)?,
                HistogramOp::Max => self.int_extreme(ptx!("max.u32"), old, step, scalar)?,
            };
            self.store_where(&leaves, &[new], place, wanted)?;
        }
        Ok(())
    }

    /// The leaves of each element of a vector type, where they lie in the whole.
    fn element_leaves(&mut self, ty: ptx_llvm::view::TypeId) -> Result<Vec<Vec<Leaf>>> {
        let (element, count) = match self.module.view.ty(ty) {
            ptx_llvm::view::Type::Vector { element, len } => (*element, *len),
            _ => return Err(RaiseError::new(INTRINSIC, "a masked access of something that is not a vector")),
        };
        if self.source.bit_packed(ty).is_some() {
            return Err(RaiseError::new(INTRINSIC, "a masked access of elements that share bytes"));
        }
        self.leaves_by_element(element, count)
    }

    /// The same for elements that have an address each, so that none shares its bytes with another.
    fn scattered_leaves(&mut self, ty: ptx_llvm::view::TypeId) -> Result<Vec<Vec<Leaf>>> {
        match self.module.view.ty(ty) {
            &ptx_llvm::view::Type::Vector { element, len } => self.leaves_by_element(element, len),
            _ => Err(RaiseError::new(INTRINSIC, "a masked access of something that is not a vector")),
        }
    }

    fn leaves_by_element(&mut self, element: ptx_llvm::view::TypeId, count: u32) -> Result<Vec<Vec<Leaf>>> {
        let size = self.module.view.layout(element).map_or(0, |layout| layout.size);
        let leaves = self.leaves(element)?;
        let shifted =
            |at: u64| leaves.iter().map(|leaf| Leaf { offset: leaf.offset + at * size, ..*leaf }).collect();
        Ok((0..u64::from(count)).map(shifted).collect())
    }

    fn masked_place(&mut self, call: &Call, at: usize) -> Result<Place> {
        let (pointer, scalar) = self.scalar(argument(call, at)?)?;
        let (operand, space) = self.address_operand(pointer, scalar)?;
        Ok(Place { operand, space, align: stated_align(call, at) })
    }

    /// The place of one element of a vector of pointers.
    fn scattered_place(&mut self, call: &Call, argument_at: usize, at: usize) -> Result<Place> {
        let pointers = argument(call, argument_at)?;
        let leaves = self.value_leaves(pointers)?;
        let values = self.value(pointers)?;
        let (Some(&value), Some(leaf)) = (values.get(at), leaves.get(at)) else {
            return Err(RaiseError::new(INTRINSIC, "a masked access with too few addresses"));
        };
        let (operand, space) = self.address_operand(value, leaf.scalar)?;
        Ok(Place { operand, space, align: stated_align(call, argument_at) })
    }

    /// A register that steps through memory, the space it is in, how far its places are aligned, and its step.
    fn running_place(
        &mut self,
        call: &Call,
        at: usize,
        elements: &[Vec<Leaf>],
    ) -> Result<(ptx_ir::RegId, u32, u64, u64)> {
        let (pointer, scalar) = self.scalar(argument(call, at)?)?;
        let start = self.in_register(pointer, scalar)?;
        let Scalar::Pointer { space, .. } = scalar else {
            return Err(RaiseError::new(INTRINSIC, "an address that is not a pointer"));
        };
        let cursor = self.register_for(scalar);
        self.copy_to(cursor, Val::reg(start), scalar)?;
        let next = |element: &Vec<Leaf>| element.first().map_or(0, |leaf| leaf.offset);
        let bytes = |element: &Vec<Leaf>| element.iter().map(|leaf| leaf.bytes).sum();
        let size = match elements {
            [_, second, ..] => next(second),
            [only] => bytes(only),
            [] => 0,
        };
        let align = stated_align(call, at).min(1 << size.max(1).trailing_zeros());
        Ok((cursor, space, align, size))
    }

    fn advance_where(&mut self, cursor: ptx_ir::RegId, wanted: Option<Val>, size: u64) -> Result<()> {
        let class = self.class_of(cursor);
        let guard = match wanted {
            Some(Val::Bits(bits)) if bits & 1 == 0 => return Ok(()),
            Some(Val::Bits(_)) | None => None,
            Some(condition) => {
                Some(Guard { register: self.in_register(condition, Scalar::Int(1))?, negated: false })
            }
        };
        let add = ptx!("add.s32").with_bits(class.bits())?;
        self.emit_guarded(guard, add, &[cursor.into(), cursor.into(), Arg::Bits(size, class.bits())])
    }

    fn element_place(place: Place, leaves: &[Leaf]) -> Place {
        let offset = leaves.first().map_or(0, |leaf| leaf.offset);
        // The element's leaves carry their offset in the whole.
        Place {
            align: if offset == 0 { place.align } else { place.align.min(1 << offset.trailing_zeros()) },
            ..place
        }
    }

    /// An element where its condition holds, `other` where it does not.
    fn load_where(
        &mut self,
        leaves: &[Leaf],
        place: Place,
        condition: Option<Val>,
        other: Option<&Vec<Val>>,
    ) -> Result<Vec<Val>> {
        let zero = vec![Val::Bits(0); leaves.len()];
        let other = other.unwrap_or(&zero);
        let condition = match condition {
            Some(Val::Bits(bits)) if bits & 1 == 0 => return Ok(other.clone()),
            Some(Val::Bits(_)) | None => return self.load_element(leaves, place),
            Some(condition) => self.in_register(condition, Scalar::Int(1))?,
        };
        let mut registers = Vec::with_capacity(leaves.len());
        for (leaf, &value) in leaves.iter().zip(other) {
            let register = self.register_for(leaf.scalar);
            self.copy_to(register, value, leaf.scalar)?;
            registers.push(register);
        }
        if let ([leaf], [register]) = (leaves, registers.as_slice())
            && is_whole(*leaf, place.align)
        {
            let guard = Guard { register: condition, negated: false };
            let access = place.load()?.after(leaf.offset);
            let load = access.of(memory_type(leaf.scalar), 1)?;
            self.emit_guarded(Some(guard), load, &[(*register).into(), access.address.into()])?;
            return Ok(vec![Val::reg(*register)]);
        }
        let end = self.new_label();
        self.branch_if(condition, true, end)?;
        let loaded = self.load_element(leaves, place)?;
        for ((leaf, value), &register) in leaves.iter().zip(loaded).zip(&registers) {
            self.copy_to(register, value, leaf.scalar)?;
        }
        self.builder.place(end);
        Ok(registers.into_iter().map(Val::reg).collect())
    }

    fn load_element(&mut self, leaves: &[Leaf], place: Place) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            values.push(self.load_leaf(*leaf, &place.load()?.after(leaf.offset))?);
        }
        Ok(values)
    }

    /// Stores an element where its condition holds.
    fn store_where(
        &mut self,
        leaves: &[Leaf],
        values: &[Val],
        place: Place,
        condition: Option<Val>,
    ) -> Result<()> {
        let condition = match condition {
            Some(Val::Bits(bits)) if bits & 1 == 0 => return Ok(()),
            Some(Val::Bits(_)) | None => return self.store_element(leaves, values, place),
            Some(condition) => self.in_register(condition, Scalar::Int(1))?,
        };
        if let ([leaf], [value]) = (leaves, values)
            && is_whole(*leaf, place.align)
        {
            let guard = Guard { register: condition, negated: false };
            let register = self.in_register(*value, leaf.scalar)?;
            let access = place.store()?.after(leaf.offset);
            let store = access.of(memory_type(leaf.scalar), 1)?;
            return self.emit_guarded(Some(guard), store, &[access.address.into(), register.into()]);
        }
        let end = self.new_label();
        // Whatever the values need is computed before the branch, for others may use it.
        let mut held = Vec::with_capacity(values.len());
        for (leaf, &value) in leaves.iter().zip(values) {
            held.push(Val::reg(self.in_register(value, leaf.scalar)?));
        }
        self.branch_if(condition, true, end)?;
        self.store_element(leaves, &held, place)?;
        self.builder.place(end);
        Ok(())
    }

    fn store_element(&mut self, leaves: &[Leaf], values: &[Val], place: Place) -> Result<()> {
        for (leaf, &value) in leaves.iter().zip(values) {
            self.store_leaf(*leaf, value, &place.store()?.after(leaf.offset))?;
        }
        Ok(())
    }

    /// `llvm.nvvm.ldu.global`: a load that the whole warp makes from one address; the second argument is the alignment.
    pub(super) fn load_uniform(&mut self, id: InstId, call: &Call) -> Result<()> {
        let (pointer, scalar) = self.scalar(argument(call, 0)?)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        // An alignment that is not known is the natural one, which the instruction demands (manual 9.7.9.17).
        let align = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(align) => align,
            Val::Register(..) | Val::Address { .. } => MOST_ALIGNED,
        };
        let mnemonic = match space {
            address_space::GENERIC => ptx!("ldu.b32"),
            address_space::GLOBAL => ptx!("ldu.global.b32"),
            _ => return Err(RaiseError::new(INTRINSIC, "ldu of memory that is not global")),
        };
        let access = Access { mnemonic, hints: &[], address, align: align.max(1) };
        let values = self.load_leaves(self.type_of(id), &access)?;
        self.define(id, Rc::from(values));
        Ok(())
    }
}

fn stated_align(call: &Call, at: usize) -> u64 {
    let stated = call.arg_attributes.get(at).and_then(|attributes| attributes.number("align"));
    stated.unwrap_or(1).clamp(1, 1 << 16)
}

/// How many elements from the first one on are accessed whatever happens.
fn always(mask: &[Val]) -> usize {
    mask.iter().take_while(|bit| matches!(bit, Val::Bits(bits) if bits & 1 == 1)).count()
}

/// Leaves as if their element began at zero.
fn from_zero(leaves: &[Leaf]) -> Vec<Leaf> {
    let start = leaves.first().map_or(0, |leaf| leaf.offset);
    leaves.iter().map(|leaf| Leaf { offset: leaf.offset - start, ..*leaf }).collect()
}

/// Whether one instruction accesses the leaf, with nothing to do before or after.
fn is_whole(leaf: Leaf, align: u64) -> bool {
    let odd = matches!(leaf.scalar, Scalar::Int(bits) if bits % 8 != 0)
        || leaf.scalar.class().bits() < 16
        || matches!(leaf.scalar, Scalar::Pointer { bits, .. } if bits != leaf.scalar.class().bits());
    !odd && leaf.bytes.is_power_of_two() && align >= leaf.bytes
}
