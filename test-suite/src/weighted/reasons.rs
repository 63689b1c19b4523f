//! Written reasons: why kernels are worse after a way than before (`opt-reasons.tsv`).
//!
//! A table with a line for each, four columns parted by tabs: the kernel, the way, the cause, and the ratio up to which it explains. `*` in the kernel's name matches anything. Lines that
//! begin with `#` are comments. A row explains all findings of its kernel as long as the ratio is not above its bound.

use anyhow::{Context as _, Result, bail, ensure};

use crate::pattern::is_like;

/// The rows of the table, and which of them were needed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reasons {
    rows: Vec<Row>,
}

#[derive(Clone, PartialEq, Debug)]
struct Row {
    kernel: String,
    way: String,
    cause: String,
    bound: f64,
    is_measured: bool,
    is_needed: bool,
}

impl Reasons {
    /// Reads the table.
    ///
    /// # Errors
    /// When a line has another number of columns, no cause, or a bound that is no number.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rows = lines.map(|(at, line)| row(line).with_context(|| format!("line {}", at + 1)));
        Ok(Self { rows: rows.collect::<Result<_>>()? })
    }

    /// Says that a kernel was measured.
    pub fn measured(&mut self, kernel: &str, way: &str) {
        for row in self.rows.iter_mut().filter(|row| row.way == way && is_like(kernel, &row.kernel)) {
            row.is_measured = true;
        }
    }

    /// Why a kernel is worse by this ratio, if that is written.
    pub fn explain(&mut self, kernel: &str, way: &str, ratio: f64) -> Option<&str> {
        let fits = |row: &&mut Row| row.way == way && ratio <= row.bound && is_like(kernel, &row.kernel);
        let row = self.rows.iter_mut().find(fits)?;
        row.is_needed = true;
        Some(&row.cause)
    }

    /// The rows whose kernels were measured and that nothing needed.
    pub fn stale(&self) -> impl Iterator<Item = String> {
        let rows = self.rows.iter().filter(|row| row.is_measured && !row.is_needed);
        rows.map(|row| format!("{}\t{}\t{}", row.kernel, row.way, row.cause))
    }
}

fn row(line: &str) -> Result<Row> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[kernel, way, cause, bound] = columns.as_slice() else {
        bail!("{} columns instead of four", columns.len());
    };
    ensure!(!cause.trim().is_empty(), "no cause");
    let bound = bound.parse().with_context(|| format!("{bound} is no ratio"))?;
    let (kernel, way, cause) = (kernel.to_owned(), way.to_owned(), cause.to_owned());
    Ok(Row { kernel, way, cause, bound, is_measured: false, is_needed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_explains_up_to_its_bound_and_is_stale_where_nothing_needs_it() {
        let text = "# kernel, way, cause, bound\nbench/a\tO2\tcopies of constants\t1.1\nbench/b*\tO2\tx\t1.2\nbench/c\tO3\ty\t1.2\n";
        let mut reasons = Reasons::parse(text).expect("a table");
        for kernel in ["bench/a", "bench/b1", "bench/c"] {
            reasons.measured(kernel, "O2");
        }
        assert_eq!(reasons.explain("bench/a", "O2", 1.2), None);
        assert_eq!(reasons.explain("bench/b1", "O2", 1.1), Some("x"));
        assert_eq!(reasons.stale().collect::<Vec<_>>(), ["bench/a\tO2\tcopies of constants"]);
    }

    #[test]
    fn rows_without_a_cause_or_a_bound_are_errors() {
        assert!(Reasons::parse("a\tO2\t \t1.1\n").is_err());
        assert!(Reasons::parse("a\tO2\tx\tfar\n").is_err());
        assert!(Reasons::parse("a\tO2\tx\n").is_err());
    }

    #[test]
    fn the_projects_own_table_reads() {
        if let Err(error) = Reasons::parse(include_str!("../../opt-reasons.tsv")) {
            panic!("{error:#}");
        }
    }
}
