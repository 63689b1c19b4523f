//! Where the time of the tests goes: `cargo xtask test-times`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::Value;

use super::build::{Build, Features, Program};
use super::execute::{Done, command};
use crate::cargo::workspace;

/// What is measured.
#[derive(Args)]
pub(crate) struct TimesArguments {
    /// Let tests take all of their inputs instead of samples
    #[arg(long)]
    all: bool,
    /// Build into an empty folder first, to measure compiling and linking
    #[arg(long)]
    cold: bool,
    /// Run only the programs whose PACKAGE/NAME contains one of these
    #[arg(long = "program", value_name = "TEXT")]
    programs: Vec<String>,
    /// Print this number of the slowest tests
    #[arg(long, value_name = "N", default_value_t = 30)]
    slowest: usize,
    /// Write the tables into CONTRIBUTING.md
    #[arg(long)]
    write: bool,
}

/// The lines of CONTRIBUTING.md around the tables.
const MARKS: [&str; 2] = ["<!-- test-times: begin -->", "<!-- test-times: end -->"];

/// The file with the seconds that each program took the last time.
fn file() -> PathBuf {
    workspace().join("target/test-times.tsv")
}

/// The seconds that each program took the last time.
pub(super) fn last() -> BTreeMap<String, f64> {
    let text = fs::read_to_string(file()).unwrap_or_default();
    let fields = text.lines().filter_map(|line| line.split_once('\t'));
    fields.filter_map(|(name, seconds)| Some((name.to_owned(), seconds.parse().ok()?))).collect()
}

/// Keeps the times of programs for the next run, which starts the longest first.
pub(super) fn keep(done: &[Done]) -> Result<()> {
    let mut times = last();
    times.extend(done.iter().map(|done| (done.program.name(), done.time.as_secs_f64())));
    let lines = times.iter().map(|(name, seconds)| format!("{name}\t{seconds:.2}\n"));
    fs::write(file(), lines.collect::<String>()).context("cannot keep the times")
}

