//! Builds all test programs at once and runs several at a time: `cargo xtask test`.
//!
//! `cargo test` runs one program after the other, so that a processor waits whenever the last test of a program is a long one; and a test that needs
//! a tool or a library of another package starts Cargo again. Here one build makes the programs, the tools and the libraries, with one set of
//! features, and the longest programs start first.

mod build;
mod examples;
mod execute;
mod times;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args;

use crate::cargo::workspace;
use build::{Build, Features};
use execute::{Done, Execution};
pub(crate) use times::{TimesArguments, show as times};

/// Which tests are run.
#[derive(Args)]
pub(crate) struct TestArguments {
    /// Let tests take all of their inputs, as PTX_TESTS=all does, instead of samples
    #[arg(long)]
    all: bool,
    /// Run only the programs whose PACKAGE/NAME contains one of these
    #[arg(long = "program", value_name = "TEXT")]
    programs: Vec<String>,
    /// Build the device and its C library without LLVM, and run their tests alone
    #[arg(long)]
    without_llvm: bool,
    /// Record which rows of the instruction table tests execute, below this folder
    #[arg(long, value_name = "FOLDER")]
    executed_rows: Option<PathBuf>,
    /// Arguments of each test program, such as part of a test's name
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// The packages with a feature that needs LLVM.
const OPTIONAL: [&str; 2] = ["ptx-device", "ptx-exec-c"];

/// Builds and runs the tests.
pub(crate) fn run(arguments: &TestArguments) -> Result<()> {
    let start = Instant::now();
    let features = if arguments.without_llvm { Features::None } else { Features::Llvm };
    // `ptxrun` needs the feature of the device that the others are tested without.
    let more: &[&str] = match features {
        Features::None => &["--package", OPTIONAL[0], "--package", OPTIONAL[1], "--package", "ptx2ll"],
        Features::Llvm => &[],
    };
    let Build { mut programs, folder } = Build::make_with(features, more)?;
    if arguments.without_llvm {
        programs.retain(|program| OPTIONAL.contains(&program.package.as_str()));
    }
    programs.retain(|program| program.is_named(&arguments.programs));
    ensure!(!programs.is_empty(), "no test program has this name");
    let left_out = workspace().join("target/left-out");
    for folder in [Some(&left_out), arguments.executed_rows.as_ref()].into_iter().flatten() {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
    }
    let execution = Execution {
        all: arguments.all || testing::takes_all(),
        built: folder,
        left_out: left_out.clone(),
        executed_rows: arguments.executed_rows.clone(),
        arguments: arguments.arguments.clone(),
    };
    let built = start.elapsed();
    let done = execution.run(programs)?;
    times::keep(&done)?;
    report(&done, &left_out, execution.all)?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} s to build, {} s to run",
        built.as_secs(),
        start.elapsed().saturating_sub(built).as_secs()
    )?;
    for done in done.iter().filter(|done| !done.succeeded) {
        writeln!(out, "\n{}", done.program.name())?;
        done.failures.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    }
    let failed: Vec<String> =
        done.iter().filter(|done| !done.succeeded).map(|done| done.program.name()).collect();
    ensure!(failed.is_empty(), "tests fail: {}", failed.join(", "));
    let is_complete = execution.all && arguments.programs.is_empty() && arguments.arguments.is_empty();
    if is_complete && !arguments.without_llvm { examples::run() } else { Ok(()) }
}

/// The number of tests, what was skipped, and what was left out.
fn report(done: &[Done], left_out: &Path, all: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let sum = |count: fn(&Done) -> usize| done.iter().map(count).sum::<usize>();
    writeln!(
        out,
        "\n{} tests passed, {} failed, {} skipped, in {} programs",
        sum(|done| done.counts.passed),
        sum(|done| done.counts.failed),
        sum(|done| done.counts.ignored),
        done.len()
    )?;
    let left_out = testing::read_left_out(left_out)?;
    if all {
        ensure!(left_out.is_empty(), "left out although all inputs were to be taken: {left_out:?}");
        return Ok(());
    }
    if !left_out.is_empty() {
        writeln!(out, "left out; `scripts/test --all` takes them:")?;
    }
    for (what, counts) in left_out {
        match counts.all {
            1 => writeln!(out, "  {what}")?,
            all => writeln!(out, "  {} of {all} {what}", all - counts.taken)?,
        }
    }
    Ok(())
}
