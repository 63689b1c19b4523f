//! Random C programs of csmith's: on the host, and compiled by clang for a GPU and executed along every way, they have the same sum.

pub mod spmd;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_llvm_core::Context;

use crate::directive::Level;
use crate::judge::output_within;
use crate::oracle::Oracles;
use crate::ptx_program::{Way, rewrite};
use crate::stage;

/// How long a program may take on the host: what takes longer is too much for an interpreter.
const HOST_LIMIT: Duration = Duration::from_secs(2);
/// How long a compiler may take.
const COMPILER_LIMIT: Duration = Duration::from_secs(60);
/// How long a program may take in the interpreter.
const LIMIT: Duration = Duration::from_secs(60);
/// How the interpreter refuses an access beyond the end of a variable.
const OUT_OF_BOUNDS: &str = "error[X0201]";
/// What keeps programs small: an interpreter executes them.
const SMALL: &[&str] = &[
    "--no-argc",
    "--no-packed-struct",
    "--max-funcs",
    "4",
    "--max-block-size",
    "3",
    "--max-block-depth",
    "3",
];

/// What makes clang compile for a GPU, where arithmetic wraps and there are no libraries.
const FOR_A_GPU: &[&str] = &[
    "--target=nvptx64-nvidia-cuda",
    "-march=sm_90",
    "-Xclang",
    "-target-feature",
    "-Xclang",
    "+ptx86",
    "-nostdlib",
    "-ffreestanding",
    "-fwrapv",
    "-w",
];

/// Programs that take part, all but `cc` and the oracles of Debian's packages `csmith`, `libcsmith-dev` and `clang-22`.
#[derive(Clone, Debug)]
pub struct Tools {
    csmith: PathBuf,
    clang: PathBuf,
    /// The folder of csmith's `safe_math.h`.
    arithmetic: PathBuf,
    /// The folder of the header that programs include.
    header: PathBuf,
}

impl Tools {
    /// Looks for the programs.
    ///
    /// # Errors
    /// When one is missing; names the package that has it.
    pub fn find(workspace: &Path) -> Result<Self> {
        let in_path = |name: &str| {
            let folders = ["/usr/bin", "/usr/local/bin", "/usr/lib/llvm-22/bin"];
            folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
        };
        let csmith = in_path("csmith").context("no csmith: apt-get install csmith libcsmith-dev")?;
        let clang = in_path("clang-22").or_else(|| in_path("clang"));
        let clang = clang.context("no clang: apt-get install clang-22")?;
        let arithmetic = PathBuf::from("/usr/include/csmith");
        ensure!(arithmetic.join("safe_math.h").is_file(), "no safe_math.h: apt-get install libcsmith-dev");
        Ok(Self { csmith, clang, arithmetic, header: workspace.join("test-suite/csmith") })
    }
}

/// What became of a seed.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The same everywhere.
    Same,
    /// The same, but what LLVM's backend makes of it reads words beyond the end of a variable and was not executed further.
    Beyond,
    /// Not judged: the program takes too long on the host.
    Slow,
    /// The same wherever it was executed, but there is no code for it.
    Refused(&'static str),
    /// The ways that differ, and how.
    Differs {
        /// The program in C.
        source: String,
        /// A line for each way.
        ways: Vec<String>,
    },
}

/// Generates the program of a seed and executes it on the host and along every way.
///
/// # Errors
/// When csmith or a compiler fails.
pub fn judge(seed: u64, tools: &Tools, oracles: &Oracles) -> Result<Verdict> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let mut csmith = Command::new(&tools.csmith);
    // It leaves a file about the platform where it runs.
    csmith
        .current_dir(folder.path())
        .args(["--seed", &seed.to_string()])
        .args(SMALL)
        .arg("-o")
        .arg(path("program.c"));
    run(&mut csmith, "csmith")?;
    let source = fs::read_to_string(path("program.c"))?;
    let mut cc = Command::new("cc");
    cc.args(["-w", "-O1", "-fwrapv", "-I"]).arg(&tools.header).arg("-I").arg(&tools.arithmetic);
    run(cc.arg(path("program.c")).arg("-o").arg(path("program")), "cc")?;
    let host = output_within(&mut Command::new(path("program")), HOST_LIMIT);
    let Ok(host) = host else { return Ok(Verdict::Slow) };
    if !host.status.success() {
        return Ok(Verdict::Slow);
    }
    let wanted = String::from_utf8_lossy(&host.stdout).trim().to_owned();
    fs::write(path("device.c"), source.replacen("int main (void)", "static int csmith_main(void)", 1))?;
    let mut ways = Vec::new();
    let mut beyond = false;
    for level in ["-O0", "-O2"] {
        let ir = device(&path("device.c"), level, tools)?;
        beyond |= along_all_ways(&ir, level, &wanted, oracles, &mut ways);
    }
    Ok(match (ways.is_empty(), beyond) {
        (false, _) => Verdict::Differs { source, ways },
        (true, true) => Verdict::Beyond,
        (true, false) => Verdict::Same,
    })
}

