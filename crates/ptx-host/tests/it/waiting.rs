//! Threads that wait for each other in loops: lanes of a warp, warps of a block, blocks. Where the order of threads does not matter both
//! engines are compared; what is expected follows from what each thread adds.

use std::time::{Duration, Instant};

use crate::common;
use crate::common::{launched_alike, words};
use ptx_exec::{Argument, Launch};

/// Launches a kernel whose threads have `%rd1`, the address of 64 words that are zero, and `%r0`, `%r1`, their number in the block and in the
/// grid; the words after it. They are the same where the interpreter's runtime executes instructions of the kernel, and in clusters.
fn ran(body: &str, grid: u32, block: u32) -> Result<Vec<u32>, String> {
    let stored = ran_as(body, grid, block, false, 1);
    assert_eq!(ran_as(body, grid, block, true, 1), stored, "beside barriers in shared memory: {body}");
    for cluster in [2, 4] {
        if grid.is_multiple_of(cluster) && cluster * block <= 512 {
            assert_eq!(ran_as(body, grid, block, false, cluster), stored, "in clusters of {cluster}: {body}");
        }
    }
    stored
}

/// As [`ran`], with a barrier in shared memory, and in clusters of so many blocks.
fn ran_as(body: &str, grid: u32, block: u32, is_heavy: bool, cluster: u32) -> Result<Vec<u32>, String> {
    let heavy =
        if is_heavy { "setp.eq.u32 %p8, %r0, 0; @%p8 mbarrier.init.shared.b64 [bar], 1;" } else { "" };
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .pred %p<9>;\n.shared .align 4 .b32 flag[4];\n.shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r0; {heavy}\n{body}\n}}\n"
    );
    let arguments = vec![Argument::Buffer(vec![0; 256])];
    let mut launch = Launch { grid: [grid, 1, 1], block: [block, 1, 1], arguments, ..Launch::new("k") };
    launch.cluster = (cluster > 1).then_some([cluster, 1, 1]);
    launch.limits.timeout = Some(Duration::from_secs(60));
    launched_alike(&text, &launch).map(|outcome| words(outcome.buffers[0].as_ref().unwrap()))
}

/// Under the lock at the first word, each thread adds its number in the grid to the second word, not in one step.
const LOCKED: &str = "spin: atom.global.acquire.gpu.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra spin;\n\
                      ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, %r1; st.volatile.global.u32 [%rd1+4], %r7;\n\
                      membar.gl; atom.global.exch.b32 %r8, [%rd1], 0; ret;";

#[test]
fn a_lock_that_every_thread_takes() {
    for (grid, block) in [(1, 32), (1, 200), (9, 70)] {
        let stored = ran(LOCKED, grid, block).unwrap();
        let all = grid * block;
        assert_eq!(stored[..2], [0, all * (all - 1) / 2], "{grid} blocks of {block}");
    }
}

#[test]
fn locks_with_the_critical_section_before_and_in_the_loop() {
    // The section is before the loop in the program.
    let before = "bra spin; section: ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd1+4], %r7;\n\
                  membar.gl; st.volatile.global.u32 [%rd1], 0; ret;\n\
                  spin: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra section; bra spin;";
    // It is in the loop, which is left by a flag, and has a loop of its own.
    let inside = "mov.u32 %r9, 0; spin: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra next; mov.u32 %r10, 0;\n\
                  more: ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd1+4], %r7; add.u32 %r10, %r10, 1;\n\
                  setp.lt.u32 %p2, %r10, 3; @%p2 bra more; membar.gl; st.volatile.global.u32 [%rd1], 0; mov.u32 %r9, 1;\n\
                  next: setp.eq.u32 %p3, %r9, 0; @%p3 bra spin; ret;";
    for (body, each) in [(before, 1), (inside, 3)] {
        for (grid, block) in [(1, 32), (2, 96)] {
            assert_eq!(ran(body, grid, block).unwrap()[..2], [0, each * grid * block], "{body}");
        }
    }
}

