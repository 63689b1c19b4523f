//! Emits the actions of the cover that replace several instructions.

use ptx_ir::{Operand, RegId};
use ptx_isa::ptx;
use ptx_llvm_core::view::{BinaryOp, InstId, Value};

use super::append::{Arg, operand};
use super::state::Emitter;
use crate::constraint::Constraint;
use crate::cover::{
    Action, ChosenOperand, ClampedShift, Fused, Half, HalfSource, Joined, Narrow, Text, Truths,
};
use crate::error::{ASSEMBLY, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::{Fill, Upper, Val, mask};

impl Emitter<'_, '_, '_> {
    /// Emits the action that replaces an instruction.
    pub(super) fn act(&mut self, id: InstId, action: &Action) -> Result<()> {
        match action {
            Action::Text(text) => self.write_text(text),
            Action::ClampedShift(shift) => self.shift_clamped(id, shift),
            Action::JoinChosen(joined) => self.join_chosen(id, joined),
            Action::InverseRoot(of) => self.reciprocal_root(id, *of),
            Action::ExtendUnderMask(narrow) => self.extend_under_mask(id, *narrow),
            Action::Truths(truths) => self.combine_truths(id, truths),
            Action::ChosenOperand(chosen) => choose_operand(self, id, chosen),
            Action::Fused(fused) => fuse(self, id, fused),
            Action::ConvertNumber(number, space) => self.convert_number(id, *number, *space),
            Action::Pair(pair) => self.compute_pair(id, pair),
            Action::LoadParameter(at) => self.load_low_bits(*at),
            Action::StoreResult(offset) => self.store_result(id, *offset),
            Action::ResultInPlace => Ok(()),
            // These actions are handled by the emitters of the instructions.
            Action::ExtendingLoad(_)
            | Action::LoadPairs { .. }
            | Action::TruncatingStore(_)
            | Action::Index(_)
            | Action::CallByPieces(_)
            | Action::SkipField
            | Action::WordPhi => self.select(id),
        }
    }

    /// Loads a parameter of which only the low bits are read.
    fn load_low_bits(&mut self, parameter: usize) -> Result<()> {
        let low = self.cover.parameters.get(&parameter).map(|low| low.load.clone());
        if let (Some(load), Some(&variable)) = (low, self.frame.params.get(parameter)) {
            self.low_bits(&load, variable)?;
        }
        Ok(())
    }

    /// The shift that replaces the select.
    fn shift_clamped(&mut self, id: InstId, shift: &ClampedShift) -> Result<()> {
        let (base, scalar) = self.scalar(shift.amount.base)?;
        let amount = match base {
            Val::Bits(bits) => Arg::Bits(bits & shift.amount.mask, 32),
            base => {
                let word = self.extended(base, scalar, 32, Fill::Zero)?;
                let all = mask(shift.amount.width.min(32));
                if shift.amount.mask == all {
                    word.into()
                } else {
                    let kept = Arg::Bits(shift.amount.mask, 32);
                    self.compute(ptx!("and.b32"), &[word.into(), kept])?.into()
                }
            }
        };
        let (value, _) = self.scalar(shift.value)?;
        let shifted = self.shift_by(shift.op, value, amount, shift.bits)?;
        let result = match shift.cast {
            None => vec![shifted],
            Some(cast) => self.resize_integer(cast, &[shifted], shift.bits, shift.to)?,
        };
        self.define(id, result.into())
    }

    /// `shl` or `shr` of a value of a register's width.
    fn shift_by(&mut self, op: BinaryOp, value: Val, amount: Arg, bits: u32) -> Result<Val> {
        let scalar = Scalar::Int(bits);
        let shift = if op == BinaryOp::Shl { ptx!("shl.b32") } else { ptx!("shr.u32") };
        let value = self.arg(value, scalar)?;
        Ok(Val::reg(self.compute(shift.with_bits(bits)?, &[value, amount])?))
    }

    /// `mov` of two halves, after the choices.
    fn join_chosen(&mut self, id: InstId, joined: &Joined) -> Result<()> {
        let scalar = Scalar::Int(joined.bits);
        let mut parts = Vec::with_capacity(2);
        for half in [joined.low, joined.high] {
            let value = match half {
                Half::Plain(source) => self.half_value(source, scalar)?,
                Half::Chosen { cond, then, other } => {
                    let cond = self.scalar(cond)?.0;
                    let (then, other) = (self.half_value(then, scalar)?, self.half_value(other, scalar)?);
                    self.choose(cond, then, other, scalar)?
                }
            };
            parts.push(self.in_register(value, scalar)?);
        }
        let list = self.registers_operand(&parts);
        let register = self.compute(ptx!("mov.b32").with_bits(2 * joined.bits)?, &[list.into()])?;
        self.define_one(id, Val::reg(register))
    }

    fn half_value(&mut self, source: HalfSource, scalar: Scalar) -> Result<Val> {
        match source {
            HalfSource::Constant(number) => Ok(Val::Bits(number)),
            HalfSource::Narrow(value) => Ok(self.scalar(value)?.0),
            HalfSource::Part(value, at) => {
                let (value, whole) = self.scalar(value)?;
                let register = self.in_register(value, whole)?;
                self.extract_bits(register, whole.class(), at, scalar)
            }
        }
    }

    /// The sign of a byte up to a halfword, and zeros above.
    fn extend_under_mask(&mut self, id: InstId, narrow: Value) -> Result<()> {
        let (value, scalar) = self.scalar(narrow)?;
        let half = self.extended(value, scalar, 16, Fill::Sign)?;
        let word = self.resized(half, Class::B16, Class::B32)?;
        self.define_one(id, Val::Register(word, Upper::Zero))
    }

    /// `rsqrt`.
    fn reciprocal_root(&mut self, id: InstId, of: Value) -> Result<()> {
        let (value, scalar) = self.scalar(of)?;
        let arg = self.arg(value, scalar)?;
        let root = self.float_form(ptx!("rsqrt.approx.f32"), Scalar::Float)?;
        let register = self.compute(root, &[arg])?;
        self.define_one(id, Val::reg(register))
    }

    /// Whether any or all of them hold.
    fn combine_truths(&mut self, id: InstId, truths: &Truths) -> Result<()> {
        let combine = if truths.all { ptx!("and.pred") } else { ptx!("or.pred") };
        let values = self.value(truths.vector)?;
        let mut values = values.iter().copied();
        let mut combined = values.next().unwrap_or(Val::Bits(u64::from(truths.all)));
        for value in values {
            combined = self.pred(combine, combined, value)?;
        }
        if truths.negated {
            combined = self.pred_not(combined)?;
        }
        self.define_one(id, combined)
    }

    /// An operand of a text. A constant stays one but in a list, which has registers alone.
    fn text_input(&mut self, text: &Text, input: Narrow, class: Class, outputs: &[RegId]) -> Result<Operand> {
        let Narrow::Value(value) = input else {
            let scalar = Scalar::Int(class.bits());
            let mnemonic = text.text.split_once(' ').map_or(&*text.text, |(mnemonic, _)| mnemonic);
            let mut types = mnemonic.rsplit('.');
            let signed = types.next().is_some_and(|ty| ty.starts_with('s'));
            return match self.narrow(input, scalar)? {
                Val::Bits(bits) if !text.text.contains('{') => {
                    Ok(operand(Arg::Bits(bits, class.bits()), signed))
                }
                value => Ok(Operand::Register(self.in_register(value, scalar)?)),
            };
        };
        let own = text.roots.iter().position(|root| root.map(Value::Inst) == Some(value));
        if let Some(register) = own.and_then(|output| outputs.get(output)) {
            return Ok(Operand::Register(*register));
        }
        let (leaves, values) = (self.value_leaves(value)?, self.value(value)?);
        Ok(Operand::Register(self.asm_input(&leaves, &values, class)?))
    }

    /// Emits a text in place of the instructions that it computes.
    fn write_text(&mut self, text: &Text) -> Result<()> {
        let mut operands = Vec::with_capacity(text.constraints.len());
        let mut outputs = Vec::with_capacity(text.roots.len());
        let mut inputs = text.inputs.iter();
        for constraint in &text.constraints {
            match constraint {
                Constraint::Output(class) => {
                    let register = self.register(*class);
                    outputs.push(register);
                    operands.push(Operand::Register(register));
                }
                Constraint::Input(class) => {
                    let missing = || RaiseError::new(ASSEMBLY, "a mark with more constraints than operands");
                    let input = *inputs.next().ok_or_else(missing)?;
                    operands.push(self.text_input(text, input, *class, &outputs)?);
                }
                Constraint::Tied(_) | Constraint::Immediate => {
                    return Err(RaiseError::new(ASSEMBLY, "a mark with a constraint that marks do not have"));
                }
            }
        }
        self.read_asm(&text.text, &operands)?;
        for (root, register) in text.roots.iter().zip(outputs) {
            if let Some(root) = root {
                self.take_outputs(*root, &[register])?;
            }
        }
        Ok(())
    }
}

