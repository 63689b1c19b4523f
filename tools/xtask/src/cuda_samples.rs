//! NVIDIA's cuda-samples, compiled with PTX alone and linked with `libcudart.so.13` of this project: which compile, run and pass.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::cargo::{cargo, workspace};

#[derive(Args)]
pub(crate) struct CudaSamplesArguments {
    /// NVIDIA's cuda-samples
    folder: PathBuf,
    /// The names of samples; all by default
    samples: Vec<String>,
    /// The processor time that a sample may take, in seconds; it may run ten times as long
    #[arg(long, default_value_t = 100)]
    seconds: u64,
    /// The folder that they are built in; each has a file `log` there
    #[arg(long, default_value = "target/cuda-samples")]
    out: PathBuf,
    /// Folders with further headers: cuda_profiler_api.h is not in the package of the compiler
    #[arg(long, short = 'I')]
    include: Vec<PathBuf>,
}

/// What a CMake file says of a sample.
#[derive(Debug)]
struct Sample {
    program: String,
    sources: Vec<String>,
    /// What it needs besides the driver and the runtime.
    needs: BTreeSet<String>,
    is_linked: bool,
    uses_driver: bool,
    uses_openmp: bool,
    /// The names of files with device code that are compiled to what the program loads, `fatbin` or `ptx`.
    loaded: BTreeSet<(String, &'static str)>,
}

/// The words that follow each occurrence of a text.
fn words_after<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(before)
        .skip(1)
        .map(move |rest| rest.find(|character| !is_part(character)).map_or(rest, |end| &rest[..end]))
}

impl Sample {
    fn read(text: &str) -> Option<Self> {
        let lines = text.lines().map(|line| line.split_once('#').map_or(line, |(code, _)| code));
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        let executable = text.split("add_executable(").nth(1)?.split(')').next()?;
        let mut words = executable.split_whitespace();
        let program = words.next()?.to_owned();
        let is_source =
            |word: &&str| !word.starts_with('$') && !word.ends_with(".h") && !word.ends_with(".cuh");
        let mut needs: BTreeSet<String> = words_after(&text, "CUDA::").map(str::to_owned).collect();
        needs.retain(|name| !matches!(name.as_str(), "cudart" | "cuda_driver" | "toolkit"));
        let packages = words_after(&text, "find_package(")
            .filter(|name| !matches!(*name, "CUDAToolkit" | "Threads" | "OpenMP"));
        needs.extend(packages.map(str::to_owned));
        needs.extend(text.contains("NvSci").then(|| "NvSci".to_owned()));
        let loaded = ["fatbin", "ptx"].into_iter().flat_map(|kind| {
            let ending = format!("64.{kind}");
            let name =
                |word: &str| Some(word.split_once(&ending)?.0.rsplit(['/', '}', '"']).next()?.to_owned());
            let names: Vec<_> = text.split_whitespace().filter_map(name).collect();
            names.into_iter().filter(|name| !name.is_empty()).map(move |name| (name, kind))
        });
        let loaded = loaded.collect();
        Some(Self {
            program,
            sources: words
                .filter(is_source)
                .map(|word| word.replace("${CMAKE_CURRENT_SOURCE_DIR}/", ""))
                .collect(),
            needs,
            is_linked: text.contains("CUDA_SEPARABLE_COMPILATION ON"),
            uses_driver: text.contains("CUDA::cuda_driver"),
            uses_openmp: text.contains("OpenMP"),
            loaded,
        })
    }
}

/// What became of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Passed,
    /// It said that the device lacks something.
    Waived,
    Failed,
    TimedOut,
    DoesNotCompile,
    NeedsMore,
}

impl Outcome {
    fn text(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Waived => "waived",
            Outcome::Failed => "**failed**",
            Outcome::TimedOut => "**ran out of time**",
            Outcome::DoesNotCompile => "does not compile",
            Outcome::NeedsMore => "needs more",
        }
    }
}

struct Setup<'a> {
    arguments: &'a CudaSamplesArguments,
    nvcc: PathBuf,
    libraries: PathBuf,
}

