//! Kernels whose asynchronous instructions the interpreter's runtime executes: barriers in shared memory, bulk copies. Both engines have to
//! leave the same; what they leave is also known by a formula.

use crate::common::{Case, WORDS, input, launched, launched_alike, words};
use ptx_exec::{Argument, Launch};

fn case(body: &str, block: u32) -> Case<'_> {
    Case {
        before: ".shared .align 16 .b8 tile[2048];\n.shared .align 8 .b64 full;\n.shared .align 8 .b64 empty;\n",
        target: "sm_90",
        grid: 2,
        block: [block, 1, 1],
        ..Case::warp(body)
    }
}

/// What the output is; both engines leave it.
fn output(case: &Case<'_>) -> Vec<u32> {
    assert_eq!(case.launches_alike(), Ok(String::new()));
    words(&case.interpreted())
}

/// All threads arrive at a barrier in shared memory and wait for it: what other warps stored before is there then.
#[test]
fn threads_wait_for_a_phase() {
    let body = "setp.ne.u32 %p1, %r4, 0;\n\
        @!%p1 mbarrier.init.shared.b64 [full], 96;\n\
        bar.sync 0;\n\
        mul.lo.u32 %r6, %r4, 4; mov.u32 %r7, tile; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r5;\n\
        mbarrier.arrive.shared.b64 %rd6, [full];\n\
        wait: mbarrier.try_wait.shared.b64 %p2, [full], %rd6;\n\
        @!%p2 bra wait;\n\
        sub.u32 %r8, 95, %r4; mul.lo.u32 %r8, %r8, 4; add.u32 %r8, %r8, %r7; ld.shared.u32 %r9, [%r8];\n\
        mbarrier.pending_count.b64 %r10, %rd6; setp.gt.u32 %p3, %r10, 96; @%p3 trap;\n\
        st.global.u32 [%rd4], %r9; ret;";
    let found = output(&case(body, 96));
    // Thread t of block b stores the index of thread 95 - t of its block.
    for (at, &word) in found.iter().enumerate().take(192) {
        assert_eq!(word as usize, at / 96 * 96 + 95 - at % 96);
    }
}

/// One lane copies to shared memory for a warp that waits, phase after phase: the other lanes of its warp go ahead to the barrier.
const PIPELINE: &str = "setp.ne.u32 %p1, %r4, 0; @%p1 bra ready;\n\
    mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [empty], 32; fence.mbarrier_init.release.cluster;\n\
    ready: bar.sync 0;\n\
    setp.lt.u32 %p2, %r4, 32; mov.u32 %r20, 0; mov.u32 %r21, 0; @!%p2 bra consumer;\n\
    elect.sync %r6|%p3, -1; @!%p3 bra done;\n\
    produce:\n\
    xor.b32 %r7, %r20, 1; and.b32 %r7, %r7, 1;\n\
    free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [empty], %r7; @!%p4 bra free;\n\
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;\n\
    mul.wide.u32 %rd6, %r20, 128; add.s64 %rd6, %rd6, %rd2;\n\
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd6], 128, [full];\n\
    add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 4; @%p5 bra produce;\n\
    bra done;\n\
    consumer:\n\
    and.b32 %r7, %r20, 1;\n\
    filled: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], %r7; @!%p4 bra filled;\n\
    sub.u32 %r8, %r4, 32; shl.b32 %r8, %r8, 2; mov.u32 %r9, tile; add.u32 %r8, %r8, %r9;\n\
    ld.shared.u32 %r10, [%r8]; mad.lo.u32 %r21, %r21, 3, %r10;\n\
    mbarrier.arrive.shared::cta.b64 _, [empty];\n\
    add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 4; @%p5 bra consumer;\n\
    done: bar.sync 0;\n\
    st.global.u32 [%rd4], %r21; ret;";

#[test]
fn one_lane_fills_what_a_warp_empties() {
    let found = output(&case(PIPELINE, 64));
    let given = words(&input());
    for (at, &word) in found.iter().enumerate().take(128) {
        let lane = at % 64;
        let sum = (0..4).fold(0u32, |sum, step| match lane {
            0..32 => 0,
            _ => sum.wrapping_mul(3).wrapping_add(given[step * 32 + lane - 32]),
        });
        assert_eq!(word, sum, "thread {at}");
    }
}

