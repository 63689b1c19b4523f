//! What a way through LLVM IR costs in machine code: `cargo xtask roundtrip`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use test_suite::reasons::Reasons;
use test_suite::roundtrip::{self, Way};

use crate::cargo::{jobs, workspace};
use crate::corpus::{oracles, sampled_files};

/// What is measured.
#[derive(Args)]
pub(crate) struct RoundtripArguments {
    /// Files to take instead of the corpus
    files: Vec<PathBuf>,
    /// Folders of the corpus [default: all]
    #[arg(long, value_delimiter = ',')]
    folders: Vec<String>,
    /// O0, O2: this project's emitter; llvm-O0, llvm-O2: LLVM's backend [default: all]
    #[arg(long, value_delimiter = ',', value_parser = way_named)]
    ways: Vec<Way>,
    /// Take one file in this many
    #[arg(long, default_value_t = 1)]
    sample: usize,
    /// Seconds a file may take
    #[arg(long, default_value_t = 600)]
    limit: u64,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared, else the files of test-suite/corpus]
    #[arg(long)]
    shared: Option<PathBuf>,
}

/// Where what ptxas made of a text is kept.
fn kept() -> PathBuf {
    workspace().join("target/machine-code")
}

/// Judges one file: what a process does that finds itself a judge.
pub(crate) fn judge(path: &Path, ways: &str) -> Result<()> {
    let ways: Vec<Way> = ways.split(',').filter_map(Way::parse).collect();
    roundtrip::judge_aloud(path, &ways, &oracles(), &kept(), &mut std::io::stdout())
}

/// Takes the files there and back, prints a table for each way and the functions that came out worse and have no written reason: an error.
pub(crate) fn measure(arguments: &RoundtripArguments) -> Result<()> {
    let files =
        sampled_files(&arguments.files, &arguments.folders, arguments.sample, arguments.shared.as_ref())?;
    let jobs = jobs();
    let ways = if arguments.ways.is_empty() { &Way::ALL } else { arguments.ways.as_slice() };
    let limit = Duration::from_secs(arguments.limit);
    let outcomes = roundtrip::measure(&std::env::current_exe()?, ways, &files, jobs, limit)?;
    let mut out = std::io::stdout().lock();
    let mut reasons = written_reasons()?;
    let mut unexplained = 0;
    for (way, outcomes) in &outcomes {
        let found = roundtrip::findings(*way, outcomes, &mut reasons);
        writeln!(out, "{}\n{}", roundtrip::table(*way, outcomes), found.text)?;
        unexplained += found.unexplained;
    }
    for row in reasons.idle() {
        writeln!(out, "no longer needed: {row}")?;
    }
    ensure!(unexplained == 0, "{unexplained} functions without a reason in {REASONS}");
    Ok(())
}

/// The table of reasons, inside the workspace.
const REASONS: &str = "test-suite/roundtrip-reasons.tsv";

fn written_reasons() -> Result<Reasons> {
    let text = std::fs::read_to_string(workspace().join(REASONS)).context(REASONS)?;
    Reasons::parse(&text).context(REASONS)
}

fn way_named(name: &str) -> Result<Way, String> {
    let names = Way::ALL.map(Way::as_str).join(", ");
    Way::parse(name).ok_or_else(|| format!("the ways are {names}"))
}
