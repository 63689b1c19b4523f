//! The command line of ll2ptx.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use ptx_cli::{Documents, OptimizeArgs, PassReportArgs, ReportArgs, TargetArgs};
use ptx_driver::{Annotations, Atomics, Names};

const EXAMPLES: &str = "\
Examples:
  ll2ptx kernel.ll                      PTX to standard output
  ll2ptx -O2 kernel.bc -o kernel.ptx    optimized first
  ptx2ll k.ptx | ll2ptx --target sm_90  through a pipe, for another architecture
  ll2ptx kernels/ --output-dir out      each .ll and .bc file of a folder
  ll2ptx --engine=llvm kernel.ll        with LLVM's own NVPTX backend, for comparison
  ll2ptx -O2 -mcpu=sm_90 -mattr=+ptx88 -filetype=asm kernel.ll -o kernel.ptx
                                        with the options of llc

Exit status:
  0  success
  1  the input was rejected; an existing output file is left as it was
  2  wrong usage";

/// The code generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// This project's own emitter.
    #[default]
    Native,
    /// LLVM's NVPTX backend.
    Llvm,
}

/// Naming of registers and labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum NameChoice {
    /// After the named values and blocks of the LLVM IR.
    #[default]
    Values,
    /// Register class and number.
    Numbers,
}

impl From<NameChoice> for Names {
    fn from(choice: NameChoice) -> Self {
        match choice {
            NameChoice::Values => Names::Values,
            NameChoice::Numbers => Names::Numbers,
        }
    }
}

/// The meaning of atomic operations that are `seq_cst` for the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum AtomicsChoice {
    /// That of CUDA's functions in modules that clang compiled from CUDA and that have no other atomic operations, otherwise LLVM's.
    #[default]
    Auto,
    /// That of CUDA's `atomicAdd()` and its like: relaxed, for the device.
    Cuda,
    /// That of LLVM's language reference.
    Llvm,
}

impl From<AtomicsChoice> for Atomics {
    fn from(choice: AtomicsChoice) -> Self {
        match choice {
            AtomicsChoice::Auto => Atomics::Auto,
            AtomicsChoice::Cuda => Atomics::Cuda,
            AtomicsChoice::Llvm => Atomics::Llvm,
        }
    }
}

/// Contents of comments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum CommentChoice {
    /// File, line and column after each `.loc`.
    #[default]
    Source,
    /// No comments.
    None,
}

impl From<CommentChoice> for Annotations {
    fn from(choice: CommentChoice) -> Self {
        match choice {
            CommentChoice::Source => Annotations::Source,
            CommentChoice::None => Annotations::None,
        }
    }
}

/// The kind of output, as for llc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileType {
    /// PTX.
    Asm,
    /// None.
    Null,
}

fn file_type(text: &str) -> Result<FileType, String> {
    match text {
        "asm" => Ok(FileType::Asm),
        "null" => Ok(FileType::Null),
        "obj" => Err("ll2ptx makes no machine code: `ptxas -arch=sm_90 kernel.ptx -o kernel.cubin` makes it from the PTX".to_owned()),
        _ => Err("expected asm or null".to_owned()),
    }
}

/// A target triple whose architecture is NVPTX.
fn triple(text: &str) -> Result<String, String> {
    match text.split('-').next() {
        Some("nvptx64" | "nvptx") => Ok(text.to_owned()),
        _ => Err("expected a triple for NVPTX, as in nvptx64-nvidia-cuda".to_owned()),
    }
}

/// Translate LLVM IR for NVPTX into PTX
#[derive(Clone, Debug, Parser)]
#[command(name = "ll2ptx", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// LLVM IR as text or bitcode; standard input when missing or `-`. Several inputs and folders need --output-dir
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,
    /// Output file; standard output when missing or `-`
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Translate each input separately into this folder; a folder as input means all .ll and .bc files in it
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub output_dir: Option<PathBuf>,
    /// Also write the PTX to this file before it is checked, so that it is there if it is rejected; with the native engine
    #[arg(long, value_name = "FILE", conflicts_with = "output_dir")]
    pub keep_ptx: Option<PathBuf>,
    /// The code generator
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub engine: Engine,
    /// Naming of registers and labels, with the native engine
    #[arg(long, value_enum, default_value_t, value_name = "NAMES")]
    pub names: NameChoice,
    /// Contents of comments, with the native engine; comments in debug sections are always emitted
    #[arg(long, value_enum, default_value_t, value_name = "COMMENTS")]
    pub comments: CommentChoice,
    /// The meaning of atomic operations that are `seq_cst` for the system, as clang writes CUDA's
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub atomics: AtomicsChoice,
    /// Emit kernels that run the constructors and destructors of the module: nvptx$device$init and nvptx$device$fini
    #[arg(long)]
    pub lower_ctors: bool,
    /// Accepted for compatibility with LLVM's tools: the output is always text
    #[arg(
        short = 'S',
        hide_short_help = true,
        long_help = "Accepted for compatibility with LLVM's tools: the output is always text"
    )]
    pub text: bool,
    /// Whether to write the PTX: asm, or null to translate and check only; also -filetype=, as for llc
    #[arg(long, value_name = "TYPE", value_parser = file_type, hide_short_help = true)]
    pub filetype: Option<FileType>,
    /// Override the module's target triple, as in nvptx64-nvidia-cuda; also -mtriple=, as for llc
    #[arg(long, alias = "mtriple", value_name = "TRIPLE", value_parser = triple, help_heading = "Target")]
    pub triple: Option<String>,
    /// How to optimize first
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// What to print about passes
    #[command(flatten)]
    pub told: PassReportArgs,
    /// What the PTX is for
    #[command(flatten)]
    pub target: TargetArgs,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// About the tool itself
    #[command(flatten)]
    pub documents: Documents,
}
