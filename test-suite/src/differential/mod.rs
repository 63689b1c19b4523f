//! The same instructions executed along every way that they can go.
//!
//! A scalar instruction is a function of its registers. Each one, with every combination of its modifiers, becomes a
//! kernel that loads the registers it names, executes it and stores them all (`kernel`), on operands at the edges of
//! their types and on random ones (`operand`); and a kernel that holds the operands as constants, which optimizers
//! fold. The interpreter executes what was written, what LLVM's own llc makes of its lowering, and what our own emitter
//! makes of it, each without and with LLVM's optimizer ([`Route`]). The results must be the same bits; of a computed
//! NaN, which LLVM may give other bits (docs/mapping.md, "NaN bits"), only that it is one.
//!
//! What the interpreter does not execute yet, or a program on the way does not take, is counted and listed.

mod case;
mod kernel;
mod memory;
mod operand;
mod program;
mod route;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use ptx_gen::{Home, Seeded};
use ptx_isa::{FormId, Opcode, PtxVersion, Sm};

pub use case::{Case, Register, is_scalar};
pub(crate) use case::{Nans, name_of};
pub(crate) use kernel::{SLOT, head, plain_kernel, plain_name};
pub use program::Numbers;
pub use route::{Difference, Findings, Route};
pub use transcript::{Launches, Run};

use crate::oracle::Oracles;

/// How much is executed.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The seed of instructions and operands.
    pub seed: u64,
    /// At most so many combinations of modifiers of each opcode, picked by the seed, but at least one of each row.
    pub mnemonics: usize,
    /// At least one with each modifier of each row, too.
    pub each_modifier: bool,
    /// Instructions of each combination, with other kinds of operands.
    pub instructions: usize,
    /// Operands for each instruction in memory; all pairs of edges when they fit.
    pub operands: usize,
    /// Operands for each instruction as constants.
    pub constants: usize,
}

/// Where programs of several instructions are at home: most rows are.
const HOME: Home = Home { version: PtxVersion::new(9, 0), sm: Sm::arch(100) };
/// The most mnemonics of one opcode that programs are made of.
const OF_OPCODE: usize = 10;
/// How many kernels are one module.
const BATCH: usize = 100;
/// How many kernels are one module for a GPU, whose assembler refuses all of a module.
const FEW: usize = 8;

/// The rows of scalar instructions, by opcode, but for those that old versions have for others of today: kernels of these
/// versions have no parameters, and what such rows mean is written out before anything executes them.
pub fn rows() -> BTreeMap<Opcode, Vec<FormId>> {
    let mut rows: BTreeMap<Opcode, Vec<FormId>> = BTreeMap::new();
    for id in ptx_isa::form_ids().filter(|id| is_scalar(ptx_isa::form(*id))) {
        if ptx_isa::form(id).implied.is_some() {
            continue;
        }
        rows.entry(ptx_isa::form(id).opcode).or_default().push(id);
    }
    rows
}

/// Instructions of rows, with modifiers and operands that our verifier accepts: of each row, as far as there are any.
pub fn generate(rows: &[FormId], effort: Effort) -> Vec<Case> {
    let mut all: Vec<_> = rows.iter().flat_map(|id| ptx_gen::mnemonics(*id)).collect();
    let mut choices = Seeded::new(effort.seed);
    if all.len() > effort.mnemonics {
        case::shuffle(&mut choices, &mut all);
    }
    let mut cases = Vec::new();
    let mut taken = 0;
    let mut generated = BTreeSet::new();
    for mnemonic in all {
        let slots = || {
            let held = mnemonic.slots().enumerate().map(|(at, (_, held))| (Some(at), held));
            let held = held.filter(|_| effort.each_modifier).chain([(None, None)]);
            held.map(|slot| (mnemonic.form_id(), slot))
        };
        // Beyond the most that are asked for, what none has yet.
        if taken >= effort.mnemonics && slots().all(|slot| generated.contains(&slot)) {
            continue;
        }
        let before = cases.len();
        cases.extend(
            (0..effort.instructions).filter_map(|_| Case::generate(&mut choices, mnemonic, effort.seed)),
        );
        if cases.len() > before {
            taken += 1;
            generated.extend(slots());
        }
    }
    cases
}

