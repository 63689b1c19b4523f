//! The verifier against `ptxas`, line by line: which instructions exist, since when and where.
//!
//! The judged lines are no part of the repository; they are looked for in `$PTX_SHARED`, else in `../shared` beside the
//! workspace, and without them the checks count as ignored. `matrix_differences.tsv` next to this file lists where the
//! two disagree on purpose or still, with the reason; an entry that ends in `*` covers a family of instructions. A
//! difference that is not listed fails, and so does an entry without one. Errors of the parser count like errors of the
//! verifier.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_diag::SourceFile;
use ptx_isa::PtxVersion;

const DIFFERENCES: &str = include_str!("matrix_differences.tsv");

/// The symbols that lines may use, and their declarations.
const SYMBOLS: &[(&str, &str)] = &[
    ("gv", ".global .align 128 .b8 gv[1024];"),
    ("sv", ".shared .align 128 .b8 sv[1024];"),
    ("cv", ".const .align 16 .b8 cv[64];"),
    ("gw", ".global .b32 gw = 7;"),
    ("sw", ".shared .b32 sw;"),
    ("gd", ".global .align 8 .b64 gd;"),
    ("mb", ".shared .align 8 .b64 mb;"),
    ("tex0", ".global .texref tex0;"),
    ("smp0", ".global .samplerref smp0;"),
    ("surf0", ".global .surfref surf0;"),
    ("fn0", ".func fn0 () { ret; }"),
    ("fn1", ".func (.param .b32 rv) fn1 (.param .b32 pa) { ret; }"),
    ("fn2", ".func (.reg .b32 rv) fn2 (.reg .b32 pa, .reg .b64 pb) { mov.b32 rv, pa; ret; }"),
    ("kern1", ".entry kern1 () { ret; }"),
];

/// The registers that lines may use: a letter names the type, a number follows.
const REGISTERS: &[(&str, &str)] = &[
    ("%p", "pred"),
    ("%b", "b8"),
    ("%h", "b16"),
    ("%r", "b32"),
    ("%d", "b64"),
    ("%q", "b128"),
    ("%f", "f32"),
    ("%e", "f64"),
    ("%ub", "u8"),
    ("%sb", "s8"),
    ("%uh", "u16"),
    ("%sh", "s16"),
    ("%ur", "u32"),
    ("%sr", "s32"),
    ("%ud", "u64"),
    ("%sd", "s64"),
    ("%hf", "f16"),
    ("%hx", "f16x2"),
];

/// The targets of a sweep, the lowest bit of its mask first.
const TARGETS: [&str; 26] = [
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f",
    "sm_103", "sm_103a", "sm_103f", "sm_107", "sm_107a", "sm_107f", "sm_110", "sm_110a", "sm_110f", "sm_120",
    "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f",
];

/// A judged line.
struct Judged {
    line: String,
    /// The target with its options, as `.target` lists them.
    target: String,
    accepted: bool,
    /// Which of [`TARGETS`] accept it, if they were tested.
    targets: Option<u32>,
    /// The first version and the first target that accept it, for accepted lines.
    first: Option<(PtxVersion, String)>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let found = |name: &str| shared().map(|folder| folder.join(name)).filter(|path| path.is_file());
    let (swept, whole) = (found("isa/matrix.tsv"), found("isa/matrix_full.tsv.gz"));
    let skipped = swept.is_none() || whole.is_none();
    let whole_compilation = found("isa/full_compile_exceptions.tsv");
    let run = move || {
        let text = |path: Option<PathBuf>| {
            std::fs::read_to_string(path.unwrap_or_default()).map_err(|e| e.to_string())
        };
        let (swept, narrow) = (read(&text(swept)?), narrow_addresses(&text(whole_compilation)?));
        let judged = |all: Vec<Judged>| all.into_iter().filter(|row| !narrow.contains(&row.line)).collect();
        check_narrow_addresses(&narrow)?;
        compare(judged(swept), judged(read_whole(&whole.unwrap_or_default())?))
    };
    let trial = Trial::test("verdicts_targets_and_first_versions_agree_but_for_the_list", run);
    let page = Trial::test("the_page_on_the_dialect_counts_the_differences", count_on_page);
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(skipped), page]).exit_code()
}

/// The page has a row for each reason, with its number of lines, and no other.
fn count_on_page() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ptx-dialect.md");
    let page = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let rows = DIFFERENCES.lines().filter(|row| !row.starts_with('#'));
    for (_, reason) in rows.filter_map(|row| row.split_once('\t')) {
        *counts.entry(reason).or_default() += 1;
    }
    let expected: BTreeSet<String> =
        counts.iter().map(|(why, count)| format!("| {count} | {why} |")).collect();
    let is_row = |line: &&str| line.starts_with("| ") && line[2..].starts_with(|c: char| c.is_ascii_digit());
    let written: BTreeSet<String> = page.lines().filter(is_row).map(str::to_owned).collect();
    let differing: Vec<_> = expected.symmetric_difference(&written).cloned().collect();
    if differing.is_empty() {
        Ok(())
    } else {
        Err(format!("{}:\n{}", path.display(), differing.join("\n")).into())
    }
}

