//! Command-line arguments that all tools share.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::TypedValueParser;
use clap::error::{ContextKind, ErrorKind};
use clap::{Args, Command, CommandFactory, Parser, ValueEnum};
use clap_complete::Shell;

use ptx_diag::{Color, Diagnostic, Diagnostics, Format, SourceFile, render};
use ptx_driver::Unoptimized;
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::OptLevel;

use crate::explain::explain;
use crate::failure::ExitStatus;
use crate::program::run;
use crate::terminal::{Terminal, Verbosity, Warnings, write_stderr};
use crate::version::version;
use crate::{code, output::Output};

/// How findings are written to standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ErrorFormat {
    /// Source lines with the location underlined, and help.
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
    /// Format of diagnostics on standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub error_format: ErrorFormat,
    /// When to colour diagnostics
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// `-Werror` treats warnings as errors
    #[arg(short = 'W', value_name = "error", value_parser = ["error"])]
    pub deny: Option<String>,
    /// Suppress warnings
    #[arg(short = 'w', conflicts_with = "deny")]
    pub hide_warnings: bool,
    /// Print progress and timing to standard error
    #[arg(short, long)]
    pub verbose: bool,
}

impl ReportArgs {
    /// The terminal with the settings of these arguments.
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
        let color = if colored { Color::Always } else { Color::Never };
        let format = match self.error_format {
            ErrorFormat::Human => Format::Human(color),
            ErrorFormat::Short => Format::Short,
            ErrorFormat::Json => Format::Json,
        };
        let verbosity = if self.verbose { Verbosity::Verbose } else { Verbosity::Quiet };
        let warnings = match (self.hide_warnings, &self.deny) {
            (true, _) => Warnings::Hidden,
            (false, Some(_)) => Warnings::Denied,
            (false, None) => Warnings::Shown,
        };
        Terminal::new(format, verbosity, warnings)
    }
}

/// How the LLVM IR is optimized.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Optimization")]
pub struct OptimizeArgs {
    /// Optimization level, as in -O2; -O0 does not optimize, -Os and -Oz optimize for size
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = opt_level())]
    pub level: OptLevel,
    /// Passes to run after those of the optimization level, as in --passes='function(sroa,gvn),ptx-strip-hints'; --print-passes lists this project's
    #[arg(long, value_name = "PASSES")]
    pub passes: Option<String>,
    /// Load a plugin of LLVM's pass manager, as opt does: its passes have names in --passes, and what it adds to LLVM's default pipelines runs in them
    #[arg(long, value_name = "FILE")]
    pub load_pass_plugin: Vec<PathBuf>,
    /// Whether to optimize code that was compiled without optimization or for debugging (`optnone`, `.target debug`) like source; it can no longer be debugged then. auto: no, with a warning
    #[arg(long, value_enum, default_value_t, value_name = "CHOICE")]
    pub unoptimized: UnoptimizedChoice,
}

/// What to print about passes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Optimization")]
pub struct PassReportArgs {
    /// Print the LLVM IR to standard error before a pass; passes of LLVM's between those of this project run as one
    #[arg(long, value_name = "PASS")]
    pub print_before: Vec<String>,
    /// Print the LLVM IR to standard error after a pass
    #[arg(long, value_name = "PASS")]
    pub print_after: Vec<String>,
    /// Print the LLVM IR to standard error after each pass of this project, and after LLVM's between them
    #[arg(long)]
    pub print_after_all: bool,
    /// Print to standard error how long the passes took
    #[arg(long)]
    pub time_passes: bool,
}

/// Whether to optimize code that was compiled without optimization.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum UnoptimizedChoice {
    /// No, with a warning.
    #[default]
    Auto,
    /// As source.
    Yes,
    /// No.
    No,
}

impl From<UnoptimizedChoice> for Unoptimized {
    fn from(choice: UnoptimizedChoice) -> Self {
        match choice {
            UnoptimizedChoice::Auto => Unoptimized::Auto,
            UnoptimizedChoice::Yes => Unoptimized::Yes,
            UnoptimizedChoice::No => Unoptimized::No,
        }
    }
}

