//! Clusters of blocks: their shapes, their barrier, and each other's shared memory (manual 5.1.7, 9.7.9.23, 9.7.13.3, 10.11 to
//! 10.17, 11.7). Expected values are formulas of the indices of blocks and threads.

use std::num::NonZeroUsize;

use crate::common;
use ptx_exec::{Argument, Completion, Dim3, ExecError, FaultKind, Launch, Outcome, Space, Trap, TrapKind};

fn execute(text: &str, launch: &Launch) -> Result<Outcome, ExecError> {
    let text = format!(".version 8.6\n.target sm_100\n.address_size 64\n{text}");
    common::execute(&text, launch)
}

/// A kernel with the address of its buffer in `%out`, the thread's number in `%t`, and in `%rank` and `%ranks` the rank of its
/// block in the cluster and how many there are.
fn kernel(directives: &str, body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 p) {directives} {{
            .reg .pred %p, %q; .reg .b32 %t, %rank, %ranks, %r<20>; .reg .b64 %out, %rd<20>;
            .shared .align 128 .b8 first[64]; .shared .align 16 .b8 s[1024]; .shared .b64 bar;
            mov.u32 %t, first; ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank; mov.u32 %ranks, %cluster_nctarank;
            {body}
            ret; }}"
    )
}

const MEET: &str = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

fn shaped(grid: Dim3, cluster: Dim3, threads: u32, bytes: usize) -> Launch {
    Launch {
        grid,
        block: [threads, 1, 1],
        cluster: Some(cluster),
        arguments: vec![Argument::Buffer(vec![0; bytes])],
        ..Launch::new("k")
    }
}

fn words(outcome: &Outcome) -> Vec<u32> {
    common::words(outcome.buffers[0].as_deref().unwrap())
}

fn trap(text: &str, launch: &Launch) -> Box<Trap> {
    match execute(text, launch) {
        Err(ExecError::Trap(trap)) => trap,
        other => panic!("{other:?}"),
    }
}

