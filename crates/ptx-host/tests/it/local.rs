//! Local memory in both engines.

use crate::common::Case;

const DEPOT: &str = ".local .align 16 .b8 depot[128];\n";
/// A word of the input, and an offset of each lane that is a multiple of 16.
const BEGIN: &str = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 7; shl.b32 %r7, %r7, 4; mov.u32 %r10, depot; add.u32 %r8, %r10, %r7;\n\
                     xor.b32 %r9, %r6, 0x12345678; mul.wide.u32 %rd6, %r6, %r9; cvt.u16.u32 %h1, %r9; mov.u32 %r30, 0;\n";

fn agrees(body: &str, n: u32) {
    let body = format!("{DEPOT}{BEGIN}{body}\nst.global.u32 [%rd4], %r30; ret;");
    Case { n, ..Case::warp(&body) }.agrees();
    Case { n, grid: 2, block: [45, 1, 1], ..Case::warp(&body) }.agrees();
}

/// Adds a word of every fourth byte of the memory to the result.
const SUM: &str = "mov.u32 %r20, 0; sum: add.u32 %r21, %r10, %r20; ld.local.u32 %r22, [%r21]; mad.lo.u32 %r30, %r30, 33, %r22; add.u32 %r20, %r20, 4;\n\
                   setp.lt.u32 %p5, %r20, 128; @%p5 bra sum;\n";

#[test]
fn one_offset_for_all_lanes() {
    agrees(
        "st.local.u32 [depot+4], %r6; st.local.u64 [depot+8], %rd6; st.local.u16 [depot+18], %h1; st.local.u8 [depot+21], %h1; st.local.u8 [depot+1], %r9;\n\
         st.local.v2.u32 [depot+24], {%r6, %r9}; st.local.v4.u32 [depot+32], {%r6, %r9, %r4, %r6}; st.local.v2.u64 [depot+48], {%rd6, %rd3};\n\
         st.local.v4.u8 [depot+64], {%h1, %h2, %h1, %h1}; st.local.v4.u16 [depot+72], {%h1, %h1, %h2, %h1};\n\
         ld.local.u32 %r11, [depot+4]; ld.local.u64 %rd7, [depot+8]; ld.local.s16 %r12, [depot+18]; ld.local.s8 %r13, [depot+21]; ld.local.u8 %r14, [depot+3];\n\
         cvt.u32.u64 %r15, %rd7; add.u32 %r30, %r11, %r12; mad.lo.u32 %r30, %r30, 7, %r13; mad.lo.u32 %r30, %r30, 7, %r14; mad.lo.u32 %r30, %r30, 7, %r15;\n",
        0,
    );
    // The offset is known when the kernel runs.
    let body = "and.b32 %r11, %r1, 7; shl.b32 %r11, %r11, 4; add.u32 %r11, %r11, %r10; st.local.u32 [%r11], %r6; st.local.u64 [%r11+8], %rd6;\n\
                st.local.u16 [%r11+6], %h1; st.local.u8 [%r11+1], %h1; ld.local.s8 %r12, [%r11+9]; ld.local.u16 %r13, [%r11+2]; ld.local.u64 %rd7, [%r11];\n\
                cvt.u32.u64 %r15, %rd7; add.u32 %r30, %r12, %r13; xor.b32 %r30, %r30, %r15;\n";
    agrees(&format!("{body}{SUM}"), 3);
}

#[test]
fn an_offset_for_each_lane() {
    agrees(
        &format!(
            "st.local.u32 [%r8], %r6; st.local.u64 [%r8+8], %rd6; st.local.u16 [%r8+6], %h1; st.local.u8 [%r8+1], %h1;\n\
             ld.local.s8 %r12, [%r8+9]; ld.local.u16 %r13, [%r8+2]; ld.local.u64 %rd7, [%r8]; ld.local.v4.u32 {{%r16, %r17, %r18, %r19}}, [%r8];\n\
             cvt.u32.u64 %r15, %rd7; add.u32 %r30, %r12, %r13; xor.b32 %r30, %r30, %r15; mad.lo.u32 %r30, %r30, 3, %r18; add.u32 %r30, %r30, %r19;\n{SUM}"
        ),
        0,
    );
}

