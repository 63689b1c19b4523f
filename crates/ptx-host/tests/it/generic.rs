//! Generic addresses, accesses that synchronize, and elements of 128 bits, in both engines.

use ptx_host::analysis::own_accesses;

use crate::common::Case;

/// `%rd8` is a generic address of each lane: by its number in global, shared, constant, local or parameter memory, which all begin with
/// some bytes that differ.
const POINTERS: &str = ".shared .align 16 .b8 own[1024];\n.local .align 16 .b8 depot[64];\n\
    ld.global.u32 %r6, [%rd5]; shl.b32 %r7, %r4, 5; mov.u32 %r10, own; add.u32 %r11, %r10, %r7; mov.u32 %r12, depot;\n\
    ld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%rd2+64]; st.shared.v4.u32 [%r11], {%r6, %r13, %r4, %r14}; st.shared.v4.u32 [%r11+16], {%r15, %r6, %r16, %r4};\n\
    st.local.v4.u32 [%r12], {%r4, %r6, %r14, %r15}; st.local.v4.u32 [%r12+16], {%r16, %r4, %r13, %r6};\n\
    cvt.u64.u32 %rd6, %r11; cvta.shared.u64 %rd9, %rd6; cvt.u64.u32 %rd6, %r12; cvta.local.u64 %rd10, %rd6;\n\
    mul.wide.u32 %rd6, %r4, 32; add.u64 %rd11, %rd1, %rd6; cvt.u64.u32 %rd7, %r7; mul.wide.u32 %rd18, %r6, %r6;\n\
    rem.u32 %r17, %r4, 3; setp.eq.u32 %p1, %r17, 1; setp.eq.u32 %p2, %r17, 2; selp.b64 %rd8, %rd9, %rd11, %p1; selp.b64 %rd8, %rd10, %rd8, %p2;\n";

const USES: &str = "ld.u32 %r20, [%rd8]; ld.u64 %rd12, [%rd8+8]; ld.s8 %r21, [%rd8+5]; ld.u16 %h1, [%rd8+18]; ld.v4.u32 {%r22, %r23, %r24, %r25}, [%rd8+16];\n\
    st.u32 [%rd8+4], %r25; st.u64 [%rd8+8], %rd18; st.u8 [%rd8+17], %h1; st.v2.u32 [%rd8+24], {%r20, %r22};\n\
    ld.b128 %q1, [%rd8]; mov.b128 {%rd13, %rd14}, %q1; ld.volatile.u64 %rd15, [%rd8+16]; ld.acquire.gpu.u32 %r26, [%rd8+28];\n\
    st.release.gpu.u64 [%rd8+16], %rd14; st.volatile.u32 [%rd8], %r26; ld.v2.u64 {%rd16, %rd17}, [%rd8+16];\n\
    xor.b64 %rd12, %rd12, %rd13; add.u64 %rd12, %rd12, %rd15; xor.b64 %rd12, %rd12, %rd16; add.u64 %rd12, %rd12, %rd17; cvt.u32.u64 %r27, %rd12; shr.u64 %rd12, %rd12, 32;\n\
    cvt.u32.u64 %r28, %rd12; add.u32 %r27, %r27, %r28; mad.lo.u32 %r27, %r27, 5, %r21; cvt.u32.u16 %r28, %h1; add.u32 %r27, %r27, %r28; add.u32 %r27, %r27, %r26; add.u32 %r27, %r27, %r20;\n";

/// What the own shared and local memory holds is added to the result.
const REST: &str = "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r11]; add.u32 %r27, %r27, %r20; mad.lo.u32 %r27, %r27, 3, %r21; mad.lo.u32 %r27, %r27, 3, %r22; mad.lo.u32 %r27, %r27, 3, %r23;\n\
    ld.local.v4.u32 {%r20, %r21, %r22, %r23}, [%r12+16]; add.u32 %r27, %r27, %r20; mad.lo.u32 %r27, %r27, 3, %r21; mad.lo.u32 %r27, %r27, 3, %r22; mad.lo.u32 %r27, %r27, 3, %r23;\n\
    st.global.u32 [%rd4+1024], %r27; ret;";

fn agrees(change: &str) {
    let body = format!("{POINTERS}{change}{USES}{REST}");
    Case::warp(&body).agrees();
    let guarded = format!(
        "{POINTERS}{change}and.b32 %r29, %r6, 2; setp.eq.u32 %p3, %r29, 0; mov.u32 %r27, 9; @%p3 bra over;\n{USES}over:\n{REST}"
    );
    Case { block: [27, 1, 1], ..Case::warp(&guarded) }.agrees();
}

#[test]
fn addresses_of_all_kinds_at_once() {
    agrees("");
}

