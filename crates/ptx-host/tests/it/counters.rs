//! Counters of loops that lanes leave in different rounds: what the loop reads of them is the same for the lanes that are in it. Against
//! the interpreter, and by what is told of branches and accesses.

use crate::common::Case;
use ptx_host::RemarkKind;
use ptx_host::analysis::Launched;
use ptx_llvm_core::host::Cpu;

/// The instructions of a kernel that are told of: as kind and mnemonic.
fn told(body: &str, block: [u32; 3]) -> Vec<(RemarkKind, String)> {
    let prepared = Case { block, ..Case::warp(body) }.prepared();
    let program = prepared.program();
    let cpu = Cpu::baseline("x86-64-v3").expect("a level of x86-64");
    let found = ptx_host::explain(program, &Launched::blocks(block), &cpu, &ptx_host::Options::default())
        .expect("compiled")
        .remarks;
    let mnemonic = |pc: u32| program.origins[pc as usize].mnemonic.to_string();
    found.iter().map(|remark| (remark.kind, mnemonic(remark.pc))).collect()
}

fn agrees(body: &str) {
    for (block, grid, n) in [([32, 1, 1], 1, 40), ([7, 1, 1], 3, 1), ([96, 1, 1], 4, 9), ([16, 8, 1], 1, 0)] {
        Case { block, grid, n, ..Case::warp(body) }.agrees();
    }
}

/// Each lane counts until a number that follows from its own is above a limit, or `n` rounds have passed.
const STEPS: &str = "mov.u32 %r10, 0; mov.u32 %r11, %r5; setp.eq.u32 %p1, %r1, 0; @%p1 bra done;\n\
                     again: mad.lo.u32 %r11, %r11, 5, 7; and.b32 %r12, %r11, 63; setp.gt.u32 %p2, %r12, 55; @%p2 bra done;\n\
                     add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, %r1; @%p3 bra again;\n\
                     done: mad.lo.u32 %r12, %r10, 1000, %r11; st.global.u32 [%rd4], %r12; ret;";

#[test]
fn lanes_leave_early_or_all_at_once() {
    // Of the two branches of the loop only the first parts lanes.
    let branches = told(STEPS, [32, 1, 1]);
    let parting = branches.iter().filter(|(kind, _)| *kind == RemarkKind::Divergent);
    assert_eq!(parting.count(), 1, "{branches:?}");
    agrees(STEPS);
}

#[test]
fn a_place_with_a_stride_is_a_vector_in_the_loop() {
    // Lanes go over the input in steps of a warp until they find a number that has some bits; the place is what is stored.
    let body = "mov.u32 %r10, %laneid; mov.u32 %r11, 0;\n\
                again: mul.wide.u32 %rd6, %r10, 4; add.s64 %rd6, %rd2, %rd6; ld.global.u32 %r12, [%rd6]; and.b32 %r12, %r12, 7;\n\
                setp.eq.u32 %p1, %r12, 5; @%p1 bra done; add.u32 %r10, %r10, 32; add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 15; @%p2 bra again;\n\
                done: mad.lo.u32 %r12, %r11, 10000, %r10; st.global.u32 [%rd4], %r12; ret;";
    let told = told(body, [32, 1, 1]);
    assert!(told.iter().all(|(kind, _)| *kind != RemarkKind::Gather), "{told:?}");
    agrees(body);
}

