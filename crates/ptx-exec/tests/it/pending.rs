//! Asynchronous operations complete at a point of their own (manual 9.7.9.25.1, 9.7.13.15.15, 9.7.9.27.2).
//!
//! What memory holds when is worked out here from the manual's rules: what was waited for is there, what was not is not under
//! `Late`. Buffers hold words whose values are their places, so that each result shows where it came from.

use std::num::NonZeroUsize;

use crate::common::execute;
use ptx_exec::{Argument, Completion, ExecError, Launch, Trap, TrapKind};

/// Runs a kernel on one buffer, with host threads for its blocks.
fn launch(
    text: &str,
    (blocks, threads): (u32, u32),
    memory: &[u32],
    completion: Completion,
    host: usize,
) -> Result<Vec<u32>, Box<Trap>> {
    let bytes = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        arguments: vec![Argument::Buffer(bytes)],
        threads: NonZeroUsize::new(host),
        completion,
        ..Launch::new("k")
    };
    match execute(text, &launch) {
        Ok(outcome) => {
            let bytes = outcome.buffers[0].clone().unwrap();
            Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
        }
        Err(ExecError::Trap(trap)) => Err(trap),
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

/// A kernel with the address of its buffer in `%out`, the thread's number in `%t` and shared memory `s` and `bar`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.7\n.target sm_100\n.address_size 64
        .visible .entry k(.param .u64 p) {{
            .reg .pred %p, %q; .reg .b32 %t, %i, %r<20>; .reg .b64 %out, %rd<20>;
            .shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar[4];
            ld.param.u64 %out, [p]; mov.u32 %t, %tid.x;
            {body}
            ret; }}"
    )
}

/// Eager, late and 20 seeds.
fn completions() -> impl Iterator<Item = Completion> {
    [Completion::Eager, Completion::Late].into_iter().chain((0..20).map(Completion::Random))
}

/// All ways to complete give this.
fn expect_always(body: &str, threads: u32, memory: &[u32], expected: &[u32]) {
    for completion in completions() {
        let found = launch(&kernel(body), (1, threads), memory, completion, 1);
        assert_eq!(found.as_deref(), Ok(expected), "{completion:?}\n{body}");
    }
}

fn late(body: &str, threads: u32, memory: &[u32]) -> Result<Vec<u32>, Box<Trap>> {
    launch(&kernel(body), (1, threads), memory, Completion::Late, 1)
}

/// Tiles of a pipeline, threads, and its stages.
const TILES: u32 = 7;
const THREADS: u32 = 64;
const STAGES: u32 = 3;

/// Each of 64 threads copies its word of each of 7 tiles through 3 stages and adds the words of the thread `next` to it.
fn pipeline(wait: &str, next: u32) -> String {
    let copy = |tile: &str| {
        format!(
            "setp.ge.u32 %q, {tile}, {TILES};
            rem.u32 %r1, {tile}, {STAGES};
            mad.lo.u32 %r1, %r1, 256, %r10;
            mul.lo.u32 %r2, {tile}, 256;
            cvt.u64.u32 %rd2, %r2;
            add.u64 %rd2, %rd1, %rd2;
            @!%q cp.async.ca.shared.global [%r1], [%rd2], 4;
            cp.async.commit_group;"
        )
    };
    let ahead = (0..STAGES - 1).map(|tile| copy(&tile.to_string())).collect::<String>();
    format!(
        "mov.b32 %r9, s; mad.lo.u32 %r10, %t, 4, %r9;
        add.u32 %r3, %t, {next}; and.b32 %r3, %r3, 63; mad.lo.u32 %r11, %r3, 4, %r9;
        mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %out, %rd1;
        mov.u32 %i, 0; mov.u32 %r4, 0;
        {ahead}
        LOOP:
        {wait}
        bar.sync 0;
        add.u32 %r5, %i, {};
        {}
        rem.u32 %r6, %i, {STAGES};
        mad.lo.u32 %r6, %r6, 256, %r11;
        ld.shared.u32 %r7, [%r6];
        add.u32 %r4, %r4, %r7;
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, {TILES};
        @%p bra LOOP;
        st.global.u32 [%rd1], %r4;",
        STAGES - 1,
        copy("%r5")
    )
}

