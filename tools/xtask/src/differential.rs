//! Scalar instructions executed along every way: `cargo xtask differential`.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Result, bail};
use clap::Args;
use test_suite::differential::{self, Effort, Findings, Numbers};

use crate::corpus::oracles;

/// What is executed, and how much of it.
#[derive(Args)]
pub(crate) struct DifferentialArguments {
    /// Opcodes whose rows are executed [default: all]
    opcodes: Vec<String>,
    /// Number of seeds, starting with 1; each generates other registers, constants and operands
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Only this seed
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Maximum number of combinations of modifiers of each opcode
    #[arg(long, default_value_t = usize::MAX)]
    mnemonics: usize,
    /// Instructions of each combination
    #[arg(long, default_value_t = 2)]
    instructions: usize,
    /// Operands in memory for each instruction; all pairs of edges when they fit
    #[arg(long, default_value_t = 2500)]
    operands: usize,
    /// Operands as constants for each instruction
    #[arg(long, default_value_t = 16)]
    constants: usize,
    /// Instead of single instructions, so many programs over integers, as many over floating-point numbers, and as many
    /// sequences of accesses to memory
    #[arg(long, conflicts_with = "opcodes")]
    programs: Option<usize>,
    /// About how many instructions a program has
    #[arg(long, default_value_t = 16)]
    size: usize,
    /// Instead of comparing, print the results of the instructions, for test-suite/model
    #[arg(long, conflicts_with = "programs")]
    transcript: bool,
    /// Show the kernel that gave each difference
    #[arg(long)]
    kernels: bool,
    /// Every difference instead of the first of each mnemonic and route
    #[arg(long)]
    all: bool,
}

/// Executes and prints what differs, what fails on its way and what is not executed.
pub(crate) fn compare(arguments: &DifferentialArguments) -> Result<()> {
    let oracles = oracles();
    let seeds = match arguments.seed {
        Some(seed) => seed..=seed,
        None => 1..=arguments.seeds,
    };
    let (mut total, mut counts) = (Findings::default(), BTreeMap::new());
    let effort = |seed| Effort {
        seed,
        mnemonics: arguments.mnemonics,
        each_modifier: false,
        instructions: arguments.instructions,
        operands: arguments.operands,
        constants: arguments.constants,
    };
    for (seed, count) in seeds.clone().filter_map(|seed| Some((seed, arguments.programs?))) {
        let size = arguments.size;
        let of = |numbers| differential::draw_programs(numbers, count, size, effort(seed));
        let accesses = differential::draw_accesses(count, size, effort(seed));
        for cases in [of(Numbers::Integers)?, of(Numbers::Floats)?, accesses] {
            let findings = differential::compare(&cases, effort(seed), &oracles)?;
            print(arguments, &findings)?;
            total.append(findings);
        }
    }
    for (opcode, rows) in differential::rows() {
        if arguments.programs.is_some() {
            continue;
        }
        if !arguments.opcodes.is_empty() && !arguments.opcodes.iter().any(|one| one == opcode.as_str()) {
            continue;
        }
        if arguments.transcript {
            for seed in seeds.clone() {
                let cases = differential::generate(&rows, effort(seed));
                let text = differential::transcript(&cases, effort(seed))?;
                std::io::stdout().lock().write_all(text.as_bytes())?;
            }
            continue;
        }
        for seed in seeds.clone() {
            let cases = differential::generate(&rows, effort(seed));
            let findings = differential::compare(&cases, effort(seed), &oracles)?;
            print(arguments, &findings)?;
            let count: &mut [usize; 4] = counts.entry(opcode.as_str()).or_default();
            count[0] += cases.len();
            count[1] += findings.equal;
            count[2] += findings.differences.len();
            count[3] += findings.failures.len();
            total.append(findings);
        }
    }
    if arguments.transcript {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    for (opcode, [cases, equal, differences, failures]) in counts {
        writeln!(
            out,
            "# {opcode}: {cases} instructions, {equal} equal executions, {differences} different, {failures} failed"
        )?;
    }
    for (mnemonic, why) in &total.unexecuted {
        writeln!(out, "# not executed: {mnemonic}: {why}")?;
    }
    for (what, count) in &total.beyond {
        writeln!(out, "# {what}: {count} instructions")?;
    }
    writeln!(
        out,
        "# {} equal executions, {} different, {} failed, {} mnemonics not executed",
        total.equal,
        total.differences.len(),
        total.failures.len(),
        total.unexecuted.len()
    )?;
    if total.differences.is_empty() { Ok(()) } else { bail!("{} executions differ", total.differences.len()) }
}

fn print(arguments: &DifferentialArguments, findings: &Findings) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut seen = std::collections::BTreeSet::new();
    for difference in &findings.differences {
        if seen.insert((difference.mnemonic.as_str(), difference.route)) || arguments.all {
            writeln!(out, "{difference}")?;
            if arguments.kernels {
                writeln!(out, "{}", difference.kernel)?;
            }
        }
    }
    for (text, route, why) in &findings.failures {
        writeln!(out, "{} fails: {text}\n    {why}", route.as_str())?;
    }
    Ok(())
}
