//! Proofs that scalar instructions keep their meaning on their way through LLVM and back, for all inputs.
//!
//! Each instruction becomes the kernel that `differential` makes of it: it loads the registers that it names, executes it
//! and stores them all. What the kernel computes is a term over its inputs, by the definitions of the instructions
//! (`define`, from the manual); what its lowering computes, before and after LLVM's optimizer, is another one, by LLVM's language
//! reference (`ir`); and so is what the PTX computes that our emitter makes of either (`ptx`). A solver is asked for
//! inputs on which they differ, where the terms are not the same already (`term`, `smt`).
//!
//! A question about operations on floating-point numbers is asked with functions in their place of which nothing is known,
//! and then in the solver's theory of them; approximations are known by their names alone (`define/arithmetic`).
//!
//! A refutation is one that evaluating both terms on the solver's inputs confirms. Poison in a result, and undefined
//! behaviour anywhere, refute as a wrong number does, unless the manual leaves the result open.

mod blocks;
mod define;
mod ir;
mod memory;
mod ptx;
pub mod record;
mod smt;
mod term;

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Result;
use ptx_diag::SourceFile;
use ptx_gen::{Choices, Home, Seeded};
use ptx_isa::{FormId, ScalarType};
use ptx_llvm_core::Context;
use ptx_llvm_core::view::View;

use crate::differential::{self, Case, Register, Run};
use crate::directive::Level;
use crate::stage;

pub use blocks::blocks;
pub use smt::{Answer, Solver};
pub use term::{Bits, Terms};

use memory::{Memory, Value, input};

/// How many kernels are one module.
const BATCH: usize = 50;
/// How often both terms are evaluated on some inputs before the solver is asked.
const TRIED: usize = 24;

/// What is held against the definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// The lowered IR.
    Lowered,
    /// The same after LLVM's optimizer.
    Optimized,
    /// The PTX that the lowered IR is raised to.
    Raised,
    /// The PTX that the optimized IR is raised to.
    RaisedOptimized,
}

impl Route {
    /// All of them.
    pub const ALL: [Route; 4] = [Route::Lowered, Route::Optimized, Route::Raised, Route::RaisedOptimized];

    /// What it is called in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Route::Lowered => "lowered",
            Route::Optimized => "optimized",
            Route::Raised => "raised",
            Route::RaisedOptimized => "optimized and raised",
        }
    }
}

/// What came of one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No inputs make a difference.
    Proved,
    /// These do.
    Refuted(Counterexample),
    /// The solver gave up.
    TimedOut,
    /// It cannot be asked, and why: an instruction without definition, no solver.
    Unasked(String),
}

/// Inputs that make a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The registers before the instruction, in the order of [`Case::registers`].
    pub inputs: Vec<u128>,
    /// The instruction, and each register before, wanted and got.
    pub text: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proved => f.write_str("proved"),
            Verdict::Refuted(found) => write!(f, "refuted: {}", found.text),
            Verdict::TimedOut => f.write_str("timed out"),
            Verdict::Unasked(why) => write!(f, "not asked: {why}"),
        }
    }
}

/// An instruction with what came of its routes.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The instruction.
    pub case: Case,
    /// A verdict for each route.
    pub verdicts: Vec<(Route, Verdict)>,
}

/// Instructions of rows for proofs: every combination of modifiers, or so many of an opcode, with operands that are as
/// general as they can be, and `more` others each.
pub fn generate(rows: &[FormId], seed: u64, mnemonics: usize, more: usize) -> Vec<Case> {
    let mut all: Vec<_> = rows.iter().flat_map(|id| ptx_gen::mnemonics(*id)).collect();
    let mut choices = Seeded::new(seed);
    if all.len() > mnemonics {
        for at in (1..all.len()).rev() {
            all.swap(at, choices.below(at + 1));
        }
    }
    let mut cases = Vec::new();
    let mut taken = 0;
    for mnemonic in all {
        if taken == mnemonics {
            break;
        }
        let Some(case) = Case::general(&mut choices, mnemonic) else { continue };
        taken += 1;
        cases.push(case);
        cases.extend((0..more).filter_map(|_| Case::generate(&mut choices, mnemonic, seed)));
    }
    cases
}

/// Whether a definition is written down for an instruction.
pub fn is_defined(case: &Case) -> bool {
    let text = kernel_text(case.home, &[case]);
    let source = SourceFile::new("written.ptx", text);
    let Ok(module) = stage::read(&source) else { return false };
    ptx::kernel(&Terms::new(), &module, &differential::plain_name(0)).is_ok()
}

/// Whether a row has instructions whose function is known by its name alone: approximations, conversions from and to narrow formats.
pub fn is_known_by_name(row: FormId) -> bool {
    ptx_gen::mnemonics(row).iter().any(define::arithmetic::is_by_name)
}

