//! The instruction table against ptxas: `cargo xtask table`.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Result, ensure};
use clap::Args;
use ptx_isa::{FormId, Opcode};
use test_suite::generated::{Case, Effort, generate, generate_variants, judge};

use crate::corpus::oracles;

/// How much is generated and judged.
#[derive(Args)]
pub(crate) struct TableArguments {
    /// Opcodes whose rows are checked [default: all]
    opcodes: Vec<String>,
    /// The seed; another one generates other instructions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of instructions for each row and modifier that the verifier accepts
    #[arg(long, default_value_t = 2)]
    accepted: usize,
    /// Maximum number that the verifier rejects
    #[arg(long, default_value_t = 2)]
    refused: usize,
    /// At most so many attempts for both
    #[arg(long, default_value_t = 200)]
    attempts: usize,
    /// Instead, this number of instructions of each row with one mutation, valid or not
    #[arg(long, conflicts_with_all = ["accepted", "refused", "attempts"])]
    variants: Option<usize>,
}

/// Prints every instruction on which ptxas and we differ, as tab-separated lines, and the counts for each opcode.
pub(crate) fn compare(arguments: &TableArguments) -> Result<()> {
    let oracles = oracles();
    ensure!(oracles.ptxas.is_some(), "this needs ptxas: scripts/setup, or PTX_ORACLE");
    let effort =
        Effort { accepted: arguments.accepted, refused: arguments.refused, attempts: arguments.attempts };
    let wanted = |id: &FormId| {
        let opcode = ptx_isa::form(*id).opcode.as_str();
        arguments.opcodes.is_empty() || arguments.opcodes.iter().any(|one| one == opcode)
    };
    let of_row = |id: FormId| match arguments.variants {
        Some(count) => generate_variants(id, arguments.seed, count),
        None => generate(id, arguments.seed, effort),
    };
    let cases: Vec<Case> = ptx_isa::form_ids().filter(wanted).flat_map(of_row).collect();
    let verdicts = judge(&oracles, &cases)?;
    let mut out = std::io::stdout().lock();
    let mut counts: BTreeMap<Opcode, [usize; 4]> = BTreeMap::new();
    for (case, theirs) in cases.iter().zip(&verdicts) {
        let opcode = case.instruction.mnemonic.opcode();
        let count = counts.entry(opcode).or_default();
        count[usize::from(case.ours.is_some())] += 1;
        let (kind, message) = match (&case.ours, theirs) {
            (None, Some(theirs)) => ("wrongly accepted", theirs),
            (Some(ours), None) => ("wrongly refused", ours),
            _ => continue,
        };
        count[2 + usize::from(case.ours.is_some())] += 1;
        let line = case.instruction.block();
        writeln!(
            out,
            "{}\t{kind}\t{}\t{}\t{line}\t{message}",
            opcode.as_str(),
            case.id.index(),
            case.home.sm
        )?;
    }
    for (opcode, [accepted, refused, wrongly_accepted, wrongly_refused]) in counts {
        let opcode = opcode.as_str();
        writeln!(
            out,
            "# {opcode}: {wrongly_accepted} of {accepted} wrongly accepted, {wrongly_refused} of {refused} wrongly refused"
        )?;
    }
    Ok(())
}
