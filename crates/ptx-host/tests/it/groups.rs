//! Warps that run together as one wide one, against the interpreter.

use crate::common::{Case, WORDS, compiled};
use ptx_host::analysis::{Analysis, Launched, groups};
use ptx_llvm_core::host::Cpu;

/// A kernel in blocks of a shape.
fn case(body: &str, block: [u32; 3], n: u32) -> Case<'_> {
    Case { before: ".shared .align 4 .b32 s[1024];", block, n, ..Case::warp(body) }
}

/// How many warps may run together, for vectors of 16 lanes and 32 registers.
fn choice(body: &str, block: [u32; 3]) -> Vec<usize> {
    let prepared = case(body, block, 0).prepared();
    let (program, launched) = (prepared.program(), Launched::blocks(block));
    let one = Analysis::new(program, &launched, 16).expect("compiled");
    groups(program, &launched, &one, 16, 32)
}

/// The number of a thread in its block is `%r10`, and the address of its word of the output `%rd10`; those beyond the output exit.
const NUMBER: &str = "mov.u32 %r8, %tid.y; mov.u32 %r9, %ntid.y; mov.u32 %r11, %tid.z; mad.lo.u32 %r12, %r11, %r9, %r8;\n\
                      mad.lo.u32 %r10, %r12, %r3, %r4; setp.ge.u32 %p7, %r10, 512; mul.wide.u32 %rd9, %r10, 4; add.s64 %rd10, %rd1, %rd9;\n";

const BLOCKS: [[u32; 3]; 12] = [
    [1, 1, 1],
    [33, 1, 1],
    [96, 1, 1],
    [256, 1, 1],
    [300, 1, 1],
    [1000, 1, 1],
    [16, 16, 1],
    [32, 16, 1],
    [8, 8, 5],
    [4, 4, 16],
    [64, 3, 1],
    [5, 7, 9],
];

/// A sum of products of a row and a column, of 16 x 16 numbers: `%r8` is the row, and `%r4` the column.
const PRODUCT: &str = "setp.ge.u32 %p1, %r4, %r1; setp.ge.u32 %p2, %r8, %r1; or.pred %p3, %p1, %p2; @%p3 bra done;\n\
                       and.b32 %r20, %r8, 15; and.b32 %r21, %r4, 15; mul.wide.u32 %rd12, %r20, 64; add.s64 %rd13, %rd2, %rd12;\n\
                       mul.wide.u32 %rd14, %r21, 4; add.s64 %rd15, %rd2, %rd14; mov.u32 %r22, 0; mov.u32 %r23, 0;\n\
                       again: ld.global.u32 %r24, [%rd13]; ld.global.u32 %r25, [%rd15]; mad.lo.u32 %r22, %r24, %r25, %r22;\n\
                       add.s64 %rd13, %rd13, 4; add.s64 %rd15, %rd15, 64; add.u32 %r23, %r23, 1; setp.lt.u32 %p4, %r23, 16; @%p4 bra again;\n\
                       @%p7 bra done; st.global.u32 [%rd10], %r22; done: ret;";

#[test]
fn products_of_rows_and_columns() {
    let body = format!("{NUMBER}{PRODUCT}");
    for block in BLOCKS {
        for n in [0, 5, 16, 1000] {
            case(&body, block, n).agrees();
        }
    }
}

