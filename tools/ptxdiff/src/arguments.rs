//! The command line of ptxdiff.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use ptx_cli::{Documents, ReportArgs};

const EXAMPLES: &str = "\
Examples:
  ptxdiff old.ptx new.ptx              what another version of a compiler makes of a kernel
  ptx2ll k.ptx | ll2ptx | ptxdiff k.ptx -
                                       what is lost on the way through LLVM IR
  ptxdiff --brief old.ptx new.ptx      only how many instructions each function has
  ptxdiff --format=json old.ptx new.ptx

Exit status:
  0  the modules are the same but for names of registers, labels and local variables
  1  they differ
  2  wrong usage, or an input was rejected";

/// The options that need no modules.
const DOCUMENTS: [&str; 6] = ["explain", "print_targets", "print_isa", "print_passes", "completions", "man"];

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum OutputFormat {
    /// As `diff -u` has it, with a summary of each function.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// Compare two PTX modules, up to the names of what is local to a function
///
/// Functions are matched by name, and those that only have another name by their bodies. `-` is a statement of the first module alone, `+` of the second, and `~` one with
/// other modifiers, or whose registers, labels or local variables are not those that correspond.
#[derive(Clone, Debug, Parser)]
#[command(name = "ptxdiff", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// The first module; `-` for standard input
    #[arg(value_name = "BEFORE", required_unless_present_any = DOCUMENTS)]
    pub before: Option<PathBuf>,
    /// The second module; `-` for standard input
    #[arg(value_name = "AFTER", required_unless_present_any = DOCUMENTS)]
    pub after: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: OutputFormat,
    /// Only what functions differ, and by how many instructions
    #[arg(short = 'q', long)]
    pub brief: bool,
    /// How many statements that are the same to show around others
    #[arg(short = 'U', long, default_value_t = 3, value_name = "COUNT")]
    pub context: usize,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// Documents
    #[command(flatten)]
    pub documents: Documents,
}
