//! `ptx-lsp` is a language server for PTX, over standard input and output.

mod arguments;
mod checker;
mod convert;
mod dispatch;
mod edits;
mod llvm;
mod navigation;
mod server;
mod settings;
mod state;
mod tokens;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.document() {
        Some(text) => std::io::stdout().lock().write_all(&text).map_err(anyhow::Error::from),
        None => server::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr().lock(), "ptx-lsp: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
