//! Measuring real PTX: how far each file of a folder comes through the stages.
//!
//! A file is judged in a process of its own ([`judge_aloud`], [`measure`]), so that one that brings LLVM down or
//! never ends costs its own verdict only. The stages are reported line by line as they pass; what is missing after the
//! last line is the stage that failed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_llvm::Context;

use crate::directive::Level;
use crate::oracle::Oracles;
use crate::sass::same_machine_code;
use crate::stage;

/// The environment variable that makes a process a judge of the file it names.
pub const JUDGE: &str = "PTX_SUITE_JUDGE";

/// One stage of the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Reads without errors.
    Parse,
    /// Verifies without errors.
    Verify,
    /// Prints, reads back as the same module, prints the same again.
    Print,
    /// The print comes to the same machine code.
    Sass,
    /// Lowers, and LLVM's verifier accepts.
    Lower,
    /// llc accepts the IR.
    Llc,
    /// Raises at -O0, and ptxas accepts.
    RaiseO0,
    /// Raises at -O2, and ptxas accepts.
    RaiseO2,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 8] = [
        Self::Parse,
        Self::Verify,
        Self::Print,
        Self::Sass,
        Self::Lower,
        Self::Llc,
        Self::RaiseO0,
        Self::RaiseO2,
    ];

    /// The column's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Verify => "verify",
            Self::Print => "print",
            Self::Sass => "sass",
            Self::Lower => "lower",
            Self::Llc => "llc",
            Self::RaiseO0 => "raise-O0",
            Self::RaiseO2 => "raise-O2",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == text)
    }
}

/// How a stage ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As it must.
    Pass,
    /// An error, or a judge that refuses.
    Fail(String),
    /// The process died or ran out of time there.
    Crash(String),
    /// Its judge is not installed.
    Skipped,
    /// An earlier stage failed.
    NotReached,
}

/// How far one file came.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// One verdict a stage, in the order of [`Stage::ALL`].
    pub verdicts: Vec<(Stage, Verdict)>,
}

impl Report {
    /// Whether every stage passed, or was skipped for want of its judge.
    pub fn passed(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| matches!(verdict, Verdict::Pass | Verdict::Skipped))
    }

    /// The first stage that did not pass, with what was said.
    pub fn failure(&self) -> Option<(Stage, &str)> {
        self.verdicts.iter().find_map(|(stage, verdict)| match verdict {
            Verdict::Fail(text) | Verdict::Crash(text) => Some((*stage, text.as_str())),
            Verdict::Pass | Verdict::Skipped | Verdict::NotReached => None,
        })
    }
}

/// Judges one file and writes the verdicts, a line each; what a program does first that finds [`JUDGE`] in its
/// environment.
///
/// # Errors
/// When the file cannot be read or the verdicts cannot be written.
pub fn judge_aloud(path: &Path, oracles: &Oracles, out: &mut dyn std::io::Write) -> Result<()> {
    judge(path, oracles, &mut |stage, verdict| {
        let (word, text) = match verdict {
            Verdict::Pass => ("pass", String::new()),
            Verdict::Skipped => ("skipped", String::new()),
            Verdict::NotReached => ("not-reached", String::new()),
            Verdict::Fail(text) | Verdict::Crash(text) => ("fail", text.replace('\n', "\x1f")),
        };
        writeln!(out, "{}\t{word}\t{text}", stage.as_str())?;
        Ok(out.flush()?)
    })
}

type Tell<'a> = &'a mut dyn FnMut(Stage, Verdict) -> Result<()>;

fn judge(path: &Path, oracles: &Oracles, tell: Tell<'_>) -> Result<()> {
    let source = SourceFile::new(path.to_string_lossy(), std::fs::read(path)?);
    let Some(module) = step(tell, Stage::Parse, stage::read(&source))? else { return Ok(()) };
    if step(tell, Stage::Verify, stage::verify(&module, &source).map(drop))?.is_none() {
        return Ok(());
    }
    // The stages from here on stand beside each other: the print is judged even when the lowering fails, and the
    // other way round.
    if let Some(printed) = step(tell, Stage::Print, print_twice(&module))? {
        if oracles.ptxas.is_some() && oracles.nvdisasm.is_some() {
            let text = String::from_utf8_lossy(source.text()).into_owned();
            step(tell, Stage::Sass, same_machine_code(oracles, &text, &printed))?;
        } else {
            tell(Stage::Sass, Verdict::Skipped)?;
        }
    } else {
        tell(Stage::Sass, Verdict::NotReached)?;
    }
    let Some(ir) = step(tell, Stage::Lower, lowered(&module, &source))? else { return Ok(()) };
    if oracles.llc.is_some() {
        step(tell, Stage::Llc, oracles.compile(&ir).map(drop))?;
    } else {
        tell(Stage::Llc, Verdict::Skipped)?;
    }
    step(tell, Stage::RaiseO0, raised(&ir, Level::O0, oracles))?;
    step(tell, Stage::RaiseO2, raised(&ir, Level::O2, oracles))?;
    Ok(())
}