#[test]
fn addresses_of_one_kind() {
    for kind in ["%rd9", "%rd10", "%rd11"] {
        agrees(&format!("mov.u64 %rd8, {kind};\n"));
    }
    // One for all lanes, of global and of local memory, which is another place for each lane.
    let loads =
        "ld.u32 %r20, [%rd8]; ld.u64 %rd12, [%rd8+8]; cvt.u32.u64 %r21, %rd12; add.u32 %r27, %r20, %r21;\n";
    for kind in [
        "mov.u64 %rd8, %rd1;",
        "mov.u64 %rd8, %rd10;",
        "cvta.param.u64 %rd8, 0;",
        "setp.gt.u32 %p4, %r1, 5; selp.b64 %rd8, %rd1, %rd10, %p4;",
    ] {
        let kind = kind.replace(
            "cvta.param.u64 %rd8, 0;",
            "mov.b64 %rd6, out; cvta.param.u64 %rd8, %rd6; add.u64 %rd8, %rd8, 8;",
        );
        // The addresses of the buffers are parameters too, which differ in both engines.
        let loads = if kind.contains("param") { "ld.u32 %r27, [%rd8+8];\n" } else { loads };
        for n in [3, 9] {
            let body = format!("{POINTERS}{kind}\n{loads}{REST}");
            Case { n, ..Case::warp(&body) }.agrees();
        }
    }
}

#[test]
fn atomic_operations() {
    let body = format!(
        "{POINTERS}setp.eq.u32 %p2, %r17, 2; selp.b64 %rd8, %rd11, %rd8, %p2; mov.b32 %f1, %r6; mov.f32 %f2, 0f00000777; st.f32 [%rd8+4], %f2;\n\
         atom.add.u32 %r20, [%rd8], %r6; red.max.u32 [%rd8+8], %r6; atom.cas.b64 %rd12, [%rd8+16], %rd18, %rd7; atom.add.f32 %f3, [%rd8+4], %f2;\n\
         red.add.f32 [%rd8+4], %f2; atom.exch.b32 %r21, [%rd8+4], %r4; atom.inc.u32 %r22, [%rd8+24], 100; mov.b32 %r23, %f3; add.u32 %r27, %r20, %r21; add.u32 %r27, %r27, %r22;\n\
         add.u32 %r27, %r27, %r23; cvt.u32.u64 %r23, %rd12; red.add.u32 [%rd9], 5;\n{REST}"
    );
    Case::warp(&body).agrees();
}

#[test]
fn spaces_of_addresses() {
    let body = format!(
        "{POINTERS}isspacep.global %p1, %rd8; isspacep.shared %p2, %rd8; isspacep.local %p3, %rd8; isspacep.const %p4, %rd8; selp.u32 %r20, 1, 0, %p1; selp.u32 %r21, 2, 0, %p2;\n\
         selp.u32 %r22, 4, 0, %p3; selp.u32 %r23, 8, 0, %p4; or.b32 %r20, %r20, %r21; or.b32 %r22, %r22, %r23; or.b32 %r27, %r20, %r22;\n\
         @%p2 cvta.to.shared.u64 %rd12, %rd8; @%p2 cvt.u32.u64 %r24, %rd12; @%p2 ld.shared.u32 %r25, [%r24]; @%p2 add.u32 %r27, %r27, %r25; @%p2 add.u32 %r27, %r27, %r24;\n\
         st.global.u32 [%rd4+1024], %r27; ret;"
    );
    Case::warp(&body).agrees();
}

#[test]
fn accesses_that_synchronize() {
    let body = "ld.volatile.global.u32 %r6, [%rd5]; ld.relaxed.gpu.global.u64 %rd6, [%rd2+8]; ld.acquire.sys.global.u16 %h1, [%rd5+2]; st.release.gpu.global.u32 [%rd4], %r6;\n\
                ld.acquire.gpu.global.v2.u32 {%r7, %r8}, [%rd2+16]; and.b32 %r9, %r6, 1; setp.eq.u32 %p1, %r9, 0; @%p1 ld.volatile.global.u32 %r7, [%rd5]; setp.gt.u32 %p2, %r1, 5;\n\
                @%p2 ld.relaxed.gpu.global.u32 %r8, [%rd2+20]; ld.volatile.global.v2.u32 {%r10, %r11}, [%rd2+24]; cvt.u32.u64 %r12, %rd6; add.u32 %r7, %r7, %r12; cvt.u32.u16 %r12, %h1;\n\
                add.u32 %r7, %r7, %r12; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r10; sub.u32 %r7, %r7, %r11; fence.sc.gpu; @%p1 st.volatile.global.u32 [%rd4+512], %r7;\n\
                st.relaxed.sys.global.u8 [%rd4+1026], %r7; ret;";
    for n in [1, 7] {
        Case { n, grid: 2, block: [50, 1, 1], ..Case::warp(body) }.agrees();
    }
}

#[test]
fn elements_of_128_bits() {
    let body = "mul.wide.u32 %rd6, %r5, 16; add.u64 %rd7, %rd1, %rd6; and.b64 %rd8, %rd6, 0x3f0; add.u64 %rd8, %rd8, %rd2; ld.global.b128 %q1, [%rd8]; st.global.b128 [%rd7], %q1;\n\
                ld.relaxed.gpu.global.b128 %q2, [%rd8]; mov.b128 {%rd9, %rd10}, %q2; add.u64 %rd9, %rd9, 1; mov.b128 %q3, {%rd10, %rd9}; @%p1 st.global.b128 [%rd7], %q2;\n\
                st.release.gpu.global.b128 [%rd7+512], %q3; ret;";
    Case::warp(body).agrees();
}