impl OptimizeArgs {
    /// Whether any optimization is requested.
    pub fn is_wanted(&self) -> bool {
        self.level != OptLevel::O0 || self.passes.is_some()
    }
}

fn opt_level() -> impl TypedValueParser<Value = OptLevel> {
    clap::builder::PossibleValuesParser::new(["0", "1", "2", "3", "s", "z"]).map(|text| match text.as_str() {
        "1" => OptLevel::O1,
        "2" => OptLevel::O2,
        "3" => OptLevel::O3,
        "s" => OptLevel::Os,
        "z" => OptLevel::Oz,
        _ => OptLevel::O0,
    })
}

/// The GPU and the PTX version to produce code for.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArgs {
    /// Override the module's architecture, as in sm_90a; also -mcpu=sm_90a, as for llc
    #[arg(long, alias = "mcpu", value_name = "sm_XX", value_parser = sm)]
    pub target: Option<Sm>,
    /// Override the module's PTX version, as in 8.7
    #[arg(long, value_name = "X.Y", value_parser = ptx_version)]
    pub ptx_version: Option<PtxVersion>,
    /// Same as --ptx-version, as for llc: -mattr=+ptx87
    #[arg(long, value_name = "+ptxXY", value_parser = feature, conflicts_with = "ptx_version", hide_short_help = true)]
    pub mattr: Option<PtxVersion>,
}

impl TargetArgs {
    /// The PTX version that is asked for.
    pub fn version(&self) -> Option<PtxVersion> {
        self.ptx_version.or(self.mattr)
    }
}

/// Parses a supported architecture.
///
/// # Errors
///
/// The message for an invalid or unknown architecture.
pub fn sm(text: &str) -> Result<Sm, String> {
    let sm = if text.starts_with("sm_") { Sm::from_text(text) } else { None };
    let Some(sm) = sm else {
        return Err("expected an architecture such as sm_80, sm_90a or sm_100f".to_owned());
    };
    let known: Vec<String> = ptx_driver::known_targets().map(|(sm, _)| sm.to_string()).collect();
    if known.contains(&sm.to_string()) {
        return Ok(sm);
    }
    Err(match ptx_driver::nearest_target(text) {
        Some(near) => {
            format!("unknown architecture; did you mean {near}? --print-targets lists all")
        }
        None => "unknown architecture; --print-targets lists all".to_owned(),
    })
}

/// Parses a supported PTX version.
///
/// # Errors
///
/// The message for an invalid or unknown version.
pub fn ptx_version(text: &str) -> Result<PtxVersion, String> {
    let Some(version) = PtxVersion::from_text(text) else {
        return Err("expected a PTX version such as 8.7".to_owned());
    };
    if ptx_driver::is_known_version(version) {
        return Ok(version);
    }
    Err(format!("unknown version; the newest is {}", PtxVersion::NEWEST))
}

/// Parses a feature of LLVM's NVPTX target that is a PTX version, as in `+ptx87`.
///
/// # Errors
///
/// The message for another feature or an unknown version.
pub fn feature(text: &str) -> Result<PtxVersion, String> {
    let digits = text.strip_prefix("+ptx").filter(|digits| digits.len() >= 2);
    let Some((major, minor)) = digits.and_then(|digits| digits.split_at_checked(digits.len() - 1)) else {
        let more = if text.contains("sm_") { "; -mcpu= has the architecture" } else { "" };
        return Err(format!("expected a PTX version such as +ptx87{more}"));
    };
    ptx_version(&format!("{major}.{minor}"))
}

/// The options of LLVM's tools that begin with one dash and are longer than a letter.
const LLVM_OPTIONS: [&str; 4] = ["mcpu", "mattr", "mtriple", "filetype"];

