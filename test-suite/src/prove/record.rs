//! What is proved of each row, as it is kept in `test-suite/proofs.tsv` for docs/coverage.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use ptx_isa::{FormId, form};

use super::{Proof, Verdict};
use crate::differential;

/// The verdicts about the instructions of one row: each counts once, by the worst of its routes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// All of which a definition is written down; none for a row without one.
    pub instructions: usize,
    /// No inputs make a difference on any route.
    pub proved: usize,
    /// Some do on one.
    pub refuted: usize,
    /// The solver gave up on one.
    pub timed_out: usize,
    /// What becomes of them on a route has no definition.
    pub unasked: usize,
}

impl Tally {
    /// Counts an instruction.
    pub fn take(&mut self, proof: &Proof) {
        let has = |wanted: fn(&Verdict) -> bool| proof.verdicts.iter().any(|(_, verdict)| wanted(verdict));
        self.instructions += 1;
        if has(|verdict| matches!(verdict, Verdict::Refuted(_))) {
            self.refuted += 1;
        } else if has(|verdict| matches!(verdict, Verdict::Unasked(_))) {
            self.unasked += 1;
        } else if has(|verdict| *verdict == Verdict::TimedOut) {
            self.timed_out += 1;
        } else {
            self.proved += 1;
        }
    }

    /// Counts what another one has counted.
    pub fn append(&mut self, other: Tally) {
        self.instructions += other.instructions;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.timed_out += other.timed_out;
        self.unasked += other.unasked;
    }

    const fn numbers(&self) -> [usize; 5] {
        [self.instructions, self.proved, self.refuted, self.timed_out, self.unasked]
    }
}

/// The name of a row in the record: its syntax and its sentence.
pub fn name(row: FormId) -> String {
    format!("{}\t{}", form(row).syntax(), form(row).doc)
}

/// The names of all rows of scalar instructions, which the record must have.
pub fn names() -> Vec<String> {
    differential::rows().into_values().flatten().map(name).collect()
}

/// A record as a text: a line for each row of the table that has a tally, in the table's order.
pub fn print(tallies: &BTreeMap<String, Tally>) -> String {
    let mut text = "syntax\tmeaning\tinstructions\tproved\trefuted\ttimed out\tnot asked\n".to_owned();
    for name in names() {
        if let Some(tally) = tallies.get(&name) {
            // Writing to a string cannot fail.
            let numbers = tally.numbers().map(|number| number.to_string()).join("\t");
            let _ = writeln!(text, "{name}\t{numbers}");
        }
    }
    text
}

/// Reads a record.
///
/// # Errors
/// When a line is not a row with five numbers.
pub fn parse(text: &str) -> Result<BTreeMap<String, Tally>> {
    let mut tallies = BTreeMap::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [syntax, doc, numbers @ ..] = columns.as_slice() else { anyhow::bail!("`{line}` is not a row") };
        let numbers: Vec<usize> = numbers
            .iter()
            .map(|number| number.parse())
            .collect::<Result<_, _>>()
            .with_context(|| line.to_owned())?;
        let [instructions, proved, refuted, timed_out, unasked] = numbers[..] else {
            anyhow::bail!("`{line}` has not five numbers")
        };
        let tally = Tally { instructions, proved, refuted, timed_out, unasked };
        tallies.insert(format!("{syntax}\t{doc}"), tally);
    }
    Ok(tallies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_as_it_was_written_and_names_tell_rows_apart() {
        let names = names();
        let tallies: BTreeMap<String, Tally> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), Tally { instructions: at, proved: at, ..Tally::default() }))
            .collect();
        assert_eq!(tallies.len(), names.len(), "two rows have one name");
        assert_eq!(parse(&print(&tallies)).expect("a record"), tallies);
    }
}
