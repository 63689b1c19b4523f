//! Tools and libraries of other packages, which Cargo builds for no test.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the folder of tools and libraries that are up to date, so that no test has to build them.
pub const BUILT: &str = "PTX_BUILT";

/// The folder with what Cargo makes of these packages, which it builds first unless `PTX_BUILT` names a folder.
///
/// The profile is that of the test, which is in `target/PROFILE/deps`.
///
/// # Panics
/// When they do not build.
pub fn built(packages: &[&str], features: &[&str]) -> PathBuf {
    build(packages, features, &[])
}

/// The folder with the examples of these packages, as [`built`], with these features and no default ones.
///
/// # Panics
/// When they do not build.
pub fn built_examples(packages: &[&str], features: &[&str]) -> PathBuf {
    build(packages, features, &["--examples", "--no-default-features"]).join("examples")
}

fn build(packages: &[&str], features: &[&str], what: &[&str]) -> PathBuf {
    if let Some(folder) = std::env::var_os(BUILT) {
        return PathBuf::from(folder);
    }
    let test = std::env::current_exe().expect("a program");
    let folder = test.ancestors().nth(2).expect("target/PROFILE").to_owned();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(profile) => profile,
        None => panic!("no profile in {folder:?}"),
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
        .args(["build", "--quiet", "--profile", profile, "--target-dir"])
        .arg(folder.parent().expect("target"));
    command.args(what).args(packages.iter().flat_map(|package| ["--package", package]));
    command.args(features.iter().flat_map(|feature| ["--features", feature]));
    assert!(command.status().expect("cargo starts").success(), "{} are not built", packages.join(", "));
    folder
}
