//! Changed tokens against ptxas: `cargo xtask grammar`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use ptx_isa::{FormId, Sm};
use test_suite::grammar::{Change, MODULES, Ours, Reasons, Side, generate, generate_each, judge, kind_of};
use test_suite::oracle::Oracles;

use crate::cargo::jobs;
use crate::corpus::oracles;

/// How many changes are generated and judged before the time is looked at.
const ROUND: usize = 600;

/// What is changed and judged.
#[derive(Args)]
pub(crate) struct GrammarArguments {
    /// Statements to check instead of generating any; `-` reads them from standard input
    #[arg(allow_hyphen_values = true)]
    lines: Vec<String>,
    /// Duration in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Percentage of mutations that are of whole modules
    #[arg(long, default_value_t = 40)]
    modules: usize,
    /// Instead, replace each operand of an instruction of every row, one at a time
    #[arg(long)]
    each: bool,
    /// With `--each`, begin at the first row of this opcode, in the order of the table
    #[arg(long, requires = "each")]
    from: Option<String>,
    /// A folder with further modules whose tokens are changed
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Lines to show of each kind of difference
    #[arg(long, default_value_t = 3)]
    examples: usize,
    /// A file that gets every difference, whole modules included
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Prints the lines on which ptxas and we differ, those without a written reason by what the message says.
pub(crate) fn compare(arguments: &GrammarArguments) -> Result<()> {
    let oracles = oracles();
    ensure!(oracles.ptxas.is_some(), "this needs ptxas: scripts/setup, or PTX_ORACLE");
    if !arguments.lines.is_empty() {
        return judge_lines(&arguments.lines, &oracles);
    }
    let mut modules: Vec<(String, String)> =
        MODULES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    if let Some(folder) = &arguments.folder {
        modules.extend(agreed(read_modules(folder)?, &oracles)?);
    }
    let mut kept = arguments.keep.as_ref().map(fs::File::create).transpose()?;
    let mut tally = Tally { reasons: Reasons::own()?, ..Tally::default() };
    let start = Instant::now();
    if arguments.each {
        let is_first = |row: &FormId| {
            arguments.from.as_deref().is_none_or(|from| ptx_isa::form(*row).opcode.as_str() == from)
        };
        let rows: Vec<FormId> = ptx_isa::form_ids().skip_while(|row| !is_first(row)).collect();
        for rows in rows.chunks(8) {
            let changes = rows.iter().flat_map(|row| generate_each(arguments.seed, *row)).collect::<Vec<_>>();
            tally.judge(&changes, &oracles, kept.as_mut())?;
        }
        return tally.print(&mut std::io::stdout().lock(), arguments.examples);
    }
    let mut seed = arguments.seed;
    while start.elapsed() < Duration::from_secs(arguments.seconds) {
        let changes = generate(seed, ROUND, &modules, arguments.modules);
        tally.judge(&changes, &oracles, kept.as_mut())?;
        seed += 1;
    }
    tally.print(&mut std::io::stdout().lock(), arguments.examples)
}

fn read_modules(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut modules = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        // What is no text is not for changing tokens.
        if let Ok(text) = fs::read_to_string(&path) {
            let text: Vec<&str> = text.lines().skip_while(|line| line.starts_with("//")).collect();
            modules.push((name.to_owned(), text.join("\n") + "\n"));
        }
    }
    modules.sort();
    Ok(modules)
}

/// Those that both accept as they are.
fn agreed(modules: Vec<(String, String)>, oracles: &Oracles) -> Result<Vec<(String, String)>> {
    let whole = |(name, text): &(String, String)| Change::module(name, "", text.clone());
    let changes: Vec<Change> = modules.iter().map(whole).collect();
    let verdicts = judge(oracles, &changes, jobs())?;
    let both = |(change, theirs): (&Change, &Option<String>)| {
        theirs.is_none() && change.difference(theirs.as_deref()).is_none()
    };
    let agreed = changes.iter().zip(&verdicts).map(both);
    Ok(modules.into_iter().zip(agreed).filter_map(|(module, agreed)| agreed.then_some(module)).collect())
}

