//! Addresses: `getelementptr`.

use ptx_isa::ptx;
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{CastOp, InstId, Op, Type, TypeId, Value};
use rustc_hash::FxHashSet as HashSet;

use super::append::Arg;
use super::constant::{index, offset_by};
use super::state::Emitter;
use crate::cover::Action;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::{Base, Fill, Val};

/// The maximum number of `getelementptr` that are followed to find the uses of an address.
const MOST_STEPS: usize = 64;

impl Emitter<'_, '_, '_> {
    /// Address arithmetic. Constant offsets wait for the access; other indices are computed here.
    pub(super) fn gep(&mut self, id: InstId, source: TypeId, base: Value, indices: &[Value]) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        if let Type::Vector { len, .. } = self.module.view.ty(self.type_of(id)) {
            return self.gep_of_lanes(id, source, base, indices, *len as usize);
        }
        let [leaf] = &*leaves else {
            return Err(RaiseError::new(INSTRUCTION, "a getelementptr of something that is not an address"));
        };
        let (mut start, pointer) = self.scalar(base)?;
        let is_constant = |index: &Value| matches!(index, Value::Const(_));
        if is_held_in_shared(start, pointer) && !indices.iter().all(is_constant) && !self.stays_inside(id) {
            start = self.as_typed(start, pointer)?;
        }
        if let (&[index], true) = (indices, self.function.inst(id).metadata(marks::LITERAL).is_some()) {
            return self.sum(id, (start, pointer), index);
        }
        if let Some(&Action::Index(product)) = self.cover.action(id) {
            let bytes = self.multiply_wide(product)?;
            let address = self.add_index(start, pointer, bytes, Scalar::Int(64), 1)?;
            let address = self.settle(id, address, leaf.scalar)?;
            return self.define_one(id, address);
        }
        let mut numbers = Vec::with_capacity(indices.len());
        for &value in indices {
            numbers.push(match self.index_value(value)? {
                (number @ Val::Bits(_), kind) => (number, kind),
                known => self.narrow_index(value, pointer)?.unwrap_or(known),
            });
        }
        let address = self.stepped(start, pointer, source, &numbers)?;
        let address = self.settle(id, address, leaf.scalar)?;
        self.define_one(id, address)
    }

    /// Address arithmetic on vectors, lane by lane; a scalar operand is used for every lane.
    fn gep_of_lanes(
        &mut self,
        id: InstId,
        source: TypeId,
        base: Value,
        indices: &[Value],
        lanes: usize,
    ) -> Result<()> {
        let mut addresses = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let (start, pointer) = self.lane(base, lane)?;
            let start = self.as_typed(start, pointer)?;
            let mut numbers = Vec::with_capacity(indices.len());
            for &value in indices {
                numbers.push(self.lane(value, lane)?);
            }
            addresses.push(self.stepped(start, pointer, source, &numbers)?);
        }
        self.define(id, addresses.into())
    }

    /// One element of a vector, or the value itself; for integers over 64 bits the low word.
    fn lane(&mut self, value: Value, lane: usize) -> Result<(Val, Scalar)> {
        if !matches!(self.module.view.ty(self.value_type(value)?), Type::Vector { .. }) {
            return self.index_value(value);
        }
        let (elements, scalars) = self.elements(value)?;
        let element = elements.get(lane).and_then(|element| element.first()).copied();
        match (element, scalars.first()) {
            (Some(element), Some(&scalar)) => Ok((element, scalar)),
            _ => Err(RaiseError::new(INSTRUCTION, "a vector of fewer addresses than its neighbour")),
        }
    }

    /// An address some indices further on.
    pub(super) fn stepped(
        &mut self,
        start: Val,
        pointer: Scalar,
        source: TypeId,
        indices: &[(Val, Scalar)],
    ) -> Result<Val> {
        let refusal = |text: &'static str| RaiseError::new(INSTRUCTION, text);
        let (mut address, mut constant, mut ty) = (start, 0i64, source);
        for (at, &(number, kind)) in indices.iter().enumerate() {
            let (stride, next) = if at == 0 {
                (self.size_of(ty)?, ty)
            } else {
                match self.module.view.ty(ty).clone() {
                    Type::Struct { fields } => {
                        let Val::Bits(field) = number else {
                            return Err(refusal("a field number that is not a constant"));
                        };
                        let offsets = self.module.view.layout(ty).map(|layout| layout.offsets.clone());
                        let offset = offsets.and_then(|offsets| offsets.get(field as usize).copied());
                        let (Some(offset), Some(&next)) = (offset, fields.get(field as usize)) else {
                            return Err(refusal("a field number past the last field"));
                        };
                        constant = constant.wrapping_add(offset as i64);
                        ty = next;
                        continue;
                    }
                    Type::Array { element, .. } | Type::Vector { element, .. } => {
                        (self.size_of(element)?, element)
                    }
                    _ => return Err(refusal("an index into something that has no elements")),
                }
            };
            ty = next;
            match number {
                Val::Bits(bits) => {
                    constant = constant.wrapping_add(index(bits, kind.bits()).wrapping_mul(stride as i64));
                }
                other => address = self.add_index(address, pointer, other, kind, stride)?,
            }
        }
        offset_by(address, pointer, constant)
    }

    /// An index; for one over 64 bits the low word, which is sufficient.
    fn index_value(&mut self, index: Value) -> Result<(Val, Scalar)> {
        let leaves = self.value_leaves(index)?;
        let values = self.value(index)?;
        match (leaves.first(), values.first()) {
            (Some(leaf), Some(value)) => Ok((*value, leaf.scalar)),
            _ => Err(RaiseError::new(INSTRUCTION, "an index without a value")),
        }
    }

    /// An index before its extension, where the address has no more bits than that.
    fn narrow_index(&mut self, index: Value, pointer: Scalar) -> Result<Option<(Val, Scalar)>> {
        let Value::Inst(id) = index else { return Ok(None) };
        if self.cover.is_opaque(id) {
            return Ok(None);
        }
        let function = self.function;
        let Op::Cast { op: CastOp::SExt | CastOp::ZExt, value, .. } = function.inst(id).op else {
            return Ok(None);
        };
        let (number, kind) = self.index_value(value)?;
        let same = pointer.class() == Class::B32 && kind == Scalar::Int(32);
        Ok(same.then_some((number, kind)))
    }

    fn size_of(&self, ty: TypeId) -> Result<u64> {
        self.module.view.layout(ty).map(|layout| layout.size).ok_or_else(|| {
            RaiseError::new(
                INSTRUCTION,
                format!("an index over elements of type {}", self.module.view.type_text(ty)),
            )
        })
    }

    /// Adds a scaled index to an address, in the space the address counts in.
    pub(super) fn add_index(
        &mut self,
        address: Val,
        pointer: Scalar,
        number: Val,
        kind: Scalar,
        stride: u64,
    ) -> Result<Val> {
        let Scalar::Pointer { space: typed, .. } = pointer else {
            return Err(RaiseError::new(INSTRUCTION, "a getelementptr from something that is not a pointer"));
        };
        let space = match address {
            Val::Address { space, .. } => space,
            Val::Register(..) | Val::Bits(_) => typed,
        };
        let class = self.pointer_class(space);
        let wide = self.extended(number, kind, class.bits(), Fill::Sign)?;
        let add = ptx!("add.s32").with_bits(class.bits())?;
        let scaled = match stride {
            0 => return Ok(address),
            1 => wide,
            stride if stride.is_power_of_two() => self.compute(
                ptx!("shl.b32").with_bits(class.bits())?,
                &[wide.into(), Arg::Bits(u64::from(stride.trailing_zeros()), 32)],
            )?,
            stride => {
                let multiply = ptx!("mul.lo.s32").with_bits(class.bits())?;
                self.compute(multiply, &[wide.into(), Arg::Bits(stride, class.bits())])?
            }
        };
        match address {
            Val::Address { base, offset, space } => {
                let start = self.plain_address(base, 0, space)?;
                let sum = self.compute(add, &[start.into(), scaled.into()])?;
                Ok(Val::Address { base: Base::Register(sum), offset, space })
            }
            other => {
                let start = self.arg(other, pointer)?;
                Ok(Val::reg(self.compute(add, &[start, scaled.into()])?))
            }
        }
    }

    /// The address of a variable in shared memory as a generic one if its pointer is generic: offsets are added to all 64 bits, whereas
    /// `cvta.shared` reads only 32 bits of a sum.
    pub(super) fn as_typed(&mut self, start: Val, pointer: Scalar) -> Result<Val> {
        if is_held_in_shared(start, pointer) {
            self.in_register(start, pointer).map(Val::reg)
        } else {
            Ok(start)
        }
    }

    /// Whether an address is used only inside of its variable: `inbounds`, or used only for accesses.
    fn stays_inside(&self, id: InstId) -> bool {
        let is_inbounds = |op: &Op| matches!(op, Op::Gep { inbounds: true, .. });
        is_inbounds(&self.function.inst(id).op)
            || self.only_used(id, MOST_STEPS, |op| match op {
                Op::Cast { op: CastOp::AddrSpaceCast, .. } => Use::Allowed,
                Op::Gep { .. } if is_inbounds(op) => Use::Allowed,
                Op::Gep { .. } => Use::Step,
                _ => Use::Other,
            })
    }

    /// Computes an address here if it has uses other than accesses; the sum of a symbol and an offset can be deferred.
    fn settle(&mut self, id: InstId, address: Val, scalar: Scalar) -> Result<Val> {
        let Val::Address { base: Base::Register(_), offset, space } = address else { return Ok(address) };
        let Scalar::Pointer { space: typed, .. } = scalar else { return Ok(address) };
        if space != typed || (offset != 0 && self.only_accessed(id)) {
            return Ok(address);
        }
        self.in_register(address, scalar).map(Val::reg)
    }

    /// Whether every use of an address is an access through it, or a step from it that is only accessed. PTX has
    /// decided itself where it adds constants to addresses that go on from there.
    fn only_accessed(&self, id: InstId) -> bool {
        let was_ptx = !self.module.view.named(marks::VERSION).is_empty();
        self.only_used(id, usize::MAX, |op| match op {
            Op::Gep { indices, .. }
                if !was_ptx || indices.iter().all(|index| matches!(index, Value::Const(_))) =>
            {
                Use::Step
            }
            _ => Use::Other,
        })
    }

    /// Whether every use of an address, and of the steps from it, is an access; `kind` describes the uses that are not
    /// accesses through it. At most `most` addresses are examined.
    fn only_used(&self, id: InstId, most: usize, kind: impl Fn(&Op) -> Use) -> bool {
        self.all_uses(Value::Inst(id), most, |pointer, user| match &self.function.inst(user).op {
            Op::Load { .. } => Use::Allowed,
            Op::Store { value, .. } | Op::AtomicRmw { value, .. } if *value != pointer => Use::Allowed,
            Op::CmpXchg { expected, new, .. } if *expected != pointer && *new != pointer => Use::Allowed,
            Op::Gep { base, .. } if *base != pointer => Use::Other,
            other => kind(other),
        })
    }

    /// Whether every use of an address, and of the steps from it, is allowed; `kind` tells of an address and an instruction how it is
    /// used. At most `most` addresses are examined.
    pub(super) fn all_uses(&self, start: Value, most: usize, kind: impl Fn(Value, InstId) -> Use) -> bool {
        let (mut work, mut seen) = (vec![start], HashSet::default());
        while let Some(pointer) = work.pop() {
            if !seen.insert(pointer) {
                continue;
            }
            if seen.len() > most {
                return false;
            }
            for &user in self.cover.uses.users_of(pointer) {
                match kind(pointer, user) {
                    Use::Allowed => {}
                    Use::Step => work.push(Value::Inst(user)),
                    Use::Other => return false,
                }
            }
        }
        true
    }
}

/// How an instruction uses an address.
pub(super) enum Use {
    /// As the caller allows it.
    Allowed,
    /// To compute another address, which is examined in turn.
    Step,
    Other,
}

/// Whether the address of a variable in shared memory is kept as such where its type is another space's.
fn is_held_in_shared(address: Val, pointer: Scalar) -> bool {
    match (address, pointer) {
        (Val::Address { space, .. }, Scalar::Pointer { space: typed, .. }) => {
            space != typed && matches!(space, address_space::SHARED | address_space::SHARED_CLUSTER)
        }
        _ => false,
    }
}
