//! The command line of ptx2ll.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use ptx_cli::{Documents, OptimizeArgs, PassReportArgs, ReportArgs, feature, ptx_version, sm};
use ptx_inspect::{Analysis, Peak};
use ptx_instrument::Counted;
use ptx_isa::{PtxVersion, Sm};
use ptx_specialize::Assumptions;

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
  ptx2ll -O2 kernel.ptx --view k.html     a page for a browser: PTX, LLVM IR and graphs
  ptx2ll --instrument=blocks --emit=ptx k.ptx -o counted.ptx
                                          with counters, for a run on a GPU
  ptx2ll -O3 --assume 'block=256 arg2=5000' k.ptx | ll2ptx -o fast.ptx
                                          with another kernel for such launches
  ptx2ll --analyze=divergence,coalescing --block 256 k.ptx
                                          what decides how fast kernels are, at lines of the PTX
  ptx2ll --analyze=roofline --profile p.json --peak 67T,3.35T k.ptx
                                           what an execution did, against an H100
  ptx2ll --target=host --block 256 k.ptx -o k.o
                                          kernels as functions that a C program links, with k.h
  ptx2ll --target=aarch64 --cpu neoverse-n1 --block 16,16 k.ptx -o k.o
  ptx2ll --explain ld.global              description of an instruction, with its targets
  ptx2ll --explain V0501                  description of a diagnostic code

Exit status:
  0  success
  1  the input was rejected; an existing output file is left as it was
  2  wrong usage";

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// LLVM IR as text.
    Ll,
    /// LLVM bitcode.
    Bc,
    /// The PTX module printed back, without LLVM.
    Ptx,
    /// Nothing: the input is only parsed and verified.
    None,
    /// Assembly for a CPU, with --target=host, x86_64 or aarch64.
    Asm,
    /// An object file for a CPU, with --target=host, x86_64 or aarch64.
    Obj,
}

/// Which lines are the debug locations of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Lines {
    /// Those of the input's `.loc`.
    #[default]
    Source,
    /// Those of the instructions in the PTX; the input's debug information is dropped.
    Ptx,
}

/// What `--instrument` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum InstrumentChoice {
    /// Basic blocks.
    Blocks,
    /// All instructions.
    Instructions,
    /// Accesses of memory.
    Accesses,
    /// Barriers.
    Barriers,
    /// Calls.
    Calls,
}

impl From<InstrumentChoice> for Counted {
    fn from(choice: InstrumentChoice) -> Self {
        match choice {
            InstrumentChoice::Blocks => Counted::Blocks,
            InstrumentChoice::Instructions => Counted::Instructions,
            InstrumentChoice::Accesses => Counted::Accesses,
            InstrumentChoice::Barriers => Counted::Barriers,
            InstrumentChoice::Calls => Counted::Calls,
        }
    }
}

/// What `--analyze` finds out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AnalysisChoice {
    /// Values and branches that are the same for all threads of a block or a warp, or why they are not.
    Divergence,
    /// Accesses of memory with their addresses.
    Memory,
    /// Live registers, and which are live where they are most.
    Registers,
    /// Calls, and the local memory that they take.
    Callgraph,
    /// Blocks, dominators, and loops with their iterations.
    Cfg,
    /// Sectors of global memory that a warp touches.
    Coalescing,
    /// Conflicts of banks of shared memory, and paddings and swizzles without them.
    BankConflicts,
    /// Operations and bytes of a thread, by loops.
    Roofline,
}

impl From<AnalysisChoice> for Analysis {
    fn from(choice: AnalysisChoice) -> Self {
        match choice {
            AnalysisChoice::Divergence => Analysis::Divergence,
            AnalysisChoice::Memory => Analysis::Memory,
            AnalysisChoice::Registers => Analysis::Registers,
            AnalysisChoice::Callgraph => Analysis::CallGraph,
            AnalysisChoice::Cfg => Analysis::Cfg,
            AnalysisChoice::Coalescing => Analysis::Coalescing,
            AnalysisChoice::BankConflicts => Analysis::BankConflicts,
            AnalysisChoice::Roofline => Analysis::Roofline,
        }
    }
}

/// The form of what was found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum AnalyzeFormat {
    /// Tables.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// Graphs for Graphviz, of callgraph and cfg.
    Dot,
}

/// The target of code generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A GPU.
    Gpu(Sm),
    /// The processor of this machine.
    Host,
    /// x86-64 on Linux.
    X86,
    /// 64-bit Arm on Linux.
    Arm,
}