#[test]
fn bytes_that_are_not_used() {
    let body = ".pragma \"used_bytes_mask 0x0f0f\"; ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd2+16]; add.u32 %r6, %r6, %r8; st.global.u32 [%rd4], %r6; ret;";
    Case::warp(body).agrees();
}

/// Local memory, its generic address `%rd10`, and an index of each lane from 0 to 7.
const OWN: &str = ".local .align 16 .b8 depot[64]; mov.u64 %rd9, depot; cvta.local.u64 %rd10, %rd9; ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 7;\n\
                   mul.wide.u32 %rd6, %r7, 4; add.u64 %rd11, %rd10, %rd6; st.local.v4.u32 [depot], {%r6, %r4, %r6, %r4};\n";
const ALL_OWN: &str = "ld.local.v4.u32 {%r20, %r21, %r22, %r23}, [depot]; mad.lo.u32 %r8, %r8, 3, %r20; mad.lo.u32 %r8, %r8, 3, %r21; mad.lo.u32 %r8, %r8, 3, %r22;\n\
                       mad.lo.u32 %r8, %r8, 3, %r23; ld.local.v4.u32 {%r20, %r21, %r22, %r23}, [depot+32]; mad.lo.u32 %r8, %r8, 3, %r20; mad.lo.u32 %r8, %r8, 3, %r21;\n\
                       add.u32 %r8, %r8, %r22; xor.b32 %r8, %r8, %r23; st.global.u32 [%rd4], %r8; ret;";

#[test]
fn generic_accesses_that_are_known_to_be_of_local_memory() {
    for (body, expected) in [
        ("st.u32 [%rd10+4], %r6; ld.u32 %r8, [%rd10+8];", 2),
        ("st.v2.u64 [%rd10+32], {%rd6, %rd3}; ld.u8 %r8, [%rd10+63];", 2),
        ("st.volatile.u32 [%rd11+32], %r6; ld.volatile.u32 %r8, [%rd11];", 2),
        ("@%p1 st.u32 [%rd11], %r4; selp.b64 %rd12, %rd10, %rd11, %p1; ld.s16 %r8, [%rd12+2];", 2),
        // Beyond its end, perhaps not aligned, at any index.
        ("mov.u32 %r8, 0; @%p3 ld.u32 %r8, [%rd10+64];", 0),
        (
            "mul.wide.u32 %rd7, %r7, 2; add.u64 %rd12, %rd10, %rd7; ld.u16 %r8, [%rd12]; and.b64 %rd14, %rd7, 12; add.u64 %rd13, %rd10, %rd14; ld.u32 %r9, [%rd13];",
            2,
        ),
        (
            "mul.wide.u32 %rd7, %r7, 2; add.u64 %rd12, %rd10, %rd7; mov.u32 %r8, 0; setp.eq.u32 %p2, %r7, 2; @%p2 ld.u32 %r8, [%rd12];",
            0,
        ),
        ("sub.u64 %rd7, %rd5, %rd10; add.u64 %rd12, %rd10, %rd7; ld.u32 %r8, [%rd12];", 0),
        (
            "selp.b64 %rd12, %rd10, %rd5, %p1; ld.u32 %r8, [%rd12]; st.u64 [%rd10+40], %rd12; ld.u32 %r9, [%rd10+40]; ld.u64 %rd13, [%rd10+40]; ld.u32 %r10, [%rd13];",
            3,
        ),
    ] {
        let body = format!("{OWN}setp.gt.u32 %p1, %r4, 11;\n{body}\n{ALL_OWN}");
        let prepared = Case::warp(&body).prepared();
        assert_eq!(own_accesses(prepared.program()).len(), expected, "{body}");
        if !body.contains("%rd13, [%rd10+40]") {
            Case { block: [45, 1, 1], grid: 2, ..Case::warp(&body) }.agrees();
        }
    }
}

/// Loops on volatile variables of a thread's own, some of which are passed to a function.
#[test]
fn loops_on_volatile_local_variables() {
    let before = ".func down(.param .b64 at, .param .b32 by)\n{ .reg .b64 %a; .reg .b32 %v, %w; ld.param.u64 %a, [at]; ld.param.u32 %w, [by]; ld.volatile.u32 %v, [%a];\n\
                  sub.u32 %v, %v, %w; st.volatile.u32 [%a], %v; ret; }\n";
    let body = format!(
        "{OWN}mov.u32 %r8, 0; st.volatile.u32 [%rd10+16], %r7; again: ld.volatile.u32 %r9, [%rd10+16]; add.u32 %r8, %r8, %r9; setp.le.s32 %p1, %r9, 0; @%p1 bra over;\n\
         add.u64 %rd12, %rd10, 16; {{ .param .b64 x; .param .b32 y; st.param.u64 [x], %rd12; st.param.u32 [y], 1; call down, (x, y); }} bra again; over:\n{ALL_OWN}"
    );
    Case { before, block: [45, 1, 1], grid: 2, ..Case::warp(&body) }.agrees();
}
