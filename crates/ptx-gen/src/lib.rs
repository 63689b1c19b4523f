//! Random PTX that is valid by the instruction table.
//!
//! [`instruction`] generates one instruction of a row of the table: modifiers that its slots and rules allow, and operands of
//! the kinds, types, lengths and ranges that it names. [`module`] puts instructions into a kernel that declares all
//! they use, for a version and architecture ([`Home`]). [`valid_instruction`] generates until the verifier accepts.
//! Everything is decided by [`Choices`]: a seed, or the bytes of a fuzzer.
//!
//! Invariants:
//! - the same choices give the same text;
//! - the text is written from the table, without the model and its printer, so that it tests both;
//! - an instruction is on one line, in a block of its own, so that a finding about a line is about one instruction.

mod choices;
mod instruction;
mod mnemonic;
mod module;
mod mutate;
mod operand;
mod program;
mod surroundings;
mod tokens;
mod valid;
mod variant;

pub use choices::{Choices, Script, Seeded};
pub use instruction::{Instruction, instruction, instruction_of};
pub use mnemonic::{Density, Pin, mnemonics, pins};
pub use module::{Home, Lines, TARGETS, module, needs_independent_textures};
pub use mutate::mutate;
pub use program::{Contents, program};
pub use surroundings::{Level, Registers, Symbol, Symbols, register};
pub use tokens::{each_operand, mutate_tokens, token_registers};
pub use valid::{check, uses, valid_instruction};
pub use variant::variant;
