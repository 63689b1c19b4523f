//! Random kernels until the time is over: `cargo xtask kernel-fuzz`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use test_suite::kernel_program::{Program, Verdict, judge, judge_translations};

use crate::random::RandomPrograms;

/// What is generated, and where differences go.
#[derive(Args)]
pub(crate) struct KernelFuzzArguments {
    #[command(flatten)]
    random: RandomPrograms,
    /// Compile each program for every CPU
    #[arg(long)]
    all: bool,
    /// Generate only these [default: all, in turn]
    #[arg(long, value_enum, value_delimiter = ',')]
    kinds: Vec<Kind>,
}

/// Kinds of kernels, by what they are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    /// Any; with code for the host
    Engines,
    /// Those whose blocks wait for the grid or share memory of a cluster, long ones among them; with code for the host
    Grids,
    /// Those in which the threads of a warp come to barriers one by one; with code for the host
    Barriers,
    /// Those with sections that one thread at a time executes; with code for the host
    Locks,
    /// Those whose registers hold one value after another; with code for the host
    Registers,
    /// Those that show which threads run together; with their translations to LLVM IR and back
    Joins,
}

impl Kind {
    fn program(self, seed: u64) -> Program {
        match self {
            Self::Engines => Program::new(seed),
            Self::Grids => Program::grid(seed),
            Self::Barriers => Program::barriers(seed),
            Self::Locks => Program::locks(seed),
            Self::Registers => Program::reusing(seed),
            Self::Joins => Program::joins(seed),
        }
    }

    fn judge(self, program: &Program, on_all: bool) -> Result<Verdict> {
        let differences = match self {
            Self::Engines | Self::Grids | Self::Barriers | Self::Locks | Self::Registers => {
                return judge(program, on_all);
            }
            Self::Joins => judge_translations(program)?,
        };
        Ok(if differences.is_empty() { Verdict::Same } else { Verdict::Different(differences) })
    }
}

/// Generates programs and reports each that differs along a way.
pub(crate) fn fuzz(arguments: &KernelFuzzArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    let kinds = if arguments.kinds.is_empty() { Kind::value_variants() } else { &arguments.kinds };
    if arguments.random.show {
        return Ok(kinds
            .iter()
            .try_for_each(|kind| write!(out, "{}", kind.program(arguments.random.seed).ptx()))?);
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
        for kind in kinds {
            match one(&mut out, arguments, *kind, seed)? {
                Verdict::Same => same += 1,
                Verdict::Refused(why) => *refused.entry(why).or_default() += 1,
                Verdict::Different(_) => bad += 1,
            }
        }
        out.flush()?;
        seed += 1;
    }
    writeln!(
        out,
        "{} programs in {} s: {same} agree, {bad} differ; next seed {seed}",
        (seed - arguments.random.seed) * kinds.len() as u64,
        start.elapsed().as_secs()
    )?;
    for (why, count) in refused {
        writeln!(out, "{count} are not compiled: {why}")?;
    }
    ensure!(bad == 0, "{bad} differences");
    Ok(())
}

/// Judges a program, and reports and keeps it if it differs or cannot be judged.
fn one(out: &mut impl Write, arguments: &KernelFuzzArguments, kind: Kind, seed: u64) -> Result<Verdict> {
    let program = kind.program(seed);
    let stem = match kind {
        Kind::Engines => seed.to_string(),
        Kind::Grids => format!("{seed}.grids"),
        Kind::Barriers => format!("{seed}.barriers"),
        Kind::Locks => format!("{seed}.locks"),
        Kind::Registers => format!("{seed}.registers"),
        Kind::Joins => format!("{seed}.joins"),
    };
    let verdict = match kind.judge(&program, arguments.all) {
        Ok(verdict) => verdict,
        Err(error) => {
            writeln!(out, "seed {seed}, {kind:?}: {error:#}")?;
            keep(arguments, &format!("{stem}.error.ptx"), &program)?;
            return Ok(Verdict::Different(Vec::new()));
        }
    };
    if let Verdict::Different(differences) = &verdict {
        for difference in differences {
            writeln!(out, "seed {seed}, {kind:?}, {}: {}", difference.way, difference.what)?;
        }
        let smaller = if arguments.random.whole { program } else { smaller(kind, &program)? };
        keep(arguments, &format!("{stem}.ptx"), &smaller)?;
    }
    Ok(verdict)
}

fn keep(arguments: &KernelFuzzArguments, name: &str, program: &Program) -> Result<()> {
    if let Some(folder) = &arguments.random.keep {
        let Program { grid, block, cluster, cooperative, .. } = program;
        let head = format!("// grid={grid} block={block:?} cluster={cluster} cooperative={cooperative}\n");
        std::fs::write(folder.join(name), head + &program.ptx())?;
    }
    Ok(())
}

/// A smaller program that differs, too.
fn smaller(kind: Kind, program: &Program) -> Result<Program> {
    let until = Instant::now() + Duration::from_secs(60);
    program.minimize(&mut |candidate| {
        let judged = if Instant::now() < until { kind.judge(candidate, true) } else { Ok(Verdict::Same) };
        Ok(matches!(judged, Ok(Verdict::Different(_))))
    })
}
