//! The text of instructions in the syntax of inline assembly, as parts: text, and the registers that the call passes.
//!
//! LLVM numbers the operands of inline assembly from the outputs on, `$0, $1, ..`, while a text is written operand by operand. So outputs and
//! inputs are counted separately, and get their numbers when the text is complete ([`Template::text`]).

use std::fmt::Write as _;

use ptx_ir::{Immediate, Operand};
use ptx_isa::{Mnemonic, Role};

/// A text with numbered outputs and inputs.
#[derive(Default, Debug)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    /// The output of this index.
    Output(usize),
    /// The input of this index.
    Input(usize),
}

impl Template {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Appends text.
    pub(crate) fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            Some(Part::Output(_) | Part::Input(_)) | None => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Appends the output of this index.
    pub(crate) fn output(&mut self, index: usize) {
        self.parts.push(Part::Output(index));
    }

    /// Appends the input of this index.
    pub(crate) fn input(&mut self, index: usize) {
        self.parts.push(Part::Input(index));
    }

    /// Appends a constant.
    pub(crate) fn immediate(&mut self, immediate: Immediate) {
        self.push(&match immediate {
            Immediate::S64(value, _) => value.to_string(),
            Immediate::U64(value, _) => format!("{value}U"),
            Immediate::F32(bits, _) => format!("0f{bits:08X}"),
            Immediate::F64(bits, _) => format!("0d{bits:016X}"),
        });
    }

    /// Appends another template, of the same outputs and inputs.
    pub(crate) fn append(&mut self, other: Template) {
        for part in other.parts {
            match part {
                Part::Text(text) => self.push(&text),
                part @ (Part::Output(_) | Part::Input(_)) => self.parts.push(part),
            }
        }
    }

    /// The text of a call with that many outputs.
    pub(crate) fn text(&self, outputs: usize) -> String {
        let mut whole = String::new();
        for part in &self.parts {
            // Writing to a string does not fail.
            let _ = match part {
                Part::Text(text) => whole.write_str(text),
                Part::Output(index) => write!(whole, "${index}"),
                Part::Input(index) => write!(whole, "${}", outputs + index),
            };
        }
        whole
    }
}

/// The operands of an instruction that its text has, each with its index in the form and the text that precedes it.
pub(crate) fn written_operands(
    mnemonic: Mnemonic,
    operands: &[Operand],
) -> impl Iterator<Item = (usize, Operand, &'static str)> {
    let places = mnemonic.form().operands.iter().zip(operands).enumerate();
    let written = places.filter(|(_, (_, operand))| !operand.is_omitted()).enumerate();
    written.map(|(count, (at, (place, operand)))| {
        let before = match (count, place.role) {
            (0, _) => " ",
            (_, Role::DefPair) => "|",
            (_, _) => ", ",
        };
        (at, *operand, before)
    })
}

/// The entries of a list, each with the text that precedes it.
pub(crate) fn separated(entries: &[Operand]) -> impl Iterator<Item = (Operand, &'static str)> {
    entries.iter().enumerate().map(|(at, entry)| (*entry, if at == 0 { "" } else { ", " }))
}

#[cfg(test)]
mod tests {
    use ptx_isa::ptx;

    use super::*;

    #[test]
    fn inputs_are_numbered_after_all_outputs() {
        let mut around = Template::default();
        around.push("{ ");
        let mut inner = Template::default();
        inner.push("vote.sync.any.pred ");
        inner.output(0);
        inner.push(", ");
        inner.input(0);
        inner.push(", ");
        inner.immediate(Immediate::integer(-1));
        around.append(inner);
        around.push("; mov.b32 ");
        around.output(1);
        around.push(", ");
        around.input(1);
        around.push("; }");
        assert_eq!(around.text(2), "{ vote.sync.any.pred $0, $2, -1; mov.b32 $1, $3; }");
    }

    #[test]
    fn a_pair_is_written_as_one_operand() {
        let operands = [Operand::Sink, Operand::Sink, Operand::Sink, Operand::Sink, Operand::Omitted];
        let before: Vec<&str> =
            written_operands(ptx!("setp.eq.s32"), &operands).map(|(_, _, before)| before).collect();
        assert_eq!(before, [" ", "|", ", ", ", "]);
    }
}
