//! Machine code that differs as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ptx_demangle::demangled_text;
use ptx_diff::{FunctionChange, MachineChange, MachineEdit, classes, instructions};
use ptx_machine::{Class, Item};

use crate::arguments::Arguments;
use crate::compared::{Compared, Machine, MachineFunction};
use crate::hunks::hunks;
use crate::numbers::{both, grouped, warps, what_became, whole};

/// Appends what differs in the machine code of a function.
pub fn write(
    out: &mut String,
    compared: &Compared<'_>,
    function: &FunctionChange,
    machine: &MachineFunction<'_>,
    arguments: &Arguments,
) {
    // Writing to a string does not fail, here and below.
    let _ = writeln!(out, "  machine code: {}", summary(machine));
    for text in weights(machine) {
        let _ = writeln!(out, "    {text}");
    }
    if let (false, Some(whole)) = (arguments.brief, &compared.machine) {
        details(out, whole, function, machine.change, arguments.context);
    }
}

/// How many functions have the same machine code, and which only one module has.
pub fn end(out: &mut String, compared: &Compared<'_>) {
    let Some(machine) = &compared.machine else { return };
    for (sign, names, source) in
        [('-', &machine.removed, compared.sources().before), ('+', &machine.added, compared.sources().after)]
    {
        for name in names {
            let _ = writeln!(out, "{sign} {}: machine code only of {}", demangled_text(name), source.name());
        }
    }
    let (count, same) = machine.functions();
    let architectures = machine.architectures();
    let _ = writeln!(
        out,
        "machine code of {same} of {count} functions is the same ({})",
        both(&architectures.before, &architectures.after)
    );
}

/// `33 -> 30 instructions, 8 registers, 0 bytes of stack; 9 the same; shared.32 3 -> 1`
pub fn summary(machine: &MachineFunction<'_>) -> String {
    let change = machine.change;
    let count = |items: &[Item]| instructions(items).count();
    let mut out = format!("{} instructions", both(&count(&change.before), &count(&change.after)));
    for (name, text) in usage(machine) {
        let _ = write!(out, ", {text} {name}");
    }
    let edits = |is: fn(&MachineEdit) -> bool| change.edits.iter().filter(|edit| is(edit)).count();
    let counts = [
        (edits(|edit| matches!(edit, MachineEdit::Same(..))), "the same"),
        (edits(|edit| matches!(edit, MachineEdit::Registers(..))), "with other registers"),
        (edits(|edit| matches!(edit, MachineEdit::Changed(..))), "changed"),
        (edits(|edit| matches!(edit, MachineEdit::Removed(_))), "removed"),
        (edits(|edit| matches!(edit, MachineEdit::Added(_))), "added"),
    ];
    let _ = write!(out, "; {}", what_became(counts));
    for (at, (class, before, after)) in changed_classes(change).into_iter().enumerate() {
        let _ = write!(out, "{} {class} {before} -> {after}", if at == 0 { ';' } else { ',' });
    }
    out
}

/// What ptxas tells of both, with its names.
fn usage(machine: &MachineFunction<'_>) -> Vec<(&'static str, String)> {
    let (Some(before), Some(after)) = (machine.usage.before, machine.usage.after) else { return Vec::new() };
    let mut told = Vec::new();
    // ptxas tells registers of kernels only.
    if let (Some(before), Some(after)) = (before.registers, after.registers) {
        told.push(("registers", both(&before, &after)));
    }
    for (name, before, after) in [
        ("bytes of stack", before.frame, after.frame),
        ("bytes spilled", before.spilled, after.spilled),
        ("bytes of shared memory", before.shared, after.shared),
    ] {
        if before + after > 0 {
            told.push((name, both(&before, &after)));
        }
    }
    told
}