#[test]
fn lanes_that_do_not_run_keep_theirs() {
    agrees(
        &format!(
            "st.local.u32 [depot], %r4; st.local.u64 [depot+32], %rd6; and.b32 %r11, %r6, 1; setp.eq.u32 %p1, %r11, 0;\n\
             @%p1 st.local.u32 [depot], %r9; @!%p1 st.local.u16 [depot+34], %h1; @%p1 st.local.u8 [%r8], %r9;\n\
             @%p1 bra odd; st.local.u8 [depot+3], %r6; st.local.u32 [%r8+4], %r6; bra.uni both; odd: st.local.u64 [%r8+8], %rd6; both:\n\
             @%p1 ld.local.u32 %r30, [%r8];\n{SUM}"
        ),
        0,
    );
}

#[test]
fn arrays_that_loops_go_through() {
    // A sort of eight numbers by insertion: places of each lane, and loops that lanes leave apart.
    agrees(
        "mov.u32 %r11, 0; fill: mad.lo.u32 %r12, %r6, 1664525, 1013904223; mov.u32 %r6, %r12; shr.u32 %r12, %r12, 24; mov.u32 %r13, %r11;\n\
         down: setp.eq.u32 %p1, %r13, 0; @%p1 bra put; shl.b32 %r14, %r13, 2; add.u32 %r14, %r14, %r10; ld.local.u32 %r15, [%r14+-4];\n\
         setp.ge.u32 %p2, %r12, %r15; @%p2 bra put; st.local.u32 [%r14], %r15; sub.u32 %r13, %r13, 1; bra.uni down;\n\
         put: shl.b32 %r14, %r13, 2; add.u32 %r14, %r14, %r10; st.local.u32 [%r14], %r12; add.u32 %r11, %r11, 1; setp.lt.u32 %p3, %r11, 8; @%p3 bra fill;\n\
         ld.local.u32 %r16, [depot+12]; ld.local.u32 %r17, [depot+28]; shl.b32 %r16, %r16, 8; or.b32 %r30, %r16, %r17;\n",
        0,
    );
}

#[test]
fn more_than_a_thread_has_on_its_stack() {
    // 32 KiB of each thread are a megabyte.
    let body = ".local .align 4 .b8 big[32768]; mov.u32 %r6, big; and.b32 %r7, %r5, 15; mad.lo.u32 %r8, %r7, 2048, %r6; st.local.u32 [%r8], %r5; st.local.u32 [big+32764], %r4;\n\
                ld.local.u32 %r9, [%r8]; ld.local.u32 %r10, [big+4096]; add.u32 %r9, %r9, %r10; ld.local.u32 %r10, [big+32764]; add.u32 %r9, %r9, %r10; st.global.u32 [%rd4], %r9; ret;";
    Case { grid: 2, block: [40, 1, 1], ..Case::warp(body) }.agrees();
}

#[test]
fn more_than_a_function_has_on_its_stack() {
    // Memory that the runtime allocates begins as zeros for each warp.
    let body = ".local .align 4 .b8 big[100000]; mov.u32 %r6, big; and.b32 %r7, %r5, 15; mad.lo.u32 %r8, %r7, 6000, %r6; ld.local.u32 %r9, [%r8]; add.u32 %r9, %r9, %r5; st.local.u32 [%r8], %r9;\n\
                ld.local.u32 %r10, [big+12000]; add.u32 %r9, %r9, %r10; ld.local.u32 %r10, [big+99996]; add.u32 %r9, %r9, %r10; st.local.u32 [big+99996], %r4; st.global.u32 [%rd4], %r9; ret;";
    Case { grid: 2, block: [70, 1, 1], ..Case::warp(body) }.agrees();
}
