//! Inputs and results of a launch.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use ptx_program::tensormap::TensorMap;
use ptx_program::texture::{Handle, Textures};

use crate::error::ExecError;
use crate::memory::GlobalMemory;

/// Three extents or indices, `x` first.
pub type Dim3 = [u32; 3];

/// One kernel argument; arguments are in the order of the kernel's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The bytes of the parameter, little-endian; their number must equal the parameter's size.
    Bytes(Vec<u8>),
    /// A buffer in global memory; the parameter receives its address. The contents are returned after the launch.
    Buffer(Vec<u8>),
    /// A tensor map and the buffer that contains the tensor; the parameter receives the map (manual 5.5.8). The address
    /// in the map is an offset from the start of the buffer, whose contents are returned after the launch.
    Tensor(TensorMap, Vec<u8>),
    /// A multimem address (manual 9.7.9.14), through which the buffers of these arguments, given by index, are accessed
    /// together at the same offset. All must have the same size.
    Multimem(Vec<usize>),
    /// A texture, sampler or surface of [`Launch::textures`]; the parameter (opaque or 64-bit) receives its handle.
    Handle(Handle),
}

impl Argument {
    /// The address in global memory of the `index`-th buffer among the arguments of [`run`](crate::run), from 0: for
    /// pointers inside other arguments, and for tensor maps of buffers that have a parameter of their own. Valid for
    /// modules with 64-bit addresses.
    pub const fn buffer_address(index: usize) -> u64 {
        GlobalMemory::base(index)
    }
}

/// Bytes of an argument or buffer that depend on where the launch puts its buffers: an address, or a tensor map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// The containing object: the index of an argument that is [bytes](Argument::Bytes) or a buffer, or of an entry of
    /// [`Launch::buffers`].
    pub inside: usize,
    /// Offset of the first byte within the containing object.
    pub offset: usize,
    /// The kind of the bytes.
    pub content: Content,
}

/// The contents of a [`Relocation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// An address in a buffer, of the module's address size.
    Address {
        /// The index of an argument that is a buffer, or of an entry of [`Launch::buffers`].
        buffer: usize,
        /// Offset of the address in the buffer.
        offset: u64,
    },
    /// A tensor map. The address in it is an offset from the start of the buffer.
    Tensor {
        /// The map.
        map: TensorMap,
        /// The index of the buffer that contains the tensor.
        buffer: usize,
    },
}

/// Limits on the run time and resource use of a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Wall-clock time of the whole launch; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Instructions executed by all warps together; `None` for no limit.
    pub steps: Option<u64>,
    /// Bytes of stack of one thread: its registers and local memory over all active calls.
    pub stack: usize,
    /// Bytes of shared memory of one block, static and dynamic together.
    pub shared: u64,
    /// Bytes of the module's global variables, all together.
    pub variables: u64,
    /// Bytes of the heap used by `malloc`.
    pub heap: usize,
    /// Total bytes that `vprintf` may write.
    pub output: usize,
}

impl Default for Limits {
    /// No time or step limit; 512 KiB of stack (the most local memory of a thread on GPUs), 1 MiB of shared memory,
    /// 1 GiB of variables, 8 MiB of heap (CUDA's default) and 64 MiB of output.
    fn default() -> Self {
        Self {
            timeout: None,
            steps: None,
            stack: 512 << 10,
            shared: 1 << 20,
            variables: 1 << 30,
            heap: 8 << 20,
            output: 64 << 20,
        }
    }
}

/// When asynchronous operations complete: `cp.async`, bulk copies and reductions, and any other operation that a thread
/// issues without waiting for it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Completion {
    /// When they are issued. Programs with missing waits still work.
    #[default]
    Eager,
    /// As late as the program allows: at the wait for them, when all threads of the block are waiting, or when the
    /// block ends. Programs with missing waits see the old contents of memory.
    Late,
    /// At points that depend only on this seed and the block number, in any order that PTX allows.
    Random(u64),
}

impl FromStr for Completion {
    type Err = String;

    /// Reads `eager`, `late` or `random:SEED`.
    fn from_str(text: &str) -> Result<Self, String> {
        let seed = text.strip_prefix("random:").and_then(|seed| seed.parse().ok());
        match (text, seed) {
            ("eager", _) => Ok(Completion::Eager),
            ("late", _) => Ok(Completion::Late),
            (_, Some(seed)) => Ok(Completion::Random(seed)),
            _ => Err(format!("expected eager, late or random:SEED with a number from 0, not `{text}`")),
        }
    }
}

/// Where threads of a warp that a branch has parted run together again. PTX leaves it open; a program whose results depend on it
/// executes an instruction for the threads that happen to be together, such as `activemask`, or `vote` without `.sync`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reconvergence {
    /// Where they come to the same instruction.
    #[default]
    Early,
    /// At the first instruction that all paths of the branch pass, its immediate post-dominator, as in the machine code of ptxas, and
    /// where they execute a barrier or another instruction together. Threads on different paths before that stay apart, also at the
    /// same instruction, so that a translation that has moved such an instruction into a part of the paths is seen.
    Late,
}

