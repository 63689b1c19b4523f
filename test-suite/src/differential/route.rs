//! Along which ways kernels are executed, and what comes of it.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use ptx_diag::{Diagnostics, SourceFile};
use ptx_exec::{Argument, ExecError, Launch};
use ptx_gen::{Home, Seeded};
use ptx_isa::Mnemonic;
use ptx_llvm_core::Context;
use ptx_verify::Verified;

use super::Effort;
use super::case::{self, Case, Nans, Register, lanes};
use super::kernel::{self, Feed, SLOT};
use super::operand::{Tuple, mask, tuples};
use crate::directive::Level;
use crate::oracle::Oracles;
use crate::stage;

/// A way from PTX to PTX.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// Lowered, and raised by our own emitter.
    Raised,
    /// The same, optimized in between.
    RaisedOptimized,
    /// Lowered, and compiled by llc.
    Compiled,
    /// The same, optimized in between.
    CompiledOptimized,
}

impl Route {
    /// All of them.
    pub const ALL: [Route; 4] =
        [Route::Raised, Route::RaisedOptimized, Route::Compiled, Route::CompiledOptimized];

    /// What it is called in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Route::Raised => "raised",
            Route::RaisedOptimized => "optimized and raised",
            Route::Compiled => "compiled by llc",
            Route::CompiledOptimized => "optimized and compiled by llc",
        }
    }

    const fn level(self) -> Level {
        match self {
            Route::Raised | Route::Compiled => Level::O0,
            Route::RaisedOptimized | Route::CompiledOptimized => Level::O2,
        }
    }

    const fn needs_llc(self) -> bool {
        matches!(self, Route::Compiled | Route::CompiledOptimized)
    }
}

/// A result that is another one than the instruction's.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The mnemonic, by which differences are counted.
    pub mnemonic: String,
    /// The way that led to it.
    pub route: Route,
    /// Where the operands came from.
    pub feed: Feed,
    /// The instruction, and for the first wrong execution each register: before, wanted, got.
    pub text: String,
    /// The kernel that was executed.
    pub kernel: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feed = match self.feed {
            Feed::Memory => "in memory",
            Feed::Constants => "as constants",
        };
        write!(f, "{}, operands {feed}: {}", self.route.as_str(), self.text)
    }
}

/// What came of many cases.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Executions along a route that gave what the instruction gives; one for each case, route and feed.
    pub equal: usize,
    /// Those that did not.
    pub differences: Vec<Difference>,
    /// Routes that a case could not go: the instruction, the route and why.
    pub failures: Vec<(String, Route, String)>,
    /// Mnemonics that the interpreter does not execute yet, and why.
    pub unexecuted: BTreeMap<String, String>,
    /// What a program does not take that judges here: `llc has no PTX 9.1`.
    pub beyond: BTreeMap<String, usize>,
}

impl Findings {
    /// Takes up the findings about other cases.
    pub fn append(&mut self, other: Findings) {
        self.equal += other.equal;
        self.differences.extend(other.differences);
        self.failures.extend(other.failures);
        self.unexecuted.extend(other.unexecuted);
        for (what, count) in other.beyond {
            *self.beyond.entry(what).or_default() += count;
        }
    }
}

/// A case with its operands and results.
struct Trial<'a> {
    case: &'a Case,
    tuples: [Vec<Tuple>; 2],
    wanted: [Vec<u8>; 2],
}

impl Trial<'_> {
    fn tuples(&self, feed: Feed) -> &[Tuple] {
        &self.tuples[feed as usize]
    }

    fn wanted(&self, feed: Feed) -> &[u8] {
        &self.wanted[feed as usize]
    }

    /// The results of a kernel of this case in a module; an inner error is the interpreter's refusal.
    fn execute(&self, module: Verified<'_>, feed: Feed, at: usize) -> Result<Vec<u8>, ExecError> {
        execute(module, feed, at, self.tuples(feed))
    }
}

/// The results of the kernel of the case at a place of a module.
///
/// # Errors
/// When the interpreter refuses it or stops in it.
pub(super) fn execute(
    module: Verified<'_>,
    feed: Feed,
    at: usize,
    tuples: &[Tuple],
) -> Result<Vec<u8>, ExecError> {
    let mut outcome = ptx_exec::run(module, &launch(feed, at, tuples))?;
    Ok(outcome.buffers.pop().flatten().unwrap_or_default())
}

