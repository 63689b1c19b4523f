//! The execution tests as jobs for a GPU, and recordings of what a GPU made of them.
//!
//! `scripts/gpu-golden` writes the jobs ([`job`]), runs them through the CUDA driver, and hands what came back to [`record`], which holds it
//! against the expectations of the test and makes a [`Recording`]. The conformance tests hold the interpreter against the recordings
//! ([`Recording::compare`]).
//!
//! Invariants: only what meets the test's expectations is recorded; a recording belongs to one PTX text with its inputs, by
//! [`Job::digest`], and is not valid for any other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Completion, Reconvergence};
use ptx_ir::Item;
use ptx_isa::SmVariant;
use ptx_llvm_core::Context;
use serde::{Deserialize, Serialize};

use crate::directive::{Argument, Ending, Launch, Level, Role, Run};
use crate::stage;
use crate::trial::Case;
use crate::value::{Element, Judgement, compare, from_bytes};

mod generated;

pub use generated::{Amount, differences, jobs};

/// A buffer of more bytes that is compared bit for bit is recorded as a hash.
const HASHED_ABOVE: usize = 64;
/// Of a longer buffer that is compared within bounds, so many elements are recorded.
const APPROXIMATE: usize = 256;
/// What a hash begins with, which bytes in hexadecimal do not.
const HASH: &str = "fnv1a64:";

/// A PTX file and its launches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The name of the case.
    pub name: String,
    /// A hash of the PTX without its lines of comment, and of the launches.
    pub digest: String,
    /// The number of the architecture in `.target`, 90 for `sm_90a`.
    pub sm: u16,
    /// The letter after it: `a`, `f` or nothing.
    pub variant: String,
    /// The PTX.
    pub ptx: String,
    /// What is launched.
    pub launches: Vec<JobLaunch>,
}

/// One launch of a [`Job`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobLaunch {
    /// Which `LAUNCH:` line of the case this is, from 0.
    pub index: usize,
    /// The kernel.
    pub entry: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y, z, where the launch names them.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// For each argument whether it is a buffer, and the bytes of the argument or in the buffer, in hexadecimal.
    pub arguments: Vec<(bool, String)>,
    /// Of a generated program, for each argument what its buffer has to hold afterwards, in hexadecimal. Buffers that hold it do not come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wanted: Vec<Option<String>>,
}

impl Job {
    /// The same launches with PTX that was lowered to LLVM IR, optimized, and raised.
    ///
    /// # Errors
    /// When a stage refuses the PTX.
    pub fn through_llvm(self, level: Level) -> Result<Self> {
        let source = SourceFile::new(self.name.as_str(), self.ptx.as_str());
        let (module, context) = (stage::read(&source)?, Context::new()?);
        let ptx = stage::raise(&mut stage::lower(&module, &source, &context, level)?)?;
        Ok(Self { ptx, ..self })
    }
}

/// The GPU that jobs ran on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// Its name, as the driver has it.
    pub device: String,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// The CUDA version of the driver: 1000 times the major version, and 10 times the minor.
    pub driver: u32,
}

/// What came of one launch on a GPU.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Output {
    /// The name of the case.
    pub name: String,
    /// [`Job::digest`].
    pub digest: String,
    /// [`JobLaunch::index`].
    pub launch: usize,
    /// For each argument the contents of its buffer in hexadecimal, or nothing when it is not a buffer.
    #[serde(default)]
    pub buffers: Vec<Option<String>>,
    /// What the kernel printed.
    #[serde(default)]
    pub printed: String,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// Whether a generated program left what it has to.
    #[serde(default)]
    pub same: bool,
}

/// What a GPU made of the launches of a case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The GPU.
    #[serde(flatten)]
    pub device: Device,
    /// [`Job::digest`].
    pub digest: String,
    /// By the number of the `LAUNCH:` line, the buffers by their names: bytes in hexadecimal, or `fnv1a64:` and a hash.
    pub launches: BTreeMap<usize, BTreeMap<String, String>>,
}

/// Why there is nothing in a case that a GPU can be asked to run; `None` where there is.
pub fn left_out(case: &Case) -> Option<&'static str> {
    if !case.directives.runs.contains(&Run::Exec) {
        return Some("not executed");
    }
    if case.path.extension().is_some_and(|extension| extension == "ll") {
        return Some("LLVM IR");
    }
    let none = case.directives.launches.iter().all(|launch| !finishes(launch));
    none.then_some("has to fail, or delays asynchronous operations")
}

