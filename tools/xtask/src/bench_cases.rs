//! Executes real kernels of the tests in the interpreter and as code for the host, in turns, and compares processor time: launches of
//! `test-suite/cases`, and CUTLASS's matrix products of `crates/ptx-exec/tests/it/cutlass`.

mod cutlass;
mod launch;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::Value;

use crate::bench_exec::engine::refusal;
use crate::bench_exec::report::{middle, short};
use crate::cargo::{build_release, workspace};

/// What docs/results.md shows: kernels that a compiler other than the project made of sources of the project, and CUTLASS's.
pub(crate) const SHOWN: [&str; 13] = [
    "triton/softmax.sm_80",
    "triton/layer_norm.sm_80",
    "triton/matmul_f16.sm_80",
    "triton/matmul_pipelined.sm_80",
    "triton/matmul_f16.sm_90",
    "triton/attention.sm_90",
    "triton/matmul_f16.sm_100",
    "triton/attention.sm_80",
    "triton/sort.sm_80",
    "toolkit/cub_blocks.sm_80",
    "cutlass/80/dense",
    "cutlass/90/",
    "cutlass/100/",
];

/// What is measured.
#[derive(Args)]
pub(crate) struct BenchCasesArguments {
    /// Beginnings of the names of launches, as in `triton/softmax` [default: those of docs/results.md; `all` for all]
    names: Vec<String>,
    /// Number of rounds; each engine runs once per round
    #[arg(long, value_name = "N", default_value = "3")]
    rounds: usize,
    /// Launches of a turn; the first one, which touches memory and code for the first time, is not counted where there are several
    #[arg(long, value_name = "N", default_value = "3")]
    launches: u64,
    /// Multiply the blocks of launches of `test-suite/cases` in z, which two-dimensional kernels ignore: this number of blocks do the
    /// same work on the same memory
    #[arg(long, value_name = "N", default_value = "1")]
    copies: u32,
    /// A ptxrun that is built already [default: one is built for release]
    #[arg(long, value_name = "FILE")]
    ptxrun: Option<PathBuf>,
}

/// A launch of a module, as a launch file.
pub(crate) struct Real {
    /// The file without its ending, and the kernel.
    pub(crate) name: String,
    /// The module.
    pub(crate) ptx: PathBuf,
    /// The folder of the launch file and its buffers.
    pub(crate) place: PathBuf,
}

/// What an engine took.
#[derive(Default)]
struct Turns {
    /// Milliseconds of processor time of a launch, a round each.
    launch: Vec<f64>,
    /// Milliseconds before the first launch, a round each.
    compile: Vec<f64>,
    /// Why another engine executed the kernel.
    refused: Option<String>,
}

/// Measures, and prints the table row by row.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn measure(arguments: &BenchCasesArguments) -> Result<()> {
    ensure!(arguments.rounds > 0 && arguments.launches > 0, "at least one round and one launch are needed");
    let ptxrun = match &arguments.ptxrun {
        Some(path) => path.clone(),
        None => {
            build_release("ptxrun")?;
            workspace().join("target/release/ptxrun")
        }
    };
    let ptxrun = ptxrun.canonicalize().with_context(|| format!("no {}", ptxrun.display()))?;
    let wanted: Vec<&str> = match arguments.names.as_slice() {
        [] => SHOWN.to_vec(),
        [all] if all == "all" => vec![""],
        names => names.iter().map(String::as_str).collect(),
    };
    let is_wanted = |name: &str| wanted.iter().any(|start| name.starts_with(start));
    let folder = workspace().join("target/bench-cases");
    let all = cases(&folder, is_wanted, arguments.copies)?;
    ensure!(!all.is_empty(), "no launch has such a name");
    println!("| kernel | interp, ms | jit, ms | compiling, ms | interp / jit |\n|---|---:|---:|---:|---:|");
    let mut ratios = Vec::new();
    for real in &all {
        let turns = take_turns(&ptxrun, real, arguments).with_context(|| real.name.clone())?;
        println!("{}", line(&real.name, &turns, &mut ratios));
        std::fs::remove_dir_all(&real.place)?;
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    let (compiled, all) = (ratios.len(), all.len());
    println!("| geometric mean of the {compiled} compiled, of {all} | | | | {} |", short(mean));
    Ok(())
}

/// The launches of these names that have to finish, as launch files in a folder; those of `test-suite/cases` with `copies` times as many blocks in z.
pub(crate) fn cases(
    folder: &Path,
    is_wanted: impl Fn(&str) -> bool + Copy,
    copies: u32,
) -> Result<Vec<Real>> {
    let mut all = launch::cases(folder, is_wanted, copies)?;
    all.extend(cutlass::products(folder, is_wanted)?);
    Ok(all)
}

fn line(name: &str, [interpreter, code]: &[Turns; 2], ratios: &mut Vec<f64>) -> String {
    let took = |turns: &Turns| short(middle(turns.launch.clone()));
    if let Some(why) = &code.refused {
        return format!("| {name} | {} | not compiled: {why} | | |", took(interpreter));
    }
    let multiples = interpreter.launch.iter().zip(&code.launch).map(|(slow, fast)| slow / fast);
    let ratio = middle(multiples.collect());
    ratios.push(ratio);
    let compile = short(middle(code.compile.clone()));
    format!("| {name} | {} | {} | {compile} | {} |", took(interpreter), took(code), short(ratio))
}

fn take_turns(ptxrun: &Path, real: &Real, arguments: &BenchCasesArguments) -> Result<[Turns; 2]> {
    let mut both = [Turns::default(), Turns::default()];
    for _ in 0..arguments.rounds {
        for (engine, turns) in ["interp", "jit"].into_iter().zip(&mut both) {
            turn(ptxrun, real, engine, arguments.launches, turns)?;
        }
    }
    Ok(both)
}

/// One process, which launches the kernel a few times.
fn turn(ptxrun: &Path, real: &Real, engine: &str, launches: u64, turns: &mut Turns) -> Result<()> {
    let mut command = Command::new(ptxrun);
    command.arg(real.ptx.canonicalize()?).args([
        "--launch",
        "launch.json",
        "--threads=1",
        "--timeout=600",
        "--no-cache",
    ]);
    command.args(["--engine", engine, "--remarks", "--error-format=json", "--time=json"]);
    command.args(["--repeat", &launches.to_string()]).current_dir(&real.place);
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let notes = String::from_utf8_lossy(&output.stderr);
    turns.refused = notes.lines().find_map(refusal);
    if turns.refused.is_some() {
        return Ok(());
    }
    ensure!(output.status.success(), "{command:?}: {notes}");
    let out = String::from_utf8_lossy(&output.stdout);
    // Kernels may print, too.
    let times: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let number =
        |value: &Value, key| value[key].as_u64().map(|number| number as f64 / 1e6).context("no time");
    let Some(first) = times.first() else { bail!("{command:?} prints no times") };
    turns.compile.push(number(first, "compile_ns")?);
    let counted = if times.len() > 1 { &times[1..] } else { &times[..] };
    let counted = counted.iter().map(|time| number(time, "cpu_ns")).collect::<Result<Vec<_>>>()?;
    turns.launch.push(middle(counted));
    Ok(())
}
