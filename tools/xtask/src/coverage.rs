//! docs/coverage.md: how LLVM IR expresses each instruction, and what is proved of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ptx_isa::{Condition, Form, Lowering, all_forms};
use test_suite::prove::record::{self, Tally};

use crate::cargo::workspace;

const HEAD: &str = "\
<!-- Written by `cargo xtask docs` from the instruction table (crates/ptx-isa/src/families.rs) and the table of intrinsics
(crates/ptx-llvm-core/src/intrinsics), and from the results that `cargo xtask prove --write` stores in test-suite/proofs.tsv; a test fails
when it is out of date. -->

# Coverage: how LLVM IR expresses each instruction

Every instruction in the table is lowered, in one of three ways:

- **plain IR**: target-independent LLVM instructions and intrinsics with exactly the same semantics;
- **intrinsic**: an intrinsic of LLVM's NVPTX target, if there is one for the instruction's modifiers and operands, else inline
  assembly;
- **inline assembly** that contains the instruction as written, since LLVM 22 has no other form. Its attributes state whether the
  instruction is convergent, has side effects and accesses memory, as specified by the row.

These kinds of lowering are listed in order of preference; some modifiers require a later one. The conformance suite lowers every
line that `ptxas` accepts, runs LLVM's verifier, raises the result to PTX, and compares the kind of lowering with these columns;
`cargo xtask lines` does the same for single lines. [mapping.md](mapping.md) describes the generated IR.

## What is not lowered

Lowering reports each of these as an error with a location, `L0102`. They are module-level constructs; none is an instruction.

| construct | reason |
|---|---|
| more than 64 dimensions of an array | LLVM traverses types recursively |
| parts of an address in the initial value of elements other than bytes, or of fewer than all its bytes | LLVM supports relocations only for whole addresses |
| parameters without a size aligned to more than 16 bytes, `.param .align 32 .b8 p[]` | LLVM aligns the arguments of a variadic call like their types, and no type has such an alignment |
| a variable larger than 2^40 bytes | LLVM's sizes and offsets overflow |

";

/// Writes the page.
pub(crate) fn write() -> Result<()> {
    let path = path();
    fs::write(&path, page(&record()?)).with_context(|| format!("cannot write {}", path.display()))
}

fn path() -> PathBuf {
    workspace().join("docs/coverage.md")
}

/// Where the figures of `cargo xtask prove` are kept.
pub(crate) fn record_path() -> PathBuf {
    workspace().join("test-suite/proofs.tsv")
}

/// The figures of `cargo xtask prove`, by row.
pub(crate) fn record() -> Result<BTreeMap<String, Tally>> {
    let path = record_path();
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    record::parse(&text)
}

const PROVED: &str = "
## What is proved

For the scalar instructions below an SMT solver has proved that for all inputs the lowered IR, the IR after `-O2`, and the PTX that is raised from
either compute what the manual specifies, as defined in `test-suite/src/prove/define`. There is one instruction, with operands as general as
possible, for each combination of modifiers; the table has the number of combinations. An instruction
counts as proved if all four proofs succeed, as timed out if the solver did not decide one of them, and as not checked if one of its translations
contains an operation without a definition. Floating-point operations are first compared syntactically, as the same operation on the same operands, and
otherwise in the solver's theory of floating-point numbers, each with one rounding; all NaNs are equal. `cargo xtask prove` repeats all proofs, and `cargo xtask prove --write` stores the results; the
conformance suite proves a sample.

";

/// The recorded figures.
fn proved(tallies: &BTreeMap<String, Tally>) -> String {
    let mut out = PROVED.to_owned();
    let (mut sum, mut rows, mut undefined) = (Tally::default(), 0, BTreeMap::<String, usize>::new());
    let mut table = String::new();
    for name in record::names() {
        let Some(tally) = tallies.get(&name) else { continue };
        let (syntax, meaning) = name.split_once('\t').unwrap_or((&name, ""));
        if tally.instructions == 0 {
            let opcode = syntax.split(['.', '{', ' ']).next().unwrap_or(syntax);
            *undefined.entry(opcode.to_owned()).or_default() += 1;
            continue;
        }
        let Tally { instructions, proved, refuted, timed_out, unasked } = tally;
        let _ = writeln!(
            table,
            "| `{}` | {meaning} | {instructions} | {proved} | {refuted} | {timed_out} | {unasked} |",
            syntax.replace('|', "\\|")
        );
        sum.append(*tally);
        rows += 1;
    }
    let Tally { instructions, proved, refuted, timed_out, unasked } = sum;
    let _ = writeln!(
        out,
        "{rows} rows: {instructions} instructions, {proved} proved, {refuted} refuted, {timed_out} timed out, {unasked} not checked.\n"
    );
    out += "| row | meaning | instructions | proved | refuted | timed out | not checked |\n|---|---|---|---|---|---|---|\n";
    out += &table;
    let listed = |rows: &BTreeMap<String, usize>| {
        let rows = rows.iter().map(|(opcode, rows)| format!("`{opcode}` ({rows})"));
        rows.collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(
        out,
        "\nRows with approximations, narrow formats, `.tf32` or roundings that IEEE 754 does not have are treated as uninterpreted functions: the proof is \
         that the result contains an instruction with the same mnemonic and the same operands: {}.",
        listed(&rows_by_name())
    );
    if !undefined.is_empty() {
        let _ = writeln!(out, "\nScalar rows without a definition: {}.", listed(&undefined));
    }
    out
}

/// The scalar rows with instructions whose function is known by its name alone, counted by opcode.
fn rows_by_name() -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    for (opcode, ids) in test_suite::differential::rows() {
        let count = ids.into_iter().filter(|id| test_suite::prove::is_known_by_name(*id)).count();
        if count > 0 {
            rows.insert(opcode.as_str().to_owned(), count);
        }
    }
    rows
}

