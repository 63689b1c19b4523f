//! Registers that are used for one value after another, against the interpreter.

use crate::common::Case;

fn agrees(body: &str) {
    for (block, grid, n) in [([32, 1, 1], 1, 40), ([7, 1, 1], 3, 1), ([96, 1, 1], 4, 9), ([128, 1, 1], 1, 0)]
    {
        let case = Case { block, grid, n, ..Case::warp(body) };
        case.agrees();
        case.holds();
    }
}

#[test]
fn registers_that_are_one_value_after_another() {
    agrees(
        "mov.u32 %r10, %tid.x; mul.wide.u32 %rd6, %r10, 4; min.u32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0;\n\
         @%p1 bra low; mov.u32 %r10, 1; bra end; low: mov.u32 %r10, %r5; end: st.global.u32 [%rd4], %r10; ret;",
    );
}

#[test]
fn lanes_that_wait_keep_the_value_that_they_need() {
    // Lanes of the one side are at the join with their value of %r10 while the others use it for another one.
    agrees(
        "mul.lo.u32 %r10, %r5, 3; and.b32 %r11, %r5, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra end;\n\
         add.u32 %r12, %r10, 1; mov.u32 %r10, 77; add.u32 %r12, %r12, %r10; xor.b32 %r10, %r12, %r1; and.b32 %r11, %r5, 2;\n\
         setp.eq.u32 %p1, %r11, 0; @%p1 bra end; mul.lo.u32 %r11, %r10, 5; add.u32 %r10, %r11, %r10;\n\
         end: st.global.u32 [%rd4], %r10; ret;",
    );
}

#[test]
fn values_of_rounds_and_of_guards() {
    // %r11 is a new value in each round; %r12 keeps its value in lanes whose guard does not hold, until a write that replaces it; %p1 is the
    // condition of everything.
    agrees(
        "mov.u32 %r10, 0; mov.u32 %r12, %r5; mov.u32 %r13, 1;\n\
         again: add.u32 %r11, %r10, %r5; and.b32 %r11, %r11, 3; setp.eq.u32 %p1, %r11, 1; mad.lo.u32 %r13, %r13, 3, %r12;\n\
         @%p1 add.u32 %r12, %r12, 5; setp.eq.u32 %p1, %r11, 2; @%p1 mov.u32 %r12, %r10; mov.u32 %r11, %r13; setp.gt.u32 %p1, %r11, 100000; @%p1 bra done;\n\
         add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1; @%p1 bra again; mov.u32 %r12, %r10;\n\
         done: add.u32 %r13, %r13, %r12; st.global.u32 [%rd4], %r13; ret;",
    );
}

#[test]
fn registers_that_are_zero_at_first() {
    // %r10 is read before it is written, on one of the ways; and by an addition in the first round.
    agrees(
        "and.b32 %r11, %r5, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra on; add.u32 %r10, %r5, 9; on: add.u32 %r12, %r10, 1;\n\
         mov.u32 %r10, 0; again: add.u32 %r13, %r13, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r1; @%p2 bra again;\n\
         mad.lo.u32 %r12, %r12, 1000, %r13; st.global.u32 [%rd4], %r12; ret;",
    );
}

#[test]
fn operations_of_the_warp_with_guards_and_the_same_registers() {
    // The guard selects the lanes that arrive; its register is the result's then, and the mask's register an operand's.
    agrees(
        "and.b32 %r10, %r5, 1; setp.eq.u32 %p1, %r10, 0; mov.u32 %r11, %r5; mov.u32 %r12, 7; activemask.b32 %r13;\n\
         vote.sync.any.pred %p1, %p1, %r13; @%p1 shfl.sync.bfly.b32 %r11|%p1, %r11, 1, 31, %r13; @%p1 add.u32 %r12, %r12, %r11;\n\
         setp.gt.u32 %p1, %r12, 9; vote.sync.ballot.b32 %r13, %p1, %r13; mov.u32 %r11, %r13; add.u32 %r12, %r12, %r11;\n\
         st.global.u32 [%rd4], %r12; ret;",
    );
}

#[test]
fn functions_that_call_themselves() {
    let before = ".func (.reg .u32 r) f(.reg .u32 n)\n{ .reg .u32 a; .reg .pred p; mov.u32 a, n; setp.lt.u32 p, a, 2; mov.u32 r, 1; @p ret; sub.u32 a, a, 1;\n\
                  call (r), f, (a); mov.u32 a, r; add.u32 r, a, n; setp.gt.u32 p, r, 20; @!p ret; mov.u32 a, 3; xor.b32 r, r, a; ret; }";
    let body = "and.b32 %r10, %r4, 7; call (%r11), f, (%r10); mov.u32 %r10, %r1; add.u32 %r11, %r11, %r10; call (%r10), f, (5);\n\
                add.u32 %r11, %r11, %r10; st.global.u32 [%rd4], %r11; ret;";
    for (block, n) in [([32, 1, 1], 1), ([70, 1, 1], 9)] {
        Case { before, block, n, ..Case::warp(body) }.agrees();
    }
}
