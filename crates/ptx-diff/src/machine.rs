//! The machine code of two functions compared.

use std::collections::BTreeMap;

use ptx_machine::{Class, Instruction, Item};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::align::{Aligned, align};

/// What became of a machine instruction or a label; the numbers are those in [`MachineChange::before`] and [`MachineChange::after`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineEdit {
    /// It is the same but for names of labels.
    Same(usize, usize),
    /// It has other registers, and is else the same.
    Registers(usize, usize),
    /// The opcode and the kinds of the operands are the same, but not the modifiers, or a label is not the one that corresponds.
    Changed(usize, usize),
    /// Only the first function has it.
    Removed(usize),
    /// Only the second function has it.
    Added(usize),
}

impl MachineEdit {
    /// The places in both functions.
    pub fn sides(self) -> (Option<usize>, Option<usize>) {
        match self {
            Self::Same(before, after) | Self::Registers(before, after) | Self::Changed(before, after) => {
                (Some(before), Some(after))
            }
            Self::Removed(before) => (Some(before), None),
            Self::Added(after) => (None, Some(after)),
        }
    }
}

/// How the machine code of two functions differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineChange {
    /// Instructions of the first, and labels that some name, without padding.
    pub before: Vec<Item>,
    /// Those of the second.
    pub after: Vec<Item>,
    /// What became of them.
    pub edits: Vec<MachineEdit>,
}

impl MachineChange {
    /// Whether the machine code is the same but for names of labels.
    pub fn is_same(&self) -> bool {
        self.edits.iter().all(|edit| matches!(edit, MachineEdit::Same(..)))
    }

    /// Whether it is the same but for names of labels and for registers.
    pub fn is_same_but_registers(&self) -> bool {
        self.edits.iter().all(|edit| matches!(edit, MachineEdit::Same(..) | MachineEdit::Registers(..)))
    }
}

/// The instructions of code, by class.
pub fn classes(code: &[Item]) -> BTreeMap<Class, usize> {
    let mut classes = BTreeMap::new();
    for instruction in instructions(code) {
        *classes.entry(Class::of(instruction)).or_default() += 1;
    }
    classes
}

/// The instructions of code.
pub fn instructions(code: &[Item]) -> impl Iterator<Item = &Instruction> {
    code.iter().filter_map(|item| match item {
        Item::Instruction(one) => Some(one),
        Item::Label(_) => None,
    })
}

/// Compares the machine code of a function and of the one that corresponds. The names are those of the functions themselves, which may differ.
pub fn compare_machine(before: (&str, &[Item]), after: (&str, &[Item])) -> MachineChange {
    let (old, new) = (code(before.1), code(after.1));
    let (old_parts, new_parts) = (parts(before.0, &old), parts(after.0, &new));
    let mut labels = Labels::default();
    let edits = align(&keys(&old_parts), &keys(&new_parts)).into_iter().map(|aligned| match aligned {
        Aligned::Before(at) => MachineEdit::Removed(at),
        Aligned::After(at) => MachineEdit::Added(at),
        Aligned::Both(one, other) => {
            let (mine, theirs) = (&old_parts[one], &new_parts[other]);
            let are_related = labels.relate(&mine.labels, &theirs.labels);
            match () {
                () if !are_related || mine.modifiers != theirs.modifiers => MachineEdit::Changed(one, other),
                () if mine.registers != theirs.registers => MachineEdit::Registers(one, other),
                () => MachineEdit::Same(one, other),
            }
        }
    });
    let edits = edits.collect();
    MachineChange { before: old, after: new, edits }
}

