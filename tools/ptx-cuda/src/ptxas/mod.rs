//! The stand-in for `ptxas`: it checks PTX as the driver does when it loads it, and writes the container that the driver loads. Its messages have the
//! form of those of `ptxas`, since programs read them, and so has the exit status.

mod options;
mod statistics;

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use ptx_device::{Device, DeviceError, DeviceOptions, Finding, Module};
use ptx_diag::SourceFile;
use ptx_image::{Files, Kind, container};
use ptx_ir::Item;
use ptx_isa::{PtxVersion, Sm};

use crate::error::write_stderr;
use options::{Input, Options, Request};

/// The version of CUDA whose PTX is read. Programs choose the version of the PTX that they write by it.
const RELEASE: &str = "13.5";

/// The status of `ptxas` when it fails.
const FAILED: u8 = 255;

/// The messages, as lines, of a failure: no output is written.
struct Failed(String);

/// Runs the stand-in with these arguments.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let request = match options::parse(arguments) {
        Ok(request) => request,
        Err(reason) => return failed(&fatal(&reason)),
    };
    let text = match request {
        Request::Assemble(options) => {
            return match assemble(&options) {
                Ok(messages) => {
                    write_stderr(&messages);
                    ExitCode::SUCCESS
                }
                Err(Failed(messages)) => failed(&messages),
            };
        }
        Request::Help => options::help(),
        Request::Version => version(),
        Request::Architectures => architectures().map(|sm| format!("{}\n", digits(sm))).collect(),
        Request::Versions => versions(),
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&fatal(&format!("cannot write to standard output: {error}"))),
    }
}

fn failed(messages: &str) -> ExitCode {
    write_stderr(messages);
    ExitCode::from(FAILED)
}

fn fatal(reason: &str) -> String {
    format!("ptxas fatal   : {reason}\n")
}

fn aborted(mut messages: String) -> Failed {
    messages += "ptxas fatal   : Ptx assembly aborted due to errors\n";
    Failed(messages)
}

/// Triton, JAX and Julia search the release in it. The text also names this tool; it is part of the keys of Triton's cache.
fn version() -> String {
    let own = env!("CARGO_PKG_VERSION");
    format!(
        "ptxas: the stand-in of ptx-llvm {own}, which checks PTX and writes no machine code\n\
         Cuda compilation tools, release {RELEASE}, V{RELEASE}.0\n"
    )
}

fn architectures() -> impl Iterator<Item = Sm> {
    let oldest = Options::default().architecture.number;
    ptx_verify::known_targets().map(|(sm, _)| sm).filter(move |sm| sm.number >= oldest)
}

fn digits(sm: Sm) -> String {
    sm.to_string().trim_start_matches("sm_").to_owned()
}

fn versions() -> String {
    let all = (1..=u8::MAX).flat_map(|major| (0..10).map(move |minor| PtxVersion { major, minor }));
    let known = all.filter(|&version| ptx_verify::is_known_version(version));
    known.map(|version| format!("{version}\n")).collect()
}

/// Checks the inputs and writes the output; returns the messages.
fn assemble(options: &Options) -> Result<String, Failed> {
    let files: Vec<(String, Vec<u8>)> = options.inputs.iter().map(read).collect::<Result<_, _>>()?;
    check_targets(options, &files)?;
    let device_options =
        DeviceOptions { architecture: Some(options.architecture), ..DeviceOptions::default() };
    let device = Device::with(device_options);
    let mut messages = warnings(options);
    match Module::link(&device, files.iter().cloned()) {
        Ok(module) => {
            let found = module.warnings().iter().filter(|_| !options.hide_warnings);
            messages += &found.map(line).collect::<String>();
            if let Some(missing) =
                options.entries.iter().find(|name| !module.kernels().contains(&name.as_str()))
            {
                return Err(Failed(messages + &fatal(&format!("Unknown function {missing}"))));
            }
            messages += &statistics::text(options, &module);
        }
        Err(error) if options.relocatable && only_undefined(&error) => {
            if options.verbose {
                messages +=
                    "ptxas info    : no statistics: functions that kernels call are defined elsewhere\n";
            }
        }
        Err(error) => return Err(refused(&error, messages)),
    }
    // No name has a space in it.
    if options.deny_warnings && messages.contains("warning :") {
        return Err(aborted(messages.replace("warning :", "error   :")));
    }
    if !options.only_check {
        let image = container::pack(&Files { list: files, registers: options.registers });
        write_output(&options.output, &image).map_err(|error| {
            let text = format!("Output file '{}' could not be opened: {error}", options.output.display());
            Failed(fatal(&text))
        })?;
    }
    Ok(messages)
}

