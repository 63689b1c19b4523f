//! `cargo xtask book`: the documents as one book of HTML pages.
//!
//! In go the documents of the repository, the instruction table, the codes of diagnostics with their examples and the help of the
//! tools; out comes a folder of HTML, with the pages at the paths that they have in the repository. Links that lead nowhere are errors.

mod html;
mod links;
mod pages;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

/// Where the book goes.
#[derive(Args)]
pub(crate) struct BookArguments {
    /// The output folder; an earlier book in it is replaced
    #[arg(default_value = "target/book")]
    folder: PathBuf,
}

/// Checks the links of all pages, and writes the pages as HTML into the folder.
pub(crate) fn build(arguments: &BookArguments) -> Result<()> {
    let pages = pages::all()?;
    let wrong = links::broken(&pages);
    ensure!(wrong.is_empty(), "links lead nowhere:\n{}", wrong.join("\n"));
    if arguments.folder.exists() {
        fs::remove_dir_all(&arguments.folder).with_context(|| arguments.folder.display().to_string())?;
    }
    for page in &pages {
        write(&arguments.folder.join(html::file_of(&page.path)), &html::document(page, &pages))?;
    }
    write(&arguments.folder.join(html::STYLE_FILE), html::STYLE)?;
    write(&arguments.folder.join(html::SCRIPT_FILE), html::SCRIPT)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
