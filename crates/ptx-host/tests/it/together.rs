//! Kernels whose warps run together between barriers: both engines leave the same bytes, on each processor.

use crate::common::{Case, WORDS, input, words};
use ptx_host::analysis::{Analysis, Launched, copies, pays_together, runs_together};

const SHARED: &str = ".shared .align 16 .b8 s[4096];";
/// The number of the thread in its block as `%r10`, the addresses of its word in shared memory and of the output as `%r12` and `%rd6`.
const THREAD: &str = "mov.u32 %r30, %tid.y; mov.u32 %r31, %tid.z; mov.u32 %r32, %ntid.y; mad.lo.u32 %r31, %r31, %r32, %r30; mad.lo.u32 %r10, %r31, %r3, %r4;\n\
    mov.u32 %r33, %ntid.z; mul.lo.u32 %r11, %r3, %r32; mul.lo.u32 %r11, %r11, %r33; mov.u32 %r34, s; shl.b32 %r35, %r10, 2; add.u32 %r12, %r34, %r35;\n\
    mad.lo.u32 %r36, %r2, %r11, %r10; mul.wide.u32 %rd6, %r36, 4; add.s64 %rd7, %rd2, %rd6; add.s64 %rd6, %rd1, %rd6;";

fn case(body: &str, block: [u32; 3], grid: u32, n: u32) -> Case<'_> {
    Case { before: SHARED, block, grid, n, ..Case::warp(body) }
}

/// The first words of the output, which is the same in both engines.
fn same(body: &str, block: [u32; 3], grid: u32, n: u32) -> Vec<u32> {
    let body = format!("{THREAD}\n{body}");
    let case = case(&body, block, grid, n);
    case.agrees();
    words(&case.interpreted())
}

/// Whether the warps of a block can run together, and whether they do, in code for 16 lanes.
fn group(body: &str, block: [u32; 3]) -> (bool, bool) {
    let body = format!("{THREAD}\n{body}");
    let prepared = case(&body, block, 1, 0).prepared();
    let (program, launched) = (prepared.program(), Launched::blocks(block));
    let warps = (block.iter().product::<u32>() as usize).next_power_of_two() / 32;
    let analysis = Analysis::of_group(program, &launched, 16, warps).expect("compiled");
    let can = runs_together(program, &analysis);
    (can, can && pays_together(program, &analysis))
}

fn given(word: u32) -> u32 {
    word.wrapping_mul(2_654_435_761) >> 7
}

/// The sum of a block by halves; the number of threads is a power of two.
const SUM: &str = "ld.global.u32 %r13, [%rd7]; st.shared.u32 [%r12], %r13; bar.sync 0; shr.u32 %r14, %r11, 1;\n\
    again: setp.ge.u32 %p1, %r10, %r14; @%p1 bra next; shl.b32 %r15, %r14, 2; add.u32 %r16, %r12, %r15; ld.shared.u32 %r17, [%r16]; ld.shared.u32 %r18, [%r12];\n\
    add.u32 %r18, %r18, %r17; st.shared.u32 [%r12], %r18; next: bar.sync 0; shr.u32 %r14, %r14, 1; setp.ne.u32 %p2, %r14, 0; @%p2 bra again;\n\
    ld.shared.u32 %r19, [s]; add.u32 %r19, %r19, %r10; st.global.u32 [%rd6], %r19; ret;";

#[test]
fn loops_over_barriers_with_known_rounds() {
    for (block, together) in [
        ([64, 1, 1], true),
        ([256, 1, 1], true),
        ([16, 8, 1], false),
        ([4, 4, 8], false),
        ([128, 2, 1], false),
    ] {
        let threads: u32 = block.iter().product();
        let out = same(SUM, block, 2, 0);
        for number in 0..2 {
            let sum = (0..threads).fold(0u32, |sum, i| sum.wrapping_add(given(number * threads + i)));
            let wanted: Vec<u32> = (0..threads).map(|i| sum.wrapping_add(i)).collect();
            let first = (number * threads) as usize;
            assert_eq!(out[first..first + threads as usize], wanted, "{block:?}");
        }
        assert!(group(SUM, block).0, "{block:?}");
        assert!(group(SUM, block).1 || !together, "{block:?}");
    }
}

#[test]
fn known_rounds_have_copies() {
    let body = format!("{THREAD}\n{SUM}");
    let prepared = case(&body, [256, 1, 1], 1, 0).prepared();
    let launched = Launched::blocks([256, 1, 1]);
    let analysis = Analysis::of_group(prepared.program(), &launched, 16, 8).expect("compiled");
    let number = |most| {
        let copies = copies(prepared.program(), &analysis, most);
        (copies.len(), copies.iter().filter(|copy| copy.decided.is_some()).count())
    };
    // Three blocks are run in each of eight rounds: the condition, the sum and the barrier, which tells whether there is another round.
    let (all, decided) = number(1000);
    assert_eq!(decided, 8);
    assert_eq!(all, analysis.graph.blocks().len() + 3 * 7);
    // Where that is too much each block has one.
    assert_eq!(number(40), (analysis.graph.blocks().len(), 0));
}