/// What is said of the rows of one opcode.
#[derive(Default)]
struct Family {
    rows: [usize; Lowering::ALL.len()],
    intrinsics: BTreeSet<&'static str>,
    overrides: [Vec<String>; Lowering::ALL.len()],
}

fn page(tallies: &BTreeMap<String, Tally>) -> String {
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    let mut totals = [0; Lowering::ALL.len()];
    for form in all_forms() {
        let family = families.entry(form.opcode.as_str()).or_default();
        let way = form.sem.lowering() as usize;
        family.rows[way] += 1;
        totals[way] += 1;
        for (condition, to) in
            form.sem.overrides().iter().filter(|(condition, _)| !condition.is_by_operands())
        {
            let name = name(*condition);
            let list = &mut family.overrides[*to as usize];
            if is_possible(form, *condition) && !list.contains(&name) {
                list.push(name);
            }
        }
    }
    for row in ptx_llvm_core::intrinsics::rows() {
        if let Some(family) = families.get_mut(row.mnemonic.opcode().as_str()) {
            family.intrinsics.insert(row.name.as_str());
        }
    }
    let mut out = HEAD.to_owned();
    out += "## Intrinsics with fewer operands\n\nEvery instruction that has an intrinsic is lowered to it, except with these operands, which \
            the intrinsic does not support. The conformance suite checks this for every line that `ptxas` accepts.\n\n\
            | instruction | operands |\n|---|---|\n";
    let mut listed = BTreeSet::new();
    for form in all_forms() {
        for (condition, _) in form.sem.overrides().iter().filter(|(condition, _)| condition.is_by_operands())
        {
            let line = format!("| `{}` | {} |\n", form.opcode.as_str(), name(*condition));
            if is_possible(form, *condition) && listed.insert(line.clone()) {
                out += &line;
            }
        }
    }
    out += "\n";
    out += "## Rows by kind of lowering\n\n| lowering | rows |\n|---|---|\n";
    for way in Lowering::ALL {
        let _ = writeln!(out, "| {way} | {} |", totals[way as usize]);
    }
    out += "\n## By family\n\nThe number of rows lowered in each way, the number of intrinsics that the intrinsic table pairs with \
            instructions of the family, and the modifiers that need another way.\n\n| family | plain IR | intrinsic | inline assembly | intrinsics | otherwise |\n\
            |---|---|---|---|---|---|\n";
    for (opcode, family) in &families {
        let counts = family.rows.map(|rows| if rows == 0 { String::new() } else { rows.to_string() });
        let intrinsics = family.intrinsics.len();
        let _ = writeln!(
            out,
            "| `{opcode}` | {} | {intrinsics} | {} |",
            counts.join(" | "),
            otherwise(&family.overrides)
        );
    }
    out + &proved(tallies)
}

/// The modifiers that send instructions another way, in words.
fn otherwise(overrides: &[Vec<String>]) -> String {
    let texts = Lowering::ALL.iter().zip(overrides).filter(|(_, names)| !names.is_empty());
    texts.map(|(way, names)| format!("{way} with {}", names.join(", "))).collect::<Vec<_>>().join("; ")
}

/// Whether an instruction of the row can have what the condition asks for.
fn is_possible(form: &Form, condition: Condition) -> bool {
    match condition {
        Condition::Is(modifier) => form.slots.iter().any(|slot| slot.takes(modifier)),
        Condition::Has(field) => form.slot_of(field).is_some(),
        Condition::All(parts) => parts.iter().all(|part| is_possible(form, *part)),
        Condition::Operands(_) => true,
    }
}

fn name(condition: Condition) -> String {
    match condition {
        Condition::Is(modifier) => format!("`.{}`", modifier.as_str()),
        Condition::Has(field) => format!("`.{}`", field.as_str()),
        Condition::All(parts) => parts.iter().map(|part| name(*part)).collect::<Vec<_>>().join(" and "),
        Condition::Operands(text) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_up_to_date() {
        let written = fs::read_to_string(path()).unwrap_or_default();
        let page = page(&record().expect("a record of proofs"));
        assert!(written == page, "docs/coverage.md is out of date: run `cargo xtask docs`");
    }

    #[test]
    fn every_scalar_row_was_proved_or_has_no_definition() {
        let kept = record().expect("a record of proofs");
        let missing: Vec<String> =
            record::names().into_iter().filter(|name| !kept.contains_key(name)).collect();
        assert!(missing.is_empty(), "run `cargo xtask prove --write`: {}", missing.join("\n"));
        assert_eq!(
            kept.len(),
            record::names().len(),
            "rows of the record are gone: run `cargo xtask prove --write`"
        );
        assert!(kept.values().all(|tally| tally.refuted == 0), "an instruction is refuted");
    }
}
