//! Barriers to which the threads of a warp come one by one: both engines leave the same bytes, or the same error.

use std::num::NonZeroUsize;
use std::time::Duration;

use ptx_exec::TrapKind;

use super::barriers::{agree, both, launch, stop_alike};

/// Bodies for which both engines leave the same, with and without checks of memory and of the analysis, in one function and in segments.
fn alike(body: &str, grid: u32, block: u32, n: u32) -> Vec<u32> {
    let words = agree(body, grid, block, n);
    let own = "mov.u32 %r20, s; shl.b32 %r21, %r4, 2; add.u32 %r22, %r20, %r21;";
    let text = format!(".shared .align 8 .b8 s[4096]; {own} {body}");
    let case = super::common::Case { grid, block: [block, 1, 1], n, ..super::common::Case::warp(&text) };
    if grid * block <= super::common::WORDS as u32 {
        case.agrees();
        case.holds();
        case.is_right_when_checked();
    }
    words
}

/// What nvcc makes of cooperative groups' `block.sync()` in both branches of a condition.
const BRANCHES: &str = "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, %r1; @%p1 bra other;\n\
    st.shared.u32 [%r22], %r4; barrier.sync 1; xor.b32 %r7, %r21, 4; bra join;\n\
    other: mul.lo.u32 %r8, %r4, 3; st.shared.u32 [%r22], %r8; barrier.sync 1; xor.b32 %r7, %r21, 64;\n\
    join: add.u32 %r7, %r20, %r7; ld.shared.u32 %r9, [%r7]; st.global.u32 [%rd4], %r9; ret;";

#[test]
fn threads_come_by_different_instructions() {
    for block in [32, 64, 128, 256] {
        let words = alike(BRANCHES, 2, block, 1);
        // Thread 1 has the word of thread 17, thread 2 that of thread 3.
        assert_eq!((words[1], words[2]), (51, 9));
    }
    // Threads of one warp in three.
    let by_three = "rem.u32 %r6, %r4, 3; setp.eq.u32 %p1, %r6, 0; setp.eq.u32 %p2, %r6, 1; st.shared.u32 [%r22], %r4; @%p1 bra a; @%p2 bra b;\n\
        barrier.sync 2, %r3; bra on; a: barrier.sync 2; bra on; b: barrier.sync %r1; on: sub.u32 %r7, %r3, %r4; sub.u32 %r7, %r7, 1;\n\
        shl.b32 %r7, %r7, 2; add.u32 %r7, %r20, %r7; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd4], %r8; ret;";
    for block in [32, 96, 64] {
        assert_eq!(alike(by_three, 1, block, 2)[0], block - 1);
    }
}

#[test]
fn some_threads_of_a_warp_by_a_guard() {
    let body = "setp.lt.u32 %p1, %r4, 40; st.shared.u32 [%r22], %r4; @%p1 barrier.sync 3; @!%p1 barrier.sync 3; xor.b32 %r7, %r21, 8;\n\
        add.u32 %r7, %r20, %r7; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd4], %r8; ret;";
    assert_eq!(alike(body, 2, 64, 0)[41], 43);
}

#[test]
fn loops_that_threads_leave_one_by_one() {
    // Each thread comes as often as its number says, and exits.
    let body = "and.b32 %r6, %r4, 7; mov.u32 %r7, 0; mov.u32 %r8, 0;\n\
        again: st.shared.u32 [%r22], %r7; barrier.sync 0; xor.b32 %r9, %r21, 32; add.u32 %r9, %r20, %r9; ld.shared.u32 %r10, [%r9]; add.u32 %r8, %r8, %r10;\n\
        barrier.sync 0; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %r6; @%p1 bra again; st.global.u32 [%rd4], %r8; ret;";
    let words = alike(body, 2, 96, 0);
    assert_eq!(words[..8], [0, 1, 3, 6, 10, 15, 21, 28]);
    // Rounds of two kinds.
    let kinds = "mov.u32 %r7, 0; mov.u32 %r8, 0;\n\
        again: add.u32 %r6, %r4, %r7; and.b32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 0; st.shared.u32 [%r22], %r7; @%p1 bra even; barrier.sync 1; add.u32 %r8, %r8, 1;\n\
        bra on; even: add.u32 %r8, %r8, 100; barrier.sync 1; on: xor.b32 %r9, %r21, 4; add.u32 %r9, %r20, %r9; ld.shared.u32 %r10, [%r9]; add.u32 %r8, %r8, %r10;\n\
        barrier.sync 2; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 6; @%p2 bra again; st.global.u32 [%rd4], %r8; ret;";
    for block in [32, 64, 100] {
        alike(kinds, 1, block, 0);
    }
}

