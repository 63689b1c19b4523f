//! Loads of fragments of matrices, whose addresses are consecutive within each four lanes, against the interpreter.

use crate::common::Case;
use ptx_host::analysis::Launched;
use ptx_llvm_core::host::Cpu;

fn case(body: &str, block: [u32; 3], n: u32) -> Case<'_> {
    Case { before: ".shared .align 16 .b32 s[512];", block, n, ..Case::warp(body) }
}

/// Lane 4 r + c loads what is at row r and column c of matrices with rows of `n` words, from global and from shared memory. The output has 512 words.
const FRAGMENTS: &str = "setp.ge.u32 %p7, %r4, 512; @%p7 bra stored; mov.u32 %r6, s; shl.b32 %r7, %r4, 2; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r5; stored:\n\
                         bar.sync 0; and.b32 %r10, %r4, 31; shr.u32 %r11, %r10, 2; and.b32 %r12, %r4, 3; mul.lo.u32 %r13, %r11, %r1; add.u32 %r14, %r13, %r12;\n\
                         mul.wide.u32 %rd6, %r14, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r15, [%rd7]; ld.global.u32 %r16, [%rd7+16];\n\
                         cvt.s64.s32 %rd8, %r13; cvt.u64.u32 %rd9, %r12; add.s64 %rd10, %rd8, %rd9; shl.b64 %rd11, %rd10, 1; add.s64 %rd12, %rd2, %rd11;\n\
                         ld.global.u16 %h1, [%rd12]; cvt.u32.u16 %r17, %h1; mov.u32 %r18, s; shl.b32 %r19, %r14, 2; add.u32 %r19, %r19, %r18;\n\
                         mov.u32 %r20, 0; setp.lt.u32 %p1, %r4, 45; @%p1 ld.shared.u32 %r20, [%r19+8]; shl.b64 %rd13, %rd10, 3; add.s64 %rd13, %rd13, %rd2;\n\
                         ld.global.u64 %rd14, [%rd13]; cvt.u32.u64 %r21, %rd14; shr.u64 %rd15, %rd14, 32; cvt.u32.u64 %r22, %rd15;\n\
                         mad.lo.u32 %r15, %r16, 3, %r15; mad.lo.u32 %r15, %r17, 5, %r15; mad.lo.u32 %r15, %r20, 7, %r15; mad.lo.u32 %r15, %r21, 11, %r15;\n\
                         mad.lo.u32 %r15, %r22, 13, %r15; st.global.u32 [%rd4], %r15; ret;";

#[test]
fn fragments_of_matrices() {
    for block in [[32, 1, 1], [33, 1, 1], [64, 1, 1], [100, 1, 1], [256, 1, 1]] {
        for n in [0, 4, 7, 24] {
            case(FRAGMENTS, block, n).agrees();
        }
    }
}

#[test]
fn addresses_that_only_seem_to_be_consecutive() {
    // `or` is a sum where no bit is in both; here one is, in some rows.
    let body = "and.b32 %r10, %r4, 31; shr.u32 %r11, %r10, 2; and.b32 %r12, %r4, 3; mul.lo.u32 %r13, %r11, %r1; or.b32 %r14, %r13, %r12;\n\
                mul.wide.u32 %rd6, %r14, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r15, [%rd7]; st.global.u32 [%rd4], %r15; ret;";
    for n in [0, 1, 2, 3, 4, 12] {
        case(body, [64, 1, 1], n).agrees();
    }
    // The index wraps around in the middle of four lanes.
    let body = "and.b32 %r10, %r4, 31; shr.u32 %r11, %r10, 2; and.b32 %r12, %r4, 3; mul.lo.u32 %r13, %r11, %r1; add.u32 %r14, %r13, %r12;\n\
                add.u32 %r14, %r14, -2; mul.wide.u32 %rd6, %r14, 4; mov.u64 %rd8, 0x3fffffff8; setp.ge.u32 %p1, %r14, 0xfffffffe;\n\
                add.s64 %rd7, %rd2, %rd6; @%p1 sub.s64 %rd7, %rd7, %rd8; ld.global.u32 %r15, [%rd7]; st.global.u32 [%rd4], %r15; ret;";
    for n in [0, 4, 9] {
        case(body, [64, 1, 1], n).agrees();
        case(body, [50, 1, 1], n).agrees();
    }
    let guarded = "and.b32 %r10, %r4, 31; shr.u32 %r11, %r10, 2; and.b32 %r12, %r4, 3; mul.lo.u32 %r13, %r11, %r1; add.u32 %r14, %r13, %r12;\n\
                   mul.wide.u32 %rd6, %r14, 4; add.s64 %rd7, %rd2, %rd6; and.b32 %r16, %r4, 5; setp.eq.u32 %p1, %r16, 0; mov.u32 %r15, 9;\n\
                   @%p1 ld.global.u32 %r15, [%rd7]; st.global.u32 [%rd4], %r15; ret;";
    case(guarded, [64, 1, 1], 8).agrees();
}

#[test]
fn four_lanes_are_looked_at_where_that_may_be_of_use() {
    let looks = |body: &str| {
        let (block, cpu) = ([64, 1, 1], Cpu::host().expect("LLVM 22"));
        let prepared = case(body, block, 0).prepared();
        let before = ptx_host::unoptimized_ir(
            prepared.program(),
            &Launched::blocks(block),
            &cpu,
            &ptx_host::Options::default(),
        )
        .expect("compiled");
        before.contains("quads")
    };
    assert!(looks(FRAGMENTS));
    let loaded = "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 255; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd7, %rd2, %rd6;\n\
                  ld.global.u32 %r7, [%rd7]; st.global.u32 [%rd4], %r7; ret;";
    assert!(!looks(loaded), "the address is computed from what was loaded");
    let columns = "and.b32 %r10, %r4, 31; shr.u32 %r11, %r10, 2; and.b32 %r12, %r4, 3; mul.lo.u32 %r13, %r12, %r1; add.u32 %r14, %r13, %r11;\n\
                   mul.wide.u32 %rd6, %r14, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r15, [%rd7]; st.global.u32 [%rd4], %r15; ret;";
    assert!(!looks(columns), "the lanes of a row are not next to each other");
}
