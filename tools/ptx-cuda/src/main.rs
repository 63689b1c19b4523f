//! `ptx-cuda` runs programs for CUDA on the host CPU: it sets up the environment in which they find this project's driver and linker, and a
//! stand-in for `ptxas`, which it is itself. It also runs programs that are compiled for a GPU with LLVM's libc.

mod arguments;
mod environment;
mod error;
mod launcher;
mod libraries;
mod links;
mod loader;
mod manual;
mod ptxas;

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, LoaderArguments, Task};
use crate::error::{Error, write_stderr};

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let program = words.next();
    let name = program.as_deref().map(Path::new).and_then(Path::file_name);
    // Programs that look for `ptxas` start it by this name, through a link.
    if name == Some(OsStr::new("ptxas")) {
        return ptxas::run(words);
    }
    let mut after = std::env::args_os().skip(1);
    // Its options are those of `ptxas`, not of this tool.
    if after.next().as_deref() == Some(OsStr::new("ptxas")) {
        return ptxas::run(after);
    }
    // So do those that look for LLVM's loader.
    let task = if name == Some(OsStr::new("llvm-gpu-loader")) {
        Task::Loader(LoaderArguments::parse_as_program())
    } else {
        Arguments::parse().task
    };
    let done = match task {
        Task::Run(arguments) => launcher::run(&arguments),
        Task::Env(arguments) => launcher::print(&arguments),
        Task::Loader(arguments) => loader::run(&arguments),
        Task::Completions { shell } => manual::print_completions(shell),
        Task::Man => manual::print_page(),
        // It was handled above.
        Task::Ptxas { words } => return ptxas::run(words.into_iter()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error { status, message }) => {
            write_stderr(&format!("ptx-cuda: error: {message}\n"));
            ExitCode::from(status)
        }
    }
}