/// Measures building and running, and prints the tables.
pub(crate) fn show(arguments: &TimesArguments) -> Result<()> {
    let (cold, units) = if arguments.cold { cold_build()? } else { (None, BTreeMap::new()) };
    Build::make(Features::Llvm)?;
    let start = Instant::now();
    let Build { mut programs, folder } = Build::make(Features::Llvm)?;
    let warm = start.elapsed().as_secs_f64();
    programs.retain(|program| program.is_named(&arguments.programs));
    programs.sort_by_key(Program::name);
    let mut tests: Vec<(f64, String)> = Vec::new();
    let mut rows: Vec<(f64, usize, String)> = Vec::new();
    for program in &programs {
        let (seconds, of_program) = run_alone(program, &folder, arguments.all)?;
        rows.push((seconds, of_program.len(), program.name()));
        let name = program.name();
        tests.extend(of_program.into_iter().map(|(seconds, test)| (seconds, format!("{name} {test}"))));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = String::from("| step | seconds |\n|---|---:|\n");
    if let Some(cold) = cold {
        writeln!(text, "| build into an empty folder | {cold:.0} |")?;
        let sum =
            |of: fn(&str) -> bool| units.iter().filter(|(name, _)| of(name)).map(|(_, s)| s).sum::<f64>();
        writeln!(text, "| - crates of others, one after the other | {:.0} |", sum(|name| name == OTHERS))?;
        writeln!(text, "| - libraries and tools of the project | {:.0} |", sum(|name| name == OWN))?;
        let programs = sum(|name| name != OTHERS && name != OWN);
        writeln!(text, "| - test programs, with linking | {programs:.0} |")?;
    }
    writeln!(text, "| build after no change | {warm:.1} |")?;
    let run: f64 = rows.iter().map(|(seconds, ..)| seconds).sum();
    writeln!(text, "| run, one test at a time | {run:.0} |")?;
    text.push_str("\n| program | compile and link | run | tests |\n|---|---:|---:|---:|\n");
    for (seconds, count, name) in rows.iter().filter(|(seconds, ..)| *seconds >= 0.5) {
        let compiled = units.get(name).map_or(String::new(), |seconds| format!("{seconds:.1}"));
        writeln!(text, "| {name} | {compiled} | {seconds:.1} | {count} |")?;
    }
    text.push_str("\n| slowest tests | seconds |\n|---|---:|\n");
    for (seconds, name) in tests.iter().take(arguments.slowest) {
        writeln!(text, "| {name} | {seconds:.1} |")?;
    }
    if arguments.write { write(&text) } else { Ok(std::io::stdout().lock().write_all(text.as_bytes())?) }
}

/// Replaces the tables of CONTRIBUTING.md.
fn write(tables: &str) -> Result<()> {
    let path = workspace().join("CONTRIBUTING.md");
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(MARKS[0]).context("no mark before the tables")?;
    let (_, after) = rest.split_once(MARKS[1]).context("no mark after the tables")?;
    Ok(fs::write(path, format!("{before}{}\n{tables}{}{after}", MARKS[0], MARKS[1]))?)
}

/// Runs one test after the other; the seconds of the program and those of each test.
fn run_alone(program: &Program, built: &std::path::Path, all: bool) -> Result<(f64, Vec<(f64, String)>)> {
    let mut command = command(program);
    command.arg("--test-threads=1").env(testing::BUILT, built);
    command.env(testing::EXTENT, if all { "all" } else { "sample" });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{} does not start", program.name()))?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let (mut tests, mut last) = (Vec::new(), start);
    for line in output.lines() {
        // With one thread a line ends when its test does, and the next test starts.
        let line = line?;
        let Some((name, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        else {
            continue;
        };
        let now = Instant::now();
        if outcome.starts_with("ok") || outcome.starts_with("FAILED") {
            tests.push(((now - last).as_secs_f64(), name.trim().to_owned()));
        }
        last = now;
    }
    ensure!(child.wait()?.success(), "{} fails: `cargo xtask test` tells more", program.name());
    Ok((start.elapsed().as_secs_f64(), tests))
}

const OTHERS: &str = "others";
const OWN: &str = "own";

/// Builds into an empty folder: the seconds, and those of each test program, of crates of others and of the project's own. Their sums are
/// more than the whole, as several are compiled at a time.
fn cold_build() -> Result<(Option<f64>, BTreeMap<String, f64>)> {
    let target = workspace().join("target/test-times");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let start = Instant::now();
    let folder = target.to_str().context("the path is not UTF-8")?;
    Build::make_with(Features::Llvm, &["--timings", "--target-dir", folder])?;
    let seconds = start.elapsed().as_secs_f64();
    let page = fs::read_to_string(target.join("cargo-timings/cargo-timing.html"))?;
    let units = units(&page)?;
    fs::remove_dir_all(&target)?;
    Ok((Some(seconds), units))
}

/// The units of a page that `cargo build --timings` wrote, which holds them as JSON.
fn units(page: &str) -> Result<BTreeMap<String, f64>> {
    let (_, rest) = page.split_once("const UNIT_DATA = ").context("Cargo's page has no units")?;
    let (data, _) = rest.split_once("];").context("Cargo's page has no end of the units")?;
    let data: Vec<Value> = serde_json::from_str(&format!("{data}]"))?;
    let mut units = BTreeMap::new();
    for unit in &data {
        let package = unit["name"].as_str().context("no name")?;
        let target = unit["target"].as_str().context("no target")?;
        let is_own = package.starts_with("ptx")
            || ["ll2ptx", "xtask", "test-suite", "testing", "executed-rows"].contains(&package);
        // ` it "test" (test)`, ` ptx_exec "lib" (test)`, or nothing for a library
        let name = match target.trim().split_once(' ') {
            Some((name, kind)) if kind.ends_with("(test)") => {
                let target = match kind.split('"').nth(1) {
                    Some("test") => name,
                    Some("bin") => "bin",
                    _ => "unit",
                };
                format!("{package}/{target}")
            }
            _ if is_own => OWN.to_owned(),
            _ => OTHERS.to_owned(),
        };
        *units.entry(name).or_default() += unit["duration"].as_f64().context("no duration")?;
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn units_of_cargos_page_are_summed() {
        let page = r#"x const UNIT_DATA = [{"name":"syn","target":"","duration":2.5},{"name":"ptx-exec","target":"","duration":3},
            {"name":"ptx-exec","target":" it \"test\" (test)","duration":1},{"name":"ptx-exec","target":" ptx_exec \"lib\" (test)","duration":4}];"#;
        let units = units(page).expect("the page has units");
        let of = |name: &str| units.get(name).copied();
        assert_eq!(
            [of("others"), of("own"), of("ptx-exec/it"), of("ptx-exec/unit")],
            [Some(2.5), Some(3.0), Some(1.0), Some(4.0)]
        );
    }
}