/// The classes of which both have different numbers.
fn changed_classes(change: &MachineChange) -> Vec<(Class, usize, usize)> {
    let (before, after) = (classes(&change.before), classes(&change.after));
    let all: BTreeSet<Class> = before.keys().chain(after.keys()).copied().collect();
    let count = |classes: &BTreeMap<Class, usize>, class| match classes.get(&class) {
        Some(count) => *count,
        None => 0,
    };
    let counted = all.into_iter().map(|class| (class, count(&before, class), count(&after, class)));
    counted.filter(|(_, before, after)| before != after).collect()
}

/// What is issued, and why that is not known.
pub fn weights(machine: &MachineFunction<'_>) -> Vec<String> {
    let issued = machine.issued;
    let known = |issued: Option<Result<&ptx_machine::Weighted, _>>| {
        issued.and_then(Result::ok).map(|weighted| whole(weighted.warps))
    };
    let mut texts: Vec<String> = warps(known(issued.before), known(issued.after))
        .map(|text| format!("issued {text}, estimated"))
        .into_iter()
        .collect();
    for (which, issued) in [("before", issued.before), ("after", issued.after)] {
        if let Some(Err(reason)) = issued {
            texts.push(format!("{which}: not measured: {reason}"));
        }
    }
    texts
}

/// The text of an item.
pub fn item(item: &Item) -> String {
    match item {
        Item::Label(name) => format!("{name}:"),
        Item::Instruction(one) => {
            let words = one.guard.as_deref().into_iter().chain([one.opcode.as_str(), one.operands.as_str()]);
            words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
        }
    }
}

/// Whether an edit is shown.
pub fn differs(edit: &MachineEdit) -> bool {
    !matches!(edit, MachineEdit::Same(..) | MachineEdit::Registers(..))
}

fn details(
    out: &mut String,
    machine: &Machine,
    function: &FunctionChange,
    change: &MachineChange,
    context: usize,
) {
    let has_weights = machine.has_weights();
    let before = |at: Option<usize>| {
        let warps = |address| machine.warps_before(&function.name, address);
        column(has_weights.before, at.and_then(|at| address(&change.before[at])).and_then(warps))
    };
    let after = |at: Option<usize>| {
        let warps = |address| machine.warps_after(&function.new_name, address);
        column(has_weights.after, at.and_then(|at| address(&change.after[at])).and_then(warps))
    };
    for range in hunks(&change.edits, context, differs) {
        let hunk = &change.edits[range];
        let old = hunk.iter().find_map(|edit| address(&change.before[edit.sides().0?]));
        let new = hunk.iter().find_map(|edit| address(&change.after[edit.sides().1?]));
        let _ = writeln!(out, "@@ -{} +{} @@", place(old), place(new));
        let mut line = |sign: char, one: Option<usize>, other: Option<usize>| {
            let found = one.map(|at| &change.before[at]).or(other.map(|at| &change.after[at]));
            // One of both is there.
            if let Some(found) = found {
                let _ = writeln!(out, "{sign} {}{}{}", before(one), after(other), item(found));
            }
        };
        for edit in hunk {
            let (one, other) = edit.sides();
            match edit {
                MachineEdit::Same(..) => line(' ', one, other),
                MachineEdit::Registers(..) => line('=', one, other),
                MachineEdit::Changed(..) => {
                    line('~', one, None);
                    line('~', None, other);
                }
                MachineEdit::Removed(_) => line('-', one, None),
                MachineEdit::Added(_) => line('+', None, other),
            }
        }
    }
}

/// The address of an instruction.
pub fn address(found: &Item) -> Option<u64> {
    match found {
        Item::Instruction(one) => Some(one.address),
        Item::Label(_) => None,
    }
}

fn place(address: Option<u64>) -> String {
    match address {
        Some(address) => format!("{address:#06x}"),
        // A hunk may lack instructions of a module.
        None => "none".to_owned(),
    }
}

/// What is before the text of an instruction if executions are estimated.
fn column(is_weighted: bool, warps: Option<f64>) -> String {
    match (is_weighted, warps) {
        (false, _) => String::new(),
        (true, Some(warps)) => format!("{:>13} ", grouped(whole(warps))),
        (true, None) => " ".repeat(14),
    }
}
