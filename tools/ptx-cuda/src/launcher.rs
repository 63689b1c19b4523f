//! `run` and `env`.

use std::io::{ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value};

use crate::arguments::{EnvArguments, EnvFormat, RunArguments, Settings};
use crate::environment::{self, Variables};
use crate::error::{Error, write_stderr};
use crate::libraries;

/// The exit statuses of shells for a command that was not found, and one that could not be started.
const NOT_FOUND: u8 = 127;
const NOT_STARTED: u8 = 126;

fn variables(settings: &Settings) -> Result<Variables, Error> {
    let program = std::env::current_exe();
    let program: PathBuf =
        program.map_err(|error| Error::rejected(format!("cannot tell where this program is: {error}")))?;
    let found = libraries::find(settings.lib_dir.as_deref(), &program)?;
    for library in found.missing.iter().filter(|_| !settings.quiet) {
        let (name, Some(purpose), build) = (library.built, library.lack, library.build) else { continue };
        write_stderr(&format!(
            "ptx-cuda: warning: {name} is missing: {purpose}; build it with `cargo build --release {build}`\n"
        ));
    }
    environment::variables(settings, &found, &program)
}

/// Replaces this process by the command.
pub fn run(arguments: &RunArguments) -> Result<(), Error> {
    let variables = variables(&arguments.settings)?;
    let [program, words @ ..] = &arguments.command[..] else {
        return Err(Error { status: 2, message: "there is no command".to_owned() });
    };
    let error = Command::new(program).args(words).envs(variables).exec();
    let status = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED };
    Err(Error { status, message: format!("cannot run {}: {error}", program.display()) })
}

/// Prints the variables.
pub fn print(arguments: &EnvArguments) -> Result<(), Error> {
    let variables = variables(&arguments.settings)?;
    let text = match arguments.format {
        EnvFormat::Sh => {
            variables.iter().flat_map(|(name, value)| environment::export(name, value)).collect()
        }
        EnvFormat::Json => {
            let member = |(name, value): &(&str, std::ffi::OsString)| match value.to_str() {
                Some(text) => Ok(((*name).to_owned(), Value::from(text))),
                None => Err(Error::rejected(format!("{name} is not UTF-8, as JSON is: {}", value.display()))),
            };
            let object: Map<String, Value> = variables.iter().map(member).collect::<Result<_, _>>()?;
            format!("{}\n", Value::from(object)).into_bytes()
        }
    };
    std::io::stdout()
        .lock()
        .write_all(&text)
        .map_err(|error| Error::rejected(format!("cannot write: {error}")))
}
