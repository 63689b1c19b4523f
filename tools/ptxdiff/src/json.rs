//! A comparison as JSON.

use ptx_diag::SourceFile;
use ptx_diff::{Change, Comparison, Counts, Edit, FunctionChange, Line};
use serde_json::{Value, json};

use crate::text::sides;

/// The comparison as one object in a line.
pub fn of(comparison: &Comparison, sources: (&SourceFile, &SourceFile), brief: bool) -> String {
    let changes = |changes: &[Change]| -> Vec<Value> {
        changes.iter().map(|change| json!({ "before": change.before, "after": change.after })).collect()
    };
    let functions: Vec<Value> =
        comparison.functions.iter().map(|function| function_of(function, sources, brief)).collect();
    let value = json!({
        "before": sources.0.name(),
        "after": sources.1.name(),
        "same": comparison.is_same(),
        "directives": changes(&comparison.directives),
        "variables": changes(&comparison.variables),
        "removed": comparison.removed,
        "added": comparison.added,
        "functions": functions,
    });
    format!("{value}\n")
}

fn function_of(function: &FunctionChange, sources: (&SourceFile, &SourceFile), brief: bool) -> Value {
    let counts = |counts: &Counts| json!({ "instructions": counts.instructions, "registers": counts.registers, "opcodes": counts.opcodes });
    let line = |source: &SourceFile, line: Option<&Line>| {
        line.map(|line| json!({ "line": source.position(line.span.lo).line, "text": line.text }))
    };
    let edits = function.edits.iter().filter(|edit| !edit.is_same()).map(|edit| {
        let kind = match edit {
            Edit::Same(..) => "same",
            Edit::Changed(..) => "changed",
            Edit::Removed(_) => "removed",
            Edit::Added(_) => "added",
        };
        let (before, after) = sides(edit);
        json!({ "kind": kind, "before": line(sources.0, before), "after": line(sources.1, after) })
    });
    let edits: Vec<Value> = if brief { Vec::new() } else { edits.collect() };
    json!({
        "name": function.name,
        "new_name": function.new_name,
        "same": function.is_same(),
        "signatures": function.signatures,
        "before": counts(&function.before),
        "after": counts(&function.after),
        "edits": edits,
    })
}
