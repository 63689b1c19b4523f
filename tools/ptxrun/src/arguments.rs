//! The command line of ptxrun.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Parser;
use ptx_cli::{Documents, OptimizeArgs, ReportArgs};
use ptx_exec::{Completion, Reconvergence};
use ptx_host::{Form, Options};

use crate::argument_spec::ArgumentSpec;
use crate::engine::{Check, Emit, Engine, PrintAfter};
use crate::expected::ExpectSpec;
use crate::profile::Destination;
use crate::spec::{Dimensions, PrintSpec, ReferenceSpec};
use crate::store::Bytes;
use crate::time::TimeFormat;
use crate::watch::TraceFilter;

const DETAILS: &str = "\
Arguments (--arg), one for each kernel parameter, in order:
  i8= i16= i32= i64= u8= u16= u32= u64=   an integer, as in i32=-5 or u32=0xff
  f16= bf16= f32= f64=                    a floating-point number, as in f32=1.5
  hex=0011..                              a parameter's bytes, little endian
  in=FILE                                 a buffer with the file's content
  out=BYTES:FILE                          a zeroed buffer, written to the file after the launch
  inout=FILE:FILE                         a buffer with the first file's content, written to the
                                          second one
  zero=BYTES                              a zeroed buffer
  buffer=CONTENTS,type=f32,dims=16x16[,out=FILE][,expect=FILE][,atol=X][,rtol=X][,ulp=N]
      A buffer of elements, whose outermost dimension is first. CONTENTS is zero, iota (0, 1, 2 ..),
      random=SEED (floating-point numbers from 0 to below 1, integers of all values), fill=VALUE or
      in=FILE. After the launch it is written (out=) and compared (expect=) as by --expect.
  Files whose names end in .npy are NumPy arrays, with type and dimensions of their own; those that
  are given too are checked. in=x.npy and inout=x.npy:y.npy take them, too.
  address=BUFFER[+BYTES]                  the address of another argument's buffer, by its index
  tensormap=BUFFER,type=f16,dims=256x512,box=64x16[,strides=512][,steps=1x1][,interleave=16B]
           [,swizzle=128B][,fill=nan][,offset=BYTES]
      A tensor map. BUFFER is in=, out=, inout= or zero= as above, or the index of the argument
      that is the buffer. Lists begin with the innermost dimension; strides are in bytes, of all
      dimensions but the innermost. For im2col lower=-1x-1,upper=0x0,channels=64,pixels=32 instead
      of box (W, H, D), with wide=w or wide=w128 for im2col::w.
  texture=BUFFER,type=u8x4,dims=64x32[,layers=N][,levels=N][,samples=N][,read=fraction][,srgb=yes]
         [,normalized=yes][,SAMPLER]
      The handle of a texture. BUFFER is in=, out=, inout= or zero= with the texels of a CUDA
      array, level by level and layer by layer; or the index of an argument: a buffer, which is
      linear memory (with pitch=, offset=), or a texture or surface, whose image is used (no
      type, no dims). cube=N instead of dims for a cube; types are u8 s8 u16 s16 u32 s32 f16 f32,
      unorm8 snorm8 unorm16 snorm16, with x2 or x4.
  surface=BUFFER,type=u8x4,dims=64x32[,layers=N][,levels=N][,level=N]
      The handle of a surface, likewise.
  sampler=[SAMPLER]
      The handle of a sampler, for modules with .target texmode_independent. The keys of SAMPLER,
      here and for textures: filter=linear, address=wrap|clamp|mirror|border|clamp_ogl (or one for
      each axis, as in wrap:border), border=R:G:B:A, levelfilter=linear, bias=X, minlevel=X,
      maxlevel=X, compare=less|lequal|.., anisotropy=N, seamless=yes, unnormalized=yes.
Textures, surfaces and samplers that are variables of the module: --reference NAME=texture=..,
NAME=surface=.. or NAME=sampler=..; they count as arguments after those of --arg.
Buffers are in global memory; their parameter is their address.

