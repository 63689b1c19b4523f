//! The kernels that engines are measured with (`bench/`, `cargo xtask bench-exec`): what each is launched with, at three sizes, and
//! how near results have to be to what they are held against.
//!
//! All elements have 32 bits. `reference` computes results from the definition of each kernel, without code in common with the CUDA
//! sources, the native programs and the engines.

mod reference;

use anyhow::{Context as _, Result, ensure};
use ptx_exec::{Argument, Launch};

use crate::value::hash;
use Bound::{Close, Exact};
use Role::{In, InOut, Out};

/// How much work a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Milliseconds in an interpreter.
    Small,
    /// About a second in an interpreter.
    Medium,
    /// Milliseconds in native code.
    Full,
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It reads.
    In,
    /// It reads and writes.
    InOut,
    /// It writes; the buffer is zeroed.
    Out,
}

/// How near a result has to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// The same bits.
    Exact,
    /// Floating-point numbers whose difference is at most `absolute`, and `relative` of the wanted one.
    Close {
        /// The part of the wanted number.
        relative: f64,
        /// The difference there may be to 0.
        absolute: f64,
    },
}

/// One argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// An unsigned or signed integer, not negative.
    Integer(u32),
    /// A number of type `f32`.
    Float(f32),
    /// A buffer of words.
    Buffer {
        /// Its name, which is that of its file.
        name: &'static str,
        /// What the kernel does with it.
        role: Role,
        /// What it holds at first.
        words: Vec<u32>,
    },
}

/// A kernel with all that a launch of it needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    /// Its name, which is that of its files.
    pub kernel: &'static str,
    /// Blocks, `x` and `y`.
    pub grid: [u32; 2],
    /// Threads of a block, `x` and `y`.
    pub block: [u32; 2],
    /// The arguments.
    pub arguments: Vec<Given>,
    /// How near results have to be.
    pub bound: Bound,
    /// How often it can be launched on the same buffers and does the same work: once, where it finds its input changed.
    pub launches: u64,
}

/// The kernels' names.
pub const KERNELS: [&str; 16] = [
    "saxpy",
    "stencil2d",
    "matmul_naive",
    "matmul_tiled",
    "reduce_smem",
    "reduce_shfl",
    "scan_block",
    "transpose",
    "histogram",
    "nbody",
    "blackscholes",
    "mandelbrot",
    "bitonic",
    "spmv_csr",
    "sha256",
    "mma_gemm",
];

impl Workload {
    /// The kernel of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn new(kernel: &str, size: Size) -> Result<Self> {
        let kernel = KERNELS.into_iter().find(|known| *known == kernel);
        let kernel = kernel.with_context(|| format!("expected one of {}", KERNELS.join(", ")))?;
        let (shape, arguments, bound) = described(kernel, size);
        let [grid, block] = shape;
        Ok(Self { kernel, grid, block, arguments, bound, launches: if kernel == "bitonic" { 1 } else { 8 } })
    }

    /// The launch for an engine in this process.
    pub fn launch(&self) -> Launch {
        let argument = |given: &Given| match given {
            Given::Integer(value) => Argument::Bytes(value.to_le_bytes().to_vec()),
            Given::Float(value) => Argument::Bytes(value.to_le_bytes().to_vec()),
            Given::Buffer { words, .. } => Argument::Buffer(bytes(words)),
        };
        Launch {
            grid: [self.grid[0], self.grid[1], 1],
            block: [self.block[0], self.block[1], 1],
            arguments: self.arguments.iter().map(argument).collect(),
            ..Launch::new(self.kernel)
        }
    }

    /// The buffers that the kernel writes, with their names, after one launch: from its definition.
    pub fn expected(&self) -> Vec<(&'static str, Vec<u32>)> {
        self.outputs().map(|(name, _)| name).zip(reference::compute(self)).collect()
    }

    /// The buffers that the kernel writes: names and lengths in words.
    pub fn outputs(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.arguments.iter().filter_map(|given| match given {
            Given::Buffer { name, role: InOut | Out, words } => Some((*name, words.len())),
            Given::Buffer { role: In, .. } | Given::Integer(_) | Given::Float(_) => None,
        })
    }

    /// Holds a buffer against what it has to be.
    ///
    /// # Errors
    /// The first element that is too far away, and how many are.
    pub fn judge(&self, name: &str, wanted: &[u32], got: &[u32]) -> Result<()> {
        let kernel = self.kernel;
        ensure!(wanted.len() == got.len(), "{kernel}: {name} has {} words", got.len());
        let far = |(wanted, got): (&u32, &u32)| match self.bound {
            Exact => wanted != got,
            Close { relative, absolute } => {
                let (wanted, got) = (f64::from(f32::from_bits(*wanted)), f64::from(f32::from_bits(*got)));
                // A NaN is far from everything.
                let is_near = (wanted - got).abs() <= absolute + relative * wanted.abs();
                !is_near
            }
        };
        let differ = wanted.iter().zip(got).filter(|pair| far(*pair)).count();
        let Some(at) = wanted.iter().zip(got).position(far) else { return Ok(()) };
        let [wanted, got] = [wanted, got].map(|words| words.get(at).copied().unwrap_or_default());
        let show = |word: u32| match self.bound {
            Exact => format!("{word:#x}"),
            Close { .. } => format!("{:?}", f32::from_bits(word)),
        };
        anyhow::bail!(
            "{kernel}: {differ} elements of {name} differ, {at} first: {} instead of {}",
            show(got),
            show(wanted)
        )
    }
}