fn target(text: &str) -> Result<Target, String> {
    match text {
        "host" => Ok(Target::Host),
        "x86_64" => Ok(Target::X86),
        "aarch64" => Ok(Target::Arm),
        _ => sm(text).map(Target::Gpu).map_err(|why| format!("{why}; or a CPU: host, x86_64, aarch64")),
    }
}

/// Parses what a device does in a second: `67e12,3.35e12` or `67T,3.35T`.
fn peak(text: &str) -> Result<Peak, String> {
    let wrong = || format!("expected operations and bytes in a second, as in 67T,3.35T, not `{text}`");
    let number = |text: &str| {
        let units = [('K', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12), ('P', 1e15)];
        let unit = units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
        let (digits, unit) = unit.unwrap_or((text, 1.0));
        let value = digits.trim().parse::<f64>().ok()? * unit;
        (value.is_finite() && value > 0.0).then_some(value)
    };
    let (flops, bytes) = text.split_once(',').ok_or_else(wrong)?;
    Ok(Peak { flops: number(flops).ok_or_else(wrong)?, bytes: number(bytes).ok_or_else(wrong)? })
}

/// Parses the extents of a block: `256`, `16,16` or `8,8,4`.
fn block(text: &str) -> Result<[u32; 3], String> {
    let mut extents = [1; 3];
    let given: Vec<&str> = text.split(',').collect();
    let wrong = || format!("expected the threads of a block, as in 256 or 16,16, not `{text}`");
    if given.len() > extents.len() {
        return Err(wrong());
    }
    for (extent, text) in extents.iter_mut().zip(given) {
        *extent = text.parse().ok().filter(|&extent| extent > 0).ok_or_else(wrong)?;
    }
    Ok(extents)
}

/// What to produce code for.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArgs {
    /// Override the module's architecture, as in sm_90a; or the CPU that kernels are compiled for: host (this one), x86_64 or
    /// aarch64. Then --emit is ll, bc, asm or obj, and a header for C is written. Also -mcpu=sm_90a, as for llc
    #[arg(long, alias = "mcpu", value_name = "TARGET", value_parser = target)]
    pub target: Option<Target>,
    /// Override the module's PTX version, as in 8.7
    #[arg(long, value_name = "X.Y", value_parser = ptx_version)]
    pub ptx_version: Option<PtxVersion>,
    /// Same as --ptx-version, as for llc: -mattr=+ptx87
    #[arg(long, value_name = "+ptxXY", value_parser = feature, conflicts_with = "ptx_version", hide_short_help = true)]
    pub mattr: Option<PtxVersion>,
    /// CPU name as in LLVM and C compilers, as in x86-64-v3 or neoverse-n1 [default: this one for host, x86-64-v2 (SSE4.2) for x86_64,
    /// generic (NEON) for aarch64]
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<String>,
    /// Block shape that kernels without .reqntid are compiled for, or that --analyze takes them to be launched with. For a CPU it may be given several
    /// times: launches select one
    #[arg(long, value_name = "X,Y,Z", value_parser = block)]
    pub block: Vec<[u32; 3]>,
    /// A kernel to compile for a CPU, instead of all kernels of the module. May be given several times
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Output file for the C header [default: next to the output, with the suffix .h]
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
}

impl TargetArgs {
    /// The PTX version that is asked for.
    pub fn version(&self) -> Option<PtxVersion> {
        self.ptx_version.or(self.mattr)
    }

    /// The architecture, if the target is a GPU.
    pub fn gpu(&self) -> Option<Sm> {
        match self.target {
            Some(Target::Gpu(sm)) => Some(sm),
            Some(Target::Host | Target::X86 | Target::Arm) | None => None,
        }
    }

    /// Whether kernels are compiled for a CPU.
    pub fn is_processor(&self) -> bool {
        matches!(self.target, Some(Target::Host | Target::X86 | Target::Arm))
    }
}

