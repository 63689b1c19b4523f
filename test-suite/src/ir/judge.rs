//! Executing programs in every way and comparing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::{Context, Gpu, OptLevel};

use super::assembly;
use super::generate::{INPUT, OUTPUT, Program};
use super::variables::{DEVICE, HOST, KEPT};
use crate::directive::Level;
use crate::host::{self, ROUND_TO_BFLOAT};
use crate::oracle::Oracles;
use crate::stage;

/// Who executes and who judges.
#[derive(Clone, Debug)]
pub struct Judges {
    /// LLVM's `lli`.
    pub lli: PathBuf,
    /// ptxas, where it is installed.
    pub oracles: Oracles,
}

/// A program that is not the same everywhere, or that a stage refuses.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Which.
    pub program: Program,
    /// The way along which it differs.
    pub way: &'static str,
    /// What happens.
    pub what: String,
    /// What the PTX does that LLVM's own backend makes of the program, which helps to find the defect.
    pub backend: String,
    /// Who changed the program's meaning.
    pub cause: Cause,
}

/// Who changed a program's meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// LLVM's optimizer: the host leaves the same as the PTX when it executes what LLVM's passes made of the program.
    Optimizer,
    /// This project, until something else is shown.
    Ours,
}

/// What became of a batch.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The programs that differ.
    pub differences: Vec<Difference>,
    /// The programs that are not judged, since LLVM on the host gives two results for them, as they are and optimized, or
    /// crashes.
    pub unsure: Vec<Program>,
}

/// A way from LLVM IR to PTX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Raised(Level),
    /// Raised, lowered, optimized, raised.
    RoundTrip(Level),
    /// By LLVM's own backend.
    Backend,
}

const WAYS: &[(Way, &str)] = &[
    (Way::Raised(Level::O0), "raised"),
    (Way::Raised(Level::O2), "optimized and raised"),
    (Way::RoundTrip(Level::O0), "raised, lowered, raised"),
    (Way::RoundTrip(Level::O2), "raised, lowered, optimized, raised"),
];

const TARGET: &str = "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n\
                      target triple = \"nvptx64-nvidia-cuda\"\n";
/// How long the host may take for a batch.
const HOST_LIMIT: Duration = Duration::from_secs(120);
const THREAD: &str = "@llvm.nvvm.read.ptx.sreg.tid.x";

/// Executes a batch of programs, whose names must differ, on the host and along every way.
///
/// # Errors
/// When `lli` cannot be run or refuses the programs: then the generator is wrong.
pub fn judge(programs: &[Program], sm: u16, judges: &Judges) -> Result<Verdict> {
    let (mut kept, mut wanted, mut unsure) = (Vec::new(), Vec::new(), Vec::new());
    for (program, result) in programs.iter().zip(host_results(programs, judges)?) {
        match result {
            Some(result) => {
                kept.push(program.clone());
                wanted.push(result);
            }
            None => unsure.push(program.clone()),
        }
    }
    let differences = along_all_ways(&kept, &wanted, sm, judges)?;
    Ok(Verdict { differences, unsure })
}

/// What each program leaves on the host; nothing where that is not sure.
fn host_results(programs: &[Program], judges: &Judges) -> Result<Vec<Option<Vec<u8>>>> {
    let text = host_module(programs);
    let count = programs.len();
    let sizes: Vec<usize> = programs.iter().map(output).collect();
    let optimized = judges.oracles.optimize(&text).context("on the host")?;
    match (on_host(&text, &sizes, judges)?, on_host(&optimized, &sizes, judges)?) {
        (Host::Wrote(plain), Host::Wrote(optimized)) => {
            let both = plain.into_iter().zip(optimized);
            Ok(both.map(|(plain, optimized)| (plain == optimized).then_some(plain)).collect())
        }
        // LLVM's code generator for the host has defects of its own: which program hits one?
        (Host::Crashed, _) | (_, Host::Crashed) if count > 1 => {
            let alone = programs.iter().map(|program| host_results(std::slice::from_ref(program), judges));
            Ok(alone.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        }
        (Host::Crashed, _) | (_, Host::Crashed) => Ok(vec![None; count]),
    }
}

/// What `lli` did.
enum Host {
    /// The output of every program.
    Wrote(Vec<Vec<u8>>),
    /// It went down in its code generator.
    Crashed,
}

fn along_all_ways(
    programs: &[Program],
    wanted: &[Vec<u8>],
    sm: u16,
    judges: &Judges,
) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    for &(way, name) in WAYS {
        let all: Vec<&Program> = programs.iter().collect();
        let Err(error) = compare(&all, wanted, way, sm, judges) else { continue };
        // Which of them it is.
        let mut found = false;
        for (program, wanted) in programs.iter().zip(wanted) {
            if let Err(error) = compare(&[program], std::slice::from_ref(wanted), way, sm, judges) {
                found = true;
                let backend =
                    match compare(&[program], std::slice::from_ref(wanted), Way::Backend, sm, judges) {
                        Ok(()) => "the same as on the host".to_owned(),
                        Err(error) => format!("{error:#}"),
                    };
                let cause = cause(program, way, sm, judges);
                let (program, what) = (program.clone(), format!("{error:#}"));
                differences.push(Difference { program, way: name, what, backend, cause });
            }
        }
        ensure!(found, "only together: {error:#}");
    }
    Ok(differences)
}

