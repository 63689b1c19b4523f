//! The command line of ptxdiff.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use ptx_cli::{Documents, ReportArgs, sm};
use ptx_isa::Sm;

const EXAMPLES: &str = "\
Examples:
  ptxdiff old.ptx new.ptx              what another version of a compiler makes of a kernel
  ptx2ll k.ptx | ll2ptx | ptxdiff k.ptx -
                                       what is lost on the way through LLVM IR
  ptxdiff --brief old.ptx new.ptx      only how many instructions each function has
  ptxdiff --machine old.ptx new.ptx    the machine code that ptxas makes of both, too
  ptxrun old.ptx --launch k.json --reconverge=late --profile=old.json
  ptxrun new.ptx --launch k.json --reconverge=late --profile=new.json
  ptxdiff --machine --profile-before old.json --profile-after new.json old.ptx new.ptx
                                       how many instructions warps issue
  ptxdiff --format=html old.ptx new.ptx > diff.html
  ptxdiff --format=json old.ptx new.ptx

Exit status:
  0  the modules are the same but for names of registers, labels and local variables, and with --machine
     their machine code is
  1  they differ
  2  wrong usage, an input was rejected, or ptxas makes no machine code";

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
    /// A page with both modules side by side.
    Html,
}

/// Compare two PTX modules, up to the names of what is local to a function
///
/// Functions are matched by name, and those that only have another name by their bodies; blocks by what their statements have in common. `-` is a statement of the first module
/// alone, `+` of the second, and `~` one with other modifiers, or whose registers, labels or local variables are not those that correspond. In machine code `=` is an instruction
/// that only has other registers.
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
    /// Compare the machine code, too, which ptxas and nvdisasm make and list; they are looked for in the folder, or else in PATH and in CUDA_HOME/bin
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub machine: Option<String>,
    /// The GPU that the machine code is for [default: that of each module, or sm_90 if ptxas does not know it]
    #[arg(long, value_name = "SM", value_parser = sm, requires = "machine")]
    pub arch: Option<Sm>,
    /// How many seconds ptxas may take for each module
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "machine")]
    pub timeout: u64,
    /// What was executed of the first module, as ptxrun --profile=FILE.json writes it: statements and machine code are weighted by it
    #[arg(long, value_name = "FILE")]
    pub profile_before: Option<PathBuf>,
    /// What was executed of the second module
    #[arg(long, value_name = "FILE")]
    pub profile_after: Option<PathBuf>,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// Documents
    #[command(flatten)]
    pub documents: Documents,
}
