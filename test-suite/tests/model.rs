//! What the interpreter computes and the definitions specify, held against a model in Python that was written from the manual and shares no code.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_isa::{ArithSem, FormId, Opcode, Sem};
use test_suite::differential::{self, Effort};
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::prove;
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

/// A part of all combinations of modifiers. `PTX_SEED` names another seed; `PTX_OPERANDS` takes all combinations, with so
/// many operands.
const EFFORT: Effort =
    Effort { seed: 1, mnemonics: 96, each_modifier: true, instructions: 2, operands: 64, constants: 0 };

fn main() -> ExitCode {
    let skips = Arc::new(Skips::default());
    let mut effort = EFFORT;
    if let Some(seed) = testing::asked_seed() {
        effort.seed = seed;
    }
    let asked = operands();
    if let Some(operands) = asked {
        (effort.mnemonics, effort.operands) = (usize::MAX, operands);
    }
    let trials = differential::rows().into_iter().map(|(opcode, rows)| {
        let skips = Arc::clone(&skips);
        Trial::test(opcode.as_str(), move || hold(opcode, &rows, effort, &skips))
    });
    let defined = differential::rows().into_iter().map(|(opcode, rows)| {
        let skips = Arc::clone(&skips);
        Trial::test(format!("definitions of {}", opcode.as_str()), move || {
            hold_definitions(
                &rows,
                Effort { mnemonics: effort.mnemonics / 2, each_modifier: false, ..effort },
                &skips,
            )
        })
    });
    let folded = {
        let skips = Arc::clone(&skips);
        Trial::test("carries_as_ptxas_computes_them", move || fold_carries(effort, &skips))
    };
    let arguments = Arguments::from_args();
    let trials: Vec<Trial> = trials.chain(defined).chain([folded]).collect();
    // Who asks for every combination means every instruction, too.
    let trials = match asked {
        Some(_) => trials,
        None => sampled(&arguments, "scalar instructions by the model in Python", trials, 28),
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// The number of operands that `PTX_OPERANDS` asks for.
fn operands() -> Option<usize> {
    let text = std::env::var("PTX_OPERANDS").ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("PTX_OPERANDS={text}: it is a number")))
}

/// The model computes what the interpreter computed.
fn hold(opcode: Opcode, rows: &[FormId], effort: Effort, skips: &Skips) -> Result<(), Failed> {
    let cases = differential::generate(rows, effort);
    let text = differential::transcript(&cases, effort)?;
    if judge(Command::new("python3").arg("-B").arg(script("check.py")), &text, skips)? {
        let executed = cases.iter().map(|case| case.mnemonic);
        executed_rows::note(&format!("model/{}", opcode.as_str()), executed);
    }
    Ok(())
}

/// The model computes what the definitions that proofs start from specify, of every row that has one.
fn hold_definitions(rows: &[FormId], effort: Effort, skips: &Skips) -> Result<(), Failed> {
    let cases: Vec<_> = differential::generate(rows, effort).into_iter().filter(prove::is_defined).collect();
    if cases.is_empty() {
        return Ok(());
    }
    let mut all = Vec::new();
    for (case, runs) in differential::executions(&cases, effort)? {
        let runs = prove::by_definition(&case, &runs)?;
        all.push((case, runs));
    }
    let text = differential::written(&all);
    judge(Command::new("python3").arg("-B").arg(script("check.py")), &text, skips).map(drop)
}

/// `ptxas` computes of constants what the interpreter computed: sums and differences in one chain, after sums as after differences. The model
/// cannot tell what the manual leaves open, whether the flag of a difference is a carry or a borrow.
fn fold_carries(effort: Effort, skips: &Skips) -> Result<(), Failed> {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    let (Some(ptxas), Some(_)) = (&oracles.ptxas, &oracles.nvdisasm) else {
        skips.count("no ptxas or nvdisasm: carries were not held against what ptxas computes");
        return Ok(());
    };
    let sums = |id: &FormId| {
        matches!(
            ptx_isa::form(*id).sem,
            Sem::Arith(ArithSem::AddCarry | ArithSem::SubCarry | ArithSem::MadCarry)
        )
    };
    let rows: Vec<FormId> = differential::rows().into_values().flatten().filter(sums).collect();
    let folder = ptxas.parent().unwrap_or(Path::new("."));
    let effort = Effort { instructions: 3, operands: 4, ..effort };
    let text = differential::transcript(&differential::generate(&rows, effort), effort)?;
    judge(Command::new("python3").arg("-B").arg(script("fold.py")).arg(folder), &text, skips).map(drop)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("model").join(name)
}

/// A script accepts the transcript of instructions; false where there is no Python to judge it.
fn judge(command: &mut Command, text: &str, skips: &Skips) -> Result<bool, Failed> {
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut model) = started else {
        if std::env::var_os("CI").is_some_and(|value| value == "true") {
            return Err("with CI=true python3 is required".into());
        }
        skips.count("no python3: results were not held against the model");
        return Ok(false);
    };
    // Dropped at the end of the statement, so that the model sees the end of its input.
    let fed = model.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    let outcome = model.wait_with_output()?;
    if let Some(Err(error)) = fed
        && outcome.status.success()
    {
        return Err(format!("the model did not read all: {error}").into());
    }
    let said = String::from_utf8_lossy(&outcome.stdout);
    if outcome.status.success() { Ok(true) } else { Err(said.chars().take(4000).collect::<String>().into()) }
}
