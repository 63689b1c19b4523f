//! Inline assembly: the text is parsed by the ordinary parser, and its operands become registers of the function.

use ptx_ir::{Immediate, LabelId, Operand, RegDeclId, RegId, Stmt};
use ptx_llvm_core::view::{Call, InlineAsmId, InstId};

use super::append::mov;
use super::state::Emitter;
use crate::constraint::{Constraint, parse_constraints};
use crate::error::{ASSEMBLY, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar, integer_class};
use crate::value::{Fill, Val, mask, sign_extend};

impl Emitter<'_, '_, '_> {
    /// A call of inline assembly.
    pub(super) fn inline_asm(&mut self, id: InstId, call: &Call, asm: InlineAsmId) -> Result<()> {
        let asm = self.module.view.inline_asm(asm).clone();
        if plain_text(&asm.text)?.trim().is_empty() {
            return self.empty_asm(id, call, &asm.constraints);
        }
        let constraints = parse_constraints(&asm.constraints)?;
        let outputs: Vec<RegId> = constraints
            .iter()
            .filter_map(|constraint| match constraint {
                Constraint::Output(class) => Some(*class),
                Constraint::Input(_) | Constraint::Tied(_) | Constraint::Immediate => None,
            })
            .map(|class| self.register(class))
            .collect();
        let mut operands: Vec<Operand> =
            outputs.iter().map(|&register| Operand::Register(register)).collect();
        let mut args = call.args.iter();
        for constraint in &constraints {
            if matches!(constraint, Constraint::Output(_)) {
                continue;
            }
            let missing = || RaiseError::new(ASSEMBLY, "inline assembly with more constraints than operands");
            let arg = *args.next().ok_or_else(missing)?;
            let leaves = self.value_leaves(arg)?;
            let values = self.value(arg)?;
            operands.push(match constraint {
                Constraint::Output(_) => continue,
                Constraint::Immediate => immediate(&leaves, &values)?,
                Constraint::Input(class) => {
                    let register = self.asm_input(&leaves, &values, *class)?;
                    self.named_reference(register)
                }
                Constraint::Tied(output) => {
                    let register = outputs.get(*output).copied().ok_or_else(missing)?;
                    let class = self.class_of(register);
                    let input = self.asm_input(&leaves, &values, class)?;
                    self.emit(mov(class), &[register.into(), input.into()])?;
                    Operand::Register(register)
                }
            });
        }
        self.read_asm(&asm.text, &operands)?;
        self.registers.assembled.extend(&outputs);
        self.take_outputs(id, &outputs)
    }

    fn class_of(&self, register: RegId) -> Class {
        Class::of_type(self.builder.body().reg_type(register))
    }

    /// A value in a register of the class its constraint names.
    pub(super) fn asm_input(&mut self, leaves: &[Leaf], values: &[Val], class: Class) -> Result<RegId> {
        if let ([leaf], [value]) = (leaves, values) {
            if leaf.scalar.class() == class {
                return self.in_register(*value, leaf.scalar);
            }
            if let (Scalar::Int(_), Class::B16 | Class::B32 | Class::B64) = (leaf.scalar, class) {
                return self.extended(*value, leaf.scalar, class.bits(), Fill::Zero);
            }
        }
        let bits: u32 = leaves.iter().map(|leaf| leaf.scalar.bits()).sum();
        if class == Class::B128 && bits == 128 {
            let word = Leaf { scalar: Scalar::Int(64), offset: 0, bytes: 8 };
            let words = self.bit_cast(leaves, values, &[word, word])?;
            return self.join_words(&words);
        }
        let scalar = class_scalar(class);
        if bits == scalar.bits() {
            let target = Leaf { scalar, offset: 0, bytes: u64::from(scalar.bits().div_ceil(8)) };
            if let Some(bits) = constant_bits(leaves, values) {
                return self.in_register(Val::Bits(bits), scalar);
            }
            let cast = self.bit_cast(leaves, values, &[target])?;
            let value = cast.first().copied().unwrap_or(Val::Bits(0));
            return self.in_register(value, scalar);
        }
        if let ([leaf], [value], true) = (leaves, values, bits < class.bits()) {
            let (register, own) = self.bits_of(*value, leaf.scalar)?;
            return self.resized(register, own, integer_class(class.bits()));
        }
        let message = format!("a value of {bits} bits for a constraint of {} bits", class.bits());
        Err(RaiseError::new(ASSEMBLY, message))
    }

    /// Parses the text into the body; its declarations are renamed, so that they do not hide those of the function.
    pub(super) fn read_asm(&mut self, text: &str, operands: &[Operand]) -> Result<()> {
        let plain = plain_text(text)?;
        if plain.trim().is_empty() {
            return Ok(());
        }
        let (decls, labels) = (self.builder.body().reg_decls.len(), self.builder.body().labels.len());
        let mut resolve = |name: &str| -> Option<Operand> {
            let number: usize = name.strip_prefix('$')?.parse().ok()?;
            operands.get(number).copied()
        };
        let before = self.builder.body().statements.len();
        let result =
            ptx_syntax::parse_asm(&plain, &mut self.module.ir, self.builder.body_mut(), &mut resolve);
        if let Err(found) = result {
            let first = found.iter().find(|finding| finding.severity == ptx_diag::Severity::Error);
            let Some(first) = first else {
                return Err(RaiseError::defect("inline assembly is refused without a reason"));
            };
            let message = format!("inline assembly `{}`: {}", plain.trim(), first.message);
            let refusal = RaiseError::new(ASSEMBLY, message);
            return Err(match first.help.clone() {
                Some(help) => refusal.with_help(help),
                None => refusal,
            });
        }
        let number = self.names.label_count;
        self.names.label_count += 1;
        let prefix = format!("a{}_{number}", self.id.index());
        for at in decls..self.builder.body().reg_decls.len() {
            let name = self.module.ir.strings.intern(&format!("%{prefix}_{at}_"));
            self.builder.body_mut().reg_decls[at].name = name;
            self.registers.foreign.insert(RegDeclId(at as u32));
        }
        for at in labels..self.builder.body().labels.len() {
            let name = self.module.ir.strings.intern(&format!("$L__{prefix}_{at}"));
            self.builder.body_mut().labels[LabelId(at as u32).0 as usize].name = name;
        }
        let mut needs = Vec::new();
        for statement in self.builder.body().statements.iter().skip(before) {
            if let Stmt::Inst(inst) = statement {
                needs.push(inst.mnemonic);
            }
        }
        for mnemonic in needs {
            self.module.target.need(mnemonic.since(), &|| mnemonic.to_string())?;
        }
        Ok(())
    }

    pub(super) fn take_outputs(&mut self, id: InstId, outputs: &[RegId]) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let mut sources = Vec::with_capacity(outputs.len());
        for &register in outputs {
            match self.class_of(register) {
                Class::B128 => {
                    let words = self.halves_of(register, Class::B64)?;
                    sources.extend(words.map(|word| (Scalar::Int(64), Val::reg(word))));
                }
                class => sources.push((class_scalar(class), Val::reg(register))),
            }
        }
        let mut rest = leaves.iter().copied().peekable();
        let mut values = Vec::with_capacity(leaves.len());
        for (scalar, value) in sources {
            // The leaves that share this register: several if a vector is in one register.
            let mut share = Vec::new();
            let mut bits = 0;
            while let Some(leaf) = rest.peek() {
                if !share.is_empty() && bits + leaf.scalar.bits() > scalar.bits() {
                    break;
                }
                bits += leaf.scalar.bits();
                share.push(*leaf);
                rest.next();
                if bits >= scalar.bits() || !self.is_vector_result(id) {
                    break;
                }
            }
            values.extend(self.output_leaves(value, scalar, &share, bits)?);
        }
        if values.len() != leaves.len() {
            return Err(RaiseError::new(ASSEMBLY, "inline assembly whose outputs do not fit its type"));
        }
        self.define(id, values.into())
    }

    fn is_vector_result(&self, id: InstId) -> bool {
        !matches!(self.module.view.ty(self.type_of(id)), ptx_llvm_core::view::Type::Struct { .. })
    }

    fn output_leaves(&mut self, value: Val, scalar: Scalar, share: &[Leaf], bits: u32) -> Result<Vec<Val>> {
        match share {
            [] => Ok(Vec::new()),
            [leaf] if leaf.scalar.class() == scalar.class() => Ok(vec![value]),
            [leaf] if matches!(leaf.scalar, Scalar::Int(_)) && matches!(scalar, Scalar::Int(2..)) => {
                let register = self.in_register(value, scalar)?;
                Ok(vec![self.extract_bits(register, scalar.class(), 0, leaf.scalar)?])
            }
            _ if bits == scalar.bits() => {
                let source = Leaf { scalar, offset: 0, bytes: u64::from(bits.div_ceil(8)) };
                self.bit_cast(&[source], &[value], share)
            }
            _ => Err(RaiseError::new(
                ASSEMBLY,
                "an output of inline assembly of another width than its constraint",
            )),
        }
    }
}