/// Asks about every case along routes, and hands each answer on.
///
/// # Errors
/// When the instructions cannot be read, or the solver cannot be run.
pub fn prove(cases: &[Case], routes: &[Route], solver: Option<&Solver>, tell: &dyn Fn(Proof)) -> Result<()> {
    let mut homes: BTreeMap<Home, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        homes.entry(case.home).or_default().push(case);
    }
    for (home, members) in homes {
        for batch in members.chunks(BATCH) {
            prove_batch(home, batch, routes, solver, tell)?;
        }
    }
    Ok(())
}

fn kernel_text(home: Home, cases: &[&Case]) -> String {
    let kernels = cases.iter().enumerate().map(|(at, case)| differential::plain_kernel(at, case));
    differential::head(home) + &kernels.collect::<String>()
}

/// What became of a batch on one level of optimization: the IR and the PTX.
struct Arrived {
    view: View,
    ptx: Result<ptx_ir::Module>,
}

fn arrive(source: &SourceFile, level: Level) -> Result<Arrived> {
    let module = stage::read(source)?;
    let context = Context::new()?;
    let mut llvm = stage::lower(&module, source, &context, level)?;
    let view = View::new(&llvm)?;
    let ptx = stage::raise(&mut llvm).and_then(|text| stage::read(&SourceFile::new("raised.ptx", text)));
    Ok(Arrived { view, ptx })
}

fn prove_batch(
    home: Home,
    cases: &[&Case],
    routes: &[Route],
    solver: Option<&Solver>,
    tell: &dyn Fn(Proof),
) -> Result<()> {
    let source = SourceFile::new("written.ptx", kernel_text(home, cases));
    let written = stage::read(&source)?;
    let levels = [arrive(&source, Level::O0), arrive(&source, Level::O2)];
    let halves = levels.iter().any(|level| level.as_ref().map_or(true, |arrived| arrived.ptx.is_err()));
    if halves && cases.len() > 1 {
        // Which of them is to blame tells more.
        let (one, other) = cases.split_at(cases.len() / 2);
        prove_batch(home, one, routes, solver, tell)?;
        return prove_batch(home, other, routes, solver, tell);
    }
    for (at, case) in cases.iter().enumerate() {
        let name = differential::plain_name(at);
        let mut verdicts = Vec::new();
        for &route in routes {
            let level = match route {
                Route::Lowered | Route::Raised => &levels[0],
                Route::Optimized | Route::RaisedOptimized => &levels[1],
            };
            let verdict = match (level, route) {
                (Err(why), _) => Verdict::Unasked(format!("{why:#}")),
                (Ok(arrived), Route::Lowered | Route::Optimized) => {
                    hold(case, &written, &name, Became::Ir(&arrived.view), solver)?
                }
                (Ok(arrived), Route::Raised | Route::RaisedOptimized) => match &arrived.ptx {
                    Ok(module) => hold(case, &written, &name, Became::Ptx(module), solver)?,
                    Err(why) => Verdict::Unasked(format!("{why:#}")),
                },
            };
            verdicts.push((route, verdict));
        }
        tell(Proof { case: (*case).clone(), verdicts });
    }
    Ok(())
}

/// Holds IR against an instruction: its kernel has the name that `differential` gives the first of a module.
///
/// # Errors
/// When a text cannot be read, or the solver cannot be run.
pub fn judge_ir(case: &Case, ir: &str, solver: &Solver) -> Result<Verdict> {
    let context = Context::new()?;
    let view = View::new(&stage::read_llvm(&context, "planted.ll", ir)?)?;
    let written = stage::read(&SourceFile::new("written.ptx", kernel_text(case.home, &[case])))?;
    hold(case, &written, &differential::plain_name(0), Became::Ir(&view), Some(solver))
}

/// Holds PTX against an instruction, as [`judge_ir`] does.
///
/// # Errors
/// As for [`judge_ir`].
pub fn judge_ptx(case: &Case, ptx: &str, solver: &Solver) -> Result<Verdict> {
    let module = stage::read(&SourceFile::new("planted.ptx", ptx))?;
    let written = stage::read(&SourceFile::new("written.ptx", kernel_text(case.home, &[case])))?;
    hold(case, &written, &differential::plain_name(0), Became::Ptx(&module), Some(solver))
}

