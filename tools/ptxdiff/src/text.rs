//! A comparison as text.

use std::fmt::Write as _;

use ptx_demangle::demangled_text;
use ptx_diag::{SourceFile, Span};
use ptx_diff::{BlockChange, Change, Edit, FunctionChange, Line};

use crate::arguments::Arguments;
use crate::compared::{Both, Compared};
use crate::hunks::hunks;
use crate::machine_text;
use crate::numbers::{both, grouped, warps, what_became};

/// What differs; nothing if nothing does.
pub fn of(compared: &Compared<'_>, arguments: &Arguments) -> String {
    if compared.is_same() {
        return String::new();
    }
    let (comparison, sources) = (&compared.comparison, compared.sources());
    let mut out = String::new();
    // Writing to a string does not fail, here and below.
    let _ = write!(out, "--- {}\n+++ {}\n", sources.before.name(), sources.after.name());
    comparison.directives.iter().chain(&comparison.variables).for_each(|change| change_of(&mut out, change));
    for (sign, name, file) in comparison
        .removed
        .iter()
        .map(|name| ('-', name, sources.before))
        .chain(comparison.added.iter().map(|name| ('+', name, sources.after)))
    {
        let _ = writeln!(out, "{sign} {}: only in {}", demangled_text(name), file.name());
    }
    for at in compared.order().into_iter().filter(|at| !compared.is_same_function(*at)) {
        let function = &comparison.functions[at];
        let _ = writeln!(out, "\n{}: {}", heading(function), summary(function));
        issued(&mut out, compared, function);
        if !arguments.brief {
            blocks(&mut out, function);
            details(&mut out, compared, function, arguments.context);
        }
        if let Some(machine) = compared.machine_function(at) {
            machine_text::write(&mut out, compared, function, &machine, arguments);
        }
    }
    let same = comparison.functions.iter().filter(|function| function.is_same()).count();
    let _ = writeln!(out, "{same} of {} functions are the same", comparison.functions.len());
    machine_text::end(&mut out, compared);
    out
}

/// The names of a function.
pub fn heading(function: &FunctionChange) -> String {
    let (name, new) = (demangled_text(&function.name), demangled_text(&function.new_name));
    both(&name, &new)
}

fn change_of(out: &mut String, change: &Change) {
    for (sign, text) in [('-', &change.before), ('+', &change.after)] {
        if let Some(text) = text {
            let _ = writeln!(out, "{sign} {text}");
        }
    }
}

/// `12 -> 10 instructions, 8 -> 7 registers; 9 the same, 1 changed, 2 removed; add 3 -> 1`
pub fn summary(function: &FunctionChange) -> String {
    let (before, after) = (&function.before, &function.after);
    let count = |is: fn(&Edit) -> bool| function.edits.iter().filter(|edit| is(edit)).count();
    let mut out = format!(
        "{} instructions, {} registers; {}",
        both(&before.instructions, &after.instructions),
        both(&before.registers, &after.registers),
        what_became([
            (count(Edit::is_same), "the same"),
            (count(|edit| matches!(edit, Edit::Changed(..))), "changed"),
            (count(|edit| matches!(edit, Edit::Removed(_))), "removed"),
            (count(|edit| matches!(edit, Edit::Added(_))), "added"),
        ])
    );
    for (at, (opcode, before, after)) in function.opcodes().into_iter().enumerate() {
        let _ = write!(out, "{} {opcode} {before} -> {after}", if at == 0 { ';' } else { ',' });
    }
    out
}

fn issued(out: &mut String, compared: &Compared<'_>, function: &FunctionChange) {
    let Both { before, after } = compared.executed(function);
    if let Some(text) = warps(before.map(|counts| counts.warps), after.map(|counts| counts.warps)) {
        let _ = writeln!(out, "  issued {text}");
    }
}

