//! Random programs in PTX: what they leave is known, and is what they leave along every way.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::ptx_program::{Feature, Program, Verdict, Way, judge, program, straight, ways_of};
use test_suite::sampled::sampled;
use test_suite::skip::Skips;

/// Programs of each feature alone.
const EACH: u64 = 4;
/// Programs of all features together.
const MIXED: u64 = 12;
/// Programs of all features together whose addresses have 32 bits.
const NARROW: u64 = 12;
/// Programs without input, which ptxas computes as well.
const STRAIGHT: u64 = 12;

/// What the interpreter once computed wrongly as well, so that no comparison of ways finds it: the results are worked out by hand,
/// and ptxas computes them too.
const KNOWN: &str = "// program 0 1 1 90 false
// leaves 0 6e000000590000000000000000000000
.version 8.6
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
{
.reg .b64 %d;
.reg .b32 %r<4>;
ld.param.u64 %d, [out];
sub.cc.u32 %r0, 5, 7;
addc.u32 %r1, 100, 10;
st.global.b32 [%d], %r1;
add.cc.u32 %r2, 5, 7;
subc.u32 %r3, 100, 10;
st.global.b32 [%d+4], %r3;
ret;
}
";

fn main() -> ExitCode {
    let oracles = Arc::new(Oracles::find(&nvidia_folder(), &llvm_folder()));
    let skips = Arc::new(Skips::default());
    let seed = testing::asked_seed().unwrap_or(1);
    let mut trials = vec![Trial::test("kept/carry", {
        let oracles = Arc::clone(&oracles);
        move || Ok(hold(&Program::kept(KNOWN)?, &ways_of(0, true), &oracles)?)
    })];
    let mixed = (0..MIXED).map(|at| (format!("mixed/{}", seed + at), Feature::ALL.to_vec(), seed + at));
    let alone = Feature::ALL.iter().flat_map(|feature| {
        (0..EACH).map(move |at| (format!("{}/{}", feature.name(), seed + at), vec![*feature], seed + at))
    });
    for (name, features, seed) in mixed.chain(alone) {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        trials.push(Trial::test(name, move || draw_and_hold(seed, &features, &oracles, &skips)));
    }
    for seed in seed..seed + NARROW {
        let oracles = Arc::clone(&oracles);
        trials.push(Trial::test(format!("narrow/{seed}"), move || hold_narrow(seed, &oracles)));
    }
    trials.push(Trial::test("minimize", minimize));
    trials.push(Trial::test("folded", {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        move || folded(seed, &oracles, &skips)
    }));
    trials.push(Trial::test("wrong_results_are_not_what_ptxas_computes", {
        let (oracles, skips) = (Arc::clone(&oracles), Arc::clone(&skips));
        move || wrong_results(&oracles, &skips)
    }));
    let arguments = Arguments::from_args();
    let trials = sampled(&arguments, "random PTX programs", trials, 24);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{}", skips.summary());
    conclusion.exit_code()
}

/// Judges a program with 32-bit addresses. llc is left out: it takes the address of a variadic function that is a number for one of another type there.
fn hold_narrow(seed: u64, oracles: &Oracles) -> Result<(), Failed> {
    let mut ways = ways_of(seed, true);
    ways.retain(|way| *way != Way::Backend && (*way != Way::Stock || oracles.opt.is_some()));
    Ok(hold(&program(seed, Feature::ALL)?.with_32_bit_addresses(), &ways, oracles)?)
}

fn draw_and_hold(seed: u64, features: &[Feature], oracles: &Oracles, skips: &Skips) -> Result<(), Failed> {
    if oracles.ptxas.is_none() {
        skips.count("no ptxas: random PTX not judged");
    }
    let mut ways = ways_of(seed, false);
    if oracles.llc.is_none() || oracles.opt.is_none() {
        skips.count("no llc or opt: random PTX not taken through them");
        ways.retain(|way| !matches!(way, Way::Backend | Way::Stock));
    }
    Ok(hold(&program(seed, features)?, &ways, oracles)?)
}

fn hold(program: &Program, ways: &[Way], oracles: &Oracles) -> Result<(), String> {
    judged(program, ways, oracles).map(|_| ())
}

/// The verdict, which has no differences.
fn judged(program: &Program, ways: &[Way], oracles: &Oracles) -> Result<Verdict, String> {
    let verdict = judge(program, ways, oracles).map_err(|error| format!("{error:#}"))?;
    let differences = &verdict.differences;
    if differences.is_empty() {
        return Ok(verdict);
    }
    let lines = differences.iter().map(|one| format!("{:?}: {}", one.way, one.what));
    Err(lines.collect::<Vec<_>>().join("\n"))
}

/// Whether ptxas can be asked what it computes; counted where not.
fn can_fold(oracles: &Oracles, skips: &Skips) -> bool {
    let there = oracles.ptxas.is_some() && oracles.nvdisasm.is_some();
    if !there {
        skips.count("no ptxas or nvdisasm: random PTX not held against what ptxas computes");
    }
    there
}

/// What ptxas computes of programs without input is what the evaluator and the interpreter compute, and it computes most of it.
fn folded(seed: u64, oracles: &Oracles, skips: &Skips) -> Result<(), Failed> {
    if !can_fold(oracles, skips) {
        return Ok(());
    }
    let (mut decided, mut undecided) = (0, 0);
    for seed in seed..seed + STRAIGHT {
        let verdict = judged(&straight(seed, Feature::ALL)?, &[Way::Plain, Way::Folded], oracles)
            .map_err(|error| format!("seed {seed}: {error}"))?;
        (decided, undecided) = (decided + verdict.decided, undecided + verdict.undecided);
    }
    if decided <= undecided {
        return Err(format!("ptxas computed {decided} bytes and did not decide {undecided}").into());
    }
    Ok(())
}

/// A program with a result that is a bit off differs from what ptxas computes.
fn wrong_results(oracles: &Oracles, skips: &Skips) -> Result<(), Failed> {
    if !can_fold(oracles, skips) {
        return Ok(());
    }
    let wrong = Program::kept(&KNOWN.replace("leaves 0 6e", "leaves 0 6f"))?;
    match judged(&wrong, &[Way::Folded], oracles) {
        Err(error) if error.contains("ptxas computes 0x6e for byte 0") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// Of a program that "differs" as long as it holds an addition, little more is left than what stores the sum, and what is left has
/// its results with it.
fn minimize() -> Result<(), Failed> {
    let generated = program(3, &[Feature::Carry])?;
    let smaller = generated.minimize(&mut |candidate| candidate.text.contains("cc."));
    let lines = smaller.text.lines().filter(|line| line.ends_with(';') && !line.starts_with('.')).count();
    let kept = Program::kept(&smaller.keep())?;
    if lines > 1 || !smaller.text.contains("cc.") || kept.text != smaller.text {
        return Err(smaller.text.into());
    }
    Ok(())
}