/// The lanes of one warp wait for each other: the upper ones ask before the lower ones have arrived.
#[test]
fn lanes_wait_for_lanes_of_their_warp() {
    let body = "setp.ne.u32 %p1, %r4, 0; @!%p1 mbarrier.init.shared.b64 [full], 16; bar.warp.sync -1;\n\
        mov.u32 %r10, 0; setp.lt.u32 %p2, %r4, 16; @%p2 bra lower;\n\
        upper: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], 0; add.u32 %r10, %r10, 1; @!%p3 bra upper;\n\
        ld.shared.u32 %r11, [tile]; bra join;\n\
        lower: st.shared.u32 [tile], 7; mbarrier.arrive.shared::cta.b64 _, [full]; mov.u32 %r11, 9;\n\
        join: st.global.u32 [%rd4], %r11; ret;";
    let found = output(&Case { grid: 1, ..case(body, 32) });
    for (at, &word) in found.iter().enumerate().take(32) {
        assert_eq!(word, if at < 16 { 9 } else { 7 });
    }
    assert_eq!(found.len(), WORDS);
}

/// The lanes of one warp ask two barriers by one instruction. The second warp arrives at that of the lower ones when the upper ones have gone on.
#[test]
fn lanes_of_a_warp_ask_two_barriers() {
    let body = "setp.ne.u32 %p1, %r4, 0; @%p1 bra ready; mbarrier.init.shared.b64 [full], 1;\n\
        mbarrier.init.shared.b64 [empty], 1; mbarrier.init.shared.b64 [tile], 1; ready: bar.sync 0;\n\
        mov.u32 %r11, 0; setp.ge.u32 %p2, %r4, 32; @%p2 bra second;\n\
        setp.lt.u32 %p3, %r4, 16; mov.u32 %r6, full; mov.u32 %r7, empty; selp.u32 %r6, %r6, %r7, %p3;\n\
        ask: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r6], 0; @!%p4 bra ask;\n\
        setp.eq.u32 %p5, %r4, 16; @%p5 mbarrier.arrive.shared::cta.b64 _, [tile];\n\
        mov.u32 %r11, 5; @%p3 ld.shared.u32 %r11, [tile+16]; bra join;\n\
        second: setp.ne.u32 %p5, %r4, 32; @%p5 bra join; mbarrier.arrive.shared::cta.b64 _, [empty];\n\
        more: mbarrier.try_wait.parity.shared::cta.b64 %p6, [tile], 0; @!%p6 bra more;\n\
        st.shared.u32 [tile+16], 7; mbarrier.arrive.shared::cta.b64 _, [full];\n\
        join: st.global.u32 [%rd4], %r11; ret;";
    let found = output(&Case { grid: 1, ..case(body, 64) });
    for (at, &word) in found.iter().enumerate().take(64) {
        assert_eq!(word, [7, 5, 0, 0][at / 16]);
    }
}

/// Counts that are taken away come back only where the bulk store was read: 64 words go through shared memory to the output.
#[test]
fn bulk_copies_go_both_ways() {
    let body = "setp.ne.u32 %p1, %r4, 0; @%p1 bra ready; mbarrier.init.shared.b64 [full], 1;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd2], 256, [full];\n\
        ready: bar.sync 0;\n\
        wait: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0; @!%p4 bra wait;\n\
        shl.b32 %r8, %r4, 2; mov.u32 %r9, tile; add.u32 %r8, %r8, %r9; ld.shared.u32 %r10, [%r8];\n\
        add.u32 %r10, %r10, 5; st.shared.u32 [%r8], %r10; fence.proxy.async.shared::cta; bar.sync 0;\n\
        mul.wide.u32 %rd6, %r2, 256; add.s64 %rd6, %rd6, %rd1;\n\
        @!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd6], [tile], 256;\n\
        @!%p1 cp.async.bulk.commit_group; @!%p1 cp.async.bulk.wait_group 0; ret;";
    let found = output(&case(body, 64));
    let given = words(&input());
    for (at, &word) in found.iter().enumerate().take(128) {
        assert_eq!(word, given[at % 64].wrapping_add(5));
    }
}

/// What is wrong is told in the interpreter's words, and at its place.
#[test]
fn deadlocks_and_misuse_are_told_alike() {
    let init = "setp.ne.u32 %p1, %r4, 0; @!%p1 mbarrier.init.shared.b64 [full], 65; bar.sync 0;\n";
    let deadlock = format!(
        "{init} mbarrier.arrive.shared.b64 _, [full];\n\
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0; @!%p4 bra wait; ret;"
    );
    let told = case(&deadlock, 64).launches_alike().expect_err("a deadlock");
    assert!(told.contains("1 of 65 arrivals are pending"), "{told}");
    // A barrier of the block, to which those that ask do not come.
    let mixed = format!(
        "{init} setp.lt.u32 %p2, %r4, 32; @%p2 bra other;\n\
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0; @!%p4 bra wait; other: bar.sync 1; ret;"
    );
    let told = case(&mixed, 64).launches_alike().expect_err("a deadlock");
    assert!(told.contains("wait at barrier 1"), "{told}");
    let twice = format!("{init} mbarrier.arrive.shared.b64 _, [full], 66; ret;");
    let told = case(&twice, 32).launches_alike().expect_err("too many");
    assert!(told.contains("66 arrive at a barrier whose phase waits for 65"), "{told}");
    let nothing = "mbarrier.arrive.shared.b64 _, [empty]; ret;";
    let told = case(nothing, 32).launches_alike().expect_err("no barrier");
    assert!(told.contains("there is no initialized barrier"), "{told}");
}