#[test]
fn rounds_that_differ_between_blocks() {
    // Thread t gets the words of t, t + 1 .. t + rounds - 1 of its block, in turn; block b has b + n rounds.
    let body = "st.shared.u32 [%r12], %r10; mov.u32 %r13, 0; mov.u32 %r14, 0; add.u32 %r15, %r2, %r1;\n\
        again: bar.sync 0; setp.ge.u32 %p1, %r14, %r15; @%p1 bra done; add.u32 %r16, %r10, %r14; rem.u32 %r16, %r16, %r11; shl.b32 %r16, %r16, 2;\n\
        add.u32 %r16, %r34, %r16; ld.shared.u32 %r17, [%r16]; mad.lo.u32 %r13, %r13, 3, %r17; add.u32 %r14, %r14, 1; bra.uni again;\n\
        done: st.global.u32 [%rd6], %r13; ret;";
    for block in [[64, 1, 1], [96, 1, 1], [70, 1, 1], [8, 5, 3]] {
        let threads: u32 = block.iter().product();
        let out = same(body, block, 3, 2);
        for number in 0..3 {
            for thread in 0..threads {
                let wanted = (0..number + 2).fold(0u32, |sum, round| 3 * sum + (thread + round) % threads);
                assert_eq!(out[(number * threads + thread) as usize], wanted, "{block:?}");
            }
        }
        assert!(group(body, block).0);
    }
}

#[test]
fn lanes_and_warps_that_exit_before_a_barrier() {
    // Those below n go on; each then reads what the thread below it wrote.
    let body = "setp.ge.u32 %p1, %r10, %r1; @%p1 ret; add.u32 %r13, %r10, 100; st.shared.u32 [%r12], %r13; bar.sync 0; mov.u32 %r14, 7;\n\
        setp.eq.u32 %p2, %r10, 0; @%p2 bra first; ld.shared.u32 %r14, [%r12+-4]; first: bar.sync 0; st.shared.u32 [%r12], %r14; bar.sync 0;\n\
        ld.shared.u32 %r15, [%r12]; st.global.u32 [%rd6], %r15; ret;";
    for block in [[64, 1, 1], [128, 1, 1], [90, 1, 1]] {
        for n in [0, 1, 31, 32, 50, 64, 90, 128] {
            let out = same(body, block, 1, n);
            for thread in 0..block[0] {
                let wanted = match thread {
                    thread if thread >= n => 0xa5a5_a5a5,
                    0 => 7,
                    thread => 99 + thread,
                };
                assert_eq!(out[thread as usize], wanted, "{block:?} {n}");
            }
        }
        assert_eq!(group(body, block), (true, true));
    }
}

#[test]
fn shuffles_within_each_warp() {
    // Sums of warps by shuffles, and of those by the first warp, after which the others have exited.
    let body = "ld.global.u32 %r13, [%rd7]; and.b32 %r13, %r13, 0xffff; and.b32 %r14, %r10, 31; shr.u32 %r37, %r10, 3; and.b32 %r38, %r37, 0x1ffffffc; add.u32 %r15, %r34, %r38;\n\
        shfl.sync.down.b32 %r16, %r13, 16, 31, -1; add.u32 %r13, %r13, %r16; shfl.sync.bfly.b32 %r16, %r13, 8, 31, -1; add.u32 %r13, %r13, %r16;\n\
        shfl.sync.down.b32 %r16|%p3, %r13, 4, 31, -1; add.u32 %r13, %r13, %r16; shfl.sync.up.b32 %r17|%p4, %r13, 3, 0, -1; shfl.sync.down.b32 %r16, %r13, 2, 31, -1;\n\
        add.u32 %r13, %r13, %r16; shfl.sync.down.b32 %r16, %r13, 1, 31, -1; add.u32 %r13, %r13, %r16;\n\
        selp.u32 %r18, 1, 0, %p3; selp.u32 %r19, 2, 0, %p4; add.u32 %r18, %r18, %r19; mad.lo.u32 %r18, %r17, 4, %r18; st.global.u32 [%rd6], %r18;\n\
        setp.ne.u32 %p1, %r14, 0; @%p1 bra on; st.shared.u32 [%r15], %r13; on: bar.sync 0; setp.gt.u32 %p2, %r10, 31; @%p2 bra done;\n\
        shr.u32 %r20, %r11, 5; mov.u32 %r21, 0; setp.ge.u32 %p5, %r14, %r20; @%p5 bra none; ld.shared.u32 %r21, [%r12];\n\
        none: shfl.sync.down.b32 %r22, %r21, 2, 31, -1; add.u32 %r21, %r21, %r22; shfl.sync.down.b32 %r22, %r21, 1, 31, -1; add.u32 %r21, %r21, %r22;\n\
        @%p1 bra done; st.global.u32 [%rd6], %r21; done: ret;";
    for threads in [64, 128] {
        let out = same(body, [threads, 1, 1], 2, 0);
        for number in 0..2 {
            let sum: u32 = (0..threads).map(|i| given(number * threads + i) & 0xffff).sum();
            // 16 and 4 are added downwards, 8 crosswise: lane 0 has the sum of all.
            assert_eq!(out[(number * threads) as usize], sum, "{threads}");
        }
        assert_eq!(group(body, [threads, 1, 1]), (true, true));
    }
}

