//! The engines as programs: how each is found, built and run, and what its run took. A further engine is a variant here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use test_suite::kernels::Workload;
use test_suite::oracle::llvm_folder;

use super::specs;
use crate::cargo::{build, build_release, workspace};

/// What executes a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Engine {
    /// A program in C++ that does the same job.
    Native,
    /// `ptxrun --engine=interp`.
    Interp,
    /// `ptxrun --engine=jit`.
    Jit,
    /// The same with `--check=memory`.
    JitCheck,
    /// The kernel in OpenCL C, in pocl.
    Pocl,
}

/// What a run took, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Before the first launch.
    pub(crate) compile: u64,
    /// Processor time of a launch in the middle of the run's launches, the first one left out where there are several.
    pub(crate) cpu: u64,
}

impl Engine {
    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(|| format!("{self:?}"), |value| value.get_name().to_owned())
    }

    /// How many launches a run has. An interpreter takes long, and one launch is as good as many; so it is where no native program tells
    /// what several have to leave.
    pub(crate) fn launches(self, work: &Workload, is_single: bool) -> u64 {
        if self == Self::Interp || is_single { 1 } else { work.launches }
    }
}

/// Where the programs are.
pub(crate) struct Programs {
    native: Option<PathBuf>,
    opencl: Option<PathBuf>,
    ptxrun: PathBuf,
}

impl Programs {
    /// Builds what the engines need.
    pub(crate) fn find(
        engines: &[Engine],
        folder: &Path,
        ptxrun: Option<PathBuf>,
        is_release: bool,
    ) -> Result<Self> {
        let compiler = compiler();
        let bench = workspace().join("test-suite/bench");
        let native = folder.join("native");
        if let Some(compiler) = &compiler {
            for kernel in test_suite::kernels::KERNELS {
                let source = bench.join(format!("native/{kernel}.cpp"));
                compile(compiler, &[&source], &native.join(kernel), &[])?;
            }
        }
        let opencl = folder.join("opencl");
        if engines.contains(&Engine::Pocl) {
            let compiler = compiler.as_ref().context("no clang++")?;
            let host = compile(compiler, &[&bench.join("opencl/host.cpp")], &opencl, &["-lOpenCL"]);
            host.context(
                "pocl needs Debian's packages pocl-opencl-icd, ocl-icd-opencl-dev, opencl-c-headers",
            )?;
        }
        let is_native = compiler.is_some();
        ensure!(is_native || !engines.contains(&Engine::Native), "no clang++: apt-get install clang-22");
        let needs_ptxrun =
            engines.iter().any(|engine| matches!(engine, Engine::Interp | Engine::Jit | Engine::JitCheck));
        let ptxrun = match ptxrun {
            Some(path) => fs::canonicalize(&path).with_context(|| format!("no {}", path.display()))?,
            None => {
                match (needs_ptxrun, is_release) {
                    (true, true) => build_release("ptxrun")?,
                    (true, false) => build("ptxrun")?,
                    (false, _) => {}
                }
                let profile = if is_release { "release" } else { "debug" };
                workspace().join("target").join(profile).join("ptxrun")
            }
        };
        Ok(Self { native: is_native.then_some(native), opencl: Some(opencl), ptxrun })
    }

    /// Whether native programs tell what has to come of several launches.
    pub(crate) fn has_native(&self) -> bool {
        self.native.is_some()
    }