/// Judges statements as they are.
fn judge_lines(lines: &[String], oracles: &Oracles) -> Result<()> {
    let mut all: Vec<String> = lines.iter().filter(|line| *line != "-").cloned().collect();
    if all.len() < lines.len() {
        all.extend(std::io::stdin().lock().lines().collect::<std::io::Result<Vec<_>>>()?);
    }
    let changes: Vec<Change> = all.iter().map(|line| Change::statement(line, Sm::arch(100))).collect();
    let verdicts = judge(oracles, &changes, jobs())?;
    let mut out = std::io::stdout().lock();
    for (change, theirs) in changes.iter().zip(&verdicts) {
        let side = change.difference(theirs.as_deref());
        let side = match &side {
            Some((side, _)) => side.as_str(),
            None => "same",
        };
        let ours = match &change.ours {
            Ours::Accepted => "accepted",
            Ours::Misprinted(why) | Ours::Unreadable(why) | Ours::Refused(why) => why,
        };
        let theirs = match theirs {
            Some(why) => why,
            None => "accepted",
        };
        writeln!(out, "{side}\t{}\twe: {ours}\tptxas: {theirs}", change.line)?;
    }
    Ok(())
}

/// What was judged so far.
#[derive(Default)]
struct Tally {
    reasons: Reasons,
    judged: usize,
    accepted: usize,
    explained: BTreeMap<String, usize>,
    kinds: BTreeMap<(Side, String), Kind>,
}

/// Differences with messages of one kind.
#[derive(Default)]
struct Kind {
    count: usize,
    origins: BTreeMap<String, usize>,
    examples: Vec<(String, String)>,
}

impl Tally {
    fn judge(
        &mut self,
        changes: &[Change],
        oracles: &Oracles,
        mut kept: Option<&mut fs::File>,
    ) -> Result<()> {
        let verdicts = judge(oracles, changes, jobs())?;
        for (change, theirs) in changes.iter().zip(&verdicts) {
            self.add(change, theirs.as_deref());
            if let (Some((side, message)), Some(file)) = (change.difference(theirs.as_deref()), kept.as_mut())
            {
                writeln!(file, "{}\t{}\t{message}\t{}", side.as_str(), change.line, change.text())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, change: &Change, theirs: Option<&str>) {
        self.judged += 1;
        self.accepted += usize::from(theirs.is_none());
        let Some((side, message)) = change.difference(theirs) else { return };
        if let Some(reason) = self.reasons.explain(side, &change.line, message) {
            *self.explained.entry(reason.to_owned()).or_default() += 1;
            return;
        }
        let kind = self.kinds.entry((side, kind_of(message))).or_default();
        kind.count += 1;
        *kind.origins.entry(change.origin.clone()).or_default() += 1;
        kind.examples.push((change.line.clone(), message.to_owned()));
    }

    /// Prints the kinds without a reason, the most frequent last, and how often each reason was needed.
    fn print(&self, out: &mut impl Write, examples: usize) -> Result<()> {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, kind)| kind.count);
        for ((side, name), kind) in &kinds {
            let origins: Vec<String> =
                kind.origins.iter().map(|(origin, count)| format!("{origin} {count}")).collect();
            writeln!(out, "{} x {}: {name} ({})", kind.count, side.as_str(), origins.join(", "))?;
            let mut shortest: Vec<_> = kind.examples.iter().collect();
            shortest.sort_by_key(|(line, _)| line.len());
            for (line, message) in shortest.into_iter().take(examples) {
                writeln!(out, "    {}    // {message}", line.trim())?;
            }
        }
        for (reason, count) in &self.explained {
            writeln!(out, "{count} explained: {reason}")?;
        }
        let open: usize = self.kinds.values().map(|kind| kind.count).sum();
        let explained: usize = self.explained.values().sum();
        writeln!(
            out,
            "{} judged, ptxas accepts {}; {open} differences of {} kinds without a reason, {explained} with one",
            self.judged,
            self.accepted,
            self.kinds.len()
        )?;
        Ok(())
    }
}
