//! Random kernels until the time is over: `cargo xtask kernel-fuzz`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use test_suite::kernel_program::{Program, Verdict, judge};

/// What is drawn, and where differences go.
#[derive(Args)]
pub(crate) struct KernelFuzzArguments {
    /// How long to go on
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// End after so many differences
    #[arg(long)]
    enough: Option<u64>,
    /// Make code for every processor with each program
    #[arg(long)]
    all: bool,
    /// Report programs as they were drawn, and spend no time on making them smaller
    #[arg(long)]
    whole: bool,
    /// Show the program of the first seed, and execute nothing
    #[arg(long)]
    show: bool,
    /// A folder for the programs that differ
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Draws programs and reports each that differs in the two engines.
pub(crate) fn fuzz(arguments: &KernelFuzzArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    if arguments.show {
        return Ok(write!(out, "{}", Program::new(arguments.seed).ptx())?);
    }
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let (mut seed, mut bad, mut same) = (arguments.seed, 0, 0);
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    while start.elapsed() < Duration::from_secs(arguments.seconds)
        && arguments.enough.is_none_or(|enough| bad < enough)
    {
        let program = Program::new(seed);
        match judge(&program, arguments.all) {
            Ok(Verdict::Same) => same += 1,
            Ok(Verdict::Refused(why)) => *refused.entry(why).or_default() += 1,
            Ok(Verdict::Different(differences)) => {
                bad += 1;
                for difference in &differences {
                    writeln!(out, "seed {seed}, {}: {}", difference.cpu, difference.what)?;
                }
                let smaller = if arguments.whole { program } else { smaller(&program)? };
                keep(arguments, &format!("{seed}.ptx"), &smaller)?;
            }
            Err(error) => {
                bad += 1;
                writeln!(out, "seed {seed}: {error:#}")?;
                keep(arguments, &format!("{seed}.error.ptx"), &program)?;
            }
        }
        out.flush()?;
        seed += 1;
    }
    writeln!(
        out,
        "{} programs in {} s: {same} agree, {bad} differ; next seed {seed}",
        seed - arguments.seed,
        start.elapsed().as_secs()
    )?;
    for (why, count) in refused {
        writeln!(out, "{count} are not compiled: {why}")?;
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}

fn keep(arguments: &KernelFuzzArguments, name: &str, program: &Program) -> Result<()> {
    if let Some(folder) = &arguments.keep {
        let head = format!("// grid={} block={:?}\n", program.grid, program.block);
        std::fs::write(folder.join(name), head + &program.ptx())?;
    }
    Ok(())
}

/// A smaller program that differs, too.
fn smaller(program: &Program) -> Result<Program> {
    let until = Instant::now() + Duration::from_secs(60);
    program.minimize(&mut |candidate| {
        let judged = if Instant::now() < until { judge(candidate, true) } else { Ok(Verdict::Same) };
        Ok(matches!(judged, Ok(Verdict::Different(_))))
    })
}
