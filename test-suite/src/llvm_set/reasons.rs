//! Written reasons: why what comes of LLVM's tests is not the same on all ways.
//!
//! A table with a line for each, four columns parted by tabs: the file, the function or step, what it does (the words of
//! [`Deviation`]), and why. Lines that begin with `#` are comments. A deviation that the table does not have fails, and so does
//! a row that the files no longer need.

use anyhow::{Context as _, Result, bail, ensure};

use super::{Configuration, Execution, Host, Report};

/// How a function or a step is not as it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deviation {
    /// `fails`: a step does not succeed.
    Fails,
    /// `differs`: not all the PTX leaves the same.
    Differs,
    /// `host`: LLVM on the host leaves something else.
    Host,
}

impl Deviation {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "fails" => Self::Fails,
            "differs" => Self::Differs,
            "host" => Self::Host,
            _ => return None,
        })
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Differs => "differs",
            Self::Host => "host",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    file: String,
    name: String,
    deviation: Deviation,
}

/// The table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reasons {
    rows: Vec<Row>,
}

impl Reasons {
    /// Reads the table.
    ///
    /// # Errors
    /// When a line has another number of columns, an unknown word, or no reason.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rows = lines.map(|(at, line)| row(line).with_context(|| format!("line {}", at + 1)));
        Ok(Self { rows: rows.collect::<Result<_>>()? })
    }

    /// The project's own table.
    ///
    /// # Errors
    /// When it does not read.
    pub fn own() -> Result<Self> {
        Self::parse(include_str!("../../llvm-set-reasons.tsv")).context("llvm-set-reasons.tsv")
    }

    fn has(&self, file: &str, name: &str, deviation: Deviation) -> bool {
        self.rows.iter().any(|row| row.file == file && row.name == name && row.deviation == deviation)
    }
}

fn row(line: &str) -> Result<Row> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[file, name, word, reason] = columns.as_slice() else {
        bail!("{} columns instead of four", columns.len());
    };
    let deviation = Deviation::parse(word).with_context(|| format!("nothing is called {word}"))?;
    ensure!(!reason.trim().is_empty(), "no reason");
    Ok(Row { file: file.to_owned(), name: name.to_owned(), deviation })
}

/// What a report has that is not as it should be: the name of the step or function, how, and what was seen.
fn deviations(report: &Report) -> impl Iterator<Item = (&str, Deviation, &str)> {
    let steps = report.steps.iter().filter_map(|(name, failure)| {
        failure.as_deref().map(|failure| (name.as_str(), Deviation::Fails, failure))
    });
    let functions = report.functions.iter().filter_map(|(name, execution)| match execution {
        Execution::Differs(said) => Some((name.as_str(), Deviation::Differs, said.as_str())),
        Execution::Same(Host::Differs(said)) => Some((name.as_str(), Deviation::Host, said.as_str())),
        Execution::Same(Host::Same | Host::NotAsked | Host::Unsure(_)) | Execution::Left(_) => None,
    });
    steps.chain(functions)
}

/// What the table does not explain: a line for each.
pub fn unexplained(configuration: &Configuration, report: &Report, reasons: &Reasons) -> Vec<String> {
    let file = file_of(configuration);
    deviations(report)
        .filter(|(name, deviation, _)| !reasons.has(file, name, *deviation))
        .map(|(name, deviation, said)| {
            format!("{}: {name} {}: {said}", configuration.name, deviation.as_str())
        })
        .collect()
}

/// The rows of files that were judged and that nothing in them needs, without their reasons.
pub fn idle(configurations: &[Configuration], reports: &[Report], reasons: &Reasons) -> Vec<String> {
    let is_idle = |row: &&Row| {
        let judged = configurations.iter().zip(reports);
        let mut of_file = judged.filter(|(configuration, _)| file_of(configuration) == row.file).peekable();
        let needs = |report: &Report| {
            deviations(report).any(|(name, deviation, _)| name == row.name && deviation == row.deviation)
        };
        of_file.peek().is_some() && !of_file.any(|(_, report)| needs(report))
    };
    let rows = reasons.rows.iter().filter(is_idle);
    rows.map(|row| [row.file.as_str(), &row.name, row.deviation.as_str()].join("\t")).collect()
}

/// The name of a file, without folders.
fn file_of(configuration: &Configuration) -> &str {
    configuration.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn judged(execution: Execution) -> (Configuration, Report) {
        let configuration =
            Configuration { name: "0001 a.ll".to_owned(), path: PathBuf::from("set/a.ll"), sm: None };
        let functions = vec![("f".to_owned(), execution)];
        (configuration, Report { steps: Vec::new(), functions })
    }

    #[test]
    fn a_deviation_needs_its_row_and_a_row_its_deviation() {
        let table = "# file, function, what, why\na.ll\tf\tdiffers\tone\nb.ll\tf\tdiffers\tanother file\n";
        let reasons = Reasons::parse(table).expect("a table");
        let (configuration, report) = judged(Execution::Differs("byte 0".to_owned()));
        assert!(unexplained(&configuration, &report, &reasons).is_empty());
        let none = unexplained(&configuration, &report, &Reasons::default());
        assert_eq!(none, ["0001 a.ll: f differs: byte 0"]);
        assert!(idle(&[configuration], &[report], &reasons).is_empty());
        let (configuration, report) = judged(Execution::Same(Host::Same));
        assert_eq!(idle(&[configuration], &[report], &reasons), ["a.ll\tf\tdiffers"]);
    }

    #[test]
    fn the_projects_own_table_reads() {
        if let Err(error) = Reasons::own() {
            panic!("{error:#}");
        }
    }

    #[test]
    fn a_row_without_reason_is_refused() {
        assert!(Reasons::parse("a.ll\tf\tdiffers\t \n").is_err());
        assert!(Reasons::parse("a.ll\tf\tlonger\twhy\n").is_err());
    }
}
