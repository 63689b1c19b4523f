//! The reader and the verifier against `ptxas`, file by file: the module language.
//!
//! The judged files are no part of the repository; they are looked for in `$PTX_SHARED`, else in `../shared` beside the
//! workspace, and without them the check counts as ignored. `directive_differences.tsv` next to this file lists where
//! the two disagree, with the reason. A difference that is not listed fails, and so does an entry without one. Errors of
//! `ptxas` must also be reported on the same line, except for a small share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_diag::{Severity, SourceFile};

const DIFFERENCES: &str = include_str!("directive_differences.tsv");

/// How many of the findings, in a hundred, must lie on a line that `ptxas` names.
const LINES_ALIKE: usize = 95;

/// A judged file.
struct Case {
    /// Folder and file.
    name: String,
    text: Vec<u8>,
    /// Whether `ptxas` accepts it when it only parses and checks.
    accepted: bool,
    /// The lines its messages name.
    lines: BTreeSet<usize>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = shared().map(|shared| shared.join("isa/directives"));
    let folder = folder.filter(|folder| folder.join("verdicts.tsv").is_file());
    let skipped = folder.is_none();
    let run = move || compare(&read(&folder.unwrap_or_default())?);
    let trial = Trial::test("verdicts_and_lines_agree_but_for_the_list", run);
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(skipped)]).exit_code()
}

fn shared() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PTX_SHARED") {
        return Some(folder.into());
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).map(|above| above.join("shared"))
}

fn read(folder: &Path) -> Result<Vec<Case>, Failed> {
    let load = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let rows = String::from_utf8_lossy(&load(&folder.join("verdicts.tsv"))?).into_owned();
    let mut cases = Vec::new();
    for row in rows.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let &[verdict, file, _, message] = columns.as_slice() else { continue };
        let name = format!("{verdict}/{file}");
        let text = load(&folder.join(&name))?;
        let mut lines = named_lines(&String::from_utf8_lossy(&text), "// expect: ptxas FILE, line ");
        if lines.is_empty() {
            lines = named_lines(message, "line ");
        }
        cases.push(Case { name, text, accepted: verdict != "invalid", lines });
    }
    Ok(cases)
}

/// The numbers that follow `mark` and before a semicolon.
fn named_lines(text: &str, mark: &str) -> BTreeSet<usize> {
    let behind = text.match_indices(mark).filter_map(|(at, _)| text.get(at + mark.len()..));
    behind.filter_map(|rest| rest.split(';').next()?.parse().ok()).collect()
}

/// The first error, with its line.
fn finding(text: &[u8]) -> Option<(usize, String)> {
    let source = SourceFile::new("case.ptx", text);
    let (module, read) = ptx_syntax::parse(&source);
    let found = if read.has_errors() { read } else { ptx_verify::verify(&module).map(|_| ()).err()? };
    let error = found.iter().find(|finding| finding.severity == Severity::Error)?;
    let before = &text[..error.span.map_or(0, |span| span.lo as usize).min(text.len())];
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    Some((line, format!("{}: {}", error.code.0, error.message)))
}

fn compare(cases: &[Case]) -> Result<(), Failed> {
    if cases.len() < 100 {
        // A list that was read wrongly must not look like agreement.
        return Err(format!("only {} files were compared", cases.len()).into());
    }
    let mut differences = BTreeMap::new();
    let (mut alike, mut elsewhere) = (0, Vec::new());
    for case in cases {
        match (case.accepted, finding(&case.text)) {
            (true, Some((line, message))) => {
                differences.insert(case.name.as_str(), format!("line {line}: {message}"));
            }
            (false, None) => {
                differences.insert(case.name.as_str(), "accepted".to_owned());
            }
            (false, Some((line, message))) if !case.lines.is_empty() => {
                if case.lines.contains(&line) {
                    alike += 1;
                } else {
                    elsewhere.push(format!("{} -- line {line}, not {:?}: {message}", case.name, case.lines));
                }
            }
            (true, None) | (false, Some(_)) => {}
        }
    }
    let rows = DIFFERENCES.lines().filter(|row| !row.starts_with('#'));
    let listed: BTreeSet<&str> = rows.filter_map(|row| Some(row.split_once('\t')?.0)).collect();
    let unlisted = differences.iter().filter(|(name, _)| !listed.contains(*name));
    let mut wrong: Vec<String> = unlisted.map(|(name, how)| format!("{name} -- {how}")).collect();
    let stale = listed.iter().filter(|name| !differences.contains_key(*name));
    wrong.extend(stale.map(|name| format!("{name} -- listed, and no difference")));
    let placed = alike + elsewhere.len();
    if alike * 100 < placed * LINES_ALIKE {
        wrong.push(format!("only {alike} of {placed} findings lie on the line that `ptxas` names"));
        wrong.extend(elsewhere);
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} files:\n{}", wrong.len(), wrong.join("\n")).into())
    }
}
