//! What a way through LLVM IR costs: the machine code of real PTX before and after.
//!
//! PTX is lowered, optimized or not, and made PTX again by this project's emitter or by LLVM's backend. ptxas assembles both
//! texts, and each function is compared with itself: whether its machine code is the same, how many instructions and registers
//! it has, whether it spills, how far ptxas unrolls its loops. A file is judged in a process of its own, which LLVM's backend may end.
//!
//! LLVM IR (`.ll`) is judged the same way; the original then is what LLVM's backend makes of it at -O2.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_llvm_core::Context;

use crate::directive::Level;
use crate::judge::{Ended, in_parallel, supervise};
use crate::machine::{Code, machine_code, without_unrolling};
use crate::oracle::Oracles;
use crate::reasons::Reasons;
use crate::stage;

/// A function that grows more than this is listed.
const MOST_GROWTH: f64 = 1.15;
/// A function whose loops lose more than this part of what unrolling added is listed,
const MOST_LOSS: f64 = 1.0 / 3.0;
/// when unrolling had added at least so many instructions.
const LEAST_ADDED: usize = 8;

/// A way from PTX to PTX.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// Raised without optimization.
    O0,
    /// Optimized at -O2 and raised.
    O2,
    /// LLVM's backend, without optimization before it.
    LlvmO0,
    /// Optimized at -O2, then LLVM's backend.
    LlvmO2,
}

impl Way {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::O0, Self::O2, Self::LlvmO0, Self::LlvmO2];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O0 => "O0",
            Self::O2 => "O2",
            Self::LlvmO0 => "llvm-O0",
            Self::LlvmO2 => "llvm-O2",
        }
    }

    /// The way of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.as_str() == text)
    }

    /// Whether this project's emitter writes the PTX.
    const fn is_ours(self) -> bool {
        match self {
            Self::O0 | Self::O2 => true,
            Self::LlvmO0 | Self::LlvmO2 => false,
        }
    }

    const fn level(self) -> Level {
        match self {
            Self::O0 | Self::LlvmO0 => Level::O0,
            Self::O2 | Self::LlvmO2 => Level::O2,
        }
    }
}

/// One function before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The file.
    pub path: PathBuf,
    /// The function's name.
    pub function: String,
    /// What the original comes to.
    pub before: Code,
    /// What came back; nothing when the function is gone.
    pub after: Option<Code>,
}

impl Pair {
    /// Instructions after over instructions before, both without unrolling: code whose loops ptxas unrolls no longer is short, and worse.
    fn growth(&self) -> Option<f64> {
        let after = self.after?;
        (self.before.rolled > 0).then(|| after.rolled as f64 / self.before.rolled as f64)
    }

    /// Copies of the loops after over copies before, where unrolling adds something before or after and loops are left.
    fn unrolled(&self) -> Option<f64> {
        let after = self.after?;
        let (before, after) = ((self.before, self.before.copies()?), (after, after.copies()?));
        (before.0.added() >= LEAST_ADDED || after.0.added() >= LEAST_ADDED).then(|| after.1 / before.1)
    }

    /// Whether ptxas makes fewer copies of its loops: unrolling adds less, and less to each of their instructions. Half as many instructions with as
    /// many copies are not a loss, nor are a few more instructions that unrolling leaves out of the copies.
    fn is_rolled(&self) -> bool {
        let (before, Some(after)) = (self.before, self.after) else { return false };
        let (Some(copies), Some(left)) = (before.copies(), after.copies()) else { return false };
        let is_less = |after: f64, before: f64| after < (1.0 - MOST_LOSS) * before;
        before.added() >= LEAST_ADDED
            && is_less(left - 1.0, copies - 1.0)
            && is_less(after.added() as f64, before.added() as f64)
    }

    /// Whether it spills more, and not to where its variables were: code that was compiled without optimization keeps them in
    /// local memory, and where they come to registers that have to be saved it is to the same memory.
    fn spills_anew(&self) -> bool {
        self.after.is_some_and(|after| after.spilled > self.before.spilled && after.frame > self.before.frame)
    }

