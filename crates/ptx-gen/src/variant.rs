//! Instructions with one thing changed, which may be right or wrong: what ptxas and we must agree about.

use ptx_isa::{Mod, ScalarType, Slot, forms_of};

use crate::choices::Choices;
use crate::instruction::Instruction;
use crate::surroundings::register;

/// The instruction with one thing changed: a modifier left out, added, exchanged or moved, a register of another type,
/// another constant, an operand left out or written twice. `None` when the change finds no place.
///
/// The symbols, labels and lists that the instruction names stay declared; [`Instruction::mnemonic`] stays what it was.
pub fn variant(choices: &mut dyn Choices, instruction: &Instruction) -> Option<Instruction> {
    let mut changed = instruction.clone();
    let done = match choices.below(10) {
        0..=3 => change_modifier(choices, &mut changed),
        4..=6 => change_register(choices, &mut changed),
        7 | 8 => change_constant(choices, &mut changed),
        _ => change_operand(choices, &mut changed),
    };
    (done.is_some() && changed.text != instruction.text).then_some(changed)
}

/// Where the mnemonic and the operands lie in the text: after the guard, and up to the semicolon.
fn parts(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let start = match text.strip_prefix('@') {
        Some(_) => text.find(' ')? + 1,
        None => 0,
    };
    let (guard, rest) = text.split_at(start);
    let rest = rest.strip_suffix(';')?;
    let (mnemonic, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((guard, mnemonic.split('.').collect(), operands))
}

/// Every modifier that some row of the opcode takes.
fn vocabulary(instruction: &Instruction) -> Vec<Mod> {
    let mut all: Vec<Mod> = forms_of(instruction.mnemonic.opcode())
        .1
        .iter()
        .flat_map(|form| form.slots)
        .flat_map(|slot| match slot {
            Slot::Lit(modifier) => std::slice::from_ref(modifier),
            Slot::One(_, set) | Slot::Opt(_, set) => *set,
        })
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn change_modifier(choices: &mut dyn Choices, changed: &mut Instruction) -> Option<()> {
    let words = vocabulary(changed);
    let (guard, mut mnemonic, operands) = parts(&changed.text)?;
    let last = mnemonic.len() - 1;
    // The first word is the opcode, which stays.
    let at = 1 + choices.below(last.max(1));
    let new = choices.pick(&words)?.as_str();
    match choices.below(5) {
        0 if at <= last => {
            mnemonic.remove(at);
        }
        1 => mnemonic.insert(at.min(last + 1), new),
        2 if last >= 2 => mnemonic.swap(at, 1 + choices.below(last)),
        _ if at <= last => mnemonic[at] = new,
        _ => return None,
    }
    let blank = if operands.is_empty() { "" } else { " " };
    changed.text = format!("{guard}{}{blank}{operands};", mnemonic.join("."));
    Some(())
}

/// The places of registers `%TYPE_NUMBER` in a text, guards aside.
fn registers(text: &str) -> Vec<(usize, usize)> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = text.bytes().enumerate().filter(|(at, byte)| *byte == b'%' && *at > 0);
    let end = |at: usize| at + 1 + text.bytes().skip(at + 1).take_while(|byte| is_name(*byte)).count();
    let found = starts.map(|(at, _)| (at, end(at))).filter(|&(at, end)| {
        let (behind, _) = text.split_at(at);
        text.get(at..end).is_some_and(|name| name.contains('_')) && !behind.ends_with(['@', '!'])
    });
    found.collect()
}

fn change_register(choices: &mut dyn Choices, changed: &mut Instruction) -> Option<()> {
    let (start, end) = choices.pick(&registers(&changed.text))?;
    let types: Vec<ScalarType> = ScalarType::ALL.iter().copied().filter(|ty| ty.is_declarable()).collect();
    let ty = choices.pick(&types)?;
    let number = changed.registers.count(ty);
    changed.registers.reserve(ty, number + 1);
    changed.text.replace_range(start..end, &register(ty, number));
    Some(())
}

fn change_constant(choices: &mut dyn Choices, changed: &mut Instruction) -> Option<()> {
    let value = choices.between(-300, 300);
    let new = match choices.below(8) {
        0 => "0f3F800000".to_owned(),
        1 => "1.5".to_owned(),
        2 => choices.between(i64::MIN, i64::MAX).to_string(),
        _ => value.to_string(),
    };
    let text = &changed.text;
    let from = text.find(' ')?;
    let is_start =
        |at: usize| text.as_bytes().get(at.wrapping_sub(1)).is_some_and(|byte| b" ,{[+-".contains(byte));
    let constants = (from..text.len())
        .filter(|&at| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit) && is_start(at));
    let constants: Vec<(usize, usize)> = constants
        .map(|at| {
            (at, at + text.bytes().skip(at).take_while(|b| b.is_ascii_alphanumeric() || *b == b'.').count())
        })
        .collect();
    // Where there is no constant, or as often, one takes the place of a register.
    let (start, end) = match choices.pick(&constants) {
        Some(place) if choices.chance(2, 3) => place,
        _ => choices.pick(&registers(text))?,
    };
    changed.text.replace_range(start..end, &new);
    Some(())
}

fn change_operand(choices: &mut dyn Choices, changed: &mut Instruction) -> Option<()> {
    let (guard, mnemonic, operands) = parts(&changed.text)?;
    let mut entries: Vec<&str> = operands.split(", ").collect();
    let at = choices.below(entries.len());
    let entry = entries.get(at).copied()?;
    match choices.below(4) {
        0 => {
            entries.remove(at);
        }
        1 => entries.insert(at, entry),
        2 => {
            let other = choices.below(entries.len());
            entries.swap(at, other);
        }
        _ => entries[at] = "_",
    }
    changed.text = format!("{guard}{} {};", mnemonic.join("."), entries.join(", "));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_found_and_guards_left_alone() {
        let found = registers("@!%pred_0 ld.u32 %b32_1, [%u64_10+4];");
        assert_eq!(found, [(17, 23), (26, 33)]);
    }

    #[test]
    fn the_parts_of_an_instruction_are_told_apart() {
        assert_eq!(parts("@%pred_0 bar.sync 1;"), Some(("@%pred_0 ", vec!["bar", "sync"], "1")));
        assert_eq!(parts("ret;"), Some(("", vec!["ret"], "")));
    }
}
