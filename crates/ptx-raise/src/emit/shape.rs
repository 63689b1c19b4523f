//! Intrinsics that move elements of vectors about and compute nothing.

use ptx_llvm::view::{Call, InstId, IntPredicate, Type, Value};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::Scalar;
use crate::value::{Val, mask};

impl Emitter<'_, '_, '_> {
    /// An intrinsic on the shape of vectors; whether it is one.
    pub(super) fn shape_intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        match name {
            "vector.insert" => self.insert_vector(id, call)?,
            "vector.extract" => self.extract_vector(id, call)?,
            "vector.reverse" => {
                let (mut elements, _) = self.elements(argument(call, 0)?)?;
                elements.reverse();
                self.define_vector(id, &elements)?;
            }
            "vector.splice" | "vector.splice.left" | "vector.splice.right" => self.splice(id, call, name)?,
            "vector.interleave2" | "vector.interleave3" | "vector.interleave4" | "vector.interleave5"
            | "vector.interleave6" | "vector.interleave7" | "vector.interleave8" => {
                self.interleave(id, call)?;
            }
            "vector.deinterleave2"
            | "vector.deinterleave3"
            | "vector.deinterleave4"
            | "vector.deinterleave5"
            | "vector.deinterleave6"
            | "vector.deinterleave7"
            | "vector.deinterleave8" => self.deinterleave(id, call, name)?,
            "stepvector" => {
                let leaves = self.leaves(self.type_of(id))?;
                let count = |(at, leaf): (usize, &crate::types::Leaf)| {
                    Val::Bits(at as u64 & mask(leaf.scalar.bits()))
                };
                let values = leaves.iter().enumerate().map(count).collect();
                self.define(id, values);
            }
            "get.active.lane.mask" => self.active_lanes(id, call)?,
            "experimental.cttz.elts" => self.first_element(id, call)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn place(&mut self, value: Value) -> Raised<usize> {
        match self.scalar(value)?.0 {
            Val::Bits(at) => usize::try_from(at).map_err(|_| Refusal::new(INTRINSIC, "a place past the end")),
            Val::Register(..) | Val::Address { .. } => {
                Err(Refusal::new(INTRINSIC, "a place in a vector that is not a constant"))
            }
        }
    }

    fn insert_vector(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (mut elements, _) = self.elements(argument(call, 0)?)?;
        let (part, _) = self.elements(argument(call, 1)?)?;
        let at = self.place(argument(call, 2)?)?;
        let room = elements.get_mut(at..).and_then(|rest| rest.get_mut(..part.len()));
        let room = room.ok_or_else(|| Refusal::new(INTRINSIC, "a place past the end of a vector"))?;
        room.clone_from_slice(&part);
        self.define_vector(id, &elements)
    }

    fn extract_vector(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (elements, _) = self.elements(argument(call, 0)?)?;
        let at = self.place(argument(call, 1)?)?;
        let count = match self.module.view.ty(self.type_of(id)) {
            Type::Vector { len, .. } => *len as usize,
            _ => 1,
        };
        let part = elements.get(at..).and_then(|rest| rest.get(..count));
        let part = part.ok_or_else(|| Refusal::new(INTRINSIC, "a place past the end of a vector"))?.to_vec();
        self.define_vector(id, &part)
    }

    /// `vector.splice` and its kin: a vector's length of elements out of two, from a place that counts from the start of both, or
    /// from the end of the first one (negative, and `.right`).
    fn splice(&mut self, id: InstId, call: &Call, name: &str) -> Raised<()> {
        let (mut elements, _) = self.elements(argument(call, 0)?)?;
        let count = elements.len();
        elements.extend(self.elements(argument(call, 1)?)?.0);
        let (at, kind) = self.scalar(argument(call, 2)?)?;
        let Val::Bits(at) = at else {
            return Err(Refusal::new(INTRINSIC, "a place in a vector that is not a constant"));
        };
        let at = crate::value::sign_extend(at, kind.bits());
        let at = if name.ends_with(".right") { at.wrapping_neg() } else { at };
        let from_end = at < 0 || name.ends_with(".right");
        let start = if from_end { (count as i64).checked_add(at) } else { Some(at) };
        let start = start.and_then(|start| usize::try_from(start).ok());
        let part = start.and_then(|start| elements.get(start..)?.get(..count));
        let part = part.ok_or_else(|| Refusal::new(INTRINSIC, "a place past the end of a vector"))?.to_vec();
        self.define_vector(id, &part)
    }

    fn interleave(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let mut parts = Vec::with_capacity(call.args.len());
        for &arg in &call.args {
            parts.push(self.elements(arg)?.0);
        }
        let count = parts.first().map_or(0, Vec::len);
        let elements: Vec<Vec<Val>> =
            (0..count).flat_map(|at| parts.iter().filter_map(move |part| part.get(at).cloned())).collect();
        self.define_vector(id, &elements)
    }

    fn deinterleave(&mut self, id: InstId, call: &Call, name: &str) -> Raised<()> {
        let ways = name.bytes().last().map_or(2, |digit| usize::from(digit.saturating_sub(b'0')));
        let (elements, _) = self.elements(argument(call, 0)?)?;
        let Type::Struct { fields } = self.module.view.ty(self.type_of(id)) else {
            return Err(Refusal::new(INTRINSIC, "a result of several vectors that is not a structure"));
        };
        let fields = fields.clone();
        let mut values = Vec::new();
        for (way, &field) in fields.iter().enumerate() {
            let leaves = self.leaves(field)?;
            let own: Vec<Val> = elements.iter().skip(way).step_by(ways.max(1)).flatten().copied().collect();
            values.extend(self.together(&leaves, &own)?);
        }
        self.define(id, values.into());
        Ok(())
    }

    /// `get.active.lane.mask`: whether a base and the lane's number together are below a limit; their sum does not wrap.
    fn active_lanes(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (base, scalar) = self.scalar(argument(call, 0)?)?;
        let (limit, _) = self.scalar(argument(call, 1)?)?;
        let lanes = self.leaves(self.type_of(id))?.len();
        // As many as are left, or none where the base is past the limit.
        let past = self.compare_ints(IntPredicate::Uge, base, limit, scalar)?;
        let left = self.int_binary(ptx_llvm::view::BinaryOp::Sub, limit, base, scalar.bits())?;
        let left = self.choose(past, Val::Bits(0), left, scalar)?;
        let mut values = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            if lane as u64 > mask(scalar.bits()) {
                values.push(Val::Bits(0));
                continue;
            }
            values.push(self.compare_ints(IntPredicate::Ugt, left, Val::Bits(lane as u64), scalar)?);
        }
        self.define(id, values.into());
        Ok(())
    }

    /// `experimental.cttz.elts`: the number of the first element that is not zero, or how many there are.
    fn first_element(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let wide = self.wide_width(argument(call, 0)?)?;
        let (elements, scalars) = self.elements(argument(call, 0)?)?;
        let leaves = self.leaves(self.type_of(id))?;
        let (Some(&kind @ Scalar::Int(_)), Some(leaf)) = (scalars.first(), leaves.first()) else {
            return Err(Refusal::new(INTRINSIC, "a search in something that is not a vector of integers"));
        };
        let zero = vec![Val::Bits(0); scalars.len()];
        let mut found = Val::Bits(elements.len() as u64 & mask(leaf.scalar.bits()));
        for (at, element) in elements.iter().enumerate().rev() {
            let set = match (kind, element.as_slice()) {
                (Scalar::Int(1), &[element]) => element,
                _ => self.compare_any(IntPredicate::Ne, element, &zero, kind, wide)?,
            };
            let place = Val::Bits(at as u64 & mask(leaf.scalar.bits()));
            found = self.choose(set, place, found, leaf.scalar)?;
        }
        // The number of elements fits any word.
        let high = leaves.iter().skip(1).map(|_| Val::Bits(0));
        let values = std::iter::once(found).chain(high).collect();
        self.define(id, values);
        Ok(())
    }
}