#[test]
fn threads_of_a_warp_arrive_for_others_of_it() {
    // Half of a warp writes and arrives, the other half waits and reads.
    let body = "and.b32 %r6, %r4, 16; setp.eq.u32 %p1, %r6, 0; mov.u32 %r9, 7; @%p1 bra writer; barrier.sync 1, %r3; xor.b32 %r7, %r21, 64; add.u32 %r7, %r20, %r7;\n\
        ld.shared.u32 %r9, [%r7]; bra on; writer: st.shared.u32 [%r22], %r4; barrier.arrive 1, %r3; on: st.global.u32 [%rd4], %r9; ret;";
    for block in [32, 64, 96] {
        let words = alike(body, 2, block, 0);
        assert_eq!((words[0], words[16], words[31]), (7, 0, 15));
    }
    // They come again, for the next phase, and others wait at another barrier meanwhile.
    let rounds = "and.b32 %r6, %r4, 16; setp.eq.u32 %p1, %r6, 0; mov.u32 %r9, 0; mov.u32 %r10, 0; @%p1 bra writer;\n\
        reader: barrier.sync 1, 64; xor.b32 %r7, %r21, 64; add.u32 %r7, %r20, %r7; ld.shared.u32 %r8, [%r7]; mad.lo.u32 %r9, %r9, 3, %r8; barrier.arrive 2, 64;\n\
        add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 5; @%p2 bra reader; bra on;\n\
        writer: mad.lo.u32 %r8, %r10, 50, %r4; st.shared.u32 [%r22], %r8; barrier.arrive 1, 64; barrier.sync 2, 64;\n\
        add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 5; @%p2 bra writer; on: st.global.u32 [%rd4], %r9; ret;";
    alike(rounds, 2, 64, 0);
}

#[test]
fn reductions_of_predicates_in_branches() {
    let body = "and.b32 %r6, %r4, 3; setp.eq.u32 %p1, %r6, 0; setp.lt.u32 %p2, %r4, %r1; @%p1 bra other;\n\
        barrier.red.popc.u32 %r7, 1, %p2; barrier.red.and.pred %p3, 2, %p2; barrier.red.or.pred %p4, 3, !%p2; bra on;\n\
        other: barrier.red.popc.u32 %r7, 1, !%p2; barrier.red.and.pred %p3, 2, %p2; barrier.red.or.pred %p4, 3, !%p2;\n\
        on: selp.u32 %r8, 1000, 0, %p3; add.u32 %r7, %r7, %r8; selp.u32 %r8, 10000, 0, %p4; add.u32 %r7, %r7, %r8; st.global.u32 [%rd4], %r7; ret;";
    for n in [0, 5, 64, 40] {
        let words = alike(body, 2, 64, n);
        let popc = (0..64).filter(|thread| (thread % 4 == 0) == (*thread >= n)).count() as u32;
        assert_eq!(words[9], popc + 1000 * u32::from(n == 64) + 10_000 * u32::from(n < 64), "n = {n}");
    }
}

#[test]
fn exits_complete_phases() {
    let body = "setp.lt.u32 %p1, %r4, %r1; st.shared.u32 [%r22], %r4; @%p1 bra wait; mov.u32 %r6, 0; again: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r4; @%p2 bra again;\n\
        st.global.u32 [%rd4], %r6; exit; wait: barrier.sync 0; ld.shared.u32 %r7, [%r20+4]; add.u32 %r7, %r7, %r4; st.global.u32 [%rd4], %r7; ret;";
    for (block, n) in [(64, 20), (64, 40), (64, 0), (96, 70), (33, 5)] {
        alike(body, 1, block, n);
    }
    // Those that arrived exit before the others of their warp come.
    let arrived = "setp.lt.u32 %p1, %r4, 5; st.shared.u32 [%r22], %r4; @%p1 bra soon; and.b32 %r6, %r4, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra on; barrier.sync 1, 64; bra end;\n\
        on: barrier.sync 1, 64; bra end; soon: barrier.arrive 1, 64; ret; end: ld.shared.u32 %r7, [%r20+12]; st.global.u32 [%rd4], %r7; ret;";
    assert_eq!(alike(arrived, 1, 64, 0)[40], 3);
}

