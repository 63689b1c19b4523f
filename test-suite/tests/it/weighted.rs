//! Machine code weighted by execution: kernels whose counts are known in closed form, and those that cannot be measured.
//!
//! The expectations are calculated by hand from the PTX and the launch; each file says what is special about it.

use std::path::Path;

use ptx_exec::{Argument, Launch};
use ptx_machine::NotMeasured;
use test_suite::directive::Level;
use test_suite::kernels::Size;
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::weighted::compare::{Comparison, Finding, Results};
use test_suite::weighted::kernel::{Measured, measure};
use test_suite::weighted::report::{Over, measure_all};
use test_suite::weighted::sets::kernels;
use test_suite::weighted::way::Way;

use crate::skipped::skip;

/// The programs that are needed; `None`, after saying so, where they are missing.
fn oracles() -> Option<Oracles> {
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    if oracles.ptxas.is_none() || oracles.nvdisasm.is_none() {
        skip("no ptxas or nvdisasm");
        return None;
    }
    Some(oracles)
}

fn launch(entry: &str, blocks: u32, threads: u32, more: &[Argument]) -> Launch {
    let mut launch = Launch::new(entry);
    launch.grid = [blocks, 1, 1];
    launch.block = [threads, 1, 1];
    launch.arguments = vec![Argument::Buffer(vec![0; 65_536])];
    launch.arguments.extend(more.iter().cloned());
    launch
}

fn number(value: u32) -> Argument {
    Argument::Bytes(value.to_le_bytes().to_vec())
}

/// The measure of a file of this folder at a launch.
fn measured(oracles: &Oracles, file: &str, launch: &Launch) -> Measured {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/weighted").join(format!("{file}.ptx"));
    let text = std::fs::read_to_string(path).expect("a file of this folder");
    measure(oracles, &text, launch).unwrap_or_else(|error| panic!("{file}: {error:#}"))
}

/// How often threads execute machine instructions that `is_meant` selects.
fn threads(measured: &Measured, is_meant: impl Fn(&str) -> bool) -> f64 {
    let estimate = measured.estimate.as_ref().expect("it is measured");
    let of_block = |block: &ptx_machine::Counted| {
        block.threads * block.instructions.iter().filter(|one| is_meant(&one.opcode)).count() as f64
    };
    estimate.blocks.iter().map(of_block).sum()
}

#[track_caller]
fn assert_near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-3 * wanted.abs().max(1.0), "{found} instead of {wanted}");
}

#[test]
fn straight_code_is_issued_once_by_each_warp() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "straight", &launch("straight", 3, 64, &[]));
    let weighted = measured.weighted.as_ref().expect("it is measured");
    assert_near(weighted.warps, 6.0 * measured.resources.instructions as f64);
    assert_near(weighted.threads, 192.0 * measured.resources.instructions as f64);
    assert_near(weighted.pinned, 1.0);
}

#[test]
fn a_loop_without_anchors_repeats_as_its_ptx_does() {
    let Some(oracles) = oracles() else { return };
    for (n, wanted) in [(37, 37.0 * 64.0), (1, 64.0), (0, 0.0)] {
        let measured = measured(&oracles, "loop", &launch("loop", 1, 64, &[number(n)]));
        let loops = &measured.weighted.as_ref().expect("it is measured").loops;
        assert_eq!(loops.len(), 1, "ptxas is told not to unroll it");
        assert_near(loops[0].iterations, wanted);
        assert_near(loops[0].entries, if n == 0 { 0.0 } else { 64.0 });
        assert_near(threads(&measured, |opcode| opcode.starts_with("STG")), 64.0);
    }
}

