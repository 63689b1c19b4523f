//! Random C programs on the host and along every way: `cargo xtask csmith`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use test_suite::csmith::{Tools, Verdict, judge, spmd};

use crate::corpus::oracles;

/// What is generated, and where differences go.
#[derive(Args)]
pub(crate) struct CsmithArguments {
    /// Duration in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Give each thread of a kernel a copy of the program with other values, and execute it in both engines
    #[arg(long)]
    spmd: bool,
    /// A folder for the programs that differ
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Generates programs and reports each whose sum is not the host's along every way.
pub(crate) fn compare(arguments: &CsmithArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    let tools = match Tools::find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")) {
        Ok(tools) => tools,
        Err(error) => return Ok(writeln!(out, "skipped: {error}")?),
    };
    let oracles = oracles();
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut seed, mut bad, mut slow, mut beyond) = (arguments.seed, 0u64, 0u64, 0u64);
    while start.elapsed() < Duration::from_secs(arguments.seconds) {
        let judged =
            if arguments.spmd { spmd::judge(seed, &tools, &oracles) } else { judge(seed, &tools, &oracles) };
        match judged {
            Ok(Verdict::Same) => {}
            Ok(Verdict::Beyond) => beyond += 1,
            Ok(Verdict::Slow) => slow += 1,
            Ok(Verdict::Refused(why)) => *refused.entry(why).or_default() += 1,
            Ok(Verdict::Differs { source, ways }) => {
                bad += 1;
                for way in ways {
                    writeln!(out, "seed {seed}, {way}")?;
                }
                out.flush()?;
                if let Some(folder) = &arguments.keep {
                    std::fs::write(folder.join(format!("{seed}.c")), source)?;
                }
            }
            Err(error) => {
                bad += 1;
                writeln!(out, "seed {seed}: {error:#}")?;
            }
        }
        seed += 1;
    }
    writeln!(
        out,
        "{} programs, {bad} differences, {slow} too slow on the host to be judged, {beyond} that LLVM's backend reads \
         beyond the end of a variable for, next seed {seed}",
        seed - arguments.seed
    )?;
    for (why, count) in refused {
        writeln!(out, "{count} are not compiled: {why}")?;
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}
