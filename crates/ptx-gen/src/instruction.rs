//! One random instruction of a row.

use ptx_isa::{FormId, Mnemonic, ScalarType};

use crate::choices::Choices;
use crate::mnemonic::{self, Density, Pin};
use crate::operand::Writer;
use crate::surroundings::{Level, Registers, Symbols, register};

/// An instruction with all that its text names.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The row with its modifiers.
    pub mnemonic: Mnemonic,
    /// The instruction alone, guard and semicolon included.
    pub text: String,
    /// The registers it names.
    pub registers: Registers,
    /// The variables and functions it names.
    pub symbols: Symbols,
    /// What precedes it in its block: lists of targets, prototypes, parameters of calls.
    pub before: String,
    /// What follows it: labels.
    pub after: String,
}

impl Instruction {
    /// The instruction on one line, in a block of its own with the declarations that it needs there.
    pub fn block(&self) -> String {
        let block_symbols = self.symbols.iter().filter(|symbol| symbol.level() == Level::Block);
        let locals: String = block_symbols.map(|symbol| format!(" {}", symbol.declaration())).collect();
        let (registers, before) = (self.registers.declarations(), self.before.trim());
        format!("{{{registers}{locals} {before} {}{} }}", self.text, self.after)
    }
}

/// A random instruction of a row, valid by the table: slots and rules, lengths, kinds and types of operands,
/// ranges of constants.
///
/// `None` when no modifiers were found that keep the row's rules; another attempt may find some. What the table does not
/// say (and the verifier knows) may be wrong: [`crate::valid_instruction`] generates until it is right.
pub fn instruction(
    choices: &mut dyn Choices,
    id: FormId,
    pin: Option<Pin>,
    density: Density,
) -> Option<Instruction> {
    let mnemonic = mnemonic::choose(choices, id, pin, density)?;
    Some(with_operands(choices, mnemonic, Registers::default()))
}

/// A mnemonic with random operands that are valid by the table, and with a guard at times.
pub fn instruction_of(choices: &mut dyn Choices, mnemonic: Mnemonic) -> Instruction {
    with_operands(choices, mnemonic, Registers::default())
}

/// The mnemonic with random operands, and with a guard at times.
pub(crate) fn with_operands(
    choices: &mut dyn Choices,
    mnemonic: Mnemonic,
    registers: Registers,
) -> Instruction {
    let guard = match choices.below(12) {
        0 => "@",
        1 => "@!",
        _ => "",
    };
    let mut writer = Writer::new(choices, mnemonic, registers);
    let operands = writer.operands();
    let (mut registers, symbols) = (writer.registers, writer.symbols);
    let (before, after) = (writer.before, writer.after);
    let mut text = String::new();
    if !guard.is_empty() {
        registers.reserve(ScalarType::Pred, 1);
        text = format!("{guard}{} ", register(ScalarType::Pred, 0));
    }
    text += &mnemonic.to_string();
    if !operands.is_empty() {
        text.push(' ');
        text += &operands;
    }
    text.push(';');
    Instruction { mnemonic, text, registers, symbols, before, after }
}