    /// Runs a kernel in the folder of its inputs.
    pub(crate) fn run(
        &self,
        engine: Engine,
        work: &Workload,
        place: &Path,
        launches: u64,
        threads: usize,
    ) -> Result<Sample> {
        let bench = workspace().canonicalize()?.join("test-suite/bench");
        let mut command = match engine {
            Engine::Native => {
                let folder = self.native.as_ref().context("no clang++: apt-get install clang-22")?;
                Command::new(folder.canonicalize()?.join(work.kernel))
            }
            Engine::Interp | Engine::Jit | Engine::JitCheck => {
                let mut command = Command::new(self.ptxrun.canonicalize()?);
                command.arg(bench.join(format!("ptx/{}.ptx", work.kernel)));
                command.args(["--launch", "launch.json", "--time=json", "--timeout", "600"]);
                command.args(["--remarks", "--error-format=json"]);
                let (name, checked) = match engine {
                    Engine::JitCheck => (Engine::Jit.name(), "memory"),
                    engine => (engine.name(), "none"),
                };
                command.args([
                    "--threads",
                    &threads.to_string(),
                    "--engine",
                    &name,
                    "--no-cache",
                    "--check",
                    checked,
                ]);
                command
            }
            Engine::Pocl => {
                let mut command = Command::new(self.opencl.as_ref().context("no pocl")?.canonicalize()?);
                let [[gx, gy], [bx, by]] = [work.grid, work.block];
                command.env("OPENCL_SOURCE", bench.join(format!("opencl/{}.cl", work.kernel)));
                command.env("OPENCL_KERNEL", work.kernel);
                command.env("OPENCL_SHAPE", format!("{gx} {gy} {bx} {by}"));
                let threads = threads.to_string();
                command.env("POCL_MAX_PTHREAD_COUNT", &threads).env("POCL_CPU_MAX_CU_COUNT", threads);
                command.env("POCL_KERNEL_CACHE", "0");
                command
            }
        };
        command.args(["--repeat", &launches.to_string()]).current_dir(place);
        if matches!(engine, Engine::Native | Engine::Pocl) {
            command.args(specs(work));
        }
        let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
        let notes = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("{command:?}: {notes}");
        }
        sample(&String::from_utf8_lossy(&output.stdout)).with_context(|| format!("{command:?}"))
    }
}

/// The reason of an error of ptxrun that a kernel is not compiled, where a line of its findings is one.
pub(crate) fn refusal(line: &str) -> Option<String> {
    let remark: serde_json::Value = serde_json::from_str(line).ok()?;
    let (_, why) = remark["message"].as_str()?.split_once("the kernel is not compiled: ")?;
    Some(why.to_owned())
}

fn sample(text: &str) -> Result<Sample> {
    let parse = |line| serde_json::from_str::<serde_json::Value>(line).context("no object of a launch");
    let lines = text.lines().map(parse).collect::<Result<Vec<_>>>()?;
    let number =
        |line: &serde_json::Value, key: &str| line[key].as_u64().with_context(|| format!("no {key}"));
    let first = lines.first().context("no launch")?;
    let timed = if lines.len() > 1 { &lines[1..] } else { &lines[..] };
    let mut cpu = timed.iter().map(|line| number(line, "cpu_ns")).collect::<Result<Vec<_>>>()?;
    cpu.sort_unstable();
    Ok(Sample { compile: number(first, "compile_ns")?, cpu: cpu[cpu.len() / 2] })
}

/// clang++ of LLVM's folder, or any.
fn compiler() -> Option<PathBuf> {
    let own = llvm_folder().join("bin/clang++");
    let runs = |program: &PathBuf| Command::new(program).arg("--version").output().is_ok();
    [own, PathBuf::from("clang++-22"), PathBuf::from("clang++")].into_iter().find(runs)
}

/// Compiles a program with the part that all share, unless it is newer than every source.
fn compile(compiler: &Path, sources: &[&Path], to: &Path, libraries: &[&str]) -> Result<()> {
    let shared = workspace().join("test-suite/bench/native");
    let changed =
        |path: &Path| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let all = fs::read_dir(&shared)?.filter_map(|entry| Some(entry.ok()?.path()));
    let newest = all.chain(sources.iter().map(|path| path.to_path_buf())).map(|path| changed(&path)).max();
    if to.is_file() && newest.is_some_and(|newest| newest < changed(to)) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let options =
        "-std=c++20 -O3 -march=native -mprefer-vector-width=512 -ffp-contract=off -fno-math-errno -Wno-psabi";
    let mut command = Command::new(compiler);
    command.args(options.split(' ')).arg("-I").arg(&shared).arg(shared.join("main.cpp")).args(sources);
    let output = command.args(libraries).arg("-o").arg(to).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