/// Word `thread` of tile `tile`.
fn word(tile: u32, thread: u32) -> u32 {
    1000 * (tile + 1) + thread
}

fn tiles() -> Vec<u32> {
    (0..TILES).flat_map(|tile| (0..THREADS).map(move |thread| word(tile, thread))).collect()
}

/// The buffer, with this left by each thread.
fn with_results(memory: &[u32], result: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..THREADS).map(result).chain(memory[THREADS as usize..].iter().copied()).collect()
}

#[test]
fn copies_of_groups_that_were_waited_for_are_there() {
    let expected =
        with_results(&tiles(), |thread| (0..TILES).map(|tile| word(tile, (thread + 1) % 64)).sum());
    expect_always(&pipeline("cp.async.wait_group 1;", 1), THREADS, &tiles(), &expected);
    expect_always(&pipeline("cp.async.wait_all;", 1), THREADS, &tiles(), &expected);
}

#[test]
fn copies_that_were_not_waited_for_leave_what_was_there() {
    // Without a wait nothing is copied before the end: shared memory begins as zeros.
    let stale = late(&pipeline("", 1), THREADS, &tiles());
    assert_eq!(stale, Ok(with_results(&tiles(), |_| 0)));
    // Waiting for one group too few leaves in a stage the tile that was copied 3 tiles before.
    let stale = late(&pipeline("cp.async.wait_group 2;", 0), THREADS, &tiles());
    let expected =
        with_results(&tiles(), |thread| (STAGES..TILES).map(|tile| word(tile - STAGES, thread)).sum());
    assert_eq!(stale, Ok(expected));
    // Eager launches do not show it.
    let eager = launch(&kernel(&pipeline("", 1)), (1, THREADS), &tiles(), Completion::Eager, 1);
    let right = with_results(&tiles(), |thread| (0..TILES).map(|tile| word(tile, (thread + 1) % 64)).sum());
    assert_eq!(eager, Ok(right));
}

#[test]
fn a_copy_reads_its_source_when_it_completes() {
    let body = |order: [&str; 2]| {
        format!(
            "mov.b32 %r1, s;
            cp.async.ca.shared.global [%r1], [%out], 4;
            {}
            {}
            ld.shared.u32 %r2, [s];
            st.global.u32 [%out+4], %r2;",
            order[0], order[1]
        )
    };
    let (wait, change) = ("cp.async.wait_all;", "st.global.u32 [%out], 9;");
    expect_always(&body([wait, change]), 1, &[5, 0], &[9, 5]);
    assert_eq!(late(&body([change, wait]), 1, &[5, 0]), Ok(vec![9, 9]));
}

#[test]
fn the_size_and_address_of_a_copy_are_those_at_its_issue() {
    // Two bytes of the word, and zeros.
    let body = "mov.b32 %r1, s; mov.u32 %r2, 2; mov.u64 %rd1, %out;
        cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;
        mov.b32 %r1, 0; mov.u32 %r2, 4; add.u64 %rd1, %rd1, 4;
        cp.async.wait_all;
        ld.shared.u32 %r3, [s];
        st.global.u32 [%out+4], %r3;";
    expect_always(body, 1, &[0x1122_3344, 0], &[0x1122_3344, 0x3344]);
}

