//! Atomic operations in both engines. Lanes conflict: several of them have the same place, and each result tells in which order they were.

use crate::common::Case;

/// Each lane does operations at one of five places of its own memory, with a word of the input, and the results are mixed into a word of the
/// output after those places. `op` has `[A]` for the place, `B` and `C` for operands and `D` for the result.
fn body(space: &str, ops: &[&str], lanes: &str) -> String {
    let mut text = String::from(
        ".shared .align 16 .b8 own[256];\n\
         ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 0x7fff; mul.lo.u32 %r7, %r4, 7; rem.u32 %r8, %r7, 5; mul.lo.u32 %r9, %r8, 16;\n\
         mov.u32 %r10, own; add.u32 %r11, %r10, %r9; cvt.u64.u32 %rd6, %r9; add.u64 %rd7, %rd1, %rd6; xor.b32 %r12, %r6, 0x55;\n\
         mov.u32 %r30, 0; cvt.u64.u32 %rd10, %r6; mul.lo.u64 %rd10, %rd10, 0x100010001; cvt.u16.u32 %h1, %r6; mov.b32 %f1, %r6; mov.u16 %h2, 77;\n\
         cvt.rn.f32.u32 %f2, %r6; mul.f32 %f2, %f2, 0f00000123; cvt.rn.f64.u32 %fd1, %r6; mul.f64 %fd1, %fd1, 0d3ff199999999999a;\n\
         mov.u64 %rd11, 0; mov.u16 %h3, 0; mov.f32 %f3, 0f00000000; mov.u64 %rd15, 0; mov.u32 %r13, 0;\n",
    );
    if space == "shared" {
        // Its bytes begin as the first ones of the output do.
        text.push_str("setp.lt.u32 %p1, %r4, 32; mul.lo.u32 %r14, %r4, 8; add.u32 %r15, %r10, %r14; mov.u64 %rd12, 0xa5a5a5a5a5a5a5a5; @%p1 st.shared.u64 [%r15], %rd12;\n");
    }
    text.push_str(lanes);
    for op in ops {
        let place = if space == "shared" { "%r11" } else { "%rd7" };
        text.push_str(&op.replace('S', space).replace('A', place));
        // All kinds of results.
        text.push_str(
            "\nmad.lo.u32 %r30, %r30, 31, %r13; cvt.u32.u64 %r16, %rd11; shr.u64 %rd14, %rd11, 32; cvt.u32.u64 %r17, %rd14; xor.b32 %r16, %r16, %r17;\n\
             mad.lo.u32 %r30, %r30, 31, %r16; cvt.u32.u16 %r16, %h3; add.u32 %r30, %r30, %r16; mov.b32 %r16, %f3; xor.b32 %r30, %r30, %r16;\n",
        );
    }
    text.push_str("done:\n st.global.u32 [%rd4+512], %r30;\n");
    if space == "shared" {
        text.push_str("setp.lt.u32 %p1, %r4, 32; @%p1 ld.shared.u64 %rd12, [%r15]; mul.wide.u32 %rd13, %r4, 8; add.u64 %rd13, %rd13, %rd1; @%p1 st.global.u64 [%rd13], %rd12;\n");
    }
    text.push_str("ret;");
    text
}

const ALL: &str = "";
const GUARDED: &str = "and.b32 %r18, %r4, 11; setp.eq.u32 %p2, %r18, 3; @%p2 bra done;\n";
const NARROW: &str = "setp.gt.u32 %p2, %r4, %r1; @%p2 bra done;\n";

fn both(ops: &[&str]) {
    for space in ["shared", "global"] {
        for (lanes, n) in [(ALL, 0), (GUARDED, 0), (NARROW, 6)] {
            let body = body(space, ops, lanes);
            Case { n, ..Case::warp(&body) }.agrees();
        }
    }
}