    fn is_longer(&self) -> bool {
        self.growth().is_some_and(|growth| growth > MOST_GROWTH)
    }

    fn findings(&self) -> impl Iterator<Item = Finding> {
        let longer = self.is_longer().then_some(Finding::Longer);
        let spills = self.spills_anew().then_some(Finding::Spills);
        [longer, spills, self.is_rolled().then_some(Finding::Rolled)].into_iter().flatten()
    }

    /// A line that tells of a finding.
    fn line(&self, file: &str, found: Finding) -> String {
        let after = self.after.unwrap_or_default();
        let growth = self.growth().unwrap_or(1.0);
        let said = match found {
            Finding::Longer => format!("{} -> {}", self.before.rolled, after.rolled),
            Finding::Spills => format!("spills {} -> {}", self.before.spilled, after.spilled),
            Finding::Rolled => {
                let copies = |code: Code| code.copies().unwrap_or(1.0);
                let (before, after) = ((self.before, copies(self.before)), (after, copies(after)));
                format!(
                    "unrolled {:.2} -> {:.2} times ({} -> {} instructions)",
                    before.1, after.1, before.0.instructions, after.0.instructions
                )
            }
        };
        format!("{growth:5.2} {file} {}: {said}\n", self.function)
    }
}

/// What came of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its functions.
    Compared(Vec<Pair>),
    /// Why there is nothing to compare.
    Failed(String),
}

/// Debug sections do not get lost: without them `ptxas` optimizes code that was not to be, which looks like an improvement.
fn keeps_sections(before: &str, after: &str) -> Result<()> {
    // Those that are not empty.
    fn sections(text: &str) -> BTreeSet<&str> {
        text.split(".section")
            .skip(1)
            .filter_map(|part| part.split_once('{'))
            .filter(|(_, data)| !data.trim_start().starts_with('}'))
            .map(|(name, _)| name.trim())
            .collect()
    }
    let lost: Vec<&str> = sections(before).difference(&sections(after)).copied().collect();
    ensure!(lost.is_empty(), "sections are lost: {}", lost.join(", "));
    Ok(())
}

/// LLVM IR with the pragma that no loop is to be unrolled.
fn ir_without_unrolling(text: &str) -> String {
    // Numbers of metadata need not follow each other.
    format!("{text}\n!ptx.pragma = !{{!999999}}\n!999999 = !{{!\"nounroll\"}}\n")
}

/// Takes a file the ways and writes what comes of each, a line for a function.
///
/// # Errors
/// When the file cannot be read, ptxas refuses it, or nothing can be written.
pub fn judge_aloud(
    path: &Path,
    ways: &[Way],
    oracles: &Oracles,
    kept: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    let text = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let original = if is_ir(path) { raised(path, &text, Way::LlvmO2)? } else { text.clone() };
    let before = machine_code(oracles, &original, None, kept).context("the original")?;
    // What this project unrolls is not counted as longer, like what ptxas unrolls.
    let left_rolled = if is_ir(path) { Some(ir_without_unrolling(&text)) } else { without_unrolling(&text) };
    for &way in ways {
        let through = |text: &str| match is_ir(path) {
            true => raised(path, text, way),
            false => there_and_back(path, text, way),
        };
        let after = through(&text);
        let after = after.and_then(|ptx| {
            // Nothing is removed at -O0, so that all that sections refer to is there.
            if way == Way::O0 && !is_ir(path) {
                keeps_sections(&text, &ptx)?;
            }
            // Only text with the pragma may have been unrolled here.
            let rolled = left_rolled.as_deref().filter(|_| ptx.contains("nounroll"));
            machine_code(oracles, &ptx, rolled.and_then(|text| through(text).ok()).as_deref(), kept)
        });
        match after {
            Err(error) => {
                let said = format!("{error:#}").replace(['\n', '\t'], " ");
                writeln!(out, "{}\tfailed\t{said}", way.as_str())?;
            }
            Ok(after) => {
                writeln!(out, "{}\tcompared", way.as_str())?;
                for (name, code) in &before {
                    let after = after.get(name).map_or_else(|| "-".to_owned(), |code| numbers(*code));
                    writeln!(out, "{}\tfunction\t{name}\t{}\t{after}", way.as_str(), numbers(*code))?;
                }
            }
        }
        out.flush()?;
    }
    Ok(())
}

