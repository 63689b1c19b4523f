//! Scalar instructions, and pieces of kernels, keep their meaning through LLVM and back for all inputs: a sample of `cargo xtask prove`.
//!
//! The definitions that the proofs start from are held against what the interpreter computes, and wrong IR and wrong PTX must be
//! refuted, with inputs that the interpreter confirms.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_gen::{Choices as _, Seeded};
use ptx_isa::{FormId, Mnemonic};
use ptx_llvm_core::Context;
use test_suite::corpus;
use test_suite::differential::{self, Case, Effort};
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::prove::{self, Route, Solver, Verdict};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;
use test_suite::stage;

/// The seed of instructions and operands; `PTX_SEED` names another one.
const SEED: u64 = 1;
/// How many pieces of each file are proved here; `cargo xtask prove --pieces-of` proves all.
const PIECES: usize = 3;
/// How many combinations of modifiers of each opcode are proved here; `cargo xtask prove` proves all.
const PROVED: usize = 4;
/// What definitions are held against.
const EXECUTED: Effort =
    Effort { seed: SEED, mnemonics: 24, each_modifier: false, instructions: 1, operands: 24, constants: 0 };
/// How long the solver has for one question.
const LIMIT: Duration = Duration::from_secs(60);

/// The same for a piece of a kernel, of which many products cannot be decided.
const PIECE_LIMIT: Duration = Duration::from_secs(5);

/// A way, an instruction, and what becomes something else on it.
type Planted = (Route, &'static str, &'static str, &'static str);

/// Wrong arms of each engine: numbers, signs, poison, undefined behaviour, constants, instructions within inline assembly.
const PLANTED: &[Planted] = &[
    (Route::Lowered, "sub.s32", " sub i32 ", " add i32 "),
    (Route::Lowered, "add.s32", " add i32 ", " add nsw i32 "),
    (Route::Lowered, "min.s64", "llvm.smin", "llvm.umin"),
    (Route::Lowered, "bfe.s32", "bfe.s32", "bfe.u32"),
    (Route::Lowered, "div.s32", "i32 7,", "i32 0,"),
    (Route::Lowered, "mul.hi.s32", "mulhi.i(", "mulhi.ui("),
    (Route::Lowered, "cvt.s32.s8", "sext i8", "zext i8"),
    (Route::Lowered, "add.rn.f32", " fadd ", " fsub "),
    (Route::Lowered, "fma.rn.ftz.f32", "fma.rn.ftz.f(", "fma.rn.f("),
    (Route::Optimized, "div.rn.f64", " fdiv double ", " fmul double "),
    (Route::Optimized, "mul.rz.f32", "mul.rz.f(", "mul.rm.f("),
    (Route::Optimized, "xor.b64", " xor i64 ", " or i64 "),
    (Route::Optimized, "sub.u16", " sub i16 ", " sub nuw i16 "),
    (Route::Optimized, "max.u32", "llvm.umax", "llvm.smax"),
    (Route::Raised, "sub.s32", "sub.s32", "add.s32"),
    (Route::Raised, "prmt.b32", "prmt.b32", "prmt.b32.f4e"),
    (Route::Raised, "vadd2.s32.s32.s32", "vadd2.", "vsub2."),
    (Route::Raised, "sqrt.rp.f32", "sqrt.rp.f32", "sqrt.rn.f32"),
    (Route::Raised, "add.sat.f16", "add.sat.f16", "add.f16"),
    (Route::Raised, "max.NaN.f32", "max.NaN.f32", "max.f32"),
    (Route::RaisedOptimized, "fma.rn.relu.bf16x2", "fma.rn.relu.bf16x2", "fma.rn.bf16x2"),
    (Route::RaisedOptimized, "cvt.rp.f32.f64", "cvt.rp.f32.f64", "cvt.rm.f32.f64"),
    (Route::RaisedOptimized, "setp.lt.s32", "setp.lt.s32", "setp.le.s32"),
    (Route::RaisedOptimized, "shr.s32", "shr.s32", "shr.u32"),
    (Route::RaisedOptimized, "dp4a.s32.u32", "dp4a.s32.u32", "dp4a.u32.u32"),
];

fn main() -> ExitCode {
    let solver = Oracles::find(&nvidia_folder(), Path::new("")).z3;
    let solver = Arc::new(solver.map(|program| Solver { program, limit: LIMIT }));
    let skips = Arc::new(Skips::default());
    let seed = testing::asked_seed().unwrap_or(SEED);
    let mut trials = Vec::new();
    for (opcode, rows) in differential::rows() {
        let name = opcode.as_str();
        let of_rows = rows.clone();
        trials.push(Trial::test(format!("definitions of {name}"), move || {
            hold_definitions(&of_rows, Effort { seed, ..EXECUTED })
        }));
        let (solver, skips) = (Arc::clone(&solver), Arc::clone(&skips));
        trials.push(Trial::test(format!("proofs of {name}"), move || {
            with_solver(&solver, &skips, |solver| hold_proofs(&rows, seed, solver, &skips))
        }));
    }
    for planted in PLANTED {
        let (solver, skips) = (Arc::clone(&solver), Arc::clone(&skips));
        let (route, instruction, ..) = planted;
        trials
            .push(Trial::test(format!("a wrong {instruction}, {}, is refuted", route.as_str()), move || {
                with_solver(&solver, &skips, |solver| refuse(planted, solver))
            }));
    }
    for file in corpus::own_files().expect("the suite's own files are there") {
        let (solver, skips) = (Arc::clone(&solver), Arc::clone(&skips));
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(format!("pieces of {name}"), move || {
            with_solver(&solver, &skips, |solver| hold_pieces(&file, seed, solver, &skips))
        }));
    }
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "scalar instructions proved and defined", trials, 50);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// Does something with the solver; without one it is counted as skipped, but in CI.
fn with_solver(
    solver: &Option<Solver>,
    skips: &Skips,
    hold: impl Fn(&Solver) -> Result<(), Failed>,
) -> Result<(), Failed> {
    match solver {
        Some(solver) => hold(solver),
        None if std::env::var_os("CI").is_some_and(|value| value == "true") => {
            Err("with CI=true the solver z3 is required".into())
        }
        None => {
            skips.count("no z3: nothing was proved");
            Ok(())
        }
    }
}