#[test]
fn all_copies_of_an_unrolled_loop_together_are_its_trips() {
    let Some(oracles) = oracles() else { return };
    for n in [64, 67, 3, 0] {
        let arguments = [Argument::Buffer(vec![0; 4096]), number(n)];
        let measured = measured(&oracles, "unrolled", &launch("unrolled", 1, 32, &arguments));
        let executed = f64::from(n) * 32.0;
        assert_near(threads(&measured, |opcode| opcode.starts_with("FFMA")), executed);
        assert_near(threads(&measured, |opcode| opcode.starts_with("LDG")), executed);
        let loops = &measured.weighted.as_ref().expect("it is measured").loops;
        let main = loops.iter().max_by_key(|one| one.copies).expect("a loop");
        assert!(n == 0 || main.copies >= 4, "ptxas makes copies: {loops:?}");
        // All of it fits into whole copies of the main loop. ptxas puts one more copy, which is guarded and not executed, before it: whether it is executed stays open.
        if n == 64 {
            let in_main = main.iterations * main.copies as f64;
            assert!(in_main <= executed && in_main >= 0.95 * executed, "{loops:?}");
        }
    }
}

#[test]
fn a_loop_with_fewer_rounds_than_copies_does_not_go_through_the_copies() {
    let Some(oracles) = oracles() else { return };
    for m in [1, 2, 3] {
        let arguments = [Argument::Buffer(vec![0; 4096]), number(16), number(m)];
        let measured = measured(&oracles, "few", &launch("few", 1, 32, &arguments));
        let executed = f64::from(16 * m) * 32.0;
        assert_near(threads(&measured, |opcode| opcode.starts_with("FFMA")), executed);
        let loops = &measured.weighted.as_ref().expect("it is measured").loops;
        let main = loops.iter().max_by_key(|one| one.copies).expect("a loop");
        assert!(main.copies >= 4 && main.iterations <= 0.3 * executed, "{loops:?}");
    }
}

#[test]
fn blocks_of_guarded_instructions_alone_are_counted() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "guarded", &launch("guarded", 2, 64, &[]));
    let atomics =
        |word: &str| threads(&measured, |opcode| opcode.starts_with("ATOM") && opcode.contains(word));
    assert_near(atomics(".MIN"), 4.0 * 16.0);
    assert_near(atomics(".MAX"), 4.0 * 8.0);
    assert_near(atomics(".ADD"), 4.0 * (32.0 + 8.0));
    // Four warps issue each atomic operation, for some of their lanes.
    let classes = &measured.weighted.as_ref().expect("it is measured").classes;
    let issued: f64 =
        classes.iter().filter(|(class, _)| class.to_string() == "atomics").map(|(_, count)| count).sum();
    assert_near(issued, 6.0 * 4.0);
}

#[test]
fn where_the_text_has_a_block_does_not_part_warps() {
    let Some(oracles) = oracles() else { return };
    for file in ["inside", "outside"] {
        let measured = measured(&oracles, file, &launch(file, 1, 64, &[number(20)]));
        let estimate = measured.estimate.as_ref().expect("it is measured");
        let exchanges = estimate.blocks.iter().flat_map(|block| {
            let exchanges = block.instructions.iter().filter(|one| one.opcode.contains("EXCH"));
            exchanges.map(|_| block.warps())
        });
        // Two warps, 20 trips each: at the end of the body all lanes are together again.
        assert_near(exchanges.sum(), 2.0 * 20.0);
    }
}

#[test]
fn a_loop_whose_anchors_are_conditional_has_its_own_trips() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "conditional", &launch("conditional", 1, 64, &[number(40)]));
    let loops = &measured.weighted.as_ref().expect("it is measured").loops;
    assert_eq!(loops.len(), 1, "ptxas is told not to unroll it");
    assert_near(loops[0].iterations, 64.0 * 40.0);
    // Every fourth trip of each thread.
    assert_near(threads(&measured, |opcode| opcode.starts_with("RED")), 64.0 * 10.0);
}

#[test]
fn slow_paths_of_ordinary_numbers_are_not_taken() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "slow", &launch("slow", 1, 64, &[]));
    let estimate = measured.estimate.as_ref().expect("it is measured");
    let slow: Vec<f64> =
        estimate.blocks.iter().filter(|block| block.is_slow).map(|block| block.threads).collect();
    assert!(slow.len() >= 2, "ptxas adds subroutines for the quotient and the root");
    assert!(slow.iter().all(|count| *count == 0.0), "{slow:?}");
    assert_near(threads(&measured, |opcode| opcode == "MUFU.RCP"), 64.0);
    assert_near(threads(&measured, |opcode| opcode == "MUFU.RSQ"), 64.0);
}

