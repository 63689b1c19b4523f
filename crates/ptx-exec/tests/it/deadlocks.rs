//! Loops that ask an mbarrier for the end of a phase: those that never end are deadlocks, those that end are not. What is pending
//! in the reports was counted by hand from the arrivals and bytes of each kernel (manual 9.7.13.15.2 to 9.7.13.15.5).

use std::time::Duration;

use crate::common::{execute, words};
use ptx_exec::{Argument, Completion, ExecError, Launch, Limits, TrapKind};

const ALL: [Completion; 4] =
    [Completion::Eager, Completion::Late, Completion::Random(3), Completion::Random(8)];

/// The loops in which programs wait for the phase in `%r9` of the barrier at `%r8`: as CUTLASS writes it, as Triton does, with pauses that
/// grow up to a bound, in a function, and with the next three questions in a row.
const LOOPS: [&str; 5] = [
    "{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%r8], %r9, 10000000;
        @P1 bra DONE; bra LAB_WAIT; DONE: }",
    "{ .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared::cta.b64 complete, [%r8], %r9;
        @!complete bra.uni waitLoop; }",
    "{ .reg .pred q; .reg .b32 ns; mov.b32 ns, 8;
        again: mbarrier.test_wait.parity.shared::cta.b64 q, [%r8], %r9; @q bra over;
        nanosleep.u32 ns; shl.b32 ns, ns, 1; min.u32 ns, ns, 256; bra again; over: }",
    "{ .reg .pred q; .reg .b32 o;
        again: call (o), asked, (%r8, %r9); setp.ne.u32 q, o, 0; @!q bra again; }",
    "{ .reg .pred q; again: mbarrier.try_wait.parity.shared::cta.b64 q, [%r8], %r9; @q bra over;
        mbarrier.try_wait.parity.shared::cta.b64 q, [%r8], %r9; @q bra over;
        mbarrier.try_wait.parity.shared::cta.b64 q, [%r8], %r9; @!q bra again; over: }",
];

/// A kernel whose barriers are `full` and `empty`, for one arrival and for two, in which `%r8` waits for phase 0 with `WAIT`.
fn text(body: &str, wait: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64
        .func (.reg .b32 o) asked (.reg .b32 a, .reg .b32 b) {{
            .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [a], b; selp.b32 o, 1, 0, q; ret; }}
        .visible .entry k(.param .u64 p) {{
            .reg .pred %p<9>; .reg .b32 %t, %rank, %r<20>; .reg .b64 %out, %rd<20>;
            .shared .align 128 .b8 data[256]; .shared .align 8 .b64 bars[2];
            ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank;
            setp.eq.u32 %p0, %t, 0; setp.lt.u32 %p1, %t, 32;
            mov.u32 %r1, data; mov.u32 %r2, bars; add.u32 %r3, %r2, 8; mov.u32 %r8, %r2; mov.u32 %r9, 0;
            @%p0 mbarrier.init.shared.b64 [%r2], 1;
            @%p0 mbarrier.init.shared.b64 [%r3], 2;
            bar.sync 0;
            {}
            ret; }}",
        body.replace("WAIT", wait)
    )
}

fn launch(blocks: u32, threads: u32, completion: Completion) -> Launch {
    Launch {
        grid: [blocks, 1, 1],
        cluster: Some([blocks, 1, 1]),
        block: [threads, 1, 1],
        arguments: vec![Argument::Buffer(vec![0; 1024])],
        completion,
        limits: Limits { timeout: Some(Duration::from_secs(60)), ..Limits::default() },
        ..Launch::new("k")
    }
}