#[test]
fn integers_of_32_bits() {
    both(&[
        "atom.S.add.u32 %r13, [A], %r6;",
        "atom.S.min.s32 %r13, [A], %r12;",
        "atom.S.max.s32 %r13, [A+4], %r12;",
        "atom.S.min.u32 %r13, [A+4], %r6;",
        "atom.S.max.u32 %r13, [A], %r12;",
        "atom.S.and.b32 %r13, [A+8], %r12;",
        "atom.S.or.b32 %r13, [A+8], %r6;",
        "atom.S.xor.b32 %r13, [A+12], %r12;",
        "atom.S.inc.u32 %r13, [A+12], %r6;",
        "atom.S.dec.u32 %r13, [A+8], %r6;",
        "atom.S.inc.u32 %r13, [A+12], 2;",
        "atom.S.dec.u32 %r13, [A+12], 3;",
        "atom.S.exch.b32 %r13, [A+4], %r6;",
        "atom.S.cas.b32 %r13, [A+4], %r6, %r12;",
    ]);
}

#[test]
fn results_that_no_one_reads() {
    both(&[
        "red.S.add.u32 [A], %r6;",
        "red.S.min.s32 [A], %r12;",
        "red.S.max.u32 [A+4], %r6;",
        "red.S.and.b32 [A+8], %r12;",
        "red.S.or.b32 [A+8], %r6;",
        "red.S.xor.b32 [A+12], %r12;",
        "red.S.inc.u32 [A+12], 5;",
        "red.S.add.u64 [A+8], %rd10;",
        "atom.S.add.u32 %r19, [A], 1;",
    ]);
}

#[test]
fn one_place_for_all_lanes() {
    // The operations that are done for all lanes at once, their results unread, and with results.
    let ops = "red.S.add.u32 [P], %r6; red.S.add.u32 [P], 3; red.S.min.s32 [P+4], %r12; red.S.max.s32 [P+8], %r12; red.S.min.u32 [P+12], %r6;\n\
               red.S.max.u32 [P+16], %r6; red.S.and.b32 [P+20], %r12; red.S.or.b32 [P+24], %r6; red.S.xor.b32 [P+28], %r12;\n\
               red.S.add.u64 [P+32], %rd10; red.S.min.s64 [P+40], %rd10; red.S.max.u64 [P+48], %rd10; red.S.xor.b32 [P+56], 9;\n\
               @%p3 red.S.add.u32 [P+60], 1; @!%p3 red.S.or.b32 [P+64], %r6; atom.S.add.u32 %r13, [P], %r6;";
    for space in ["shared", "global"] {
        let place = if space == "shared" { "%r10" } else { "%rd1" };
        let ops = ops.replace('S', space).replace('P', place);
        let guard = "and.b32 %r20, %r6, 1; setp.eq.u32 %p3, %r20, 1;\n";
        for (lanes, n) in [(ALL, 0), (GUARDED, 0), (NARROW, 0)] {
            let body = body(space, &[&ops], &format!("{guard}{lanes}"));
            Case { n, ..Case::warp(&body) }.agrees();
        }
    }
}

#[test]
fn integers_of_64_and_16_bits() {
    both(&[
        "atom.S.add.u64 %rd11, [A], %rd10;",
        "atom.S.min.s64 %rd11, [A], %rd10;",
        "atom.S.max.u64 %rd11, [A+8], %rd10;",
        "atom.S.and.b64 %rd11, [A+8], %rd10;",
        "atom.S.or.b64 %rd11, [A], %rd10;",
        "atom.S.xor.b64 %rd11, [A], %rd10;",
        "atom.S.exch.b64 %rd11, [A+8], %rd10;",
        "atom.S.cas.b64 %rd11, [A+8], %rd10, %rd6;",
        "atom.S.cas.b16 %h3, [A+2], %h1, %h2;",
        "atom.S.cas.b16 %h3, [A+4], 0xa5a5, %h1;",
    ]);
}