Launch file (--launch), in JSON; options on the command line take precedence:
  {\"entry\": \"saxpy\", \"grid\": [4], \"block\": [128], \"cluster\": [1], \"shared\": 0,
   \"cooperative\": false,
   \"args\": [\"i32=500\", \"f32=2\", \"in=x.bin\", \"inout=y.bin:y.bin\"], \"references\": [],
   \"engine\": \"interp\", \"async\": \"late\", \"threads\": 2, \"timeout\": 10, \"print\": [\"3:f32:4\"],
   \"expect\": [\"3=want.npy,rtol=1e-5\"]}
Every field is optional. Relative file names are relative to the launch file. Besides strings, args
may have lists, whose items follow each other without gaps, structures, buffers made of these, and
{\"name\": \"n\", \"value\": ..}, whose name is a comment:
  {\"bytes\": 160, \"fields\": [{\"at\": 0, \"value\": \"tensormap=a,type=f32,dims=4x8,box=4x1\"},
                             {\"at\": 128, \"value\": \"address=b+16\"},
                             {\"at\": 136, \"value\": [\"i32=8\", [\"f32=1\", \"f32=0.5\"]]}]}
  {\"buffer\": [\"address=a\", \"address=b\"]}
A structure may start as \"hex\": \"00ff..\" instead of zeros. \"buffers\": {\"a\": \"in=a.bin\", ..} are
buffers without a parameter: address=, tensormap=, texture= and print name them. --launch-schema
prints a JSON schema of launch files, by which editors complete and check them.

Engines (--engine): interp, the reference, checks every access to memory. jit compiles the kernel for
this processor with LLVM: much faster, but without checks; an access outside of the buffers is
undefined. With --check=memory it checks each access as well, and reports the same errors as interp.
Results and other errors are the same in both. Kernels that jit does not compile yet are errors with
the instruction and the reason, and so are --profile, --trace and other requests that only interp
can fulfil; auto executes them by interp, and --remarks or --verbose reports why. --emit=host-ll or
--emit=host-asm prints the code. For compiled kernels --remarks reports which memory accesses and
branches are not scalars or plain vectors, and why.

auto, the default, starts with interp. After 1,048,576 warp instructions (16,384 with matrix products)
the kernel is compiled while interp goes on; if it is compiled first, compiled code executes the
launch from its beginning, with --check=memory unless --check=none is given. Cached kernels are used immediately; kernels are also compiled immediately
for launches of more than 65,536 warps and with --repeat, --time, --remarks, --debug, --perf-map and
--jit-check-shapes. An error within that many instructions is reported by interp in any case.

Compiled kernels are cached on disk for later runs: for the same program and shape of blocks, the
same processor, and this build of ptxrun with this version of LLVM. The folder is used only if no
other user can write to it, or rename a folder that contains it. The least recently used kernels are
removed if all take more than --cache-size. --verbose reports whether a kernel was found, and why
the cache is not used if it is not; nothing else depends on it.

Asynchronous operations (--async): cp.async, bulk and tensor copies, and all others that do not
block the thread, complete
  eager        when they are issued
  late         at the wait for them, or when all threads wait: a program does not see results that
               it does not wait for
  random:SEED  at points determined by the number SEED, the same in each run
A correct program has the same results with each; one with a missing wait has wrong ones, as it
may on a GPU, and so has one with a missing fence.proxy.async or wgmma.fence.

Reconvergence (--reconverge): threads of a warp that a branch has parted run together again
  early  where they come to the same instruction
  late   where all paths of the branch meet, as in the machine code of ptxas, and where they execute
         a barrier or a .sync instruction together
PTX leaves it open. A program whose results differ depends on it, by activemask or a vote without
.sync; one that has the same results before a translation and others after it, with late, was
translated wrongly. Only the interpreter executes late.

Profiles and traces: --profile prints, by instruction and source line, how often warps and threads
executed it, how often it diverged, the 32-byte sectors of memory that its accesses touched, and
the additional passes that bank conflicts in shared memory cause; work, by which they are sorted, is the
sum of warps, sectors and conflicts. Code that was inlined counts for the line of the call, too.
--profile=FILE.html writes a page with the counts at each line, and a flame graph,
--profile=FILE.json objects that ptxdiff and ptx2ll --analyze=roofline read. --trace prints each
instruction of each thread with the values before and after; a filter is a comma-separated list of
block=X[:Y[:Z]], thread=X[:Y[:Z]], line=N[-M] of the PTX, source=FILE:LINE as in .loc; of several
line= or source= each is shown. Both go to standard output, before what --print shows, and are objects, one a line, with --error-format=json.

Times: --time=json prints an object on a line for each launch, as soon as it is done:
  {\"launch\":0,\"engine\":\"jit\",\"compile_ns\":2100000,\"wall_ns\":51000,\"cpu_ns\":98000}
engine is what executed the launch, jit or interp. compile_ns is the time before the launch, for reading, checking and compiling, in the line of the
first one, and 0 in the others. wall_ns is the time that passed during the launch, and cpu_ns the
processor time of all threads of the process. Copies of buffers are not included. With --repeat=N
the first launch may include page faults of memory that is used for the first time.

Folders: each .ptx, .ll and .bc file, at any depth, is a separate program, executed one after the
other. Without --launch the launch of k.ptx is k.json next to it, if it exists. The output of each
program follows a line with its name.

Examples:
  ptxrun k.ptx --entry scale --grid 4 --block 128 --arg u32=500 --arg in=x.bin --arg out=2000:y.bin
  ptxrun k.ll --launch k.json --print 2:f32:8
  ptxrun -O2 k.ptx --launch k.json        optimized by LLVM, as ptx2ll -O2 and ll2ptx do it
  ptxrun k.ptx --launch k.json --async random:1
  ptxrun k.ptx --launch k.json --trace=block=1,thread=33,line=12-20
  ptxrun k.ptx --launch k.json --engine jit --remarks --error-format=short
  ptxrun k.ptx --launch k.json --print-after=rows       the facts about each register
  ptxrun --template k.ptx > k.json        a launch file to fill in
  ptxrun k.ptx --grid 1 --block 64 --arg buffer=random=7,type=f32,dims=64,out=y.npy
  ptxrun k.ptx --launch k.json --expect 2=y.npy,rtol=1e-5
  ptxrun --list kernels/                  the kernels of each file, with their parameters
  ptxrun kernels/ --timeout 10            each file, with the launch file next to it

Exit status:
  0  success
  1  the input or the launch was rejected
  2  wrong usage
  3  the execution failed: trap, deadlock, time-out or bad access; no output file is written;
     or a buffer is not as --expect has it
  130  interrupted by Ctrl-C; where the launch was is reported";

/// Execute a kernel on this machine's CPU
#[derive(Clone, Debug, Parser)]
#[command(name = "ptxrun", version, after_long_help = DETAILS, after_help = "See --help for details.")]
pub struct Arguments {
    /// PTX or LLVM IR (.ptx, .ll, .bc); standard input when `-`. Several inputs are linked into one module; with a folder among
    /// them each file is executed separately
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Write the PTX that LLVM IR, or PTX with -O, becomes to this file before it is checked; errors have their places there
    #[arg(long, value_name = "FILE")]
    pub keep_ptx: Option<PathBuf>,
    /// List the kernels of each input with their parameters and execute nothing; a folder means all files in it. With --error-format=json an object on a line
    /// for each: its name and the one in the source, parameters with type, size, alignment and offset, blocks and shared memory
    #[arg(long, conflicts_with_all = ["template", "entry", "grid", "block", "cluster", "cooperative", "shared", "args", "references", "print", "expect", "launch", "engine", "remarks", "check", "jit_check_shapes", "disable", "cpu", "print_after", "debug", "perf_map", "emit", "cache_dir", "no_cache", "cache_size", "completion", "reconvergence", "profile", "trace", "time", "repeat", "threads", "timeout"])]
    pub list: bool,
    /// Print a launch file for the kernel, to be filled in: one block, numbers that are 0, and zeroed buffers for parameters that are used as addresses
    #[arg(long, conflicts_with_all = ["grid", "block", "cluster", "cooperative", "shared", "args", "references", "print", "expect", "launch", "engine", "remarks", "check", "jit_check_shapes", "disable", "cpu", "print_after", "debug", "perf_map", "emit", "cache_dir", "no_cache", "cache_size", "completion", "reconvergence", "profile", "trace", "time", "repeat", "threads", "timeout"])]
    pub template: bool,
    /// The kernel's name, in the PTX or in the source: `_Z5saxpyif`, `saxpy`, `saxpy(int, float)`. Not needed for the only kernel
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<Dimensions>,
    /// Threads of a block in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Option<Dimensions>,
    /// Blocks of a cluster in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub cluster: Option<Dimensions>,
    /// Cooperative launch: all blocks run concurrently, so that they can synchronize with each other
    #[arg(long)]
    pub cooperative: bool,
    /// Size of the dynamic shared memory of a block
    #[arg(long, value_name = "BYTES")]
    pub shared: Option<u64>,
    /// One kernel argument, in order; --help lists the forms
    #[arg(long = "arg", value_name = "SPEC")]
    pub args: Vec<ArgumentSpec>,
    /// A texture, surface or sampler of the module, by its name; --help lists the forms
    #[arg(long = "reference", value_name = "NAME=SPEC")]
    pub references: Vec<ReferenceSpec>,
    /// Show a buffer after the launch, by the argument's index from 0 or its name in the launch file
    #[arg(long, value_name = "BUFFER:TYPE[:COUNT]")]
    pub print: Vec<PrintSpec>,
    /// Compare a buffer after the launch with a file, a .npy file or one with elements of a type: `BUFFER=FILE[,type=T][,atol=X][,rtol=X][,ulp=N]`. If
    /// they differ by more than the tolerance, the first differences are shown, and the exit status is 3
    #[arg(long, value_name = "SPEC")]
    pub expect: Vec<ExpectSpec>,
    /// A file that describes the launch
    #[arg(long, value_name = "FILE.json")]
    pub launch: Option<PathBuf>,
    /// Print the JSON schema of launch files, for editors, and exit
    #[arg(long, exclusive = true)]
    pub launch_schema: bool,
    /// What executes the kernel [default: auto]
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub engine: Option<Engine>,
    /// Report which kernels are interpreted instead of compiled, and for compiled ones which memory accesses and branches are not
    /// scalars or plain vectors, and why
    #[arg(long)]
    pub remarks: bool,
    /// Checks in compiled kernels; interp always checks memory [default: memory for auto, none for jit]
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["emit", "print_after"])]
    pub check: Option<Check>,
    /// Compute each lane separately in compiled code, and compare the results with those of the compiler's analysis: uniform values,
    /// strides, bounds, bits, the lanes that run together. For testing the compiler; many times slower
    #[arg(long)]
    pub jit_check_shapes: bool,
    /// Compile without special forms of code, to find out what one is worth or whether it is at fault: parts, groups, together, unrolling, turns, phases,
    /// rematerialization, full-warps, lane-loops, counters, windows, quads, prefetching, prefetching-blocks. `--remarks` tells which a kernel has
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = form)]
    pub disable: Vec<Form>,
    /// Compile for this CPU, as LLVM names it, as in x86-64-v3, to compare code for other vectors. The CPU of this machine must have all of
    /// its features to execute the code; it is not cached
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<String>,
    /// Print the native code instead of executing it
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["profile", "trace", "time", "repeat", "jit_check_shapes"])]
    pub emit: Option<Emit>,
    /// Register compiled kernels with debuggers: gdb supports breakpoints at lines of the PTX, and backtraces name them
    #[arg(long, short = 'g')]
    pub debug: bool,
    /// Write the names of compiled kernels to /tmp/perf-PID.map for `perf report`
    #[arg(long)]
    pub perf_map: bool,
    /// Print the kernel after a stage of its compilation, instead of executing it
    #[arg(long, value_enum, value_name = "STAGE", conflicts_with_all = ["profile", "trace", "time", "repeat", "emit", "jit_check_shapes"])]
    pub print_after: Option<PrintAfter>,
    /// Cache compiled kernels in this folder [default: ptx-llvm in $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Do not use or update the cache of compiled kernels
    #[arg(long, conflicts_with_all = ["cache_dir", "cache_size"])]
    pub no_cache: bool,
    /// Maximum size of the cache: a number of bytes, or one with K, M or G [default: 256M]
    #[arg(long, value_name = "BYTES")]
    pub cache_size: Option<Bytes>,
    /// When asynchronous operations complete: eager, late or random:SEED [default: eager]
    #[arg(long = "async", value_name = "WHEN")]
    pub completion: Option<Completion>,
    /// Where threads of a warp that a branch has parted run together again: early or late [default: early]
    #[arg(long = "reconverge", value_name = "WHERE")]
    pub reconvergence: Option<Reconvergence>,
    /// Number of launches, one after another; buffers and variables keep the values that earlier launches stored
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, conflicts_with_all = ["profile", "trace"])]
    pub repeat: NonZeroU64,
    /// Print the time of each launch; see --help for what is measured
    #[arg(long, value_enum, value_name = "FORMAT", require_equals = true, conflicts_with_all = ["profile", "trace"])]
    pub time: Option<TimeFormat>,
    /// Count executions and costs by instruction and by line of the source; with a file named *.html a page of them is written, with *.json objects, and nothing printed
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = Destination::parse)]
    pub profile: Option<Destination>,
    /// Show each instruction that a thread executes, with the values of its registers; --help lists the filters
    #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub trace: Option<TraceFilter>,
    /// Host threads, at most one for each core [default: one for each core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Time limit of a launch in seconds; for the first one it includes compiling
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// How to optimize: by way of LLVM IR, before the kernel is executed
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// How to report
    #[command(flatten)]
    pub report: ReportArgs,
    /// About the tool itself
    #[command(flatten)]
    pub documents: Documents,
}

impl Arguments {
    /// The options of the compiler for code that is only printed.
    pub fn code_options(&self) -> Options {
        Options::default().with_disabled(self.disable.iter().copied())
    }
}

/// The special form of compiled code that an option names.
fn form(name: &str) -> Result<Form, String> {
    Form::named(name).ok_or_else(|| {
        let names: Vec<&str> = Form::ALL.iter().map(|form| form.name()).collect();
        format!("no such form; there are {}", names.join(", "))
    })
}