fn step<T>(tell: Tell<'_>, stage: Stage, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => {
            tell(stage, Verdict::Pass)?;
            Ok(Some(value))
        }
        Err(error) => {
            tell(stage, Verdict::Fail(format!("{error:#}")))?;
            Ok(None)
        }
    }
}

fn print_twice(module: &ptx_ir::Module) -> Result<String> {
    let printed = ptx_ir::print(module);
    let again = stage::read_and_verify(&SourceFile::new("printed.ptx", printed.as_str()))?;
    ensure!(again == *module, "R1: the print reads back as another module");
    ensure!(ptx_ir::print(&again) == printed, "R2: printing again changes the text");
    Ok(printed)
}

fn lowered(module: &ptx_ir::Module, source: &SourceFile) -> Result<String> {
    let context = Context::new();
    Ok(stage::lower(module, source, &context, Level::O0)?.to_text())
}

fn raised(ir: &str, level: Level, oracles: &Oracles) -> Result<()> {
    let context = Context::new();
    let llvm = stage::read_llvm(&context, "lowered", ir)?;
    stage::optimize(&llvm, level)?;
    let ptx = stage::raise(&llvm)?;
    if oracles.ptxas.is_some() {
        oracles.assemble(&ptx)?;
    }
    Ok(())
}

/// Judges every file in a process of its own (`program`, which must call [`judge_aloud`] when it finds [`JUDGE`]),
/// `jobs` at a time. Reports are in the order of `files`.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(program: &Path, files: &[PathBuf], jobs: usize, limit: Duration) -> Result<Vec<Report>> {
    let next = AtomicUsize::new(0);
    let reports: Mutex<BTreeMap<usize, Result<Report>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(at) else { return };
                    let report = one(program, path, limit);
                    reports.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(at, report);
                }
            });
        }
    });
    let reports = reports.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    reports.into_values().collect()
}

fn one(program: &Path, path: &Path, limit: Duration) -> Result<Report> {
    let mut child = Command::new(program)
        .env(JUDGE, path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the judge cannot be started")?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let start = Instant::now();
    let (said, complaint, ending) = std::thread::scope(|scope| {
        let said = scope.spawn(move || slurp(out.as_mut()));
        let complaint = scope.spawn(move || slurp(err.as_mut()));
        let ending = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => break None,
                Ok(Some(status)) => break Some(status.to_string()),
                Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) => {
                    // The child may have ended by itself meanwhile; either way it is gone after this.
                    let _ = child.kill();
                    let _ = child.wait();
                    break Some(format!("no end after {} s", limit.as_secs()));
                }
                Err(error) => break Some(error.to_string()),
            }
        };
        (said.join().unwrap_or_default(), complaint.join().unwrap_or_default(), ending)
    });
    let mut verdicts = Vec::new();
    for line in said.lines() {
        let mut parts = line.splitn(3, '\t');
        let stage = parts.next().and_then(Stage::parse);
        let (Some(stage), Some(word)) = (stage, parts.next()) else { bail!("the judge says {line}") };
        let text = parts.next().unwrap_or_default().replace('\x1f', "\n");
        verdicts.push((
            stage,
            match word {
                "pass" => Verdict::Pass,
                "skipped" => Verdict::Skipped,
                "not-reached" => Verdict::NotReached,
                _ => Verdict::Fail(text),
            },
        ));
    }
    if let Some(ending) = ending {
        let stage = Stage::ALL.into_iter().find(|stage| verdicts.iter().all(|v| v.0 != *stage));
        let text = format!("{ending}: {}", complaint.trim());
        verdicts.push((stage.unwrap_or(Stage::RaiseO2), Verdict::Crash(text)));
    }
    for stage in Stage::ALL {
        if verdicts.iter().all(|v| v.0 != stage) {
            verdicts.push((stage, Verdict::NotReached));
        }
    }
    verdicts.sort_by_key(|v| v.0);
    Ok(Report { path: path.to_owned(), verdicts })
}

