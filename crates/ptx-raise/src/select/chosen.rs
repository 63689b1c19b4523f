//! Halves side by side (manual 9.7.9.4, `mov` of a vector) of which one or both are chosen before.
//!
//! LLVM's passes move a choice behind what it chooses from, and so behind the extension and the shift that put a half into its
//! place: the choice is one of whole numbers then, with the other half zero on both sides.

use ptx_ir::Operand;
use ptx_llvm::view::{BinaryOp, CastOp, InstId, Op, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::types::{Class, Scalar};
use crate::value::{Val, mask};

/// Two halves of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    low: Half,
    high: Half,
    /// Width of a half.
    bits: u32,
}

/// A half of a number.
#[derive(Clone, Copy, Debug)]
enum Half {
    Plain(Source),
    Chosen { cond: Value, then: Source, other: Source },
}

/// Where a half comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Constant(u64),
    /// A number of its width.
    Narrow(Value),
    /// The bits of a wider number from this one on.
    Part(Value, u32),
}

impl Half {
    /// The values that are read for it.
    fn inputs(self) -> impl Iterator<Item = Value> {
        let (cond, sources) = match self {
            Half::Plain(source) => (None, [Some(source), None]),
            Half::Chosen { cond, then, other } => (Some(cond), [Some(then), Some(other)]),
        };
        let read = |source: Source| match source {
            Source::Constant(_) => None,
            Source::Narrow(value) | Source::Part(value, _) => Some(value),
        };
        cond.into_iter().chain(sources.into_iter().flatten().filter_map(read))
    }
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the halves that are chosen before they are put side by side.
    pub(super) fn find_joined(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                let Some(joined) = self.joined_halves(id) else { continue };
                for value in joined.low.inputs().chain(joined.high.inputs()) {
                    if let Value::Inst(used) = value
                        && let Some(count) = self.uses.get_mut(used.index())
                    {
                        *count += 1;
                    }
                }
                if let Op::Binary { lhs, rhs, .. } = self.function.inst(id).op {
                    self.release(lhs);
                    self.release(rhs);
                }
                self.joined.insert(id, joined);
            }
        }
    }

    fn joined_halves(&self, id: InstId) -> Option<Joined> {
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Or, lhs, rhs, .. } = inst.op else { return None };
        // What PTX computed with the whole numbers stays so.
        if self.is_taken(id) || self.module.was_ptx() && inst.metadata("ptx.inst").is_none() {
            return None;
        }
        let bits = self.integer_bits(Value::Inst(id)).filter(|bits| matches!(bits, 32 | 64))? / 2;
        [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(low, high)| {
            let (low, high) = (self.half(low, bits, 0)?, self.half(high, bits, bits)?);
            let chosen = [low, high].iter().any(|half| matches!(half, Half::Chosen { .. }));
            chosen.then_some(Joined { low, high, bits })
        })
    }

    /// A number whose bits outside the half that begins at a bit are zero.
    fn half(&self, value: Value, bits: u32, at: u32) -> Option<Half> {
        if let Some(source) = self.half_source(value, bits, at) {
            return Some(Half::Plain(source));
        }
        let Value::Inst(id) = value else { return None };
        let Op::Select { cond, then, other, .. } = *self.plain_op(value)? else { return None };
        let free = self.uses.get(id.index()) == Some(&1) && !self.clamped.contains_key(&id);
        if !free || self.text_inputs.contains(&value) {
            return None;
        }
        let (then, other) = (self.half_source(then, bits, at)?, self.half_source(other, bits, at)?);
        Some(Half::Chosen { cond, then, other })
    }

    fn half_source(&self, value: Value, bits: u32, at: u32) -> Option<Source> {
        if let Some(number) = self.small_number(value) {
            return (number & !(mask(bits) << at) == 0).then_some(Source::Constant(number >> at));
        }
        match *self.plain_op(value)? {
            Op::Cast { op: CastOp::ZExt, value: inner, .. } if at == 0 => self.narrow_source(inner, bits),
            Op::Binary { op: BinaryOp::And, lhs, rhs, .. } => {
                (self.small_number(rhs)? == mask(bits) << at).then_some(Source::Part(lhs, at))
            }
            Op::Binary { op: BinaryOp::Shl, lhs, rhs, .. } if at == bits => {
                if self.small_number(rhs)? != u64::from(bits) {
                    return None;
                }
                let narrow = match self.plain_op(lhs) {
                    Some(Op::Cast { op: CastOp::ZExt | CastOp::SExt, value: inner, .. }) => {
                        self.narrow_source(*inner, bits)
                    }
                    _ => None,
                };
                Some(narrow.unwrap_or(Source::Part(lhs, 0)))
            }
            _ => None,
        }
    }

    fn narrow_source(&self, value: Value, bits: u32) -> Option<Source> {
        (self.integer_bits(value) == Some(bits)).then_some(Source::Narrow(value))
    }

    /// `mov` of two halves, after the choices.
    pub(super) fn join_chosen(&mut self, id: InstId, joined: Joined) -> Raised<()> {
        let scalar = Scalar::Int(joined.bits);
        let mut parts = [Operand::Omitted; 2];
        for (part, half) in parts.iter_mut().zip([joined.low, joined.high]) {
            let value = match half {
                Half::Plain(source) => self.half_value(source, scalar)?,
                Half::Chosen { cond, then, other } => {
                    let cond = self.scalar(cond)?.0;
                    let (then, other) = (self.half_value(then, scalar)?, self.half_value(other, scalar)?);
                    self.choose(cond, then, other, scalar)?
                }
            };
            *part = Operand::Register(self.in_register(value, scalar)?);
        }
        let list = Operand::Vector(self.builder.list(&parts));
        let (class, text) = if joined.bits == 32 { (Class::B64, "mov.b64") } else { (Class::B32, "mov.b32") };
        let register = self.emit_new(class, text, &[list.into()])?;
        self.define_one(id, Val::reg(register));
        Ok(())
    }

    fn half_value(&mut self, source: Source, scalar: Scalar) -> Raised<Val> {
        match source {
            Source::Constant(number) => Ok(Val::Bits(number)),
            Source::Narrow(value) => Ok(self.scalar(value)?.0),
            Source::Part(value, at) => {
                let (value, whole) = self.scalar(value)?;
                let register = self.in_register(value, whole)?;
                self.extract_bits(register, whole.class(), at, scalar)
            }
        }
    }
}
