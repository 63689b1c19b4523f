//! A kernel at a launch: executed, assembled, and estimated.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use ptx_diag::SourceFile;
use ptx_exec::{Launch, Observation, Outcome, Reconvergence};
use ptx_ir::Module;
use ptx_machine::{
    Estimate, Executions, Item, NotMeasured, Source, Usage, Weighted, estimate, functions, length, usage,
};

use crate::oracle::{Oracles, architecture_at_least};
use crate::stage;
use crate::weighted::occupancy::resident_warps;

/// PTX for older architectures is assembled for this one.
const LEAST_ARCHITECTURE: u32 = 90;

/// What the machine code of a kernel needs, however often it is executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Resources {
    /// The architecture that it is for.
    pub architecture: String,
    /// Instructions of the kernel and of the subroutines that ptxas adds to it, without padding.
    pub instructions: usize,
    /// Registers of a thread.
    pub registers: usize,
    /// Bytes stored and loaded for want of registers.
    pub spilled: usize,
    /// Bytes of local memory.
    pub frame: usize,
    /// Warps of the launch's blocks that a multiprocessor has room for; `None` for an architecture that the project does not know.
    pub resident: Option<u32>,
}

/// What is known of a kernel at a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// What its machine code needs.
    pub resources: Resources,
    /// How often its instructions are issued, or why that is not known.
    pub weighted: Result<Weighted, NotMeasured>,
    /// The estimate that `weighted` sums up.
    pub estimate: Option<Estimate>,
    /// The counts of its PTX.
    pub source: Source,
    /// What it leaves.
    pub outcome: Outcome,
}

/// A module with its machine code.
#[derive(Clone, Debug)]
pub struct Assembled {
    text: SourceFile,
    module: Module,
    architecture: String,
    functions: BTreeMap<String, Vec<Item>>,
    usage: BTreeMap<String, Usage>,
}

impl Assembled {
    /// Reads a module and lets ptxas assemble it.
    ///
    /// # Errors
    /// When the module has errors, ptxas refuses it, or a program cannot be run. Fails without ptxas and nvdisasm: ask for them first.
    pub fn new(oracles: &Oracles, ptx: &str) -> Result<Self> {
        let text = SourceFile::new("kernel.ptx", ptx);
        let module = stage::read_and_verify(&text)?;
        let architecture = architecture_at_least(ptx, LEAST_ARCHITECTURE);
        let (cubin, said) = oracles.assemble_with_lines(ptx, &architecture)?;
        let functions = functions(&oracles.disassemble_with_lines(&cubin)?);
        Ok(Self { text, module, architecture, functions, usage: usage(&said) })
    }

    /// Executes a kernel in the interpreter and estimates the counts of its machine code.
    ///
    /// # Errors
    /// When the launch fails, or the kernel is not in the machine code.
    pub fn measure(&self, launch: &Launch) -> Result<Measured> {
        let observation = Observation { profile: true, ..Observation::default() };
        let verified = stage::verify(&self.module, &self.text)?;
        // Threads of a warp come together again where machine code brings them together, wherever the text has the blocks of a branch.
        let launch = &Launch { reconvergence: Reconvergence::Late, ..launch.clone() };
        let observed = ptx_exec::run_observed(verified, launch, &observation);
        let outcome = observed.result.map_err(|error| {
            anyhow!("{} fails: {}", launch.entry, stage::describe(&self.text, &error.into_diagnostics()))
        })?;
        let executed = observed
            .profile
            .iter()
            .map(|one| (one.span, Executions { threads: one.counts.threads, warps: one.counts.warps }));
        let source = Source::new(&self.module, &self.text, executed);
        let threads = threads(launch, &source);
        let estimate = estimate(&self.functions, &launch.entry, &source, threads);
        let weighted = estimate.as_ref().map(Weighted::of).map_err(Clone::clone);
        let resources = self.resources(launch)?;
        Ok(Measured { resources, weighted, estimate: estimate.ok(), source, outcome })
    }

    fn resources(&self, launch: &Launch) -> Result<Resources> {
        let used = self.usage.get(&launch.entry).context("ptxas says nothing of the kernel")?;
        let code = self.functions.get(&launch.entry).context("no machine code of the kernel")?;
        let registers = used.registers.context("ptxas names no registers")?;
        let shared = u32::try_from(used.shared)? + launch.dynamic_shared;
        let block = launch.block.iter().product();
        Ok(Resources {
            architecture: self.architecture.clone(),
            instructions: length(code),
            registers,
            spilled: used.spilled,
            frame: used.frame,
            resident: resident_warps(&self.architecture, block, u32::try_from(registers)?, shared),
        })
    }
}

/// The threads of a launch: those that execute the kernel's first block, since the grid of some kernels consists of clusters.
fn threads(launch: &Launch, source: &Source) -> u64 {
    let product = |extents: &[u32; 3]| extents.iter().map(|extent| u64::from(*extent)).product::<u64>();
    let first = source.entries.get(&launch.entry).and_then(|block| source.blocks[*block].threads);
    // Default: a kernel that begins with a guarded branch does not tell.
    first.unwrap_or(product(&launch.grid) * product(&launch.block))
}

/// Assembles and measures a kernel.
///
/// # Errors
/// As [`Assembled::new`] and [`Assembled::measure`].
pub fn measure(oracles: &Oracles, ptx: &str, launch: &Launch) -> Result<Measured> {
    Assembled::new(oracles, ptx)?.measure(launch)
}