fn there_and_back(path: &Path, text: &str, way: Way) -> Result<String> {
    let source = SourceFile::new(path.to_string_lossy(), text.as_bytes().to_vec());
    let module = stage::read(&source)?;
    let context = Context::new()?;
    let llvm = stage::lower(&module, &source, &context, Level::O0)?;
    // Through text, as the tools are used.
    raised(Path::new("lowered"), &llvm.to_text(), way)
}

/// Whether a file holds LLVM IR.
fn is_ir(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ll")
}

/// What becomes of LLVM IR.
fn raised(path: &Path, text: &str, way: Way) -> Result<String> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, &path.to_string_lossy(), text)?;
    stage::optimize(&mut llvm, way.level())?;
    match way {
        Way::O0 | Way::O2 => stage::raise(&mut llvm),
        Way::LlvmO0 | Way::LlvmO2 => stage::generate(llvm),
    }
}

fn numbers(code: Code) -> String {
    let registers = code.registers.map_or("-".to_owned(), |count| count.to_string());
    let Code { number, instructions, spilled, frame, rolled, looped, .. } = code;
    format!("{number} {instructions} {registers} {spilled} {frame} {rolled} {looped}")
}

fn read_numbers(text: &str) -> Option<Code> {
    let words: Vec<&str> = text.split(' ').collect();
    let &[number, instructions, registers, spilled, frame, rolled, looped] = words.as_slice() else {
        return None;
    };
    Some(Code {
        number: number.parse().ok()?,
        instructions: instructions.parse().ok()?,
        registers: registers.parse().ok(),
        spilled: spilled.parse().ok()?,
        frame: frame.parse().ok()?,
        rolled: rolled.parse().ok()?,
        looped: looped.parse().ok()?,
    })
}

/// The environment variable that makes a process a judge of the file it names.
pub const JUDGE: &str = "PTX_SUITE_ROUNDTRIP";
/// The environment variable that names the ways a judge takes, parted by commas.
pub const WAYS: &str = "PTX_SUITE_WAYS";

/// Judges every file in a process of its own (`program`, which must call [`judge_aloud`] when it finds [`JUDGE`]), `jobs`
/// at a time, and gives what came of each way, in the order of `files`.
///
/// # Errors
/// When the program cannot be started or does not speak as a judge.
pub fn measure(
    program: &Path,
    ways: &[Way],
    files: &[PathBuf],
    jobs: usize,
    limit: Duration,
) -> Result<BTreeMap<Way, Vec<(PathBuf, Outcome)>>> {
    let names = ways.iter().map(|way| way.as_str()).collect::<Vec<_>>().join(",");
    let verdicts = in_parallel(files, jobs, |path| {
        let mut command = Command::new(program);
        let Ended { said, complaint, ending } = supervise(command.env(JUDGE, path).env(WAYS, &names), limit)?;
        let ending = ending.map(|ending| format!("{ending}: {}", complaint.trim()).replace('\n', " "));
        read_verdict(path, &said, ways, ending.as_deref())
    });
    let mut all: BTreeMap<Way, Vec<(PathBuf, Outcome)>> = BTreeMap::new();
    for (path, verdict) in files.iter().zip(verdicts) {
        for (way, outcome) in verdict? {
            all.entry(way).or_default().push((path.clone(), outcome));
        }
    }
    Ok(all)
}