/// Threads add to places of shared memory and of the output, from numbers that the grid goes over in steps of its size.
const COUNTS: &str = "mov.u32 %r30, s; shl.b32 %r31, %r10, 2; and.b32 %r31, %r31, 1020; add.u32 %r31, %r31, %r30; mov.u32 %r32, 0;\n\
                      st.shared.u32 [%r31], %r32; bar.sync 0; mov.u32 %r33, %r10; setp.ge.u32 %p1, %r33, %r1; @%p1 bra counted;\n\
                      mov.u32 %r34, %ntid.z; mul.lo.u32 %r34, %r34, %r9; mul.lo.u32 %r34, %r34, %r3;\n\
                      mov.u32 %r20, %nctaid.x; mul.lo.u32 %r34, %r34, %r20;\n\
                      count: mul.wide.u32 %rd12, %r33, 4; add.s64 %rd13, %rd2, %rd12; ld.global.u32 %r35, [%rd13]; shl.b32 %r36, %r35, 2;\n\
                      and.b32 %r36, %r36, 1020; add.u32 %r36, %r36, %r30; atom.shared.add.u32 %r37, [%r36], 3; red.shared.max.u32 [%r36+1024], %r33;\n\
                      setp.gt.u32 %p2, %r35, 9999999; @%p2 red.shared.or.b32 [%r36+2048], %r35; red.shared.xor.b32 [s+3072], %r35;\n\
                      add.u32 %r33, %r33, %r34; setp.lt.u32 %p1, %r33, %r1; @%p1 bra count;\n\
                      counted: bar.sync 0; @%p7 bra done; ld.shared.u32 %r38, [%r31]; ld.shared.u32 %r39, [%r31+1024]; mad.lo.u32 %r38, %r39, 7, %r38;\n\
                      ld.shared.u32 %r39, [%r31+2048]; mad.lo.u32 %r38, %r39, 11, %r38; ld.shared.u32 %r39, [s+3072]; add.u32 %r38, %r38, %r39;\n\
                      st.global.u32 [%rd10], %r38; bar.sync 0; red.global.add.u32 [%rd1], %r4; red.global.min.s32 [%rd1+4], %r38; bar.sync 0;\n\
                      @!%p7 red.global.xor.b32 [%rd10], %r10; done: ret;";

#[test]
fn counts_in_shared_memory() {
    let body = format!("{NUMBER}{COUNTS}");
    for block in [[1, 1, 1], [33, 1, 1], [96, 1, 1], [256, 1, 1], [512, 1, 1], [16, 16, 1], [8, 8, 5]] {
        for n in [0, 100, WORDS as u32] {
            case(&body, block, n).agrees();
        }
    }
}

/// Tiles in shared memory, between barriers; what is known of a warp alone: its number, its lanes.
const TILES: &str = "mov.u32 %r30, s; shl.b32 %r31, %r10, 2; and.b32 %r31, %r31, 2044; add.u32 %r31, %r31, %r30; mov.u32 %r32, 0; mov.u32 %r33, 0;\n\
                     mov.u32 %r34, %warpid; mov.u32 %r35, %laneid; mov.u32 %r36, %lanemask_lt; popc.b32 %r36, %r36; shr.u32 %r37, %r10, 5; and.b32 %r38, %r10, 31;\n\
                     round: and.b32 %r20, %r10, 127; shl.b32 %r20, %r20, 2; cvt.u64.u32 %rd12, %r20; add.s64 %rd12, %rd12, %rd2; ld.global.u32 %r21, [%rd12];\n\
                     add.u32 %r21, %r21, %r33; st.shared.u32 [%r31], %r21; bar.sync 0; and.b32 %r22, %r8, 15; shl.b32 %r22, %r22, 6; add.u32 %r22, %r22, %r30;\n\
                     and.b32 %r23, %r4, 15; shl.b32 %r23, %r23, 2; add.u32 %r23, %r23, %r30; ld.shared.u32 %r24, [%r22]; ld.shared.u32 %r25, [%r23];\n\
                     mad.lo.u32 %r32, %r24, %r25, %r32; ld.shared.u32 %r24, [%r22+4]; ld.shared.u32 %r25, [%r23+64]; mad.lo.u32 %r32, %r24, %r25, %r32;\n\
                     bar.sync 0; add.u32 %r33, %r33, 1; setp.lt.u32 %p1, %r33, %r1; @%p1 bra round;\n\
                     mad.lo.u32 %r32, %r34, 3, %r32; mad.lo.u32 %r32, %r35, 5, %r32; mad.lo.u32 %r32, %r36, 7, %r32; mad.lo.u32 %r32, %r37, 11, %r32;\n\
                     mad.lo.u32 %r32, %r38, 13, %r32; @%p7 bra done; st.global.u32 [%rd10], %r32; done: ret;";

#[test]
fn tiles_between_barriers() {
    let body = format!("{NUMBER}{TILES}");
    for block in
        [[32, 1, 1], [70, 1, 1], [512, 1, 1], [16, 16, 1], [32, 16, 1], [16, 8, 4], [8, 8, 5], [48, 3, 1]]
    {
        for n in [1, 3] {
            case(&body, block, n).agrees();
        }
    }
}

