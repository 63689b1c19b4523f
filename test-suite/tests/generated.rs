//! Random instructions of every row of the table: what we accept ptxas accepts, and it prints and reads back as itself.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_gen::{check, module};
use ptx_isa::{FormId, Opcode};
use test_suite::generated::{Case, Effort, generate, judge};
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

/// The seed here; `PTX_SEED` names another one.
const SEED: u64 = 1;
/// What is generated for each row and modifier.
const EFFORT: Effort = Effort { accepted: 2, refused: 0, attempts: 4000 };

fn main() -> ExitCode {
    let oracles = Arc::new(Oracles::find(&nvidia_folder(), Path::new("")));
    let skips = Arc::new(Skips::default());
    let seed = testing::asked_seed().unwrap_or(SEED);
    let trials = Opcode::ALL.iter().map(|&opcode| {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        Trial::test(opcode.as_str(), move || hold(opcode, seed, &oracles, &skips))
    });
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "opcodes in generated instructions", trials.collect(), 28);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// Every row of an opcode, with each of its modifiers.
fn hold(opcode: Opcode, seed: u64, oracles: &Oracles, skips: &Skips) -> Result<(), Failed> {
    let rows = ptx_isa::form_ids().filter(|id| ptx_isa::form(*id).opcode == opcode);
    let mut complaints = Vec::new();
    let mut cases = Vec::new();
    for id in rows {
        let generated = generate(id, seed, EFFORT);
        complaints.extend(unreached(id, &generated));
        complaints.extend(generated.iter().filter_map(printed_differently));
        cases.extend(generated);
    }
    if oracles.ptxas.is_none() {
        skips.count("no ptxas: generated instructions not judged");
    } else {
        for (case, refusal) in cases.iter().zip(judge(oracles, &cases)?) {
            complaints.extend(
                refusal.map(|said| {
                    format!("ptxas for {}: {}\n    {said}", case.home.sm, case.instruction.block())
                }),
            );
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n").into()) }
}

/// Modifiers of a row that no instruction was found with.
fn unreached(id: FormId, cases: &[Case]) -> Vec<String> {
    let form = ptx_isa::form(id);
    let wanted = std::iter::once(None).chain(ptx_gen::pins(form).into_iter().map(Some));
    let missing = wanted.filter(|pin| cases.iter().all(|case| case.pin != *pin));
    missing
        .map(|pin| {
            let with = pin.map_or(String::new(), |pin| format!(" with .{}", pin.modifier.as_str()));
            format!("no instruction that verifies was found for `{}`{with}", form.syntax())
        })
        .collect()
}

/// A module that prints as another one, or not the same twice.
fn printed_differently(case: &Case) -> Option<String> {
    let text = module(case.home, [&case.instruction]).text;
    let first = check(&text).ok()?;
    let print = ptx_ir::print(&first);
    match check(&print) {
        Ok(second) if second != first => Some(format!("reads back as another module: {text}\n{print}")),
        Ok(second) => (ptx_ir::print(&second) != print).then(|| format!("the second print differs: {print}")),
        Err(_) => Some(format!("the print does not verify: {print}")),
    }
}