#[test]
fn other_operations_of_the_warp_meanwhile() {
    let body = "setp.lt.u32 %p1, %r4, %r1; st.shared.u32 [%r22], %r4; @%p1 bra a; barrier.sync 1; vote.sync.ballot.b32 %r6, %p1, 0xffff0000; bra on;\n\
        a: vote.sync.ballot.b32 %r6, %p1, 0x0000ffff; barrier.sync 1; on: ld.shared.u32 %r7, [%r20+8]; shfl.sync.bfly.b32 %r8, %r6, 16, 31, -1; add.u32 %r8, %r8, %r7;\n\
        st.global.u32 [%rd4], %r8; ret;";
    assert_eq!(alike(body, 1, 32, 16)[0], 2);
    // Lanes that are at an operation of the warp, which the others come to after the barrier.
    let after = "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra even; barrier.arrive 1, 64; shfl.sync.bfly.b32 %r7, %r4, 1, 31, -1; bra on;\n\
        even: barrier.sync 1, 64; shfl.sync.bfly.b32 %r7, %r4, 1, 31, -1; on: st.global.u32 [%rd4], %r7; ret;";
    assert_eq!(alike(after, 2, 64, 0)[7], 6);
}

#[test]
fn loops_that_wait_for_other_threads_meanwhile() {
    // The first warp's even threads wait for a flag that a thread of the second one sets after half of that warp has come to the barrier.
    let body = "setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u32 [%r20+2048], 0; bar.sync 0; and.b32 %r6, %r4, 33; setp.eq.u32 %p2, %r6, 0; @%p2 bra spin; setp.eq.u32 %p3, %r4, 63; @%p3 bra set;\n\
        barrier.sync 1; bra on; set: mov.u32 %r8, 5; st.volatile.shared.u32 [%r20+2048], %r8; barrier.sync 1; bra on;\n\
        spin: ld.volatile.shared.u32 %r7, [%r20+2048]; setp.ne.u32 %p4, %r7, 5; @%p4 bra spin; barrier.sync 1; on: ld.shared.u32 %r9, [%r20+2048]; st.global.u32 [%rd4], %r9; ret;";
    assert_eq!(alike(body, 2, 64, 0)[..64], [5; 64]);
}

#[test]
fn aligned_barriers_beside_others() {
    let body = "st.shared.u32 [%r22], %r4; bar.sync 0; and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra even; barrier.sync 1; xor.b32 %r7, %r21, 4; bra on;\n\
        even: barrier.sync 1; xor.b32 %r7, %r21, 8; on: add.u32 %r7, %r7, %r20; ld.shared.u32 %r8, [%r7]; barrier.red.popc.aligned.u32 %r9, 2, %p1; add.u32 %r8, %r8, %r9;\n\
        st.global.u32 [%rd4], %r8; ret;";
    assert_eq!(alike(body, 2, 64, 0)[..3], [34, 32, 32]);
}

#[test]
fn kernels_that_begin_with_a_barrier() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{ .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<3>;\n\
        barrier.sync 0; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0; @%p bra even; barrier.sync 1; bra on; even: barrier.sync 1;\n\
        on: ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret; }";
    let mut launch = ptx_exec::Launch::new("k");
    launch.block = [64, 1, 1];
    launch.arguments = vec![ptx_exec::Argument::Buffer(vec![0; 256])];
    super::common::launched_alike(text, &launch).expect("it is not stopped");
}

#[test]
fn deadlocks_are_told_as_the_interpreter_does() {
    for body in [
        // Halves of each warp at different barriers, to which no warp comes as a whole.
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1; bra on; a: barrier.sync 2; on: ret;",
        "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra a; barrier.sync 1, 64; bra on; a: barrier.sync 2, 64; on: ret;",
        // Some at an operation of the warp that names lanes which wait at a barrier.
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; vote.sync.any.pred %p2, %p1, -1; bra on; a: barrier.sync 1; on: ret;",
        "and.b32 %r6, %r4, 31; setp.lt.u32 %p1, %r6, 7; @%p1 bra a; shfl.sync.bfly.b32 %r7, %r4, 1, 31, 0xffffff88; barrier.sync 1; bra on; a: barrier.sync 1; on: ret;",
        // A count that is never reached.
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1, 128; bra on; a: barrier.sync 1, 128; on: ret;",
    ] {
        let kind = stop_alike(body, &launch(1, 64, 0));
        assert!(matches!(kind, TrapKind::Deadlock(_)), "{body}: {kind:?}");
    }
}

