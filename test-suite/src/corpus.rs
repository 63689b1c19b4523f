//! Measuring real PTX: how far each file of a folder comes through the stages.
//!
//! A file is judged in a process of its own ([`judge_aloud`], [`measure`]), so that one that brings LLVM down or
//! never ends costs its own verdict only. The stages are reported line by line as they pass; what is missing after the
//! last line is the stage that failed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_isa::PtxVersion;
use ptx_llvm_core::Context;

use crate::access::{self, Counts};
use crate::directive::Level;
use crate::judge::{Ended, in_parallel, supervise};
use crate::kept::keeps_all;
use crate::oracle::Oracles;
use crate::sass::same_machine_code;
use crate::stage;

/// The environment variable that makes a process a judge of the file it names.
pub const JUDGE: &str = "PTX_SUITE_JUDGE";
/// The environment variable that names the stages a judge goes through.
pub const STAGES: &str = "PTX_SUITE_STAGES";
/// The newest PTX that LLVM 22 knows.
const LLC_PTX: PtxVersion = PtxVersion::new(9, 0);
/// What the line of a judge begins with that tells the counts.
const COUNTS: &str = "counts";

/// One stage of the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Reads without errors.
    Parse,
    /// Verifies without errors.
    Verify,
    /// Prints, reads back as the same module, prints the same again.
    Print,
    /// The print holds every comment, debug directive, pragma and section, in place.
    Kept,
    /// The print comes to the same machine code.
    Sass,
    /// Lowers, and LLVM's verifier accepts.
    Lower,
    /// llc accepts the IR; for PTX that is not newer than what LLVM knows.
    Llc,
    /// ptxas accepts what llc makes of it.
    LlcPtxas,
    /// Raises at -O0, and ptxas accepts.
    RaiseO0,
    /// Raises at -O2, and ptxas accepts.
    RaiseO2,
    /// The stock opt -O3 takes the IR; what comes out raises, and ptxas accepts.
    StockO3,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 11] = [
        Self::Parse,
        Self::Verify,
        Self::Print,
        Self::Kept,
        Self::Sass,
        Self::Lower,
        Self::Llc,
        Self::LlcPtxas,
        Self::RaiseO0,
        Self::RaiseO2,
        Self::StockO3,
    ];

    /// What the front half does, with no judge but the input itself.
    pub const PRINTING: [Self; 4] = [Self::Parse, Self::Verify, Self::Print, Self::Kept];

    /// The column's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Verify => "verify",
            Self::Print => "print",
            Self::Kept => "kept",
            Self::Sass => "sass",
            Self::Lower => "lower",
            Self::Llc => "llc",
            Self::LlcPtxas => "llc-ptxas",
            Self::RaiseO0 => "raise-O0",
            Self::RaiseO2 => "raise-O2",
            Self::StockO3 => "opt-O3",
        }
    }

    /// The stage of that name.
    pub fn parse(text: &str) -> Option<Self> {
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
    /// It was not asked for, or its judge is not installed.
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
    /// What its lowering amounts to; zeros when it was not lowered.
    pub counts: Counts,
}

impl Report {
    /// Whether every stage passed, or was skipped.
    pub fn passed_all(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| matches!(verdict, Verdict::Pass | Verdict::Skipped))
    }

    /// Whether the stage passed.
    pub fn passed(&self, stage: Stage) -> bool {
        self.verdicts.contains(&(stage, Verdict::Pass))
    }

    /// Whether the stage was meant to be gone through.
    pub fn judged(&self, stage: Stage) -> bool {
        self.verdicts.iter().any(|(found, verdict)| *found == stage && *verdict != Verdict::Skipped)
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
/// environment. Stages that are not among `stages` (names parted by commas; all without it) are skipped, but for
/// reading.
///
/// # Errors
/// When the file cannot be read or the verdicts cannot be written.
pub fn judge_aloud(
    path: &Path,
    stages: Option<&str>,
    oracles: &Oracles,
    out: &mut dyn std::io::Write,
) -> Result<()> {
    let source = SourceFile::new(path.to_string_lossy(), std::fs::read(path)?);
    let wanted = match stages {
        Some(names) => names.split(',').filter_map(Stage::parse).collect(),
        None => Stage::ALL.to_vec(),
    };
    Judge { source, wanted, oracles, out }.judge()
}

struct Judge<'a> {
    source: SourceFile,
    wanted: Vec<Stage>,
    oracles: &'a Oracles,
    out: &'a mut dyn std::io::Write,
}