/// Constants side by side, the first one lowest, in at most 64 bits.
fn constant_bits(leaves: &[Leaf], values: &[Val]) -> Option<u64> {
    let (mut whole, mut at) = (0u64, 0);
    for (leaf, value) in leaves.iter().zip(values) {
        let Val::Bits(bits) = value else { return None };
        whole |= (bits & mask(leaf.scalar.bits())).checked_shl(at)?;
        at += leaf.scalar.bits();
    }
    Some(whole)
}

/// The default type of a value in a register of a class.
fn class_scalar(class: Class) -> Scalar {
    match class {
        Class::Pred => Scalar::Int(1),
        Class::B16 => Scalar::Int(16),
        Class::B32 => Scalar::Int(32),
        Class::B64 | Class::B128 => Scalar::Int(64),
        Class::F32 => Scalar::Float,
        Class::F64 => Scalar::Double,
    }
}

/// A constant as it is in the text.
fn immediate(leaves: &[Leaf], values: &[Val]) -> Result<Operand> {
    match (leaves, values) {
        ([leaf], [Val::Bits(bits)]) => {
            let scalar = leaf.scalar;
            Ok(Operand::Immediate(match scalar {
                Scalar::Float => Immediate::F32(*bits as u32, ptx_ir::Literal::Plain),
                Scalar::Double => Immediate::F64(*bits, ptx_ir::Literal::Plain),
                _ => Immediate::integer(sign_extend(*bits, scalar.bits())),
            }))
        }
        ([_], [Val::Address { base: crate::value::Base::Symbol(symbol), offset, .. }]) => {
            Ok(Operand::Symbol(*symbol, *offset))
        }
        _ => Err(RaiseError::new(ASSEMBLY, "a constraint for a constant with an operand that is not one")),
    }
}