#[test]
fn sides_that_some_warps_take() {
    // A guard and a branch that part the warps of a group, and a loop which some of them leave before others.
    let body = format!(
        "{NUMBER} mov.u32 %r20, 0; mov.u32 %r21, 1; setp.lt.u32 %p1, %r10, 50; @%p1 mov.u32 %r21, 7; shr.u32 %r22, %r10, 4;\n\
         again: setp.gt.u32 %p2, %r20, %r22; @%p2 bra after; mad.lo.u32 %r21, %r21, 5, %r20; add.u32 %r20, %r20, 1; bra.uni again;\n\
         after: setp.ge.u32 %p3, %r10, 64; @%p3 bra high; add.u32 %r21, %r21, %r4; bra.uni meet;\n\
         high: ld.global.u32 %r23, [%rd2+12]; add.u32 %r21, %r21, %r23; meet: @%p7 bra done; st.global.u32 [%rd10], %r21; done: ret;"
    );
    for block in BLOCKS {
        case(&body, block, 0).agrees();
    }
}

#[test]
fn indices_that_are_aligned_in_a_warp_and_not_in_each_vector() {
    // Of 16 lanes the first has 16 more than those before, and one more of `tid.x >> 4`.
    let body = format!(
        "{NUMBER} mov.u32 %r20, %laneid; shr.u32 %r21, %r4, 4; add.u32 %r22, %r20, %r21; shr.u32 %r23, %r22, 4; and.b32 %r24, %r22, 15; and.b32 %r25, %r22, 16;\n\
         shr.u32 %r26, %r4, 3; add.u32 %r27, %r20, %r26; shr.u32 %r28, %r27, 3; and.b32 %r29, %r4, 8; mov.u32 %r30, 0;\n\
         again: mad.lo.u32 %r23, %r24, 3, %r23; mad.lo.u32 %r23, %r25, 5, %r23; mad.lo.u32 %r23, %r28, 7, %r23; mad.lo.u32 %r23, %r29, 11, %r23;\n\
         add.u32 %r30, %r30, 1; setp.lt.u32 %p1, %r30, %r1; @%p1 bra again; @%p7 bra done; st.global.u32 [%rd10], %r23; done: ret;"
    );
    for block in BLOCKS {
        case(&body, block, 2).agrees();
    }
}

#[test]
fn what_is_read_is_that_of_all_warps() {
    // Each warp of the block stores to the places that the next ones read, between barriers.
    let body = format!(
        "{NUMBER} mov.u32 %r30, s; and.b32 %r20, %r10, 511; shl.b32 %r21, %r20, 2; add.u32 %r21, %r21, %r30; mov.u32 %r22, 0; mov.u32 %r23, %r10;\n\
         round: st.shared.u32 [%r21], %r23; bar.sync 0; add.u32 %r24, %r20, 32; and.b32 %r24, %r24, 511; shl.b32 %r24, %r24, 2;\n\
         add.u32 %r24, %r24, %r30; ld.shared.u32 %r25, [%r24]; bar.sync 0; mad.lo.u32 %r23, %r23, 3, %r25; add.u32 %r22, %r22, 1;\n\
         setp.lt.u32 %p1, %r22, %r1; @%p1 bra round; @%p7 bra done; st.global.u32 [%rd10], %r23; done: ret;"
    );
    for block in [[512, 1, 1], [200, 1, 1], [32, 16, 1], [16, 16, 1], [64, 5, 1]] {
        case(&body, block, 4).agrees();
    }
}