/// The command line with two dashes before the options of LLVM's tools that the command has: clap reads `-mcpu` as the options `-m`, `-c`, `-p` and `-u`.
fn with_long_options(command: &Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let has = |name: &str| {
        command.get_arguments().any(|argument| {
            let aliases = argument.get_all_aliases();
            argument.get_long() == Some(name) || aliases.is_some_and(|aliases| aliases.contains(&name))
        })
    };
    let mut is_option = true;
    let one = |argument: OsString| {
        is_option &= argument != "--";
        let text = argument.to_str().filter(|_| is_option).and_then(|text| text.strip_prefix('-'));
        let name = text.map(|text| text.split_once('=').map_or(text, |(name, _)| name));
        match (text, name) {
            (Some(text), Some(name)) if LLVM_OPTIONS.contains(&name) && has(name) => {
                format!("--{text}").into()
            }
            _ => argument,
        }
    };
    arguments.map(one).collect()
}

/// A form of the instruction table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum IsaForm {
    /// JSON: a list of rows
    Json,
}

/// Descriptions of the tool itself instead of its work.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "About the tool")]
pub struct Documents {
    /// Print the description of an instruction, a directive, a special register, a modifier or a diagnostic code, and exit: `add`, `ld.global`, `.maxntid`,
    /// `%laneid`, `.ftz`, `V0501`. Modifiers of an instruction restrict the forms that are shown
    #[arg(long, value_name = "WORD|CODE", exclusive = true)]
    explain: Option<String>,
    /// Print the supported architectures, each with its first PTX version, and exit
    #[arg(long, exclusive = true)]
    print_targets: bool,
    /// Print the instruction table for other programs, and exit
    #[arg(long, value_name = "FORM", exclusive = true)]
    print_isa: Option<IsaForm>,
    /// Print the passes of this project that --passes takes beside LLVM's, and exit
    #[arg(long, exclusive = true)]
    print_passes: bool,
    /// Print a completion script for a shell and exit
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,
    /// Print the manual page and exit
    #[arg(long, exclusive = true)]
    man: bool,
}

/// Prints the requested document. Returns `None` if none was requested, so that the tool does its work.
pub fn print_documents(documents: &Documents, mut command: Command, terminal: Terminal) -> Option<ExitCode> {
    if let Some(text) = &documents.explain {
        return Some(run(terminal, || explain(text)));
    }
    let mut text = Vec::new();
    if let Some(shell) = documents.completions {
        let name = command.get_name().to_owned();
        clap_complete::generate(shell, &mut command, name, &mut text);
    } else if documents.man {
        if let Err(error) = clap_mangen::Man::new(command).render(&mut text) {
            write_stderr(&format!("error: {error}\n"));
            return Some(ExitCode::FAILURE);
        }
    } else if let Some(IsaForm::Json) = documents.print_isa {
        text.extend(ptx_export::json().bytes());
    } else if documents.print_targets {
        for (sm, version) in ptx_driver::known_targets() {
            text.extend(format!("{:<8} PTX {version}\n", sm.to_string()).bytes());
        }
    } else if documents.print_passes {
        text.extend(ptx_driver::describe_passes().bytes());
    } else {
        return None;
    }
    Some(run(terminal, || Output::Stdout.write(&text)))
}

/// Parses the command line. Wrong usage is reported in the form that the command line selects.
///
/// # Errors
///
/// The exit status, if there is nothing more to do: after wrong usage, `--help` and `--version`.
pub fn parse_arguments<A: Parser + CommandFactory>() -> Result<A, ExitCode> {
    let arguments = with_long_options(&A::command(), std::env::args_os());
    let error = match A::try_parse_from(arguments) {
        Ok(arguments) => return Ok(arguments),
        Err(error) => error,
    };
    let format =
        asked_format(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()));
    if error.kind() == ErrorKind::DisplayVersion {
        let text = version(A::command().get_name());
        return Err(match Output::Stdout.write(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => ExitCode::from(failure.status().number()),
        });
    }
    let is_document = error.kind() == ErrorKind::DisplayHelp;
    if is_document || format == ErrorFormat::Human {
        let _ = error.print();
    } else {
        let mut findings = Diagnostics::new();
        findings.push(usage_finding(&error));
        let format = if format == ErrorFormat::Json { Format::Json } else { Format::Short };
        write_stderr(&render(&SourceFile::new("<command line>", Vec::new()), &findings, format));
    }
    let status = if is_document { ExitStatus::Ok } else { ExitStatus::Usage };
    Err(ExitCode::from(status.number()))
}

