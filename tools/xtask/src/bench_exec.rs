//! Executes the kernels of `test-suite/bench` in each engine and natively, in turns, and compares processor time.

pub(crate) mod engine;
pub(crate) mod report;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde_json::json;
use test_suite::kernels::{Given, KERNELS, Role, Size, Workload, bytes, words};

use crate::cargo::workspace;
use engine::{Engine, Programs, Sample};

/// What is measured.
#[derive(Args)]
pub(crate) struct BenchExecArguments {
    /// The kernels [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    kernels: Vec<String>,
    /// What executes them; the first is what the others are compared with
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',', default_value = "native,interp")]
    engines: Vec<Engine>,
    /// Size of a launch; small ones only check the results
    #[arg(long, value_enum, default_value = "small")]
    size: SizeName,
    /// Number of rounds; each engine runs once per round
    #[arg(long, value_name = "N", default_value = "3")]
    rounds: usize,
    /// Host threads of ptxrun and pocl; native programs have one
    #[arg(long, value_name = "N", default_value = "1")]
    threads: usize,
    /// A ptxrun that is built already [default: one is built, for release unless the size is small]
    #[arg(long, value_name = "FILE")]
    ptxrun: Option<PathBuf>,
    /// Write inputs and launch files below target/bench-exec, and execute nothing
    #[arg(long)]
    prepare: bool,
    /// Write all samples to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The size of a launch, as an option.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizeName {
    Small,
    Medium,
    Full,
}

impl SizeName {
    /// The size.
    pub(crate) fn size(self) -> Size {
        match self {
            Self::Small => Size::Small,
            Self::Medium => Size::Medium,
            Self::Full => Size::Full,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Full => "full",
        }
    }
}

/// What the engines took for a kernel: for each engine its samples, one a round.
pub(crate) struct Measured {
    kernel: &'static str,
    samples: Vec<Vec<Sample>>,
}

/// Measures, prints the table, and writes what is asked for.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn measure(arguments: &BenchExecArguments) -> Result<()> {
    let names = if arguments.kernels.is_empty() {
        KERNELS.map(str::to_owned).to_vec()
    } else {
        arguments.kernels.clone()
    };
    ensure!(arguments.rounds > 0 && arguments.threads > 0, "at least one round and one thread are needed");
    let folder = workspace().join("target/bench-exec");
    let prepared = |name: &String| {
        let work = Workload::new(name, arguments.size.size())?;
        let place = folder.join(arguments.size.name()).join(name);
        prepare(&work, &place)?;
        Ok::<_, anyhow::Error>((work, place))
    };
    if arguments.prepare {
        return names.iter().try_for_each(|name| prepared(name).map(drop));
    }
    let is_release = arguments.size != SizeName::Small;
    let programs = Programs::find(&arguments.engines, &folder, arguments.ptxrun.clone(), is_release)?;
    let mut all = Vec::new();
    for name in &names {
        let (work, place) = prepared(name)?;
        let measured = compare(&work, &place, &programs, arguments).with_context(|| name.clone())?;
        println!("{}", report::line(&measured, &arguments.engines));
        all.push(measured);
        fs::remove_dir_all(&place)?;
    }
    let table = report::table(&all, &arguments.engines);
    println!("{table}");
    if let Some(path) = &arguments.json {
        let text = format!("{}\n", report::objects(&all, &arguments.engines));
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Writes inputs and the launch file of a kernel. Outputs are called `NAME.out`, in every engine.
pub(crate) fn prepare(work: &Workload, place: &Path) -> Result<()> {
    fs::create_dir_all(place)?;
    for given in &work.arguments {
        if let Given::Buffer { name, words, role: Role::In | Role::InOut } = given {
            fs::write(place.join(name), bytes(words))?;
        }
    }
    let launch = json!({
        "entry": work.kernel, "grid": work.grid, "block": work.block, "args": specs(work),
    });
    fs::write(place.join("launch.json"), format!("{launch}\n"))?;
    Ok(())
}

/// The arguments as `ptxrun --arg` has them; native programs understand the same.
fn specs(work: &Workload) -> Vec<String> {
    let spec = |given: &Given| match given {
        Given::Integer(value) => format!("u32={value}"),
        Given::Float(value) => format!("f32={value:?}"),
        Given::Buffer { name, role: Role::In, .. } => format!("in={name}"),
        Given::Buffer { name, role: Role::InOut, .. } => format!("inout={name}:{name}.out"),
        Given::Buffer { name, role: Role::Out, words } => format!("out={}:{name}.out", words.len() * 4),
    };
    work.arguments.iter().map(spec).collect()
}

/// What a run left in its output files.
type Left = Vec<(&'static str, Vec<u32>)>;

fn left(work: &Workload, place: &Path) -> Result<Left> {
    let read = |(name, _)| {
        let path = place.join(format!("{name}.out"));
        let found = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        fs::remove_file(path)?;
        Ok((name, words(&found)))
    };
    work.outputs().map(read).collect()
}

fn judge(work: &Workload, wanted: &Left, got: &Left) -> Result<()> {
    wanted.iter().zip(got).try_for_each(|((name, wanted), (_, got))| work.judge(name, wanted, got))
}

/// Lets the engines take turns, in the opposite order every other round. Each result is held against what the native program leaves
/// after as many launches; small ones against the definition of the kernel, too.
fn compare(
    work: &Workload,
    place: &Path,
    programs: &Programs,
    arguments: &BenchExecArguments,
) -> Result<Measured> {
    let engines = &arguments.engines;
    let mut wanted: HashMap<u64, Left> = HashMap::new();
    if arguments.size == SizeName::Small {
        wanted.insert(1, work.expected());
        if programs.has_native() {
            programs.run(Engine::Native, work, place, 1, 1)?;
            judge(work, &wanted[&1], &left(work, place)?).context("native, against the definition")?;
        }
    }
    let mut samples = vec![Vec::new(); engines.len()];
    for round in 0..arguments.rounds {
        let mut order: Vec<usize> = (0..engines.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let engine = engines[at];
            let launches = engine.launches(work, arguments.size == SizeName::Small && !programs.has_native());
            if let std::collections::hash_map::Entry::Vacant(entry) = wanted.entry(launches) {
                programs.run(Engine::Native, work, place, launches, 1)?;
                entry.insert(left(work, place)?);
            }
            let sample = programs.run(engine, work, place, launches, arguments.threads)?;
            judge(work, &wanted[&launches], &left(work, place)?).with_context(|| engine.name())?;
            samples[at].push(sample);
        }
    }
    Ok(Measured { kernel: work.kernel, samples })
}
