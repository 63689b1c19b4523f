//! The command line of ptx-cuda.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use ptx_device::Shape;

const EXAMPLES: &str = "\
Examples:
  ptx-cuda run -- python train.py               a program for CUDA, without a GPU
  ptx-cuda run --arch 80 -- ./program -n 100    as on a device of compute capability 8.0
  ptx-cuda run --profile=p.json -- ./program    the time of each kernel, also as JSON
  ptx-cuda run --log -- ./program               the calls that fail, with the reason
  eval \"$(ptx-cuda env --arch 80)\"              the same environment for a shell
  ptx-cuda ptxas -arch=sm_90a -v k.ptx -o k.cubin
  ptx-cuda loader --threads 32 test.ptx         a program with LLVM's libc for GPUs

Exit status:
  0  success
  1  a library is missing, or a file cannot be read or written
  2  wrong usage
  `run` has the status of its command; 127 if there is no such command, 126 if it cannot be started.
  `ptxas` has 255 if the input is rejected, like NVIDIA's.
  `loader` has the status of the program; 3 if one of its kernels is stopped";

const RUN_EXAMPLES: &str = "\
The command finds this project's libraries instead of NVIDIA's: libcuda.so.1, libcudart.so.12 and .13, libnvJitLink.so.12 and
.13, and the stand-in for ptxas. They are looked for beside ptx-cuda, in ../lib/ptx-llvm and ../lib, or in --lib-dir.

Examples:
  ptx-cuda run -- python -m pytest tests
  ptx-cuda run --arch 100a --devices 2 -- ./program
  ptx-cuda run --bounds gpu --profile -- python train.py";

const LOADER_EXAMPLES: &str = "\
The image is PTX, a fat binary or cubin with PTX, or what `ptx-cuda ptxas` wrote; `-` reads it from standard input. It has the kernels
_begin, _start and _end of LLVM's libc. PTX_CUDA_ARCH, PTX_CUDA_MEMORY, PTX_CUDA_BOUNDS and PTX_EXEC_ENGINE are as for the driver,
except that the interpreter executes kernels unless PTX_EXEC_ENGINE is jit.

Examples:
  ptx-cuda loader program.ptx one two
  ptx-cuda loader --threads 64 --blocks 4 program.ptx
  ln -s ptx-cuda llvm-gpu-loader    by this name it is the loader";

/// Run programs for CUDA on this machine's CPU
#[derive(Clone, Debug, Parser)]
#[command(name = "ptx-cuda", version, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub task: Task,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Task {
    /// Run a command that uses CUDA
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArguments),
    /// Print the environment that `run` sets up
    Env(EnvArguments),
    /// Check PTX and write what the driver loads: the options of NVIDIA's ptxas
    #[command(disable_help_flag = true)]
    Ptxas {
        /// `ptx-cuda ptxas --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        words: Vec<OsString>,
    },
    /// Run a program that is compiled for a GPU with LLVM's libc: the options of llvm-gpu-loader
    #[command(after_help = LOADER_EXAMPLES)]
    Loader(LoaderArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Clone, Debug, Args)]
pub struct LoaderArguments {
    /// Threads of a block along x
    #[arg(long, visible_alias = "threads", value_name = "N", default_value_t = 1)]
    pub threads_x: u32,
    /// Threads of a block along y
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads_y: u32,
    /// Threads of a block along z
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads_z: u32,
    /// Blocks of the grid along x
    #[arg(long, visible_alias = "blocks", value_name = "N", default_value_t = 1)]
    pub blocks_x: u32,
    /// Blocks of the grid along y
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub blocks_y: u32,
    /// Blocks of the grid along z
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub blocks_z: u32,
    /// Print an estimate of the registers of each kernel
    #[arg(long)]
    pub print_resource_usage: bool,
    /// Accepted: processes do not share a device here
    #[arg(long)]
    pub no_parallelism: bool,
    /// The image, and the arguments of its `main`
    #[arg(required = true, trailing_var_arg = true, value_name = "IMAGE|ARGUMENT")]
    pub words: Vec<OsString>,
}