/// The input of a program's threads.
fn input(program: &Program) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(program.seed ^ 0x5eed);
    (0..INPUT * program.threads()).map(|_| rng.u8(..)).collect()
}

/// The bytes of a program's output.
fn output(program: &Program) -> usize {
    (OUTPUT * program.threads()) as usize
}

/// The programs as one of the host: its `main` executes them and writes their outputs, one after the other.
fn host_module(programs: &[Program]) -> String {
    // Without a triple the optimizer takes another layout of data than `lli`.
    let mut text = format!("target triple = \"{}-unknown-linux-gnu\"\n", std::env::consts::ARCH);
    // What the host's optimizer knew of the number, it would tell the programs.
    text += "@tid = internal global i32 0\ndeclare i64 @write(i32, ptr, i64)\n\
         define internal i32 @tid_x() {\n  %v = load volatile i32, ptr @tid\n  ret i32 %v\n}\n";
    text += ROUND_TO_BFLOAT;
    let mut main = String::from("define i32 @main() {\n");
    for program in programs {
        let name = &program.name;
        let size = output(program);
        let plain = modes_written_out(&assembly::on_host(&program.text));
        text += &compress_apart(&plain.replace("ptx_kernel ", "").replace(THREAD, "@tid_x"), name);
        let bytes: String = input(program).iter().map(|byte| format!("\\{byte:02X}")).collect();
        let _ = write!(
            text,
            "@{name}_in = internal addrspace(1) global [{} x i8] c\"{bytes}\", align 16\n\
             @{name}_out = internal addrspace(1) global [{size} x i8] zeroinitializer, align 16\n",
            INPUT * program.threads()
        );
        for thread in 0..program.threads() {
            let _ = writeln!(
                main,
                "  store i32 {thread}, ptr @tid\n  \
                 call void @{name}(ptr addrspace(1) @{name}_in, ptr addrspace(1) @{name}_out)"
            );
        }
        let _ = writeln!(
            main,
            "  call i64 @write(i32 1, ptr addrspacecast (ptr addrspace(1) @{name}_out to ptr), i64 {size})"
        );
    }
    text + &main + "  ret i32 0\n}\n"
}

/// The program with calls of the functions that have their modes of subnormal numbers written out: no host respects the attribute.
fn modes_written_out(program: &str) -> String {
    let call = |line: &str| if line.contains("call ") { line.replace(DEVICE, HOST) } else { line.to_owned() };
    program.lines().map(|line| call(line) + "\n").collect()
}

/// LLVM's intrinsic for compressing vectors.
const COMPRESS: &str = "@llvm.experimental.vector.compress.";

/// The program with a function of its own for each `llvm.experimental.vector.compress`: where LLVM knows its operands, its code for x86 may find
/// all elements of the mask false.
///
/// ```text
///   %r = call <4 x i32> @llvm.experimental.vector.compress.v4i32(..)      %r = call <4 x i32> @p0_compress.v4i32(..)
/// ```
fn compress_apart(program: &str, name: &str) -> String {
    let kinds: BTreeSet<(&str, &str)> = program
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(COMPRESS)?;
            let (_, ty) = before.rsplit_once(" = call ")?;
            Some((after.split_once('(')?.0, ty.trim_end()))
        })
        .collect();
    let call = format!("@{name}_compress.");
    let renamed = |line: &str| {
        if line.starts_with("declare") { line.to_owned() } else { line.replace(COMPRESS, &call) }
    };
    let mut text: String = program.lines().map(|line| renamed(line) + "\n").collect();
    for (kind, ty) in kinds {
        let mask = ty.split_once(" x ").map_or(ty, |(count, _)| count);
        let _ = write!(
            text,
            "define internal {ty} {call}{kind}({ty} %v, {mask} x i1> %m, {ty} %p) noinline optnone {{\n  \
             %r = call {ty} {COMPRESS}{kind}({ty} %v, {mask} x i1> %m, {ty} %p)\n  ret {ty} %r\n}}\n"
        );
    }
    text
}

