//! Executes a program in both engines.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use ptx_diag::SourceFile;
use ptx_exec::engine::Interpretation;
use ptx_exec::{Argument, DecodedLaunch, ExecError, Executed, Launch, Reconvergence, TrapKind};
use ptx_host::analysis::{Launched, Limits};
use ptx_host::{CompileError, Compiler, Form, Kernels, Options};
use ptx_llvm_core::Context;
use ptx_llvm_core::host::Cpu;

use super::{Program, syntax};
use crate::directive::Level;
use crate::stage;

/// What an execution left, or the words in which it was stopped.
pub(crate) type Left = Result<Vec<u8>, String>;

/// How what a way makes of a program differs from the program in the interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The way: a processor that code is made for, or a translation.
    pub way: String,
    /// The first word of the output that differs, or both endings.
    pub what: String,
}

/// What comes of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All agree.
    Same,
    /// There is no code for it.
    Refused(&'static str),
    /// Some differ.
    Different(Vec<Difference>),
}

/// The processors that code is made for: this one, and older ones that it can be.
fn compilers() -> Result<&'static [Compiler]> {
    static ALL: OnceLock<Result<Vec<Compiler>, String>> = OnceLock::new();
    let made = || {
        let host = Cpu::host()?;
        let levels = [("x86-64-v2", "sse4.2"), ("x86-64-v3", "avx2"), ("x86-64-v4", "avx512vl")];
        let is_x86 = host.triple.starts_with("x86_64");
        let older = levels.into_iter().filter(|(_, feature)| is_x86 && host.has(feature));
        let older: Vec<Cpu> = older.map(|(level, _)| Cpu::baseline(level)).collect::<Result<_, _>>()?;
        [host].into_iter().chain(older).map(Compiler::new).collect::<Result<Vec<_>, _>>()
    };
    let all = ALL.get_or_init(|| made().map_err(|error| error.to_string()));
    all.as_deref().map_err(|error| anyhow!("{error}"))
}

/// How a program is launched.
pub(crate) fn launch(program: &Program) -> Launch {
    let [output, input] = syntax::buffers(program);
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([program.grid, 1, 1], program.block);
    launch.cluster = (program.cluster > 1).then_some([program.cluster, 1, 1]);
    launch.cooperative = program.cooperative;
    launch.limits.timeout = Some(Duration::from_secs(60));
    // Blocks that wait for others do so on their own thread, and on another one.
    let threads = if program.cooperative && program.seed.is_multiple_of(2) { 2 } else { 1 };
    launch.threads = NonZeroUsize::new(threads);
    // Numbers of all sizes, small ones among them.
    let word = |at: u32| at.wrapping_mul(2_654_435_761) >> [7, 0, 24, 30][at as usize % 4];
    launch.arguments = vec![
        Argument::Buffer(vec![0xa5; output]),
        Argument::Buffer((0..input as u32 / 4).flat_map(|at| word(at).to_le_bytes()).collect()),
        Argument::Bytes(((program.seed * 7 % 61) as u32).to_le_bytes().to_vec()),
        Argument::Bytes(((program.seed % 9 + 1) as u32).to_le_bytes().to_vec()),
    ];
    launch
}

/// Instructions of warps after which an automatic launch is begun anew as compiled code.
const STEPS: u64 = 1 << 20;

/// How a program is executed.
#[derive(Clone, Copy)]
enum Way<'a> {
    Interpreted,
    /// As code, with or without checks of memory.
    Compiled(&'a Compiler, bool),
    /// In the interpreter, and as code with checks if that takes too long.
    Automatic(&'a Compiler),
}

impl Way<'_> {
    fn name(self) -> Result<String> {
        Ok(match self {
            Self::Interpreted => "interpreted".to_owned(),
            Self::Compiled(compiler, false) => compiler.cpu()?.name.clone(),
            Self::Compiled(compiler, true) => format!("{} with checks of memory", compiler.cpu()?.name),
            Self::Automatic(compiler) => format!("{} after {STEPS} instructions", compiler.cpu()?.name),
        })
    }
}