/// Whether a launch ends on a GPU as the case expects. One that must fail takes its context with it or never ends, and an order of
/// asynchronous operations that a case requires is one that a GPU may or may not take.
fn finishes(launch: &Launch) -> bool {
    launch.ending == Ending::Finish
        && launch.completion == Completion::default()
        && launch.reconvergence == Reconvergence::default()
}

/// The launches of a case that a GPU can run, or the reason why there are none.
///
/// # Errors
/// When the PTX cannot be read.
pub fn job(case: &Case) -> Result<Result<Job, &'static str>> {
    if let Some(why) = left_out(case) {
        return Ok(Err(why));
    }
    let launches = case.directives.launches.iter().enumerate();
    let launches: Vec<JobLaunch> = launches.filter(|(_, launch)| finishes(launch)).map(job_launch).collect();
    let module = stage::read(case.source())?;
    let target = module.items.iter().find_map(|item| match item {
        Item::Target(target, _) => target.sm,
        _ => None,
    });
    let sm = target.context("the PTX names no architecture")?;
    let variant = match sm.variant {
        SmVariant::Base => "",
        SmVariant::Family => "f",
        SmVariant::Arch => "a",
    };
    let ptx = std::str::from_utf8(case.source().text())?.to_owned();
    let digest = digest(&ptx, &launches)?;
    let (name, variant) = (case.name.clone(), variant.to_owned());
    Ok(Ok(Job { name, digest, sm: sm.number, variant, ptx, launches }))
}

/// What a GPU needs to know of a launch.
fn job_launch((index, launch): (usize, &Launch)) -> JobLaunch {
    let arguments = launch.arguments.iter().map(|a| (a.role != Role::Value, to_hex(&a.bytes))).collect();
    JobLaunch {
        index,
        entry: launch.entry.clone(),
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        shared: launch.shared,
        arguments,
        wanted: Vec::new(),
    }
}

fn digest(ptx: &str, launches: &[JobLaunch]) -> Result<String> {
    let mut text: String = ptx
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    text.push_str(&serde_json::to_string(launches)?);
    Ok(hash(text.as_bytes()))
}

/// Holds what a GPU gave for the launches of a case against what the case expects, and makes a recording of it.
///
/// # Errors
/// When a launch failed on the GPU, is missing, belongs to another version of the case, or left something else than the case expects.
pub fn record(case: &Case, job: &Job, device: &Device, outputs: &[Output]) -> Result<Recording> {
    let mut launches = BTreeMap::new();
    for wanted in &job.launches {
        let output = outputs.iter().find(|output| output.launch == wanted.index);
        let output = output.with_context(|| format!("nothing came back of launch {}", wanted.index))?;
        let launch = case.directives.launches.get(wanted.index).context("the case has no such launch")?;
        ensure!(output.digest == job.digest, "the case was changed since it ran");
        if let Some(error) = &output.error {
            anyhow::bail!("{} fails on the GPU: {error}", launch.entry);
        }
        let buffers: Vec<Option<Vec<u8>>> = output
            .buffers
            .iter()
            .map(|hex| hex.as_deref().map(from_hex).transpose())
            .collect::<Result<_>>()?;
        stage::judge(launch, &in_order(&output.printed, &launch.printed), &buffers)?;
        let written = launch.arguments.iter().zip(&buffers).filter_map(|(argument, bytes)| {
            let result = matches!(argument.role, Role::Out | Role::InOut);
            Some((argument.name.clone(), recorded(argument, bytes.as_ref().filter(|_| result)?)))
        });
        launches.insert(wanted.index, written.collect());
    }
    Ok(Recording { device: device.clone(), digest: job.digest.clone(), launches })
}

/// The lines that a launch printed, in the order in which they are expected: blocks print in any.
fn in_order(printed: &str, expected: &str) -> String {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    if sorted(printed) == sorted(expected) { expected.to_owned() } else { printed.to_owned() }
}