fn shared() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PTX_SHARED") {
        return Some(folder.into());
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).map(|above| above.join("shared"))
}

/// The lines that were swept over targets and versions.
fn read(text: &str) -> Vec<Judged> {
    let mut judged = Vec::new();
    for row in text.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let &[line, target, _, verdict, mask, version, lowest, _] = columns.as_slice() else { continue };
        let first = PtxVersion::from_text(version).map(|version| (version, lowest.to_owned()));
        let targets = u32::from_str_radix(mask, 16).ok();
        let (line, target) = (line.to_owned(), target.to_owned());
        judged.push(Judged { line, target, accepted: verdict == "accept", targets, first });
    }
    judged
}

/// The lines that `ptxas` accepts while it parses and refuses when it generates code, for global and generic addresses of 32 bits.
fn narrow_addresses(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|row| row.strip_suffix("\t32-bit"));
    let lines = rows.filter_map(|row| Some(row.split_once('\t')?.0));
    lines.filter(|line| line.contains("[%r")).map(str::to_owned).collect()
}

/// Lines that only a compilation refuses are errors.
fn check_narrow_addresses(lines: &BTreeSet<String>) -> Result<(), Failed> {
    if lines.len() < 100 {
        return Err(format!("only {} lines with narrow addresses", lines.len()).into());
    }
    let is_accepted =
        |line: &&String| matches!(verdict(&module(line, PtxVersion::NEWEST, "sm_107a")), Verdict::Accepted);
    let accepted: Vec<&str> = lines.iter().filter(is_accepted).map(String::as_str).collect();
    if accepted.is_empty() { Ok(()) } else { Err(format!("accepted:\n{}", accepted.join("\n")).into()) }
}

/// All lines, each judged for one target.
fn read_whole(path: &Path) -> Result<Vec<Judged>, Failed> {
    let file = std::fs::File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text = String::new();
    let read = flate2::read::GzDecoder::new(file).read_to_string(&mut text);
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    let mut judged = Vec::new();
    for row in text.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [line, target, _, verdict, ..] = columns.as_slice() else { continue };
        let (line, target) = ((*line).to_owned(), (*target).to_owned());
        judged.push(Judged { line, target, accepted: *verdict == "accept", targets: None, first: None });
    }
    Ok(judged)
}

/// The line without its guard.
fn instruction(line: &str) -> &str {
    let line = line.trim_start();
    match line.strip_prefix('@') {
        Some(guarded) => {
            let behind = guarded.trim_start().trim_start_matches(['!', ' ']).split_once(' ');
            behind.map_or("", |(_, rest)| rest.trim_start())
        }
        None => line,
    }
}

/// The line as a module; the registers and symbols that it names are declared.
fn module(line: &str, version: PtxVersion, target: &str) -> String {
    let mut text = format!(".version {version}\n.target {target}\n");
    if version >= PtxVersion::new(2, 3) {
        text += ".address_size 64\n";
    }
    let words: BTreeSet<&str> =
        line.split(|c: char| !c.is_ascii_alphanumeric() && c != '%' && c != '_').collect();
    for (name, declaration) in SYMBOLS {
        if words.contains(name) {
            text += declaration;
            text.push('\n');
        }
    }
    let parameter = if words.contains("kp") { ".param .align 128 .b8 kp[128]" } else { "" };
    text += &format!(".entry k ({parameter}) {{\n{{");
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for word in &words {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let Ok(number) = word[letters.len()..].parse::<u32>() else { continue };
        if REGISTERS.iter().any(|(name, _)| *name == letters) {
            let count = counts.entry(letters).or_default();
            *count = (*count).max(number + 1);
        }
    }
    for (name, ty) in REGISTERS {
        if let Some(count) = counts.get(name) {
            text += &format!(" .reg .{ty} {name}<{count}>;");
        }
    }
    if words.contains("lv") {
        text += " .local .align 16 .b8 lv[64];";
    }
    let end = if line.trim_end().ends_with(';') || line.starts_with('{') { "" } else { ";" };
    text + &format!(" {line}{end} }}\nret;\n}}\n")
}