/// Translate PTX into LLVM IR for NVPTX
#[derive(Clone, Debug, Parser)]
#[command(name = "ptx2ll", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// PTX text; standard input when missing or `-`. Several inputs are linked into one module
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub inputs: Vec<PathBuf>,
    /// Output file; standard output when missing or `-`. Without --emit the suffix selects the output type:
    /// .ll, .bc, .ptx, .s or .o
    #[arg(short, long = "output", value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Translate each input separately into this folder; a folder as input means all .ptx files in it
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub output_dir: Option<PathBuf>,
    /// Output type [default: by the suffix of the output file, else ll]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub emit: Option<Emit>,
    /// LLVM IR to link into the result, such as libdevice.10.bc: the definitions of symbols that the input declares, with their
    /// dependencies. May be given several times
    #[arg(long, value_name = "FILE")]
    pub link_bitcode: Vec<PathBuf>,
    /// Let linked bitcode flush subnormal single-precision numbers: the value of `__nvvm_reflect("__CUDA_FTZ")`
    #[arg(long, requires = "link_bitcode")]
    pub reflect_ftz: bool,
    /// Same as --emit=ll, for compatibility with LLVM's tools
    #[arg(short = 'S', conflicts_with = "emit", hide_short_help = true)]
    pub text: bool,
    /// Omit the hints from the LLVM IR (`!ptx.*` metadata) and index addresses by elements: a shorter listing; PTX that is raised from it
    /// has other names and spellings
    #[arg(long)]
    pub no_hints: bool,
    /// The debug locations of the output: the `.loc` of the input, or each instruction's own line in the PTX, in place of the input's debug
    /// information. Optimized code keeps them, and remarks of LLVM's passes name them
    #[arg(long, value_enum, value_name = "WHICH", default_value_t, hide_default_value = true)]
    pub lines: Lines,
    /// Add counters: each thread that comes to a block, instruction, access, barrier or call adds 1 to a number that the host reads, in the variable
    /// `__ptx_counters`; `__ptx_counter_places` has their places
    #[arg(long, value_enum, value_name = "WHAT")]
    pub instrument: Option<InstrumentChoice>,
    /// Instead of translating, tell what decides how fast the kernels are, at lines of the PTX: by several names with commas between them
    #[arg(
        long, value_enum, value_name = "WHAT", value_delimiter = ',',
        conflicts_with_all = ["emit", "text", "view", "output_dir", "instrument", "assume", "assume_launch", "link_bitcode"]
    )]
    pub analyze: Vec<AnalysisChoice>,
    /// The form in which --analyze tells it
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        requires = "analyze",
        default_value_t,
        hide_default_value = true
    )]
    pub analyze_format: AnalyzeFormat,
    /// What a launch executed, as ptxrun --profile=FILE.json writes it: with it --analyze=roofline tells the work that was executed, in place of that of a thread
    #[arg(long, value_name = "FILE", requires = "analyze")]
    pub profile: Option<PathBuf>,
    /// The floating-point operations and the bytes of global memory that a device does in a second, as in 67T,3.35T: what is attainable with the work that was executed
    #[arg(long, value_name = "FLOPS,BYTES", requires = "profile", value_parser = peak)]
    pub peak: Option<Peak>,
    /// Write a page of HTML: the PTX beside its LLVM IR and the PTX that this becomes again, with lines that belong together, control flow, dominators and
    /// register pressure of each function, and diagnostics in place, also those of a rejected input. With -o, --emit or -S that output is written, too
    #[arg(long, value_name = "FILE", conflicts_with = "output_dir")]
    pub view: Option<PathBuf>,
    /// How to optimize
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// What to print about passes
    #[command(flatten)]
    pub told: PassReportArgs,
    /// Add a kernel for launches of which this is known, as in 'entry=scale block=256 grid=40,2 arg2=5000': threads of a block, blocks of the grid,
    /// values of parameters, counted from 0. It has the name of the kernel and a hash, the same parameters, and a variable NAME_assumptions with
    /// this text, for the host to check. With -O3 loops whose trip count is known then are unrolled. May be given several times
    #[arg(long, value_name = "LAUNCHES", help_heading = "Optimization")]
    pub assume: Vec<Assumptions>,
    /// Add a kernel for launches as in this launch file of ptxrun: its entry, block, grid and arguments that are numbers. May be given several times
    #[arg(long, value_name = "FILE", help_heading = "Optimization")]
    pub assume_launch: Vec<PathBuf>,
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
    /// Whether kernels for known launches are added.
    pub fn specializes(&self) -> bool {
        !(self.assume.is_empty() && self.assume_launch.is_empty())
    }

    /// Whether there is an output besides the view.
    pub fn has_output(&self) -> bool {
        self.view.is_none() || self.output.is_some() || self.emit.is_some() || self.text
    }

    /// Whether something is to be found out in place of a translation.
    pub fn analyzes(&self) -> bool {
        !self.analyze.is_empty()
    }

    /// The kind of output: by `--emit`, or else by the suffix of the output file.
    pub fn product(&self) -> Emit {
        let suffix =
            self.output.as_deref().and_then(|path| path.extension()).and_then(|suffix| suffix.to_str());
        match (self.emit, suffix) {
            _ if self.analyzes() => Emit::None,
            (Some(emit), _) => emit,
            (None, _) if self.text => Emit::Ll,
            (None, Some("bc")) => Emit::Bc,
            (None, Some("ptx")) => Emit::Ptx,
            (None, Some("s")) => Emit::Asm,
            (None, Some("o")) => Emit::Obj,
            (None, _) => Emit::Ll,
        }
    }
}