/// The names of the blocks of a row: `$L`, `$L -> $M`, or the one that there is.
pub fn block_names(function: &FunctionChange, block: &BlockChange) -> String {
    let before = block.before.map(|number| &function.before_blocks[number].name);
    let after = block.after.map(|number| &function.after_blocks[number].name);
    match (before, after) {
        (Some(before), Some(after)) => both(before, after),
        (Some(before), None) => format!("{before} (only before)"),
        (None, Some(after)) => format!("{after} (only after)"),
        (None, None) => String::new(),
    }
}

/// What became of the statements of a block.
pub fn block_summary(block: &BlockChange) -> String {
    what_became([
        (block.same, "the same"),
        (block.changed, "changed"),
        (block.removed, "removed"),
        (block.added, "added"),
    ])
}

/// The blocks that differ, where there are several.
fn blocks(out: &mut String, function: &FunctionChange) {
    if function.blocks.len() < 2 {
        return;
    }
    for block in function.blocks.iter().filter(|block| !block.is_same()) {
        let _ = writeln!(out, "  block {}: {}", block_names(function, block), block_summary(block));
    }
}

fn details(out: &mut String, compared: &Compared<'_>, function: &FunctionChange, context: usize) {
    let sources = compared.sources();
    if let Some((before, after)) = &function.signatures {
        for (sign, text) in [('-', before), ('+', after)] {
            text.lines().for_each(|line| {
                let _ = writeln!(out, "{sign} {line}");
            });
        }
    }
    for range in hunks(&function.edits, context, |edit| !edit.is_same()) {
        let hunk = &function.edits[range];
        let line = |source: &SourceFile, span: Option<Span>| match span {
            Some(span) => source.position(span.lo).line.to_string(),
            // The hunk has no statement of this module.
            None => "none".to_owned(),
        };
        let first = |pick: fn(&Edit) -> Option<&Line>| hunk.iter().find_map(pick).map(|line| line.span);
        let _ = writeln!(
            out,
            "@@ -{} +{} @@{}",
            line(sources.before, first(|edit| edit.sides().0)),
            line(sources.after, first(|edit| edit.sides().1)),
            block_of(function, hunk)
        );
        hunk.iter().for_each(|edit| statement(out, compared, edit));
    }
}

/// The name of the block with the first statement that differs, after a blank.
fn block_of(function: &FunctionChange, hunk: &[Edit]) -> String {
    let first = hunk.iter().find(|edit| !edit.is_same()).map(Edit::sides);
    let block = match first {
        Some((Some(before), _)) => function.before_blocks.get(before.block),
        Some((None, Some(after))) => function.after_blocks.get(after.block),
        // A hunk has a statement that differs.
        Some((None, None)) | None => None,
    };
    block.iter().map(|block| format!(" {}", block.name)).collect()
}

fn statement(out: &mut String, compared: &Compared<'_>, edit: &Edit) {
    let (before, after) = edit.sides();
    let weight = |before: Option<&Line>, after: Option<&Line>| {
        let weighted = compared.is_weighted();
        let column = |is_weighted: bool, count: Option<u64>| match (is_weighted, count) {
            (false, _) => String::new(),
            (true, Some(count)) => format!("{:>13} ", grouped(count)),
            (true, None) => " ".repeat(14),
        };
        column(weighted.before, before.and_then(|line| compared.before(line)).map(|counts| counts.warps))
            + &column(weighted.after, after.and_then(|line| compared.after(line)).map(|counts| counts.warps))
    };
    let mut line = |sign: char, weight: String, line: &Line| {
        let _ = writeln!(out, "{sign} {weight}{}", line.text);
    };
    match edit {
        Edit::Same(own, _) => line(' ', weight(before, after), own),
        Edit::Changed(old, new) => {
            line('~', weight(before, None), old);
            line('~', weight(None, after), new);
        }
        Edit::Removed(own) => line('-', weight(before, None), own),
        Edit::Added(own) => line('+', weight(None, after), own),
    }
}
