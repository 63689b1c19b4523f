//! Chores that run cargo.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const TOOLS: [&str; 5] = ["ptx2ll", "ll2ptx", "ptxrun", "ptxdiff", "ptx-lsp"];
const SHELLS: [(&str, &str); 3] = [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")];

/// The workspace's folder.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the conformance tests so that they rewrite what they expect.
pub(crate) fn bless() -> Result<()> {
    let status = cargo()
        .args(["test", "--package", "test-suite", "--test", "conformance"])
        .env("BLESS", "1")
        .status()?;
    ensure!(status.success(), "some tests cannot be blessed");
    Ok(())
}

/// Asks each tool for its manual page and completion scripts.
pub(crate) fn write_manuals(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for tool in TOOLS {
        write(&folder.join(format!("{tool}.1")), &output_of(tool, &["--man"])?)?;
        for (shell, extension) in SHELLS {
            let script = output_of(tool, &["--completions", shell])?;
            write(&folder.join(format!("{tool}.{extension}")), &script)?;
        }
    }
    // Its arguments are those of other programs, so that they are tasks.
    let output = |words: &[&str]| output_of("ptx-cuda-tool", words);
    write(&folder.join("ptx-cuda.1"), &output(&["man"])?)?;
    for (shell, extension) in SHELLS {
        write(&folder.join(format!("ptx-cuda.{extension}")), &output(&["completions", shell])?)?;
    }
    Ok(())
}

/// Builds a tool, into `target/debug`.
pub(crate) fn build(tool: &str) -> Result<()> {
    let status = cargo().args(["build", "--quiet", "--package", tool]).status()?;
    ensure!(status.success(), "{tool} does not build");
    Ok(())
}

/// Builds a tool as it is released, into `target/release`.
pub(crate) fn build_release(tool: &str) -> Result<()> {
    let status = cargo().args(["build", "--quiet", "--release", "--package", tool]).status()?;
    ensure!(status.success(), "{tool} does not build");
    Ok(())
}

/// What a tool, built for debugging, prints to its standard output.
pub(crate) fn output_of(tool: &str, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = cargo().args(["run", "--quiet", "--package", tool, "--"]).args(arguments).output()?;
    ensure!(output.status.success(), "{tool} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// How many jobs run at a time.
pub(crate) fn jobs() -> usize {
    // Default: a system that does not tell is used as if it had one core.
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Cargo, in the workspace's folder.
pub(crate) fn cargo() -> Command {
    // Default: the one that is installed, for an `xtask` that Cargo did not start.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace());
    command
}
