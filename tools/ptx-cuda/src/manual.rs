//! The manual page and completion scripts.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::error::Error;

/// Prints a completion script.
pub fn print_completions(shell: Shell) -> Result<(), Error> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ptx-cuda", &mut text);
    print(&text)
}

/// Prints the manual page, with a section for each task.
pub fn print_page() -> Result<(), Error> {
    let mut command = Arguments::command();
    command.build();
    let mut text = Vec::new();
    let failed = |error: std::io::Error| Error::rejected(format!("cannot write: {error}"));
    clap_mangen::Man::new(command.clone()).render(&mut text).map_err(failed)?;
    for task in command.get_subcommands().filter(|task| task.get_name() != "help") {
        let man = clap_mangen::Man::new(task.clone());
        text.extend(format!(".SH \"TASK {}\"\n", task.get_name().to_uppercase()).bytes());
        if let Some(about) = task.get_about() {
            text.extend(format!("{about}\n.PP\n").bytes());
        }
        man.render_synopsis_section(&mut text).map_err(failed)?;
        man.render_options_section(&mut text).map_err(failed)?;
        man.render_extra_section(&mut text).map_err(failed)?;
    }
    print(&text)
}

fn print(text: &[u8]) -> Result<(), Error> {
    let written = std::io::stdout().lock().write_all(text);
    written.map_err(|error| Error::rejected(format!("cannot write: {error}")))
}