impl FromStr for Reconvergence {
    type Err = String;

    /// Reads `early` or `late`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "early" => Ok(Self::Early),
            "late" => Ok(Self::Late),
            _ => Err(format!("expected early or late, not `{text}`")),
        }
    }
}

/// The shape of a launch: grid, block and cluster extents, and dynamic shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Blocks of a cluster, at most 16; each extent divides the grid's. `None` for the shape required by the kernel
    /// (`.reqnctapercluster`), or one block.
    pub cluster: Option<Dim3>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Whether all blocks must be co-resident, so that they can wait for each other.
    pub cooperative: bool,
}

impl Default for Shape {
    /// One thread.
    fn default() -> Self {
        Self { grid: [1; 3], block: [1; 3], cluster: None, dynamic_shared: 0, cooperative: false }
    }
}

impl Shape {
    /// `blocks` blocks of `threads` threads, along `x`.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], ..Self::default() }
    }
}

/// A kernel launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// Name of the kernel.
    pub entry: String,
    /// Blocks of the grid; for a kernel with `.blocksareclusters`, clusters of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Blocks of a cluster, at most 16; each extent divides the grid's. `None` for the shape required by the kernel
    /// (`.reqnctapercluster`), or one block.
    pub cluster: Option<Dim3>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Whether all blocks must be co-resident, so that they can wait for each other (`grid.sync()` of cooperative
    /// groups).
    pub cooperative: bool,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// Additional buffers in global memory, each with its name in error messages. No parameter holds their addresses;
    /// entries of [`Launch::relocations`] do. Their indices follow those of the arguments.
    pub buffers: Vec<(String, Vec<u8>)>,
    /// Addresses and tensor maps inside arguments and buffers, for structure parameters and for memory that contains
    /// pointers.
    pub relocations: Vec<Relocation>,
    /// Textures, samplers and surfaces.
    pub textures: Textures,
    /// Host threads that blocks are spread over; `None` for as many as the host has.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads that a branch has parted run together again.
    pub reconvergence: Reconvergence,
    /// Limits.
    pub limits: Limits,
}

impl Launch {
    /// A launch of one thread without arguments.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            dynamic_shared: 0,
            cooperative: false,
            arguments: Vec::new(),
            buffers: Vec::new(),
            relocations: Vec::new(),
            textures: Textures::default(),
            threads: None,
            completion: Completion::Eager,
            reconvergence: Reconvergence::Early,
            limits: Limits::default(),
        }
    }
}

impl Launch {
    /// The shape of the launch.
    pub fn shape(&self) -> Shape {
        let Self { grid, block, cluster, dynamic_shared, cooperative, .. } = *self;
        Shape { grid, block, cluster, dynamic_shared, cooperative }
    }
}

/// Results of a finished launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// For each argument the contents of its buffer, or `None` if it is not a buffer; then the contents of
    /// [`Launch::buffers`].
    pub buffers: Vec<Option<Vec<u8>>>,
    /// For each image of [`Launch::textures`] its texels, or `None` if it is in linear memory.
    pub images: Vec<Option<Vec<u8>>>,
    /// Output of `vprintf`, in block order.
    pub output: Vec<u8>,
    /// Warp-level instructions executed: each counts once per warp.
    pub warp_instructions: u64,
    /// Thread-level instructions executed; predicated-off threads do not count.
    pub thread_instructions: u64,
}

/// Results of a launch, without the contents of memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Executed {
    /// Output of `vprintf`, in block order.
    pub output: Vec<u8>,
    /// Warp-level instructions executed: each counts once per warp.
    pub warp_instructions: u64,
    /// Thread-level instructions executed; predicated-off threads do not count.
    pub thread_instructions: u64,
}

/// Results of a launch by any engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The error of the first of the stopped blocks, if any.
    pub result: Result<(), ExecError>,
    /// Output of `vprintf` in block order; after a stop, the output of the blocks that ran until then.
    pub output: Vec<u8>,
    /// Warp-level instructions executed: each counts once per warp.
    pub warp_instructions: u64,
    /// Thread-level instructions executed; predicated-off threads do not count.
    pub thread_instructions: u64,
    /// Number of blocks that compiled code executed; the instructions of these are not counted.
    pub compiled_blocks: u64,
}

impl Report {
    /// That of a launch of which nothing was run.
    pub fn refused(error: ExecError) -> Self {
        Self {
            result: Err(error),
            output: Vec::new(),
            warp_instructions: 0,
            thread_instructions: 0,
            compiled_blocks: 0,
        }
    }

    /// The results of a launch that was not stopped.
    ///
    /// # Errors
    /// That of the launch, with its output.
    pub fn executed(self) -> Result<Executed, ExecError> {
        let Self { result, output, warp_instructions, thread_instructions, .. } = self;
        match result {
            Ok(()) => Ok(Executed { output, warp_instructions, thread_instructions }),
            Err(error) => Err(error.with_output(output)),
        }
    }
}
