//! Which rows of the instruction table tests execute, with an expectation that was worked out independently of the code
//! under test: from the manual, a formula, NumPy, a model in Python, or a recording from a GPU.
//!
//! A test that has such an expectation launches with [`run`] in place of `ptx_exec::run`. Where the variable [`FOLDER`] of the
//! environment names a folder, the launch is observed, and the rows that its threads executed are added to a file there
//! (`record`); otherwise it is the same. Failed launches prove nothing about the rows that they executed and are not recorded, except for
//! `trap` and `brkpt` if they were expected to stop the launch.
//!
//! `cargo xtask executed-rows` runs the tests with the variable set and writes what it finds to `test-suite/executed-rows.tsv` ([`Claims`]);
//! `test-suite/unexecuted-rows.tsv` has the rows that no such test can execute, with the reasons. `docs/isa.md` shows both.

mod claims;
mod record;

pub use claims::{Claims, exists};
pub use record::{FOLDER, Records, note, note_stop, run, run_as};

use ptx_isa::{Form, Slot};

/// What a row is called in files: its opcode with the first modifier of each needed slot, and its operands.
pub fn key(form: &Form) -> String {
    let mut key = form.opcode.as_str().to_owned();
    for slot in form.slots {
        if let Slot::Lit(modifier) | Slot::One(_, [modifier, ..]) = slot {
            key.push('.');
            key += modifier.as_str();
        }
    }
    let syntax = form.syntax();
    if let Some((_, operands)) = syntax.split_once("  ") {
        key.push(' ');
        key += operands;
    }
    key
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn each_row_has_a_name_of_its_own() {
        let mut rows: BTreeMap<String, usize> = BTreeMap::new();
        for form in ptx_isa::all_forms() {
            *rows.entry(super::key(form)).or_default() += 1;
        }
        let shared: Vec<_> = rows.iter().filter(|(_, count)| **count > 1).collect();
        assert!(shared.is_empty(), "{shared:#?}");
    }
}