#[test]
fn lanes_that_wait_for_each_other_in_order() {
    // Lane n waits until the word has n, and makes it n + 1: from the first to the last, and the other way round.
    let body = "spin: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p1, %r6, %r0; @%p1 bra spin; add.u32 %r7, %r6, 1; st.volatile.global.u32 [%rd1], %r7; ret;";
    assert_eq!(ran(body, 1, 32).unwrap()[0], 32);
    assert_eq!(ran(body, 1, 300).unwrap()[0], 300);
    let down = body.replace("spin:", "sub.u32 %r0, 63, %r0; spin:");
    assert_eq!(ran(&down, 1, 64).unwrap()[0], 64);
    // The same in shared memory, with barriers of the block around it.
    let shared = "st.volatile.shared.u32 [flag], 0; bar.sync 0;\n\
                  spin: ld.volatile.shared.u32 %r6, [flag]; setp.ne.u32 %p1, %r6, %r0; @%p1 bra spin; add.u32 %r7, %r6, 1; st.volatile.shared.u32 [flag], %r7;\n\
                  bar.sync 0; ld.volatile.shared.u32 %r8, [flag]; setp.eq.u32 %p2, %r0, 5; @%p2 st.global.u32 [%rd1], %r8; ret;";
    assert_eq!(ran(shared, 1, 100).unwrap()[0], 100);
}

#[test]
fn blocks_that_wait_for_each_other() {
    // Sums of the blocks before, as scans with one pass compute them: block n waits for the word of block n - 1; and the other way round, so
    // that the first block that runs waits for the last one.
    let body = "setp.ne.u32 %p1, %r0, 0; @%p1 ret; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; setp.eq.u32 %p2, %r2, FIRST; mov.u32 %r6, 1; @%p2 bra add;\n\
                spin: ld.acquire.gpu.global.u32 %r6, [%rd2+OFFSET]; setp.eq.u32 %p3, %r6, 0; @%p3 bra spin;\n\
                add: add.u32 %r6, %r6, %r2; st.release.gpu.global.u32 [%rd2], %r6; ret;";
    let up = body.replace("FIRST", "0").replace("OFFSET", "-4");
    let down = body.replace("FIRST", "11").replace("OFFSET", "4");
    let (up, down) = (ran(&up, 12, 64).unwrap(), ran(&down, 12, 64).unwrap());
    for n in 0..12 {
        assert_eq!(up[n as usize], 1 + n * (n + 1) / 2);
        assert_eq!(down[n as usize], 1 + (n..12).sum::<u32>());
    }
}

#[test]
fn a_barrier_of_the_grid() {
    // All blocks arrive, and go on when all have: what they add afterwards is seen by none of those that have not arrived.
    let body = "setp.ne.u32 %p1, %r0, 0; @%p1 bra on; mov.u32 %r5, %nctaid.x; atom.global.add.u32 %r6, [%rd1], 1;\n\
                spin: ld.acquire.gpu.global.u32 %r7, [%rd1]; setp.lt.u32 %p2, %r7, %r5; @%p2 bra spin;\n\
                on: bar.sync 0; ld.volatile.global.u32 %r8, [%rd1]; setp.lt.u32 %p3, %r8, 24; selp.u32 %r9, 1, 0, %p3; red.global.add.u32 [%rd1+4], %r9; ret;";
    assert_eq!(ran(body, 24, 96).unwrap()[..2], [24, 0]);
}