/// What is compared of a function's section: without padding, the branch to itself that ends a section, and labels that nothing names.
fn code(items: &[Item]) -> Vec<Item> {
    let is_padding = |item: &Item| matches!(item, Item::Instruction(one) if one.is_padding());
    let mut kept: Vec<&Item> = items.iter().filter(|item| !is_padding(item)).collect();
    // Labels after the last instruction are its end.
    while matches!(kept.last(), Some(Item::Label(_))) {
        kept.pop();
    }
    if let [.., Item::Label(label), Item::Instruction(last)] = kept.as_slice()
        && last.base() == "BRA"
        && last.guard.is_none()
        && last.target() == Some(label)
    {
        kept.truncate(kept.len() - 2);
    }
    let named: FxHashSet<&str> = kept
        .iter()
        .filter_map(|item| match item {
            Item::Instruction(one) => Some(one),
            Item::Label(_) => None,
        })
        .flat_map(|one| tokens(&one.operands))
        .filter(|token| is_label(token))
        .collect();
    let is_kept = |item: &&Item| match item {
        Item::Label(name) => named.contains(name.as_str()),
        Item::Instruction(_) => true,
    };
    kept.iter().copied().filter(is_kept).cloned().collect()
}

/// An item taken apart.
struct Parts<'i> {
    /// The opcode without modifiers, the guard and the operands, without the names of registers and labels.
    key: String,
    modifiers: &'i str,
    registers: Vec<&'i str>,
    labels: Vec<&'i str>,
}

fn keys<'p>(parts: &'p [Parts<'_>]) -> Vec<&'p str> {
    parts.iter().map(|parts| parts.key.as_str()).collect()
}

fn parts<'i>(function: &'i str, code: &'i [Item]) -> Vec<Parts<'i>> {
    code.iter()
        .map(|item| match item {
            Item::Label(name) => {
                Parts { key: ":".to_owned(), modifiers: "", registers: Vec::new(), labels: vec![name] }
            }
            Item::Instruction(one) => parts_of_instruction(function, one),
        })
        .collect()
}

fn parts_of_instruction<'i>(function: &str, one: &'i Instruction) -> Parts<'i> {
    let base = one.base();
    let mut parts = Parts {
        key: String::new(),
        modifiers: &one.opcode[base.len()..],
        registers: Vec::new(),
        labels: Vec::new(),
    };
    let is_table = one.operands.contains("BRANCH_TARGETS");
    for text in [one.guard.as_deref(), Some(base), Some(one.operands.as_str())].into_iter().flatten() {
        for token in tokens(text) {
            if is_label(token) || token == function {
                parts.labels.push(token);
                parts.key.push_str("label");
            } else if let Some((class, rest)) = register(token) {
                parts.registers.push(token);
                parts.key.push_str(class);
                parts.key.push('#');
                // Whether the value is kept for the next instruction is a matter of registers.
                parts.key.push_str(rest.strip_suffix(".reuse").unwrap_or(rest));
            } else if !(is_table && token.starts_with("0x")) {
                // The distance to the targets of an indexed branch follows from these.
                parts.key.push_str(token);
            }
            parts.key.push(' ');
        }
    }
    parts
}

