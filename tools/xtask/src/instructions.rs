//! docs/instructions.md: the instruction table for people to read.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ptx_isa::{Form, Mod, Since, Slot, all_forms};

use crate::cargo::workspace;

const HEAD: &str = "\
# Instructions

What this toolchain knows of the PTX instruction set, one entry for each row of the instruction table
(`crates/ptx-isa/src/table`). `cargo xtask docs` writes this page; a test fails when it is out of date.

`{..}` may be left out. A name such as `.type` stands for one of the modifiers listed under it. Versions are the first
PTX version and architecture that have the row, or the modifier where one came later.
";

/// Writes the page.
pub(crate) fn write() -> Result<()> {
    let path = path();
    fs::write(&path, page()).with_context(|| format!("cannot write {}", path.display()))
}

fn path() -> PathBuf {
    workspace().join("docs/instructions.md")
}

/// The page's text: opcodes in the order of the alphabet, each with its rows in the table's order.
fn page() -> String {
    let mut forms: Vec<&Form> = all_forms().iter().collect();
    forms.sort_by_key(|form| form.opcode.as_str());
    let mut out = HEAD.to_owned();
    let mut opcode = "";
    for form in forms {
        if form.opcode.as_str() != opcode {
            opcode = form.opcode.as_str();
            let _ = write!(out, "\n## {opcode}\n");
        }
        push_row(&mut out, form);
    }
    out
}

fn push_row(out: &mut String, form: &Form) {
    let _ = write!(out, "\n    {}\n\n{}", form.syntax(), form.doc);
    let since = form.since;
    let _ = writeln!(out, " {}; manual {}.", version_text(since), form.section);
    let before = out.len();
    for slot in form.slots {
        let (Slot::One(field, set) | Slot::Opt(field, set)) = slot else { continue };
        if set.len() < 2 && form.later.iter().all(|(modifier, _)| !set.contains(modifier)) {
            continue;
        }
        let modifiers: Vec<String> = set.iter().map(|&modifier| modifier_text(form, modifier)).collect();
        let _ = write!(out, "\n- `.{}`: {}", field.as_str(), modifiers.join(", "));
    }
    if out.len() > before {
        out.push('\n');
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

/// `PTX 8.6, sm_100`; with the targets where not every later one has it.
fn version_text(since: Since) -> String {
    match since.only {
        [] => format!("PTX {}, sm_{}", since.ptx, since.sm),
        _ => format!("PTX {}, {}", since.ptx, since.targets()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_up_to_date() {
        let written = fs::read_to_string(path()).unwrap_or_default();
        assert!(written == page(), "docs/instructions.md is out of date: run `cargo xtask docs`");
    }
}