#[test]
fn operations_of_lanes_beside_loops_that_wait() {
    // The odd lanes wait for a word that the even ones store after they have voted; then all vote.
    let body = "and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 1; @%p1 bra spin;\n\
                vote.sync.ballot.b32 %r6, 1, 0x55555555; setp.eq.u32 %p2, %r0, 0; @%p2 st.volatile.global.u32 [%rd1], %r6; bra join;\n\
                spin: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p3, %r7, 0; @%p3 bra spin;\n\
                join: setp.eq.u32 %p4, %r7, 0x55555555; vote.sync.ballot.b32 %r8, %p4, -1; setp.eq.u32 %p5, %r0, 3; @%p5 st.global.u32 [%rd1+4], %r8; ret;";
    assert_eq!(ran(body, 1, 32).unwrap()[..2], [0x5555_5555, 0xaaaa_aaaa]);
    // The even lanes come to the vote after the loop in the program, where some of them wait for the last of them, which waits for an odd one.
    let body = "and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 1; mov.u32 %r9, 0; @%p1 bra spin; setp.ne.u32 %p2, %r0, 30; @%p2 bra vote; \n\
                spin: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p6, %r0, 7; @%p6 st.volatile.global.u32 [%rd1], 9; setp.eq.u32 %p3, %r7, 0; @%p3 bra spin; @%p1 bra done;\n\
                vote: vote.sync.ballot.b32 %r8, 1, 0x55555555; setp.eq.u32 %p5, %r0, 30; @%p5 st.global.u32 [%rd1+4], %r8;\n\
                done: ret;";
    assert_eq!(ran(body, 1, 32).unwrap()[..2], [9, 0x5555_5555]);
}

#[test]
fn lanes_that_wait_in_vain() {
    // Lanes wait at operations of lanes for others, which wait at another one: no loop goes on.
    let body = "ld.volatile.global.u32 %r6, [%rd1]; spin: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p3, %r6, 0; @%p3 bra spin;\n\
                setp.lt.u32 %p1, %r0, 16; @%p1 bra low; shfl.sync.idx.b32 %r7, %r0, 1, 31, -1; bra done; low: vote.sync.ballot.b32 %r8, 1, -1; done: st.global.u32 [%rd1], %r7; ret;";
    let text = ran_jit_alone(body, 1, 32, None);
    for part in [
        "thread (0, 0, 0) and 15 more of its warp: wait for lanes 0xffffffff, of which thread (16, 0, 0) and 15 more have not come",
        "and 1 other group(s) of threads wait too",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn loops_that_wait_for_ever_end_with_the_time() {
    let body = "spin: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra spin; ret;";
    let begun = Instant::now();
    let text = ran_jit_alone(body, 3, 64, Some(Duration::from_millis(300)));
    assert!(begun.elapsed() < Duration::from_secs(120));
    assert!(text.contains("time limit"), "{text}");
    // Both warps are named: those that do not run now too.
    assert!(
        text.contains("thread (0, 0, 0) and 31 more") && text.contains("thread (32, 0, 0) and 31 more"),
        "{text}"
    );
}

#[test]
fn plain_loads_that_wait() {
    // A warp waits for a later one of its block; a block for a later one; a lane for a higher one. The last thread stores 7 to the second word.
    let wait = "setp.eq.u32 %p1, %r1, LAST; @%p1 bra last;\nspin: ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p2, %r6, 0; @%p2 bra spin;\n\
                atom.global.add.u32 %r7, [%rd1+4], %r6; ret;\nlast: st.global.u32 [%rd1], 5; ret;";
    // With other instructions in the loop, a guard, and a way through it.
    let more = "setp.eq.u32 %p1, %r1, LAST; @%p1 bra last; mov.u32 %r9, 0;\n\
                spin: add.u32 %r9, %r9, 1; setp.ne.u64 %p3, %rd1, 0; @%p3 ld.u32 %r6, [%rd1]; setp.ge.u32 %p4, %r6, 1; @%p4 bra odd; nanosleep.u32 10; bra spin;\n\
                odd: and.b32 %r8, %r6, 4; setp.eq.u32 %p2, %r8, 0; @%p2 bra spin;\n\
                atom.global.add.u32 %r7, [%rd1+4], %r6; ret;\nlast: st.global.u32 [%rd1], 5; ret;";
    // In shared memory.
    let shared = "st.shared.u32 [flag], 0; bar.sync 0; setp.eq.u32 %p1, %r1, LAST; @%p1 bra last;\n\
                  spin: ld.shared.u32 %r6, [flag]; setp.eq.u32 %p2, %r6, 0; @%p2 bra spin;\n\
                  atom.global.add.u32 %r7, [%rd1+4], %r6; ret;\nlast: st.shared.u32 [flag], 5; ret;";
    let blocks: &[(u32, u32)] = &[(1, 32), (1, 96), (7, 64)];
    for (body, shapes) in [(wait, blocks), (more, blocks), (shared, &[(1, 32), (1, 128)])] {
        for &(grid, block) in shapes {
            let all = grid * block;
            let stored = ran(&body.replace("LAST", &(all - 1).to_string()), grid, block).unwrap();
            assert_eq!(stored[1], 5 * (all - 1), "{grid} blocks of {block}: {body}");
        }
    }
}

/// What stops a launch of compiled code.
fn ran_jit_alone(body: &str, grid: u32, block: u32, timeout: Option<Duration>) -> String {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .pred %p<9>;\nld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n{body}\n}}\n"
    );
    let arguments = vec![Argument::Buffer(vec![0; 256])];
    let mut launch = Launch { grid: [grid, 1, 1], block: [block, 1, 1], arguments, ..Launch::new("k") };
    launch.limits.timeout = timeout;
    common::compiled(&text, &launch).expect_err("it is stopped")
}