/// The reports about the groups of threads of a deadlock, with each loop and point of completion.
fn stuck(blocks: u32, threads: u32, body: &str, expected: &[&str]) {
    for wait in LOOPS {
        for completion in ALL {
            let found = execute(&text(body, wait), &launch(blocks, threads, completion));
            let Err(ExecError::Trap(trap)) = found else { panic!("{found:?}\n{body}\n{wait}") };
            assert!(matches!(trap.kind, TrapKind::Deadlock(_)), "{completion:?} {trap}\n{body}\n{wait}");
            let mut texts: Vec<&str> = trap.related.iter().map(|(_, text)| text.as_str()).collect();
            texts.sort_unstable();
            assert_eq!(texts, expected, "{completion:?}\n{body}\n{wait}");
        }
    }
}

/// The first words that a kernel leaves which ends, with each loop and point of completion.
fn ends(blocks: u32, threads: u32, body: &str, expected: &[u32]) {
    let loops = if body.contains("WAIT") { LOOPS.len() } else { 1 };
    for wait in &LOOPS[..loops] {
        for completion in ALL {
            let found = execute(&text(body, wait), &launch(blocks, threads, completion));
            let left = found.unwrap_or_else(|error| panic!("{completion:?} {error}\n{body}\n{wait}"));
            let left = words(left.buffers[0].as_ref().unwrap());
            assert_eq!(left[..expected.len()], *expected, "{completion:?}\n{body}\n{wait}");
        }
    }
}

/// Turns of a loop that take a while: many times those after which threads that wait are looked at.
const WORK: &str = "mov.u32 %r10, 0; W: add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 30000; @%p5 bra W;";

#[test]
fn an_arrival_that_never_comes_is_a_deadlock() {
    // `empty` is for two arrivals and gets one.
    let waits = "@%p0 mbarrier.arrive.shared.b64 _, [%r3]; mov.u32 %r8, %r3; WAIT";
    let of = |first: u32| {
        format!(
            "thread ({first}, 0, 0) and 31 more of its warp: wait for the mbarrier at offset 8 of variable `bars` to end the \
             phase of parity 0, of which 1 of 2 arrivals are pending"
        )
    };
    stuck(1, 64, waits, &[&of(0), &of(32)]);
    // The other one comes late, from the other warp.
    let both = format!(
        "@%p0 mbarrier.arrive.shared.b64 _, [%r3]; mov.u32 %r8, %r3; @%p1 bra GO; {WORK}
        setp.eq.u32 %p4, %t, 32; @%p4 mbarrier.arrive.shared.b64 _, [%r3];
        GO: WAIT @%p0 st.global.u32 [%out], 7;"
    );
    ends(1, 64, &both, &[7]);
}

#[test]
fn bytes_that_no_one_copies_are_a_deadlock() {
    let expects = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 96;";
    let copy = |bytes: u32| {
        format!(
            "@%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%out+512], {bytes}, [%r2];"
        )
    };
    let report = "thread (0, 0, 0) and 31 more of its warp: wait for the mbarrier at variable `bars` to end the phase of \
                  parity 0, of which 0 of 1 arrivals are pending and 64 bytes of transactions are pending";
    stuck(1, 32, &format!("{expects} {} WAIT", copy(32)), &[report]);
    ends(1, 32, &format!("{expects} {} WAIT @%p0 st.global.u32 [%out], 7;", copy(96)), &[7]);
}

#[test]
fn a_wait_for_the_wrong_phase_is_a_deadlock() {
    // Phase 0 ends; that of parity 1 is the one that runs then.
    let waits = "@%p0 mbarrier.arrive.shared.b64 _, [%r2]; mov.u32 %r9, 1; bar.sync 0; WAIT";
    let report = "thread (0, 0, 0) and 31 more of its warp: wait for the mbarrier at variable `bars` to end the phase of \
                  parity 1, of which 1 of 1 arrivals are pending";
    stuck(1, 32, waits, &[report]);
    // Before the first phase has ended, the one before it has parity 1, and is over.
    ends(1, 32, "mov.u32 %r9, 1; WAIT @%p0 st.global.u32 [%out], 7;", &[7]);
}

