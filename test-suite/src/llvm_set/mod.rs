//! LLVM IR in NVPTX style there and back: `cargo xtask ll-set`.
//!
//! Every configuration (a file of LLVM IR and an architecture) is raised to PTX, lowered, and raised once more, as it is and
//! optimized; ptxas assembles all of it. Then each function is executed with arguments made from their types: in the interpreter
//! from all of the PTX, which must leave the same in memory, and by LLVM on the host, where the function does nothing
//! that only a GPU can. What cannot be executed is counted with its reason. A configuration is judged in a process of its own.

mod execute;
mod harness;
mod reasons;
mod stand_in;
mod uses;

pub use reasons::{Deviation, Reasons, idle, unexplained};

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_isa::Sm;
use ptx_llvm_core::Context;
use ptx_llvm_core::view::View;

use crate::directive::Level;
use crate::judge::{Ended, in_parallel, supervise};
use crate::oracle::Oracles;
use crate::stage;

/// The variables of the environment that make a process a judge: the file, and the architecture.
pub const JUDGE: &str = "PTX_JUDGE_LLVM";
/// See [`JUDGE`].
pub const ARCHITECTURE: &str = "PTX_JUDGE_LLVM_FOR";

/// A file of LLVM IR and what it is compiled for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// What it is called in tables.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The architecture, where the file does not say it.
    pub sm: Option<Sm>,
}

/// What LLVM on the host says about a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Host {
    /// It leaves the same in memory.
    Same,
    /// It leaves something else.
    Differs(String),
    /// It was not asked: the function needs a GPU, or there is no `lli`.
    NotAsked,
    /// It gives two results, as it is and optimized, or cannot execute the function, for this reason.
    Unsure(String),
}

/// What came of executing a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Execution {
    /// All the PTX leaves the same in memory.
    Same(Host),
    /// Not all of it does.
    Differs(String),
    /// It cannot be executed, for this reason.
    Left(String),
}

/// What came of a configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The steps in order, each with what went wrong, if anything did; those after a failure are missing.
    pub steps: Vec<(String, Option<String>)>,
    /// The functions.
    pub functions: Vec<(String, Execution)>,
}

/// The steps, in order.
pub const STEPS: [&str; 5] = ["raise", "ptxas", "there and back", "ptxas again", "prepare"];

/// PTX of a module along every way.
struct Carried {
    /// Raised.
    first: String,
    /// Raised, lowered, raised.
    again: String,
    /// Raised, lowered, optimized, raised.
    optimized: String,
}

/// The configurations of the shared folder, unpacked under `target`.
///
/// # Errors
/// When the folder is not as expected.
pub fn configurations(shared: &Path, target: &Path) -> Result<Vec<Configuration>> {
    let folder = target.join("llvm-ir");
    let finished = folder.join(".unpacked");
    if !finished.is_file() {
        std::fs::create_dir_all(&folder)?;
        let archive = shared.join("llvm-ir/ll.tar.xz");
        let status = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(&folder).status()?;
        ensure!(status.success(), "tar cannot unpack {}", archive.display());
        std::fs::write(finished, "")?;
    }
    let manifest = std::fs::read_to_string(shared.join("llvm-ir/manifest.tsv")).context("the manifest")?;
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, file, _, cpu, ..] = columns.as_slice() else { bail!("the manifest says {line}") };
        let sm = Sm::from_text(cpu).with_context(|| format!("no architecture {cpu}"))?;
        Ok(Configuration { name: format!("{id} {file}"), path: folder.join(file), sm: Some(sm) })
    };
    manifest.lines().skip(1).map(row).collect()
}