/// The rows of which no instruction is found that our verifier accepts, by their syntax: nothing of them is executed.
pub fn undrawn(rows: &[FormId], seed: u64) -> Vec<String> {
    const TRIED: usize = 60;
    let mut choices = Seeded::new(seed);
    let mut is_drawn = |id: FormId| {
        let mut all = ptx_gen::mnemonics(id);
        case::shuffle(&mut choices, &mut all);
        all.iter().take(TRIED).any(|mnemonic| Case::generate(&mut choices, *mnemonic, seed).is_some())
    };
    let missing = rows.iter().copied().filter(|id| !is_drawn(*id));
    missing.map(|id| ptx_isa::form(id).syntax()).collect()
}

/// Programs of several instructions, from all rows that the interpreter executes.
///
/// # Errors
/// When the instructions that they are made of cannot be executed at all.
pub fn draw_programs(numbers: Numbers, count: usize, size: usize, effort: Effort) -> Result<Vec<Case>> {
    let mut choices = Seeded::new(effort.seed);
    let mut all: Vec<_> = rows().values().flatten().flat_map(|id| ptx_gen::mnemonics(*id)).collect();
    all.retain(|mnemonic| numbers.has(mnemonic));
    case::shuffle(&mut choices, &mut all);
    // Comparisons have the most modifiers, and would be most of every program.
    let mut of_opcode: BTreeMap<Opcode, usize> = BTreeMap::new();
    all.retain(|mnemonic| {
        let count = of_opcode.entry(mnemonic.opcode()).or_default();
        *count += 1;
        *count <= OF_OPCODE
    });
    let generated: Vec<Case> = all
        .iter()
        .filter(|mnemonic| mnemonic.limits().all(|limit| limit.admits(HOME.sm) && limit.ptx <= HOME.version))
        .filter_map(|mnemonic| Case::draw_at(&mut choices, *mnemonic, HOME))
        .take(effort.mnemonics)
        .collect();
    let pool = route::executable(HOME, &generated)?;
    Ok((0..count).filter_map(|_| program::program(&mut choices, HOME, numbers, &pool, size)).collect())
}

/// Kernels that write and read a little memory in pieces of every width, each with about `size` accesses.
pub fn draw_accesses(count: usize, size: usize, effort: Effort) -> Vec<Case> {
    let mut choices = Seeded::new(effort.seed);
    (0..count).filter_map(|_| memory::accesses(&mut choices, HOME, size)).collect()
}

/// Executes every case along every route.
///
/// # Errors
/// When a program cannot be run at all.
pub fn compare(cases: &[Case], effort: Effort, oracles: &Oracles) -> Result<Findings> {
    let mut findings = Findings::default();
    for (home, members) in by_home(cases) {
        for batch in members.chunks(BATCH) {
            route::compare(home, batch, effort, oracles, &mut findings)?;
        }
    }
    Ok(findings)
}

/// Executes every case as written and writes down what it computed, for `test-suite/model/check.py`.
///
/// # Errors
/// When the interpreter refuses an instruction or stops in it.
pub fn transcript(cases: &[Case], effort: Effort) -> Result<String> {
    let mut text = String::new();
    for (home, members) in by_home(cases) {
        for batch in members.chunks(BATCH) {
            text += &transcript::transcript(home, batch, effort)?;
        }
    }
    Ok(text)
}

/// A transcript of executions, as [`transcript()`] writes it of its own.
pub fn written(all: &[(Case, Vec<Run>)]) -> String {
    let mut text = String::new();
    for (case, runs) in all {
        text += &transcript::head(case.home);
        transcript::write_case(&mut text, case, runs);
    }
    text
}

/// Executes every case as written: its registers before and after each execution.
///
/// # Errors
/// As for [`transcript()`].
pub fn executions(cases: &[Case], effort: Effort) -> Result<Vec<(Case, Vec<Run>)>> {
    let mut all = Vec::new();
    for (home, members) in by_home(cases) {
        for batch in members.chunks(BATCH) {
            let runs = transcript::runs(home, batch, effort)?;
            all.extend(batch.iter().map(|case| (*case).clone()).zip(runs));
        }
    }
    Ok(all)
}

/// Kernels of one target that execute cases as written, in modules, and what the interpreter makes of them. Instructions that the target has not
/// are left out.
///
/// # Errors
/// When one of the modules is not valid.
pub fn launches(cases: &[Case], effort: Effort, home: Home) -> Result<Vec<Launches>> {
    let members: Vec<&Case> = cases.iter().filter(|case| transcript::is_valid(home, case)).collect();
    members.chunks(FEW).map(|batch| transcript::launches(home, batch, effort)).collect()
}

fn by_home(cases: &[Case]) -> BTreeMap<Home, Vec<&Case>> {
    let mut groups: BTreeMap<Home, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.home).or_default().push(case);
    }
    groups
}
