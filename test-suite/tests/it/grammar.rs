//! What the reader and the verifier make of texts with changed tokens is what ptxas makes of them, or a reason is written.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ptx_isa::Sm;
use test_suite::grammar::{Change, MODULES, Ours, Reasons, Side, generate, generate_each, judge};
use test_suite::oracle::Oracles;

use crate::skipped::skip;

/// Statements with ptxas's verdict, parted by a tab.
const VERDICTS: &str = include_str!("../../grammar/verdicts.tsv");

/// How many changes ptxas is asked about here; `cargo xtask grammar` goes on.
const SAMPLE: usize = 200;

fn recorded() -> Vec<(bool, Change)> {
    let lines = VERDICTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| match line.split_once('\t') {
        Some(("accepted", line)) => (true, Change::statement(line, Sm::arch(100))),
        Some(("refused", line)) => (false, Change::statement(line, Sm::arch(100))),
        _ => panic!("no verdict: {line}"),
    };
    lines.map(read).collect()
}

#[test]
fn recorded_statements_are_judged_as_ptxas_does() {
    let reasons = Reasons::own().expect("a table");
    let mut wrong = Vec::new();
    for (accepted, change) in recorded() {
        let (side, message) = match (&change.ours, accepted) {
            (Ours::Accepted, true) | (Ours::Unreadable(_) | Ours::Refused(_), false) => continue,
            (Ours::Accepted, false) => (Side::OnlyWe, "refused"),
            (Ours::Unreadable(why) | Ours::Refused(why), true) => (Side::OnlyPtxas, why.as_str()),
            (Ours::Misprinted(why), _) => (Side::Print, why.as_str()),
        };
        if reasons.explain(side, &change.line, message).is_none() {
            wrong.push(format!("{}: {}\n    {message}", side.as_str(), change.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_help_says_to_write_is_the_same_operation() {
    /// How many changes of random rows there are beside those of each row's operands.
    const RANDOM: usize = 6000;
    let each = ptx_isa::form_ids().flat_map(|row| generate_each(7, row).into_iter().take(2));
    let changes = recorded().into_iter().map(|(_, change)| change).chain(each);
    let (mut refused, mut wrong) = (0, Vec::new());
    for change in changes.chain(generate(7, RANDOM, &[], 0)) {
        refused += usize::from(matches!(change.ours, Ours::Unreadable(_)));
        wrong.extend(change.lost_operation().map(|offered| format!("{}: {offered}", change.line)));
    }
    assert!(wrong.is_empty(), "{} of {refused}\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > RANDOM / 3, "{refused}");
}

fn oracles() -> Option<Oracles> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let nvidia = std::env::var_os("PTX_ORACLE").map_or_else(|| PathBuf::from(".oracle"), PathBuf::from);
    let oracles = Oracles::find(&root.join(nvidia), Path::new(""));
    let found = oracles.ptxas.is_some();
    if !found {
        skip("no ptxas");
    }
    found.then_some(oracles)
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

#[test]
fn recorded_verdicts_are_those_of_ptxas() {
    let Some(oracles) = oracles() else { return };
    let (recorded, changes): (Vec<bool>, Vec<Change>) = recorded().into_iter().unzip();
    let verdicts = judge(&oracles, &changes, jobs()).expect("ptxas can be run");
    let cases = changes.iter().zip(recorded.iter().zip(&verdicts));
    let wrong: Vec<String> = cases
        .filter(|(_, (accepted, theirs))| **accepted != theirs.is_none())
        .map(|(change, (_, theirs))| format!("{}: {theirs:?}", change.line))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn differences_in_a_sample_have_reasons() {
    let Some(oracles) = oracles() else { return };
    let reasons = Reasons::own().expect("a table");
    let modules: Vec<(String, String)> =
        MODULES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let changes = generate(1, SAMPLE, &modules, 40);
    let verdicts = judge(&oracles, &changes, jobs()).expect("ptxas can be run");
    let mut wrong = Vec::new();
    for (change, theirs) in changes.iter().zip(&verdicts) {
        if let Some((side, message)) = change.difference(theirs.as_deref())
            && reasons.explain(side, &change.line, message).is_none()
        {
            wrong.push(format!("{}: {}\n    {message}", side.as_str(), change.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
