//! Every NVPTX intrinsic of LLVM becomes PTX, or is in `refused-intrinsics.tsv` with the reason why it cannot.

use std::path::{Path, PathBuf};

use test_suite::intrinsics::{self, Call, Verdict};
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::pattern::is_like;
use test_suite::printed;

use crate::skipped::skip;

/// The patterns of calls that cannot be raised.
fn refused() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("refused-intrinsics.tsv");
    let text = std::fs::read_to_string(path).expect("the list");
    let pattern = |line: &str| {
        let (pattern, reason) = line.split_once('\t').expect("a pattern and a reason");
        assert!(!reason.is_empty(), "{pattern} without a reason");
        pattern.to_owned()
    };
    text.lines().map(pattern).collect()
}

/// What is wrong with the list, judged by what became of the calls.
fn complaints(calls: &[Call], verdicts: &[Verdict], patterns: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut used = vec![false; patterns.len()];
    for (call, verdict) in calls.iter().zip(verdicts) {
        let title = call.title();
        let mut listed = false;
        for (pattern, used) in patterns.iter().zip(&mut used) {
            if is_like(&title, pattern) {
                (listed, *used) = (true, true);
            }
        }
        match verdict {
            Verdict::Raised(..) if listed => complaints.push(format!("{title} is raised, but listed")),
            Verdict::Refused(why) | Verdict::Wrong(why) if !listed => {
                complaints.push(format!("{title}: {why}"));
            }
            Verdict::Raised(..) | Verdict::Refused(_) | Verdict::Wrong(_) => {}
        }
    }
    let idle = patterns.iter().zip(&used).filter(|(_, used)| !**used);
    if testing::takes_all() {
        complaints.extend(idle.map(|(pattern, _)| format!("{pattern} matches nothing")));
    }
    complaints
}

#[test]
fn every_intrinsic_is_raised_or_listed() {
    let all = intrinsics::calls().expect("LLVM 22");
    assert!(all.len() > 8000, "only {} calls", all.len());
    let calls = testing::sample("calls of intrinsics of LLVM", all, 1000);
    let verdicts = intrinsics::judge(&calls, &Oracles::default()).expect("LLVM 22");
    let complaints = complaints(&calls, &verdicts, &refused());
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), calls.len(), complaints.join("\n"));
    let shared = std::env::var_os("PTX_SHARED").map_or_else(|| workspace().join("../shared"), PathBuf::from);
    match printed::read(&shared.join("isa/llvm22-intrinsics.tsv.zst")) {
        Err(why) => skip(&format!("what LLVM's backend prints: {why}")),
        Ok(table) => {
            let (differences, compared) = printed::differences(&calls, &verdicts, &table);
            assert!(compared > calls.len() / 4, "only {compared} calls compared");
            assert!(
                differences.is_empty(),
                "{} of {compared}:\n{}",
                differences.len(),
                differences.join("\n")
            );
        }
    }
}

/// Assembling everything takes minutes: `cargo xtask intrinsics` does.
const SAMPLE: usize = 24;

#[test]
fn what_a_sample_of_intrinsics_becomes_assembles() {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    if oracles.ptxas.is_none() {
        return skip("no ptxas");
    }
    let mut calls = intrinsics::calls().expect("LLVM 22");
    let patterns = refused();
    calls.retain(|call| !patterns.iter().any(|pattern| is_like(&call.title(), pattern)));
    let sample: Vec<Call> = calls.into_iter().step_by(SAMPLE).collect();
    let verdicts = intrinsics::judge(&sample, &oracles).expect("ptxas can be run");
    let complaints = complaints(&sample, &verdicts, &[]);
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), sample.len(), complaints.join("\n"));
}

/// The workspace's root.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}
