//! Runs every case of `cases/`: one trial for each `RUN:` line.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a test program reports to the terminal

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::corpus;
use test_suite::gpu;
use test_suite::lines::{self, Depth, Line, Stage, Verdict};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;
use test_suite::trial::{Bless, Case, Surroundings, collect};

/// Of real PTX every file is read, verified and printed, and this part must come through: all.
const PRINTED_PART: f64 = 1.0;
/// One file in this many goes through every stage, and this part must come through; `cargo xtask corpus` judges all.
const SAMPLE: usize = 31;
const SAMPLE_PART: f64 = 0.95;
/// Of these one instruction in this many is assembled here; `cargo xtask lines --until assemble` assembles all.
const LINES_SAMPLE: usize = 25;

fn main() -> ExitCode {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    if let Some(path) = std::env::var_os(corpus::JUDGE) {
        let stages = std::env::var(corpus::STAGES).ok();
        let mut out = std::io::stdout();
        let judged = corpus::judge_aloud(Path::new(&path), stages.as_deref(), &oracles, &mut out);
        return told(judged);
    }
    let bless = if std::env::var_os("BLESS").is_some_and(|v| v == "1") { Bless::Yes } else { Bless::No };
    let around = Arc::new(Surroundings { oracles, skips: Skips::default(), bless });
    let arguments = Arguments::from_args();
    let mut trials = match trials(&workspace, &around) {
        Ok(trials) => trials,
        Err(error) => return told(Err(error)),
    };
    if bless == Bless::No {
        trials = part_of(trials, &arguments);
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", around.skips.summary());
    conclusion.exit_code()
}

/// By default a part of the trials of kernels by other compilers, and of those that wait for programs beside LLVM.
fn part_of(trials: Vec<Trial>, arguments: &Arguments) -> Vec<Trial> {
    let is_of = |trial: &Trial, folder: &str| trial.name().starts_with(folder);
    let (triton, rest): (Vec<_>, Vec<_>) = trials.into_iter().partition(|trial| is_of(trial, "triton/"));
    let (toolkit, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|trial| is_of(trial, "toolkit/"));
    let (opt, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|trial| is_of(trial, "opt/"));
    let (random, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|trial| is_of(trial, "exec/random_"));
    let is_judged = |trial: &Trial| trial.name().ends_with("::parse") || trial.name().contains("::roundtrip");
    let (judged, mut all): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_judged);
    all.extend(sampled(arguments, "trials with kernels of Triton", triton, 40));
    all.extend(sampled(arguments, "trials with kernels of CUDA's libraries", toolkit, 12));
    all.extend(sampled(arguments, "trials with kernels like common benchmarks", opt, 20));
    all.extend(sampled(arguments, "trials of large random programs", random, 20));
    all.extend(sampled(arguments, "trials of printing and round trips", judged, 90));
    all
}

