//! What compilers' LLVM IR comes to in machine code, by this project's emitter and by LLVM's backend: `cargo xtask producers`.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use test_suite::reasons::Reasons;
use test_suite::roundtrip::{self, Way};

use crate::cargo::{jobs, workspace};

/// Seconds a file may take.
const LIMIT: Duration = Duration::from_secs(600);

/// What is measured.
#[derive(Args)]
pub(crate) struct ProducersArguments {
    /// Files of LLVM IR (`.ll`); the folder of each counts as its producer [default: test-suite/cases/producers]
    files: Vec<PathBuf>,
}

/// Prints a table for each level, our emitter's code over that of LLVM's backend at -O2, and the functions that came out worst.
pub(crate) fn measure(arguments: &ProducersArguments) -> Result<()> {
    let mut files = arguments.files.clone();
    if files.is_empty() {
        let folder = workspace().join("test-suite/cases/producers");
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            files.push(entry?.path());
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "ll"));
        files.sort();
    }
    let jobs = jobs();
    let outcomes = roundtrip::measure(&std::env::current_exe()?, &[Way::O0, Way::O2], &files, jobs, LIMIT)?;
    let mut out = std::io::stdout().lock();
    for (way, outcomes) in &outcomes {
        let findings = roundtrip::findings(*way, outcomes, &mut Reasons::default());
        writeln!(out, "{}\n{}", roundtrip::table(*way, outcomes), findings.text)?;
    }
    Ok(())
}
