//! Loops that lanes go through one after the other, against the interpreter, and which loops those are.

use crate::common;
use crate::common::Case;
use ptx_host::analysis::{Analysis, Launched};

/// `%r10` is the number of a thread, `%r11` and `%r12` the first element of its row and the one after it: rows have 0 to 12 elements,
/// and those of neighbors overlap. All elements are in the first 480 words of the input.
const ROWS: &str = "and.b32 %r10, %r5, 511; mul.lo.u32 %r11, %r10, 7; rem.u32 %r11, %r11, 460; mul.lo.u32 %r13, %r10, 29; rem.u32 %r13, %r13, 13;\n\
                    add.u32 %r12, %r11, %r13; mov.u32 %r14, 0; mov.u32 %r15, 77;\n";

/// An element of a row, at `%rd6`: its word is a place in the input, whose word is added to `%r14`.
const ELEMENT: &str = "ld.global.u32 %r16, [%rd6]; and.b32 %r16, %r16, 511; mul.wide.u32 %rd7, %r16, 4; add.s64 %rd7, %rd2, %rd7;\n\
                       ld.global.u32 %r17, [%rd7]; mad.lo.u32 %r14, %r14, 3, %r17;\n";

/// A row from `%r11` to `%r12`.
fn row() -> String {
    format!(
        "setp.ge.u32 %p1, %r11, %r12; @%p1 bra none; mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6;\n\
         again: {ELEMENT} add.s64 %rd6, %rd6, 4; add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, %r12; @%p2 bra again;\n"
    )
}

/// The regions of a kernel: how many blocks they have, and how many instructions.
fn regions(body: &str, block: [u32; 3]) -> Vec<(usize, u32)> {
    let prepared = Case { block, ..Case::warp(body) }.prepared();
    let analysis = Analysis::new(prepared.program(), &Launched::blocks(block), 16).expect("compiled");
    let size = |blocks: &[ptx_host::analysis::Block]| {
        (blocks.len(), blocks.iter().map(|block| block.end - block.first).sum())
    };
    analysis.alone.iter().map(|region| size(&analysis.graph.blocks()[region.first..=region.last])).collect()
}

/// Blocks of all kinds: whole warps, some lanes, several rows of threads.
fn agrees(body: &str) {
    for (block, grid) in
        [([32, 1, 1], 1), ([7, 1, 1], 3), ([96, 1, 1], 4), ([256, 1, 1], 2), ([100, 1, 1], 5)]
    {
        Case { block, grid, ..Case::warp(body) }.agrees();
    }
}

#[test]
fn rows_of_a_sparse_matrix() {
    let body = format!("{ROWS}{}none: st.global.u32 [%rd4], %r14; ret;", row());
    // The loop alone: what is before it is the same for vectors, and the branch around it goes to what comes after it.
    assert_eq!(regions(&body, [32, 1, 1]), [(1, 9)]);
    agrees(&body);
}

#[test]
fn a_loop_of_what_is_left_before_one_of_four() {
    let element = |offset: i32| ELEMENT.replace("[%rd6]", &format!("[%rd6+{offset}]"));
    let body = format!(
        "{ROWS}setp.ge.u32 %p1, %r11, %r12; @%p1 bra none;\n\
         sub.u32 %r18, %r12, %r11; and.b32 %r18, %r18, 3; mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6;\n\
         setp.eq.u32 %p3, %r18, 0; @%p3 bra fours;\n\
         one: {ELEMENT} add.s64 %rd6, %rd6, 4; add.u32 %r11, %r11, 1; add.u32 %r18, %r18, -1; setp.ne.u32 %p2, %r18, 0; @%p2 bra one;\n\
         fours: setp.ge.u32 %p4, %r11, %r12; @%p4 bra none;\n\
         four: {}{}{}{} add.s64 %rd6, %rd6, 16; add.u32 %r11, %r11, 4; setp.lt.u32 %p2, %r11, %r12; @%p2 bra four;\n\
         none: st.global.u32 [%rd4], %r14; ret;",
        element(0),
        element(4),
        element(8),
        element(12)
    );
    // From the block after the branch around both.
    assert_eq!(regions(&body, [32, 1, 1]), [(4, 43)]);
    agrees(&body);
}

#[test]
fn guards_floats_and_several_ways_out() {
    // Lanes leave in the middle or at the end, to different places; some elements are left out.
    let body = format!(
        "{ROWS}setp.ge.u32 %p1, %r11, %r12; @%p1 bra none; mov.f32 %f1, 0f7f800000; mov.f64 %fd1, 0d3ff0000000000000;\n\
         again: mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6; and.b32 %r18, %r11, 1; setp.eq.u32 %p3, %r18, 0;\n\
         @%p3 ld.global.u32 %r15, [%rd6]; mul.lo.u32 %r16, %r11, 5; and.b32 %r16, %r16, 511; mul.wide.u32 %rd7, %r16, 4; add.s64 %rd7, %rd2, %rd7;\n\
         ld.global.f32 %f2, [%rd7]; ld.global.u8 %r17, [%rd7+1]; ld.global.s16 %r19, [%rd7+2]; fma.rn.f32 %f1, %f2, %f1, %f1; cvt.f64.f32 %fd2, %f2;\n\
         add.rn.f64 %fd1, %fd1, %fd2; @!%p3 add.u32 %r14, %r14, %r17; xor.b32 %r14, %r14, %r19; add.u32 %r11, %r11, 1;\n\
         setp.eq.u32 %p4, %r11, %r10; @%p4 bra middle; setp.lt.u32 %p2, %r11, %r12; @%p2 bra again;\n\
         mov.b32 %r20, %f1; add.u32 %r14, %r14, %r20; bra.uni none;\n\
         middle: mov.b64 %rd8, %fd1; cvt.u32.u64 %r20, %rd8; sub.u32 %r14, %r14, %r20; selp.u32 %r14, %r14, 9, %p3;\n\
         none: mad.lo.u32 %r14, %r15, 5, %r14; st.global.u32 [%rd4], %r14; ret;"
    );
    assert_eq!(regions(&body, [32, 1, 1]), [(2, 20)]);
    agrees(&body);
}