fn slurp(stream: Option<&mut impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // A broken pipe ends the text early; the verdicts that are missing then tell it.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A table of how many files pass each stage, and what the failures say.
pub fn summary(reports: &[Report]) -> String {
    let mut text = format!("{} files\n", reports.len());
    for stage in Stage::ALL {
        let count = |wanted: fn(&Verdict) -> bool| {
            let of_stage = reports.iter().flat_map(|r| &r.verdicts).filter(|v| v.0 == stage);
            of_stage.filter(|v| wanted(&v.1)).count()
        };
        text.push_str(&format!(
            "{:10} pass {:4}  fail {:4}  crash {:4}  not reached {:4}  skipped {:4}\n",
            stage.as_str(),
            count(|v| *v == Verdict::Pass),
            count(|v| matches!(v, Verdict::Fail(_))),
            count(|v| matches!(v, Verdict::Crash(_))),
            count(|v| *v == Verdict::NotReached),
            count(|v| *v == Verdict::Skipped),
        ));
    }
    let passed = reports.iter().filter(|r| r.passed()).count();
    let percent = 100.0 * passed as f64 / reports.len().max(1) as f64;
    text.push_str(&format!("{passed} of {} pass every stage ({percent:.1} %)\n", reports.len()));
    text
}

/// The failures of a stage by kind: what was said with names and numbers blanked, how often, and an example.
pub fn classes(reports: &[Report]) -> Vec<(Stage, String, Vec<PathBuf>)> {
    let mut classes: BTreeMap<(Stage, String), Vec<PathBuf>> = BTreeMap::new();
    for report in reports {
        for (stage, verdict) in &report.verdicts {
            let (Verdict::Fail(said) | Verdict::Crash(said)) = verdict else { continue };
            let line = said.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
            classes.entry((*stage, blank(line))).or_default().push(report.path.clone());
        }
    }
    let mut list: Vec<_> = classes.into_iter().map(|((stage, text), paths)| (stage, text, paths)).collect();
    list.sort_by_key(|class| (class.0, std::cmp::Reverse(class.2.len())));
    list
}

/// Leaves the words of a message and blanks its numbers.
fn blank(line: &str) -> String {
    let mut text = String::new();
    for c in line.chars().take(300) {
        match c {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            c => text.push(c),
        }
    }
    text
}

/// The files of a corpus that ptxas accepts: `manifest.tsv` names them in its first column, the verdict in the seventh.
///
/// # Errors
/// When the manifest cannot be read.
pub fn accepted_files(manifest: &Path, unpacked: &Path, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(manifest).with_context(|| manifest.display().to_string())?;
    let mut files = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, _, _, _, _, _, "accept", ..] = columns.as_slice() else { continue };
        if folders.iter().any(|folder| path.split('/').next() == Some(*folder)) {
            files.push(unpacked.join(path));
        }
    }
    Ok(files)
}

/// Unpacks the corpus archive below `target` once and returns the folder.
///
/// # Errors
/// When tar cannot unpack it.
pub fn unpack(archive: &Path, target: &Path) -> Result<PathBuf> {
    let folder = target.join("ptx-corpus");
    let finished = folder.join(".unpacked");
    if !finished.is_file() {
        std::fs::create_dir_all(&folder)?;
        let status = Command::new("tar").arg("-xJf").arg(archive).arg("-C").arg(&folder).status()?;
        ensure!(status.success(), "tar cannot unpack {}", archive.display());
        std::fs::write(finished, "")?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_grouped_by_what_is_said() {
        let report = |name: &str, said: &str| Report {
            path: name.into(),
            verdicts: vec![(Stage::Parse, Verdict::Fail(said.into()))],
        };
        let reports =
            [report("a", "3:1: no ld.x"), report("b", "41:17: no ld.x"), report("c", "1:1: no st.x")];
        let classes = classes(&reports);
        let told: Vec<_> = classes.iter().map(|c| (c.1.as_str(), c.2.len())).collect();
        assert_eq!(told, [("#:#: no ld.x", 2), ("#:#: no st.x", 1)]);
        assert!(summary(&reports).contains("0 of 3 pass"));
    }
}