/// Our verdict.
enum Verdict {
    Accepted,
    /// With the first code and message.
    Rejected(&'static str, String),
}

fn verdict(text: &str) -> Verdict {
    let source = SourceFile::new("line.ptx", text);
    let (module, read) = ptx_syntax::parse(&source);
    let found = if read.has_errors() { Err(read) } else { ptx_verify::verify(&module).map(|_| ()) };
    let error = found.err().and_then(|found| {
        let error = found.iter().find(|d| d.severity == ptx_diag::Severity::Error);
        error.map(|d| (d.code.0, d.message.clone()))
    });
    error.map_or(Verdict::Accepted, |(code, message)| Verdict::Rejected(code, message))
}

/// Lines that differ, with how.
type Differences = BTreeMap<String, String>;

/// Compares all lines and holds the differences against the list.
fn compare(swept: Vec<Judged>, whole: Vec<Judged>) -> Result<(), Failed> {
    let few = (swept.len() / 4, whole.len() / 4);
    let swept = &testing::sample("lines swept over targets and versions", swept, few.0);
    let whole = &testing::sample("lines judged by ptxas", whole, few.1);
    let mut found = on_all_cores(whole, verdict_difference)?;
    found.extend(on_all_cores(swept, sweep_difference)?);
    let rows = DIFFERENCES.lines().filter(|row| !row.starts_with('#'));
    let listed: BTreeMap<&str, &str> = rows.filter_map(|row| row.split_once('\t')).collect();
    let families: Vec<&str> = listed.keys().filter_map(|line| line.strip_suffix('*')).collect();
    let in_family = |line: &str| families.iter().any(|family| instruction(line).starts_with(family));
    let is_listed = |line: &str| listed.contains_key(line) || in_family(line);
    let unlisted = found.iter().filter(|(line, _)| !is_listed(line));
    let mut wrong: Vec<_> = unlisted.map(|(line, how)| format!("{line} -- {how}")).collect();
    let differs = |line: &str| match line.strip_suffix('*') {
        Some(family) => found.keys().any(|line| instruction(line).starts_with(family)),
        None => found.contains_key(line),
    };
    let stale = listed.keys().filter(|line| testing::takes_all() && !differs(line));
    wrong.extend(stale.map(|line| format!("{line} -- listed, and no difference")));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} lines:\n{}", wrong.len(), wrong.join("\n")).into())
}

/// The difference in each line, if any.
fn on_all_cores(judged: &[Judged], difference: fn(&Judged) -> Option<String>) -> Result<Differences, Failed> {
    enough(judged.len())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let parts = judged.chunks(judged.len().div_ceil(cores));
        let one = |part: &'_ [Judged]| -> Differences {
            part.iter().filter_map(|row| difference(row).map(|how| (row.line.clone(), how))).collect()
        };
        let running: Vec<_> = parts.map(|part| scope.spawn(move || one(part))).collect();
        let mut all = Differences::new();
        for part in running {
            all.extend(part.join().map_err(|_| "a comparison panicked")?);
        }
        Ok(all)
    })
}

fn verdict_difference(row: &Judged) -> Option<String> {
    match (row.accepted, verdict(&module(&row.line, PtxVersion::NEWEST, &row.target))) {
        (true, Verdict::Rejected(code, message)) => Some(format!("{code}: {message}")),
        (false, Verdict::Accepted) => Some("accepted".to_owned()),
        (true, Verdict::Accepted) | (false, Verdict::Rejected(..)) => None,
    }
}

/// Targets and versions on which the two disagree; lines that are refused altogether are another difference.
fn sweep_difference(row: &Judged) -> Option<String> {
    let options = row.target.find(',').map_or("", |at| &row.target[at..]);
    if let Some(targets) = row.targets {
        let wrong = TARGETS.iter().enumerate().filter(|(bit, name)| {
            let text = module(&row.line, PtxVersion::NEWEST, &format!("{name}{options}"));
            matches!(verdict(&text), Verdict::Accepted) != (targets >> bit & 1 == 1)
        });
        let wrong: Vec<&str> = wrong.map(|(_, name)| *name).collect();
        if !wrong.is_empty() {
            return Some(format!("another verdict for {}", wrong.join(", ")));
        }
    }
    let (version, target) = row.first.as_ref()?;
    let target = format!("{target}{options}");
    let at_first = verdict(&module(&row.line, *version, &target));
    let before = earlier(*version).map(|version| verdict(&module(&row.line, version, &target)));
    match (at_first, before) {
        (Verdict::Rejected(_, message), _) => Some(format!("rejected at {version} {target}: {message}")),
        (_, Some(Verdict::Accepted)) => Some(format!("accepted before {version} for {target}")),
        _ => None,
    }
}

/// A file that was read wrongly must not look like agreement.
fn enough(compared: usize) -> Result<(), Failed> {
    if compared < 1000 { Err(format!("only {compared} lines were compared").into()) } else { Ok(()) }
}

/// The version before; the last of the major version before where that is it.
fn earlier(version: PtxVersion) -> Option<PtxVersion> {
    let last = [(1, 5), (2, 3), (3, 2), (4, 3), (5, 0), (6, 5), (7, 8), (8, 8)];
    match version.minor {
        0 => last.into_iter().find(|(major, _)| *major + 1 == version.major),
        minor => Some((version.major, minor - 1)),
    }
    .map(|(major, minor)| PtxVersion::new(major, minor))
}