#[test]
fn threads_at_other_barriers_wait_too() {
    // One warp asks, one is at a barrier of the block for all, one has exited.
    let waits = "setp.ge.u32 %p4, %t, 64; @%p4 ret; @%p1 bra GO; bar.sync 1, 64; GO: WAIT";
    let reports = [
        "thread (0, 0, 0) and 31 more of its warp: wait for the mbarrier at variable `bars` to end the phase of parity 0, of \
         which 1 of 1 arrivals are pending",
        "thread (32, 0, 0) and 31 more of its warp: wait at barrier 1, to which 32 of 64 threads have come",
    ];
    stuck(1, 96, waits, &reports);
    let waits =
        "@%p1 bra GO; bar.sync 1, 32; setp.eq.u32 %p4, %t, 32; @%p4 mbarrier.arrive.shared.b64 _, [%r2];
        GO: WAIT @%p0 st.global.u32 [%out], 7;";
    ends(1, 64, waits, &[7]);
}

#[test]
fn lanes_of_a_warp_that_ask_for_different_barriers() {
    // The upper half would arrive for the lower half after its own wait, which waits for the lower half.
    let waits = "setp.lt.u32 %p4, %t, 16; selp.b32 %r8, %r2, %r3, %p4; WAIT
        @%p4 mbarrier.arrive.shared.b64 _, [%r3]; setp.eq.u32 %p5, %t, 16; @%p5 mbarrier.arrive.shared.b64 _, [%r2];
        @%p0 st.global.u32 [%out], 7;";
    for (wait, completion) in LOOPS.into_iter().zip(ALL.into_iter().cycle()) {
        let found = execute(&text(waits, wait), &launch(1, 32, completion));
        let Err(ExecError::Trap(trap)) = found else { panic!("{found:?}") };
        assert!(matches!(trap.kind, TrapKind::Deadlock(_)), "{trap}");
    }
    // With an arrival before that, the lower half goes first.
    ends(
        1,
        32,
        &format!(
            "@%p0 mbarrier.arrive.shared.b64 _, [%r2]; {}",
            &waits.replace("@%p4 mb", "setp.lt.u32 %p6, %t, 2; @%p6 mb").replace("@%p5 mb", "//")
        ),
        &[7],
    );
}

#[test]
fn blocks_of_a_cluster_wait_for_each_other() {
    // Each arrives at the other's `full`, or only the first does.
    let arrives = "xor.b32 %r11, %rank, 1; mapa.shared::cluster.u32 %r12, %r2, %r11;
        barrier.cluster.arrive; barrier.cluster.wait;";
    let arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];";
    let end = "barrier.cluster.arrive; barrier.cluster.wait;
        mul.wide.u32 %rd1, %rank, 4; add.u64 %rd1, %out, %rd1; st.global.u32 [%rd1], 7;";
    let only_first = format!("{arrives} setp.eq.u32 %p4, %rank, 0; @%p4 {arrive} WAIT {end}");
    let reports = [
        "block (0, 0, 0), thread (0, 0, 0): wait for the mbarrier at variable `bars` of block (0, 0, 0) to end the phase of \
         parity 0, of which 1 of 1 arrivals are pending",
        "block (1, 0, 0), thread (0, 0, 0): wait at the barrier of the cluster",
    ];
    stuck(2, 1, &only_first, &reports);
    ends(
        2,
        1,
        &format!("{arrives} setp.eq.u32 %p4, %rank, 0; @%p4 bra GO; {WORK} GO: {arrive} WAIT {end}"),
        &[7, 7],
    );
}