impl Judge<'_> {
    fn judge(&mut self) -> Result<()> {
        let Some(module) = self.step(Stage::Parse, |judge| stage::read(&judge.source))? else {
            return Ok(());
        };
        let verified = self.step(Stage::Verify, |judge| stage::verify(&module, &judge.source).map(drop))?;
        if verified.is_none() && self.wants(Stage::Verify) {
            return Ok(());
        }
        // The stages from here on are beside each other: the print is judged even when the lowering fails, and the
        // other way round.
        self.judge_print(&module)?;
        self.judge_lowering(&module)
    }

    fn judge_print(&mut self, module: &ptx_ir::Module) -> Result<()> {
        let after = [Stage::Kept, Stage::Sass];
        if !self.wants(Stage::Print) && !after.iter().any(|stage| self.wants(*stage)) {
            return after.iter().chain(&[Stage::Print]).try_for_each(|stage| self.skip(*stage));
        }
        let Some(printed) = self.forced(Stage::Print, |_| print_twice(module))? else {
            return after.iter().try_for_each(|stage| self.tell(*stage, &Verdict::NotReached));
        };
        let text = String::from_utf8_lossy(self.source.text()).into_owned();
        self.step(Stage::Kept, |_| keeps_all(&text, &printed))?;
        if self.oracles.ptxas.is_some() && self.oracles.nvdisasm.is_some() {
            self.step(Stage::Sass, |judge| same_machine_code(judge.oracles, &text, &printed))?;
        } else {
            self.skip(Stage::Sass)?;
        }
        Ok(())
    }

    fn judge_lowering(&mut self, module: &ptx_ir::Module) -> Result<()> {
        let after = [Stage::Llc, Stage::LlcPtxas, Stage::RaiseO0, Stage::RaiseO2, Stage::StockO3];
        if !self.wants(Stage::Lower) && !after.iter().any(|stage| self.wants(*stage)) {
            return after.iter().chain(&[Stage::Lower]).try_for_each(|stage| self.skip(*stage));
        }
        let lowered = self.forced(Stage::Lower, |judge| lowered(module, &judge.source))?;
        let Some((ir, counts)) = lowered else { return Ok(()) };
        let Counts { accesses, known, instructions, assembly } = counts;
        writeln!(self.out, "{COUNTS}\t{accesses}\t{known}\t{instructions}\t{assembly}")?;
        self.judge_llc(module, &ir)?;
        self.step(Stage::RaiseO0, |judge| raised(&ir, Level::O0, judge.oracles))?;
        self.step(Stage::RaiseO2, |judge| raised(&ir, Level::O2, judge.oracles))?;
        if self.oracles.opt.is_some() {
            self.step(Stage::StockO3, |judge| {
                raised(&judge.oracles.optimize(&ir)?, Level::O0, judge.oracles)
            })?;
        } else {
            self.skip(Stage::StockO3)?;
        }
        Ok(())
    }

    fn judge_llc(&mut self, module: &ptx_ir::Module, ir: &str) -> Result<()> {
        let known = module.version().is_none_or(|version| version <= LLC_PTX);
        let wanted = self.wants(Stage::Llc) || self.wants(Stage::LlcPtxas);
        if self.oracles.llc.is_none() || !known || !wanted {
            return [Stage::Llc, Stage::LlcPtxas].iter().try_for_each(|stage| self.skip(*stage));
        }
        let Some(ptx) = self.forced(Stage::Llc, |judge| judge.oracles.compile(ir))? else {
            return self.tell(Stage::LlcPtxas, &Verdict::NotReached);
        };
        if self.oracles.ptxas.is_none() {
            return self.skip(Stage::LlcPtxas);
        }
        self.step(Stage::LlcPtxas, |judge| judge.oracles.accept(&ptx))?;
        Ok(())
    }

    fn wants(&self, stage: Stage) -> bool {
        self.wanted.contains(&stage)
    }

    fn skip(&mut self, stage: Stage) -> Result<()> {
        self.tell(stage, &Verdict::Skipped)
    }

    /// A stage that is only gone through when it is asked for; reading always is.
    fn step<T>(&mut self, stage: Stage, run: impl FnOnce(&Self) -> Result<T>) -> Result<Option<T>> {
        if stage == Stage::Parse || self.wants(stage) {
            return self.forced(stage, run);
        }
        self.skip(stage)?;
        Ok(None)
    }

    fn forced<T>(&mut self, stage: Stage, run: impl FnOnce(&Self) -> Result<T>) -> Result<Option<T>> {
        match run(self) {
            Ok(value) => {
                self.tell(stage, &Verdict::Pass)?;
                Ok(Some(value))
            }
            Err(error) => {
                self.tell(stage, &Verdict::Fail(format!("{error:#}")))?;
                Ok(None)
            }
        }
    }

    fn tell(&mut self, stage: Stage, verdict: &Verdict) -> Result<()> {
        let (word, text) = match verdict {
            Verdict::Pass => ("pass", String::new()),
            Verdict::Skipped => ("skipped", String::new()),
            Verdict::NotReached => ("not-reached", String::new()),
            Verdict::Fail(text) | Verdict::Crash(text) => ("fail", text.replace('\n', "\x1f")),
        };
        writeln!(self.out, "{}\t{word}\t{text}", stage.as_str())?;
        Ok(self.out.flush()?)
    }
}