#[test]
fn warps_run_together_where_that_is_of_use() {
    let [product, counts] = [PRODUCT, COUNTS].map(|body| format!("{NUMBER}{body}"));
    assert_eq!(choice(&product, [16, 16, 1]), [8, 4, 2, 1]);
    assert_eq!(choice(&product, [16, 6, 1]), [2, 1], "a block has three warps");
    assert_eq!(choice(&counts, [256, 1, 1]).first(), Some(&4));
    assert_eq!(choice("st.global.u32 [%rd4], %r4; ret;", [256, 1, 1]), [1], "nothing is done twice");
    let apart = "ld.global.u32 %r6, [%rd5]; again: shr.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra again; st.global.u32 [%rd4], %r6; ret;";
    assert_eq!(choice(apart, [256, 1, 1]), [1], "warps leave the loop as their data has it");
    let steps = format!("{NUMBER}{STEPS}");
    assert_eq!(
        choice(&steps, [256, 1, 1]),
        [2, 1],
        "a round takes 12 cycles, and 32 vector operations of two warps"
    );
    let longer = steps.replace(
        "setp.gt",
        "min.f32 %f6, %f6, %f5; max.f32 %f7, %f7, %f5; xor.b32 %r31, %r31, %r30; setp.gt",
    );
    assert_eq!(choice(&longer, [256, 1, 1]), [1], "44 operations take longer");
    let found = "again: atom.global.add.u32 %r6, [%rd1], 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra again; st.global.u32 [%rd4], %r6; ret;";
    assert_eq!(choice(found, [256, 1, 1]), [1], "what is found depends on the order of warps");
    let votes =
        "again: activemask.b32 %r6; setp.lt.u32 %p1, %r1, 9; @%p1 bra again; st.global.u32 [%rd4], %r6; ret;";
    assert_eq!(choice(votes, [256, 1, 1]), [1], "lanes of one warp alone");
}

/// Points move until they are far away: a round is a product, a sum and a sum again, each of which waits for the
/// one before it, and 8 operations for each of the chunks.
const STEPS: &str = "cvt.rn.f32.u32 %f1, %r10; fma.rn.f32 %f1, %f1, 0f3c000000, 0fc0000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, %f2; mov.f32 %f6, %f2; mov.f32 %f7, %f2;\n\
                     mov.u32 %r30, 7; mov.u32 %r31, 0;\n\
                     again: mul.rn.f32 %f4, %f2, %f2; mul.rn.f32 %f5, %f3, %f3; add.rn.f32 %f8, %f4, %f5;\n\
                     setp.gt.f32 %p1, %f8, 0f40800000; @%p1 bra far; add.rn.f32 %f9, %f2, %f2; fma.rn.f32 %f3, %f9, %f3, 0f3dcccccd;\n\
                     sub.rn.f32 %f9, %f4, %f5; add.rn.f32 %f2, %f9, %f1; add.u32 %r31, %r31, 1; setp.lt.u32 %p2, %r31, 90; @%p2 bra again;\n\
                     far: @%p7 bra done; st.global.f32 [%rd10], %f2; done: ret;";

#[test]
fn steps_of_which_each_waits_for_the_one_before() {
    let body = format!("{NUMBER}{STEPS}");
    for block in BLOCKS {
        case(&body, block, 0).agrees();
    }
}

#[test]
fn loops_of_warps_together_end_with_the_time() {
    // Threads below 40 leave; the others add products of the same numbers for ever. The first thread that still runs is the ninth of the second warp.
    let endless = PRODUCT
        .replace("add.s64 %rd13, %rd13, 4; add.s64 %rd15, %rd15, 64; ", "")
        .replace("setp.lt.u32 %p4, %r23, 16;", "setp.ne.u32 %p4, %r1, 5;");
    let body = format!("{NUMBER} setp.lt.u32 %p1, %r10, 40; @%p1 bra done;\n{endless}");
    let block = [256, 1, 1];
    assert!(choice(&body, block)[0] > 1, "warps run together");
    let case = case(&body, block, 1000);
    let mut launch = case.launch();
    launch.limits.timeout = Some(std::time::Duration::from_millis(200));
    launch.threads = Some(std::num::NonZeroUsize::MIN);
    let text = String::from_utf8(case.source().text().to_vec()).expect("text");
    let stopped = compiled(&text, &launch).expect_err("it is stopped");
    assert!(stopped.starts_with("the launch took longer than its time limit"), "{stopped}");
    assert!(stopped.contains("thread (40, 0, 0)"), "{stopped}");
}

