//! Jobs for a GPU and what came of them, the two ends of `scripts/gpu-golden`: `cargo xtask gpu-cases` and `gpu-record` for the execution tests,
//! `cargo xtask gpu-programs` and `gpu-compare` for generated programs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use test_suite::directive::Level;
use test_suite::gpu::{Amount, Device, Job, Output, differences, job, jobs, record};
use test_suite::trial::{Case, collect};

use crate::cargo::workspace;

/// Writes the jobs into a file, one as JSON on each line, and prints how many there are.
pub(crate) fn write_cases(file: &Path, through: Option<&str>) -> Result<()> {
    let through = level(through)?;
    let (mut lines, mut launches, mut left_out) = (Vec::new(), 0, BTreeMap::<&str, usize>::new());
    for case in cases()? {
        match job(&case).with_context(|| case.name.clone())? {
            Ok(job) => {
                // Faults that are planted may be such that raising finds them.
                let Ok(job) = through.map_or(Ok(job.clone()), |level| job.through_llvm(level)) else {
                    *left_out.entry("refused on the way through LLVM IR").or_default() += 1;
                    continue;
                };
                launches += job.launches.len();
                lines.push(serde_json::to_string(&job)? + "\n");
            }
            Err("not executed") => {}
            Err(why) => *left_out.entry(why).or_default() += 1,
        }
    }
    write(file, &lines.concat())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{launches} launches of {} files", lines.len())?;
    for (why, count) in left_out {
        writeln!(out, "left out: {count} files ({why})")?;
    }
    Ok(())
}

/// The optimization level of a name.
fn level(name: Option<&str>) -> Result<Option<Level>> {
    let all = [Level::O0, Level::O1, Level::O2, Level::O3];
    let Some(name) = name else { return Ok(None) };
    let found = all.into_iter().find(|level| level.as_str().trim_start_matches('-') == name);
    found.map(Some).with_context(|| format!("`{name}` is not an optimization level"))
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| file.display().to_string())
}

/// Which programs are generated, and where they go.
#[derive(Args)]
pub(crate) struct ProgramArguments {
    /// The file; one job on each line
    file: PathBuf,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random kernels with communicating threads
    #[arg(long, default_value_t = 200)]
    kernels: u64,
    /// Random programs with known results
    #[arg(long, default_value_t = 200)]
    programs: u64,
    /// Maximum number of combinations of modifiers of each scalar opcode
    #[arg(long, default_value_t = 40)]
    mnemonics: usize,
    /// Operands for each instruction
    #[arg(long, default_value_t = 200)]
    operands: usize,
    /// The compute capability of the GPU, 90 for `sm_90`
    #[arg(long, default_value_t = 90)]
    capability: u16,
    /// Write PTX that was lowered to LLVM IR, optimized at this level, and raised: O0 to O3
    #[arg(long, value_name = "LEVEL")]
    through: Option<String>,
}

/// Writes generated programs into a file, one as JSON on each line.
pub(crate) fn write_programs(arguments: &ProgramArguments) -> Result<()> {
    let &ProgramArguments { ref file, seed, kernels, programs, mnemonics, operands, capability, ref through } =
        arguments;
    let mut jobs = jobs(Amount { seed, kernels, programs, mnemonics, operands }, capability)?;
    if let Some(level) = level(through.as_deref())? {
        jobs = jobs.into_iter().map(|job| job.through_llvm(level)).collect::<Result<_>>()?;
    }
    let lines: Vec<String> = jobs.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    write(file, &(lines.join("\n") + "\n"))?;
    let launches: usize = jobs.iter().map(|job| job.launches.len()).sum();
    Ok(writeln!(std::io::stdout().lock(), "{launches} launches of {} files", jobs.len())?)
}

/// Prints what a GPU left otherwise than generated programs have to.
pub(crate) fn compare_outputs(programs: &Path, outputs: &Path) -> Result<()> {
    let jobs = fs::read_to_string(programs).with_context(|| programs.display().to_string())?;
    let jobs: Vec<Job> = jobs.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let text = fs::read_to_string(outputs).with_context(|| outputs.display().to_string())?;
    let mut lines = text.lines();
    let device: Device = serde_json::from_str(lines.next().context("the file is empty")?)?;
    let outputs: Vec<Output> = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (differing, same) = differences(&jobs, &outputs)?;
    let mut out = std::io::stdout().lock();
    for line in &differing {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}: {same} launches agree, {} differ", device.device, differing.len())?;
    ensure!(differing.is_empty(), "the GPU left something else after {} launches", differing.len());
    Ok(())
}

/// Judges what a GPU gave: what the cases expect is recorded, and the rest printed.
pub(crate) fn record_outputs(file: &Path, judge_only: bool) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines = text.lines();
    let device: Device = serde_json::from_str(lines.next().context("the file is empty")?)?;
    let mut outputs: BTreeMap<String, Vec<Output>> = BTreeMap::new();
    for line in lines {
        let output: Output = serde_json::from_str(line)?;
        outputs.entry(output.name.clone()).or_default().push(output);
    }
    let mut out = std::io::stdout().lock();
    let (mut recorded, mut failed) = (0, 0);
    for case in cases()? {
        let Some(outputs) = outputs.remove(&case.name) else { continue };
        let job = job(&case)?.map_err(anyhow::Error::msg).with_context(|| case.name.clone())?;
        match record(&case, &job, &device, &outputs) {
            Ok(_) if judge_only => recorded += 1,
            Ok(recording) => {
                let path = recording.path(&workspace().join("test-suite/gpu"), &case.name);
                path.parent().map(fs::create_dir_all).transpose()?;
                fs::write(path, serde_json::to_string_pretty(&recording)? + "\n")?;
                recorded += 1;
            }
            Err(error) => {
                writeln!(out, "{}: {error:#}", case.name)?;
                failed += 1;
            }
        }
    }
    let what = if judge_only { "agree" } else { "recorded" };
    writeln!(out, "{}: {recorded} files {what}, {failed} differ", device.device)?;
    ensure!(outputs.is_empty(), "no such cases: {:?}", outputs.keys());
    ensure!(failed == 0, "the GPU gave something else than {failed} cases expect");
    Ok(())
}

fn cases() -> Result<Vec<Case>> {
    let (cases, complaints) = collect(&workspace().join("test-suite/cases"))?;
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(cases)
}