#[test]
fn divisions_of_wide_integers_are_subroutines_for_all_operands() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "wide", &launch("wide", 1, 64, &[]));
    assert_near(threads(&measured, |opcode| opcode.starts_with("CALL")), 64.0);
    let calls = &measured.weighted.as_ref().expect("it is measured").classes;
    let issued = calls.iter().find(|(class, _)| class.to_string() == "calls").map(|(_, count)| *count);
    assert_near(issued.expect("a call"), 2.0);
}

#[test]
fn a_called_function_is_counted_as_often_as_it_is_called() {
    let Some(oracles) = oracles() else { return };
    let measured = measured(&oracles, "called", &launch("called", 1, 64, &[]));
    let atomics = threads(&measured, |opcode| opcode.starts_with("ATOM"));
    assert_near(atomics, 2.0 * 64.0 + 32.0);
    assert_near(threads(&measured, |opcode| opcode.starts_with("CALL")), atomics);
}

#[test]
fn what_waits_for_others_or_calls_through_pointers_is_not_measured() {
    let Some(oracles) = oracles() else { return };
    for file in ["lock", "shared_lock"] {
        let lock = measured(&oracles, file, &launch(file, 4, 32, &[]));
        assert!(matches!(lock.weighted, Err(NotMeasured::Spinning { .. })), "{:?}", lock.weighted);
    }
    let indirect = measured(&oracles, "indirect", &launch("indirect", 1, 32, &[]));
    assert!(matches!(indirect.weighted, Err(NotMeasured::IndirectCall { .. })), "{:?}", indirect.weighted);
}

#[test]
fn copies_that_are_lost_are_a_finding_and_copies_that_are_won_are_not() {
    let Some(oracles) = oracles() else { return };
    let arguments = [Argument::Buffer(vec![0; 4096]), number(64)];
    let launch = launch("unrolled", 1, 32, &arguments);
    let [unrolled, rolled] = ["unrolled", "rolled"].map(|file| measured(&oracles, file, &launch));
    let compared = |before: &Measured, after: &Measured| Comparison {
        kernel: "k".to_owned(),
        way: Way::Level(Level::O2),
        before: before.clone(),
        after: after.clone(),
        results: Results::Same,
        trip_counts: None,
    };
    let lost = compared(&unrolled, &rolled);
    assert!(
        lost.findings().iter().any(|one| matches!(one, Finding::CopiesLost(..))),
        "{:?}",
        lost.findings()
    );
    assert!(lost.findings().iter().any(|one| matches!(one, Finding::Longer(_))), "{:?}", lost.findings());
    assert_eq!(compared(&rolled, &unrolled).findings(), []);
    assert_eq!(compared(&rolled, &rolled).ratio(), Some(1.0));
}

/// A sample of `cargo xtask opt-report`: kernels with loops, barriers and divergent exits keep their results and are not worse than the bound for findings.
#[test]
fn optimized_kernels_of_the_bench_are_measured_and_not_worse() {
    let Some(oracles) = oracles() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = ["bench/matmul_tiled", "bench/reduce_smem", "bench/mandelbrot", "bench/nbody"];
    let chosen = kernels(root, "bench", Size::Small, |name| names.contains(&name)).expect("the bench");
    assert_eq!(chosen.len(), names.len());
    let ways = [Way::Level(Level::O2)];
    for mut attempts in measure_all(&oracles, &chosen, &ways, &Over::Original, 2) {
        let one = attempts.remove(0).unwrap_or_else(|error| panic!("{error:#}"));
        assert!(!matches!(one.results, Results::Wrong(_)), "{}: {:?}", one.kernel, one.results);
        let weighted = one.weighted().unwrap_or_else(|why| panic!("{}: {why}", one.kernel));
        assert!(weighted.0.residual <= 0.02, "{}", one.kernel);
        assert_eq!(one.findings(), [], "{}", one.kernel);
    }
}
