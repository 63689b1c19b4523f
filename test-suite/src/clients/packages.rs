//! A client's packages, in a virtual environment of Python, and its source.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Client, Source};

/// The packages of a client.
#[derive(Clone, Debug)]
pub struct Packages {
    folder: PathBuf,
    source: Option<(PathBuf, Source)>,
}

/// Why there are none: no Python of a suitable version, or a registry or the repository cannot be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unavailable(pub String);

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Packages {
    /// Installs the packages of a client below a folder, and fetches its source, unless the same ones are there.
    ///
    /// # Errors
    /// [`Unavailable`] with what pip, git or Cargo says.
    pub fn install(client: &Client, below: &Path) -> Result<Self, Unavailable> {
        let failed = |reason: String| {
            Unavailable(format!("the packages of {} are not installed: {reason}", client.name))
        };
        let folder = below.join(client.name);
        if client.is_rust() {
            fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
            run(Command::new(cargo())
                .args(["fetch", "--locked", "--quiet"])
                .arg("--manifest-path")
                .arg(manifest(client)))
            .map_err(failed)?;
            return Ok(Self { folder, source: None });
        }
        let packages = client.packages.join("\n");
        make_anew(&folder, &packages, |folder| install_packages(folder, client.packages)).map_err(failed)?;
        let failed =
            |reason: String| Unavailable(format!("the source of {} is not fetched: {reason}", client.name));
        let source = client.source.map(|source| (below.join(format!("{}.source", client.name)), source));
        if let Some((folder, source)) = &source {
            let wanted = format!("{} {}", source.repository, source.commit);
            make_anew(folder, &wanted, |folder| fetch(folder, source)).map_err(failed)?;
        }
        Ok(Self { folder, source })
    }

    /// The folder for what is built of a client in Rust.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The interpreter.
    pub fn python(&self) -> PathBuf {
        python(&self.folder)
    }

    /// The folder with the source, and the folders in it that Python looks for modules in, parted by colons.
    pub fn source(&self) -> Option<(&Path, String)> {
        let (folder, source) = self.source.as_ref()?;
        let modules = source.modules.iter().map(|module| folder.join(module).display().to_string());
        Some((folder, modules.collect::<Vec<_>>().join(":")))
    }
}

/// `test-suite/clients`, where the programs are.
pub(super) fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// The manifest of a client in Rust.
pub(super) fn manifest(client: &Client) -> PathBuf {
    programs().join("rust").join(client.name).join("Cargo.toml")
}

/// The Cargo that runs this, or the one that is found.
pub(super) fn cargo() -> std::ffi::OsString {
    // Default: a test program that is started by itself has no variable for it.
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn python(folder: &Path) -> PathBuf {
    folder.join("bin/python")
}

/// Makes a folder anew, unless it was made for the same.
fn make_anew(
    folder: &Path,
    wanted: &str,
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    let stamp = folder.join("packages");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("remove the old ones: {error}"))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("make the folder: {error}"))?;
    make(folder)?;
    fs::write(stamp, wanted).map_err(|error| format!("write: {error}"))
}

fn install_packages(folder: &Path, packages: &[&str]) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check", "install"];
    run(Command::new(python(folder)).args(pip).args(packages))
}

fn fetch(folder: &Path, source: &Source) -> Result<(), String> {
    let git = || {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder);
        command
    };
    run(git().args(["init", "--quiet"]))?;
    run(git().args(["fetch", "--quiet", "--depth=1", source.repository, source.commit]))?;
    run(git().args(["checkout", "--quiet", "FETCH_HEAD"]))
}

/// Runs a command; the error is the first line that it writes about one, or its last line.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("start {name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // The last lines of pip do not say what is wrong.
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    let first = lines.find(|line| line.starts_with("ERROR") || line.starts_with("error"));
    // Default: a command that fails without a word is named by its status.
    let reason =
        first.or_else(|| said.lines().next_back()).map_or_else(|| output.status.to_string(), str::to_owned);
    if output.status.success() { Ok(()) } else { Err(format!("{name}: {reason}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_a_repository_is_fetched_once() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repository");
        fs::create_dir(&repository).unwrap();
        let git = |words: &[&str]| {
            let names = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let output =
                Command::new("git").arg("-C").arg(&repository).args(names).args(words).output().unwrap();
            assert!(output.status.success(), "{words:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "--quiet"]);
        git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        fs::write(repository.join("a"), "old").unwrap();
        git(&["add", "a"]);
        git(&["commit", "--quiet", "-m", "old"]);
        let commit = git(&["rev-parse", "HEAD"]).leak();
        fs::write(repository.join("a"), "new").unwrap();
        git(&["commit", "--quiet", "-a", "-m", "new"]);
        let address = format!("file://{}", repository.display()).leak();
        let source = Source { repository: address, commit, modules: &[] };
        let to = folder.path().join("to");
        let wanted = || make_anew(&to, commit, |to| fetch(to, &source));
        wanted().unwrap();
        assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "old");
        // It is not fetched again.
        fs::remove_dir_all(&repository).unwrap();
        wanted().unwrap();
        let error = make_anew(&to, "another", |to| fetch(to, &source)).unwrap_err();
        assert!(error.starts_with("git: "), "{error}");
    }
}
