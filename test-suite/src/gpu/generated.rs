//! Generated programs as jobs for a GPU: scalar instructions, random kernels and random programs, each with what it has to leave.
//!
//! Kernels of `kernel_program` and programs of `ptx_program` have results that do not depend on the order of threads, and instructions are functions
//! of their registers. What the interpreter leaves (of programs, what their own evaluator says) is part of the job; a GPU gives back only what is
//! something else.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_gen::Home;
use ptx_isa::{PtxVersion, Sm};

use super::{Job, JobLaunch, Output, digest, from_hex, to_hex};
use crate::differential::{self, Effort};
use crate::kernel_program::{self, Program};
use crate::ptx_program::{self, Feature};
use crate::stage;

/// How many programs there are.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The first seed.
    pub seed: u64,
    /// Random kernels.
    pub kernels: u64,
    /// Random programs.
    pub programs: u64,
    /// At most so many combinations of modifiers of each opcode.
    pub mnemonics: usize,
    /// Operands for each instruction.
    pub operands: usize,
}

/// Jobs for a GPU of a compute capability, 90 for `sm_90`.
///
/// # Errors
/// When a program is not valid, or the interpreter does not finish it.
pub fn jobs(amount: Amount, capability: u16) -> Result<Vec<Job>> {
    let seeds = |count| amount.seed..amount.seed + count;
    let mut all = instructions(amount, capability)?;
    for seed in seeds(amount.kernels) {
        let program = Program::new(seed);
        if !is_left_open(&program.ptx()) {
            all.push(kernel(&program).with_context(|| format!("kernel {seed}"))?);
        }
    }
    // ptxas takes registers and memory that nothing was stored to for another number at each use, and refuses some recursive functions.
    let mut features = Feature::ALL.to_vec();
    features.retain(|feature| !matches!(feature, Feature::Undefined | Feature::Recursion));
    for seed in seeds(amount.programs) {
        let program = ptx_program::program(seed, &features)?;
        if program.architecture() <= capability {
            all.extend(random_program(&program)?);
        }
    }
    Ok(all)
}

fn instructions(amount: Amount, capability: u16) -> Result<Vec<Job>> {
    let Amount { seed, mnemonics, operands, .. } = amount;
    let effort = Effort { seed, mnemonics, each_modifier: true, instructions: 1, operands, constants: 0 };
    let home = Home { version: PtxVersion::new(9, 0), sm: Sm::arch(capability) };
    let mut all = Vec::new();
    for (opcode, rows) in differential::rows() {
        let cases = differential::generate(&rows, effort);
        for (at, module) in differential::launches(&cases, effort, home)?.into_iter().enumerate() {
            let launches = module.all.iter().enumerate();
            let launches = launches.map(|(index, (launch, left))| job_launch(index, launch, left)).collect();
            let name = format!("instructions/{}.{at}", opcode.as_str());
            all.push(generated(name, (capability, "a"), module.ptx, launches)?);
        }
    }
    Ok(all)
}

/// Whether a kernel has instructions whose results PTX does not fix: approximations, and shuffles, which may name lanes that are not there.
fn is_left_open(ptx: &str) -> bool {
    [".approx.", "shfl.sync."].iter().any(|open| ptx.contains(open))
}

fn kernel(program: &Program) -> Result<Job> {
    let source = SourceFile::new("kernel.ptx", program.ptx());
    let module = stage::read(&source)?;
    let launch = kernel_program::launch(program);
    let left = ptx_exec::run(stage::verify(&module, &source)?, &launch);
    let left = left.map_err(|error| anyhow!("{}", stage::describe(&source, &error.into_diagnostics())))?;
    let launches = vec![job_launch(0, &launch, &left.buffers)];
    generated(
        format!("kernels/{}", program.seed),
        (kernel_program::ARCHITECTURE, ""),
        program.ptx(),
        launches,
    )
}

fn random_program(program: &ptx_program::Program) -> Result<Option<Job>> {
    let Some(left) = program.leaves() else { return Ok(None) };
    let launch = ptx_program::launch(program);
    let launches = vec![job_launch(0, &launch, &[Some(left.to_vec()), None])];
    let name = format!("programs/{}", program.seed);
    generated(name, (program.architecture(), ""), program.text.clone(), launches).map(Some)
}

fn generated(name: String, (sm, variant): (u16, &str), ptx: String, launches: Vec<JobLaunch>) -> Result<Job> {
    let digest = digest(&ptx, &launches)?;
    Ok(Job { name, digest, sm, variant: variant.to_owned(), ptx, launches })
}

fn job_launch(index: usize, launch: &Launch, left: &[Option<Vec<u8>>]) -> JobLaunch {
    let argument = |argument: &Argument| match argument {
        Argument::Buffer(bytes) => Some((true, to_hex(bytes))),
        Argument::Bytes(bytes) => Some((false, to_hex(bytes))),
        // Generated programs have none.
        Argument::Tensor(..) | Argument::Multimem(_) | Argument::Handle(_) => None,
    };
    JobLaunch {
        index,
        entry: launch.entry.clone(),
        grid: launch.grid,
        block: launch.block,
        cluster: None,
        shared: launch.dynamic_shared,
        arguments: launch.arguments.iter().filter_map(argument).collect(),
        wanted: left.iter().map(|bytes| bytes.as_deref().map(to_hex)).collect(),
    }
}

/// What a GPU did otherwise than the jobs have it, in a line each, and how many launches it did the same.
///
/// # Errors
/// When the outputs are not those of the jobs.
pub fn differences(jobs: &[Job], outputs: &[Output]) -> Result<(Vec<String>, usize)> {
    let jobs: BTreeMap<&str, &Job> = jobs.iter().map(|job| (job.name.as_str(), job)).collect();
    let (mut differing, mut same) = (Vec::new(), 0);
    for output in outputs {
        let job = jobs.get(output.name.as_str()).with_context(|| format!("no job {}", output.name))?;
        let launch = job.launches.get(output.launch).context("the job has no such launch")?;
        if output.same {
            same += 1;
            continue;
        }
        let what = match &output.error {
            Some(error) => error.clone(),
            None => first_difference(launch, output)?,
        };
        differing.push(format!("{} {}: {what}", job.name, launch.entry));
    }
    Ok((differing, same))
}

fn first_difference(launch: &JobLaunch, output: &Output) -> Result<String> {
    for (argument, (wanted, got)) in launch.wanted.iter().zip(&output.buffers).enumerate() {
        let (Some(wanted), Some(got)) = (wanted, got) else { continue };
        let (wanted, got) = (from_hex(wanted)?, from_hex(got)?);
        let mut places = wanted.iter().zip(&got).enumerate().filter(|(_, (wanted, got))| wanted != got);
        let Some((at, _)) = places.next() else { continue };
        let word = |bytes: &[u8]| to_hex(bytes.get(at / 4 * 4..at / 4 * 4 + 4).unwrap_or_default());
        let count = 1 + places.count();
        let (got, wanted) = (word(&got), word(&wanted));
        return Ok(format!(
            "buffer {argument}, word {}: {got} on the GPU, {wanted} here; {count} bytes differ",
            at / 4
        ));
    }
    Ok("other buffers came back than went out".to_owned())
}
