//! The tests of clients that fail, each with the reason: `test-suite/clients/expected.tsv`.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use super::Outcome;

/// The table: the name of a test, with that of the client before it, and the reason why it fails. A name that ends in `*` stands for all tests that begin
/// like it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected(BTreeMap<String, String>);

impl Expected {
    /// The table of this repository.
    ///
    /// # Errors
    /// See [`Expected::parse`].
    pub fn read() -> Result<Self> {
        Self::parse(include_str!("../../clients/expected.tsv")).context("test-suite/clients/expected.tsv")
    }

    /// Reads a table: lines of a client, a test and a reason, parted by tabs. Those that begin with `#` are comments.
    ///
    /// # Errors
    /// A line without one of them, or a test that is listed twice.
    pub fn parse(text: &str) -> Result<Self> {
        let mut table = BTreeMap::new();
        for (at, line) in
            text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        {
            let fields: Vec<&str> = line.split('\t').collect();
            let [client, test, reason] = fields[..] else {
                anyhow::bail!("line {}: not a client, a test and a reason", at + 1);
            };
            ensure!(!reason.trim().is_empty(), "line {}: there is no reason", at + 1);
            let old = table.insert(format!("{client} {test}"), reason.to_owned());
            ensure!(old.is_none(), "line {}: {test} is listed twice", at + 1);
        }
        Ok(Self(table))
    }

    /// Why a test fails, if that is known.
    pub fn reason(&self, test: &str) -> Option<&str> {
        let (_, reason) = self.0.iter().find(|(listed, _)| stands_for(listed, test))?;
        Some(reason)
    }

    /// What is wrong with the outcome of a run of this name of a client: failures without a reason, and tests that are listed and did not fail.
    ///
    /// # Errors
    /// If the run passed and failed no test at all.
    pub fn differences(&self, client: &str, run: &str, outcome: &Outcome) -> Result<Vec<String>> {
        let all = outcome.passed + outcome.skipped + outcome.failed.len();
        ensure!(all > 0, "{client} {run}: there are no tests");
        let unknown = outcome.failed.iter().filter(|test| self.reason(test).is_none());
        let mut found: Vec<String> = unknown.map(|test| format!("{test} fails")).collect();
        let listed = self.0.keys().filter(|test| is_of_run(test, client, run));
        let passing = listed.filter(|listed| !outcome.failed.iter().any(|test| stands_for(listed, test)));
        found.extend(passing.map(|test| format!("{test} is listed and does not fail")));
        Ok(found)
    }
}

/// Whether a name of the table is that of a test.
fn stands_for(listed: &str, test: &str) -> bool {
    match listed.strip_suffix('*') {
        Some(start) => test.starts_with(start),
        None => listed == test,
    }
}

/// Whether a test is one of a run: it is the run, or begins with its name.
fn is_of_run(test: &str, client: &str, run: &str) -> bool {
    let rest = test
        .strip_prefix(client)
        .and_then(|rest| rest.strip_prefix(' '))
        .and_then(|rest| rest.strip_prefix(run));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':', '/', '*']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_and_listed_tests_that_pass_are_differences() {
        let table =
            Expected::parse("# a comment\nnumba\tx.T.a\tno such feature\nnumba\txy.T.b\tanother\n").unwrap();
        let failed = |names: &[&str]| Outcome {
            passed: 1,
            failed: names.iter().map(|&name| name.to_owned()).collect(),
            ..Outcome::default()
        };
        assert!(table.differences("numba", "x", &failed(&["numba x.T.a"])).unwrap().is_empty());
        let found = table.differences("numba", "x", &failed(&["numba x.T.c"])).unwrap();
        assert_eq!(found, ["numba x.T.c fails", "numba x.T.a is listed and does not fail"]);
        assert!(table.differences("numba", "x", &Outcome::default()).is_err());
        let table = Expected::parse("numba\tx::T*\tno such feature\n").unwrap();
        assert!(
            table.differences("numba", "x", &failed(&["numba x::Ta", "numba x::Tb"])).unwrap().is_empty()
        );
        assert_eq!(table.differences("numba", "x", &failed(&["numba x::U"])).unwrap().len(), 2);
        assert!(Expected::parse("numba\tx\n").is_err() && Expected::parse("numba\tx\t \n").is_err());
    }

    #[test]
    fn the_table_is_valid() {
        Expected::read().unwrap();
    }
}
