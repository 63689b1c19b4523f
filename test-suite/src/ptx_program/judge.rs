//! Taking programs along every way and comparing what they leave.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_llvm_core::Context;
use ptx_llvm_core::marks;

use super::fold::fold;
use super::memory::DYNAMIC;
use super::{Program, input, volatile};
use crate::directive::Level;
use crate::oracle::{Oracles, has_32_bit_addresses};
use crate::stage::{self, Compiled};

/// What ptxas reports for arguments that LLVM's backend aligned more than the parameters.
const MISMATCH: &str = "Alignment of argument does not match formal parameter";

/// How a program gets to what is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// As it is.
    Plain,
    /// As it is, as code for the host.
    Host,
    /// As it is, as code for the host that checks what its compiler claims.
    Checked,
    /// Lowered and raised, both at this level.
    RoundTrip(Level),
    /// Lowered, then through LLVM's backend.
    Backend,
    /// Lowered, through the stock `opt -O3`, raised.
    Stock,
    /// Lowered at this level, made a listing (`ptx2ll --no-hints`), raised.
    Listing(Level),
    /// Computed by ptxas, where the program computes of constants alone.
    Folded,
}

/// A program that does not leave what it should.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The way along which it differs.
    pub way: Way,
    /// What happens.
    pub what: String,
}

/// The outcome of a program.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The ways along which it differs.
    pub differences: Vec<Difference>,
    /// Bytes of the output that ptxas computed.
    pub decided: usize,
    /// Bytes that it did not, or that its machine code does not tell, in a program that was given to it.
    pub undecided: usize,
    /// Whether LLVM's backend leaves something else, and what is right without its combiner of selection DAGs.
    pub combined: bool,
}

/// The ways that a seed takes: all, or every other of the dearer ones.
pub fn ways_of(seed: u64, all: bool) -> Vec<Way> {
    let levels = [Level::O1, Level::O2, Level::O3];
    let mut ways = vec![Way::Plain, Way::Host, Way::Folded, Way::RoundTrip(Level::O0)];
    if all || seed.is_multiple_of(3) {
        ways.push(Way::Checked);
    }
    if all {
        ways.extend(levels.map(Way::RoundTrip));
        ways.extend([Way::Backend, Way::Stock, Way::Listing(Level::O0), Way::Listing(Level::O2)]);
    } else {
        ways.push(Way::RoundTrip(levels[(seed % 3) as usize]));
        ways.push(if seed.is_multiple_of(2) { Way::Backend } else { Way::Stock });
        match seed % 8 {
            0 => ways.push(Way::Listing(Level::O0)),
            4 => ways.push(Way::Listing(Level::O2)),
            _ => {}
        }
    }
    ways
}

/// Takes a program along ways and compares what it leaves with what it has to leave.
///
/// # Errors
/// When ptxas refuses the program: then the generator is wrong.
pub fn judge(program: &Program, ways: &[Way], oracles: &Oracles) -> Result<Verdict> {
    let is_narrow = has_32_bit_addresses(&program.text);
    // From sm_90 on ptxas has no calls with 32-bit addresses.
    if oracles.ptxas.is_some() && !(is_narrow && program.sm >= 90) {
        let home =
            ptx_gen::Home { version: ptx_isa::PtxVersion::new(8, 6), sm: ptx_isa::Sm::new(program.sm) };
        let verdict = oracles.check(&program.text, home)?;
        ensure!(verdict.accepted, "ptxas: {:?}", verdict.findings.first());
    }
    let mut verdict = Verdict::default();
    for &way in ways {
        let judged = match way {
            Way::Folded
                if is_narrow
                    || !program.is_straight()
                    || oracles.ptxas.is_none()
                    || oracles.nvdisasm.is_none() =>
            {
                Ok(())
            }
            Way::Folded => fold(program, oracles).map(|folded| {
                (verdict.decided, verdict.undecided) = (folded.decided, folded.undecided);
            }),
            Way::Backend => along(program, way, oracles).or_else(|error| {
                verdict.combined = is_right_uncombined(program, oracles);
                if verdict.combined { Ok(()) } else { Err(error) }
            }),
            _ => along(program, way, oracles),
        };
        if let Err(error) = judged {
            verdict.differences.push(Difference { way, what: format!("{error:#}") });
        }
    }
    Ok(verdict)
}

fn along(program: &Program, way: Way, oracles: &Oracles) -> Result<()> {
    let ptx = rewrite(&program.text, way, oracles)?;
    // A trap ends the whole grid, and nothing of it can be seen. An exit replaces it to show that everything before it was done.
    let Some(seen) = execute(program, &ptx.replace("trap;", "exit;"), way)? else { return Ok(()) };
    compare(&seen, &program.ending.output)?;
    // LLVM's backend has no volatile accesses of local memory, and its dead store elimination merges volatile stores into others.
    let is_ours = matches!(way, Way::RoundTrip(_) | Way::Listing(_));
    if is_ours && program.text.contains(".volatile") {
        volatile::compare(program, &ptx)?;
    }
    if !program.text.contains("trap;") {
        return Ok(());
    }
    match execute(program, &ptx, way) {
        Ok(_) => ensure!(!program.ending.trapped, "ends as if no thread trapped"),
        Err(error) => {
            ensure!(program.ending.trapped && format!("{error:#}").contains("`trap`"), "{error:#}");
        }
    }
    Ok(())
}