/// How the kernel of the case at a place of a module is launched.
pub(super) fn launch(feed: Feed, at: usize, tuples: &[Tuple]) -> Launch {
    let (blocks, threads) = feed.shape(tuples.len());
    let records = match feed {
        Feed::Memory => (blocks * threads) as usize,
        Feed::Constants => tuples.len(),
    };
    // The last block begins again with the first operands.
    let values = tuples.iter().cycle().take(records).flatten();
    let bytes: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
    let mut launch = Launch::new(kernel::name(feed, at));
    launch.grid = [blocks, 1, 1];
    launch.block = [threads, 1, 1];
    launch.threads = Some(NonZeroUsize::MIN);
    launch.limits.timeout = Some(Duration::from_secs(60));
    let room = vec![0; bytes.len()];
    launch.arguments = vec![Argument::Buffer(bytes), Argument::Buffer(room)];
    launch
}

/// Executes cases that are for the same target, as one module.
pub(super) fn compare(
    home: Home,
    cases: &[&Case],
    effort: Effort,
    oracles: &Oracles,
    findings: &mut Findings,
) -> Result<()> {
    let mut choices = Seeded::new(effort.seed);
    let trials = cases.iter().map(|&case| Trial {
        case,
        tuples: [
            tuples(&mut choices, &case.registers, effort.operands),
            tuples(&mut choices, &case.registers, effort.constants),
        ],
        wanted: [Vec::new(), Vec::new()],
    });
    let trials = execute_as_written(home, trials.collect(), findings)?;
    if trials.is_empty() {
        return Ok(());
    }
    for route in Route::ALL {
        if route.needs_llc() && !case::compiles(home) {
            let what = format!("llc has no PTX {} for {}", home.version, home.sm);
            *findings.beyond.entry(what).or_default() += trials.len();
        } else if route.needs_llc() && oracles.llc.is_none() {
            *findings.beyond.entry("no llc: its code was not executed".to_owned()).or_default() +=
                trials.len();
        } else {
            follow(route, home, &trials, oracles, findings);
        }
    }
    Ok(())
}

/// The sentence of the first finding.
fn first_of(findings: &Diagnostics) -> String {
    findings.iter().next().map_or_else(String::new, |finding| finding.message.clone())
}

/// The module of these cases.
fn text(home: Home, trials: &[Trial<'_>]) -> String {
    let mut text = kernel::head(home);
    for (at, trial) in trials.iter().enumerate() {
        for feed in Feed::ALL {
            text += &kernel::kernel(feed, at, trial.case, trial.tuples(feed));
        }
    }
    text
}

/// Fills in what is wanted, and takes out what the interpreter does not execute.
fn execute_as_written<'a>(
    home: Home,
    trials: Vec<Trial<'a>>,
    findings: &mut Findings,
) -> Result<Vec<Trial<'a>>> {
    let source = SourceFile::new("written.ptx", text(home, &trials));
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let mut kept = Vec::new();
    for (at, mut trial) in trials.into_iter().enumerate() {
        let mut refusal = None;
        for feed in Feed::ALL {
            match trial.execute(verified, feed, at) {
                Ok(wanted) => trial.wanted[feed as usize] = wanted,
                Err(error) => refusal = Some(first_of(&error.into_diagnostics())),
            }
        }
        match refusal {
            Some(why) => {
                findings.unexecuted.insert(trial.case.mnemonic.to_string(), why);
            }
            None => kept.push(trial),
        }
    }
    Ok(kept)
}

/// The mnemonics of the cases that the interpreter executes.
pub(super) fn executable(home: Home, cases: &[Case]) -> Result<Vec<Mnemonic>> {
    let trial = |case| Trial { case, tuples: [Vec::new(), Vec::new()], wanted: [Vec::new(), Vec::new()] };
    let mut kept = Vec::new();
    for batch in cases.chunks(super::BATCH) {
        let single = batch.iter().map(|case| {
            let tuple = vec![vec![1; case.registers.len()]];
            Trial { tuples: [tuple.clone(), tuple], ..trial(case) }
        });
        let trials = execute_as_written(home, single.collect(), &mut Findings::default())?;
        kept.extend(trials.iter().map(|trial| trial.case.mnemonic));
    }
    Ok(kept)
}

