//! Attributes of kernels, as the CUDA driver tells them.

use ptx_ir::pressure::register_pressure;
use ptx_ir::{At, FunctionDirective, FunctionId, Module};
use ptx_isa::{PtxVersion, Sm};

use crate::extents::{MOST_THREADS, all_dims};
use crate::image::Prepared;
use crate::launch::Dim3;

/// What a kernel requires of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelAttributes {
    /// An estimate of the 32-bit registers of a thread, since they are only allocated for a GPU: the largest number that is live at once in one of
    /// the functions that the kernel reaches, and 4; 24 more if it calls functions; at least 8 and at most `.maxnreg` or 255.
    pub registers: u32,
    /// Bytes of static shared memory of a block, with the padding up to dynamic shared memory.
    pub static_shared_bytes: u64,
    /// Bytes of local memory of a thread: the variables of all functions that the kernel reaches.
    pub local_bytes: u64,
    /// Bytes of constant memory of the module.
    pub constant_bytes: u64,
    /// Bytes of its parameters.
    pub parameter_bytes: u64,
    /// Maximum threads of a block (`.maxntid`, `.reqntid`).
    pub max_threads: u32,
    /// The extents that blocks must have (`.reqntid`), if any.
    pub required_block: Option<Dim3>,
    /// The blocks that should fit on a multiprocessor (`.minnctapersm`), if any.
    pub min_blocks: Option<u32>,
    /// Whether a launch must give a cluster shape (`.explicitcluster`).
    pub needs_cluster: bool,
    /// The cluster shape that launches must have (`.reqnctapercluster`), if any.
    pub required_cluster: Option<Dim3>,
    /// Maximum blocks of a cluster (`.maxclusterrank`), if limited by the kernel.
    pub max_cluster_blocks: Option<u32>,
    /// Whether it was compiled from CUDA Tile (`.language 7`), whose launches name blocks of one thread: the threads are those of `.reqntid`.
    pub is_tile: bool,
    /// The PTX version of the module.
    pub ptx_version: Option<PtxVersion>,
    /// The target of the module.
    pub target: Option<Sm>,
}

/// The language of kernels that `tileiras` compiles; the manual does not have the numbers of `.language`.
const TILE: u32 = 7;
/// The fewest registers that `ptxas` uses for kernels that do something.
const FEWEST_REGISTERS: u32 = 8;
/// Registers that machine code has in addition, for parts of addresses and of operations that are one instruction of PTX. With it the median of the
/// estimates for 372 kernels of the corpus is what `ptxas` 13.5 reports.
const ADDITIONAL_REGISTERS: u32 = 4;
/// The most registers of a thread, on all architectures since sm_35.
const MOST_REGISTERS: u32 = 255;
/// Registers that the calling convention reserves in a kernel that calls functions: those that a callee may change.
const ABI_REGISTERS: u32 = 24;

/// An estimate of the registers of a kernel, given the functions that it reaches.
fn registers(module: &Module, functions: &[FunctionId], limit: Option<u32>) -> u32 {
    let bodies = functions.iter().filter_map(|&id| module.function(id).body.as_ref());
    let live = bodies.map(register_pressure).fold(0, u32::max);
    let abi = if functions.len() > 1 { ABI_REGISTERS } else { 0 };
    let needed = live.saturating_add(abi + ADDITIONAL_REGISTERS).max(FEWEST_REGISTERS);
    limit.into_iter().fold(needed.min(MOST_REGISTERS), u32::min)
}

impl KernelAttributes {
    /// Adds what the directives of a kernel say; returns `.maxnreg`.
    fn add_directives(&mut self, directives: &[(FunctionDirective, At)]) -> Option<u32> {
        let mut most_registers = None;
        let threads = |dims: Dim3| {
            let threads: u64 = dims.iter().map(|&dim| u64::from(dim)).product();
            threads.min(MOST_THREADS) as u32
        };
        for (directive, _) in directives {
            match directive {
                FunctionDirective::MaxNtid(dims) => self.max_threads = threads(all_dims(*dims)),
                FunctionDirective::ReqNtid(dims) => {
                    let dims = all_dims(*dims);
                    self.max_threads = threads(dims);
                    self.required_block = Some(dims);
                }
                FunctionDirective::MinNCtaPerSm(blocks) => self.min_blocks = Some(*blocks),
                FunctionDirective::MaxNReg(registers) => most_registers = Some(*registers),
                FunctionDirective::ExplicitCluster => self.needs_cluster = true,
                FunctionDirective::ReqNCtaPerCluster(dims) => self.required_cluster = Some(all_dims(*dims)),
                FunctionDirective::MaxClusterRank(blocks) => self.max_cluster_blocks = Some(*blocks),
                FunctionDirective::Language(languages) => self.is_tile |= languages.contains(&TILE),
                FunctionDirective::BlocksAreClusters
                | FunctionDirective::MaxNCtaPerSm(_)
                | FunctionDirective::NoReturn
                | FunctionDirective::Pragma(_)
                | FunctionDirective::AbiPreserve(_)
                | FunctionDirective::AbiPreserveControl(_)
                | FunctionDirective::LocalMaxNReg(_)
                | FunctionDirective::MinPerCtaMemory(_)
                | FunctionDirective::Attribute(_) => {}
            }
        }
        most_registers
    }
}

impl Prepared {
    /// Its attributes. The registers are computed anew by each call.
    pub fn attributes(&self) -> KernelAttributes {
        let module = self.image().module();
        let mut attributes = KernelAttributes {
            registers: 0,
            static_shared_bytes: self.static_shared_bytes(),
            local_bytes: self.program().functions.iter().map(|function| u64::from(function.local)).sum(),
            constant_bytes: self.image().constant_bytes(),
            parameter_bytes: self.parameter_bytes() as u64,
            max_threads: MOST_THREADS as u32,
            required_block: None,
            min_blocks: None,
            needs_cluster: false,
            required_cluster: None,
            max_cluster_blocks: None,
            is_tile: false,
            ptx_version: module.version(),
            target: module.target().and_then(|target| target.sm),
        };
        let limit = attributes.add_directives(self.directives());
        attributes.registers = registers(module, self.functions(), limit);
        attributes
    }
}
