//! The user's `ptxas` and `nvdisasm`: where they are, and what they make of both modules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ptx_cli::{ExitStatus, Failure, code};
use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::Item;
use ptx_machine::{Complaint, MachineCode, Toolchain, ToolchainError};

use crate::arguments::Arguments;
use crate::input::Input;

/// What is assembled for if ptxas does not know the target of a module.
const OTHERWISE: &str = "sm_90";

/// The machine code of both modules; `None` if it is not asked for.
pub fn machine_code(
    arguments: &Arguments,
    before: &Input,
    after: &Input,
) -> Result<Option<(MachineCode, MachineCode)>, Failure> {
    let Some(folder) = &arguments.machine else { return Ok(None) };
    let [ptxas, nvdisasm] = programs(folder)?;
    let toolchain = Toolchain { ptxas, nvdisasm, limit: Duration::from_secs(arguments.timeout) };
    let both = |one: &str, other: &str| {
        let assemble = |input: &Input, architecture: &str| {
            let step = || toolchain.assemble(input.source.text(), architecture);
            arguments.report.terminal().step("assemble", step).map_err(|error| (input.source.clone(), error))
        };
        Ok((assemble(before, one)?, assemble(after, other)?))
    };
    let made = match (&arguments.arch, target(before), target(after)) {
        (Some(arch), ..) => both(&arch.to_string(), &arch.to_string()),
        (None, Some(one), Some(other)) => match both(&one, &other) {
            // Both for the same, or they cannot be compared.
            Err((_, ToolchainError::NoArchitecture(_))) => both(OTHERWISE, OTHERWISE),
            other => other,
        },
        // ptxas tells what is wrong without a target.
        (None, ..) => both(OTHERWISE, OTHERWISE),
    };
    made.map(Some).map_err(|(source, error)| {
        let mut found = Diagnostics::new();
        findings(&source, error).into_iter().for_each(|finding| found.push(finding));
        Failure::new(ExitStatus::Usage, source, found)
    })
}

/// The target of a module.
fn target(input: &Input) -> Option<String> {
    input.module.items.iter().find_map(|item| match item {
        Item::Target(target, _) => target.sm.map(|sm| sm.to_string()),
        _ => None,
    })
}

/// The findings about a module that has no machine code.
fn findings(source: &ptx_diag::SourceFile, error: ToolchainError) -> Vec<Diagnostic> {
    match error {
        ToolchainError::Rejected(complaints) => {
            let finding = |Complaint { line, message }: Complaint| {
                let message = format!("ptxas: {message}");
                match line.and_then(|line| Some((source.line_start(line)?, source.line(line)?))) {
                    Some((start, text)) => {
                        let indent = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                        // Positions have 32 bits.
                        let (lo, hi) = (start + indent as u32, start + text.len() as u32);
                        Diagnostic::error(code::ASSEMBLER, Span::new(lo, hi.max(lo)), message)
                    }
                    None => Diagnostic::error_without_place(code::ASSEMBLER, message),
                }
            };
            complaints.into_iter().map(finding).collect()
        }
        ToolchainError::NoArchitecture(name) => {
            let message = format!("ptxas does not make code for `{name}`");
            vec![
                Diagnostic::error_without_place(code::ASSEMBLER, message)
                    .with_help("give --arch a GPU that it knows; `ptxas --help` lists them"),
            ]
        }
        error
        @ (ToolchainError::NotRun(..) | ToolchainError::TimedOut(..) | ToolchainError::NotListed(_)) => {
            vec![Diagnostic::error_without_place(code::TOOLKIT, error.to_string())]
        }
    }
}

/// The paths of `ptxas` and `nvdisasm`.
fn programs(folder: &str) -> Result<[PathBuf; 2], Failure> {
    let folders = match folder {
        "" => from_environment(std::env::var_os("PATH"), std::env::var_os("CUDA_HOME")),
        folder => vec![PathBuf::from(folder), Path::new(folder).join("bin")],
    };
    let find = |name: &str| {
        let mut paths =
            folders.iter().map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
        paths.find(|path| path.is_file())
    };
    match (find("ptxas"), find("nvdisasm")) {
        (Some(ptxas), Some(nvdisasm)) => Ok([ptxas, nvdisasm]),
        (ptxas, nvdisasm) => {
            let missing = [("ptxas", ptxas), ("nvdisasm", nvdisasm)];
            let missing: Vec<&str> =
                missing.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| *name).collect();
            let place = if folder.is_empty() { "PATH and in CUDA_HOME/bin" } else { folder };
            let message = format!("no {} in {place}", missing.join(" and no "));
            let help = "--machine needs ptxas and nvdisasm of NVIDIA's CUDA toolkit: install it (the packages cuda-nvcc and cuda-nvdisasm have them), and give their folder, \
                        as in --machine=/usr/local/cuda/bin";
            let finding = Diagnostic::error_without_place(code::TOOLKIT, message).with_help(help);
            Err(Failure::about(ExitStatus::Usage, "<command line>", finding))
        }
    }
}

/// The folders where programs are looked for.
fn from_environment(path: Option<OsString>, cuda: Option<OsString>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = path.iter().flat_map(std::env::split_paths).collect();
    folders.extend(cuda.filter(|cuda| !cuda.is_empty()).map(|cuda| PathBuf::from(cuda).join("bin")));
    folders
}