/// Leads cases along a route; when the module as a whole fails, its halves, down to the case that is to blame.
fn follow(route: Route, home: Home, trials: &[Trial<'_>], oracles: &Oracles, findings: &mut Findings) {
    let arrived = transform(route, home, trials, oracles)
        .and_then(|text| judge(route, trials, &SourceFile::new("arrived.ptx", text), findings));
    match (arrived, trials) {
        (Ok(()), _) => {}
        (Err(why), [_]) if route.needs_llc() && format!("{why:#}").contains("LLVM ERROR: Cannot select") => {
            *findings.beyond.entry("llc cannot select the lowered instructions".to_owned()).or_default() += 1;
        }
        (Err(why), [single]) => {
            findings.failures.push((single.case.text.clone(), route, format!("{why:#}")));
        }
        (Err(_), many) => {
            let (one, other) = many.split_at(many.len() / 2);
            follow(route, home, one, oracles, findings);
            follow(route, home, other, oracles, findings);
        }
    }
}

/// The PTX at the end of a route.
fn transform(route: Route, home: Home, trials: &[Trial<'_>], oracles: &Oracles) -> Result<String> {
    let source = SourceFile::new("written.ptx", text(home, trials));
    let module = stage::read(&source)?;
    let context = Context::new()?;
    let mut llvm = stage::lower(&module, &source, &context, route.level())?;
    if route.needs_llc() { oracles.compile(&llvm.to_text()) } else { stage::raise(&mut llvm) }
}

/// Executes the kernels of a module that has arrived, and compares.
fn judge(route: Route, trials: &[Trial<'_>], source: &SourceFile, findings: &mut Findings) -> Result<()> {
    let module = stage::read(source)?;
    let verified = stage::verify(&module, source)?;
    let mut found = Findings::default();
    for (at, trial) in trials.iter().enumerate() {
        for feed in Feed::ALL {
            let got = trial.execute(verified, feed, at).map_err(|error| {
                anyhow!("execute: {}", stage::describe(source, &error.into_diagnostics()))
            })?;
            let nans = if route == Route::Raised { trial.case.nans } else { Nans::Any };
            match first_difference(trial, nans, feed, &got)? {
                None => found.equal += 1,
                Some(text) => found.differences.push(Difference {
                    mnemonic: trial.case.mnemonic.to_string(),
                    route,
                    feed,
                    text,
                    kernel: kernel_of(&String::from_utf8_lossy(source.text()), &kernel::name(feed, at)),
                }),
            }
        }
    }
    findings.append(found);
    Ok(())
}

/// The text of a kernel in a module.
fn kernel_of(text: &str, name: &str) -> String {
    let body =
        text.split(".entry ").find(|part| part.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')));
    let body = body.unwrap_or_default();
    body.split("\n}").next().unwrap_or_default().to_owned()
}

/// The first execution that went otherwise, with its registers; of many wrong ones one tells enough.
fn first_difference(trial: &Trial<'_>, nans: Nans, feed: Feed, got: &[u8]) -> Result<Option<String>> {
    let wanted = trial.wanted(feed);
    if wanted.len() != got.len() {
        bail!("a buffer of {} bytes instead of {}", got.len(), wanted.len());
    }
    let registers = &trial.case.registers;
    let record = registers.len() * SLOT;
    for (number, (wanted, got)) in wanted.chunks(record).zip(got.chunks(record)).enumerate() {
        let (wanted, got) = (values(wanted)?, values(got)?);
        let both = registers.iter().zip(wanted.iter().zip(&got));
        let computed = |one: &Register| one.computed.filter(|_| nans == Nans::Any);
        if both.clone().all(|(one, (wanted, got))| same(computed(one), *wanted, *got)) {
            continue;
        }
        let before = trial.tuples(feed).iter().cycle().nth(number);
        let shown = both.enumerate().map(|(at, (one, (wanted, got)))| {
            let before = before.and_then(|values| values.get(at)).copied().unwrap_or(0);
            let outcome = match (wanted == got, *wanted == before) {
                (true, true) => String::new(),
                (true, false) => format!(" -> {wanted:#x}"),
                (false, _) => format!(" -> {wanted:#x}, got {got:#x}"),
            };
            format!("\n    {} = {before:#x}{outcome}", one.name)
        });
        return Ok(Some(format!("{}{}", trial.case.text, shown.collect::<String>())));
    }
    Ok(None)
}

fn values(record: &[u8]) -> Result<Vec<u128>> {
    let slots = record.chunks(SLOT).map(|slot| Ok(u128::from_le_bytes(slot.try_into().context("a slot")?)));
    slots.collect()
}

/// Whether two results are the same: bit by bit, and one NaN for another where one was computed.
fn same(computed: Option<ptx_isa::ScalarType>, wanted: u128, got: u128) -> bool {
    let Some((ty, (exponent, fraction))) = computed.and_then(|ty| Some((ty, lanes(ty)?))) else {
        return wanted == got;
    };
    let width = 1 + exponent + fraction;
    let is_nan =
        |lane: u128| lane >> fraction & mask(exponent) == mask(exponent) && lane & mask(fraction) != 0;
    let lanes = (0..ty.bits() / width).all(|at| {
        let lane = |value: u128| value >> (at * width) & mask(width);
        lane(wanted) == lane(got) || (is_nan(lane(wanted)) && is_nan(lane(got)))
    });
    lanes && wanted >> ty.bits() == got >> ty.bits()
}

#[cfg(test)]
mod tests {
    use ptx_isa::{Mnemonic, ScalarType};

    use super::*;

    #[test]
    fn a_nan_may_have_other_bits_where_it_was_computed_alone() {
        let (canonical, other, number) = (0x7fff_ffff, 0xffc0_0000, 0x3f80_0000);
        assert!(same(Some(ScalarType::F32), canonical, other));
        assert!(!same(Some(ScalarType::F32), canonical, number));
        assert!(!same(None, canonical, other));
        // Each half on its own: one in the lower, a NaN above it.
        assert!(same(Some(ScalarType::F16x2), 0x7fff_3c00, 0xfe00_3c00));
        assert!(!same(Some(ScalarType::F16x2), 0x7fff_3c00, 0x7fff_3c01));
        // What is above a narrow number is not part of it.
        assert!(!same(Some(ScalarType::F16), 0x0001_7fff, 0x7fff));
    }

    #[test]
    fn a_wrong_register_of_any_execution_is_reported_with_its_operands() {
        let register = |name: &str| Register {
            name: name.to_owned(),
            declared: ScalarType::B32,
            read: Some(ScalarType::B32),
            divides: false,
            computed: None,
        };
        let case = Case {
            mnemonic: Mnemonic::from_text("not.b32").expect("a row"),
            nans: Nans::Exact,
            text: "not.b32 %b32_0, %b32_1;".to_owned(),
            registers: vec![register("%b32_0"), register("%b32_1")],
            home: Home { version: ptx_isa::PtxVersion::new(9, 0), sm: ptx_isa::Sm::new(90) },
        };
        let bytes =
            |values: [u128; 4]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let trial = Trial {
            case: &case,
            tuples: [vec![vec![7, 0], vec![7, 1]], Vec::new()],
            wanted: [bytes([u128::from(u32::MAX), 0, 0xffff_fffe, 1]), Vec::new()],
        };
        let right = bytes([u128::from(u32::MAX), 0, 0xffff_fffe, 1]);
        assert_eq!(first_difference(&trial, Nans::Any, Feed::Memory, &right).expect("as long"), None);
        let wrong = bytes([u128::from(u32::MAX), 0, 0xffff_ffff, 1]);
        let found = first_difference(&trial, Nans::Any, Feed::Memory, &wrong)
            .expect("as long")
            .expect("a difference");
        assert!(found.contains("%b32_0 = 0x7 -> 0xfffffffe, got 0xffffffff"), "{found}");
        assert!(found.contains("%b32_1 = 0x1"), "{found}");
    }
}