#[test]
fn a_loop_that_gives_up_ends() {
    // After a number of turns, or of nanoseconds, or when global memory changes, which another block does.
    let question = "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r2], 0;";
    let counts = format!(
        "mov.u32 %r10, 0; A: {question} @%p3 trap; add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 20000; @%p4 bra A;
        @%p0 st.global.u32 [%out], %r10;"
    );
    ends(1, 32, &counts, &[20_000]);
    for clock in ["%globaltimer", "%clock64"] {
        let watches = format!(
            "mov.u64 %rd1, {clock}; A: {question} @%p3 trap; mov.u64 %rd2, {clock}; sub.u64 %rd2, %rd2, %rd1;
            setp.lt.u64 %p4, %rd2, 3000000; mov.u64 %rd2, 0; @%p4 bra A; @%p0 st.global.u32 [%out], 7;"
        );
        ends(1, 32, &watches, &[7]);
    }
    // A counter that is not in a register.
    for space in ["shared", "global", "local"] {
        let counter = if space == "global" { "%out+64" } else { "c" };
        let declared = if space == "global" { String::new() } else { format!(".{space} .align 4 .b32 c;") };
        let counts = format!(
            "{{ {declared} @%p0 st.{space}.u32 [{counter}], 0; A: {question} @%p3 trap;
            ld.{space}.u32 %r10, [{counter}]; add.u32 %r10, %r10, 1; st.{space}.u32 [{counter}], %r10;
            setp.lt.u32 %p4, %r10, 10000; mov.u32 %r10, 0; @%p4 bra A; @%p0 st.global.u32 [%out], 7; }}"
        );
        ends(1, 1, &counts, &[7]);
    }
}

#[test]
fn a_wait_for_another_block_is_none() {
    // The second block, not of the same cluster, sets a flag in global memory; only then a warp of the first one arrives.
    let body = format!(
        "mov.u32 %r13, %ctaid.x; setp.eq.u32 %p4, %r13, 0; @%p4 bra FIRST; {WORK} {WORK2} @%p0 st.release.gpu.global.u32 [%out+64], 1; ret;
        FIRST: @%p1 bra GO; F: ld.acquire.gpu.global.u32 %r14, [%out+64]; setp.eq.u32 %p6, %r14, 0; @%p6 bra F;
        setp.eq.u32 %p6, %t, 32; @%p6 mbarrier.arrive.shared.b64 _, [%r2];
        GO: WAIT @%p0 st.global.u32 [%out], 7;",
        WORK2 = WORK.replace('W', "V").replace("30000", "300000")
    );
    for wait in LOOPS {
        let launch = Launch { cluster: None, grid: [2, 1, 1], ..launch(1, 64, Completion::Eager) };
        let left = execute(&text(&body, wait), &launch).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(words(left.buffers[0].as_ref().unwrap())[0], 7);
    }
}

#[test]
fn a_pipeline_whose_stages_wait_for_each_other() {
    // The producer waits for `empty` before it fills, the consumer for `full` before it frees. With phase 0 of `empty` instead of the
    // one before it, no one begins.
    let pipeline = |first: u32| {
        format!(
            "@%p1 bra PRODUCER;
            WAIT setp.eq.u32 %p4, %t, 32; @%p4 mbarrier.arrive.shared.b64 _, [%r3], 2; @%p4 st.global.u32 [%out], 7; ret;
            PRODUCER: mov.u32 %r8, %r3; mov.u32 %r9, {first}; WAIT2
            @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 64;
            @%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%out+512], 64, [%r2];
            mov.u32 %r8, %r2; mov.u32 %r9, 0; {}",
            LOOPS[1]
        )
        .replace("WAIT2", LOOPS[1])
    };
    let reports = [
        "thread (0, 0, 0) and 31 more of its warp: wait for the mbarrier at offset 8 of variable `bars` to end the phase of \
         parity 0, of which 2 of 2 arrivals are pending",
        "thread (32, 0, 0) and 31 more of its warp: wait for the mbarrier at variable `bars` to end the phase of parity 0, of \
         which 1 of 1 arrivals are pending",
    ];
    stuck(1, 64, &pipeline(0), &reports);
    ends(1, 64, &pipeline(1), &[7]);
}
