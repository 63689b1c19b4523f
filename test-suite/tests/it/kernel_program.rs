//! A few random kernels in both engines; `cargo xtask kernel-fuzz` goes on for longer.

use std::collections::BTreeSet;

use test_suite::kernel_program::{Program, Verdict, judge, judge_translations};

/// Executes programs in both engines; more than a third of them have to be compiled.
fn agree(programs: &[Program]) {
    let mut agree = 0;
    for program in programs {
        let seed = program.seed;
        match judge(program, false)
            .unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", program.ptx()))
        {
            Verdict::Same => agree += 1,
            Verdict::Refused(_) => {}
            Verdict::Different(differences) => panic!("seed {seed}: {differences:?}\n{}", program.ptx()),
        }
    }
    assert!(agree > programs.len() / 3, "only {agree} programs are compiled");
}

#[test]
fn random_kernels_agree() {
    let programs: u64 = testing::count("random kernels in both engines", 8, 1);
    // The last one has bits selected by constants under masks, of which LLVM 22 makes wrong instructions for AVX-512.
    let programs: Vec<_> = (0..programs).chain([3_000_221]).map(Program::new).collect();
    agree(&programs);
}

/// Blocks wait for the grid, and share memory of a cluster, in both engines, with checks of memory and without.
#[test]
fn random_grids_agree() {
    let programs: u64 = testing::count("random kernels whose blocks do something together", 8, 1);
    agree(&(0..programs).map(Program::grid).collect::<Vec<_>>());
}

/// Threads of a warp come to barriers one by one, in both engines.
#[test]
fn random_barriers_agree() {
    let programs: u64 = testing::count("random kernels whose threads come to barriers one by one", 5, 1);
    agree(&(0..programs).map(Program::barriers).collect::<Vec<_>>());
}

/// Threads wait for each other in loops, in both engines.
#[test]
fn random_kernels_with_locks_agree() {
    let programs: u64 = testing::count("random kernels with locks", 8, 1);
    agree(&(0..programs).map(Program::locks).collect::<Vec<_>>());
}

/// Registers hold one value after another, and code has one shape for each.
#[test]
fn random_kernels_that_reuse_registers_agree() {
    let programs: u64 = testing::count("random kernels that reuse registers", 8, 1);
    agree(&(0..programs).map(Program::reusing).collect::<Vec<_>>());
}

/// Threads that run together in a kernel do so in its translations.
#[test]
fn translations_keep_threads_together() {
    let programs: u64 = testing::count("random kernels with joins, translated", 6, 1);
    // On these LLVM would lead some threads past the place where all come together.
    for seed in (0..programs).chain([127, 195, 211, 224]) {
        let program = Program::joins(seed);
        let differences = judge_translations(&program)
            .unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", program.ptx()));
        assert!(differences.is_empty(), "seed {seed}: {differences:?}\n{}", program.ptx());
    }
}

/// Each kind of statement is generated, and each program is valid PTX.
#[test]
fn programs_are_valid_and_have_all_there_is() {
    let texts: Vec<String> = (0..200).map(|seed| Program::new(seed).ptx()).collect();
    let parts = [
        "brx.idx",
        "exit;",
        "call (result)",
        "bar.sync 1;",
        "barrier.sync.aligned",
        "bar.red.popc",
        "shfl.sync.up",
        "vote.sync.uni",
        "match.any.sync",
        "redux.sync",
        "elect.sync",
        "bar.warp.sync",
        "ld.shared.v4",
        "st.local",
        "ld.const",
        "atom.shared.cas",
        "atom.global.inc",
        "red.global.xor",
        "red.shared.max",
        "ld.volatile.global",
        "cvta.shared",
        "mad.wide.u32",
    ];
    for part in parts {
        assert!(texts.iter().any(|text| text.contains(part)), "no program has `{part}`");
    }
    let grids: Vec<Program> = (0..100).map(Program::grid).collect();
    let kinds = |kind: fn(&Program) -> bool| grids.iter().filter(|program| kind(program)).count();
    assert!(kinds(|program| program.cooperative && program.is_long) > 3);
    assert!(kinds(|program| program.cluster > 1 && program.is_long) > 3);
    assert!(kinds(|program| program.cooperative && program.grid > 1) > 20);
    let grids: Vec<String> = grids.iter().map(Program::ptx).collect();
    for part in [
        "%envreg2",
        "ld.acquire.gpu",
        "barrier.cluster.wait",
        "ld.shared::cluster",
        "mapa.u64",
        "red.shared::cluster",
    ] {
        assert!(grids.iter().any(|text| text.contains(part)), "no grid has `{part}`");
    }
    let barriers: Vec<String> = (0..60).map(|seed| Program::barriers(seed).ptx()).collect();
    for part in [
        "barrier.sync 9;",
        "barrier.arrive",
        "barrier.red.popc.u32",
        "barrier.red.or.pred",
        "barrier.cluster.wait",
        "exit;",
    ] {
        assert!(barriers.iter().any(|text| text.contains(part)), "no kernel with barriers has `{part}`");
    }
    let locks: Vec<String> = (0..60).map(|seed| Program::locks(seed).ptx()).collect();
    for part in ["bra wait_", "bra take_", "bra next_", "barrier.cluster.wait"] {
        assert!(locks.iter().any(|text| text.contains(part)), "no kernel with locks has `{part}`");
    }
    for text in locks
        .iter()
        .take(40)
        .chain(texts.iter().take(40))
        .chain(grids.iter().take(40))
        .chain(barriers.iter().take(40))
    {
        let source = ptx_diag::SourceFile::new("kernel.ptx", text.as_str());
        test_suite::stage::read_and_verify(&source).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
    }
}

/// Programs that reuse registers have fewer of them, and the same instructions.
#[test]
fn programs_that_reuse_registers_name_fewer() {
    let names = |text: &str| -> BTreeSet<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '%';
        text.split(|c| !is_part(c)).filter(|word| word.starts_with('%')).map(str::to_owned).collect()
    };
    let (mut reused, mut all) = (0, 0);
    for seed in [0, 1, 2, 4, 5, 6] {
        let [few, many] = [Program::reusing(seed), Program::new(seed)].map(|program| program.ptx());
        assert_eq!(few.matches(';').count(), many.matches(';').count(), "{few}");
        reused += names(&few).len();
        all += names(&many).len();
    }
    assert!(3 * reused < 2 * all, "{reused} of {all} registers");
}

/// Leaving statements out ends at the one that matters.
#[test]
fn minimizing_keeps_what_matters() {
    let program = (0..)
        .map(Program::new)
        .find(|program| program.ptx().contains("redux.sync.xor"))
        .expect("one in many");
    let least =
        program.minimize(&mut |candidate| Ok(candidate.ptx().contains("redux.sync.xor"))).expect("no error");
    let empty = program.minimize(&mut |_| Ok(true)).expect("no error");
    let lines = |program: &Program| program.ptx().lines().count();
    assert!(lines(&empty) < lines(&least) && lines(&least) < lines(&empty) + 20, "{}", least.ptx());
}