#[test]
fn floating_point_numbers() {
    // Sums of subnormal numbers too: global memory flushes them, shared memory does not, nor does `.noftz`.
    both(&[
        "atom.S.add.f32 %f3, [A], %f1;",
        "atom.S.exch.b32 %r13, [A], %r6; atom.S.add.f32 %f3, [A], %f2;",
        "atom.S.add.f32 %f3, [A], %f2;",
        "atom.S.exch.b64 %rd11, [A+8], 0; atom.S.add.f64 %fd2, [A+8], %fd1; mov.b64 %rd11, %fd2;",
        "red.S.add.f64 [A+8], %fd1;",
        "red.S.add.f32 [A+4], %f2;",
        "atom.S.add.noftz.f16 %h3, [A+4], %h1;",
        "atom.S.add.noftz.bf16 %h3, [A+6], %h1;",
        "atom.S.add.noftz.f16x2 %r13, [A], %r6;",
        "atom.S.add.noftz.bf16x2 %r13, [A+12], %r12;",
    ]);
}

#[test]
fn vectors() {
    let ops = [
        "atom.global.v2.f32.add {%f3, %f4}, [A], {%f2, %f1}; mov.b32 %r13, %f4;",
        "red.global.v4.f32.add [A], {%f1, %f2, %f1, %f2};",
        "atom.global.v2.f16x2.add.noftz {%r13, %r19}, [A], {%r6, %r12}; xor.b32 %r13, %r13, %r19;",
        "atom.global.v4.bf16.max.noftz {%h3, %h4, %h5, %h6}, [A], {%h1, %h2, %h1, %h2};",
    ];
    for (lanes, n) in [(ALL, 0), (GUARDED, 0), (NARROW, 3)] {
        let body = body("global", &ops, lanes);
        Case { n, ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn numbers_of_128_bits() {
    let ops = [
        "mov.b128 %q1, {%rd10, %rd6}; atom.S.exch.b128 %q2, [A], %q1; mov.b128 {%rd11, %rd16}, %q2; xor.b64 %rd11, %rd11, %rd16;",
        "mov.b128 %q3, {%rd6, %rd10}; atom.S.cas.b128 %q4, [A], %q1, %q3; mov.b128 {%rd11, %rd16}, %q4; xor.b64 %rd11, %rd11, %rd16;",
    ];
    both(&ops);
}

#[test]
fn blocks_and_warps_count_together() {
    let body = "and.b32 %r6, %r5, 3; mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd1, %rd6; red.global.add.u32 [%rd7], 1; red.global.add.u32 [%rd1+64], %r5;\n\
                setp.lt.u32 %p1, %r5, %r1; @%p1 red.global.max.u32 [%rd1+68], %r5; red.relaxed.cta.global.inc.u32 [%rd1+72], 1000; fence.acq_rel.gpu; membar.cta; ret;";
    for (grid, block) in [(3, [64, 1, 1]), (2, [50, 1, 1]), (5, [7, 3, 2])] {
        Case { grid, block, n: 20, ..Case::warp(body) }.agrees();
    }
}

#[test]
fn results_in_divergent_loops() {
    // Each lane takes as many numbers as it is told, which it knows before.
    let body = "and.b32 %r6, %r4, 5; mov.u32 %r7, 0; mov.u32 %r9, 0;\n\
                again: setp.gt.u32 %p1, %r7, %r6; @%p1 bra finish; atom.global.add.u32 %r8, [%rd1], 3; mad.lo.u32 %r9, %r9, 7, %r8; add.u32 %r7, %r7, 1; bra again;\n\
                finish: st.global.u32 [%rd4+512], %r9; ret;";
    Case::warp(body).agrees();
    // In the interpreter the lanes take turns too.
    let body = body.replace("%r4, 5", "%r1, 5");
    Case { n: 7, ..Case::warp(&body) }.agrees();
}
