//! Operations that the runtime computes, in both engines: `alu` lists which ones have no form.

use crate::common::Case;

#[test]
fn operations_of_the_interpreter() {
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r4, 31; mov.u32 %r8, 0xfffffffd; fns.b32 %r9, %r6, %r7, 1; fns.b32 %r10, %r6, 16, %r8; vmad.s32.s32.s32.sat %r11, %r6, %r4, %r6;\n\
                cvt.rn.f64.u32 %fd1, %r6; mul.rn.f64 %fd2, %fd1, 0d3fb999999999999a; add.rz.f64 %fd3, %fd2, %fd1; div.rm.f64 %fd4, %fd1, %fd3; sqrt.rp.f64 %fd5, %fd2; fma.rp.f64 %fd6, %fd2, %fd3, %fd4;\n\
                xor.b32 %r12, %r9, %r10; xor.b32 %r12, %r12, %r11; add.rn.f64 %fd6, %fd6, %fd5; mov.b64 %rd6, %fd6; cvt.u32.u64 %r13, %rd6; xor.b32 %r12, %r12, %r13;\n\
                and.b32 %r14, %r6, 3; setp.eq.u32 %p1, %r14, 1; @%p1 bra over; fns.b32 %r12, %r12, 0, 2; over: @%p1 fns.b32 %r12, %r6, 1, 3;\n\
                st.global.u32 [%rd4], %r12; ret;";
    Case::warp(body).agrees();
    Case { grid: 2, block: [50, 1, 1], ..Case::warp(body) }.agrees();
}

#[test]
fn one_number_for_all_lanes_or_for_those_of_a_chunk() {
    let body = "fns.b32 %r6, %r1, 0, 2; mov.u32 %r7, %tid.y; add.u32 %r8, %r7, %r1; fns.b32 %r9, %r8, 1, 1; mad.lo.u32 %r6, %r6, 100, %r9; mad.lo.u32 %r10, %r7, %r3, %r4; mul.wide.u32 %rd6, %r10, 4;\n\
                add.u64 %rd6, %rd1, %rd6; setp.gt.u32 %p1, %r1, 50; @%p1 fns.b32 %r6, %r1, 2, 1; mov.u32 %r11, 0; again: fns.b32 %r12, %r1, %r11, 1; add.u32 %r6, %r6, %r12; add.u32 %r11, %r11, 1;\n\
                setp.lt.u32 %p2, %r11, 5; @%p2 bra again; st.global.u32 [%rd6], %r6; ret;";
    for (block, n) in [([32, 2, 1], 0x1234), ([16, 4, 1], 43), ([8, 4, 1], 0xffff), ([5, 7, 1], 13)] {
        Case { block, n, ..Case::warp(body) }.agrees();
    }
}
