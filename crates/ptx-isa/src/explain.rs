//! The table for people to read: the whole of it as a page, or what a mnemonic names, in Markdown.

use std::fmt::Write as _;

use crate::constants::Constants;
use crate::constraint::Constraint;
use crate::construct::Construct;
use crate::families::Sem;
use crate::form::{Combination, Effects, Form, Operand, Role, Rule, Slot};
use crate::lowering::{Condition, Lowering};
use crate::mnemonic::{MnemonicError, rows_with};
use crate::names::{Field, Mod};
use crate::table::all_forms;
use crate::target::Since;

/// How to read the rows; the page's second part.
const LEGEND: &str = "\
`{..}` may be left out. A name such as `.type` stands for one of the modifiers listed under it. Versions are the first
PTX version and architecture that have the row, or the modifier where one came later. `sm_100f` is also every later
target of that family with a letter after its number (manual 11.1.2). The order of modifiers is the canonical one,
which the printer writes; the parser accepts nearly any order, as `ptxas` does. `tested by` names tests that execute the row and
whose expected values were worked out independently (from the manual, a formula, NumPy): files below test-suite (`cases/..`), tests of
a crate, or the model of scalar instructions in Python (`model/..`, test-suite/model).
";

/// How to read the page of constructs.
const CONSTRUCT_LEGEND: &str = "\
What is not an instruction and not in every version, with the first PTX version and architecture that have it. Where `ptxas` accepts
a construct earlier than the manual says, the version is that of `ptxas`; without a section, only `ptxas` has it. Instructions are
in [isa.md](isa.md).
";

/// Whether an engine executes instructions of a row; the table is independent of the engines.
pub type Executes = fn(&Form) -> bool;

/// All rows as one Markdown page: opcodes in alphabetical order, each with its rows in table order. `tested` returns the tests
/// that execute a row, or the reason why there are none.
pub fn page(executes: Executes, tested: &dyn Fn(&Form) -> Option<String>) -> String {
    let mut forms: Vec<&Form> = all_forms().iter().collect();
    // Stable, so that the rows of an opcode keep their order.
    forms.sort_by_key(|form| form.opcode.as_str());
    let mut out = format!("# Instructions\n\n{LEGEND}");
    push_rows(&mut out, &forms, executes, tested);
    out
}

/// The constructs that are not instructions as one Markdown page.
pub fn construct_page() -> String {
    let mut out = format!("# Directives and other constructs\n\n{CONSTRUCT_LEGEND}\n");
    out.push_str("| construct | first version | manual |\n|---|---|---|\n");
    for construct in Construct::ALL {
        // Default: the cell of a directive that the manual does not have is empty.
        let section = construct.section().unwrap_or_default();
        let _ = writeln!(out, "| {construct} | {} | {section} |", version_text(construct.since()));
    }
    out
}

/// The table's entries for a complete or partial mnemonic, in Markdown: `add` selects all rows of the opcode, `ld.global`
/// those that may have the modifier.
///
/// # Errors
/// When no row of the opcode accepts all the modifiers, with the mistake and a suggestion.
pub fn explain(mnemonic: &str, executes: Executes) -> Result<String, MnemonicError> {
    let mut out = String::new();
    push_rows(&mut out, &rows_with(mnemonic)?, executes, &|_| None);
    Ok(out.trim_start().to_owned())
}

/// One row in Markdown, as [`explain`] has it, without the properties that all rows of its meaning share.
pub fn describe(form: &Form) -> String {
    let mut out = String::new();
    push_row(&mut out, form, None);
    out.trim_matches('\n').to_owned()
}

/// `PTX 8.6, sm_100`; with the targets where not every later one has it.
pub fn version_text(since: Since) -> String {
    match since.only {
        [] => format!("PTX {}, sm_{}", since.ptx, since.sm),
        _ => format!("PTX {}, {}", since.ptx, since.targets()),
    }
}