/// The operation on a value, and the choice between that and the other operand.
fn choose_operand(emitter: &mut Emitter<'_, '_, '_>, id: InstId, chosen: &ChosenOperand) -> Result<()> {
    let (value, scalar) = emitter.scalar(chosen.value)?;
    let (other, _) = emitter.scalar(chosen.other)?;
    let (cond, _) = emitter.scalar(chosen.cond)?;
    let (a, b) = if chosen.on_left { (value, other) } else { (other, value) };
    let changed = match scalar {
        Scalar::Int(bits) => emitter.int_binary(chosen.op, a, b, bits)?,
        float => emitter.float_binary(chosen.op, a, b, float, chosen.fast)?,
    };
    let (then, otherwise) = if chosen.unchanged_if { (other, changed) } else { (changed, other) };
    let result = emitter.choose(cond, then, otherwise, scalar)?;
    emitter.define_one(id, result)
}

/// `fma` for a product and a sum.
fn fuse(emitter: &mut Emitter<'_, '_, '_>, id: InstId, fused: &Fused) -> Result<()> {
    let [a, b] = fused.factors;
    let (mut a, scalar) = emitter.scalar(a)?;
    let (b, _) = emitter.scalar(b)?;
    let (mut addend, _) = emitter.scalar(fused.addend)?;
    if fused.negates_product {
        a = emitter.negate(a, scalar)?;
    }
    if fused.negates_addend {
        addend = emitter.negate(addend, scalar)?;
    }
    let result = emitter.multiply_add(&[a, b, addend], scalar)?;
    emitter.define_one(id, result)
}
