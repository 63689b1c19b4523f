//! What each `RUN:` line does.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_llvm_core::Context;

use crate::check;
use crate::directive::{Directives, Golden, Level, Run};
use crate::kept::keeps_all;
use crate::oracle::Oracles;
use crate::sass::same_machine_code;
use crate::skip::Skips;
use crate::stage;

/// Whether golden files are compared or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bless {
    /// Compare.
    No,
    /// Write (`BLESS=1`).
    Yes,
}

/// What trials share.
#[derive(Debug)]
pub struct Surroundings {
    /// The judges that were found.
    pub oracles: Oracles,
    /// What had to be left out.
    pub skips: Skips,
    /// Whether golden files are written.
    pub bless: Bless,
}

/// A test file and its directives.
#[derive(Debug)]
pub struct Case {
    /// Where it is.
    pub path: PathBuf,
    /// What the trials are called: the path inside `cases`, with `/`.
    pub name: String,
    /// What it says.
    pub directives: Directives,
    source: SourceFile,
}

/// The language of a test file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Ptx,
    Llvm,
}

impl Case {
    /// Reads a test file.
    ///
    /// # Errors
    /// When it cannot be read, or a directive is not understood.
    pub fn read(root: &Path, path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path)?;
        let directives = crate::directive::parse(path, &String::from_utf8_lossy(&bytes))?;
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        Ok(Self { path: path.to_owned(), source: SourceFile::new(name.as_str(), bytes), name, directives })
    }

    /// The text of the file.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    fn language(&self) -> Language {
        if self.path.extension().is_some_and(|e| e == "ll") { Language::Llvm } else { Language::Ptx }
    }

    fn text(&self) -> Result<&str> {
        Ok(std::str::from_utf8(self.source.text())?)
    }

    /// The golden file of a run, if it has one.
    pub fn golden_of(&self, run: &Run) -> Option<PathBuf> {
        let verb = match run {
            Run::Parse { golden: Golden::Yes } => "parse".to_owned(),
            Run::Lower { golden: Golden::Yes, level, .. } => format!("lower{}", level.as_str()),
            Run::Raise { golden: Golden::Yes, level, .. } => format!("raise{}", level.as_str()),
            Run::Parse { .. } | Run::Lower { .. } | Run::Raise { .. } => return None,
            Run::Error | Run::RoundTrip { .. } | Run::Exec => return None,
        };
        Some(self.path.with_extension(format!("{verb}.expected")))
    }

    /// What a run's trial is called, after the file's name.
    pub fn label(run: &Run) -> String {
        match run {
            Run::Parse { .. } => "parse".to_owned(),
            Run::Error => "error".to_owned(),
            Run::Lower { level, .. } => format!("lower{}", level.as_str()),
            Run::Raise { level, .. } => format!("raise{}", level.as_str()),
            Run::RoundTrip { levels, .. } => {
                let levels: Vec<_> = levels.iter().map(|l| l.as_str()).collect();
                format!("roundtrip{}", levels.concat())
            }
            Run::Exec => "exec".to_owned(),
        }
    }

    /// Does what a `RUN:` line asks for.
    ///
    /// # Errors
    /// When anything is not as the file says.
    pub fn run(&self, run: &Run, around: &Surroundings) -> Result<()> {
        match (run, self.language()) {
            (Run::Parse { .. }, Language::Ptx) => self.parse(run, around),
            (Run::Error, _) => self.errors(),
            (Run::Lower { level, check, .. }, Language::Ptx) => {
                let ir = self.lowered(*level)?;
                self.judge_ir(&ir, around)?;
                self.judge_text(run, check.as_deref(), &ir, around)
            }
            (Run::Raise { level, check, .. }, Language::Llvm) => {
                let ptx = self.raised(self.text()?, *level)?;
                self.judge_ptx(&ptx, around)?;
                self.judge_text(run, check.as_deref(), &ptx, around)
            }
            (Run::RoundTrip { levels, check }, language) => {
                for &level in levels {
                    let ptx = self.round_trip(language, level, around).with_context(|| level.as_str())?;
                    self.judge_text(run, check.as_deref(), &ptx, around).with_context(|| level.as_str())?;
                }
                Ok(())
            }
            (Run::Exec, Language::Ptx) => {
                // Blocks that share a thread must not wait for each other for ever; blocks on several may meet.
                let name = format!("cases/{}", self.name);
                self.execute_on(self.text()?, NonZeroUsize::MIN, Some(&name))
                    .context("on one host thread")?;
                self.execute(self.text()?)?;
                self.execute_compiled(self.text()?, around).context("compiled for the host")
            }
            (Run::Exec, Language::Llvm) => self.execute(&self.raised(self.text()?, Level::O0)?),
            (Run::Parse { .. } | Run::Lower { .. }, Language::Llvm) | (Run::Raise { .. }, Language::Ptx) => {
                bail!("this run does not fit the language of the file")
            }
        }
    }

    fn parse(&self, run: &Run, around: &Surroundings) -> Result<()> {
        let module = stage::read_and_verify(&self.source)?;
        let printed = ptx_ir::print(&module);
        let again = SourceFile::new("printed.ptx", printed.as_str());
        let reread = stage::read_and_verify(&again).context("the print does not read back")?;
        ensure!(reread == module, "R1: the print reads back as another module:\n{printed}");
        ensure!(ptx_ir::print(&reread) == printed, "R2: printing again changes the text:\n{printed}");
        keeps_all(self.text()?, &printed)?;
        if let Some(why) = &self.directives.skip_ptxas {
            around.skips.count(&format!("ptxas is not asked: {why}"));
        } else if around.oracles.ptxas.is_none() || around.oracles.nvdisasm.is_none() {
            around.skips.count("no ptxas: machine code of the print not compared");
        } else {
            same_machine_code(&around.oracles, self.text()?, &printed)?;
        }
        self.judge_text(run, None, &printed, around)
    }

    fn errors(&self) -> Result<()> {
        let findings = match self.language() {
            Language::Ptx => {
                // Findings of a reader or verifier that accepts are warnings; they are marked as well.
                match ptx_driver::read_ptx(&self.source, ptx_driver::Comments::Kept) {
                    Err(findings) => findings,
                    Ok((module, mut findings)) => {
                        let verified = ptx_verify::verify(&module);
                        findings.append(verified.map_or_else(|findings| findings, |(_, findings)| findings));
                        findings
                    }
                }
            }
            Language::Llvm => {
                let context = Context::new()?;
                let module = ptx_driver::read_llvm(&context, &self.source);
                let raised =
                    module.and_then(|(mut llvm, _)| ptx_driver::raise(&mut llvm, TargetChoice::default()));
                raised.map_or_else(|findings| findings, |(_, warnings)| warnings)
            }
        };
        let mut unmarked = Vec::new();
        let mut open: Vec<_> = self.directives.marks.iter().collect();
        for finding in &findings {
            let line = finding.span.map_or(0, |span| self.source.position(span.lo).line);
            let meant = open.iter().position(|mark| {
                mark.line == line && mark.code == finding.code.0 && finding.message.contains(&mark.text)
            });
            match meant {
                Some(at) => drop(open.remove(at)),
                None => unmarked.push(format!("line {line}: {} {}", finding.code.0, finding.message)),
            }
        }
        let missing: Vec<_> =
            open.iter().map(|m| format!("line {}: {} {}", m.line, m.code, m.text)).collect();
        ensure!(
            unmarked.is_empty() && missing.is_empty(),
            "diagnostics without a mark:\n  {}\nmarks without a diagnostic:\n  {}",
            unmarked.join("\n  "),
            missing.join("\n  ")
        );
        Ok(())
    }

    fn lowered(&self, level: Level) -> Result<String> {
        let module = stage::read(&self.source)?;
        let context = Context::new()?;
        Ok(stage::lower(&module, &self.source, &context, level)?.to_text())
    }

    fn raised(&self, ir: &str, level: Level) -> Result<String> {
        let context = Context::new()?;
        let mut llvm = stage::read_llvm(&context, &self.name, ir)?;
        stage::optimize(&mut llvm, level)?;
        stage::raise(&mut llvm)
    }

    fn round_trip(&self, language: Language, level: Level, around: &Surroundings) -> Result<String> {
        let ptx = match language {
            Language::Ptx => {
                let ir = self.lowered(level)?;
                self.raised(&ir, Level::O0)?
            }
            Language::Llvm => {
                let ptx = self.raised(self.text()?, level)?;
                self.judge_ptx(&ptx, around)?;
                let source = SourceFile::new("raised.ptx", ptx.as_str());
                let context = Context::new()?;
                let ir = stage::lower(&stage::read(&source)?, &source, &context, Level::O0)?.to_text();
                self.judge_ir(&ir, around)?;
                self.raised(&ir, Level::O0)?
            }
        };
        self.judge_ptx(&ptx, around)?;
        self.execute(&ptx).with_context(|| format!("after the round trip:\n{ptx}"))?;
        Ok(ptx)
    }

    /// Executes all launches on two host threads: the suite runs its trials in parallel already.
    fn execute(&self, ptx: &str) -> Result<()> {
        self.execute_on(ptx, NonZeroUsize::MIN.saturating_add(1), None)
    }

    fn execute_on(&self, ptx: &str, threads: NonZeroUsize, recorded: Option<&str>) -> Result<()> {
        let source = SourceFile::new(self.name.as_str(), ptx);
        let mut launches = self.directives.launches.iter();
        launches.try_for_each(|launch| stage::execute(&source, launch, threads, recorded))
    }

    /// Executes all launches as code for the host, as far as there is code for them.
    fn execute_compiled(&self, ptx: &str, around: &Surroundings) -> Result<()> {
        let source = SourceFile::new(self.name.as_str(), ptx);
        for launch in &self.directives.launches {
            let threads = NonZeroUsize::MIN.saturating_add(1);
            if let Some(why) = stage::execute_compiled(&source, launch, threads)? {
                around.skips.count(&format!("not compiled for the host: {why}"));
            }
        }
        Ok(())
    }

    fn judge_ptx(&self, ptx: &str, around: &Surroundings) -> Result<()> {
        if around.oracles.ptxas.is_none() {
            around.skips.count("no ptxas: emitted PTX not judged");
            return Ok(());
        }
        around.oracles.accept(ptx).with_context(|| format!("emitted PTX:\n{ptx}"))
    }

    fn judge_ir(&self, ir: &str, around: &Surroundings) -> Result<()> {
        if around.oracles.llc.is_none() {
            around.skips.count("no llc: emitted LLVM IR not judged");
            return Ok(());
        }
        let ptx = around.oracles.compile(ir).with_context(|| format!("emitted LLVM IR:\n{ir}"))?;
        self.execute(&ptx).with_context(|| format!("after llc:\n{ptx}\nfrom\n{ir}"))
    }

    fn judge_text(&self, run: &Run, prefix: Option<&str>, text: &str, around: &Surroundings) -> Result<()> {
        if let Some(prefix) = prefix {
            let checks: Vec<_> = self.directives.checks.iter().filter(|c| c.prefix == prefix).collect();
            check::run(&checks, text)?;
        }
        let Some(path) = self.golden_of(run) else { return Ok(()) };
        match around.bless {
            Bless::Yes => Ok(std::fs::write(path, text)?),
            Bless::No => {
                let golden = std::fs::read_to_string(&path)
                    .with_context(|| format!("{} is missing (BLESS=1 writes it)", path.display()))?;
                ensure!(golden == text, "{} differs:\n{}", path.display(), difference(&golden, text));
                Ok(())
            }
        }
    }
}

