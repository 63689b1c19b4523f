//! Random programs in PTX until the time is over: `cargo xtask ptx-fuzz`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use test_suite::oracle::Oracles;
use test_suite::ptx_program::{Difference, Feature, Program, Verdict, judge, program, ways_of};

use crate::corpus::oracles;
use crate::random::RandomPrograms;

/// What is generated, and where differences go.
#[derive(Args)]
pub(crate) struct PtxFuzzArguments {
    #[command(flatten)]
    random: RandomPrograms,
    /// Generate only these features [default: all]
    #[arg(long, value_delimiter = ',')]
    features: Vec<String>,
    /// Execute each program on every path at every level
    #[arg(long)]
    all_ways: bool,
    /// Check these kept programs instead of generating any
    #[arg(long, value_name = "FILE")]
    replay: Vec<PathBuf>,
}

/// Generates programs and reports each that does not leave what it has to leave along every way.
pub(crate) fn fuzz(arguments: &PtxFuzzArguments) -> Result<()> {
    let oracles = oracles();
    if let Some(folder) = &arguments.random.keep {
        std::fs::create_dir_all(folder)?;
    }
    if !arguments.replay.is_empty() {
        return replay(arguments, &oracles);
    }
    let features: Vec<Feature> = if arguments.features.is_empty() {
        Feature::ALL.to_vec()
    } else {
        let named = |name: &String| Feature::named(name).with_context(|| format!("no feature `{name}`"));
        arguments.features.iter().map(named).collect::<Result<_>>()?
    };
    let start = Instant::now();
    let mut out = io::stdout().lock();
    if arguments.random.show {
        return Ok(write!(out, "{}", program(arguments.random.seed, &features)?.keep())?);
    }
    let (mut seed, mut bad) = (arguments.random.seed, 0u64);
    let (mut decided, mut undecided, mut combined) = (0, 0, 0);
    while start.elapsed() < Duration::from_secs(arguments.random.seconds) {
        let generated = match program(seed, &features) {
            Ok(generated) => generated,
            Err(error) => {
                (bad, seed) = (bad + 1, seed + 1);
                writeln!(out, "{error:#}")?;
                continue;
            }
        };
        let ways = ways_of(seed, arguments.all_ways);
        match judge(&generated, &ways, &oracles) {
            Ok(verdict) => {
                (decided, undecided) = (decided + verdict.decided, undecided + verdict.undecided);
                combined += usize::from(verdict.combined);
                let differences = verdict.differences;
                let Some(first) = differences.first() else {
                    seed += 1;
                    continue;
                };
                bad += 1;
                let smaller =
                    if arguments.random.whole { generated } else { smaller(&generated, first, &oracles) };
                writeln!(out, "after {} s:", start.elapsed().as_secs())?;
                show(&mut out, &smaller, &differences)?;
                if let Some(folder) = &arguments.random.keep {
                    std::fs::write(folder.join(format!("{seed}.ptx")), smaller.keep())?;
                }
            }
            Err(error) => {
                bad += 1;
                writeln!(out, "seed {seed}: {error:#}")?;
                if let Some(folder) = &arguments.random.keep {
                    std::fs::write(folder.join(format!("{seed}.refused.ptx")), generated.keep())?;
                }
            }
        }
        seed += 1;
        if arguments.random.enough.is_some_and(|enough| bad >= enough) {
            break;
        }
    }
    writeln!(
        out,
        "{} programs in {} s, {bad} differences; ptxas computed {decided} bytes of programs without input and did not \
         decide {undecided}; {combined} more by LLVM's combiner; next seed {seed}",
        seed - arguments.random.seed,
        start.elapsed().as_secs()
    )?;
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}

/// A smaller program that differs along the same way, with the same words where a stage refuses it.
fn smaller(program: &Program, first: &Difference, oracles: &Oracles) -> Program {
    let stage = |what: &str| what.split([':', ' ']).next().unwrap_or(what).to_owned();
    let (way, kind) = (first.way, stage(&first.what));
    let until = Instant::now() + Duration::from_secs(40);
    program.minimize(&mut |candidate| {
        let judged =
            if Instant::now() < until { judge(candidate, &[way], oracles) } else { Ok(Verdict::default()) };
        judged.is_ok_and(|verdict| verdict.differences.iter().any(|one| stage(&one.what) == kind))
    })
}

fn show(out: &mut impl Write, program: &Program, differences: &[Difference]) -> Result<()> {
    for Difference { way, what } in differences {
        writeln!(out, "seed {}, {way:?}: {what}", program.seed)?;
    }
    Ok(out.flush()?)
}

fn replay(arguments: &PtxFuzzArguments, oracles: &Oracles) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    for file in &arguments.replay {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let program = Program::kept(&text).with_context(|| file.display().to_string())?;
        let differences = judge(&program, &ways_of(0, true), oracles)
            .with_context(|| file.display().to_string())?
            .differences;
        writeln!(out, "{}: {} differences", file.display(), differences.len())?;
        show(&mut out, &program, &differences)?;
        bad += differences.len();
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}
