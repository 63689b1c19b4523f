//! `cargo xtask book`: the documents as one book with search, made by mdBook.
//!
//! In go the documents of the repository, the instruction table, the codes of diagnostics with their examples and the help of the
//! tools; out comes a folder of HTML. The pages are written below `FOLDER/src` first, at the paths that they have in the repository, so
//! that their links to each other hold in both places.

mod links;
mod pages;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;

use crate::cargo::workspace;

/// The version of mdBook that makes the book.
const MDBOOK: &str = "0.5.4";

/// How mdBook shows the pages.
const CONFIGURATION: &str = "\
[book]
title = \"ptx-llvm\"
description = \"PTX to LLVM IR and back, and PTX on the host\"
language = \"en\"
src = \"src\"

[output.html]
default-theme = \"light\"
preferred-dark-theme = \"navy\"

[output.html.fold]
enable = true
level = 0

[output.html.search]
limit-results = 50
";

/// Where the book goes, and who makes it.
#[derive(Args)]
pub(crate) struct BookArguments {
    /// The output folder; an earlier book in it is replaced
    #[arg(default_value = "target/book")]
    folder: PathBuf,
    /// The program `mdbook` [default: the one on the search path, or else one that cargo installs into target/mdbook]
    #[arg(long, value_name = "PROGRAM")]
    mdbook: Option<PathBuf>,
    /// Write and check the pages, and do not run mdBook
    #[arg(long)]
    pages_only: bool,
}

/// Writes the pages and has mdBook make HTML of them, in `FOLDER/book`.
pub(crate) fn build(arguments: &BookArguments) -> Result<()> {
    let pages = pages::all()?;
    let wrong = links::broken(&pages);
    ensure!(wrong.is_empty(), "links lead nowhere:\n{}", wrong.join("\n"));
    let source = arguments.folder.join("src");
    if source.exists() {
        fs::remove_dir_all(&source).with_context(|| source.display().to_string())?;
    }
    for page in &pages {
        write(&source.join(&page.path), &links::inside(page, &pages))?;
    }
    write(&source.join("SUMMARY.md"), &pages::summary(&pages))?;
    write(&arguments.folder.join("book.toml"), CONFIGURATION)?;
    if arguments.pages_only {
        return Ok(());
    }
    let program = mdbook(arguments.mdbook.as_deref())?;
    let status = Command::new(&program).arg("build").arg(&arguments.folder).status();
    let status = status.with_context(|| program.display().to_string())?;
    ensure!(status.success(), "mdbook failed: {status}");
    Ok(())
}

/// The program that makes the book: the one that is asked for, one of the right version on the search path, or one that cargo installs.
fn mdbook(asked: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = asked {
        return Ok(program.to_owned());
    }
    let found = Command::new("mdbook").arg("--version").output();
    if found.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(MDBOOK)) {
        return Ok(PathBuf::from("mdbook"));
    }
    let root = workspace().join("target/mdbook");
    let program = root.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    if program.exists() {
        return Ok(program);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo)
        .args(["install", "--quiet", "--locked", "--no-default-features", "--features", "search", "--root"])
        .arg(&root)
        .arg(format!("mdbook@{MDBOOK}"))
        .status()
        .context("cargo")?;
    if !status.success() {
        bail!("mdBook is not installed; install it with `cargo install mdbook@{MDBOOK}`");
    }
    Ok(program)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
