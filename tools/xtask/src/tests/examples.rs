//! Examples in documentation comments: `cargo test --doc` for the packages that have some, as it takes seconds for each that has none.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::cargo::{cargo, workspace};

/// Runs the examples of all packages.
pub(super) fn run() -> Result<()> {
    let packages = packages()?;
    let mut command = cargo();
    command.args(["test", "--locked", "--quiet", "--doc", "--features", "ptx-device/llvm,ptx-device/jit"]);
    command.args(packages.iter().flat_map(|package| ["--package", package]));
    ensure!(command.status()?.success(), "examples in documentation fail");
    Ok(())
}

/// The packages of libraries whose comments have examples.
fn packages() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace().join("crates"))? {
        let entry = entry?;
        if has_example(&entry.path().join("src"))? {
            found.push(name(&fs::read_to_string(entry.path().join("Cargo.toml"))?)?);
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a package, which may be another than that of its folder, from its manifest.
fn name(manifest: &str) -> Result<String> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = "));
    Ok(line.context("a manifest without a name")?.trim_matches('"').to_owned())
}

fn has_example(folder: &Path) -> Result<bool> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = if path.is_dir() {
            has_example(&path)?
        } else {
            path.extension().is_some_and(|extension| extension == "rs") && is_in(&fs::read_to_string(&path)?)
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a comment opens a block of code that rustdoc takes for Rust: one that names no other language.
fn is_in(text: &str) -> bool {
    let mut is_open = false;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(comment) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
        let Some(language) = comment.trim_start().strip_prefix("```") else { continue };
        if !is_open
            && !language
                .split(',')
                .any(|word| ["text", "ignore", "ptx", "llvm", "c", "python"].contains(&word.trim()))
        {
            return true;
        }
        is_open = !is_open;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{is_in, packages};

    #[test]
    fn blocks_of_rust_are_examples() {
        assert!(is_in("/// ```\n/// let a = 1;\n/// ```\n"));
        assert!(is_in("    //! ```text\n    //! a\n    //! ```\n    //! ```compile_fail\n"));
        assert!(!is_in("/// ```text\n/// a\n/// ```\n// ```\n"));
    }

    #[test]
    fn examples_of_the_instruction_table_are_found() {
        let packages = packages().unwrap();
        for package in ["ptx-isa", "ptx-llvm", "ptx-llvm-ir", "ptx-llvm-syntax", "ptx-verify"] {
            assert!(packages.iter().any(|found| found == package), "{package} is not among {packages:?}");
        }
    }
}