/// A kernel for clusters of blocks of 32 threads: `%rd1` is the output, `%r1` the rank of the block, `%r2` the thread, `%rd4` its word. The
/// number of host threads does not matter.
fn clusters(body: &str, blocks: u32, size: u32) -> Result<Vec<u32>, String> {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.shared .align 16 .b32 own[64];\n.shared .align 8 .b64 full;\n\
         .visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n\
         mad.lo.u32 %r4, %r3, 32, %r2; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3;\n{body}\n}}\n"
    );
    let mut launch = Launch::new("k");
    (launch.grid, launch.block, launch.cluster) = ([blocks, 1, 1], [32, 1, 1], Some([size, 1, 1]));
    launch.limits.timeout = Some(std::time::Duration::from_secs(120));
    launch.arguments = vec![Argument::Buffer(vec![0; 4 * WORDS])];
    launched_alike(&text, &launch).map(|left| words(left.buffers[0].as_ref().expect("a buffer")))
}

/// Each thread writes to the next block of its cluster, adds to the one after that, and reads both ways: by addresses of shared memory and
/// by generic ones.
#[test]
fn blocks_of_a_cluster_access_each_other() {
    let body = "mov.u32 %r5, own; shl.b32 %r6, %r2, 2; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], 0; st.shared.u32 [%r5+128], %r4;\n\
        barrier.cluster.arrive; barrier.cluster.wait;\n\
        mov.u32 %r20, %cluster_nctarank; add.u32 %r7, %r1, 1; rem.u32 %r7, %r7, %r20; mapa.shared::cluster.u32 %r8, %r5, %r7;\n\
        mul.lo.u32 %r9, %r4, 3; st.shared::cluster.u32 [%r8], %r9;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
        add.u32 %r10, %r7, 1; rem.u32 %r10, %r10, %r20; mapa.shared::cluster.u32 %r11, %r5, %r10;\n\
        atom.shared::cluster.add.u32 %r12, [%r11], 1000; red.shared::cluster.add.u32 [%r11+128], 5;\n\
        barrier.cluster.arrive; barrier.cluster.wait;\n\
        ld.shared.u32 %r13, [%r5]; ld.shared::cluster.u32 %r14, [%r8+128];\n\
        cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd6, %rd5; mapa.u64 %rd7, %rd6, %r10; ld.u32 %r15, [%rd7];\n\
        xor.b32 %r16, %r13, %r14; mad.lo.u32 %r16, %r15, 7, %r16; add.u32 %r16, %r16, %r12; st.global.u32 [%rd4], %r16;\n\
        barrier.cluster.arrive; barrier.cluster.wait; ret;";
    let found = clusters(body, 8, 4).expect("it ends");
    for (at, &word) in found.iter().enumerate().take(256) {
        let (block, thread) = (at as u32 / 32, at as u32 % 32);
        let (first, rank) = (block / 4 * 4, block % 4);
        // What a block has of each thread: first what the one before it wrote.
        let written = |rank: u32| (first + (rank + 3) % 4) * 96 + thread * 3;
        let sum = |rank: u32| written(rank) + 1000;
        let kept = |rank: u32| (first + rank) * 32 + thread + 5;
        let expected = (sum(rank) ^ kept((rank + 1) % 4)) + sum((rank + 2) % 4) * 7 + written((rank + 2) % 4);
        assert_eq!(word, expected, "thread {at}");
    }
}

/// The last block of a cluster fills the shared memory of all of them by one copy; each signals the first one when it has it.
#[test]
fn copies_and_arrivals_reach_other_blocks() {
    let body = "setp.ne.u32 %p1, %r2, 0; @%p1 bra ready; mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;\n\
        ready: mov.u32 %r5, own; shl.b32 %r6, %r2, 2; add.u32 %r5, %r5, %r6; mad.lo.u32 %r7, %r4, 5, 1; st.shared.u32 [%r5+128], %r7;\n\
        fence.proxy.async.shared::cta; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n\
        setp.ne.u32 %p2, %r1, 3; mov.u32 %r10, 0; or.pred %p3, %p1, %p2; @%p3 bra wait;\n\
        send: mapa.shared::cluster.u32 %r11, own, %r10; mapa.shared::cluster.u32 %r12, full, %r10; mov.u32 %r14, own; add.u32 %r14, %r14, 128;\n\
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [%r14], 128, [%r12];\n\
        add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 4; @%p4 bra send;\n\
        wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p5, [full], 0; @!%p5 bra wait;\n\
        ld.shared.u32 %r13, [%r5]; st.global.u32 [%rd4], %r13; barrier.cluster.arrive; barrier.cluster.wait; ret;";
    let found = clusters(body, 8, 4).expect("it ends");
    for (at, &word) in found.iter().enumerate().take(256) {
        let sender = at as u32 / 128 * 4 + 3;
        assert_eq!(word, (sender * 32 + at as u32 % 32) * 5 + 1, "thread {at}");
    }
}

