//! Intrinsics that choose among the elements of vectors, or add them up in groups.

use std::rc::Rc;

use ptx_isa::ptx;
use ptx_llvm::view::{BinaryOp, Call, CastOp, FastMath, InstId, IntPredicate};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::Scalar;
use crate::value::{Fill, Val};

impl Emitter<'_, '_, '_> {
    /// An intrinsic of this module; whether it is one.
    pub(super) fn lane_intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        match name {
            "experimental.vector.compress" => self.compress(id, call)?,
            "experimental.vector.match" => self.matches_any(id, call)?,
            "experimental.vector.extract.last.active" => self.last_active(id, call)?,
            "vector.partial.reduce.add" | "vector.partial.reduce.fadd" => self.partial_sum(id, call)?,
            "experimental.get.vector.length" => self.vector_length(id, call)?,
            "loop.dependence.war.mask" => self.dependence(id, call, Dependence::WriteAfterRead)?,
            "loop.dependence.raw.mask" => self.dependence(id, call, Dependence::ReadAfterWrite)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `experimental.vector.compress`: the elements that the mask names, one after the other; what is left keeps the last
    /// argument's elements.
    fn compress(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (elements, scalars) = self.elements(argument(call, 0)?)?;
        let mask = self.value(argument(call, 1)?)?;
        let (mut results, _) = self.elements(argument(call, 2)?)?;
        let word = Scalar::Int(32);
        let mut count = Val::Bits(0);
        for (at, (element, &wanted)) in elements.iter().zip(mask.iter()).enumerate() {
            for (place, result) in results.iter_mut().enumerate().take(at + 1) {
                let here = self.compare_ints(IntPredicate::Eq, count, Val::Bits(place as u64), word)?;
                let here = self.pred("and.pred", here, wanted)?;
                self.replace_where(here, result, element, &scalars)?;
            }
            let one = self.choose(wanted, Val::Bits(1), Val::Bits(0), word)?;
            count = self.int_binary(BinaryOp::Add, count, one, 32)?;
        }
        self.define_vector(id, &results)
    }

    /// Puts `element` into the place of `result` where a predicate holds.
    fn replace_where(
        &mut self,
        here: Val,
        result: &mut [Val],
        element: &[Val],
        scalars: &[Scalar],
    ) -> Raised<()> {
        for ((value, &candidate), &scalar) in result.iter_mut().zip(element).zip(scalars) {
            *value = self.choose(here, candidate, *value, scalar)?;
        }
        Ok(())
    }

    /// `experimental.vector.match`: whether an element is one of a second vector's.
    fn matches_any(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let wide = self.wide_width(argument(call, 0)?)?;
        let (elements, scalars) = self.elements(argument(call, 0)?)?;
        let (wanted, _) = self.elements(argument(call, 1)?)?;
        let mask = self.value(argument(call, 2)?)?;
        let scalar = scalars.first().copied().unwrap_or(Scalar::Int(32));
        if !matches!(scalar, Scalar::Int(_)) {
            return Err(Refusal::new(INTRINSIC, "a search for something that is not an integer"));
        }
        let mut results = Vec::with_capacity(elements.len());
        for (element, &active) in elements.iter().zip(mask.iter()) {
            let mut any = Val::Bits(0);
            for other in &wanted {
                let same = self.compare_any(IntPredicate::Eq, element, other, scalar, wide)?;
                any = if any == Val::Bits(0) { same } else { self.pred("or.pred", any, same)? };
            }
            results.push(self.pred("and.pred", any, active)?);
        }
        self.define(id, results.into());
        Ok(())
    }

    /// `experimental.vector.extract.last.active`: the last element that the mask names, else the last argument.
    fn last_active(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (elements, scalars) = self.elements(argument(call, 0)?)?;
        let mask = self.value(argument(call, 1)?)?;
        let mut result = self.value(argument(call, 2)?)?.to_vec();
        for (element, &active) in elements.iter().zip(mask.iter()) {
            self.replace_where(active, &mut result, element, &scalars)?;
        }
        self.define(id, result.into());
        Ok(())
    }

    /// `vector.partial.reduce`: the elements of a longer vector are added to those of a shorter one, in an order that LLVM leaves
    /// open: here element by element, a shorter vector's length apart.
    fn partial_sum(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let wide = self.wide_width(argument(call, 0)?)?;
        let (mut sums, scalars) = self.elements(argument(call, 0)?)?;
        let (elements, kinds) = self.elements(argument(call, 1)?)?;
        if scalars != kinds || sums.is_empty() || !elements.len().is_multiple_of(sums.len()) {
            return Err(Refusal::new(INTRINSIC, "sums of vectors that do not go together"));
        }
        let length = sums.len();
        for (at, element) in elements.iter().enumerate() {
            let Some(sum) = sums.get_mut(at % length) else { continue };
            *sum = match (wide, scalars.as_slice(), sum.as_slice(), element.as_slice()) {
                (Some(bits), ..) => self.reduce_wide("add", sum, element, bits)?,
                (None, &[Scalar::Int(bits)], &[a], &[b]) => {
                    vec![self.int_binary(BinaryOp::Add, a, b, bits)?]
                }
                (None, &[scalar], &[a], &[b]) => {
                    vec![self.float_binary(BinaryOp::FAdd, a, b, scalar, FastMath::default())?]
                }
                _ => return Err(Refusal::new(INTRINSIC, "sums of something odd")),
            };
        }
        self.define_vector(id, &sums)
    }

    /// `experimental.get.vector.length`: as many elements as are left, at most so many.
    fn vector_length(&mut self, id: InstId, call: &Call) -> Raised<()> {
        if self.scalar(argument(call, 2)?)?.0 != Val::Bits(0) {
            return Err(Refusal::new(INTRINSIC, "the length of a scalable vector"));
        }
        let most = self.scalar(argument(call, 1)?)?.0;
        let word = Scalar::Int(64);
        let count = match self.wide_width(argument(call, 0)?)? {
            None => {
                let (left, kind) = self.scalar(argument(call, 0)?)?;
                let wide = self.resize_integer(CastOp::ZExt, &[left], kind.bits(), 64)?;
                wide.first().copied().unwrap_or(left)
            }
            Some(bits) => {
                let left = self.value(argument(call, 0)?)?;
                let words = self.full_words(&left, bits, Fill::Zero)?;
                let mut count = words.first().map_or(Val::Bits(0), |low| Val::reg(*low));
                for &high in words.get(1..).unwrap_or_default() {
                    let more = self.compare_ints(IntPredicate::Ne, Val::reg(high), Val::Bits(0), word)?;
                    count = self.choose(more, Val::Bits(u64::MAX), count, word)?;
                }
                count
            }
        };
        let most = self.resize_integer(CastOp::ZExt, &[most], 32, 64)?;
        let least = self.int_extreme(ptx!("min.u32"), count, most.first().copied().unwrap_or(count), word)?;
        let result = self.resize_integer(CastOp::Trunc, &[least], 64, 32)?;
        self.define(id, Rc::from(result));
        Ok(())
    }

    /// `loop.dependence.war.mask`, `.raw.mask`: the elements that can be accessed before one of the second address is reached.
    fn dependence(&mut self, id: InstId, call: &Call, kind: Dependence) -> Raised<()> {
        let Val::Bits(size) = self.scalar(argument(call, 2)?)?.0 else {
            return Err(Refusal::new(INTRINSIC, "an element's size that is not a constant"));
        };
        let lanes = self.leaves(self.type_of(id))?;
        if lanes.iter().any(|lane| lane.scalar != Scalar::Int(1)) {
            return Err(Refusal::new(INTRINSIC, "a mask of something else than bits"));
        }
        let word = Scalar::Int(64);
        let mut ends = [Val::Bits(0); 2];
        for (at, end) in ends.iter_mut().enumerate() {
            let (address, pointer) = self.scalar(argument(call, at)?)?;
            let register = self.in_register(address, pointer)?;
            *end = self.resize_register(register, pointer.class().bits(), 64)?;
        }
        let mut distance = self.int_binary(BinaryOp::Sub, ends[1], ends[0], 64)?;
        let free = match kind {
            Dependence::WriteAfterRead => {
                self.compare_ints(IntPredicate::Sle, distance, Val::Bits(0), word)?
            }
            Dependence::ReadAfterWrite => {
                let negative = self.compare_ints(IntPredicate::Slt, distance, Val::Bits(0), word)?;
                let other = self.int_binary(BinaryOp::Sub, Val::Bits(0), distance, 64)?;
                distance = self.choose(negative, other, distance, word)?;
                self.compare_ints(IntPredicate::Eq, distance, Val::Bits(0), word)?
            }
        };
        let whole = self.int_binary(BinaryOp::UDiv, distance, Val::Bits(size.max(1)), 64)?;
        // Less than an element apart is as good as not apart.
        let none = self.compare_ints(IntPredicate::Eq, whole, Val::Bits(0), word)?;
        let free = self.pred("or.pred", free, none)?;
        let mut results = Vec::with_capacity(lanes.len());
        for lane in 0..lanes.len() {
            let before = self.compare_ints(IntPredicate::Ult, Val::Bits(lane as u64), whole, word)?;
            results.push(self.pred("or.pred", free, before)?);
        }
        self.define(id, results.into());
        Ok(())
    }
}

/// In which order two accesses must stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependence {
    WriteAfterRead,
    ReadAfterWrite,
}