#[derive(Debug, Parser)]
#[command(name = "llvm-gpu-loader", version, about = "Run a program that is compiled for a GPU with LLVM's libc", after_help = LOADER_EXAMPLES)]
struct LoaderProgram {
    #[command(flatten)]
    arguments: LoaderArguments,
}

impl LoaderArguments {
    /// Reads the command line of a program that is the loader itself.
    pub fn parse_as_program() -> Self {
        LoaderProgram::parse().arguments
    }

    /// The threads that call `main`.
    pub fn shape(&self) -> Shape {
        Shape {
            grid: [self.blocks_x, self.blocks_y, self.blocks_z],
            block: [self.threads_x, self.threads_y, self.threads_z],
            ..Shape::default()
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub settings: Settings,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Clone, Debug, Args)]
pub struct EnvArguments {
    #[command(flatten)]
    pub settings: Settings,
    /// How it is printed: lines for the `eval` of a shell, or an object in JSON with the value of each variable
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: EnvFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EnvFormat {
    #[default]
    Sh,
    Json,
}

/// How the command is run. An option that is not given leaves its variable of the environment unchanged.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The architecture of the devices [default: 90a]
    #[arg(long, value_enum, value_name = "ARCH")]
    pub arch: Option<Architecture>,
    /// The number of devices, at most 64 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub devices: Option<u32>,
    /// Memory of each device: bytes, or a number with K, M, G or T (1024 bytes, and so on) [default: as the host]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Where allocations end: exact, or at a multiple of 512 bytes as on a GPU [default: exact]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub bounds: Option<Bounds>,
    /// What executes kernels [default: auto]
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub engine: Option<Engine>,
    /// Checks in compiled kernels; interp always checks memory [default: memory]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub check: Option<Check>,
    /// Log each call that fails, with the reason, to this file or to standard error
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "stderr")]
    pub log: Option<PathBuf>,
    /// Log each call of the driver
    #[arg(long)]
    pub trace: bool,
    /// Print launches, time and instructions of each kernel to standard error when a process ends, and append them to this
    /// file as a line of JSON
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub profile: Option<PathBuf>,
    /// The folder with the libraries [default: that of ptx-cuda, ../lib/ptx-llvm or ../lib]
    #[arg(long, value_name = "FOLDER")]
    pub lib_dir: Option<PathBuf>,
    /// Do not warn about libraries that are missing
    #[arg(short, long)]
    pub quiet: bool,
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
        pub enum $name {
            $($(#[$doc])* #[value(name = $word)] $variant,)*
        }

        impl $name {
            /// The value of the environment variable.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }
    };
}

words! {
    /// The architectures that the driver has.
    Architecture {
        Sm75 = "75",
        Sm80 = "80",
        Sm86 = "86",
        Sm89 = "89",
        Sm90a = "90a",
        Sm100a = "100a",
        Sm103a = "103a",
        Sm120a = "120a",
    }
}

words! {
    /// Where allocations end.
    Bounds {
        /// At their last byte.
        Exact = "exact",
        /// At a multiple of 512 bytes.
        Gpu = "gpu",
    }
}

words! {
    /// What executes kernels.
    Engine {
        /// The interpreter for short launches, compiled code for long ones.
        Auto = "auto",
        /// The reference interpreter.
        Interp = "interp",
        /// Native code generated by LLVM.
        Jit = "jit",
    }
}

words! {
    /// What compiled kernels check.
    Check {
        /// Nothing.
        None = "none",
        /// Every memory access.
        Memory = "memory",
    }
}

/// Reads a number of bytes: `4096`, `512M`, `2G`.
fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("expected bytes, as in 512M or 2G, not `{text}`");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("3M"), Ok(3 << 20));
        assert_eq!(bytes("1T"), Ok(1 << 40));
        assert!(
            bytes("16777216T").is_err()
                && bytes("M").is_err()
                && bytes("1MB").is_err()
                && bytes("-1").is_err()
        );
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Arguments::command().debug_assert();
    }
}