/// The texts that a case becomes along a route: IR, or PTX.
///
/// # Errors
/// When it does not come through.
pub fn text_on(route: Route, case: &Case) -> Result<String> {
    let source = SourceFile::new("written.ptx", kernel_text(case.home, &[case]));
    let module = stage::read(&source)?;
    let context = Context::new()?;
    let level = match route {
        Route::Lowered | Route::Raised => Level::O0,
        Route::Optimized | Route::RaisedOptimized => Level::O2,
    };
    let mut llvm = stage::lower(&module, &source, &context, level)?;
    match route {
        Route::Lowered | Route::Optimized => Ok(llvm.to_text()),
        Route::Raised | Route::RaisedOptimized => stage::raise(&mut llvm),
    }
}

/// The first execution whose results are not those that the instruction's definition gives; `None` when all agree.
///
/// # Errors
/// When the instruction has no definition.
pub fn contradiction(case: &Case, runs: &[Run]) -> Result<Option<String>> {
    let source = SourceFile::new("written.ptx", kernel_text(case.home, &[case]));
    let module = stage::read(&source)?;
    let terms = Terms::new();
    let memory = ptx::kernel(&terms, &module, &differential::plain_name(0))?;
    for (before, after) in runs {
        let inputs = assignment(&terms, before);
        for (slot, (register, &after)) in case.registers.iter().zip(after).enumerate() {
            let value = memory.result(slot, width(register));
            let got = terms.number(width(register), after);
            let wrong = !value.open & differ(register, value.bits, got);
            if !matches!(terms.evaluate(wrong, &inputs), Some(0) | None) {
                let wanted = terms.evaluate(value.bits, &inputs);
                let text = &case.text;
                return Ok(Some(format!(
                    "{text}: {} is {after:#x}, not {wanted:x?}; before {before:x?}",
                    register.name
                )));
            }
        }
    }
    Ok(None)
}

/// The executions with what the instruction's definition gives, of the same registers before; what the manual leaves open stays as it is.
///
/// # Errors
/// When the instruction has no definition.
pub fn by_definition(case: &Case, runs: &[Run]) -> Result<Vec<Run>> {
    let source = SourceFile::new("written.ptx", kernel_text(case.home, &[case]));
    let module = stage::read(&source)?;
    let terms = Terms::new();
    let memory = ptx::kernel(&terms, &module, &differential::plain_name(0))?;
    let run = |(before, after): &Run| {
        let inputs = assignment(&terms, before);
        let defined = case.registers.iter().zip(after).enumerate().map(|(slot, (register, &after))| {
            let value = memory.result(slot, width(register));
            match terms.evaluate(value.open, &inputs) {
                // What is known by its name alone is not known here.
                Some(0) => terms.evaluate(value.bits, &inputs).unwrap_or(after),
                _ => after,
            }
        });
        (before.clone(), defined.collect())
    };
    Ok(runs.iter().map(run).collect())
}

/// The inputs of all slots as those of the terms' variables.
fn assignment(terms: &Terms, slots: &[u128]) -> Vec<u128> {
    let of = |name: &str| {
        let slot = (0..slots.len()).find(|&slot| input(slot as u64) == name);
        slot.map_or(0, |slot| slots[slot])
    };
    terms.vars().iter().map(|(name, _)| of(name)).collect()
}

