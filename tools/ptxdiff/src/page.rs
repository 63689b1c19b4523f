//! A comparison as a page of HTML.

use std::collections::BTreeMap;

use ptx_demangle::demangled_text;
use ptx_diag::{SourceFile, Span};
use ptx_diff::{BlockChange, Edit, FunctionChange, Line, MachineEdit};
use ptx_machine::Item;
use ptx_report::{Cell, ComparedFunction, Difference, Row, RowKind, SideBySide};

use crate::arguments::Arguments;
use crate::compared::{Compared, Machine, MachineFunction};
use crate::hunks::hunks;
use crate::machine_text::{self, address, differs, item};
use crate::numbers::{both, grouped, warps, whole};
use crate::text;

/// The page.
pub fn of(compared: &Compared<'_>, arguments: &Arguments) -> String {
    let sources = compared.sources();
    let (before, after) = (sources.before.name().to_owned(), sources.after.name().to_owned());
    let functions = compared.order().into_iter().map(|at| function(compared, at, arguments));
    let page = Difference {
        title: format!("{before} and {after}"),
        subtitle: subtitle(compared),
        outside: outside(compared),
        functions: functions.collect(),
        before,
        after,
    };
    page.to_html()
}

fn subtitle(compared: &Compared<'_>) -> String {
    let functions = &compared.comparison.functions;
    let same = functions.iter().filter(|function| function.is_same()).count();
    let mut text = format!("{same} of {} functions are the same", functions.len());
    if let Some(machine) = &compared.machine {
        let (count, same) = machine.functions();
        let architectures = machine.architectures();
        text.push_str(&format!(
            "; machine code of {same} of {count} ({})",
            both(&architectures.before, &architectures.after)
        ));
    }
    text
}

fn plain(text: &str) -> Cell {
    Cell { text: text.to_owned(), ..Cell::default() }
}

/// What differs outside of functions, and functions that only one module has.
fn outside(compared: &Compared<'_>) -> Vec<Row> {
    let comparison = &compared.comparison;
    let changes = comparison.directives.iter().chain(&comparison.variables).map(|change| {
        let kind = match (&change.before, &change.after) {
            (Some(_), Some(_)) => RowKind::Changed,
            (_, None) => RowKind::Removed,
            (None, _) => RowKind::Added,
        };
        Row { kind, before: change.before.as_deref().map(plain), after: change.after.as_deref().map(plain) }
    });
    let mut rows: Vec<Row> = changes.collect();
    let mut alone = |names: &[String], what: &str, kind| {
        rows.extend(names.iter().map(|name| {
            let cell = Some(plain(&format!("{what} {}", demangled_text(name))));
            match kind {
                RowKind::Removed => Row { kind, before: cell, after: None },
                _ => Row { kind, before: None, after: cell },
            }
        }));
    };
    alone(&comparison.removed, "function", RowKind::Removed);
    alone(&comparison.added, "function", RowKind::Added);
    if let Some(machine) = &compared.machine {
        alone(&machine.removed, "machine code of", RowKind::Removed);
        alone(&machine.added, "machine code of", RowKind::Added);
    }
    rows
}

fn function(compared: &Compared<'_>, at: usize, arguments: &Arguments) -> ComparedFunction {
    let function = &compared.comparison.functions[at];
    let executed = compared.executed(function);
    let issued = warps(executed.before.map(|counts| counts.warps), executed.after.map(|counts| counts.warps));
    let mut facts = vec![text::summary(function)];
    facts.extend(issued.as_ref().map(|text| format!("issued {text}")));
    let mut parts = vec![SideBySide {
        title: "PTX".to_owned(),
        facts,
        rows: if arguments.brief { Vec::new() } else { statements(compared, function, arguments.context) },
    }];
    if let (Some(machine), Some(whole)) = (compared.machine_function(at), &compared.machine) {
        parts.push(machine_code(whole, function, &machine, arguments));
    }
    let instructions = both(&function.before.instructions, &function.after.instructions);
    let mut summary = format!("{instructions} instructions");
    if let Some(issued) = issued {
        summary.push_str(&format!(", issued {issued}"));
    }
    ComparedFunction { name: text::heading(function), summary, is_same: compared.is_same_function(at), parts }
}

/// Adds rows for what a hunk leaves out before it.
fn omit(rows: &mut Vec<Row>, count: usize) {
    if count > 0 {
        rows.push(Row { kind: RowKind::Omitted(count), before: None, after: None });
    }
}

