//! The words of the table, as grammars list them.

use ptx_isa::{Directive, Opcode, ScalarType, SpecialReg};

/// Opcodes, longer ones first, so that a pattern of alternatives takes the longest.
pub(crate) fn opcodes() -> Vec<&'static str> {
    longest_first(Opcode::ALL.iter().map(|opcode| opcode.as_str()).collect())
}

/// Directives without their dots, except the types.
pub(crate) fn directives() -> Vec<&'static str> {
    longest_first(Directive::ALL.iter().map(|row| row.word).collect())
}

/// Types without their dots.
pub(crate) fn types() -> Vec<&'static str> {
    longest_first(ScalarType::ALL.iter().map(|ty| ty.as_str()).collect())
}

/// Special registers without numbers and without their `%`; those with a number end with digits.
pub(crate) fn special_registers() -> Vec<String> {
    let mut names: Vec<String> = SpecialReg::all()
        .filter(|register| !is_numbered(*register))
        .map(|register| register.to_string().trim_start_matches('%').to_owned())
        .collect();
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
    names
}

/// Whether a register is one of several with numbers.
fn is_numbered(register: SpecialReg) -> bool {
    matches!(register, SpecialReg::Pm(_) | SpecialReg::Pm64(_) | SpecialReg::Envreg(_))
}

fn longest_first(mut words: Vec<&'static str>) -> Vec<&'static str> {
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words
}