/// Reads what [`judge_aloud`] wrote about a file; `ending` is how its process ended when not well. Ways that it did not
/// come to have failed for that.
fn read_verdict(path: &Path, said: &str, ways: &[Way], ending: Option<&str>) -> Result<Vec<(Way, Outcome)>> {
    let mut outcomes: BTreeMap<Way, Outcome> = BTreeMap::new();
    for line in said.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let (Some(way), rest) = (columns.first().and_then(|name| Way::parse(name)), columns.get(1..)) else {
            bail!("the judge says {line}");
        };
        match rest.unwrap_or_default() {
            ["failed", said] => {
                outcomes.insert(way, Outcome::Failed((*said).to_owned()));
            }
            ["compared"] => {
                outcomes.insert(way, Outcome::Compared(Vec::new()));
            }
            ["function", name, before, after] => {
                let before = read_numbers(before).with_context(|| format!("the judge says {line}"))?;
                let pair = Pair {
                    path: path.to_owned(),
                    function: (*name).to_owned(),
                    before,
                    after: read_numbers(after),
                };
                if let Some(Outcome::Compared(pairs)) = outcomes.get_mut(&way) {
                    pairs.push(pair);
                }
            }
            _ => bail!("the judge says {line}"),
        }
    }
    let missing = ending.unwrap_or("no verdict");
    for &way in ways {
        outcomes.entry(way).or_insert_with(|| Outcome::Failed(missing.to_owned()));
    }
    Ok(outcomes.into_iter().collect())
}

/// What the functions of a producer add up to.
#[derive(Default)]
struct Sum {
    files: usize,
    accepted: usize,
    functions: usize,
    equal: usize,
    growth: Mean,
    registers: Mean,
    unrolled: Mean,
    grown: usize,
    spilled: usize,
    rolled: usize,
}

/// A geometric mean.
#[derive(Default)]
struct Mean {
    logarithms: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, ratio: f64) {
        self.logarithms += ratio.ln();
        self.count += 1;
    }

    fn text(&self) -> String {
        match self.count {
            0 => "-".to_owned(),
            count => format!("{:.3}", (self.logarithms / count as f64).exp()),
        }
    }
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.files += 1;
        let Outcome::Compared(pairs) = outcome else { return };
        self.accepted += 1;
        for pair in pairs {
            self.functions += 1;
            let Some(after) = pair.after else { continue };
            self.equal += usize::from(after.number == pair.before.number);
            self.spilled += usize::from(pair.spills_anew());
            self.rolled += usize::from(pair.is_rolled());
            pair.unrolled().into_iter().for_each(|ratio| self.unrolled.add(ratio));
            if let Some(growth) = pair.growth().filter(|growth| *growth > 0.0) {
                self.growth.add(growth);
                self.grown += usize::from(pair.is_longer());
            }
            if let (Some(before), Some(after)) = (pair.before.registers, after.registers)
                && before > 0
                && after > 0
            {
                self.registers.add(after as f64 / before as f64);
            }
        }
    }
}

/// A table of one way by producer, in Markdown.
pub fn table(way: Way, outcomes: &[(PathBuf, Outcome)]) -> String {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let mut all = Sum::default();
    for (path, outcome) in outcomes {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        sums.entry(folder.to_string_lossy().into_owned()).or_default().add(outcome);
        all.add(outcome);
    }
    let mut text = format!(
        "| {} | files | functions | equal | instructions | registers | unrolled | over {MOST_GROWTH} | more spills | rolled |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        way.as_str()
    );
    for (name, sum) in sums.into_iter().chain([("all".to_owned(), all)]) {
        let equal = 100.0 * sum.equal as f64 / sum.functions.max(1) as f64;
        let accepted = if sum.accepted == sum.files {
            sum.files.to_string()
        } else {
            format!("{} of {}", sum.accepted, sum.files)
        };
        let (growth, registers, unrolled) = (sum.growth.text(), sum.registers.text(), sum.unrolled.text());
        let _ = writeln!(
            text,
            "| {name} | {accepted} | {} | {equal:.1} % | {growth} | {registers} | {unrolled} | {} | {} | {} |",
            sum.functions, sum.grown, sum.spilled, sum.rolled
        );
    }
    text
}

/// What a function did that it should not do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Finding {
    /// It has more than 1.15 times the instructions.
    Longer,
    /// It spills more bytes.
    Spills,
    /// ptxas unrolls its loops less.
    Rolled,
}