#[test]
fn a_barrier_completes_when_the_copies_before_the_arrival_are_done() {
    for (noinc, count) in [("", 64), (".noinc", 128)] {
        // Without `.noinc` the arrival at the end is the one that the barrier was made for.
        let body = format!(
            "setp.eq.u32 %q, %t, 0;
            @%q mbarrier.init.shared.b64 [bar], {count};
            bar.sync 0;
            mov.b32 %r9, s; mad.lo.u32 %r10, %t, 4, %r9;
            add.u32 %r3, %t, 1; and.b32 %r3, %r3, 63; mad.lo.u32 %r11, %r3, 4, %r9;
            mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %out, %rd1;
            cp.async.ca.shared.global [%r10], [%rd1], 4;
            cp.async.mbarrier.arrive{noinc}.shared.b64 [bar];
            mbarrier.arrive.shared.b64 %rd3, [bar];
            WAIT:
            mbarrier.try_wait.shared.b64 %p, [bar], %rd3;
            @!%p bra WAIT;
            ld.shared.u32 %r1, [%r11];
            bar.sync 0;
            st.global.u32 [%rd1], %r1;"
        );
        let memory: Vec<u32> = (0..THREADS).map(|thread| word(0, thread)).collect();
        expect_always(&body, THREADS, &memory, &with_results(&memory, |thread| word(0, (thread + 1) % 64)));
        let forgotten = body.replace("cp.async.mbarrier.arrive.shared.b64 [bar];", "");
        if noinc.is_empty() {
            assert_eq!(late(&forgotten, THREADS, &memory), Ok(vec![0; 64]));
        }
    }
}

/// Thread 0 copies 7 tiles of 256 bytes through 3 stages with a barrier each; all threads add the words of the next thread.
fn bulk_pipeline(wait: &str) -> String {
    format!(
        "mov.b32 %r9, s; mov.b32 %r12, bar;
        add.u32 %r3, %t, 1; and.b32 %r3, %r3, 63; mad.lo.u32 %r11, %r3, 4, %r9;
        mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %out, %rd1;
        setp.eq.u32 %q, %t, 0;
        mov.u32 %i, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;
        @%q mbarrier.init.shared.b64 [bar], 1;
        @%q mbarrier.init.shared.b64 [bar+8], 1;
        @%q mbarrier.init.shared.b64 [bar+16], 1;
        bar.sync 0;
        LOOP:
        @!%q bra FULL;
        // Thread 0 keeps two tiles ahead of the one that is read.
        FILL:
        add.u32 %r1, %i, {ahead};
        min.u32 %r1, %r1, {TILES};
        setp.ge.u32 %p, %r5, %r1;
        @%p bra FULL;
        rem.u32 %r1, %r5, {STAGES};
        mad.lo.u32 %r2, %r1, 8, %r12;
        mad.lo.u32 %r6, %r1, 256, %r9;
        mul.wide.u32 %rd2, %r5, 256; add.u64 %rd2, %out, %rd2;
        mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2], 256, [%r2];
        add.u32 %r5, %r5, 1;
        bra FILL;
        FULL:
        rem.u32 %r1, %i, {STAGES};
        mad.lo.u32 %r2, %r1, 8, %r12;
        div.u32 %r6, %i, {STAGES}; and.b32 %r6, %r6, 1;
        {wait}
        mad.lo.u32 %r1, %r1, 256, %r11;
        ld.shared.u32 %r7, [%r1];
        add.u32 %r4, %r4, %r7;
        bar.sync 0;
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, {TILES};
        @%p bra LOOP;
        st.global.u32 [%rd1], %r4;",
        ahead = STAGES - 1,
    )
}

#[test]
fn bulk_copies_whose_barrier_was_waited_for_are_there() {
    let expected =
        with_results(&tiles(), |thread| (0..TILES).map(|tile| word(tile, (thread + 1) % 64)).sum());
    for wait in ["try_wait", "test_wait"] {
        let wait = format!("WAIT: mbarrier.{wait}.parity.shared::cta.b64 %p, [%r2], %r6;\n@!%p bra WAIT;");
        expect_always(&bulk_pipeline(&wait), THREADS, &tiles(), &expected);
    }
}

#[test]
fn a_barrier_is_not_used_again_before_its_copies_are_there() {
    // The phase still has bytes to come when the next arrival comes.
    let trap = late(&bulk_pipeline(""), THREADS, &tiles()).unwrap_err();
    assert!(matches!(&trap.kind, TrapKind::Misuse(text) if text.contains("waits for 0")), "{trap}");
    assert!(trap.instruction.starts_with("mbarrier.arrive.expect_tx"), "{trap}");
}

