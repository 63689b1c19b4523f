//! LLVM IR in NVPTX style there and back, executed: `cargo xtask ll-set`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use ptx_isa::Sm;
use test_suite::llvm_set::{self, Configuration, Reasons};
use test_suite::oracle::llvm_folder;

use crate::cargo::{jobs, workspace};
use crate::corpus::{oracles, shared_folder};

/// What is judged.
#[derive(Args)]
pub(crate) struct LlvmSetArguments {
    /// Files of LLVM IR to check instead of those of the shared data
    files: Vec<PathBuf>,
    /// The architecture of those files, such as sm_90 [default: as specified in the files]
    #[arg(long, value_parser = architecture)]
    target: Option<Sm>,
    /// Check one configuration in this many
    #[arg(long, default_value_t = 1)]
    sample: usize,
    /// Seconds a configuration may take
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared]
    #[arg(long)]
    shared: Option<PathBuf>,
}

/// Judges one file: what a process does that finds itself a judge.
pub(crate) fn judge(path: &Path) -> Result<()> {
    let sm = std::env::var(llvm_set::ARCHITECTURE).ok();
    let sm = sm.map(|text| architecture(&text)).transpose().map_err(anyhow::Error::msg)?;
    let lli = Some(llvm_folder().join("bin/lli")).filter(|path| path.is_file());
    llvm_set::judge_aloud(path, sm, &oracles(), lli.as_ref(), &mut std::io::stdout())
}

/// Judges the configurations and prints the tables and what went wrong.
pub(crate) fn measure(arguments: &LlvmSetArguments) -> Result<()> {
    let configurations: Vec<Configuration> = if arguments.files.is_empty() {
        let shared = shared_folder(arguments.shared.as_ref());
        let all = llvm_set::configurations(&shared, &workspace().join("target"))?;
        all.into_iter().step_by(arguments.sample.max(1)).collect()
    } else {
        let named = |path: &PathBuf| Configuration {
            name: path.display().to_string(),
            path: path.clone(),
            sm: arguments.target,
        };
        arguments.files.iter().map(named).collect()
    };
    let jobs = jobs();
    let limit = Duration::from_secs(arguments.limit);
    let reports = llvm_set::measure(&std::env::current_exe()?, &configurations, jobs, limit)?;
    let reasons = Reasons::own()?;
    let text = llvm_set::summary(&configurations, &reports, &reasons);
    std::io::stdout().lock().write_all(text.as_bytes()).context("the table")?;
    let judged = configurations.iter().zip(&reports);
    let unexplained = judged
        .flat_map(|(configuration, report)| llvm_set::unexplained(configuration, report, &reasons))
        .count();
    ensure!(unexplained == 0, "{unexplained} deviations have no reason in test-suite/llvm-set-reasons.tsv");
    // A row may be needed by a configuration that was left out.
    if arguments.files.is_empty() && arguments.sample <= 1 {
        let idle = llvm_set::idle(&configurations, &reports, &reasons);
        ensure!(
            idle.is_empty(),
            "rows of test-suite/llvm-set-reasons.tsv that nothing needs:\n{}",
            idle.join("\n")
        );
    }
    Ok(())
}

fn architecture(text: &str) -> Result<Sm, String> {
    Sm::from_text(text).ok_or_else(|| format!("no architecture {text}"))
}