#[test]
fn numbers_of_lanes_and_warps() {
    let body = "mov.u32 %r13, %laneid; mov.u32 %r14, %warpid; mad.lo.u32 %r15, %r14, 100, %r13; st.shared.u32 [%r12], %r15; bar.sync 0;\n\
        xor.b32 %r16, %r35, 132; add.u32 %r16, %r34, %r16; ld.shared.u32 %r17, [%r16]; st.global.u32 [%rd6], %r17; ret;";
    for block in [[128, 1, 1], [16, 8, 1]] {
        let out = same(body, block, 1, 0);
        let wanted: Vec<u32> = (0..128u32).map(|i| i ^ 33).map(|i| i / 32 * 100 + i % 32).collect();
        assert_eq!(out[..128], wanted);
        assert!(group(body, block).0);
    }
}

#[test]
fn sums_of_all_that_is_before() {
    // Two halves of shared memory in turn, without a loop: 1, 2, 4 .. 128 before.
    let mut body = "ld.global.u32 %r13, [%rd7]; st.shared.u32 [%r12], %r13;".to_owned();
    for step in 0..8 {
        let (from, to) = if step % 2 == 0 { (0, 2048) } else { (2048, 0) };
        let distance = 1 << step;
        body += &format!(
            "bar.sync 0; ld.shared.u32 %r14, [%r12+{from}]; setp.lt.s32 %p1, %r10, {distance}; @%p1 bra none{step};\n\
             ld.shared.u32 %r15, [%r12+{}]; add.u32 %r14, %r14, %r15; none{step}: st.shared.u32 [%r12+{to}], %r14;\n",
            from - 4 * distance
        );
    }
    body += "bar.sync 0; ld.shared.u32 %r16, [%r12]; st.global.u32 [%rd6], %r16; ret;";
    for threads in [256, 224, 250] {
        let out = same(&body, [threads, 1, 1], 2, 0);
        for number in 0..2 {
            let mut sum = 0u32;
            for thread in number * threads..(number + 1) * threads {
                sum = sum.wrapping_add(given(thread));
                assert_eq!(out[thread as usize], sum, "thread {thread} of {threads}");
            }
        }
        assert_eq!(group(&body, [threads, 1, 1]), (true, true));
    }
}

#[test]
fn what_one_warp_does_for_itself_is_not_for_groups() {
    let atomic = "atom.shared.add.u32 %r13, [s], 1; bar.sync 0; ret;";
    let vote = "setp.lt.u32 %p1, %r10, %r1; vote.sync.ballot.b32 %r13, %p1, -1; bar.sync 0; st.global.u32 [%rd6], %r13; ret;";
    let lanes_leave = "mov.u32 %r13, 0; again: add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, %r10; @%p1 bra again; bar.sync 0;\n\
        st.global.u32 [%rd6], %r13; ret;";
    let some = "setp.lt.u32 %p1, %r10, 40; @%p1 bra one; bar.sync 0; bra.uni on; one: bar.sync 0; on: st.global.u32 [%rd6], %r10; ret;";
    let volatile = "ld.volatile.global.u32 %r13, [%rd7]; bar.sync 0; st.global.u32 [%rd6], %r13; ret;";
    let none = "st.global.u32 [%rd6], %r10; ret;";
    for body in [atomic, vote, lanes_leave, some, volatile, none] {
        assert_eq!(group(body, [64, 1, 1]), (false, false), "{body}");
    }
    // A loop without barriers, and places that are anywhere.
    let inner = "bar.sync 0; mov.u32 %r13, 0; again: add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, %r1; @%p1 bra again; bar.sync 0;\n\
        st.global.u32 [%rd6], %r13; ret;";
    let gather = "ld.global.u32 %r13, [%rd7]; and.b32 %r13, %r13, 252; add.u32 %r13, %r34, %r13; st.shared.u32 [%r12], %r10; bar.sync 0;\n\
        ld.shared.u32 %r14, [%r13]; st.global.u32 [%rd6], %r14; ret;";
    for body in [inner, gather] {
        assert_eq!(group(body, [64, 1, 1]), (true, false), "{body}");
        same(body, [64, 1, 1], 2, 5);
    }
    assert_eq!(input().len(), 4 * WORDS);
}