#[test]
fn in_a_loop_that_all_lanes_go_through_with_others_elsewhere() {
    // Lanes come to the loop in some rounds; those that do not have other work, and collectives after it.
    let body = format!(
        "{ROWS}mov.u32 %r30, 0; mov.u32 %r33, %r11;\n\
         round: add.u32 %r31, %r30, %r4; and.b32 %r31, %r31, 3; mov.u32 %r11, %r33; setp.eq.u32 %p5, %r31, 0; @%p5 bra other;\n\
         {}bra.uni none;\n\
         other: mad.lo.u32 %r14, %r14, 5, %r30; mul.wide.u32 %rd8, %r30, 4; add.s64 %rd8, %rd8, %rd4; ld.global.u32 %r32, [%rd5]; xor.b32 %r14, %r14, %r32;\n\
         none: add.u32 %r30, %r30, 1; setp.lt.u32 %p6, %r30, 6; @%p6 bra round;\n\
         activemask.b32 %r31; shfl.sync.bfly.b32 %r32, %r14, 1, 0x1f, %r31; add.u32 %r14, %r14, %r32;\n\
         st.global.u32 [%rd4], %r14; ret;",
        row()
    );
    assert!(!regions(&body, [32, 1, 1]).is_empty());
    for block in [[32, 1, 1], [64, 1, 1], [96, 1, 1]] {
        Case { block, ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn other_loops_are_those_of_vectors() {
    let none = |body: &str| assert_eq!(regions(body, [32, 1, 1]), [], "{body}");
    // A search: the next place depends on what was loaded.
    none(&format!(
        "{ROWS}again: mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6; ld.global.u32 %r16, [%rd6]; ld.global.u32 %r17, [%rd6+4];\n\
         add.u32 %r11, %r16, %r17; and.b32 %r11, %r11, 511; add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, %r13; @%p2 bra again;\n\
         st.global.u32 [%rd4], %r11; ret;"
    ));
    // Where lanes go depends on it.
    none(&format!(
        "{ROWS}again: mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6; ld.global.u32 %r16, [%rd6]; ld.global.u32 %r17, [%rd6+400];\n\
         add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r16, %r17; @%p2 bra again; st.global.u32 [%rd4], %r11; ret;"
    ));
    // All lanes have as many rounds.
    none(&format!(
        "{ROWS}again: mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6; {ELEMENT} add.u32 %r11, %r11, 1;\n\
         add.u32 %r15, %r15, 1; setp.lt.u32 %p2, %r15, 80; @%p2 bra again; st.global.u32 [%rd4], %r14; ret;"
    ));
    // Lanes see what others store.
    let body = format!("{ROWS}{}none: st.global.u32 [%rd4], %r14; ret;", row());
    none(&body.replace("ld.global.u32 %r17", "st.global.u32 [%rd4], %r16; ld.global.u32 %r17"));
    none(&body.replace("ld.global.u32 %r17", "ld.volatile.global.u32 %r17"));
    // A lane comes into the loop from elsewhere.
    none(
        &body
            .replace("@%p1 bra none;", "@%p1 bra none; setp.eq.u32 %p5, %r4, 3; @%p5 bra inside;")
            .replace("and.b32 %r16, %r16, 511;", "and.b32 %r16, %r16, 511; inside: and.b32 %r16, %r16, 255;"),
    );
}

#[test]
fn a_loop_without_end_is_stopped() {
    // Lanes below 40 go from an element to its neighbor and back.
    let body = format!(
        "{ROWS}mov.u32 %r11, %r4; again: mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6; {ELEMENT}\
         xor.b32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 40; @%p2 bra again; st.global.u32 [%rd4], %r14; ret;"
    );
    let case = Case { block: [64, 1, 1], ..Case::warp(&body) };
    assert_eq!(regions(&body, case.block), [(1, 10)]);
    let mut launch = ptx_exec::Launch::new("k");
    launch.block = case.block;
    launch.arguments = [vec![0; 2048], common::input()].map(ptx_exec::Argument::Buffer).into();
    launch.arguments.push(ptx_exec::Argument::Bytes(vec![0; 4]));
    launch.limits.timeout = Some(std::time::Duration::from_millis(300));
    let source = case.source();
    let text = std::str::from_utf8(source.text()).expect("PTX");
    let error = common::compiled(text, &launch).expect_err("it is stopped");
    assert!(error.contains("time"), "{error}");
}