fn statements(compared: &Compared<'_>, function: &FunctionChange, context: usize) -> Vec<Row> {
    let sources = compared.sources();
    let mut rows = Vec::new();
    if let Some((before, after)) = &function.signatures {
        let (kind, cell) = (RowKind::Changed, |text: &str| Some(plain(text)));
        rows.push(Row { kind, before: cell(before), after: cell(after) });
    }
    let most = function.edits.iter().flat_map(|edit| {
        let (before, after) = edit.sides();
        [before.and_then(|line| compared.before(line)), after.and_then(|line| compared.after(line))]
    });
    // Default: without a profile there is nothing to compare with.
    let most = most.flatten().map(|counts| counts.warps).max().unwrap_or_default();
    let cell = |source: &SourceFile, line: &Line, counts: Option<ptx_profile::Counts>| Cell {
        place: Some(place(source, line.span)),
        weight: counts.map(|counts| (grouped(counts.warps), counts.warps as f64 / most.max(1) as f64)),
        text: line.text.clone(),
    };
    let numbered = || function.blocks.iter().enumerate();
    let of_before: BTreeMap<usize, usize> =
        numbered().filter_map(|(at, one)| Some((one.before?, at))).collect();
    let of_after: BTreeMap<usize, usize> =
        numbered().filter_map(|(at, one)| Some((one.after?, at))).collect();
    let (mut shown, mut block) = (0, None);
    for range in hunks(&function.edits, context, |edit| !edit.is_same()) {
        omit(&mut rows, range.start - shown);
        shown = range.end;
        for edit in &function.edits[range] {
            let (before, after) = edit.sides();
            let own = match (before, after) {
                (Some(line), _) => of_before.get(&line.block),
                (None, Some(line)) => of_after.get(&line.block),
                (None, None) => None,
            };
            if own != block {
                block = own;
                rows.extend(own.map(|change| heading(function, &function.blocks[*change])));
            }
            rows.push(Row {
                kind: match edit {
                    Edit::Same(..) => RowKind::Same,
                    Edit::Changed(..) => RowKind::Changed,
                    Edit::Removed(_) => RowKind::Removed,
                    Edit::Added(_) => RowKind::Added,
                },
                before: before.map(|line| cell(sources.before, line, compared.before(line))),
                after: after.map(|line| cell(sources.after, line, compared.after(line))),
            });
        }
    }
    omit(&mut rows, function.edits.len() - shown);
    rows
}

fn heading(function: &FunctionChange, block: &BlockChange) -> Row {
    let text = format!("block {}: {}", text::block_names(function, block), text::block_summary(block));
    Row { kind: RowKind::Heading, before: Some(plain(&text)), after: None }
}

fn place(source: &SourceFile, span: Span) -> String {
    source.position(span.lo).line.to_string()
}

fn machine_code(
    whole_code: &Machine,
    function: &FunctionChange,
    machine: &MachineFunction<'_>,
    arguments: &Arguments,
) -> SideBySide {
    let change = machine.change;
    let mut facts = vec![machine_text::summary(machine)];
    facts.extend(machine_text::weights(machine));
    let before = |at: usize| {
        let warps = |address| whole_code.warps_before(&function.name, address);
        (&change.before[at], address(&change.before[at]).and_then(warps))
    };
    let after = |at: usize| {
        let warps = |address| whole_code.warps_after(&function.new_name, address);
        (&change.after[at], address(&change.after[at]).and_then(warps))
    };
    let all = change.edits.iter().flat_map(|edit| {
        let (one, other) = edit.sides();
        [one.and_then(|at| before(at).1), other.and_then(|at| after(at).1)]
    });
    let most = all.flatten().fold(1.0, f64::max);
    let cell = |(found, warps): (&Item, Option<f64>)| Cell {
        place: address(found).map(|address| format!("{address:04x}")),
        weight: warps.map(|warps| (grouped(whole(warps)), warps / most)),
        text: item(found),
    };
    let (mut rows, mut shown) = (Vec::new(), 0);
    let ranges = if arguments.brief { Vec::new() } else { hunks(&change.edits, arguments.context, differs) };
    for range in ranges {
        omit(&mut rows, range.start - shown);
        shown = range.end;
        for edit in &change.edits[range] {
            let (one, other) = edit.sides();
            rows.push(Row {
                kind: match edit {
                    MachineEdit::Same(..) => RowKind::Same,
                    MachineEdit::Registers(..) => RowKind::Similar,
                    MachineEdit::Changed(..) => RowKind::Changed,
                    MachineEdit::Removed(_) => RowKind::Removed,
                    MachineEdit::Added(_) => RowKind::Added,
                },
                before: one.map(|at| cell(before(at))),
                after: other.map(|at| cell(after(at))),
            });
        }
    }
    if !arguments.brief {
        omit(&mut rows, change.edits.len() - shown);
    }
    SideBySide { title: "Machine code".to_owned(), facts, rows }
}