fn print_twice(module: &ptx_ir::Module) -> Result<String> {
    let printed = ptx_ir::print(module);
    let again = stage::read_and_verify(&SourceFile::new("printed.ptx", printed.as_str()))?;
    ensure!(again == *module, "R1: the print reads back as another module");
    ensure!(ptx_ir::print(&again) == printed, "R2: printing again changes the text");
    Ok(printed)
}

fn lowered(module: &ptx_ir::Module, source: &SourceFile) -> Result<(String, Counts)> {
    let context = Context::new()?;
    let llvm = stage::lower(module, source, &context, Level::O0)?;
    let counts = access::count(module, &llvm)?;
    Ok((llvm.to_text(), counts))
}

fn raised(ir: &str, level: Level, oracles: &Oracles) -> Result<()> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, "lowered", ir)?;
    stage::optimize(&mut llvm, level)?;
    let ptx = stage::raise(&mut llvm)?;
    if oracles.ptxas.is_some() {
        oracles.accept(&ptx)?;
    }
    Ok(())
}

/// Judges every file in a process of its own (`program`, which must call [`judge_aloud`] when it finds [`JUDGE`]),
/// `jobs` at a time. Reports are in the order of `files`.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(
    program: &Path,
    stages: &[Stage],
    files: &[PathBuf],
    jobs: usize,
    limit: Duration,
) -> Result<Vec<Report>> {
    let stages = stages.iter().map(|stage| stage.as_str()).collect::<Vec<_>>().join(",");
    in_parallel(files, jobs, |path| one(program, &stages, path, limit)).into_iter().collect()
}

fn one(program: &Path, stages: &str, path: &Path, limit: Duration) -> Result<Report> {
    let mut command = Command::new(program);
    let Ended { said, complaint, ending } = supervise(command.env(JUDGE, path).env(STAGES, stages), limit)?;
    let mut verdicts = Vec::new();
    let mut counts = Counts::default();
    for line in said.lines() {
        if let Some(numbers) = line.strip_prefix(COUNTS) {
            counts = read_counts(numbers).with_context(|| format!("the judge says {line}"))?;
            continue;
        }
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
        verdicts.push((stage.unwrap_or(Stage::StockO3), Verdict::Crash(text)));
    }
    for stage in Stage::ALL {
        if verdicts.iter().all(|v| v.0 != stage) {
            let asked = stages.split(',').any(|name| name == stage.as_str());
            verdicts.push((stage, if asked { Verdict::NotReached } else { Verdict::Skipped }));
        }
    }
    verdicts.sort_by_key(|v| v.0);
    Ok(Report { path: path.to_owned(), verdicts, counts })
}

fn read_counts(text: &str) -> Option<Counts> {
    let numbers: Vec<u64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [accesses, known, instructions, assembly] = *numbers.as_slice() else { return None };
    Some(Counts { accesses, known, instructions, assembly })
}