/// The ways in which code for processors executes a program: with and without checks of memory on this one, and in one of them on an older one that the
/// seed chooses, or in both on all.
fn ways(seed: u64, is_long: bool, on_all: bool) -> Result<Vec<Way<'static>>> {
    let all = compilers()?;
    let chosen = 1 + seed as usize % (all.len() - 1).max(1);
    let mut ways = Vec::new();
    for (at, compiler) in all.iter().enumerate() {
        if on_all || at == 0 {
            ways.extend([false, true].map(|check| Way::Compiled(compiler, check)));
        } else if at == chosen {
            ways.push(Way::Compiled(compiler, (seed / 4).is_multiple_of(2)));
        }
    }
    if is_long {
        ways.extend(all.first().map(Way::Automatic));
    }
    Ok(ways)
}

/// A program that can be launched.
struct Judged<'a> {
    source: &'a SourceFile,
    module: &'a ptx_ir::Module,
    launch: &'a Launch,
    options: Options,
}

impl Judged<'_> {
    /// Executes it in one of the ways; gives why there is no code.
    fn run(&self, way: Way<'_>) -> Result<Result<Left, &'static str>> {
        let verified = stage::verify(self.module, self.source)?;
        let refused =
            |error: ExecError| anyhow!("{}", stage::describe(self.source, &error.into_diagnostics()));
        let decoded = DecodedLaunch::at_host_addresses(verified, self.launch).map_err(refused)?;
        let loaded = decoded.load();
        let set_up = |steps| {
            let setup = loaded.set_up_with(|spec| spec.limits.steps = spec.limits.steps.or(steps));
            setup.map_err(refused)
        };
        let report = match way {
            Way::Interpreted => Interpretation::new(set_up(None)?).run(),
            Way::Automatic(compiler) => {
                let report = Interpretation::new(set_up(Some(STEPS))?).run();
                match &report.result {
                    Err(ExecError::Trap(trap)) if trap.kind == TrapKind::Steps => {
                        return self.run(Way::Compiled(compiler, true));
                    }
                    _ => report,
                }
            }
            Way::Compiled(compiler, check) => {
                let setup = set_up(None)?;
                let launched = Launched::of(setup.geometry());
                let kernels = Kernels::new(self.options.clone().with_check_memory(check));
                match compiler.kernel(&kernels, loaded.program(), &launched) {
                    Ok(kernel) => ptx_host::launch(&kernel, &setup),
                    Err(CompileError::Refused(refusal)) => return Ok(Err(refusal.why)),
                    Err(CompileError::Llvm(error)) => bail!("LLVM refuses the code: {error}"),
                }
            }
        };
        let left = match report.result {
            Ok(()) => {
                let buffers = loaded.outcome(Executed::default()).buffers;
                Ok(buffers.into_iter().flatten().next().context("no buffer is left")?)
            }
            Err(error) => Err(error.to_string()),
        };
        Ok(Ok(left))
    }
}

/// Executes a program in the interpreter and as code for processors, with and without checks of memory: for this one, and for one of the older
/// ones, which its seed chooses, or for all.
///
/// # Errors
/// The program is not valid, the interpreter does not finish it, or LLVM refuses the code.
pub fn judge(program: &Program, on_all: bool) -> Result<Verdict> {
    let (source, launch) = (SourceFile::new("kernel.ptx", program.ptx()), launch(program));
    let run = interpreted(&source, &launch)?;
    let left = run.map_err(|error| anyhow!("the interpreter does not finish the program: {error}"))?;
    let draw = Draw { seed: program.seed, is_long: program.is_long, on_all, place };
    as_code(&source, &launch, &draw, &left)
}

/// What a launch leaves in its first buffer in the interpreter.
///
/// # Errors
/// The program is not valid.
pub(crate) fn interpreted(source: &SourceFile, launch: &Launch) -> Result<Left> {
    let module = stage::read(source)?;
    let judged = Judged { source, module: &module, launch, options: Options::default() };
    let run = judged.run(Way::Interpreted)?;
    run.map_err(|why| anyhow!("the interpreter does not execute the program: {why}"))
}

/// What a word of the output is.
pub(crate) type Place = fn(usize) -> String;

/// What a word of a program's output is.
fn place(at: usize) -> String {
    match at.checked_sub(super::COUNTERS as usize) {
        None => format!("counter {at}"),
        Some(at) => format!("thread {}, word {}", at / super::SLOTS as usize, at % super::SLOTS as usize),
    }
}