#[test]
fn a_wait_for_one_barrier_is_none_for_another() {
    // Both copies are in flight; only the second one is waited for.
    let body = "mov.b32 %r1, s;
        mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar+8], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 16;
        mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar+8], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], 16, [bar];
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%out+16], 16, [bar+8];
        WAIT: mbarrier.try_wait.shared.b64 %p, [bar+8], %rd2;
        @!%p bra WAIT;
        ld.shared.u32 %r2, [s]; ld.shared.u32 %r3, [s+16];
        st.global.v2.u32 [%out+32], {%r2, %r3};";
    let memory: Vec<u32> = (10..20).collect();
    let expected: Vec<u32> = (10..18).chain([0, 14]).collect();
    assert_eq!(late(body, 1, &memory), Ok(expected));
}

#[test]
fn a_barrier_is_not_complete_at_the_issue() {
    let body = "mov.b32 %r1, s;
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], 16, [bar];
        mbarrier.test_wait.shared.b64 %p, [bar], %rd1;
        selp.u32 %r2, 1, 2, %p;
        st.global.u32 [%out+16], %r2;";
    assert_eq!(late(body, 1, &[0; 5]), Ok(vec![0, 0, 0, 0, 2]));
    let eager = launch(&kernel(body), (1, 1), &[0; 5], Completion::Eager, 1);
    assert_eq!(eager, Ok(vec![0, 0, 0, 0, 1]));
}

/// A thread adds 4 words of shared memory, all 7, to global memory, and overwrites them with 100 after `wait`.
fn reduction(wait: &str) -> String {
    format!(
        "mov.b32 %r1, s; mov.u32 %r2, 7;
        st.shared.v4.u32 [%r1], {{%r2, %r2, %r2, %r2}}; fence.proxy.async;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r1], 16;
        cp.async.bulk.commit_group;
        {wait}
        mov.u32 %r2, 100;
        st.shared.v4.u32 [%r1], {{%r2, %r2, %r2, %r2}};
        ld.global.u32 %r3, [%out];
        st.global.u32 [%out+16], %r3;
        cp.async.bulk.wait_group 0;"
    )
}

#[test]
fn a_reduction_takes_what_was_read_before_the_wait_for_reads() {
    let memory = [1, 2, 3, 4, 0];
    // What it added is only there after the other wait.
    assert_eq!(late(&reduction("cp.async.bulk.wait_group.read 0;"), 1, &memory), Ok(vec![8, 9, 10, 11, 1]));
    expect_always(&reduction("cp.async.bulk.wait_group 0;"), 1, &memory, &[8, 9, 10, 11, 8]);
    for completion in completions() {
        let found =
            launch(&kernel(&reduction("cp.async.bulk.wait_group.read 0;")), (1, 1), &memory, completion, 1);
        assert_eq!(found.unwrap()[..4], [8, 9, 10, 11], "{completion:?}");
    }
    assert_eq!(late(&reduction(""), 1, &memory), Ok(vec![101, 102, 103, 104, 1]));
}

#[test]
fn a_block_does_not_end_while_its_memory_is_read() {
    let body = |wait: &str| {
        format!(
            "mov.b32 %r1, s; mov.u32 %r2, 7;
            st.shared.v4.u32 [%r1], {{%r2, %r2, %r2, %r2}}; fence.proxy.async;
            cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 16;
            cp.async.bulk.commit_group;
            {wait}"
        )
    };
    expect_always(&body("cp.async.bulk.wait_group.read 0;"), 1, &[0; 4], &[7; 4]);
    let trap = late(&body(""), 1, &[0; 4]).unwrap_err();
    assert!(matches!(&trap.kind, TrapKind::Misuse(text) if text.contains("block ends")), "{trap}");
    assert!(trap.instruction.starts_with("cp.async.bulk.global"), "{trap}");
}

#[test]
fn a_copy_into_memory_that_is_not_there_is_found_at_its_instruction() {
    let body = "mov.b32 %r1, s;
        cp.async.ca.shared.global [%r1], [%out+16], 4;
        cp.async.commit_group;
        mov.u32 %r2, 0;";
    for completion in completions() {
        let trap = launch(&kernel(body), (1, 1), &[0; 4], completion, 1).unwrap_err();
        assert!(matches!(trap.kind, TrapKind::Fault(_)), "{trap}");
        assert!(trap.instruction.starts_with("cp.async.ca"), "{completion:?}: {trap}");
    }
}

