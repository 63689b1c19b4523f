//! Written reasons: why functions come back longer, spill where they did not, or have loops that ptxas unrolls less.
//!
//! A table with a line for each, five columns parted by tabs: the way, the file inside the corpus, the function, what it does (`longer`,
//! `spills`, `rolled`), and why. `*` in file and function matches anything. Lines that begin with `#` are comments. The first row that fits counts.

use anyhow::{Context as _, Result, bail, ensure};

use crate::pattern::is_like;
use crate::roundtrip::{Finding, Way};

/// The rows of the table, and which of them were needed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reasons {
    rows: Vec<Row>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    way: Way,
    file: String,
    function: String,
    finding: Finding,
    reason: String,
    need: Need,
}

/// Whether a row is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// No file that it names was measured.
    Unknown,
    /// A file that it names was measured, and no function there needs it.
    Idle,
    /// It explains something.
    Needed,
}

impl Reasons {
    /// Reads the table.
    ///
    /// # Errors
    /// When a line has another number of columns, an unknown way or finding, or no reason.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rows = lines.map(|(at, line)| row(line).with_context(|| format!("line {}", at + 1)));
        Ok(Self { rows: rows.collect::<Result<_>>()? })
    }

    /// Says that a file was taken a way.
    pub(crate) fn measured(&mut self, way: Way, file: &str) {
        for row in &mut self.rows {
            if row.need == Need::Unknown && row.way == way && is_like(file, &row.file) {
                row.need = Need::Idle;
            }
        }
    }

    /// Why a function does what it does, if that is written.
    pub(crate) fn explain(&mut self, way: Way, file: &str, function: &str, finding: Finding) -> Option<&str> {
        let fits = |row: &&mut Row| {
            row.way == way
                && row.finding == finding
                && is_like(file, &row.file)
                && is_like(function, &row.function)
        };
        let row = self.rows.iter_mut().find(fits)?;
        row.need = Need::Needed;
        Some(&row.reason)
    }

    /// The rows whose files were measured and that nothing needed, as they are in the table without their reasons. A row for several files may
    /// be needed by one that was not measured.
    pub fn idle(&self) -> impl Iterator<Item = String> {
        let idle = self.rows.iter().filter(|row| row.need == Need::Idle);
        idle.map(|row| [row.way.as_str(), &row.file, &row.function, row.finding.as_str()].join("\t"))
    }
}

fn row(line: &str) -> Result<Row> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[way, file, function, finding, reason] = columns.as_slice() else {
        bail!("{} columns instead of five", columns.len());
    };
    let way = Way::parse(way).with_context(|| format!("no way is called {way}"))?;
    let finding = match finding {
        "longer" => Finding::Longer,
        "spills" => Finding::Spills,
        "rolled" => Finding::Rolled,
        _ => bail!("a function is `longer`, `spills` or `rolled`, not `{finding}`"),
    };
    ensure!(!reason.trim().is_empty(), "no reason");
    let (file, function, reason) = (file.to_owned(), function.to_owned(), reason.to_owned());
    Ok(Row { way, file, function, finding, reason, need: Need::Unknown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_nothing_needs_are_idle_where_their_files_were_measured() {
        let text = "# way, file, function, what, why\n\
                    O0\tllvm/a.ptx\tf*\tlonger\tone\n\
                    O0\tllvm/a.ptx\tg\tspills\ttwo\n\
                    O0\tllvm/b.ptx\tg\tspills\tthree\n";
        let mut reasons = Reasons::parse(text).expect("a table");
        reasons.measured(Way::O0, "llvm/a.ptx");
        assert_eq!(reasons.explain(Way::O0, "llvm/a.ptx", "f1", Finding::Longer), Some("one"));
        assert_eq!(reasons.explain(Way::O2, "llvm/a.ptx", "f1", Finding::Longer), None);
        assert_eq!(reasons.explain(Way::O0, "llvm/a.ptx", "f1", Finding::Spills), None);
        assert_eq!(reasons.idle().collect::<Vec<_>>(), ["O0\tllvm/a.ptx\tg\tspills"]);
    }

    #[test]
    fn the_projects_own_table_reads() {
        if let Err(error) = Reasons::parse(include_str!("../roundtrip-reasons.tsv")) {
            panic!("{error:#}");
        }
    }

    #[test]
    fn a_row_without_a_reason_is_an_error() {
        let error = Reasons::parse("O0\ta\tf\tlonger\t \n").expect_err("no reason");
        assert_eq!(format!("{error:#}"), "line 1: no reason");
        assert!(Reasons::parse("O0\ta\tf\tlonger\n").is_err());
        assert!(Reasons::parse("O7\ta\tf\tlonger\twhy\n").is_err());
    }
}