#[test]
fn misuse_is_told_as_the_interpreter_does() {
    for body in [
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync %r4; bra on; a: barrier.sync 1; on: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync %r1; bra on; a: barrier.sync 1; on: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1, %r1; bra on; a: barrier.sync 1, 64; on: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1, 64; bra on; a: barrier.sync 1, 96; on: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1; bra on; a: barrier.arrive 2, 64; barrier.arrive 2, 64; on: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1; bra on; a: barrier.red.popc.u32 %r6, 1, %p1; on: ret;",
        // Aligned barriers, of a part of a warp and of parts at two instructions.
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; barrier.sync 1; bra on; a: barrier.sync 1; on: setp.lt.u32 %p2, %r4, 5; @%p2 bar.sync 2; ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; bar.sync 1; barrier.sync 4; bra on; a: bar.sync 1; barrier.sync 4; on: ret;",
    ] {
        let mut launch = launch(1, 64, 17);
        launch.threads = NonZeroUsize::new(1);
        let kind = stop_alike(body, &launch);
        assert!(matches!(kind, TrapKind::Misuse(_)), "{body}: {kind:?}");
    }
}

#[test]
fn launches_end_with_the_time() {
    let body = "setp.lt.u32 %p1, %r4, 16; @%p1 bra spin; barrier.sync 1; ret; spin: add.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r1, 5; @%p2 bra spin; barrier.sync 1; ret;";
    let mut launch = launch(3, 64, 0);
    launch.limits.timeout = Some(Duration::from_millis(60));
    for result in both(body, &launch) {
        match result.map(drop).expect_err("it is stopped") {
            ptx_exec::ExecError::Trap(trap) => assert_eq!(trap.kind, TrapKind::Timeout),
            ptx_exec::ExecError::Refused(findings) => panic!("{findings:?}"),
        }
    }
}

/// Kernels whose barriers the interpreter's runtime executes, because they have an mbarrier.
fn heavy(body: &str, block: u32) -> super::common::Case<'_> {
    super::common::Case {
        before: ".shared .align 16 .b8 tile[2048];\n.shared .align 8 .b64 full;\n",
        grid: 2,
        block: [block, 1, 1],
        ..super::common::Case::warp(body)
    }
}

const BEGIN: &str = "setp.ne.u32 %p1, %r4, 0; @!%p1 mbarrier.init.shared.b64 [full], 64; bar.sync 0; and.b32 %r6, %r4, 1; setp.eq.u32 %p2, %r6, 0;\n\
    mul.lo.u32 %r7, %r4, 4; mov.u32 %r8, tile; add.u32 %r7, %r7, %r8; st.shared.u32 [%r7], %r5; xor.b32 %r9, %r4, 1; mul.lo.u32 %r9, %r9, 4; add.u32 %r9, %r8, %r9;\n";

#[test]
fn barriers_beside_those_in_shared_memory() {
    for body in [
        // Odd threads arrive before the barrier, even ones after it, and all wait for the phase.
        "@%p2 bra even; mbarrier.arrive.shared.b64 %rd6, [full]; barrier.sync 1; wait: mbarrier.try_wait.shared.b64 %p3, [full], %rd6; @!%p3 bra wait;\n\
         bra on; even: barrier.sync 1; mbarrier.arrive.shared.b64 %rd6, [full]; again: mbarrier.try_wait.shared.b64 %p3, [full], %rd6; @!%p3 bra again;\n\
         on: ld.shared.u32 %r10, [%r9]; st.global.u32 [%rd4], %r10; ret;",
        // Odd threads poll until even ones have arrived, which they do before they wait for the odd ones.
        "mbarrier.arrive.shared.b64 %rd6, [full]; @%p2 bra even; wait: mbarrier.try_wait.shared.b64 %p3, [full], %rd6; @!%p3 bra wait; barrier.sync 1; mov.u32 %r11, 7;\n\
         bra on; even: barrier.sync 1; mov.u32 %r11, 9; on: ld.shared.u32 %r10, [%r9]; mad.lo.u32 %r10, %r11, 1000, %r10; st.global.u32 [%rd4], %r10; ret;",
        // Results of reductions, and rows that the runtime reads meanwhile.
        "mov.u32 %r12, 5; @%p2 bra even; barrier.red.popc.u32 %r12, 1, %p2; mbarrier.arrive.shared.b64 %rd6, [full]; bra on;\n\
         even: mbarrier.arrive.shared.b64 %rd6, [full]; barrier.red.popc.u32 %r12, 1, %p2; on: wait: mbarrier.try_wait.shared.b64 %p3, [full], %rd6; @!%p3 bra wait;\n\
         barrier.sync 2; ld.shared.u32 %r10, [%r9]; mad.lo.u32 %r10, %r12, 1000, %r10; st.global.u32 [%rd4], %r10; ret;",
        // Even threads arrive and exit.
        "@%p2 bra even; barrier.sync 1, 64; ld.shared.u32 %r10, [%r9]; mbarrier.arrive.shared.b64 %rd6, [full]; st.global.u32 [%rd4], %r10; ret;\n\
         even: barrier.arrive 1, 64; ret;",
    ] {
        let text = format!("{BEGIN}{body}");
        let case = heavy(&text, 64);
        assert_eq!(case.launches_alike(), Ok(String::new()), "{body}");
        case.is_right_when_checked();
    }
}

