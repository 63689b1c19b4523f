//! Machine code that differs as JSON.

use std::collections::BTreeMap;

use ptx_diff::{FunctionChange, MachineEdit, classes, instructions};
use ptx_machine::{Item, NotMeasured, Usage, Weighted};
use serde_json::{Value, json};

use crate::compared::{Compared, Machine, MachineFunction};
use crate::machine_text::item;

/// What is about all functions.
pub fn of(machine: &Machine) -> Value {
    let architectures = machine.architectures();
    let (functions, same) = machine.functions();
    json!({
        "before": { "architecture": architectures.before },
        "after": { "architecture": architectures.after },
        "functions": functions,
        "same": same,
        "removed": machine.removed,
        "added": machine.added,
    })
}

/// The machine code of a function.
pub fn function_of(
    compared: &Compared<'_>,
    function: &FunctionChange,
    machine: &MachineFunction<'_>,
    brief: bool,
) -> Value {
    let change = machine.change;
    let edits = change.edits.iter().filter(|edit| !matches!(edit, MachineEdit::Same(..)));
    let edits: Vec<Value> = if brief {
        Vec::new()
    } else {
        edits.map(|edit| edit_of(compared, function, machine, *edit)).collect()
    };
    json!({
        "same": change.is_same(),
        "same_but_registers": change.is_same_but_registers(),
        "before": side(&change.before, machine.usage.before, machine.issued.before),
        "after": side(&change.after, machine.usage.after, machine.issued.after),
        "edits": edits,
    })
}

fn side(code: &[Item], usage: Option<Usage>, issued: Option<Result<&Weighted, &NotMeasured>>) -> Value {
    let by_class: BTreeMap<String, usize> =
        classes(code).into_iter().map(|(class, count)| (class.to_string(), count)).collect();
    let mut value = json!({
        "instructions": instructions(code).count(),
        "registers": usage.and_then(|usage| usage.registers),
        "stack": usage.map(|usage| usage.frame),
        "spilled": usage.map(|usage| usage.spilled),
        "shared": usage.map(|usage| usage.shared),
        "classes": by_class,
    });
    match issued {
        Some(Ok(weighted)) => {
            let by_class: BTreeMap<String, f64> =
                weighted.classes.iter().map(|(class, warps)| (class.to_string(), *warps)).collect();
            value["issued"] = json!({
                "warps": weighted.warps,
                "threads": weighted.threads,
                "classes": by_class,
                "pinned": weighted.pinned,
                "residual": weighted.residual,
            });
        }
        Some(Err(reason)) => value["not_measured"] = json!(reason.to_string()),
        None => {}
    }
    value
}

fn edit_of(
    compared: &Compared<'_>,
    function: &FunctionChange,
    machine: &MachineFunction<'_>,
    edit: MachineEdit,
) -> Value {
    let kind = match edit {
        MachineEdit::Same(..) => "same",
        MachineEdit::Registers(..) => "registers",
        MachineEdit::Changed(..) => "changed",
        MachineEdit::Removed(_) => "removed",
        MachineEdit::Added(_) => "added",
    };
    let one = |found: &Item, warps: &dyn Fn(&Machine, u64) -> Option<f64>| {
        let mut value = json!({ "text": item(found) });
        if let Item::Instruction(instruction) = found {
            (value["address"], value["line"]) = (json!(instruction.address), json!(instruction.line));
            let warps = compared.machine.as_ref().and_then(|machine| warps(machine, instruction.address));
            if let Some(warps) = warps {
                value["warps"] = json!(warps);
            }
        }
        value
    };
    let (before, after) = edit.sides();
    let change = machine.change;
    json!({
        "kind": kind,
        "before": before.map(|at| one(&change.before[at], &|machine, address| machine.warps_before(&function.name, address))),
        "after": after.map(|at| one(&change.after[at], &|machine, address| machine.warps_after(&function.new_name, address))),
    })
}
