//! Command-line arguments that mean the same in every tool.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::builder::TypedValueParser;
use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use ptx_diag::{Color, Format};
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm::OptLevel;

use crate::terminal::{Terminal, Verbosity, write_stderr};

/// How findings are written to standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ErrorFormat {
    /// Source lines with the place underlined, and help.
    #[default]
    Human,
    /// `file:line:column: severity[CODE]: message`.
    Short,
    /// One JSON object a line: file, line, column, severity, code, message, help.
    Json,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColorChoice {
    /// When standard error is a terminal and NO_COLOR is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How the tool reports.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reporting")]
pub struct ReportArgs {
    /// How findings are written to standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub error_format: ErrorFormat,
    /// Whether findings are coloured
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Say on standard error what is being done and how long it takes
    #[arg(short, long)]
    pub verbose: bool,
}

impl ReportArgs {
    /// The terminal as these arguments want it used.
    pub fn terminal(&self) -> Terminal {
        let automatic = || {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            io::stderr().is_terminal() && !no_color && !dumb
        };
        let colored = match self.color {
            ColorChoice::Auto => automatic(),
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        let color = if colored { Color::Ansi } else { Color::Plain };
        let format = match self.error_format {
            ErrorFormat::Human => Format::Human(color),
            ErrorFormat::Short => Format::Short,
            ErrorFormat::Json => Format::Json,
        };
        Terminal::new(format, if self.verbose { Verbosity::Verbose } else { Verbosity::Quiet })
    }
}

/// How the LLVM IR is optimized.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Optimization")]
pub struct OptimizeArgs {
    /// How much to optimize, as in -O2; -O0 changes nothing
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = opt_level())]
    pub level: OptLevel,
    /// Passes to run after those of the level, as in --passes='function(sroa,gvn),ptx-strip-hints'
    #[arg(long, value_name = "PASSES")]
    pub passes: Option<String>,
}

fn opt_level() -> impl TypedValueParser<Value = OptLevel> {
    clap::builder::PossibleValuesParser::new(["0", "1", "2", "3"]).map(|text| match text.as_str() {
        "1" => OptLevel::O1,
        "2" => OptLevel::O2,
        "3" => OptLevel::O3,
        _ => OptLevel::O0,
    })
}

/// The GPU and the PTX version to produce code for.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArgs {
    /// Architecture instead of the module's own, as in sm_90a
    #[arg(long, value_name = "sm_XX", value_parser = sm)]
    pub target: Option<Sm>,
    /// PTX version instead of the module's own, as in 8.7
    #[arg(long, value_name = "X.Y", value_parser = ptx_version)]
    pub ptx_version: Option<PtxVersion>,
}

fn sm(text: &str) -> Result<Sm, String> {
    let sm = if text.starts_with("sm_") { Sm::from_text(text) } else { None };
    sm.ok_or_else(|| "an architecture is written sm_80, sm_90a or sm_100f".to_owned())
}

fn ptx_version(text: &str) -> Result<PtxVersion, String> {
    PtxVersion::from_text(text).ok_or_else(|| "a PTX version is written 8.7".to_owned())
}

/// Descriptions of the tool itself instead of its work.
#[derive(Clone, Debug, Args)]
pub struct Documents {
    /// Print a completion script for a shell and exit
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
    /// Print the manual page and exit
    #[arg(long, exclusive = true, hide = true)]
    man: bool,
}

/// Prints the document that was asked for; `None` when none was, so that the tool does its work.
pub fn print_documents(documents: &Documents, mut command: Command) -> Option<ExitCode> {
    let mut text = Vec::new();
    if let Some(shell) = documents.completions {
        let name = command.get_name().to_owned();
        clap_complete::generate(shell, &mut command, name, &mut text);
    } else if documents.man {
        if let Err(error) = clap_mangen::Man::new(command).render(&mut text) {
            write_stderr(&format!("error: {error}\n"));
            return Some(ExitCode::FAILURE);
        }
    } else {
        return None;
    }
    Some(match io::stdout().lock().write_all(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}