/// The words of a text, in which names have full stops, and its other characters; without blanks.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end =
            if is_part(first) { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Whether a name is one that the assembler makes up: a label, or a symbol such as `$__local0__32`.
fn is_label(word: &str) -> bool {
    word.starts_with(".L_") || word.starts_with("$__")
}

/// The class of a register, and what is done to it: `R4.64` is `R` and `.64`. Those that always have the same value (`RZ`, `PT`) are none.
fn register(token: &str) -> Option<(&str, &str)> {
    let class = ["UR", "UP", "R", "P", "B", "SB"].into_iter().find(|class| {
        token.strip_prefix(class).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    let rest = &token[class.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[digits..];
    (after.is_empty() || after.starts_with('.')).then_some((class, after))
}

/// Which labels of one function are which of another, one to one.
#[derive(Default)]
struct Labels<'i> {
    after: FxHashMap<&'i str, &'i str>,
    before: FxHashMap<&'i str, &'i str>,
}

impl<'i> Labels<'i> {
    fn relate(&mut self, before: &[&'i str], after: &[&'i str]) -> bool {
        let pairs = before.iter().zip(after);
        pairs.fold(true, |fits, (one, other)| {
            let known = *self.after.entry(one).or_insert(other);
            let back = *self.before.entry(other).or_insert(one);
            fits && known == *other && back == *one
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(before: &str, after: &str) -> MachineChange {
        let items = |text: &str| -> Vec<Item> {
            let listing = text.lines().enumerate().map(|(at, line)| match line.strip_suffix(':') {
                Some(_) => format!("{line}\n"),
                None => format!("/*{at:04x}0*/ {line} ;\n"),
            });
            let listing = format!("//----- .text.k -----\n{}", listing.collect::<String>());
            ptx_machine::functions(&listing).remove("k").unwrap_or_default()
        };
        compare_machine(("k", &items(before)), ("k", &items(after)))
    }

    const CODE: &str = "k:\n.text.k:\nMOV R1, c[0x0][0x28]\n.L_x_1:\n@!P0 LDG.E R5, [R2.64+0x10]\n@P1 BRA `(.L_x_1)\nEXIT\n.L_x_9:\nBRA `(.L_x_9)\nNOP\n.L_x_10:";

    #[test]
    fn labels_and_padding_do_not_matter() {
        let found =
            compared(CODE, &CODE.replace(".L_x_1:", ".L_x_4:\n.L_x_7:").replace("`(.L_x_1)", "`(.L_x_7)"));
        assert!(found.is_same(), "{found:?}");
        assert_eq!(found.edits.len(), 5);
        assert_eq!(classes(&found.before).values().sum::<usize>(), 4);
        let longer = CODE.replace("NOP\n", "NOP\nNOP\n");
        assert!(compared(CODE, &longer).is_same());
    }

    #[test]
    fn what_differs_is_told_by_its_kind() {
        for (old, new, expected) in [
            ("R5, [R2", "R6, [R2", MachineEdit::Registers(2, 2)),
            ("R5, [", "R5.reuse, [", MachineEdit::Registers(2, 2)),
            ("!P0", "!P3", MachineEdit::Registers(2, 2)),
            ("LDG.E", "LDG.E.64", MachineEdit::Changed(2, 2)),
        ] {
            let found = compared(CODE, &CODE.replace(old, new));
            let differ: Vec<_> =
                found.edits.iter().filter(|edit| !matches!(edit, MachineEdit::Same(..))).collect();
            assert_eq!(differ, [&expected], "{old} -> {new}");
            assert_eq!(found.is_same_but_registers(), matches!(expected, MachineEdit::Registers(..)));
        }
        for (old, new) in [
            ("0x10", "0x14"),
            ("!P0", "P0"),
            ("R2.64", "UR2.64"),
            ("R5,", "RZ,"),
            ("[R2.64", "[R2"),
            ("0x28", "0x20"),
            ("@P1 BRA", "BRA"),
        ] {
            let found = compared(CODE, &CODE.replace(old, new));
            let kinds = |is: fn(&MachineEdit) -> bool| found.edits.iter().filter(|edit| is(edit)).count();
            let counts = (
                kinds(|edit| matches!(edit, MachineEdit::Removed(_))),
                kinds(|edit| matches!(edit, MachineEdit::Added(_))),
            );
            assert_eq!(counts, (1, 1), "{old} -> {new}: {found:?}");
        }
    }

    /// A branch that goes elsewhere is not the same, although all names of labels are made up.
    #[test]
    fn labels_correspond_one_to_one() {
        let two = ".L_x_1:\nMOV R1, R2\n.L_x_2:\nMOV R3, R4\n@P0 BRA `(.L_x_1)\n@P1 BRA `(.L_x_2)\nEXIT";
        assert!(compared(two, two).is_same());
        let other = two.replace("@P1 BRA `(.L_x_2)", "@P1 BRA `(.L_x_1)");
        let found = compared(two, &other);
        assert!(!found.is_same() && !found.is_same_but_registers(), "{found:?}");
    }
}
