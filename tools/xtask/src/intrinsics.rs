//! What becomes of every intrinsic of LLVM's NVPTX target: `cargo xtask intrinsics`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use test_suite::intrinsics::{self, Verdict};
use test_suite::printed;

use crate::corpus::{oracles, shared_folder};

/// Which intrinsics are judged.
#[derive(Args)]
pub(crate) struct IntrinsicsArguments {
    /// Only names that contain this text
    #[arg(long)]
    only: Option<String>,
    /// Write every call with what became of it instead of the failures
    #[arg(long)]
    all: bool,
    /// Do not run ptxas
    #[arg(long)]
    no_ptxas: bool,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared]
    #[arg(long)]
    shared: Option<PathBuf>,
}

/// Judges the intrinsics and prints what fails, or everything.
pub(crate) fn measure(arguments: &IntrinsicsArguments) -> Result<()> {
    let mut calls = intrinsics::calls()?;
    calls.retain(|call| arguments.only.as_ref().is_none_or(|only| call.declaration.name.contains(only)));
    let mut oracles = oracles();
    if arguments.no_ptxas {
        oracles.ptxas = None;
    }
    let verdicts = intrinsics::judge(&calls, &oracles)?;
    let mut out = std::io::stdout().lock();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (call, verdict) in calls.iter().zip(&verdicts) {
        let (word, target, text) = match verdict {
            Verdict::Raised(sm, text) => ("raised", sm.to_string(), text),
            Verdict::Refused(why) => ("refused", String::new(), why),
            Verdict::Wrong(why) => ("wrong", String::new(), why),
        };
        if arguments.all || word != "raised" {
            writeln!(out, "{word}\t{}\t{target}\t{}", call.title(), text.replace(['\n', '\t'], " | "))?;
        }
        *counts.entry(word).or_default() += 1;
    }
    for (word, count) in counts {
        writeln!(out, "{count:6} {word}")?;
    }
    let table = shared_folder(arguments.shared.as_ref()).join("isa/llvm22-intrinsics.tsv.zst");
    match printed::read(&table) {
        Err(why) => writeln!(out, "not compared with what LLVM's backend prints: {why}")?,
        Ok(table) => {
            let (differences, compared) = printed::differences(&calls, &verdicts, &table);
            for difference in &differences {
                writeln!(out, "differs\t{difference}")?;
            }
            writeln!(out, "{:6} of {compared} are not what LLVM's backend prints", differences.len())?;
        }
    }
    Ok(())
}