/// Whether LLVM's backend leaves the right bytes without its combiner of selection DAGs. LLVM 22's takes `a - (a - b)` with the addresses
/// of two variables for an address of the first, and moves a load of it before a store to the second; all passes on LLVM IR are
/// the same with and without it.
fn is_right_uncombined(program: &Program, oracles: &Oracles) -> bool {
    let judged = lowered(&program.text, |ir| {
        let seen = execute(program, &oracles.compile_more(ir, &["-combiner-disabled"])?, Way::Backend)?;
        compare(&seen.unwrap_or_default(), &program.ending.output)
    });
    !program.text.contains("trap;") && judged.is_ok()
}

/// What `take` makes of the LLVM IR that a text becomes, as it is.
fn lowered<T>(text: &str, take: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let source = SourceFile::new("program.ptx", text);
    let module = stage::read(&source)?;
    take(&stage::lower(&module, &source, &Context::new()?, Level::O0)?.to_text())
}

/// The PTX that a way makes of a text.
///
/// # Errors
/// The error of the stage that refuses it.
pub fn rewrite(text: &str, way: Way, oracles: &Oracles) -> Result<String> {
    if matches!(way, Way::Plain | Way::Folded) {
        return Ok(text.to_owned());
    }
    let source = SourceFile::new("program.ptx", text);
    let module = stage::read(&source)?;
    let context = Context::new()?;
    let level = match way {
        Way::RoundTrip(level) | Way::Listing(level) => level,
        _ => Level::O0,
    };
    let mut lowered = stage::lower(&module, &source, &context, level)?;
    match way {
        Way::Backend => {
            let ptx = oracles.compile(&lowered.to_text())?;
            // LLVM 22's backend aligns an aggregate by 16 where it is passed, and where it is received only as long as nothing takes
            // the function's address; ptxas refuses such a call. Nothing then tells about the lowering.
            let refused = oracles.ptxas.is_some().then(|| oracles.assemble(&ptx).err()).flatten();
            let mismatch = refused.is_some_and(|error| format!("{error:#}").contains(MISMATCH));
            Ok(if mismatch { text.to_owned() } else { ptx })
        }
        Way::Stock => {
            let optimized = oracles.optimize(&lowered.to_text())?;
            let context = Context::new()?;
            stage::raise(&mut stage::read_llvm(&context, "optimized", &optimized)?)
        }
        Way::Listing(level) => {
            stage::optimize(&mut lowered, level)?;
            for hint in [marks::INST, marks::LITERAL, marks::GUARD, marks::MODS] {
                ptx_opt::drop_metadata(&mut lowered, hint);
            }
            ptx_opt::index_elements(&mut lowered)?;
            stage::raise(&mut lowered)
        }
        Way::RoundTrip(level) => {
            stage::optimize(&mut lowered, level)?;
            stage::raise(&mut lowered)
        }
        Way::Plain | Way::Host | Way::Checked | Way::Folded => Ok(text.to_owned()),
    }
}

/// What a program leaves; nothing where there is no code of it for the host.
/// How a program is launched.
pub(crate) fn launch(program: &Program) -> Launch {
    let mut launch = Launch::new("kernel");
    launch.grid = [program.shape.blocks, 1, 1];
    launch.block = [program.shape.threads, 1, 1];
    launch.threads = Some(NonZeroUsize::MIN);
    launch.dynamic_shared = DYNAMIC;
    launch.limits.timeout = Some(Duration::from_secs(10));
    launch.arguments = vec![
        Argument::Buffer(vec![0; program.ending.output.len()]),
        Argument::Buffer(input(program.seed, program.shape)),
    ];
    launch
}

fn execute(program: &Program, ptx: &str, way: Way) -> Result<Option<Vec<u8>>> {
    let source = SourceFile::new("program.ptx", ptx);
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let launch = launch(program);
    let result = match way {
        Way::Host | Way::Checked => match stage::run_compiled(verified, &launch, way == Way::Checked)? {
            Compiled::Ended(result) => result,
            Compiled::Refused(_) => return Ok(None),
        },
        _ => ptx_exec::run(verified, &launch),
    };
    match result {
        Ok(outcome) => Ok(Some(outcome.buffers.into_iter().next().flatten().unwrap_or_default())),
        Err(error) => bail!("execute: {}", stage::describe(&source, &error.into_diagnostics())),
    }
}

fn compare(found: &[u8], wanted: &[u8]) -> Result<()> {
    let Some(at) = found.iter().zip(wanted).position(|(a, b)| a != b) else { return Ok(()) };
    let show = |bytes: &[u8]| format!("{:02x?}", &bytes[at..bytes.len().min(at + 8)]);
    let size = super::OUTPUT as usize;
    bail!("byte {} of thread {} and on are {} instead of {}", at % size, at / size, show(found), show(wanted))
}
