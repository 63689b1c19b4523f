//! Random programs in LLVM IR: on the host and as PTX they leave the same in memory.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::ir::{Cause, Judges, Program, judge, program};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

/// Numbers of up to 10 bits, shifted by 15: a half cannot hold `2 << 15` and becomes an infinity, which LLVM 22 forgets where it knows
/// how few bits the number has. The host does not know.
const LOST_INFINITY: &str = "; seed 1
define ptx_kernel void @half(ptr addrspace(1) align 16 %in, ptr addrspace(1) align 16 %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %large = shl i32 %t, 15
  %single = uitofp i32 %large to float
  %half = fptrunc float %single to half
  %wide = fpext half %half to float
  %at = mul i32 %t, 256
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %at
  store float %wide, ptr addrspace(1) %place
  ret void
}
";
/// Seeds of one trial.
const BATCH: u64 = 16;
/// Trials.
const BATCHES: u64 = 6;

fn main() -> ExitCode {
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    let judges = Arc::new(Judges { lli: llvm_folder().join("bin/lli"), oracles });
    let skips = Arc::new(Skips::default());
    let mut trials: Vec<Trial> = (0..BATCHES)
        .map(|batch| {
            let (judges, skips) = (Arc::clone(&judges), Arc::clone(&skips));
            Trial::test(format!("seeds/{}", batch * BATCH), move || hold(batch, &judges, &skips))
        })
        .collect();
    let (of_trial, counted) = (Arc::clone(&judges), Arc::clone(&skips));
    trials.push(Trial::test("cause/optimizer", move || tell_the_optimizer(&of_trial, &counted)));
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "batches of random LLVM IR", trials, 1);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// Holds that what LLVM's optimizer changes is told from what this project does, which keeps the optimizer from it.
fn tell_the_optimizer(judges: &Judges, skips: &Skips) -> Result<(), Failed> {
    if !judges.lli.is_file() || judges.oracles.opt.is_none() {
        skips.count("no lli or opt: random LLVM IR not executed");
        return Ok(());
    }
    let found = judge(&[Program::kept(LOST_INFINITY)?], 90, judges)?.differences;
    let found: Vec<_> = found.iter().map(|difference| (difference.way, difference.cause)).collect();
    if found == [("optimized and raised", Cause::Optimizer)] {
        return Ok(());
    }
    Err(format!("{found:?}").into())
}

fn hold(batch: u64, judges: &Judges, skips: &Skips) -> Result<(), Failed> {
    if !judges.lli.is_file() || judges.oracles.opt.is_none() {
        skips.count("no lli or opt: random LLVM IR not executed");
        return Ok(());
    }
    if judges.oracles.ptxas.is_none() {
        skips.count("no ptxas: PTX of random LLVM IR not judged");
    }
    // Architectures with and without the newest instructions.
    let sm = [75, 90, 100][batch as usize % 3];
    let programs: Vec<_> = (0..BATCH).map(|at| program(batch * BATCH + at, &format!("p{at}"), sm)).collect();
    let verdict = judge(&programs, sm, judges)?;
    for _ in &verdict.unsure {
        skips.count("the host gives two results, or none: random LLVM IR not judged");
    }
    let (differences, optimizer): (Vec<_>, Vec<_>) =
        verdict.differences.into_iter().partition(|difference| difference.cause == Cause::Ours);
    for _ in optimizer {
        skips.count("LLVM's optimizer changes the program: random LLVM IR not judged");
    }
    if differences.is_empty() {
        return Ok(());
    }
    let lines = differences.iter().map(|difference| {
        format!("seed {} for sm_{sm}, {}: {}", difference.program.seed, difference.way, difference.what)
    });
    Err(lines.collect::<Vec<_>>().join("\n").into())
}
