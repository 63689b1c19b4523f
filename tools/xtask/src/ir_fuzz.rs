//! Random programs in LLVM IR until the time is over: `cargo xtask ir-fuzz`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use test_suite::ir::{Judges, input, judge, program};

use crate::corpus::oracles;

/// What is drawn, and where differences go.
#[derive(Args)]
pub(crate) struct IrFuzzArguments {
    /// How long to go on
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs that are executed together
    #[arg(long, default_value_t = 16)]
    batch: u64,
    /// The architecture's number [default: 75, 90 and 100 in turn]
    #[arg(long)]
    sm: Option<u16>,
    /// A folder for the programs that differ
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Draws programs and reports each that is not the same on the host and along every way.
pub(crate) fn fuzz(arguments: &IrFuzzArguments) -> Result<()> {
    let llvm =
        std::env::var_os("LLVM_SYS_221_PREFIX").map_or(PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    let judges = Judges { lli: llvm.join("bin/lli"), oracles: oracles() };
    ensure!(judges.lli.is_file(), "{} is missing", judges.lli.display());
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let mut out = io::stdout().lock();
    let (mut seed, mut count, mut bad, mut unsure) = (arguments.seed, 0u64, 0u64, 0u64);
    while start.elapsed() < Duration::from_secs(arguments.seconds) {
        let programs: Vec<_> = (0..arguments.batch).map(|at| program(seed + at, &format!("p{at}"))).collect();
        let sm = arguments.sm.unwrap_or([75, 90, 100][(seed / arguments.batch % 3) as usize]);
        match judge(&programs, sm, &judges) {
            Ok(verdict) => {
                unsure += verdict.unsure;
                for difference in verdict.differences {
                    bad += 1;
                    let seed = difference.program.seed;
                    writeln!(out, "seed {seed} for sm_{sm}, {}: {}", difference.way, difference.what)?;
                    if let Some(folder) = &arguments.keep {
                        let bytes: String =
                            input(&difference.program).iter().map(|byte| format!("\\{byte:02X}")).collect();
                        let text = format!("; input c\"{bytes}\"\n{}", difference.program.text);
                        std::fs::write(folder.join(format!("{seed}.ll")), text)?;
                    }
                }
            }
            Err(error) => {
                bad += 1;
                writeln!(out, "seeds from {seed} for sm_{sm}: {error:#}")?;
            }
        }
        seed += arguments.batch;
        count += arguments.batch;
    }
    writeln!(
        out,
        "{count} programs, {bad} differences, {unsure} without a sure result on the host, next seed {seed}"
    )?;
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}
