//! Random programs in LLVM IR: on the host and as PTX they leave the same in memory.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::ir::{Judges, judge, program};
use test_suite::oracle::Oracles;
use test_suite::skip::Skips;

/// Seeds of one trial.
const BATCH: u64 = 16;
/// Trials.
const BATCHES: u64 = 6;

fn main() -> ExitCode {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let nvidia = std::env::var_os("PTX_ORACLE").map_or(PathBuf::from(".oracle"), PathBuf::from);
    let llvm =
        std::env::var_os("LLVM_SYS_221_PREFIX").map_or(PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    let oracles = Oracles::find(&workspace.join(nvidia), &llvm);
    let judges = Arc::new(Judges { lli: llvm.join("bin/lli"), oracles });
    let skips = Arc::new(Skips::default());
    let trials = (0..BATCHES).map(|batch| {
        let (judges, skips) = (Arc::clone(&judges), Arc::clone(&skips));
        Trial::test(format!("seeds/{}", batch * BATCH), move || hold(batch, &judges, &skips))
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    println!("{}", skips.summary());
    conclusion.exit_code()
}

fn hold(batch: u64, judges: &Judges, skips: &Skips) -> Result<(), Failed> {
    if !judges.lli.is_file() || judges.oracles.opt.is_none() {
        skips.count("no lli or opt: random LLVM IR not executed");
        return Ok(());
    }
    if judges.oracles.ptxas.is_none() {
        skips.count("no ptxas: PTX of random LLVM IR not judged");
    }
    let programs: Vec<_> = (0..BATCH).map(|at| program(batch * BATCH + at, &format!("p{at}"))).collect();
    // Architectures with and without the newest instructions.
    let sm = [75, 90, 100][batch as usize % 3];
    let verdict = judge(&programs, sm, judges)?;
    for _ in 0..verdict.unsure {
        skips.count("the host gives two results, or none: random LLVM IR not judged");
    }
    let differences = verdict.differences;
    if differences.is_empty() {
        return Ok(());
    }
    let lines = differences.iter().map(|difference| {
        format!("seed {} for sm_{sm}, {}: {}", difference.program.seed, difference.way, difference.what)
    });
    Err(lines.collect::<Vec<_>>().join("\n").into())
}
