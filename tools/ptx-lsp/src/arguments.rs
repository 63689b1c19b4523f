//! The command line of ptx-lsp.

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;

const NOTES: &str = "\
Editors start ptx-lsp, and talk to it over standard input and output by the Language Server Protocol.
docs/editors.md has the settings of Visual Studio Code, Neovim, Helix and Emacs.

Exit status:
  0  the client ended the session
  1  the input is not the Language Server Protocol, or the client went away
  2  wrong usage";

/// A language server for PTX
#[derive(Clone, Debug, Parser)]
#[command(name = "ptx-lsp", version, after_help = NOTES)]
pub struct Arguments {
    /// Talk over standard input and output, as without it; editors pass it
    #[arg(long)]
    stdio: bool,
    /// Print a completion script for a shell and exit
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
    /// Print the manual page and exit
    #[arg(long, exclusive = true)]
    man: bool,
}

impl Arguments {
    /// The document about the tool that is asked for.
    pub fn document(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut command = Self::command();
        if let Some(shell) = self.completions {
            clap_complete::generate(shell, &mut command, "ptx-lsp", &mut text);
        } else if self.man {
            // Writing to memory does not fail.
            let _ = clap_mangen::Man::new(command).render(&mut text);
        } else {
            return None;
        }
        Some(text)
    }
}
