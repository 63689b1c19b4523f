//! The command line of ptx2ll.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use ptx_cli::{Documents, OptimizeArgs, ReportArgs, TargetArgs};

const EXAMPLES: &str = "\
Examples:
  ptx2ll kernel.ptx                       LLVM IR to standard output
  ptx2ll -O2 kernel.ptx -o kernel.ll      optimized
  ptx2ll --emit=bc kernel.ptx -o k.bc     bitcode
  ptx2ll --emit=none kernel.ptx           only check the file
  ptx2ll a.ptx b.ptx -o ab.ll             linked into one module
  ptx2ll --link-bitcode libdevice.10.bc -O2 k.ptx
  ptx2ll --emit=ptx < in.ptx > out.ptx    print the module back
  ptx2ll --explain ld.global              what the instruction is and which targets have it
  ptx2ll --explain V0501                  what the code of a finding means

Exit status:
  0  all went well
  1  the input was rejected; an existing output file is left as it was
  2  wrong usage";

/// What is produced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Emit {
    /// LLVM IR as text.
    #[default]
    Ll,
    /// LLVM bitcode.
    Bc,
    /// The PTX module printed back, without LLVM.
    Ptx,
    /// Nothing: the input is only read and verified.
    None,
}

/// Translate PTX into LLVM IR for NVPTX
#[derive(Clone, Debug, Parser)]
#[command(name = "ptx2ll", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// PTX text; standard input when missing or `-`. Several inputs are linked into one module
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,
    /// Where the output goes; standard output when missing or `-`. What is written is chosen by --emit alone
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What is produced
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub emit: Emit,
    /// LLVM IR to link into the result, such as libdevice.10.bc: what the input declares and it defines, with what that
    /// needs. May be given several times
    #[arg(long, value_name = "FILE")]
    pub link_bitcode: Vec<PathBuf>,
    /// Let linked bitcode flush subnormal single-precision numbers: what `__nvvm_reflect("__CUDA_FTZ")` answers
    #[arg(long, requires = "link_bitcode")]
    pub reflect_ftz: bool,
    /// The same as --emit=ll, as LLVM's tools have it
    #[arg(short = 'S', conflicts_with = "emit", hide_short_help = true)]
    pub text: bool,
    /// How to optimize
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// What the module is for
    #[command(flatten)]
    pub target: TargetArgs,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// Print what is known of an instruction, or what the code of a finding means, and exit: `add`, `ld.global`, `V0501`.
    /// Modifiers narrow what is shown
    #[arg(long, value_name = "MNEMONIC|CODE", exclusive = true)]
    pub explain: Option<String>,
    /// About the tool itself
    #[command(flatten)]
    pub documents: Documents,
}