fn misuse(text: &str, launch: &Launch) -> String {
    match trap(text, launch).kind {
        TrapKind::Misuse(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn special_registers_tell_the_place_in_the_cluster() {
    // Block (x, y, z) of a grid of 4 x 6 x 2 in clusters of 2 x 3 x 1: cluster (x / 2, y / 3, z) of 2 x 2 x 2, block
    // (x mod 2, y mod 3, 0) of it.
    let registers = [
        "%clusterid.x",
        "%clusterid.y",
        "%clusterid.z",
        "%nclusterid.x",
        "%nclusterid.y",
        "%nclusterid.z",
        "%cluster_ctaid.x",
        "%cluster_ctaid.y",
        "%cluster_ctaid.z",
        "%cluster_nctaid.x",
        "%cluster_nctaid.y",
        "%cluster_nctaid.z",
        "%cluster_ctarank",
        "%cluster_nctarank",
    ];
    let mut body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
        mad.lo.u32 %r2, %r3, 6, %r2; mad.lo.u32 %r1, %r2, 4, %r1; mad.wide.u32 %rd1, %r1, 64, %out;
        mov.pred %p, %is_explicit_cluster; selp.u32 %r5, 1, 0, %p; st.global.u32 [%rd1+56], %r5;"
        .to_owned();
    for (at, register) in registers.iter().enumerate() {
        body += &format!("mov.u32 %r4, {register}; st.global.u32 [%rd1+{}], %r4;\n", at * 4);
    }
    let mut expected = Vec::new();
    for (z, y, x) in (0..48u32).map(|n| (n / 24, n / 4 % 6, n % 4)) {
        expected.extend([x / 2, y / 3, z, 2, 2, 2, x % 2, y % 3, 0, 2, 3, 1, x % 2 + y % 3 * 2, 6, 1, 0]);
    }
    let outcome = execute(&kernel("", &body), &shaped([4, 6, 2], [2, 3, 1], 1, 48 * 64)).unwrap();
    assert_eq!(words(&outcome), expected);
    let outcome = execute(&kernel("", &body), &Launch { cluster: None, ..shaped([1; 3], [1; 3], 1, 64) });
    assert_eq!(words(&outcome.unwrap()), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0]);
}

#[test]
fn values_go_round_a_ring_of_blocks() {
    // Each thread leaves its number in the grid, then gets that of the same thread of the next block, for as many rounds as
    // there are blocks less one: each value comes from the block before the own one in the end.
    let ways = [
        "mov.u32 %r2, s; mapa.shared::cluster.u32 %r3, %r2, %r1; mad.lo.u32 %r3, %t, 4, %r3;
         st.shared::cluster.u32 [%r3], %r5;",
        "mapa.shared::cluster.u32 %r3, s, %r1; shl.b32 %r4, %t, 2; add.u32 %r3, %r3, %r4;
         atom.shared::cluster.exch.b32 %r6, [%r3], %r5;",
        "mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mapa.u64 %rd3, %rd2, %r1; mad.wide.u32 %rd3, %t, 4, %rd3;
         st.u32 [%rd3], %r5;",
    ];
    for way in ways {
        let body = kernel(
            "",
            &format!(
                "mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ntid.x; mad.lo.u32 %r10, %r10, %r11, %t; mov.u32 %r5, %r10;
                mov.u32 %r12, 1;
                LOOP: setp.ge.u32 %p, %r12, %ranks; @%p bra DONE;
                add.u32 %r1, %rank, 1; rem.u32 %r1, %r1, %ranks;
                {way}
                {MEET}
                mov.u32 %r2, s; mad.lo.u32 %r2, %t, 4, %r2; ld.shared.u32 %r5, [%r2];
                {MEET}
                add.u32 %r12, %r12, 1; bra LOOP;
                DONE: mad.wide.u32 %rd1, %r10, 4, %out; st.global.u32 [%rd1], %r5;"
            ),
        );
        for (blocks, cluster) in [(8, 4), (6, 2), (16, 16), (3, 3)] {
            let launch = Launch {
                threads: NonZeroUsize::new(2),
                ..shaped([blocks, 1, 1], [cluster, 1, 1], 40, blocks as usize * 160)
            };
            let expected: Vec<u32> = (0..blocks * 40)
                .map(|n| {
                    let (block, thread) = (n / 40, n % 40);
                    let (first, rank) = (block / cluster * cluster, block % cluster);
                    (first + (rank + 1) % cluster) * 40 + thread
                })
                .collect();
            assert_eq!(words(&execute(&body, &launch).unwrap()), expected, "{way} {cluster}");
        }
    }
}

#[test]
fn an_address_has_the_rank_of_its_block() {
    // What is found out about the variable `s` at offset 64: its own address, generic and not; that of block 2; ranks and spaces.
    let body = kernel(
        "",
        "mov.u32 %r1, s; mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mov.u32 %r2, 2; mapa.u64 %rd3, %rd2, %r2;
        mapa.shared::cluster.u32 %r3, s+4, 2; cvta.to.shared.u64 %rd4, %rd3; cvt.u32.u64 %r4, %rd4;
        getctarank.u64 %r5, %rd3; getctarank.shared::cluster.u32 %r6, %r1;
        isspacep.shared::cta %p, %rd3; selp.u32 %r7, 1, 0, %p; isspacep.shared::cta %p, %rd2; selp.u32 %r8, 1, 0, %p;
        isspacep.shared::cluster %p, %rd3; selp.u32 %r9, 1, 0, %p; isspacep.shared::cluster %p, %out;
        selp.u32 %r10, 1, 0, %p; mad.lo.u32 %r7, %r8, 10, %r7; mad.lo.u32 %r7, %r9, 100, %r7; mad.lo.u32 %r7, %r10, 1000, %r7;
        mad.wide.u32 %rd5, %rank, 24, %out;
        st.global.u32 [%rd5], %r1; st.global.u32 [%rd5+4], %r3; st.global.u32 [%rd5+8], %r4; st.global.u32 [%rd5+12], %r5;
        st.global.u32 [%rd5+16], %r6; st.global.u32 [%rd5+20], %r7;",
    );
    let outcome = execute(&body, &shaped([4, 1, 1], [4, 1, 1], 1, 96)).unwrap();
    let expected: Vec<u32> = (0..4)
        .flat_map(|rank| {
            let own = if rank == 2 { 1 } else { 0 };
            [rank << 24 | 64, 2 << 24 | 68, 2 << 24 | 64, 2, rank, 110 + own]
        })
        .collect();
    assert_eq!(words(&outcome), expected);
}

#[test]
fn numbers_below_the_windows_are_own_memory() {
    // Offset 64 without a rank is the own memory of `.shared` and of `.shared::cta`, and block 0's of `.shared::cluster`.
    let body = kernel(
        "",
        &format!(
            "add.u32 %r1, %rank, 7; st.shared.u32 [s], %r1; {MEET} mov.u32 %r9, 64;
            ld.shared.u32 %r2, [%r9]; ld.shared::cta.u32 %r3, [%r9]; ld.shared::cluster.u32 %r4, [%r9]; {MEET}
            mad.wide.u32 %rd5, %rank, 12, %out;
            st.global.u32 [%rd5], %r2; st.global.u32 [%rd5+4], %r3; st.global.u32 [%rd5+8], %r4;"
        ),
    );
    let outcome = execute(&body, &shaped([2, 1, 1], [2, 1, 1], 1, 24)).unwrap();
    assert_eq!(words(&outcome), [7, 7, 7, 8, 8, 7]);
}

#[test]
fn exited_threads_are_not_waited_for() {
    // Of block `rank`, 8 times as many threads leave at once, in block 3 all of the first warp; the others meet three times, and
    // count how many have been to block 0.
    let body = kernel(
        "",
        "add.u32 %r1, %rank, 1; shl.b32 %r1, %r1, 3; setp.lt.u32 %p, %t, %r1; @%p exit;
        mov.u32 %r9, 3; mapa.shared::cluster.u32 %r2, s, 0;
        LOOP: red.shared::cluster.add.u32 [%r2], 1;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared::cluster.u32 %r3, [%r2];
        barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
        sub.u32 %r9, %r9, 1; setp.ne.u32 %p, %r9, 0; @%p bra LOOP;
        mad.lo.u32 %r4, %rank, 48, %t; mad.wide.u32 %rd1, %r4, 4, %out; st.global.u32 [%rd1], %r3;",
    );
    let outcome = execute(&body, &shaped([4, 1, 1], [4, 1, 1], 48, 4 * 48 * 4)).unwrap();
    let left = |rank: u32| 48 - (rank + 1) * 8;
    let total = 3 * (0..4).map(left).sum::<u32>();
    let expected: Vec<u32> = (0..4 * 48).map(|n| if n % 48 < (n / 48 + 1) * 8 { 0 } else { total }).collect();
    assert_eq!(words(&outcome), expected);
}

#[test]
fn the_memory_of_a_block_ends_with_it() {
    let body = kernel(
        "",
        "setp.eq.u32 %p, %rank, 1; @%p exit; mapa.shared::cluster.u32 %r1, s, 1;
        WAIT: ld.shared::cluster.u32 %r2, [%r1+8]; setp.eq.u32 %p, %r2, 0; @%p bra WAIT;",
    );
    let trap = trap(&body, &shaped([4, 1, 1], [2, 1, 1], 1, 4));
    let TrapKind::Fault(fault) = trap.kind else { panic!("{trap:?}") };
    assert_eq!(
        (fault.kind, fault.space, fault.address),
        (FaultKind::Exited, Space::SharedCluster, 1 << 24 | 72)
    );
    assert!(trap.to_string().contains("block 1 of the cluster has exited"), "{trap}");
    assert!(trap.to_string().contains("offset 8 of variable `s`"), "{trap}");
    assert_eq!(trap.block, [0, 0, 0]);
}

#[test]
fn other_blocks_memory_takes_its_own_space_and_has_bounds() {
    let fault = |line: &str| {
        let text = kernel(
            "",
            &format!("mapa.shared::cluster.u32 %r1, s, 1; setp.eq.u32 %p, %rank, 0; @%p {line} {MEET}"),
        );
        let trap = trap(&text, &shaped([2, 1, 1], [2, 1, 1], 1, 4));
        match trap.kind {
            TrapKind::Fault(fault) => (fault.kind, fault.space, trap.to_string()),
            ref other => panic!("{other:?}"),
        }
    };
    let (kind, space, text) = fault("ld.shared.u32 %r2, [%r1];");
    assert_eq!((kind, space), (FaultKind::OtherBlock, Space::Shared));
    assert!(text.contains("block 1 of the cluster, which takes `.shared::cluster`"), "{text}");
    assert_eq!(fault("st.shared::cta.u32 [%r1], %r2;").0, FaultKind::OtherBlock);
    assert_eq!(fault("atom.shared.add.u32 %r2, [%r1], 1;").0, FaultKind::OtherBlock);
    let (kind, space, _) = fault("st.shared::cluster.u32 [%r1+1032], %r2;");
    assert_eq!((kind, space), (FaultKind::OutOfBounds, Space::SharedCluster));
    assert_eq!(fault("ld.shared::cluster.u32 %r2, [%r1+16777216];").0, FaultKind::OutOfBounds);
    assert_eq!(fault("ld.shared::cluster.u32 %r2, [%r1+2];").0, FaultKind::Misaligned);
}

#[test]
fn ranks_are_those_of_the_cluster() {
    let two = shaped([2, 1, 1], [2, 1, 1], 1, 4);
    // Blocks that there are not have addresses, which must not be accessed.
    for rank in ["2", "255", "256", "-1"] {
        let body = format!("mapa.shared::cluster.u32 %r1, s, {rank}; ld.shared::cluster.u32 %r2, [%r1];");
        match trap(&kernel("", &body), &two).kind {
            TrapKind::Fault(fault) => assert_eq!(fault.kind, FaultKind::OutOfBounds, "{rank}"),
            other => panic!("{other:?}"),
        }
    }
    let text = misuse(&kernel("", "mapa.u64 %rd1, %out, 1;"), &two);
    assert!(text.contains("not one in shared memory"), "{text}");
}

#[test]
fn threads_arrive_once_and_wait_after_it() {
    let two = shaped([2, 1, 1], [2, 1, 1], 32, 4);
    assert!(misuse(&kernel("", "barrier.cluster.wait;"), &two).contains("without having arrived"));
    assert!(misuse(&kernel("", "barrier.cluster.arrive; barrier.cluster.arrive;"), &two).contains("again"));
}

#[test]
fn a_deadlock_tells_of_all_blocks() {
    let body = kernel(
        "",
        "setp.eq.u32 %p, %rank, 1; @%p bra OTHER; barrier.cluster.arrive; barrier.cluster.wait;
        OTHER: @%p bar.sync 3, 64;",
    );
    let trap = trap(&body, &shaped([4, 1, 1], [2, 1, 1], 32, 4));
    assert!(matches!(trap.kind, TrapKind::Deadlock(_)), "{trap}");
    let related: Vec<&str> = trap.related.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        related,
        [
            "block (0, 0, 0), thread (0, 0, 0) and 31 more of its warp: wait at the barrier of the cluster",
            "block (1, 0, 0), thread (0, 0, 0) and 31 more of its warp: wait at barrier 3, to which 32 of 64 threads have come",
        ]
    );
}

#[test]
fn shapes_of_clusters_are_checked() {
    let nothing = |directives: &str| format!(".visible .entry k() {directives} {{ ret; }}");
    let launch = |grid: Dim3, cluster: Option<Dim3>| Launch { grid, cluster, ..Launch::new("k") };
    let refused =
        |directives: &str, grid, cluster| match execute(&nothing(directives), &launch(grid, cluster)) {
            Err(ExecError::Refused(findings)) => {
                let finding = findings.iter().next().unwrap();
                format!("{} {}", finding.code.0, finding.message)
            }
            other => panic!("{other:?}"),
        };
    for (directives, grid, cluster, text) in [
        (
            "",
            [4, 1, 1],
            Some([3, 1, 1]),
            "X0002 a grid of 4 x 1 x 1 blocks does not fall into clusters of 3 x 1 x 1",
        ),
        ("", [32, 1, 1], Some([32, 1, 1]), "X0002 a cluster of 32 x 1 x 1 blocks cannot be launched"),
        ("", [32, 1, 1], Some([0, 1, 1]), "X0002 a cluster of 0 x 1 x 1 blocks cannot be launched"),
        (
            ".reqnctapercluster 2",
            [4, 1, 1],
            Some([4, 1, 1]),
            "X0002 the kernel needs clusters of 2 x 1 x 1 blocks, not 4 x 1 x 1",
        ),
        (
            ".reqnctapercluster 2",
            [3, 1, 1],
            None,
            "X0002 a grid of 3 x 1 x 1 blocks does not fall into clusters of 2 x 1 x 1",
        ),
        (
            ".maxclusterrank 2",
            [4, 1, 1],
            Some([4, 1, 1]),
            "X0002 the kernel takes at most 2 blocks in a cluster, not 4",
        ),
        (
            ".explicitcluster",
            [4, 1, 1],
            None,
            "X0002 the kernel needs a launch that gives the shape of its clusters",
        ),
    ] {
        assert_eq!(refused(directives, grid, cluster), text);
    }
    for (directives, cluster) in [
        ("", Some([1, 1, 4])),
        (".reqnctapercluster 2, 2", None),
        (".explicitcluster .maxclusterrank 4", Some([4, 1, 1])),
    ] {
        assert!(execute(&nothing(directives), &launch([4, 4, 4], cluster)).is_ok(), "{directives}");
    }
}

#[test]
fn a_grid_of_clusters_has_all_of_their_blocks() {
    let body = "mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
        mad.lo.u32 %r5, %r4, %r1, %r3; mad.wide.u32 %rd1, %r5, 4, %out; mad.lo.u32 %r2, %r2, 100, %r1;
        st.global.u32 [%rd1], %r2;";
    let text = kernel(".reqntid 1 .reqnctapercluster 2, 3 .blocksareclusters", body);
    let text = format!(".version 9.0\n.target sm_100\n.address_size 64\n{text}");
    // 2 x 1 clusters of 2 x 3 blocks are 4 x 3 blocks.
    let launch = Launch { cluster: None, ..shaped([2, 1, 1], [1; 3], 1, 48) };
    assert_eq!(words(&common::execute(&text, &launch).unwrap()), [304; 12]);
}

#[test]
fn copies_and_arrivals_reach_other_blocks() {
    // Each block copies 32 bytes of its own to the next one, which waits for them at its own barrier; then each signals the barrier
    // of the one before it of an arrival, and of 4 bytes that it stores there.
    let body = kernel(
        "",
        &format!(
            "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;
            mov.u32 %r1, s; mov.u32 %r2, bar; add.u32 %r3, %rank, 1; rem.u32 %r3, %r3, %ranks;
            mapa.shared::cluster.u32 %r4, %r1, %r3; mapa.shared::cluster.u32 %r5, %r2, %r3;
            add.u32 %r6, %rank, 100; st.shared.u32 [s+64], %r6; st.shared.u32 [s+92], %r6; fence.proxy.async;
            {MEET}
            mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
            cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4], [s+64], 32, [%r5];
            W0: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W0;
            ld.shared.u32 %r7, [s]; ld.shared.u32 %r8, [s+28];
            add.u32 %r3, %rank, %ranks; sub.u32 %r3, %r3, 1; rem.u32 %r3, %r3, %ranks;
            mapa.shared::cluster.u32 %r4, %r1, %r3; mapa.shared::cluster.u32 %r5, %r2, %r3;
            mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;
            {MEET}
            mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
            st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4+32], %r6, [%r5];
            W1: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 1; @!%p bra W1;
            ld.shared.u32 %r9, [s+32];
            {MEET}
            mov.u32 %r10, %ctaid.x; mad.wide.u32 %rd1, %r10, 12, %out;
            st.global.u32 [%rd1], %r7; st.global.u32 [%rd1+4], %r8; st.global.u32 [%rd1+8], %r9;"
        ),
    );
    let before = |rank: u32, n: u32| 100 + (rank + n - 1) % n;
    for completion in [Completion::Eager, Completion::Late, Completion::Random(1), Completion::Random(7)] {
        let launch = Launch { completion, ..shaped([8, 1, 1], [4, 1, 1], 1, 96) };
        let expected: Vec<u32> = (0..8)
            .flat_map(|block| [before(block % 4, 4), before(block % 4, 4), 100 + (block + 1) % 4])
            .collect();
        assert_eq!(words(&execute(&body, &launch).unwrap()), expected, "{completion:?}");
    }
}

