//! Finds the commit that the tools are built from, for `--version`.
//!
//! The files of git are read, not git run, so that this works without it, and runs again only when one of these files changes. Outside of a
//! checkout there is no commit, nor in debug builds: each commit would compile the tools and their tests again.

use std::fs;
use std::path::{Path, PathBuf};

/// The digits of a commit that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let (true, Ok(package)) = (is_release, std::env::var("CARGO_MANIFEST_DIR")) else { return };
    // The checkout of this project, not one that its sources are copied into.
    let root = Path::new(&package).join("../..");
    if let Some(commit) = git_folder(&root.join(".git")).and_then(|folder| commit(&folder)) {
        println!("cargo::rustc-env=PTX_LLVM_COMMIT={commit}");
    }
}

/// The folder of a checkout's own files: `.git`, or the one that `.git` names in a worktree.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = read(git)?;
    Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The commit of `HEAD`.
fn commit(folder: &Path) -> Option<String> {
    // It changes with each commit, also where the branch is only in `packed-refs` so far.
    read(&folder.join("logs/HEAD"));
    let head = read(&folder.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else { return shown(&head) };
    // The branches of a worktree are in the folder of the first checkout.
    let common = match read(&folder.join("commondir")) {
        Some(path) => folder.join(path.trim()),
        None => folder.to_owned(),
    };
    if let Some(commit) = read(&common.join(reference)) {
        return shown(&commit);
    }
    let packed = read(&common.join("packed-refs"))?;
    let line = packed.lines().find_map(|line| line.strip_suffix(reference)?.strip_suffix(' '));
    shown(line?)
}

/// A file's text. The script runs again when the file changes.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text)
}

fn shown(commit: &str) -> Option<String> {
    let digits = commit.trim().get(..DIGITS)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| digits.to_owned())
}