/// Each block waits for the grid three times, as nvcc's code for `grid.sync()` does it with the workspace that `%envreg1` (upper half) and
/// `%envreg2` (lower half) give the address of: 32 bits of a barrier at offset 4, to which the first block brings what is missing to 2^31. In each
/// round it adds what the next block stored before.
const GRID: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p]; mov.u32 %r15, %tid.x; setp.ne.u32 %p1, %r15, 0;
    mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; mov.b64 %rd2, {%r1, %r2};
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, 0; mov.u32 %r6, 0;
    add.u32 %r12, %r3, 1; rem.u32 %r12, %r12, %r4; mad.wide.u32 %rd3, %r3, 4, %rd1; mad.wide.u32 %rd4, %r12, 4, %rd1;
    setp.eq.u64 %p2, %rd2, 0; @%p2 bra NONE;
    LOOP:
    mul.lo.u32 %r7, %r5, 1000; add.u32 %r7, %r7, %r3; @!%p1 st.volatile.global.u32 [%rd3], %r7; mov.u32 %r8, 0;
    SYNC:
    barrier.sync 0; @%p1 bra MET;
    setp.eq.u32 %p0, %r3, 0; sub.u32 %r9, -2147483647, %r4; selp.u32 %r9, %r9, 1, %p0;
    membar.gl; atom.add.release.gpu.u32 %r10, [%rd2+4], %r9;
    WAIT: ld.acquire.gpu.u32 %r11, [%rd2+4]; xor.b32 %r11, %r11, %r10; setp.gt.s32 %p0, %r11, -1; @%p0 bra WAIT;
    MET: barrier.sync 0; add.u32 %r8, %r8, 1; setp.eq.u32 %p0, %r8, 2; @%p0 bra NEXT;
    ld.volatile.global.u32 %r13, [%rd4]; add.u32 %r6, %r6, %r13;
    bra SYNC;
    NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 3; @%p0 bra LOOP;
    NONE: @!%p1 st.global.u32 [%rd3], %r6; ret; }";

#[test]
fn grids_wait_for_all_their_blocks() {
    let stored = |grid: u32, block: u32, threads: usize, cooperative: bool| {
        let arguments = vec![Argument::Buffer(vec![0; 4 * grid as usize])];
        let mut launch =
            Launch { grid: [grid, 1, 1], block: [block, 1, 1], cooperative, arguments, ..Launch::new("k") };
        launch.threads = std::num::NonZeroUsize::new(threads);
        launch.limits.timeout = Some(Duration::from_secs(120));
        words(launched_alike(GRID, &launch).unwrap().buffers[0].as_ref().unwrap())
    };
    for (grid, block, threads) in [(1, 32, 1), (2, 64, 2), (37, 96, 1), (150, 1, 2)] {
        // Rounds 0 to 2 of the next block: its number thrice, and 1000 and 2000.
        let expected: Vec<u32> = (0..grid).map(|block| 3 * ((block + 1) % grid) + 3000).collect();
        assert_eq!(stored(grid, block, threads, true), expected, "{grid} blocks of {block}");
    }
    // Other launches have no workspace.
    assert_eq!(stored(3, 64, 2, false), [0; 3]);
}