/// Judges a module.
///
/// # Errors
/// When a judge cannot be run, or a step that succeeded once does not again.
pub fn judge(text: &str, sm: Option<Sm>, oracles: &Oracles, lli: Option<&PathBuf>) -> Result<Report> {
    let mut report = Report::default();
    let step = |report: &mut Report, result: Result<()>| {
        let name = STEPS.get(report.steps.len()).copied().unwrap_or_default();
        let failure = result.err().map(|error| format!("{error:#}").replace(['\n', '\t'], " "));
        let went_well = failure.is_none();
        report.steps.push((name.to_owned(), failure));
        went_well
    };
    let context = Context::new()?;
    let source = SourceFile::new("set.ll", text);
    // As the tools read it.
    let mut llvm = match ptx_driver::read_llvm(&context, &source) {
        Ok((llvm, _)) => llvm,
        Err(findings) => {
            step(&mut report, Err(anyhow!("{}", stage::describe(&source, &findings))));
            return Ok(report);
        }
    };
    let assembled = |ptx: &str| match oracles.ptxas {
        Some(_) => oracles.accept(ptx),
        None => Ok(()),
    };
    let first = match raise(&mut llvm, sm) {
        Ok(first) => first,
        Err(error) => {
            step(&mut report, Err(error));
            return Ok(report);
        }
    };
    step(&mut report, Ok(()));
    step(&mut report, assembled(&first));
    let carried = match carry(first) {
        Ok(carried) => carried,
        Err(error) => {
            step(&mut report, Err(error));
            return Ok(report);
        }
    };
    step(&mut report, Ok(()));
    step(&mut report, assembled(&carried.again).and_then(|()| assembled(&carried.optimized)));
    let view = View::new(&llvm)?;
    if !view.inline_asm.trim().is_empty() {
        // It is PTX, and defines what is declared: the host cannot have it, and stand-ins would define it twice.
        step(&mut report, Ok(()));
        let defined = view.functions.iter().filter(|function| !function.is_declaration());
        let left =
            |name: &String| (name.clone(), Execution::Left("the assembly of the module is PTX".to_owned()));
        report.functions.extend(defined.map(|function| left(&function.name)));
        return Ok(report);
    }
    // The same with definitions for what is declared, and a kernel for each function.
    let module = stand_in::with_stand_ins(&view, &llvm.to_text());
    // In a context of its own, for types get other names beside their equals.
    let apart = Context::new()?;
    let defined = match stage::read_llvm(&apart, "defined", &module) {
        Ok(defined) => defined,
        Err(error) => {
            step(&mut report, Err(error));
            return Ok(report);
        }
    };
    let (plans, left) = execute::plans(&View::new(&defined)?);
    let prepared = execute::with_callers(&module, &plans);
    let executions = stage::read_llvm(&context, "prepared", &prepared)
        .and_then(|mut llvm| raise(&mut llvm, sm))
        .and_then(carry)
        .and_then(|carried| {
            execute::execute(&module, &carried, &plans, lli.map(|lli| (lli.as_path(), oracles)))
        });
    match executions {
        Ok(executions) => {
            step(&mut report, Ok(()));
            report.functions = executions;
        }
        Err(error) => {
            step(&mut report, Err(error));
        }
    }
    report.functions.extend(left.into_iter().map(|(name, why)| (name, Execution::Left(why))));
    Ok(report)
}

fn raise(llvm: &mut ptx_llvm_core::Module<'_>, sm: Option<Sm>) -> Result<String> {
    let nowhere = SourceFile::new("raised", "");
    let choice = TargetChoice { sm, version: None };
    let (module, _) = ptx_driver::raise(llvm, choice)
        .map_err(|findings| anyhow!("raise: {}", stage::describe(&nowhere, &findings)))?;
    Ok(ptx_ir::print(&module))
}

/// PTX to LLVM IR, through text, and back.
fn carry(first: String) -> Result<Carried> {
    let source = SourceFile::new("raised.ptx", first.as_str());
    let module = stage::read(&source)?;
    let back = |level| {
        let context = Context::new()?;
        let text = stage::lower(&module, &source, &context, Level::O0)?.to_text();
        let context = Context::new()?;
        let mut llvm = stage::read_llvm(&context, "lowered", &text)?;
        stage::optimize(&mut llvm, level)?;
        stage::raise(&mut llvm)
    };
    let (again, optimized) = (back(Level::O0)?, back(Level::O2).context("optimized")?);
    Ok(Carried { first, again, optimized })
}

/// Judges a file and writes what comes of it, a line for each step and each function.
///
/// # Errors
/// When the file cannot be read, or nothing can be written.
pub fn judge_aloud(
    path: &Path,
    sm: Option<Sm>,
    oracles: &Oracles,
    lli: Option<&PathBuf>,
    out: &mut dyn Write,
) -> Result<()> {
    let text = std::fs::read(path)?;
    let report = judge(&String::from_utf8_lossy(&text), sm, oracles, lli)?;
    for (name, failure) in &report.steps {
        writeln!(out, "step\t{name}\t{}", failure.as_deref().unwrap_or("-"))?;
    }
    for (name, execution) in &report.functions {
        let (word, said) = match execution {
            Execution::Same(Host::NotAsked) => ("same", "-"),
            Execution::Same(Host::Same) => ("same on the host", "-"),
            Execution::Same(Host::Unsure(said)) => ("unsure", said.as_str()),
            Execution::Same(Host::Differs(said)) => ("otherwise on the host", said.as_str()),
            Execution::Differs(said) => ("differs", said.as_str()),
            Execution::Left(said) => ("left", said.as_str()),
        };
        writeln!(out, "function\t{}\t{word}\t{}", name.replace('\t', " "), said.replace(['\n', '\t'], " "))?;
    }
    Ok(())
}

