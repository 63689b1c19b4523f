//! How single instructions come through the stages: `cargo xtask lines`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use test_suite::lines::{self, Depth, Line, Verdict};

use crate::corpus::{oracles, shared_folder};

/// Which lines are judged, and how far they are carried.
#[derive(Args)]
pub(crate) struct LinesArguments {
    /// Instructions to check instead of those of the shared data that ptxas accepts
    lines: Vec<String>,
    /// The last stage
    #[arg(long, value_enum, default_value_t = Until::Lower)]
    until: Until,
    /// Only instructions that contain this text
    #[arg(long)]
    only: Option<String>,
    /// Check one instruction in this many
    #[arg(long, default_value_t = 1)]
    sample: usize,
    /// Print every instruction with its verdict instead of the failures
    #[arg(long)]
    all: bool,
    /// The target of instructions given as arguments
    #[arg(long, default_value = "sm_100a")]
    target: String,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared]
    #[arg(long)]
    shared: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Until {
    Lower,
    Raise,
    Assemble,
}

/// Judges the lines and prints the failures, or everything.
pub(crate) fn measure(arguments: &LinesArguments) -> Result<()> {
    let lines = lines_of(arguments)?;
    let depth = match arguments.until {
        Until::Lower => Depth::Lower,
        Until::Raise => Depth::Raise,
        Until::Assemble => Depth::Assemble,
    };
    let verdicts = lines::judge(&lines, depth, &oracles())?;
    let mut out = std::io::stdout().lock();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (line, verdict) in lines.iter().zip(&verdicts) {
        let (word, why) = match verdict {
            Verdict::Passed(said) if !said.keeps_promise() => (format!("not as promised: {}", said.way), ""),
            Verdict::Passed(said) => (said.way.to_string(), ""),
            Verdict::Failed(stage, why) => (format!("failed: {stage:?}"), why.as_str()),
        };
        let kept = matches!(verdict, Verdict::Passed(said) if said.keeps_promise());
        if arguments.all || !kept {
            writeln!(out, "{word}\t{}\t{}\t{}", line.text, line.target, why.replace(['\n', '\t'], " | "))?;
        }
        *counts.entry(word).or_default() += 1;
    }
    for (word, count) in counts {
        writeln!(out, "{count:6} {word}")?;
    }
    Ok(())
}

fn lines_of(arguments: &LinesArguments) -> Result<Vec<Line>> {
    if !arguments.lines.is_empty() {
        let line = |text: &String| Line {
            text: text.clone(),
            target: arguments.target.clone(),
            version: ptx_isa::PtxVersion::NEWEST.to_string(),
        };
        return Ok(arguments.lines.iter().map(line).collect());
    }
    let all = lines::accepted(&shared_folder(arguments.shared.as_ref()).join("isa/matrix_full.tsv.gz"))?;
    let wanted = |line: &Line| arguments.only.as_ref().is_none_or(|only| line.text.contains(only));
    Ok(all.into_iter().filter(wanted).step_by(arguments.sample.max(1)).collect())
}