/// A table of how many files of each producer (the folder a file lies in) pass each stage, in Markdown: `7` when all
/// 7 pass, `5 of 7` when not, `-` when none was judged.
pub fn summary(reports: &[Report]) -> String {
    let stages: Vec<Stage> =
        Stage::ALL.into_iter().filter(|stage| reports.iter().any(|r| r.judged(*stage))).collect();
    let mut text = String::from("| producer | files |");
    stages.iter().for_each(|stage| text.push_str(&format!(" {} |", stage.as_str())));
    text.push_str("\n|---|---:|");
    text.push_str(&"---:|".repeat(stages.len()));
    text.push('\n');
    for (producer, reports) in by_producer(reports) {
        text.push_str(&format!("| {producer} | {} |", reports.len()));
        for stage in &stages {
            let judged = reports.iter().filter(|report| report.judged(*stage)).count();
            let passed = reports.iter().filter(|report| report.passed(*stage)).count();
            match judged {
                0 => text.push_str(" - |"),
                _ if judged == passed => text.push_str(&format!(" {passed} |")),
                _ => text.push_str(&format!(" {passed} of {judged} |")),
            }
        }
        text.push('\n');
    }
    let passed = reports.iter().filter(|r| r.passed_all()).count();
    let percent = 100.0 * passed as f64 / reports.len().max(1) as f64;
    text.push_str(&format!("\n{passed} of {} pass every stage ({percent:.1} %)\n", reports.len()));
    text
}

/// A table of what the lowering of each producer's files amounts to, in Markdown.
pub fn counts_table(reports: &[Report]) -> String {
    let percent = |part: u64, whole: u64| match whole {
        0 => "-".to_owned(),
        _ => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
    };
    let mut text = String::from(
        "| producer | accesses | through known pointers | instructions | as inline assembly |\n|---|---:|---:|---:|---:|\n",
    );
    for (producer, reports) in by_producer(reports) {
        let mut sum = Counts::default();
        reports.iter().for_each(|report| sum += report.counts);
        let Counts { accesses, known, instructions, assembly } = sum;
        let (known, inline) = (percent(known, accesses), percent(assembly, instructions));
        text.push_str(&format!(
            "| {producer} | {accesses} | {known} | {instructions} | {assembly} ({inline}) |\n"
        ));
    }
    text
}

/// The reports of each producer in the order of the alphabet, then all.
fn by_producer(reports: &[Report]) -> Vec<(String, Vec<&Report>)> {
    let mut producers: BTreeMap<String, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        let folder = report.path.parent().and_then(Path::file_name).unwrap_or_default();
        producers.entry(folder.to_string_lossy().into_owned()).or_default().push(report);
    }
    let mut rows: Vec<_> = producers.into_iter().collect();
    rows.push(("all".to_owned(), reports.iter().collect()));
    rows
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

/// The files of a corpus that ptxas accepts, of these folders or of all when none is named: `manifest.tsv` names them in
/// its first column, the verdict in the seventh.
///
/// # Errors
/// When the manifest cannot be read.
pub fn accepted_files(manifest: &Path, unpacked: &Path, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(manifest).with_context(|| manifest.display().to_string())?;
    let mut files = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, _, _, _, _, _, "accept", ..] = columns.as_slice() else { continue };
        if folders.is_empty() || folders.iter().any(|folder| path.split('/').next() == Some(*folder)) {
            files.push(unpacked.join(path));
        }
    }
    Ok(files)
}

/// The real PTX that is part of the repository: what compilers make of sources of the project, in the order of the folders and names.
///
/// # Errors
/// When a folder cannot be read.
pub fn own_files() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in
        ["corpus/clang", "corpus/numba", "cases/bench", "cases/cuda", "cases/toolkit", "cases/triton"]
    {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let from = files.len();
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            files.push(entry?.path());
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
        files[from..].sort();
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
            counts: Counts::default(),
        };
        let reports =
            [report("a", "3:1: no ld.x"), report("b", "41:17: no ld.x"), report("c", "1:1: no st.x")];
        let classes = classes(&reports);
        let told: Vec<_> = classes.iter().map(|c| (c.1.as_str(), c.2.len())).collect();
        assert_eq!(told, [("#:#: no ld.x", 2), ("#:#: no st.x", 1)]);
        assert!(summary(&reports).contains("| all | 3 | 0 of 3 |"));
    }
}
