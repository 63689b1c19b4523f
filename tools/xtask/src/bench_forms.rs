//! What each special form of compiled code (`ptx_host::Form`) is worth: kernels with it and without it, in turns, on the kernels of `test-suite/bench` and
//! on real ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use ptx_host::Form;
use serde_json::Value;

use crate::bench_cases::{Real, SHOWN, cases};
use crate::bench_exec::report::{middle, short};
use crate::bench_exec::{SizeName, prepare};
use crate::cargo::{build_release, workspace};
use test_suite::kernels::{KERNELS, Workload};

/// What is measured.
#[derive(Args)]
pub(crate) struct BenchFormsArguments {
    /// The forms [default: all]
    forms: Vec<String>,
    /// Number of rounds; each round executes a kernel with the form and without it
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: usize,
    /// Launches of a turn; the first one is not counted
    #[arg(long, value_name = "N", default_value = "4")]
    launches: u64,
    /// How many times as many blocks real launches have
    #[arg(long, value_name = "N", default_value = "16")]
    copies: u32,
    /// The CPU that kernels are compiled for, as in x86-64-v3: some forms are for narrow vectors [default: that of this machine]
    #[arg(long, value_name = "CPU")]
    cpu: Option<String>,
    /// A ptxrun that is built already [default: one is built for release]
    #[arg(long, value_name = "FILE")]
    ptxrun: Option<PathBuf>,
}

/// What a kernel takes without a form, as multiples of what it takes with it.
struct Ratio {
    launch: f64,
    compile: f64,
}

/// Measures, and prints a row for each form.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn measure(arguments: &BenchFormsArguments) -> Result<()> {
    ensure!(arguments.rounds > 0 && arguments.launches > 1, "a round has at least two launches");
    let forms = if arguments.forms.is_empty() {
        Form::ALL.to_vec()
    } else {
        let named = |name: &String| Form::named(name).with_context(|| format!("no form {name}"));
        arguments.forms.iter().map(named).collect::<Result<_>>()?
    };
    let ptxrun = match &arguments.ptxrun {
        Some(path) => path.clone(),
        None => {
            build_release("ptxrun")?;
            workspace().join("target/release/ptxrun")
        }
    };
    let ptxrun = ptxrun.canonicalize().with_context(|| format!("no {}", ptxrun.display()))?;
    let folder = workspace().join("target/bench-forms");
    let bench = benchmark(&folder)?;
    let real = cases(&folder, |name| SHOWN.iter().any(|start| name.starts_with(start)), arguments.copies)?;
    println!(
        "| form | benchmark | time without it | real kernels | time without it | compiling without it |"
    );
    println!("|---|---|---:|---|---:|---:|");
    for form in forms {
        let [of_bench, of_real] = [&bench, &real].map(|kernels| -> Result<Vec<(String, Ratio)>> {
            let mut found = Vec::new();
            for kernel in kernels {
                if let Some(ratio) = compare(&ptxrun, kernel, form, arguments)? {
                    found.push((kernel.name.clone(), ratio));
                }
            }
            Ok(found)
        });
        let (of_bench, of_real) = (of_bench?, of_real?);
        let list = |found: &[(String, Ratio)]| {
            let one = |(name, ratio): &(String, Ratio)| format!("{name} {}", short(ratio.launch));
            found.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let mean = |ratios: &mut dyn Iterator<Item = f64>| {
            let all: Vec<f64> = ratios.collect();
            let sum: f64 = all.iter().map(|ratio| ratio.ln()).sum();
            if all.is_empty() { "-".to_owned() } else { short((sum / all.len() as f64).exp()) }
        };
        println!(
            "| {form} | {} | {} | {} | {} | {} |",
            list(&of_bench),
            mean(&mut of_bench.iter().map(|(_, ratio)| ratio.launch)),
            list(&of_real),
            mean(&mut of_real.iter().map(|(_, ratio)| ratio.launch)),
            mean(&mut of_bench.iter().chain(&of_real).map(|(_, ratio)| ratio.compile)),
        );
    }
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The kernels of the benchmark.
fn benchmark(folder: &Path) -> Result<Vec<Real>> {
    let ptx = workspace().join("test-suite/bench/ptx").canonicalize()?;
    let of = |kernel: &str| {
        let work = Workload::new(kernel, SizeName::Medium.size())?;
        let place = folder.join(kernel);
        prepare(&work, &place)?;
        Ok(Real { name: kernel.to_owned(), ptx: ptx.join(format!("{kernel}.ptx")), place })
    };
    KERNELS.into_iter().map(of).collect()
}

/// Compares a kernel with a form and without it; `None` if its code is the same, and if it is not compiled.
fn compare(
    ptxrun: &Path,
    kernel: &Real,
    form: Form,
    arguments: &BenchFormsArguments,
) -> Result<Option<Ratio>> {
    let disable = format!("--disable={form}");
    let code = |options: &[&str]| -> Result<Option<Vec<u8>>> {
        let mut command = command(ptxrun, kernel, arguments)?;
        let output = command.args(["--print-after=code"]).args(options).output()?;
        Ok(Some(output.stdout).filter(|_| output.status.success()))
    };
    let (usual, without) = (code(&[])?, code(&[&disable])?);
    if usual.is_none() || usual == without {
        return Ok(None);
    }
    let mut ratios = [Vec::new(), Vec::new()];
    for _ in 0..arguments.rounds {
        let with = turn(ptxrun, kernel, &[], arguments)?;
        let without = turn(ptxrun, kernel, &[&disable], arguments)?;
        ratios[0].push(without[0] / with[0]);
        ratios[1].push(without[1] / with[1]);
    }
    let [launch, compile] = ratios.map(middle);
    Ok(Some(Ratio { launch, compile }))
}

/// Nanoseconds of processor time of a launch, and of what is before the first one.
fn turn(ptxrun: &Path, kernel: &Real, options: &[&str], arguments: &BenchFormsArguments) -> Result<[f64; 2]> {
    let mut command = command(ptxrun, kernel, arguments)?;
    command.args([
        "--threads=1",
        "--timeout=600",
        "--no-cache",
        "--engine=jit",
        "--check=none",
        "--time=json",
    ]);
    command.args(["--repeat", &arguments.launches.to_string()]).args(options);
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8_lossy(&output.stdout);
    let times: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let number = |value: &Value, key| value[key].as_u64().map(|number| number as f64).context("no time");
    let [first, others @ ..] = &times[..] else { bail!("{command:?} prints no times") };
    let launches = others.iter().map(|time| number(time, "cpu_ns")).collect::<Result<Vec<_>>>()?;
    Ok([middle(launches), number(first, "compile_ns")?])
}

fn command(ptxrun: &Path, kernel: &Real, arguments: &BenchFormsArguments) -> Result<Command> {
    let mut command = Command::new(ptxrun);
    command.arg(kernel.ptx.canonicalize()?).args(["--launch", "launch.json"]).current_dir(&kernel.place);
    command.args(arguments.cpu.iter().map(|cpu| format!("--cpu={cpu}")));
    Ok(command)
}