/// Each thread of 4 blocks copies a word and reads it without a wait, a few times.
const RACE: &str = "mov.b32 %r9, s; mad.lo.u32 %r10, %t, 4, %r9;
    mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 32, %t;
    mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %out, %rd1;
    cp.async.ca.shared.global [%r10], [%rd1], 4;
    mov.u32 %i, 0; mov.u32 %r4, 0;
    LOOP:
    ld.shared.u32 %r2, [%r10];
    setp.ne.u32 %p, %r2, 0;
    @%p add.u32 %r4, %r4, 1;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 40;
    @%p bra LOOP;
    bar.sync 0;
    st.global.u32 [%rd1], %r4;";

#[test]
fn a_seed_decides_the_points_whatever_the_threads_of_the_host() {
    let memory = vec![1; 128];
    let found = |seed, host| launch(&kernel(RACE), (4, 32), &memory, Completion::Random(seed), host).unwrap();
    let results: Vec<Vec<u32>> = (0..20).map(|seed| found(seed, 1)).collect();
    for (seed, result) in results.iter().enumerate() {
        assert_eq!(*result, found(seed as u64, 3), "seed {seed}");
    }
    // Words that came at once, late and never.
    let all: Vec<u32> = results.concat();
    assert!(all.contains(&0) && all.iter().any(|&n| n > 30) && all.iter().any(|&n| (1..30).contains(&n)));
    // Blocks have points of their own.
    assert!(results.iter().any(|result| result[..32] != result[32..64]));
    assert_eq!(launch(&kernel(RACE), (4, 32), &memory, Completion::Late, 1), Ok(vec![0; 128]));
}

/// Stores 7 and adds 5 to 30 in shared memory, each signalled to a barrier of its own.
fn writes(waits: [&str; 2]) -> String {
    format!(
        "mov.b32 %r1, s; mov.b32 %r2, bar; mov.u32 %r3, 30;
        st.shared.u32 [s+4], %r3;
        mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar+8], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 4;
        mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar+8], 4;
        mov.u32 %r4, 7; mov.u32 %r5, 5;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r4, [%r2];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1+4], %r5, [%r2+8];
        mov.u32 %r4, 0; mov.u32 %r5, 0;
        {} {}
        ld.shared.v2.u32 {{%r6, %r7}}, [s];
        st.global.v2.u32 [%out], {{%r6, %r7}};",
        waits[0], waits[1]
    )
}

#[test]
fn stores_and_reductions_are_there_when_their_barrier_was_waited_for() {
    let waits = [
        "A: mbarrier.try_wait.shared.b64 %p, [bar], %rd1; @!%p bra A;",
        "B: mbarrier.try_wait.shared.b64 %p, [bar+8], %rd2; @!%p bra B;",
    ];
    expect_always(&writes(waits), 1, &[0; 2], &[7, 35]);
    assert_eq!(late(&writes([waits[0], ""]), 1, &[0; 2]), Ok(vec![7, 30]));
    assert_eq!(late(&writes(["", waits[1]]), 1, &[0; 2]), Ok(vec![0, 35]));
}

#[test]
fn stores_that_nothing_tells_of_happen_in_finite_time() {
    // The second warp waits for a word in global memory that the first one stores and goes on waiting too.
    let body = "setp.ge.u32 %q, %t, 32;
        @%q bra SECOND;
        setp.eq.u32 %q, %t, 0;
        mov.u32 %r1, 3;
        @%q st.async.release.gpu.global.u32 [%out], %r1;
        FIRST: ld.acquire.gpu.global.u32 %r2, [%out+4]; setp.ne.u32 %p, %r2, 4; @%p bra FIRST;
        bra DONE;
        SECOND: ld.acquire.gpu.global.u32 %r2, [%out]; setp.ne.u32 %p, %r2, 3; @%p bra SECOND;
        mov.u32 %r1, 4;
        st.global.u32 [%out+4], %r1;
        DONE:";
    expect_always(body, 64, &[0; 2], &[3, 4]);
}