/// Clang's LLVM IR for a GPU.
fn device(source: &Path, level: &str, tools: &Tools) -> Result<String> {
    let output = source.with_extension("ll");
    let mut clang = Command::new(&tools.clang);
    clang.args(FOR_A_GPU).args([level, "-S", "-emit-llvm", "-I"]);
    clang.arg(&tools.header).arg("-I").arg(&tools.arithmetic).arg(source).arg("-o").arg(&output);
    run(&mut clang, "clang")?;
    Ok(fs::read_to_string(output)?)
}

fn run(command: &mut Command, name: &str) -> Result<()> {
    let run = output_within(command, COMPILER_LIMIT)?;
    let complaint = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "{name}: {}", complaint.lines().take(4).collect::<Vec<_>>().join("\n"));
    Ok(())
}

/// Notes the ways along which the sum is another one. Whether the backend's PTX, as it is, reads beyond the end of a variable:
/// LLVM 22 makes one access of a word of the bytes at the end of an array, whose length is not a multiple of it.
fn along_all_ways(ir: &str, clang: &str, wanted: &str, oracles: &Oracles, ways: &mut Vec<String>) -> bool {
    let mut note = |name: String, sum: Result<String>| match sum {
        Ok(sum) if sum == wanted => {}
        Ok(sum) => ways.push(format!("clang {clang}, {name}: {sum} instead of {wanted}")),
        Err(error) => ways.push(format!("clang {clang}, {name}: {error:#}")),
    };
    for level in [Level::O0, Level::O2] {
        note(format!("raised at {level:?}"), raised(ir, level).and_then(|ptx| execute(&ptx)));
    }
    let backend = match oracles.compile(ir) {
        Ok(ptx) => ptx,
        Err(error) => {
            note("llc".to_owned(), Err(error));
            return false;
        }
    };
    let plain = execute(&backend);
    if plain.as_ref().is_err_and(|error| format!("{error:#}").contains(OUT_OF_BOUNDS)) {
        return true;
    }
    note("llc".to_owned(), plain);
    let all = [
        Way::RoundTrip(Level::O0),
        Way::RoundTrip(Level::O2),
        Way::RoundTrip(Level::O3),
        Way::Backend,
        Way::Stock,
    ];
    for way in all {
        let sum = rewrite(&backend, way, oracles).and_then(|ptx| execute(&ptx));
        note(format!("llc, {way:?}"), sum);
    }
    false
}

fn raised(ir: &str, level: Level) -> Result<String> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, "program", ir)?;
    stage::optimize(&mut llvm, level)?;
    stage::raise(&mut llvm)
}

/// The sum that a program's kernel stores, in hexadecimal digits.
fn execute(ptx: &str) -> Result<String> {
    let source = SourceFile::new("program.ptx", ptx);
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let mut launch = Launch::new("kernel");
    launch.threads = Some(NonZeroUsize::MIN);
    launch.limits.timeout = Some(LIMIT);
    launch.arguments = vec![Argument::Buffer(vec![0; 4])];
    let outcome = match ptx_exec::run(verified, &launch) {
        Ok(outcome) => outcome,
        Err(error) => bail!("execute: {}", stage::describe(&source, &error.into_diagnostics())),
    };
    let bytes = outcome.buffers.into_iter().next().flatten().context("no result")?;
    let sum = bytes.try_into().map(u32::from_le_bytes).ok().context("no result")?;
    Ok(format!("{sum:08x}"))
}
