//! Where the tools and the documents are.

use std::path::{Path, PathBuf};

/// The folder of the project.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Builds the tools and returns their folder.
pub fn tools() -> PathBuf {
    testing::built(&["ptx2ll", "ll2ptx", "ptxrun", "ptxdiff"], &[])
}
