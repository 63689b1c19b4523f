//! The Python package `ptx_llvm`: `cargo xtask python`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use test_suite::oracle::nvidia_folder;
use test_suite::skip::Skips;

use crate::cargo::{cargo, workspace};

/// What is tested.
#[derive(Args)]
pub(crate) struct PythonArguments {
    /// Test what `cargo build` has made of the package `ptx-python` before
    #[arg(long)]
    built: bool,
    /// Build the wheel that is released, with LLVM in it, and test that, installed in a virtual environment
    #[arg(long, conflicts_with = "built")]
    wheel: bool,
    /// Run only the tests whose names contain this
    #[arg(value_name = "TEXT")]
    tests: Vec<String>,
    /// The Python that runs them
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
}

/// The oldest Python that has the interface of the package.
const OLDEST: (u32, u32) = (3, 11);

/// What tests need of Python: a program, and folders with packages.
struct Python {
    program: PathBuf,
    packages: Vec<PathBuf>,
}

/// Builds the package and runs its tests.
pub(crate) fn test(arguments: &PythonArguments) -> Result<()> {
    let skips = Skips::default();
    if let Some(missing) = missing(&arguments.python) {
        // Default: the variable is missing outside of CI.
        ensure!(std::env::var("CI").unwrap_or_default() != "true", "{missing}");
        skips.count(&format!("the Python package: {missing}"));
        return tell(&skips);
    }
    let folder = workspace().join("target/python");
    let python =
        if arguments.wheel { install_wheel(arguments, &folder)? } else { place(arguments, &folder)? };
    run(&python, arguments, &skips)?;
    tell(&skips)
}

fn tell(skips: &Skips) -> Result<()> {
    writeln!(io::stdout().lock(), "{}", skips.summary())?;
    Ok(())
}

/// Why the package cannot be tested with a Python.
fn missing(python: &Path) -> Option<String> {
    let output = Command::new(python).args(["-c", "import sys; print(*sys.version_info[:2])"]).output();
    let Ok(output) = output else { return Some(format!("there is no {}", python.display())) };
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text
        .trim()
        .split_once(' ')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    match version {
        Some(version) if version >= OLDEST => None,
        _ => Some(format!("{} is older than Python {}.{}", python.display(), OLDEST.0, OLDEST.1)),
    }
}

/// The folder that `scripts/setup` installs packages of Python in.
fn installed(name: &str) -> PathBuf {
    nvidia_folder().join(name)
}

/// Builds the package for debugging, and puts it together in a folder without installing it.
fn place(arguments: &PythonArguments, folder: &Path) -> Result<Python> {
    if !arguments.built {
        let built = cargo().args(["build", "--quiet", "--locked", "--package", "ptx-python"]).status()?;
        ensure!(built.success(), "ptx-python does not build");
    }
    let package = folder.join("placed/ptx_llvm");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    for file in fs::read_dir(workspace().join("crates/ptx-python/python/ptx_llvm"))? {
        let file = file?;
        if fs::metadata(file.path())?.is_file() {
            fs::copy(file.path(), package.join(file.file_name()))?;
        }
    }
    let library = workspace().join("target/debug/libptx_python.so");
    // A library of hundreds of megabytes is not copied.
    let to = package.join("_native.abi3.so");
    fs::hard_link(&library, &to)
        .or_else(|_| fs::copy(&library, &to).map(drop))
        .with_context(|| format!("{} is not built", library.display()))?;
    let packages = vec![folder.join("placed"), installed("python"), installed("python-tools")];
    Ok(Python { program: arguments.python.clone(), packages })
}

/// Builds the wheel, and installs it with NumPy in a virtual environment.
fn install_wheel(arguments: &PythonArguments, folder: &Path) -> Result<Python> {
    let programs = installed("python-tools/bin");
    let maturin = programs.join("maturin");
    ensure!(
        maturin.exists(),
        "there is no maturin in {}: `scripts/setup all` installs it",
        maturin.display()
    );
    let (wheels, environment) = (workspace().join("target/wheels"), folder.join("environment"));
    let manifest = workspace().join("crates/ptx-python/Cargo.toml");
    // It edits the library that Cargo has made, and does not accept one that it has edited before; without it Cargo makes it again.
    let edited = workspace().join("target/release/deps/libptx_python.so");
    if edited.exists() {
        fs::remove_file(edited)?;
    }
    let mut build = Command::new(maturin);
    // It calls patchelf.
    let others = std::env::var_os("PATH").context("there is no PATH")?;
    build.env("PATH", std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&others)))?);
    build.args(["build", "--release", "--locked", "--manifest-path"]).arg(manifest).arg("--out").arg(&wheels);
    succeed(build.arg("--interpreter").arg(&arguments.python))?;
    let wheel = newest(&wheels)?;
    let size = fs::metadata(&wheel)?.len();
    writeln!(io::stdout().lock(), "{}: {size} bytes", wheel.display())?;
    succeed(Command::new(&arguments.python).args(["-m", "venv", "--clear"]).arg(&environment))?;
    let program = environment.join("bin/python");
    let mut install = Command::new(&program);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy"]).arg(wheel);
    succeed(&mut install)?;
    Ok(Python { program, packages: vec![installed("python-tools")] })
}

/// The wheel that was built last.
fn newest(folder: &Path) -> Result<PathBuf> {
    let mut newest = None;
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            newest = newest.max(Some((fs::metadata(&path)?.modified()?, path)));
        }
    }
    let (_, path) = newest.with_context(|| format!("there is no wheel in {}", folder.display()))?;
    Ok(path)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

/// Runs the tests, and counts those that are skipped.
fn run(python: &Python, arguments: &PythonArguments, skips: &Skips) -> Result<()> {
    let tests = workspace().join("crates/ptx-python/tests");
    let mut command = Command::new(&python.program);
    command.args(["-B", "-m", "unittest", "discover", "--verbose", "--start-directory"]).arg(&tests);
    command.args(arguments.tests.iter().flat_map(|text| ["-k", text]));
    command.env("PYTHONPATH", std::env::join_paths(&python.packages)?);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{}{text}", String::from_utf8_lossy(&output.stdout));
    }
    for line in text.lines() {
        if let Some((_, reason)) = line.split_once("... skipped ") {
            skips.count(&format!("a test of the Python package: {}", reason.trim_matches('\'')));
        }
    }
    let summary = text.lines().find(|line| line.starts_with("Ran "));
    let summary = summary.context("the tests of Python tell no number")?;
    ensure!(!summary.starts_with("Ran 0 "), "there is no such test");
    writeln!(io::stdout().lock(), "{summary}")?;
    Ok(())
}
