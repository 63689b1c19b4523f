//! Proofs about scalar instructions: `cargo xtask prove`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use ptx_diag::SourceFile;
use ptx_isa::FormId;
use test_suite::differential::{self, Case};
use test_suite::prove::record::{self, Tally};
use test_suite::prove::{self, Proof, Route, Solver, Verdict};
use test_suite::stage;

use crate::corpus::oracles;
use crate::coverage;

/// What is proved, and how hard it is tried.
#[derive(Args)]
pub(crate) struct ProveArguments {
    /// Opcodes whose rows are proved [default: all]
    opcodes: Vec<String>,
    /// Prove instead what -O2 makes of pieces of the kernels of these PTX files or folders: integer instructions, with branches forward
    #[arg(long, value_name = "PATH", conflicts_with_all = ["opcodes", "mnemonics", "more", "write"])]
    pieces_of: Vec<PathBuf>,
    /// Maximum number of combinations of modifiers of each row
    #[arg(long, default_value_t = usize::MAX)]
    mnemonics: usize,
    /// So many instructions of each combination with random operands, beside the general one
    #[arg(long, default_value_t = 0)]
    more: usize,
    /// The seed of the operands
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds that the solver has for one question
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// How many rows are proved at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Show every instruction, not only those that are not proved
    #[arg(long)]
    all: bool,
    /// Write the figures of these rows into test-suite/proofs.tsv, and docs/coverage.md anew
    #[arg(long)]
    write: bool,
}

/// Proves and prints what is not proved, and a line for each row.
pub(crate) fn prove(arguments: &ProveArguments) -> Result<()> {
    let Some(program) = oracles().z3 else { bail!("z3 is not among the oracle programs: run scripts/setup") };
    let solver = Solver { program, limit: Duration::from_secs(arguments.limit) };
    if !arguments.pieces_of.is_empty() {
        return prove_pieces(arguments, &solver);
    }
    let rows = differential::rows().into_iter().filter(|(opcode, _)| {
        arguments.opcodes.is_empty() || arguments.opcodes.iter().any(|one| one == opcode.as_str())
    });
    let rows: Vec<FormId> = rows.flat_map(|(_, rows)| rows).collect();
    let waiting = Mutex::new(rows.into_iter());
    let tallies: Mutex<BTreeMap<FormId, Tally>> = Mutex::default();
    let work = || -> Result<()> {
        loop {
            let next = lock(&waiting).next();
            let Some(row) = next else { return Ok(()) };
            let cases = prove::generate(&[row], arguments.seed, arguments.mnemonics, arguments.more);
            let cases: Vec<Case> = cases.into_iter().filter(prove::is_defined).collect();
            lock(&tallies).entry(row).or_default();
            prove::prove(&cases, &Route::ALL, Some(&solver), &|proof| {
                print(arguments, &proof);
                lock(&tallies).entry(row).or_default().take(&proof);
            })?;
        }
    };
    in_threads(arguments.threads, work)?;
    let tallies = lock(&tallies);
    if arguments.write {
        write(&tallies)?;
    }
    summarize(&tallies)
}

/// Proves pieces of kernels, each text once.
fn prove_pieces(arguments: &ProveArguments, solver: &Solver) -> Result<()> {
    let mut files = Vec::new();
    for path in &arguments.pieces_of {
        collect(path, &mut files)?;
    }
    let waiting = Mutex::new(files.into_iter());
    let (seen, sum) = (Mutex::new(BTreeSet::new()), Mutex::new(Tally::default()));
    let work = || -> Result<()> {
        loop {
            let next = lock(&waiting).next();
            let Some(file) = next else { return Ok(()) };
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let Ok(module) = stage::read(&SourceFile::new(file.display().to_string(), text)) else {
                continue;
            };
            let mut pieces = prove::blocks(&module);
            pieces.retain(|piece| lock(&seen).insert(piece.text.clone()) && prove::is_defined(piece));
            prove::prove(&pieces, &[Route::RaisedOptimized], Some(solver), &|proof| {
                print(arguments, &proof);
                lock(&sum).take(&proof);
            })?;
        }
    };
    in_threads(arguments.threads, work)?;
    let sum = *lock(&sum);
    let figures = figures(&sum).replacen("instructions", "pieces", 1);
    writeln!(std::io::stdout().lock(), "# {figures}")?;
    if sum.refuted == 0 { Ok(()) } else { bail!("{} pieces are refuted", sum.refuted) }
}

/// A PTX file, or those of a folder and of its folders, by their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries
        .iter()
        .filter(|entry| entry.is_dir() || entry.extension().is_some_and(|extension| extension == "ptx"))
    {
        collect(entry, files)?;
    }
    Ok(())
}

/// Does the work in some threads.
fn in_threads(threads: usize, work: impl Fn() -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(&work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")))
    })
}

/// Puts the figures into the record, and the record into the page.
fn write(tallies: &BTreeMap<FormId, Tally>) -> Result<()> {
    let path = coverage::record_path();
    let mut all = if path.exists() { coverage::record()? } else { BTreeMap::new() };
    all.extend(tallies.iter().map(|(row, tally)| (record::name(*row), *tally)));
    std::fs::write(&path, record::print(&all)).with_context(|| format!("cannot write {}", path.display()))?;
    coverage::write()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn print(arguments: &ProveArguments, proof: &Proof) {
    let mut out = std::io::stdout().lock();
    for route in Route::ALL {
        let verdict = proof.verdicts.iter().find(|(one, _)| *one == route).map(|(_, verdict)| verdict);
        let Some(verdict) = verdict.filter(|verdict| arguments.all || **verdict != Verdict::Proved) else {
            continue;
        };
        let _ = writeln!(out, "{}: {}: {verdict}", proof.case.text, route.as_str());
    }
}

fn summarize(tallies: &BTreeMap<FormId, Tally>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut sum = Tally::default();
    let mut defined = 0;
    for (row, tally) in tallies.iter().filter(|(_, tally)| tally.instructions > 0) {
        writeln!(out, "# {}: {}", ptx_isa::form(*row).syntax(), figures(tally))?;
        sum.append(*tally);
        defined += 1;
    }
    writeln!(out, "# {defined} rows of {}: {}", tallies.len(), figures(&sum))?;
    if sum.refuted == 0 { Ok(()) } else { bail!("{} instructions are refuted", sum.refuted) }
}

fn figures(tally: &Tally) -> String {
    let Tally { instructions, proved, refuted, timed_out, unasked } = tally;
    format!(
        "{instructions} instructions, {proved} proved, {refuted} refuted, {timed_out} timed out, {unasked} not asked"
    )
}
