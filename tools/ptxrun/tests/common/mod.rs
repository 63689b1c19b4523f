//! Where the tools and the documents are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the project.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Builds the tools and returns their folder.
pub fn tools() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "ptx2ll", "-p", "ll2ptx", "-p", "ptxrun"])
        .current_dir(workspace())
        .status()
        .expect("cargo runs");
    assert!(built.success());
    Path::new(env!("CARGO_BIN_EXE_ptxrun")).parent().expect("a folder").to_owned()
}