/// The error format of a command line that cannot be parsed as a whole.
fn asked_format(arguments: impl Iterator<Item = String>) -> ErrorFormat {
    const NAME: &str = "--error-format";
    let mut asked = ErrorFormat::Human;
    let mut follows = false;
    for argument in arguments.take_while(|argument| argument != "--") {
        let value = match argument.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('=')) {
            Some(value) => Some(value),
            None => follows.then_some(argument.as_str()),
        };
        follows = argument == NAME;
        asked = value.and_then(|value| ErrorFormat::from_str(value, false).ok()).unwrap_or(asked);
    }
    asked
}

/// The error of a command line: the first line of clap's message, and the tip after it.
fn usage_finding(error: &clap::Error) -> Diagnostic {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or(&text);
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    // Missing arguments are on separate lines.
    if error.get(ContextKind::InvalidArg).is_some() && message.ends_with(':') {
        let named = lines.clone().take_while(|line| !line.starts_with("Usage:"));
        message.push_str(&format!(" {}", named.collect::<Vec<_>>().join(", ")));
    }
    let finding = Diagnostic::error_without_place(code::USAGE, message);
    match lines
        .find_map(|line| line.strip_prefix("tip: ").or_else(|| line.strip_prefix("[possible values: ")))
    {
        Some(tip) if tip.ends_with(']') => {
            finding.with_help(format!("possible values: {}", tip.trim_end_matches(']')))
        }
        Some(tip) => finding.with_help(tip),
        None => finding.with_help("--help lists the options"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_format_is_found_in_command_lines_that_are_wrong() {
        let of = |line: &str| asked_format(line.split(' ').map(str::to_owned));
        assert_eq!(of("--nope --error-format=json"), ErrorFormat::Json);
        assert_eq!(of("--error-format short --nope"), ErrorFormat::Short);
        assert_eq!(of("--error-format=nonsense"), ErrorFormat::Human);
        assert_eq!(of("--nope -- --error-format=json"), ErrorFormat::Human);
    }

    #[test]
    fn options_of_llvm_have_one_dash() {
        let command = Command::new("tool").arg(clap::Arg::new("target").long("target").alias("mcpu"));
        let of = |line: &str| {
            let words = with_long_options(&command, line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("tool -mcpu=sm_90 a.ll"), "tool --mcpu=sm_90 a.ll");
        assert_eq!(of("tool -mcpu sm_90 -O2 -"), "tool --mcpu sm_90 -O2 -");
        // The command has no such option.
        assert_eq!(of("tool -mattr=+ptx88 -mcpux"), "tool -mattr=+ptx88 -mcpux");
        assert_eq!(of("tool -- -mcpu=sm_90"), "tool -- -mcpu=sm_90");
        assert!(feature("+ptx88") == Ok(PtxVersion::new(8, 8)) && feature("+ptx999").is_err());
        assert!(feature("+sm_90").is_err_and(|text| text.contains("-mcpu=")) && feature("ptx88").is_err());
    }

    #[test]
    fn architectures_and_versions_are_those_there_are() {
        assert!(sm("sm_90a").is_ok() && sm("sm_80").is_ok());
        assert!(sm("sm_999").is_err_and(|text| text.contains("unknown architecture")));
        assert!(sm("sm_9Oa").is_err() && sm("80").is_err());
        assert!(ptx_version("8.7").is_ok());
        assert!(ptx_version("99.9").is_err_and(|text| text.contains("unknown version")));
    }
}