/// Little-endian bytes of words.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Words of little-endian bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
        .collect()
}

fn buffer(name: &'static str, role: Role, words: Vec<u32>) -> Given {
    Given::Buffer { name, role, words }
}

fn zeros(name: &'static str, length: u32) -> Given {
    buffer(name, Out, vec![0; length as usize])
}

/// Numbers between two others.
fn floats(name: &'static str, length: u32, seed: u32, [low, high]: [f32; 2]) -> Given {
    buffer(name, In, (0..length).map(|at| between(at, seed, low, high).to_bits()).collect())
}

fn between(at: u32, seed: u32, low: f32, high: f32) -> f32 {
    low + (high - low) * ((hash(at, seed) >> 8) as f32 / (1 << 24) as f32)
}

/// Numbers below another, or any.
fn integers(name: &'static str, length: u32, seed: u32, below: Option<u32>) -> Given {
    let number = |at| below.map_or(hash(at, seed), |below| hash(at, seed) % below);
    buffer(name, In, (0..length).map(number).collect())
}

/// Pairs of numbers of type `f16` between -1 and 1.
fn halves(name: &'static str, pairs: u32, seed: u32) -> Given {
    let half = |at| u32::from(half::f16::from_f32(between(at, seed, -1.0, 1.0)).to_bits());
    buffer(name, In, (0..pairs).map(|at| half(2 * at) | half(2 * at + 1) << 16).collect())
}

type Described = ([[u32; 2]; 2], Vec<Given>, Bound);

