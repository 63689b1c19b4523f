//! A kernel at a launch: executed, assembled, and estimated.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use ptx_diag::SourceFile;
use ptx_exec::{Launch, Observation, Outcome};

use crate::machine::usage;
use crate::oracle::{Oracles, architecture_at_least};
use crate::stage;
use crate::weighted::NotMeasured;
use crate::weighted::class::Class;
use crate::weighted::estimate::{Estimate, MachineLoop, estimate};
use crate::weighted::listing::{Item, functions};
use crate::weighted::occupancy::resident_warps;
use crate::weighted::source::Source;

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

/// How often instructions are issued.
#[derive(Clone, PartialEq, Debug)]
pub struct Weighted {
    /// By warps.
    pub warps: f64,
    /// By threads.
    pub threads: f64,
    /// By warps, of each class.
    pub classes: BTreeMap<Class, f64>,
    /// The part of `warps` whose count anchors and the graph fix.
    pub pinned: f64,
    /// The part of the anchors' executions that does not fit.
    pub residual: f64,
    /// The loops.
    pub loops: Vec<MachineLoop>,
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

/// Executes a kernel in the interpreter, assembles its module and estimates the counts of the machine code.
///
/// # Errors
/// When the module has errors, the launch fails, ptxas refuses the module, or a program cannot be run. Fails without ptxas and nvdisasm: ask for them first.
pub fn measure(oracles: &Oracles, ptx: &str, launch: &Launch) -> Result<Measured> {
    let text = SourceFile::new("kernel.ptx", ptx);
    let module = stage::read(&text)?;
    let observation = Observation { profile: true, ..Observation::default() };
    let observed = ptx_exec::run_observed(stage::verify(&module, &text)?, launch, &observation);
    let outcome = observed.result.map_err(|error| {
        anyhow!("{} fails: {}", launch.entry, stage::describe(&text, &error.into_diagnostics()))
    })?;
    let source = Source::new(&module, &text, &observed.profile);
    let architecture = architecture_at_least(ptx, LEAST_ARCHITECTURE);
    let (cubin, said) = oracles.assemble_with_lines(ptx, &architecture)?;
    let functions = functions(&oracles.disassemble_with_lines(&cubin)?);
    let usage = usage(&said);
    let used = usage.get(&launch.entry).context("ptxas says nothing of the kernel")?;
    let block = launch.block.iter().product();
    let registers = used.registers.context("ptxas names no registers")?;
    let shared = u32::try_from(used.shared)? + launch.dynamic_shared;
    let resident = resident_warps(&architecture, block, u32::try_from(registers)?, shared);
    let resources = Resources {
        instructions: functions
            .get(&launch.entry)
            .map(|items| length(items))
            .context("no machine code of the kernel")?,
        registers,
        spilled: used.spilled,
        frame: used.frame,
        resident,
        architecture,
    };
    let blocks: u64 = launch.grid.iter().map(|extent| u64::from(*extent)).product();
    // Clusters, of which the grid of some kernels consists, have more threads than that: the first block tells.
    let first = source.entries.get(&launch.entry).and_then(|block| source.blocks[*block].threads);
    // Default: a kernel that begins with a guarded branch does not tell.
    let threads = first.unwrap_or(blocks * u64::from(block));
    let estimate = estimate(&functions, &launch.entry, &source, threads);
    let weighted = estimate.as_ref().map(weigh).map_err(Clone::clone);
    Ok(Measured { resources, weighted, estimate: estimate.ok(), source, outcome })
}

fn length(items: &[Item]) -> usize {
    let code: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Instruction(one) => Some(one),
            Item::Label(_) => None,
        })
        .collect();
    let pads = code.iter().rev().take_while(|one| one.is_padding() || one.base() == "BRA").count();
    code.len() - pads
}

fn weigh(estimate: &Estimate) -> Weighted {
    let (mut warps, mut threads, mut classes) = (0.0, 0.0, BTreeMap::new());
    for block in &estimate.blocks {
        for instruction in block.instructions.iter().filter(|one| !one.is_padding()) {
            warps += block.warps();
            threads += block.threads;
            *classes.entry(Class::of(instruction)).or_default() += block.warps();
        }
    }
    Weighted {
        warps,
        threads,
        classes,
        pinned: estimate.pinned_share(),
        residual: estimate.residual,
        loops: estimate.loops.clone(),
    }
}
