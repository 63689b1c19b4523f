//! A comparison as text.

use std::fmt::Write as _;

use ptx_demangle::demangled_text;
use ptx_diag::{SourceFile, Span};
use ptx_diff::{Change, Comparison, Edit, FunctionChange, Line};

use crate::arguments::Arguments;

/// What differs; nothing if nothing does.
pub fn of(comparison: &Comparison, sources: (&SourceFile, &SourceFile), arguments: &Arguments) -> String {
    if comparison.is_same() {
        return String::new();
    }
    let mut out = String::new();
    // Writing to a string does not fail, here and below.
    let _ = write!(out, "--- {}\n+++ {}\n", sources.0.name(), sources.1.name());
    comparison.directives.iter().chain(&comparison.variables).for_each(|change| change_of(&mut out, change));
    for (sign, name, file) in comparison
        .removed
        .iter()
        .map(|name| ('-', name, sources.0))
        .chain(comparison.added.iter().map(|name| ('+', name, sources.1)))
    {
        let _ = writeln!(out, "{sign} {}: only in {}", demangled_text(name), file.name());
    }
    let is_shown = |function: &&FunctionChange| !function.is_same() || function.name != function.new_name;
    for function in comparison.functions.iter().filter(is_shown) {
        summary(&mut out, function);
        if !arguments.brief {
            details(&mut out, function, sources, arguments.context);
        }
    }
    let same = comparison.functions.iter().filter(|function| function.is_same()).count();
    let _ = writeln!(out, "{same} of {} functions are the same", comparison.functions.len());
    out
}

fn change_of(out: &mut String, change: &Change) {
    for (sign, text) in [('-', &change.before), ('+', &change.after)] {
        if let Some(text) = text {
            let _ = writeln!(out, "{sign} {text}");
        }
    }
}

/// `k(): 12 -> 10 instructions, 8 -> 7 registers; 9 the same, 1 changed, 2 removed; add 3 -> 1`
fn summary(out: &mut String, function: &FunctionChange) {
    let (name, new) = (demangled_text(&function.name), demangled_text(&function.new_name));
    let _ = write!(out, "\n{name}");
    if name != new {
        let _ = write!(out, " -> {new}");
    }
    let (before, after) = (&function.before, &function.after);
    let number = |before: usize, after: usize| {
        if before == after { before.to_string() } else { format!("{before} -> {after}") }
    };
    let _ = write!(
        out,
        ": {} instructions, {} registers",
        number(before.instructions, after.instructions),
        number(before.registers, after.registers)
    );
    let count = |is: fn(&Edit) -> bool| function.edits.iter().filter(|edit| is(edit)).count();
    for (separator, count, what) in [
        (';', count(Edit::is_same), "the same"),
        (',', count(|edit| matches!(edit, Edit::Changed(..))), "changed"),
        (',', count(|edit| matches!(edit, Edit::Removed(_))), "removed"),
        (',', count(|edit| matches!(edit, Edit::Added(_))), "added"),
    ] {
        if count > 0 || separator == ';' {
            let _ = write!(out, "{separator} {count} {what}");
        }
    }
    for (at, (opcode, before, after)) in function.opcodes().into_iter().enumerate() {
        let _ = write!(out, "{} {opcode} {before} -> {after}", if at == 0 { ';' } else { ',' });
    }
    out.push('\n');
}

fn details(out: &mut String, function: &FunctionChange, sources: (&SourceFile, &SourceFile), context: usize) {
    if let Some((before, after)) = &function.signatures {
        for (sign, text) in [('-', before), ('+', after)] {
            text.lines().for_each(|line| {
                let _ = writeln!(out, "{sign} {line}");
            });
        }
    }
    for hunk in hunks(&function.edits, context) {
        let line = |source: &SourceFile, span: Option<Span>| match span {
            Some(span) => source.position(span.lo).line.to_string(),
            // The hunk has no statement of this module.
            None => "none".to_owned(),
        };
        let first = |pick: fn(&Edit) -> Option<&Line>| hunk.iter().find_map(pick).map(|line| line.span);
        let _ = writeln!(
            out,
            "@@ -{} +{} @@",
            line(sources.0, first(|edit| sides(edit).0)),
            line(sources.1, first(|edit| sides(edit).1))
        );
        for edit in hunk {
            let _ = match edit {
                Edit::Same(line, _) => writeln!(out, "  {}", line.text),
                Edit::Changed(before, after) => writeln!(out, "~ {}\n~ {}", before.text, after.text),
                Edit::Removed(line) => writeln!(out, "- {}", line.text),
                Edit::Added(line) => writeln!(out, "+ {}", line.text),
            };
        }
    }
}

/// The statements of both modules.
pub fn sides(edit: &Edit) -> (Option<&Line>, Option<&Line>) {
    match edit {
        Edit::Same(before, after) | Edit::Changed(before, after) => (Some(before), Some(after)),
        Edit::Removed(line) => (Some(line), None),
        Edit::Added(line) => (None, Some(line)),
    }
}

/// The runs of edits that are not the same, with so many others around each; runs that meet are one.
fn hunks(edits: &[Edit], context: usize) -> Vec<&[Edit]> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (at, _) in edits.iter().enumerate().filter(|(_, edit)| !edit.is_same()) {
        let (start, end) = (at.saturating_sub(context), (at + context + 1).min(edits.len()));
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => ranges.push((start, end)),
        }
    }
    ranges.into_iter().map(|(start, end)| &edits[start..end]).collect()
}