#[test]
fn deadlocks_beside_barriers_in_shared_memory() {
    for body in [
        "@%p2 bra even; barrier.sync 1; bra on; even: barrier.sync 2; on: mbarrier.arrive.shared.b64 %rd6, [full]; ret;",
        "@%p2 bra even; barrier.sync 1; bra on; even: mbarrier.arrive.shared.b64 %rd6, [full]; wait: mbarrier.try_wait.shared.b64 %p3, [full], %rd6; @!%p3 bra wait;\n\
         barrier.sync 1; on: ret;",
    ] {
        let text = format!("{BEGIN}{body}");
        let error = heavy(&text, 64).launches_alike().expect_err("a deadlock");
        assert!(error.contains("wait"), "{error}");
    }
}

/// Threads of a warp that wait for their cluster at two instructions.
fn in_cluster(body: &str) -> Result<ptx_exec::Outcome, String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{ .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<3>;\n\
        .shared .align 4 .b8 words[512]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; shl.b32 %r4, %r1, 2; mov.u32 %r5, words; add.u32 %r5, %r5, %r4;\n\
        st.shared.u32 [%r5], %r3; and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; mov.u32 %r7, %cluster_ctarank; xor.b32 %r7, %r7, 1; mapa.shared::cluster.u32 %r8, %r5, %r7;\n{body}\n\
        on: ld.shared::cluster.u32 %r9, [%r8]; add.u32 %r9, %r9, %r10; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r3, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r9;\n\
        barrier.cluster.arrive; barrier.cluster.wait; ret; }}"
    );
    let mut launch = ptx_exec::Launch::new("k");
    (launch.grid, launch.block, launch.cluster) = ([4, 1, 1], [64, 1, 1], Some([2, 1, 1]));
    launch.threads = NonZeroUsize::new(1);
    launch.limits.timeout = Some(Duration::from_secs(120));
    launch.arguments = vec![ptx_exec::Argument::Buffer(vec![0; 1024])];
    super::common::launched_alike(&text, &launch)
}

#[test]
fn threads_wait_for_their_cluster_at_several_instructions() {
    for body in [
        "mov.u32 %r10, 0; @%p1 bra even; barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r10, 1000; bra on; even: barrier.cluster.arrive; barrier.cluster.wait;",
        "mov.u32 %r10, 0; barrier.cluster.arrive; @%p1 bra even; barrier.cluster.wait; mov.u32 %r10, 1000; bra on; even: barrier.sync 1, 64; barrier.cluster.wait; bra on2;\n\
         on2: barrier.cluster.arrive; barrier.cluster.wait; bra on3; on3: bra on;",
        "mov.u32 %r10, 5; setp.gt.u32 %p2, %r1, 40; barrier.cluster.arrive; @%p2 bra even; @%p1 barrier.cluster.wait; @!%p1 barrier.cluster.wait; bra on; even: barrier.cluster.wait;",
    ] {
        let body = match body.contains("on2") {
            // Odd threads do what even ones do.
            true => body.replace(
                "mov.u32 %r10, 1000; bra on; even: barrier.sync 1, 64;",
                "mov.u32 %r10, 1000; barrier.sync 1, 64; bra on2; even: barrier.sync 1, 64;",
            ),
            false => body.to_owned(),
        };
        in_cluster(&body).expect("it is not stopped");
    }
    // Even threads wait without having arrived; odd ones wait for them.
    let stopped = "mov.u32 %r10, 0; @%p1 bra even; barrier.cluster.arrive; barrier.cluster.wait; bra on; even: barrier.cluster.wait;";
    assert!(in_cluster(stopped).expect_err("it is stopped").contains("without having arrived"));
    let deadlock = "mov.u32 %r10, 0; barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra even; barrier.cluster.arrive; barrier.cluster.wait; bra on; even: barrier.sync 1;";
    assert!(in_cluster(deadlock).is_err());
}
