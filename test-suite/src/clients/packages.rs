//! A client's packages, in a virtual environment of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Client;

/// The packages of a client.
#[derive(Clone, Debug)]
pub struct Packages {
    folder: PathBuf,
}

/// Why there are none: no Python of a suitable version, or PyPI cannot be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unavailable(pub String);

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Packages {
    /// Installs the packages of a client below a folder, unless the same ones are there.
    ///
    /// # Errors
    /// [`Unavailable`] with what pip says.
    pub fn install(client: &Client, below: &Path) -> Result<Self, Unavailable> {
        let folder = below.join(client.name);
        let stamp = folder.join("packages");
        let wanted = client.packages.join("\n");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(Self { folder });
        }
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            Unavailable(format!("the packages of {} are not installed: {what}: {error}", client.name))
        };
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| failed("remove the old ones", &error))?;
        }
        fs::create_dir_all(below).map_err(|error| failed("make the folder", &error))?;
        let run = |command: &mut Command| {
            let output = command.output().map_err(|error| failed("start", &error))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let last = said.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
            // Default: a command that fails without a word is named by its status.
            let reason = last.unwrap_or_else(|| output.status.to_string());
            if output.status.success() { Ok(()) } else { Err(failed("pip", &reason)) }
        };
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let packages = Self { folder };
        let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check", "install"];
        run(Command::new(packages.python()).args(pip).args(client.packages))?;
        fs::write(stamp, wanted).map_err(|error| failed("write", &error))?;
        Ok(packages)
    }

    /// The interpreter.
    pub fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }
}