/// Rows of one opcode are consecutive, and so, mostly, are those with the same semantics.
fn push_rows(
    out: &mut String,
    forms: &[&Form],
    executes: Executes,
    tested: &dyn Fn(&Form) -> Option<String>,
) {
    let mut opcode = "";
    let mut meaning: Option<(Sem, bool)> = None;
    for form in forms {
        let this = (form.sem, executes(form));
        if form.opcode.as_str() != opcode {
            opcode = form.opcode.as_str();
            meaning = None;
            let _ = write!(out, "\n## {opcode}\n");
        }
        // The properties that all rows of a family share are repeated if a stage supports only some of them.
        if meaning != Some(this) {
            meaning = Some(this);
            let _ = write!(out, "\n{}\n\n{}\n", form.sem.meaning(), stages_text(this.0, this.1));
        }
        push_row(out, form, tested(form));
    }
}

/// Which stages have instructions of this meaning, all rows or those that follow, and how they are lowered. Every row is
/// read, verified, printed, lowered and raised.
fn stages_text(sem: Sem, is_executed: bool) -> String {
    let executed = if is_executed { "executed" } else { "not executed" };
    let mut lowered = sem.lowering().to_string();
    for kind in Lowering::ALL {
        let others = sem.overrides().iter().filter(|(condition, _)| !condition.is_by_operands());
        let others = others.filter(|(_, other)| *other == kind);
        let modifiers: Vec<String> = others.map(|(condition, _)| condition_text(*condition)).collect();
        if !modifiers.is_empty() {
            let _ = write!(lowered, ", with {} {kind}", modifiers.join(" or "));
        }
    }
    format!("*Read, verified, printed; lowered to {lowered}; raised; {executed}.*")
}

/// The modifiers with which an instruction is lowered otherwise, in words.
fn condition_text(condition: Condition) -> String {
    match condition {
        Condition::Is(modifier) => format!("`.{}`", modifier.as_str()),
        Condition::Has(field) => format!("any `.{}`", field.as_str()),
        Condition::All(triggers) => {
            let parts: Vec<String> = triggers.iter().map(|part| condition_text(*part)).collect();
            parts.join(" beside ")
        }
        Condition::Operands(text) => text.to_owned(),
    }
}

fn push_row(out: &mut String, form: &Form, tested: Option<String>) {
    let _ = write!(out, "\n    {}\n\n{}", form.syntax(), form.doc);
    let _ = write!(out, " {}", version_text(form.since));
    if let Some(removed) = &form.removed {
        let _ = write!(out, ", {}", gone_text(removed.from));
    }
    let _ = write!(out, "; manual {}", form.section);
    if let Some(tested) = tested {
        let _ = write!(out, "; {tested}");
    }
    out.push_str(".\n\n");
    for slot in form.slots {
        let (Slot::One(field, set) | Slot::Opt(field, set)) = slot else { continue };
        if set.len() < 2 && form.later.iter().all(|(modifier, _)| !set.contains(modifier)) {
            continue;
        }
        let modifiers: Vec<String> = set.iter().map(|&modifier| modifier_text(form, modifier)).collect();
        let _ = writeln!(out, "- `.{}`: {}", field.as_str(), modifiers.join(", "));
    }
    for (combination, since) in form.later_combined {
        if let Some(text) = combination_text(form, combination) {
            let _ = writeln!(out, "- {text}: {}", version_text(*since));
        }
    }
    for rule in form.rules {
        let _ = writeln!(out, "- {}", rule_text(form, rule));
    }
    for constraint in form.constraints {
        let _ = writeln!(out, "- {}", constraint_text(constraint));
    }
    push_operands(out, form.operands);
    if let Some(text) = effects_text(form.effects) {
        let _ = writeln!(out, "- {text}");
    }
    // Without a list the line of the versions has an empty one behind it already.
    if out.ends_with("\n\n") {
        out.pop();
    }
}

/// A modifier, and its version where it came later than the row.
fn modifier_text(form: &Form, modifier: Mod) -> String {
    let name = modifier.as_str();
    match form.later.iter().find(|(later, _)| *later == modifier) {
        Some((_, since)) if since.max(form.since) != form.since => {
            format!("`.{name}` ({})", version_text(*since))
        }
        _ => format!("`.{name}`"),
    }
}

