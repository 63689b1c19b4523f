//! One build of everything that tests run.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::cargo::cargo;

/// The features of a build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Features {
    /// As each package has them by default.
    None,
    /// With LLVM in the device and its C library.
    Llvm,
}

impl Features {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Features::None => &[],
            Features::Llvm => {
                &["--features", "ptx-device/llvm,ptx-device/jit,ptx-exec-c/llvm,ptx-exec-c/jit"]
            }
        }
    }
}

/// A program of tests.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) package: String,
    /// The target: the package's library or tool for unit tests, else the integration test.
    target: String,
    /// `lib`, `bin` or `test`.
    kind: String,
    pub(super) executable: PathBuf,
    /// The package's folder, in which Cargo runs its tests.
    pub(super) folder: PathBuf,
}

impl Program {
    /// `PACKAGE/TARGET`, by which it can be selected; the target of unit tests is `unit`, and `bin` for those of a tool.
    pub(super) fn name(&self) -> String {
        let target = match self.kind.as_str() {
            "test" => self.target.as_str(),
            "bin" => "bin",
            _ => "unit",
        };
        format!("{}/{target}", self.package)
    }

    /// Whether its name contains one of the texts, or there are none.
    pub(super) fn is_named(&self, texts: &[String]) -> bool {
        texts.is_empty() || texts.iter().any(|text| self.name().contains(text))
    }
}

/// What was built.
pub(super) struct Build {
    pub(super) programs: Vec<Program>,
    /// The folder with the tools and libraries.
    pub(super) folder: PathBuf,
}

impl Build {
    /// Builds libraries, tools, tests and examples of the packages that Cargo selects by default. Cargo prints its progress.
    pub(super) fn make(features: Features) -> Result<Self> {
        Self::make_with(features, &[])
    }

    /// As [`Build::make`], with further arguments for Cargo.
    pub(super) fn make_with(features: Features, more: &[&str]) -> Result<Self> {
        let mut command = cargo();
        command.args(["build", "--locked", "--lib", "--bins", "--tests", "--examples"]);
        command.args(["--message-format", "json-render-diagnostics"]).args(features.arguments()).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().context("cargo does not start")?;
        let messages = BufReader::new(child.stdout.take().context("no output")?);
        let (mut programs, mut folder) = (Vec::new(), None);
        for line in messages.lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
            if let Some(executable) = executable(&message) {
                if is_test(&message) {
                    programs.push(program(&message, executable)?);
                } else if message["target"]["kind"][0] == "bin" {
                    folder = Path::new(executable).parent().map(Path::to_owned);
                }
            }
        }
        ensure!(child.wait()?.success(), "the tests do not build");
        Ok(Self { programs, folder: folder.context("no tool was built")? })
    }
}

fn executable(message: &Value) -> Option<&str> {
    (message["reason"] == "compiler-artifact").then(|| message["executable"].as_str()).flatten()
}

fn is_test(message: &Value) -> bool {
    message["profile"]["test"] == true
}

fn program(message: &Value, executable: &str) -> Result<Program> {
    let manifest = message["manifest_path"].as_str().context("no manifest")?;
    let folder = Path::new(manifest).parent().context("no folder")?.to_owned();
    // `path+file:///home/ptx-llvm/tools/cli#ptx-cli@0.1.0`, or without the name where it is that of the folder
    let id = message["package_id"].as_str().context("no package")?;
    let after = id.rsplit_once('#').map_or(id, |(_, after)| after);
    let named = after.split_once('@').map(|(name, _)| name);
    let package = named.or_else(|| folder.file_name()?.to_str()).context("no name")?.to_owned();
    let text = |value: &Value| value.as_str().map(str::to_owned).context("not what Cargo prints");
    Ok(Program {
        package,
        target: text(&message["target"]["name"])?,
        kind: text(&message["target"]["kind"][0])?,
        executable: PathBuf::from(executable),
        folder,
    })
}