fn read(input: &Input) -> Result<(String, Vec<u8>), Failed> {
    let (name, read) = match input {
        Input::Text(text) => return Ok(("<string>".to_owned(), text.clone().into_bytes())),
        Input::File(path) if path == Path::new("-") => {
            let mut text = Vec::new();
            ("<stdin>".to_owned(), io::stdin().lock().read_to_end(&mut text).map(|_| text))
        }
        Input::File(path) => (path.display().to_string(), std::fs::read(path)),
    };
    let text =
        read.map_err(|error| aborted(fatal(&format!("Input file '{name}' could not be opened: {error}"))))?;
    if Kind::of(&text) != Kind::Text {
        return Err(aborted(fatal(&format!("Input file '{name}' is not PTX"))));
    }
    Ok((name, text))
}

/// Fails if PTX has a later version, in the words that JAX reads the latest one from, or is for an architecture that `-arch` does not provide. A
/// device of the driver is less strict: it has all features of its generation.
fn check_targets(options: &Options, files: &[(String, Vec<u8>)]) -> Result<(), Failed> {
    let newest = PtxVersion::NEWEST;
    for (name, text) in files {
        let source = SourceFile::new(name.clone(), text.clone());
        let (tree, _) = ptx_syntax::parse(&source);
        let stated = tree.items.iter().find_map(|item| match item {
            Item::Version(version, at) => Some((*version, *at)),
            _ => None,
        });
        if let Some((version, at)) = stated.filter(|&(version, _)| version > newest) {
            let line = source.position(at.0.lo).line;
            return Err(aborted(format!(
                "ptxas {name}, line {line}; fatal   : Unsupported .version {version}; current version is '{newest}'\n"
            )));
        }
        let needed = tree.target().and_then(|target| target.sm);
        if needed.is_some_and(|needed| !options.architecture.provides(needed)) {
            return Err(Failed(fatal(
                "SM version specified by .target is higher than default SM version assumed",
            )));
        }
    }
    Ok(())
}

/// Whether the only errors are symbols that another module may define.
fn only_undefined(error: &DeviceError) -> bool {
    let DeviceError::Module(findings) = error else { return false };
    let mut errors = findings.iter().filter(|finding| finding.is_error);
    errors.all(|finding| finding.code == ptx_device::UNDEFINED)
}

fn refused(error: &DeviceError, mut messages: String) -> Failed {
    if let DeviceError::Module(findings) = error {
        messages += &findings.iter().filter(|finding| finding.is_error).map(line).collect::<String>();
        return aborted(messages);
    }
    Failed(messages + &fatal(&error.to_string()))
}

/// A finding, as `ptxas` writes it.
fn line(finding: &Finding) -> String {
    let severity = if finding.is_error { "error  " } else { "warning" };
    let Finding { message, file, code, .. } = finding;
    match finding.position {
        Some(position) => format!("ptxas {file}, line {}; {severity} : {message} ({code})\n", position.line),
        None => format!("ptxas {file}; {severity} : {message} ({code})\n"),
    }
}

fn warnings(options: &Options) -> String {
    let shown = options.warnings.iter().filter(|_| !options.hide_warnings);
    shown.map(|text| format!("ptxas warning : {text}\n")).collect()
}

/// Replaces a file atomically; a path that is not a regular file is written to directly.
fn write_output(path: &Path, image: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(path, image);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Default: a name alone is in the current folder.
    let folder = folder.unwrap_or(Path::new("."));
    // The mask of the process applies, as to any file.
    let permissions = std::fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
    file.write_all(image)?;
    file.persist(path)?;
    Ok(())
}