/// What is kept of a buffer.
fn recorded(argument: &Argument, bytes: &[u8]) -> String {
    let exact = argument.want.as_ref().is_some_and(|(want, judgement)| {
        *judgement == Judgement::default() && want.iter().all(|element| matches!(element, Element::Bits(_)))
    });
    let parts = argument.want.as_ref().is_some_and(|(_, judgement)| judgement.mismatch > 0.0);
    match bytes.get(..APPROXIMATE * argument.ty.bytes()) {
        _ if exact && bytes.len() > HASHED_ABOVE => hash(bytes),
        Some(first) if !exact && !parts => to_hex(first),
        _ => to_hex(bytes),
    }
}

impl Recording {
    /// Where the recording of a case lies below `root`: `sm_90/exec/name.ptx.json`.
    pub fn path(&self, root: &Path, name: &str) -> PathBuf {
        let (major, minor) = self.device.capability;
        root.join(format!("sm_{major}{minor}")).join(format!("{name}.json"))
    }

    /// Executes the recorded launches in the interpreter and compares what they leave with what the GPU left: bit for bit, or within
    /// twice the bounds of the case, because either may be off by them.
    ///
    /// # Errors
    /// When the interpreter leaves something else, or the recording does not fit the case.
    pub fn compare(&self, case: &Case) -> Result<()> {
        for (index, buffers) in &self.launches {
            let launch = case.directives.launches.get(*index).context("the case has no such launch")?;
            let outcome = stage::run(case.source(), launch, NonZeroUsize::MIN.saturating_add(1))?;
            for (name, recorded) in buffers {
                let mut arguments = launch.arguments.iter().zip(&outcome.buffers);
                let found = arguments.find(|(argument, _)| argument.name == *name);
                let (argument, got) = found.with_context(|| format!("no buffer is called {name}"))?;
                let got = got.as_ref().with_context(|| format!("{name} did not come back"))?;
                agree(argument, recorded, got).with_context(|| {
                    format!("{}: buffer {name} is not as on {}", launch.entry, self.device.device)
                })?;
            }
        }
        Ok(())
    }
}

fn agree(argument: &Argument, recorded: &str, got: &[u8]) -> Result<()> {
    if recorded.starts_with(HASH) {
        ensure!(hash(got) == recorded, "its hash is {}, recorded is {recorded}", hash(got));
        return Ok(());
    }
    let bytes = from_hex(recorded)?;
    let (want, judgement) = argument.want.as_ref().context("the case does not judge it")?;
    let got = got.get(..bytes.len()).context("more is recorded than it holds")?;
    let elements = want.iter().zip(bytes.chunks_exact(argument.ty.bytes()));
    let want: Vec<Element> = elements
        .map(|(want, bytes)| match want {
            Element::Bits(_) => Element::Bits(from_bytes(bytes)),
            Element::AnyNan | Element::Any => *want,
        })
        .collect();
    let Judgement { rtol, atol, mismatch } = *judgement;
    let both = Judgement { rtol: 2.0 * rtol, atol: 2.0 * atol, mismatch: 2.0 * mismatch };
    compare(argument.ty, &want, got, both)
}

/// The recordings below `root`, each with the name of its case and of its folder (`sm_90`); none where the folder is missing.
///
/// # Errors
/// When a file is not a recording.
pub fn recordings(root: &Path) -> Result<Vec<(String, String, Recording)>> {
    let mut found = Vec::new();
    let files = if root.is_dir() { crate::trial::files(root)? } else { Vec::new() };
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let shown = || path.display().to_string();
        let inside = path.strip_prefix(root)?.with_extension("");
        let inside = inside.to_string_lossy().replace('\\', "/");
        let (device, name) = inside.split_once('/').with_context(shown)?;
        let recording = serde_json::from_slice(&std::fs::read(path)?).with_context(shown)?;
        found.push((name.to_owned(), device.to_owned(), recording));
    }
    Ok(found)
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a string does not fail
        text
    })
}

fn from_hex(text: &str) -> Result<Vec<u8>> {
    ensure!(text.is_ascii() && text.len().is_multiple_of(2), "{text} is not a number of bytes");
    let bytes = text.as_bytes().chunks_exact(2).map(|pair| {
        u8::from_str_radix(std::str::from_utf8(pair)?, 16)
            .with_context(|| format!("{text} is not hexadecimal"))
    });
    bytes.collect()
}

/// FNV-1a of 64 bits: it distinguishes results that differ by accident, and stays the same with every release of Rust.
fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{HASH}{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests;