fn described(kernel: &str, size: Size) -> Described {
    let nth = size as usize;
    let unit = [-1.0, 1.0];
    let line = |count: u32, each: u32, threads: u32| [[count.div_ceil(each), 1], [threads, 1]];
    match kernel {
        "saxpy" => {
            let n = [5000, 1 << 23, 1 << 24][nth];
            let Given::Buffer { words, .. } = floats("y", n, 2, [0.0, 1.0]) else { unreachable!() };
            let given = [Given::Integer(n), Given::Float(1.000_976_6), floats("x", n, 1, [0.0, 1.0])];
            (line(n, 256, 256), [&given[..], &[buffer("y", InOut, words)]].concat(), Exact)
        }
        "stencil2d" => {
            let [width, height] = [[100, 52], [2048, 2048], [4096, 4096]][nth];
            let cells = width * height;
            let given = vec![
                Given::Integer(width),
                Given::Integer(height),
                floats("from", cells, 1, [0.0, 1.0]),
                zeros("to", cells),
            ];
            ([[width.div_ceil(32), height.div_ceil(8)], [32, 8]], given, Exact)
        }
        "matmul_naive" | "matmul_tiled" => {
            let n = [64, 512, 1024][nth];
            let given = vec![
                Given::Integer(n),
                floats("a", n * n, 1, unit),
                floats("b", n * n, 2, unit),
                zeros("c", n * n),
            ];
            let side = if kernel == "matmul_tiled" { 32 } else { 16 };
            ([[n / side; 2], [side; 2]], given, Exact)
        }
        "reduce_smem" | "reduce_shfl" => {
            let n: u32 = [5120, 1 << 22, 1 << 24][nth];
            let given =
                vec![Given::Integer(n), floats("from", n, 1, [0.0, 1.0]), zeros("sums", n.div_ceil(512))];
            (line(n, 512, 256), given, Close { relative: 1e-5, absolute: 0.0 })
        }
        "scan_block" => {
            let n = 512 * [4, 4096, 32768][nth];
            (line(n, 512, 512), vec![integers("from", n, 1, Some(1000)), zeros("sums", n)], Exact)
        }
        "transpose" => {
            let n = [64, 2048, 4096][nth];
            let given = vec![Given::Integer(n), floats("from", n * n, 1, [0.0, 1.0]), zeros("to", n * n)];
            ([[n / 32; 2], [32, 8]], given, Exact)
        }
        "histogram" => {
            let [n, blocks] = [[5000, 4], [1 << 22, 256], [1 << 24, 1024]][nth];
            let counts = buffer("counts", InOut, vec![0; 256]);
            let given = vec![Given::Integer(n), integers("from", n, 1, None), counts];
            ([[blocks, 1], [256, 1]], given, Exact)
        }
        "nbody" => {
            let n = [256, 2048, 8192][nth];
            let given =
                vec![Given::Integer(n), floats("bodies", 4 * n, 1, unit), zeros("accelerations", 4 * n)];
            (line(n, 256, 256), given, Close { relative: 1e-3, absolute: 0.1 })
        }
        "blackscholes" => {
            let n = [1000, 1 << 20, 1 << 22][nth];
            let given = vec![
                Given::Integer(n),
                Given::Float(0.02),
                Given::Float(0.3),
                floats("prices", n, 1, [5.0, 30.0]),
                floats("strikes", n, 2, [1.0, 100.0]),
                floats("years", n, 3, [0.25, 10.0]),
                zeros("calls", n),
                zeros("puts", n),
            ];
            (line(n, 256, 256), given, Close { relative: 1e-4, absolute: 1e-4 })
        }
        "mandelbrot" => {
            let [width, height, most] = [[64, 24, 64], [512, 512, 256], [2048, 2048, 256]][nth];
            let given = vec![
                Given::Integer(width),
                Given::Integer(height),
                Given::Integer(most),
                Given::Float(-2.0),
                Given::Float(-1.25),
                Given::Float(2.5 / width as f32),
                zeros("steps", width * height),
            ];
            ([[width.div_ceil(16), height.div_ceil(16)], [16, 16]], given, Exact)
        }
        "bitonic" => {
            let n = 1024 * [2, 512, 4096][nth];
            let numbers = buffer("numbers", InOut, (0..n).map(|at| hash(at, 1)).collect());
            (line(n, 1024, 512), vec![numbers], Exact)
        }
        "spmv_csr" => {
            let rows: u32 = [300, 1 << 17, 1 << 19][nth];
            let mut starts = vec![0];
            for row in 0..rows {
                starts.push(starts[row as usize] + 1 + hash(row, 7) % 31);
            }
            let elements = starts[rows as usize];
            let given = vec![
                Given::Integer(rows),
                buffer("starts", In, starts),
                integers("columns", elements, 8, Some(rows)),
                floats("values", elements, 9, unit),
                floats("x", rows, 10, unit),
                zeros("y", rows),
            ];
            (line(rows, 256, 256), given, Close { relative: 1e-4, absolute: 1e-4 })
        }
        "sha256" => {
            let n = [300, 1 << 18, 1 << 21][nth];
            let given = vec![Given::Integer(n), integers("seed", 16, 1, None), zeros("results", n)];
            (line(n, 256, 256), given, Exact)
        }
        // The last of `KERNELS`.
        _ => {
            let n = [64, 512, 1024][nth];
            let given = vec![
                Given::Integer(n),
                halves("a", n * n / 2, 1),
                halves("transposed", n * n / 2, 2),
                zeros("c", n * n),
            ];
            ([[n / 32, n / 64], [128, 1]], given, Close { relative: 1e-4, absolute: 1e-3 })
        }
    }
}