impl Setup<'_> {
    fn compiler(&self, work: &Path) -> Command {
        let mut compiler = Command::new(&self.nvcc);
        compiler.current_dir(work).args(["-std=c++17", "-w", "--extended-lambda", "-cudart", "shared"]);
        compiler.args(["-gencode", "arch=compute_90,code=compute_90", "-I.", "-Iinc"]);
        for folder in self.arguments.include.iter().chain([&self.arguments.folder.join("Common")]) {
            compiler.arg("-I").arg(folder);
        }
        compiler
    }

    /// Compiles a sample, and returns what the compiler says of what it cannot.
    fn compile(&self, sample: &Sample, work: &Path) -> Result<Option<String>> {
        for (name, kind) in &sample.loaded {
            let mut compiler = self.compiler(work);
            compiler.args([&format!("-{kind}"), &format!("{name}.cu"), "-o", &format!("{name}64.{kind}")]);
            compiler.output()?;
        }
        let mut compiler = self.compiler(work);
        compiler.arg("-L").arg(&self.libraries).args(["-o", &sample.program]);
        compiler.args(sample.is_linked.then_some("-rdc=true"));
        for source in &sample.sources {
            compiler.arg(
                source.replace("../../../Common", &self.arguments.folder.join("Common").to_string_lossy()),
            );
        }
        compiler.args(sample.uses_driver.then_some("-lcuda"));
        compiler.args(sample.uses_openmp.then_some(["-Xcompiler", "-fopenmp"]).into_iter().flatten());
        let output = compiler.output()?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        fs::write(work.join("log"), &errors)?;
        let first = || errors.lines().next().map_or_else(|| output.status.to_string(), str::to_owned);
        Ok((!output.status.success()).then(first))
    }

    /// Runs a sample, and returns the last line that it prints.
    fn run(&self, sample: &Sample, work: &Path) -> Result<(Outcome, String)> {
        let log = fs::File::create(work.join("log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -t \"$0\" && exec \"$1\"", &self.arguments.seconds.to_string()]);
        command.arg(work.join(&sample.program));
        command.current_dir(work).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        command.env("LD_LIBRARY_PATH", &self.libraries).env("PTX_CUDA_LOG", work.join("cuda.log"));
        let mut child = command.spawn()?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait()? {
                Some(status) => break Some(status),
                None if start.elapsed() > Duration::from_secs(10 * self.arguments.seconds) => {
                    child.kill()?;
                    child.wait()?;
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let printed = fs::read(work.join("log"))?;
        let printed = String::from_utf8_lossy(&printed);
        let last = match printed.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) => line.trim().to_owned(),
            None => "(nothing)".to_owned(),
        };
        let outcome = match status.map(|status| (status.code(), status.signal())) {
            // It is killed when its processor time is over.
            None | Some((None, Some(9 | 24))) => Outcome::TimedOut,
            Some((Some(0), _)) => Outcome::Passed,
            // `EXIT_WAIVED` of the samples.
            Some((Some(2), _)) => Outcome::Waived,
            Some(_) => Outcome::Failed,
        };
        Ok((outcome, last))
    }

    fn judge(&self, sample: &Sample, folder: &Path, work: &Path) -> Result<(Outcome, String)> {
        if !sample.needs.is_empty() {
            let needs: Vec<&str> = sample.needs.iter().map(String::as_str).collect();
            return Ok((Outcome::NeedsMore, needs.join(", ")));
        }
        if work.exists() {
            fs::remove_dir_all(work)?;
        }
        copy(folder, work)?;
        // The build files put data beside the programs.
        if work.join("data").exists() {
            copy(&work.join("data"), work)?;
        }
        match self.compile(sample, work)? {
            Some(error) => Ok((Outcome::DoesNotCompile, error)),
            None => self.run(sample, work),
        }
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The folders of samples, in order. Those of libNVVM and of other systems are not programs of the runtime.
fn samples(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let list = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        paths.retain(|path| path.is_dir());
        paths.sort();
        Ok(paths)
    };
    for group in list(&folder.join("Samples"))? {
        let is_ours = group.file_name().is_some_and(|name| !name.to_string_lossy().starts_with(['7', '8']));
        if is_ours {
            found.extend(list(&group)?.into_iter().filter(|sample| sample.join("CMakeLists.txt").exists()));
        }
    }
    Ok(found)
}