/// An address that is before the shared memory of the block, and an access that is not.
#[test]
fn addresses_may_begin_before_the_block() {
    let body = "mov.u32 %r5, own; shl.b32 %r6, %r2, 2; add.u32 %r7, %r5, %r6; st.shared.u32 [%r7], %r4; bar.warp.sync -1;\n\
        sub.u32 %r8, %r5, %r6; ld.shared.u32 %r9, [%r8+124]; st.global.u32 [%rd4], %r9; barrier.cluster.arrive; barrier.cluster.wait; ret;";
    let found = clusters(body, 4, 2).expect("it ends");
    for (at, &word) in found.iter().enumerate().take(128) {
        assert_eq!(word as usize, at / 32 * 32 + 31 - at % 32);
    }
}

#[test]
fn blocks_of_a_cluster_that_wait_for_ever_are_told_alike() {
    let body = "setp.ne.u32 %p1, %r2, 0; @!%p1 mbarrier.init.shared::cta.b64 [full], 33; bar.sync 0; setp.eq.u32 %p2, %r1, 0; @%p2 bra other;\n\
        wait: mbarrier.try_wait.parity.shared::cta.b64 %p5, [full], 0; @!%p5 bra wait;\n\
        other: barrier.cluster.arrive; barrier.cluster.wait; ret;";
    let told = clusters(body, 2, 2).expect_err("a deadlock");
    assert!(told.contains("wait at the barrier of the cluster"), "{told}");
    let early = clusters("barrier.cluster.wait; ret;", 2, 2).expect_err("it has not arrived");
    assert!(early.contains("without having arrived"), "{early}");
}

/// Clusters do the work of others instead of those (manual 9.7.13.17): each block adds the number of its place and one to a sum of that
/// place, so that the sums show that each place was worked on once. On one host thread the first cluster takes all others.
#[test]
fn clusters_are_taken_from_the_launch() {
    let text = ".version 8.7\n.target sm_100a\n.address_size 64\n.shared .align 16 .b8 answer[16];\n.shared .align 8 .b64 full;\n\
         .visible .entry k(.param .u64 out)\n{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n.reg .b128 %h;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r5, 0;\n\
         setp.ne.u32 %p1, %r2, 0; or.b32 %r9, %r1, %r2; setp.ne.u32 %p2, %r9, 0; @%p1 bra next;\n\
         mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster; red.global.add.u32 [%rd1+1024], 1;\n\
         next: barrier.cluster.arrive; barrier.cluster.wait;\n\
         @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16;\n\
         @!%p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [full];\n\
         mad.lo.u32 %r4, %r3, 32, %r2; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; add.u32 %r6, %r4, 1; red.global.add.u32 [%rd4], %r6;\n\
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], %r5; @!%p3 bra wait;\n\
         ld.shared.b128 %h, [answer]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %h; @!%p4 bra done;\n\
         clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r3, %h; add.u32 %r3, %r3, %r1; xor.b32 %r5, %r5, 1; bra next;\n\
         done: ret;\n}\n";
    for (size, threads) in [(1, 1), (2, 1), (4, 1), (2, 2)] {
        let mut launch = Launch::new("k");
        (launch.grid, launch.block, launch.cluster) = ([8, 1, 1], [32, 1, 1], Some([size, 1, 1]));
        launch.limits.timeout = Some(std::time::Duration::from_secs(120));
        launch.threads = std::num::NonZeroUsize::new(threads);
        launch.arguments = vec![Argument::Buffer(vec![0; 4 * WORDS])];
        // How many are started differs from launch to launch where there are several host threads.
        let left = if threads == 1 { launched_alike(text, &launch) } else { launched(text, &launch) };
        let left = words(left.expect("it ends").buffers[0].as_ref().expect("a buffer"));
        assert_eq!(left[..256], (1..=256).collect::<Vec<u32>>());
        assert!(threads > 1 || left[256] == size, "{} blocks were started", left[256]);
    }
}