/// What an instruction became.
#[derive(Clone, Copy)]
enum Became<'a> {
    Ir(&'a View),
    Ptx(&'a ptx_ir::Module),
}

fn hold(
    case: &Case,
    written: &ptx_ir::Module,
    name: &str,
    became: Became<'_>,
    solver: Option<&Solver>,
) -> Result<Verdict> {
    let terms = Terms::new();
    let wanted = match ptx::kernel(&terms, written, name) {
        Ok(wanted) => wanted,
        Err(why) => return Ok(Verdict::Unasked(format!("the instruction: {why:#}"))),
    };
    let (stage, got) = match became {
        Became::Ir(view) => {
            let got = ir::kernel(&terms, view, name, case.home);
            ("IR", got.map(|got| (got.memory, got.undefined)))
        }
        Became::Ptx(module) => {
            let got = ptx::kernel(&terms, module, name);
            ("PTX", got.map(|memory| (memory, terms.truth(false))))
        }
    };
    match got {
        Ok((memory, undefined)) => compare(&terms, case, &wanted, &memory, undefined, solver),
        Err(why) => Ok(Verdict::Unasked(format!("the {stage}: {why:#}"))),
    }
}

/// The bits that a register has in the buffers; predicates are words.
fn width(register: &Register) -> u32 {
    if register.declared == ScalarType::Pred { 32 } else { register.declared.bits() }
}

/// Whether two results differ; where a floating-point number was computed one NaN is as good as another.
fn differ<'t>(register: &Register, wanted: Bits<'t>, got: Bits<'t>) -> Bits<'t> {
    let Some((ty, format)) = register.computed.and_then(|ty| Some((ty, define::float::Format::of(ty)?)))
    else {
        return wanted.differs(got);
    };
    let lane = |at: u32| {
        let part = |bits: Bits<'t>| bits.extract(at * format.width(), format.width());
        let (wanted, got) = (part(wanted), part(got));
        wanted.differs(got) & !(format.is_nan(wanted) & format.is_nan(got))
    };
    let lanes = (0..ty.bits() / format.width()).fold(wanted.terms().truth(false), |any, at| any | lane(at));
    if wanted.width() == ty.bits() {
        return lanes;
    }
    let above = |bits: Bits<'t>| bits.extract(ty.bits(), bits.width() - ty.bits());
    lanes | above(wanted).differs(above(got))
}

fn compare<'t>(
    terms: &'t Terms,
    case: &Case,
    wanted: &Memory<'t>,
    got: &Memory<'t>,
    undefined: Bits<'t>,
    solver: Option<&Solver>,
) -> Result<Verdict> {
    let pairs: Vec<(Value<'t>, Value<'t>)> = case
        .registers
        .iter()
        .enumerate()
        .map(|(slot, register)| (wanted.result(slot, width(register)), got.result(slot, width(register))))
        .collect();
    let mut wrong = undefined;
    for (register, (wanted, got)) in case.registers.iter().zip(&pairs) {
        wrong = wrong | (!wanted.open & (got.open | differ(register, wanted.bits, got.bits)));
    }
    if wrong.as_number() == Some(0) {
        return Ok(Verdict::Proved);
    }
    let refuted = |inputs: &[u128]| {
        Verdict::Refuted(Counterexample {
            inputs: slots(terms, case, inputs),
            text: describe(terms, case, &pairs, undefined, inputs),
        })
    };
    let count = terms.vars().len();
    let mut choices = Seeded::new(1);
    for number in 0..TRIED {
        let inputs: Vec<u128> = (0..count).map(|_| some_number(&mut choices, number)).collect();
        if terms.evaluate(wrong, &inputs) == Some(1) {
            return Ok(refuted(&inputs));
        }
    }
    let Some(solver) = solver else { return Ok(Verdict::Unasked("there is no solver".to_owned())) };
    let abstracted = terms.abstracted(wrong);
    if abstracted != wrong && solver.ask(terms, abstracted)? == Answer::Never {
        return Ok(Verdict::Proved);
    }
    Ok(match solver.ask(terms, wrong)? {
        Answer::Never => Verdict::Proved,
        Answer::TimedOut => Verdict::TimedOut,
        Answer::Inputs(inputs) if terms.evaluate(wrong, &inputs) == Some(1) => refuted(&inputs),
        Answer::Inputs(_) => Verdict::Unasked("what is not defined makes the difference".to_owned()),
    })
}

/// Inputs at edges, and random ones.
fn some_number(choices: &mut Seeded, number: usize) -> u128 {
    let random = (0..16).fold(0_u128, |all, _| all << 8 | choices.below(256) as u128);
    match number {
        0 => 0,
        1 => u128::MAX,
        2 => 1,
        _ => match choices.below(4) {
            0 => random,
            1 => random >> choices.below(128),
            2 => u128::MAX << choices.below(128),
            _ => choices.below(40) as u128,
        },
    }
}

/// The registers of a case before it, of inputs by their numbers.
fn slots(terms: &Terms, case: &Case, inputs: &[u128]) -> Vec<u128> {
    let vars = terms.vars();
    let of = |slot: usize| {
        let found = vars.iter().position(|(name, _)| *name == input(slot as u64));
        found.and_then(|at| inputs.get(at)).copied().unwrap_or(0)
    };
    let registers = case.registers.iter().enumerate();
    registers.map(|(slot, register)| of(slot) & term::mask(width(register))).collect()
}

/// Each register before, and where they differ what was wanted and what came.
fn describe<'t>(
    terms: &Terms,
    case: &Case,
    pairs: &[(Value<'t>, Value<'t>)],
    undefined: Bits<'t>,
    inputs: &[u128],
) -> String {
    let before = slots(terms, case, inputs);
    let mut text = case.text.clone();
    if terms.evaluate(undefined, inputs) == Some(1) {
        text += "\n    undefined behaviour";
    }
    for ((register, given), (wanted, got)) in case.registers.iter().zip(before).zip(pairs) {
        let number = |value: &Value<'t>| match terms.evaluate(value.open, inputs) {
            Some(0) => terms.evaluate(value.bits, inputs).map_or("?".to_owned(), |bits| format!("{bits:#x}")),
            _ => "no value".to_owned(),
        };
        let (wanted, got) = (number(wanted), number(got));
        text += &format!("\n    {} = {given:#x}", register.name);
        if wanted != got {
            text += &format!(" -> {wanted}, got {got}");
        }
    }
    text
}