/// The text with LLVM's escapes resolved: `$$` is a dollar sign, `${0}` is `$0`, and of alternatives the first is used.
fn plain_text(text: &str) -> Result<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut skipping = false;
    while let Some(next) = chars.next() {
        if next != '$' {
            if !skipping {
                plain.push(next);
            }
            continue;
        }
        match chars.next() {
            Some('$') => {
                if !skipping {
                    plain.push('$');
                }
            }
            Some('(') => skipping = false,
            Some('|') => skipping = true,
            Some(')') => skipping = false,
            Some('{') => {
                let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let number = inside.split_once(':').map_or(&*inside, |(number, _)| number);
                if inside == "uid" || !number.bytes().all(|byte| byte.is_ascii_digit()) || number.is_empty() {
                    return Err(RaiseError::new(
                        ASSEMBLY,
                        format!("the escape ${{{inside}}} of inline assembly"),
                    ));
                }
                if !skipping {
                    plain.push('$');
                    plain.push_str(number);
                }
            }
            Some(digit) if digit.is_ascii_digit() => {
                if !skipping {
                    plain.push('$');
                    plain.push(digit);
                }
            }
            Some(other) => {
                return Err(RaiseError::new(ASSEMBLY, format!("the escape ${other} of inline assembly")));
            }
            None => return Err(RaiseError::new(ASSEMBLY, "inline assembly that ends in a dollar sign")),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_taken_out() {
        assert_eq!(plain_text("bra $$L; add $0, ${1:x}, $$").expect("known"), "bra $L; add $0, $1, $");
        assert_eq!(plain_text("$(a$|b$) c").expect("known"), "a c");
    }
}
