//! What the repository records of every row: the tests that execute it, or why none can.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ptx_isa::all_forms;

use crate::key;
use crate::record::Records;

/// The most tests that are written down for a row.
const MOST: usize = 2;

const HEAD: &str = "\
# The rows of the instruction table, each with tests that execute it and whose expected values were worked out independently.
# `cargo xtask executed-rows` writes this file from what the tests record; row, test, another test.
";

/// What is said of the rows, by their [`key`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Claims {
    /// The tests that execute a row, the most telling first.
    pub tests: BTreeMap<String, Vec<String>>,
    /// Why no test executes a row.
    pub reasons: BTreeMap<String, String>,
}

impl Claims {
    /// Reads both files of the repository.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read() -> std::io::Result<Self> {
        let tests = fs::read_to_string(tests_file())?;
        let reasons = fs::read_to_string(reasons_file())?;
        let tests = lines(&tests).map(|(row, rest)| (row, rest.split('\t').map(str::to_owned).collect()));
        let reasons = lines(&reasons).map(|(row, reason)| (row, reason.to_owned()));
        Ok(Self { tests: tests.collect(), reasons: reasons.collect() })
    }

    /// Takes the tests from what was recorded, but for rows that have a reason.
    #[must_use]
    pub fn renewed(&self, records: &Records) -> Self {
        let rows = all_forms().iter().map(key).filter(|row| !self.reasons.contains_key(row));
        let tests = rows.map(|row| (records.most_telling(&row, MOST), row));
        let tests = tests.filter(|(tests, _)| !tests.is_empty()).map(|(tests, row)| (row, tests));
        Self { tests: tests.collect(), reasons: self.reasons.clone() }
    }

    /// Writes the file of the tests.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self) -> std::io::Result<()> {
        let line = |(row, tests): (&String, &Vec<String>)| format!("{row}\t{}\n", tests.join("\t"));
        let text: String = self.tests.iter().map(line).collect();
        fs::write(tests_file(), format!("{HEAD}{text}"))
    }

    /// The rows that have neither a test nor a reason.
    pub fn missing(&self) -> Vec<String> {
        let is_open = |row: &String| !self.tests.contains_key(row) && !self.reasons.contains_key(row);
        all_forms().iter().map(key).filter(is_open).collect()
    }

    /// What is said of no row of the table, or twice.
    pub fn idle(&self) -> Vec<String> {
        let rows: Vec<String> = all_forms().iter().map(key).collect();
        let unknown = self.tests.keys().chain(self.reasons.keys()).filter(|row| !rows.contains(row));
        let twice = self.tests.keys().filter(|row| self.reasons.contains_key(*row));
        unknown.chain(twice).cloned().collect()
    }

    /// The tests that do not execute what they are said to, as `row: test`.
    pub fn untrue(&self, records: &Records) -> Vec<String> {
        let pairs = self.tests.iter().flat_map(|(row, tests)| tests.iter().map(move |test| (row, test)));
        let is_untrue = |(row, test): &(&String, &String)| {
            records.tests.get(*row).is_none_or(|tests| !tests.contains(*test))
        };
        pairs.filter(is_untrue).map(|(row, test)| format!("{row}: {test}")).collect()
    }
}

/// The lines of a table, each without its first field.
fn lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(row, rest)| (row.to_owned(), rest))
}

/// Whether the repository has a test of this name: `PACKAGE/PROGRAM::PATH::FUNCTION`, the file `cases/..` of the conformance suite, or
/// `model/OPCODE`.
pub fn exists(test: &str) -> bool {
    let suite = suite();
    if let Some(opcode) = test.strip_prefix("model/") {
        let is_known = all_forms().iter().any(|form| form.opcode.as_str() == opcode);
        return is_known && suite.join("tests/model.rs").is_file();
    }
    if test.starts_with("cases/") {
        return suite.join(test).is_file();
    }
    let Some((package, path)) = test.split_once('/') else { return false };
    let Some((program, path)) = path.split_once("::") else { return false };
    let folder = match package {
        "test-suite" => suite.join("tests"),
        package => suite.join("../crates").join(package).join("tests"),
    };
    let (modules, function) = path.rsplit_once("::").unwrap_or(("", path));
    let in_folder = folder.join(program);
    let source = match modules {
        "" if in_folder.is_dir() => in_folder.join("main.rs"),
        "" => folder.join(format!("{program}.rs")),
        modules => in_folder.join(format!("{}.rs", modules.replace("::", "/"))),
    };
    fs::read_to_string(source).is_ok_and(|text| text.contains(&format!("fn {function}(")))
}

fn suite() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn tests_file() -> PathBuf {
    suite().join("executed-rows.tsv")
}

fn reasons_file() -> PathBuf {
    suite().join("unexecuted-rows.tsv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_test_or_a_reason() {
        let claims = Claims::read().unwrap();
        assert!(claims.idle().is_empty(), "not rows of the table, or in both files: {:#?}", claims.idle());
        assert!(claims.missing().is_empty(), "neither a test nor a reason: {:#?}", claims.missing());
    }

    #[test]
    fn every_test_is_there() {
        let claims = Claims::read().unwrap();
        let lost: Vec<_> = claims.tests.values().flatten().filter(|test| !exists(test)).collect();
        assert!(lost.is_empty(), "no such tests: {lost:#?}");
        assert!(
            !exists("cases/exec/nothing.ptx") && !exists("ptx-exec/scaled::nothing") && !exists("model/adx")
        );
    }
}
