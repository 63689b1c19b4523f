//! Every construct of LLVM's language reference becomes PTX, or is in `refused-constructs.tsv`.

use std::path::Path;

use test_suite::langref::{self, Verdict};
use test_suite::oracle::{Oracles, nvidia_folder};

use crate::skipped::skip;

/// Every so many pieces go to ptxas; `cargo xtask langref` gives it all.
const SAMPLE: usize = 60;

#[test]
fn every_construct_is_raised_or_listed() {
    let all = langref::pieces().expect("LLVM 22");
    let count = all.len();
    let pieces = testing::sample("constructs of LLVM's language reference", all, 1200);
    let verdicts = langref::judge(&pieces, &Oracles::default()).expect("LLVM 22");
    assert!(count > 20_000, "only {count} pieces");
    let found = langref::table(&langref::groups(&pieces, &verdicts));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("refused-constructs.tsv");
    let listed = std::fs::read_to_string(path).expect("the list");
    let missing = |one: &str, other: &str, what: &str| {
        let lines = one.lines().filter(|line| !other.lines().any(|known| known == *line));
        lines.map(|line| format!("{what}: {line}")).collect::<Vec<_>>()
    };
    let mut differences = Vec::new();
    if pieces.len() == count {
        differences.extend(missing(&found, &listed, "not listed"));
        differences.extend(missing(&listed, &found, "listed"));
    } else {
        // How many there are is another number in a sample.
        differences.extend(missing(&without_counts(&found), &without_counts(&listed), "not listed"));
    }
    assert!(
        differences.is_empty(),
        "{} groups differ (cargo xtask langref --write):\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(!listed.contains("\twrong: "), "what is raised must read back");
}

/// The lines of the table without their last column.
fn without_counts(table: &str) -> String {
    table.lines().filter_map(|line| line.rsplit_once('\t')).map(|(group, _)| format!("{group}\n")).collect()
}

#[test]
fn what_a_sample_of_constructs_becomes_assembles() {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    if oracles.ptxas.is_none() {
        return skip("no ptxas");
    }
    let pieces: Vec<_> = langref::written().into_iter().step_by(SAMPLE).collect();
    let verdicts = langref::judge(&pieces, &oracles).expect("ptxas can be run");
    for (piece, verdict) in pieces.iter().zip(&verdicts) {
        assert!(!matches!(verdict, Verdict::Wrong(_)), "{}: {verdict:?}", piece.title);
    }
}

#[test]
fn every_generic_intrinsic_of_llvm_is_walked() {
    let walked: Vec<&str> = langref::names().expect("signatures").iter().map(|one| one.name).collect();
    let registered = ptx_llvm_core::intrinsics::registry::generic_names().expect("LLVM 22");
    let missing: Vec<&String> = registered.iter().filter(|name| !walked.contains(&name.as_str())).collect();
    let gone: Vec<&&str> = walked.iter().filter(|name| !registered.iter().any(|one| one == *name)).collect();
    assert!(registered.len() > 500, "only {} names", registered.len());
    assert!(missing.is_empty() && gone.is_empty(), "missing {missing:?}, gone {gone:?}");
}

#[test]
fn llvms_verifier_accepts_what_is_written() {
    let mistakes = langref::mistakes().expect("LLVM 22");
    assert!(mistakes.len() <= langref::MOST_MISTAKES, "{}: {mistakes:?}", mistakes.len());
}
