//! A comparison as JSON.

use ptx_diag::SourceFile;
use ptx_diff::{Block, BlockChange, Change, Counts, Edit, FunctionChange, Line};
use serde_json::{Value, json};

use crate::compared::{Both, Compared};
use crate::machine_json;

/// The comparison as one object in a line.
pub fn of(compared: &Compared<'_>, brief: bool) -> String {
    let (comparison, sources) = (&compared.comparison, compared.sources());
    let changes = |changes: &[Change]| -> Vec<Value> {
        changes.iter().map(|change| json!({ "before": change.before, "after": change.after })).collect()
    };
    let functions = 0..comparison.functions.len();
    let functions: Vec<Value> = functions.map(|at| function_of(compared, at, brief)).collect();
    let mut value = json!({
        "before": sources.before.name(),
        "after": sources.after.name(),
        "same": compared.is_same(),
        "directives": changes(&comparison.directives),
        "variables": changes(&comparison.variables),
        "removed": comparison.removed,
        "added": comparison.added,
        "functions": functions,
    });
    if let Some(machine) = &compared.machine {
        value["machine"] = machine_json::of(machine);
    }
    format!("{value}\n")
}

fn function_of(compared: &Compared<'_>, at: usize, brief: bool) -> Value {
    let function = &compared.comparison.functions[at];
    let counts = |counts: &Counts| json!({ "instructions": counts.instructions, "registers": counts.registers, "opcodes": counts.opcodes });
    let edits = function.edits.iter().filter(|edit| !edit.is_same());
    let edits: Vec<Value> =
        if brief { Vec::new() } else { edits.map(|edit| edit_of(compared, function, edit)).collect() };
    let blocks = function.blocks.iter().map(|block| block_of(compared.sources(), function, block));
    let mut value = json!({
        "name": function.name,
        "new_name": function.new_name,
        "same": function.is_same(),
        "signatures": function.signatures,
        "before": counts(&function.before),
        "after": counts(&function.after),
        "blocks": blocks.collect::<Vec<Value>>(),
        "edits": edits,
    });
    let executed = compared.executed(function);
    if executed.before.is_some() || executed.after.is_some() {
        value["issued"] =
            json!({ "before": executed.before.map(executions), "after": executed.after.map(executions) });
    }
    if let Some(machine) = compared.machine_function(at) {
        value["machine"] = machine_json::function_of(compared, function, &machine, brief);
    }
    value
}

fn executions(counts: ptx_profile::Counts) -> Value {
    json!({ "warps": counts.warps, "threads": counts.threads })
}

fn block_of(sources: Both<&SourceFile>, function: &FunctionChange, change: &BlockChange) -> Value {
    let block = |source: &SourceFile, blocks: &[Block], number: Option<usize>| {
        let block = &blocks[number?];
        let line = source.position(block.span.lo).line;
        Some(json!({ "name": block.name, "line": line, "instructions": block.instructions }))
    };
    json!({
        "before": block(sources.before, &function.before_blocks, change.before),
        "after": block(sources.after, &function.after_blocks, change.after),
        "same": change.same,
        "changed": change.changed,
        "removed": change.removed,
        "added": change.added,
    })
}

fn edit_of(compared: &Compared<'_>, function: &FunctionChange, edit: &Edit) -> Value {
    let kind = match edit {
        Edit::Same(..) => "same",
        Edit::Changed(..) => "changed",
        Edit::Removed(_) => "removed",
        Edit::Added(_) => "added",
    };
    let sources = compared.sources();
    let side = |source: &SourceFile, blocks: &[Block], line: &Line, counts: Option<ptx_profile::Counts>| {
        let mut value = json!({
            "line": source.position(line.span.lo).line,
            "text": line.text,
            "block": blocks.get(line.block).map(|block| &block.name),
        });
        if let Some(counts) = counts {
            (value["warps"], value["threads"]) = (json!(counts.warps), json!(counts.threads));
        }
        value
    };
    let (before, after) = edit.sides();
    json!({
        "kind": kind,
        "before": before.map(|line| side(sources.before, &function.before_blocks, line, compared.before(line))),
        "after": after.map(|line| side(sources.after, &function.after_blocks, line, compared.after(line))),
    })
}