/// The interpreter computes what the definitions specify.
fn hold_definitions(rows: &[FormId], effort: Effort) -> Result<(), Failed> {
    let cases = differential::generate(rows, effort);
    let (cases, undefined): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(prove::is_defined);
    if let Some(case) = undefined.first() {
        return Err(format!("no definition is written down for `{}`", case.text).into());
    }
    for (case, runs) in differential::executions(&cases, effort)? {
        if let Some(found) = prove::contradiction(&case, &runs)? {
            return Err(found.into());
        }
    }
    Ok(())
}

/// Nothing is refuted, and what has a definition can be asked about.
fn hold_proofs(rows: &[FormId], seed: u64, solver: &Solver, skips: &Skips) -> Result<(), Failed> {
    let cases: Vec<Case> =
        prove::generate(rows, seed, PROVED, 0).into_iter().filter(prove::is_defined).collect();
    let wrong = std::cell::RefCell::new(Vec::new());
    prove::prove(&cases, &Route::ALL, Some(solver), &|proof| {
        for (route, verdict) in &proof.verdicts {
            match verdict {
                Verdict::Proved => {}
                Verdict::TimedOut => skips.count("the solver gave up"),
                Verdict::Refuted(_) | Verdict::Unasked(_) => {
                    wrong.borrow_mut().push(format!("{}: {}: {verdict}", proof.case.text, route.as_str()));
                }
            }
        }
    })?;
    let wrong = wrong.into_inner();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// What `-O2` makes of pieces of a kernel is not refuted.
fn hold_pieces(file: &Path, seed: u64, solver: &Solver, skips: &Skips) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let module = stage::read(&SourceFile::new(file.display().to_string(), text))?;
    let mut pieces: Vec<Case> = prove::blocks(&module).into_iter().filter(prove::is_defined).collect();
    let mut choices = Seeded::new(seed);
    while pieces.len() > PIECES {
        pieces.swap_remove(choices.below(pieces.len()));
    }
    let solver = Solver { limit: PIECE_LIMIT, ..solver.clone() };
    let wrong = std::cell::RefCell::new(Vec::new());
    prove::prove(&pieces, &[Route::RaisedOptimized], Some(&solver), &|proof| {
        for (_, verdict) in &proof.verdicts {
            match verdict {
                Verdict::Proved => {}
                Verdict::TimedOut => skips.count("the solver gave up"),
                Verdict::Refuted(_) | Verdict::Unasked(_) => {
                    wrong.borrow_mut().push(format!("{}: {verdict}", proof.case.text));
                }
            }
        }
    })?;
    let wrong = wrong.into_inner();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// What is right is proved; with a wrong arm it is refuted, and where that is a wrong number, the interpreter computes it too.
fn refuse(&(route, instruction, right, wrong): &Planted, solver: &Solver) -> Result<(), Failed> {
    let mnemonic = Mnemonic::from_text(instruction).map_err(|error| format!("{error:?}"))?;
    let case = Case::general(&mut Seeded::new(SEED), mnemonic).ok_or("no instruction was accepted")?;
    let text = prove::text_on(route, &case)?;
    if !text.contains(right) {
        return Err(format!("no `{right}` in\n{text}").into());
    }
    let is_ir = matches!(route, Route::Lowered | Route::Optimized);
    let judge = |text: &str| {
        if is_ir { prove::judge_ir(&case, text, solver) } else { prove::judge_ptx(&case, text, solver) }
    };
    let verdict = judge(&text)?;
    if verdict != Verdict::Proved {
        return Err(format!("what is right is not proved: {verdict}").into());
    }
    let planted = text.replace(right, wrong);
    let Verdict::Refuted(found) = judge(&planted)? else { return Err("it is not refuted".into()) };
    if found.text.contains("no value") || found.text.contains("undefined behaviour") {
        return Ok(());
    }
    let ptx = |text: &str| if is_ir { raised(text) } else { Ok(text.to_owned()) };
    let (wanted, got) = (execute(&ptx(&text)?, &found.inputs)?, execute(&ptx(&planted)?, &found.inputs)?);
    if wanted == got {
        Err(format!("the interpreter sees no difference: {}", found.text).into())
    } else {
        Ok(())
    }
}

fn raised(ir: &str) -> Result<String, Failed> {
    let context = Context::new().map_err(|error| error.to_string())?;
    Ok(stage::raise(&mut stage::read_llvm(&context, "planted.ll", ir)?)?)
}

/// What the kernel of a module leaves in its second buffer.
fn execute(ptx: &str, inputs: &[u128]) -> Result<Vec<u8>, Failed> {
    let source = SourceFile::new("planted.ptx", ptx);
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let bytes: Vec<u8> = inputs.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut launch = Launch::new("p0");
    launch.threads = Some(NonZeroUsize::MIN);
    launch.arguments = vec![Argument::Buffer(bytes.clone()), Argument::Buffer(vec![0; bytes.len()])];
    let outcome = ptx_exec::run(verified, &launch)
        .map_err(|error| stage::describe(&source, &error.into_diagnostics()))?;
    Ok(outcome.buffers.into_iter().flatten().last().unwrap_or_default())
}
