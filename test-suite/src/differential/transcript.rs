//! What instructions computed, written down for a model that shares no code with the interpreter.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use ptx_diag::SourceFile;
use ptx_exec::Launch;
use ptx_gen::{Home, Seeded};

use super::Effort;
use super::case::Case;
use super::kernel::{self, Feed, SLOT};
use super::operand::{Tuple, mask, tuples};
use super::route;
use crate::stage;

/// The registers of an instruction before an execution and after it, in the low bits.
pub type Run = (Vec<u128>, Vec<u128>);

/// Executes the instructions of cases that are for the same target, as written, and lists their registers before and
/// after each execution, in the form that `test-suite/model/check.py` reads.
///
/// # Errors
/// When the interpreter refuses an instruction or stops in it.
pub(super) fn transcript(home: Home, cases: &[&Case], effort: Effort) -> Result<String> {
    let mut text = head(home);
    for (case, runs) in cases.iter().zip(runs(home, cases, effort)?) {
        write_case(&mut text, case, &runs);
    }
    Ok(text)
}

/// The line that begins the executions for a target.
pub(super) fn head(home: Home) -> String {
    format!("home {} {}\n", home.version, home.sm)
}

/// The registers of each case, execution by execution.
///
/// # Errors
/// As for [`transcript`].
pub(super) fn runs(home: Home, cases: &[&Case], effort: Effort) -> Result<Vec<Vec<Run>>> {
    let mut choices = Seeded::new(effort.seed);
    let mut source = kernel::head(home);
    let mut operands = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let values = tuples(&mut choices, &case.registers, effort.operands);
        source += &kernel::kernel(Feed::Memory, at, case, &values);
        operands.push(values);
    }
    let source = SourceFile::new("written.ptx", source);
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let mut all = Vec::new();
    for (at, (case, values)) in cases.iter().zip(&operands).enumerate() {
        match route::execute(verified, Feed::Memory, at, values) {
            Ok(results) => all.push(paired(case, values, &results)),
            Err(error) => bail!("{}: {}", case.text, stage::describe(&source, &error.into_diagnostics())),
        }
    }
    Ok(all)
}

/// A module whose kernels execute one case each.
pub struct Launches {
    /// Its text.
    pub ptx: String,
    /// Its launches, and what the interpreter leaves in the buffers of each; kernels that it does not execute are left out.
    pub all: Vec<(Launch, Vec<Option<Vec<u8>>>)>,
}

/// Whether a target has the instruction of a case, with its modifiers and operands.
pub(super) fn is_valid(home: Home, case: &Case) -> bool {
    let text = kernel::head(home) + &kernel::kernel(Feed::Memory, 0, case, &[]);
    let source = SourceFile::new("written.ptx", text);
    stage::read(&source).is_ok_and(|module| stage::verify(&module, &source).is_ok())
}

/// The same executions as launches, for others to execute.
///
/// # Errors
/// When the module is not valid.
pub(super) fn launches(home: Home, cases: &[&Case], effort: Effort) -> Result<Launches> {
    let mut choices = Seeded::new(effort.seed);
    let (mut ptx, mut operands) = (kernel::head(home), Vec::new());
    for (at, case) in cases.iter().enumerate() {
        let values = tuples(&mut choices, &case.registers, effort.operands);
        ptx += &kernel::kernel(Feed::Memory, at, case, &values);
        operands.push(values);
    }
    let source = SourceFile::new("written.ptx", ptx.as_str());
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let launches = operands.iter().enumerate().filter_map(|(at, values)| {
        let launch = route::launch(Feed::Memory, at, values);
        let left = ptx_exec::run(verified, &launch).ok()?.buffers;
        Some((launch, left))
    });
    Ok(Launches { all: launches.collect(), ptx })
}

fn paired(case: &Case, values: &[Tuple], results: &[u8]) -> Vec<Run> {
    let after: Vec<u128> = results.chunks_exact(SLOT).map(bits).collect();
    let masked = |values: &[u128]| {
        let both = case.registers.iter().zip(values);
        both.map(|(one, value)| value & mask(one.declared.bits())).collect()
    };
    let pairs = values.iter().zip(after.chunks_exact(case.registers.len()));
    pairs.map(|(before, after)| (masked(before), masked(after))).collect()
}

/// Writing to a string cannot fail.
pub(super) fn write_case(text: &mut String, case: &Case, runs: &[Run]) {
    let _ = writeln!(text, "case {}", case.text);
    let names: Vec<String> =
        case.registers.iter().map(|one| format!("{}:{}", one.name, one.declared.as_str())).collect();
    let _ = writeln!(text, "registers {}", names.join(" "));
    for (before, after) in runs {
        text.push_str("run");
        for (before, after) in before.iter().zip(after) {
            let _ = write!(text, " {before:x}:{after:x}");
        }
        text.push('\n');
    }
}

fn bits(slot: &[u8]) -> u128 {
    slot.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