impl Finding {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Longer => "longer",
            Self::Spills => "spills",
            Self::Rolled => "rolled",
        }
    }
}

/// The path of a file inside the corpus: its folder and its name.
pub fn corpus_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    path.parent().map_or_else(|| name(path), |folder| format!("{}/{}", name(folder), name(path)))
}

/// What there is to say about a way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// The functions that grew too much or spill where they did not without a written reason, worst first; how many there
    /// are for each reason; the files that failed.
    pub text: String,
    /// Findings without a written reason.
    pub unexplained: usize,
}

/// Holds what came of the files against the written reasons.
///
/// LLVM's backend is measured for comparison, so its ways need no reasons; rows for them would be counted.
pub fn findings(way: Way, outcomes: &[(PathBuf, Outcome)], reasons: &mut Reasons) -> Findings {
    let mut lines: Vec<(f64, String)> = Vec::new();
    let mut failures = String::new();
    let mut counts: BTreeMap<(String, Finding), usize> = BTreeMap::new();
    for (path, outcome) in outcomes {
        let file = corpus_name(path);
        let pairs = match outcome {
            Outcome::Failed(said) => {
                let _ = writeln!(failures, "failed {file}: {said}");
                continue;
            }
            Outcome::Compared(pairs) => pairs,
        };
        reasons.measured(way, &file);
        for (pair, found) in pairs.iter().flat_map(|pair| pair.findings().map(move |found| (pair, found))) {
            match reasons.explain(way, &file, &pair.function, found) {
                Some(reason) => *counts.entry((reason.to_owned(), found)).or_default() += 1,
                None => lines.push((pair.growth().unwrap_or(1.0), pair.line(&file, found))),
            }
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let unexplained = if way.is_ours() { lines.len() } else { 0 };
    let mut text: String = lines.into_iter().map(|(_, line)| line).collect();
    for ((reason, found), count) in counts {
        let found = found.as_str();
        let _ = writeln!(text, "{count:5} {found}: {reason}");
    }
    Findings { text: text + &failures, unexplained }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(number: u64, instructions: usize, registers: usize, spilled: usize) -> Code {
        Code {
            number,
            instructions,
            registers: Some(registers),
            spilled,
            frame: spilled,
            rolled: instructions,
            looped: 0,
        }
    }

    #[test]
    fn a_table_counts_equal_functions_and_means_ratios() {
        let pair = |name: &str, before, after| Pair {
            path: "nvcc/a.ptx".into(),
            function: name.to_owned(),
            before,
            after: Some(after),
        };
        let pairs = vec![
            pair("f", code(1, 10, 8, 0), code(1, 10, 8, 0)),
            pair("g", code(2, 10, 8, 0), code(3, 40, 32, 4)),
        ];
        let outcomes = [
            ("nvcc/a.ptx".into(), Outcome::Compared(pairs)),
            ("nvcc/b.ptx".into(), Outcome::Failed("no".into())),
        ];
        let table = table(Way::O0, &outcomes);
        // One of two equal; the mean of 1 and 4 is 2.
        assert!(table.contains("| nvcc | 1 of 2 | 2 | 50.0 % | 2.000 | 2.000 | - | 1 | 1 | 0 |"), "{table}");
        let found = findings(Way::O0, &outcomes, &mut Reasons::default());
        assert_eq!(
            found.text,
            " 4.00 nvcc/a.ptx g: 10 -> 40\n 4.00 nvcc/a.ptx g: spills 0 -> 4\nfailed nvcc/b.ptx: no\n"
        );
        assert_eq!(found.unexplained, 2);
        // LLVM's own backend need not explain itself.
        assert_eq!(findings(Way::LlvmO0, &outcomes, &mut Reasons::default()).unexplained, 0);
    }

    #[test]
    fn spills_to_where_variables_were_are_not_new() {
        let pair = |frame| Pair {
            path: "clang/a.ptx".into(),
            function: "f".to_owned(),
            before: Code { frame: 40, ..code(1, 10, 8, 8) },
            after: Some(Code { frame, ..code(2, 10, 8, 32) }),
        };
        assert!(!pair(40).spills_anew());
        assert!(pair(44).spills_anew());
    }

    #[test]
    fn code_whose_loops_are_unrolled_less_is_rolled_and_no_shorter() {
        // A sum over an array: four copies of the loop and what remains, or the loop alone.
        let unrolled = Code { rolled: 19, looped: 9, ..code(1, 58, 10, 0) };
        let rolled = Code { number: 2, instructions: 19, ..unrolled };
        let pair = |before, after| Pair {
            path: "nvcc/a.ptx".into(),
            function: "f".to_owned(),
            before,
            after: Some(after),
        };
        let lost = pair(unrolled, rolled);
        assert_eq!(lost.findings().collect::<Vec<_>>(), [Finding::Rolled]);
        assert_eq!(lost.growth(), Some(1.0));
        let outcomes = [("nvcc/a.ptx".into(), Outcome::Compared(vec![lost]))];
        let table = table(Way::O2, &outcomes);
        assert!(table.contains("| nvcc | 1 | 1 | 0.0 % | 1.000 | 1.000 | 0.188 | 0 | 0 | 1 |"), "{table}");
        let found = findings(Way::O2, &outcomes, &mut Reasons::default());
        assert_eq!(found.text, " 1.00 nvcc/a.ptx f: unrolled 5.33 -> 1.00 times (58 -> 19 instructions)\n");
        // The other way round it is a gain, and no growth.
        let gained = pair(rolled, unrolled);
        assert_eq!((gained.findings().count(), gained.growth()), (0, Some(1.0)));
        // Half the code, with as many copies of it.
        let shorter = Code { instructions: 29, rolled: 10, looped: 5, ..unrolled };
        assert_eq!(pair(unrolled, shorter).findings().count(), 0);
        // A longer loop of which unrolling makes as much.
        let longer = Code { instructions: 61, rolled: 22, looped: 12, ..unrolled };
        assert_eq!(pair(unrolled, longer).findings().filter(|found| *found == Finding::Rolled).count(), 0);
        // A loop that is gone was not unrolled less.
        let gone = Code { instructions: 12, rolled: 12, looped: 0, ..unrolled };
        assert_eq!(pair(unrolled, gone).findings().count(), 0);
    }

    #[test]
    fn a_written_reason_takes_a_function_off_the_list() {
        let pair = Pair {
            path: "/x/nvcc/a.ptx".into(),
            function: "g".to_owned(),
            before: code(2, 10, 8, 0),
            after: Some(code(3, 40, 32, 4)),
        };
        let outcomes = [("/x/nvcc/a.ptx".into(), Outcome::Compared(vec![pair]))];
        let mut reasons = Reasons::parse("O0\tnvcc/a.ptx\tg\tlonger\tso it is\n").expect("a reason");
        let found = findings(Way::O0, &outcomes, &mut reasons);
        assert_eq!(found.text, " 4.00 nvcc/a.ptx g: spills 0 -> 4\n    1 longer: so it is\n");
        assert_eq!(found.unexplained, 1);
        // The reason is for one way only.
        assert_eq!(findings(Way::O2, &outcomes, &mut reasons).unexplained, 2);
    }

    #[test]
    fn a_verdict_reads_back_and_says_where_the_judge_died() {
        let said = "O0\tcompared\nO0\tfunction\tf\t7 3 - 0 16 2 1\t-\n";
        let read = read_verdict(Path::new("a.ptx"), said, &[Way::O0, Way::LlvmO0], Some("killed"))
            .expect("a verdict");
        let before =
            Code { number: 7, instructions: 3, registers: None, spilled: 0, frame: 16, rolled: 2, looped: 1 };
        let pair = Pair { path: "a.ptx".into(), function: "f".into(), before, after: None };
        assert_eq!(
            read,
            [(Way::O0, Outcome::Compared(vec![pair])), (Way::LlvmO0, Outcome::Failed("killed".into()))]
        );
    }
}
