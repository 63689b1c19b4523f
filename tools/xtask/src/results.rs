//! `cargo xtask results`: measures, and writes the tables into docs/results.md with the command, the date and the machine.
//!
//! Each section of the page is one measurement: a command of this program or benches of criterion. Its tables are what the command prints in
//! rows that begin with `|`, or what criterion estimated. Other sections stay as they are, with the date of their own run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::Value;

use crate::cargo::{cargo, jobs, workspace};

/// What is measured again.
#[derive(Args)]
pub(crate) struct ResultsArguments {
    /// Sections of docs/results.md, as `--list` prints them
    #[arg(required_unless_present = "list")]
    names: Vec<String>,
    /// Print the sections with their commands
    #[arg(long)]
    list: bool,
}

/// How the tables of a section come about.
#[derive(Clone, Copy)]
enum Source {
    /// `cargo xtask` with these arguments prints them.
    Xtask(&'static [&'static str]),
    /// `cargo xtask` with these arguments executes random programs; the line that counts them, in its parts.
    Programs(&'static [&'static str]),
    /// `cargo bench` with these arguments measures what is below these folders of target/criterion.
    Benches(&'static [&'static [&'static str]], &'static [&'static str]),
}

/// A section of the page.
struct Section {
    name: &'static str,
    title: &'static str,
    source: Source,
}

const fn section(name: &'static str, title: &'static str, source: Source) -> Section {
    Section { name, title, source }
}

/// The sections in the order of the page.
const SECTIONS: &[Section] = &[
    section(
        "stages",
        "Stages of the translation",
        Source::Benches(
            &[
                &["-p", "benches", "--bench", "front_half"],
                &["-p", "benches", "--bench", "lowering"],
                &["-p", "benches", "--bench", "raising"],
            ],
            &["front half", "lowering", "raising"],
        ),
    ),
    section("corpus", "Real PTX through every stage", Source::Xtask(&["corpus"])),
    section("roundtrip", "Machine code of real PTX after the round trip", Source::Xtask(&["roundtrip"])),
    section(
        "opt-report",
        "Optimized kernels, weighted by execution",
        Source::Xtask(&["opt-report", "bench", "opt", "--ways", "O2,llc,spec"]),
    ),
    section(
        "fidelity",
        "Text of real PTX after the round trip",
        Source::Xtask(&["fidelity", "--sample", "15"]),
    ),
    section("producers", "LLVM IR of compilers, compared with llc", Source::Xtask(&["producers"])),
    section(
        "bench-exec",
        "Executing, compared with native code",
        Source::Xtask(&[
            "bench-exec",
            "--size",
            "medium",
            "--engines",
            "native,interp,jit,pocl",
            "--rounds",
            "2",
        ]),
    ),
    section(
        "bench-cases",
        "Executing kernels of real compilers",
        Source::Xtask(&["bench-cases", "--copies", "64"]),
    ),
    section(
        "bench-forms",
        "Special forms of compiled code",
        Source::Xtask(&["bench-forms", "--rounds", "3", "--launches", "3", "--copies", "8"]),
    ),
    section(
        "interpreter",
        "Instructions that the interpreter executes",
        Source::Benches(&[&["-p", "benches", "--bench", "interpreter"]], &["interpreter"]),
    ),
    section("launches", "Launches", Source::Benches(&[&["-p", "benches", "--bench", "launch"]], &["launch"])),
    section(
        "ir-fuzz",
        "Random programs in LLVM IR",
        Source::Programs(&["ir-fuzz", "--seconds", "3600", "--seed", "5000000"]),
    ),
    section(
        "ptx-fuzz",
        "Random programs in PTX",
        Source::Programs(&["ptx-fuzz", "--seconds", "3600", "--seed", "4000000"]),
    ),
    section(
        "kernel-fuzz",
        "Random kernels with communicating threads",
        Source::Programs(&["kernel-fuzz", "--seconds", "3600", "--seed", "3000000"]),
    ),
    section("stress", "Very large inputs", Source::Xtask(&["stress"])),
];

impl Section {
    /// The command that a reader would give.
    fn command(&self) -> String {
        match self.source {
            Source::Xtask(arguments) | Source::Programs(arguments) => {
                format!("cargo xtask {}", arguments.join(" "))
            }
            Source::Benches(benches, _) => {
                let commands: Vec<String> =
                    benches.iter().map(|one| format!("cargo bench {}", one.join(" "))).collect();
                commands.join("\n    ")
            }
        }
    }

    /// The line before the tables, and the one after them.
    fn marks(&self) -> [String; 2] {
        [format!("<!-- results {}: begin -->", self.name), format!("<!-- results {}: end -->", self.name)]
    }

    /// Measures; the tables in Markdown.
    fn tables(&self) -> Result<String> {
        match self.source {
            Source::Xtask(arguments) => Ok(tables_in(&xtask(arguments)?)),
            Source::Programs(arguments) => counts_in(&xtask(arguments)?),
            Source::Benches(benches, groups) => {
                for bench in benches {
                    let status = cargo().arg("bench").args(*bench).status()?;
                    ensure!(status.success(), "cargo bench {} failed", bench.join(" "));
                }
                let mut out = String::from("| benchmark | median estimate | throughput |\n|---|---:|---:|\n");
                for group in groups {
                    push_estimates(&mut out, &workspace().join("target/criterion").join(group))?;
                }
                Ok(out)
            }
        }
    }
}

/// Measures the sections that are named, one after the other, and renews each on the page.
#[expect(clippy::print_stdout, reason = "the list is the result")]
pub(crate) fn measure(arguments: &ResultsArguments) -> Result<()> {
    if arguments.list {
        for section in SECTIONS {
            println!("{}: {}\n    {}", section.name, section.title, section.command());
        }
        return Ok(());
    }
    let page = workspace().join("docs/results.md");
    for name in &arguments.names {
        let section = SECTIONS.iter().find(|section| section.name == name);
        let section =
            section.with_context(|| format!("docs/results.md has no section `{name}`; see --list"))?;
        let tables = section.tables()?;
        let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
        let head = format!("{}, {}.", today()?, machine());
        let text = renewed(&text, &section.marks(), &format!("{head}\n\n{}", tables.trim_end()))?;
        fs::write(&page, text).with_context(|| page.display().to_string())?;
    }
    Ok(())
}

/// The page with other text between two marks.
fn renewed(page: &str, marks: &[String; 2], text: &str) -> Result<String> {
    let (before, rest) = page.split_once(&marks[0]).with_context(|| format!("no line `{}`", marks[0]))?;
    let (_, after) = rest.split_once(&marks[1]).with_context(|| format!("no line `{}`", marks[1]))?;
    Ok(format!("{before}{}\n{text}\n\n{}{after}", marks[0], marks[1]))
}

/// What this program prints when it is called with other arguments.
fn xtask(arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(workspace()).stderr(std::process::Stdio::inherit());
    let output = command.output()?;
    ensure!(output.status.success(), "cargo xtask {} failed", arguments.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A table of the line that counts programs: `9 programs in 2 s, 1 differs; next seed 10`, a row for each part.
fn counts_in(text: &str) -> Result<String> {
    let line = text.lines().find(|line| line.contains(" programs")).context("no line counts the programs")?;
    let parts = line.split([',', ';', ':']).map(str::trim).filter(|part| !part.is_empty());
    let rows: Vec<String> = parts.map(|part| format!("| {part} |\n")).collect();
    Ok(format!("| result |\n|---|\n{}", rows.concat()))
}

/// The tables of a text that has other lines as well.
fn tables_in(text: &str) -> String {
    let mut out = String::new();
    let mut in_table = false;
    for line in text.lines() {
        let is_row = line.starts_with('|');
        if is_row && !in_table && !out.is_empty() {
            out.push('\n');
        }
        if is_row {
            let _ = writeln!(out, "{line}");
        }
        in_table = is_row;
    }
    out
}

/// Adds a row for each bench of a group, in the order of their names: criterion's middle estimate of the time, and what that is of its input.
fn push_estimates(out: &mut String, group: &Path) -> Result<()> {
    let read = |path: &Path| -> Result<Value> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    };
    let mut benches = Vec::new();
    for entry in fs::read_dir(group).with_context(|| group.display().to_string())? {
        let folder = entry?.path().join("new");
        if folder.is_dir() {
            let bench = read(&folder.join("benchmark.json"))?;
            let name = bench["full_id"].as_str().context("a benchmark has a name")?.to_owned();
            benches.push((name, bench, read(&folder.join("estimates.json"))?));
        }
    }
    benches.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    for (name, bench, estimates) in &benches {
        let middle = estimates["median"]["point_estimate"].as_f64().context("an estimate has a median")?;
        let throughput = match &bench["throughput"] {
            Value::Object(amount) => {
                let (unit, amount) = amount.iter().next().context("a throughput has a unit")?;
                let rate = amount.as_f64().context("an amount is a number")? / middle * 1e3;
                match unit.as_str() {
                    "Elements" => format!("{rate:.1} million a second"),
                    _ => format!("{rate:.1} MB/s"),
                }
            }
            _ => String::new(),
        };
        let _ = writeln!(out, "| {name} | {} | {throughput} |", time(middle));
    }
    Ok(())
}

/// A time of so many nanoseconds.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// The day, as `2026-11-23`.
fn today() -> Result<String> {
    let output = Command::new("date").args(["-u", "+%F"]).output().context("date")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The processor and how many of its cores there are.
fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").ok();
    let field = |name: &str| {
        text.as_deref()?
            .lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split_once(": "))
            .map(|(_, value)| value.trim())
    };
    let widest = [("avx512f", ", AVX-512"), ("avx2", ", AVX2"), ("sse4_2", ", SSE4.2"), ("asimd", ", NEON")];
    let model = field("model name").unwrap_or(std::env::consts::ARCH);
    let mut described = format!("{} cores of {model}", jobs());
    if let Some(family) = field("cpu family") {
        described += &format!(" (family {family})");
    }
    if let Some(flags) = field("flags").or_else(|| field("Features")) {
        let vectors = widest.iter().find(|(flag, _)| flags.split(' ').any(|own| own == *flag));
        described.extend(vectors.map(|(_, name)| *name));
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_every_section() {
        let page = fs::read_to_string(workspace().join("docs/results.md")).unwrap();
        let mut from = 0;
        for section in SECTIONS {
            let [begin, end] = section.marks();
            let expected = format!("## {}\n\n    {}\n", section.title, section.command());
            for part in [expected, begin, end] {
                let at = page[from..].find(&part);
                assert!(
                    at.is_some(),
                    "docs/results.md: `{part}` of {} is missing or out of order",
                    section.name
                );
                from += at.unwrap_or_default();
            }
        }
    }

    #[test]
    fn rows_of_tables_are_taken() {
        assert_eq!(
            tables_in("a: 1 ms\n| a |\n|---|\n| 1 |\n\nwrong: x\n| b |\n"),
            "| a |\n|---|\n| 1 |\n\n| b |\n"
        );
    }

    #[test]
    fn counts_of_programs_are_rows() {
        let text = "seed 7: x\n9 programs in 2 s: 8 agree, 1 differs; next seed 10\n1 is not compiled: y\n";
        let table =
            "| result |\n|---|\n| 9 programs in 2 s |\n| 8 agree |\n| 1 differs |\n| next seed 10 |\n";
        assert_eq!(counts_in(text).unwrap(), table);
        assert!(counts_in("nothing\n").is_err());
    }

    #[test]
    fn only_the_text_between_marks_is_renewed() {
        let marks = ["<b>".to_owned(), "<e>".to_owned()];
        assert_eq!(renewed("x\n<b>\nold\n<e>\ny", &marks, "new").unwrap(), "x\n<b>\nnew\n\n<e>\ny");
        assert!(renewed("x", &marks, "new").is_err());
    }
}
