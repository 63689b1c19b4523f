//! Random kernels until the time is over: `cargo xtask kernel-fuzz`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use test_suite::kernel_program::{Program, Verdict, judge};

use crate::random::RandomPrograms;

/// What is generated, and where differences go.
#[derive(Args)]
pub(crate) struct KernelFuzzArguments {
    #[command(flatten)]
    random: RandomPrograms,
    /// Compile each program for every CPU
    #[arg(long)]
    all: bool,
}

/// Generates programs and reports each that differs in the two engines.
pub(crate) fn fuzz(arguments: &KernelFuzzArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    if arguments.random.show {
        return Ok(write!(out, "{}", Program::new(arguments.random.seed).ptx())?);
    }
    if let Some(folder) = &arguments.random.keep {
        std::fs::create_dir_all(folder)?;
    }
    let start = Instant::now();
    let (mut seed, mut bad, mut same) = (arguments.random.seed, 0, 0);
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    while start.elapsed() < Duration::from_secs(arguments.random.seconds)
        && arguments.random.enough.is_none_or(|enough| bad < enough)
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
                let smaller = if arguments.random.whole { program } else { smaller(&program)? };
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
        seed - arguments.random.seed,
        start.elapsed().as_secs()
    )?;
    for (why, count) in refused {
        writeln!(out, "{count} are not compiled: {why}")?;
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}

fn keep(arguments: &KernelFuzzArguments, name: &str, program: &Program) -> Result<()> {
    if let Some(folder) = &arguments.random.keep {
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
