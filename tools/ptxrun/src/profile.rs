//! What a launch took: `--profile`.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ptx_cli::{Failure, Output, read_at_most};
use ptx_demangle::demangled;
use ptx_diag::{Format, Span};
use ptx_driver::Sources;
use ptx_exec::{Counts, Launch, Profile, SourceLine};
use ptx_report::{Cost, Place, SourceText, Spot};
use serde_json::{Value, json};

/// Larger files of the source are not shown.
const MOST_SOURCE_BYTES: u64 = 8 << 20;

/// Where a profile goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Standard output, as text or objects.
    Stdout,
    /// A page in this file.
    Page(PathBuf),
    /// Objects in this file.
    Objects(PathBuf),
}

impl Destination {
    /// The destination that is given by the text of the option, which is empty for standard output.
    ///
    /// # Errors
    ///
    /// The reason why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = Path::new(text);
        match path.extension().and_then(|suffix| suffix.to_str()) {
            _ if text.is_empty() => Ok(Destination::Stdout),
            Some("html" | "htm") => Ok(Destination::Page(path.to_owned())),
            Some("json") => Ok(Destination::Objects(path.to_owned())),
            _ => Err("expected a file named *.html or *.json".to_owned()),
        }
    }

    /// The file that is written.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Destination::Stdout => None,
            Destination::Page(path) | Destination::Objects(path) => Some(path),
        }
    }
}

/// The counts of a launch.
pub struct Counted<'a> {
    /// The instructions that were executed, those with the most work first.
    entries: Vec<&'a Profile>,
    /// The column of each, if its place is known.
    columns: Vec<Option<u32>>,
    launch: &'a Launch,
    report: ptx_report::Profile,
    sources: &'a Sources,
}