/// Judges every configuration in a process of its own (`program`, which must call [`judge_aloud`] when it finds [`JUDGE`]).
///
/// # Errors
/// When the program cannot be started or does not speak as a judge.
pub fn measure(
    program: &Path,
    configurations: &[Configuration],
    jobs: usize,
    limit: Duration,
) -> Result<Vec<Report>> {
    let reports = in_parallel(configurations, jobs, |configuration| {
        let mut command = Command::new(program);
        command.env(JUDGE, &configuration.path);
        if let Some(sm) = configuration.sm {
            command.env(ARCHITECTURE, sm.to_string());
        }
        let Ended { said, complaint, ending } = supervise(&mut command, limit)?;
        let mut report = read(&said)?;
        if let Some(ending) = ending {
            let last = complaint.trim().lines().next().unwrap_or_default().to_owned();
            report.steps.push(("end".to_owned(), Some(format!("{ending}: {last}"))));
        }
        Ok(report)
    });
    reports.into_iter().collect()
}

fn read(said: &str) -> Result<Report> {
    let mut report = Report::default();
    for line in said.lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["step", name, said] => {
                let failure = (*said != "-").then(|| (*said).to_owned());
                report.steps.push(((*name).to_owned(), failure));
            }
            ["function", name, word, said] => {
                let said = (*said).to_owned();
                let execution = match *word {
                    "same" => Execution::Same(Host::NotAsked),
                    "same on the host" => Execution::Same(Host::Same),
                    "unsure" => Execution::Same(Host::Unsure(said)),
                    "otherwise on the host" => Execution::Same(Host::Differs(said)),
                    "differs" => Execution::Differs(said),
                    "left" => Execution::Left(said),
                    _ => bail!("the judge says {line}"),
                };
                report.functions.push(((*name).to_owned(), execution));
            }
            _ => bail!("the judge says {line}"),
        }
    }
    Ok(report)
}

/// Tables of what came of the configurations, and a line for everything that went wrong for no written reason.
pub fn summary(configurations: &[Configuration], reports: &[Report], reasons: &Reasons) -> String {
    let mut text = String::from("| step | configurations |\n|---|---|\n");
    for name in STEPS {
        let passed = |report: &&Report| report.steps.iter().any(|(step, bad)| step == name && bad.is_none());
        let _ = writeln!(text, "| {name} | {} of {} |", reports.iter().filter(passed).count(), reports.len());
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut not_executed: BTreeMap<String, usize> = BTreeMap::new();
    let mut unsure: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = String::new();
    for (configuration, report) in configurations.iter().zip(reports) {
        for line in unexplained(configuration, report, reasons) {
            let _ = writeln!(wrong, "{line}");
        }
        for (_, execution) in &report.functions {
            let kind = match execution {
                Execution::Same(Host::Same) => "the same on all ways and on the host",
                Execution::Same(Host::NotAsked) => "the same on all ways; needs a GPU",
                Execution::Same(Host::Unsure(why)) => {
                    *unsure.entry(without_numbers(why)).or_default() += 1;
                    "the same on all ways; no sure result on the host"
                }
                Execution::Same(Host::Differs(_)) => "the same on all ways, otherwise on the host",
                Execution::Differs(_) => "not the same on all ways",
                Execution::Left(why) => {
                    *not_executed.entry(without_numbers(why)).or_default() += 1;
                    "not executed"
                }
            };
            *kinds.entry(kind).or_default() += 1;
        }
    }
    text += "\n| functions | |\n|---|---|\n";
    for (kind, count) in kinds {
        let _ = writeln!(text, "| {kind} | {count} |");
    }
    for (title, reasons) in [("why not executed", not_executed), ("why not sure on the host", unsure)] {
        let _ = write!(text, "\n| {title} | functions |\n|---|---|\n");
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (why, count) in reasons {
            let _ = writeln!(text, "| {why} | {count} |");
        }
    }
    text + "\n" + &wrong
}

/// A reason whose names and numbers are those of any.
fn without_numbers(why: &str) -> String {
    let why = why.split('`').enumerate().map(|(at, part)| {
        // Of an instruction the opcode tells enough.
        if at % 2 == 1 { part.split('.').next().unwrap_or_default() } else { part }
    });
    why.collect::<Vec<_>>().join("`")
}