#[test]
fn counters_of_nested_loops_and_after_them() {
    // Both counters are read after their loops, the inner one begins anew, and the outer one is a start of the inner one.
    let body = "mov.u32 %r10, 0; mov.u32 %r14, 0; mov.u64 %rd6, 3; mov.u32 %r17, 1;\n\
                outer: mov.u32 %r13, %r10;\n\
                inner: mad.lo.u32 %r14, %r14, 3, %r13; add.u32 %r14, %r14, %r5; and.b32 %r15, %r14, 31; setp.eq.u32 %p1, %r15, 9; @%p1 bra left;\n\
                add.u32 %r13, %r13, 1; add.s64 %rd6, %rd6, 2; setp.lt.u32 %p2, %r13, 12; @%p2 bra inner;\n\
                left: xor.b32 %r14, %r14, %r13; and.b32 %r15, %r14, 15; setp.eq.u32 %p3, %r15, 3; @%p3 bra done;\n\
                sub.u32 %r17, %r17, %r1; add.u32 %r10, 1, %r10; setp.ne.u32 %p4, %r10, 10; @%p4 bra outer;\n\
                done: cvt.u32.u64 %r15, %rd6; mad.lo.u32 %r14, %r15, 77, %r14; mad.lo.u32 %r14, %r10, 7, %r14; mad.lo.u32 %r14, %r17, 9, %r14;\n\
                mad.lo.u32 %r14, %r13, 5, %r14; st.global.u32 [%rd4], %r14; ret;";
    agrees(body);
}

#[test]
fn counters_that_are_copied_exchanged_and_entered_in_the_middle() {
    // The start is exchanged with another number; some lanes come into the loop after the counting.
    let body = "mov.u32 %r10, %r1; mov.u32 %r11, 2; mov.b64 %rd6, {%r10, %r11}; mov.b64 {%r11, %r10}, %rd6; and.b32 %r12, %r4, 3; mov.u32 %r14, %r5;\n\
                setp.eq.u32 %p1, %r12, 1; @%p1 bra middle;\n\
                again: add.u32 %r10, %r10, 3; mad.lo.u32 %r14, %r14, 9, %r10;\n\
                middle: mov.u32 %r13, %r10; and.b32 %r15, %r14, 127; setp.gt.u32 %p2, %r15, 120; @%p2 bra done;\n\
                xor.b32 %r14, %r14, %r13; setp.lt.u32 %p3, %r10, 60; @%p3 bra again;\n\
                done: mad.lo.u32 %r14, %r10, 31, %r14; add.u32 %r14, %r14, %r11; add.u32 %r14, %r14, %r13; st.global.u32 [%rd4], %r14; ret;";
    agrees(body);
}

#[test]
fn counters_in_functions_with_collectives_and_barriers() {
    let before = ".func (.reg .b32 count) steps(.reg .b32 from, .reg .b32 most)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>;\n\
                  mov.u32 %r1, 0; mov.u32 %r2, from; again: mad.lo.u32 %r2, %r2, 5, 7; and.b32 %r3, %r2, 63; setp.gt.u32 %p1, %r3, 50; @%p1 bra done;\n\
                  add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, most; @%p2 bra again; done: mov.u32 count, %r1; ret;\n}\n";
    let body = "mov.u32 %r10, 0; mov.u32 %r14, 0;\n\
                again: call.uni (%r11), steps, (%r5, %r1); add.u32 %r14, %r14, %r11; shfl.sync.bfly.b32 %r12, %r14, 3, 0x1f, -1; xor.b32 %r14, %r14, %r12;\n\
                bar.sync 0; add.u32 %r5, %r5, 11; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 4; @%p1 bra again;\n\
                mad.lo.u32 %r14, %r10, 3, %r14; st.global.u32 [%rd4], %r14; ret;";
    for block in [[32, 1, 1], [128, 1, 1]] {
        Case { before, block, n: 30, ..Case::warp(body) }.agrees();
    }
}

#[test]
fn what_stops_a_lane_is_told_at_its_instruction() {
    // Instructions after a twin are where they were.
    let body = "mov.u32 %r10, 0; again: mad.lo.u32 %r5, %r5, 5, 7; and.b32 %r12, %r5, 63; setp.gt.u32 %p1, %r12, 55; @%p1 bra done;\n\
                add.u32 %r10, %r10, 1; setp.gt.u32 %p2, %r10, 12; @%p2 trap; setp.lt.u32 %p3, %r10, 40; @%p3 bra again;\n\
                done: st.global.u32 [%rd4], %r10; ret;";
    Case { block: [64, 1, 1], ..Case::warp(body) }.stops_alike();
}
