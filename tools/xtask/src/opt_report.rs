//! What ways through LLVM do to the machine code of kernels, weighted by execution: `cargo xtask opt-report`.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use regex_lite::Regex;
use serde_json::Value;
use test_suite::kernels::Size;
use test_suite::weighted::kernel::measure as measure_kernel;
use test_suite::weighted::reasons::Reasons;
use test_suite::weighted::report::{Attempt, Over, explanation, measure_all, object, report};
use test_suite::weighted::sets::{Kernel, kernels};
use test_suite::weighted::way::{WAYS, Way};

use crate::bench_exec::SizeName;
use crate::cargo::{jobs, workspace};
use crate::corpus::oracles;

/// What is measured.
#[derive(Args)]
pub(crate) struct OptReportArguments {
    /// Sets of kernels: bench, cuda, toolkit, triton, opt
    #[arg(default_value = "bench")]
    sets: Vec<String>,
    /// Ways through LLVM: O0 to O3 (`ptx2ll -ON | ll2ptx`), llc (`ptx2ll -O2`, then `llc -O2`), spec (`ptx2ll -O3 --assume ..`, with all that the launch says), for kernels with a CUDA source nvcc-G, clang-O0 (compiled so, and optimized like source), clang and clang-llc (clang -O3, then this project or opt and llc) and clang-passes=.. (clang -O3, `ll2ptx --passes=..`), passes=.. (`ptx2ll --passes=..`; give the option once for each)
    #[arg(long, value_name = "WAY", default_value = "O2", value_parser = way_named)]
    ways: Vec<Ways>,
    /// What the counts are compared with: `original`, or a way
    #[arg(long, value_name = "WAY", default_value = "original")]
    over: String,
    /// Only kernels in whose names this regular expression is found
    #[arg(long, value_name = "RE", default_value = "")]
    filter: Regex,
    /// Size of the launches of `bench`
    #[arg(long, value_enum, default_value = "small")]
    size: SizeName,
    /// Write all figures to a file, an object on each line
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print each block of the machine code of this kernel, with its count and PTX lines, before and after each way
    #[arg(long, value_name = "KERNEL")]
    explain: Option<String>,
}

/// One or several ways: a pipeline has commas of its own.
#[derive(Clone)]
struct Ways(Vec<Way>);

fn way_named(text: &str) -> Result<Ways, String> {
    let parsed =
        |name: &str| Way::parse(name).ok_or_else(|| format!("the way `{name}` is not known: {WAYS}"));
    let (names, passes) = match text.find("passes=") {
        Some(found) => {
            let at = match text[..found].rfind(',') {
                Some(comma) => comma + 1,
                None => 0,
            };
            (&text[..at], Some(&text[at..]))
        }
        None => (text, None),
    };
    let names = names.split(',').filter(|name| !name.is_empty()).chain(passes);
    names.map(parsed).collect::<Result<_, _>>().map(Ways)
}

/// The table of reasons, inside the workspace.
const REASONS: &str = "test-suite/opt-reasons.tsv";

/// Measures, prints a report for each way, and fails for what is wrong or worse without a reason.
pub(crate) fn measure(arguments: &OptReportArguments) -> Result<()> {
    let oracles = oracles();
    ensure!(oracles.ptxas.is_some() && oracles.nvdisasm.is_some(), "ptxas and nvdisasm are needed");
    let ways: Vec<Way> = arguments.ways.iter().flat_map(|ways| ways.0.clone()).collect();
    let chosen = chosen(arguments, arguments.size.size())?;
    ensure!(!chosen.is_empty(), "no kernel has such a name");
    if arguments.explain.is_some() {
        return explain(&chosen, &ways);
    }
    let over = match arguments.over.as_str() {
        "original" => Over::Original,
        other => {
            Over::Way(Way::parse(other).with_context(|| format!("the way `{other}` is not known: {WAYS}"))?)
        }
    };
    let attempts = measure_all(&oracles, &chosen, &ways, &over, jobs());
    let text = std::fs::read_to_string(workspace().join(REASONS)).context(REASONS)?;
    let mut reasons = Reasons::parse(&text).context(REASONS)?;
    let mut out = std::io::stdout().lock();
    let mut lines = Vec::new();
    let mut is_bad = false;
    for (at, way) in ways.iter().enumerate() {
        // A kernel whose original cannot be measured has one attempt, which stands for all ways.
        let of_way: Vec<(&str, &Attempt)> = chosen
            .iter()
            .zip(&attempts)
            .filter_map(|(kernel, all)| Some((kernel.name.as_str(), all.get(at).or_else(|| all.first())?)))
            .collect();
        let report = report(way, &of_way, &mut reasons);
        writeln!(out, "{}", report.text)?;
        is_bad |= report.summary.is_bad();
        lines.push((way, report.summary.line()));
    }
    for (way, line) in &lines {
        if lines.len() > 1 { writeln!(out, "{way}: {line}")? } else { writeln!(out, "{line}")? }
    }
    if let Some(path) = &arguments.json {
        let objects = chosen
            .iter()
            .zip(&attempts)
            .flat_map(|(kernel, all)| all.iter().map(|one| object(&kernel.name, one)));
        let text: String = objects.map(|value: Value| format!("{value}\n")).collect();
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    ensure!(!is_bad, "something failed, or is worse without a reason in {REASONS}");
    Ok(())
}

fn chosen(arguments: &OptReportArguments, size: Size) -> Result<Vec<Kernel>> {
    let root = workspace().join("test-suite");
    let mut all = Vec::new();
    for set in &arguments.sets {
        let is_meant = |name: &str| match &arguments.explain {
            Some(kernel) => is_called(name, kernel),
            None => arguments.filter.is_match(name),
        };
        all.extend(kernels(&root, set, size, is_meant)?);
    }
    Ok(all)
}

/// Whether a kernel has this name, with or without its set and file.
fn is_called(name: &str, kernel: &str) -> bool {
    name == kernel || name.strip_suffix(kernel).is_some_and(|rest| rest.ends_with('/'))
}

#[expect(clippy::print_stdout, reason = "the listing is the result")]
fn explain(chosen: &[Kernel], ways: &[Way]) -> Result<()> {
    let oracles = oracles();
    for kernel in chosen {
        println!("==== {}: original", kernel.name);
        let measured = measure_kernel(&oracles, &kernel.ptx, &kernel.launch)?;
        println!("{}", explanation(&kernel.ptx, &measured));
        for way in ways {
            let (ptx, launch) = way.take(&oracles, kernel)?;
            println!("==== {}: {way}", kernel.name);
            println!("{}", explanation(&ptx, &measure_kernel(&oracles, &ptx, &launch)?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_keeps_its_commas() {
        let names = |text: &str| {
            let ways = way_named(text).map(|ways| ways.0.iter().map(ToString::to_string).collect::<Vec<_>>());
            ways.unwrap_or_else(|error| vec![error])
        };
        assert_eq!(names("O2,llc"), ["O2", "llc"]);
        assert_eq!(
            names("O3,passes=default<O2>,ptx-strip-hints"),
            ["O3", "passes=default<O2>,ptx-strip-hints"]
        );
        assert_eq!(names("clang,clang-passes=sroa,gvn"), ["clang", "clang-passes=sroa,gvn"]);
        assert!(names("O4")[0].starts_with("the way `O4`"));
    }

    #[test]
    fn kernels_are_called_by_the_ends_of_their_names() {
        assert!(is_called("opt/fft_steps", "fft_steps") && is_called("opt/fft_steps", "opt/fft_steps"));
        assert!(!is_called("opt/fft_steps", "steps"));
    }
}