/// The outputs of programs, of these sizes, executed by `lli`.
fn on_host(text: &str, sizes: &[usize], judges: &Judges) -> Result<Host> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("host.ll");
    std::fs::write(&file, text)?;
    let run = host::execute(&judges.lli, &file, HOST_LIMIT)?;
    let complaint = String::from_utf8_lossy(&run.stderr);
    if complaint.contains("PLEASE submit a bug report") {
        return Ok(Host::Crashed);
    }
    ensure!(run.status.success(), "lli: {}", complaint.lines().take(4).collect::<Vec<_>>().join("\n"));
    ensure!(run.stdout.len() == sizes.iter().sum::<usize>(), "lli wrote {} bytes", run.stdout.len());
    let mut rest = run.stdout.as_slice();
    let mut next = |size: &usize| {
        let (own, others) = rest.split_at(*size);
        rest = others;
        own.to_vec()
    };
    Ok(Host::Wrote(sizes.iter().map(&mut next).collect()))
}

/// Who is to blame for what a program leaves along a way, if it is not what it should leave.
fn cause(program: &Program, way: Way, sm: u16, judges: &Judges) -> Cause {
    match way {
        Way::Raised(level) if level != Level::O0 && optimizer_does_it(program, level, sm, judges).is_ok() => {
            Cause::Optimizer
        }
        // What was lowered holds assembly and intrinsics that a host cannot execute.
        Way::Raised(_) | Way::RoundTrip(_) | Way::Backend => Cause::Ours,
    }
}

/// Holds that the host leaves what the PTX does when it executes the optimized program, also when only LLVM's passes optimized it.
fn optimizer_does_it(program: &Program, level: Level, sm: u16, judges: &Judges) -> Result<()> {
    let found = results(&[program], Way::Raised(level), sm, judges)?;
    let ir = device_module(&[program], sm);
    let ours = |llvm: &mut ptx_llvm_core::Module<'_>| stage::optimize(llvm, level);
    let stock = |llvm: &mut ptx_llvm_core::Module<'_>| {
        let pipeline = Some("default<O2>");
        ptx_opt::optimize(llvm, OptLevel::O0, pipeline, Gpu::default()).context("optimize")
    };
    optimized_on_host(program, &ir, ours, &found, judges)?;
    optimized_on_host(program, &ir, stock, &found, judges)
}

/// Holds that the host leaves `found` when it executes what `optimize` makes of a program.
fn optimized_on_host(
    program: &Program,
    ir: &str,
    optimize: impl Fn(&mut ptx_llvm_core::Module<'_>) -> Result<()>,
    found: &[Vec<u8>],
    judges: &Judges,
) -> Result<()> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, "program", ir)?;
    optimize(&mut llvm)?;
    let of_device = |line: &str| {
        let declares = line.starts_with("declare ") && line.contains(THREAD);
        declares || line.starts_with("target ") || line.starts_with("source_filename ")
    };
    let text = llvm.to_text();
    let text: String = text.lines().filter(|line| !of_device(line)).flat_map(|line| [line, "\n"]).collect();
    let text = text.replace("\"target-cpu\"=", "\"was-for\"=");
    let optimized = Program { text, ..program.clone() };
    let sizes = [output(program)];
    let Host::Wrote(wrote) = on_host(&host_module(&[optimized]), &sizes, judges)? else { bail!("no result") };
    ensure!(wrote == found, "the host leaves something else");
    Ok(())
}

/// The target of programs: the architecture, with what only it has where that is used.
fn target(programs: &[&Program], sm: u16) -> Sm {
    if programs.iter().any(|program| program.multiplies()) { Sm::arch(sm) } else { Sm::new(sm) }
}

/// Programs as one module for a GPU.
fn device_module(programs: &[&Program], sm: u16) -> String {
    let mut ir = format!("{TARGET}declare i32 {THREAD}()\n");
    for program in programs {
        ir += &program.text;
    }
    // What is not optimized may ask for anything: the target is the module's.
    ir.replace(") {\n", &format!(") \"target-cpu\"=\"{}\" {{\n", target(programs, sm)))
}

