//! Which tests execute which rows of the instruction table: `cargo xtask executed-rows`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use executed_rows::{Claims, FOLDER, Records};

use crate::cargo::{cargo, workspace};

/// The tests with expectations that were worked out independently, as arguments of `cargo test`.
const TESTS: [&[&str]; 4] = [
    &["--package", "ptx-exec", "--tests"],
    &["--package", "test-suite", "--test", "model"],
    &["--package", "test-suite", "--test", "it", "--", "textures"],
    &["--package", "test-suite", "--test", "conformance", "--", "::exec"],
];

/// What is done with the records of tests.
#[derive(Args)]
pub(crate) struct ExecutedArguments {
    /// Records of tests that ran with PTX_EXECUTED_ROWS set to this folder; without it the tests are run
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Change nothing: fail where test-suite/executed-rows.tsv claims what was not recorded
    #[arg(long)]
    check: bool,
    /// Change nothing: print the modifiers of rows that no test executes
    #[arg(long)]
    modifiers: bool,
}

/// Records which rows tests execute, and writes or checks `test-suite/executed-rows.tsv`.
pub(crate) fn record(arguments: &ExecutedArguments) -> Result<()> {
    let recorded = workspace().join("target/executed-rows");
    let folder = match &arguments.records {
        Some(folder) => folder,
        None => {
            run_tests(&recorded)?;
            &recorded
        }
    };
    let records = Records::read(folder).with_context(|| format!("no records in {}", folder.display()))?;
    let claims = Claims::read().context("test-suite/executed-rows.tsv")?;
    if arguments.check {
        return check(&claims, &records);
    }
    if arguments.modifiers {
        let mut out = std::io::stdout().lock();
        return records.open_modifiers().into_iter().try_for_each(|line| Ok(writeln!(out, "{line}")?));
    }
    let renewed = claims.renewed(&records);
    renewed.write()?;
    let mut out = std::io::stdout().lock();
    let (tested, missing) = (renewed.tests.len(), renewed.missing());
    writeln!(out, "{tested} rows are executed by tests, {} have a reason", renewed.reasons.len())?;
    for row in missing {
        writeln!(out, "neither: {row}")?;
    }
    Ok(())
}

fn check(claims: &Claims, records: &Records) -> Result<()> {
    let untrue = claims.untrue(records);
    ensure!(
        untrue.is_empty(),
        "these tests do not execute the rows that test-suite/executed-rows.tsv claims; `cargo xtask executed-rows` renews it:\n{}",
        untrue.join("\n")
    );
    writeln!(
        std::io::stdout().lock(),
        "{} rows are executed by the tests that are said to",
        claims.tests.len()
    )?;
    Ok(())
}

fn run_tests(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let folder = folder.canonicalize()?;
    for tests in TESTS {
        let status =
            cargo().arg("test").args(tests).env(FOLDER, &folder).env(testing::EXTENT, "all").status()?;
        ensure!(status.success(), "tests fail: {}", tests.join(" "));
    }
    Ok(())
}