fn difference(golden: &str, text: &str) -> String {
    similar::TextDiff::from_lines(golden, text).unified_diff().context_radius(2).to_string()
}

/// Reads all cases below `root` and lists what belongs to none of them.
///
/// # Errors
/// When a folder cannot be read. A case that cannot be read is returned with its error.
pub fn collect(root: &Path) -> Result<(Vec<Case>, Vec<String>)> {
    let (mut cases, mut complaints) = (Vec::new(), Vec::new());
    let (mut claimed, mut others) = (BTreeSet::new(), Vec::new());
    for path in files(root)? {
        match path.extension().and_then(|e| e.to_str()) {
            Some("ptx" | "ll") => match Case::read(root, &path) {
                Ok(case) => {
                    claimed.extend(case.directives.files.iter().cloned());
                    claimed.extend(case.directives.runs.iter().filter_map(|run| case.golden_of(run)));
                    cases.push(case);
                }
                Err(error) => complaints.push(format!("{}: {error:#}", path.display())),
            },
            // CUDA sources are beside the PTX made of them, scripts beside the expectations they compute.
            Some("cu" | "py") => {}
            _ => others.push(path),
        }
    }
    let orphans = others.iter().filter(|path| !claimed.contains(*path));
    complaints.extend(orphans.map(|path| format!("{}: no test mentions this file", path.display())));
    Ok((cases, complaints))
}

pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        collect(folder.path()).unwrap().1
    }

    #[test]
    fn files_that_no_test_mentions_are_reported() {
        let golden = ("a.ptx", "// RUN: parse golden\n");
        assert!(complaints(&[golden, ("a.parse.expected", ""), ("a.cu", "")]).is_empty());
        assert_eq!(complaints(&[golden, ("a.lower-O0.expected", "")]).len(), 1);
        assert_eq!(complaints(&[golden, ("b.bin", "")]).len(), 1);
        assert_eq!(complaints(&[("a.ptx", "ret;\n")]).len(), 1, "a file without a run");
    }

    #[test]
    fn a_missing_golden_file_fails_unless_blessed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ptx");
        std::fs::write(&path, "// RUN: parse golden\n.version 8.0\n.target sm_80\n").unwrap();
        let case = Case::read(folder.path(), &path).unwrap();
        let run = |bless| {
            let around = Surroundings { oracles: Oracles::default(), skips: Skips::default(), bless };
            case.run(&case.directives.runs[0], &around)
        };
        assert!(run(Bless::No).is_err());
        run(Bless::Yes).unwrap();
        run(Bless::No).unwrap();
    }
}
