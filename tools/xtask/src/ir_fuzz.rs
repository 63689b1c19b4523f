//! Random programs in LLVM IR until the time is over: `cargo xtask ir-fuzz`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use test_suite::ir::{Cause, Difference, Judges, Program, judge, program};
use test_suite::oracle::llvm_folder;

use crate::corpus::oracles;

/// What is generated, and where differences go.
#[derive(Args)]
pub(crate) struct IrFuzzArguments {
    /// Duration in seconds
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
    /// A folder for the programs that differ, and those with an inconclusive result (.unsure.ll)
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Check these kept programs instead of generating any
    #[arg(long, value_name = "FILE")]
    replay: Vec<PathBuf>,
}

impl IrFuzzArguments {
    /// The architecture's number for a batch.
    fn target(&self, batch: u64) -> u16 {
        let in_turn = [75, 90, 100];
        self.sm.unwrap_or(in_turn[(batch % 3) as usize])
    }
}

/// Generates programs and reports each that is not the same on the host and along every way. What LLVM's optimizer alone changes is
/// reported too, but no failure.
pub(crate) fn fuzz(arguments: &IrFuzzArguments) -> Result<()> {
    let judges = Judges { lli: llvm_folder().join("bin/lli"), oracles: oracles() };
    ensure!(judges.lli.is_file(), "{} is missing", judges.lli.display());
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    if !arguments.replay.is_empty() {
        return replay(arguments, &judges);
    }
    let start = Instant::now();
    let mut out = io::stdout().lock();
    let (mut seed, mut count, mut unsure) = (arguments.seed, 0u64, 0usize);
    let (mut bad, mut optimizer) = (0u64, 0u64);
    while start.elapsed() < Duration::from_secs(arguments.seconds) {
        let sm = arguments.target(seed / arguments.batch);
        let programs: Vec<_> =
            (0..arguments.batch).map(|at| program(seed + at, &format!("p{at}"), sm)).collect();
        match judge(&programs, sm, &judges) {
            Ok(verdict) => {
                unsure += verdict.unsure.len();
                for program in &verdict.unsure {
                    keep(arguments, program, "unsure.ll")?;
                }
                for difference in verdict.differences {
                    match difference.cause {
                        Cause::Ours => bad += 1,
                        Cause::Optimizer => optimizer += 1,
                    }
                    show(&mut out, &difference, sm)?;
                    keep(arguments, &difference.program, "ll")?;
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
        "{count} programs, {bad} differences, {optimizer} more by LLVM's optimizer, {unsure} without a sure result on the host, \
         next seed {seed}"
    )?;
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}

fn keep(arguments: &IrFuzzArguments, program: &Program, extension: &str) -> Result<()> {
    if let Some(folder) = &arguments.keep {
        std::fs::write(folder.join(format!("{}.{extension}", program.seed)), program.keep())?;
    }
    Ok(())
}

fn show(out: &mut impl Write, difference: &Difference, sm: u16) -> Result<()> {
    let Difference { program, way, what, backend, cause } = difference;
    let cause = match cause {
        Cause::Ours => "",
        Cause::Optimizer => ", by LLVM's optimizer",
    };
    writeln!(out, "seed {} for sm_{sm}, {way}{cause}: {what} (LLVM's backend: {backend})", program.seed)?;
    Ok(out.flush()?)
}

fn replay(arguments: &IrFuzzArguments, judges: &Judges) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    for file in &arguments.replay {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let program = Program::kept(&text).with_context(|| file.display().to_string())?;
        let sm = arguments.target(1);
        let verdict = judge(&[program], sm, judges).with_context(|| file.display().to_string())?;
        writeln!(
            out,
            "{}: {} differences, {} unsure",
            file.display(),
            verdict.differences.len(),
            verdict.unsure.len()
        )?;
        for difference in &verdict.differences {
            show(&mut out, difference, sm)?;
        }
        bad += verdict.differences.iter().filter(|difference| difference.cause == Cause::Ours).count();
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}