#[test]
fn steps_of_the_grid_are_prefetched() {
    let prefetches = |body: &str| {
        let block = [256, 1, 1];
        let prepared = case(body, block, 0).prepared();
        let cpu = Cpu::host().expect("LLVM 22");
        let before = ptx_host::unoptimized_ir(
            prepared.program(),
            &Launched::blocks(block),
            &cpu,
            &ptx_host::Options::default(),
        )
        .expect("compiled");
        before.contains("call void @llvm.prefetch")
    };
    let steps = format!("{NUMBER}{COUNTS}");
    assert!(prefetches(&steps));
    let steps_of_block = steps.replace("mov.u32 %r20, %nctaid.x;", "mov.u32 %r20, 1;");
    assert!(!prefetches(&steps_of_block), "the size of a block is a constant");
    assert!(!prefetches(&format!("{NUMBER}{PRODUCT}")), "steps are constants");
    // The address grows, not an index.
    let pointers = "mul.lo.u32 %r20, %r1, %r3; mul.wide.u32 %rd12, %r20, 4; mov.u32 %r21, 0; mov.u32 %r22, 0;\n\
                    again: ld.global.u32 %r23, [%rd5]; add.u32 %r22, %r22, %r23; add.s64 %rd5, %rd5, %rd12; add.u32 %r21, %r21, 1;\n\
                    setp.lt.u32 %p1, %r21, %r1; @%p1 bra again; st.global.u32 [%rd4], %r22; ret;";
    assert!(prefetches(pointers));
    // The next round may go back and forth.
    let turns =
        pointers.replace("add.s64 %rd5, %rd5, %rd12;", "add.s64 %rd5, %rd5, %rd12; neg.s64 %rd12, %rd12;");
    assert!(!prefetches(&turns));
    case(pointers, [256, 1, 1], 1).agrees();
    case(&turns, [64, 1, 1], 3).agrees();
}

#[test]
fn loads_of_the_next_block_are_prefetched() {
    // Sums of two words of each thread, in shared memory: a block reads 2 KB, and the next one those after them.
    let sum = |address: &str| {
        format!(
            "shl.b32 %r10, %r3, 1; mad.lo.s32 %r11, %r10, %r2, %r4; mul.wide.u32 %rd6, %r11, 4; {address} setp.ge.u32 %p1, %r11, %r1; mov.u32 %r12, 7;\n\
             @%p1 bra on; ld.global.u32 %r12, [%rd7]; on: mov.u32 %r13, s; shl.b32 %r14, %r4, 2; add.u32 %r15, %r13, %r14; st.shared.u32 [%r15], %r12; bar.sync 0;\n\
             xor.b32 %r16, %r14, 4; add.u32 %r17, %r13, %r16; ld.shared.u32 %r18, [%r17]; add.u32 %r12, %r12, %r18; st.global.u32 [%rd4], %r12; ret;"
        )
    };
    let prefetches = |body: &str| {
        let block = [256, 1, 1];
        let prepared = case(body, block, 0).prepared();
        let cpu = Cpu::host().expect("LLVM 22");
        let before = ptx_host::unoptimized_ir(
            prepared.program(),
            &Launched::blocks(block),
            &cpu,
            &ptx_host::Options::default(),
        )
        .expect("compiled");
        before.lines().filter(|line| line.contains("call void @llvm.prefetch")).count()
    };
    let next = sum("add.s64 %rd7, %rd2, %rd6;");
    assert!(prefetches(&next) > 0);
    // The same for all blocks; and what no one knows, for a word of memory tells it.
    let same = sum("and.b32 %r19, %r4, 127; mul.wide.u32 %rd6, %r19, 4; add.s64 %rd7, %rd2, %rd6;");
    let loaded = sum(
        "ld.global.u32 %r20, [%rd2]; and.b32 %r20, %r20, 3; mul.lo.u32 %r20, %r20, %r2; mad.lo.u32 %r20, %r20, 4, %r4;\n\
         and.b32 %r20, %r20, 127; mul.wide.u32 %rd6, %r20, 4; add.s64 %rd7, %rd2, %rd6;",
    );
    for body in [&same, &loaded] {
        assert_eq!(prefetches(body), 0, "{body}");
    }
    assert_eq!(prefetches(&next.replace("bar.sync 0;", "")), 0, "without barriers");
    for body in [&next, &same, &loaded] {
        // The last block announces what is after the array.
        for (block, n) in [(32, 0), (64, 100), (64, 512), (96, 31), (128, 512)] {
            Case { grid: 512 / (2 * block), ..case(body, [block, 1, 1], n) }.agrees();
        }
    }
}