/// `removed in PTX 6.4 on sm_70`
fn gone_text(from: Since) -> String {
    match from.sm {
        Since::FIRST_SM => format!("removed in PTX {}", from.ptx),
        sm => format!("removed in PTX {} on sm_{sm}", from.ptx),
    }
}

/// Modifiers as alternatives: `.a`, `.b` or `.c`.
fn list(modifiers: &[Mod]) -> String {
    let names: Vec<String> = modifiers.iter().map(|modifier| format!("`.{}`", modifier.as_str())).collect();
    names.join(" or ")
}

/// The modifiers of a combination that the row has, in words; `None` if it has none for one of the slots. Those that another slot
/// has, too, are named with their slot.
fn combination_text(form: &Form, combination: Combination) -> Option<String> {
    let mut sets = Vec::new();
    for (field, set) in combination {
        let slot = form.slots.get(form.slot_of(*field)?)?;
        let own: Vec<Mod> = set.iter().copied().filter(|modifier| slot.takes(*modifier)).collect();
        let others = form.slots.iter().filter(|other| other.field() != Some(*field));
        let is_shared = others.flat_map(|other| own.iter().map(|one| other.takes(*one))).any(|takes| takes);
        let slot = if is_shared { format!(" as `.{}`", field.as_str()) } else { String::new() };
        if own.is_empty() {
            return None;
        }
        sets.push(format!("{}{slot}", list(&own)));
    }
    Some(sets.join(" with "))
}

/// The constraint between modifiers, in words.
fn rule_text(form: &Form, rule: &Rule) -> String {
    match rule {
        Rule::Together(one, other) => {
            format!(
                "{} and {} are given together or not at all",
                slot_text(form, *one),
                slot_text(form, *other)
            )
        }
        Rule::Needs(modifier, needed) => format!("`.{}` needs {}", modifier.as_str(), list(needed)),
        Rule::Excludes(modifier, others) => {
            format!("`.{}` cannot be combined with {}", modifier.as_str(), list(others))
        }
    }
}

/// The constraint that the verifier checks, in words.
fn constraint_text(constraint: &Constraint) -> String {
    match constraint {
        Constraint::Never(modifier, reason) => format!("`.{}` {reason}", modifier.as_str()),
        Constraint::Needs(with, needed) => format!("{} needs {}", list(with), list(needed)),
        Constraint::Excludes(with, others) => {
            format!("{} cannot be combined with {}", list(with), list(others))
        }
        Constraint::Misplaced(with, others, reason) => {
            format!("with {}: {} {reason}", list(others), list(with))
        }
    }
}

/// What the operands accept beyond their types: `_`, constants, versions.
fn push_operands(out: &mut String, operands: &[Operand]) {
    let quoted = |operand: &&Operand| format!("`{}`", operand.name);
    let discardable: Vec<String> =
        operands.iter().filter(|operand| operand.discardable.is_some()).map(|one| quoted(&one)).collect();
    if !discardable.is_empty() {
        let _ = writeln!(out, "- `_` is allowed for {}", discardable.join(" and "));
    }
    for operand in operands {
        let name = operand.name;
        if operand.role == Role::Update {
            let _ = writeln!(out, "- `{name}` is read and written");
        }
        if !operand.without.is_empty() {
            let without = if operand.is_written() { "must be `_`" } else { "is not allowed" };
            let _ = writeln!(out, "- with {} `{name}` {without}", list(operand.without));
        }
        if operand.since != Since::ALWAYS {
            let _ = writeln!(out, "- `{name}`: {}", version_text(operand.since));
        }
        if let Some(text) = operand.constants.text_of_all() {
            let _ = writeln!(out, "- constants for `{name}`: {text}");
        }
        for &(low, high, since) in operand.newer_constants {
            let range = Constants::Range(low, high).text_or_any();
            let _ = writeln!(out, "- constants for `{name}` {range}: {}", version_text(since));
        }
    }
}