/// The libraries under the names that programs look for, as they are released.
fn libraries(out: &Path) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--features", "ptx-cuda/jit"]);
    let status = build.args(["-p", "ptx-cuda", "-p", "ptx-cudart-13"]).status()?;
    ensure!(status.success(), "the libraries do not build");
    let folder = out.join("lib");
    fs::create_dir_all(&folder)?;
    let built = workspace().join("target/release").canonicalize()?;
    let links = [
        ("libcuda.so", "libcuda.so"),
        ("libcuda.so", "libcuda.so.1"),
        ("libcudart13.so", "libcudart.so"),
        ("libcudart13.so", "libcudart.so.13"),
    ];
    for (file, name) in links {
        let link = folder.join(name);
        if link.is_symlink() {
            fs::remove_file(&link)?;
        }
        std::os::unix::fs::symlink(built.join(file), link)?;
    }
    Ok(folder)
}

/// Compiles and runs the samples, and prints a table in Markdown.
pub(crate) fn measure(arguments: &CudaSamplesArguments) -> Result<()> {
    let nvcc = workspace().join(".oracle/bin/nvcc");
    ensure!(nvcc.exists(), "nvcc is missing: run scripts/setup test");
    fs::create_dir_all(&arguments.out)?;
    let out = arguments.out.canonicalize()?;
    let absolute = CudaSamplesArguments {
        folder: arguments.folder.canonicalize().context("the samples are missing")?,
        samples: arguments.samples.clone(),
        seconds: arguments.seconds,
        out: out.clone(),
        include: arguments.include.iter().map(|folder| folder.canonicalize()).collect::<Result<_, _>>()?,
    };
    let setup = Setup { arguments: &absolute, nvcc: nvcc.canonicalize()?, libraries: libraries(&out)? };
    let mut printed = std::io::stdout().lock();
    writeln!(printed, "| sample | result | last line, or what it needs |\n|---|---|---|")?;
    let mut outcomes = Vec::new();
    for folder in samples(&absolute.folder)? {
        let name = folder.file_name().context("a sample")?.to_string_lossy().into_owned();
        let is_chosen = absolute.samples.is_empty() || absolute.samples.contains(&name);
        let text = fs::read_to_string(folder.join("CMakeLists.txt"))?;
        let Some(sample) = Sample::read(&text).filter(|_| is_chosen) else { continue };
        let (outcome, last) = setup.judge(&sample, &folder, &out.join(&name))?;
        let last: String = last.replace('|', "\\|").chars().take(100).collect();
        writeln!(printed, "| `{name}` | {} | {last} |", outcome.text())?;
        outcomes.push(outcome);
    }
    let count = |of: &[Outcome]| outcomes.iter().filter(|outcome| of.contains(outcome)).count();
    writeln!(
        printed,
        "\n{} samples: {} need other libraries, {} do not compile, {} pass, {} are waived, {} fail, {} run out of time",
        outcomes.len(),
        count(&[Outcome::NeedsMore]),
        count(&[Outcome::DoesNotCompile]),
        count(&[Outcome::Passed]),
        count(&[Outcome::Waived]),
        count(&[Outcome::Failed]),
        count(&[Outcome::TimedOut])
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_files_are_read() {
        let text = "find_package(CUDAToolkit REQUIRED)\nfind_package(OpenGL) # not CUDA::npp\n\
                    add_executable(one one.cu part.cpp part.h ${OTHERS})\n\
                    target_link_libraries(one PRIVATE CUDA::cublas CUDA::cuda_driver)\n\
                    set_target_properties(one PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n\
                    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/kernel64.fatbin\n\
                    set(CUDA_PTX_FILE \"${CMAKE_CURRENT_BINARY_DIR}/other64.ptx\")\n";
        let sample = Sample::read(text).unwrap();
        assert_eq!(
            (sample.program.as_str(), sample.sources),
            ("one", vec!["one.cu".to_owned(), "part.cpp".to_owned()])
        );
        assert_eq!(sample.needs, BTreeSet::from(["cublas".to_owned(), "OpenGL".to_owned()]));
        assert!(sample.is_linked && sample.uses_driver && !sample.uses_openmp);
        assert_eq!(
            sample.loaded,
            BTreeSet::from([("kernel".to_owned(), "fatbin"), ("other".to_owned(), "ptx")])
        );
        assert!(Sample::read("project(two)").is_none());
    }
}
