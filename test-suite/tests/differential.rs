//! Scalar instructions computed along every way: as written, and through LLVM and back, by llc and by our own emitter.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::differential::{self, Case, Effort, Numbers};
use test_suite::oracle::{Oracles, llvm_folder};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

/// The seed here; `PTX_SEED` names another one.
const SEED: u64 = 1;
/// A part of all combinations of modifiers; `cargo xtask differential` takes all, with all pairs of edges.
const EFFORT: Effort =
    Effort { seed: SEED, mnemonics: 48, each_modifier: false, instructions: 1, operands: 256, constants: 4 };
/// Programs of several instructions, of each kind.
const PROGRAMS: usize = 24;
/// About how many instructions each of them has.
const SIZE: usize = 16;
/// How many mnemonics they are generated from, and what they are executed on.
const OF_PROGRAMS: Effort =
    Effort { seed: SEED, mnemonics: 400, each_modifier: false, instructions: 1, operands: 64, constants: 2 };
/// The most differences that one opcode reports.
const SHOWN: usize = 12;

fn main() -> ExitCode {
    let oracles = Arc::new(Oracles::find(Path::new(""), &llvm_folder()));
    let skips = Arc::new(Skips::default());
    let seed = testing::asked_seed().unwrap_or(SEED);
    let programs = [("integers", Numbers::Integers), ("floats", Numbers::Floats)].map(|(name, numbers)| {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        let effort = Effort { seed, ..OF_PROGRAMS };
        Trial::test(format!("programs over {name}"), move || {
            let cases = differential::draw_programs(numbers, PROGRAMS, SIZE, effort)?;
            hold("program", &cases, effort, &oracles, &skips)
        })
    });
    let memory = {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        let effort = Effort { seed, ..OF_PROGRAMS };
        Trial::test("accesses to memory", move || {
            let cases = differential::draw_accesses(PROGRAMS, SIZE, effort);
            hold("access", &cases, effort, &oracles, &skips)
        })
    };
    let single = differential::rows().into_iter().map(|(opcode, rows)| {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        let effort = Effort { seed, ..EFFORT };
        Trial::test(opcode.as_str(), move || {
            let cases = differential::generate(&rows, effort);
            if let missing @ [_, ..] = differential::undrawn(&rows, seed).as_slice() {
                return Err(format!("no instruction was accepted of: {}", missing.join("; ")).into());
            }
            hold(opcode.as_str(), &cases, effort, &oracles, &skips)
        })
    });
    let trials = programs.into_iter().chain([memory]).chain(single).collect();
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "scalar instructions on every path", trials, 18);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// Every route gives what the cases give.
fn hold(name: &str, cases: &[Case], effort: Effort, oracles: &Oracles, skips: &Skips) -> Result<(), Failed> {
    if cases.is_empty() {
        return Err(format!("no instruction of `{name}` was accepted").into());
    }
    let findings = differential::compare(cases, effort, oracles)?;
    for _ in &findings.unexecuted {
        skips.count(&format!("{name}: the interpreter does not execute them yet"));
    }
    for (why, count) in &findings.beyond {
        (0..*count).for_each(|_| skips.count(why));
    }
    let differences = findings.differences.iter().map(ToString::to_string);
    let failures =
        findings.failures.iter().map(|(text, route, why)| format!("{} fails: {text}: {why}", route.as_str()));
    let complaints: Vec<String> = differences.chain(failures).take(SHOWN).collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n").into()) }
}