fn told(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn trials(workspace: &Path, around: &Arc<Surroundings>) -> anyhow::Result<Vec<Trial>> {
    let (cases, complaints) = collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"))?;
    let mut trials = Vec::new();
    for complaint in complaints {
        let name = format!("in order: {}", complaint.split(':').next().unwrap_or_default());
        trials.push(Trial::test(name, move || Err(Failed::from(complaint))));
    }
    let cases: Vec<Arc<Case>> = cases.into_iter().map(Arc::new).collect();
    trials.extend(recorded_trials(&cases, around)?);
    for case in cases {
        for run in &case.directives.runs {
            let (case, run, around) = (Arc::clone(&case), run.clone(), Arc::clone(around));
            let name = format!("{}::{}", case.name, Case::label(&run));
            trials.push(Trial::test(name, move || {
                Ok(case.run(&run, &around).map_err(|e| format!("{e:#}"))?)
            }));
        }
    }
    let required = std::env::var_os("CI").is_some_and(|v| v == "true");
    let missing = around.oracles.missing();
    trials.push(Trial::test("oracles are installed", move || {
        let unfit = required && !missing.is_empty();
        if unfit {
            Err(format!("with CI=true these are required: {}", missing.join(", ")).into())
        } else {
            Ok(())
        }
    }));
    let shared = std::env::var_os("PTX_SHARED").map_or(workspace.join("../shared"), |v| workspace.join(v));
    let here = shared.join("corpus/manifest.tsv").is_file();
    if !here {
        around.skips.count("no shared folder: real PTX not measured");
    }
    let target = target_folder();
    for (name, stages, step, part) in [
        ("printed", corpus::Stage::PRINTING.as_slice(), 1, PRINTED_PART),
        ("sample through every stage", &corpus::Stage::ALL, SAMPLE, SAMPLE_PART),
    ] {
        let own =
            move || measure(&format!("{name}, of the project"), corpus::own_files()?, stages, step, 1.0);
        trials.push(Trial::test(format!("corpus: own {name}"), move || {
            Ok(own().map_err(|e| format!("{e:#}"))?)
        }));
        let (shared, target) = (shared.clone(), target.clone());
        let measured = move || {
            let unpacked = corpus::unpack(&shared.join("corpus/ptx.tar.xz"), &target)?;
            let files = corpus::accepted_files(&shared.join("corpus/manifest.tsv"), &unpacked, &[])?;
            measure(name, files, stages, step, part)
        };
        let trial =
            Trial::test(format!("corpus: {name}"), move || Ok(measured().map_err(|e| format!("{e:#}"))?));
        trials.push(trial.with_ignored_flag(!here));
    }
    let table = shared.join("isa/matrix_full.tsv.gz");
    let here = table.is_file();
    if !here {
        around.skips.count("no shared folder: single instructions not carried through the stages");
    }
    let around = Arc::clone(around);
    let trial = Trial::test("every instruction lowers and comes back", move || {
        Ok(carry_lines(&table, &around).map_err(|e| format!("{e:#}"))?)
    });
    trials.push(trial.with_ignored_flag(!here));
    Ok(trials)
}

/// A trial for each recording from a GPU: the interpreter leaves the same. Cases without a recording are counted.
fn recorded_trials(cases: &[Arc<Case>], around: &Arc<Surroundings>) -> anyhow::Result<Vec<Trial>> {
    let recordings = gpu::recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("gpu"))?;
    for case in cases.iter().filter(|case| gpu::left_out(case).is_none()) {
        if recordings.iter().all(|(name, ..)| *name != case.name) {
            around.skips.count("no recording from a GPU: execution not compared with one");
        }
    }
    let trials = recordings.into_iter().map(|(name, device, recording)| {
        let case = cases.iter().find(|case| case.name == name).cloned();
        let around = Arc::clone(around);
        Trial::test(format!("{name}::gpu {device}"), move || {
            let case = case.ok_or("a recording of a case that is not there")?;
            let job = gpu::job(&case).map_err(|e| format!("{e:#}"))??;
            if job.digest != recording.digest {
                around.skips.count("a case was changed after its recording from a GPU: not compared");
                return Ok(());
            }
            Ok(recording.compare(&case).map_err(|e| format!("{e:#}"))?)
        })
    });
    Ok(trials.collect())
}

/// Carries every line that ptxas accepts to LLVM IR and back, and lets it assemble a sample. What the reader or the verifier refuses is
/// their own test's concern.
fn carry_lines(table: &Path, around: &Surroundings) -> anyhow::Result<()> {
    let all = lines::accepted(table)?;
    anyhow::ensure!(all.len() > 1000, "only {} lines in {}", all.len(), table.display());
    let few = all.len() / 16;
    let all = testing::sample("instructions carried to LLVM IR and back", all, few);
    let sample: Vec<Line> = all.iter().step_by(LINES_SAMPLE).cloned().collect();
    let mut failed = Vec::new();
    for (lines, depth) in [(&all, Depth::Raise), (&sample, Depth::Assemble)] {
        for (line, verdict) in lines.iter().zip(lines::judge(lines, depth, &around.oracles)?) {
            if let Verdict::Passed(said) = verdict
                && !said.keeps_promise()
            {
                failed.push(format!("{}: {}, not as the instruction table says", line.text, said.way));
                continue;
            }
            if let Verdict::Failed(stage @ (Stage::Lower | Stage::Raise | Stage::Assemble), why) = verdict {
                failed.push(format!("{stage:?}: {}: {why}", line.text));
            }
        }
    }
    anyhow::ensure!(failed.is_empty(), "{} lines failed:\n{}", failed.len(), failed.join("\n"));
    Ok(())
}

/// The folder of build products, from where this program lies (`target/PROFILE/deps/conformance-HASH`).
fn target_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).unwrap_or(Path::new("target")).to_owned()
}

/// Judges one file of real PTX in `step`; `part` of them must pass.
fn measure(
    name: &str,
    files: Vec<PathBuf>,
    stages: &[corpus::Stage],
    step: usize,
    part: f64,
) -> anyhow::Result<()> {
    let all: Vec<PathBuf> = files.into_iter().step_by(step).collect();
    let few = if step == 1 { 150 } else { 10 };
    let sample = testing::sample(&format!("files of real PTX {name}"), all, few);
    let jobs = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let limit = Duration::from_secs(120);
    let reports = corpus::measure(&std::env::current_exe()?, stages, &sample, jobs, limit)?;
    let passed = reports.iter().filter(|report| report.passed_all()).count();
    let mut text = corpus::summary(&reports);
    for report in &reports {
        if let Some((stage, said)) = report.failure() {
            let first = said.lines().next().unwrap_or_default();
            text.push_str(&format!("{}: {}: {first}\n", report.path.display(), stage.as_str()));
        }
    }
    anyhow::ensure!(passed as f64 >= part * reports.len() as f64, "{text}");
    Ok(())
}