#[test]
fn multicasts_write_the_same_place_of_each_block() {
    // Block 1 of 4 brings 16 bytes to offset 16 of blocks 0, 2 and 3, and each of these waits at its own barrier.
    let body = kernel(
        "",
        &format!(
            "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; mov.u32 %r1, s;
            setp.ne.u32 %q, %rank, 1;
            @%q mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
            {MEET}
            mov.b16 %h, 13;
            @!%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1+16], [%out], 16, [bar], %h;
            @!%q bra DONE;
            W0: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W0;
            DONE: {MEET}
            ld.shared.u32 %r7, [s+16]; ld.shared.u32 %r8, [s+28];
            mad.wide.u32 %rd1, %rank, 8, %out; st.global.u32 [%rd1+16], %r7; st.global.u32 [%rd1+20], %r8;"
        ),
    )
    .replace(".reg .pred", ".reg .b16 %h; .reg .pred");
    for completion in [Completion::Eager, Completion::Late, Completion::Random(3)] {
        let mut buffer: Vec<u8> = [11u32, 22, 33, 44].iter().flat_map(|word| word.to_le_bytes()).collect();
        buffer.resize(48, 0);
        let launch = Launch {
            completion,
            arguments: vec![Argument::Buffer(buffer)],
            ..shaped([4, 1, 1], [4, 1, 1], 1, 0)
        };
        let left = words(&execute(&body, &launch).unwrap());
        assert_eq!(left[4..], [11, 44, 0, 0, 11, 44, 11, 44], "{completion:?}");
    }
    let text = misuse(&body, &Launch { cluster: Some([2, 1, 1]), ..shaped([2, 1, 1], [2, 1, 1], 1, 48) });
    assert!(text.contains("names blocks that the cluster does not have"), "{text}");
}