/// What decides how code is made, and how differences are told.
pub(crate) struct Draw {
    /// Chooses an older processor, checks of shapes, limits and the forms of code that are left out.
    pub(crate) seed: u64,
    /// Whether the program is executed automatically, too, and its shapes are not checked, as such code is slow.
    pub(crate) is_long: bool,
    /// Whether code is made for all processors.
    pub(crate) on_all: bool,
    /// What each word of the output is.
    pub(crate) place: Place,
}

/// Executes a launch as code for processors, and compares what is left in its first buffer.
///
/// # Errors
/// The program is not valid, or LLVM refuses the code.
pub(crate) fn as_code(source: &SourceFile, launch: &Launch, draw: &Draw, expected: &[u8]) -> Result<Verdict> {
    let module = stage::read(source)?;
    let &Draw { seed, is_long, on_all, place } = draw;
    // One in two is checked to have the shapes that the analysis claims, which LLVM optimizes otherwise.
    let checks = !is_long && (seed / 2).is_multiple_of(2);
    // One in three is compiled to as many functions as possible, as large kernels are.
    let limits = if seed.is_multiple_of(3) { Limits::SMALLEST } else { Limits::DEFAULT };
    // One in four is compiled without some of the special forms of code.
    let mut random = fastrand::Rng::with_seed(seed);
    let disabled = Form::ALL.into_iter().filter(|_| random.bool()).collect::<Vec<_>>();
    let disabled = if seed % 4 == 1 { disabled } else { Vec::new() };
    let options = Options::default().with_check_shapes(checks).with_limits(limits).with_disabled(disabled);
    let judged = Judged { source, module: &module, launch, options };
    let mut refused = None;
    let mut differences = Vec::new();
    for way in ways(seed, is_long, on_all)? {
        match judged.run(way)? {
            Err(why) => refused = Some(why),
            Ok(Ok(left)) if left == expected => {}
            Ok(left) => {
                differences.push(Difference { way: way.name()?, what: describe(&left, expected, place) });
            }
        }
    }
    Ok(match refused {
        _ if !differences.is_empty() => Verdict::Different(differences),
        Some(why) => Verdict::Refused(why),
        None => Verdict::Same,
    })
}

/// Executes a program of [`Program::joins`] in the interpreter, where threads come together as late as PTX allows, as it is and after the ways
/// to LLVM IR and back at every level, which must leave the same.
///
/// # Errors
/// The program is not valid, or the interpreter does not finish it.
pub fn judge_translations(program: &Program) -> Result<Vec<Difference>> {
    let source = SourceFile::new("kernel.ptx", program.ptx());
    let late = |source: &SourceFile| -> Result<Left> {
        let module = stage::read(source)?;
        let mut launch = launch(program);
        launch.reconvergence = Reconvergence::Late;
        let left = ptx_exec::run(stage::verify(&module, source)?, &launch);
        match left {
            // Two launches that leave nothing would agree.
            Ok(left) => left.buffers.into_iter().flatten().next().context("no buffer is left").map(Ok),
            Err(error) => Ok(Err(error.to_string())),
        }
    };
    let expected = late(&source)?.map_err(|error| anyhow!("the interpreter: {error}"))?;
    let module = stage::read(&source)?;
    let mut differences = Vec::new();
    for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
        let translated = || -> Result<Left> {
            let context = Context::new()?;
            let raised = stage::raise(&mut stage::lower(&module, &source, &context, level)?)?;
            late(&SourceFile::new("raised.ptx", raised))
        };
        let left = translated().unwrap_or_else(|error| Err(format!("{error:#}")));
        if left.as_ref() != Ok(&expected) {
            let way = format!("translated at {level:?}");
            differences.push(Difference { way, what: describe(&left, &expected, place) });
        }
    }
    Ok(differences)
}

/// The first word that differs, or how the execution ended.
pub(crate) fn describe(left: &Left, expected: &[u8], place: Place) -> String {
    let left = match left {
        Ok(left) => left,
        Err(error) => return error.clone(),
    };
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    let pairs = left.chunks(4).zip(expected.chunks(4)).map(|(left, expected)| (word(left), word(expected)));
    let mut differing = pairs.enumerate().filter(|(_, (left, expected))| left != expected);
    let Some((at, (left, expected))) = differing.next() else { return "nothing".to_owned() };
    format!("{}: {left:#x} instead of {expected:#x}; {} words differ", place(at), differing.count() + 1)
}