impl<'a> Counted<'a> {
    /// Sorts the counts of a launch.
    pub fn new(profile: &'a [Profile], launch: &'a Launch, sources: &'a Sources) -> Self {
        let mut entries: Vec<&Profile> = profile.iter().collect();
        entries.sort_by_key(|entry| Reverse(cost(&entry.counts).work()));
        let spans: Vec<Span> = entries.iter().map(|entry| entry.span).collect();
        let places = sources.places(&spans);
        let columns =
            places.iter().map(|place| place.as_ref().map(|(_, position)| position.column)).collect();
        let spots = entries.iter().zip(places).map(|(entry, place)| Spot {
            place: place.map(|(file, position)| Place { file, line: position.line }),
            function: both_names(&entry.function),
            instruction: text(sources, entry.span),
            sources: chain(entry.source.as_deref()),
            cost: cost(&entry.counts),
        });
        let kernel = both_names(&launch.entry);
        let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| format!("{x} × {y} × {z}"));
        let report = ptx_report::Profile {
            title: format!("Profile of {kernel}"),
            subtitle: format!("{grid} blocks of {block} threads"),
            kernel,
            spots: spots.collect(),
            ..ptx_report::Profile::default()
        };
        Self { entries, columns, launch, report, sources }
    }

    /// Writes the counts.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(mut self, to: &Destination, format: Format) -> Result<(), Failure> {
        match to {
            Destination::Stdout if format == Format::Json => Output::Stdout.write(self.objects().as_bytes()),
            Destination::Stdout => Output::Stdout.write(self.table().as_bytes()),
            Destination::Page(path) => {
                self.add_texts();
                Output::File(path.clone()).write(self.report.to_html().as_bytes())
            }
            Destination::Objects(path) => Output::File(path.clone()).write(self.objects().as_bytes()),
        }
    }

    /// The texts that the page shows: the inputs, and those files of the source that can be read, by their names or next to the inputs.
    fn add_texts(&mut self) {
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
        let files = self.sources.files();
        self.report.inputs = files.iter().map(|file| (file.name().to_owned(), lines(file.text()))).collect();
        let names: BTreeSet<&String> =
            self.report.spots.iter().flat_map(|spot| &spot.sources).map(|(file, _)| file).collect();
        let read = |name: &String| {
            let beside = files.iter().filter_map(|file| Path::new(file.name()).parent());
            let mut paths =
                std::iter::once(PathBuf::from(name)).chain(beside.map(|folder| folder.join(name)));
            let bytes = paths.find_map(|path| read_at_most(&path, MOST_SOURCE_BYTES).ok());
            SourceText { name: name.clone(), lines: bytes.map(|bytes| lines(&bytes)) }
        };
        self.report.sources = names.into_iter().map(read).collect();
    }

    /// A table of the instructions, one of the lines of the source, and the totals.
    fn table(&self) -> String {
        let total = self.report.total();
        let head = |what: &str| {
            format!(
                "{:>6} {:>12} {:>14} {:>10} {:>12} {:>10}  {what}\n",
                "work", "warps", "threads", "divergent", "sectors", "conflicts"
            )
        };
        let row = |cost: &Cost, what: &str| {
            let Cost { warps, threads, divergent, sectors, conflicts } = cost;
            let share = format!("{:.1}%", 100.0 * cost.share(&total));
            format!(
                "{share:>6} {warps:>12} {threads:>14} {divergent:>10} {sectors:>12} {conflicts:>10}  {what}\n"
            )
        };
        let mut table = head("instruction");
        for spot in &self.report.spots {
            table.push_str(&row(&spot.cost, &format!("{} {}", self.place(spot), spot.instruction)));
        }
        table.push_str(&row(&total, "total"));
        let lines = self.lines();
        if !lines.is_empty() {
            table.push_str(&head("line of the source"));
            lines.iter().for_each(|(line, cost)| table.push_str(&row(cost, line)));
        }
        table
    }

    /// One object on each line; the crate `ptx-profile` reads them.
    fn objects(&self) -> String {
        let total = self.report.total();
        let with = |mut object: Value, cost: &Cost| {
            let Cost { warps, threads, divergent, sectors, conflicts } = cost;
            object["warps"] = json!(warps);
            object["threads"] = json!(threads);
            object["divergent"] = json!(divergent);
            object["sectors"] = json!(sectors);
            object["conflicts"] = json!(conflicts);
            object["work"] = json!(cost.work());
            object["share"] = json!(cost.share(&total));
            format!("{object}\n")
        };
        let launch = json!({
            "kind": "profile-launch", "kernel": self.launch.entry, "grid": self.launch.grid, "block": self.launch.block,
        });
        let launch = std::iter::once(format!("{launch}\n"));
        let entries = self.entries.iter().zip(&self.columns).zip(&self.report.spots);
        let instructions = entries.map(|((entry, column), spot)| {
            let mut object = json!({
                "kind": "profile", "file": self.file(spot), "line": spot.place.map(|place| place.line), "column": column,
                "function": entry.function, "source": entry.source.as_ref().map(ToString::to_string),
                "instruction": entry.instruction, "text": spot.instruction,
            });
            if let Some(name) = demangled(&entry.function) {
                object["demangled"] = json!(name);
            }
            with(object, &spot.cost)
        });
        let lines = self.lines();
        let lines =
            lines.iter().map(|(line, cost)| with(json!({"kind": "profile-line", "source": line}), cost));
        let totals = std::iter::once(with(json!({"kind": "profile-total"}), &total));
        launch.chain(instructions).chain(lines).chain(totals).collect()
    }

    /// The lines of the source, those with the most work first.
    fn lines(&self) -> Vec<(String, Cost)> {
        let mut lines: Vec<_> = self.report.by_source().into_iter().collect();
        lines.sort_by_key(|(_, cost)| Reverse(cost.work()));
        lines.into_iter().map(|((file, line), cost)| (format!("{file}:{line}"), cost)).collect()
    }

    fn file(&self, spot: &Spot) -> Option<&str> {
        Some(self.sources.files().get(spot.place?.file)?.name())
    }

    /// The file and line of an instruction.
    fn place(&self, spot: &Spot) -> String {
        match self.file(spot).zip(spot.place) {
            Some((file, place)) => format!("{file}:{}", place.line),
            None => "?".to_owned(),
        }
    }
}

fn cost(counts: &Counts) -> Cost {
    let Counts { warps, threads, divergent, sectors, conflicts } = *counts;
    Cost { warps, threads, divergent, sectors, conflicts }
}

/// The text of an instruction in one line.
fn text(sources: &Sources, span: Span) -> String {
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name as the source has it, or else as the PTX has it.
fn both_names(name: &str) -> String {
    demangled(name).unwrap_or_else(|| name.to_owned())
}

/// The lines of an instruction: first the outermost call that was inlined, last its own.
fn chain(line: Option<&SourceLine>) -> Vec<(String, u32)> {
    let lines = std::iter::successors(line, |line| line.inlined_at.as_deref());
    let mut chain: Vec<_> = lines.map(|line| (line.file.to_string(), line.line)).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_so() {
        assert_eq!(Destination::parse(""), Ok(Destination::Stdout));
        assert_eq!(Destination::parse("a/p.html"), Ok(Destination::Page("a/p.html".into())));
        assert_eq!(Destination::parse("a/p.json"), Ok(Destination::Objects("a/p.json".into())));
        for wrong in ["p.txt", "html", "json", "p", "-"] {
            assert!(Destination::parse(wrong).is_err(), "{wrong}");
        }
    }
}