/// A slot as the syntax line shows it: its only modifier, or its name.
fn slot_text(form: &Form, field: Field) -> String {
    let slot = form.slot_of(field).and_then(|at| form.slots.get(at));
    match slot {
        Some(Slot::One(_, [only]) | Slot::Opt(_, [only]) | Slot::Lit(only)) => {
            format!("`.{}`", only.as_str())
        }
        Some(Slot::One(..) | Slot::Opt(..)) | None => format!("`.{}`", field.as_str()),
    }
}

/// The row's effects other than writing its destinations, if any.
fn effects_text(effects: Effects) -> Option<String> {
    let Effects { reads, writes, convergent, terminator: _, side_effects: _ } = effects;
    let memory = match (reads, writes) {
        (true, true) => Some("reads and writes memory"),
        (true, false) => Some("reads memory"),
        (false, true) => Some("writes memory"),
        (false, false) => None,
    };
    match (memory, convergent) {
        (memory, false) => memory.map(str::to_owned),
        (None, true) => Some("depends on the threads that execute it together".to_owned()),
        (Some(memory), true) => Some(format!("{memory}, depends on the threads that execute it together")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(mnemonic: &str) -> Result<String, MnemonicError> {
        super::explain(mnemonic, |form| form.sem != Sem::Async(crate::AsyncSem::TensorCopy))
    }

    #[test]
    fn each_meaning_tells_its_stages() {
        let text = explain("cp.async.bulk").unwrap();
        assert!(text.contains("; raised; executed.*") && text.contains("; raised; not executed.*"), "{text}");
    }

    #[test]
    fn an_opcode_names_all_its_rows_and_modifiers_narrow_them() {
        let all = explain("bfe").unwrap();
        assert!(all.starts_with("## bfe\n"), "{all}");
        assert!(all.contains("bfe.type  d, a, b, c") && all.contains("manual 9.7.1.19"), "{all}");
        // Tensor copies to the cluster are `cp` too, but no `cp.async.wait_all`.
        let narrow = explain("cp.async.wait_all").unwrap();
        assert_eq!(narrow.matches("\n    cp").count(), 1, "{narrow}");
        assert!(explain("cp").unwrap().matches("\n    cp").count() > 10);
    }

    #[test]
    fn what_names_no_row_is_told_why() {
        let unknown = |text: &str| explain(text).unwrap_err();
        assert_eq!(unknown("addx"), MnemonicError::UnknownOpcode { nearest: Some("add") });
        assert_eq!(unknown("dad"), MnemonicError::UnknownOpcode { nearest: Some("add") });
        // Two letters of three do not tell an instruction.
        assert_eq!(unknown("adx"), MnemonicError::UnknownOpcode { nearest: None });
        let message = |text: &str| match explain(text) {
            Err(MnemonicError::Modifiers(misfit)) => misfit.message,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(message("add.q7"), "`add` has no modifier `.q7`");
        assert_eq!(message("add.f32.f64"), "`.f64` cannot be combined with the other modifiers of `add`");
    }

    #[test]
    fn rules_and_effects_are_told() {
        let text = explain("cp.async.bulk.prefetch.L2").unwrap();
        assert!(text.contains("- `.L2::cache_hint` cannot be combined with `.L2::evict_last`\n"), "{text}");
        let loads = explain("ld").unwrap();
        for line in [
            "reads memory",
            "`.relaxed` or `.acquire` with `.sys` with `.b128`: PTX 8.4, sm_70",
            "`.nc` needs `.global`",
            "with `.const` or `.param` or `.param::entry` or `.param::func`: `.volatile` is not allowed on constant or parameter memory",
        ] {
            assert!(loads.contains(&format!("\n- {line}\n")), "{line}: {loads}");
        }
        let arrivals = explain("mbarrier.arrive").unwrap();
        assert!(
            arrivals
                .contains("\n- `_` is allowed for `state`\n- with `.shared::cluster` `state` must be `_`\n")
        );
    }
}
