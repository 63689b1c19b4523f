//! The environment in which programs find this project's libraries.

use std::env::var_os;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::arguments::Settings;
use crate::error::Error;
use crate::libraries::Found;
use crate::links::{self, Link};

/// The variables that are set, with their values.
pub type Variables = Vec<(&'static str, OsString)>;

/// A path list: a path before those that the variable has.
fn in_front(path: &Path, variable: &str) -> OsString {
    let mut all = path.as_os_str().to_owned();
    if let Some(old) = var_os(variable).filter(|old| !old.is_empty()) {
        all.push(":");
        all.push(old);
    }
    all
}

/// The variables for these settings. The folder with the links is made.
///
/// # Errors
/// If the folder cannot be made.
pub fn variables(settings: &Settings, found: &Found, program: &Path) -> Result<Variables, Error> {
    let of_library = |(library, file): &(&crate::libraries::Library, PathBuf)| -> Vec<Link> {
        library.names.iter().map(|name| (Path::new("lib").join(name), file.clone())).collect()
    };
    let mut all_links: Vec<Link> = found.libraries.iter().flat_map(of_library).collect();
    all_links.push((PathBuf::from("bin/ptxas"), program.to_owned()));
    let folder = links::folder(&all_links)?;
    let (libraries, programs) = (folder.join("lib"), folder.join("bin"));
    let ptxas = programs.join("ptxas").into_os_string();
    let mut variables: Variables = vec![
        ("LD_LIBRARY_PATH", in_front(&libraries, "LD_LIBRARY_PATH")),
        // Where compilers look for libraries (`-lcuda`).
        ("LIBRARY_PATH", in_front(&libraries, "LIBRARY_PATH")),
        ("PATH", in_front(&programs, "PATH")),
        // Triton takes the first for architectures before sm_90, the second for the others.
        ("TRITON_PTXAS_PATH", ptxas.clone()),
        ("TRITON_PTXAS_BLACKWELL_PATH", ptxas),
        ("TRITON_LIBCUDA_PATH", libraries.into_os_string()),
        // CuPy compiles to machine code otherwise.
        ("CUPY_COMPILE_WITH_PTX", "1".into()),
    ];
    let preloaded = found.libraries.iter().filter(|(library, _)| library.is_preloaded);
    // By their names: a folder may have a space in its name, which ends the name of a library here.
    let names: Vec<&str> = preloaded.filter_map(|(library, _)| library.names.first().copied()).collect();
    if !names.is_empty() {
        variables.push(("LD_PRELOAD", in_front(Path::new(&names.join(":")), "LD_PRELOAD")));
    }
    variables.extend(of_settings(settings)?);
    Ok(variables)
}

/// The variables of the driver.
fn of_settings(settings: &Settings) -> Result<Variables, Error> {
    let mut variables = Variables::new();
    let mut set = |name, value: Option<OsString>| variables.extend(value.map(|value| (name, value)));
    set("PTX_CUDA_ARCH", settings.arch.map(|arch| arch.word().into()));
    set("PTX_CUDA_DEVICES", settings.devices.map(|devices| devices.to_string().into()));
    set("PTX_CUDA_MEMORY", settings.memory.map(|memory| memory.to_string().into()));
    set("PTX_CUDA_BOUNDS", settings.bounds.map(|bounds| bounds.word().into()));
    set("PTX_EXEC_ENGINE", settings.engine.map(|engine| engine.word().into()));
    set("PTX_EXEC_CHECK", settings.check.map(|check| check.word().into()));
    let log = match &settings.log {
        Some(file) => Some(absolute(file, "stderr")?),
        None if settings.trace && var_os("PTX_CUDA_LOG").is_none() => Some("stderr".into()),
        None => None,
    };
    set("PTX_CUDA_LOG", log);
    set("PTX_CUDA_TRACE", settings.trace.then(|| "1".into()));
    set("PTX_CUDA_PROFILE", settings.profile.as_deref().map(|file| absolute(file, "1")).transpose()?);
    Ok(variables)
}

/// The absolute path of a file, unless the name is a word with a special meaning.
fn absolute(file: &Path, word: &str) -> Result<OsString, Error> {
    if file == Path::new(word) {
        return Ok(word.into());
    }
    let path = std::path::absolute(file).map_err(|error| Error::with("write", file, error))?;
    Ok(path.into_os_string())
}

/// A line that sets a variable, for a shell.
pub fn export(name: &str, value: &OsStr) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;

    let mut line = format!("export {name}='").into_bytes();
    for &byte in value.as_bytes() {
        match byte {
            b'\'' => line.extend(br"'\''"),
            _ => line.push(byte),
        }
    }
    line.extend(b"'\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_for_shells() {
        assert_eq!(
            export("A", OsStr::new("it's $x")),
            br"export A='it'\''s $x'
"
        );
    }
}
