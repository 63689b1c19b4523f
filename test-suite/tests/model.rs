//! What the interpreter computes, held against a model in Python that was written from the manual and shares no code.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_isa::FormId;
use test_suite::differential::{self, Effort};
use test_suite::skip::Skips;

/// A part of all combinations of modifiers. `PTX_SEED` names another seed; `PTX_OPERANDS` takes all combinations, with so
/// many operands.
const EFFORT: Effort = Effort { seed: 1, mnemonics: 96, instructions: 2, operands: 64, constants: 0 };

fn main() -> ExitCode {
    let skips = Arc::new(Skips::default());
    let mut effort = EFFORT;
    if let Some(seed) = number("PTX_SEED") {
        effort.seed = seed;
    }
    if let Some(operands) = number("PTX_OPERANDS") {
        (effort.mnemonics, effort.operands) = (usize::MAX, operands as usize);
    }
    let trials = differential::rows().into_iter().map(|(opcode, rows)| {
        let skips = Arc::clone(&skips);
        Trial::test(opcode.as_str(), move || hold(&rows, effort, &skips))
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// The number that a variable of the environment holds.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// The model computes what the interpreter computed.
fn hold(rows: &[FormId], effort: Effort, skips: &Skips) -> Result<(), Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/check.py");
    let started =
        Command::new("python3").arg("-B").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut model) = started else {
        if std::env::var_os("CI").is_some_and(|value| value == "true") {
            return Err("with CI=true python3 is required".into());
        }
        skips.count("no python3: results were not held against the model");
        return Ok(());
    };
    let text = differential::transcript(&differential::draw(rows, effort), effort)?;
    // Dropped at the end of the statement, so that the model sees the end of its input.
    let fed = model.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    let outcome = model.wait_with_output()?;
    if let Some(Err(error)) = fed
        && outcome.status.success()
    {
        return Err(format!("the model did not read all: {error}").into());
    }
    let said = String::from_utf8_lossy(&outcome.stdout);
    if outcome.status.success() { Ok(()) } else { Err(said.chars().take(4000).collect::<String>().into()) }
}