/// What programs leave along a way, one after the other.
fn results(programs: &[&Program], way: Way, sm: u16, judges: &Judges) -> Result<Vec<Vec<u8>>> {
    let ir = device_module(programs, sm);
    let ptx = match way {
        Way::Raised(level) => raised(&ir, level)?,
        Way::RoundTrip(level) => {
            let source = SourceFile::new("raised.ptx", raised(&ir, Level::O0)?);
            let context = Context::new()?;
            let module = stage::read(&source)?;
            let mut lowered = stage::lower(&module, &source, &context, level).context("lower")?;
            stage::raise(&mut lowered).context("again")?
        }
        Way::Backend => judges.oracles.compile(&ir)?,
    };
    if judges.oracles.ptxas.is_some() {
        let home = ptx_gen::Home { version: PtxVersion::new(8, 6), sm: target(programs, sm) };
        let verdict = judges.oracles.check(&ptx, home)?;
        ensure!(verdict.accepted, "ptxas: {:?}", verdict.findings.first());
    }
    let source = SourceFile::new("raised.ptx", ptx);
    let module = stage::read(&source)?;
    let Ok((verified, _)) = ptx_verify::verify(&module) else { bail!("the PTX does not verify") };
    programs.iter().map(|program| executed(verified, program)).collect()
}

/// What a program leaves in the interpreter.
fn executed(module: ptx_verify::Verified<'_>, program: &Program) -> Result<Vec<u8>> {
    let mut launch = Launch::new(program.name.as_str());
    launch.block = [program.threads(), 1, 1];
    launch.threads = Some(NonZeroUsize::MIN);
    launch.limits.timeout = Some(Duration::from_secs(20));
    launch.arguments = vec![Argument::Buffer(input(program)), Argument::Buffer(vec![0; output(program)])];
    match ptx_exec::run(module, &launch) {
        Ok(outcome) => Ok(outcome.buffers.into_iter().nth(1).flatten().unwrap_or_default()),
        Err(error) => {
            let findings = error.into_diagnostics();
            let first = findings.iter().next().map(|finding| finding.message.clone());
            bail!("cannot be executed: {}", first.unwrap_or_default());
        }
    }
}

/// Takes programs along a way and compares what they leave.
fn compare(programs: &[&Program], wanted: &[Vec<u8>], way: Way, sm: u16, judges: &Judges) -> Result<()> {
    for (found, wanted) in results(programs, way, sm, judges)?.iter().zip(wanted) {
        if found != wanted {
            let at = found.iter().zip(wanted).position(|(a, b)| a != b).unwrap_or_default();
            let show = |bytes: &[u8]| format!("{:02x?}", &bytes[at..bytes.len().min(at + 8)]);
            bail!(
                "byte {} of thread {} and on are {} instead of {}",
                at % OUTPUT as usize,
                at / OUTPUT as usize,
                show(found),
                show(wanted)
            );
        }
    }
    Ok(())
}

fn raised(ir: &str, level: Level) -> Result<String> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, "program", ir)?;
    stage::optimize(&mut llvm, level)?;
    let ptx = stage::raise(&mut llvm)?;
    // Nothing that a program computes shows whether volatile accesses of the thread's own variables are executed. Other stores are there as
    // well as long as no code is known to be dead; other loads may read constants, which have no volatile accesses.
    let is_own = |line: &&str| line.contains(" volatile ") && line.contains(&format!("ptr {KEPT}"));
    let is_other = |line: &&str| level == Level::O0 && line.contains("store volatile ") && !is_own(line);
    let (own, others) = (ir.lines().filter(is_own).count(), ir.lines().filter(is_other).count());
    let found = ptx.lines().filter(|line| line.contains(".volatile.")).count();
    ensure!(
        own + others <= found,
        "{found} volatile instructions, of {own} accesses of local variables and {others} other stores"
    );
    Ok(ptx)
}

#[cfg(test)]
mod tests {
    use super::compress_apart;

    #[test]
    fn vectors_are_compressed_in_a_function() {
        let text = "  %r = call <2 x i8> @llvm.experimental.vector.compress.v2i8(<2 x i8> %a, <2 x i1> %m, <2 x i8> %b)\n";
        let apart = compress_apart(text, "p0");
        assert!(apart.starts_with("  %r = call <2 x i8> @p0_compress.v2i8(<2 x i8> %a,"), "{apart}");
        assert!(
            apart.contains("define internal <2 x i8> @p0_compress.v2i8(<2 x i8> %v, <2 x i1> %m,"),
            "{apart}"
        );
    }
}
