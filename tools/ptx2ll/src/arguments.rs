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
  ptx2ll kernels/ --output-dir out        each .ptx file of a folder on its own
  ptx2ll --link-bitcode libdevice.10.bc -O2 k.ptx
  ptx2ll --emit=ptx < in.ptx > out.ptx    print the module back
  ptx2ll --explain ld.global              what the instruction is and which targets have it
  ptx2ll --explain V0501                  what the code of a finding means

Exit status:
  0  all went well
  1  the input was rejected; an existing output file is left as it was
  2  wrong usage";

/// What is produced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// LLVM IR as text.
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
    /// Where the output goes; standard output when missing or `-`. Without --emit the suffix chooses what is written:
    /// .ll, .bc or .ptx
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Translate each input on its own into this folder; a folder as input means all .ptx files in it
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub output_dir: Option<PathBuf>,
    /// What is produced [default: by the suffix of the output, else ll]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub emit: Option<Emit>,
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
    /// Leave the hints out of the LLVM IR (`!ptx.*` metadata) and index addresses by elements: a shorter listing, from which PTX comes back
    /// with other names and spellings
    #[arg(long)]
    pub no_hints: bool,
    /// How to optimize
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// What the module is for
    #[command(flatten)]
    pub target: TargetArgs,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// About the tool itself
    #[command(flatten)]
    pub documents: Documents,
}

impl Arguments {
    /// What is produced: by `--emit`, else by the suffix of the output.
    pub fn product(&self) -> Emit {
        let suffix =
            self.output.as_deref().and_then(|path| path.extension()).and_then(|suffix| suffix.to_str());
        match (self.emit, suffix) {
            (Some(emit), _) => emit,
            (None, _) if self.text => Emit::Ll,
            (None, Some("bc")) => Emit::Bc,
            (None, Some("ptx")) => Emit::Ptx,
            (None, _) => Emit::Ll,
        }
    }
}
